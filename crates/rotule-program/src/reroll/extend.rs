//! Extends all copies in step: what stands at the same place beside each of them joins.
//!
//! A position is a value in each copy. From a position the search goes to what it reads and to who
//! reads it. If there is one value of a colour in nearly every copy, it is a new position. If there
//! are several, they are told apart by which positions they touch already, later if need be, and by
//! their order at last. Positions begin with the seeds, nearest first, so that what belongs to a
//! copy is reached from its own seeds.

use super::RerollSettings;
use super::retiming::{Edge, retimings};
use super::seeds::{CROWD, Scene, Start};
use crate::index::Value;
use crate::slp::flat::hash;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A template that was found.
pub(super) struct Extended {
    pub copies: usize,
    /// The value of each copy, by position; no inputs.
    pub positions: Vec<Vec<Value>>,
    pub saved: u64,
}

impl Extended {
    /// The template as it is, and without copies at its ends.
    pub fn trimmed(self) -> Vec<Extended> {
        let cut = |front: usize, back: usize| {
            let copies = self.copies - front - back;
            let each = self.positions.iter().map(|row| row[front..front + copies].to_vec());
            Extended { copies, positions: each.collect(), saved: self.saved }
        };
        let mut list = Vec::new();
        if self.copies > 4 {
            list.extend([cut(0, 1), cut(1, 0), cut(1, 1)]);
        }
        list.insert(0, self);
        list
    }
}

/// A position joins if it exists in so many of three copies.
const OF_THREE: usize = 2;

/// The copy and the position of a value.
type Slot = Option<(u32, u32)>;

struct Extension<'a> {
    scene: &'a Scene<'a>,
    taken: &'a [bool],
    copies: usize,
    positions: Vec<Vec<Option<Value>>>,
    slot: FxHashMap<Value, (u32, u32)>,
}

pub(super) fn extend(
    scene: &Scene<'_>,
    taken: &[bool],
    start: &Start,
    settings: &RerollSettings,
) -> Option<Extended> {
    let copies = start.first()?.len();
    let mut extension =
        Extension { scene, taken, copies, positions: Vec::new(), slot: FxHashMap::default() };
    for seeds in start {
        extension.join(seeds.clone());
    }
    extension.spread();
    extension.retiming();
    extension.choose(settings)
}

