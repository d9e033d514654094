//! Tables of numbers, written while they come: the file, its format and its limit.

use super::failure::Failure;
use super::functions::failure;
use super::part::{Opened, Part, Place};
use super::session::{Output, Session};
use clap::Args;
use rotule::layers::formalism::Problem;
use rotule::layers::report::medium::{Medium, Stream};
use rotule::layers::report::number::plain;
use rotule::layers::report::table::{Csv, Parquet, Res, Rows};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A table that is being written.
pub struct Table {
    name: String,
    rows: Box<dyn Rows + Send>,
    /// The file, unless it is written directly.
    part: Option<Part>,
    /// The most bytes that it may have.
    limit: u64,
    /// A write that failed.
    error: Option<io::Error>,
    finished: bool,
}

/// Options of commands that write files while they run.
#[derive(Args)]
pub struct Files {
    /// The largest file, such as 500MB.
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "10GB")]
    pub max_size: u64,

    /// Seconds between flushes of files.
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "1")]
    pub flush: Duration,
}

/// The formats of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Csv,
    Res,
    Parquet,
}

impl Format {
    /// The format that a file's name asks for.
    pub fn of(path: &Path) -> Result<Format, Failure> {
        match path.extension().and_then(|ending| ending.to_str()).unwrap_or_default() {
            "" | "csv" | "txt" | "dat" => Ok(Format::Csv),
            "res" => Ok(Format::Res),
            "parquet" => Ok(Format::Parquet),
            // A file that says to be something else than it is helps nobody.
            ending => {
                let message = format!("--out {}: there is no format `.{ending}`", path.display());
                let help = "expected one of .csv, .parquet, .res";
                Err(failure(Problem::new(message, help)).into_argument())
            }
        }
    }

    /// The fewest bytes of a number.
    pub fn least_bytes(self) -> f64 {
        if self == Format::Parquet { 8.0 } else { 2.0 }
    }
}

/// The options of a table.
pub struct Request<'a> {
    pub path: &'a Path,
    pub place: Place,
    pub format: Format,
    pub names: &'a [String],
    /// `true` if the last column is text.
    pub text: bool,
    /// The most bytes of the file.
    pub limit: u64,
    /// The interval at which what was written becomes readable.
    pub flush: Duration,
}

impl Table {
    /// Opens a table, which the session completes if a signal ends the run.
    pub fn open(session: &Session, request: Request<'_>) -> Result<Arc<Mutex<Table>>, Failure> {
        let request = Request { place: request.place.connect()?, ..request };
        session.open(request.flush, || Table::new(request))
    }

    fn new(request: Request<'_>) -> Result<Table, Failure> {
        let Request { path, place, format, names, text, limit, .. } = request;
        let name = path.display().to_string();
        let failed = |error: io::Error| Failure::WriteFile { name: name.clone(), error };
        let (medium, part): (Box<dyn Medium + Send>, _) = match place.open()? {
            Opened::Stream(out) => (Box::new(Stream(out)), None),
            Opened::Part(part) => (Box::new(part.file().map_err(failed)?), Some(part)),
        };
        let rows: Box<dyn Rows + Send> = match format {
            Format::Res => Box::new(Res::on(medium, names.len())),
            Format::Csv => Box::new(Csv::on(medium, names, None).map_err(failed)?),
            Format::Parquet => {
                let table = Parquet::on(medium, names, None).map_err(failed)?;
                Box::new(if text { table.with_text() } else { table })
            }
        };
        let (error, finished) = (None, false);
        let mut table = Table { name: name.clone(), rows, part, limit, error, finished };
        if table.is_file() {
            // The file is one from its first moment on.
            table.flush();
            table.check().map_err(failed)?;
        }
        Ok(table)
    }

    /// Adds a row.
    pub fn row(&mut self, numbers: &[f64]) -> io::Result<()> {
        self.check()?;
        let written = self.rows.row(numbers);
        self.remember(written)
    }

    /// Adds a row with a word.
    pub fn labelled(&mut self, numbers: &[f64], word: &str) -> io::Result<()> {
        self.check()?;
        let written = self.rows.labelled(numbers, word);
        self.remember(written)
    }

