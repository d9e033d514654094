//! Whether parts of a program that are alike are written once: the choice behind [`Size`].

use crate::package::{Package, Part, Size};
use rotule_program::alike::{Alike, Settings, alike};

/// About how many bytes an operation of straight code takes.
const BYTES: u64 = 10;
/// What fits beside the caller into the instruction cache of most machines, which is of 32 KiB.
const CACHE: u64 = 24 * 1024;

/// Code is smaller if at least one of so many operations is saved.
const SMALL: u64 = 20;
/// Code is faster if at least one of so many operations is saved.
const FAST: u64 = 4;

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
    saves(&found, if small { SMALL } else { FAST }).then_some(found)
}

/// Whether at least one of so many operations is saved.
fn saves(found: &Alike, of: u64) -> bool {
    let saved = found.inside - found.inside / found.copies as u64;
    saved * of > found.all
}
