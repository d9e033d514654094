//! The user's cache folder on systems whose files have no owner that can be queried: there is
//! none.

use std::path::PathBuf;

/// A folder of this name in the user's cache folder, which only Unix-like systems have.
pub fn cache_folder(name: &str) -> Result<PathBuf, String> {
    Err(format!(
        "the cache folder `{name}`: only on Unix-like systems is it known whether others can write to a folder"
    ))
}
