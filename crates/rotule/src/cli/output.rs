//! Writing: results to standard output, messages and what is being done to standard error.

use super::failure::Failure;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::time::{Duration, Instant};

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
