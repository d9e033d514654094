//! Lines of text on their way to a file: only whole lines are written, so that a table ends with a
//! whole row whenever its writer is killed between two writes, and is cut back to one when a write
//! fails.

use crate::medium::Medium;
use std::io;

/// Bytes that are gathered before they are written.
const GATHERED: usize = 1 << 16;

/// Lines that are being written.
pub struct Lines<M: Medium> {
    medium: M,
    gathered: Vec<u8>,
    /// Bytes of whole lines in the file.
    written: u64,
}

impl<M: Medium> Lines<M> {
    /// No lines yet.
    pub fn new(medium: M) -> Self {
        Self { medium, gathered: Vec::new(), written: 0 }
    }

    /// Adds a line, which has its end.
    pub fn push(&mut self, line: &str) -> io::Result<()> {
        self.gathered.extend_from_slice(line.as_bytes());
        if self.gathered.len() >= GATHERED { self.write() } else { Ok(()) }
    }

    /// Writes what is gathered and hands it to the system.
    pub fn flush(&mut self) -> io::Result<()> {
        self.write()?;
        self.medium.flush()
    }

    /// Bytes of all lines, written or not.
    pub fn length(&self) -> u64 {
        self.written + self.gathered.len() as u64
    }

    fn write(&mut self) -> io::Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let written = self.medium.write_at(self.written, &self.gathered);
        match written {
            Ok(()) => self.written += self.gathered.len() as u64,
            // A part of a line must not stay: it may look like another number.
            Err(_) => drop(self.medium.cut(self.written)),
        }
        self.gathered.clear();
        written
    }
}
