//! The user's cache folder, for what is executed: libraries, benchmark programs.
//!
//! What lies there is executed. So the folder, and every one above it, may be changed by nobody but
//! the user and the system's owner.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The user's cache folder: `$ROTULE_CACHE`, `$XDG_CACHE_HOME/rotule` or `~/.cache/rotule`.
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

/// A folder of this name in the user's cache folder (`$ROTULE_CACHE`, `$XDG_CACHE_HOME/rotule` or
/// `~/.cache/rotule`), made if need be. Refused where others could change what lies there: it may
/// be executed.
pub fn cache_folder(name: &str) -> Result<PathBuf, String> {
    Guarded::open(&folder()?.join(name)).map(|guarded| guarded.root)
}

/// A folder that nobody but the user can change.
pub struct Guarded {
    /// Its path, without symbolic links.
    pub root: PathBuf,
    /// A new folder in it.
    pub own: Temporary,
    user: u32,
}

impl Guarded {
    /// Opens a folder, which is made if need be.
    pub fn open(root: &Path) -> Result<Guarded, String> {
        let fault = |error: io::Error| format!("the cache folder {}: {error}", root.display());
        fs::DirBuilder::new().recursive(true).mode(0o700).create(root).map_err(fault)?;
        let root = fs::canonicalize(root).map_err(fault)?;
        let own = Temporary::new(&root).map_err(fault)?;
        // What we make shows who we are.
        let user = fs::symlink_metadata(&own.path).map_err(fault)?.uid();
        guarded(&root, user)?;
        Ok(Guarded { root, own, user })
    }

    /// Returns `true` if nobody but the user can change a file in it.
    pub fn guards(&self, path: &Path) -> bool {
        guarded(path, self.user).is_ok()
    }
}

/// A folder that is gone when it is no longer needed.
pub struct Temporary {
    /// Its path.
    pub path: PathBuf,
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

/// Checks that nobody but a user and the system's owner can change a file, or the content of a
/// folder.
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
