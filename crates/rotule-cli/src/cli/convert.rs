//! `rotule convert`: a model of another format as a model file.

use super::failure::Failure;
use super::models::{Model, read, show, verdict};
use super::output;
use super::part::write_text;
use super::session::Session;
use clap::Args;
use rotule::layers::model::write;
use std::path::PathBuf;

#[derive(Args)]
pub struct Convert {
    #[command(flatten)]
    pub model: Model,

    /// Write to a new file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Replace the file of --out if it is there.
    #[arg(long, requires = "out")]
    pub force: bool,
}

/// What `--help` adds.
pub const HELP: &str = "\
What a foreign format has and Rotule does not take is reported, element by
element. Rounded angles such as 1.5708 become exact.

Examples:
  rotule convert examples/formats/arm.urdf
  rotule convert examples/formats/arm.urdf --merge-fixed
  rotule convert examples/formats/arm.mbs --out arm.toml";

/// `rotule convert`
pub fn convert(convert: &Convert, session: &Session) -> Result<(), Failure> {
    let (sources, loaded) = read(&convert.model)?;
    show(&loaded.diagnostics, &sources);
    verdict(&loaded, true)?;
    let text = write(&loaded.draft);
    match &convert.out {
        None => output::data(&text),
        Some(path) => write_text(session, path, &text, convert.force),
    }
}
