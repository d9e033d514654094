//! Forces along the line between two places (Postiau, section 1.5.2, corrected).
//!
//! ```text
//! z = p_B - p_A     Z = |z|     e = z/Z     Zd = (v_B - v_A) . e     force F e on A, -F e on B
//! ```
//!
//! in the axes of the nearest node that carries both ends: what moves both of them does not change
//! the length, so it does not enter. A positive force pulls the ends together. The power of the
//! line force on the mechanism is `-F Zd`.
//!
//! A length of zero has no direction. Squares below `1e-24` count as that, so that ends which
//! coincide get no force and no number is infinite, in derivatives neither.

use super::{References, add};
use crate::tree::{Tree, Wrench};
use rotule_symbolic::{Binary, Expr, Graph, Node, Number, Unary, Vector};

/// Lengths below this are zero.
const SHORTEST: f64 = 1e-12;

/// The geometry of a line force and its force.
pub(super) struct Line {
    pub length: Expr,
    pub rate: Expr,
    pub force: Expr,
    /// The direction from the first end to the second, in the axes of `ancestor`.
    pub direction: Vector,
    /// The nearest node that carries both ends.
    pub ancestor: usize,
}

/// Length, rate and direction of a line force.
pub(super) fn line(tree: &mut Tree, references: &mut References, index: usize) -> Line {
    let [first, second] = tree.mechanism.line_forces[index].ends;
    let ends = [tree.locate(first), tree.locate(second)];
    let ancestor = common(tree, ends[0].0, ends[1].0);
    let frames = references.to(tree, ancestor);
    let [a, b] = ends.map(|(node, placement)| frames.place(tree, node, placement));
    let name = tree.mechanism.line_forces[index].name.clone();
    let graph = &mut tree.mechanism.graph;
    let z = b.position.sub(a.position, graph).name(&format!("z[{name}]"), graph);
    let length = length(z, graph);
    let length = graph.name(&format!("Z[{name}]"), length);
    let direction = Vector(z.0.map(|component| graph.div(component, length)));
    let direction = direction.name(&format!("e[{name}]"), graph);
    let rate = b.velocity.sub(a.velocity, graph).dot(direction, graph);
    let rate = graph.name(&format!("Zd[{name}]"), rate);
    let known = [("line_force.Z", length), ("line_force.Zd", rate)];
    let force = put(tree, &[tree.mechanism.line_forces[index].force], &known)[0];
    let force = tree.mechanism.graph.name(&format!("force[{name}]"), force);
    Line { length, rate, force, direction, ancestor }
}

/// Adds a line force to the wrenches of its nodes.
pub(super) fn apply(
    tree: &mut Tree,
    references: &mut References,
    index: usize,
    sums: &mut [Wrench],
) {
    let [first, second] = tree.mechanism.line_forces[index].ends;
    // Two ends on one rigid body pull against each other.
    if tree.bodies[first.body.index()].0 == tree.bodies[second.body.index()].0 {
        return;
    }
    let line = line(tree, references, index);
    let pull = line.direction.scale(line.force, &mut tree.mechanism.graph);
    for (end, pull) in [(first, pull), (second, -pull)] {
        let (node, placement) = tree.locate(end);
        if node == 0 {
            continue;
        }
        let frame = references.to(tree, line.ancestor).node(tree, node);
        let graph = &mut tree.mechanism.graph;
        let name =
            format!("pull[{},{}]", tree.mechanism.line_forces[index].name, tree.nodes[node].name);
        let force = frame.rotation.transpose().apply(pull, graph).name(&name, graph);
        let torque = placement.position.cross(force, graph);
        add(&mut sums[node], force, torque, tree);
    }
}

/// The length of a vector, not less than the shortest there is.
fn length(z: Vector, graph: &mut Graph) -> Expr {
    let squares = z.dot(z, graph);
    let length = graph.sqrt(squares);
    if graph.is_number(length) && length != Expr::ZERO {
        return length;
    }
    if matches!(graph.node(length), Node::Unary(Unary::Sqrt, _)) {
        let least = graph.number(Number::Real(SHORTEST * SHORTEST));
        let squares = graph.binary(Binary::Max, squares, least);
        return graph.sqrt(squares);
    }
    // A length without a root, such as |x|.
    let least = graph.number(Number::Real(SHORTEST));
    graph.binary(Binary::Max, length, least)
}

/// The nearest node that carries both, or is one of them.
fn common(tree: &Tree, mut a: usize, mut b: usize) -> usize {
    // Parents come before children: the later of the two is not an ancestor of the other.
    while a != b {
        let later = if a > b { &mut a } else { &mut b };
        *later = tree.nodes[*later].parent;
    }
    a
}

/// Laws with what their placeholders stand for.
pub(super) fn put(tree: &mut Tree, laws: &[Expr], known: &[(&str, Expr)]) -> Vec<Expr> {
    let graph = &mut tree.mechanism.graph;
    let pair = |&(name, value): &(&str, Expr)| Some((graph.lookup(name)?, value));
    let pairs: Vec<(Expr, Expr)> = known.iter().filter_map(pair).collect();
    graph.substitute(laws, &pairs)
}
