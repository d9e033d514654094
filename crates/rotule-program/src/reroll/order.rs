//! The order of all that runs: phases copy by copy, and statements of no copy as late as they can
//! be.
//!
//! Statements that could interrupt the copies of a level wait until it is over, unless the level
//! itself needs them.

use super::form::packs;
use super::seeds::Scene;
use super::times::{Time, Timed};
use super::{Phase, RunItem};
use crate::index::Value;
use crate::program::Block;
use crate::slp::flat::{reads, weight};
use std::collections::BTreeMap;

/// Where a statement of no copy stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// Before or behind a level, counted from one before the first.
    Between(u32),
    /// In level, just before that part of a copy.
    Before(Time),
}

impl Key {
    /// A key that sorts among levels: twice the level for what is between, one more within.
    fn sort(self) -> (u32, Option<Time>) {
        match self {
            Key::Between(level) => (2 * level, None),
            Key::Before(time) => (2 * time.level + 1, Some(time)),
        }
    }
}

/// Items to run, in order; phases have the numbers that [`phases`] gives them.
pub(super) fn order(scene: &Scene<'_>, timed: &Timed) -> Vec<RunItem> {
    let number: BTreeMap<(u32, u32, u32), usize> =
        lists(timed).into_keys().enumerate().map(|(at, key)| (key, at)).collect();
    let keys = keys(scene, timed);
    // Parts of copies come behind what stands before them.
    let mut items: Vec<Sorted> = Vec::new();
    for (at, &value) in scene.program.block(Block::Body).iter().enumerate() {
        if let Some(key) = keys[value.index()] {
            items.push((key.sort(), false, at as u32, Work::Statement(value)));
        }
    }
    for (&(level, template, place), &phase) in &number {
        for copy in 0..timed.copies[template as usize] {
            let step = if level % 2 == 0 { copy as i64 } else { -(copy as i64) };
            let time = Time { level, template, step, place };
            items.push((Key::Before(time).sort(), true, 0, Work::Part { phase, copy }));
        }
    }
    items.sort_unstable_by_key(|&(key, part, at, _)| (key, part, at));
    runs(items.into_iter().map(|(.., work)| work))
}

/// About how many bytes of code something is: operations, and what it takes to begin and end each
/// part.
pub(super) fn bytes(scene: &Scene<'_>, timed: &Timed) -> u64 {
    let mut bytes = 0;
    let alive = timed.members.iter().zip(&timed.alive).filter(|(_, alive)| **alive);
    bytes += alive.map(|(row, _)| OPERATION * scene.weight(row[0])).sum::<u64>();
    bytes += PHASE * lists(timed).len() as u64;
    // What copies read of statements between them is stored there.
    let mut stored = vec![false; scene.program.len()];
    for value in timed.members.iter().flatten().filter(|value| timed.of[value.index()].is_some()) {
        scene.flat.parts(*value).iter().for_each(|part| stored[part.value.index()] = true);
    }
    let mut before = false;
    for item in order(scene, timed) {
        match item {
            RunItem::Statement(value) => {
                bytes += if stored[value.index()] { CROSSING } else { 0 };
                reads(scene.program, value, &mut |read| {
                    bytes += if timed.of[read.index()].is_some() { CROSSING } else { 0 };
                });
                bytes += OPERATION * weight(scene.program, value) + if before { CHUNK } else { 0 };
                before = false;
            }
            RunItem::Run { phases, .. } => {
                bytes += CALL * phases.len() as u64;
                before = true;
            }
        }
    }
    bytes
}

/// About how many bytes straight code is.
pub(super) fn straight(scene: &Scene<'_>) -> u64 {
    let body = scene.program.block(Block::Body);
    body.iter().map(|&value| OPERATION * weight(scene.program, value)).sum()
}

/// Bytes of an operation, of a phase, of a call, of a function between two runs, and of a number
/// that goes from one to the other.
pub(super) const OPERATION: u64 = 10;
const PHASE: u64 = 80;
const CALL: u64 = 20;
const CHUNK: u64 = 40;
const CROSSING: u64 = 9;

/// Work with what it is sorted by: its key, whether it is a part of a copy, and its line.
type Sorted = ((u32, Option<Time>), bool, u32, Work);

#[derive(Clone, Copy)]
enum Work {
    Statement(Value),
    Part { phase: usize, copy: usize },
}

