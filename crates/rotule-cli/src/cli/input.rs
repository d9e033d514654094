//! The texts that the arguments name: files and standard input.

use super::failure::Failure;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A text and where it comes from.
pub struct Source {
    /// The name of its place in messages.
    pub name: String,
    pub text: String,
}

/// The name of standard input in messages.
const STANDARD_INPUT: &str = "standard input";

/// Reads a file, or standard input for `-`.
pub fn file(path: &Path, limit: usize) -> Result<Source, Failure> {
    if path.as_os_str() == "-" {
        return from(io::stdin().lock(), STANDARD_INPUT, limit);
    }
    open(path, limit)
}

fn open(path: &Path, limit: usize) -> Result<Source, Failure> {
    let name = path.display().to_string();
    match File::open(path) {
        Ok(file) => from(file, &name, limit),
        Err(error) => Err(Failure::Read { name, error }),
    }
}

/// Reads a text to its end or to the limit, for there are files without an end.
fn from(reader: impl Read, name: &str, limit: usize) -> Result<Source, Failure> {
    let name = name.to_owned();
    let mut bytes = Vec::new();
    if let Err(error) = reader.take(limit as u64 + 1).read_to_end(&mut bytes) {
        return Err(Failure::Read { name, error });
    }
    if bytes.len() > limit {
        return Err(Failure::TooLarge { name, limit });
    }
    // Some editors begin a file with a mark that is no part of the text.
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Source { name, text: text.to_owned() }),
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
            let byte = bytes.get(before.len()).copied().unwrap_or_default();
            Err(Failure::NotText { name, line, byte })
        }
    }
}
