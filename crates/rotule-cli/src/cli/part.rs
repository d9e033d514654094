//! An output file that appears whole: it is written beside its place, as `FILE.part`, and renamed
//! when it is complete.
//!
//! Until then an old file stays as it is. What a killed run leaves behind is a `.part` file, which
//! the next run names and never destroys; a lock tells it from the file of a run that is going on.
//! What is no regular file (pipes, devices, standard output) is written directly.

use super::failure::Failure;
use super::output;
use super::session::Session;
use super::table::rounded_bytes;
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A place for an output that was checked, where nothing has been touched.
pub struct Place {
    name: String,
    target: Target,
}

enum Target {
    StandardOutput,
    /// A pipe or a device.
    Direct(PathBuf),
    /// The same, open.
    Connected(File),
    /// A regular file, whose old permissions the new one gets.
    File(PathBuf, Option<Permissions>),
}

/// An output that is open.
pub enum Opened {
    /// A stream that is written directly.
    Stream(Box<dyn Write + Send>),
    /// A file that is renamed when it is complete.
    Part(Part),
}

/// Returns `true` if a path names standard output, whatever that is.
pub fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdout")
}

impl Place {
    /// Checks a place: that its folder exists, that nothing would be replaced without `force`, and
    /// that no other run writes there.
    pub fn new(path: &Path, force: bool) -> Result<Place, Failure> {
        let name = path.display().to_string();
        if is_standard_output(path) {
            return Ok(Place { name, target: Target::StandardOutput });
        }
        let failed = |error: io::Error| Failure::WriteFile { name: name.clone(), error };
        // What a link leads to is written, not the link.
        let place = match path.symlink_metadata() {
            Ok(_) => fs::canonicalize(path).map_err(failed)?,
            Err(_) => path.to_owned(),
        };
        let old = fs::metadata(&place).ok();
        match &old {
            Some(old) if old.is_dir() => return Err(Failure::NotAFile { name }),
            Some(old) if !old.is_file() => {
                return Ok(Place { name, target: Target::Direct(place) });
            }
            Some(_) if !force => return Err(Failure::Exists { name }),
            _ => {}
        }
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder
            && !fs::metadata(folder).map_err(failed)?.is_dir()
        {
            return Err(failed(io::ErrorKind::NotADirectory.into()));
        }
        let part = beside(&place, ".part");
        if part.symlink_metadata().is_ok() {
            let part_name = part.display().to_string();
            match File::open(&part).map(|file| file.try_lock()) {
                Ok(Err(TryLockError::WouldBlock)) => return Err(Failure::Busy { name: part_name }),
                _ if !force => return Err(Failure::Leftover { name: part_name }),
                _ => {}
            }
        }
        let permissions = old.map(|old| old.permissions());
        Ok(Place { name, target: Target::File(place, permissions) })
    }

    /// Opens a pipe or a device, which may have to wait for somebody who reads.
    pub fn connect(self) -> Result<Place, Failure> {
        let Place { name, target: Target::Direct(path) } = self else { return Ok(self) };
        match OpenOptions::new().write(true).open(path) {
            Ok(file) => Ok(Place { name, target: Target::Connected(file) }),
            Err(error) => Err(Failure::WriteFile { name, error }),
        }
    }

    /// Opens it.
    pub fn open(self) -> Result<Opened, Failure> {
        let Place { name, target } = self;
        let failed = |error: io::Error| Failure::WriteFile { name: name.clone(), error };
        match target {
            Target::StandardOutput => Ok(Opened::Stream(Box::new(io::stdout()))),
            Target::Direct(_) => Place { name, target }.connect()?.open(),
            Target::Connected(file) => Ok(Opened::Stream(Box::new(file))),
            Target::File(place, permissions) => {
                let part = beside(&place, ".part");
                set_aside(&part).map_err(failed)?;
                let file =
                    create(&part, permissions.as_ref()).map_err(|error| match error.kind() {
                        io::ErrorKind::AlreadyExists => {
                            Failure::Busy { name: part.display().to_string() }
                        }
                        _ => failed(error),
                    })?;
                let done = false;
                Ok(Opened::Part(Part { file, part, place, permissions, done }))
            }
        }
    }
}

/// Gives what a killed run left behind another name, and says so.
fn set_aside(part: &Path) -> io::Result<()> {
    if part.symlink_metadata().is_err() {
        return Ok(());
    }
    let free = (1..).map(|number| beside(part, &format!(".{number}")));
    let free = free.into_iter().find(|path| path.symlink_metadata().is_err());
    let Some(aside) = free else { return Ok(()) };
    fs::rename(part, &aside)?;
    let (part, aside) = (part.display(), aside.display());
    output::message(&format!(
        "warning: {part} was left behind by a run that was killed: it is {aside} now, with all rows up to its last flush\n  \
         = help: rename it to keep it, or remove it"
    ));
    Ok(())
}

