//! Failures of a task: one enum, each variant naming the thing, the place and the remedy.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

/// The reason why a task ended without success.
#[derive(Debug)]
pub enum Failure {
    /// The words on the command line make no sense; the usage text follows.
    Usage { message: String, usage: String },
    /// A program could not be started at all.
    Start { program: String, source: io::Error },
    /// A program ran and reported failure.
    Exit { command: String, status: ExitStatus },
    /// A file or folder could not be read or written.
    File { action: &'static str, path: PathBuf, source: io::Error },
    /// Tools are missing and this machine or user cannot install them.
    Tools { missing: Vec<String>, remedy: String },
    /// Everything there is to say was printed already.
    Reported,
    /// Some steps of a sequence failed; the table above the message says why.
    Steps { failed: Vec<&'static str> },
    /// Project rules are broken; the findings were printed.
    Tidy { errors: usize },
    /// The fuzzer found inputs that break a promise; they were printed.
    Fuzz { findings: usize },
    /// Answers of the library in WebAssembly that are not those of this machine; they were printed.
    Wasm { different: usize, of: usize },
    /// Commands whose output differs between runs; they were printed.
    Determinism { commands: usize, of: usize },
}

impl Failure {
    /// 2 for a wrong command line, as is the custom, and 1 for everything else.
    pub fn exit_code(&self) -> u8 {
        if matches!(self, Self::Usage { .. }) { 2 } else { 1 }
    }

    /// An adapter for `map_err` that remembers what was being done to which path.
    pub fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage { message, usage } => write!(f, "error: {message}\n\n{}", usage.trim_end()),
            Self::Start { program, source } => {
                write!(f, "error: `{program}` could not be started: {source}; is it installed?")
            }
            Self::Exit { command, status } => write!(f, "error: `{command}` failed ({status})"),
            Self::File { action, path, source } => {
                write!(f, "error: cannot {action} {}: {source}", path.display())
            }
            Self::Tools { missing, remedy } => {
                writeln!(f, "error: tools are missing on this machine:")?;
                for line in missing {
                    writeln!(f, "  {line}")?;
                }
                write!(f, "{remedy}")
            }
            Self::Reported => Ok(()),
            Self::Steps { failed } => write!(f, "error: failed: {}", failed.join(", ")),
            Self::Tidy { errors } => {
                write!(f, "error: project rules broken in {errors} place(s), listed above")
            }
            Self::Fuzz { findings } => {
                write!(f, "error: the fuzzer has {findings} finding(s), listed above")
            }
            Self::Wasm { different, of } => {
                write!(
                    f,
                    "error: {different} of {of} answer(s) differ in WebAssembly, listed above"
                )
            }
            Self::Determinism { commands, of } => {
                write!(f, "error: {commands} of {of} command(s) are not reproducible, listed above")
            }
        }
    }
}
