//! Evaluation in 192-bit arithmetic: the judge of every rewriting, with digits to spare.

use astro_float::{BigFloat, Consts, RoundingMode};
use rotule_symbolic::{Arithmetic, Binary, Compare, Number, Unary};

const BITS: usize = 192;
/// Correct rounding would try to round exact results for ever, and the last bit does not matter.
const ROUND: RoundingMode = RoundingMode::None;

/// Arithmetic with names given by a function of doubles.
pub struct Extended<F> {
    input: F,
    constants: Consts,
}

impl<F: FnMut(&str) -> Option<f64>> Extended<F> {
    /// Evaluates with these inputs.
    pub fn new(input: F) -> Extended<F> {
        let constants = Consts::new().expect("memory for constants");
        Extended { input, constants }
    }
}

/// The nearest double; NaN where there is no number.
pub fn to_f64(x: &BigFloat) -> f64 {
    x.to_string().parse().unwrap_or(f64::NAN)
}

impl<F: FnMut(&str) -> Option<f64>> Arithmetic for Extended<F> {
    type Value = BigFloat;
    fn number(&mut self, number: Number) -> BigFloat {
        match number {
            Number::Rational { numerator, denominator } => {
                let top = BigFloat::from_i64(numerator, BITS);
                top.div(&BigFloat::from_u32(denominator, BITS), BITS, ROUND)
            }
            Number::Real(x) => BigFloat::from_f64(x, BITS),
        }
    }
    fn pi(&mut self) -> BigFloat {
        self.constants.pi(BITS, ROUND)
    }
    fn name(&mut self, name: &str) -> Option<BigFloat> {
        (self.input)(name).map(|x| BigFloat::from_f64(x, BITS))
    }
    fn negate(&mut self, a: &BigFloat) -> BigFloat {
        a.neg()
    }
    fn add(&mut self, a: &BigFloat, b: &BigFloat) -> BigFloat {
        a.add(b, BITS, ROUND)
    }
    fn multiply(&mut self, a: &BigFloat, b: &BigFloat) -> BigFloat {
        a.mul(b, BITS, ROUND)
    }
    fn divide(&mut self, a: &BigFloat, b: &BigFloat) -> BigFloat {
        a.div(b, BITS, ROUND)
    }
    fn unary(&mut self, function: Unary, a: &BigFloat) -> BigFloat {
        // Reducing an astronomic angle, or raising e to it, would take as long as it is large.
        let plain = matches!(function, Unary::Abs | Unary::Sign | Unary::Floor);
        if a.exponent().is_some_and(|e| e > 40) && !plain {
            return astro_float::NAN;
        }
        let c = &mut self.constants;
        match function {
            Unary::Sin => a.sin(BITS, ROUND, c),
            Unary::Cos => a.cos(BITS, ROUND, c),
            Unary::Tan => a.tan(BITS, ROUND, c),
            Unary::Asin => a.asin(BITS, ROUND, c),
            Unary::Acos => a.acos(BITS, ROUND, c),
            Unary::Atan => a.atan(BITS, ROUND, c),
            Unary::Sqrt => a.sqrt(BITS, ROUND),
            Unary::Exp => a.exp(BITS, ROUND, c),
            Unary::Log => a.ln(BITS, ROUND, c),
            Unary::Abs => a.abs(),
            Unary::Sign if a.is_zero() => BigFloat::from_i32(0, BITS),
            Unary::Sign => BigFloat::from_i32(if a.is_negative() { -1 } else { 1 }, BITS),
            Unary::Floor => a.floor(),
        }
    }
    fn binary(&mut self, function: Binary, a: &BigFloat, b: &BigFloat) -> BigFloat {
        match function {
            Binary::Min | Binary::Max if a.is_nan() || b.is_nan() => astro_float::NAN,
            Binary::Min if a.cmp(b).is_some_and(|order| order <= 0) => a.clone(),
            Binary::Min => b.clone(),
            Binary::Max if a.cmp(b).is_some_and(|order| order >= 0) => a.clone(),
            Binary::Max => b.clone(),
            Binary::Pow if b.exponent().is_some_and(|e| e > 10) => astro_float::NAN,
            Binary::Pow => a.pow(b, BITS, ROUND, &mut self.constants),
            Binary::Atan2 => {
                let pi = self.constants.pi(BITS, ROUND);
                let angle = a.div(b, BITS, ROUND).atan(BITS, ROUND, &mut self.constants);
                // A number has no negative zero; only doubles do.
                match (b.is_negative(), a.is_negative() && !a.is_zero()) {
                    (false, _) => angle,
                    (true, false) => angle.add(&pi, BITS, ROUND),
                    (true, true) => angle.sub(&pi, BITS, ROUND),
                }
            }
        }
    }
    fn compare(&mut self, compare: Compare, a: &BigFloat, b: &BigFloat) -> bool {
        let Some(order) = a.cmp(b) else { return compare == Compare::NotEqual };
        match compare {
            Compare::Less => order < 0,
            Compare::LessEqual => order <= 0,
            Compare::Equal => order == 0,
            Compare::NotEqual => order != 0,
        }
    }
    fn call(&mut self, _: &str, _: u32, _: &[BigFloat]) -> Option<BigFloat> {
        None
    }
}
