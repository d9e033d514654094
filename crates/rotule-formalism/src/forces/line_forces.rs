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

#![allow(non_snake_case)] // symbols as in the formulas

use super::{References, put};
use crate::spatial::Wrench;
use crate::tree::{ByNode, NodeId, Tree};
use crate::writer::Writer;
use rotule_symbolic::{Binary, Expr, Node, Number, Scalar, Unary, Vec3};

/// Lengths below this are zero.
const SHORTEST: f64 = 1e-12;

/// The geometry of a line force and its force.
pub(crate) struct Line<'g> {
    pub Z: Scalar<'g>,
    pub Zd: Scalar<'g>,
    pub F: Scalar<'g>,
    /// The direction from the first end to the second, in the axes of `ancestor`.
    pub e: Vec3<'g>,
    /// The nearest node that carries both ends.
    pub ancestor: NodeId,
}

/// Length, rate and direction of a line force, without its force.
pub(super) fn geometry<'g>(
    writer: Writer<'_, 'g>,
    references: &mut References<'g>,
    index: usize,
) -> Line<'g> {
    let line_force = &writer.mechanism.line_forces[index];
    let name = &line_force.name;
    let ends = line_force.ends.map(|end| writer.locate(end));
    let ancestor = common(writer.tree, ends[0].node, ends[1].node);
    let frames = references.to(ancestor);
    let [a, b] = ends.map(|end| frames.place(writer, end));
    let z = (b.p - a.p).named(&format!("z[{name}]"));
    let Z = length(writer, z).named(&format!("Z[{name}]"));
    let e = (z / Z).named(&format!("e[{name}]"));
    let Zd = (b.v - a.v).dot(e).named(&format!("Zd[{name}]"));
    Line { Z, Zd, F: Scalar::ZERO, e, ancestor }
}

/// The force of a line force.
pub(super) fn force<'g>(writer: Writer<'_, 'g>, index: usize, line: &Line<'g>) -> Scalar<'g> {
    let known = [("line_force.Z", line.Z), ("line_force.Zd", line.Zd)];
    let name = &writer.mechanism.line_forces[index].name;
    put(writer, &[writer.motion.elements.line_forces[index]], &known)[0]
        .named(&format!("force[{name}]"))
}

/// Adds a line force to the wrenches of its nodes.
pub(super) fn apply<'g>(
    writer: Writer<'_, 'g>,
    references: &mut References<'g>,
    index: usize,
    sums: &mut ByNode<Wrench<'g>>,
) {
    let line_force = &writer.mechanism.line_forces[index];
    let [first, second] = line_force.ends;
    // Two ends on one rigid body pull against each other.
    if writer.tree.bodies[first.body].0 == writer.tree.bodies[second.body].0 {
        return;
    }
    let line = geometry(writer, references, index);
    let pull = force(writer, index, &line) * line.e;
    for (end, pull) in [(first, pull), (second, -pull)] {
        let end = writer.locate(end);
        if end.node == NodeId::GROUND {
            continue;
        }
        let frame = references.to(line.ancestor).node(writer, end.node);
        let name = format!("pull[{},{}]", line_force.name, writer.tree.nodes[end.node].name);
        let force = (frame.R.transpose() * pull).named(&name);
        sums[end.node] += Wrench { force, torque: end.d.cross(force) };
    }
}

/// The length of a vector, not less than the shortest there is.
fn length<'g>(writer: Writer<'_, 'g>, z: Vec3<'g>) -> Scalar<'g> {
    let squares = z.dot(z);
    let length = squares.sqrt();
    let (is_number, is_root) = writer.read(|graph| {
        let root = matches!(graph.node(length.expr()), Node::Unary(Unary::Sqrt, _));
        (graph.is_number(length.expr()), root)
    });
    if is_number && length.expr() != Expr::ZERO {
        return length;
    }
    if is_root {
        let least = writer.number(Number::Real(SHORTEST * SHORTEST));
        return squares.binary(Binary::Max, least).sqrt();
    }
    // A length without a root, such as |x|.
    length.binary(Binary::Max, writer.number(Number::Real(SHORTEST)))
}

/// The nearest node that carries both, or is one of them.
pub(crate) fn common(tree: &Tree, mut a: NodeId, mut b: NodeId) -> NodeId {
    // Parents come before children: the later of the two is not an ancestor of the other.
    while a != b {
        let later = if a > b { &mut a } else { &mut b };
        *later = tree.nodes[*later].parent;
    }
    a
}
