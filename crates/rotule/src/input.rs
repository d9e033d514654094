//! Signals of inputs: expressions of time, tables over time, and functions of the caller.
//!
//! A model says what comes from outside, `[[input]]`; a run says where its numbers come from.
//! Without a signal an input has the value of the model or of the state.
//!
//! ```
//! use rotule::input::InputSignal;
//! use rotule::Model;
//!
//! let text = rotule::doc::PENDULUM.to_owned() + r#"
//! [[input]]
//! name = "u"
//! unit = "N m"
//! limits = [-2, 2]
//! "#;
//! let text = text.replace(r#"axis = "y""#, r#"axis = "y", effort = "u""#);
//! let model = Model::read("pendulum.toml", text)?;
//! // A course is a part of the equations: its jumps are known, and it is differentiated.
//! let pushed = model.simulate().to(1.0).input("u", "if(t < 0.5, 0.1, 0)").run()?;
//! assert_eq!(pushed.channel("u")?[0], 0.1);
//! // A function of the caller sees the state.
//! let damped = InputSignal::call(|point| -0.2 * point.qd[0]);
//! let damped = model.simulate().to(1.0).input("u", damped).run()?;
//! assert!(damped.last("q")? != pushed.last("q")?);
//! # Ok::<(), rotule::Error>(())
//! ```

use crate::error::Error;
use rotule_formalism::Problem;
use rotule_formalism::quantity::GivenQuantity;
use rotule_model::mechanism::Mechanism;
use std::fs;
use std::path::Path;

pub use rotule_simulate::signals::{InputSignal, SignalPoint};
pub use rotule_simulate::table::{Extrapolation, InputTable, Interpolation, TableError};

/// Files of more bytes are refused.
const MOST: u64 = 500_000_000;

/// A table as a file has it: the names and units of its columns, and the rows with their lines.
struct Rows {
    headings: Vec<String>,
    rows: Vec<(usize, Vec<f64>)>,
    /// The word for where a row stands.
    place: &'static str,
}

/// Reads signals of inputs from a table: `.csv` or `.parquet`. The first column is the time `t`,
/// the others have the names of inputs, with a unit in brackets if it is not that of SI, as in
/// `steer [deg]`.
pub fn read_table(
    path: impl AsRef<Path>,
    mechanism: &Mechanism,
    interpolation: Interpolation,
    extrapolation: Extrapolation,
) -> Result<Vec<(String, InputSignal)>, Error> {
    let path = path.as_ref();
    let shown = path.display().to_string();
    let failed = |error| Error::Read { path: path.to_owned(), error };
    let size = fs::metadata(path).map_err(failed)?.len();
    if size > MOST {
        let message = format!("{shown}: the table has {size} bytes, at most {MOST} are read");
        return Err(Problem::new(message, "keep fewer rows").into());
    }
    let rows = match path.extension().and_then(|ending| ending.to_str()) {
        Some("csv") => csv(&shown, &fs::read(path).map_err(failed)?)?,
        #[cfg(feature = "parquet")]
        Some("parquet") => {
            let table = rotule_report::table::read_parquet(&fs::read(path).map_err(failed)?)
                .map_err(|what| Problem::new(format!("{shown}: {what}"), PARQUET))?;
            let rows = table.rows.into_iter().enumerate();
            let rows = rows.map(|(at, row)| (at + 1, row)).collect();
            Rows { headings: table.headings, rows, place: "row" }
        }
        _ => {
            return Err(Error::unknown(
                "format of tables with the ending of",
                &shown,
                [".csv", ".parquet"],
            ));
        }
    };
    signals(&shown, rows, mechanism, interpolation, extrapolation).map_err(Error::from)
}

#[cfg(feature = "parquet")]
const PARQUET: &str = "columns of doubles without gaps, plain and uncompressed, can be read, such as \
                       those that `rotule simulate --out` writes; others can be given as .csv";