impl Extension<'_> {
    fn slot(&self, value: Value) -> Slot {
        self.slot.get(&value).copied()
    }

    fn free(&self, value: Value) -> bool {
        let at = value.index();
        self.scene.open[at] && !self.taken[at] && !self.slot.contains_key(&value)
    }

    fn join(&mut self, members: Vec<Option<Value>>) {
        let position = self.positions.len() as u32;
        for (copy, member) in members.iter().enumerate() {
            if let Some(value) = member {
                self.slot.insert(*value, (position, copy as u32));
            }
        }
        self.positions.push(members);
    }

    fn spread(&mut self) {
        let mut queue: VecDeque<usize> = (0..self.positions.len()).collect();
        let mut later: Vec<usize> = Vec::new();
        // First by colour, then by what is touched, then by order.
        for means in 0..3 {
            loop {
                let before = self.positions.len();
                while let Some(position) = queue.pop_front() {
                    let known = self.positions.len();
                    if self.beside(position, means) {
                        later.push(position);
                    }
                    queue.extend(known..self.positions.len());
                }
                queue.extend(later.drain(..));
                // Colours alone say the same the second time.
                if self.positions.len() == before || means == 0 {
                    break;
                }
            }
        }
    }

    /// Joins what stands beside a position; gives back whether something there is not told apart
    /// yet.
    fn beside(&mut self, position: usize, means: usize) -> bool {
        let mut found: Vec<(u64, u32, Value)> = Vec::new();
        for copy in 0..self.copies {
            let Some(member) = self.positions[position][copy] else { continue };
            let colours = &self.scene.colours[1];
            let mut see = |relation: u8, value: Value| {
                if self.free(value) {
                    let key = match means {
                        0 => hash((relation, colours[value.index()])),
                        _ => hash((relation, colours[value.index()], self.touch(value, copy))),
                    };
                    found.push((key, copy as u32, value));
                }
            };
            self.scene.flat.parts(member).iter().for_each(|part| see(0, part.value));
            let readers = self.scene.flat.readers(member);
            if readers.len() <= CROWD {
                readers.iter().for_each(|&reader| see(1, reader));
            }
        }
        // Within a copy, those of a key stand in the order of the program.
        let line = &self.scene.line;
        found.sort_unstable_by_key(|&(key, copy, value)| (key, copy, line[value.index()], value));
        found.dedup();
        let mut left = false;
        for group in found.chunk_by(|a, b| a.0 == b.0) {
            left |= self.join_group(group, means);
        }
        left
    }

    fn join_group(&mut self, group: &[(u64, u32, Value)], means: usize) -> bool {
        let mut members: Vec<Vec<Value>> = vec![Vec::new(); self.copies];
        let mut whose: FxHashMap<Value, u32> = FxHashMap::default();
        for &(_, copy, value) in group {
            // Others may have joined it a moment ago, and what two copies claim is of none.
            if self.free(value) {
                let first = *whose.entry(value).or_insert(copy);
                if first != copy {
                    return means < 2;
                }
                members[copy as usize].push(value);
            }
        }
        let there = members.iter().filter(|list| !list.is_empty()).count();
        if there * 3 < self.copies * OF_THREE || there < 2 {
            return false;
        }
        let most = members.iter().map(Vec::len).max().unwrap_or(0);
        if most > 1 && means < 2 {
            return true;
        }
        for at in 0..most {
            let some = |list: &Vec<Value>| list.get(at).copied();
            let row: Vec<Option<Value>> = members.iter().map(some).collect();
            if row.iter().flatten().count() * 3 >= self.copies * OF_THREE {
                self.join(row);
            }
        }
        false
    }

    /// Positions that a value touches, with their distances, as a hash.
    fn touch(&self, value: Value, copy: usize) -> u64 {
        let mut around: Vec<(u8, u32, i64)> = Vec::new();
        let mut note = |relation: u8, other: Value| {
            if let Some((position, of)) = self.slot(other) {
                around.push((relation, position, i64::from(of) - copy as i64));
            }
        };
        let flat = self.scene.flat;
        flat.parts(value).iter().for_each(|part| note(0, part.value));
        let readers = flat.readers(value);
        if readers.len() <= CROWD {
            readers.iter().for_each(|&reader| note(1, reader));
        }
        around.sort_unstable();
        hash(around.as_slice())
    }

    /// Moves positions to other copies where recursions would run both ways.
    fn retiming(&mut self) {
        let mut edges = Vec::new();
        for (reader, row) in self.positions.iter().enumerate() {
            let mut votes: FxHashMap<(usize, i64), usize> = FxHashMap::default();
            for (copy, member) in row.iter().enumerate() {
                for part in member.iter().flat_map(|&value| self.scene.flat.parts(value)) {
                    if let Some((read, of)) = self.slot(part.value) {
                        let ahead = i64::from(of) - copy as i64;
                        *votes.entry((read as usize, ahead)).or_insert(0) += 1;
                    }
                }
            }
            let mut usual: Vec<(usize, i64)> = votes
                .into_iter()
                .filter(|&(_, count)| 2 * count >= self.copies)
                .map(|(edge, _)| edge)
                .collect();
            usual.sort_unstable();
            edges.extend(usual.into_iter().map(|(read, ahead)| Edge { reader, read, ahead }));
        }
        let input = |row: &Vec<Option<Value>>| {
            row.iter().flatten().next().is_some_and(|&value| self.scene.is_input(value))
        };
        let fixed: Vec<bool> = self.positions.iter().map(input).collect();
        let retimings = retimings(self.positions.len(), &edges, &fixed);
        for (row, by) in self.positions.iter_mut().zip(retimings).filter(|(_, by)| *by != 0) {
            let at = |copy: usize| usize::try_from(copy as i64 - by).ok();
            let moved = (0..self.copies).map(|copy| at(copy).and_then(|at| *row.get(at)?));
            *row = moved.collect();
        }
    }

    /// Leaves out copies that lack much, then positions that any other lacks, such that most is
    /// saved.
    fn choose(self, settings: &RerollSettings) -> Option<Extended> {
        let weights: Vec<u64> = self
            .positions
            .iter()
            .map(|row| row.iter().flatten().next().map_or(0, |&value| self.scene.weight(value)))
            .collect();
        let mut lacks = vec![0_u64; self.copies];
        for (row, weight) in self.positions.iter().zip(&weights) {
            for (lack, member) in lacks.iter_mut().zip(row) {
                *lack += if member.is_none() { *weight } else { 0 };
            }
        }
        let mut ranked: Vec<usize> = (0..self.copies).collect();
        ranked.sort_by_key(|&copy| (lacks[copy], copy));
        // The positions that are lost with each more copy.
        let mut lost = vec![0_u64; self.copies + 1];
        let mut until: Vec<usize> = Vec::with_capacity(self.positions.len());
        for (row, weight) in self.positions.iter().zip(&weights) {
            let first = ranked.iter().position(|&copy| row[copy].is_none());
            until.push(first.unwrap_or(self.copies));
            lost[first.unwrap_or(self.copies)] += weight;
        }
        let mut size: u64 = weights.iter().sum();
        let mut best = (0, 0);
        for kept in 1..=self.copies {
            size -= lost[kept - 1];
            let calls = settings.call * kept as u64;
            let saved = (size * (kept as u64 - 1)).saturating_sub(calls);
            if saved > best.0 {
                best = (saved, kept);
            }
        }
        let (saved, kept) = best;
        if saved < settings.least {
            return None;
        }
        let mut copies: Vec<usize> = ranked[..kept].to_vec();
        copies.sort_unstable();
        let mut positions = Vec::new();
        for (row, &until) in self.positions.iter().zip(&until) {
            let members: Vec<Value> = copies.iter().filter_map(|&copy| row[copy]).collect();
            if until >= kept && !self.scene.is_input(members[0]) {
                positions.push(members);
            }
        }
        Some(Extended { copies: kept, positions, saved })
    }
}
