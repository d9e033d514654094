//! When everything runs: of each position a level and a place within it.
//!
//! In even levels the copies run upwards, in odd ones downwards. A position that reads an earlier
//! copy can stand in the same level as what it reads if that runs upwards, one that reads a later
//! copy if it runs downwards; else it goes to the next level. What is read of another template
//! stands in an earlier level. Statements of no copy run as soon as they can; a position that reads
//! one between two parts of the same copy goes to a later place of its level, as a call of its own.
//! Levels only rise until all is in order. Where they would rise for ever, a position is given up:
//! its statements are written one by one.

use super::CopyResult;
use super::extend::Extended;
use super::seeds::Scene;
use crate::index::{OutputId, Value};
use crate::operation::Operation;
use crate::program::Block;
use crate::slp::flat::reads;

/// Where levels end to rise.
const LEVELS: u32 = 24;
/// Where places within a level end to rise.
const PLACES: u32 = 12;
/// Rounds until all must be in order.
const ROUNDS: usize = 100;
/// Largest number of positions of the first template that are given up, and of others: those fit
/// beside it or they do not.
const GIVEN_UP: [usize; 2] = [40, 4];

/// When a part of a copy runs: level, template, step (the copy, or its opposite if copies run
/// downwards), place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Time {
    pub level: u32,
    pub template: u32,
    pub step: i64,
    pub place: u32,
}

/// Positions with their times.
pub(super) struct Timed {
    /// Number of copies that each template has.
    pub copies: Vec<usize>,
    pub members: Vec<Vec<Value>>,
    pub template: Vec<u32>,
    /// `true` if a position was not given up.
    pub alive: Vec<bool>,
    pub level: Vec<u32>,
    pub place: Vec<u32>,
    /// The position and the copy of each value.
    pub of: Vec<Option<(u32, u32)>>,
    /// Statements that have to run besides positions.
    pub needed: Vec<bool>,
    /// The results that copies give themselves, by position.
    pub results: Vec<Vec<CopyResult>>,
}

impl Timed {
    pub fn time(&self, position: u32, copy: u32) -> Time {
        let (at, copy) = (position as usize, i64::from(copy));
        let level = self.level[at];
        let step = if level.is_multiple_of(2) { copy } else { -copy };
        Time { level, template: self.template[at], step, place: self.place[at] }
    }

    fn give_up(&mut self, position: usize) {
        self.alive[position] = false;
        self.members[position].iter().for_each(|value| self.of[value.index()] = None);
    }
}

pub(super) fn times(scene: &Scene<'_>, templates: &[Extended]) -> Option<Timed> {
    let mut timed = Timed {
        copies: templates.iter().map(|one| one.copies).collect(),
        members: Vec::new(),
        template: Vec::new(),
        alive: Vec::new(),
        level: Vec::new(),
        place: Vec::new(),
        of: vec![None; scene.program.len()],
        needed: Vec::new(),
        results: Vec::new(),
    };
    for (number, template) in templates.iter().enumerate() {
        for members in &template.positions {
            for (copy, value) in members.iter().enumerate() {
                timed.of[value.index()] = Some((timed.members.len() as u32, copy as u32));
            }
            timed.members.push(members.clone());
            timed.template.push(number as u32);
        }
    }
    timed.alive = vec![true; timed.members.len()];
    for _ in 0..GIVEN_UP[usize::from(templates.len() > 1)] {
        if !timed.alive.contains(&true) {
            return None;
        }
        timed.level = vec![0; timed.members.len()];
        timed.place = vec![0; timed.members.len()];
        match settle(scene, &mut timed).or_else(|| circle(scene, &timed)) {
            None => {
                timed.results = results(scene, &timed);
                timed.needed = needed(scene, &timed);
                sink(scene, &mut timed);
                return Some(timed);
            }
            Some(stuck) => timed.give_up(stuck),
        }
    }
    None
}

