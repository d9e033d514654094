//! The places that the bytes of a table go to: a file, which can be written anywhere and cut, or a
//! stream, which only grows. What must stay readable while it is written needs the first; pipes are
//! the second.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

/// A place for bytes.
pub trait Medium {
    /// Writes all bytes from an offset on. If this fails, some of them may have been written.
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Cuts a file to a length; a stream stays as it is.
    fn cut(&mut self, length: u64) -> io::Result<()>;

    /// Hands everything to the system.
    fn flush(&mut self) -> io::Result<()>;

    /// Returns `true` if bytes can be written at any offset and cut off again.
    fn is_file(&self) -> bool;
}

impl Medium for File {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(offset))?;
        self.write_all(bytes)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Write::flush(self)
    }

    fn is_file(&self) -> bool {
        true
    }
}

/// A stream: whatever is written follows what was written before.
#[derive(Debug)]
pub struct Stream<W: Write>(pub W);

impl<W: Write> Medium for Stream<W> {
    fn write_at(&mut self, _offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn cut(&mut self, _length: u64) -> io::Result<()> {
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }

    fn is_file(&self) -> bool {
        false
    }
}

impl<M: Medium + ?Sized> Medium for Box<M> {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        (**self).write_at(offset, bytes)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        (**self).cut(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        (**self).flush()
    }

    fn is_file(&self) -> bool {
        (**self).is_file()
    }
}
