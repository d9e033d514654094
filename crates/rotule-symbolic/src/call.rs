//! Functions, selects and external calls, simplified while they are built.
//!
//! Signs move out of odd functions and vanish in even ones, numbers fold where the result is exact
//! or the argument is a real, multiples of pi leave the trigonometric functions, squares leave
//! roots. What one function does to another stands in the table of [`crate::rules`].

use crate::elementary;
use crate::expr::{Expr, FunctionId};
use crate::function::{Binary, Compare, Parity, Unary};
use crate::graph::{ForeignFunction, Graph};
use crate::node::{Factor, Node};
use crate::number::Number;
use crate::product::Factors;
use crate::sum::Terms;

impl Graph {
    /// A function of one argument.
    pub fn unary(&mut self, function: Unary, argument: Expr) -> Expr {
        if argument.is_negative() {
            match function.parity() {
                Parity::Odd => return -self.unary(function, -argument),
                Parity::Even => return self.unary(function, -argument),
                Parity::None => {}
            }
        }
        if let Some(number) = self.number_of(argument)
            && let Some(folded) = fold(function, number)
        {
            return self.number(folded);
        }
        if let Some(result) = self.apply_function_rules(function, argument) {
            return result;
        }
        match function {
            Unary::Sin | Unary::Cos | Unary::Tan => {
                if let Some(result) = self.shift_by_pi(function, argument) {
                    return result;
                }
            }
            Unary::Sqrt => return self.root(argument),
            Unary::Abs | Unary::Sign => {
                if function == Unary::Abs && self.is_nonnegative(argument) {
                    return argument;
                }
                if function == Unary::Abs
                    && let Node::Product(factors) = self.node(argument)
                    && let Some(size) = self.size_of_product(factors.iter().copied().collect())
                {
                    return size;
                }
                // Of one over something, the something is what matters.
                if self.is_reciprocal(argument) && !argument.is_negative() {
                    let below = self.powi(argument, -1);
                    let inner = self.unary(function, below);
                    return if function == Unary::Abs { self.powi(inner, -1) } else { inner };
                }
                // A positive number does not change the sign and leaves the absolute value.
                if let Node::Scale(number, core) = self.node(argument) {
                    let inner = self.unary(function, core);
                    let number = if function == Unary::Abs { number } else { Number::ONE };
                    return self.scale(number, inner);
                }
            }
            _ => {}
        }
        self.intern(Node::Unary(function, argument))
    }

    /// `sin(a)`
    pub fn sin(&mut self, a: Expr) -> Expr {
        self.unary(Unary::Sin, a)
    }

    /// `cos(a)`
    pub fn cos(&mut self, a: Expr) -> Expr {
        self.unary(Unary::Cos, a)
    }

    /// `sqrt(a)`
    pub fn sqrt(&mut self, a: Expr) -> Expr {
        self.unary(Unary::Sqrt, a)
    }

    /// A function of two arguments.
    pub fn binary(&mut self, function: Binary, a: Expr, b: Expr) -> Expr {
        if let (Some(x), Some(y)) = (self.number_of(a), self.number_of(b)) {
            let value = function.apply(x.to_f64(), y.to_f64());
            let exact = match function {
                Binary::Min if x <= y => Some(x),
                Binary::Min => Some(y),
                Binary::Max if x >= y => Some(x),
                Binary::Max => Some(y),
                Binary::Atan2 if x.is_zero() && y > Number::ZERO => Some(Number::ZERO),
                _ if !(x.is_exact() && y.is_exact() && value.is_finite()) => Some(value.into()),
                _ => None,
            };
            if let Some(number) = exact {
                return self.number(number);
            }
        }
        match function {
            Binary::Pow => self.pow(a, b),
            Binary::Min | Binary::Max if a == b => a,
            Binary::Min | Binary::Max if self.order(b) < self.order(a) => {
                self.intern(Node::Binary(function, b, a))
            }
            _ => self.intern(Node::Binary(function, a, b)),
        }
    }

