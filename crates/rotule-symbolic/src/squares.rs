//! Differences of squares: `u^2 - v^2 = (u - v)*(u + v)`, where that is cheaper.
//!
//! In general it only trades a multiplication for an addition, but when `u` and `v` have terms in
//! common one of the brackets collapses: `x^2 - (x + y)^2 = -y*(2*x + y)`.

use crate::expr::Expr;
use crate::graph::Graph;
use crate::node::Node;
use crate::number::Number;
use crate::product::Factors;
use crate::sum::Terms;
use smallvec::SmallVec;

/// Only short sums are searched: the search looks at all pairs.
const SHORT: usize = 12;

/// A term that is a square times something.
struct Square {
    term: usize,
    base: Expr,
    rest: Factors,
}

impl Graph {
    /// Replaces one difference of squares by a product; false if none gets cheaper.
    pub(crate) fn split_squares(&mut self, terms: &mut Terms) -> bool {
        let has_square = |t: &&(Number, Expr)| match self.node(t.1) {
            Node::Product(factors) => factors.iter().any(|f| f.power == 2),
            _ => false,
        };
        if terms.len() > SHORT || terms.iter().filter(has_square).count() < 2 {
            return false;
        }
        let squares = self.squares(terms);
        for (i, a) in squares.iter().enumerate() {
            for b in &squares[i + 1..] {
                let opposite = terms[a.term].0 == -terms[b.term].0;
                if a.term != b.term && opposite && a.rest == b.rest {
                    let cost = |t: usize| self.cost(terms[t].1);
                    let limit = cost(a.term).saturating_add(cost(b.term)).saturating_add(1);
                    if let Some(term) = self.cheaper_split(terms[a.term].0, a, b.base, limit) {
                        let (low, high) = (a.term.min(b.term), a.term.max(b.term));
                        terms.remove(high);
                        terms.remove(low);
                        terms.push(term);
                        return true;
                    }
                }
            }
        }
        false
    }

    fn squares(&self, terms: &Terms) -> SmallVec<[Square; 4]> {
        let mut squares = SmallVec::new();
        for (term, &(_, core)) in terms.iter().enumerate() {
            let list = self.factors_of(core);
            for (i, factor) in list.iter().enumerate().filter(|(_, f)| f.power == 2) {
                let mut rest = list.clone();
                rest.remove(i);
                squares.push(Square { term, base: factor.base, rest });
            }
        }
        squares
    }

    /// `number * rest * (u - v) * (u + v)`, if its cost is below the limit.
    fn cheaper_split(
        &mut self,
        number: Number,
        u: &Square,
        v: Expr,
        limit: u32,
    ) -> Option<(Number, Expr)> {
        let mark = self.mark();
        let difference = self.sub(u.base, v);
        let sum = self.add(u.base, v);
        let mut coefficient = number;
        let mut list = u.rest.clone();
        self.gather(difference, 1, &mut coefficient, &mut list);
        self.gather(sum, 1, &mut coefficient, &mut list);
        let product = self.product_of(coefficient, list);
        if self.cost(product) < limit {
            return Some(self.split(product));
        }
        self.rollback(&mark);
        None
    }
}
