//! The gradient of one expression by many symbols, in one sweep backwards.
//!
//! Every node that lies between the expression and the symbols is visited once, in reverse order;
//! it hands its adjoint, times its slope, to each operand that depends on a requested symbol. The
//! adjoint of a named variable is a named variable.

use crate::derivative::HALVED_FROM;
use crate::expr::Expr;
use crate::function::{Binary, Compare};
use crate::graph::Graph;
use crate::node::Node;
use crate::product::Factors;
use crate::set::SymbolSet;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

/// Contributions that each node has received so far.
type Received = HashMap<Expr, SmallVec<[Expr; 4]>, FxBuildHasher>;

impl Graph {
    /// The derivatives of `expr` by each of `symbols`, which are plain inputs; the derivative by
    /// anything else is zero.
    pub fn gradient(&mut self, expr: Expr, symbols: &[Expr]) -> Vec<Expr> {
        self.find_symbols(&[expr]);
        let mut requested = SymbolSet::EMPTY;
        for &symbol in symbols {
            if let Some(id) = self.symbol_of(symbol) {
                let one = self.sets.single(id);
                requested = self.sets.union(requested, one);
            }
        }
        let nodes = self.flowing_where(&[expr], |e| self.depends_on_any(e, requested));
        let mut received = Received::default();
        received.entry(expr.abs()).or_default().push(Expr::ONE.negated_if(expr.is_negative()));
        let mut gradient: HashMap<Expr, Expr, FxBuildHasher> = HashMap::default();
        for &node in nodes.iter().rev() {
            let Some(parts) = received.remove(&node) else { continue };
            let adjoint = self.sum(&parts);
            if adjoint == Expr::ZERO {
                continue;
            }
            let adjoint = self.bounded(adjoint);
            if self.symbol_of(node).is_some() {
                gradient.insert(node, adjoint);
                continue;
            }
            for (operand, part) in self.contributions(node, adjoint, requested) {
                let part = part.negated_if(operand.is_negative());
                received.entry(operand.abs()).or_default().push(part);
            }
        }
        symbols
            .iter()
            .map(|s| {
                let value = gradient.get(&s.abs()).copied().unwrap_or(Expr::ZERO);
                value.negated_if(s.is_negative())
            })
            .collect()
    }

    /// Contributions of a node to each operand that depends on a requested symbol.
    fn contributions(
        &mut self,
        node: Expr,
        adjoint: Expr,
        requested: SymbolSet,
    ) -> SmallVec<[(Expr, Expr); 8]> {
        let mut out = SmallVec::new();
        match self.node(node) {
            Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Call(..) => {}
            Node::Variable(id) => {
                let definition = self.definition(id);
                let name = format!("adjoint_{}", self.variable_name(id));
                out.push((definition, self.name(&name, adjoint)));
            }
            Node::Sum(terms) => {
                let terms: SmallVec<[(Expr, Expr); 8]> =
                    terms.iter().map(|t| (t.coefficient, t.core)).collect();
                for (coefficient, core) in terms {
                    if self.depends_on_any(core, requested) {
                        out.push((core, self.mul(coefficient, adjoint)));
                    }
                }
            }
            Node::Product(factors) => {
                let factors: Factors = factors.iter().copied().collect();
                self.product_contributions(factors, adjoint, requested, &mut out);
            }
            Node::Scale(number, core) => out.push((core, self.scale(number, adjoint))),
            Node::Unary(function, x) => {
                let slope = self.slope(function, x, node);
                let part = self.mul(slope, adjoint);
                out.push((x, self.bounded(part)));
            }
            Node::Binary(function, x, y) => {
                let parts = if matches!(function, Binary::Min | Binary::Max) {
                    let (less, more) = if function == Binary::Min { (x, y) } else { (y, x) };
                    let mut choose = |a, b| self.select(Compare::Less, less, more, a, b);
                    [choose(adjoint, Expr::ZERO), choose(Expr::ZERO, adjoint)]
                } else {
                    self.slopes(function, x, y, node).map(|slope| self.mul(slope, adjoint))
                };
                for (operand, part) in [x, y].into_iter().zip(parts) {
                    if self.depends_on_any(operand, requested) {
                        out.push((operand, part));
                    }
                }
            }
            Node::Select(compare, operands) => {
                let [left, right, then, otherwise] = *operands else { return out };
                let part = self.select(compare, left, right, adjoint, Expr::ZERO);
                out.push((then, part));
                let part = self.select(compare, left, right, Expr::ZERO, adjoint);
                out.push((otherwise, part));
                out.retain(|(operand, _)| self.depends_on_any(*operand, requested));
            }
            Node::Result(call, index) => {
                // The partner in the directions of its own arguments gives the partial derivatives.
                let Node::Call(function, arguments) = self.node(call) else { return out };
                let arguments = arguments.to_vec();
                let moving: Vec<usize> = (0..arguments.len())
                    .filter(|&i| self.depends_on_any(arguments[i], requested))
                    .collect();
                let partner = self.partner_function(function, moving.len());
                let mut inputs = Vec::new();
                for (i, &argument) in arguments.iter().enumerate() {
                    inputs.push(argument);
                    let unit = |&m: &usize| if m == i { Expr::ONE } else { Expr::ZERO };
                    inputs.extend(moving.iter().map(unit));
                }
                let results = self.call(partner, &inputs);
                for (position, &i) in moving.iter().enumerate() {
                    let slope = results[index as usize * (moving.len() + 1) + 1 + position];
                    out.push((arguments[i], self.mul(slope, adjoint)));
                }
            }
        }
        out
    }

    /// Contributions of a product to its factors; a long one by halves, each of which gets the
    /// other as a factor of its adjoint.
    fn product_contributions(
        &mut self,
        list: Factors,
        adjoint: Expr,
        requested: SymbolSet,
        out: &mut SmallVec<[(Expr, Expr); 8]>,
    ) {
        let moving = list.iter().filter(|f| self.depends_on_any(f.base, requested)).count();
        if moving > HALVED_FROM {
            let ([a, b], values) = self.halves(list);
            for (half, other) in [(a, values[1]), (b, values[0])] {
                let part = self.mul(other, adjoint);
                let part = self.name("z", part);
                self.product_contributions(half, part, requested, out);
            }
            return;
        }
        for (i, factor) in list.iter().enumerate() {
            if self.depends_on_any(factor.base, requested) {
                let slope = self.product_slope(&list, i);
                let part = self.mul(slope, adjoint);
                out.push((factor.base, self.bounded(part)));
            }
        }
    }
}