    /// `a^b`: whole powers are products, halves are roots, anything else calls `pow`.
    pub fn pow(&mut self, a: Expr, b: Expr) -> Expr {
        if let Some(exponent) = self.number_of(b) {
            let twice = exponent + exponent;
            let whole = |n: Number| n.as_integer().and_then(|n| i32::try_from(n).ok());
            // A real such as 2.0 or 1.5 is as good as exact where it is a whole or half number.
            let as_exact = |n: Number| match n {
                Number::Real(x) if x.fract() == 0.0 && x.abs() < 1e6 => Number::integer(x as i64),
                n => n,
            };
            if let Some(n) = whole(as_exact(exponent)) {
                return self.powi(a, n);
            }
            if let Some(n) = whole(as_exact(twice)) {
                // a^(3/2) is a*sqrt(a)
                let (whole, root) = (self.powi(a, n / 2), self.sqrt(a));
                let root = self.powi(root, n % 2);
                return self.mul(whole, root);
            }
        }
        if a == Expr::ONE {
            return Expr::ONE;
        }
        if let (Some(x), Some(y)) = (self.number_of(a), self.number_of(b)) {
            let value = elementary::pow(x.to_f64(), y.to_f64());
            if !(x.is_exact() && y.is_exact() && value.is_finite()) {
                return self.number(value);
            }
        }
        self.intern(Node::Binary(Binary::Pow, a, b))
    }

    /// `then` where `left` compares with `right` as requested, else `otherwise`.
    pub fn select(
        &mut self,
        compare: Compare,
        left: Expr,
        right: Expr,
        then: Expr,
        otherwise: Expr,
    ) -> Expr {
        if then == otherwise {
            return then;
        }
        let difference = if left == right {
            Some(Number::ZERO)
        } else {
            match (self.number_of(left), self.number_of(right)) {
                (Some(x), Some(y)) => Some(x + -y),
                _ => None,
            }
        };
        if let Some(d) = difference {
            let holds = compare.apply(d.to_f64(), 0.0);
            return if holds { then } else { otherwise };
        }
        self.intern(Node::Select(compare, &[left, right, then, otherwise]))
    }

    // ---- external functions ----

    /// Declares foreign code: its name, how many arguments it takes and how many results it gives.
    /// Declaring a name again returns the first declaration.
    pub fn declare_function(&mut self, name: &str, arguments: usize, results: usize) -> FunctionId {
        self.declare(ForeignFunction {
            name: name.to_owned(),
            arguments,
            results,
            derivative_of: None,
        })
    }

    pub(crate) fn declare(&mut self, function: ForeignFunction) -> FunctionId {
        if let Some(&known) = self.function_names.get(&function.name) {
            return known;
        }
        let id = FunctionId(self.functions.len() as u32);
        self.function_names.insert(function.name.clone(), id);
        self.functions.push(function);
        id
    }

    /// The declared function of that name.
    pub fn function_by_name(&self, name: &str) -> Option<FunctionId> {
        self.function_names.get(name).copied()
    }

    /// A declared function.
    pub fn function(&self, id: FunctionId) -> &ForeignFunction {
        &self.functions[id.index()]
    }

    /// Calls an external function: one expression per result. Calls are pure: equal arguments give
    /// the same call, and a call whose results nobody uses disappears.
    ///
    /// # Panics
    /// If the number of arguments is not the declared one.
    pub fn call(&mut self, function: FunctionId, arguments: &[Expr]) -> Vec<Expr> {
        let declared = &self.functions[function.index()];
        let results = declared.results as u32;
        assert_eq!(
            declared.arguments,
            arguments.len(),
            "{} is declared with {} arguments",
            declared.name,
            declared.arguments
        );
        let call = self.intern(Node::Call(function, arguments));
        (0..results).map(|i| self.intern(Node::Result(call, i))).collect()
    }

    // ---- what is known of signs ----

    /// States that an expression is positive wherever it will be evaluated, so that
    /// `abs(x)` becomes `x`: lengths, masses, the cosine of a camber angle.
    pub fn assume_positive(&mut self, expr: Expr) {
        self.positive.insert(expr);
    }

    /// Returns `true` if the expression is known to be zero or more everywhere.
    pub fn is_nonnegative(&self, expr: Expr) -> bool {
        self.is_nonnegative_within(expr, 4)
    }

