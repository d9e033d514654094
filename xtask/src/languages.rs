//! `cargo xtask languages`: generated code of every language, compiled, run and compared with the interpreter.
//!
//! The tests are in `crates/rotule/tests/languages`. They are behind a feature, because they need compilers and
//! interpreters that a user of Rotule need not have; this task provides them.

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::process::Call;
use crate::project::Project;
use crate::tools::{self, Task};

/// The usage text.
pub const USAGE: &str = "\
Usage: cargo xtask languages [FILTER]

Installs compilers and interpreters that are missing, generates code in every language for several models, runs
it and compares every number with the interpreter of Rotule. FILTER restricts the run to tests whose name contains
it, such as `fortran` or `c::models`.
";

/// Runs the task.
pub fn run(project: &Project, mut arguments: Arguments) -> Result<(), Failure> {
    let filter = arguments.positional().unwrap_or_default();
    arguments.finish()?;
    tools::provide(project, Task::Test)?;
    let call = call(project);
    if filter.is_empty() { call.run() } else { call.with(filter).run() }
}

/// The call of the tests, when the tools are there already.
pub fn call(project: &Project) -> Call {
    let python = tools::python(project).to_string_lossy().into_owned();
    let node = tools::node_modules(project).to_string_lossy().into_owned();
    project
        .cargo("test --package rotule --features languages --test languages --no-fail-fast --")
        .quiet_variable("ROTULE_PYTHON", &python)
        .quiet_variable("ROTULE_NODE_MODULES", &node)
}
