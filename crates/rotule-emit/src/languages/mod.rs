//! The languages, one file each.

mod c;
mod classes;
mod fortran;
mod java;
mod javascript;
mod julia;
mod matlab;
mod public;
mod python;
mod rust;
mod script;
pub mod shared;
mod simulink;
mod walk;

use crate::package::{EmitError, File, Package};

/// A language.
#[derive(Clone, Copy, Debug)]
pub struct Backend {
    /// The word for it on the command line.
    pub name: &'static str,
    /// A line about what is written.
    pub about: &'static str,
    /// `true` if it can compute several sines and cosines at once.
    pub simd_sincos: bool,
    /// `true` if it can evaluate many states at once by functions of their own.
    pub batches: bool,
    /// Writes a package.
    pub write: fn(&Package) -> Result<Vec<File>, EmitError>,
}

/// Every language.
pub const LANGUAGES: &[Backend] = &[
    Backend {
        name: "c",
        about: "C99, good as C++, too: a header, a source, a demo",
        simd_sincos: true,
        batches: true,
        write: c::write,
    },
    Backend {
        name: "rust",
        about: "Rust, without std and dependencies: a module, a demo",
        simd_sincos: true,
        batches: true,
        write: rust::write,
    },
    Backend {
        name: "java",
        about: "Java 11: a class, a demo",
        simd_sincos: false,
        batches: false,
        write: java::write,
    },
    Backend {
        name: "fortran",
        about: "Fortran 2008: a module with pure subroutines, a demo",
        simd_sincos: false,
        batches: false,
        write: fortran::write,
    },
    Backend {
        name: "matlab",
        about: "MATLAB, good for Octave, too: a file per function, a demo",
        simd_sincos: false,
        batches: false,
        write: matlab::write,
    },
    Backend {
        name: "simulink",
        about: "Simulink: the C output, and level-2 S-functions that call it",
        simd_sincos: true,
        batches: false,
        write: simulink::write,
    },
    Backend {
        name: "python",
        about: "Python 3.9 with NumPy, one state or a batch: a module, a demo",
        simd_sincos: false,
        batches: false,
        write: python::write,
    },
    Backend {
        name: "javascript",
        about: "JavaScript: an ES module with type declarations, a demo",
        simd_sincos: false,
        batches: false,
        write: javascript::write,
    },
    Backend {
        name: "julia",
        about: "Julia 1.6: a module, a demo",
        simd_sincos: false,
        batches: false,
        write: julia::write,
    },
];

/// The language of a name.
pub fn language(name: &str) -> Option<&'static Backend> {
    LANGUAGES.iter().find(|language| language.name == name)
}
