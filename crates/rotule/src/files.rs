//! Files that appear whole: written beside their place and renamed.

use crate::error::Error;
use rotule_report::Page;
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

/// Writes a page. A file that says to be something else than HTML helps nobody.
pub fn write_page(path: &Path, page: &Page) -> Result<(), Error> {
    match path.extension().and_then(|ending| ending.to_str()) {
        None | Some("html" | "htm") => write_file(path, |out| page.write(out)),
        Some(_) => Err(Error::unknown(
            "format of pages with the ending of",
            &path.display().to_string(),
            [".html"],
        )),
    }
}
