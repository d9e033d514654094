//! Substitution: the same expressions with some symbols or subexpressions replaced.
//!
//! Everything above a replaced node is built again by the ordinary constructors, so numbers put in
//! for parameters fold through the graph. Named variables whose definition changes become new
//! variables of the same name with a number behind.

use crate::expr::Expr;
use crate::graph::{Graph, Mark, for_each_operand};
use crate::node::{Factor, Node};
use crate::number::Number;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

type Images = HashMap<Expr, Expr, FxBuildHasher>;

impl Graph {
    /// `exprs` with every occurrence of `from` replaced by `to`, for all pairs at once: what is
    /// put in is not searched again.
    pub fn substitute(&mut self, exprs: &[Expr], pairs: &[(Expr, Expr)]) -> Vec<Expr> {
        let mut images: Images = pairs
            .iter()
            .map(|&(from, to)| (from.abs(), to.negated_if(from.is_negative())))
            .collect();
        for expr in self.reachable_where(exprs, |e| !images.contains_key(&e.abs())) {
            let new = self.with_images(expr, &images);
            if new != expr {
                images.insert(expr, new);
            }
        }
        exprs.iter().map(|&e| image(e, &images)).collect()
    }

    /// `exprs` with every variable that is used once replaced by its definition, so that the rules
    /// see through it. Whether that is cheaper, only a count of the whole can tell.
    pub fn inline_single_uses(&mut self, exprs: &[Expr]) -> Vec<Expr> {
        self.inline_single_uses_following(exprs, &[]).0
    }

    /// As [`Graph::inline_single_uses`], with what has become of other expressions: of those that
    /// `exprs` need, and of what is made of these without a name in between. They do not count as
    /// users and change nothing.
    pub fn inline_single_uses_following(
        &mut self,
        exprs: &[Expr],
        others: &[Expr],
    ) -> (Vec<Expr>, Vec<Expr>) {
        let nodes = self.reachable(exprs);
        let mut needed = vec![false; nodes.last().map_or(0, |last| last.index() + 1)];
        if !others.is_empty() {
            nodes.iter().for_each(|node| needed[node.index()] = true);
        }
        let mut uses: HashMap<Expr, u32, FxBuildHasher> = HashMap::default();
        let mut count = |e: Expr| *uses.entry(e.abs()).or_default() += 1;
        exprs.iter().for_each(|&e| count(e));
        for &expr in &nodes {
            match self.node(expr) {
                Node::Variable(id) => count(self.definition(id)),
                node => for_each_operand(node, &mut count),
            }
        }
        let mut images = Images::default();
        for expr in nodes {
            let new = match self.node(expr) {
                Node::Variable(id) if uses[&expr] == 1 => image(self.definition(id), &images),
                _ => self.with_images(expr, &images),
            };
            if new != expr {
                images.insert(expr, new);
            }
        }
        // Last, so that the names above are those that they would be alone.
        let beside = |e: Expr| needed.get(e.index()) != Some(&true);
        let named = |e: Expr| matches!(self.node(e), Node::Variable(_));
        for expr in self.reachable_where(others, |e| beside(e) && !named(e)) {
            let new = self.with_images(expr, &images);
            if new != expr {
                images.insert(expr, new);
            }
        }
        let of = |exprs: &[Expr]| exprs.iter().map(|&e| image(e, &images)).collect();
        (of(exprs), of(others))
    }

    /// `exprs` with every variable replaced by its definition, at all depths. The graph stays as
    /// small as it was, for parts are shared; as a text, the result can be exponentially long.
    pub fn inline(&mut self, exprs: &[Expr]) -> Vec<Expr> {
        let mut images = Images::default();
        for expr in self.reachable(exprs) {
            let new = match self.node(expr) {
                Node::Variable(id) => image(self.definition(id), &images),
                _ => self.with_images(expr, &images),
            };
            if new != expr {
                images.insert(expr, new);
            }
        }
        exprs.iter().map(|&e| image(e, &images)).collect()
    }

