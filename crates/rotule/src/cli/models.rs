//! The commands on models: `check`, `assemble` and `convert`.
//!
//! Findings go to standard error, as a compiler shows them; the structure or the written model goes
//! to standard output.

use super::arguments::{Assemble, Check, Convert, Loops, Model};
use super::failure::Failure;
use super::{functions, input, output};
use rotule::formalism::constraint::asked::ask_independent;
use rotule::model::mechanism::Mechanism;
use rotule::model::{
    Diagnostics, Format, Loaded, ReadOptions, Severity, Sources, limits, load, structure, write,
};
use rotule::symbolic::line_column;
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// `rotule check`
pub fn check(check: &Check) -> Result<(), Failure> {
    let (sources, mut loaded) = read(&check.model)?;
    if let Some(mechanism) = &mut loaded.mechanism {
        ask(mechanism, &check.loops)?;
    }
    let findings = &loaded.diagnostics;
    let structure = loaded.mechanism.as_ref().map(structure);
    let loops = loaded.mechanism.as_ref().and_then(rotule::loops);
    if check.json {
        let report = json!({
            "valid": structure.is_some(),
            "errors": findings.count(Severity::Error),
            "warnings": findings.count(Severity::Warning),
            "diagnostics": diagnostics_json(findings, &sources),
            "structure": structure,
            "closure": loops.as_ref().map(rotule::Loops::json),
        });
        output::result(&format!("{report:#}\n"))?;
    } else {
        show(findings, &sources);
        if let Some(structure) = &structure {
            let closure = loops.map_or(String::new(), |loops| loops.text());
            output::result(&(structure.text() + &closure))?;
        }
    }
    verdict(&loaded, check.json)
}

/// `rotule assemble`
pub fn assemble(wanted: &Assemble) -> Result<(), Failure> {
    let mut mechanism = mechanism(&wanted.model)?;
    ask(&mut mechanism, &wanted.loops)?;
    let tree = rotule::formalism::normalise(mechanism);
    let keep = wanted.keep.as_deref().unwrap_or_default();
    let state = rotule::assembled(&tree, keep).map_err(functions::failure)?;
    let text = match wanted.json {
        true => state.text(&tree.mechanism),
        false => rotule::initial_text(&tree.mechanism, &state),
    };
    match &wanted.out {
        None => output::result(&text),
        Some(path) => write_file(path, &text, wanted.force),
    }
}

/// `rotule convert`
pub fn convert(convert: &Convert) -> Result<(), Failure> {
    let (sources, loaded) = read(&convert.model)?;
    show(&loaded.diagnostics, &sources);
    verdict(&loaded, true)?;
    let text = write(&loaded.draft);
    match &convert.out {
        None => output::result(&text),
        Some(path) => write_file(path, &text, convert.force),
    }
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
    let hash = rotule::hash(&write(&loaded.draft));
    Ok((loaded.mechanism.ok_or_else(missing)?, hash))
}

fn read(arguments: &Model) -> Result<(Sources, Loaded), Failure> {
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
    let (floating_base, merge_fixed) = (arguments.floating_base, arguments.merge_fixed);
    let options = ReadOptions { floating_base, merge_fixed, as_written };
    let format = arguments.format.unwrap_or(guessed);
    let loaded = load(&sources, model, format, &additions, &options);
    Ok((sources, loaded))
}

/// Shows findings on standard error.
fn show(findings: &Diagnostics, sources: &Sources) {
    if !findings.is_empty() {
        output::message(&findings.render(sources));
    }
}

/// A failure if the model cannot be used; otherwise says how many warnings there were.
fn verdict(loaded: &Loaded, silent: bool) -> Result<(), Failure> {
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

fn diagnostics_json(findings: &Diagnostics, sources: &Sources) -> Value {
    let each = findings.iter().map(|finding| {
        let place = |span: rotule::model::Span| {
            let source = sources.get(span.source);
            let (line, column) = line_column(&source.text, span.range().start);
            json!({ "file": source.name, "line": line, "column": column })
        };
        let related: Vec<Value> = finding.labels[1..]
            .iter()
            .map(|label| json!({ "place": place(label.span), "message": label.text }))
            .collect();
        json!({
            "severity": finding.severity.word(),
            "code": finding.code,
            "message": finding.message,
            "place": place(finding.span()),
            "expected": finding.labels[0].text,
            "related": related,
            "help": finding.help,
        })
    });
    each.take(rotule::model::diagnostic::MAX_SHOWN * 10).collect()
}

/// Writes a file whole or not at all: first beside it, then moved into its place. What a link leads to is
/// written, not the link; and only files are ever replaced, never a device or a folder.
pub fn write_file(path: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let name = path.display().to_string();
    let failed = |error: io::Error| Failure::WriteFile { name: name.clone(), error };
    if !force && path.symlink_metadata().is_ok() {
        return Err(Failure::Exists { name });
    }
    let place = match path.symlink_metadata() {
        Ok(_) => fs::canonicalize(path).map_err(failed)?,
        Err(_) => path.to_owned(),
    };
    let old = fs::metadata(&place).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return Err(Failure::NotAFile { name });
    }
    let mut beside = place.as_os_str().to_owned();
    beside.push(format!(".{}.part", std::process::id()));
    let beside = Path::new(&beside);
    let mut file = OpenOptions::new().write(true).create_new(true).open(beside).map_err(failed)?;
    let kept = old.map_or(Ok(()), |old| file.set_permissions(old.permissions()));
    let written = kept
        .and_then(|()| file.write_all(text.as_bytes()))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(beside, &place));
    written.map_err(|error| {
        let _ = fs::remove_file(beside);
        failed(error)
    })
}
