//! Laws in C: compiled, tried in another process, loaded.

use super::probe::probe_by;
use super::{Call, Calls, Code, LawFault, LawOptions, Signature};
use rotule_jit::{UserLibrary, UserLibraryError, compile_source, compile_texts};
use std::sync::Arc;

pub use super::probe::{PROBE, probe};

/// Loads the functions of a C file or of a library that are needed.
pub(super) fn calls(code: &Code<'_>, needed: &[Signature], options: &LawOptions) -> Calls {
    let fault = |error: UserLibraryError| {
        let fault = match error {
            UserLibraryError::NoCompiler(reason) => LawFault::Unavailable(reason),
            UserLibraryError::Refused { messages, .. } => LawFault::NotCompiled(messages),
            other => LawFault::NotLoaded(other.to_string()),
        };
        (None, fault)
    };
    let compiled = match code {
        Code::Library(_) => None,
        Code::Source(path) => Some(compile_source(path, &[]).map_err(fault)?),
        Code::Texts(texts, folder) => Some(compile_texts(texts, &[folder]).map_err(fault)?),
    };
    let library = match (&compiled, code) {
        (Some(made), _) => &made.path,
        (None, Code::Library(path) | Code::Source(path) | Code::Texts(_, path)) => *path,
    };
    if let Some(program) = &options.probe {
        probe_by(program, library, needed)?;
    }
    let opened = UserLibrary::open(library).map_err(fault)?;
    let call = |signature: &Signature| -> Option<(Signature, Call)> {
        let function = opened.function(&signature.name)?;
        let call: Call = Arc::new(move |arguments, results| {
            function.call(arguments, results);
            Ok(())
        });
        Some((signature.clone(), call))
    };
    Ok(needed.iter().filter_map(call).collect())
}
