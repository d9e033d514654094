//! Source code and documents: languages, options, and files that are written whole.
//!
//! [`Model::generate`](crate::Model::generate) is the short way,
//! [`Model::generator`](crate::Model::generator) has all options. A document ([`Language::Latex`],
//! [`Language::Markdown`]) shows the mechanism and its equations to people.
//!
//! ```
//! use rotule::generate::{Language, Size};
//! use rotule::Model;
//!
//! let mut model = Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
//! model.freeze(&["m"])?; // a number in the code; `l` stays a parameter
//! let code = model.generator(Language::C).functions(&["inverse", "mass"]).size(Size::Small).generate()?;
//! let names: Vec<&str> = code.files.iter().map(|file| file.name.as_str()).collect();
//! assert_eq!(names, ["pendulum.h", "pendulum.c", "pendulum_demo.c"]);
//!
//! let page = model.generate(Language::Markdown, &[])?;
//! assert!(page.files[0].text.contains("pendulum"));
//! # let folder = std::env::temp_dir().join(format!("rotule-generate-{}", std::process::id()));
//! # let folder = folder.as_path();
//! code.write(folder)?;
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), rotule::Error>(())
//! ```

pub use rotule_emit::{File, Size, Trig};

use crate::document::{Kind, document};
use crate::error::Error;
use crate::files::write_file;
use crate::group::NamedGroup;
use crate::model::Model;
use crate::package::{GENERATED, PackageOptions, package};
use crate::program;
use crate::target::targets;
use rotule_emit::{LANGUAGES, PackageFunction, emit};
use rotule_formalism::aliases::{Names, canonical};
use rotule_formalism::{Formalism, Problem};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

/// A language of generated code, or a kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// C99, good as C++, too.
    C,
    /// Rust without `std` and dependencies.
    Rust,
    /// Java 11.
    Java,
    /// Fortran 2008.
    Fortran,
    /// MATLAB, good for Octave, too.
    Matlab,
    /// The C output and S-functions of Simulink that call it.
    Simulink,
    /// Python.
    Python,
    /// JavaScript.
    JavaScript,
    /// Julia.
    Julia,
    /// The text of programs, which [`read_program`](crate::program::read_program) reads.
    Program,
    /// A document for `pdflatex`.
    Latex,
    /// A document as Markdown.
    Markdown,
}

impl Language {
    /// Every language and kind of document, with its name on the command line.
    pub const ALL: [(Language, &'static str); 12] = [
        (Language::C, "c"),
        (Language::Rust, "rust"),
        (Language::Java, "java"),
        (Language::Fortran, "fortran"),
        (Language::Matlab, "matlab"),
        (Language::Simulink, "simulink"),
        (Language::Python, "python"),
        (Language::JavaScript, "javascript"),
        (Language::Julia, "julia"),
        (Language::Program, "program"),
        (Language::Latex, "latex"),
        (Language::Markdown, "markdown"),
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        Language::ALL.iter().find(|(one, _)| *one == self).map_or("", |(_, name)| name)
    }

    /// A line about it.
    pub fn about(self) -> &'static str {
        targets().find(|(name, ..)| *name == self.name()).map_or("", |(_, about, _)| about)
    }

    /// The language of a name in small or capital letters, which may be an alias such as `py`.
    pub fn named(name: &str) -> Result<Language, Error> {
        let small = name.to_lowercase();
        let word = canonical(Names::Language, &small);
        let found = Language::ALL.iter().find(|(_, known)| *known == word);
        found.map(|(one, _)| *one).ok_or_else(|| {
            Error::unknown("language", name, Language::ALL.iter().map(|(_, name)| *name))
        })
    }
}

/// Options for source code; [`Generator::generate`] writes it.
///
/// ```
/// use rotule::{Language, Model};
///
/// let model = Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let code = model.generator(Language::C).functions(&["inverse"]).prefix("arm").generate()?;
/// assert!(code.file("arm.h").is_some_and(|text| text.contains("arm_inverse")));
/// # Ok::<(), rotule::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Generator<'m> {
    model: &'m Model,
    language: Language,
    functions: Option<String>,
    prefix: Option<String>,
    options: PackageOptions<'m>,
}

