//! The vocabulary of operations and inputs: which functions exist, what each is called in text,
//! which symmetries it has and what a number becomes under it.
//!
//! Expressions, the program IR and every printer use these same enumerations, so a function is
//! added here and nowhere else.

use crate::elementary;
use std::fmt;

/// The kind of an input of a model. The set of kinds below a node decides its stage. A new kind
/// stands last: operands are ordered by the numbers of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A constant of the model that a user may change between runs.
    Parameter,
    /// The time `t`.
    Time,
    /// A generalised coordinate `q`.
    Coordinate,
    /// A generalised velocity `qd`.
    Velocity,
    /// A generalised acceleration `qdd`.
    Acceleration,
    /// A generalised effort `Q`.
    Effort,
    /// A state of the user's own, `[[state]]`, such as the current of a motor.
    State,
    /// An input of the user's own, `[[input]]`, such as a steering angle, or a derivative of one.
    Input,
    /// A part of the direction of a Hessian-vector product.
    Direction,
    /// A weight of a row in a Hessian-vector product.
    Weight,
    /// A value that functions of a group share, computed once per state.
    Shared,
}

impl Kind {
    /// Every kind, in the order of their stages.
    pub const ALL: [Kind; 11] = [
        Kind::Parameter,
        Kind::Time,
        Kind::Coordinate,
        Kind::Velocity,
        Kind::Acceleration,
        Kind::Effort,
        Kind::State,
        Kind::Input,
        Kind::Direction,
        Kind::Weight,
        Kind::Shared,
    ];

    /// The word for this kind in files and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Parameter => "parameter",
            Kind::Time => "time",
            Kind::Coordinate => "coordinate",
            Kind::Velocity => "velocity",
            Kind::Acceleration => "acceleration",
            Kind::Effort => "effort",
            Kind::State => "state",
            Kind::Input => "input",
            Kind::Direction => "direction",
            Kind::Weight => "weight",
            Kind::Shared => "shared",
        }
    }

    /// The kind that `name` is the word for. Programs written by older versions say `external` of
    /// states.
    pub fn from_name(name: &str) -> Option<Kind> {
        let name = if name == "external" { "state" } else { name };
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of [`Kind`]s in two bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Kinds(u16);

impl Kinds {
    /// No kind: a number.
    pub const NONE: Kinds = Kinds(0);
    /// Parameters only: what `setup` may compute.
    pub const PARAMETER: Kinds = Kinds(1 << Kind::Parameter as u8);

    /// The set with one kind.
    pub const fn of(kind: Kind) -> Kinds {
        Kinds(1 << kind as u8)
    }

    /// Returns `true` if `kind` is in the set.
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }

    /// Returns `true` if nothing beyond parameters and numbers is in the set.
    pub const fn is_constant(self) -> bool {
        self.0 & !Kinds::PARAMETER.0 == 0
    }

    /// The kinds of either set.
    #[must_use]
    pub const fn union(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// The kinds in the set, in stage order.
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |&kind| self.contains(kind))
    }
}

/// The parity of a function: its answer to the sign of its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parity {
    /// `f(-x) = f(x)`
    Even,
    /// `f(-x) = -f(x)`
    Odd,
    /// Neither.
    None,
}

/// Functions of one argument.
#[allow(missing_docs, reason = "each variant is the function of that name")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Unary {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sqrt,
    Exp,
    Log,
    Abs,
    Sign,
    Floor,
}

impl Unary {
    /// Every function of one argument.
    pub const ALL: [Unary; 12] = [
        Unary::Sin,
        Unary::Cos,
        Unary::Tan,
        Unary::Asin,
        Unary::Acos,
        Unary::Atan,
        Unary::Sqrt,
        Unary::Exp,
        Unary::Log,
        Unary::Abs,
        Unary::Sign,
        Unary::Floor,
    ];

