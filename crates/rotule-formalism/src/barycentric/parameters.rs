//! Augmented bodies and their minimal parameters.
//!
//! ```text
//! mass      m_i + sum m_j                                   of everything beyond the joint
//! moment    m_i l_i + sum m_j d_j                           with each child's mass at its anchor d_j
//! inertia   I_i - m_i tilde(l_i)^2 - sum m_j tilde(d_j)^2   about the origin
//! ```
//!
//! From the leaves to the root, parameters that a joint cannot tell from its parent's move there.
//! Beyond a turn about e, these are the moment along e, and one transverse moment of inertia with
//! its equal on the other transverse axis; beyond a slide, all of the inertia.

use crate::forward::shared;
use crate::tree::{ElementaryMotion, Tree};
use rotule_symbolic::{Expr, Graph, Matrix, Vector};

/// The parameters of an augmented body, in the axes of its node.
#[derive(Clone, Copy, Debug)]
pub struct Augmented {
    /// Mass of the node and everything beyond.
    pub mass: Expr,
    /// First moment about the origin.
    pub moment: Vector,
    /// Inertia about the origin.
    pub inertia: Matrix,
    /// The axis about which the moment of inertia is the sum of the other two, if it was made so.
    pub flat: Option<usize>,
}

/// The augmented bodies of all nodes, with minimal parameters; with `flat` those that turn are flat
/// across the axis where that pays.
pub fn augmented(tree: &mut Tree, flat: bool) -> Vec<Augmented> {
    let flat = flat && tree.transformations.flat;
    let mut bodies: Vec<Augmented> = Vec::with_capacity(tree.nodes.len());
    let graph = &mut tree.mechanism.graph;
    for node in &tree.nodes {
        let moment = node.com.scale(node.mass, graph);
        let inertia = node.inertia.sub(spread(node.com, moment, graph), graph);
        bodies.push(Augmented { mass: node.mass, moment, inertia, flat: None });
    }
    for node in (1..tree.nodes.len()).rev() {
        let one = &tree.nodes[node];
        let mut own = bodies[node];
        let mut parent = bodies[one.parent];
        let (turn, anchor) = (one.placement.rotation, one.placement.position);
        let at_anchor = anchor.scale(own.mass, graph);
        parent.mass = graph.add(parent.mass, own.mass);
        parent.moment = parent.moment.add(at_anchor, graph);
        parent.inertia = parent.inertia.sub(spread(anchor, at_anchor, graph), graph);
        match one.motion {
            _ if !tree.transformations.regroup => {}
            ElementaryMotion::Revolute { axis, .. } => {
                let (along, across) = split(&mut own, axis, flat, graph);
                let moved = turn.column(axis).scale(along, graph);
                parent.moment = parent.moment.add(moved, graph);
                let lever = crossed(anchor, moved, graph);
                let disc = disc(turn.column(axis), graph).scale(across, graph);
                parent.inertia = parent.inertia.sub(lever, graph).add(disc, graph);
            }
            ElementaryMotion::Prismatic { .. } => {
                let turned = turn.congruent(own.inertia, graph);
                parent.inertia = parent.inertia.add(turned, graph);
                own.inertia = Matrix::ZERO;
            }
            ElementaryMotion::Ground
            | ElementaryMotion::Helical { .. }
            | ElementaryMotion::Spherical
            | ElementaryMotion::Free => {}
        }
        bodies[node] = named(own, &one.name, graph);
        bodies[one.parent] = parent;
    }
    bodies
}

/// Takes from a body what a turn about one of its axes cannot tell from its parent's: the moment
/// along the axis, and a transverse moment of inertia.
fn split(own: &mut Augmented, axis: usize, flat: bool, graph: &mut Graph) -> (Expr, Expr) {
    let along = own.moment[axis];
    own.moment[axis] = Expr::ZERO;
    let (across, is_flat) = shared(&mut own.inertia, own.moment, axis, flat, graph);
    own.flat = is_flat.then_some(axis);
    (along, across)
}

/// `1 - e e^T` for a unit vector.
fn disc(axis: Vector, graph: &mut Graph) -> Matrix {
    Matrix::IDENTITY.sub(axis.outer(axis, graph), graph)
}

/// `tilde(a) tilde(b)` of parallel vectors, which is symmetric.
fn spread(a: Vector, b: Vector, graph: &mut Graph) -> Matrix {
    a.tilde().mul(b.tilde(), graph)
}

/// `tilde(a) tilde(b) + tilde(b) tilde(a)`
pub fn crossed(a: Vector, b: Vector, graph: &mut Graph) -> Matrix {
    let (a, b) = (a.tilde(), b.tilde());
    let (left, right) = (a.mul(b, graph), b.mul(a, graph));
    left.add(right, graph)
}

/// Names for the parameters, which are made once per set of parameters.
fn named(own: Augmented, name: &str, graph: &mut Graph) -> Augmented {
    Augmented {
        mass: graph.name(&format!("m[{name}]"), own.mass),
        moment: own.moment.name(&format!("b[{name}]"), graph),
        inertia: own.inertia.name_symmetric(&format!("K[{name}]"), graph),
        flat: own.flat,
    }
}
