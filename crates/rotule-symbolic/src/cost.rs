//! What an expression costs: the measure by which every choice of the engine is made.
//!
//! The cost of a node is the number of operations to evaluate it as a tree: `+ - * /` one each, a
//! function one. Named variables are free (their definition is computed anyway), and so are the
//! sine and cosine of an atom (every mechanism needs them). The cost of a shared subexpression
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

/// Multiplications to raise one value to the power `n >= 1` by squaring.
pub fn power_chain(n: u32) -> u32 {
    n.ilog2() + n.count_ones() - 1
}

/// Multiplications and divisions to form a product of distinct bases with these powers.
///
/// Powers are formed jointly: a common divisor of all powers is taken out first, then
/// `x^3 y^2 = (x y)^2 x`. Lowering realises exactly this scheme.
pub fn product_operations(powers: impl Iterator<Item = i32>) -> u32 {
    let mut powers: SmallVec<[i32; 8]> = powers.collect();
    let mut total = 0;
    loop {
        let divisor = powers.iter().fold(0, |g, p| gcd(g, p.unsigned_abs()));
        if divisor == 0 {
            return total;
        }
        if divisor > 1 {
            total += power_chain(divisor);
            // A power of i32::MIN stays in range: its quotient is at most 2^31 in size.
            powers.iter_mut().for_each(|p| *p = (i64::from(*p) / i64::from(divisor)) as i32);
        }
        if powers.iter().all(|p| p.unsigned_abs() == 1) {
            let inverse_only = powers.iter().all(|&p| p < 0);
            return total + powers.len() as u32 - 1 + u32::from(inverse_only);
        }
        // x^p = (x^(p/2))^2 * x^(p mod 2)
        total += 1 + powers.iter().filter(|&p| p % 2 != 0).count() as u32;
        powers.iter_mut().for_each(|p| *p /= 2);
        powers.retain(|p| *p != 0);
    }
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
            Node::Scale(_, core) => cost(core).saturating_add(1),
            Node::Unary(Unary::Sin | Unary::Cos, argument) if self.is_atom(argument) => 0,
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

    fn term_cost(&self, term: &Term) -> u32 {
        let scaled = term.core != Expr::ONE && term.coefficient.abs() != Expr::ONE;
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
        check(&[i32::MIN], 31 + 1);
    }
}
