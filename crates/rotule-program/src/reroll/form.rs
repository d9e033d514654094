//! Operands of the positions of a phase: those of all copies in one order.

use super::CopyResult;
use super::seeds::Scene;
use super::times::Timed;
use crate::index::Value;
use crate::slp::flat::{Part, Shape, hash};
use crate::slp::{OperandSource, Pack, PackOperand, PackOperation};
use rustc_hash::FxHashMap;

/// The packs of a phase and their results, from its positions.
pub(super) fn packs(
    scene: &Scene<'_>,
    timed: &Timed,
    positions: Vec<u32>,
) -> (Vec<Pack>, Vec<Vec<CopyResult>>) {
    let order = sorted(scene, timed, positions);
    let place: FxHashMap<u32, usize> =
        order.iter().enumerate().map(|(at, &position)| (position, at)).collect();
    let former = Former { scene, timed, place };
    let packs = order.iter().map(|&position| former.pack(position as usize)).collect();
    let results = order.iter().map(|&position| timed.results[position as usize].clone()).collect();
    (packs, results)
}

/// Positions such that each finds what it reads of the same copy, else in the order of the first
/// copy.
fn sorted(scene: &Scene<'_>, timed: &Timed, mut positions: Vec<u32>) -> Vec<u32> {
    let first = |position: &u32| timed.members[*position as usize][0];
    positions.sort_by_key(|position| scene.line[first(position).index()]);
    let mut open: FxHashMap<u32, bool> = positions.iter().map(|&one| (one, true)).collect();
    let mut order: Vec<u32> = Vec::with_capacity(positions.len());
    let mut stack: Vec<(u32, bool)> = Vec::new();
    for &root in &positions {
        stack.push((root, false));
        while let Some((position, opened)) = stack.pop() {
            if opened {
                order.push(position);
                continue;
            }
            match open.get_mut(&position) {
                Some(open @ true) => *open = false,
                _ => continue,
            }
            stack.push((position, true));
            for (copy, &value) in timed.members[position as usize].iter().enumerate() {
                for part in scene.flat.parts(value).iter().rev() {
                    if let Some((other, of)) = timed.of[part.value.index()]
                        && of as usize == copy
                        && open.get(&other) == Some(&true)
                    {
                        stack.push((other, false));
                    }
                }
            }
        }
    }
    order
}

/// The key of an operand: the kind of thing, its number, and the distance in copies.
type Key = (u8, u64, i64);

struct Former<'a> {
    scene: &'a Scene<'a>,
    timed: &'a Timed,
    /// The place of a position in the phase.
    place: FxHashMap<u32, usize>,
}

