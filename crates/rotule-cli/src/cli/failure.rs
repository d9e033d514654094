//! Failures between the terminal and the library.

use rotule::layers::symbolic::{did_you_mean, nearest};
use std::fmt;
use std::io;
use std::path::Path;

/// A failure.
#[derive(Debug)]
pub enum Failure {
    /// A fault in an expression, a model or a request, as it is to be shown.
    Text(String),
    /// An argument that makes no sense for any model, as it is to be shown.
    Arguments(String),
    /// A file cannot be read.
    Read { name: String, error: io::Error },
    /// A file is not text.
    NotText { name: String, line: usize, byte: u8 },
    /// A file is too large.
    TooLarge { name: String, limit: usize },
    /// Standard input is named twice.
    InputTwice,
    /// The result cannot be written.
    Write(io::Error),
    /// A file cannot be written.
    WriteFile { name: String, error: io::Error },
    /// A file exists already.
    Exists { name: String },
    /// A folder that is to be written holds something already.
    NotEmpty { name: String },
    /// Something that is no file stands in a file's place.
    NotAFile { name: String },
    /// Something that is no folder stands in a folder's place.
    NotAFolder { name: String },
    /// Another run writes this file.
    Busy { name: String },
    /// A file that a killed run left behind.
    Leftover { name: String },
    /// A model has errors, which have been shown.
    Model { summary: String },
    /// A command ended before its time: 3 if no further step was possible, 4 if results cannot be
    /// written, or the code of the signal that stopped it.
    Unfinished { message: String, code: u8 },
    /// A law file that cannot be used, or a law that failed, as it is to be shown.
    Law(String),
    /// A simulation has warnings, none of which is accepted.
    Strict { warnings: usize },
}

impl Failure {
    /// The exit code of the program; the manual has the table (docs/manual/exit-codes.md).
    pub fn code(&self) -> u8 {
        match self {
            Failure::Arguments(_) | Failure::InputTwice => 2,
            Failure::Write(_)
            | Failure::WriteFile { .. }
            | Failure::Exists { .. }
            | Failure::NotEmpty { .. }
            | Failure::NotAFile { .. }
            | Failure::NotAFolder { .. }
            | Failure::Busy { .. }
            | Failure::Leftover { .. } => 4,
            Failure::Unfinished { code, .. } => *code,
            Failure::Strict { .. } => 5,
            Failure::Law(_) => 6,
            Failure::Text(_)
            | Failure::Read { .. }
            | Failure::NotText { .. }
            | Failure::TooLarge { .. }
            | Failure::Model { .. } => 1,
        }
    }

    /// Converts the failure to one of an argument that makes no sense for any model.
    pub fn into_argument(self) -> Failure {
        match self {
            Failure::Text(text) => Failure::Arguments(text),
            other => other,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Text(rendered) | Failure::Arguments(rendered) | Failure::Law(rendered) => {
                f.write_str(rendered.trim_end())
            }
            Failure::Read { name, error } => {
                write!(f, "error: cannot read {name}: {}", unreadable(name, error))
            }
            Failure::NotText { name, line, byte } => {
                write!(
                    f,
                    "error: {name} is not text in UTF-8: line {line} has the byte {byte:#04x}"
                )
            }
            Failure::TooLarge { name, limit } => {
                let limit = limit >> 20;
                write!(f, "error: {name} is larger than {limit} MiB, the most that is read")
            }
            Failure::InputTwice => write!(f, "error: standard input can be read only once"),
            Failure::Write(error) => write!(f, "error: cannot write the result: {error}"),
            Failure::WriteFile { name, error } => {
                write!(f, "error: cannot write {name}: {}", unwritable(name, error))
            }
            Failure::Exists { name } => {
                write!(f, "error: {name} exists already; --force replaces it")
            }
            Failure::NotEmpty { name } => {
                write!(
                    f,
                    "error: {name} exists already and is not empty\n  = help: name a new folder, or --force replaces the files of the same names"
                )
            }
            Failure::NotAFile { name } => {
                write!(
                    f,
                    "error: {name} is not a file, so it is not replaced\n  = help: name a file"
                )
            }
            Failure::NotAFolder { name } => {
                write!(
                    f,
                    "error: {name} is no folder, so nothing is written there\n  = help: name a folder"
                )
            }
            Failure::Busy { name } => {
                write!(
                    f,
                    "error: another run is writing {name}\n  = help: wait for its end, or write to another file"
                )
            }
            Failure::Leftover { name } => {
                write!(
                    f,
                    "error: {name} was left behind by a run that was killed; it has all rows up to its last flush\n  \
                     = help: rename it to keep it, or remove it; --force sets it aside under another name"
                )
            }
            Failure::Model { summary } => f.write_str(summary),
            Failure::Unfinished { message, .. } => write!(f, "error: {message}"),
            Failure::Strict { warnings: 1 } => write!(f, "error: there is a warning, and --strict"),
            Failure::Strict { warnings } => {
                write!(f, "error: there are {warnings} warnings, and --strict")
            }
        }
    }
}

/// Why a file cannot be read, and a file of its folder that may be meant.
fn unreadable(name: &str, error: &io::Error) -> String {
    let path = Path::new(name);
    match error.kind() {
        io::ErrorKind::NotFound => match neighbour(path) {
            Some(near) => format!("there is no such file\n  = help: {}", did_you_mean(&near)),
            None => "there is no such file".to_owned(),
        },
        io::ErrorKind::IsADirectory => "it is a folder\n  = help: name a file in it".to_owned(),
        _ => error.to_string(),
    }
}

/// The file of the same folder whose name is nearest to that of a path.
fn neighbour(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let files = entries.flatten().filter(|entry| entry.path().is_file());
    let mut names: Vec<String> =
        files.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    // Equal endings do not make files neighbours.
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    names.retain(|one| nearest(&stem(name), [stem(one).as_str()]).is_some());
    let near = nearest(name, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near).display().to_string())
}

/// Why a file cannot be written.
fn unwritable(name: &str, error: &io::Error) -> String {
    let folder = Path::new(name).parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.exists()) {
        Some(folder) if error.kind() == io::ErrorKind::NotFound => {
            format!(
                "there is no folder {0}\n  = help: make it first: mkdir -p {0}",
                folder.display()
            )
        }
        _ => error.to_string(),
    }
}
