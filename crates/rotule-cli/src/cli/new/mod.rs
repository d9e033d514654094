//! `rotule new`: a commented model file, from flags or from the answers to questions.
//!
//! What phrases mean and what the file says is the library's (`rotule::scaffold`). It asks
//! questions only in a terminal, on standard error, so that the file itself can go to standard
//! output.

mod answers;
mod bodies;
mod dialogue;
mod help;
mod questions;
#[cfg(test)]
mod tests;

use super::failure::Failure;
use super::output;
use super::part::{Place, is_standard_output, write_text};
use super::session::Session;
use clap::Args;
use dialogue::{Dialogue, Leave};
use rotule::layers::model::{Diagnostics, Format, Severity};
use rotule::scaffold::{Outline, OutlineElement, TEMPLATES};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct New {
    /// The model file to write; `-` is standard output.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Begin with a ready model; see below.
    #[arg(long, value_name = "NAME")]
    pub template: Option<String>,

    /// The model's name [default: that of the file].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,

    /// A sentence about the model.
    #[arg(long, value_name = "TEXT")]
    pub about: Option<String>,

    /// -z, "-y 9.81", none or "X Y Z" [default: -z].
    #[arg(long, value_name = "VECTOR", allow_hyphen_values = true)]
    pub gravity: Option<String>,

    /// "NAME = VALUE, about", such as "l = 0.5 m, length".
    #[arg(long, value_name = "PHRASE")]
    pub parameter: Vec<String>,

    /// "NAME: PARENT JOINT AXIS, mass M, length L, ...".
    #[arg(long, value_name = "PHRASE")]
    pub body: Vec<String>,

    /// "BODY.POINT: X Y Z", on a body or on the ground.
    #[arg(long, value_name = "PHRASE")]
    pub point: Vec<String>,

    /// "PLACE PLACE, TYPE AXIS": a loop closure.
    #[arg(long = "loop", value_name = "PHRASE")]
    pub closure: Vec<String>,

    /// "COORDINATE = LAW" of t, such as "q1 = 2*pi*t".
    #[arg(long, value_name = "PHRASE")]
    pub drive: Vec<String>,

    /// "COORDINATE = VALUE", or "COORDINATE.d = SPEED".
    #[arg(long, value_name = "PHRASE")]
    pub initial: Vec<String>,

    /// "PLACE PLACE, stiffness K, length L, damping C".
    #[arg(long, value_name = "PHRASE")]
    pub spring: Vec<String>,

    /// "PLACE PLACE, LAW" of the length Z, its rate Zd.
    #[arg(long, value_name = "PHRASE")]
    pub line_force: Vec<String>,

    /// "PLACE, force X Y Z, torque X Y Z".
    #[arg(long, value_name = "PHRASE")]
    pub force_at: Vec<String>,

    /// "PLACE, position velocity ...".
    #[arg(long, value_name = "PHRASE")]
    pub sensor: Vec<String>,

    /// Replace the file if it exists.
    #[arg(long)]
    pub force: bool,
}

/// The text that `--help` adds.
pub fn help() -> String {
    let templates = TEMPLATES.iter().map(|(name, about)| format!("  {name:<16} {about}\n"));
    format!(
        "\
Without flags and in a terminal, the command asks questions: `?` explains one,
`<` goes back. With a template or a body it asks none.

Templates:
{}
Elements may have a name with a colon before them, and bodies a coordinate
behind the axis. A place is BODY, BODY.POINT or ground. A value is a number,
an expression of parameters or a number with its unit. Three values are
\"X Y Z\" or \"[X, Y, Z]\", which allows blanks within. Items of a body:
  mass M, length L [DIRECTION], radius R    uniform rod with the point `end`
  mass M, box X Y Z | sphere R              uniform box or ball
  mass M, com X Y Z, inertia XX YY ZZ       any other body
  at X Y Z, rotation X Y Z                  joint, from the parent's place
  point NAME X Y Z                          a further place
  spring K [rest Q], damper C, effort LAW   in the joint
  pitch P, locked                           of a screw; a joint at rest
Types of joints are those of the manual: fixed, revolute, prismatic, helical,
cylindrical, universal, spherical, planar, free. Loops take these, ball, body
and rod LENGTH. Initial values of loops that are left out are computed.

Examples:
  rotule new swing.toml --template double-pendulum
  rotule new arm.toml --body \"rod: ground revolute y, mass 2, length 0.5\"
  rotule new screw.toml --body \"nut: ground helical z, pitch 0.01, mass 1\"",
        templates.collect::<String>()
    )
}

/// `rotule new`
pub fn new(new: &New, session: &Session) -> Result<(), Failure> {
    let phrases = new.phrases();
    let asks = phrases.is_empty() && new.template.is_none();
    if asks && !io::stdin().is_terminal() {
        return Err(missing(new));
    }
    if let Some(file) = &new.file {
        check_place(file, new.force)?;
    }
    let (file, outline, command) = if asks {
        let (input, output) = (io::stdin().lock(), io::stderr());
        let mut dialogue = Dialogue::new(input, output);
        let (file, session) = questions::ask(&mut dialogue, new).map_err(left)?;
        let command = session.command(&file);
        (file, session.outline, Some(command))
    } else {
        let Some(file) = new.file.clone() else { return Err(missing(new)) };
        let outline = from_flags(new, &file, &phrases)?;
        (file, outline, None)
    };
    finish(&file, &outline, command, new.force, session)
}

