//! Tables over time: the numbers of an input at given times, and what it is in between and beyond.

use rotule_formalism::Problem;

/// The course of a table between its times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Straight lines.
    #[default]
    Linear,
    /// The last number before: steps.
    Previous,
    /// A cubic spline with two continuous derivatives, straight at its ends.
    Cubic,
}

impl Interpolation {
    /// Every kind with its word.
    pub const ALL: [(Interpolation, &'static str); 3] = [
        (Interpolation::Linear, "linear"),
        (Interpolation::Previous, "previous"),
        (Interpolation::Cubic, "cubic"),
    ];
}

/// The course of a table before its first and behind its last time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extrapolation {
    /// Its first and its last number.
    #[default]
    Hold,
    /// Its course again and again; its last number is to be its first.
    Repeat,
    /// Not a number, which ends a run.
    Refuse,
}

impl Extrapolation {
    /// Every kind with its word.
    pub const ALL: [(Extrapolation, &'static str); 3] = [
        (Extrapolation::Hold, "hold"),
        (Extrapolation::Repeat, "repeat"),
        (Extrapolation::Refuse, "refuse"),
    ];
}

/// The reason why numbers make no table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableError {
    /// The row at fault, counted from zero; none if it is the whole table.
    pub row: Option<usize>,
    /// The fault.
    pub what: String,
    /// The remedy.
    pub help: &'static str,
}

impl From<TableError> for Problem {
    fn from(error: TableError) -> Problem {
        let row = error.row.map_or(String::new(), |row| format!("row {}: ", row + 1));
        Problem::new(row + &error.what, error.help)
    }
}

/// A table over time.
#[derive(Clone, Debug, PartialEq)]
pub struct InputTable {
    times: Vec<f64>,
    values: Vec<f64>,
    /// Second derivatives of a spline at the times.
    bends: Vec<f64>,
    interpolation: Interpolation,
    extrapolation: Extrapolation,
}

impl InputTable {
    /// A table of rows whose times increase.
    pub fn new(
        times: Vec<f64>,
        values: Vec<f64>,
        interpolation: Interpolation,
        extrapolation: Extrapolation,
    ) -> Result<InputTable, TableError> {
        let row = |at: usize, what: String, help| Err(TableError { row: Some(at), what, help });
        let whole = |what: String, help| Err(TableError { row: None, what, help });
        if times.len() != values.len() {
            let message = format!("{} times and {} values", times.len(), values.len());
            return whole(message, "give as many values as times");
        }
        if times.is_empty() {
            return whole("the table has no rows".to_owned(), "give one row or more");
        }
        for (at, (time, value)) in times.iter().zip(&values).enumerate() {
            if !time.is_finite() || !value.is_finite() {
                let what = if time.is_finite() { "value" } else { "time" };
                return row(
                    at,
                    format!("the {what} is not a finite number"),
                    "correct or remove it",
                );
            }
            if at > 0 && *time <= times[at - 1] {
                let message = format!("the time {time} does not come behind {}", times[at - 1]);
                return row(at, message, "times must increase from row to row");
            }
        }
        let last = values.len() - 1;
        if extrapolation == Extrapolation::Repeat && values[0] != values[last] {
            let message = format!("the table ends with {}, not with its first value", values[last]);
            return row(last, message, "a table that repeats ends where it begins");
        }
        let bends = match interpolation {
            Interpolation::Cubic => bends(&times, &values),
            _ => Vec::new(),
        };
        Ok(InputTable { times, values, bends, interpolation, extrapolation })
    }

    /// Returns `true` if it has two continuous derivatives within its times.
    pub fn is_smooth(&self) -> bool {
        self.interpolation == Interpolation::Cubic
    }

    /// Reports the first number beyond limits.
    pub fn check_limits(&self, [low, high]: [f64; 2]) -> Result<(), TableError> {
        let beyond = self.values.iter().position(|value| !(low..=high).contains(value));
        let Some(at) = beyond else { return Ok(()) };
        let what = format!("{} is beyond the limits {low} and {high}", self.values[at]);
        let help = "correct the table, or the limits of the input";
        Err(TableError { row: Some(at), what, help })
    }

