//! Sums: n-ary, canonical, simplified by the rules and factored while they are built.
//!
//! A list of terms goes through one loop until nothing changes: flatten and collect, apply a rule,
//! split a difference of squares, extract a common factor. Each round leaves fewer terms, so it
//! ends; what is stored is a fixed point, so building a sum from the terms of a sum gives that sum.

use crate::expr::Expr;
use crate::graph::Graph;
use crate::node::{Node, Tag, Term};
use crate::number::Number;
use smallvec::SmallVec;

/// A number times a positive core.
pub(crate) type Terms = SmallVec<[(Number, Expr); 8]>;

/// Nested sums and products up to this many operands are flattened. Beyond, a sum inside a sum
/// stays a node of its own, and so does a product inside a product: otherwise growing one operand
/// by operand would take quadratic time and memory.
pub const FLATTEN_LIMIT: usize = 24;

impl Graph {
    /// The sum of all terms.
    pub fn sum(&mut self, terms: &[Expr]) -> Expr {
        let terms: Terms =
            terms.iter().filter(|&&e| e != Expr::ZERO).map(|&e| self.split(e)).collect();
        self.sum_of(terms)
    }

    /// `a + b`
    pub fn add(&mut self, a: Expr, b: Expr) -> Expr {
        if a == Expr::ZERO {
            return b;
        }
        if b == Expr::ZERO {
            return a;
        }
        self.sum(&[a, b])
    }

    /// `a - b`
    pub fn sub(&mut self, a: Expr, b: Expr) -> Expr {
        self.add(a, -b)
    }

    pub(crate) fn sum_of(&mut self, terms: Terms) -> Expr {
        let mut plain = terms;
        let content = self.reduce(&mut plain);
        let result = self.close(content, &plain);
        self.try_expanded(result, content, &plain)
    }

    /// Brings a list of terms to its fixed point under collecting, rules and factoring, and gives
    /// the number that was pulled out in front of all of them.
    pub(crate) fn reduce(&mut self, terms: &mut Terms) -> Number {
        let mut front = Number::ONE;
        loop {
            self.collect(terms);
            if terms.len() < 2 {
                return front;
            }
            let content = self.content(terms);
            if !content.is_one() {
                let unit = content.recip();
                for term in terms.iter_mut() {
                    // Not by division: a real over itself must be exactly one.
                    let same = term.0.abs() == content;
                    let size = if same { Number::ONE } else { term.0.abs() * unit };
                    term.0 = if term.0.is_negative() { -size } else { size };
                }
                front = front * content;
                continue;
            }
            let changed = self.complete_rules(terms)
                || self.apply_sum_rules(terms)
                || self.split_squares(terms)
                || self.factor(terms);
            if !changed {
                return front;
            }
        }
    }

    /// Collecting may have brought a number in front of a product that a rule was waiting for.
    fn complete_rules(&mut self, terms: &mut Terms) -> bool {
        let mut changed = false;
        for term in terms.iter_mut() {
            if self.completes_a_rule(term.0, term.1) {
                let simpler = self.scale(term.0, term.1);
                *term = self.split(simpler);
                changed = true;
            }
        }
        changed
    }

    /// Flattens nested sums, adds the coefficients of equal cores, drops what vanishes. The list is
    /// in canonical order afterwards.
    fn collect(&mut self, terms: &mut Terms) {
        self.merge_terms(terms);
        // What one sum brings in may be what another has in common with the rest.
        while terms.len() >= 2 && self.flatten(terms) {
            self.merge_terms(terms);
        }
    }

