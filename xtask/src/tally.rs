//! The sum of all tests: reads the closing lines that the test runner prints for each test program.

use std::fmt;

/// Number of tests that passed and failed so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
}

impl Tally {
    /// Adds the counts of one line of output, if it is a closing line such as
    /// `test result: ok. 12 passed; 0 failed; 0 ignored; ...`.
    pub fn read(&mut self, line: &str) {
        let Some((_, counts)) = line.split_once("test result: ") else { return };
        let count = |word| {
            let (before, _) = counts.split_once(word)?;
            before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
        };
        // Only a line with both counts is a closing line.
        if let (Some(passed), Some(failed)) = (count(" passed"), count(" failed")) {
            self.passed += passed;
            self.failed += failed;
        }
    }

    /// Notes that a test run as a whole failed. A program that crashed or did not compile prints no
    /// closing line, and the sum must not look clean then.
    pub fn note_failed_run(&mut self, before: Self) {
        if self.failed == before.failed {
            self.failed += 1;
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_summed_and_other_lines_are_not() {
        let mut tally = Tally::default();
        let tail = "0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        tally.read("running 3 tests");
        tally.read("test graph::tests::two_passed_one_failed ... ok");
        tally.read(&format!("test result: ok. 3 passed; 0 failed; {tail}"));
        tally.read(&format!("test result: FAILED. 10 passed; 2 failed; {tail}"));
        tally.read("test result: of the third kind");
        assert_eq!(tally.to_string(), "13 passed, 2 failed");
    }

    #[test]
    fn a_crash_without_a_closing_line_counts_as_one_failure() {
        let mut tally = Tally { passed: 5, failed: 0 };
        tally.note_failed_run(tally);
        assert_eq!(tally, Tally { passed: 5, failed: 1 });
        let before = Tally { passed: 5, failed: 0 };
        tally.note_failed_run(before);
        assert_eq!(tally.failed, 1, "failures that were counted are not counted twice");
    }
}
