//! Errors of the library: one enum whose variants carry the places and numbers that a caller may
//! want to act on.

use crate::analysis::Equilibrium;
use crate::expressions::{ExpressionError, Unwritten};
use crate::flags::in_code;
use crate::laws::LawError;
use crate::run::Unfinished;
use rotule_formalism::{Problem, ProblemKind};
use rotule_jit::KernelError;
use rotule_model::Rejected;
use rotule_model::conventions::OrderError;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// An error of the library.
///
/// `Display` gives the message with its remedy, as the program `rotule` shows it; `Debug` gives the
/// same, so that a `main` that returns `Result<(), rotule::Error>` ends with a readable text. New
/// variants may come: match with a last arm `_`.
///
/// ```
/// use rotule::{Error, Model};
///
/// let model = Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let mut kernel = model.function("mass")?.compile()?;
/// match kernel.evaluate(&[("q", &[0.0, 0.0])], &mut []) {
///     Err(Error::Length { name, expected, found }) => assert_eq!((&name[..], expected, found), ("q", 1, 2)),
///     other => panic!("{other:?}"),
/// }
///
/// // All diagnostics of a model, each with its place.
/// let text = rotule::doc::PENDULUM.replace("\"ground\"", "\"grund\"");
/// let Err(Error::Model(rejected)) = Model::read("pendulum.toml", text) else { panic!("there is no `grund`") };
/// for diagnostic in rejected.diagnostics.iter() {
///     let place = rejected.sources.place(diagnostic.span());
///     assert_eq!((place.file, place.line, place.column), ("pendulum.toml", 12, 11));
///     assert_eq!(diagnostic.code.word(), "unknown-name");
/// }
/// # Ok::<(), Error>(())
/// ```
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// A file or folder cannot be written.
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// A writer that the caller gave failed.
    Io(io::Error),
    /// A model cannot be used; all diagnostics are in it, each with its place in the text.
    Model(Box<Rejected>),
    /// An expression cannot be read.
    Expression(ExpressionError),
    /// An answer that is too long for one line for each result: take its listing.
    Unwritten(Unwritten),
    /// A list of joints that does not fit the model; see [`conventions`](crate::conventions).
    Order(OrderError),
    /// A name that nothing has.
    Unknown {
        /// The kind of thing that was named: `parameter`, `channel`, `input`.
        what: &'static str,
        /// The name.
        name: String,
        /// The remedy: the nearest known name, or all of them.
        help: String,
    },
    /// An input of a function that was not given.
    Missing {
        /// The function.
        function: String,
        /// The input.
        input: String,
    },
    /// An input or output of one call that is given twice.
    Twice {
        /// Its name.
        name: String,
    },
    /// A slice of the wrong length.
    Length {
        /// The name of the input, the output or the slice of a state.
        name: String,
        /// The length that the function needs.
        expected: usize,
        /// The length of the slice.
        found: usize,
    },
    /// An array of a batch that has no whole number of rows.
    Rows {
        /// The name of the input.
        name: String,
        /// The numbers of one row, that is of one state.
        row: usize,
        /// The length of the array.
        found: usize,
    },
    /// A number of a state or a parameter that is NaN or infinite where a finite one is needed.
    NotFinite {
        /// The name of the number.
        name: String,
        /// The number.
        value: f64,
    },
    /// An iteration, such as the closing of loops, did not converge.
    NotConverged {
        /// The function.
        function: String,
        /// The iterated region of its program.
        region: String,
        /// Updates that were made.
        iterations: u32,
        /// In a batch: the states that failed, from zero. Their rows of all outputs are NaN.
        states: Vec<usize>,
    },
    /// A law file that cannot be used, or a law that failed.
    Law(Box<LawError>),
    /// A kernel of the requested kind cannot be made.
    Kernel(KernelError),
    /// A request that the model, the method or the machine cannot meet, with the remedy.
    Request(Problem),
    /// A motion that ended before its time; what was computed is in it.
    Unfinished(Box<Unfinished>),
    /// An equilibrium that does not exist near the state; the nearest state is in it, with the
    /// forces that are left.
    NoEquilibrium(Box<Equilibrium>),
    /// A progress callback requested the end.
    Stopped,
}

