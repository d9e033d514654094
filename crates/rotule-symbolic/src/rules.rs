//! The rewrite rules, as data. How to write one is told in `rules.md` beside this file.
//!
//! Each line is an identity, read from left to right; `a`, `b` and `x` stand for any expression. A
//! rule is tried whenever a sum, a product or a function is built. In sums, both terms of the left
//! side may carry the same further factors, so `m*l*sin(q)^2 + m*l*cos(q)^2` becomes `m*l`.
//! Everything that cannot be said by one identity (collecting, common factors, numbers, roots of
//! products, quarter turns) is an algorithm with a file of its own.

use crate::pattern::{FunctionRule, ProductRule, SumRule};
use std::sync::LazyLock;

/// Groups of rules by what they bring in, so that a user can leave some out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Only removes; no function appears that was not there.
    Shorten,
    /// Replaces functions of two angles by one of their sum or difference.
    AngleSum,
    /// Replaces functions of an angle by one of twice the angle.
    DoubleAngle,
    /// Replaces a function by its companion, a sine by a cosine.
    Companion,
}

/// Two terms become one.
pub const SUMS: &[(Group, &str)] = &[
    // Pythagoras, with any common factor.
    (Group::Shorten, "sin(a)^2 + cos(a)^2 -> 1"),
    // The same, divided by one of the squares: angles that were found from two lengths.
    (Group::Shorten, "1 + sin(a)^2/cos(a)^2 -> 1/cos(a)^2"),
    (Group::Shorten, "1 + cos(a)^2/sin(a)^2 -> 1/sin(a)^2"),
    // Angle sums: rotations about parallel axes fold into one.
    (Group::AngleSum, "sin(a)*cos(b) + cos(a)*sin(b) -> sin(a + b)"),
    (Group::AngleSum, "sin(a)*cos(b) - cos(a)*sin(b) -> sin(a - b)"),
    (Group::AngleSum, "cos(a)*cos(b) - sin(a)*sin(b) -> cos(a + b)"),
    (Group::AngleSum, "cos(a)*cos(b) + sin(a)*sin(b) -> cos(a - b)"),
    // Double angles.
    (Group::DoubleAngle, "cos(a)^2 - sin(a)^2 -> cos(2*a)"),
    (Group::DoubleAngle, "1 - 2*sin(a)^2 -> cos(2*a)"),
    (Group::DoubleAngle, "2*cos(a)^2 - 1 -> cos(2*a)"),
    // Pythagoras with one square on the other side: one operation less.
    (Group::Companion, "1 - sin(a)^2 -> cos(a)^2"),
    (Group::Companion, "1 - cos(a)^2 -> sin(a)^2"),
    (Group::Companion, "1 + tan(a)^2 -> 1/cos(a)^2"),
];

/// Two factors become one.
pub const PRODUCTS: &[(Group, &str)] = &[
    // The definition of the tangent.
    (Group::Companion, "tan(a)*cos(a) -> sin(a)"),
    // Double angle; only with the two in front, otherwise a product is cheaper.
    (Group::DoubleAngle, "2*sin(a)*cos(a) -> sin(2*a)"),
    // One call instead of two.
    (Group::Shorten, "exp(a)*exp(b) -> exp(a + b)"),
    // A number is its size times its sign.
    (Group::Shorten, "abs(x)*sign(x) -> x"),
    (Group::Shorten, "x*sign(x) -> abs(x)"),
];

/// A function of a function becomes simpler.
pub const FUNCTIONS: &[(Group, &str)] = &[
    // A function of its inverse. (The inverse of a function is not so simple: asin(sin(4)) != 4.)
    (Group::Shorten, "sin(asin(x)) -> x"),
    (Group::Shorten, "cos(acos(x)) -> x"),
    (Group::Shorten, "tan(atan(x)) -> x"),
    (Group::Shorten, "exp(log(x)) -> x"),
    (Group::Shorten, "log(exp(x)) -> x"),
    // The cosine does not see a sign.
    (Group::Shorten, "cos(abs(x)) -> cos(x)"),
    // A sign has a sign already.
    (Group::Shorten, "sign(sign(x)) -> sign(x)"),
    // Whole numbers stay.
    (Group::Shorten, "floor(floor(x)) -> floor(x)"),
    (Group::Shorten, "floor(sign(x)) -> sign(x)"),
];

/// All rules, compiled from their text once.
pub(crate) struct Compiled {
    pub(crate) sums: Vec<(Group, SumRule)>,
    pub(crate) products: Vec<(Group, ProductRule)>,
    pub(crate) functions: Vec<(Group, FunctionRule)>,
}

static COMPILED: LazyLock<Compiled> = LazyLock::new(|| Compiled {
    sums: SUMS.iter().map(|(group, text)| (*group, SumRule::compile(text))).collect(),
    products: PRODUCTS.iter().map(|(group, text)| (*group, ProductRule::compile(text))).collect(),
    functions: FUNCTIONS
        .iter()
        .map(|(group, text)| (*group, FunctionRule::compile(text)))
        .collect(),
});

/// The groups of rules that a graph applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules(u8);

impl Rules {
    /// Every rule.
    pub const fn all() -> Rules {
        Rules(0xff)
    }

    /// No rule: canonical order, collecting and factoring only.
    pub const fn none() -> Rules {
        Rules(0)
    }

    /// These rules without one group.
    #[must_use]
    pub const fn without(self, group: Group) -> Rules {
        Rules(self.0 & !(1 << group as u8))
    }

    /// Returns `true` if a group is applied.
    pub const fn has(self, group: Group) -> bool {
        self.0 >> group as u8 & 1 == 1
    }

    pub(crate) fn compiled(self) -> &'static Compiled {
        &COMPILED
    }
}
