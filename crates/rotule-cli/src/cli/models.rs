//! What all commands on models share: reading a model with what completes it, showing findings.

use super::failure::Failure;
use super::{functions, input, output};
use clap::Args;
use rotule::layers::formalism::Problem;
use rotule::layers::formalism::aliases::{Names, canonical};
use rotule::layers::formalism::constraint::asked::ask_independent;
use rotule::layers::model::mechanism::Mechanism;
use rotule::layers::model::{
    Diagnostics, Format, Loaded, ReadOptions, Severity, Sources, limits, load, write,
};
use std::path::{Path, PathBuf};

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

/// Puts the partition that is asked for into a mechanism.
pub fn ask(mechanism: &mut Mechanism, loops: &Loops) -> Result<(), Failure> {
    let Some(list) = &loops.independent else { return Ok(()) };
    let names: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    ask_independent(mechanism, &names).map_err(functions::failure)
}

/// The mechanism of a model that is to be used; findings are shown.
pub fn mechanism(arguments: &Model) -> Result<Mechanism, Failure> {
    Ok(hashed(arguments)?.0)
}

/// The same, and a hash of the model as Rotule would write it: comments and layout of a file do not count.
pub fn hashed(arguments: &Model) -> Result<(Mechanism, String), Failure> {
    let (sources, loaded) = read(arguments)?;
    show(&loaded.diagnostics, &sources);
    verdict(&loaded, true)?;
    let missing = || Failure::Model { summary: "the model cannot be used".to_owned() };
    let hash = rotule::layers::emit::hash(&write(&loaded.draft));
    Ok((loaded.mechanism.ok_or_else(missing)?, hash))
}

/// Reads a model with what completes it.
pub fn read(arguments: &Model) -> Result<(Sources, Loaded), Failure> {
    read_by(arguments, false)
}

/// The mechanism with rounded angles as they are written, if there are any and the file can be read once more.
pub fn as_written(arguments: &Model) -> Result<Option<Mechanism>, Failure> {
    let paths = arguments.with.iter().chain([&arguments.model]);
    if paths.into_iter().any(|path| path.as_os_str() == "-") {
        return Ok(None);
    }
    let snapped = |loaded: &Loaded| loaded.diagnostics.iter().any(|one| one.code == "snapped");
    match read(arguments)? {
        (_, loaded) if snapped(&loaded) => Ok(read_by(arguments, true)?.1.mechanism),
        _ => Ok(None),
    }
}

fn read_by(arguments: &Model, as_written: bool) -> Result<(Sources, Loaded), Failure> {
    let mut sources = Sources::new();
    let mut add = |path: &Path| -> Result<_, Failure> {
        let source = input::file(path, limits::TEXT_BYTES)?;
        let format = Format::of(&source.name, &source.text);
        Ok((sources.add(source.name, source.text), format))
    };
    let (model, guessed) = add(&arguments.model)?;
    let mut additions = Vec::new();
    for path in &arguments.with {
        if path.as_os_str() == "-" && arguments.model.as_os_str() == "-" {
            return Err(Failure::InputTwice);
        }
        additions.push(add(path)?.0);
    }
    let format = arguments.format.unwrap_or(guessed);
    refuse_options(arguments, format)?;
    let (floating_base, merge_fixed) = (arguments.floating_base, arguments.merge_fixed);
    let options = ReadOptions { floating_base, merge_fixed, as_written };
    let loaded = load(&sources, model, format, &additions, &options);
    Ok((sources, loaded))
}

/// Options that a format knows nothing of would do nothing, and nobody would notice.
fn refuse_options(arguments: &Model, format: Format) -> Result<(), Failure> {
    let found = match format {
        Format::Urdf | Format::Mjcf => return Ok(()),
        Format::Sdf => "SDF, where links that are not joined to `world` move freely",
        Format::Native => "a model file of Rotule",
        Format::Mbs => "a model of ROBOTRAN",
    };
    let base = "leave it out; a body moves freely by a joint of the type `free`";
    let merged = "leave it out; equations have fixed bodies merged in any case";
    let wanted = [
        ("--floating-base", arguments.floating_base, base),
        ("--merge-fixed", arguments.merge_fixed && format != Format::Sdf, merged),
    ];
    match wanted.into_iter().find(|(_, given, _)| *given) {
        None => Ok(()),
        Some((option, _, help)) => {
            let message = format!("{option} is for imported robots, and this is {found}");
            Err(functions::failure(Problem::new(message, help)))
        }
    }
}

/// Shows findings on standard error.
pub fn show(findings: &Diagnostics, sources: &Sources) {
    if !findings.is_empty() {
        output::message(&findings.render(sources));
    }
}

/// A failure if the model cannot be used; otherwise says how many warnings there were.
pub fn verdict(loaded: &Loaded, silent: bool) -> Result<(), Failure> {
    let findings = &loaded.diagnostics;
    let count = |severity: Severity, word: &str| match findings.count(severity) {
        1 => format!("1 {word}"),
        count => format!("{count} {word}s"),
    };
    let counts =
        format!("{}, {}", count(Severity::Error, "error"), count(Severity::Warning, "warning"));
    if loaded.mechanism.is_none() {
        return Err(Failure::Model { summary: format!("{counts}: the model cannot be used") });
    }
    if !silent && findings.count(Severity::Warning) > 0 {
        output::message(&format!("\n{counts}"));
    }
    Ok(())
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
