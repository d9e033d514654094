//! Multiplying out, as a trial: products of sums become sums of products, in which equal terms meet
//! and cancel, and the sum that is left is factored anew.
//!
//! Building never does this, because it rarely pays: `(a + b)^2` has two operations and its
//! expansion five. Where terms cancel across brackets it is the only way to see it, as in `a*(b +
//! c) - a*b`. So it is tried on whole expressions, for people to read, and kept where it is
//! cheaper.

use crate::expr::Expr;
use crate::graph::Graph;
use crate::node::{Factor, Node};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// A form with more terms than this is not going to be shorter.
const TERMS: usize = 320;
/// Higher powers of sums are left alone.
const POWER: i32 = 3;

type Spelled = HashMap<Expr, Vec<Expr>, FxBuildHasher>;

impl Graph {
    /// Each expression in the shortest form that can be found for it alone: as it is, as
    /// [`Graph::simplify`] finds it, or multiplied out and factored anew.
    pub fn shorten(&mut self, exprs: &[Expr]) -> Vec<Expr> {
        exprs.iter().map(|&expr| self.shortest(expr)).collect()
    }

    /// An expression as the product of what all its terms have in common and the rest, which is in
    /// its shortest form.
    pub fn common_factor(&mut self, expr: Expr) -> (Expr, Expr) {
        if let Node::Product(factors) = self.node(expr) {
            let mut sums = factors.iter().filter(|one| matches!(self.node(one.base), Node::Sum(_)));
            let (Some(&Factor { base: sum, power: 1 }), None) = (sums.next(), sums.next()) else {
                return (Expr::ONE, expr);
            };
            // Building has taken out of the sum what its terms have in common.
            let front = self.div(expr, sum);
            return (front, self.shortest(sum));
        }
        let Node::Sum(terms) = self.node(expr) else { return (Expr::ONE, expr) };
        let terms: Vec<(Expr, Expr)> =
            terms.iter().map(|term| (term.coefficient, term.core)).collect();
        let factors = |core: Expr| match self.node(core) {
            Node::Product(factors) => factors.to_vec(),
            _ => vec![Factor { base: core, power: 1 }],
        };
        let mut common = factors(terms[0].1);
        for &(_, core) in &terms[1..] {
            let own = factors(core);
            for factor in &mut common {
                let same = own.iter().find(|one| one.base == factor.base);
                factor.power = factor.power.min(same.map_or(0, |one| one.power)).max(0);
            }
        }
        common.retain(|factor| factor.power > 0);
        let powers: Vec<Expr> =
            common.iter().map(|factor| self.powi(factor.base, factor.power)).collect();
        let front = self.product(&powers);
        if front == Expr::ONE {
            return (Expr::ONE, expr);
        }
        let mut rest = Vec::with_capacity(terms.len());
        for (coefficient, core) in terms {
            let quotient = self.div(core, front);
            rest.push(self.mul(coefficient, quotient));
        }
        let rest = self.sum(&rest);
        let rest = self.shortest(rest);
        (front, if expr.is_negative() { -rest } else { rest })
    }

    fn shortest(&mut self, expr: Expr) -> Expr {
        let mut best = expr;
        // What one trial finds may open the way for the next.
        for _ in 0..3 {
            let waves = self.simplify(&[best])[0];
            let mut trials = vec![waves];
            if let Some(terms) = self.multiplied_out(best) {
                let sum = self.sum(&terms);
                trials.push(sum);
                trials.push(self.simplify(&[sum])[0]);
            }
            let shorter = trials.into_iter().min_by_key(|&trial| self.cost(trial)).unwrap_or(best);
            if self.cost(shorter) >= self.cost(best) {
                return best;
            }
            best = shorter;
        }
        best
    }