    /// Number of operands that expressions would have, written out with all names put in: an upper
    /// bound, since rules will shorten them.
    pub fn written_out(&self, exprs: &[Expr]) -> u64 {
        let mut lengths: HashMap<Expr, u64, FxBuildHasher> = HashMap::default();
        let length = |e: Expr, lengths: &HashMap<Expr, u64, FxBuildHasher>| {
            lengths.get(&e.abs()).copied().unwrap_or(1)
        };
        for expr in self.reachable(exprs) {
            let mut sum = 0_u64;
            match self.node(expr) {
                Node::Variable(id) => sum = length(self.definition(id), &lengths),
                node => for_each_operand(node, |e| sum = sum.saturating_add(length(e, &lengths))),
            }
            lengths.insert(expr.abs(), sum.max(1));
        }
        exprs.iter().fold(0, |sum, &e| sum.saturating_add(length(e, &lengths)))
    }

    /// An expression with every node that is younger than the mark built again from its parts.
    pub(crate) fn rebuild_since(&mut self, mark: &Mark, expr: Expr) -> Expr {
        let mut images = Images::default();
        for young in self.reachable_where(&[expr], |e| mark.is_before(e)) {
            let image = self.rebuild(young, &images);
            images.insert(young, image);
        }
        image(expr, &images)
    }

    /// The node with its operands replaced by their images, those that have one. Without any it
    /// would be built as it is.
    fn with_images(&mut self, expr: Expr, images: &Images) -> Expr {
        let mut changed = false;
        let mut look = |e: Expr| changed |= images.contains_key(&e.abs());
        match self.node(expr) {
            Node::Variable(id) => look(self.definition(id)),
            node => for_each_operand(node, look),
        }
        if changed { self.rebuild(expr, images) } else { expr }
    }

    /// The node, built again with its operands replaced by their images.
    fn rebuild(&mut self, expr: Expr, images: &Images) -> Expr {
        match self.node(expr) {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => expr,
            Node::Variable(id) => {
                let definition = self.definition(id);
                let new = image(definition, images);
                if new == definition {
                    return expr;
                }
                let name = self.variable_name(id).to_owned();
                self.name(&name, new)
            }
            Node::Sum(terms) => {
                let terms: SmallVec<[(Expr, Expr); 8]> =
                    terms.iter().map(|t| (t.coefficient, image(t.core, images))).collect();
                let mut sum: SmallVec<[Expr; 8]> = SmallVec::new();
                for (coefficient, core) in terms {
                    sum.push(self.mul(coefficient, core));
                }
                self.sum(&sum)
            }
            Node::Product(factors) => {
                let factors: SmallVec<[Factor; 8]> = factors.iter().copied().collect();
                let mut coefficient = Number::ONE;
                let mut list = SmallVec::new();
                for Factor { base, power } in factors {
                    self.gather(image(base, images), power, &mut coefficient, &mut list);
                }
                self.product_of(coefficient, list)
            }
            Node::Scale(number, core) => self.scale(number, image(core, images)),
            Node::Unary(function, x) => self.unary(function, image(x, images)),
            Node::Binary(function, x, y) => {
                self.binary(function, image(x, images), image(y, images))
            }
            Node::Select(compare, operands) => {
                let [left, right, then, otherwise] = *operands else { return expr };
                let image = |e| image(e, images);
                self.select(compare, image(left), image(right), image(then), image(otherwise))
            }
            Node::Call(function, arguments) => {
                let arguments: Vec<Expr> = arguments.iter().map(|&e| image(e, images)).collect();
                self.intern(Node::Call(function, &arguments))
            }
            Node::Result(call, index) => self.intern(Node::Result(image(call, images), index)),
        }
    }
}

fn image(expr: Expr, images: &Images) -> Expr {
    images.get(&expr.abs()).map_or(expr, |e| e.negated_if(expr.is_negative()))
}
