//! `rotule assemble`: the initial state of a model with its loops closed.

use super::failure::Failure;
use super::functions::error;
use super::laws::{ModelWithLaws, judge};
use super::models::open;
use super::output;
use super::part::write_text;
use super::session::Session;
use clap::Args;
use rotule::layers::numeric::initial_values::report;
use rotule::layers::symbolic::list::names;
use std::path::PathBuf;

#[derive(Args)]
pub struct Assemble {
    #[command(flatten)]
    pub source: ModelWithLaws,

    /// Joints or coordinates that may not move, such as q1,q3.
    #[arg(long, value_name = "NAMES")]
    pub keep: Option<String>,

    /// Write to a new file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Replace the file of --out if it exists.
    #[arg(long, requires = "out")]
    pub force: bool,

    /// Write the state as JSON, for rotule eval --state.
    #[arg(long)]
    pub json: bool,
}

/// The text that `--help` adds.
pub const HELP: &str = "\
Initial values that the model writes are kept and the others follow. Where that
cannot be, written values change as little as closing takes, which is reported.
Driven and locked joints stay, and those of --keep. The output replaces
[initial.q] and [initial.qd] of the model file.

Examples:
  rotule assemble examples/four_bar_joint.toml
  rotule assemble examples/four_bar_joint.toml --keep q1 --json";

/// `rotule assemble`
pub fn assemble(requested: &Assemble, session: &Session) -> Result<(), Failure> {
    let mut model = open(&requested.source.model, Some(&requested.source.loops))?;
    requested.source.laws.supply(&mut model)?;
    output::doing("closing loops");
    let keep: Vec<&str> = names(requested.keep.as_deref().unwrap_or_default()).collect();
    let (state, changes) = judge(&model, model.assemble(&keep).map_err(error))?;
    // The values are the result: their changes are told in full.
    if let Some(report) = report(&changes) {
        output::remark(&report.text());
    }
    let text = match requested.json {
        true => model.state_to_json(&state),
        false => model.initial_text(&state),
    };
    let text = text.map_err(error)?;
    match &requested.out {
        None => output::data(&text),
        Some(path) => write_text(session, path, &text, requested.force),
    }
}
