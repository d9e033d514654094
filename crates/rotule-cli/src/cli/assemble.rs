//! `rotule assemble`: the initial state of a model with its loops closed.

use super::failure::Failure;
use super::functions::{error, tell_changes};
use super::models::{Loops, Model, names, open};
use super::output;
use super::part::write_text;
use super::session::Session;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct Assemble {
    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub loops: Loops,

    /// Joints or coordinates that may not move, such as q1,q3.
    #[arg(long, value_name = "NAMES")]
    pub keep: Option<String>,

    /// Write to a new file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Replace the file of --out if it is there.
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
pub fn assemble(wanted: &Assemble, session: &Session) -> Result<(), Failure> {
    let model = open(&wanted.model, Some(&wanted.loops))?;
    output::doing("closing loops");
    let keep = names(wanted.keep.as_deref().unwrap_or_default());
    let (state, changes) = model.assemble(&keep).map_err(error)?;
    tell_changes(&changes);
    let text = match wanted.json {
        true => model.state_to_json(&state),
        false => model.initial_text(&state),
    };
    match &wanted.out {
        None => output::data(&text),
        Some(path) => write_text(session, path, &text, wanted.force),
    }
}
