//! Folding: numbers are computed, neutral operands dropped and minuses melted into the operations
//! around them. Rules look one statement deep and never make a program more expensive.
//!
//! Rules that would change a NaN or an infinity into something else (`x*0`, `x - x`, `x/x`) are not
//! here, nor is anything that rounds differently. Functions that differ between mathematical
//! libraries are not computed but at the points where their value is exact: the same program must
//! become the same bytes on every machine.

use super::PassReport;
use super::rewrite::Rewrite;
use crate::index::Value;
use crate::operation::{ArithmeticOperation, Operation};
use crate::program::Program;
use crate::walk::Step;
use rotule_symbolic::{Binary, Parity, Unary};

/// Folds constants, neutral operands and minuses.
pub fn fold(program: &mut Program) -> PassReport {
    PassReport::of("fold", program, |program| {
        let mut rewrite = Rewrite::new(program);
        rewrite.walk(|rewrite, step| {
            let Step::Statement(value) = step else { return };
            let mut operation = rewrite.update(value);
            // Each rule either ends or drops a minus or an operand, so this ends soon.
            while let Some(folded) = rule(rewrite.program, operation) {
                match folded {
                    Folded::Operation(simpler) => {
                        operation = simpler;
                        rewrite.change(value, simpler);
                    }
                    Folded::Value(known) => {
                        rewrite.replace(value, known);
                        break;
                    }
                    Folded::Number(number) => {
                        let known = rewrite.program.constant(number);
                        rewrite.replace(value, known);
                        break;
                    }
                }
            }
        });
        rewrite.finish()
    })
}

/// The folded form of a statement.
enum Folded {
    Operation(Operation),
    Value(Value),
    Number(f64),
}

fn rule(program: &mut Program, operation: Operation) -> Option<Folded> {
    match operation {
        Operation::Neg(a) => match program.operation(a) {
            // -(5) = -5
            Operation::Constant(x) => Some(Folded::Number(-x)),
            // -(-a) = a
            Operation::Neg(inner) => Some(Folded::Value(inner)),
            _ => None,
        },
        Operation::Arithmetic(arithmetic, a, b) => {
            if let (Some(x), Some(y)) = (program.number(a), program.number(b)) {
                return finite(arithmetic.apply(x, y));
            }
            match arithmetic {
                ArithmeticOperation::Add => add(program, a, b),
                ArithmeticOperation::Sub => sub(program, a, b),
                ArithmeticOperation::Mul => mul(program, a, b),
                ArithmeticOperation::Div => div(program, a, b),
            }
        }
        Operation::Unary(function, a) => unary(program, function, a),
        Operation::Binary(function, a, b) => binary(program, function, a, b),
        Operation::Select { compare, left, right, then, otherwise } => {
            // Both ways lead to the same value.
            if then == otherwise {
                return Some(Folded::Value(then));
            }
            let (x, y) = (program.number(left)?, program.number(right)?);
            Some(Folded::Value(if compare.apply(x, y) { then } else { otherwise }))
        }
        _ => None,
    }
}

/// A computed number, unless it is infinite or NaN: then the computation stays in sight.
fn finite(number: f64) -> Option<Folded> {
    number.is_finite().then_some(Folded::Number(number))
}

fn arithmetic(arithmetic: ArithmeticOperation, a: Value, b: Value) -> Option<Folded> {
    Some(Folded::Operation(Operation::Arithmetic(arithmetic, a, b)))
}

/// The value whose minus a value is.
fn minus(program: &Program, value: Value) -> Option<Value> {
    match program.operation(value) {
        Operation::Neg(inner) => Some(inner),
        _ => None,
    }
}

fn add(program: &Program, a: Value, b: Value) -> Option<Folded> {
    // a + 0 = a
    if program.number(b) == Some(0.0) {
        return Some(Folded::Value(a));
    }
    // 0 + b = b
    if program.number(a) == Some(0.0) {
        return Some(Folded::Value(b));
    }
    // a + (-b) = a - b
    if let Some(inner) = minus(program, b) {
        return arithmetic(ArithmeticOperation::Sub, a, inner);
    }
    // (-a) + b = b - a
    if let Some(inner) = minus(program, a) {
        return arithmetic(ArithmeticOperation::Sub, b, inner);
    }
    None
}

