//! Parquet, as small as the format allows: columns of doubles and perhaps one of text, plain and
//! uncompressed, in groups of rows.
//!
//! Written by hand because the usual crate takes minutes to build and this use of the format needs
//! little of it. Every reader of Parquet reads the result. The metadata are in Thrift's compact
//! protocol.
//!
//! A file of Parquet is read from its end, where the metadata are. So that one whose writer is
//! killed at any moment is still readable, a flush writes the rows that make no full group yet, and
//! a footer, somewhere behind the place where the full group will be ([`Tail`]). The file then ends
//! in one of two ways: by cutting it behind the new footer, or by the last eight bytes, which are
//! written first and hold the distance to the metadata: to the old until the new are complete. Full
//! groups and the end of a finished file are written where they belong. A finished file has no
//! trace of flushes, and its bytes do not depend on when they were.

mod metadata;
mod read;
mod thrift;

use super::{Rows, demand};
use crate::medium::{Medium, Stream};
use metadata::{Group, Schema, page_header};
pub use read::{NumberTable, read_parquet};
use std::io::{self, Write};

/// Rows per group, unless many columns make a group too large to keep.
const ROWS: usize = 65_536;
/// Numbers of one group, which stand in memory until it is full.
const NUMBERS: usize = 4_000_000;
/// Begins and ends a file.
const MAGIC: [u8; 4] = *b"PAR1";

/// A Parquet file that is being written.
pub struct Parquet<M: Medium> {
    medium: M,
    schema: Schema,
    /// The columns of the present group.
    columns: Vec<Vec<f64>>,
    /// The last column of the present group, if it is text: each word behind its length.
    text: Vec<u8>,
    /// Bytes at the beginning of the file that stay as they are: the full groups.
    settled: u64,
    groups: Vec<Group>,
    rows_per_group: usize,
    /// The end of a file that is not finished; none in a stream.
    tail: Option<Tail>,
    finished: bool,
}

/// The end of a file that is not finished: perhaps a copy of the rows that make no full group, and
/// a footer.
#[derive(Clone, Copy)]
struct Tail {
    /// All that the footer needs behind the full groups lies between these offsets; the second is
    /// the end of the file.
    start: u64,
    end: u64,
    /// Where the metadata begin.
    metadata: u64,
    /// All rows that the footer knows.
    rows: usize,
}

impl<W: Write> Parquet<Stream<W>> {
    /// Begins a stream with these columns, which becomes readable with [`Rows::finish`]. Units go
    /// into its metadata, as `unit:NAME`.
    pub fn new(out: W, names: &[impl AsRef<str>], units: Option<&[&str]>) -> io::Result<Self> {
        Parquet::on(Stream(out), names, units)
    }
}

impl<M: Medium> Parquet<M> {
    /// Begins a table on any medium. A file is readable from the first [`Rows::flush`] on.
    pub fn on(
        mut medium: M,
        names: &[impl AsRef<str>],
        units: Option<&[&str]>,
    ) -> io::Result<Self> {
        medium.write_at(0, &MAGIC)?;
        let names: Vec<String> = names.iter().map(|name| name.as_ref().to_string()).collect();
        let units = units.unwrap_or_default().iter().map(ToString::to_string).collect();
        Ok(Self {
            medium,
            columns: vec![Vec::new(); names.len()],
            rows_per_group: (NUMBERS / names.len().max(1)).clamp(256, ROWS),
            schema: Schema { names, units, text: false },
            text: Vec::new(),
            settled: MAGIC.len() as u64,
            groups: Vec::new(),
            tail: None,
            finished: false,
        })
    }

    /// This file with text as its last column: its rows come by [`Rows::labelled`].
    #[must_use]
    pub fn with_text(mut self) -> Self {
        self.columns.pop();
        self.schema.text = true;
        self
    }

    /// This file with fewer rows in a group.
    #[must_use]
    pub fn with_rows_per_group(mut self, rows: usize) -> Self {
        self.rows_per_group = rows.clamp(1, self.rows_per_group);
        self
    }

    fn push(&mut self, values: &[f64]) -> io::Result<()> {
        for (column, value) in self.columns.iter_mut().zip(values) {
            // Zero has no sign for a reader.
            column.push(*value + 0.0);
        }
        if self.present_rows() >= self.rows_per_group { self.settle() } else { Ok(()) }
    }

    /// Rows of the present group.
    fn present_rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Rows of all full groups.
    fn settled_rows(&self) -> usize {
        self.groups.iter().map(|group| group.rows).sum()
    }

    /// The bytes of the present group, one page per column, and the group as if it began the file.
    fn encode(&self) -> (Vec<u8>, Group) {
        let rows = self.present_rows();
        let (mut bytes, mut pages) = (Vec::new(), Vec::with_capacity(self.schema.names.len()));
        for column in &self.columns {
            let start = bytes.len();
            bytes.extend(page_header(rows, 8 * rows));
            bytes.extend(column.iter().flat_map(|value| value.to_le_bytes()));
            pages.push((start as u64, (bytes.len() - start) as u64));
        }
        if self.schema.text {
            let start = bytes.len();
            bytes.extend(page_header(rows, self.text.len()));
            bytes.extend(&self.text);
            pages.push((start as u64, (bytes.len() - start) as u64));
        }
        (bytes, Group { rows, pages })
    }

