//! Code generation: the functions of a model as source code that people are glad to receive.
//!
//! A [`Package`] says what is to be written: programs and the layout of their arguments.
//! [`plan`](plan::plan) cuts each program into functions of bounded size, [`list`](listing::list)
//! writes its expressions in a [`Dialect`], and a language of [`LANGUAGES`] puts them into files.
//! How to add a language stands in the crate's README.
//!
//! What all languages promise: no allocation where the language lets one avoid it, no global state,
//! nothing beyond the language's own mathematics, the same order of operations as the interpreter,
//! the same bytes for the same model.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod dialect;
pub mod groups;
pub mod header;
mod indices;
pub mod languages;
pub mod layout;
pub mod listing;
pub mod loops;
pub mod names;
pub mod package;
pub mod plan;
mod writer;

pub use dialect::Dialect;
pub use languages::shared::{Shared, shared};
pub use languages::{Backend, LANGUAGES};
pub use package::{
    ArgumentEntry, EmitError, File, Meaning, Package, PackageFunction, PackageGroup, Size, Trig,
    array_name, hash,
};

use rotule_program::group::merge;

/// Writes a package in a language.
pub fn emit(package: &Package, language: &Backend) -> Result<Vec<File>, EmitError> {
    let refuse = |option: &str, can: fn(&Backend) -> bool| {
        let others = LANGUAGES.iter().filter(|&one| can(one)).map(|one| one.name);
        let others: Vec<&str> = others.collect();
        EmitError::new(
            format!("{} has no `{option}`", language.name),
            format!("leave it out, or take another language: {}", others.join(", ")),
        )
    };
    if package.trig == Trig::Simd && !language.simd_sincos {
        return Err(refuse("--trig simd", |one| one.simd_sincos));
    }
    if package.batch && !language.batches {
        return Err(refuse("--batch", |one| one.batches));
    }
    // A function of its own has nobody to share with.
    let mut whole = package.clone();
    whole.functions.iter_mut().for_each(|part| merge(&mut part.program));
    let package = &whole;
    let packed = match package.trig {
        Trig::Auto => language.simd_sincos && !package.readable,
        Trig::Library => false,
        Trig::Simd => true,
    };
    match packed {
        true => (language.write)(&package.with_batched_trigonometry()),
        false => (language.write)(package),
    }
}
