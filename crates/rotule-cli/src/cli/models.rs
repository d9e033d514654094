//! What all commands on models share: reading a model with what completes it, showing findings.

use super::failure::Failure;
use super::{functions, input, output};
use clap::Args;
use rotule::diagnostics::{Diagnostics, Rejected, Severity, Sources};
use rotule::layers::formalism::aliases::{Names, canonical};
use rotule::layers::model::limits;
use rotule::{Error, Format};
use std::path::PathBuf;

/// What all commands that take a model have in common.
#[derive(Args)]
pub struct Model {
    /// The model: a file, or - for standard input.
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// Add a file that completes the model; can be repeated.
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,

    /// toml, urdf, sdf, mjcf, mbs: if the file does not tell.
    #[arg(long, value_name = "NAME", value_parser = format)]
    pub format: Option<Format>,

    /// Let the root of an imported robot move freely.
    #[arg(long)]
    pub floating_base: bool,

    /// Merge imported bodies that are fixed to each other.
    #[arg(long)]
    pub merge_fixed: bool,
}

/// What commands that close loops have in common.
#[derive(Args)]
pub struct Loops {
    /// Independent coordinates, such as q1,q3; others follow.
    #[arg(long, value_name = "Q", alias = "partition")]
    pub independent: Option<String>,
}

/// Opens a model that is to be used, with the partition that is asked for; diagnostics are shown.
pub fn open(arguments: &Model, loops: Option<&Loops>) -> Result<rotule::Model, Failure> {
    let model = match read(arguments)? {
        Ok(model) => model,
        Err(rejected) => {
            show(&rejected.diagnostics, &rejected.sources);
            return Err(unusable(&rejected.diagnostics));
        }
    };
    show(model.diagnostics(), model.sources());
    ask(model, loops)
}

/// A model with the partition that is asked for.
pub fn ask(mut model: rotule::Model, loops: Option<&Loops>) -> Result<rotule::Model, Failure> {
    if let Some(list) = loops.and_then(|loops| loops.independent.as_deref()) {
        model.independent(&names(list)).map_err(functions::error)?;
    }
    Ok(model)
}

/// The names of a list that commas separate.
pub fn names(list: &str) -> Vec<&str> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect()
}

/// Reads a model with what completes it; diagnostics are not yet shown.
pub fn read(arguments: &Model) -> Result<Result<rotule::Model, Box<Rejected>>, Failure> {
    let model = input::file(&arguments.model, limits::TEXT_BYTES)?;
    let mut options = rotule::Model::options()
        .floating_base(arguments.floating_base)
        .merge_fixed(arguments.merge_fixed);
    if let Some(format) = arguments.format {
        options = options.format(format);
    }
    for path in &arguments.with {
        if path.as_os_str() == "-" && arguments.model.as_os_str() == "-" {
            return Err(Failure::InputTwice);
        }
        let addition = input::file(path, limits::TEXT_BYTES)?;
        options = options.with_text(addition.name, addition.text);
    }
    match options.read(model.name, model.text) {
        Ok(model) => Ok(Ok(model)),
        Err(Error::Model(rejected)) => Ok(Err(rejected)),
        Err(other) => Err(functions::error(other)),
    }
}

/// Shows findings on standard error.
pub fn show(findings: &Diagnostics, sources: &Sources) {
    if !findings.is_empty() {
        output::message(&findings.render(sources));
    }
}

/// The failure of a model that cannot be used.
pub fn unusable(findings: &Diagnostics) -> Failure {
    Failure::Model { summary: format!("{}: the model cannot be used", counts(findings)) }
}

/// Numbers of errors and warnings, in words.
pub fn counts(findings: &Diagnostics) -> String {
    let count = |severity: Severity, word: &str| match findings.count(severity) {
        1 => format!("1 {word}"),
        count => format!("{count} {word}s"),
    };
    format!("{}, {}", count(Severity::Error, "error"), count(Severity::Warning, "warning"))
}

/// A format by its name.
fn format(name: &str) -> Result<Format, String> {
    let word = canonical(Names::Format, name);
    let found = Format::ALL.iter().find(|(_, known, _)| *known == word);
    found.map(|(format, ..)| *format).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|(_, name, _)| *name).collect();
        functions::expected(Names::Format, name, &names)
    })
}
