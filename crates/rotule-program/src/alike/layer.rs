//! In which order tuples and other statements run: layers of tuples, and what has to come in
//! between.

use super::PackSettings;
use super::flat::{Flat, reads};
use super::pair::{Pairs, weight};
use crate::index::Value;
use crate::operation::Operation;
use crate::program::{Block, Program};

/// Tuples in layers.
pub(super) struct Layers {
    pub pairs: Pairs,
    /// The tuples of each layer, in order.
    pub layers: Vec<Vec<u32>>,
    /// The statements before each layer and behind the last.
    pub between: Vec<Vec<Value>>,
}

/// Levels that take longer to settle are not worth it.
const ROUNDS: usize = 64;

impl Layers {
    pub fn of(
        program: &Program,
        flat: &Flat,
        mut pairs: Pairs,
        settings: &PackSettings,
    ) -> Option<Layers> {
        let body = program.block(Block::Body);
        for _ in 0..ROUNDS {
            if pairs.inside == 0 {
                return None;
            }
            let levels = Levels::of(program, flat, &pairs)?;
            let count =
                levels.of_tuple.iter().flatten().max().map_or(0, |&level| level as usize + 1);
            let mut layers: Vec<Vec<u32>> = vec![Vec::new(); count];
            // The order of the first copy's statements keeps what is read soon after it was
            // computed.
            for value in body {
                if let Some(tuple) = pairs.of[value.index()]
                    && pairs.tuples[tuple as usize][0] == *value
                    && let Some(level) = levels.of_tuple[tuple as usize]
                {
                    layers[level as usize].push(tuple);
                }
            }
            let mut gains = Gains::of(program, flat, &pairs, &levels);
            let poor: Vec<u32> = layers
                .iter()
                .filter(|layer| gains.gain(flat, &pairs, layer) < settings.least)
                .flatten()
                .copied()
                .collect();
            if poor.is_empty() {
                let layers = sorted(flat, &pairs, layers);
                return Some(finish(program, flat, pairs, layers, &levels, settings));
            }
            // What is too little for a layer is computed apart, which changes what waits for what.
            for tuple in poor {
                pairs.inside -= weight(flat, pairs.tuples[tuple as usize][0]) * pairs.copies as u64;
                for value in &pairs.tuples[tuple as usize] {
                    pairs.of[value.index()] = None;
                }
            }
        }
        None
    }
}

/// The layer that each statement waits for.
struct Levels {
    of_value: Vec<u32>,
    of_tuple: Vec<Option<u32>>,
}

impl Levels {
    /// A tuple runs in the layer of what it reads; any other statement behind the tuples that it
    /// reads.
    fn of(program: &Program, flat: &Flat, pairs: &Pairs) -> Option<Levels> {
        let mut of_value = vec![0_u32; program.len()];
        let mut of_tuple: Vec<u32> = vec![0; pairs.tuples.len()];
        for _ in 0..ROUNDS {
            let mut changed = false;
            for &value in program.block(Block::Body) {
                let (mut level, tuple) = (0, pairs.of[value.index()]);
                let mut wait = |read: Value, behind: u32| {
                    let other = match pairs.of[read.index()] {
                        Some(tuple) => of_tuple[tuple as usize] + behind,
                        None => of_value[read.index()],
                    };
                    level = level.max(other);
                };
                let place = match tuple {
                    Some(tuple) => {
                        flat.parts(value).iter().for_each(|part| wait(part.value, 0));
                        &mut of_tuple[tuple as usize]
                    }
                    None => {
                        reads(program, value, &mut |read| wait(read, 1));
                        &mut of_value[value.index()]
                    }
                };
                if level > *place {
                    *place = level;
                    changed = true;
                }
            }
            if !changed {
                let alive = |tuple: usize| {
                    pairs.of[pairs.tuples[tuple][0].index()].map(|_| of_tuple[tuple])
                };
                let of_tuple = (0..of_tuple.len()).map(alive).collect();
                return Some(Levels { of_value, of_tuple });
            }
        }
        None
    }
}

/// Gains of packing layers: operations saved, less the moves of numbers into and out of lanes.
struct Gains {
    /// Of each tuple, how often statements that are no tuples read it, and outputs.
    left: Vec<u64>,
    /// Values that have come into lanes of the present layer already, by its number.
    come: Vec<u32>,
    now: u32,
}

