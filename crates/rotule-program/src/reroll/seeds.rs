//! Seeds of copies: values whose surroundings are isomorphic, one in each copy.
//!
//! The colour of a value is what it is, and after each round what it was together with the colours
//! of what it reads and of who reads it. Rounds are few, so that what is particular about the ends
//! of a chain does not reach its middle. Numbers have one colour.

use super::RerollSettings;
use crate::index::{InputId, Value};
use crate::operation::Operation;
use crate::passes::angle;
use crate::program::{Block, Program};
use crate::slp::flat::{Flat, Shape, hash};
use rotule_symbolic::Kind;
use rustc_hash::FxHashMap;

/// Rounds of colouring.
const ROUNDS: usize = 3;
/// Of each colouring, so many classes of inputs are tried.
const TRIED: usize = 3;
/// Values that more others read are no way from one to the other.
pub(super) const CROWD: usize = 64;

/// A program with what its values look like.
pub(super) struct Scene<'a> {
    pub program: &'a Program,
    pub flat: &'a Flat,
    /// Numbers: literals, parameters and what `setup` computes.
    pub fixed: Vec<bool>,
    /// Values that can be in a copy: operations, and inputs, which are not computed.
    pub open: Vec<bool>,
    /// Colours after each round.
    pub colours: Vec<Vec<u64>>,
    /// Values that outputs give, as they are or with the other sign.
    pub given: Vec<bool>,
    /// Of inputs, the place among those of the same kind.
    rank: FxHashMap<Value, (Kind, i64)>,
    /// Where each statement stands.
    pub line: Vec<u32>,
}

/// An entry of an output.
#[derive(Clone, Copy)]
pub(super) struct Sink {
    pub output: usize,
    pub number: usize,
    pub value: Value,
}

fn results(program: &Program) -> impl Iterator<Item = (Value, Sink, bool)> {
    program.outputs().iter().enumerate().flat_map(move |(output, given)| {
        given.entries.iter().enumerate().map(move |(number, entry)| {
            let (mut value, mut negative) = (entry.value, false);
            while let Operation::Neg(of) = program.operation(value) {
                (value, negative) = (of, !negative);
            }
            (value, Sink { output, number, value: entry.value }, negative)
        })
    })
}

/// Seeds: lists with a value for each copy that has one.
pub(super) type Start = Vec<Vec<Option<Value>>>;

