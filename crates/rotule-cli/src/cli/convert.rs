//! `rotule convert`: a model of another format as a model file.

use super::failure::Failure;
use super::models::{Model, open};
use super::output;
use super::part::write_text;
use super::session::Session;
use clap::Args;
use rotule::Format;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Convert {
    #[command(flatten)]
    pub model: Model,

    /// Write to a new .toml file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Replace the file of --out if it exists.
    #[arg(long, requires = "out")]
    pub force: bool,
}

/// The text that `--help` adds.
pub const HELP: &str = "\
Rounded angles such as 1.5708 become exact. `rotule check` reports, element by
element, what a foreign format has and Rotule does not take.

Examples:
  rotule convert examples/formats/arm.urdf
  rotule convert examples/formats/arm.urdf --merge-fixed
  rotule convert examples/formats/arm.mbs --out arm.toml";

/// Refuses a file whose ending promises a format that is not written here: whoever opens it would
/// take it for that.
fn refuse_other_formats(path: &Path) -> Result<(), Failure> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    let ending = ending.to_ascii_lowercase();
    let of_format = Format::ALL.iter().any(|(format, _, endings)| {
        *format != Format::Native && endings.contains(&ending.as_str())
    });
    if !of_format && !["xml", "json", "yaml", "yml", "xacro"].contains(&ending.as_str()) {
        return Ok(());
    }
    let name = path.display();
    let toml = path.with_extension("toml");
    Err(Failure::Arguments(format!(
        "error: --out {name}: `convert` writes model files in TOML, and `.{ending}` is another format\n  \
         = help: name a file that ends in `.toml`, such as `{}`",
        toml.display()
    )))
}

/// `rotule convert`
pub fn convert(convert: &Convert, session: &Session) -> Result<(), Failure> {
    if let Some(path) = &convert.out {
        refuse_other_formats(path)?;
    }
    let text = open(&convert.model, None)?.text();
    match &convert.out {
        None => output::data(&text),
        Some(path) => write_text(session, path, &text, convert.force),
    }
}
