//! Parquet, as small as the format allows: columns of doubles and perhaps one of text, plain and uncompressed, in groups of
//! rows.
//!
//! Written by hand because the usual crate takes minutes to build and this use of the format needs little of
//! it. Every reader of Parquet reads the result. The metadata are in Thrift's compact protocol; field numbers
//! are those of `parquet.thrift`, which the comments name.

use std::io::{self, Write};

use super::{Rows, demand};

/// Rows per group, unless many columns make a group too large to keep.
const ROWS: usize = 65_536;
/// Numbers of one group, which stand in memory until it is full.
const NUMBERS: usize = 4_000_000;

// Of `parquet.thrift`: Type, Encoding, ConvertedType.
const DOUBLE: i64 = 5;
const BYTE_ARRAY: i64 = 6;
const PLAIN: i64 = 0;
const RLE: i64 = 3;
const UTF8: i64 = 0;

/// A Parquet file that is being written. It becomes readable with [`Rows::finish`].
pub struct Parquet<W: Write> {
    out: W,
    names: Vec<String>,
    units: Vec<String>,
    /// The columns of the present group.
    columns: Vec<Vec<f64>>,
    /// The last column of the present group, if it is text: each word behind its length.
    text: Option<Vec<u8>>,
    /// Bytes written so far.
    offset: u64,
    groups: Vec<Group>,
    rows_per_group: usize,
    finished: bool,
}

/// A group that was written: its rows, and where the page of each column begins and how long it is.
struct Group {
    rows: usize,
    pages: Vec<(u64, u64)>,
}

impl<W: Write> Parquet<W> {
    /// Begins a file with these columns. Units go into its metadata, as `unit:NAME`.
    pub fn new(mut out: W, names: &[impl AsRef<str>], units: Option<&[&str]>) -> io::Result<Self> {
        out.write_all(b"PAR1")?;
        let names: Vec<String> = names.iter().map(|name| name.as_ref().to_string()).collect();
        let units = units.unwrap_or_default().iter().map(ToString::to_string).collect();
        let rows_per_group = (NUMBERS / names.len().max(1)).clamp(256, ROWS);
        let columns = vec![Vec::new(); names.len()];
        let groups = Vec::new();
        let (text, finished) = (None, false);
        Ok(Self { out, names, units, columns, text, offset: 4, groups, rows_per_group, finished })
    }

    /// The same file, whose last column is text: its rows come by [`Rows::labelled`].
    #[must_use]
    pub fn with_text(mut self) -> Self {
        self.columns.pop();
        self.text = Some(Vec::new());
        self
    }

    /// The type of a column.
    fn kind(&self, column: usize) -> i64 {
        if column < self.columns.len() { DOUBLE } else { BYTE_ARRAY }
    }

    fn push(&mut self, values: &[f64]) -> io::Result<()> {
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.push(*value);
        }
        if self.columns.first().is_some_and(|column| column.len() >= self.rows_per_group) {
            self.end_group()?;
        }
        Ok(())
    }

    /// Writes the present group, one page per column.
    fn end_group(&mut self) -> io::Result<()> {
        let rows = self.columns.first().map_or(0, Vec::len);
        if rows == 0 {
            return Ok(());
        }
        let mut pages = Vec::with_capacity(self.names.len());
        for column in &mut self.columns {
            let header = page_header(rows, 8 * rows);
            self.out.write_all(&header)?;
            for value in column.drain(..) {
                self.out.write_all(&value.to_le_bytes())?;
            }
            let length = header.len() as u64 + 8 * rows as u64;
            pages.push((self.offset, length));
            self.offset += length;
        }
        if let Some(text) = &mut self.text {
            let header = page_header(rows, text.len());
            self.out.write_all(&header)?;
            self.out.write_all(text)?;
            let length = (header.len() + text.len()) as u64;
            pages.push((self.offset, length));
            self.offset += length;
            text.clear();
        }
        self.groups.push(Group { rows, pages });
        Ok(())
    }

    /// FileMetaData.
    fn footer(&self) -> Vec<u8> {
        let mut thrift = Thrift::default();
        thrift.number(1, I32, 2);
        thrift.list(2, STRUCT, self.names.len() + 1);
        // SchemaElement: the root with its children, then the columns, none of which is optional.
        thrift.item();
        thrift.text(4, "rotule");
        thrift.number(5, I32, self.names.len() as i64);
        thrift.end();
        for (column, name) in self.names.iter().enumerate() {
            thrift.item();
            thrift.number(1, I32, self.kind(column));
            thrift.number(3, I32, 0);
            thrift.text(4, name);
            if self.kind(column) == BYTE_ARRAY {
                thrift.number(6, I32, UTF8);
            }
            thrift.end();
        }
        thrift.number(3, I64, self.groups.iter().map(|group| group.rows as i64).sum());
        thrift.list(4, STRUCT, self.groups.len());
        for group in &self.groups {
            self.row_group(&mut thrift, group);
        }
        // KeyValue
        if !self.units.is_empty() {
            thrift.list(5, STRUCT, self.names.len().min(self.units.len()));
            for (name, unit) in self.names.iter().zip(&self.units) {
                thrift.item();
                thrift.text(1, &format!("unit:{name}"));
                thrift.text(2, unit);
                thrift.end();
            }
        }
        thrift.text(6, "Rotule");
        thrift.end();
        thrift.bytes
    }

    /// RowGroup
    fn row_group(&self, thrift: &mut Thrift, group: &Group) {
        thrift.item();
        thrift.list(1, STRUCT, group.pages.len());
        let pages = self.names.iter().zip(&group.pages).enumerate();
        for (column, (name, &(offset, length))) in pages {
            // ColumnChunk
            thrift.item();
            thrift.number(2, I64, offset as i64);
            thrift.begin(3);
            // ColumnMetaData
            thrift.number(1, I32, self.kind(column));
            thrift.list(2, I32, 2);
            thrift.varint(zigzag(PLAIN));
            thrift.varint(zigzag(RLE));
            thrift.list(3, BINARY, 1);
            thrift.string(name);
            thrift.number(4, I32, 0);
            thrift.number(5, I64, group.rows as i64);
            thrift.number(6, I64, length as i64);
            thrift.number(7, I64, length as i64);
            thrift.number(9, I64, offset as i64);
            thrift.end();
            thrift.end();
        }
        thrift.number(2, I64, group.pages.iter().map(|page| page.1 as i64).sum());
        thrift.number(3, I64, group.rows as i64);
        thrift.end();
    }
}

