//! Measures of a motion: one number of a channel over time.

use rotule_formalism::Problem;

/// The kind of measure of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// Its last number.
    Last,
    /// The smallest one.
    Min,
    /// The largest one.
    Max,
    /// The mean over time.
    Mean,
    /// The root of the mean square over time.
    Rms,
}

impl Statistic {
    /// All kinds with their words.
    pub const ALL: [(Statistic, &'static str); 5] = [
        (Statistic::Last, "last"),
        (Statistic::Min, "min"),
        (Statistic::Max, "max"),
        (Statistic::Mean, "mean"),
        (Statistic::Rms, "rms"),
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        Statistic::ALL.iter().find(|(known, _)| *known == self).map_or("", |(_, word)| word)
    }
}

/// Reads `CHANNEL:KIND`.
pub fn parse(text: &str) -> Result<(&str, Statistic), Problem> {
    let help = "expected CHANNEL:KIND, with KIND one of last, min, max, mean, rms";
    let Some((channel, word)) = text.rsplit_once(':') else {
        return Err(Problem::new(format!("--measure {text}: missing `:KIND`"), help));
    };
    let found = Statistic::ALL.iter().find(|(_, known)| *known == word.trim());
    match found {
        Some((kind, _)) => Ok((channel.trim(), *kind)),
        None => Err(Problem::new(format!("--measure {text}: there is no kind `{word}`"), help)),
    }
}

/// Numbers of a channel so far. Means are by the trapezoidal rule.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeasureTally {
    start: f64,
    last: Option<(f64, f64)>,
    least: f64,
    most: f64,
    integral: f64,
    squares: f64,
}

impl MeasureTally {
    /// One more number.
    pub fn add(&mut self, t: f64, value: f64) {
        match self.last {
            None => (self.start, self.least, self.most) = (t, value, value),
            Some((before, old)) => {
                let half = 0.5 * (t - before);
                self.least = self.least.min(value);
                self.most = self.most.max(value);
                self.integral += half * (old + value);
                self.squares += half * (old * old + value * value);
            }
        }
        self.last = Some((t, value));
    }

    /// The measured value; not a number if there was nothing.
    pub fn value(&self, kind: Statistic) -> f64 {
        let Some((t, last)) = self.last else { return f64::NAN };
        let span = t - self.start;
        match kind {
            Statistic::Last => last,
            Statistic::Min => self.least,
            Statistic::Max => self.most,
            Statistic::Mean if span > 0.0 => self.integral / span,
            Statistic::Rms if span > 0.0 => (self.squares / span).sqrt(),
            Statistic::Mean => last,
            Statistic::Rms => last.abs(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sine_over_a_turn() {
        let mut tally = MeasureTally::default();
        assert!(tally.value(Statistic::Max).is_nan());
        tally.add(0.0, -3.0);
        assert_eq!((tally.value(Statistic::Mean), tally.value(Statistic::Rms)), (-3.0, 3.0));
        let mut tally = MeasureTally::default();
        for k in 0..=1000 {
            let t = std::f64::consts::TAU * f64::from(k) / 1000.0;
            tally.add(t, 1.0 + 2.0 * t.sin());
        }
        let close = |kind, expected: f64| assert!((tally.value(kind) - expected).abs() < 1e-9);
        close(Statistic::Last, 1.0);
        close(Statistic::Min, -1.0);
        close(Statistic::Max, 3.0);
        close(Statistic::Mean, 1.0);
        close(Statistic::Rms, 3.0_f64.sqrt());
    }

    #[test]
    fn words() {
        assert_eq!(parse("a:b.x:rms").map_err(|_| ()), Ok(("a:b.x", Statistic::Rms)));
        assert!(parse("q1").is_err() && parse("q1:median").is_err());
    }
}
