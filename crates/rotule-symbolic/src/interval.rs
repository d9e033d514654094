//! Interval arithmetic with first derivatives: proves where an expression of one symbol keeps its
//! sign.
//!
//! A value is an enclosure of the expression over a range of one symbol, and an enclosure of its
//! derivative there. Sums and products are rounded outwards, but only where they are rounded at
//! all, so that what is exactly zero stays so; functions are widened by what they may be wrong by.
//! What has no value somewhere in the range is enclosed by all numbers.

use crate::function::{Binary, Compare, Unary};
use crate::number::Number;
use crate::syntax::Arithmetic;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// All numbers from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The least.
    pub low: f64,
    /// The largest.
    pub high: f64,
}

/// Functions of the host are exact to this many units in the last place.
const ULPS: usize = 4;
/// Beyond this, an angle says nothing of its sine.
const LARGE: f64 = 1e9;

impl Interval {
    /// All numbers.
    pub const ALL: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
    /// Zero alone.
    pub const ZERO: Interval = Interval::point(0.0);

    /// One number.
    pub const fn point(value: f64) -> Interval {
        Interval { low: value, high: value }
    }

    /// The numbers between two, in this order.
    pub fn new(low: f64, high: f64) -> Interval {
        if low <= high { Interval { low, high } } else { Interval::ALL }
    }

    /// Returns `true` if a number is in it.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The smallest interval that has both.
    #[must_use]
    pub fn hull(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn negate(self) -> Interval {
        Interval { low: -self.high, high: -self.low }
    }

    fn add(self, other: Interval) -> Interval {
        let low = sum(self.low, other.low);
        let high = sum(-self.high, -other.high);
        Interval::new(low, -high)
    }

    fn multiply(self, other: Interval) -> Interval {
        let ends = [self.low, self.high].map(|a| [other.low, other.high].map(|b| (a, b)));
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (a, b) in ends.into_iter().flatten() {
            low = low.min(product(a, b));
            high = high.max(-product(-a, b));
        }
        Interval::new(low, high)
    }

    /// One over it.
    fn inverse(self) -> Interval {
        if self.contains(0.0) {
            return Interval::ALL;
        }
        Interval::new((1.0 / self.high).next_down(), (1.0 / self.low).next_up())
    }

    /// Its image under a growing function.
    fn map(self, function: impl Fn(f64) -> f64) -> Interval {
        widened(function(self.low), function(self.high))
    }

    fn sine(self) -> Interval {
        if !(self.high - self.low < TAU && self.low.abs().max(self.high.abs()) < LARGE) {
            return Interval { low: -1.0, high: 1.0 };
        }
        // Whether there is a whole number of turns behind a quarter or three, give or take the
        // rounding of an angle.
        let passes = |at: f64| {
            let slack = 8.0 * f64::EPSILON * self.low.abs().max(self.high.abs()).max(1.0);
            ((self.low - slack - at) / TAU).ceil() <= ((self.high + slack - at) / TAU).floor()
        };
        let (a, b) = (Unary::Sin.apply(self.low), Unary::Sin.apply(self.high));
        let Interval { low, high } = widened(a.min(b), a.max(b));
        let low = if passes(-FRAC_PI_2) { -1.0 } else { low.max(-1.0) };
        let high = if passes(FRAC_PI_2) { 1.0 } else { high.min(1.0) };
        Interval::new(low, high)
    }

    fn square(self) -> Interval {
        let Interval { low, high } = self.multiply(self);
        Interval::new(low.max(0.0), high)
    }
}

/// `a + b`, rounded down where it is rounded.
fn sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if !sum.is_finite() {
        return if sum.is_nan() || sum > 0.0 && a.is_finite() && b.is_finite() {
            f64::NEG_INFINITY
        } else {
            sum
        };
    }
    // The part of the exact sum that rounding leaves out (Knuth).
    let own = sum - a;
    let rest = (a - (sum - own)) + (b - own);
    if rest < 0.0 { sum.next_down() } else { sum }
}

