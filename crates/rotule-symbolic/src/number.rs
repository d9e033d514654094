//! Exact small rationals and floating point numbers.
//!
//! A number written `2` or `1/3` stays exact; one written `2.0` is a real and stays one. Arithmetic
//! between rationals is exact until it no longer fits, then it becomes real: a graph never fails
//! because a fraction grew.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A rational `numerator/denominator` in lowest terms, or a real.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// An exact fraction in lowest terms.
    Rational {
        /// Carries the sign.
        numerator: i64,
        /// At least one.
        denominator: u32,
    },
    /// A floating point number, possibly not finite if arithmetic overflowed.
    Real(f64),
}

use Number::{Rational, Real};

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Number {
    /// Zero, exact.
    pub const ZERO: Number = Number::integer(0);
    /// One, exact.
    pub const ONE: Number = Number::integer(1);

    /// An exact integer.
    pub const fn integer(value: i64) -> Number {
        Rational { numerator: value, denominator: 1 }
    }

    /// `numerator/denominator`, exact when it fits and real otherwise.
    pub fn ratio(numerator: i128, denominator: i128) -> Number {
        if denominator == 0 {
            return Real(numerator as f64 / 0.0);
        }
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs()).max(1) as i128;
        let sign = denominator.signum();
        let (n, d) = (sign * (numerator / divisor), sign * (denominator / divisor));
        match (i64::try_from(n), u32::try_from(d)) {
            // The one integer without a positive twin would break negation.
            (Ok(n), Ok(d)) if n != i64::MIN => Rational { numerator: n, denominator: d },
            _ => Real(numerator as f64 / denominator as f64),
        }
    }

    /// The value in floating point.
    pub fn to_f64(self) -> f64 {
        match self {
            Rational { numerator, denominator: 1 } => numerator as f64,
            Rational { numerator, denominator } => numerator as f64 / f64::from(denominator),
            Real(x) => x,
        }
    }

    /// Returns `true` if the value is zero, exact or real.
    pub fn is_zero(self) -> bool {
        match self {
            Rational { numerator, .. } => numerator == 0,
            Real(x) => x == 0.0,
        }
    }

    /// Returns `true` if the value is one, exact or real: it may be dropped from a product.
    pub fn is_one(self) -> bool {
        match self {
            Rational { numerator, denominator } => numerator == 1 && denominator == 1,
            Real(x) => x == 1.0,
        }
    }

    /// Returns `true` if the value is below zero.
    pub fn is_negative(self) -> bool {
        match self {
            Rational { numerator, .. } => numerator < 0,
            Real(x) => x < 0.0,
        }
    }

    /// Returns `true` if the value is a rational.
    pub fn is_exact(self) -> bool {
        matches!(self, Rational { .. })
    }

    /// Returns `true` if the value is neither infinite nor NaN.
    pub fn is_finite(self) -> bool {
        self.to_f64().is_finite()
    }

    /// The value as an integer, if it is an exact one.
    pub fn as_integer(self) -> Option<i64> {
        match self {
            Rational { numerator, denominator: 1 } => Some(numerator),
            _ => None,
        }
    }

    /// The denominator of an exact fraction.
    pub fn denominator(self) -> Option<i64> {
        match self {
            Rational { denominator, .. } => Some(i64::from(denominator)),
            Real(_) => None,
        }
    }

    /// The value without its sign.
    #[must_use]
    pub fn abs(self) -> Number {
        if self.is_negative() { -self } else { self }
    }

    /// The number for people: a real whose last digits are rounding has 15 digits, 0.48 in place of
    /// 0.48000000000000004.
    #[must_use]
    pub fn without_rounding(self) -> Number {
        match self {
            Real(x) if x.is_finite() => {
                let short = format!("{x:.14e}").parse().unwrap_or(x);
                let saved = format!("{x:?}").len().saturating_sub(format!("{short:?}").len());
                Real(if saved > 2 { short } else { x })
            }
            _ => self,
        }
    }

    /// One over the value.
    #[must_use]
    pub fn recip(self) -> Number {
        match self {
            Rational { numerator: 1 | -1, denominator: 1 } => self,
            Rational { numerator, denominator } => {
                Number::ratio(i128::from(denominator), i128::from(numerator))
            }
            Real(x) => Real(1.0 / x),
        }
    }

    /// The value to a whole power, exact while it fits.
    #[must_use]
    pub fn powi(self, exponent: i32) -> Number {
        let mut base = if exponent < 0 { self.recip() } else { self };
        let mut left = exponent.unsigned_abs();
        let mut result = Number::ONE;
        while left > 0 {
            if left & 1 == 1 {
                result = result * base;
            }
            left >>= 1;
            if left > 0 {
                base = base * base;
            }
        }
        result
    }

    /// The largest integer that is not above the value, if the value is exact.
    pub fn exact_floor(self) -> Option<Number> {
        let Rational { numerator, denominator } = self else { return None };
        Some(Number::integer(numerator.div_euclid(i64::from(denominator))))
    }

    /// The exact square root, where there is one.
    pub fn exact_sqrt(self) -> Option<Number> {
        let Rational { numerator, denominator } = self else { return None };
        let root = |x: u64| {
            let r = x.isqrt();
            (r * r == x).then_some(r)
        };
        let n = root(u64::try_from(numerator).ok()?)?;
        let d = root(u64::from(denominator))?;
        Some(Number::ratio(i128::from(n), i128::from(d)))
    }

    /// The largest rational that divides both into integers; none unless both are exact.
    pub fn content(self, other: Number) -> Option<Number> {
        let (Rational { numerator: a, denominator: b }, Rational { numerator: c, denominator: d }) =
            (self, other)
        else {
            return None;
        };
        let (b, d) = (u128::from(b), u128::from(d));
        let common = b * d / gcd(b, d);
        let a = u128::from(a.unsigned_abs()) * (common / b);
        let c = u128::from(c.unsigned_abs()) * (common / d);
        Some(Number::ratio(i128::try_from(gcd(a, c)).ok()?, i128::try_from(common).ok()?))
    }
}