    /// The function's name in text.
    pub const fn name(self) -> &'static str {
        match self {
            Unary::Sin => "sin",
            Unary::Cos => "cos",
            Unary::Tan => "tan",
            Unary::Asin => "asin",
            Unary::Acos => "acos",
            Unary::Atan => "atan",
            Unary::Sqrt => "sqrt",
            Unary::Exp => "exp",
            Unary::Log => "log",
            Unary::Abs => "abs",
            Unary::Sign => "sign",
            Unary::Floor => "floor",
        }
    }

    /// The function that `name` stands for.
    pub fn from_name(name: &str) -> Option<Unary> {
        Unary::ALL.into_iter().find(|function| function.name() == name)
    }

    /// The function's symmetry.
    pub const fn parity(self) -> Parity {
        match self {
            Unary::Sin | Unary::Tan | Unary::Asin | Unary::Atan | Unary::Sign => Parity::Odd,
            Unary::Cos | Unary::Abs => Parity::Even,
            Unary::Acos | Unary::Sqrt | Unary::Exp | Unary::Log | Unary::Floor => Parity::None,
        }
    }

    /// The function's value. `sign(0)` is 0 and `sign(NaN)` is NaN.
    pub fn apply(self, x: f64) -> f64 {
        match self {
            Unary::Sin => elementary::sin(x),
            Unary::Cos => elementary::cos(x),
            Unary::Tan => elementary::tan(x),
            Unary::Asin => elementary::asin(x),
            Unary::Acos => elementary::acos(x),
            Unary::Atan => elementary::atan(x),
            Unary::Sqrt => x.sqrt(),
            Unary::Exp => elementary::exp(x),
            Unary::Log => elementary::ln(x),
            Unary::Abs => x.abs(),
            Unary::Sign if x == 0.0 => 0.0,
            Unary::Sign if x.is_nan() => x,
            Unary::Sign => x.signum(),
            Unary::Floor => x.floor(),
        }
    }
}

/// Functions of two arguments.
#[allow(missing_docs, reason = "each variant is the function of that name")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Binary {
    Atan2,
    Min,
    Max,
    /// `pow(x, y)` for exponents that are not whole or half numbers.
    Pow,
}

impl Binary {
    /// Every function of two arguments.
    pub const ALL: [Binary; 4] = [Binary::Atan2, Binary::Min, Binary::Max, Binary::Pow];

    /// The function's name in text.
    pub const fn name(self) -> &'static str {
        match self {
            Binary::Atan2 => "atan2",
            Binary::Min => "min",
            Binary::Max => "max",
            Binary::Pow => "pow",
        }
    }

    /// The function that `name` stands for.
    pub fn from_name(name: &str) -> Option<Binary> {
        Binary::ALL.into_iter().find(|function| function.name() == name)
    }

    /// The function's value; `min` and `max` hand a NaN on, and give the first of two equal
    /// numbers, as of zeros of either sign.
    pub fn apply(self, x: f64, y: f64) -> f64 {
        match self {
            Binary::Atan2 => elementary::atan2(x, y),
            Binary::Min if x.is_nan() || y.is_nan() => f64::NAN,
            Binary::Max if x.is_nan() || y.is_nan() => f64::NAN,
            Binary::Min => {
                if y < x {
                    y
                } else {
                    x
                }
            }
            Binary::Max => {
                if y > x {
                    y
                } else {
                    x
                }
            }
            Binary::Pow => elementary::pow(x, y),
        }
    }
}

/// Comparisons that a select may make. `>` and `>=` are `<` and `<=` with the sides exchanged.
#[allow(missing_docs, reason = "each variant is the comparison of that name")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Compare {
    Less,
    LessEqual,
    Equal,
    NotEqual,
}

impl Compare {
    /// Every comparison.
    pub const ALL: [Compare; 4] =
        [Compare::Less, Compare::LessEqual, Compare::Equal, Compare::NotEqual];

    /// The comparison's sign in text.
    pub const fn sign(self) -> &'static str {
        match self {
            Compare::Less => "<",
            Compare::LessEqual => "<=",
            Compare::Equal => "==",
            Compare::NotEqual => "!=",
        }
    }

    /// The truth of the comparison. Anything compared with NaN is false, but for `!=`.
    pub fn apply(self, x: f64, y: f64) -> bool {
        match self {
            Compare::Less => x < y,
            Compare::LessEqual => x <= y,
            Compare::Equal => x == y,
            Compare::NotEqual => x != y,
        }
    }
}
