//! Targets of `generate`: the languages of code, programs as text, and the kinds of document, under
//! one list of names.

use crate::document::{DOCUMENTS, Kind};
use rotule_emit::{Backend, LANGUAGES};
use rotule_formalism::aliases::{Names, canonical};

/// A target.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// Code in a language.
    Code(&'static Backend),
    /// The text of programs.
    Program,
    /// A document for people.
    Document(Kind),
}

/// Every target: its name on the command line, what is written, and the target.
pub fn targets() -> impl Iterator<Item = (&'static str, &'static str, Target)> {
    let code = LANGUAGES.iter().map(|one| (one.name, one.about, Target::Code(one)));
    let program = [("program", "the text of programs, a file per function", Target::Program)];
    code.chain(program)
        .chain(DOCUMENTS.iter().map(|&(name, kind, about)| (name, about, Target::Document(kind))))
}

/// The target of a name, which may be an alias.
pub fn target(name: &str) -> Option<Target> {
    let name = canonical(Names::Language, name);
    targets().find(|(known, ..)| *known == name).map(|(_, _, target)| target)
}
