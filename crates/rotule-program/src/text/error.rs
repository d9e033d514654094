//! Errors in the text of a program, with their places.

use crate::error::ProgramError;
use crate::limits;
use rotule_symbolic::Kind;
use std::fmt;

/// An error of the reader: a place in the text and what is wrong there.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The fault.
    pub problem: ParseProblem,
}

/// Faults of a text.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ParseProblem {
    /// Something stands where something else should.
    Unexpected {
        /// The text that was found, shortened if it is long.
        found: String,
        /// The expected text.
        expected: &'static str,
    },
    /// A character that no token starts with.
    Character(char),
    /// A quoted name without its closing quote.
    OpenQuote,
    /// A backslash in a quoted name that is not followed by `"`, `\` or `u{...}`.
    Escape,
    /// A number that is malformed.
    Number(String),
    /// A number that no double can hold.
    NumberTooLarge(String),
    /// A whole number above what its place allows.
    TooLarge {
        /// The largest that is allowed.
        limit: u64,
    },
    /// An operand whose name is not an input.
    UnknownInput(String),
    /// A function that is not declared.
    UnknownFunction(String),
    /// An operation that does not exist.
    UnknownOperation(String),
    /// A value that is not defined before this place.
    UnknownValue(u64),
    /// A value of a region that ended before this place.
    Ended(u64),
    /// A call or a region where a number is needed.
    NotANumber(u64),
    /// Something else where a call or a region is needed.
    NotATuple,
    /// An input that may not be read in a stage.
    NotOfStage {
        /// The input.
        name: String,
        /// Its kind.
        kind: Kind,
        /// The stage.
        stage: &'static str,
    },
    /// A value that is defined twice.
    DefinedTwice(u64),
    /// A name that two inputs, two functions or two outputs share.
    SameName {
        /// The kind of thing with that name: `input`, `function` or `output`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// The text is longer than [`limits::TEXT_BYTES`].
    TextTooLong(usize),
    /// A name is longer than [`limits::NAME_BYTES`].
    NameTooLong(usize),
    /// Regions lie deeper inside each other than [`limits::REGION_DEPTH`].
    TooDeep,
    /// The program has more values than [`limits::VALUES`].
    TooManyValues,
    /// The text is well formed, but the program is not valid.
    Invalid(ProgramError),
}

impl fmt::Display for ParseProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseProblem::Unexpected { found, expected } => {
                write!(f, "found {found}, expected {expected}")
            }
            ParseProblem::Character(c) => {
                write!(f, "found the character {c:?}, which starts nothing")
            }
            ParseProblem::OpenQuote => {
                write!(f, "found the end of the line inside a quoted name, expected `\"`")
            }
            ParseProblem::Escape => {
                write!(f, "found `\\` before something else than `\"`, `\\` or `u{{...}}`")
            }
            ParseProblem::Number(text) => write!(f, "found {text}, which is not a number"),
            ParseProblem::NumberTooLarge(text) => {
                write!(f, "found {text}, which is larger than any double; write inf if it is meant")
            }
            ParseProblem::TooLarge { limit } => write!(f, "the number is above the limit {limit}"),
            ParseProblem::UnknownInput(name) => write!(f, "found `{name}`, which is not an input"),
            ParseProblem::UnknownFunction(name) => {
                write!(f, "found `{name}`, which is not a declared function")
            }
            ParseProblem::UnknownOperation(name) => {
                write!(f, "found `{name}`, which is not an operation")
            }
            ParseProblem::UnknownValue(number) => write!(f, "%{number} is not defined before this"),
            ParseProblem::Ended(number) => {
                write!(f, "%{number} is visible only inside its region, which ended before this")
            }
            ParseProblem::NotANumber(number) => {
                write!(f, "%{number} is a call or a region, expected a number")
            }
            ParseProblem::NotATuple => write!(f, "found a number, expected a call or a region"),
            ParseProblem::NotOfStage { name, kind, stage } => {
                let most = match *stage {
                    "setup" => "parameters",
                    _ => "parameters, time, coordinates, velocities and states",
                };
                write!(f, "found `{name}`, a {kind}, but {stage} may read {most} only")
            }
            ParseProblem::DefinedTwice(number) => write!(f, "%{number} is defined a second time"),
            ParseProblem::SameName { what, name } => {
                write!(f, "{what} `{name}` is declared a second time")
            }
            ParseProblem::TextTooLong(bytes) => {
                write!(f, "the text has {bytes} bytes, the limit is {}", limits::TEXT_BYTES)
            }
            ParseProblem::NameTooLong(bytes) => {
                write!(f, "the name has {bytes} bytes, the limit is {}", limits::NAME_BYTES)
            }
            ParseProblem::TooDeep => {
                write!(f, "regions lie more than {} deep inside each other", limits::REGION_DEPTH)
            }
            ParseProblem::TooManyValues => write!(f, "more than {} values", limits::VALUES),
            ParseProblem::Invalid(problem) => {
                write!(f, "the {} ", problem.site().word())?;
                problem.message(f)
            }
        }
    }
}

impl fmt::Display for ProgramParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.problem)
    }
}

impl std::error::Error for ProgramParseError {}
