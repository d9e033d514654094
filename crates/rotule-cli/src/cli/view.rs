//! `rotule view`: the mechanism at rest, as a page with sliders or as a picture.

use super::failure::Failure;
use super::functions::{error, state};
use super::models::{Loops, Model, open};
use super::output;
use super::part::{Place, write_bytes, wrote};
use super::report::command_line;
use super::session::Session;
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct View {
    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub loops: Loops,

    /// Write a page with sliders: .html; or see --picture.
    #[arg(long, value_name = "FILE", required_unless_present = "picture")]
    pub out: Option<PathBuf>,

    /// Write a picture: .png or .svg.
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,

    /// Direction, theme and size, such as front,dark,800x600.
    #[arg(long, value_name = "WORDS")]
    pub look: Option<String>,

    /// Read the state; - is standard input.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// Set a parameter, in SI or as "500 mm"; repeatable.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Replace files that exist.
    #[arg(long)]
    pub force: bool,
}

/// The text that `--help` adds.
pub const HELP: &str = "\
Loops are closed first; a mechanism that cannot be closed is drawn as written.
The page of --out has sliders for the independent coordinates; loops follow,
closed in the page by functions that are generated for it.

Words of --look, separated by commas: front, side, top, corner, or two angles in
degrees, about the upward axis and above the horizon, such as -30/20; light,
dark; plain, which leaves joints out; a size such as 800x600 [default: 1200x800,
light, and a direction that shows the mechanism].

Examples:
  rotule view examples/four_bar_joint.toml --out four_bar.html
  rotule view examples/stewart_platform.toml --picture stewart.png
  rotule view examples/four_bar_joint.toml --picture four_bar.svg --look front";

/// `rotule view`
pub fn view(requested: &View, session: &Session) -> Result<(), Failure> {
    let picture = requested.picture.as_deref();
    let place = picture.map(|path| place(path, requested.force)).transpose()?;
    if let Some(path) = &requested.out {
        checked(path, &["html"])?;
    }
    let out = requested.out.as_ref().map(|path| Place::new(path, requested.force)).transpose()?;
    let mut model = open(&requested.model, Some(&requested.loops))?;
    let mut state =
        state(&requested.model, requested.state.as_deref(), None, &requested.set, &mut model)?;
    output::doing("closing loops");
    if let Err(why) = model.close(&mut state) {
        output::remark(&format!("warning: drawn as written: {why}"));
    }
    if let (Some(path), Some(place)) = (&requested.out, out) {
        output::doing("generating the functions of the page");
        let mut page = model.view(&state).map_err(error)?;
        if let Some(origin) = page.summary.last_mut() {
            origin.rows.insert(0, ("command".to_owned(), command_line()));
        }
        let mut bytes = Vec::new();
        // Writing to memory cannot fail.
        let _ = page.write(&mut bytes);
        write_bytes(session, place, &bytes)?;
        output::result(&wrote(path, None))?;
    }
    if let (Some(path), Some(place)) = (picture, place) {
        output::doing("drawing");
        let look = requested.look.as_deref().unwrap_or_default();
        let picture = model.picture(&state).look(look).map_err(error)?;
        let bytes = match is_svg(path) {
            true => picture.svg().into_bytes(),
            false => picture.png(),
        };
        let square = rotule::layers::report::number::shown(picture.square(), 3);
        write_bytes(session, place, &bytes)?;
        output::result(&format!("{}: squares of {square} m\n", path.display()))?;
    }
    Ok(())
}

fn is_svg(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg"))
}

/// The place of a picture, whose ending must be known.
pub fn place(path: &Path, force: bool) -> Result<Place, Failure> {
    checked(path, &["png", "svg"])?;
    Place::new(path, force)
}

/// Refuses a file with another ending.
pub fn checked(path: &Path, endings: &[&str]) -> Result<(), Failure> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if endings.iter().any(|known| known.eq_ignore_ascii_case(ending)) {
        return Ok(());
    }
    let known: Vec<String> = endings.iter().map(|known| format!("`.{known}`")).collect();
    let (name, known) = (path.display(), known.join(" or "));
    Err(Failure::Arguments(format!(
        "error: {name}: the ending of a file tells its format\n  = help: end the name in {known}"
    )))
}
