//! Gathering: sines and cosines of angles that are known early stand side by side, so that whoever
//! writes code can compute several of them at once. Sums of angles go along.
//!
//! A sine moves to the place of the first one that could have waited for it: behind all that its
//! angle is made of. What is moved is moved to an earlier place, behind what it reads, so that the
//! program stays valid and every value the same. This is no part of [`optimise`](super::optimise):
//! values live longer, which pays only if sines become cheaper.

use crate::index::{RegionId, Value};
use crate::operation::{ArithmeticOperation, Operation};
use crate::program::{Block, Program};
use rotule_symbolic::Unary;
use rustc_hash::FxHashMap;

/// Angles that stand together at most: their sines and cosines are alive until they are read.
const MOST: usize = 64;

/// Statements that move for one angle at most.
const CONE: usize = 16;

/// The argument of a sine or cosine.
pub fn angle(operation: Operation) -> Option<Value> {
    match operation {
        Operation::Unary(Unary::Sin | Unary::Cos, angle) => Some(angle),
        _ => None,
    }
}

/// Puts sines and cosines of `body` and of all regions side by side.
pub fn batch_trigonometry(program: &mut Program) {
    let mut scratch = Scratch {
        position: vec![OUTSIDE; program.len()],
        ready: vec![OUTSIDE; program.len()],
        moved: vec![OUTSIDE; program.len()],
    };
    for region in 0..program.regions().len() {
        gather_block(program, Block::Region(RegionId::new(region)), &mut scratch);
    }
    gather_block(program, Block::Body, &mut scratch);
}

/// A place before all statements of a block.
const OUTSIDE: i64 = -1;

/// Properties of each value while its block is processed; elsewhere nothing.
struct Scratch {
    /// Where the statement is listed.
    position: Vec<i64>,
    /// Behind which place it could be computed, sums being moved as needed.
    ready: Vec<i64>,
    /// To which place it is moved.
    moved: Vec<i64>,
}

/// Sines and cosines that stand together.
struct Pack {
    place: i64,
    angles: usize,
    /// Sums that move to the place.
    cone: Vec<Value>,
    /// The number of the angle, and the sine or cosine.
    members: Vec<(usize, Value)>,
}

fn gather_block(program: &mut Program, block: Block, scratch: &mut Scratch) {
    let list = program.block(block).to_vec();
    for (at, &value) in list.iter().enumerate() {
        scratch.position[value.index()] = at as i64;
    }
    let packs = packs(program, &list, scratch);
    if !packs.is_empty() {
        let mut order = Vec::with_capacity(list.len());
        let mut packs = packs.into_iter().peekable();
        for (at, &value) in list.iter().enumerate() {
            if let Some(mut pack) = packs.next_if(|pack| pack.place == at as i64) {
                pack.cone.sort_unstable_by_key(|value| scratch.position[value.index()]);
                pack.members.sort_by_key(|&(angle, _)| angle);
                order.extend(pack.cone);
                order.extend(pack.members.iter().map(|&(_, value)| value));
            }
            let moves = scratch.moved[value.index()] != OUTSIDE;
            if !moves && angle(program.operation(value)).is_none() {
                order.push(value);
            }
        }
        *program.block_mut(block) = order;
    }
    for value in list {
        scratch.position[value.index()] = OUTSIDE;
        scratch.ready[value.index()] = OUTSIDE;
        scratch.moved[value.index()] = OUTSIDE;
    }
}

/// Packs of sines and cosines of a block, in the order of their places.
fn packs(program: &Program, list: &[Value], scratch: &mut Scratch) -> Vec<Pack> {
    let mut packs: Vec<Pack> = Vec::new();
    // The pack of an angle, and its number there.
    let mut known: FxHashMap<Value, (usize, usize)> = FxHashMap::default();
    for (at, &value) in list.iter().enumerate() {
        let at = at as i64;
        let operation = program.operation(value);
        let Some(angle) = angle(operation) else {
            scratch.ready[value.index()] = match is_sum(operation) {
                true => latest(program, operation, &scratch.ready),
                false => at,
            };
            continue;
        };
        let (pack, number) = *known.entry(angle).or_insert_with(|| {
            let ready = scratch.ready[angle.index()];
            let open = packs.last().filter(|pack| pack.place > ready && pack.angles < MOST);
            let cone = open.and_then(|pack| cone(program, angle, pack.place, scratch));
            match (packs.last_mut(), cone) {
                (Some(pack), Some(cone)) => {
                    cone.iter().for_each(|one| scratch.moved[one.index()] = pack.place);
                    pack.cone.extend(cone);
                    pack.angles += 1;
                }
                _ => {
                    let (cone, members) = (Vec::new(), Vec::new());
                    packs.push(Pack { place: at, angles: 1, cone, members });
                }
            }
            let last = packs.len() - 1;
            (last, packs[last].angles - 1)
        });
        packs[pack].members.push((number, value));
        scratch.ready[value.index()] = packs[pack].place;
    }
    packs
}

/// Returns `true` if it is cheap enough to be moved.
fn is_sum(operation: Operation) -> bool {
    match operation {
        Operation::Neg(_) => true,
        Operation::Arithmetic(arithmetic, ..) => arithmetic != ArithmeticOperation::Div,
        _ => false,
    }
}

fn latest(program: &Program, operation: Operation, ready: &[i64]) -> i64 {
    let mut found = OUTSIDE;
    program.operands(operation, |operand| found = found.max(ready[operand.index()]));
    found
}

/// Statements that must move for an angle to be known at a place; none if they are too many.
fn cone(program: &Program, angle: Value, place: i64, scratch: &Scratch) -> Option<Vec<Value>> {
    let (mut found, mut open) = (Vec::new(), vec![angle]);
    while let Some(value) = open.pop() {
        let stays = scratch.position[value.index()] < place;
        let gone = scratch.moved[value.index()] != OUTSIDE;
        // A sine is in a pack already, and `ready` says that it is an earlier one.
        if stays || gone || !is_sum(program.operation(value)) || found.contains(&value) {
            continue;
        }
        found.push(value);
        if found.len() > CONE {
            return None;
        }
        program.operands(program.operation(value), |operand| open.push(operand));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse, verify};

    /// The operations of `body` in order, by their words.
    fn check(text: &str, expected: &str) {
        let mut program = parse(text).unwrap_or_else(|problem| panic!("{problem:?}"));
        batch_trigonometry(&mut program);
        assert!(verify(&program).is_ok(), "{}", crate::print(&program));
        let words: Vec<&str> =
            program.block(Block::Body).iter().map(|&v| program.operation(v).word()).collect();
        assert_eq!(words.join(" "), expected, "{}", crate::print(&program));
    }

    #[test]
    fn sines_come_together_with_their_sums() {
        check(
            "program p
            input a coordinate
            input b coordinate
            body
              %1 = cos a
              %2 = sqrt %1
              %3 = add a b
              %4 = sin %3
              %5 = mul %2 %4
              %6 = sin a
              %7 = mul %6 %5
            output y(1)
              (0) = %7",
            "add cos sin sin sqrt mul mul",
        );
    }

    #[test]
    fn what_is_known_late_stays_late() {
        check(
            "program p
            input a coordinate
            input b coordinate
            body
              %1 = cos a
              %2 = sqrt %1
              %3 = sin %2
              %4 = sin b
              %5 = div a b
              %6 = cos %5
              %7 = add %3 %4
              %8 = mul %7 %6
            output y(1)
              (0) = %8",
            "cos sqrt sin sin div cos add mul",
        );
    }
}