impl Error {
    /// A name that is not among those that are known.
    pub(crate) fn unknown<'a>(
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Error {
        Error::Unknown { what, name: name.to_owned(), help: rotule_symbolic::likely(name, known) }
    }

    /// The remedy; empty if there is none.
    pub fn help(&self) -> String {
        match self {
            Error::Unknown { help, .. } => help.clone(),
            Error::Request(problem) => in_code(&problem.help),
            Error::Unfinished(run) => run.remedy().to_owned(),
            Error::Law(error) => error.fault.help().to_owned(),
            _ => String::new(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Read { path, error } => write!(f, "cannot read {}: {error}", path.display()),
            Error::Write { path, error } => write!(f, "cannot write {}: {error}", path.display()),
            Error::Model(rejected) => write!(f, "the model cannot be used\n{rejected}"),
            Error::Io(error) => error.fmt(f),
            Error::Expression(error) => error.fmt(f),
            Error::Unwritten(reason) => write!(f, "{reason}\n  help: take `listing` instead"),
            Error::Order(error) => error.fmt(f),
            Error::Unknown { what, name, help } => {
                write!(f, "there is no {what} `{name}`\n  help: {help}")
            }
            Error::Missing { function, input } => {
                write!(f, "`{function}` needs `{input}`, which is not given")
            }
            Error::Twice { name } => write!(f, "`{name}` is given twice"),
            Error::Length { name, expected, found } => {
                write!(f, "`{name}` has {found} numbers, expected {expected}")
            }
            Error::Rows { name, row, found } => write!(
                f,
                "`{name}` has {found} numbers, expected a multiple of {row}: one row of {row} for each state"
            ),
            Error::NotFinite { name, value } => {
                write!(f, "`{name}` is {value}: give a finite number")
            }
            Error::NotConverged { function, region, iterations, states } => {
                write!(f, "`{function}`: `{region}` did not converge in {iterations} iterations")?;
                match states.as_slice() {
                    [] => write!(
                        f,
                        "\n  help: the state may be out of reach, or far from a closed one; see `Model::assemble`"
                    ),
                    [first] => write!(f, " at state {first}; its outputs are NaN"),
                    [first, ..] => {
                        write!(
                            f,
                            " at {} states, first at state {first}; their outputs are NaN",
                            states.len()
                        )
                    }
                }
            }
            Error::Law(error) => {
                error.fmt(f)?;
                match error.fault.help() {
                    "" => Ok(()),
                    help => write!(f, "\n  help: {help}"),
                }
            }
            Error::Kernel(error) => error.fmt(f),
            // The layers below speak of options of the command line.
            Error::Request(problem) => f.write_str(&in_code(&problem.to_string())),
            Error::Unfinished(run) => run.fmt(f),
            Error::NoEquilibrium(nearest) => nearest.fmt(f),
            Error::Stopped => f.write_str("stopped on request of the caller"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // All others are their own text, which a chain of errors would show twice.
        match self {
            Error::Read { error, .. } | Error::Write { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Error {
        match problem.kind {
            ProblemKind::Stopped => Error::Stopped,
            _ => Error::Request(problem),
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::Io(error)
    }
}

impl From<OrderError> for Error {
    fn from(error: OrderError) -> Error {
        Error::Order(error)
    }
}

impl From<Unwritten> for Error {
    fn from(reason: Unwritten) -> Error {
        Error::Unwritten(reason)
    }
}

impl From<Rejected> for Error {
    fn from(rejected: Rejected) -> Error {
        Error::Model(Box::new(rejected))
    }
}

impl From<ExpressionError> for Error {
    fn from(error: ExpressionError) -> Error {
        Error::Expression(error)
    }
}

impl From<KernelError> for Error {
    fn from(error: KernelError) -> Error {
        Error::Kernel(error)
    }
}
