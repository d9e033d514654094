//! The files the rules look at: those git tracks or would add, read once.

use std::fs;
use std::io::ErrorKind;

use crate::failure::Failure;
use crate::process::Call;
use crate::project::Project;

/// A file with its path from the root, written with `/`.
#[derive(Debug)]
pub struct File {
    /// The path from the root of the checkout.
    pub path: String,
    /// The text; empty for files that are not text.
    pub text: String,
}

impl File {
    /// The lines with their numbers, from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

/// All files of a checkout.
#[derive(Debug, Default)]
pub struct Tree {
    /// The files, in git's order.
    pub files: Vec<File>,
}

impl Tree {
    /// Reads the checkout.
    pub fn read(project: &Project) -> Result<Self, Failure> {
        let list = "ls-files -z --cached --others --exclude-standard --deduplicate";
        let list = Call::new("git", list).folder(&project.root).text()?;
        let mut files = Vec::new();
        for path in list.split_terminator('\0') {
            let full = project.root.join(path);
            match fs::read(&full) {
                Ok(bytes) => {
                    let text = String::from_utf8(bytes).unwrap_or_default();
                    files.push(File { path: path.to_string(), text });
                }
                // Deleted but not yet staged, or a submodule: not a file of this tree.
                Err(error)
                    if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::IsADirectory) => {}
                Err(error) => return Err(Failure::file("read", full)(error)),
            }
        }
        Ok(Self { files })
    }

    /// A tree made up for a test.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let file =
            |(path, text): &(&str, &str)| File { path: (*path).into(), text: (*text).into() };
        Self { files: files.iter().map(file).collect() }
    }

    /// The file at this path.
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The files whose name ends so (`.rs`).
    pub fn ending(&self, end: &str) -> impl Iterator<Item = &File> {
        self.files.iter().filter(move |file| file.path.ends_with(end))
    }

    /// Returns `true` if the path, from the root, names a file or a folder.
    pub fn has(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        self.files.iter().any(|file| file.path == path || file.path.starts_with(&folder))
    }

    /// Returns `true` if a file of this name lies in any folder.
    pub fn has_name(&self, name: &str) -> bool {
        let end = format!("/{name}");
        self.files.iter().any(|file| file.path == name || file.path.ends_with(&end))
    }
}
