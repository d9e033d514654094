//! The summary of a study: number of samples, spread, speed.

use super::{SampleRow, Status, StudyOptions, StudySummary};
use rotule_numeric::initial_values::{InitialValueReport, report};
use rotule_simulate::method::Accuracy;
use rotule_symbolic::figures::{count, duration, plain, shown, table};

/// Of samples that failed, so many are listed.
const LISTED: usize = 5;

/// A column of the table of samples: something that varied or was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its SI unit; may be empty.
    pub unit: String,
    /// `true` if it varies at random.
    pub random: bool,
}

impl Column {
    /// The name with the unit, as a heading.
    pub fn heading(&self) -> String {
        match self.unit.as_str() {
            "" => self.name.clone(),
            unit => format!("{} [{unit}]", self.name),
        }
    }
}

/// Samples as a table of text: what varied, what was measured, how they ended.
pub fn sample_table(columns: &(Vec<Column>, Vec<Column>), rows: &[SampleRow]) -> String {
    let (varied, measured) = columns;
    let mut heading = vec!["sample".to_owned()];
    heading.extend(varied.iter().chain(measured).map(Column::heading));
    heading.push("verdict".to_owned());
    let mut lines = vec![heading];
    for row in rows {
        let mut line = vec![row.number.to_string()];
        line.extend(row.varied.iter().chain(&row.measured).map(|number| match number.is_nan() {
            true => "-".to_owned(),
            false => plain(*number, 6),
        }));
        line.push(match row.status {
            Status::Failed(_) => "failed".to_owned(),
            _ => row.verdict.word(),
        });
        lines.push(line);
    }
    table(&lines)
}

/// Names and values of what is to be said of a study but for wall-clock times.
pub fn rows(summary: &StudySummary, options: &StudyOptions) -> Vec<(&'static str, String)> {
    let mut rows: Vec<(&'static str, String)> = Vec::new();
    let mut samples = count(summary.done as u64);
    if summary.done < summary.samples {
        samples.push_str(&format!(" of {}", count(summary.samples as u64)));
    }
    let alone: usize = summary.alone.values().sum();
    if alone > 0 {
        samples.push_str(&format!(", {} run alone", count(alone as u64)));
    }
    if !summary.failed.is_empty() {
        samples.push_str(&format!(", {} failed", count(summary.failed.len() as u64)));
    }
    rows.push(("samples", samples));
    for (why, &times) in &summary.alone {
        let number = if times == alone { String::new() } else { format!("{times}: ") };
        rows.push(("alone because", format!("{number}{why}")));
    }
    for (word, &times) in &summary.warned {
        rows.push(("warnings", format!("{}: {word}", count(times as u64))));
    }
    let (plan, to) = (options.plan(), shown(options.to, 6));
    let steps = match plan.accuracy {
        Accuracy::Fixed(step) => format!("steps of {} s", shown(step, 6)),
        Accuracy::Within { relative, absolute } => {
            format!("tolerances {relative:e} and {absolute:e}")
        }
    };
    rows.push(("method", format!("{}, {steps} until {to} s", plan.method)));
    let threads = match summary.threads {
        1 => "1 thread".to_owned(),
        many => format!("{many} threads"),
    };
    rows.push(("kernel", format!("{}, {threads}", summary.kernel)));
    rows.push(("evaluations", count(summary.evaluations)));
    rows
}

/// The summary as lines of text.
pub fn text(summary: &StudySummary, options: &StudyOptions) -> String {
    let mut rows = rows(summary, options);
    // Wall-clock times, apart from what is the same in every run.
    if let Some(taken) = summary.seconds {
        let seconds = taken.max(1e-9);
        let rate = shown(summary.evaluations as f64 / seconds, 3);
        let mut computing = format!("{}, {rate} evaluations a second", duration(taken));
        if summary.simulated > 0.0 {
            let factor = shown(summary.simulated / seconds, 3);
            computing.push_str(&format!(", {factor} times faster than real time"));
        }
        rows.push(("computing", computing));
    }
    let mut text = String::new();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in rows {
        text.push_str(&format!("{name:<width$}  {value}\n"));
    }
    // Of nothing there is nothing to be said.
    if summary.measured.iter().any(|numbers| !numbers.is_empty()) {
        text.push('\n');
        text.push_str(&spread(summary));
    }
    for (number, t, why) in summary.failed.iter().take(LISTED) {
        text.push_str(&format!("\nsample {number} failed at t = {} s: {why}", shown(*t, 6)));
    }
    if summary.failed.len() > LISTED {
        text.push_str(&format!("\nand {} more", summary.failed.len() - LISTED));
    }
    if !summary.failed.is_empty() {
        text.push('\n');
    }
    text
}

/// A report on written initial values that could not be kept, of all samples together.
pub fn initial(summary: &StudySummary) -> Option<InitialValueReport> {
    let (number, change) = summary.largest.as_ref()?;
    let mut report = report(std::slice::from_ref(change))?;
    report.problem.message = format!(
        "in {} of {} samples, most in sample {number}: {}",
        count(summary.changed as u64),
        count(summary.done as u64),
        report.problem.message
    );
    Some(report)
}

/// One line for each measure.
fn spread(summary: &StudySummary) -> String {
    let heading = ["", "mean", "sd", "min", "5 %", "median", "95 %", "max"].map(str::to_owned);
    let mut lines = vec![heading.to_vec()];
    for (name, numbers) in summary.names.iter().zip(&summary.measured) {
        let mut line = vec![name.clone()];
        line.extend(statistics(numbers).iter().map(|number| plain(*number, 6)));
        lines.push(line);
    }
    table(&lines)
}

/// Mean, standard deviation of a sample, least, quantiles, most.
pub fn statistics(numbers: &[f64]) -> [f64; 7] {
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let squares: f64 = numbers.iter().map(|x| (x - mean) * (x - mean)).sum();
    let deviation = if numbers.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let quantile = |share: f64| {
        let place = share * (n - 1.0);
        let at = place.floor().max(0.0) as usize;
        match (sorted.get(at), sorted.get(at + 1)) {
            (Some(&low), Some(&high)) => low + (place - place.floor()) * (high - low),
            (Some(&low), None) => low,
            _ => f64::NAN,
        }
    };
    let deviation = if numbers.is_empty() { f64::NAN } else { deviation };
    [mean, deviation, quantile(0.0), quantile(0.05), quantile(0.5), quantile(0.95), quantile(1.0)]
}

#[cfg(test)]
mod tests {
    use super::statistics;

    #[test]
    fn of_a_few_numbers() {
        let found = statistics(&[4.0, 1.0, 2.0, 3.0, 5.0]);
        let expected = [3.0, 2.5_f64.sqrt(), 1.0, 1.2, 3.0, 4.8, 5.0];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14, "{found} {expected}");
        }
        assert_eq!(statistics(&[7.0]), [7.0, 0.0, 7.0, 7.0, 7.0, 7.0, 7.0]);
        assert!(statistics(&[]).iter().all(|number| number.is_nan()));
    }
}