    /// Writes the present group where it belongs.
    fn settle(&mut self) -> io::Result<()> {
        if self.present_rows() == 0 {
            return Ok(());
        }
        let (bytes, group) = self.encode();
        let length = bytes.len() as u64;
        // Several groups fit before the tail has to move again if its metadata have grown large.
        let metadata = self.tail.map_or(0, |tail| tail.end - tail.metadata);
        self.make_room(length, 4 * metadata)?;
        self.medium.write_at(self.settled, &bytes)?;
        self.groups.push(group.moved(self.settled));
        self.settled += length;
        self.columns.iter_mut().for_each(Vec::clear);
        self.text.clear();
        Ok(())
    }

    /// Moves the tail behind so many bytes after the full groups, and some more, unless it is
    /// there.
    fn make_room(&mut self, length: u64, more: u64) -> io::Result<()> {
        let Some(tail) = self.tail.filter(|tail| tail.start < self.settled + length) else {
            return Ok(());
        };
        // Rows that were flushed must be found in a full group or here.
        self.write_tail(tail.rows > self.settled_rows(), self.settled + length + more)
    }

    /// Writes a footer no nearer than `least`, with the rows of the present group if they are
    /// requested. The file ends with a footer at every moment.
    fn write_tail(&mut self, rows: bool, least: u64) -> io::Result<()> {
        let present = rows && self.present_rows() > 0;
        let (bytes, group) =
            if present { self.encode() } else { (Vec::new(), Group { rows: 0, pages: vec![] }) };
        let length = bytes.len() as u64;
        let footer = |start: u64| {
            let mut groups = self.groups.clone();
            groups.extend(present.then(|| group.clone().moved(start)));
            let footer = self.schema.footer(&groups);
            // The last eight bytes are in one page of memory and of the disk: they are written at
            // once or not.
            let end = (start + length + footer.len() as u64).next_multiple_of(8);
            (footer, end)
        };
        let rows = self.settled_rows() + if present { group.rows } else { 0 };
        let mut start = least;
        let (mut bytes_of_footer, mut end) = footer(start);
        let old = self.tail;
        if let Some(old) = old.filter(|old| end > old.start) {
            start = least.max(old.end);
            (bytes_of_footer, end) = footer(start);
        }
        let metadata = end - bytes_of_footer.len() as u64;
        let written = match old {
            Some(old) if start >= old.end => {
                let (body, closing) = bytes_of_footer.split_at(bytes_of_footer.len() - 8);
                let distance = u32::try_from(end - 8 - old.metadata).map_err(|_| too_far())?;
                let pointer: Vec<u8> = distance.to_le_bytes().into_iter().chain(MAGIC).collect();
                self.medium
                    .write_at(end - 8, &pointer)
                    .and_then(|()| self.medium.write_at(start, &bytes))
                    .and_then(|()| self.medium.write_at(metadata, body))
                    .and_then(|()| self.medium.write_at(end - 8, closing))
            }
            _ => self
                .medium
                .write_at(start, &bytes)
                .and_then(|()| self.medium.write_at(metadata, &bytes_of_footer))
                .and_then(|()| self.medium.cut(end)),
        };
        if let (Err(_), Some(old)) = (&written, old) {
            // The old end is still there.
            drop(self.medium.cut(old.end));
        }
        written?;
        self.tail = Some(Tail { start, end, metadata, rows });
        Ok(())
    }
}

/// A distance that the format has no room for.
fn too_far() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "a group of rows has more than 4 GB")
}

impl<M: Medium> Rows for Parquet<M> {
    fn row(&mut self, values: &[f64]) -> io::Result<()> {
        demand(values.len(), self.schema.names.len())?;
        demand(values.len(), self.columns.len())?;
        self.push(values)
    }

    fn labelled(&mut self, values: &[f64], word: &str) -> io::Result<()> {
        demand(values.len() + 1, self.schema.names.len())?;
        if !self.schema.text {
            let message = "a word for a table of numbers";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        self.text.extend((word.len() as u32).to_le_bytes());
        self.text.extend(word.as_bytes());
        self.push(values)
    }

    fn flush(&mut self) -> io::Result<()> {
        let known = self.tail.map_or(usize::MAX, |tail| tail.rows);
        if self.medium.is_file()
            && !self.finished
            && known != self.settled_rows() + self.present_rows()
        {
            // The copy is twice as far behind as the group is long, so that the next fits before
            // it.
            let length = 8 * self.present_rows() * self.columns.len() + self.text.len();
            self.write_tail(true, self.settled + 2 * length as u64)?;
        }
        self.medium.flush()
    }

    fn finish(&mut self) -> io::Result<()> {
        if self.finished {
            return Ok(());
        }
        let (bytes, group) = self.encode();
        let mut groups = self.groups.clone();
        groups.extend((group.rows > 0).then(|| group.moved(self.settled)));
        let bytes = if self.present_rows() > 0 { bytes } else { Vec::new() };
        let footer = self.schema.footer(&groups);
        let length = (bytes.len() + footer.len()) as u64;
        self.make_room(length, 0)?;
        self.medium.write_at(self.settled, &bytes)?;
        self.medium.write_at(self.settled + bytes.len() as u64, &footer)?;
        self.medium.cut(self.settled + length)?;
        self.finished = true;
        self.medium.flush()
    }

    fn length(&self) -> u64 {
        self.settled + (8 * self.present_rows() * self.columns.len() + self.text.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_begins_and_ends_as_it_must() {
        let mut bytes = Vec::new();
        let mut file = Parquet::new(&mut bytes, &["t", "x"], None).unwrap();
        file.row(&[0.0, 1.5]).unwrap();
        file.finish().unwrap();
        // A second end changes nothing.
        file.finish().unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
        let at = bytes.len() - 8;
        let length = u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        assert!(length as usize + 12 < bytes.len());
        // The page of the second column holds its number.
        assert!(bytes.windows(8).any(|window| window == 1.5_f64.to_le_bytes()));
    }
}