impl std::ops::Neg for Number {
    type Output = Number;
    fn neg(self) -> Number {
        match self {
            Rational { numerator, denominator } => Rational { numerator: -numerator, denominator },
            Real(x) => Real(-x),
        }
    }
}

impl std::ops::Add for Number {
    type Output = Number;
    fn add(self, other: Number) -> Number {
        match (self, other) {
            (
                Rational { numerator: a, denominator: 1 },
                Rational { numerator: b, denominator: 1 },
            ) if a.checked_add(b).is_some_and(|s| s != i64::MIN) => Number::integer(a + b),
            (
                Rational { numerator: a, denominator: b },
                Rational { numerator: c, denominator: d },
            ) => Number::ratio(
                i128::from(a) * i128::from(d) + i128::from(c) * i128::from(b),
                i128::from(b) * i128::from(d),
            ),
            _ => Real(self.to_f64() + other.to_f64()),
        }
    }
}

impl std::ops::Mul for Number {
    type Output = Number;
    fn mul(self, other: Number) -> Number {
        match (self, other) {
            // Most coefficients are small integers, and most of those are one.
            (Rational { numerator: 1, denominator: 1 }, other) => other,
            (
                Rational { numerator: a, denominator: 1 },
                Rational { numerator: b, denominator: 1 },
            ) if a.checked_mul(b).is_some_and(|p| p != i64::MIN) => Number::integer(a * b),
            (
                Rational { numerator: a, denominator: b },
                Rational { numerator: c, denominator: d },
            ) => Number::ratio(i128::from(a) * i128::from(c), i128::from(b) * i128::from(d)),
            _ => Real(self.to_f64() * other.to_f64()),
        }
    }
}

/// Equal means the same number *and* the same type: `2` differs from `2.0`, so that both print as
/// they were written. Reals compare by their bits.
impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        match (*self, *other) {
            (
                Rational { numerator: a, denominator: b },
                Rational { numerator: c, denominator: d },
            ) => a == c && b == d,
            (Real(x), Real(y)) => x.to_bits() == y.to_bits(),
            _ => false,
        }
    }
}

impl Eq for Number {}

impl Default for Number {
    fn default() -> Number {
        Number::ZERO
    }
}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match *self {
            Rational { numerator, denominator } => (0u8, numerator, denominator).hash(state),
            Real(x) => (1u8, x.to_bits()).hash(state),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        match (*self, *other) {
            (
                Rational { numerator: a, denominator: b },
                Rational { numerator: c, denominator: d },
            ) => Some((i128::from(a) * i128::from(d)).cmp(&(i128::from(c) * i128::from(b)))),
            _ => self.to_f64().partial_cmp(&other.to_f64()),
        }
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number::ratio(i128::from(value), 1)
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Number {
        Real(value)
    }
}

/// Rationals print as `n` or `n/d`; reals always with a point or an exponent, shortest form that
/// reads back to the same bits.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Rational { numerator, denominator: 1 } => write!(f, "{numerator}"),
            Rational { numerator, denominator } => write!(f, "{numerator}/{denominator}"),
            Real(x) => write!(f, "{x:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_exact_until_it_no_longer_fits() {
        let third = Number::ratio(1, 3);
        assert_eq!(third + third + third, Number::ONE);
        assert_eq!(Number::ratio(6, -4), Number::ratio(-3, 2));
        assert_eq!(Number::ratio(2, 3).powi(-3), Number::ratio(27, 8));
        assert_eq!(Number::integer(i64::MAX) * Number::integer(2), Real(i64::MAX as f64 * 2.0));
        assert!(!Number::ONE.powi(2).is_zero() && Number::ZERO.powi(3).is_zero());
        assert!(!Number::ZERO.recip().is_finite());
        assert_eq!(Number::from(i64::MIN), Real(i64::MIN as f64));
    }

    #[test]
    fn integers_and_reals_stay_apart() {
        assert_ne!(Number::integer(2), Real(2.0));
        assert_eq!(Real(2.0).to_string(), "2.0");
        assert_eq!(Number::integer(2).to_string(), "2");
        assert_eq!(Number::ratio(-1, 3).to_string(), "-1/3");
        assert_eq!(Number::integer(2) + Real(0.5), Real(2.5));
        assert!(Real(1.0).is_one() && Real(0.0).is_zero());
    }

    #[test]
    fn content_and_roots() {
        let content = |a, b| Number::content(a, b);
        assert_eq!(content(Number::integer(4), Number::integer(-6)), Some(Number::integer(2)));
        assert_eq!(content(Number::ratio(1, 2), Number::ratio(1, 3)), Some(Number::ratio(1, 6)));
        assert_eq!(content(Number::integer(4), Real(6.0)), None);
        assert_eq!(Number::ratio(9, 4).exact_sqrt(), Some(Number::ratio(3, 2)));
        assert_eq!(Number::integer(2).exact_sqrt(), None);
        assert_eq!(Number::integer(-4).exact_sqrt(), None);
    }
}