/// `a * b`, rounded down where it is rounded; zero times anything is zero.
fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    let product = a * b;
    if !product.is_finite() || product.abs() < 1e-290 {
        return product.next_down();
    }
    if a.mul_add(b, -product) < 0.0 { product.next_down() } else { product }
}

/// The numbers between two that functions gave.
fn widened(low: f64, high: f64) -> Interval {
    let (mut low, mut high) = (low, high);
    for _ in 0..ULPS {
        (low, high) = (low.next_down(), high.next_up());
    }
    Interval::new(low, high)
}

/// An enclosure of a value and of its derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enclosure {
    /// The value.
    pub value: Interval,
    /// Its derivative by the symbol; all numbers where there is none.
    pub slope: Interval,
}

impl Enclosure {
    fn constant(value: Interval) -> Enclosure {
        Enclosure { value, slope: Interval::ZERO }
    }

    /// A function of it: what it becomes, and by what its derivative is multiplied.
    fn chain(self, value: Interval, factor: Interval) -> Enclosure {
        Enclosure { value, slope: factor.multiply(self.slope) }
    }

    /// One of two, it is not known which.
    fn either(self, other: Enclosure, value: Interval) -> Enclosure {
        Enclosure { value, slope: self.slope.hull(other.slope) }
    }
}

/// Enclosures over a range of one symbol; other names have numbers.
pub struct Intervals<'n, F> {
    /// The symbol.
    pub symbol: &'n str,
    /// Its range.
    pub range: Interval,
    /// The numbers of all others.
    pub numbers: F,
    /// `true` if a comparison had both answers in the range: then the values say nothing.
    pub undecided: bool,
}

