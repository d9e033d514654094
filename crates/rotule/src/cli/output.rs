//! Writing: the answer in the form that was asked for, its tables behind it, messages apart.

use super::arguments::Common;
use super::failure::Failure;
use rotule::{Answer, Unwritten};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::iter;
use std::time::{Duration, Instant};

/// Writes an answer and the tables that the arguments ask for.
pub fn answer(answer: &Answer, common: &Common) -> Result<(), Failure> {
    for name in answer.unused() {
        message(&format!("note: `{name}` is assumed to be positive but occurs in no expression"));
    }
    let lowered = (common.program || common.count || common.report).then(|| answer.lower());
    let mut text = match &lowered {
        Some(lowered) if common.program => lowered.program.to_string(),
        _ => written(answer, common),
    };
    // Tables must not spoil a text that goes on to another program.
    let comment = match common {
        Common { program: true, .. } => "# ",
        Common { latex: true, .. } => "% ",
        _ => "",
    };
    if let Some(lowered) = &lowered {
        let count = common.count.then(|| answer.compare(&lowered.program).to_string());
        let report = common.report.then(|| lowered.reports.to_string());
        for table in count.into_iter().chain(report) {
            // Not even a blank line is harmless: it would end a formula of LaTeX.
            for line in iter::once("").chain(table.lines()) {
                text.push_str(format!("{comment}{line}").trim_end());
                text.push('\n');
            }
        }
    }
    result(&text)
}

/// The answer as text or LaTeX; as a listing if that was asked for or nothing else will do.
fn written(answer: &Answer, common: &Common) -> String {
    let listing = || if common.latex { answer.latex_listing() } else { answer.listing() };
    if common.listing {
        return listing();
    }
    let written = if common.latex { answer.latex() } else { answer.text() };
    written.unwrap_or_else(|reason: Unwritten| {
        message(&format!("note: {reason}; it is shown as with --listing"));
        listing()
    })
}

/// Writes to standard output. Nobody reading on is no failure: `| head -1` has what it wanted.
pub fn result(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Write(error)),
        _ => Ok(()),
    }
}

/// Writes a message to standard error; if that is closed, there is nobody left to tell.
pub fn message(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
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
            let _ = write!(io::stderr().lock(), "\r\x1b[K{text}");
            self.shown = true;
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if self.shown {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}