fn signals(
    shown: &str,
    Rows { headings, rows, place }: Rows,
    mechanism: &Mechanism,
    interpolation: Interpolation,
    extrapolation: Extrapolation,
) -> Result<Vec<(String, InputSignal)>, Problem> {
    let fault = |message: String, help: &str| Problem::new(format!("{shown}: {message}"), help);
    let mut columns = Vec::new();
    for (at, heading) in headings.iter().enumerate() {
        let (name, unit) = match heading.split_once('[') {
            Some((name, unit)) => (name.trim(), unit.trim().trim_end_matches(']').trim()),
            None => (heading.trim(), ""),
        };
        let requested = if at == 0 {
            if name != "t" {
                let message = format!("the first column is `{name}`, not the time");
                return Err(fault(message, "call it `t`, with times in seconds"));
            }
            "s"
        } else {
            let input = mechanism.input(name).map_err(|(what, help)| fault(what, &help))?;
            mechanism.inputs[input].unit.as_str()
        };
        let factor = match unit {
            "" => 1.0,
            unit => {
                let what = format!("{shown}: the unit of column `{name}`");
                GivenQuantity::parse(&format!("1 {unit}"), &what)?
                    .in_unit(requested, name, &what)?
            }
        };
        if columns.iter().any(|(known, _): &(String, f64)| known == name) {
            return Err(fault(format!("column `{name}` stands twice"), "leave one out"));
        }
        columns.push((name.to_owned(), factor));
    }
    if columns.len() < 2 {
        return Err(fault("there is no column but the time".to_owned(), "add one for each input"));
    }
    let lines: Vec<usize> = rows.iter().map(|row| row.0).collect();
    let column =
        |at: usize| -> Vec<f64> { rows.iter().map(|(_, row)| row[at] * columns[at].1).collect() };
    let times = column(0);
    let mut made = Vec::new();
    for (at, (name, _)) in columns.iter().enumerate().skip(1) {
        let table = InputTable::new(times.clone(), column(at), interpolation, extrapolation);
        let limits = mechanism.inputs.iter().find(|one| one.name == *name);
        let limits = limits.and_then(|one| one.limits).map(|one| mechanism.evaluate_known(&one));
        let table = table.and_then(|table| match limits.as_deref() {
            Some(&[low, high]) if low <= high => table.check_limits([low, high]).map(|()| table),
            _ => Ok(table),
        });
        let table = table.map_err(|error| {
            // Rows are counted by those who look at a file as lines of it.
            let line = error.row.and_then(|row| lines.get(row));
            let at = line.map_or(String::new(), |line| format!("{place} {line}, "));
            Problem::new(format!("{shown}: {at}column `{name}`: {}", error.what), error.help)
        })?;
        made.push((name.clone(), InputSignal::Table(table)));
    }
    Ok(made)
}

/// Reads comma-separated values: a heading, then numbers.
fn csv(shown: &str, bytes: &[u8]) -> Result<Rows, Problem> {
    let fault = |message: String, help: &str| Problem::new(format!("{shown}: {message}"), help);
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(fault("the text is not UTF-8".to_owned(), "save it as UTF-8"));
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let Some((_, first)) = lines.next() else {
        return Err(fault("the table is empty".to_owned(), "begin with the heading `t,NAME`"));
    };
    let cell = |cell: &str| cell.trim().trim_matches('"').trim().to_owned();
    let headings: Vec<String> = first.split(',').map(cell).collect();
    if headings.len() == 1
        && let Some(other) = [';', '\t'].into_iter().find(|other| first.contains(*other))
    {
        let message = format!("line 1: columns are separated by {other:?}");
        return Err(fault(message, "separate them by commas, and write numbers as in 0.5"));
    }
    let mut rows = Vec::new();
    for (at, line) in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let line = at + 1;
        if cells.len() != headings.len() {
            let (found, expected) = (cells.len(), headings.len());
            let message = format!("line {line} has {found} columns, the heading {expected}");
            return Err(fault(message, "give every row a number for every column"));
        }
        let mut row = Vec::with_capacity(cells.len());
        for (cell, heading) in cells.iter().zip(&headings) {
            let cell = cell.trim().trim_matches('"').trim();
            let place = format!("line {line}, column `{heading}`");
            if cell.is_empty() {
                return Err(fault(format!("{place}: a number is missing"), "fill the gap"));
            }
            match cell.parse::<f64>() {
                Ok(number) => row.push(number),
                Err(_) => {
                    let cell: String = cell.chars().take(40).collect();
                    let message = format!("{place}: `{cell}` is not a number");
                    return Err(fault(message, "numbers have a decimal point, as in 0.5"));
                }
            }
        }
        rows.push((line, row));
    }
    Ok(Rows { headings, rows, place: "line" })
}