/// Lets levels rise; gives back a position that would rise for ever.
fn settle(scene: &Scene<'_>, timed: &mut Timed) -> Option<usize> {
    let program = scene.program;
    // When each statement that is no position is known; nothing if it waits for none.
    let mut known: Vec<Option<Time>> = vec![None; program.len()];
    let mut last = 0;
    for _ in 0..ROUNDS {
        let mut changed = false;
        for &value in program.block(Block::Body) {
            let Some((position, copy)) = timed.of[value.index()] else {
                let mut latest = None;
                reads(program, value, &mut |read| {
                    let time = match timed.of[read.index()] {
                        Some((position, copy)) => Some(timed.time(position, copy)),
                        None => known[read.index()],
                    };
                    latest = latest.max(time);
                });
                known[value.index()] = latest;
                continue;
            };
            let at = position as usize;
            for part in scene.flat.parts(value) {
                let (time, apart) = match timed.of[part.value.index()] {
                    Some((other, of)) => (timed.time(other, of), false),
                    None => match known[part.value.index()] {
                        Some(time) => (time, true),
                        None => continue,
                    },
                };
                let own = timed.time(position, copy);
                let (level, place) = if time.level < own.level {
                    (own.level, own.place)
                } else if time.level > own.level && time.template == own.template && !apart {
                    (time.level, 0)
                } else if time.template != own.template || apart && time.level > own.level {
                    (time.level + 1, 0)
                } else if time.step != own.step {
                    if time.step < own.step { (own.level, own.place) } else { (time.level + 1, 0) }
                } else {
                    (own.level, own.place.max(time.place + u32::from(apart)))
                };
                if (level, place) != (own.level, own.place) {
                    timed.level[at] = level;
                    timed.place[at] = place;
                    changed = true;
                    last = at;
                    if level > LEVELS || place > PLACES {
                        return Some(at);
                    }
                }
            }
        }
        if !changed {
            return None;
        }
    }
    Some(last)
}

/// A position that a phase could compute neither before nor behind another: copies were put
/// together such that the one reads the other in some of them, and the other way round elsewhere.
fn circle(scene: &Scene<'_>, timed: &Timed) -> Option<usize> {
    let mut reads: Vec<Vec<u32>> = vec![Vec::new(); timed.members.len()];
    for (position, members) in timed.members.iter().enumerate().filter(|&(at, _)| timed.alive[at]) {
        for (copy, &value) in members.iter().enumerate() {
            for part in scene.flat.parts(value) {
                if let Some((other, of)) = timed.of[part.value.index()]
                    && of as usize == copy
                    && timed.time(other, of) == timed.time(position as u32, of)
                {
                    reads[position].push(other);
                }
            }
        }
        reads[position].sort_unstable();
        reads[position].dedup();
    }
    // Depth first: what is met again while it is open is on a circle.
    let mut state = vec![0_u8; reads.len()];
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for root in 0..reads.len() {
        if state[root] == 0 {
            state[root] = 1;
            stack.push((root, 0));
        }
        while let Some((at, next)) = stack.pop() {
            let Some(&other) = reads[at].get(next) else {
                state[at] = 2;
                continue;
            };
            stack.push((at, next + 1));
            match state[other as usize] {
                0 => {
                    state[other as usize] = 1;
                    stack.push((other as usize, 0));
                }
                1 => return Some(other as usize),
                _ => {}
            }
        }
    }
    None
}

/// Statements that have to run besides positions.
fn needed(scene: &Scene<'_>, timed: &Timed) -> Vec<bool> {
    let program = scene.program;
    let mut needed = vec![false; program.len()];
    for (value, entry, _) in scene.results() {
        let given =
            timed.of[value.index()].is_some_and(|(at, _)| !timed.results[at as usize].is_empty());
        needed[entry.value.index()] |= !given;
    }
    let body = program.block(Block::Body);
    for &value in body.iter().filter(|value| timed.of[value.index()].is_some()) {
        scene.flat.parts(value).iter().for_each(|part| needed[part.value.index()] = true);
    }
    for &value in body.iter().rev().filter(|value| timed.of[value.index()].is_none()) {
        let picks = matches!(program.operation(value), Operation::Result { .. });
        if needed[value.index()] || picks {
            reads(program, value, &mut |read| needed[read.index()] = true);
            needed[value.index()] = true;
        }
    }
    needed
}