/// The line that says that a file was written, how much is in it, and how large it is.
pub fn wrote(path: &Path, content: Option<&str>) -> String {
    let content = content.map_or(String::new(), |content| format!("{content}, "));
    let size = fs::metadata(path).map_or(String::new(), |found| match found.is_file() {
        true => format!("  {content}{}", rounded_bytes(found.len())),
        false => String::new(),
    });
    format!("wrote {}{size}\n", path.display())
}

/// A path with more behind it.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// A new file, locked.
fn create(path: &Path, permissions: Option<&Permissions>) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    // Where there are no locks, other runs are not noticed.
    let _ = file.try_lock();
    match permissions {
        Some(permissions) => file.set_permissions(permissions.clone()).map(|()| file),
        None => Ok(file),
    }
}

/// An output beside its place. It disappears unless it is completed or kept.
#[derive(Debug)]
pub struct Part {
    file: File,
    part: PathBuf,
    place: PathBuf,
    permissions: Option<Permissions>,
    done: bool,
}

impl Part {
    /// The open file.
    pub fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// The name of the file while it is not complete.
    pub fn name(&self) -> String {
        self.part.display().to_string()
    }

    /// Returns `true` if the file exists, neither renamed nor gone.
    pub fn exists(&self) -> bool {
        self.part.exists()
    }

    /// Writes the whole content anew, such that the old one stays readable until the new one is
    /// there.
    pub fn replace(
        &mut self,
        write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
    ) -> io::Result<()> {
        let new = beside(&self.part, ".new");
        // One that was left behind is a part of a page, of no use.
        let _ = fs::remove_file(&new);
        let file = create(&new, self.permissions.as_ref())?;
        let mut out = BufWriter::new(&file);
        let written = write(&mut out).and_then(|()| out.flush());
        drop(out);
        let renamed = written.and_then(|()| fs::rename(&new, &self.part));
        match renamed {
            Ok(()) => self.file = file,
            Err(_) => drop(fs::remove_file(&new)),
        }
        renamed
    }

    /// Puts the file into its place.
    pub fn complete(&mut self) -> io::Result<()> {
        if self.done {
            return Ok(());
        }
        // Whatever happens now, the rows stay.
        self.done = true;
        fs::rename(&self.part, &self.place)
    }

    /// Leaves the file where it is.
    pub fn keep(&mut self) {
        self.done = true;
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // A panic is no reason to lose rows.
        if !self.done && !std::thread::panicking() {
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// Writes a text whole or not at all.
pub fn write_text(session: &Session, path: &Path, text: &str, force: bool) -> Result<(), Failure> {
    session.writing();
    write_bytes(session, Place::new(path, force)?, text.as_bytes())
}

/// Writes bytes whole or not at all.
pub fn write_bytes(session: &Session, place: Place, bytes: &[u8]) -> Result<(), Failure> {
    session.writing();
    let name = place.name.clone();
    let written = match place.open()? {
        Opened::Stream(mut out) => out.write_all(bytes).and_then(|()| out.flush()),
        Opened::Part(mut part) => {
            let written = part.file.write_all(bytes).and_then(|()| part.file.sync_all());
            written.and_then(|()| part.complete())
        }
    };
    written.map_err(|error| Failure::WriteFile { name, error })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that disappears with the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path =
                std::env::temp_dir().join(format!("rotule-part-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Folder(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn part(path: &Path) -> Part {
        match Place::new(path, true).and_then(Place::open) {
            Ok(Opened::Part(part)) => part,
            Ok(Opened::Stream(_)) => panic!("a stream"),
            Err(failure) => panic!("{failure}"),
        }
    }

    #[test]
    fn an_old_file_stays_until_the_new_one_is_complete() {
        let folder = Folder::new("old");
        let path = folder.0.join("motion.csv");
        fs::write(&path, "old").unwrap();
        let mut new = part(&path);
        new.file.write_all(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        new.complete().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
        // What is given up leaves nothing behind.
        part(&path).file.write_all(b"newer").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
    }

    #[test]
    fn what_is_left_behind_is_named_and_kept() {
        let folder = Folder::new("left");
        let path = folder.0.join("motion.csv");
        let mut left = part(&path);
        left.file.write_all(b"rows").unwrap();
        left.keep();
        // While its run goes on, nobody else writes there, not even by force.
        assert!(matches!(Place::new(&path, true), Err(Failure::Busy { .. })));
        drop(left);
        assert!(matches!(Place::new(&path, false), Err(Failure::Leftover { .. })));
        part(&path).complete().unwrap();
        assert_eq!(fs::read(folder.0.join("motion.csv.part.1")).unwrap(), b"rows");
        assert_eq!(fs::read(&path).unwrap(), b"");
    }

    #[test]
    fn a_page_is_replaced_at_once() {
        let folder = Folder::new("page");
        let path = folder.0.join("page.html");
        let mut page = part(&path);
        page.replace(|out| out.write_all(b"first")).unwrap();
        let failed = page.replace(|out| {
            out.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(folder.0.join("page.html.part")).unwrap(), b"first");
        assert!(matches!(Place::new(&path, true), Err(Failure::Busy { .. })));
        page.complete().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
    }
}
