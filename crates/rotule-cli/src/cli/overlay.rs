//! `rotule report`: motions that were computed or measured elsewhere, as a page.

use super::failure::Failure;
use super::functions::error;
use super::input;
use super::models::{Loops, Model, open};
use super::output;
use super::part::{write_text, wrote};
use super::report::command_line;
use super::session::Session;
use clap::Args;
use rotule::RecordedMotion;
use std::path::{Path, PathBuf};

/// Bytes of a table at most.
const LIMIT: usize = 256 << 20;

#[derive(Args)]
pub struct Overlay {
    #[command(flatten)]
    pub model: Model,

    /// Tables of motions: .csv, .parquet or .res.
    #[arg(value_name = "TABLE", required = true)]
    pub tables: Vec<PathBuf>,

    #[command(flatten)]
    pub loops: Loops,

    /// The page to write.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Replace files that exist.
    #[arg(long)]
    pub force: bool,
}

/// The text that `--help` adds.
pub const HELP: &str = "\
The first table is drawn as it is, the others translucent over it; channels of
one name share a plot, and a table lists the largest differences.

The first column is the time t in seconds; the others have names of channels, as
`rotule simulate --out` writes them, with a unit if it is not that of the
channel: q1 [deg]. Coordinates that a table does not have follow from the others
where loops connect them; else they keep their initial values.
A .res file has no names: the time and all coordinates, in their order.

Examples:
  rotule report model.toml simulated.csv measured.csv --out beside.html";

/// `rotule report`
pub fn overlay(requested: &Overlay, session: &Session) -> Result<(), Failure> {
    let model = open(&requested.model, Some(&requested.loops))?;
    output::doing("reading tables");
    let mut motions = Vec::new();
    for path in &requested.tables {
        motions.push(read(path)?);
    }
    let mut page = model.overlay(&motions).map_err(error)?;
    if let Some(origin) = page.summary.last_mut() {
        origin.rows.insert(0, ("command".to_owned(), command_line()));
    }
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ = page.write(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    write_text(session, &requested.out, &text, requested.force)?;
    output::result(&wrote(&requested.out, None))
}

/// Reads a table; its ending tells the format.
fn read(path: &Path) -> Result<RecordedMotion, Failure> {
    let shown = path.display().to_string();
    let name = path.file_name().map_or_else(|| shown.clone(), |name| name.to_string_lossy().into());
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let (headings, rows) = match ending {
        "csv" => csv(&shown, &input::file(path, LIMIT)?.text)?,
        "res" => (Vec::new(), numbers(&shown, &input::file(path, LIMIT)?.text)?),
        "parquet" => parquet(path, &shown)?,
        _ => {
            return Err(Failure::Arguments(format!(
                "error: {shown}: the ending of a table tells its format\n  = help: end the name in .csv, .parquet or .res"
            )));
        }
    };
    Ok(RecordedMotion { name, headings, rows })
}

/// A table of Parquet as `--out` writes it: plain columns of doubles.
fn parquet(path: &Path, shown: &str) -> Result<(Vec<String>, Vec<Vec<f64>>), Failure> {
    let failed = |error| Failure::Read { name: shown.to_owned(), error };
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > LIMIT as u64 {
        return Err(Failure::TooLarge { name: shown.to_owned(), limit: LIMIT });
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    let table = rotule::layers::report::table::read_parquet(&bytes).map_err(|what| {
        Failure::Text(format!("error: {shown}: {what}\n  = help: give the table as .csv"))
    })?;
    Ok((table.headings, table.rows))
}

fn fault(shown: &str, line: usize, message: &str, help: &str) -> Failure {
    Failure::Text(format!("error: {shown}:{line}: {message}\n  = help: {help}"))
}

/// Comma-separated values with a line of names; a cell may be empty, which is a gap.
fn csv(shown: &str, text: &str) -> Result<(Vec<String>, Vec<Vec<f64>>), Failure> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let cell = |cell: &str| cell.trim().trim_matches('"').trim().to_owned();
    let headings: Vec<String> =
        lines.next().map_or(Vec::new(), |(_, line)| line.split(',').map(cell).collect());
    let mut rows = Vec::new();
    for (at, line) in lines {
        let cells = line.split(',').map(|text| number(shown, at + 1, &cell(text)));
        rows.push(cells.collect::<Result<Vec<f64>, Failure>>()?);
    }
    Ok((headings, rows))
}

/// Numbers separated by blanks.
fn numbers(shown: &str, text: &str) -> Result<Vec<Vec<f64>>, Failure> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let row = |(at, line): (usize, &str)| {
        line.split_whitespace().map(|word| number(shown, at + 1, word)).collect()
    };
    lines.map(row).collect()
}

fn number(shown: &str, line: usize, word: &str) -> Result<f64, Failure> {
    if word.is_empty() {
        return Ok(f64::NAN);
    }
    word.parse().map_err(|_| {
        let word: String = word.chars().take(40).collect();
        fault(shown, line, &format!("`{word}` is not a number"), "write numbers as in 0.5")
    })
}
