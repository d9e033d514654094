//! Operation counts of expressions in a graph, each distinct node once.
//!
//! This is what a program costs before lowering shares partial sums and products, which can only
//! lower it. `+ - * /` count one each; functions apart; the minus sign is free; doubling a whole
//! expression is an addition.

use crate::cost::product_operations;
use crate::expr::Expr;
use crate::function::{Binary, Unary};
use crate::graph::Graph;
use crate::node::{Node, Term};
use crate::number::Number;
use std::fmt;

/// Operations by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Additions and subtractions.
    pub add: u64,
    /// Multiplications.
    pub multiply: u64,
    /// Divisions.
    pub divide: u64,
    /// Sines, cosines and tangents.
    pub trig: u64,
    /// Every other function, comparison and external call.
    pub other: u64,
}

impl Counts {
    /// Additions, multiplications and divisions.
    pub fn arithmetic(self) -> u64 {
        self.add + self.multiply + self.divide
    }

    /// Everything.
    pub fn total(self) -> u64 {
        self.arithmetic() + self.trig + self.other
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { add, multiply, divide, trig, other } = self;
        write!(f, "{add} add, {multiply} multiply, {divide} divide, {trig} trig, {other} other")
    }
}

impl Graph {
    /// Operations below the roots, shared nodes counted once.
    pub fn counts(&self, roots: &[Expr]) -> Counts {
        self.counts_where(roots, |_| true)
    }

    /// Operations below the roots that depend on more than parameters.
    pub fn evaluation_counts(&self, roots: &[Expr]) -> Counts {
        self.counts_where(roots, |expr| !self.kinds(expr).is_constant())
    }

    fn counts_where(&self, roots: &[Expr], counted: impl Fn(Expr) -> bool) -> Counts {
        let mut counts = Counts::default();
        for expr in self.reachable(roots).into_iter().filter(|&expr| counted(expr)) {
            match self.node(expr) {
                Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Variable(_) => {}
                Node::Sum(terms) => {
                    counts.add += terms.len() as u64 - 1;
                    let scaled = |t: &&Term| t.core != Expr::ONE && !self.is_reciprocal(t.core);
                    for term in terms.iter().filter(scaled) {
                        counts.multiply += u64::from(term.coefficient.abs() != Expr::ONE);
                    }
                }
                Node::Product(factors) => {
                    let operations = product_operations(factors.iter().map(|f| f.power));
                    let divide = u64::from(factors.iter().any(|f| f.power < 0));
                    counts.divide += divide;
                    counts.multiply += u64::from(operations) - divide;
                }
                Node::Scale(_, core) if self.is_reciprocal(core) => {}
                Node::Scale(number, _) if number == Number::integer(2) => counts.add += 1,
                Node::Scale(..) => counts.multiply += 1,
                Node::Unary(Unary::Sin | Unary::Cos | Unary::Tan, _) => counts.trig += 1,
                Node::Binary(Binary::Pow | Binary::Atan2 | Binary::Min | Binary::Max, ..)
                | Node::Unary(..)
                | Node::Select(..)
                | Node::Call(..) => counts.other += 1,
                Node::Result(..) => {}
            }
        }
        counts
    }
}