impl<'a> Scene<'a> {
    pub fn of(program: &'a Program, flat: &'a Flat, settings: &RerollSettings) -> Scene<'a> {
        let mut fixed: Vec<bool> =
            (0..program.len()).map(|at| program.number(Value::new(at)).is_some()).collect();
        let (mut open, mut line) = (vec![false; program.len()], vec![0; program.len()]);
        let mut rank = FxHashMap::default();
        let mut counts: FxHashMap<Kind, i64> = FxHashMap::default();
        for (at, input) in program.inputs().iter().enumerate() {
            let value = program.input_value(InputId::new(at));
            fixed[value.index()] = input.kind == Kind::Parameter;
            open[value.index()] = !matches!(input.kind, Kind::Parameter | Kind::Time);
            let count = counts.entry(input.kind).or_insert(0);
            rank.insert(value, (input.kind, *count));
            *count += 1;
        }
        program.block(Block::Setup).iter().for_each(|value| fixed[value.index()] = true);
        for (at, &value) in program.block(Block::Body).iter().enumerate() {
            let sine = settings.apart && angle(program.operation(value)).is_some();
            open[value.index()] = flat.root(value).is_some() && !sine;
            line[value.index()] = at as u32;
        }
        let mut given = vec![false; program.len()];
        results(program).for_each(|(value, ..)| given[value.index()] = true);
        let colours = colours(program, flat, &fixed, &given);
        Scene { program, flat, fixed, open, colours, given, rank, line }
    }

    /// All entries of outputs, each with the value that it is but for a sign.
    pub fn results(&self) -> impl Iterator<Item = (Value, Sink, bool)> {
        results(self.program)
    }

    pub fn is_input(&self, value: Value) -> bool {
        matches!(self.program.operation(value), Operation::Input(_))
    }

    /// Number of operations of the node of a value.
    pub fn weight(&self, value: Value) -> u64 {
        match self.flat.root(value) {
            None => 0,
            Some(node) if node.shape == Shape::Other => 1,
            Some(_) => self.flat.parts(value).len() as u64 - 1,
        }
    }

    /// Ways to begin, given what is in copies already.
    pub fn starts(&self, taken: &[bool]) -> Vec<Start> {
        let mut starts: Vec<Start> = Vec::new();
        let mut add = |start: Start| {
            if !starts.contains(&start) {
                starts.push(start);
            }
        };
        let useful = |value: &Value| {
            self.flat.readers(*value).iter().any(|reader| {
                !taken[reader.index()] && (self.open[reader.index()] || self.is_sine(*reader))
            })
        };
        let inputs: Vec<Value> = (0..self.program.inputs().len())
            .map(|at| self.program.input_value(InputId::new(at)))
            .filter(|value| self.open[value.index()] && useful(value))
            .collect();
        for colours in &self.colours[1..] {
            let classes = classes(&inputs, colours);
            let mut sizes: FxHashMap<usize, usize> = FxHashMap::default();
            classes.iter().for_each(|class| *sizes.entry(class.len()).or_insert(0) += class.len());
            let mut sizes: Vec<(usize, usize)> =
                sizes.into_iter().filter(|&(size, _)| size > 1).map(|(k, n)| (n, k)).collect();
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            for &(_, size) in sizes.iter().take(TRIED) {
                if let Some(first) = classes.iter().find(|class| class.len() == size) {
                    add(self.aligned(first, &classes));
                }
            }
        }
        // What no input leads to may still repeat: the entries of a matrix.
        let body = self.program.block(Block::Body);
        let rest: Vec<Value> = body
            .iter()
            .copied()
            .filter(|value| self.open[value.index()] && !taken[value.index()])
            .collect();
        let given: Vec<Value> =
            rest.iter().copied().filter(|value| self.given[value.index()]).collect();
        for list in [&given, &rest] {
            let classes = classes(list, &self.colours[2]);
            if let Some(class) = classes.iter().max_by_key(|class| class.len())
                && class.len() > 2
            {
                add(vec![class.iter().copied().map(Some).collect()]);
            }
        }
        starts
    }

    fn is_sine(&self, value: Value) -> bool {
        angle(self.program.operation(value)).is_some()
    }

    /// A class of inputs, and others that lie at one distance from it.
    fn aligned(&self, first: &[Value], classes: &[Vec<Value>]) -> Start {
        let rank = |value: &Value| self.rank.get(value).map_or(0, |&(_, rank)| rank);
        let mut start: Start = vec![first.iter().copied().map(Some).collect()];
        for class in classes.iter().filter(|class| class[0] != first[0]) {
            if class.len() * 3 < first.len() * 2 {
                continue;
            }
            let by_rank: FxHashMap<i64, Value> =
                class.iter().map(|value| (rank(value), *value)).collect();
            let ranks: Vec<i64> = class.iter().map(rank).collect();
            let mut votes: FxHashMap<i64, usize> = FxHashMap::default();
            for value in first {
                let own = rank(value);
                let at = ranks.partition_point(|&other| other < own);
                let near = |at: Option<usize>| at.and_then(|at| ranks.get(at)).map(|r| r - own);
                for distance in [near(Some(at)), near(at.checked_sub(1))].into_iter().flatten() {
                    *votes.entry(distance).or_insert(0) += 1;
                }
            }
            let best = votes.into_iter().max_by_key(|&(distance, count)| {
                (count, std::cmp::Reverse((distance.abs(), distance < 0)))
            });
            if let Some((distance, count)) = best
                && count * 3 >= first.len() * 2
            {
                let find = |value: &Value| by_rank.get(&(rank(value) + distance)).copied();
                start.push(first.iter().map(find).collect());
            }
        }
        start
    }
}

/// Values by colour, each class in their order; classes in the order of their first members.
fn classes(values: &[Value], colours: &[u64]) -> Vec<Vec<Value>> {
    let mut number: FxHashMap<u64, usize> = FxHashMap::default();
    let mut classes: Vec<Vec<Value>> = Vec::new();
    for &value in values {
        let class = *number.entry(colours[value.index()]).or_insert_with(|| {
            classes.push(Vec::new());
            classes.len() - 1
        });
        classes[class].push(value);
    }
    classes
}

fn colours(program: &Program, flat: &Flat, fixed: &[bool], given: &[bool]) -> Vec<Vec<u64>> {
    let mut first = vec![hash("number"); program.len()];
    for (at, input) in program.inputs().iter().enumerate() {
        if input.kind != Kind::Parameter {
            first[program.input_value(InputId::new(at)).index()] = hash(input.kind as u8);
        }
    }
    let body = program.block(Block::Body);
    for &value in body {
        let tag = match flat.node(value) {
            Some(node) => node.tag,
            None => match program.operation(value) {
                Operation::Result { index, .. } => hash(("result", index)),
                other => hash(other.word()),
            },
        };
        first[value.index()] = hash((tag, given[value.index()]));
    }
    let mut all = vec![first];
    let mut around: Vec<u64> = Vec::new();
    let inputs = (0..program.inputs().len()).map(|at| program.input_value(InputId::new(at)));
    let values: Vec<Value> = inputs
        .chain(body.iter().copied().filter(|&value| flat.root(value).is_some()))
        .filter(|value| !fixed[value.index()])
        .collect();
    for round in 0..ROUNDS {
        let old = &all[round];
        let mut new = old.clone();
        for &value in &values {
            let mut sorted = |list: &mut dyn Iterator<Item = Value>| {
                around.clear();
                around.extend(list.map(|value| old[value.index()]));
                around.sort_unstable();
                hash(around.as_slice())
            };
            let below = sorted(&mut flat.parts(value).iter().map(|part| part.value));
            let readers = flat.readers(value);
            let above = match readers.len() {
                0..=CROWD => sorted(&mut readers.iter().copied()),
                _ => hash("crowd"),
            };
            new[value.index()] = hash((old[value.index()], below, above));
        }
        all.push(new);
    }
    all
}