/// The positions of each phase, by level, template and place.
fn lists(timed: &Timed) -> BTreeMap<(u32, u32, u32), Vec<u32>> {
    let mut lists: BTreeMap<(u32, u32, u32), Vec<u32>> = BTreeMap::new();
    for position in (0..timed.members.len()).filter(|&position| timed.alive[position]) {
        let key = (timed.level[position], timed.template[position], timed.place[position]);
        lists.entry(key).or_default().push(position as u32);
    }
    lists
}

/// All phases.
pub(super) fn phases(scene: &Scene<'_>, timed: &Timed) -> Vec<Phase> {
    let each = lists(timed).into_iter().map(|((_, template, _), list)| {
        let (packs, results) = packs(scene, timed, list);
        Phase { template: template as usize, packs, results }
    });
    each.collect()
}

/// Where statements of no copy stand.
fn keys(scene: &Scene<'_>, timed: &Timed) -> Vec<Option<Key>> {
    let program = scene.program;
    let body = program.block(Block::Body);
    let outside = |value: Value| timed.of[value.index()].is_none() && timed.needed[value.index()];
    // Until when each is needed.
    let mut until: Vec<Option<Time>> = vec![None; program.len()];
    let sooner = |known: &mut Option<Time>, time: Option<Time>| {
        if let Some(time) = time
            && known.is_none_or(|known| time < known)
        {
            *known = Some(time);
        }
    };
    for &value in body.iter().rev() {
        match timed.of[value.index()] {
            Some((position, copy)) => {
                let time = timed.time(position, copy);
                for part in scene.flat.parts(value) {
                    sooner(&mut until[part.value.index()], Some(time));
                }
            }
            None if outside(value) => {
                let time = until[value.index()];
                reads(program, value, &mut |read| sooner(&mut until[read.index()], time));
            }
            None => {}
        }
    }
    // From when each is known, and where it stands.
    let mut known: Vec<Option<Time>> = vec![None; program.len()];
    let mut keys: Vec<Option<Key>> = vec![None; program.len()];
    for &value in body {
        if !outside(value) {
            continue;
        }
        let (mut from, mut behind) = (None, None);
        reads(program, value, &mut |read| {
            let time = match timed.of[read.index()] {
                Some((position, copy)) => Some(timed.time(position, copy)),
                None => known[read.index()],
            };
            from = from.max(time);
            behind = behind.max(keys[read.index()].map(Key::sort).zip(keys[read.index()]));
        });
        known[value.index()] = from;
        let own = match (from, until[value.index()]) {
            (None, None) => Key::Between(0),
            (Some(from), None) => Key::Between(from.level + 1),
            (Some(from), Some(until)) if from.level == until.level => Key::Before(until),
            (_, Some(until)) => Key::Between(until.level),
        };
        keys[value.index()] = match behind {
            Some((sort, key)) if sort > own.sort() => Some(key),
            _ => Some(own),
        };
    }
    keys
}

/// Parts of copies that follow each other as runs.
fn runs(works: impl Iterator<Item = Work>) -> Vec<RunItem> {
    let mut items: Vec<RunItem> = Vec::new();
    for work in works {
        match work {
            Work::Statement(value) => items.push(RunItem::Statement(value)),
            Work::Part { phase, copy } => match items.last_mut() {
                // Another phase of the same copy.
                Some(RunItem::Run { phases, first, count: 1, .. })
                    if *first == copy && !phases.contains(&phase) =>
                {
                    phases.push(phase);
                }
                _ => items.push(RunItem::Run {
                    phases: vec![phase],
                    first: copy,
                    count: 1,
                    down: false,
                }),
            },
        }
        merge(&mut items);
    }
    items
}

/// Lets the last run continue the one before it. A run of several phases may only be whole with the
/// next part.
fn merge(items: &mut Vec<RunItem>) {
    let [
        ..,
        RunItem::Run { phases, first, count, down },
        RunItem::Run { phases: new, first: next, count: 1, .. },
    ] = items.as_mut_slice()
    else {
        return;
    };
    if phases != new {
        return;
    }
    let (first, next) = (*first as i64, *next as i64);
    let fits = match (*count, next - first) {
        (1, 1) | (1, -1) => {
            *down = next < first;
            true
        }
        (count, ahead) => ahead == if *down { -(count as i64) } else { count as i64 },
    };
    if fits {
        *count += 1;
        items.pop();
    }
}
