//! The passes: each is one file and one function that rewrites a valid program into a valid program
//! that is never more expensive, and reports what it did.
//!
//! [`optimise`] composes them. Passes that only decide something about a program
//! ([`slots()`], [`inline()`]) leave it as it is and give their decision back.
//!
//! What each keeps: `dead`, `share`, `hoist_to_setup` and `schedule` keep every output bit by bit.
//! `fold` and `negation_sharing` keep its value, but may exchange 0 and -0. Marks have no influence
//! and follow what they mark ([`Mark`](crate::Mark)). All take near-linear time and use no
//! recursion over values.

mod angle_addition;
mod batch_trigonometry;
mod compact;
mod dead;
mod fold;
mod hoist_to_setup;
mod inline;
mod latency_schedule;
mod negation_sharing;
mod packed_storage;
mod report;
mod rewrite;
mod schedule;
mod share;
mod slots;
mod slots_check;
mod status;

pub use angle_addition::angle_addition;
pub use batch_trigonometry::{angle, batch_trigonometry};
pub use compact::compact;
pub use dead::dead;
pub use fold::fold;
pub use hoist_to_setup::hoist_to_setup;
pub use inline::{Bounds, inline};
pub use latency_schedule::latency_schedule;
pub use negation_sharing::negation_sharing;
pub use packed_storage::packed_storage;
pub use report::{PassReport, Reports};
pub(crate) use rewrite::Rewrite;
pub use schedule::schedule;
pub use share::share;
pub use slots::{Location, Slots, slots};
pub use slots_check::{SlotProblem, check_slots};
pub use status::{STATUS, status};

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
    PipelinePass { name: "negation_sharing", run: negation_sharing, exact: false },
    PipelinePass { name: "hoist_to_setup", run: hoist_to_setup, exact: true },
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
    reports.add(negation_sharing(program));
    // Opposites are new minuses, which melt into the sums around them, which may become equal.
    reports.again("fold", 2, || fold(program));
    // What is hoisted out of two regions, or out of one and the body, can be shared after it.
    reports.add(hoist_to_setup(program));
    reports.again("share", 3, || share(program));
    reports.add(dead(program));
    reports
}
