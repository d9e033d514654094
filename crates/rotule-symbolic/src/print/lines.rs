//! Lines of a listing: the parts of expressions that get a line of their own, and their order.
//!
//! Named variables do, and whatever is used at least twice and is not just a name or a number.
//! Everything else is used once and stands inside its user, so a listing is as long as the graph
//! is large.

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;

use super::layout::Layout;
use crate::expr::Expr;
use crate::graph::{Graph, for_each_operand};
use crate::node::{Factor, Node};
use crate::number::Number;

/// One line of a listing.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) body: Expr,
    /// The body is shown opened although it has a name: it is the node that the line names.
    pub(crate) opened: bool,
}

/// The lines of a listing, each before its first use.
#[derive(Default)]
pub(crate) struct Lines {
    pub(crate) lines: Vec<Line>,
    names: HashMap<Expr, String, FxBuildHasher>,
}

impl Lines {
    /// The name of the line that shows this node, if it has one.
    pub(crate) fn name(&self, node: Expr) -> Option<&str> {
        self.names.get(&node.abs()).map(String::as_str)
    }

    /// Returns `true` if a node can take a minus sign by showing its differences the other way
    /// round; what has a line of its own is shown by name and cannot.
    pub(crate) fn turns(&self, layout: &Layout<'_>, node: Expr) -> bool {
        let argument = match layout.graph.node(node) {
            Node::Unary(_, a) => a,
            _ => node,
        };
        let named = self.name(node).is_some() || self.name(argument).is_some();
        !named && layout.turns(node)
    }

    /// All that is used twice gets a line.
    pub(crate) fn new<'g, S: AsRef<str>>(
        graph: &'g Graph,
        outputs: &[(S, Expr)],
    ) -> (Layout<'g>, Lines) {
        Lines::above(graph, outputs, 0)
    }

    /// Whatever is used twice gets a line if it has at least so many operations: less is repeated.
    pub(crate) fn above<'g, S: AsRef<str>>(
        graph: &'g Graph,
        outputs: &[(S, Expr)],
        operations: u32,
    ) -> (Layout<'g>, Lines) {
        let roots: Vec<Expr> = outputs.iter().map(|(_, expr)| expr.abs()).collect();
        let (uses, definitions) = count_uses(graph, &roots);
        let layout = Layout::new(graph, roots.iter().copied().chain(definitions));
        let taken: HashSet<&str, FxBuildHasher> =
            outputs.iter().map(|(name, _)| name.as_ref()).collect();
        let mut lines = Lines::default();
        let mut numbered = 0;
        let mut seen: HashSet<Expr, FxBuildHasher> = HashSet::default();
        // Each entry is a node and whether its operands are done.
        let mut stack: Vec<(Expr, bool)> = roots.iter().rev().map(|&e| (e, false)).collect();
        while let Some((node, done)) = stack.pop() {
            if !done {
                if seen.insert(node) {
                    stack.push((node, true));
                    let operands = operands(&layout, node);
                    stack.extend(operands.into_iter().rev().map(|e| (e.abs(), false)));
                }
                continue;
            }
            let shared = uses[&node] > 1 && graph.cost(node) >= operations;
            let needed = match graph.node(node) {
                Node::Variable(id) => {
                    let (name, body) = (graph.variable_name(id).to_owned(), graph.definition(id));
                    lines.lines.push(Line { name, body, opened: false });
                    continue;
                }
                Node::Number(_) | Node::Pi | Node::Symbol(_) => false,
                // A result of a call that has a line is an index behind that line's name.
                Node::Result(call, _) => shared && lines.name(call).is_none(),
                _ => shared,
            };
            if needed {
                let name = loop {
                    numbered += 1;
                    let name = format!("z{numbered}");
                    if graph.lookup(&name).is_none() && !taken.contains(name.as_str()) {
                        break name;
                    }
                };
                lines.names.insert(node, name.clone());
                lines.lines.push(Line { name, body: node, opened: true });
            }
        }
        (layout, lines)
    }
}

/// Uses of each node, and the definitions of the variables among them.
fn count_uses(graph: &Graph, roots: &[Expr]) -> (HashMap<Expr, u32, FxBuildHasher>, Vec<Expr>) {
    let mut uses: HashMap<Expr, u32, FxBuildHasher> = HashMap::default();
    let mut definitions = Vec::new();
    let mut waiting = roots.to_vec();
    while let Some(expr) = waiting.pop() {
        let count = uses.entry(expr.abs()).or_insert(0);
        *count = count.saturating_add(1);
        if *count > 1 {
            continue;
        }
        for_each_operand(graph.node(expr), |e| waiting.push(e));
        if let Node::Variable(id) = graph.node(expr) {
            let definition = graph.definition(id);
            definitions.push(definition);
            waiting.push(definition);
        }
    }
    (uses, definitions)
}

/// The operands of a node in the order in which they are shown.
pub(crate) fn operands(layout: &Layout<'_>, node: Expr) -> Vec<Expr> {
    match layout.graph.node(node) {
        Node::Sum(_) => {
            let cores = layout.terms(node, false).into_iter().map(|(_, _, core)| core);
            // One stands for the constant term and is no operand.
            cores.filter(|&core| core != Expr::ONE).collect()
        }
        Node::Product(_) => {
            let fraction = layout.fraction(Number::ONE, node);
            fraction.top.iter().chain(&fraction.bottom).map(|f: &Factor| f.base).collect()
        }
        Node::Scale(_, core) => vec![core],
        Node::Variable(id) => vec![layout.graph.definition(id)],
        _ => layout.arguments(node).into_iter().map(|(e, _)| e).collect(),
    }
}
