//! Signs as data: how each pack is computed, with as few changes of sign in single copies as
//! possible.
//!
//! A mirrored copy computes the opposite of many values. A pack may hold opposites in some of its
//! copies, if those who read it know: products take any signs as they come, products with numbers
//! can have any sign that is needed, and a sum takes the signs of its first term.

use super::flat::{Flat, Part, Shape};
use super::pack_set::PackSets;
use super::pair::Pairs;
use super::{IsomorphicSubgraphs, OperandSource, Pack, PackOperand, PackOperation, PackSet};
use crate::index::Value;
use crate::operation::{ArithmeticOperation, Operation};
use crate::program::{Block, Program};
use rotule_symbolic::Unary;

/// Decides signs and brings the operands of the copies into one order.
pub(super) fn signed(
    program: &Program,
    flat: &Flat,
    pack_sets: PackSets,
    all: u64,
) -> IsomorphicSubgraphs {
    let PackSets { pairs, pack_sets, between } = pack_sets;
    let mut between = between.into_iter();
    let mut layer_of = vec![u32::MAX; pairs.packs.len()];
    for (number, pack_set) in pack_sets.iter().enumerate() {
        pack_set.iter().for_each(|&pack| layer_of[pack as usize] = number as u32);
    }
    let kept = kept(program, flat, &pairs, &layer_of);
    let mut found: Vec<PackSet> = Vec::new();
    for (number, pack_set) in pack_sets.iter().enumerate() {
        let mut signer = Signer {
            program,
            flat,
            pairs: &pairs,
            layer_of: &layer_of,
            kept: &kept,
            number: number as u32,
            place: vec![usize::MAX; pairs.packs.len()],
            packs: Vec::with_capacity(pack_set.len()),
            free: Vec::with_capacity(pack_set.len()),
        };
        pack_set.iter().for_each(|&pack| signer.add(pack));
        let before = between.next().unwrap_or_default();
        found.push(PackSet { before, packs: signer.packs });
    }
    IsomorphicSubgraphs {
        copies: pairs.copies,
        pack_sets: found,
        after: between.next().unwrap_or_default(),
        inside: pairs.inside,
        all,
    }
}

/// Packs that are read more than once, or elsewhere than in packs of their own pack set.
fn kept(program: &Program, flat: &Flat, pairs: &Pairs, layer_of: &[u32]) -> Vec<bool> {
    let mut readers = vec![0_u32; pairs.packs.len()];
    let alive = |value: Value| pairs.of[value.index()];
    for &value in program.block(Block::Body) {
        let reader = alive(value);
        let mut read = |of: Value, first: bool| {
            if let Some(pack) = alive(of) {
                let same = reader.is_some_and(|r| layer_of[r as usize] == layer_of[pack as usize]);
                readers[pack as usize] += match (same, first) {
                    (true, true) => 1,
                    (true, false) => 0,
                    (false, _) => 2,
                };
            }
        };
        match reader {
            Some(pack) => {
                let first = pairs.packs[pack as usize][0] == value;
                flat.parts(value).iter().for_each(|part| read(part.value, first));
            }
            // Parts of sums that are packs are read by them, not by the statement itself.
            None if flat.node(value).is_some_and(|node| node.absorbed) => {}
            None => super::flat::reads(program, value, &mut |of| read(of, true)),
        }
    }
    for entry in program.outputs().iter().flat_map(|output| &output.entries) {
        if let Some(pack) = alive(entry.value) {
            readers[pack as usize] += 2;
        }
    }
    readers.iter().map(|&count| count > 1).collect()
}

struct Signer<'a> {
    program: &'a Program,
    flat: &'a Flat,
    pairs: &'a Pairs,
    layer_of: &'a [u32],
    kept: &'a [bool],
    number: u32,
    /// Of packs of this pack set, their place in it.
    place: Vec<usize>,
    packs: Vec<Pack>,
    /// `true` if a pack can have any signs because a number of its own takes them.
    free: Vec<bool>,
}

