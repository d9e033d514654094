//! The choice behind [`Size`]: isomorphic parts of a program, written once or each by itself.

use crate::package::{Package, PackageFunction, Size, Trig};
use rotule_program::Block;
use rotule_program::reroll::{RerollSettings, Rerolled, reroll};
use rotule_program::slp::{IsomorphicSubgraphs, PackSettings, find_isomorphic};

/// The form of the isomorphic parts of a function.
#[derive(Clone, Debug)]
pub enum CopyForm {
    /// Each by itself.
    Straight,
    /// Each by itself, with temporaries in slots.
    Slots,
    /// As lanes of vectors.
    Lanes(IsomorphicSubgraphs),
    /// Once, for copy after copy; and whether sines of copies are computed several at once.
    Loops(Rerolled, bool),
}

/// About how many bytes an operation of straight code takes, and one of vectors.
const BYTES: u64 = 10;
const WIDE_BYTES: u64 = 12;
/// Bytes that fit beside the caller into the instruction cache of most machines, which is of 32
/// KiB.
const CACHE: u64 = 24 * 1024;
/// Straight code beyond this does not fit into the next cache beside data, and takes compilers a
/// minute and more.
const LARGE: u64 = 1024 * 1024;

/// Code is smaller if at least one of so many operations is saved.
const SMALL: u64 = 8;
/// Code is faster if at least one of so many operations is saved.
const FAST: u64 = 4;

/// The form in which the isomorphic parts of a function are to be written.
///
/// Lanes compute copies at once, which is faster than straight code. Loops compute one after the
/// other and keep in memory what goes from one to the next, which is slower than straight code as
/// long as that comes out of a cache; hence only small code and code that would be huge has them.
pub fn groups(package: &Package, part: &PackageFunction) -> CopyForm {
    // Code for people has a name for each value.
    if package.readable || package.size == Size::Straight {
        return CopyForm::Straight;
    }
    if package.size == Size::Slots {
        return CopyForm::Slots;
    }
    let program = &part.program;
    let straight = BYTES * program.block(Block::Body).len() as u64;
    let lanes = find_isomorphic(program, &PackSettings::default());
    let small = match package.size {
        Size::Small => true,
        Size::Auto => straight > CACHE,
        Size::Fast | Size::Straight | Size::Slots => false,
    };
    let lanes = lanes.filter(|found| saves(found, if small { SMALL } else { FAST }));
    let looped = match package.size {
        Size::Small => true,
        Size::Auto => straight > LARGE,
        Size::Fast | Size::Straight | Size::Slots => false,
    };
    if looped && let Some(found) = reroll(program, &RerollSettings::default()) {
        let [bytes, straight] = found.bytes;
        let others =
            lanes.as_ref().map_or(straight, |found| WIDE_BYTES * (found.all - saved(found)));
        // Lanes are so much faster that a little more code is worth it.
        let fewer = if lanes.is_some() { 4 * bytes < 3 * others } else { bytes < others };
        if fewer && SMALL * (straight - bytes.min(straight)) > straight {
            return CopyForm::Loops(found, package.trig == Trig::Simd);
        }
    }
    lanes.map_or(CopyForm::Straight, CopyForm::Lanes)
}

/// Number of operations that lanes save.
fn saved(found: &IsomorphicSubgraphs) -> u64 {
    found.inside - found.inside / found.copies as u64
}

/// Returns `true` if at least one of so many operations is saved.
fn saves(found: &IsomorphicSubgraphs, of: u64) -> bool {
    saved(found) * of > found.all
}
