//! Writing: results to standard output, messages and what is being done to standard error.
//!
//! Names, titles and messages of a model are whatever somebody wrote into a file. Control
//! characters in them could move the cursor, change the title of a window or hide text, so they are
//! escaped here, where text goes to people.

use super::failure::Failure;
use super::terminal::{colours_messages, colours_results, is_dumb, paint_message, wrap};
use rotule::layers::report::terminal::{terminal_width, width};
use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Returns `true` if a character does something on a terminal instead of being shown: control
/// characters but for ends of lines and tabs, and those that change the direction of text.
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

/// The screen of the process: there is one, whoever writes to it.
static SCREEN: Mutex<Screen> = Mutex::new(Screen { quiet: false, doing: None, shown: false });

struct Screen {
    /// Errors only, and what was requested.
    quiet: bool,
    /// The present activity, and the time when the first one began.
    doing: Option<(String, Instant)>,
    /// `true` if the line about it stands on the screen.
    shown: bool,
}

/// An activity is shown once it takes longer than this, and anew at this interval.
const PATIENCE: Duration = Duration::from_secs(1);
const INTERVAL: Duration = Duration::from_millis(200);
/// The line must not wrap: only one can be taken away.
const WIDEST: usize = 70;

fn screen() -> MutexGuard<'static, Screen> {
    SCREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Screen {
    /// Takes the line away that says what is being done.
    fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let mut err = io::stderr().lock();
            let _ = err.write_all(b"\r\x1b[K").and_then(|()| err.flush());
        }
    }

    /// Shows what is being done, and for how long.
    fn draw(&mut self) {
        let Some((text, begun)) = &self.doing else { return };
        let seconds = begun.elapsed().as_secs();
        if begun.elapsed() < PATIENCE {
            return;
        }
        let text: String = printable(text).chars().take(WIDEST).collect();
        let mut err = io::stderr().lock();
        let _ = write!(err, "\r\x1b[K{text} ... {seconds} s").and_then(|()| err.flush());
        self.shown = true;
    }
}

/// Returns `true` if lines that are taken away again can be drawn on standard error.
pub fn draws_progress() -> bool {
    !screen().quiet && io::stderr().is_terminal() && !is_dumb()
}

/// Begins: errors only if it is to be quiet. On a terminal, a thread shows activities that take
/// long.
pub fn begin(quiet: bool) {
    screen().quiet = quiet;
    if draws_progress() {
        std::thread::spawn(|| {
            loop {
                std::thread::sleep(INTERVAL);
                screen().draw();
            }
        });
    }
}

/// Returns `true` if only errors and requested results are shown.
pub fn is_quiet() -> bool {
    screen().quiet
}

/// Says what is being done, which a terminal shows once it takes longer than a second.
pub fn doing(text: &str) {
    let mut screen = screen();
    let begun = screen.doing.as_ref().map_or_else(Instant::now, |(_, begun)| *begun);
    screen.doing = Some((text.to_owned(), begun));
}

/// Nothing is being done any more that would have to be shown.
pub fn idle() {
    let mut screen = screen();
    screen.doing = None;
    screen.clear();
}

/// Writes a question to standard error, whose answer follows in its line.
pub fn question(text: &str) {
    idle();
    let mut err = io::stderr().lock();
    // Nobody is left to tell if it is closed.
    let _ = err.write_all(printable(text).as_bytes()).and_then(|()| err.flush());
}

/// Writes a text for people to standard output.
pub fn result(text: &str) -> Result<(), Failure> {
    raw(&printable(text))
}

/// Writes a text for people to standard output, painted if it is a terminal that wants that.
pub fn painted(text: &str, paint: fn(&str) -> String) -> Result<(), Failure> {
    let text = printable(text);
    let text = width().map_or(text.clone(), |width| Cow::Owned(wrap(&text, width)));
    if colours_results() { raw(&paint(&text)) } else { raw(&text) }
}

/// Writes a text for programs to standard output, exactly unless that is a terminal.
pub fn data(text: &str) -> Result<(), Failure> {
    if io::stdout().is_terminal() { result(text) } else { raw(text) }
}

/// Writes a text with colours of our own; whoever calls this has made all else printable. Nobody
/// reading on is no failure: `| head -1` has read enough.
pub fn raw(text: &str) -> Result<(), Failure> {
    // Not held while somebody may keep us waiting: a signal writes, too.
    screen().clear();
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if !nobody_reads(&error) => Err(Failure::Write(error)),
        _ => Ok(()),
    }
}

/// Returns `true` if a pipe was closed at its other end.
pub fn nobody_reads(error: &io::Error) -> bool {
    error.kind() == ErrorKind::BrokenPipe
}

/// Writes an error to standard error; if that is closed, there is nobody left to tell.
pub fn message(text: &str) {
    let text = printable(text);
    let text = match io::stderr().is_terminal().then(terminal_width).flatten() {
        Some(width) => Cow::Owned(wrap(&text, width)),
        None => text,
    };
    let text = if colours_messages() { Cow::Owned(paint_message(&text)) } else { text };
    screen().clear();
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes a warning or a note to standard error, unless errors only are requested.
pub fn remark(text: &str) {
    if !is_quiet() {
        message(text);
    }
}

/// Says what is being done: on a terminal in place of what was said before, else in a line of its
/// own.
pub fn step(text: &str) {
    match draws_progress() {
        true => doing(text),
        false => remark(text),
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
