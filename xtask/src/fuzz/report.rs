//! The report of libFuzzer about a run, read from its output.

use std::fmt;
use std::path::PathBuf;

/// The outcome of one target's run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of inputs that were tried.
    pub executions: u64,
    /// Number of inputs per second, on average.
    pub rate: u64,
    /// Number of points of the code that were reached.
    pub coverage: u64,
    /// `true` if the run ended in a finding.
    pub failed: bool,
    /// The input that breaks a promise.
    pub finding: Option<PathBuf>,
}

impl Report {
    /// Reads one line of libFuzzer's output.
    pub fn read(&mut self, line: &str) {
        let number = |text: &str| text.split_whitespace().next()?.parse().ok();
        let after = |mark| line.split_once(mark).map(|(_, rest)| rest);
        if let Some(path) = after("Test unit written to ") {
            self.finding = Some(PathBuf::from(path.trim()));
        }
        if let Some(count) = after("stat::number_of_executed_units:").and_then(number) {
            self.executions = count;
        }
        if let Some(count) = after("stat::average_exec_per_sec:").and_then(number) {
            self.rate = count;
        }
        // A progress line, such as `#1024  NEW  cov: 57 ft: 93 corp: 12/80b ...`.
        if let Some(progress) = line.strip_prefix('#') {
            self.coverage = self.coverage.max(after(" cov: ").and_then(number).unwrap_or(0));
            self.executions = self.executions.max(number(progress).unwrap_or(0));
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { executions, rate, coverage, .. } = self;
        write!(f, "{executions} executions ({rate} per second), {coverage} points covered, ")?;
        match &self.finding {
            Some(_) => write!(f, "FINDING"),
            None if self.failed => write!(f, "FAILED"),
            None => write!(f, "no finding"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(lines: &[&str]) -> Report {
        let mut report = Report::default();
        lines.iter().for_each(|line| report.read(line));
        report
    }

    #[test]
    fn a_quiet_run_is_summed_up() {
        let report = report(&[
            "#2\tINITED cov: 30 ft: 30 corp: 1/1b exec/s: 0 rss: 27Mb",
            "#440\tNEW    cov: 39 ft: 46 corp: 8/23b lim: 6 exec/s: 0 rss: 27Mb",
            "#1000\tDONE   cov: 39 ft: 46 corp: 8/23b lim: 6 exec/s: 500 rss: 27Mb",
            "stat::number_of_executed_units: 1000",
            "stat::average_exec_per_sec:     500",
        ]);
        let text = "1000 executions (500 per second), 39 points covered, no finding";
        assert_eq!(report.to_string(), text);
    }

    #[test]
    fn a_finding_has_a_path() {
        let line = "artifact_prefix='f/'; Test unit written to f/crash-0a1b";
        assert_eq!(report(&[line]).finding, Some(PathBuf::from("f/crash-0a1b")));
    }
}
