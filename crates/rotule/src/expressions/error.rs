//! Errors in expressions that a user wrote, with the text in which each stands.

use rotule_symbolic::ParseError;
use std::fmt;

/// The text of a request. Each kind counts from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An expression.
    Expression(usize),
    /// A list of symbols to differentiate by.
    By(usize),
    /// A list of assumptions.
    Assume(usize),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, index) = match self {
            Origin::Expression(index) => ("expression", index),
            Origin::By(index) => ("list of symbols", index),
            Origin::Assume(index) => ("list of assumptions", index),
        };
        write!(f, "{what} {}", index + 1)
    }
}

/// A fault in one of the texts that a verb was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// The text.
    pub origin: Origin,
    /// The text.
    pub text: String,
    /// The fault with it, and where.
    pub fault: ParseError,
}

impl ExpressionError {
    pub(crate) fn new(origin: Origin, text: &str, fault: ParseError) -> ExpressionError {
        ExpressionError { origin, text: text.to_owned(), fault }
    }

    /// The fault as a compiler shows it, under the name that its text has for the reader.
    pub fn render(&self, name: &str) -> String {
        self.fault.render(&self.text, name)
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.fault.line_column(&self.text);
        write!(f, "{}, line {line}, column {column}: {}", self.origin, self.fault)
    }
}

impl std::error::Error for ExpressionError {}
