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
pub enum RuleGroup {
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
pub const SUMS: &[(RuleGroup, &str)] = &[
    // Pythagoras, with any common factor.
    (RuleGroup::Shorten, "sin(a)^2 + cos(a)^2 -> 1"),
    // The same, divided by one of the squares: angles that were found from two lengths.
    (RuleGroup::Shorten, "1 + sin(a)^2/cos(a)^2 -> 1/cos(a)^2"),
    (RuleGroup::Shorten, "1 + cos(a)^2/sin(a)^2 -> 1/sin(a)^2"),
    // Angle sums: rotations about parallel axes fold into one.
    (RuleGroup::AngleSum, "sin(a)*cos(b) + cos(a)*sin(b) -> sin(a + b)"),
    (RuleGroup::AngleSum, "sin(a)*cos(b) - cos(a)*sin(b) -> sin(a - b)"),
    (RuleGroup::AngleSum, "cos(a)*cos(b) - sin(a)*sin(b) -> cos(a + b)"),
    (RuleGroup::AngleSum, "cos(a)*cos(b) + sin(a)*sin(b) -> cos(a - b)"),
    // Double angles.
    (RuleGroup::DoubleAngle, "cos(a)^2 - sin(a)^2 -> cos(2*a)"),
    (RuleGroup::DoubleAngle, "1 - 2*sin(a)^2 -> cos(2*a)"),
    (RuleGroup::DoubleAngle, "2*cos(a)^2 - 1 -> cos(2*a)"),
    // Pythagoras with one square on the other side: one operation less.
    (RuleGroup::Companion, "1 - sin(a)^2 -> cos(a)^2"),
    (RuleGroup::Companion, "1 - cos(a)^2 -> sin(a)^2"),
    (RuleGroup::Companion, "1 + tan(a)^2 -> 1/cos(a)^2"),
];

/// Two factors become one.
pub const PRODUCTS: &[(RuleGroup, &str)] = &[
    // The definition of the tangent.
    (RuleGroup::Companion, "tan(a)*cos(a) -> sin(a)"),
    // Double angle; only with the two in front, otherwise a product is cheaper.
    (RuleGroup::DoubleAngle, "2*sin(a)*cos(a) -> sin(2*a)"),
    // One call instead of two.
    (RuleGroup::Shorten, "exp(a)*exp(b) -> exp(a + b)"),
    // A number is its size times its sign.
    (RuleGroup::Shorten, "abs(x)*sign(x) -> x"),
    (RuleGroup::Shorten, "x*sign(x) -> abs(x)"),
];

/// A function of a function becomes simpler.
pub const FUNCTIONS: &[(RuleGroup, &str)] = &[
    // A function of its inverse. (The inverse of a function is not so simple: asin(sin(4)) != 4.)
    (RuleGroup::Shorten, "sin(asin(x)) -> x"),
    (RuleGroup::Shorten, "cos(acos(x)) -> x"),
    (RuleGroup::Shorten, "tan(atan(x)) -> x"),
    (RuleGroup::Shorten, "exp(log(x)) -> x"),
    (RuleGroup::Shorten, "log(exp(x)) -> x"),
    // The cosine does not see a sign.
    (RuleGroup::Shorten, "cos(abs(x)) -> cos(x)"),
    // A sign has a sign already.
    (RuleGroup::Shorten, "sign(sign(x)) -> sign(x)"),
    // Whole numbers stay.
    (RuleGroup::Shorten, "floor(floor(x)) -> floor(x)"),
    (RuleGroup::Shorten, "floor(sign(x)) -> sign(x)"),
];

/// All rules, compiled from their text once.
pub(crate) struct Compiled {
    pub(crate) sums: Vec<(RuleGroup, SumRule)>,
    pub(crate) products: Vec<(RuleGroup, ProductRule)>,
    pub(crate) functions: Vec<(RuleGroup, FunctionRule)>,
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
    pub const fn without(self, group: RuleGroup) -> Rules {
        Rules(self.0 & !(1 << group as u8))
    }

    /// Returns `true` if a group is applied.
    pub const fn has(self, group: RuleGroup) -> bool {
        self.0 >> group as u8 & 1 == 1
    }

    pub(crate) fn compiled(self) -> &'static Compiled {
        &COMPILED
    }
}
