//! Turns: sines and cosines of a sum of two angles come from those of the two, if these are
//! computed anyway.
//!
//! ```text
//! sin(b + c) = sin b cos c + cos b sin c        cos(b + c) = cos b cos c - sin b sin c
//! ```
//!
//! Joints with parallel axes ask for such sums. Four products and two sums are less than a sine and
//! a cosine, unless several of these cost no more than one: this is for code that computes every
//! angle by itself, such as batches of states, and no part of [`optimise`](super::optimise). Values
//! change by rounding.

use super::dead;
use crate::index::Value;
use crate::operation::{ArithmeticOperation, Operation};
use crate::program::{Block, Program};
use rotule_symbolic::Unary;
use rustc_hash::{FxHashMap, FxHashSet};

/// Sums of sums are followed so far: each adds its rounding.
const DEEPEST: u32 = 4;

/// An angle of `body`.
#[derive(Clone, Copy, Default)]
struct Angle {
    /// Its sine and its cosine, where they are computed.
    values: [Option<Value>; 2],
    /// Number of sums that it is away from angles that have sines of their own.
    depth: u32,
}

/// The two functions, in the order of [`Angle::values`].
const FUNCTIONS: [Unary; 2] = [Unary::Sin, Unary::Cos];

/// Puts sums of products in the place of sines and cosines of sums in `body`. Gives how many.
pub fn angle_addition(program: &mut Program) -> usize {
    let body = program.block(Block::Body).to_vec();
    let mut angles: FxHashMap<Value, Angle> = FxHashMap::default();
    let (mut sines, mut requested) = (FxHashSet::default(), Vec::new());
    for &value in &body {
        let Operation::Unary(function @ (Unary::Sin | Unary::Cos), of) = program.operation(value)
        else {
            continue;
        };
        let known = angles.entry(of).or_insert_with(|| {
            requested.push(of);
            Angle::default()
        });
        known.values[usize::from(function == Unary::Cos)] = Some(value);
        sines.insert(value);
    }
    let inside: FxHashSet<Value> = body.iter().copied().collect();
    let mut turns = Turns { program, angles, order: Vec::with_capacity(body.len()), changed: 0 };
    // Sines follow their angles, so that those of the parts of a sum are known before those of the
    // sum.
    requested
        .into_iter()
        .filter(|angle| !inside.contains(angle))
        .for_each(|angle| turns.place(angle));
    for &value in &body {
        if !sines.contains(&value) {
            turns.order.push(value);
            turns.place(value);
        }
    }
    let Turns { program, order, changed, .. } = turns;
    *program.block_mut(Block::Body) = order;
    if changed > 0 {
        dead(program);
    }
    changed
}

struct Turns<'a> {
    program: &'a mut Program,
    angles: FxHashMap<Value, Angle>,
    /// The statements of `body` in their new order.
    order: Vec<Value>,
    changed: usize,
}

impl Turns<'_> {
    /// Writes sine and cosine of an angle that has just been computed, if anybody asks for them.
    fn place(&mut self, angle: Value) {
        let Some(&Angle { values, .. }) = self.angles.get(&angle) else { return };
        let Some((minus, parts, depth)) = self.parts(angle) else {
            self.order.extend(values.into_iter().flatten());
            return;
        };
        if let Some(known) = self.angles.get_mut(&angle) {
            known.depth = depth;
        }
        let [[sb, cb], [sc, cc]] = parts.map(|part| [0, 1].map(|which| self.value(part, which)));
        let (plus, less) = if minus {
            (ArithmeticOperation::Sub, ArithmeticOperation::Add)
        } else {
            (ArithmeticOperation::Add, ArithmeticOperation::Sub)
        };
        let sums = [(plus, (sb, cc), (cb, sc)), (less, (cb, cc), (sb, sc))];
        for (which, (sign, first, second)) in sums.into_iter().enumerate() {
            let [a, b] = [first, second]
                .map(|(a, b)| self.push(Operation::Arithmetic(ArithmeticOperation::Mul, a, b)));
            let sum = Operation::Arithmetic(sign, a, b);
            if let Some(value) = values[which] {
                self.program.operations[value.index()] = sum;
                self.order.push(value);
                self.changed += 1;
            } else {
                // Sums of this angle may ask for it; else it is dead.
                let value = self.push(sum);
                self.know(angle, which, value);
            }
        }
    }

    /// The two angles that an angle is the sum or the difference of, if both have sines or cosines;
    /// and its depth.
    fn parts(&self, angle: Value) -> Option<(bool, [Value; 2], u32)> {
        let Operation::Arithmetic(
            sign @ (ArithmeticOperation::Add | ArithmeticOperation::Sub),
            b,
            c,
        ) = self.program.operation(angle)
        else {
            return None;
        };
        let depth = 1 + self.angles.get(&b)?.depth.max(self.angles.get(&c)?.depth);
        (depth <= DEEPEST).then_some((sign == ArithmeticOperation::Sub, [b, c], depth))
    }

    /// Sine or cosine of an angle that has the other one at least.
    fn value(&mut self, angle: Value, which: usize) -> Value {
        if let Some(known) = self.angles[&angle].values[which] {
            return known;
        }
        let value = self.push(Operation::Unary(FUNCTIONS[which], angle));
        self.know(angle, which, value);
        value
    }

    fn know(&mut self, angle: Value, which: usize, value: Value) {
        if let Some(known) = self.angles.get_mut(&angle) {
            known.values[which] = Some(value);
        }
    }

    fn push(&mut self, operation: Operation) -> Value {
        let value = self.program.push(Block::Body, operation);
        self.order.push(value);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoExternals, parse, run_once, verify};

    const TEXT: &str = "program p
        input a coordinate
        input b coordinate
        input c coordinate
        body
          %1 = add a b
          %2 = sin %1
          %3 = sub %1 c
          %4 = cos %3
          %5 = sin %3
          %6 = cos a
          %7 = sin b
          %8 = cos c
          %9 = mul %2 %4
          %10 = mul %5 %6
          %11 = mul %7 %8
          %12 = add c b
          %13 = mul %12 %12
          %14 = cos %13
        output y(4)
          (0) = %9
          (1) = %10
          (2) = %11
          (3) = %14";

    #[test]
    fn sums_of_angles_keep_their_values() {
        let before = parse(TEXT).unwrap_or_else(|problem| panic!("{problem:?}"));
        let mut after = before.clone();
        assert_eq!(angle_addition(&mut after), 3);
        assert!(verify(&after).is_ok(), "{}", crate::print(&after));
        for inputs in [[0.3, 1.1, -0.4], [-2.0, 0.9, 3.0], [0.0, 0.0, 0.0]] {
            let numbers = |program| run_once(program, &inputs, &mut NoExternals).expect("runs");
            for (a, b) in numbers(&before).into_iter().zip(numbers(&after)) {
                assert!((a - b).abs() < 1e-15, "{a} {b}");
            }
        }
        let angles = |program: &Program| {
            let of = program.block(Block::Body).iter();
            let found: FxHashSet<Value> =
                of.filter_map(|&value| super::super::angle(program.operation(value))).collect();
            found.len()
        };
        assert_eq!((angles(&before), angles(&after)), (6, 4));
    }
}
