//! Laws as small trees: written into a model file, and evaluated with their switches frozen.
//!
//! Each switch (`if`, `max`, `min`, `abs`, `sign`) has a guard, an expression whose sign decides.
//! Evaluation does not look at guards but at the sides that it is given, so that a law is smooth
//! until somebody changes a side.

use std::fmt::Write;

/// A law.
#[derive(Clone, Debug)]
pub enum Law {
    Number(f64),
    Parameter(usize),
    Time,
    Q(usize),
    V(usize),
    S(usize),
    Sum(Vec<Law>),
    Product(Vec<Law>),
    Power(Box<Law>, i32),
    Sin(Box<Law>),
    Exp(Box<Law>),
    /// The first of four if it is greater than the second: then the third, otherwise the fourth.
    If(usize, Box<[Law; 4]>),
    Max(usize, Box<[Law; 2]>),
    Min(usize, Box<[Law; 2]>),
    Abs(usize, Box<Law>),
    Sign(usize, Box<Law>),
    /// A call of the law library with its arguments, and what it means.
    Call(&'static str, Vec<Law>, Box<Law>),
}

/// The variables of laws.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    pub t: f64,
    pub q: [f64; 2],
    pub v: [f64; 2],
    pub s: [f64; 2],
    pub parameters: &'a [f64],
    /// For each guard whether it is positive.
    pub sides: &'a [bool],
}

/// The spelling of coordinates: in the effort of a joint or anywhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    Own,
    All,
}

/// Names of joints.
pub const JOINTS: [&str; 2] = ["x", "y"];
/// Names of states.
pub const STATES: [&str; 2] = ["s", "r"];

impl Law {
    /// The value while guards are on given sides.
    pub fn value(&self, at: &Moment<'_>) -> f64 {
        let side = |guard: usize| at.sides[guard];
        let sign = |guard: usize| if at.sides[guard] { 1.0 } else { -1.0 };
        match self {
            Law::Number(value) => *value,
            Law::Parameter(index) => at.parameters[*index],
            Law::Time => at.t,
            Law::Q(index) => at.q[*index],
            Law::V(index) => at.v[*index],
            Law::S(index) => at.s[*index],
            Law::Sum(terms) => terms.iter().map(|term| term.value(at)).sum(),
            Law::Product(factors) => factors.iter().map(|factor| factor.value(at)).product(),
            Law::Power(base, power) => base.value(at).powi(*power),
            Law::Sin(angle) => angle.value(at).sin(),
            Law::Exp(power) => power.value(at).exp(),
            Law::If(guard, parts) => parts[if side(*guard) { 2 } else { 3 }].value(at),
            Law::Max(guard, pair) => pair[usize::from(!side(*guard))].value(at),
            Law::Min(guard, pair) => pair[usize::from(side(*guard))].value(at),
            Law::Abs(guard, law) => sign(*guard) * law.value(at),
            Law::Sign(guard, _) => sign(*guard),
            Law::Call(_, _, meaning) => meaning.value(at),
        }
    }

    /// The law as a model file has it.
    pub fn text(&self, names: Names) -> String {
        let mut text = String::new();
        self.write(names, &mut text);
        text
    }

    fn write(&self, names: Names, text: &mut String) {
        let mut list = |open: &str, items: &[&Law], between: &str| {
            text.push_str(open);
            for (at, item) in items.iter().enumerate() {
                text.push_str(if at > 0 { between } else { "" });
                item.write(names, text);
            }
            text.push(')');
        };
        match self {
            Law::Sum(terms) => list("(", &terms.iter().collect::<Vec<_>>(), " + "),
            Law::Product(factors) => list("(", &factors.iter().collect::<Vec<_>>(), "*"),
            Law::Sin(angle) => list("sin(", &[angle], ""),
            Law::Exp(power) => list("exp(", &[power], ""),
            Law::Max(_, pair) => list("max(", &[&pair[0], &pair[1]], ", "),
            Law::Min(_, pair) => list("min(", &[&pair[0], &pair[1]], ", "),
            Law::Abs(_, law) => list("abs(", &[law], ""),
            Law::Sign(_, law) => list("sign(", &[law], ""),
            Law::Call(name, arguments, _) => {
                list(&format!("{name}("), &arguments.iter().collect::<Vec<_>>(), ", ");
            }
            Law::If(_, parts) => {
                let [left, right, then, otherwise] = parts.as_ref();
                let [left, right] = [left, right].map(|law| law.text(names));
                let [then, otherwise] = [then, otherwise].map(|law| law.text(names));
                write!(text, "if({left} > {right}, {then}, {otherwise})").expect("a string");
            }
            Law::Power(base, power) => {
                base.write(names, text);
                write!(text, "^{power}").expect("a string");
            }
            Law::Number(value) if *value < 0.0 => {
                write!(text, "({value:?})").expect("a string");
            }
            Law::Number(value) => write!(text, "{value:?}").expect("a string"),
            Law::Parameter(index) => write!(text, "p{index}").expect("a string"),
            Law::Time => text.push('t'),
            Law::Q(_) if names == Names::Own => text.push('q'),
            Law::V(_) if names == Names::Own => text.push_str("qd"),
            Law::Q(index) => text.push_str(JOINTS[*index]),
            Law::V(index) => write!(text, "{}.d", JOINTS[*index]).expect("a string"),
            Law::S(index) => text.push_str(STATES[*index]),
        }
    }
}

impl From<f64> for Law {
    fn from(value: f64) -> Law {
        Law::Number(value)
    }
}

impl<L: Into<Law>> std::ops::Add<L> for Law {
    type Output = Law;
    fn add(self, other: L) -> Law {
        Law::Sum(vec![self, other.into()])
    }
}

impl<L: Into<Law>> std::ops::Sub<L> for Law {
    type Output = Law;
    fn sub(self, other: L) -> Law {
        self + Law::Number(-1.0) * other.into()
    }
}

impl<L: Into<Law>> std::ops::Mul<L> for Law {
    type Output = Law;
    fn mul(self, other: L) -> Law {
        Law::Product(vec![self, other.into()])
    }
}
