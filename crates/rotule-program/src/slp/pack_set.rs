//! The order of packs and other statements: pack sets, and statements that have to come in between.

use super::PackSettings;
use super::flat::{Flat, reads};
use super::pair::{Pairs, weight};
use crate::index::Value;
use crate::operation::Operation;
use crate::program::{Block, Program};

/// Packs in pack sets.
pub(super) struct PackSets {
    pub pairs: Pairs,
    /// The packs of each pack set, in order.
    pub pack_sets: Vec<Vec<u32>>,
    /// The statements before each pack set and behind the last.
    pub between: Vec<Vec<Value>>,
}

/// Levels that take longer to settle are not worth it.
const ROUNDS: usize = 64;

impl PackSets {
    pub fn of(
        program: &Program,
        flat: &Flat,
        mut pairs: Pairs,
        settings: &PackSettings,
    ) -> Option<PackSets> {
        let body = program.block(Block::Body);
        for _ in 0..ROUNDS {
            if pairs.inside == 0 {
                return None;
            }
            let levels = Levels::of(program, flat, &pairs)?;
            let count =
                levels.of_pack.iter().flatten().max().map_or(0, |&level| level as usize + 1);
            let mut pack_sets: Vec<Vec<u32>> = vec![Vec::new(); count];
            // The order of the first copy's statements keeps what is read soon after it was
            // computed.
            for value in body {
                if let Some(pack) = pairs.of[value.index()]
                    && pairs.packs[pack as usize][0] == *value
                    && let Some(level) = levels.of_pack[pack as usize]
                {
                    pack_sets[level as usize].push(pack);
                }
            }
            let mut gains = Gains::of(program, flat, &pairs, &levels);
            let poor: Vec<u32> = pack_sets
                .iter()
                .filter(|pack_set| gains.gain(flat, &pairs, pack_set) < settings.least)
                .flatten()
                .copied()
                .collect();
            if poor.is_empty() {
                let pack_sets = sorted(flat, &pairs, pack_sets);
                return Some(finish(program, flat, pairs, pack_sets, &levels, settings));
            }
            // What is too little for a pack set is computed apart, which changes what waits for
            // what.
            for pack in poor {
                pairs.inside -= weight(flat, pairs.packs[pack as usize][0]) * pairs.copies as u64;
                for value in &pairs.packs[pack as usize] {
                    pairs.of[value.index()] = None;
                }
            }
        }
        None
    }
}

/// The pack set that each statement waits for.
struct Levels {
    of_value: Vec<u32>,
    of_pack: Vec<Option<u32>>,
}

impl Levels {
    /// A pack runs in the pack set of what it reads; any other statement behind the packs that it
    /// reads.
    fn of(program: &Program, flat: &Flat, pairs: &Pairs) -> Option<Levels> {
        let mut of_value = vec![0_u32; program.len()];
        let mut of_pack: Vec<u32> = vec![0; pairs.packs.len()];
        for _ in 0..ROUNDS {
            let mut changed = false;
            for &value in program.block(Block::Body) {
                let (mut level, pack) = (0, pairs.of[value.index()]);
                let mut wait = |read: Value, behind: u32| {
                    let other = match pairs.of[read.index()] {
                        Some(pack) => of_pack[pack as usize] + behind,
                        None => of_value[read.index()],
                    };
                    level = level.max(other);
                };
                let place = match pack {
                    Some(pack) => {
                        flat.parts(value).iter().for_each(|part| wait(part.value, 0));
                        &mut of_pack[pack as usize]
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
                let alive =
                    |pack: usize| pairs.of[pairs.packs[pack][0].index()].map(|_| of_pack[pack]);
                let of_pack = (0..of_pack.len()).map(alive).collect();
                return Some(Levels { of_value, of_pack });
            }
        }
        None
    }
}

/// Gains of packing pack sets: operations saved, less the moves of numbers into and out of lanes.
struct Gains {
    /// Of each pack, how often statements that are no packs read it, and outputs.
    left: Vec<u64>,
    /// Values that have come into lanes of the present pack set already, by its number.
    come: Vec<u32>,
    now: u32,
}

impl Gains {
    fn of(program: &Program, flat: &Flat, pairs: &Pairs, levels: &Levels) -> Gains {
        let mut left = vec![0; pairs.packs.len()];
        let needed = needed(program, flat, pairs);
        let mut leave = |value: Value| {
            if let Some(pack) = pairs.of[value.index()] {
                left[pack as usize] += 1;
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

    /// Operations that a pack set saves.
    fn gain(&mut self, flat: &Flat, pairs: &Pairs, pack_set: &[u32]) -> u64 {
        self.now += 1;
        let (mut saved, mut spent) = (0, 0);
        for &pack in pack_set {
            let values = &pairs.packs[pack as usize];
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
            spent += self.left[pack as usize].div_ceil(2);
        }
        saved.saturating_sub(spent)
    }
}

/// Each pack set such that what a pack reads comes before it. The copies may have been scheduled
/// differently, so that the order of the first is not always one of the others.
fn sorted(flat: &Flat, pairs: &Pairs, pack_sets: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let mut done = vec![true; pairs.packs.len()];
    pack_sets.iter().flatten().for_each(|&pack| done[pack as usize] = false);
    let sort = |pack_set: &Vec<u32>| {
        let mut order: Vec<u32> = Vec::with_capacity(pack_set.len());
        let mut stack: Vec<(u32, bool)> = Vec::new();
        for &root in pack_set {
            stack.push((root, false));
            while let Some((pack, opened)) = stack.pop() {
                if opened {
                    order.push(pack);
                    continue;
                }
                if std::mem::replace(&mut done[pack as usize], true) {
                    continue;
                }
                stack.push((pack, true));
                for &value in &pairs.packs[pack as usize] {
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
    pack_sets.iter().map(sort).collect()
}

fn finish(
    program: &Program,
    flat: &Flat,
    pairs: Pairs,
    pack_sets: Vec<Vec<u32>>,
    levels: &Levels,
    settings: &PackSettings,
) -> PackSets {
    let mut between: Vec<Vec<Value>> = vec![Vec::new(); pack_sets.len() + 1];
    let needed = needed(program, flat, &pairs);
    for &value in program.block(Block::Body) {
        if needed[value.index()] && pairs.of[value.index()].is_none() {
            between[levels.of_value[value.index()] as usize].push(value);
        }
    }
    // Long pack sets are cut; nothing stands between their parts.
    let (mut cut, mut apart) = (Vec::new(), Vec::new());
    for (pack_set, before) in pack_sets.iter().zip(&between) {
        let (mut part, mut size) = (Vec::new(), 0);
        apart.push(before.clone());
        for &pack in pack_set {
            if size >= settings.most {
                cut.push(std::mem::take(&mut part));
                apart.push(Vec::new());
                size = 0;
            }
            size += weight(flat, pairs.packs[pack as usize][0]);
            part.push(pack);
        }
        cut.push(part);
    }
    apart.push(between.pop().unwrap_or_default());
    PackSets { pairs, pack_sets: cut, between: apart }
}

/// Statements that somebody reads now that packs read through minuses and parts of sums.
fn needed(program: &Program, flat: &Flat, pairs: &Pairs) -> Vec<bool> {
    let mut needed = vec![false; program.len()];
    for entry in program.outputs().iter().flat_map(|output| &output.entries) {
        needed[entry.value.index()] = true;
    }
    for &value in pairs.packs.iter().flatten().filter(|value| pairs.of[value.index()].is_some()) {
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
