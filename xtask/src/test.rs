//! `cargo xtask test`: everything that must hold before a change is accepted, in one command.
//!
//! Cheap checks come first and the tests last, so that the runner's closing lines end the output.
//! All that runs is compiled once: features only add tests, but each set of them is a build of its
//! own, so that there is one set.

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::process::Call;
use crate::project::Project;
use crate::steps::Steps;
use crate::tally::Tally;
use crate::tools::{self, Task};
use crate::{book, determinism, outside, pinocchio, robots, tidy, wasm};

/// Sets of features that the library is checked with, besides all of them.
const FEATURES: &[&str] =
    &["", "--features native", "--features compiled", "--features parquet", "--features bench"];

/// The usage text.
pub const USAGE: &str = "\
Usage: cargo xtask test [--quick]

Installs what the tests need and is missing (Debian packages when run as root, Python packages into a
private environment in the build folder), then runs every check: formatting, project rules, clippy,
documentation, features of the library one by one, determinism, the comparison with Pinocchio, WebAssembly, the
manual as a book, the library from outside, the fuzz corpus, and all tests with the
documentation's examples, generated code in every language and reports in a browser.
Every step runs even if one before it failed; a table at the end says how to repeat a failed one.
The last line is the sum over all test programs: `N passed, M failed`.

Options:
  --quick    leave out documentation, features, determinism, Pinocchio, WebAssembly, the book, outside, languages and
             browser
";

/// Runs the task.
pub fn run(project: &Project, mut arguments: Arguments) -> Result<(), Failure> {
    let quick = arguments.flag("--quick");
    arguments.finish()?;

    let mut steps = Steps::default();
    let mut tally = Tally::default();

    steps.run("tools", "cargo xtask test", || tools::provide(project, Task::Test));
    plain(&mut steps, "format", &project.cargo("fmt --all --check"));
    plain(&mut steps, "format fuzz", &project.cargo("fmt --manifest-path fuzz/Cargo.toml --check"));
    plain(
        &mut steps,
        "format book",
        &project.cargo("fmt --manifest-path xtask/book/Cargo.toml --check"),
    );
    steps.run("tidy", "cargo xtask tidy", || tidy::check(project));
    plain(
        &mut steps,
        "clippy",
        &project.cargo("clippy --workspace --all-targets --all-features -- -D warnings"),
    );
    let clippy = "clippy --manifest-path fuzz/Cargo.toml --all-targets -- -D warnings";
    plain(&mut steps, "clippy fuzz", &project.cargo(clippy));
    if !quick {
        let doc = project.cargo("doc --workspace --no-deps");
        plain(&mut steps, "doc", &doc.variable("RUSTDOCFLAGS", "-D warnings"));
    }
    if !quick {
        // Each feature of the library alone, and none: what one of them brings must not be needed
        // by another.
        for features in FEATURES {
            let check = format!("check --package rotule --no-default-features {features}");
            plain(&mut steps, "features", &project.cargo(check.trim_end()));
        }
    }
    let features = if quick { "" } else { " --all-features" };
    let tests = format!("test --workspace{features} --no-fail-fast");
    plain(&mut steps, "build", &project.cargo(&tests).with("--no-run"));
    if !quick {
        steps.run("determinism", "cargo xtask determinism", || determinism::check(project));
        steps.run("pinocchio", "cargo xtask pinocchio", || pinocchio::check(project));
        steps.run("robots", "cargo xtask robots --offline", || robots::own(project));
        steps.run("wasm", "cargo xtask wasm", || wasm::check(project));
        steps.run("book", "cargo xtask book --test", || book::check(project));
        steps.run("outside", "cargo xtask outside", || outside::check(project));
    }
    let corpus = project.cargo("test --manifest-path fuzz/Cargo.toml --no-fail-fast");
    counted(&mut steps, "fuzz corpus", &corpus, &mut tally);
    counted(&mut steps, "tests", &tools::named(project, project.cargo(&tests)), &mut tally);

    println!("\n{}", steps.table());
    let outcome = steps.finish();
    // The sum stands alone on the last line; the reasons are in the table above it.
    if let Err(failure) = &outcome {
        println!("{failure}");
    }
    println!("{tally}");
    outcome.map_err(|_| Failure::Reported)
}

/// A step that is one call.
fn plain(steps: &mut Steps, name: &'static str, call: &Call) {
    steps.run(name, call.to_string(), || call.run());
}

/// A step that is one call of the test runner, whose closing lines are summed.
fn counted(steps: &mut Steps, name: &'static str, call: &Call, tally: &mut Tally) {
    steps.run(name, call.to_string(), || {
        let before = *tally;
        let status = call.run_reading(|line| tally.read(line));
        let outcome = status.and_then(|status| call.demand(status));
        if outcome.is_err() {
            tally.note_failed_run(before);
        }
        outcome
    });
}
