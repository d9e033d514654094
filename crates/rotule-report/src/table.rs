//! Tables of numbers as files that grow row by row, so that a run of any length is written in
//! little memory and what was flushed stays readable however the run ends.
//!
//! All kinds share one trait, [`Rows`]. The first column is usually the time.

use crate::medium::{Medium, Stream};
use std::io::{self, Write};
use std::marker::PhantomData;

mod lines;
#[cfg(feature = "parquet")]
mod parquet;

use lines::Lines;
#[cfg(feature = "parquet")]
pub use parquet::{NumberTable, Parquet, read_parquet};

/// A table that is being written.
pub trait Rows {
    /// Adds one row; it must have as many numbers as there are columns.
    fn row(&mut self, values: &[f64]) -> io::Result<()>;

    /// Adds one row to a table whose last column is text; what holds numbers only leaves the word
    /// out.
    fn labelled(&mut self, values: &[f64], word: &str) -> io::Result<()>;

    /// Makes all rows so far readable: a file that is never finished holds them.
    fn flush(&mut self) -> io::Result<()>;

    /// Writes whatever ends the file and hands everything to the system.
    fn finish(&mut self) -> io::Result<()>;

    /// The length of the file in bytes if it ended here, but for what ends it.
    fn length(&self) -> u64;
}

/// Comma-separated values: a line of names, perhaps a line of units, then numbers that read back
/// exactly.
#[derive(Debug)]
pub struct CommaSeparated;

/// The columns of a ROBOTRAN result file: plain numbers between blanks, the time first, without a
/// header. One file holds one kind of quantity, and its name says which: `run_q.res`, `run_qd.res`.
#[derive(Debug)]
pub struct BlankSeparated;

/// A style of lines of numbers.
pub trait Style {
    /// The character between two numbers.
    const SEPARATOR: char;
    /// `true` if there can be words, too.
    const WORDS: bool;
}

impl Style for CommaSeparated {
    const SEPARATOR: char = ',';
    const WORDS: bool = true;
}

impl Style for BlankSeparated {
    const SEPARATOR: char = ' ';
    const WORDS: bool = false;
}

/// A table of one line for each row.
pub struct TextTable<M: Medium, S: Style> {
    lines: Lines<M>,
    columns: usize,
    line: String,
    style: PhantomData<S>,
}

/// A table of comma-separated values.
pub type Csv<M> = TextTable<M, CommaSeparated>;

/// A ROBOTRAN result file.
pub type Res<M> = TextTable<M, BlankSeparated>;

impl<W: Write> Csv<Stream<W>> {
    /// Begins a stream with the names of the columns, and with their units below if there are any.
    pub fn new(out: W, names: &[impl AsRef<str>], units: Option<&[&str]>) -> io::Result<Self> {
        Csv::on(Stream(out), names, units)
    }
}

impl<M: Medium> Csv<M> {
    /// Begins a table on any medium.
    pub fn on(medium: M, names: &[impl AsRef<str>], units: Option<&[&str]>) -> io::Result<Self> {
        let mut csv = Self::empty(medium, names.len());
        csv.text(names.iter().map(AsRef::as_ref))?;
        if let Some(units) = units {
            csv.text(units.iter().copied())?;
        }
        Ok(csv)
    }

    fn text<'a>(&mut self, cells: impl Iterator<Item = &'a str>) -> io::Result<()> {
        let cells: Vec<String> = cells.map(quoted).collect();
        self.lines.push(&format!("{}\n", cells.join(",")))
    }
}

impl<W: Write> Res<Stream<W>> {
    /// Begins a stream with so many columns, the time among them.
    pub fn new(out: W, columns: usize) -> Self {
        Res::on(Stream(out), columns)
    }
}

impl<M: Medium> Res<M> {
    /// Begins a table on any medium.
    pub fn on(medium: M, columns: usize) -> Self {
        Self::empty(medium, columns)
    }
}

impl<M: Medium, S: Style> TextTable<M, S> {
    fn empty(medium: M, columns: usize) -> Self {
        Self { lines: Lines::new(medium), columns, line: String::new(), style: PhantomData }
    }
}

