//! `--laws` of commands that evaluate, and `rotule laws`: functions of the user in C or Python.

use super::failure::Failure;
use super::functions::error;
use super::models::{Loops, Model, open};
use super::output;
use super::part::{write_text, wrote};
use super::session::Session;
use clap::Args;
use rotule::Error;
use rotule::laws::{LawError, LawLanguage, LawOptions};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of commands that evaluate a model.
#[derive(Args)]
pub struct ModelWithLaws {
    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub loops: Loops,

    #[command(flatten)]
    pub laws: LawFiles,
}

/// Law files of commands that evaluate.
#[derive(Args)]
pub struct LawFiles {
    /// Load laws from a .c, .so or .py file; repeatable.
    #[arg(long, value_name = "FILE")]
    pub laws: Vec<PathBuf>,
}

impl LawFiles {
    /// Supplies the external functions of a model. What crashes does so in another process first.
    pub fn supply(&self, model: &mut rotule::Model) -> Result<(), Failure> {
        let options = LawOptions { probe: std::env::current_exe().ok() };
        for path in &self.laws {
            output::doing(&format!("loading {}", path.display()));
            model.laws_by(path, &options).map_err(|fault| match fault {
                Error::Law(fault) => failure(&fault),
                other => error(other),
            })?;
        }
        Ok(())
    }
}

/// The outcome of a command whose laws may have failed: their failure is the reason of all others.
pub fn judge<T>(model: &rotule::Model, outcome: Result<T, Failure>) -> Result<T, Failure> {
    let told = model.laws_told();
    for name in told.by_differences() {
        output::remark(&format!(
            "warning: derivatives of law `{name}` were found by differences\n  = help: define `{name}_derivative`"
        ));
    }
    match told.failure() {
        None => outcome,
        Some(fault) => {
            if let Err(other) = outcome {
                output::remark(&other.to_string());
            }
            Err(failure(&fault))
        }
    }
}

fn failure(fault: &LawError) -> Failure {
    let help = match fault.fault.help() {
        "" => String::new(),
        help => format!("\n  = help: {help}"),
    };
    Failure::Law(format!("error: {fault}{help}"))
}

/// `rotule probe-laws`, which `--laws` starts: it tries laws in C, and may crash.
pub fn probe(words: &[OsString]) -> ExitCode {
    let library = words.first().map(PathBuf::from).unwrap_or_default();
    let functions: Vec<String> =
        words.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    match rotule::laws::probe(&library, &functions, &mut io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

#[derive(Args)]
pub struct Laws {
    #[command(flatten)]
    pub model: Model,

    /// Write to a new .c or .py file.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Replace the file of --out if it exists.
    #[arg(long)]
    pub force: bool,
}

/// The text that `--help` adds.
pub const HELP: &str = "\
Every [[external]] of the model stands in the file, with its arguments; as they
are, the laws give zeros. `rotule simulate --laws FILE` runs them.

Examples:
  rotule laws examples/formats/arm.mbs --out laws.c
  rotule laws examples/formats/arm.mbs --out laws.py";

/// `rotule laws`
pub fn laws(requested: &Laws, session: &Session) -> Result<(), Failure> {
    let language = language(&requested.out)?;
    let model = open(&requested.model, None)?;
    let Some(text) = model.law_skeleton(language).map_err(error)? else {
        return Err(Failure::Text(
            "error: the model calls no external function, so that there is no law to write\n  = help: `[[external]]` declares one"
                .to_owned(),
        ));
    };
    write_text(session, &requested.out, &text, requested.force)?;
    output::result(&wrote(&requested.out, None))
}

fn language(path: &Path) -> Result<LawLanguage, Failure> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    let known = LawLanguage::ALL.iter().find(|(_, known)| *known == ending);
    known.map(|(language, _)| *language).ok_or_else(|| {
        Failure::Arguments(format!(
            "error: --out {}: laws are written in C or Python\n  = help: name a file that ends in `.c` or `.py`",
            path.display()
        ))
    })
}
