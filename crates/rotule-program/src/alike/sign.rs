//! Signs as data: how each tuple is computed, with as few changes of sign in single copies as
//! possible.
//!
//! A mirrored copy computes the opposite of many values. A tuple may hold opposites in some of its
//! copies, if those who read it know: products take any signs as they come, products with numbers
//! can have any sign that is wanted, and a sum takes the signs of its first term.

use super::flat::{Flat, Part, Shape};
use super::layer::Layers;
use super::pair::Pairs;
use super::{Alike, Layer, PackOperand, PackOperation, Tuple, What};
use crate::index::Value;
use crate::operation::{ArithmeticOperation, Operation};
use crate::program::{Block, Program};
use rotule_symbolic::Unary;

/// Decides signs and brings the operands of the copies into one order.
pub(super) fn signed(program: &Program, flat: &Flat, layers: Layers, all: u64) -> Alike {
    let Layers { pairs, layers, between } = layers;
    let mut between = between.into_iter();
    let mut layer_of = vec![u32::MAX; pairs.tuples.len()];
    for (number, layer) in layers.iter().enumerate() {
        layer.iter().for_each(|&tuple| layer_of[tuple as usize] = number as u32);
    }
    let kept = kept(program, flat, &pairs, &layer_of);
    let mut found: Vec<Layer> = Vec::new();
    for (number, layer) in layers.iter().enumerate() {
        let mut signer = Signer {
            program,
            flat,
            pairs: &pairs,
            layer_of: &layer_of,
            kept: &kept,
            number: number as u32,
            place: vec![usize::MAX; pairs.tuples.len()],
            tuples: Vec::with_capacity(layer.len()),
            free: Vec::with_capacity(layer.len()),
        };
        layer.iter().for_each(|&tuple| signer.add(tuple));
        let before = between.next().unwrap_or_default();
        found.push(Layer { before, tuples: signer.tuples });
    }
    Alike {
        copies: pairs.copies,
        layers: found,
        after: between.next().unwrap_or_default(),
        inside: pairs.inside,
        all,
    }
}

/// Tuples that are read more than once, or elsewhere than in tuples of their own layer.
fn kept(program: &Program, flat: &Flat, pairs: &Pairs, layer_of: &[u32]) -> Vec<bool> {
    let mut readers = vec![0_u32; pairs.tuples.len()];
    let alive = |value: Value| pairs.of[value.index()];
    for &value in program.block(Block::Body) {
        let reader = alive(value);
        let mut read = |of: Value, first: bool| {
            if let Some(tuple) = alive(of) {
                let same = reader.is_some_and(|r| layer_of[r as usize] == layer_of[tuple as usize]);
                readers[tuple as usize] += match (same, first) {
                    (true, true) => 1,
                    (true, false) => 0,
                    (false, _) => 2,
                };
            }
        };
        match reader {
            Some(tuple) => {
                let first = pairs.tuples[tuple as usize][0] == value;
                flat.parts(value).iter().for_each(|part| read(part.value, first));
            }
            // Parts of sums that are tuples are read by them, not by the statement itself.
            None if flat.node(value).is_some_and(|node| node.absorbed) => {}
            None => super::flat::reads(program, value, &mut |of| read(of, true)),
        }
    }
    for entry in program.outputs().iter().flat_map(|output| &output.entries) {
        if let Some(tuple) = alive(entry.value) {
            readers[tuple as usize] += 2;
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
    /// Of tuples of this layer, their place in it.
    place: Vec<usize>,
    tuples: Vec<Tuple>,
    /// `true` if a tuple can have any signs because a number of its own takes them.
    free: Vec<bool>,
}

impl Signer<'_> {
    fn add(&mut self, tuple: u32) {
        let values = self.pairs.tuples[tuple as usize].clone();
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
                        && let What::Here(place) = source.what
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
                    free = !self.kept[tuple as usize];
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
        self.place[tuple as usize] = self.tuples.len();
        self.tuples.push(Tuple { values, negative, form });
        self.free.push(free);
    }

    /// Returns `true` if a source is computed here for one reader and can have any sign.
    fn bends(&self, source: &PackOperand) -> bool {
        matches!(source.what, What::Here(place) if self.free[place])
    }

    fn bend(&mut self, place: usize, signs: &[bool]) {
        let Tuple { negative, form: PackOperation::Product(sources), .. } = &mut self.tuples[place]
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

    /// The operands of a tuple, those of each copy in the same order.
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
            Some(tuple) if self.layer_of[tuple as usize] == self.number => {
                let place = self.place[tuple as usize];
                flip(&mut negative, &self.tuples[place].negative);
                What::Here(place)
            }
            Some(_) => What::Earlier(values),
            None => What::Each(values),
        };
        PackOperand { what, negative }
    }
}

/// Returns `true` if a source is a number in each copy.
fn is_number(program: &Program, source: &PackOperand) -> bool {
    match &source.what {
        What::Each(values) => values.iter().all(|&value| program.number(value).is_some()),
        _ => false,
    }
}

fn flip(signs: &mut [bool], by: &[bool]) {
    signs.iter_mut().zip(by).for_each(|(sign, &by)| *sign ^= by);
}
