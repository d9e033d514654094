//! Inputs of each copy: those whose surroundings are isomorphic.
//!
//! The colour of a value is what it is, and after each round what it was together with the colours
//! of what it reads and of who reads it. Numbers have one colour. After a round or two the inputs
//! of four legs have four by four the same colours, while those of the trunk have colours of their
//! own; after many rounds small differences have reached everything. Within a class the copies are
//! in the order of the inputs, as models name limb after limb. Where most classes have one distance
//! from copy to copy, inputs that were left over are put at that distance.

use super::flat::{Flat, hash};
use crate::index::{InputId, Value};
use crate::program::{Block, Program};
use rotule_symbolic::Kind;
use rustc_hash::FxHashMap;

/// Of each value that is an input of a copy, its class and its copy.
pub(super) struct Candidate {
    pub copies: usize,
    pub of: Vec<Option<(u32, u8)>>,
}

/// Rounds of colouring that are tried.
const ROUNDS: usize = 3;
/// Of each colouring, so many numbers of copies are tried.
const TRIED: usize = 2;

/// Ways to take the inputs for those of copies.
pub(super) fn candidates(program: &Program, flat: &Flat, widest: usize) -> Vec<Candidate> {
    let mut colours = first_colours(program, flat);
    let mut found = Vec::new();
    let mut known: Vec<Vec<Option<(u32, u8)>>> = Vec::new();
    for _ in 0..ROUNDS {
        colours = next_colours(program, flat, &colours);
        let classes = classes(program, &colours);
        let mut inputs_by_size = vec![0; widest + 1];
        for class in classes.iter().filter(|class| class.len() <= widest) {
            inputs_by_size[class.len()] += class.len();
        }
        let mut sizes: Vec<usize> = (2..=widest).filter(|&k| inputs_by_size[k] > 0).collect();
        sizes.sort_by_key(|&k| std::cmp::Reverse((inputs_by_size[k], k)));
        for &copies in sizes.iter().take(TRIED) {
            let of = assign(program, &classes, copies);
            if !known.contains(&of) {
                known.push(of.clone());
                found.push(Candidate { copies, of });
            }
        }
    }
    found
}

fn first_colours(program: &Program, flat: &Flat) -> Vec<u64> {
    let mut colours = vec![hash("number"); program.len()];
    for (at, input) in program.inputs().iter().enumerate() {
        if input.kind != Kind::Parameter {
            let value = program.input_value(InputId::new(at));
            colours[value.index()] = hash((input.kind as u8, flat.given[value.index()]));
        }
    }
    for &value in program.block(Block::Body) {
        let tag = flat.node(value).map_or_else(|| hash(value.index()), |node| node.tag);
        colours[value.index()] = hash((tag, flat.given[value.index()]));
    }
    colours
}

fn next_colours(program: &Program, flat: &Flat, old: &[u64]) -> Vec<u64> {
    let mut colours = old.to_vec();
    let mut around: Vec<u64> = Vec::new();
    let mut renew = |value: Value| {
        let sorted = |around: &mut Vec<u64>, list: &mut dyn Iterator<Item = Value>| {
            around.clear();
            around.extend(list.map(|value| old[value.index()]));
            around.sort_unstable();
            hash(around.as_slice())
        };
        let below = sorted(&mut around, &mut flat.parts(value).iter().map(|part| part.value));
        let above = sorted(&mut around, &mut flat.readers(value).iter().copied());
        colours[value.index()] = hash((old[value.index()], below, above));
    };
    for (at, input) in program.inputs().iter().enumerate() {
        if input.kind != Kind::Parameter {
            renew(program.input_value(InputId::new(at)));
        }
    }
    program.block(Block::Body).iter().filter(|&&v| flat.root(v).is_some()).for_each(|&v| renew(v));
    colours
}

/// The inputs by colour, each class in the order of the inputs.
fn classes(program: &Program, colours: &[u64]) -> Vec<Vec<InputId>> {
    let mut number: FxHashMap<u64, usize> = FxHashMap::default();
    let mut classes: Vec<Vec<InputId>> = Vec::new();
    for (at, input) in program.inputs().iter().enumerate() {
        if matches!(input.kind, Kind::Parameter | Kind::Time) {
            continue;
        }
        let id = InputId::new(at);
        let class = *number.entry(colours[program.input_value(id).index()]).or_insert_with(|| {
            classes.push(Vec::new());
            classes.len() - 1
        });
        classes[class].push(id);
    }
    classes
}

fn assign(program: &Program, classes: &[Vec<InputId>], copies: usize) -> Vec<Option<(u32, u8)>> {
    let mut of = vec![None; program.len()];
    let mut number = 0;
    let mut give = |of: &mut Vec<Option<(u32, u8)>>, class: &[InputId]| {
        for (copy, &input) in class.iter().enumerate() {
            of[program.input_value(input).index()] = Some((number, copy as u8));
        }
        number += 1;
    };
    let whole: Vec<&Vec<InputId>> = classes.iter().filter(|class| class.len() == copies).collect();
    whole.iter().for_each(|class| give(&mut of, class));
    // Inputs of one kind lie side by side, so that distances can be taken in all of them together.
    let mut runs: FxHashMap<Kind, (usize, usize)> = FxHashMap::default();
    for class in &whole {
        let distance = class[1].index() - class[0].index();
        let even = class.windows(2).all(|pair| pair[1].index() - pair[0].index() == distance);
        if even {
            let kind = program.inputs()[class[0].index()].kind;
            let run = runs.entry(kind).or_insert((distance, class[0].index()));
            if run.0 == distance {
                run.1 = run.1.min(class[0].index());
            }
        }
    }
    let inputs = program.inputs();
    let mut kinds: Vec<(usize, usize)> = runs.into_values().collect();
    kinds.sort_unstable();
    for (distance, first) in kinds {
        // Behind the first one that is known, then before it.
        let behind = first..first + distance;
        for at in behind.chain((first.saturating_sub(distance - 1)..first).rev()) {
            let class: Vec<InputId> =
                (0..copies).map(|copy| InputId::new(at + copy * distance)).collect();
            let free = |id: &InputId| {
                inputs.get(id.index()).is_some_and(|input| input.kind == inputs[first].kind)
                    && of[program.input_value(*id).index()].is_none()
            };
            if class.iter().all(free) {
                give(&mut of, &class);
            }
        }
    }
    of
}
