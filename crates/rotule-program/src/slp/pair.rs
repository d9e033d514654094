//! Pairing: statements of the copies that belong together.
//!
//! Statements are taken by depth, so that what they read has been paired before. Two belong
//! together if they do the same with what belongs together; numbers may differ. Where that leaves a
//! choice, such as between `a + b` and `a - b` or between products with several numbers, those come
//! together whose readers are isomorphic, with numbers taken roughly, because the measured masses
//! of two legs are never quite equal.

use super::copies::Candidate;
use super::flat::{Flat, Shape, hash};
use crate::index::{InputId, Value};
use crate::operation::Operation;
use crate::program::{Block, Program};
use rotule_symbolic::Kind;
use rotule_symbolic::elementary::log2;
use rustc_hash::FxHashMap;

/// Statements that belong together.
pub(super) struct Pairs {
    pub copies: usize,
    /// One statement of each copy.
    pub packs: Vec<Vec<Value>>,
    /// Of each value, its pack.
    pub of: Vec<Option<u32>>,
    /// Of inputs of copies, their class.
    pub inputs: Vec<Option<u32>>,
    /// `true` if a value is known before `body`.
    pub fixed: Vec<bool>,
    /// Number of operations that all packs have.
    pub inside: u64,
}

/// Distances to which readers are compared, each with `true` if values read outside of the copies
/// have to be equal.
const TRIES: [(usize, bool); 7] =
    [(4, true), (2, true), (1, true), (0, true), (4, false), (0, false), (BLIND, false)];
/// Does not look at all.
const BLIND: usize = 5;

/// Number of operations of a node.
pub(super) fn weight(flat: &Flat, value: Value) -> u64 {
    match flat.root(value) {
        Some(node) if node.shape != Shape::Other => flat.parts(value).len() as u64 - 1,
        Some(_) => 1,
        None => 0,
    }
}

/// Finds what belongs together if inputs belong to copies as a candidate says.
pub(super) fn pair(program: &Program, flat: &Flat, looks: &Looks, candidate: &Candidate) -> Pairs {
    let mut pairs = Pairs {
        copies: candidate.copies,
        packs: Vec::new(),
        of: vec![None; program.len()],
        inputs: candidate.of.iter().map(|one| one.map(|(class, _)| class)).collect(),
        fixed: looks.fixed.clone(),
        inside: 0,
    };
    let mut lane: Vec<Option<u8>> =
        candidate.of.iter().map(|one| one.map(|(_, copy)| copy)).collect();
    for level in &looks.levels {
        let mut open: Vec<Value> = Vec::new();
        for &value in level {
            if let Some(copy) = only(flat, value, &lane) {
                lane[value.index()] = Some(copy);
                open.push(value);
            }
        }
        for (far, same) in TRIES {
            if open.is_empty() {
                break;
            }
            open = pairs.match_up(flat, &looks.by_distance[far], same, &open, &lane);
        }
        // What has no partners is computed apart.
        open.iter().for_each(|value| lane[value.index()] = None);
    }
    pairs
}

/// Number of operations that a candidate saves if all that is in one copy alone has its partners in
/// the others.
pub(super) fn most(flat: &Flat, looks: &Looks, candidate: &Candidate) -> u64 {
    let mut lane: Vec<Option<u8>> =
        candidate.of.iter().map(|one| one.map(|(_, copy)| copy)).collect();
    let mut inside = 0;
    for &value in looks.levels.iter().flatten() {
        if let Some(copy) = only(flat, value, &lane) {
            lane[value.index()] = Some(copy);
            inside += weight(flat, value);
        }
    }
    inside - inside / candidate.copies as u64
}

/// Looks of values: hashes of their surroundings.
pub(super) struct Looks {
    fixed: Vec<bool>,
    /// Statements by depth.
    levels: Vec<Vec<Value>>,
    /// Looks that take in readers up to a distance.
    by_distance: Vec<Vec<u64>>,
}

impl Looks {
    pub fn of(program: &Program, flat: &Flat) -> Looks {
        let fixed = fixed(program);
        let by_distance = looks(program, flat, &fixed);
        Looks { fixed, levels: by_depth(program, flat), by_distance }
    }
}

/// Values known before `body`: numbers, parameters, results of `setup`.
fn fixed(program: &Program) -> Vec<bool> {
    let mut fixed: Vec<bool> = (0..program.len())
        .map(|at| matches!(program.operation(Value::new(at)), Operation::Constant(_)))
        .collect();
    for (at, input) in program.inputs().iter().enumerate() {
        if input.kind == Kind::Parameter {
            fixed[program.input_value(InputId::new(at)).index()] = true;
        }
    }
    program.block(Block::Setup).iter().for_each(|value| fixed[value.index()] = true);
    fixed
}

fn by_depth(program: &Program, flat: &Flat) -> Vec<Vec<Value>> {
    let mut levels: Vec<Vec<Value>> = Vec::new();
    for &value in program.block(Block::Body) {
        if let Some(node) = flat.root(value) {
            let depth = node.depth as usize;
            if levels.len() <= depth {
                levels.resize(depth + 1, Vec::new());
            }
            levels[depth].push(value);
        }
    }
    levels
}