    /// The same, looking so many levels deep: enough for lengths, and a graph may be very deep.
    fn is_nonnegative_within(&self, expr: Expr, depth: u32) -> bool {
        if self.positive.contains(&expr) {
            return true;
        }
        if expr.is_negative() || depth == 0 {
            return false;
        }
        let below = |e: Expr| self.is_nonnegative_within(e, depth - 1);
        match self.node(expr) {
            Node::Number(_) | Node::Pi => true,
            Node::Unary(Unary::Sqrt | Unary::Exp | Unary::Abs, _) => true,
            Node::Unary(Unary::Floor, inner) => below(inner),
            Node::Scale(_, core) => below(core),
            Node::Product(factors) => factors.iter().all(|f| f.power % 2 == 0 || below(f.base)),
            Node::Sum(terms) => terms.iter().all(|t| !t.coefficient.is_negative() && below(t.core)),
            _ => false,
        }
    }

    // ---- roots ----

    /// `sqrt(x^2 y) = |x| sqrt(y)`: even powers and exact squares leave the root.
    fn root(&mut self, argument: Expr) -> Expr {
        let (number, core) = self.split(argument);
        let (mut outside, mut inside) = (Factors::new(), Factors::new());
        for Factor { base, power } in self.factors_of(core) {
            if power / 2 != 0 {
                outside.push(Factor { base, power: power / 2 });
            }
            if power % 2 != 0 {
                inside.push(Factor { base, power: power % 2 });
            }
        }
        let (front, number) = match number.exact_sqrt() {
            Some(root) => (root, Number::ONE),
            None => (Number::ONE, number),
        };
        let outside = self.product_of(Number::ONE, outside);
        let size = self.unary(Unary::Abs, outside);
        let rest = self.product_of(number, inside);
        let root = if self.is_reciprocal(rest) {
            // One over a root, not a root of one over.
            let below = self.powi(rest, -1);
            let root = self.intern(Node::Unary(Unary::Sqrt, below));
            self.powi(root, -1)
        } else {
            match self.number_of(rest).and_then(|n| fold(Unary::Sqrt, n)) {
                Some(folded) => self.number(folded),
                None => self.intern(Node::Unary(Unary::Sqrt, rest)),
            }
        };
        let product = self.mul(size, root);
        self.scale(front, product)
    }

    /// The absolute value of a product, with what is never negative left outside.
    fn size_of_product(&mut self, factors: Factors) -> Option<Expr> {
        let known = |f: &Factor| f.power % 2 == 0 || self.is_nonnegative(f.base);
        let (outside, inside): (Factors, Factors) = factors.into_iter().partition(known);
        if outside.is_empty() {
            return None;
        }
        let inside = self.product_of(Number::ONE, inside);
        let size = self.unary(Unary::Abs, inside);
        let outside = self.product_of(Number::ONE, outside);
        Some(self.mul(outside, size))
    }

    // ---- multiples of pi ----

    /// Takes quarter turns out of an argument: `sin(x + pi/2) = cos(x)`, `cos(5*pi/6)` is exact.
    fn shift_by_pi(&mut self, function: Unary, argument: Expr) -> Option<Expr> {
        let (turns, rest) = self.split_pi(argument)?;
        if rest.is_negative() {
            // The part without pi decides the sign, so that equal angles look equal.
            let flipped = self.shift_parts(function, -turns, -rest)?;
            return Some(if function.parity() == Parity::Odd { -flipped } else { flipped });
        }
        self.shift_parts(function, turns, rest)
    }

    /// An argument as a rational number of half turns and a rest.
    pub(crate) fn split_pi(&mut self, argument: Expr) -> Option<(Number, Expr)> {
        let pi = self.find(Node::Pi)?;
        let (number, core) = self.split(argument);
        if core == pi && number.is_exact() {
            return Some((number, Expr::ZERO));
        }
        let Node::Sum(terms) = self.node(core) else { return None };
        let position = terms.iter().position(|t| t.core == pi)?;
        let turns = number * self.number_of(terms[position].coefficient)?;
        if !turns.is_exact() {
            return None;
        }
        let others: Terms = terms
            .iter()
            .filter(|t| t.core != pi)
            .map(|t| (number * self.number_of(t.coefficient).unwrap_or(Number::ONE), t.core))
            .collect();
        Some((turns, self.sum_of(others)))
    }

