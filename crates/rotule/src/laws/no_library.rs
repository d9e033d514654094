//! Laws in C for builds and systems that cannot load libraries: the reason why.

use super::{Calls, Code, LawFault, LawOptions, Signature};
use std::io::{self, Write};
use std::path::Path;

const REASON: &str = "this build has no libraries (the Cargo feature `compiled`)";

/// The first argument of a program that is to [`probe`].
pub const PROBE: &str = "probe-laws";

/// Says why functions of a library cannot be tried.
pub fn probe(_: &Path, _: &[String], told: &mut dyn Write) -> io::Result<()> {
    writeln!(told, "unloaded {REASON}")
}

/// Refuses to load functions.
pub(super) fn calls(_: &Code<'_>, _: &[Signature], _: &LawOptions) -> Calls {
    Err((None, LawFault::Unavailable(REASON.to_owned())))
}