    /// The message about an error: whether it is the limit, and where rows are that were written.
    pub fn explain(&self, error: &io::Error, place: &str) -> String {
        let name = &self.name;
        if self.error.is_none() && error.kind() == io::ErrorKind::FileTooLarge {
            return format!(
                "{name} has reached {}, the limit of --max-size, {place}; results up to there are kept\n  = help: keep \
                 fewer points or channels, or raise the limit, as --max-size {}",
                bytes(self.limit),
                bytes(self.limit.saturating_mul(10))
            );
        }
        let kept = match &self.part {
            Some(part) => format!("\n  = help: rows that were written are in {}", part.name()),
            None => String::new(),
        };
        format!("cannot write {name} {place}: {error}{kept}")
    }

    fn check(&self) -> io::Result<()> {
        match &self.error {
            Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
            None if self.rows.length() > self.limit => Err(io::ErrorKind::FileTooLarge.into()),
            None => Ok(()),
        }
    }

    fn remember(&mut self, written: io::Result<()>) -> io::Result<()> {
        if let Err(error) = &written {
            self.error = Some(io::Error::new(error.kind(), error.to_string()));
        }
        written
    }
}

impl Output for Table {
    fn is_file(&self) -> bool {
        self.part.is_some()
    }

    fn flush(&mut self) {
        if self.error.is_none() && !self.finished {
            let flushed = self.rows.flush();
            let _ = self.remember(flushed);
        }
    }

    fn finish(&mut self) -> io::Result<Option<File>> {
        if !std::mem::replace(&mut self.finished, true) {
            let finished = self.rows.finish();
            self.remember(finished)?;
        }
        self.part.as_ref().map(Part::file).transpose()
    }

    fn complete(&mut self) -> io::Result<()> {
        let finished = self.finish().map(drop);
        match (&mut self.part, &self.error) {
            (None, _) => finished,
            (Some(part), None) => part.complete(),
            // What is not all there does not replace anything.
            (Some(part), Some(error)) => {
                part.keep();
                Err(io::Error::new(error.kind(), error.to_string()))
            }
        }
    }
}

/// A pause between flushes.
fn seconds(text: &str) -> Result<Duration, String> {
    match text.trim().parse::<f64>() {
        Ok(pause) if (0.001..=3600.0).contains(&pause) => Ok(Duration::from_secs_f64(pause)),
        _ => Err("expected a number of seconds between 0.001 and 3600".to_owned()),
    }
}

/// The units of file sizes.
const UNITS: [(&str, u64); 5] =
    [("B", 1), ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000)];

/// A number of bytes in words, such as `10GB`.
pub fn bytes(number: u64) -> String {
    let unit = UNITS.iter().rev().find(|(_, size)| number >= *size).unwrap_or(&UNITS[0]);
    format!("{}{}", number as f64 / unit.1 as f64, unit.0)
}

/// A number of bytes to three digits, such as `1.23 MB`.
pub fn rounded_bytes(number: u64) -> String {
    let unit = UNITS.iter().rev().find(|(_, size)| number >= *size).unwrap_or(&UNITS[0]);
    format!("{} {}", plain(number as f64 / unit.1 as f64, 3), unit.0)
}

/// A file size as it is written: a number with a unit.
pub fn size(text: &str) -> Result<u64, String> {
    let at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = (text[..at].trim(), text[at..].trim());
    let unit = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit) || unit.is_empty());
    let number = number.parse::<f64>().ok().filter(|number| *number > 0.0 && number.is_finite());
    match (number, unit) {
        (Some(number), Some((_, size))) => Ok((number * *size as f64) as u64),
        _ => Err("expected a size such as 500MB or 20GB".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, expected) in [
            ("7", Ok(7)),
            ("10GB", Ok(10_000_000_000)),
            ("1.5 mb", Ok(1_500_000)),
            ("2TB", Ok(2_000_000_000_000)),
        ] {
            assert_eq!(size(text), expected, "{text}");
        }
        for text in ["", "GB", "-1MB", "nan", "1e400", "5 parsecs"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert_eq!([bytes(10_000_000_000), bytes(1500), bytes(7)], ["10GB", "1.5kB", "7B"]);
        assert_eq!([rounded_bytes(143_221), rounded_bytes(999)], ["143 kB", "999 B"]);
    }
}
