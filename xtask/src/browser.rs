//! `cargo xtask browser`: the report in a real browser, and tables read by another program.
//!
//! The tests are in `crates/rotule-report/tests`. They are behind a feature, because they need a
//! browser, Node.js and a Python package that a user of Rotule need not have; this task provides
//! them.

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::project::Project;
use crate::tools::{self, Task};

/// The usage text.
pub const USAGE: &str = "\
Usage: cargo xtask browser [FILTER]

Installs Chromium and what drives it if they are missing, writes demonstration reports, opens them without a window
and does what a reader does: plays, scrubs, zooms, hides curves, turns the mechanism, changes colours, prints. Also
reads written tables with Apache Arrow. FILTER restricts the run to tests whose name contains it.
";

/// Runs the task.
pub fn run(project: &Project, mut arguments: Arguments) -> Result<(), Failure> {
    let filter = arguments.positional().unwrap_or_default();
    arguments.finish()?;
    tools::provide(project, Task::Test)?;
    let tests = "test --package rotule-report --features foreign --test browser --test tables";
    let call = project.cargo(&format!("{tests} --no-fail-fast --"));
    let call = tools::named(project, call);
    if filter.is_empty() { call.run() } else { call.with(filter).run() }
}
