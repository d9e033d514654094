//! Opposites: of two statements that differ in sign only, the second becomes the minus of the
//! first, which is free. `b - a` is the minus of `a - b`, `(-a)*b` that of `a*b`, `sin(-a)` that of
//! `sin(a)`.
//!
//! The value is the same, but a zero may change its sign; that is why this is not part of `share`,
//! which changes no bit.

use super::PassReport;
use super::rewrite::Rewrite;
use super::share::{Known, ordered};
use crate::index::Value;
use crate::operation::{ArithmeticOperation, Operation};
use crate::program::Program;
use crate::walk::Step;
use rotule_symbolic::Parity;

/// Makes of each statement whose opposite is known a minus.
pub fn negation_sharing(program: &mut Program) -> PassReport {
    PassReport::of("negation_sharing", program, |program| {
        let mut rewrite = Rewrite::new(program);
        let form = |program: &Program, operation| signed(program, operation).1;
        let mut known = Known::by(rewrite.program, form);
        rewrite.walk(|rewrite, step| match step {
            Step::Enter(..) => known.enter(),
            Step::Leave(..) => known.leave(),
            Step::Statement(value) => {
                let operation = rewrite.update(value);
                // What has no sign to give is left to `share`.
                let (sign, form) = signed(rewrite.program, operation);
                if matches!(form, Operation::Arithmetic(..) | Operation::Unary(..))
                    && let Some(other) = known.find_or_add(rewrite.program, value)
                    && signed(rewrite.program, rewrite.program.operation(other)).0 != sign
                {
                    rewrite.change(value, Operation::Neg(other));
                }
            }
        });
        rewrite.finish()
    })
}

/// The sign of an operation, and the operation without it: differences in the order
/// of their operands' numbers, products, quotients and odd functions without minuses.
fn signed(program: &Program, operation: Operation) -> (bool, Operation) {
    let strip = |value: Value| match program.operation(value) {
        Operation::Neg(inner) => (true, inner),
        _ => (false, value),
    };
    match operation {
        Operation::Arithmetic(ArithmeticOperation::Sub, a, b) => {
            (b < a, Operation::Arithmetic(ArithmeticOperation::Sub, a.min(b), a.max(b)))
        }
        Operation::Arithmetic(
            arithmetic @ (ArithmeticOperation::Mul | ArithmeticOperation::Div),
            a,
            b,
        ) => {
            let ((minus, a), (other, b)) = (strip(a), strip(b));
            (minus != other, ordered(Operation::Arithmetic(arithmetic, a, b)))
        }
        Operation::Unary(function, a) if function.parity() == Parity::Odd => {
            let (minus, a) = strip(a);
            (minus, Operation::Unary(function, a))
        }
        other => (false, ordered(other)),
    }
}
