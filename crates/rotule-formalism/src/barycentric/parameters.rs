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

#![allow(non_snake_case)] // symbols as in the formulas

use crate::forward::shared;
use crate::tree::{ByNode, ElementaryMotion, NodeId};
use crate::writer::Writer;
use rotule_symbolic::{Mat3, Scalar, Vec3};

/// The parameters of an augmented body, in the axes of its node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Augmented<'g> {
    /// Mass of the node and everything beyond.
    pub m: Scalar<'g>,
    /// First moment about the origin.
    pub b: Vec3<'g>,
    /// Inertia about the origin.
    pub K: Mat3<'g>,
    /// The axis about which the moment of inertia is the sum of the other two, if it was made so.
    pub flat: Option<usize>,
}

/// The augmented bodies of all nodes, with minimal parameters; with `flat` those that turn are flat
/// across the axis where that pays.
pub(crate) fn augmented<'g>(writer: Writer<'_, 'g>, flat: bool) -> ByNode<Augmented<'g>> {
    let transformations = writer.strategy.transformations;
    let flat = flat && transformations.flat;
    let own = |node: NodeId| {
        let (m, l, I) = writer.inertia(node);
        let b = m * l;
        Augmented { m, b, K: I - l.tilde() * b.tilde(), flat: None }
    };
    let mut bodies: ByNode<Augmented<'g>> = writer.tree.nodes.ids().map(own).collect();
    for i in writer.tree.inward() {
        let node = &writer.tree.nodes[i];
        let (R, d) = writer.anchored(i);
        let (mut own, mut parent) = (bodies[i], bodies[node.parent]);
        let at_anchor = own.m * d;
        parent.m += own.m;
        parent.b += at_anchor;
        parent.K -= d.tilde() * at_anchor.tilde();
        match node.motion {
            _ if !transformations.regroup => {}
            ElementaryMotion::Revolute { axis, .. } => {
                let e = R.column(axis);
                let (along, across) = split(&mut own, axis, flat, writer);
                let moved = along * e;
                parent.b += moved;
                // The inertia of a disc: 1 - e e'.
                let lever = crossed(d, moved);
                let disc = across * (Mat3::IDENTITY - e.outer(e));
                parent.K = parent.K - lever + disc;
            }
            ElementaryMotion::Prismatic { .. } => {
                parent.K += R.congruent(own.K);
                own.K = Mat3::ZERO;
            }
            ElementaryMotion::Ground
            | ElementaryMotion::Helical { .. }
            | ElementaryMotion::Spherical
            | ElementaryMotion::Free => {}
        }
        // Named, because they are made once per set of parameters.
        bodies[i] = Augmented {
            m: writer.name("m", i, own.m),
            b: writer.name("b", i, own.b),
            K: own.K.named_symmetric(&format!("K[{}]", node.name)),
            flat: own.flat,
        };
        bodies[node.parent] = parent;
    }
    bodies
}

/// Takes from a body what a turn about one of its axes cannot tell from its parent's: the moment
/// along the axis, and a transverse moment of inertia.
fn split<'g>(
    own: &mut Augmented<'g>,
    axis: usize,
    flat: bool,
    writer: Writer<'_, 'g>,
) -> (Scalar<'g>, Scalar<'g>) {
    let along = own.b[axis];
    own.b[axis] = Scalar::ZERO;
    let (across, is_flat) = shared(&mut own.K, own.b, axis, flat, writer);
    own.flat = is_flat.then_some(axis);
    (along, across)
}

/// `tilde(a) tilde(b) + tilde(b) tilde(a)`
pub(super) fn crossed<'g>(a: Vec3<'g>, b: Vec3<'g>) -> Mat3<'g> {
    let (a, b) = (a.tilde(), b.tilde());
    a * b + b * a
}
