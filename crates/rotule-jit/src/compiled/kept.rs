//! Libraries that were compiled once are kept in the user's cache folder.
//!
//! Each has a folder of its own, named by a hash, with the library and with the text that it was
//! made of: source, options, compiler, processor. A library is taken only if that text is the same
//! to the last byte, so that a hash need not be trusted. A folder is filled under another name and
//! then renamed, which either happens or does not: two processes at once do not disturb each other,
//! and what was interrupted is never seen.

use crate::cache::Guarded;
use rotule_symbolic::random::hash;
use std::fs;
use std::io;
use std::path::Path;

/// The library in a folder, and the text that it was made of.
pub const LIBRARY: &str = "kernel.so";
/// See [`LIBRARY`].
pub const SOURCE: &str = "kernel.c";

/// The library of a text: the one that is kept, or else the one that `make` puts into the folder
/// that it is given. `load` may be called more than once.
pub fn library<T>(
    root: &Path,
    text: &str,
    make: impl FnOnce(&Path) -> Result<(), String>,
    load: impl Fn(&Path) -> Result<T, String>,
) -> Result<T, String> {
    let folder = Guarded::open(root)?;
    let (root, own) = (&folder.root, &folder.own);
    let fault = |error: io::Error| format!("the cache folder {}: {error}", root.display());
    let kept = root.join(format!("{:016x}", hash(text)));
    let keep = || {
        let library = kept.join(LIBRARY);
        let same = fs::read(kept.join(SOURCE)).is_ok_and(|known| known == text.as_bytes());
        (same && folder.guards(&library)).then(|| load(&library).ok()).flatten()
    };
    if let Some(loaded) = keep() {
        return Ok(loaded);
    }
    fs::write(own.path.join(SOURCE), text).map_err(fault)?;
    make(&own.path)?;
    let made = own.path.join(LIBRARY);
    // What is renamed must exist after a failure of power, too.
    fs::File::open(&made).and_then(|file| file.sync_all()).map_err(fault)?;
    let loaded = load(&made)?;
    // Whoever was first has made the same. If it is another text with the same hash, ours is made
    // again next time.
    let _ = fs::rename(&own.path, &kept);
    Ok(loaded)
}
