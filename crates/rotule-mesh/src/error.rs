//! Refusals of mesh files: the file, the place in it, what is wrong and the remedy.

use std::fmt;

/// A refusal of a mesh file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshError {
    /// The name of the file, as the caller gave it.
    pub file: String,
    /// The place in the file, such as `line 3` or `byte 84`; empty for the whole file.
    pub place: String,
    /// The fault.
    pub message: String,
    /// The remedy.
    pub help: String,
}

impl fmt::Display for MeshError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let comma = if self.place.is_empty() { "" } else { ", " };
        let MeshError { file, place, message, help } = self;
        write!(out, "{file}{comma}{place}: {message}; {help}")
    }
}

impl std::error::Error for MeshError {}

/// A fault without the name of its file, which the entry point of the readers adds.
#[derive(Debug)]
pub(crate) struct Fault {
    place: String,
    message: String,
    help: String,
}

impl Fault {
    /// A fault at a place.
    pub fn new(
        place: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Fault {
        Fault { place: place.into(), message: message.into(), help: help.into() }
    }

    /// A fault for which exporting the file again is the remedy.
    pub fn broken(place: impl Into<String>, message: impl Into<String>) -> Fault {
        Fault::new(place, message, "export the file again: it is damaged or incomplete")
    }

    /// The refusal of a file.
    pub fn of(self, file: &str) -> MeshError {
        let Fault { place, message, help } = self;
        MeshError { file: file.to_owned(), place, message, help }
    }
}

/// Text of a file as a message shows it: short, and without control characters.
pub(crate) fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push_str("..");
    }
    short.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
