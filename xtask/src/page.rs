//! `cargo xtask page`: the script of reports and views, bundled from its TypeScript sources.
//!
//! The bundle is part of the repository, so that a build of Rotule needs neither Node.js nor npm. A
//! test of `cargo xtask browser` shows that it is what its sources give.

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::process::Call;
use crate::project::Project;
use crate::tools;

/// The usage text.
pub const USAGE: &str = "\
Usage: cargo xtask page [--check]

Checks the types of crates/rotule-report/page/*.ts and bundles them into crates/rotule-report/src/page/script.js,
which a build takes in. Installs the TypeScript compiler and esbuild into the build folder if they are missing.

Options:
  --check    compare the bundle with its sources instead of writing it
";

/// Runs the task.
pub fn run(project: &Project, mut arguments: Arguments) -> Result<(), Failure> {
    let check = arguments.flag("--check");
    arguments.finish()?;
    tools::provide_node(project)?;
    let script = project.root.join("crates/rotule-report/page/build.mjs");
    let call = tools::named(project, Call::new("node", "").with(script.to_string_lossy()));
    if check { call.with("--check").run() } else { call.run() }
}
