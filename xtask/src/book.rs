//! `cargo xtask book`: the manual as a book with search.
//!
//! The book is built by a small crate around mdBook (`xtask/book`), a workspace of its own in a
//! build folder of its own: nobody who does not want a book compiles mdBook.

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::process::Call;
use crate::project::Project;
use crate::tools;

/// The usage text.
pub const USAGE: &str = "\
Usage: cargo xtask book [--test] [--pictures]

Builds docs/ as a book with search, mathematics as MathML, into the folder book of the build folder. The result is
plain files that need no network. The first run compiles mdBook, which takes some minutes.

Options:
  --test        also run the tests of the converter of formulas
  --pictures    first follow the tutorials and take their pictures anew, in Chromium
                (`cargo xtask browser` installs it); look at them before you keep them
";

/// Runs the task.
pub fn run(project: &Project, mut arguments: Arguments) -> Result<(), Failure> {
    let test = arguments.flag("--test");
    let pictures = arguments.flag("--pictures");
    arguments.finish()?;
    if pictures {
        take_pictures(project)?;
    }
    if test { check(project) } else { build(project) }
}

/// Runs the tests of what builds the book, then builds it.
pub fn check(project: &Project) -> Result<(), Failure> {
    tool(project, "test").run()?;
    build(project)
}

/// Builds the book.
fn build(project: &Project) -> Result<(), Failure> {
    let out = project.target.join("book");
    let call = tool(project, "run --quiet").with("--").with("docs");
    call.with(out.to_string_lossy()).run()?;
    println!("open {} in a browser", project.shown(&out.join("index.html")));
    Ok(())
}

/// A call of cargo on the crate that builds the book, in a build folder of its own.
fn tool(project: &Project, task: &str) -> Call {
    let manifest = "--manifest-path xtask/book/Cargo.toml --locked";
    project.cargo_into(&format!("{task} {manifest}"), &project.target.join("mdbook"))
}

/// Pictures of the tutorials, from the reports that following them leaves behind.
fn take_pictures(project: &Project) -> Result<(), Failure> {
    if !tools::node_modules(project).join("playwright-core").is_dir() {
        let missing = vec!["`playwright-core` (Node.js): drives the browser".to_owned()];
        let remedy = "`cargo xtask browser` installs it, and Chromium".to_owned();
        return Err(Failure::Tools { missing, remedy });
    }
    let kept = project.target.join("tutorials");
    let follow = project.cargo("test --package rotule-cli --test tutorials");
    follow.quiet_variable("ROTULE_KEEP_TUTORIALS", &kept).run()?;
    // The README shows the report of a mechanism that no tutorial is about.
    let report = project.cargo("run --package rotule-cli -- --quiet simulate");
    let report = report.with("examples/stewart_platform.toml").with("--to").with("1");
    let page = kept.join("report.html");
    report.with("--report").with(page.to_string_lossy()).with("--force").run()?;
    let node = Call::new("node", "xtask/book/pictures.mjs").folder(&project.root);
    let node = node.with(kept.to_string_lossy()).with("docs/tutorials/pictures");
    tools::named(project, node).run()
}
