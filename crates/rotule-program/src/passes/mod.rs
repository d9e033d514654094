//! The passes: each is one file and one function that rewrites a valid program into a valid program
//! that is never more expensive, and reports what it did.
//!
//! [`optimise`] composes them. Passes that only decide something about a program
//! ([`slots()`], [`inline()`]) leave it as it is and give their decision back.
//!
//! What each keeps: `dead`, `share`, `hoist` and `schedule` keep every output bit by bit. `fold`
//! and `opposite` keep its value, but may exchange 0 and -0. All take near-linear time and use no
//! recursion over values.

mod compact;
mod dead;
mod fold;
mod gather;
mod hoist;
mod inline;
mod opposite;
mod overlap;
mod report;
mod rewrite;
mod schedule;
mod share;
mod slots;
mod slots_check;
mod status;
mod stored;
mod turns;

pub use compact::compact;
pub use dead::dead;
pub use fold::fold;
pub use gather::{angle, gather};
pub use hoist::hoist;
pub use inline::{Bounds, inline};
pub use opposite::opposite;
pub use overlap::overlap;
pub use report::{PassReport, Reports};
pub use schedule::schedule;
pub use share::share;
pub use slots::{Location, Slots, slots};
pub use slots_check::{SlotProblem, check_slots};
pub use status::{STATUS, status};
pub use stored::stored;
pub use turns::turns;

use crate::program::Program;

/// A pass of the pipeline.
#[derive(Clone, Copy, Debug)]
pub struct PipelinePass {
    /// Its name, which its reports and its test cases have.
    pub name: &'static str,
    /// Runs it.
    pub run: fn(&mut Program) -> PassReport,
    /// True if it keeps outputs bit by bit; false if it may exchange 0 and -0.
    pub exact: bool,
}

/// Every pass that [`optimise`] runs. Tests go over this table: random programs keep their outputs,
/// and a file of `tests/cases` shows what each pass does. A pass that runs and is not listed fails
/// a test.
pub const PASSES: &[PipelinePass] = &[
    PipelinePass { name: "fold", run: fold, exact: false },
    PipelinePass { name: "share", run: share, exact: true },
    PipelinePass { name: "opposite", run: opposite, exact: false },
    PipelinePass { name: "hoist", run: hoist, exact: true },
    PipelinePass { name: "dead", run: dead, exact: true },
    PipelinePass { name: "schedule", run: schedule, exact: true },
];

/// Runs every rewriting pass, in the order in which each helps the next.
pub fn optimise(program: &mut Program) -> Reports {
    let mut reports = reduce(program);
    reports.add(schedule(program));
    reports
}

/// Runs the passes that make a program cheaper, which are all but [`schedule()`]: enough to know
/// what it costs. A pass that could only find again what it has found before is not run.
pub fn reduce(program: &mut Program) -> Reports {
    let mut reports = Reports::default();
    // Signs first: they decide which operations are equal.
    reports.add(fold(program));
    reports.add(share(program));
    reports.add(opposite(program));
    // Opposites are new minuses, which melt into the sums around them, which may become equal.
    reports.again("fold", 2, || fold(program));
    // What is hoisted out of two regions, or out of one and the body, can be shared after it.
    reports.add(hoist(program));
    reports.again("share", 3, || share(program));
    reports.add(dead(program));
    reports
}
