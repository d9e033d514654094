//! Failures between the terminal and the library.

use std::fmt;
use std::io;

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
    /// A file is there already.
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
            Failure::Text(rendered) | Failure::Arguments(rendered) => {
                f.write_str(rendered.trim_end())
            }
            Failure::Read { name, error } => write!(f, "error: cannot read {name}: {error}"),
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
                write!(f, "error: cannot write {name}: {error}")
            }
            Failure::Exists { name } => {
                write!(f, "error: {name} is there already; --force replaces it")
            }
            Failure::NotEmpty { name } => {
                write!(
                    f,
                    "error: {name} is there already and not empty\n  = help: name a new folder, or --force replaces the files of the same names"
                )
            }
            Failure::NotAFile { name } => {
                write!(f, "error: {name} is not a file, so it is not replaced")
            }
            Failure::NotAFolder { name } => {
                write!(f, "error: {name} is no folder, so nothing is written there")
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
