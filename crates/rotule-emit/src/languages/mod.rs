//! The languages, one file each.

mod c;

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
pub const LANGUAGES: &[Language] = &[Language {
    name: "c",
    about: "C99, good as C++, too: a header, a source, a demo",
    write: c::write,
}];

/// The language of a name.
pub fn language(name: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.name == name)
}