impl<'m> Generator<'m> {
    pub(crate) fn new(model: &'m Model, language: Language) -> Generator<'m> {
        Generator {
            model,
            language,
            functions: None,
            prefix: None,
            options: PackageOptions::default(),
        }
    }

    /// The functions; without any, inverse and forward dynamics and the mass matrix with the bias.
    #[must_use]
    pub fn functions(mut self, functions: &[&str]) -> Self {
        self.functions = (!functions.is_empty()).then(|| functions.join(","));
        self
    }

    /// Groups of functions that share work, beside the functions; without these, the groups alone.
    #[must_use]
    pub fn groups(mut self, groups: &[NamedGroup]) -> Self {
        self.options.groups = groups.to_vec();
        self
    }

    /// The beginning of all generated names, instead of the model's name.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// The formalism, instead of the cheapest.
    #[must_use]
    pub fn formalism(mut self, formalism: Formalism) -> Self {
        self.options.formalism = Some(formalism);
        self
    }

    /// Names for people, and statements in the order of the recursions.
    #[must_use]
    pub fn readable(mut self, yes: bool) -> Self {
        self.options.readable = yes;
        self
    }

    /// Trials of the search for a shorter program.
    #[must_use]
    pub fn effort(mut self, trials: u32) -> Self {
        self.options.effort = trials;
        self
    }

    /// The choice between small and straight code.
    #[must_use]
    pub fn size(mut self, size: Size) -> Self {
        self.options.size = size;
        self
    }

    /// The source of sines and cosines.
    #[must_use]
    pub fn trig(mut self, trig: Trig) -> Self {
        self.options.trig = trig;
        self
    }

    /// Functions of many states, too, where the language has them.
    #[must_use]
    pub fn batch(mut self, yes: bool) -> Self {
        self.options.batch = yes;
        self
    }

    /// Packed storage of matrices that are symmetric or have zeros: the list of their entries.
    #[must_use]
    pub fn packed_storage(mut self, yes: bool) -> Self {
        self.options.packed_storage = yes;
        self
    }

    /// One more output that tells how iterations ended.
    #[must_use]
    pub fn status(mut self, yes: bool) -> Self {
        self.options.status = yes;
        self
    }

    /// Writes the files, in memory.
    pub fn generate(&self) -> Result<Generated, Error> {
        self.generate_with(&mut |_| ControlFlow::Continue(()))
    }

    /// Writes the files, in memory; the callback hears of each function before it is begun, and a
    /// break ends the work as [`Error::Stopped`].
    pub fn generate_with(
        &self,
        progress: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Generated, Error> {
        let tree = self.model.tree();
        let options = PackageOptions {
            functions: match &self.functions {
                Some(functions) => functions,
                None if self.options.groups.is_empty() => GENERATED,
                None => "",
            },
            prefix: self.prefix.as_deref(),
            hash: self.model.hash(),
            frozen: self.model.frozen().to_vec(),
            ..self.options.clone()
        };
        let kind = match self.language {
            Language::Latex => Some(Kind::Latex),
            Language::Markdown => Some(Kind::Markdown),
            _ => None,
        };
        if let Some(kind) = kind {
            if !self.options.groups.is_empty() {
                let message = format!("{} has no groups of functions", self.language.name());
                let help = "leave out --group, or take a language of code";
                return Err(Problem::new(message, help).into());
            }
            let file = document(tree, self.functions.as_deref(), &options, kind, progress)?;
            return Ok(Generated { files: vec![file] });
        }
        let made = package(tree, &options, &self.model.state().numbers(), progress)?;
        if self.language == Language::Program {
            let name = |part: &str| format!("{}_{part}", made.prefix);
            let file = |part: &PackageFunction| program::file(&name(&part.name), &part.program);
            return Ok(Generated { files: made.functions.iter().map(file).collect() });
        }
        let language = LANGUAGES.iter().find(|one| one.name == self.language.name());
        let language = language.expect("every language of the enum is in the table");
        let files =
            emit(&made, language).map_err(|problem| Problem::new(problem.message, problem.help))?;
        Ok(Generated { files })
    }
}

/// Generated files.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The files, by name and text.
    pub files: Vec<File>,
}

impl Generated {
    /// The text of a file.
    pub fn file(&self, name: &str) -> Option<&str> {
        self.files.iter().find(|file| file.name == name).map(|file| file.text.as_str())
    }

    /// Writes all files into a folder, which is made if it does not exist. Files of the same names
    /// are replaced, each of them whole; others are left alone.
    pub fn write(&self, folder: impl AsRef<Path>) -> Result<(), Error> {
        let folder = folder.as_ref();
        fs::create_dir_all(folder)
            .map_err(|error| Error::Write { path: folder.to_owned(), error })?;
        for file in &self.files {
            write_file(&folder.join(&file.name), |out| {
                std::io::Write::write_all(out, file.text.as_bytes())
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_those_of_the_table_in_its_order() {
        let known: Vec<&str> = targets().map(|(name, ..)| name).collect();
        assert_eq!(Language::ALL.map(|(_, name)| name).to_vec(), known);
        assert!(Language::ALL.iter().all(|(language, _)| !language.about().is_empty()));
    }
}