/// The results of positions all of whose copies go to the same outputs.
fn results(scene: &Scene<'_>, timed: &Timed) -> Vec<Vec<CopyResult>> {
    // Of each copy the outputs, the numbers of entries and signs.
    type Sinks = Vec<(usize, usize, bool)>;
    let mut sinks: Vec<Vec<Sinks>> =
        timed.members.iter().map(|members| vec![Vec::new(); members.len()]).collect();
    for (value, entry, negative) in scene.results() {
        if let Some((position, copy)) = timed.of[value.index()] {
            sinks[position as usize][copy as usize].push((entry.output, entry.number, negative));
        }
    }
    let each = sinks.into_iter().map(|by_copy| {
        let outputs = |sinks: &Sinks| sinks.iter().map(|one| one.0).collect::<Vec<usize>>();
        let first = outputs(&by_copy[0]);
        if by_copy.iter().any(|sinks| outputs(sinks) != first) {
            return Vec::new();
        }
        let given = |at: usize| CopyResult {
            output: OutputId::new(first[at]),
            entries: by_copy.iter().map(|sinks| sinks[at].1).collect(),
            negative: by_copy.iter().map(|sinks| sinks[at].2).collect(),
        };
        (0..first.len()).map(given).collect()
    });
    each.collect()
}

/// A reader of a position, as far as it matters where it runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    Nobody,
    /// A reader in the same copy, at this level and place.
    Here(u32, u32),
    Elsewhere,
}

/// Moves positions to where they are read, if then no more values wait in memory. Positions run as
/// early as they can so far.
fn sink(scene: &Scene<'_>, timed: &mut Timed) {
    let program = scene.program;
    let body = program.block(Block::Body);
    let mut readers: Vec<Vec<u32>> = vec![Vec::new(); timed.members.len()];
    let mut elsewhere = vec![false; timed.members.len()];
    for &value in body {
        let mut far = |read: Value| {
            if let Some((position, _)) = timed.of[read.index()] {
                elsewhere[position as usize] = true;
            }
        };
        match timed.of[value.index()] {
            None if timed.needed[value.index()] => reads(program, value, &mut far),
            None => {}
            Some((reader, copy)) => {
                for part in scene.flat.parts(value) {
                    if let Some((position, of)) = timed.of[part.value.index()] {
                        let same = timed.template[position as usize]
                            == timed.template[reader as usize]
                            && of == copy;
                        let list = &mut readers[position as usize];
                        if !same {
                            elsewhere[position as usize] = true;
                        } else if !list.contains(&reader) {
                            list.push(reader);
                        }
                    }
                }
            }
        }
    }
    for (position, members) in timed.members.iter().enumerate() {
        elsewhere[position] |= members.iter().any(|value| scene.given[value.index()]);
    }
    let seen = |timed: &Timed, position: usize| {
        if elsewhere[position] {
            return Read::Elsewhere;
        }
        let mut found = Read::Nobody;
        for &reader in &readers[position] {
            let here = Read::Here(timed.level[reader as usize], timed.place[reader as usize]);
            if found != Read::Nobody && found != here {
                return Read::Elsewhere;
            }
            found = here;
        }
        found
    };
    let mut order: Vec<usize> =
        (0..timed.members.len()).filter(|&position| timed.alive[position]).collect();
    order.sort_by_key(|&position| scene.line[timed.members[position][0].index()]);
    for position in order.into_iter().rev() {
        let Read::Here(level, place) = seen(timed, position) else { continue };
        let now = (timed.level[position], timed.place[position]);
        if (level, place) == now {
            continue;
        }
        // Operands that would have to wait in memory instead.
        let more = scene.flat.parts(timed.members[position][0]).iter().filter(|part| {
            timed.of[part.value.index()].is_some_and(|(other, _)| {
                seen(timed, other as usize) == Read::Here(now.0, now.1)
                    && (timed.level[other as usize], timed.place[other as usize]) == now
            })
        });
        if more.count() <= 1 {
            timed.level[position] = level;
            timed.place[position] = place;
        }
    }
}