/// The copy that a node belongs to: the only one whose values it reads.
fn only(flat: &Flat, value: Value, lane: &[Option<u8>]) -> Option<u8> {
    let mut found = None;
    for part in flat.parts(value) {
        match (found, lane[part.value.index()]) {
            (_, None) => {}
            (None, some) => found = some,
            (Some(one), Some(two)) if one == two => {}
            _ => return None,
        }
    }
    found
}

/// Looks of values, less and less close: `[far]` also takes in readers up to that distance.
fn looks(program: &Program, flat: &Flat, fixed: &[bool]) -> Vec<Vec<u64>> {
    let own = |value: Value| {
        let Some(node) = flat.node(value) else { return 0 };
        let parts = flat.parts(value).iter().filter(|part| fixed[part.value.index()]);
        let mut numbers: Vec<i64> =
            parts.map(|part| program.number(part.value).map_or(i64::MAX, rough)).collect();
        numbers.sort_unstable();
        hash((node.tag, numbers, flat.given[value.index()]))
    };
    let nearest: Vec<u64> = (0..program.len()).map(|at| own(Value::new(at))).collect();
    let mut looks = vec![nearest];
    let mut above: Vec<u64> = Vec::new();
    for far in 1..BLIND {
        let mut next = looks[0].clone();
        for &value in program.block(Block::Body).iter().filter(|&&v| flat.root(v).is_some()) {
            above.clear();
            above.extend(flat.readers(value).iter().map(|one| looks[far - 1][one.index()]));
            above.sort_unstable();
            next[value.index()] = hash((looks[0][value.index()], above.as_slice()));
        }
        looks.push(next);
    }
    looks.push(vec![0; program.len()]);
    looks
}

/// The size of a number, in steps of about a hundredth.
fn rough(number: f64) -> i64 {
    // A cast of what is no number gives zero, and infinities the ends.
    (log2(number.abs()) * 64.0).round() as i64
}

impl Pairs {
    /// Puts together what is isomorphic; gives back what is left.
    fn match_up(
        &mut self,
        flat: &Flat,
        looks: &[u64],
        same: bool,
        open: &[Value],
        lane: &[Option<u8>],
    ) -> Vec<Value> {
        let mut number: FxHashMap<u64, u32> = FxHashMap::default();
        // What has equal hashes, in the order in which it was met, copy by copy.
        let mut met: Vec<(u32, u8, Value)> = Vec::with_capacity(open.len());
        let mut around: Vec<u64> = Vec::new();
        for &value in open {
            let Some(copy) = lane[value.index()] else { continue };
            let key = self.key(flat, value, same, lane, &mut around);
            let next = number.len() as u32;
            let bucket = *number.entry(hash((key, looks[value.index()]))).or_insert(next);
            met.push((bucket, copy, value));
        }
        // Within a copy, values stay in the order of their indices, in which `open` is.
        met.sort_unstable();
        let mut left: Vec<Value> = Vec::new();
        let mut runs: Vec<&[(u32, u8, Value)]> = Vec::with_capacity(self.copies);
        for bucket in met.chunk_by(|a, b| a.0 == b.0) {
            runs.clear();
            runs.extend(bucket.chunk_by(|a, b| a.1 == b.1));
            let all = runs.len() == self.copies;
            let whole = if all { runs.iter().map(|run| run.len()).min().unwrap_or(0) } else { 0 };
            for at in 0..whole {
                let pack: Vec<Value> = runs.iter().map(|run| run[at].2).collect();
                for value in &pack {
                    self.of[value.index()] = Some(self.packs.len() as u32);
                }
                self.inside += weight(flat, pack[0]) * self.copies as u64;
                self.packs.push(pack);
            }
            runs.iter().for_each(|run| left.extend(run[whole..].iter().map(|one| one.2)));
        }
        left.sort_unstable();
        left
    }

    /// The key of a node: its operation and its operands.
    fn key(
        &self,
        flat: &Flat,
        value: Value,
        same: bool,
        lane: &[Option<u8>],
        around: &mut Vec<u64>,
    ) -> u64 {
        let Some(node) = flat.root(value) else { return 0 };
        around.clear();
        around.extend(flat.parts(value).iter().map(|part| match lane[part.value.index()] {
            None if same && !self.fixed[part.value.index()] => hash((2, part.value.index())),
            _ => self.place(part.value),
        }));
        if node.shape != Shape::Other {
            around.sort_unstable();
        }
        hash((node.tag, around.as_slice()))
    }

    /// The key of an operand, whichever copy's it is.
    pub fn place(&self, value: Value) -> u64 {
        let at = value.index();
        match (self.of[at], self.inputs[at]) {
            (Some(pack), _) => hash((0, pack)),
            (None, Some(class)) => hash((1, class)),
            (None, None) if self.fixed[at] => 1,
            (None, None) => 2,
        }
    }
}
