//! Tables of numbers, written while they come, and the files that they go to.

use super::failure::Failure;
use super::functions::failure;
use rotule::formalism::Problem;
use rotule::report::table::{Csv, Parquet, Res, Rows};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// A table in the format that the file's name asks for; `-` is standard output. With `text`, its last column is text.
pub fn table(
    path: &Path,
    names: &[String],
    text: bool,
    force: bool,
) -> Result<Box<dyn Rows>, Failure> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    // A file that says to be something else than it is helps nobody.
    if !["", "csv", "txt", "dat", "res", "parquet"].contains(&ending) {
        let message = format!("--out {}: there is no format `.{ending}`", path.display());
        return Err(failure(Problem::new(message, "there are .csv, .parquet and .res")));
    }
    let out: Box<dyn Write> = match path.as_os_str() == "-" {
        true => Box::new(BufWriter::new(io::stdout())),
        false => Box::new(BufWriter::new(file(path, force)?)),
    };
    let begun: io::Result<Box<dyn Rows>> = match ending {
        "res" => Ok(Box::new(Res::new(out, names.len()))),
        "parquet" => Parquet::new(out, names, None)
            .map(|table| Box::new(if text { table.with_text() } else { table }) as Box<dyn Rows>),
        _ => Csv::new(out, names, None).map(|table| Box::new(table) as Box<dyn Rows>),
    };
    begun.map_err(|error| Failure::WriteFile { name: path.display().to_string(), error })
}

/// A file to write, which must not be there unless it may be replaced.
pub fn file(path: &Path, force: bool) -> Result<File, Failure> {
    let name = path.display().to_string();
    let mut options = OpenOptions::new();
    options.write(true);
    match force {
        true => options.create(true).truncate(true),
        false => options.create_new(true),
    };
    options.open(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::Exists { name: name.clone() },
        _ => Failure::WriteFile { name: name.clone(), error },
    })
}
