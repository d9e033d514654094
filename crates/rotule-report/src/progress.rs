//! One line on standard error that says how far a long run is and how long it will take.
//!
//! It appears after half a second, only on a terminal, and goes away at the end. A crate would
//! bring several bars, themes and threads; a run needs none of them.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::number;

/// Short runs need no line.
const PATIENCE: Duration = Duration::from_millis(500);
/// Often enough to look alive.
const INTERVAL: Duration = Duration::from_millis(100);
/// Characters of the bar.
const BAR: usize = 24;

/// The line.
#[derive(Debug)]
pub struct Progress {
    /// When the run began, if anybody is watching. The clock is not read otherwise: some targets
    /// have neither.
    begun: Option<Instant>,
    drawn: Option<Instant>,
    /// The clock is read only once in a while: a step may take less time than reading it.
    calls: u32,
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

impl Progress {
    /// A line that is not yet shown.
    pub fn new() -> Self {
        let dumb = std::env::var("TERM").is_ok_and(|name| name == "dumb");
        Self::shown(io::stderr().is_terminal() && !dumb)
    }

    /// A line that may be shown, or never is.
    pub fn shown(shown: bool) -> Self {
        Self { begun: shown.then(Instant::now), drawn: None, calls: 0 }
    }

    /// Says which share of the run is done, from 0 to 1, and where it is, such as `t = 1.25 s`.
    pub fn update(&mut self, share: f64, place: impl FnOnce() -> String) {
        self.calls = self.calls.wrapping_add(1);
        let Some(begun) = self.begun.filter(|_| self.calls.is_multiple_of(16)) else { return };
        let due = match self.drawn {
            Some(drawn) => drawn.elapsed() >= INTERVAL,
            None => begun.elapsed() >= PATIENCE,
        };
        if due {
            let text = line(share, begun.elapsed().as_secs_f64(), &place());
            // Nobody is left to tell if standard error is closed.
            let _ = write!(io::stderr().lock(), "\r\x1b[K{text}");
            self.drawn = Some(Instant::now());
        }
    }

    /// Takes the line away; also done when the value is dropped.
    pub fn clear(&mut self) {
        if self.drawn.take().is_some() {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// The text of the line after so many seconds.
fn line(share: f64, elapsed: f64, place: &str) -> String {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let full = (share * BAR as f64).floor() as usize;
    let bar = format!("{}{}", "#".repeat(full), ".".repeat(BAR - full));
    // Early guesses only frighten.
    let left = if share > 0.002 {
        format!(", {} left", number::duration((elapsed * (1.0 - share) / share).max(0.1)))
    } else {
        String::new()
    };
    format!("[{bar}] {:>3.0} %  {place}{left}", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_and_how_long() {
        for (share, elapsed, expected) in [
            (0.0, 1.0, "[........................]   0 %  t = 1 s"),
            (0.25, 30.0, "[######..................]  25 %  t = 1 s, 1 min 30 s left"),
            (0.5, 4.0, "[############............]  50 %  t = 1 s, 4 s left"),
            (1.0, 9.0, "[########################] 100 %  t = 1 s, 100 ms left"),
            (7.0, 9.0, "[########################] 100 %  t = 1 s, 100 ms left"),
            (f64::NAN, 9.0, "[........................]   0 %  t = 1 s"),
        ] {
            assert_eq!(line(share, elapsed, "t = 1 s").replace('\u{a0}', " "), expected);
        }
    }
}
