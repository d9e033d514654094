//! Libraries that were compiled once are kept in the user's cache folder.
//!
//! Each has a folder of its own, named by a hash, with the library and with the text that it was made of: source,
//! options, compiler, processor. A library is taken only if that text is the same to the last byte, so that a hash
//! need not be trusted. A folder is filled under another name and then renamed, which either happens or does not:
//! two processes at once do not disturb each other, and what was interrupted is never seen.
//!
//! What lies there is executed. So the folder, and every one above it, may be changed by nobody but the user
//! and the system's owner.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The library in a folder, and the text that it was made of.
pub const LIBRARY: &str = "kernel.so";
/// See [`LIBRARY`].
pub const SOURCE: &str = "kernel.c";

/// Where libraries are kept: `$ROTULE_CACHE`, `$XDG_CACHE_HOME/rotule` or `~/.cache/rotule`.
pub fn folder() -> Result<PathBuf, String> {
    let variable = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    variable("ROTULE_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|path| path.join("rotule")))
        .or_else(|| variable("HOME").map(|path| path.join(".cache/rotule")))
        .ok_or_else(|| "none of ROTULE_CACHE, XDG_CACHE_HOME and HOME names a folder".to_owned())
}

/// A folder in the cache that is made if need be, and that nobody but the user can change.
pub fn safe_folder(name: &str) -> Result<PathBuf, String> {
    let root = folder()?.join(name);
    let fault = |error: io::Error| format!("the cache folder {}: {error}", root.display());
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&root).map_err(fault)?;
    let root = fs::canonicalize(&root).map_err(fault)?;
    // What we make shows who we are.
    let user =
        fs::symlink_metadata(&Temporary::new(&root).map_err(fault)?.path).map_err(fault)?.uid();
    guarded(&root, user)?;
    Ok(root)
}

/// The library of a text: the one that is kept, or else the one that `make` puts into the folder that it is given.
/// `load` may be called more than once.
pub fn library<T>(
    root: &Path,
    text: &str,
    make: impl FnOnce(&Path) -> Result<(), String>,
    load: impl Fn(&Path) -> Result<T, String>,
) -> Result<T, String> {
    let fault = |error: io::Error| format!("the cache folder {}: {error}", root.display());
    fs::DirBuilder::new().recursive(true).mode(0o700).create(root).map_err(fault)?;
    let root = fs::canonicalize(root).map_err(fault)?;
    let own = Temporary::new(&root).map_err(fault)?;
    let user = fs::symlink_metadata(&own.path).map_err(fault)?.uid();
    guarded(&root, user)?;
    let kept = root.join(format!("{:016x}", hash(text)));
    let keep = || {
        let library = kept.join(LIBRARY);
        let same = fs::read(kept.join(SOURCE)).is_ok_and(|known| known == text.as_bytes());
        (same && guarded(&library, user).is_ok()).then(|| load(&library).ok()).flatten()
    };
    if let Some(loaded) = keep() {
        return Ok(loaded);
    }
    fs::write(own.path.join(SOURCE), text).map_err(fault)?;
    make(&own.path)?;
    let made = own.path.join(LIBRARY);
    // What is renamed must be there after a failure of power, too.
    fs::File::open(&made).and_then(|file| file.sync_all()).map_err(fault)?;
    let loaded = load(&made)?;
    // Whoever was first has made the same. If it is another text with the same hash, ours is made again next time.
    let _ = fs::rename(&own.path, &kept);
    Ok(loaded)
}

/// A folder that is gone when it is no longer needed.
struct Temporary {
    path: PathBuf,
}

impl Temporary {
    fn new(root: &Path) -> io::Result<Temporary> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = root.join(format!("new-{}-{number}", std::process::id()));
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                // What a process of the same number left behind.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| Temporary { path }),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // It is gone already if it has been renamed.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Whether nobody but a user and the system's owner can change a file, or what lies in a folder.
fn guarded(path: &Path, user: u32) -> Result<(), String> {
    for (height, path) in path.ancestors().enumerate() {
        let found =
            fs::symlink_metadata(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let (owner, mode) = (found.uid(), found.mode());
        // In a folder such as /tmp others cannot rename what is not theirs.
        let sticky = height > 0 && mode & 0o1000 != 0;
        if (owner != user && owner != 0) || (mode & 0o022 != 0 && !sticky) || found.is_symlink() {
            return Err(format!(
                "libraries in the cache are not safe, because others can write to {}; \
                 give ROTULE_CACHE a folder that is yours alone",
                path.display()
            ));
        }
    }
    Ok(())
}

/// FNV-1a of 64 bits.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