    /// The function of `turns * pi + rest`, or none where nothing can be taken out.
    fn shift_parts(&mut self, function: Unary, turns: Number, rest: Expr) -> Option<Expr> {
        let Number::Rational { numerator, denominator } = turns else { return None };
        // turns = quarter/2 + left, with 0 <= left < 1/2
        let denominator = i64::from(denominator);
        let quarter = (i128::from(numerator) * 2).div_euclid(i128::from(denominator));
        let left = turns + Number::ratio(-quarter, 2);
        let (function, negative) = match (function, quarter.rem_euclid(4)) {
            (Unary::Tan, q) if q % 2 == 1 => return None,
            (Unary::Tan, _) => (Unary::Tan, false),
            (Unary::Sin, 0) | (Unary::Cos, 3) => (Unary::Sin, false),
            (Unary::Sin, 1) | (Unary::Cos, 0) => (Unary::Cos, false),
            (Unary::Sin, 2) | (Unary::Cos, 1) => (Unary::Sin, true),
            _ => (Unary::Cos, true),
        };
        if rest == Expr::ZERO {
            let value = self.exact_angle(function, left)?;
            return Some(value.negated_if(negative));
        }
        if quarter == 0 && !left.is_zero() {
            // In range already: only the canonical sign remains to be written down.
            let argument = self.turned(left, rest);
            return Some(self.intern_odd_even(function, argument).negated_if(negative));
        }
        let argument = self.turned(left, rest);
        let inner = self.unary(function, argument);
        Some(inner.negated_if(negative))
    }

    fn turned(&mut self, turns: Number, rest: Expr) -> Expr {
        let pi = self.pi();
        let angle = self.scale(turns, pi);
        self.add(angle, rest)
    }

    fn intern_odd_even(&mut self, function: Unary, argument: Expr) -> Expr {
        let negative = argument.is_negative() && function.parity() == Parity::Odd;
        self.intern(Node::Unary(function, argument.abs())).negated_if(negative)
    }

    /// Sine, cosine and tangent of a twelfth, an eighth or a sixth of a turn. Angles in [0, pi/2).
    fn exact_angle(&mut self, function: Unary, turns: Number) -> Option<Expr> {
        let table = [(0, 1, [0, 4, 0]), (1, 6, [1, 3, 5]), (1, 4, [2, 2, 4]), (1, 3, [3, 1, 6])];
        let row = table.iter().find(|(n, d, _)| turns == Number::ratio(*n, *d))?;
        let column = match function {
            Unary::Sin => 0,
            Unary::Cos => 1,
            _ => 2,
        };
        // 0, 1/2, sqrt(2)/2, sqrt(3)/2, 1, sqrt(3)/3, sqrt(3)
        let (root, factor) = match row.2[column] {
            0 => (1, Number::ZERO),
            1 => (1, Number::ratio(1, 2)),
            2 => (2, Number::ratio(1, 2)),
            3 => (3, Number::ratio(1, 2)),
            4 => (1, Number::ONE),
            5 => (3, Number::ratio(1, 3)),
            _ => (3, Number::ONE),
        };
        let radicand = self.number(root);
        let root = self.sqrt(radicand);
        Some(self.scale(factor, root))
    }
}

/// The value of a function at a number, where it is exact, where the number is a real, or where it
/// is not finite (so that nobody builds on it unawares).
fn fold(function: Unary, x: Number) -> Option<Number> {
    let exact = match function {
        Unary::Sin | Unary::Tan | Unary::Asin | Unary::Atan if x.is_zero() => Some(Number::ZERO),
        Unary::Cos | Unary::Exp if x.is_zero() => Some(Number::ONE),
        Unary::Log | Unary::Acos if x == Number::ONE => Some(Number::ZERO),
        Unary::Sqrt => x.exact_sqrt(),
        Unary::Abs => Some(x.abs()),
        Unary::Sign if x.is_zero() => Some(Number::ZERO),
        Unary::Sign => Some(if x.is_negative() { -Number::ONE } else { Number::ONE }),
        Unary::Floor => x.exact_floor(),
        _ => None,
    };
    exact.or_else(|| {
        let value = function.apply(x.to_f64());
        (!x.is_exact() || !value.is_finite()).then_some(Number::Real(value))
    })
}
