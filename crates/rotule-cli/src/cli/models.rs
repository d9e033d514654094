//! Code that all commands on models share: reading a model with what completes it, showing
//! diagnostics.

use super::failure::Failure;
use super::{functions, input, output};
use clap::Args;
use rotule::diagnostics::{Diagnostics, Rejected, Severity, Sources};
use rotule::layers::formalism::aliases::{Names, canonical};
use rotule::layers::model::limits;
use rotule::layers::numeric::initial_values::{InitialValueReport, report};
use rotule::layers::report::number::plain;
use rotule::layers::symbolic::list::names;
use rotule::{Change, Error, Format};
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

    /// toml, urdf, sdf, mjcf or mbs; else the file tells.
    #[arg(long, value_name = "NAME", value_parser = format)]
    pub format: Option<Format>,

    /// A folder of mesh files; can be repeated.
    #[arg(long, value_name = "DIR")]
    pub meshes: Vec<PathBuf>,

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
    /// Independent coordinates, as q1,q3; others follow.
    #[arg(long, value_name = "Q", alias = "partition")]
    pub independent: Option<String>,
}

/// Opens a model that is to be used, with the requested partition; errors are shown, and the number
/// of warnings and notes.
pub fn open(arguments: &Model, loops: Option<&Loops>) -> Result<rotule::Model, Failure> {
    open_counting(arguments, loops).map(|(model, _)| model)
}

/// Opens a model whose initial values are to be used. The number of warnings and notes is shown
/// when it is known whether the values hold, or when that failed.
pub fn open_counting<'a>(
    arguments: &'a Model,
    loops: Option<&'a Loops>,
) -> Result<(rotule::Model, Remarks<'a>), Failure> {
    let model = match read(arguments)? {
        Ok(model) => model,
        Err(rejected) => {
            show(&rejected.diagnostics, &rejected.sources, true);
            return Err(unusable(&rejected.diagnostics));
        }
    };
    let [warnings, notes] =
        [Severity::Warning, Severity::Note].map(|one| model.diagnostics().count(one));
    let remarks = Remarks { warnings, notes, arguments, loops };
    Ok((ask(model, loops)?, remarks))
}

/// The numbers of warnings and notes about a model, which are shown in one line at the end of this
/// value: `rotule check` tells all about them.
pub struct Remarks<'a> {
    warnings: usize,
    notes: usize,
    arguments: &'a Model,
    loops: Option<&'a Loops>,
}

impl Remarks<'_> {
    /// Shows the line, with what is found about initial values. Those that are not all of the model
    /// file, which is all that `check` knows, get a line of their own with the largest change.
    pub fn about_initial_values(mut self, changes: &[Change], of_file: bool) {
        let Some(InitialValueReport { warning, .. }) = report(changes) else { return };
        if of_file {
            *(if warning { &mut self.warnings } else { &mut self.notes }) += 1;
            return;
        }
        let (word, how) = if warning { ("warning", "") } else { ("note", " by rounding") };
        let told = changes.iter().filter(|change| change.is_rounding() != warning);
        let values = match told.clone().count() {
            1 => "1 initial value".to_owned(),
            count => format!("{count} initial values"),
        };
        if let Some(Change { name, written, used, .. }) =
            told.max_by(|a, b| a.relative().total_cmp(&b.relative()))
        {
            let (written, used) = (plain(*written, 6), plain(*used, 6));
            let most = format!("at most `{name}` from {written} to {used}");
            output::remark(&format!(
                "{word}: {values} changed{how} to satisfy the constraints, {most}"
            ));
        }
    }
}

impl Drop for Remarks<'_> {
    fn drop(&mut self) {
        let counts = [(Severity::Warning, self.warnings), (Severity::Note, self.notes)];
        if let Some(counts) = counted(&counts) {
            let words = self.arguments.words(self.loops);
            output::remark(&format!("{counts}: see rotule check {words}"));
        }
    }
}

/// A model with the requested partition.
pub fn ask(mut model: rotule::Model, loops: Option<&Loops>) -> Result<rotule::Model, Failure> {
    if let Some(list) = loops.and_then(|loops| loops.independent.as_deref()) {
        model.independent(&names(list).collect::<Vec<_>>()).map_err(functions::error)?;
    }
    Ok(model)
}

/// Reads a model with what completes it; diagnostics are not yet shown.
pub fn read(arguments: &Model) -> Result<Result<rotule::Model, Box<Rejected>>, Failure> {
    output::doing(&format!("reading {}", arguments.model.display()));
    let model = input::file(&arguments.model, limits::TEXT_BYTES)?;
    let mut options = rotule::Model::options()
        .for_command_line()
        .floating_base(arguments.floating_base)
        .merge_fixed(arguments.merge_fixed);
    if let Some(format) = arguments.format {
        options = options.format(format);
    }
    let folder = arguments.model.parent().filter(|folder| !folder.as_os_str().is_empty());
    let own = folder.unwrap_or(Path::new("."));
    for folder in std::iter::once(own).chain(arguments.meshes.iter().map(PathBuf::as_path)) {
        options = options.mesh_folder(folder);
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

/// Shows diagnostics in full on standard error: all of them, or errors only.
pub fn show(findings: &Diagnostics, sources: &Sources, errors_only: bool) {
    let mut shown = findings.clone();
    shown.retain(|one| !errors_only || one.severity == Severity::Error);
    if !shown.is_empty() {
        output::message(&shown.render(sources));
    }
}

/// The failure of a model that cannot be used.
pub fn unusable(findings: &Diagnostics) -> Failure {
    let counts = counts(findings, None).unwrap_or_default();
    Failure::Model { summary: format!("{counts}: the model cannot be used") }
}

/// The numbers of diagnostics and of messages about initial values by severity, such as `3
/// warnings, 2 notes`; none if there are none.
pub fn counts(findings: &Diagnostics, initial: Option<&InitialValueReport>) -> Option<String> {
    let each = [Severity::Error, Severity::Warning, Severity::Note].map(|severity| {
        let of_initial = initial.filter(|report| report.word() == severity.word());
        (severity, findings.count(severity) + usize::from(of_initial.is_some()))
    });
    counted(&each)
}

/// Numbers of diagnostics as words; none if all are zero.
fn counted(counts: &[(Severity, usize)]) -> Option<String> {
    let each = counts.iter().filter_map(|&(severity, count)| match count {
        0 => None,
        1 => Some(format!("1 {}", severity.word())),
        count => Some(format!("{count} {}s", severity.word())),
    });
    let words: Vec<String> = each.collect();
    (!words.is_empty()).then(|| words.join(", "))
}

impl Model {
    /// The arguments of this kind, and of loops, as a shell takes them.
    fn words(&self, loops: Option<&Loops>) -> String {
        let mut words = vec![quoted(&self.model)];
        words.extend(self.with.iter().map(|path| format!("--with {}", quoted(path))));
        words.extend(self.meshes.iter().map(|path| format!("--meshes {}", quoted(path))));
        words.extend(self.floating_base.then(|| "--floating-base".to_owned()));
        words.extend(self.merge_fixed.then(|| "--merge-fixed".to_owned()));
        if let Some(format) = self.format {
            let name = Format::ALL.iter().find(|(known, ..)| *known == format);
            words.extend(name.map(|(_, name, _)| format!("--format {name}")));
        }
        if let Some(list) = loops.and_then(|loops| loops.independent.as_ref()) {
            words.push(format!("--independent {}", quoted(Path::new(list))));
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
