//! Why a request cannot be met: the request, the element that stands in the way, and the remedy.

use rotule_model::mechanism::Mechanism;
use std::fmt;

/// A request that cannot be met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The fault, with the element's name.
    pub message: String,
    /// The remedy about it; may be empty.
    pub help: String,
    /// The use that code may make of it.
    pub kind: ProblemKind,
}

/// The use that code may make of a problem; texts are for people alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// Nothing but to report it.
    #[default]
    Final,
    /// Only this formalism is too long or cannot write it, and another might.
    Formalism,
    /// There is nothing of this name.
    UnknownName(String),
    /// No problem: a progress callback requested the end.
    Stopped,
}

impl Problem {
    /// A problem and its remedy.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Problem {
        Problem { message: message.into(), help: help.into(), kind: ProblemKind::Final }
    }

    /// The end that a progress callback requested.
    pub fn stopped() -> Problem {
        Problem::new("a progress callback requested the end", "").of(ProblemKind::Stopped)
    }
}

impl Problem {
    /// With a kind.
    #[must_use]
    pub fn of(self, kind: ProblemKind) -> Problem {
        Problem { kind, ..self }
    }
}

/// The fault with a request that needs numbers of all parameters, if some have none.
pub fn without_numbers(mechanism: &Mechanism, what: &str) -> Option<Problem> {
    let open: Vec<&str> = mechanism.without_number().map(|one| one.name.as_str()).collect();
    (!open.is_empty()).then(|| no_numbers(&open, what))
}

/// The fault with a request that needs numbers of parameters that have none: all of them, by name.
pub fn no_numbers(open: &[&str], what: &str) -> Problem {
    let names: Vec<String> = open.iter().map(|name| format!("`{name}`")).collect();
    let (s, have) = if open.len() == 1 { ("", "has") } else { ("s", "have") };
    let message = format!("{what}: parameter{s} {} {have} no number", names.join(", "));
    let given: Vec<String> = open.iter().map(|name| format!("--set {name}=NUMBER")).collect();
    Problem::new(message, format!("give all of them: {}", given.join(" ")))
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
