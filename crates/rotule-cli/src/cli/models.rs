//! Code that all commands on models share: reading a model with what completes it, showing
//! diagnostics.

use super::failure::Failure;
use super::{functions, input, output};
use clap::Args;
use rotule::diagnostics::{Diagnostics, Rejected, Severity, Sources};
use rotule::layers::formalism::aliases::{Names, canonical};
use rotule::layers::model::limits;
use rotule::{Error, Format};
use std::path::{Path, PathBuf};

/// Arguments of all commands that take a model.
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

/// Arguments of commands that close loops.
#[derive(Args)]
pub struct Loops {
    /// Independent coordinates, such as q1,q3; others follow.
    #[arg(long, value_name = "Q", alias = "partition")]
    pub independent: Option<String>,
}

/// Opens a model that is to be used, with the requested partition; errors are shown, and the number
/// of warnings and notes.
pub fn open(arguments: &Model, loops: Option<&Loops>) -> Result<rotule::Model, Failure> {
    let model = match read(arguments)? {
        Ok(model) => model,
        Err(rejected) => {
            show(&rejected.diagnostics, &rejected.sources, true);
            return Err(unusable(&rejected.diagnostics));
        }
    };
    let [warning, note] = [Severity::Warning, Severity::Note];
    if let Some(counts) = counts(model.diagnostics(), &[warning, note]) {
        output::remark(&format!("{counts}: see rotule check {}", arguments.words()));
    }
    ask(model, loops)
}

/// A model with the requested partition.
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
    output::doing(&format!("reading {}", arguments.model.display()));
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

/// Shows findings in full on standard error: all of them, or errors only.
pub fn show(findings: &Diagnostics, sources: &Sources, errors_only: bool) {
    let mut shown = findings.clone();
    shown.retain(|one| !errors_only || one.severity == Severity::Error);
    if !shown.is_empty() {
        output::message(&shown.render(sources));
    }
}

/// The failure of a model that cannot be used.
pub fn unusable(findings: &Diagnostics) -> Failure {
    let all = [Severity::Error, Severity::Warning, Severity::Note];
    let counts = counts(findings, &all).unwrap_or_default();
    Failure::Model { summary: format!("{counts}: the model cannot be used") }
}

/// The numbers of diagnostics of some severities, such as `3 warnings, 2 notes`; none if there are
/// none.
pub fn counts(findings: &Diagnostics, severities: &[Severity]) -> Option<String> {
    let each = severities.iter().filter_map(|&severity| match findings.count(severity) {
        0 => None,
        1 => Some(format!("1 {}", severity.word())),
        count => Some(format!("{count} {}s", severity.word())),
    });
    let words: Vec<String> = each.collect();
    (!words.is_empty()).then(|| words.join(", "))
}

impl Model {
    /// The arguments of this kind as a shell takes them.
    fn words(&self) -> String {
        let mut words = vec![quoted(&self.model)];
        words.extend(self.with.iter().map(|path| format!("--with {}", quoted(path))));
        words.extend(self.floating_base.then(|| "--floating-base".to_owned()));
        words.extend(self.merge_fixed.then(|| "--merge-fixed".to_owned()));
        if let Some(format) = self.format {
            let name = Format::ALL.iter().find(|(known, ..)| *known == format);
            words.extend(name.map(|(_, name, _)| format!("--format {name}")));
        }
        words.join(" ")
    }
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%~".contains(c);
    match text.chars().all(plain) && !text.is_empty() {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
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