fn sub(program: &mut Program, a: Value, b: Value) -> Option<Folded> {
    // a - 0 = a
    if program.number(b) == Some(0.0) {
        return Some(Folded::Value(a));
    }
    // 0 - b = -b
    if program.number(a) == Some(0.0) {
        return Some(Folded::Operation(Operation::Neg(b)));
    }
    // a - (-b) = a + b
    if let Some(inner) = minus(program, b) {
        return arithmetic(ArithmeticOperation::Add, a, inner);
    }
    // (-a) - 5 = -5 - a
    if let (Some(inner), Some(y)) = (minus(program, a), program.number(b)) {
        let opposite = program.constant(-y);
        return arithmetic(ArithmeticOperation::Sub, opposite, inner);
    }
    None
}

fn mul(program: &mut Program, a: Value, b: Value) -> Option<Folded> {
    for (factor, other) in [(a, b), (b, a)] {
        match program.number(factor) {
            // 1*b = b
            Some(1.0) => return Some(Folded::Value(other)),
            // -1*b = -b
            Some(-1.0) => return Some(Folded::Operation(Operation::Neg(other))),
            // 5*(-b) = -5*b
            Some(x) => {
                let inner = minus(program, other)?;
                let opposite = program.constant(-x);
                return arithmetic(ArithmeticOperation::Mul, opposite, inner);
            }
            None => {}
        }
    }
    // (-a)*(-b) = a*b
    arithmetic(ArithmeticOperation::Mul, minus(program, a)?, minus(program, b)?)
}

fn div(program: &mut Program, a: Value, b: Value) -> Option<Folded> {
    if let Some(y) = program.number(b) {
        // a/1 = a
        if y == 1.0 {
            return Some(Folded::Value(a));
        }
        // a/-1 = -a
        if y == -1.0 {
            return Some(Folded::Operation(Operation::Neg(a)));
        }
        // (-a)/5 = a/-5
        if let Some(inner) = minus(program, a) {
            let opposite = program.constant(-y);
            return arithmetic(ArithmeticOperation::Div, inner, opposite);
        }
        // a/4 = 0.25*a, exactly
        if power_of_two(y) {
            let inverse = program.constant(y.recip());
            return arithmetic(ArithmeticOperation::Mul, inverse, a);
        }
        return None;
    }
    // 5/(-b) = -5/b
    if let (Some(x), Some(inner)) = (program.number(a), minus(program, b)) {
        let opposite = program.constant(-x);
        return arithmetic(ArithmeticOperation::Div, opposite, inner);
    }
    // (-a)/(-b) = a/b
    arithmetic(ArithmeticOperation::Div, minus(program, a)?, minus(program, b)?)
}

/// Returns `true` if a number is a power of two, up to sign, with an inverse that is one too.
fn power_of_two(x: f64) -> bool {
    const FRACTION: u64 = (1 << 52) - 1;
    let inverse = x.recip();
    x.is_normal() && inverse.is_normal() && (x.to_bits() | inverse.to_bits()) & FRACTION == 0
}

fn unary(program: &Program, function: Unary, a: Value) -> Option<Folded> {
    if let Some(x) = program.number(a) {
        return exact(function, x).and_then(finite);
    }
    // cos(-a) = cos(a), |-a| = |a|
    if function.parity() == Parity::Even {
        let inner = minus(program, a)?;
        return Some(Folded::Operation(Operation::Unary(function, inner)));
    }
    None
}

/// The value of a function where every mathematical library agrees on it.
fn exact(function: Unary, x: f64) -> Option<f64> {
    match function {
        // Correctly rounded by IEEE 754, or no rounding at all.
        Unary::Sqrt | Unary::Abs | Unary::Sign | Unary::Floor => Some(function.apply(x)),
        Unary::Sin | Unary::Tan | Unary::Asin | Unary::Atan if x == 0.0 => Some(x),
        Unary::Cos | Unary::Exp if x == 0.0 => Some(1.0),
        Unary::Log | Unary::Acos if x == 1.0 => Some(0.0),
        _ => None,
    }
}

fn binary(program: &Program, function: Binary, a: Value, b: Value) -> Option<Folded> {
    match function {
        // min(a, a) = a
        Binary::Min | Binary::Max if a == b => Some(Folded::Value(a)),
        Binary::Min | Binary::Max => finite(function.apply(program.number(a)?, program.number(b)?)),
        // pow(a, 1) = a; pow(a, 0.5) and pow(a, 2) round differently in some libraries
        Binary::Pow if program.number(b) == Some(1.0) => Some(Folded::Value(a)),
        Binary::Atan2 | Binary::Pow => None,
    }
}
