//! Why a request cannot be met: what was asked, the element that stands in the way, and the remedy.

use std::fmt;

/// A request that cannot be met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The fault, with the element's name.
    pub message: String,
    /// The remedy about it; may be empty.
    pub help: String,
    /// `true` if only the way is too long, and another might do.
    pub size: bool,
}

impl Problem {
    /// A problem and its remedy.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Problem {
        Problem { message: message.into(), help: help.into(), size: false }
    }
}

impl Problem {
    /// Marks the problem as one of size.
    #[must_use]
    pub fn of_size(self) -> Problem {
        Problem { size: true, ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)?;
        if !self.help.is_empty() {
            write!(out, "\n  help: {}", self.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}
