//! The cost of an expression: the measure by which every choice of the engine is made.
//!
//! The cost of a node is the number of operations to evaluate it as a tree: `+ - * /` one each, a
//! function one. Named variables are free (their definition is computed anyway), and so are the
//! sine and cosine of an atom (every mechanism needs them); those of a sum of atoms cost one (the
//! sum of angles serves more than one of them). The cost of a shared subexpression
//! is counted at each use, because at construction nobody knows who else will use it.

use crate::expr::Expr;
use crate::function::Unary;
use crate::graph::Graph;
use crate::node::{Factor, Node, Term};
use smallvec::SmallVec;

fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The greatest common divisor of some powers; a product of such can be raised as a whole.
pub fn common_divisor(powers: &[i32]) -> u32 {
    powers.iter().fold(0, |g, p| gcd(g, p.unsigned_abs()))
}

/// The last step in raising a value to a power `n > 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerStep {
    /// Raise to this power first, then that to the power `n` over it: `x^9 = (x^3)^3`.
    Through(u32),
    /// Raise to `n - 1`, then multiply by the value.
    OneMore,
}

/// The cheaper last step; powers beyond the range of mechanics just square and multiply.
pub fn power_step(n: u32) -> PowerStep {
    if n.is_multiple_of(2) {
        return PowerStep::Through(n / 2);
    }
    let divisor = (3..16).find(|d| n.is_multiple_of(*d)).filter(|d| n < 4096 && *d < n);
    match divisor {
        Some(d) if power_chain(d) + power_chain(n / d) <= power_chain(n - 1) => {
            PowerStep::Through(n / d)
        }
        _ => PowerStep::OneMore,
    }
}

/// Multiplications to raise one value to the power `n >= 1`.
pub fn power_chain(n: u32) -> u32 {
    match n {
        1 => 0,
        2 => 1,
        _ => match power_step(n) {
            PowerStep::Through(inner) => power_chain(inner) + power_chain(n / inner),
            PowerStep::OneMore => power_chain(n - 1) + 1,
        },
    }
}

/// The next step in forming a product of powers; lowering takes the same steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerPlan {
    /// All powers are 1 or -1: multiply, and divide once.
    Flat,
    /// Form the product with the powers divided by this, raise it, multiply by what remains:
    /// `x^3 y^2 = (x y)^2 x`.
    Raise(u32),
    /// Form numerator and denominator apart, then divide.
    Quotient,
}

type Powers = SmallVec<[i32; 8]>;

/// Beyond this power the search for a cheap way gives in to plain squaring.
const SEARCHED: u32 = 64;

/// The cheapest next step for a product of bases with these powers: none of them zero, no two
/// equal, no two opposite unless they are 1 and -1.
pub fn plan(powers: &[i32]) -> PowerPlan {
    best(powers).1
}

/// Multiplications and divisions to form a product of distinct bases with these powers.
pub fn product_operations(powers: impl Iterator<Item = i32> + Clone) -> u32 {
    let (mut count, mut below, mut flat) = (0, 0, true);
    for power in powers.clone() {
        count += 1;
        below += u32::from(power < 0);
        flat &= power.unsigned_abs() == 1;
    }
    // Nearly all products are like that, and need no search.
    if flat && count > 0 {
        return count - 1 + u32::from(below == count);
    }
    operations(&powers.collect::<Powers>())
}

/// Bases with the same power are first multiplied (or, with opposite powers, divided) into one.
fn operations(powers: &[i32]) -> u32 {
    let flat = powers.iter().all(|p| p.unsigned_abs() == 1);
    if flat && !powers.is_empty() {
        return powers.len() as u32 - 1 + u32::from(powers.iter().all(|&p| p < 0));
    }
    let mut distinct = Powers::new();
    for &power in powers {
        let same = |p: &i32| {
            *p == power || (power.unsigned_abs() > 1 && p.unsigned_abs() == power.unsigned_abs())
        };
        if !distinct.iter().any(same) {
            distinct.push(power);
        }
    }
    (powers.len() - distinct.len()) as u32 + best(&distinct).0
}

/// The cost of a product of distinct powers and the first step to it.
fn best(powers: &[i32]) -> (u32, PowerPlan) {
    if powers.iter().all(|p| p.unsigned_abs() == 1) {
        let inverse = !powers.is_empty() && powers.iter().all(|&p| p < 0);
        let cost = (powers.len() as u32).saturating_sub(1) + u32::from(inverse);
        return (cost, PowerPlan::Flat);
    }
    let divisor = common_divisor(powers);
    if divisor > 1 {
        return raised(powers, divisor);
    }
    let largest = powers.iter().map(|p| p.unsigned_abs()).max().unwrap_or(0);
    let mut found = raised(powers, 2);
    if largest <= SEARCHED {
        found = [raised(powers, 3), quotient(powers)]
            .into_iter()
            .fold(found, |a, b| if b.0 < a.0 { b } else { a });
    }
    found
}