    /// The first and the last time.
    pub(crate) fn ends(&self) -> [f64; 2] {
        [self.times[0], self.times[self.times.len() - 1]]
    }

    /// The number at a time, and its first two derivatives.
    pub fn at(&self, t: f64) -> [f64; 3] {
        let [first, last] = self.ends();
        let mut t = t;
        if t < first || t > last {
            match self.extrapolation {
                Extrapolation::Hold => {
                    let end = if t < first { 0 } else { self.values.len() - 1 };
                    return [self.values[end], 0.0, 0.0];
                }
                Extrapolation::Repeat if last > first => {
                    let length = last - first;
                    t -= length * ((t - first) / length).floor();
                    t = t.clamp(first, last);
                }
                Extrapolation::Repeat => return [self.values[0], 0.0, 0.0],
                Extrapolation::Refuse => return [f64::NAN; 3],
            }
        }
        // The row at or before the time.
        let at = self.times.partition_point(|&time| time <= t).saturating_sub(1);
        let next = at + 1;
        if next == self.times.len() || self.interpolation == Interpolation::Previous {
            return [self.values[at], 0.0, 0.0];
        }
        let (from, to) = (self.values[at], self.values[next]);
        let width = self.times[next] - self.times[at];
        let x = (t - self.times[at]) / width;
        let slope = (to - from) / width;
        if self.interpolation == Interpolation::Linear {
            return [from + x * (to - from), slope, 0.0];
        }
        let (a, b) = (self.bends[at], self.bends[next]);
        let rest = 1.0 - x;
        let [c, d] = [rest, x].map(|x| (x * x * x - x) * width * width / 6.0);
        let [cd, dd] = [rest, x].map(|x| (3.0 * x * x - 1.0) * width / 6.0);
        let value = rest * from + x * to + c * a + d * b;
        [value, slope - cd * a + dd * b, rest * a + x * b]
    }

    /// Times within a run at which the course is not smooth.
    pub(crate) fn knots(&self, from: f64, to: f64) -> Vec<f64> {
        let [first, last] = self.ends();
        let count = self.times.len();
        let value = |at: usize| self.values[at];
        let slope = |at: usize| (value(at + 1) - value(at)) / (self.times[at + 1] - self.times[at]);
        let bends = |at: usize| match self.interpolation {
            Interpolation::Previous => at > 0 && value(at) != value(at - 1),
            _ if at == 0 || at + 1 == count => true,
            Interpolation::Linear => slope(at) != slope(at - 1),
            Interpolation::Cubic => false,
        };
        let own: Vec<f64> = (0..count).filter(|&at| bends(at)).map(|at| self.times[at]).collect();
        let length = last - first;
        let turns = match self.extrapolation {
            Extrapolation::Repeat if length > 0.0 => {
                let turn = |t: f64| ((t - first) / length).floor();
                let (low, high) = (turn(from), turn(to));
                // A run of very many turns is left to the method.
                if high - low > 1e4 { 0.0..=0.0 } else { low..=high }
            }
            _ => 0.0..=0.0,
        };
        let (mut turn, end) = (*turns.start(), *turns.end());
        let mut all = Vec::new();
        while turn <= end {
            all.extend(own.iter().map(|time| time + turn * length));
            turn += 1.0;
        }
        all.retain(|time| (from..=to).contains(time));
        all
    }
}

/// Second derivatives of a cubic spline that is straight at its ends.
fn bends(times: &[f64], values: &[f64]) -> Vec<f64> {
    let count = times.len();
    let mut bends = vec![0.0; count];
    if count < 3 {
        return bends;
    }
    // Gauss on a tridiagonal matrix that dominates on its diagonal.
    let (mut upper, mut right) = (vec![0.0; count], vec![0.0; count]);
    for at in 1..count - 1 {
        let (before, behind) = (times[at] - times[at - 1], times[at + 1] - times[at]);
        let jump = (values[at + 1] - values[at]) / behind - (values[at] - values[at - 1]) / before;
        let pivot = 2.0 * (before + behind) - before * upper[at - 1];
        upper[at] = behind / pivot;
        right[at] = (6.0 * jump - before * right[at - 1]) / pivot;
    }
    for at in (1..count - 1).rev() {
        bends[at] = right[at] - upper[at] * bends[at + 1];
    }
    bends
}
