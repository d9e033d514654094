//! Reports of passes: sizes before and after, printed as an aligned table.

use crate::counts::ProgramCounts;
use crate::program::Program;
use std::fmt;

/// The report of one pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassReport {
    /// The pass.
    pub name: &'static str,
    /// Values before and after.
    pub values: (usize, usize),
    /// All stages' operations before and after, as
    /// [`OperationTally::operations`](crate::OperationTally::operations) counts them.
    pub operations: (u64, u64),
    /// Operations of `body` before and after, one iteration of its regions included.
    pub evaluation: (u64, u64),
    /// Number of statements that the pass removed, replaced or moved.
    pub changes: usize,
}

impl PassReport {
    /// Runs a pass and measures the program before and after; `pass` gives its number of changes.
    pub(super) fn of(
        name: &'static str,
        program: &mut Program,
        pass: impl FnOnce(&mut Program) -> usize,
    ) -> PassReport {
        let before = sizes(program);
        let changes = pass(program);
        let after = sizes(program);
        PassReport {
            name,
            values: (before.0, after.0),
            operations: (before.1, after.1),
            evaluation: (before.2, after.2),
            changes,
        }
    }

    /// Number of operations of all stages that the pass removed.
    pub fn removed(&self) -> u64 {
        self.operations.0.saturating_sub(self.operations.1)
    }
}

/// Values, all operations and those of `body` with one iteration of the regions.
fn sizes(program: &Program) -> (usize, u64, u64) {
    let counts = ProgramCounts::plain(program);
    let evaluation = (counts.body + counts.iteration).operations();
    (program.len(), counts.setup.operations() + evaluation, evaluation)
}

/// The reports of a sequence of passes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reports(pub Vec<PassReport>);

impl Reports {
    /// Adds what one more pass did.
    pub fn add(&mut self, report: PassReport) {
        self.0.push(report);
    }

    /// Adds what a pass did that ran before. If none of the `since` passes behind it changed
    /// anything, it would not either, and is not run.
    pub(super) fn again(
        &mut self,
        name: &'static str,
        since: usize,
        pass: impl FnOnce() -> PassReport,
    ) {
        let behind = &self.0[self.0.len().saturating_sub(since)..];
        let report = match behind.last() {
            Some(last) if behind.iter().all(|report| report.changes == 0) => {
                PassReport { name, ..*last }
            }
            _ => pass(),
        };
        self.add(report);
    }
}

impl fmt::Display for PassReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        row(f, self)
    }
}

impl fmt::Display for Reports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let titles = ["pass", "values", "after", "operations", "after", "per run", "after"];
        let [pass, values, a, operations, b, evaluation, c] = titles;
        write!(f, "{pass:<16}{values:>10}{a:>10}{operations:>11}{b:>10}{evaluation:>10}{c:>10}")?;
        write!(f, "{:>9}", "changes")?;
        self.0.iter().try_for_each(|report| {
            writeln!(f)?;
            row(f, report)
        })
    }
}

fn row(f: &mut fmt::Formatter<'_>, report: &PassReport) -> fmt::Result {
    let PassReport { name, values, operations, evaluation, changes } = report;
    write!(f, "{name:<16}{:>10}{:>10}", values.0, values.1)?;
    write!(f, "{:>11}{:>10}", operations.0, operations.1)?;
    write!(f, "{:>10}{:>10}{changes:>10}", evaluation.0, evaluation.1)
}
