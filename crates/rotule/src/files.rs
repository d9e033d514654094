//! Files that appear whole: written beside their place and renamed.

use crate::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file by a function; an old one stays as it is until the new one is complete.
pub fn write_file(
    path: &Path,
    write: impl FnOnce(&mut io::BufWriter<fs::File>) -> io::Result<()>,
) -> Result<(), Error> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.part", std::process::id()));
    let beside = PathBuf::from(beside);
    let done = fs::File::create(&beside).and_then(|file| {
        let mut file = io::BufWriter::new(file);
        write(&mut file)?;
        file.flush()?;
        file.get_ref().sync_all()?;
        fs::rename(&beside, path)
    });
    done.map_err(|error| {
        let _ = fs::remove_file(&beside);
        Error::Write { path: path.to_owned(), error }
    })
}
