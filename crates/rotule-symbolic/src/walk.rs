//! Walks over the part of a graph below some roots, without recursion: graphs may be very deep.

use crate::expr::Expr;
use crate::graph::{Graph, for_each_operand};
use crate::node::Node;
use crate::set::SymbolSet;
use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

impl Graph {
    /// Every node below the roots, roots included, operands before their users. Definitions of
    /// variables count as operands.
    pub fn reachable(&self, roots: &[Expr]) -> Vec<Expr> {
        let Some(last) = roots.iter().map(|root| root.index()).max() else { return Vec::new() };
        let mut seen = vec![false; last + 1];
        roots.iter().for_each(|root| seen[root.index()] = true);
        let mut found = Vec::new();
        // Operands are always older than their users.
        for index in (0..=last).rev() {
            if !seen[index] {
                continue;
            }
            let expr = Expr::new(index);
            found.push(expr);
            match self.node(expr) {
                Node::Variable(id) => seen[self.definition(id).index()] = true,
                node => for_each_operand(node, |e| seen[e.index()] = true),
            }
        }
        found.reverse();
        found
    }

    /// As [`Graph::reachable`], in a time that does not depend on the size of the graph: for a few
    /// nodes of a large one.
    pub fn below(&self, roots: &[Expr]) -> Vec<Expr> {
        self.reachable_where(roots, |_| true)
    }

    /// The first expressions that are known on the way from some down to their operands: those
    /// themselves that are known, and what the others are made of. Signs are left out.
    pub fn nearest(&self, exprs: &[Expr], known: impl Fn(Expr) -> bool) -> Vec<Expr> {
        let mut found: Vec<Expr> = Vec::new();
        let mut seen: HashSet<Expr, FxBuildHasher> = HashSet::default();
        // From the last, so that the order stays.
        let mut open: Vec<Expr> = exprs.iter().rev().map(|expr| expr.abs()).collect();
        while let Some(expr) = open.pop() {
            if !seen.insert(expr) {
                continue;
            }
            if known(expr) {
                found.push(expr);
                continue;
            }
            match self.node(expr) {
                Node::Variable(id) => open.push(self.definition(id).abs()),
                node => for_each_operand(node, |operand| open.push(operand.abs())),
            }
        }
        found
    }

    /// Returns `true` if the expression depends on one of the symbols. Its set has been found
    /// before.
    pub(crate) fn depends_on_any(&self, expr: Expr, symbols: SymbolSet) -> bool {
        self.sets.intersects(self.stored(expr).symbols, symbols)
    }

    /// As [`Graph::reachable`], for requested nodes that can be reached through requested nodes;
    /// nothing below an unwanted node is visited.
    pub(crate) fn reachable_where(
        &self,
        roots: &[Expr],
        requested: impl Fn(Expr) -> bool,
    ) -> Vec<Expr> {
        self.walk(roots, requested, |node, visit| for_each_operand(node, visit))
    }

    /// As [`Graph::reachable_where`], without what is only compared: it decides between values, but
    /// none flows from it.
    pub(crate) fn flowing_where(
        &self,
        roots: &[Expr],
        requested: impl Fn(Expr) -> bool,
    ) -> Vec<Expr> {
        self.walk(roots, requested, |node, visit| match node {
            Node::Select(_, operands) => operands[2..].iter().copied().for_each(visit),
            _ => for_each_operand(node, visit),
        })
    }

    fn walk(
        &self,
        roots: &[Expr],
        requested: impl Fn(Expr) -> bool,
        operands: impl Fn(Node<'_>, &mut dyn FnMut(Expr)),
    ) -> Vec<Expr> {
        let mut seen: HashSet<Expr, FxBuildHasher> = HashSet::default();
        let mut stack: Vec<Expr> = Vec::new();
        let mut enter = |e: Expr, stack: &mut Vec<Expr>| {
            if requested(e) && seen.insert(e.abs()) {
                stack.push(e.abs());
            }
        };
        roots.iter().for_each(|&e| enter(e, &mut stack));
        let mut found = Vec::new();
        while let Some(expr) = stack.pop() {
            found.push(expr);
            match self.node(expr) {
                Node::Variable(id) => enter(self.definition(id), &mut stack),
                node => operands(node, &mut |e| enter(e, &mut stack)),
            }
        }
        // Operands are always older than their users.
        found.sort_unstable();
        found
    }
}
