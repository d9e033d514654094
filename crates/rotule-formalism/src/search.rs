//! A search for shorter programs: free choices are made otherwise, one after the other, and what
//! shortens stays.
//!
//! Rules of thumb decide well, each by itself; together they miss what only a count shows. From the
//! choices of the rules the search goes to better ones step by step: each trial makes one choice or
//! two otherwise, writes the function to its end and keeps what is shorter. Trials are counted and
//! not timed, and which comes when follows from its number, so that the same request gives the same
//! program everywhere.

use crate::choices::{Choices, NodeChoice, groups};
use crate::formalism::{Formalism, WrittenFunction, least_form};
use crate::function::ModelFunction;
use crate::system::MultibodySystem;
use crate::tree::NodeId;
use rotule_symbolic::random::{GOLDEN, scramble};

/// A choice to be made otherwise.
#[derive(Clone)]
enum Move {
    /// At the nodes of a group.
    Group(NodeChoice, Vec<NodeId>),
    /// Another unit of length.
    Unit(usize),
    /// Another order of operands.
    Order(u32),
}

/// The numbers of units of length and of orders of operands that are tried.
const UNITS: usize = 4;
const ORDERS: u32 = 6;

/// Improves a program by so many trials.
pub(crate) fn improve(
    tree: &MultibodySystem,
    function: &ModelFunction,
    formalism: Formalism,
    mut best: WrittenFunction,
    trials: u32,
) -> WrittenFunction {
    let moves = moves(tree);
    let mut tree = tree.clone();
    let (mut chosen, mut seed) = (tree.strategy.choices.clone(), 0);
    for trial in 0..trials as usize {
        let mut next = chosen.clone();
        let mut shuffle = seed;
        match trial / moves.len() {
            // All moves once, then pairs of them and other orders of sharing.
            0 => apply(&moves[trial], &mut next),
            _ => {
                let bits = random(trial as u64);
                apply(&moves[bits as usize % moves.len()], &mut next);
                match bits >> 62 {
                    0 => {}
                    1 => (next, shuffle) = (chosen.clone(), bits >> 8 | 1),
                    _ => apply(&moves[(bits >> 24) as usize % moves.len()], &mut next),
                }
            }
        }
        tree.strategy.choices = next;
        let Ok(made) = least_form(&tree, function, formalism, shuffle) else { continue };
        if made.operations() < best.operations() {
            best = made;
            (chosen, seed) = (tree.strategy.choices.clone(), shuffle);
        }
    }
    best
}

fn apply(one: &Move, choices: &mut Choices) {
    match one {
        Move::Group(choice, nodes) => choices.flip(*choice, nodes),
        Move::Unit(number) => choices.unit = if choices.unit == *number { 0 } else { *number },
        Move::Order(salt) => choices.order = if choices.order == *salt { 0 } else { *salt },
    }
}

/// All moves there are: those that change most first, from the outermost nodes inwards.
fn moves(tree: &MultibodySystem) -> Vec<Move> {
    let mut moves: Vec<Move> = (1..=UNITS).map(Move::Unit).collect();
    moves.extend((1..=ORDERS).map(|number| Move::Order(random(u64::from(number)) as u32)));
    let groups = groups(tree);
    for choice in NodeChoice::ALL {
        moves.extend(groups.iter().rev().map(|group| Move::Group(choice, group.clone())));
    }
    moves
}

/// A number that looks random.
fn random(number: u64) -> u64 {
    scramble(number.wrapping_mul(GOLDEN).wrapping_add(0x632b_e59b_d9b4_e019))
}
