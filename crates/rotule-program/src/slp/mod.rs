//! Isomorphic subgraphs of a program, for SLP vectorisation (superword-level parallelism): the legs
//! of a quadruped, two arms, wheels of one kind.
//!
//! Copies of one mechanical part give the same computation several times, with other inputs and
//! constants. Where the copies do not need each other they can be the lanes of vectors: written
//! once, which is less code, and computed at once, which is faster. This analysis finds such parts
//! in a program; back ends decide what to do with them.
//!
//! The search knows no mechanism. Inputs with isomorphic surroundings are taken for those of copies
//! (`copies.rs`); from there statements are paired from the inputs upwards, one after the other
//! (`pair.rs`): one statement of each copy is a pack. Simplification leaves copies isomorphic up to
//! the order in which sums are added up and up to signs, since a mirrored leg differs from its
//! neighbour in signs only. Hence sums and products are first made flat (`flat.rs`), and signs are
//! data (`sign.rs`). Packs run in pack sets (`pack_set.rs`): between two of them stands what the
//! copies have in common, such as the sum of their forces on the trunk.

mod copies;
pub(crate) mod flat;
mod pack_set;
mod pair;
mod sign;

use crate::index::Value;
use crate::operation::Operation;
use crate::program::{Block, Program};
use flat::Flat;
use pack_set::PackSets;

/// Settings: the least gain that packing has to bring.
#[derive(Clone, Copy, Debug)]
pub struct PackSettings {
    /// At most so many copies are taken together.
    pub widest: usize,
    /// A pack set saves at least so many operations, moves into and out of lanes taken off.
    pub least: u64,
    /// A pack set has at most so many operations in each copy; longer ones are cut.
    pub most: u64,
}

impl Default for PackSettings {
    fn default() -> PackSettings {
        PackSettings { widest: 8, least: 40, most: 1200 }
    }
}

/// The isomorphic subgraphs of a `body`.
#[derive(Clone, Debug)]
pub struct IsomorphicSubgraphs {
    /// Number of copies.
    pub copies: usize,
    /// Pack sets: operations for all copies at once, and those in between.
    pub pack_sets: Vec<PackSet>,
    /// The statements behind the last pack set.
    pub after: Vec<Value>,
    /// Number of operations that the copies have together.
    pub inside: u64,
    /// Number of operations that `body` has.
    pub all: u64,
}

/// Statements that are done once, then packs that are done for all copies at once.
#[derive(Clone, Debug, Default)]
pub struct PackSet {
    /// The statements in front.
    pub before: Vec<Value>,
    /// The packs, in an order in which each finds what it reads.
    pub packs: Vec<Pack>,
}

impl PackSet {
    /// Calls `visit` with each value that packs read and that is no pack of this pack set.
    pub fn reads(&self, mut visit: impl FnMut(Value)) {
        for pack in &self.packs {
            let (PackOperation::Sum(sources)
            | PackOperation::Product(sources)
            | PackOperation::Apply(_, sources)) = &pack.form;
            for source in sources {
                if let OperandSource::Earlier(values) | OperandSource::Each(values) = &source.what {
                    values.iter().for_each(|&value| visit(value));
                }
            }
        }
    }
}

/// One value in all copies.
#[derive(Clone, Debug)]
pub struct Pack {
    /// The statement of each copy.
    pub values: Vec<Value>,
    /// In which copies the computed number is the opposite of the statement's.
    pub negative: Vec<bool>,
    /// Its operation.
    pub form: PackOperation,
}

/// The operation of a pack.
#[derive(Clone, Debug)]
pub enum PackOperation {
    /// A sum; a source whose sign is negative is subtracted.
    Sum(Vec<PackOperand>),
    /// A product.
    Product(Vec<PackOperand>),
    /// Any other operation: that of the first copy, with operands in order.
    Apply(Operation, Vec<PackOperand>),
}

/// An operand of a pack.
#[derive(Clone, Debug)]
pub struct PackOperand {
    /// Where it comes from.
    pub what: OperandSource,
    /// In which copies its opposite is meant.
    pub negative: Vec<bool>,
}

/// Where an operand of a pack comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandSource {
    /// A pack of the same pack set, by its place there, as it was computed.
    Here(usize),
    /// A pack of an earlier pack set: its statements' values.
    Earlier(Vec<Value>),
    /// Values of the copies that are no pack.
    Each(Vec<Value>),
}

/// More than all but one of so many operations that could be saved are not searched.
const ENOUGH: u64 = 50;

/// Finds the isomorphic subgraphs of a program's `body`; none if they are too few.
pub fn find_isomorphic(program: &Program, settings: &PackSettings) -> Option<IsomorphicSubgraphs> {
    let flat = Flat::of(program);
    let looks = pair::Looks::of(program, &flat);
    let mut best: Option<(u64, pair::Pairs)> = None;
    let candidates = copies::candidates(program, &flat, settings.widest);
    let mut candidates: Vec<_> =
        candidates.into_iter().map(|one| (pair::most(&flat, &looks, &one), one)).collect();
    // What promises most is tried first, and what can hardly be better than that not at all.
    candidates.sort_by_key(|one| std::cmp::Reverse(one.0));
    for (most, candidate) in candidates {
        if best.as_ref().is_some_and(|(saved, _)| saved * ENOUGH >= most * (ENOUGH - 1)) {
            break;
        }
        let pairs = pair::pair(program, &flat, &looks, &candidate);
        // Of as many operations in copies, more copies are better: the others are computed at no
        // cost.
        let saved = pairs.inside - pairs.inside / pairs.copies as u64;
        if best.as_ref().is_none_or(|(most, _)| saved > *most) {
            best = Some((saved, pairs));
        }
    }
    let (_, pairs) = best?;
    let pack_sets = PackSets::of(program, &flat, pairs, settings)?;
    let all = program.block(Block::Body).iter().map(|&value| flat::weight(program, value)).sum();
    Some(sign::signed(program, &flat, pack_sets, all))
}
