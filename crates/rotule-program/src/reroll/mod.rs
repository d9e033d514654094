//! Loop re-rolling: structure that repeats, such as the links of a chain, the wagons of a train,
//! limbs.
//!
//! `slp` finds parts that do not need each other, for the lanes of vectors. Here copies may need
//! each other, one after the other: the speed of a link follows from that of the link before it,
//! the force from that of the link behind it. What repeats is written once, as a function of the
//! number of a copy, and called in loops.
//!
//! The search knows no mechanism. Values with isomorphic surroundings are taken for seeds, one in
//! each copy (`seeds.rs`). From there all copies are extended in step (`extend.rs`): what stands at
//! the same place beside each of them joins. Copies that break the pattern, as those at the ends
//! do, are left out where that saves more. Whatever joins, each copy may read anything, so that a
//! wrong guess makes code longer but never wrong. Where a value was reached from the copy beside
//! its own, it moves (`retiming.rs`).
//!
//! Then everything gets a time (`times.rs`): a level, in which copies run upwards or downwards, and
//! a copy. Positions with equal levels make a phase. Forward and backward recursions fall apart
//! into two phases by themselves. What is no copy's runs in between. Simplification leaves copies
//! isomorphic up to signs; `sign.rs` lets copies compute opposites, so that their signs are the
//! same.

mod extend;
mod form;
mod order;
mod retiming;
mod seeds;
mod sign;
mod times;

use crate::index::{OutputId, Value};
use crate::program::{Block, Program};
use crate::slp::Pack;
use crate::slp::flat::{Flat, weight};
use extend::Extended;
use seeds::Scene;
use times::Timed;

/// Settings: the least gain that re-rolling has to bring.
#[derive(Clone, Copy, Debug)]
pub struct RerollSettings {
    /// A template saves at least so many operations.
    pub least: u64,
    /// The cost of calling a copy, in operations.
    pub call: u64,
    /// Largest number of templates.
    pub templates: usize,
    /// `true` if sines and cosines stay outside, because others compute several of them at once.
    pub apart: bool,
}

impl Default for RerollSettings {
    fn default() -> RerollSettings {
        RerollSettings { least: 60, call: 3, templates: 8, apart: false }
    }
}

/// A `body` as phases that run for copies, and what stands in between.
#[derive(Clone, Debug)]
pub struct Rerolled {
    /// Number of copies that each template has.
    pub copies: Vec<usize>,
    /// Phases: operations for one copy at a time.
    pub phases: Vec<Phase>,
    /// Items to run, in order.
    pub order: Vec<RunItem>,
    /// Number of operations that the copies have together.
    pub inside: u64,
    /// Number of operations that `body` has.
    pub all: u64,
    /// About how many bytes the code has, and how many straight code would have.
    pub bytes: [u64; 2],
}

/// Statements that are written once for all copies of a template.
#[derive(Clone, Debug)]
pub struct Phase {
    /// Whose copies they are.
    pub template: usize,
    /// The statements, with one value in each copy. What is `Here` is of the same phase and copy.
    /// Signs of operands are meant for the numbers as they were computed, be they opposites or not.
    pub packs: Vec<Pack>,
    /// The results that each of them gives, if all its copies give to the same outputs; others are
    /// given as usual.
    pub results: Vec<Vec<CopyResult>>,
}

/// An entry of an output for each copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyResult {
    /// The output.
    pub output: OutputId,
    /// The entries that are given.
    pub entries: Vec<usize>,
    /// In which copies it is the opposite of the statement's number.
    pub negative: Vec<bool>,
}

/// Something that is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunItem {
    /// A statement of the program.
    Statement(Value),
    /// Phases one after the other for one copy, then for the next.
    Run {
        /// The phases to run.
        phases: Vec<usize>,
        /// The first copy.
        first: usize,
        /// Number of copies.
        count: usize,
        /// `true` if the copies go downwards.
        down: bool,
    },
}

/// Finds what repeats in a program's `body`; nothing if that is too little.
pub fn reroll(program: &Program, settings: &RerollSettings) -> Option<Rerolled> {
    let flat = Flat::of(program);
    let scene = Scene::of(program, &flat, settings);
    let mut taken = vec![false; program.len()];
    let mut templates: Vec<Extended> = Vec::new();
    let straight = order::straight(&scene);
    let mut best: Option<(u64, Timed)> = None;
    for _ in 0..settings.templates {
        let mut found: Option<Extended> = None;
        for start in scene.starts(&taken) {
            let Some(extended) = extend::extend(&scene, &taken, &start, settings) else { continue };
            if found.as_ref().is_none_or(|known| extended.saved > known.saved) {
                found = Some(extended);
            }
        }
        let Some(found) = found else { break };
        found.positions.iter().flatten().for_each(|value| taken[value.index()] = true);
        // A template that cannot run beside the others is worth less than what it costs them, and
        // copies at the ends may cost more than they save.
        let before = best.as_ref().map_or(straight, |(bytes, _)| *bytes);
        let mut next: Option<(u64, Timed, Extended)> = None;
        for trimmed in found.trimmed() {
            templates.push(trimmed);
            let timed = times::times(&scene, &templates);
            let trimmed = templates.pop();
            if let Some((timed, trimmed)) = timed.zip(trimmed) {
                let bytes = order::bytes(&scene, &timed);
                if next.as_ref().is_none_or(|(least, ..)| bytes < *least) {
                    next = Some((bytes, timed, trimmed));
                }
            }
        }
        if let Some((bytes, timed, trimmed)) = next
            && bytes + order::OPERATION * settings.least < before
        {
            templates.push(trimmed);
            best = Some((bytes, timed));
        }
    }
    let (bytes, timed) = best?;
    let all = program.block(Block::Body).iter().map(|&value| weight(program, value)).sum();
    let alive = timed.members.iter().zip(&timed.alive).filter(|(_, alive)| **alive);
    let inside = alive.map(|(row, _)| scene.weight(row[0]) * row.len() as u64).sum();
    let mut phases = order::phases(&scene, &timed);
    let order = order::order(&scene, &timed);
    sign::settle(program, &mut phases, &order);
    let copies = timed.copies;
    Some(Rerolled { copies, phases, order, inside, all, bytes: [bytes, straight] })
}
