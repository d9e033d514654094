//! Loops are followed, never jumped.
//!
//! A loop can be closed in several ways, and an iteration that starts far from one may end in
//! another. Dependent coordinates are therefore integrated like all others, and what the
//! integration gives is where closing starts. How far closing moves them from there, relative to
//! the way since the last accepted point, tells whether the loop was followed. Where it moves them
//! too far, the way is gone again in parts, each from where the parts before lead.

use rotule_formalism::constraint::partition::CoordinatePartition;
use rotule_model::mechanism::{Joint, Mechanism};
use rotule_numeric::pattern::Pattern;
use std::ops::Range;

/// A coordinate, and what one of it counts for: a radian is one, a metre is one over the size of
/// the loop.
#[derive(Clone, Copy, Debug)]
struct Weighted {
    at: usize,
    weight: f64,
}

/// Coordinates that are found together.
#[derive(Clone, Debug)]
struct Block {
    dependent: Vec<Weighted>,
    /// All others that its rows relate.
    others: Vec<Weighted>,
    /// A row that messages name it by.
    row: usize,
}

/// The blocks of a coordinate partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Follow {
    blocks: Vec<Block>,
}

/// Closing may move coordinates by this part of the way since the last accepted point.
const PART: f64 = 0.3;
/// Closing may move coordinates by this much in any case, in radians or sizes of the loop.
const LEAST: f64 = 1e-7;
/// Into so many parts a way is divided at most.
pub(crate) const PARTS: usize = 64;

impl Follow {
    /// The blocks of a partition of a mechanism.
    pub fn of(mechanism: &Mechanism, pattern: &Pattern, choice: &CoordinatePartition) -> Follow {
        let weighted = |columns: &mut dyn Iterator<Item = usize>| {
            let mut found: Vec<Weighted> = Vec::new();
            for column in columns {
                let weight = 1.0 / pattern.units[column];
                for at in changed(mechanism, column) {
                    if !found.iter().any(|one| one.at == at) {
                        found.push(Weighted { at, weight });
                    }
                }
            }
            found
        };
        let blocks = choice.coordinates.blocks.iter().map(|block| {
            let dependent = weighted(&mut block.columns.iter().copied());
            let related = block.rows.iter().flat_map(|&row| &pattern.rows[row].columns).copied();
            let mut others = weighted(&mut related.into_iter());
            others.retain(|one| !dependent.iter().any(|own| own.at == one.at));
            Block { dependent, others, row: block.rows[0] }
        });
        Follow { blocks: blocks.collect() }
    }

    /// A row of the first block that closing has moved too far from its start, seen from the last
    /// accepted coordinates, for one of `width` points that stand side by side.
    pub fn jumped(
        &self,
        (width, lane): (usize, usize),
        from: &[f64],
        start: &[f64],
        closed: &[f64],
    ) -> Option<usize> {
        let farthest = |list: &[Weighted], one: &[f64], other: &[f64]| {
            list.iter().fold(0.0_f64, |most, &Weighted { at, weight }| {
                let place = width * at + lane;
                most.max((one[place] - other[place]).abs() * weight)
            })
        };
        let jumped = |block: &&Block| {
            let correction = farthest(&block.dependent, start, closed);
            correction > LEAST && {
                let way = farthest(&block.dependent, start, from);
                let way = way.max(farthest(&block.others, closed, from));
                correction > LEAST + PART * way
            }
        };
        self.blocks.iter().find(jumped).map(|block| block.row)
    }

    /// Returns `true` if there is no loop.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Marks the coordinates that are dependent; those of a quaternion are if one of its axes is.
    pub fn mark(&self, marks: &mut [bool]) {
        let all = self.blocks.iter().flat_map(|block| &block.dependent);
        all.for_each(|one| marks[one.at] = true);
    }
}

/// The coordinates that a speed changes.
pub(crate) fn changed(mechanism: &Mechanism, speed: usize) -> Range<usize> {
    let joint = mechanism.joints.iter().find(|joint| joint.speeds.contains(&speed));
    let joint: &Joint = joint.expect("every speed belongs to a joint");
    let (first, at) = (joint.coordinates.start, speed - joint.speeds.start);
    match joint.quaternion() {
        None => first + at..first + at + 1,
        // The first three speeds of a free joint move its origin.
        Some(quaternion) if first < quaternion.start && at < 3 => first..quaternion.start,
        Some(quaternion) => quaternion,
    }
}