impl Former<'_> {
    fn pack(&self, position: usize) -> Pack {
        let (flat, program) = (self.scene.flat, self.scene.program);
        let values = self.timed.members[position].clone();
        let shape = flat.root(values[0]).map_or(Shape::Other, |node| node.shape);
        let mut sources = self.sources(&values, shape);
        let form = match shape {
            Shape::Sum => PackOperation::Sum(sources),
            Shape::Product => {
                // A number stands first and takes all signs.
                let number = |one: &PackOperand| match &one.what {
                    OperandSource::Each(values) => {
                        values.iter().all(|&v| program.number(v).is_some())
                    }
                    _ => false,
                };
                if let Some(at) = sources.iter().position(number) {
                    sources.swap(0, at);
                }
                let negative = &mut sources[0].negative;
                for (sign, &value) in negative.iter_mut().zip(&values) {
                    *sign ^= flat.root(value).is_some_and(|node| node.negative);
                }
                PackOperation::Product(sources)
            }
            Shape::Other => PackOperation::Apply(program.operation(values[0]), sources),
        };
        let negative = vec![false; values.len()];
        Pack { values, negative, form }
    }

    /// The key of an operand, whichever copy's it is.
    fn key(&self, part: &Part, position_template: u32, copy: usize) -> Key {
        let value = part.value;
        if let Some((other, of)) = self.timed.of[value.index()] {
            let same = self.timed.template[other as usize] == position_template;
            let ahead = if same { i64::from(of) - copy as i64 } else { 0 };
            return (if same { 0 } else { 1 }, u64::from(other), ahead);
        }
        if self.scene.fixed[value.index()] {
            return (4, 0, 0);
        }
        if self.scene.is_input(value) {
            return (2, hash(self.scene.colours[0][value.index()]), 0);
        }
        (3, self.scene.colours[1][value.index()], 0)
    }

    fn sources(&self, values: &[Value], shape: Shape) -> Vec<PackOperand> {
        let (flat, program) = (self.scene.flat, self.scene.program);
        let template = self.timed.of[values[0].index()]
            .map_or(0, |(position, _)| self.timed.template[position as usize]);
        let mut by_copy: Vec<Vec<(Key, Part)>> = Vec::with_capacity(values.len());
        for (copy, &value) in values.iter().enumerate() {
            let each = flat.parts(value).iter();
            let mut parts: Vec<(Key, Part)> =
                each.map(|part| (self.key(part, template, copy), *part)).collect();
            if shape != Shape::Other {
                let size = |part: &Part| program.number(part.value).map_or(0.0, f64::abs);
                parts.sort_by(|(one, a), (two, b)| {
                    one.cmp(two)
                        .then_with(|| size(a).total_cmp(&size(b)))
                        .then_with(|| a.value.cmp(&b.value))
                });
            }
            by_copy.push(parts);
        }
        if shape != Shape::Other {
            align(&mut by_copy);
        }
        let len = by_copy.iter().map(Vec::len).min().unwrap_or(0);
        (0..len).map(|at| self.source(by_copy.iter().map(|parts| parts[at].1))).collect()
    }

    fn source(&self, parts: impl Iterator<Item = Part> + Clone) -> PackOperand {
        let values: Vec<Value> = parts.clone().map(|part| part.value).collect();
        let negative: Vec<bool> = parts.map(|part| part.negative).collect();
        let own = |(copy, value): (usize, &Value)| match self.timed.of[value.index()] {
            Some((position, of)) if of as usize == copy => self.place.get(&position).copied(),
            _ => None,
        };
        let first = own((0, &values[0]));
        let what = match first {
            Some(place) if values.iter().enumerate().all(|one| own(one) == first) => {
                OperandSource::Here(place)
            }
            _ => OperandSource::Each(values),
        };
        PackOperand { what, negative }
    }
}

/// Brings the operands of copies that differ into the order of most others: what is the same stands
/// at the same place, and what is left takes the places that are left.
fn align(by_copy: &mut [Vec<(Key, Part)>]) {
    let keys = |parts: &[(Key, Part)]| parts.iter().map(|&(key, _)| key).collect::<Vec<Key>>();
    let mut votes: FxHashMap<Vec<Key>, (usize, usize)> = FxHashMap::default();
    for (copy, parts) in by_copy.iter().enumerate() {
        let vote = votes.entry(keys(parts)).or_insert((0, copy));
        vote.0 += 1;
    }
    let most = votes.into_iter().max_by_key(|(_, (count, copy))| (*count, usize::MAX - copy));
    let Some((order, _)) = most else { return };
    for parts in by_copy.iter_mut().filter(|parts| keys(parts) != order) {
        let mut left: Vec<Option<(Key, Part)>> = parts.iter().copied().map(Some).collect();
        let mut row: Vec<Option<(Key, Part)>> = vec![None; order.len()];
        // The same, then the same kind of thing, then anything.
        let tests: [fn(&Key, &Key) -> bool; 3] =
            [|one, two| one == two, |one, two| one.0 == two.0, |_, _| true];
        for test in tests {
            for (place, requested) in
                row.iter_mut().zip(&order).filter(|(place, _)| place.is_none())
            {
                let found =
                    left.iter_mut().find(|one| one.is_some_and(|(key, _)| test(&key, requested)));
                *place = found.and_then(Option::take);
            }
        }
        let whole: Option<Vec<(Key, Part)>> = row.into_iter().collect();
        if let Some(row) = whole {
            *parts = row;
        }
    }
}