    /// Spells out nested sums: plain ones, and scaled ones that have a term in common with the
    /// rest. True if there was any.
    fn flatten(&self, terms: &mut Terms) -> bool {
        let is_sum = |core: Expr| self.stored(core).tag == Tag::Sum;
        if !terms.iter().any(|t| is_sum(t.1)) {
            return false;
        }
        // Sums that multiply something in another term are better left whole.
        let mut inside: SmallVec<[Expr; 8]> = SmallVec::new();
        for term in terms.iter() {
            if let Node::Product(factors) = self.node(term.1) {
                inside.extend(factors.iter().map(|f| f.base).filter(|&base| is_sum(base)));
            }
        }
        inside.sort_unstable();
        let mut changed = false;
        let mut flat = Terms::new();
        for &(coefficient, core) in terms.iter() {
            match self.node(core) {
                Node::Sum(inner)
                    if inner.len() <= FLATTEN_LIMIT
                        && inside.binary_search(&core).is_err()
                        && (coefficient.abs().is_one() || self.shares_a_core(inner, terms)) =>
                {
                    changed = true;
                    flat.extend(inner.iter().map(|t| {
                        // The coefficient of a term is always a number node.
                        let inner = self.number_of(t.coefficient).unwrap_or(Number::ONE);
                        (coefficient * inner, t.core)
                    }));
                }
                _ => flat.push((coefficient, core)),
            }
        }
        *terms = flat;
        changed
    }

    /// Returns `true` if spelling out `inner` among the sorted `terms` would collect something.
    fn shares_a_core(&self, inner: &[Term], terms: &Terms) -> bool {
        inner.iter().any(|t| {
            let key = self.order(t.core);
            terms.binary_search_by_key(&key, |other| self.order(other.1)).is_ok()
        })
    }

    fn merge_terms(&self, terms: &mut Terms) {
        if terms.len() >= 2 {
            terms.sort_unstable_by_key(|t| self.order(t.1));
            let mut kept: usize = 0;
            for i in 1..terms.len() {
                if terms[i].1 == terms[kept].1 {
                    terms[kept].0 = terms[kept].0 + terms[i].0;
                } else {
                    kept += 1;
                    terms[kept] = terms[i];
                }
            }
            terms.truncate(kept + 1);
        }
        terms.retain(|t| !t.0.is_zero());
        // A real 1.0 multiplies nothing either.
        for term in terms.iter_mut().filter(|t| t.1 != Expr::ONE && t.0.abs().is_one()) {
            term.0 = if term.0.is_negative() { -Number::ONE } else { Number::ONE };
        }
    }

    /// A number times the node of a reduced list of terms.
    pub(crate) fn close(&mut self, content: Number, terms: &Terms) -> Expr {
        match *terms.as_slice() {
            [] => return Expr::ZERO,
            [(coefficient, core)] => return self.scale(content * coefficient, core),
            _ => {}
        }
        let negative = terms[0].0.is_negative();
        let list: SmallVec<[Term; 8]> = terms
            .iter()
            .map(|&(coefficient, core)| {
                let coefficient = if negative { -coefficient } else { coefficient };
                Term { coefficient: self.number(coefficient), core }
            })
            .collect();
        let sum = self.intern(Node::Sum(&list));
        self.scale(if negative { -content } else { content }, sum)
    }

    /// The positive number to pull out of a sum: the coefficient that all terms share up to sign,
    /// or the greatest common divisor of exact coefficients, where that does not take more
    /// multiplications.
    fn content(&self, terms: &Terms) -> Number {
        // A term without a coefficient would get one.
        if terms.iter().any(|t| t.1 != Expr::ONE && t.0.abs().is_one()) {
            return Number::ONE;
        }
        let first = terms[0].0.abs();
        let mut divisor = first;
        if !terms.iter().all(|t| t.0.abs() == first) {
            for term in &terms[1..] {
                match divisor.content(term.0) {
                    Some(smaller) => divisor = smaller,
                    None => return Number::ONE,
                }
            }
        }
        if divisor.is_one() {
            return Number::ONE;
        }
        let scaled = |unit: Number| {
            let counts = |t: &&(Number, Expr)| {
                t.1 != Expr::ONE && t.0.abs() != unit && !self.is_reciprocal(t.1)
            };
            terms.iter().filter(counts).count()
        };
        if scaled(divisor) < scaled(Number::ONE) { divisor } else { Number::ONE }
    }
}
