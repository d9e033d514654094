//! The command `generate`: a folder of source code or a document, written whole or not at all.

use super::arguments::{Entries, Generate};
use super::failure::Failure;
use super::functions::{assignment, failure};
use super::models;
use super::output::{self, Progress};
use rotule::emit::{File, emit};
use rotule::formalism::{Problem, normalise};
use rotule::state::{State, set_parameter};
use rotule::{Target, Wish, document, package, to_freeze};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// `rotule generate`
pub fn generate(arguments: &Generate) -> Result<(), Failure> {
    // A slash at the end of a folder's name says nothing.
    let out: PathBuf = arguments.out.components().collect();
    // What cannot be written is said before anything is computed.
    check_place(&out, arguments.force)?;
    let (mut mechanism, hash) = models::hashed(&arguments.model)?;
    models::ask(&mut mechanism, &arguments.loops)?;
    let mut frozen = Vec::new();
    let mut set = Vec::new();
    for word in &arguments.set {
        set.push(assignment(word).map_err(failure)?);
    }
    for (name, value) in &set {
        if let Some(parameter) = mechanism.parameters.iter_mut().find(|one| one.name == *name) {
            parameter.value = *value;
        }
    }
    if let Some(list) = &arguments.freeze {
        let names = to_freeze(&mechanism, list).map_err(failure)?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        frozen = mechanism.freeze(&names);
    }
    let mut tree = normalise(mechanism);
    for (name, value) in &set {
        if !frozen.iter().any(|one| one.name == *name) {
            set_parameter(&mut tree, name, *value).map_err(failure)?;
        }
    }
    let wish = Wish {
        functions: arguments.functions.as_deref().unwrap_or(rotule::GENERATED),
        formalism: arguments.formalism.0,
        readable: arguments.readable,
        effort: arguments.effort,
        size: arguments.size,
        prefix: arguments.prefix.as_deref(),
        hash,
        frozen,
        trig: arguments.trig,
        batch: arguments.batch,
        stored: arguments.entries == Entries::Stored,
    };
    let mut progress = Progress::new();
    let mut hear = |function: &str| progress.say(&format!("generating {function}"));
    let files = match arguments.lang {
        Target::Code(language) => {
            let mut state = State::initial(&tree);
            state.settle(&tree);
            package(&tree, &wish, &state, &mut hear).and_then(|made| {
                emit(&made, language).map_err(|problem| Problem::new(problem.message, problem.help))
            })
        }
        Target::Document(kind) => {
            let functions = arguments.functions.as_deref();
            document(&tree, functions, &wish, kind, &mut hear).map(|file| vec![file])
        }
    };
    progress.clear();
    let files = files.map_err(failure)?;
    write_folder(&out, &files, arguments.force)?;
    let mut text = format!("{}\n", arguments.out.display());
    for file in &files {
        let lines = file.text.lines().count();
        text += &format!("  {:<32} {lines:>7} lines\n", file.name);
    }
    output::result(&text)
}

/// Refuses a place that cannot become the folder.
fn check_place(path: &Path, force: bool) -> Result<(), Failure> {
    let name = path.display().to_string();
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Failure::WriteFile { name, error }),
        Ok(found) if !found.is_dir() => {
            Err(Failure::Text(format!("error: {name} is no folder, so nothing is written there")))
        }
        Ok(_) => {
            let mut entries =
                fs::read_dir(path).map_err(|error| Failure::Read { name: name.clone(), error })?;
            if !force && entries.next().is_some() {
                return Err(Failure::NotEmpty { name });
            }
            Ok(())
        }
    }
}

/// Writes all files into a folder beside the place first; only when all is on the disk it is moved there. Files of a
/// folder that is not empty are replaced one by one, and the others are left alone.
fn write_folder(path: &Path, files: &[File], force: bool) -> Result<(), Failure> {
    let fail = |place: &Path, error: io::Error| Failure::WriteFile {
        name: place.display().to_string(),
        error,
    };
    check_place(path, force)?;
    // Nothing is replaced unless everything can be.
    if let Some(file) = files.iter().find(|file| path.join(&file.name).is_dir()) {
        let name = path.join(&file.name).display().to_string();
        return Err(Failure::NotAFile { name });
    }
    // A path such as `..` has no name to put anything beside.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if let Some(parent) = place.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent).map_err(|error| fail(parent, error))?;
    }
    let mut beside = place.as_os_str().to_owned();
    beside.push(format!(".{}.part", std::process::id()));
    let beside = PathBuf::from(beside);
    let written = write_all(&beside, files).and_then(|()| move_all(&beside, &place, files));
    if written.is_err() {
        let _ = fs::remove_dir_all(&beside);
    }
    written.map_err(|(at, error)| fail(&at, error))
}

fn write_all(folder: &Path, files: &[File]) -> Result<(), (PathBuf, io::Error)> {
    fs::create_dir(folder).map_err(|error| (folder.to_owned(), error))?;
    for file in files {
        let at = folder.join(&file.name);
        let written = fs::write(&at, &file.text)
            .and_then(|()| fs::File::open(&at))
            .and_then(|file| file.sync_all());
        written.map_err(|error| (at, error))?;
    }
    Ok(())
}

/// Moves the folder into its place; if files are there already, moves file by file.
fn move_all(folder: &Path, place: &Path, files: &[File]) -> Result<(), (PathBuf, io::Error)> {
    let empty = fs::read_dir(place).map_or(true, |mut entries| entries.next().is_none());
    if empty && fs::rename(folder, place).is_ok() {
        return Ok(());
    }
    fs::create_dir_all(place).map_err(|error| (place.to_owned(), error))?;
    for file in files {
        let to = place.join(&file.name);
        fs::rename(folder.join(&file.name), &to).map_err(|error| (to, error))?;
    }
    fs::remove_dir(folder).map_err(|error| (folder.to_owned(), error))
}
