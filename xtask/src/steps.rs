//! A sequence of named steps: each runs whatever happened to the ones before it, and a table at the
//! end says which passed, how long each took and how to repeat a failed one.

use std::time::{Duration, Instant};

use crate::failure::Failure;

/// One finished step.
struct Done {
    name: &'static str,
    time: Duration,
    outcome: Result<(), Failure>,
    /// The shell line that repeats the step alone.
    repeat: String,
}

/// The steps so far.
#[derive(Default)]
pub struct Steps {
    done: Vec<Done>,
}

impl Steps {
    /// Runs one step under a heading and remembers how it went.
    pub fn run(
        &mut self,
        name: &'static str,
        repeat: impl Into<String>,
        action: impl FnOnce() -> Result<(), Failure>,
    ) {
        let repeat = repeat.into();
        println!("\n=== {name}: {repeat}");
        let start = Instant::now();
        let outcome = action();
        let time = start.elapsed();
        println!("=== {name}: {} in {:.1} s", verdict(&outcome), time.as_secs_f64());
        self.done.push(Done { name, time, outcome, repeat });
    }

    /// The closing table, followed by the reason and the remedy for every failed step.
    pub fn table(&self) -> String {
        let width = self.done.iter().map(|step| step.name.len()).max().unwrap_or(0).max(4);
        let mut text = format!("{:<width$}  result     time\n", "step");
        for step in &self.done {
            let seconds = step.time.as_secs_f64();
            text +=
                &format!("{:<width$}  {}  {seconds:>5.1} s\n", step.name, verdict(&step.outcome));
        }
        for step in &self.done {
            if let Err(failure) = &step.outcome {
                text += &format!("\n{}: {failure}\n  repeat it with: {}\n", step.name, step.repeat);
            }
        }
        text
    }

    /// Success if every step passed, otherwise the names of those that did not.
    pub fn finish(self) -> Result<(), Failure> {
        let failed = self.done.iter().filter(|step| step.outcome.is_err());
        let failed: Vec<_> = failed.map(|step| step.name).collect();
        if failed.is_empty() { Ok(()) } else { Err(Failure::Steps { failed }) }
    }
}

fn verdict(outcome: &Result<(), Failure>) -> &'static str {
    if outcome.is_ok() { "passed" } else { "FAILED" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_does_not_stop_the_next_and_is_explained() {
        let mut steps = Steps::default();
        steps.run("format", "cargo fmt", || Err(Failure::Tidy { errors: 3 }));
        steps.run("tests", "cargo test", || Ok(()));
        let table = steps.table();
        assert!(table.contains("format  FAILED"), "{table}");
        assert!(table.contains("tests   passed"), "{table}");
        assert!(table.contains("repeat it with: cargo fmt"), "{table}");
        assert_eq!(steps.finish().unwrap_err().to_string(), "error: failed: format");
    }

    #[test]
    fn steps_that_pass_make_a_success() {
        let mut steps = Steps::default();
        steps.run("tests", "cargo test", || Ok(()));
        assert!(steps.finish().is_ok());
    }
}