impl Gains {
    fn of(program: &Program, flat: &Flat, pairs: &Pairs, levels: &Levels) -> Gains {
        let mut left = vec![0; pairs.tuples.len()];
        let needed = needed(program, flat, pairs);
        let mut leave = |value: Value| {
            if let Some(tuple) = pairs.of[value.index()] {
                left[tuple as usize] += 1;
            }
        };
        for &value in program.block(Block::Body) {
            if pairs.of[value.index()].is_none() && needed[value.index()] {
                reads(program, value, &mut leave);
            }
        }
        program.outputs().iter().flat_map(|output| &output.entries).for_each(|e| leave(e.value));
        Gains { left, come: vec![0; levels.of_value.len()], now: 0 }
    }

    /// Operations that a layer saves.
    fn gain(&mut self, flat: &Flat, pairs: &Pairs, layer: &[u32]) -> u64 {
        self.now += 1;
        let (mut saved, mut spent) = (0, 0);
        for &tuple in layer {
            let values = &pairs.tuples[tuple as usize];
            saved += weight(flat, values[0]) * (values.len() as u64 - 1);
            for &value in values {
                for part in flat.parts(value) {
                    let outside =
                        pairs.of[part.value.index()].is_none() && !pairs.fixed[part.value.index()];
                    let come = &mut self.come[part.value.index()];
                    if outside && std::mem::replace(come, self.now) != self.now {
                        spent += 1;
                    }
                }
            }
            // Reading a number out of memory is cheap: it would often have been there anyway.
            spent += self.left[tuple as usize].div_ceil(2);
        }
        saved.saturating_sub(spent)
    }
}

/// Each layer such that what a tuple reads comes before it. The copies may have been scheduled
/// differently, so that the order of the first is not always one of the others.
fn sorted(flat: &Flat, pairs: &Pairs, layers: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let mut done = vec![true; pairs.tuples.len()];
    layers.iter().flatten().for_each(|&tuple| done[tuple as usize] = false);
    let sort = |layer: &Vec<u32>| {
        let mut order: Vec<u32> = Vec::with_capacity(layer.len());
        let mut stack: Vec<(u32, bool)> = Vec::new();
        for &root in layer {
            stack.push((root, false));
            while let Some((tuple, opened)) = stack.pop() {
                if opened {
                    order.push(tuple);
                    continue;
                }
                if std::mem::replace(&mut done[tuple as usize], true) {
                    continue;
                }
                stack.push((tuple, true));
                for &value in &pairs.tuples[tuple as usize] {
                    for part in flat.parts(value) {
                        if let Some(read) = pairs.of[part.value.index()]
                            && !done[read as usize]
                        {
                            stack.push((read, false));
                        }
                    }
                }
            }
        }
        order
    };
    layers.iter().map(sort).collect()
}

fn finish(
    program: &Program,
    flat: &Flat,
    pairs: Pairs,
    layers: Vec<Vec<u32>>,
    levels: &Levels,
    settings: &PackSettings,
) -> Layers {
    let mut between: Vec<Vec<Value>> = vec![Vec::new(); layers.len() + 1];
    let needed = needed(program, flat, &pairs);
    for &value in program.block(Block::Body) {
        if needed[value.index()] && pairs.of[value.index()].is_none() {
            between[levels.of_value[value.index()] as usize].push(value);
        }
    }
    // Long layers are cut; nothing stands between their parts.
    let (mut cut, mut apart) = (Vec::new(), Vec::new());
    for (layer, before) in layers.iter().zip(&between) {
        let (mut part, mut size) = (Vec::new(), 0);
        apart.push(before.clone());
        for &tuple in layer {
            if size >= settings.most {
                cut.push(std::mem::take(&mut part));
                apart.push(Vec::new());
                size = 0;
            }
            size += weight(flat, pairs.tuples[tuple as usize][0]);
            part.push(tuple);
        }
        cut.push(part);
    }
    apart.push(between.pop().unwrap_or_default());
    Layers { pairs, layers: cut, between: apart }
}

/// Statements that somebody reads now that tuples read through minuses and parts of sums.
fn needed(program: &Program, flat: &Flat, pairs: &Pairs) -> Vec<bool> {
    let mut needed = vec![false; program.len()];
    for entry in program.outputs().iter().flat_map(|output| &output.entries) {
        needed[entry.value.index()] = true;
    }
    for &value in pairs.tuples.iter().flatten().filter(|value| pairs.of[value.index()].is_some()) {
        flat.parts(value).iter().for_each(|part| needed[part.value.index()] = true);
    }
    for &value in program.block(Block::Body).iter().rev() {
        let picks = matches!(program.operation(value), Operation::Result { .. });
        if pairs.of[value.index()].is_none() && (needed[value.index()] || picks) {
            reads(program, value, &mut |read| needed[read.index()] = true);
            needed[value.index()] = true;
        }
    }
    needed
}
