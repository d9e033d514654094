//! Products: n-ary, canonical, with the numeric coefficient pulled out in front.
//!
//! `2*x*y^2/z` is a `Scale` by 2 of the product `x^1 y^2 z^-1`. Flattening nested products and
//! powers loses nothing: lowering finds shared partial products again.

use crate::expr::Expr;
use crate::function::Unary;
use crate::graph::Graph;
use crate::node::{Factor, Node};
use crate::number::Number;
use crate::sum::FLATTEN_LIMIT;
use smallvec::SmallVec;

pub(crate) type Factors = SmallVec<[Factor; 8]>;

impl Graph {
    /// The product of all factors.
    pub fn product(&mut self, factors: &[Expr]) -> Expr {
        let mut coefficient = Number::ONE;
        let mut list = Factors::new();
        for &factor in factors {
            self.gather(factor, 1, &mut coefficient, &mut list);
        }
        self.product_of(coefficient, list)
    }

    /// `a * b`
    pub fn mul(&mut self, a: Expr, b: Expr) -> Expr {
        // Frequent in mechanics, and not worth a list.
        if a == Expr::ZERO || b == Expr::ZERO {
            return Expr::ZERO;
        }
        if a.abs() == Expr::ONE {
            return b.negated_if(a.is_negative());
        }
        if b.abs() == Expr::ONE {
            return a.negated_if(b.is_negative());
        }
        self.product(&[a, b])
    }

    /// `a / b`. Division by zero is not an error here: it gives an infinite number.
    pub fn div(&mut self, a: Expr, b: Expr) -> Expr {
        let mut coefficient = Number::ONE;
        let mut list = Factors::new();
        self.gather(a, 1, &mut coefficient, &mut list);
        self.gather(b, -1, &mut coefficient, &mut list);
        self.product_of(coefficient, list)
    }

    /// `a^n` for a whole number `n`.
    pub fn powi(&mut self, a: Expr, n: i32) -> Expr {
        let mut coefficient = Number::ONE;
        let mut list = Factors::new();
        if n == i32::MIN {
            // The one power whose opposite does not exist stays two factors.
            self.gather(a, -1, &mut coefficient, &mut list);
            self.gather(a, n + 1, &mut coefficient, &mut list);
        } else {
            self.gather(a, n, &mut coefficient, &mut list);
        }
        self.product_of(coefficient, list)
    }

    /// `a * a`
    pub fn square(&mut self, a: Expr) -> Expr {
        self.powi(a, 2)
    }

    /// A number times an expression.
    pub(crate) fn scale(&mut self, number: Number, expr: Expr) -> Expr {
        let (inner, core) = self.split(expr);
        let number = number * inner;
        if self.completes_a_rule(number, core) {
            return self.product_of(number, self.factors_of(core));
        }
        if number.is_zero() {
            return Expr::ZERO;
        }
        if core == Expr::ONE {
            return self.number(number);
        }
        let negative = number.is_negative();
        let size = number.abs();
        if size.is_one() {
            return core.negated_if(negative);
        }
        self.intern(Node::Scale(size, core)).negated_if(negative)
    }

    /// An expression as a number times a core that is positive and not scaled; the core of a
    /// number is one.
    pub(crate) fn split(&self, expr: Expr) -> (Number, Expr) {
        let (number, core) = match self.node(expr) {
            Node::Number(n) => (n, Expr::ONE),
            Node::Scale(n, core) => (n, core),
            _ => (Number::ONE, expr.abs()),
        };
        (if expr.is_negative() { -number } else { number }, core)
    }

    /// Appends `expr^power` to a coefficient and a list of factors, flattening products.
    pub(crate) fn gather(
        &self,
        expr: Expr,
        power: i32,
        coefficient: &mut Number,
        list: &mut Factors,
    ) {
        let (number, core) = self.split(expr);
        if number != Number::ONE {
            *coefficient = *coefficient * number.powi(power);
        }
        match self.node(core) {
            Node::Number(_) => {}
            // A power beyond 2^31 stays a power of a product.
            Node::Product(factors)
                if factors.len() <= FLATTEN_LIMIT
                    && factors
                        .iter()
                        .all(|f| f.power.checked_mul(power).is_some_and(|p| p != i32::MIN)) =>
            {
                let raised =
                    factors.iter().map(|f| Factor { base: f.base, power: f.power * power });
                list.extend(raised.filter(|f| f.power != 0));
            }
            _ if power != 0 => list.push(Factor { base: core, power }),
            _ => {}
        }
    }

    /// The factors of a core, as a list.
    pub(crate) fn factors_of(&self, core: Expr) -> Factors {
        let mut list = Factors::new();
        let mut coefficient = Number::ONE;
        self.gather(core, 1, &mut coefficient, &mut list);
        list
    }

    /// Sorts a list of factors into canonical order and adds the powers of equal bases.
    pub(crate) fn merge_factors(&self, list: &mut Factors) {
        if list.len() < 2 {
            return;
        }
        list.sort_unstable_by_key(|f| self.order(f.base));
        let mut merged = Factors::new();
        for run in list.chunk_by(|a, b| a.base == b.base) {
            let mut power: i64 = run.iter().map(|f| i64::from(f.power)).sum();
            // What exceeds the range of a power stays a factor of its own.
            while power != 0 {
                let part = power.clamp(-i64::from(i32::MAX), i64::from(i32::MAX));
                merged.push(Factor { base: run[0].base, power: part as i32 });
                power -= part;
            }
        }
        *list = merged;
    }

    /// A coefficient times a list of factors, brought to canonical form.
    pub(crate) fn product_of(&mut self, mut coefficient: Number, mut list: Factors) -> Expr {
        if coefficient.is_zero() {
            return Expr::ZERO;
        }
        loop {
            self.merge_factors(&mut list);
            if self.unwrap_powers(&mut coefficient, &mut list) {
                continue;
            }
            if !self.apply_product_rules(&mut coefficient, &mut list) {
                break;
            }
        }
        let core = match *list.as_slice() {
            [] => Expr::ONE,
            [Factor { base, power: 1 }] => base,
            _ => self.intern(Node::Product(&list)),
        };
        self.scale(coefficient, core)
    }

    /// `sqrt(x)^2 = x` and `abs(x)^2 = x^2`, the two functions that an even power undoes.
    fn unwrap_powers(&mut self, coefficient: &mut Number, list: &mut Factors) -> bool {
        for i in 0..list.len() {
            let Factor { base, power } = list[i];
            if power % 2 != 0 {
                continue;
            }
            let (inside, power) = match self.node(base) {
                Node::Unary(Unary::Sqrt, inside) => (inside, power / 2),
                Node::Unary(Unary::Abs, inside) => (inside, power),
                _ => continue,
            };
            list.remove(i);
            self.gather(inside, power, coefficient, list);
            return true;
        }
        false
    }
}
