//! `cargo xtask languages`: generated code of every language, compiled, run and compared with the
//! interpreter.
//!
//! The tests are in `crates/rotule/tests/languages`. They are behind a feature, because they need
//! compilers and interpreters that a user of Rotule need not have; this task provides them.

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::project::Project;
use crate::tools::{self, Task};

/// The usage text.
pub const USAGE: &str = "\
Usage: cargo xtask languages [--all] [FILTER]

Installs compilers and interpreters that are missing, generates code in every language for several models, runs
it and compares every number with the interpreter of Rotule. FILTER restricts the run to tests whose name contains
it, such as `fortran` or `c::models`.

Options:
  --all    also what takes minutes and has shown nothing more so far: large models in every face, and the
           largest in batches and under sanitizers
";

/// Runs the task.
pub fn run(project: &Project, mut arguments: Arguments) -> Result<(), Failure> {
    let all = arguments.flag("--all");
    let filter = arguments.positional().unwrap_or_default();
    arguments.finish()?;
    tools::provide(project, Task::Test)?;
    let tests = "test --package rotule --features languages --test languages --no-fail-fast --";
    let call = tools::named(project, project.cargo(tests));
    let call = if all { call.variable("ROTULE_ALL", "1") } else { call };
    if filter.is_empty() { call.run() } else { call.with(filter).run() }
}
