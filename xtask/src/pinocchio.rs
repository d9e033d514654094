//! `cargo xtask pinocchio`: dynamics of random trees against Pinocchio, a code nobody here wrote.
//!
//! An example of the formalisms writes seeded mechanisms, states and the values of every function;
//! a Python script builds the same mechanisms for Pinocchio and compares. Both are in
//! `crates/rotule-formalism`.

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::process::Call;
use crate::project::Project;
use crate::tools::{self, Task};

/// The usage text.
pub const USAGE: &str = "\
Usage: cargo xtask pinocchio [--seeds N]

Installs Pinocchio into the private environment if it is missing, evaluates every function of random
mechanisms by each of its formalisms, and compares with Pinocchio to 1e-11 relative. The table shows the worst
error of each. Fails if a number differs or if a function is missing.

Options:
  --seeds N    how many mechanisms (default 200)
";

/// Enough for every joint type to come many times, in all surroundings.
const SEEDS: u64 = 200;

/// Runs the task.
pub fn run(project: &Project, mut arguments: Arguments) -> Result<(), Failure> {
    let seeds = arguments.option::<u64>("--seeds")?.unwrap_or(SEEDS);
    arguments.finish()?;
    tools::provide(project, Task::Test)?;
    project.cargo("build --quiet --package rotule-formalism --example oracle").run()?;
    compare(project, seeds)
}

/// The comparison with the usual number of mechanisms, when the tools are installed and the example
/// is built.
pub fn check(project: &Project) -> Result<(), Failure> {
    compare(project, SEEDS)
}

fn compare(project: &Project, seeds: u64) -> Result<(), Failure> {
    let file = project.target.join("pinocchio.jsonl");
    let file = file.to_string_lossy();
    Call::new(project.built("examples/oracle"), "")
        .with(file.clone())
        .with(seeds.to_string())
        .run()?;
    let script = project.root.join("crates/rotule-formalism/tests/against_pinocchio.py");
    let python = tools::python(project).to_string_lossy().into_owned();
    Call::new(python, "").with(script.to_string_lossy()).with(file).run()
}
