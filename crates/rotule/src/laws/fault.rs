//! Faults of law files, before and during a run.

use std::fmt;
use std::path::PathBuf;

/// Numbers of a list that a message shows.
const LISTED: usize = 12;

/// A law file that cannot be used, or a law that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct LawError {
    /// The law file.
    pub file: PathBuf,
    /// The function, if it is about one.
    pub function: Option<String>,
    /// The fault.
    pub fault: LawFault,
}

/// A fault of a law file or a law.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LawFault {
    /// The file cannot be read.
    Unreadable(String),
    /// The ending of the file is none of a language of laws.
    Ending,
    /// A prerequisite of running it is missing: a compiler, Python, a feature of this build.
    Unavailable(String),
    /// The compiler refuses it; its messages.
    NotCompiled(String),
    /// It compiles, but cannot be loaded.
    NotLoaded(String),
    /// Its process ended.
    Ended(String),
    /// It did not return within this many seconds.
    TooLong(f64),
    /// It takes other numbers of arguments than the model has.
    Arguments {
        /// The number that the model calls it with.
        expected: usize,
        /// The number that it takes, as words.
        takes: String,
    },
    /// It gives another number of results than the model declares.
    Results {
        /// The number that the model declares.
        expected: usize,
        /// The number that it gives.
        found: usize,
    },
    /// It writes beyond its results.
    WritesBeyond {
        /// The number of results that the model declares.
        expected: usize,
    },
    /// It reads beyond its arguments.
    ReadsBeyond {
        /// The number of arguments that the model calls it with.
        expected: usize,
    },
    /// A result is not a finite number.
    NotFinite {
        /// The arguments.
        arguments: Vec<f64>,
        /// The results.
        results: Vec<f64>,
    },
    /// It raised an exception; its text with the line.
    Raised(String),
    /// It has none of the functions that the model calls, which are these.
    Unused(Vec<String>),
    /// Another law file has the function, too.
    Twice(PathBuf),
    /// It has constraints of ROBOTRAN, and nothing says how many.
    Constraints,
    /// Calls of ROBOTRAN's functions cannot be written into the model.
    Calls(String),
}

impl fmt::Display for LawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        match &self.function {
            Some(function) => write!(f, "law `{function}` of {file} ")?,
            None => write!(f, "the law file {file} ")?,
        }
        let list = |numbers: &[f64]| {
            let words: Vec<String> = numbers.iter().map(|one| format!("{one:?}")).collect();
            let more = if words.len() > LISTED { ", .." } else { "" };
            words[..words.len().min(LISTED)].join(", ") + more
        };
        match &self.fault {
            LawFault::Unreadable(reason) => write!(f, "cannot be read: {reason}"),
            LawFault::Ending => {
                f.write_str("is of no known language: expected one of .c, .so, .py")
            }
            LawFault::Unavailable(reason) => write!(f, "cannot be run here: {reason}"),
            LawFault::NotCompiled(messages) => write!(f, "does not compile:\n{messages}"),
            LawFault::NotLoaded(reason) => write!(f, "cannot be loaded: {reason}"),
            LawFault::Ended(how) => write!(f, "crashed: {how}"),
            LawFault::TooLong(seconds) => write!(f, "did not return within {seconds} s"),
            LawFault::Arguments { expected, takes } => {
                write!(f, "takes {takes}, and the model calls it with {expected}")
            }
            LawFault::Results { expected, found } => {
                write!(f, "gives {found} results, and the model declares {expected}")
            }
            LawFault::WritesBeyond { expected } => {
                write!(f, "writes beyond its results, of which the model declares {expected}")
            }
            LawFault::ReadsBeyond { expected } => {
                write!(f, "uses more arguments than the {expected} that the model calls it with")
            }
            LawFault::NotFinite { arguments, results } => {
                write!(f, "gave {} at ({})", list(results), list(arguments))
            }
            LawFault::Raised(text) if text.starts_with("line ") => write!(f, "failed in {text}"),
            LawFault::Raised(text) => write!(f, "failed: {text}"),
            LawFault::Unused(functions) => write!(
                f,
                "has none of the functions that the model calls: {}",
                functions.join(", ")
            ),
            LawFault::Constraints => f.write_str(
                "has `user_cons_hJ`, and the model does not say how many constraints it gives",
            ),
            LawFault::Calls(reason) => {
                write!(f, "sees the whole model, and cannot be called in this one: {reason}")
            }
            LawFault::Twice(other) => write!(f, "stands also in {}", other.display()),
        }
    }
}

impl std::error::Error for LawError {}

impl LawFault {
    /// The remedy; none where the message has it.
    pub fn help(&self) -> &'static str {
        match self {
            LawFault::Arguments { .. }
            | LawFault::Results { .. }
            | LawFault::WritesBeyond { .. }
            | LawFault::ReadsBeyond { .. } => {
                "`arguments` and `results` of its [[external]] declare both numbers; `rotule laws` writes a skeleton"
            }
            LawFault::Unused(_) => "`rotule laws` writes a skeleton with these names",
            LawFault::Twice(_) => "keep one of them",
            LawFault::Constraints => {
                "declare it in a file for --with: `[[external]]`, `name = \"user_cons_hJ\"`, `arguments = []` and `results`, their number"
            }
            LawFault::TooLong(_) => "a call of a law must return at once",
            _ => "",
        }
    }
}
