//! Number of times that each node of a graph is used by what is to be lowered, and so which nodes
//! are needed at all.

use rotule_symbolic::{Expr, Graph, Node, for_each_operand};

/// Number of times that a node is used.
#[derive(Clone, Copy)]
pub(super) struct Use {
    pub(super) node: Expr,
    pub(super) count: u32,
}

/// Number of times that each node is used, by the node's index: not at all where no root needs it.
/// Operands are older than their users, so that one walk from the newest node down finds every user
/// of a node before the node itself.
pub(super) fn uses(graph: &Graph, roots: &[Expr]) -> Vec<Use> {
    let len = roots.iter().map(|root| root.index() + 1).max().unwrap_or(0);
    let mut uses = vec![Use { node: Expr::ZERO, count: 0 }; len];
    let count = |uses: &mut [Use], expr: Expr, times: u32| {
        let known = &mut uses[expr.index()];
        *known = Use { node: expr.abs(), count: known.count.saturating_add(times) };
    };
    roots.iter().for_each(|&root| count(&mut uses, root, 1));
    for index in (0..len).rev() {
        let Use { node, count: used } = uses[index];
        if used == 0 {
            continue;
        }
        match graph.node(node) {
            // A definition has a name, and a name is kept: it counts as shared.
            Node::Variable(id) => count(&mut uses, graph.definition(id), 2),
            node => for_each_operand(node, |operand| count(&mut uses, operand, 1)),
        }
    }
    uses
}