impl New {
    /// The phrases of all flags.
    fn phrases(&self) -> Vec<(OutlineElement, &str)> {
        let lists = [
            (OutlineElement::Parameter, &self.parameter),
            (OutlineElement::Body, &self.body),
            (OutlineElement::Point, &self.point),
            (OutlineElement::Loop, &self.closure),
            (OutlineElement::Drive, &self.drive),
            (OutlineElement::Initial, &self.initial),
            (OutlineElement::Spring, &self.spring),
            (OutlineElement::LineForce, &self.line_force),
            (OutlineElement::Force, &self.force_at),
            (OutlineElement::Sensor, &self.sensor),
        ];
        let each = lists
            .into_iter()
            .flat_map(|(kind, list)| list.iter().map(move |text| (kind, text.as_str())));
        each.collect()
    }
}

/// The model that the flags describe.
fn from_flags(
    new: &New,
    file: &Path,
    phrases: &[(OutlineElement, &str)],
) -> Result<Outline, Failure> {
    let name = new.name.clone().unwrap_or_else(|| model_name(file));
    let mut outline = match &new.template {
        Some(template) => {
            Outline::template(template, &name).map_err(failed).map_err(Failure::into_argument)?
        }
        None => Outline::new(&name),
    };
    if let Some(about) = &new.about {
        outline.about(about);
    }
    if let Some(gravity) = &new.gravity {
        outline.gravity(gravity).map_err(failed)?;
    }
    for change in outline.add_all(phrases.iter().copied()).map_err(failed)? {
        output::message(&questions::changed(&change));
    }
    if outline.draft().bodies.is_empty() {
        return Err(missing(new));
    }
    Ok(outline)
}

/// An error of the library, as it is shown.
fn failed(error: rotule::Error) -> Failure {
    match error {
        rotule::Error::Request(problem) => super::functions::failure(problem),
        other => Failure::Text(other.to_string()),
    }
}

/// The failure where arguments are missing and no question can be put.
fn missing(new: &New) -> Failure {
    let needs = match (&new.file, new.template.is_some() || !new.body.is_empty()) {
        (None, false) => "FILE and --template or --body",
        (None, true) => "FILE",
        _ => "--template or --body",
    };
    Failure::Arguments(format!(
        "error: missing {needs}; the command asks questions in a terminal only\n  \
         = help: rotule new arm.toml --template double-pendulum, or\n          \
         rotule new arm.toml --body \"upper: ground revolute y, mass 2, length 0.5\"; `rotule new --help` says more"
    ))
}

/// The failure of a conversation that ended early.
fn left(leave: Leave) -> Failure {
    match leave {
        Leave::Back | Leave::End => Failure::Unfinished {
            message: "nothing was written: the answers ended early".to_owned(),
            code: 1,
        },
        Leave::Declined => {
            Failure::Unfinished { message: "nothing was written".to_owned(), code: 1 }
        }
        Leave::Failed(error) => Failure::Read { name: "standard input".to_owned(), error },
    }
}

/// Refuses a file's place before the first question and before anything is computed.
fn check_place(file: &Path, force: bool) -> Result<(), Failure> {
    let name = file.display().to_string();
    if Format::of(&name, "[model]\n") != Format::Native {
        return Err(Failure::Arguments(format!(
            "error: {name} has the ending of another format, and `new` writes model files of Rotule\n  \
             = help: name it {}",
            file.with_extension("toml").display()
        )));
    }
    Place::new(file, force).map(drop)
}

/// The name of a model from that of its file.
fn model_name(file: &Path) -> String {
    let stem = file.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    let plain: String = stem
        .chars()
        .map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' })
        .take(60)
        .collect();
    match plain.chars().next() {
        Some(first) if first.is_alphabetic() => plain,
        _ => "mechanism".to_owned(),
    }
}

/// Shows warnings, writes the file and says what to do next.
fn finish(
    file: &Path,
    outline: &Outline,
    command: Option<String>,
    force: bool,
    session: &Session,
) -> Result<(), Failure> {
    let name = file.display().to_string();
    let text = outline.text(&name);
    let model = rotule::Model::options()
        .format(Format::Native)
        .read(name.as_str(), text.as_str())
        .map_err(failed)?;
    if warnings(model.diagnostics()) {
        output::remark(&model.warnings());
    }
    if let Err(error) = outline.try_run() {
        output::remark(&format!("warning: this model cannot be simulated yet\n  = note: {error}"));
    }
    session.end_if_stopped("")?;
    if is_standard_output(file) {
        return output::data(&text);
    }
    write_text(session, file, &text, force)?;
    if output::is_quiet() {
        return Ok(());
    }
    let summary = outline.summary().map_err(failed)?;
    let shell = shell_word(&name);
    let again =
        command.map_or(String::new(), |command| format!("\nThe same model by flags:\n{command}\n"));
    output::result(&format!(
        "wrote {name}: {summary}\n\nNext:\n  \
         rotule check {shell}\n  \
         rotule simulate {shell} --to 5 --report motion.html\n  \
         rotule equations {shell}\n{again}"
    ))
}

fn warnings(diagnostics: &Diagnostics) -> bool {
    diagnostics.count(Severity::Warning) > 0
}

/// A text as one word of a shell.
fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._-/+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
