//! Writing: results to standard output, messages and what is being done to standard error.
//!
//! Names, titles and messages of a model are whatever somebody wrote into a file. Control characters in them could move
//! the cursor, change the title of a window or hide text, so they are escaped here, where text goes to people.

use super::failure::Failure;
use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Whether a character does something on a terminal instead of being shown: control characters but for ends of lines and
/// tabs, and those that change the direction of text.
fn is_control(c: char) -> bool {
    let direction =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && c != '\n' && c != '\t') || direction
}

/// A text that shows its control characters, such as `\u{1b}`, instead of doing what they say.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let shown =
        |c: char| if is_control(c) { c.escape_unicode().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(shown).collect())
}

/// Writes a text for people to standard output.
pub fn result(text: &str) -> Result<(), Failure> {
    raw(&printable(text))
}

/// Writes a text for programs to standard output, exactly unless that is a terminal.
pub fn data(text: &str) -> Result<(), Failure> {
    if io::stdout().is_terminal() { result(text) } else { raw(text) }
}

/// Writes a text with colours of our own; whoever calls this has made all else printable. Nobody reading on is no
/// failure: `| head -1` has what it wanted.
pub fn raw(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Write(error)),
        _ => Ok(()),
    }
}

/// Writes a message to standard error; if that is closed, there is nobody left to tell.
pub fn message(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", printable(text));
}

/// Shows what is being done in place of what was shown before, on a terminal.
fn line(text: &str) {
    let mut err = io::stderr().lock();
    let _ = write!(err, "\r\x1b[K{}", printable(text)).and_then(|()| err.flush());
}

/// Takes the line away that says what is being done, if there may be one.
pub fn clear_line() {
    if io::stderr().is_terminal() {
        line("");
    }
}

/// Says what is being done: on a terminal in place of what was said before, else in a line of its own.
pub fn step(text: &str) {
    match io::stderr().is_terminal() {
        true => line(text),
        false => message(text),
    }
}

/// A line on a terminal that says what is being done, once it takes longer than a second.
pub struct Progress {
    terminal: bool,
    begun: Instant,
    shown: bool,
}

impl Progress {
    /// Nothing is shown yet.
    pub fn new() -> Progress {
        Progress { terminal: io::stderr().is_terminal(), begun: Instant::now(), shown: false }
    }

    /// Says what comes next.
    pub fn say(&mut self, text: &str) {
        if self.terminal && self.begun.elapsed() > Duration::from_secs(1) {
            line(text);
            self.shown = true;
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if self.shown {
            line("");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown() {
        for (text, expected) in [
            ("crank\n  q1\t2 µm", "crank\n  q1\t2 µm"),
            ("\x1b]0;title\x07", "\\u{1b}]0;title\\u{7}"),
            ("over\rwritten\x7f", "over\\u{d}written\\u{7f}"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("\u{202e}txt", "\\u{202e}txt"),
        ] {
            assert_eq!(printable(text), expected);
        }
    }
}