impl<M: Medium, S: Style + Send> Rows for TextTable<M, S> {
    fn row(&mut self, values: &[f64]) -> io::Result<()> {
        demand(values.len(), self.columns)?;
        numbers(&mut self.line, values, S::SEPARATOR);
        self.lines.push(&self.line)
    }

    fn labelled(&mut self, values: &[f64], word: &str) -> io::Result<()> {
        demand(values.len() + 1, self.columns)?;
        numbers(&mut self.line, values, S::SEPARATOR);
        if S::WORDS {
            self.line.pop();
            self.line.extend([",", &quoted(word), "\n"]);
        }
        self.lines.push(&self.line)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lines.flush()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.lines.flush()
    }

    fn length(&self) -> u64 {
        self.lines.length()
    }
}

/// The numbers as a line, in the shortest digits that read back as the same number.
fn numbers(line: &mut String, values: &[f64], separator: char) {
    use std::fmt::Write as _;
    line.clear();
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            line.push(separator);
        }
        // Writing into a string cannot fail.
        let _ = match value {
            value if value.is_nan() => write!(line, "nan"),
            value if value.is_infinite() => {
                write!(line, "{}", if *value > 0.0 { "inf" } else { "-inf" })
            }
            // Zero has no sign for a reader.
            value if *value == 0.0 => write!(line, "0"),
            value if (1e-5..1e16).contains(&value.abs()) => {
                write!(line, "{value}")
            }
            value => write!(line, "{value:e}"),
        };
    }
    line.push('\n');
}

/// A cell of text: in quotes where it holds what separates cells.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r', ';']) || text.trim() != text {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_string()
}

fn demand(found: usize, columns: usize) -> io::Result<()> {
    if found == columns {
        return Ok(());
    }
    let text = format!("a row of {found} numbers for a table of {columns} columns");
    Err(io::Error::new(io::ErrorKind::InvalidInput, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_has_names_units_and_exact_numbers() {
        let mut bytes = Vec::new();
        let mut csv =
            Csv::new(&mut bytes, &["t", "a,b", "c \"d\""], Some(&["s", "m/s", ""])).unwrap();
        csv.row(&[0.1, -1e-9, 1e300]).unwrap();
        csv.row(&[0.0, f64::NAN, f64::NEG_INFINITY]).unwrap();
        csv.row(&[1.0, -0.0, 0.0]).unwrap();
        csv.finish().unwrap();
        let expected = "t,\"a,b\",\"c \"\"d\"\"\"\ns,m/s,\n0.1,-1e-9,1e300\n0,nan,-inf\n1,0,0\n";
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }

    #[test]
    fn the_last_column_may_be_text() {
        let (mut csv, mut res) = (Vec::new(), Vec::new());
        let mut table = Csv::new(&mut csv, &["x", "verdict"], None).unwrap();
        table.labelled(&[1.5], "energy+range").unwrap();
        table.labelled(&[2.0], "a,b").unwrap();
        assert!(table.labelled(&[1.0, 2.0], "ok").is_err());
        table.finish().unwrap();
        let mut table = Res::new(&mut res, 2);
        table.labelled(&[1.5], "ok").unwrap();
        table.finish().unwrap();
        assert_eq!(String::from_utf8(csv).unwrap(), "x,verdict\n1.5,energy+range\n2,\"a,b\"\n");
        assert_eq!(res, b"1.5\n");
    }

    #[test]
    fn every_number_reads_back_as_itself() {
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        let mut line = String::new();
        for _ in 0..20_000 {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let value = f64::from_bits(bits);
            numbers(&mut line, &[value], ' ');
            let back: f64 = line.trim().parse().unwrap();
            assert!(back == value || back.is_nan() && value.is_nan(), "{value:e} {line}");
        }
    }

    #[test]
    fn res_is_numbers_between_blanks() {
        let mut bytes = Vec::new();
        let mut res = Res::new(&mut bytes, 3);
        res.row(&[0.0, 1.5, -2e-7]).unwrap();
        res.finish().unwrap();
        assert_eq!(bytes, b"0 1.5 -2e-7\n");
    }

    #[test]
    fn a_row_of_another_length_is_refused() {
        let error = Res::new(Vec::new(), 3).row(&[1.0]).unwrap_err();
        assert_eq!(error.to_string(), "a row of 1 numbers for a table of 3 columns");
    }
}
