//! Functions of the user in C: a source that the machine's compiler makes a library of, or a
//! library as it is.
//!
//! ```c
//! void NAME(const double *arguments, double *results);
//! ```
//!
//! Nothing here looks into the code: what it does to this process, it does. Callers load only what
//! the user named, and may have another process try it first.

use super::compiler::Compiler;
use super::load::Opened;
use crate::cache::{Guarded, Temporary, folder};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A library with functions of the user.
#[derive(Clone)]
pub struct UserLibrary {
    opened: Arc<Opened>,
}

/// A function of the user, with its library.
#[derive(Clone)]
pub struct UserFunction {
    opened: Arc<Opened>,
    function: super::load::Function,
}

/// A library that was made of a source. Its file lasts as long as this value.
pub struct CompiledSource {
    /// The library.
    pub path: PathBuf,
    _folder: Temporary,
}

/// The reason why there is no library.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UserLibraryError {
    /// There is no C compiler, or no folder for what it makes.
    NoCompiler(String),
    /// The compiler refuses the source.
    Refused {
        /// Its name.
        compiler: String,
        /// Its messages.
        messages: String,
    },
    /// The library cannot be loaded.
    NotLoaded(String),
}

impl fmt::Display for UserLibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UserLibraryError::NoCompiler(reason) => f.write_str(reason),
            UserLibraryError::Refused { compiler, messages } => {
                write!(f, "{compiler} does not compile it:\n{messages}")
            }
            UserLibraryError::NotLoaded(reason) => write!(f, "it cannot be loaded: {reason}"),
        }
    }
}

impl std::error::Error for UserLibraryError {}

/// Makes a library of a C source, with the folders in which it finds headers.
pub fn compile_source(
    source: &Path,
    headers: &[&Path],
) -> Result<CompiledSource, UserLibraryError> {
    let compiler = Compiler::find().map_err(UserLibraryError::NoCompiler)?;
    let root = folder().map_err(UserLibraryError::NoCompiler)?;
    // Sources include what no hash knows, so that each is compiled anew.
    let folder = Guarded::open(&root).map_err(UserLibraryError::NoCompiler)?.own;
    let path = folder.path.join("laws.so");
    match compiler.compile_foreign(source, &path, headers) {
        Ok(()) => Ok(CompiledSource { path, _folder: folder }),
        Err(messages) => Err(UserLibraryError::Refused { compiler: compiler.name(), messages }),
    }
}

/// Makes a library of texts, of which the first is compiled and includes the others, with the
/// folders in which it finds further headers.
pub fn compile_texts(
    texts: &[(&str, String)],
    headers: &[&Path],
) -> Result<CompiledSource, UserLibraryError> {
    let failed = |error: std::io::Error| UserLibraryError::NoCompiler(error.to_string());
    let compiler = Compiler::find().map_err(UserLibraryError::NoCompiler)?;
    let root = folder().map_err(UserLibraryError::NoCompiler)?;
    let folder = Guarded::open(&root).map_err(UserLibraryError::NoCompiler)?.own;
    for (name, text) in texts {
        std::fs::write(folder.path.join(name), text).map_err(failed)?;
    }
    let (path, own) = (folder.path.join("laws.so"), folder.path.clone());
    let source = folder.path.join(texts.first().map_or("", |(name, _)| name));
    let headers: Vec<&Path> = [own.as_path()].into_iter().chain(headers.iter().copied()).collect();
    match compiler.compile_foreign(&source, &path, &headers) {
        Ok(()) => Ok(CompiledSource { path, _folder: folder }),
        Err(messages) => Err(UserLibraryError::Refused { compiler: compiler.name(), messages }),
    }
}

impl UserLibrary {
    /// Loads a library, whose initialisers run.
    pub fn open(path: &Path) -> Result<UserLibrary, UserLibraryError> {
        // A name without a folder would be searched in the system's.
        let path = std::fs::canonicalize(path)
            .map_err(|error| UserLibraryError::NotLoaded(error.to_string()))?;
        let opened =
            Opened::new(&path).map_err(|error| UserLibraryError::NotLoaded(error.to_string()))?;
        Ok(UserLibrary { opened: Arc::new(opened) })
    }

    /// A function by its name; none if the library has no such name.
    pub fn function(&self, name: &str) -> Option<UserFunction> {
        let function = self.opened.function(name)?;
        Some(UserFunction { opened: Arc::clone(&self.opened), function })
    }
}

impl UserFunction {
    /// Calls the function. How many numbers it reads and writes is its own affair: the slices must
    /// be as long as it takes for granted.
    pub fn call(&self, arguments: &[f64], results: &mut [f64]) {
        self.opened.call(self.function, arguments, results);
    }
}
