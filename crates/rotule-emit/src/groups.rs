//! Whether parts of a program that are alike are written once: the choice behind [`Size`].

use crate::package::{Package, Part, Size};
use rotule_program::alike::{Alike, Settings, alike};

/// About how many bytes an operation of straight code takes.
const BYTES: u64 = 10;
/// What fits beside the caller into the instruction cache of most machines, which is of 32 KiB.
const CACHE: u64 = 24 * 1024;

/// The parts of a function that are to be written once for all copies, if there are any.
pub fn groups(package: &Package, part: &Part) -> Option<Alike> {
    // Code for people has a name for each value.
    if package.readable || package.size == Size::Straight {
        return None;
    }
    let found = alike(&part.program, &Settings::default())?;
    let small = match package.size {
        Size::Small => true,
        Size::Auto => found.all * BYTES > CACHE,
        Size::Fast | Size::Straight => false,
    };
    (small || pays(&found)).then_some(found)
}

/// Whether so much is computed at once that it makes up for reading and writing vectors.
fn pays(found: &Alike) -> bool {
    let saved = found.inside - found.inside / found.copies as u64;
    saved * 4 > found.all
}