fn raised(powers: &[i32], by: u32) -> (u32, PowerPlan) {
    // In 64 bits, because the size of i32::MIN has no i32.
    let split = |p: &i32| (i64::from(*p) / i64::from(by), i64::from(*p) % i64::from(by));
    let inner: Powers = powers.iter().map(|p| split(p).0 as i32).filter(|p| *p != 0).collect();
    let rest: Powers = powers.iter().map(|p| split(p).1 as i32).filter(|p| *p != 0).collect();
    if inner.is_empty() {
        return (u32::MAX, PowerPlan::Raise(by));
    }
    // What remains is multiplied in; if it is all below the line, that is one division.
    let remainder = match rest.as_slice() {
        [] => 0,
        rest if rest.iter().all(|&p| p < 0) => operations(rest),
        rest => operations(rest) + 1,
    };
    (operations(&inner) + power_chain(by) + remainder, PowerPlan::Raise(by))
}

fn quotient(powers: &[i32]) -> (u32, PowerPlan) {
    let above: Powers = powers.iter().copied().filter(|&p| p > 0).collect();
    let below: Powers = powers.iter().filter(|&&p| p < 0).map(|p| p.saturating_neg()).collect();
    if below.is_empty() {
        return (u32::MAX, PowerPlan::Quotient);
    }
    (1 + operations(&above) + operations(&below), PowerPlan::Quotient)
}

impl Graph {
    /// Operations to evaluate the expression as a tree; see the [module](self).
    pub fn cost(&self, expr: Expr) -> u32 {
        self.stored(expr).cost
    }

    pub(crate) fn node_cost(&self, node: Node<'_>) -> u32 {
        let cost = |e: Expr| self.stored(e).cost;
        match node {
            Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Variable(_) => 0,
            Node::Sum(terms) => {
                let operands = terms.iter().map(|t| self.term_cost(t));
                operands.fold(terms.len() as u32 - 1, u32::saturating_add)
            }
            Node::Product(factors) => {
                let operations = product_operations(factors.iter().map(|f| f.power));
                factors.iter().map(|f: &Factor| cost(f.base)).fold(operations, u32::saturating_add)
            }
            Node::Scale(_, core) => cost(core).saturating_add(u32::from(!self.is_reciprocal(core))),
            Node::Unary(Unary::Sin | Unary::Cos, argument) => match self.node(argument) {
                _ if self.is_atom(argument) => 0,
                Node::Sum(terms) if terms.iter().all(|t| self.is_atom(t.core)) => 1,
                Node::Scale(_, core) if self.is_atom(core) => 1,
                _ => cost(argument).saturating_add(1),
            },
            Node::Unary(_, argument) => cost(argument).saturating_add(1),
            Node::Binary(_, a, b) => cost(a).saturating_add(cost(b)).saturating_add(1),
            Node::Select(_, operands) => {
                operands.iter().map(|&e| cost(e)).fold(1, u32::saturating_add)
            }
            Node::Call(_, arguments) => {
                arguments.iter().map(|&e| cost(e)).fold(1, u32::saturating_add)
            }
            Node::Result(call, _) => cost(call),
        }
    }

    /// Returns `true` if the core is one over something: then a number in front takes the place of
    /// the one and costs nothing.
    pub fn is_reciprocal(&self, core: Expr) -> bool {
        match self.node(core) {
            Node::Product(factors) => factors.iter().all(|f| f.power < 0),
            _ => false,
        }
    }

    fn term_cost(&self, term: &Term) -> u32 {
        let scaled = term.core != Expr::ONE
            && term.coefficient.abs() != Expr::ONE
            && !self.is_reciprocal(term.core);
        self.stored(term.core).cost.saturating_add(u32::from(scaled))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_formed_jointly() {
        let check = |powers: &[i32], expect| {
            assert_eq!(product_operations(powers.iter().copied()), expect, "{powers:?}");
        };
        check(&[1], 0);
        check(&[-1], 1);
        check(&[2], 1);
        check(&[1, 1, 1], 2);
        check(&[1, -1], 1);
        check(&[-1, -1], 2);
        check(&[2, 2], 2); // (x*y)^2
        check(&[2, -2], 2); // (x/y)^2
        check(&[3, 2], 3); // (x*y)^2*x
        check(&[15, 5], 6); // (x^3*y)^5
        check(&[3, 3, 1, -1], 5); // (x*y)^3*z/w
        check(&[3, -3, 1], 4); // (x/y)^3*z
        check(&[1, -2], 2); // x/y^2
        check(&[-2, -1], 3); // 1/(y^2*x)
        check(&[27], 6); // ((x^3)^3)^3
        check(&[7, 3], 5); // (x^2*y)^3*x
        check(&[i32::MIN], 31 + 1);
    }
}
