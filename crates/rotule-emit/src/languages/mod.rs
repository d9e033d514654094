//! The languages, one file each.

mod c;
mod classes;
mod java;
mod rust;

use crate::package::{File, Package, Problem};

/// A language.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// The word for it on the command line.
    pub name: &'static str,
    /// What is written, in a line.
    pub about: &'static str,
    /// Writes a package.
    pub write: fn(&Package) -> Result<Vec<File>, Problem>,
}

/// Every language.
pub const LANGUAGES: &[Language] = &[
    Language {
        name: "c",
        about: "C99, good as C++, too: a header, a source, a demo",
        write: c::write,
    },
    Language {
        name: "rust",
        about: "Rust, without std and dependencies: a module, a demo",
        write: rust::write,
    },
    Language { name: "java", about: "Java 11: a class, a demo", write: java::write },
];

/// The language of a name.
pub fn language(name: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.name == name)
}