impl Signer<'_> {
    fn add(&mut self, pack: u32) {
        let values = self.pairs.packs[pack as usize].clone();
        let copies = values.len();
        let shape = self.flat.root(values[0]).map_or(Shape::Other, |node| node.shape);
        let mut sources = self.sources(&values, shape);
        let mut negative = vec![false; copies];
        let mut free = false;
        let form = match shape {
            Shape::Sum => {
                // Terms that can take any sign are not the first.
                let firm = sources.iter().position(|source| !self.bends(source)).unwrap_or(0);
                sources.swap(0, firm);
                negative.clone_from(&sources[0].negative);
                for source in &mut sources {
                    flip(&mut source.negative, &negative);
                    if self.bends(source)
                        && let OperandSource::Here(place) = source.what
                    {
                        let signs = std::mem::replace(&mut source.negative, vec![false; copies]);
                        self.bend(place, &signs);
                    }
                }
                PackOperation::Sum(sources)
            }
            Shape::Product => {
                for (copy, &value) in values.iter().enumerate() {
                    negative[copy] = self.flat.root(value).is_some_and(|node| node.negative);
                }
                for source in &mut sources {
                    flip(&mut negative, &source.negative);
                    source.negative.fill(false);
                }
                // A number takes all signs.
                if let Some(number) = sources.iter().position(|source| self.is_number(source)) {
                    sources[number].negative.clone_from(&negative);
                    negative.fill(false);
                    free = !self.kept[pack as usize];
                }
                PackOperation::Product(sources)
            }
            Shape::Other => {
                let operation = self.program.operation(values[0]);
                match operation {
                    Operation::Arithmetic(ArithmeticOperation::Div, ..)
                    | Operation::Unary(Unary::Sin, _) => {
                        for source in &mut sources {
                            flip(&mut negative, &source.negative);
                            source.negative.fill(false);
                        }
                    }
                    Operation::Unary(Unary::Cos | Unary::Abs, _) => {
                        sources.iter_mut().for_each(|source| source.negative.fill(false));
                    }
                    _ => {}
                }
                PackOperation::Apply(operation, sources)
            }
        };
        self.place[pack as usize] = self.packs.len();
        self.packs.push(Pack { values, negative, form });
        self.free.push(free);
    }

    /// Returns `true` if a source is computed here for one reader and can have any sign.
    fn bends(&self, source: &PackOperand) -> bool {
        matches!(source.what, OperandSource::Here(place) if self.free[place])
    }

    fn bend(&mut self, place: usize, signs: &[bool]) {
        let Pack { negative, form: PackOperation::Product(sources), .. } = &mut self.packs[place]
        else {
            return;
        };
        flip(negative, signs);
        let program = self.program;
        let number = |source: &&mut PackOperand| is_number(program, source);
        if let Some(source) = sources.iter_mut().find(number) {
            flip(&mut source.negative, signs);
        }
    }

    fn is_number(&self, source: &PackOperand) -> bool {
        is_number(self.program, source)
    }

    /// The operands of a pack, those of each copy in the same order.
    fn sources(&self, values: &[Value], shape: Shape) -> Vec<PackOperand> {
        let by_copy: Vec<Vec<Part>> = values
            .iter()
            .map(|&value| {
                let mut parts = self.flat.parts(value).to_vec();
                if shape != Shape::Other {
                    // What belongs together has the same place; numbers go by size, others by their
                    // own order.
                    parts.sort_by(|a, b| {
                        let size =
                            |part: &Part| self.program.number(part.value).map_or(0.0, f64::abs);
                        let place = |part: &Part| self.pairs.place(part.value);
                        place(a)
                            .cmp(&place(b))
                            .then_with(|| size(a).total_cmp(&size(b)))
                            .then_with(|| a.value.cmp(&b.value))
                    });
                }
                parts
            })
            .collect();
        (0..by_copy[0].len()).map(|at| self.source(by_copy.iter().map(|parts| parts[at]))).collect()
    }

    fn source(&self, parts: impl Iterator<Item = Part> + Clone) -> PackOperand {
        let values: Vec<Value> = parts.clone().map(|part| part.value).collect();
        let mut negative: Vec<bool> = parts.map(|part| part.negative).collect();
        let what = match self.pairs.of[values[0].index()] {
            Some(pack) if self.layer_of[pack as usize] == self.number => {
                let place = self.place[pack as usize];
                flip(&mut negative, &self.packs[place].negative);
                OperandSource::Here(place)
            }
            Some(_) => OperandSource::Earlier(values),
            None => OperandSource::Each(values),
        };
        PackOperand { what, negative }
    }
}

/// Returns `true` if a source is a number in each copy.
fn is_number(program: &Program, source: &PackOperand) -> bool {
    match &source.what {
        OperandSource::Each(values) => values.iter().all(|&value| program.number(value).is_some()),
        _ => false,
    }
}

fn flip(signs: &mut [bool], by: &[bool]) {
    signs.iter_mut().zip(by).for_each(|(sign, &by)| *sign ^= by);
}