    /// The terms of an expression with all products of sums multiplied out; none if there are too
    /// many.
    fn multiplied_out(&mut self, expr: Expr) -> Option<Vec<Expr>> {
        let open = |graph: &Graph, e: Expr| {
            matches!(graph.node(e), Node::Sum(_) | Node::Product(_) | Node::Scale(..))
        };
        if !open(self, expr) {
            return None;
        }
        let mut spelled = Spelled::default();
        for node in self.reachable_where(&[expr], |e| open(self, e)) {
            let terms = self.terms_of(node, &spelled)?;
            spelled.insert(node, terms);
        }
        let terms = spelled.remove(&expr.abs())?;
        Some(terms.into_iter().map(|term| term.negated_if(expr.is_negative())).collect())
    }

    fn terms_of(&mut self, node: Expr, spelled: &Spelled) -> Option<Vec<Expr>> {
        // Parts that are no sums and products are terms themselves.
        let known = |e: Expr| match spelled.get(&e.abs()) {
            Some(terms) => terms.iter().map(|t| t.negated_if(e.is_negative())).collect(),
            None => vec![e],
        };
        match self.node(node) {
            Node::Sum(terms) => {
                let parts: Vec<(Expr, Vec<Expr>)> =
                    terms.iter().map(|t| (t.coefficient, known(t.core))).collect();
                let mut sum = Vec::new();
                for (coefficient, list) in parts {
                    sum.extend(list.into_iter().map(|term| self.mul(coefficient, term)));
                    if sum.len() > TERMS {
                        return None;
                    }
                }
                Some(sum)
            }
            Node::Scale(number, core) => {
                let list = known(core);
                let number = self.number(number);
                Some(list.into_iter().map(|term| self.mul(number, term)).collect())
            }
            Node::Product(factors) => {
                let factors: Vec<_> = factors.to_vec();
                let mut terms = vec![Expr::ONE];
                for factor in factors {
                    let list = known(factor.base);
                    if list.len() > 1 && (1..=POWER).contains(&factor.power) {
                        for _ in 0..factor.power {
                            if terms.len() * list.len() > TERMS {
                                return None;
                            }
                            let mut next = Vec::with_capacity(terms.len() * list.len());
                            for &term in &terms {
                                next.extend(list.iter().map(|&other| self.mul(term, other)));
                            }
                            terms = next;
                        }
                    } else {
                        let power = self.powi(factor.base, factor.power);
                        terms.iter_mut().for_each(|term| *term = self.mul(*term, power));
                    }
                }
                Some(terms)
            }
            _ => Some(vec![node]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut graph = Graph::new();
        let expr = graph.parse(text).unwrap();
        let short = graph.shorten(&[expr])[0];
        assert_eq!(graph.text(short), expected, "{text}");
        assert!(graph.cost(short) <= graph.cost(expr));
    }

    #[test]
    fn terms_cancel_across_brackets() {
        check("a*(b + c) - d*(a + b) + a*d", "a*(b + c) - b*d");
        check("m*(g*(a + b) - k) + k*m", "g*m*(a + b)");
    }

    #[test]
    fn common_factors_come_out_of_all_terms() {
        let check = |text: &str, expected: [&str; 2]| {
            let mut graph = Graph::new();
            let expr = graph.parse(text).unwrap();
            let (front, rest) = graph.common_factor(expr);
            assert_eq!([front, rest].map(|one| graph.text(one)), expected, "{text}");
        };
        check("a^2*b + 3*a^3*c", ["a^2", "3*a*c + b"]);
        check("a*b + c", ["1", "a*b + c"]);
        check("a*b", ["1", "a*b"]);
    }

    #[test]
    fn what_does_not_pay_is_left_alone() {
        check("(a + b)^2", "(a + b)^2");
        check("(a + b)*(c + d)", "(a + b)*(c + d)");
        check("1/(a*(b + c))", "1/(a*(b + c))");
    }

    #[test]
    fn too_many_terms_are_no_trial() {
        let sums: Vec<String> = (0..9).map(|i| format!("(a{i} + b{i})")).collect();
        check(&sums.join("*"), &sums.join("*"));
    }
}