impl<F: FnMut(&str) -> Option<f64>> Arithmetic for Intervals<'_, F> {
    type Value = Enclosure;

    fn number(&mut self, number: Number) -> Enclosure {
        let value = number.to_f64();
        // A fraction such as 1/3 is beside the double that stands for it.
        let exact = value.fract() == 0.0;
        let value = if exact { Interval::point(value) } else { widened(value, value) };
        Enclosure::constant(value)
    }

    fn pi(&mut self) -> Enclosure {
        Enclosure::constant(widened(PI, PI))
    }

    fn name(&mut self, name: &str) -> Option<Enclosure> {
        if name == self.symbol {
            return Some(Enclosure { value: self.range, slope: Interval::point(1.0) });
        }
        (self.numbers)(name).map(|value| Enclosure::constant(Interval::point(value)))
    }

    fn negate(&mut self, a: &Enclosure) -> Enclosure {
        Enclosure { value: a.value.negate(), slope: a.slope.negate() }
    }

    fn add(&mut self, a: &Enclosure, b: &Enclosure) -> Enclosure {
        Enclosure { value: a.value.add(b.value), slope: a.slope.add(b.slope) }
    }

    fn multiply(&mut self, a: &Enclosure, b: &Enclosure) -> Enclosure {
        let slope = a.slope.multiply(b.value).add(a.value.multiply(b.slope));
        Enclosure { value: a.value.multiply(b.value), slope }
    }

    fn divide(&mut self, a: &Enclosure, b: &Enclosure) -> Enclosure {
        let inverse = b.value.inverse();
        // (a/b)' = (a' - a/b b')/b
        let value = a.value.multiply(inverse);
        let slope = a.slope.add(value.multiply(b.slope).negate()).multiply(inverse);
        Enclosure { value, slope }
    }

    fn unary(&mut self, function: Unary, a: &Enclosure) -> Enclosure {
        let x = a.value;
        let one = Interval::point(1.0);
        let quarter = widened(FRAC_PI_2, FRAC_PI_2);
        match function {
            Unary::Sin => a.chain(x.sine(), x.add(quarter).sine()),
            Unary::Cos => a.chain(x.add(quarter).sine(), x.sine().negate()),
            Unary::Tan => {
                let cosine = x.add(quarter).sine();
                if cosine.contains(0.0) {
                    return Enclosure { value: Interval::ALL, slope: Interval::ALL };
                }
                let value = x.map(|x| Unary::Tan.apply(x));
                a.chain(value, value.square().add(one))
            }
            Unary::Asin | Unary::Acos => {
                if !(x.low >= -1.0 && x.high <= 1.0) {
                    return Enclosure { value: Interval::ALL, slope: Interval::ALL };
                }
                let factor = one.add(x.square().negate());
                let factor = match factor.low > 0.0 {
                    true => factor.map(f64::sqrt).inverse(),
                    false => Interval::ALL,
                };
                let sine = x.map(|x| Unary::Asin.apply(x));
                match function {
                    Unary::Asin => a.chain(sine, factor),
                    _ => a.chain(quarter.add(sine.negate()), factor.negate()),
                }
            }
            Unary::Atan => a.chain(x.map(|x| Unary::Atan.apply(x)), one.add(x.square()).inverse()),
            Unary::Sqrt => {
                let root = Interval::new(x.low.max(0.0), x.high).map(f64::sqrt);
                let root = Interval::new(root.low.max(0.0), root.high);
                let factor = root.multiply(Interval::point(2.0)).inverse();
                a.chain(if x.low < 0.0 { Interval::ALL } else { root }, factor)
            }
            Unary::Exp => {
                let value = x.map(|x| Unary::Exp.apply(x));
                let value = Interval::new(value.low.max(0.0), value.high);
                a.chain(value, value)
            }
            Unary::Log => {
                let value = match x.low > 0.0 {
                    true => x.map(|x| Unary::Log.apply(x)),
                    false => Interval::ALL,
                };
                a.chain(value, x.inverse())
            }
            Unary::Abs if x.low >= 0.0 => *a,
            Unary::Abs if x.high <= 0.0 => self.negate(a),
            Unary::Abs => {
                let most = x.low.abs().max(x.high.abs());
                a.either(self.negate(a), Interval::new(0.0, most))
            }
            Unary::Sign if x.low > 0.0 => Enclosure::constant(one),
            Unary::Sign if x.high < 0.0 => Enclosure::constant(one.negate()),
            Unary::Sign if x == Interval::ZERO => Enclosure::constant(x),
            Unary::Floor => {
                let value = Interval::new(x.low.floor(), x.high.floor());
                let same = value.low == value.high;
                Enclosure { value, slope: if same { Interval::ZERO } else { Interval::ALL } }
            }
            Unary::Sign => {
                Enclosure { value: Interval { low: -1.0, high: 1.0 }, slope: Interval::ALL }
            }
        }
    }

    fn binary(&mut self, function: Binary, a: &Enclosure, b: &Enclosure) -> Enclosure {
        let (x, y) = (a.value, b.value);
        match function {
            Binary::Min if x.high < y.low => *a,
            Binary::Min if y.high < x.low => *b,
            Binary::Min => a.either(*b, Interval::new(x.low.min(y.low), x.high.min(y.high))),
            Binary::Max if x.low > y.high => *a,
            Binary::Max if y.low > x.high => *b,
            Binary::Max => a.either(*b, Interval::new(x.low.max(y.low), x.high.max(y.high))),
            // `a` is the height and `b` the way ahead.
            Binary::Atan2 => {
                let back = self.negate(b);
                let (quotient, turned) = if y.low > 0.0 {
                    (self.divide(a, b), Interval::ZERO)
                } else if x.low > 0.0 {
                    (self.divide(&back, a), Interval::point(FRAC_PI_2))
                } else if x.high < 0.0 {
                    (self.divide(&back, a), Interval::point(-FRAC_PI_2))
                } else {
                    return Enclosure { value: widened(-PI, PI), slope: Interval::ALL };
                };
                let found = self.unary(Unary::Atan, &quotient);
                let value = found.value.add(turned);
                Enclosure { value: widened(value.low, value.high), ..found }
            }
            Binary::Pow => {
                if x.low <= 0.0 {
                    return Enclosure { value: Interval::ALL, slope: Interval::ALL };
                }
                let log = self.unary(Unary::Log, a);
                let exponent = self.multiply(&log, b);
                self.unary(Unary::Exp, &exponent)
            }
        }
    }

    fn compare(&mut self, compare: Compare, a: &Enclosure, b: &Enclosure) -> bool {
        let (x, y) = (a.value, b.value);
        let point = x.low == x.high && x == y;
        if x.high < y.low || y.high < x.low || point {
            return compare.apply(x.low, y.low);
        }
        // Behind a common end, one answer can be certain.
        if compare == Compare::Less && x.low >= y.high {
            return false;
        }
        if compare == Compare::LessEqual && x.high <= y.low {
            return true;
        }
        self.undecided = true;
        false
    }

    fn call(&mut self, _: &str, _: u32, _: &[Enclosure]) -> Option<Enclosure> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Interval, Intervals};
    use crate::{Graph, Kind};

    /// Enclosures of an expression of `t` over a range hold its values and the quotients of its
    /// differences there.
    fn check(text: &str, low: f64, high: f64) {
        let mut graph = Graph::new();
        let t = graph.symbol("t", Kind::Time);
        let expr = graph
            .parse_in(text, &mut |_: &mut Graph, name: &str| (name == "t").then_some(t))
            .expect("an expression");
        let order = graph.reachable(&[expr]);
        let mut over = Intervals {
            symbol: "t",
            range: Interval::new(low, high),
            numbers: |_: &str| None,
            undecided: false,
        };
        let found = graph.evaluate_in_order(&order, &[expr], &mut over).expect("known names")[0];
        if over.undecided {
            return;
        }
        let at = |t: f64| graph.evaluate_f64(&[expr], |_| Some(t)).expect("a value")[0];
        let mut before: Option<(f64, f64)> = None;
        for part in 0..=64 {
            let t = low + (high - low) * f64::from(part) / 64.0;
            let value = at(t);
            assert!(
                value.is_nan() || found.value.contains(value),
                "{text} at {t}: {value} {found:?}"
            );
            if let Some((other, known)) = before
                && t > other
                && value.is_finite()
                && known.is_finite()
            {
                let quotient = (value - known) / (t - other);
                let slack = 1e-12 * (1.0 + value.abs() + known.abs()) / (t - other);
                assert!(
                    quotient >= found.slope.low - slack && quotient <= found.slope.high + slack,
                    "{text} by {other}..{t}: {quotient} {found:?}"
                );
            }
            before = Some((t, value));
        }
    }

    #[test]
    fn enclosures_hold_what_they_enclose() {
        let texts = [
            "t - 5",
            "(t - 5)*(t + 2)/(t^2 + 1)",
            "sin(7*t^2) - 1/2",
            "cos(t)*exp(-t/3)",
            "tan(t/4)",
            "abs(t - 1) + max(t, 2) - min(3*t, 4)",
            "sqrt(t^2 + 1)",
            "log(t^2 + 1/10)",
            "atan2(sin(t), cos(t) + 2)",
            "atan2(t - 3, t + 1)",
            "asin(t/20) + acos(t/20) + atan(t)",
            "(t^2 + 1)^0.3",
            "if(t > 2, sin(t), t)",
            "sign(t - 1)*t",
            "sin(1000*t)",
            "1/(t - 2)",
            "t - floor(t)",
            "floor(3*t)*sin(t)",
        ];
        for text in texts {
            for (low, high) in
                [(-1.0, 1.5), (0.0, 10.0), (1.9, 2.1), (3.0, 3.0001), (-9.0, -8.5), (0.0, 1e-9)]
            {
                check(text, low, high);
            }
        }
    }

    #[test]
    fn what_is_exactly_zero_stays_zero() {
        let mut graph = Graph::new();
        let t = graph.symbol("t", Kind::Time);
        let expr = graph
            .parse_in("max(0, t - 5)", &mut |_: &mut Graph, name: &str| (name == "t").then_some(t))
            .expect("an expression");
        let order = graph.reachable(&[expr]);
        let mut over = Intervals {
            symbol: "t",
            range: Interval::new(0.0, 5.0),
            numbers: |_: &str| None,
            undecided: false,
        };
        let found = graph.evaluate_in_order(&order, &[expr], &mut over).expect("known names")[0];
        assert_eq!(found.value, Interval::ZERO);
    }
}