impl<W: Write> Rows for Parquet<W> {
    fn row(&mut self, values: &[f64]) -> io::Result<()> {
        demand(values.len(), self.names.len())?;
        demand(values.len(), self.columns.len())?;
        self.push(values)
    }

    fn labelled(&mut self, values: &[f64], word: &str) -> io::Result<()> {
        demand(values.len() + 1, self.names.len())?;
        let Some(text) = &mut self.text else {
            let message = "a word for a table of numbers";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        };
        text.extend((word.len() as u32).to_le_bytes());
        text.extend(word.as_bytes());
        self.push(values)
    }

    fn finish(&mut self) -> io::Result<()> {
        if self.finished {
            return Ok(());
        }
        self.end_group()?;
        let footer = self.footer();
        self.out.write_all(&footer)?;
        self.out.write_all(&(footer.len() as u32).to_le_bytes())?;
        self.out.write_all(b"PAR1")?;
        self.finished = true;
        self.out.flush()
    }
}

/// PageHeader with a DataPageHeader.
fn page_header(rows: usize, bytes: usize) -> Vec<u8> {
    let mut thrift = Thrift::default();
    thrift.number(1, I32, 0);
    thrift.number(2, I32, bytes as i64);
    thrift.number(3, I32, bytes as i64);
    thrift.begin(5);
    thrift.number(1, I32, rows as i64);
    thrift.number(2, I32, PLAIN);
    thrift.number(3, I32, RLE);
    thrift.number(4, I32, RLE);
    thrift.end();
    thrift.end();
    thrift.bytes
}

// Types of the compact protocol.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Thrift's compact protocol; the outermost struct is open from the start.
struct Thrift {
    bytes: Vec<u8>,
    /// The last field of every open struct: fields are told by their distance.
    last: Vec<u8>,
}

impl Default for Thrift {
    fn default() -> Self {
        Self { bytes: Vec::new(), last: vec![0] }
    }
}

impl Thrift {
    fn field(&mut self, id: u8, kind: u8) {
        if let Some(last) = self.last.last_mut() {
            // All distances here are below sixteen.
            self.bytes.push((id - *last) << 4 | kind);
            *last = id;
        }
    }

    fn number(&mut self, id: u8, kind: u8, value: i64) {
        self.field(id, kind);
        self.varint(zigzag(value));
    }

    fn text(&mut self, id: u8, text: &str) {
        self.field(id, BINARY);
        self.string(text);
    }

    fn string(&mut self, text: &str) {
        self.varint(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn list(&mut self, id: u8, kind: u8, length: usize) {
        self.field(id, LIST);
        if length < 15 {
            self.bytes.push((length as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            self.varint(length as u64);
        }
    }

    /// Opens a struct in a field.
    fn begin(&mut self, id: u8) {
        self.field(id, STRUCT);
        self.last.push(0);
    }

    /// Opens a struct in a list.
    fn item(&mut self) {
        self.last.push(0);
    }

    fn end(&mut self) {
        self.bytes.push(0);
        self.last.pop();
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_thrift_says() {
        // Examples of the protocol's own description.
        for (value, expected) in [(0, 0), (-1, 1), (1, 2), (-2, 3), (i64::MAX, u64::MAX - 1)] {
            assert_eq!(zigzag(value), expected);
        }
        let mut thrift = Thrift::default();
        thrift.varint(50_399);
        assert_eq!(thrift.bytes, [0xdf, 0x89, 0x03]);
    }

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
