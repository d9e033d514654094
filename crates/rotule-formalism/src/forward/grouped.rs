//! Masses, first moments and inertias, gathered as near to the ground as they can be.
//!
//! What is symmetric about a joint's axis and has no inertia about it moves the same whether it is
//! fixed to the node or to its parent. A node keeps only what its own joint feels (the minimal
//! barycentric parameters of Fisette and Renaud, here as a change of the bodies themselves):
//!
//! ```text
//! revolute   mass m, moment c e along the axis, inertia k (1 - e e^T) go to the parent
//! helical    inertia k (1 - e e^T) goes
//! prismatic  the whole inertia about the origin goes
//! spherical  the mass goes
//! ```
//!
//! Accelerations and efforts are the same for all motions, so recursions run on these bodies as
//! they would on the true ones, with fewer terms. All of it depends on parameters only.

#![allow(non_snake_case)] // symbols as in the formulas

use crate::tree::{ByNode, ElementaryMotion, NodeId};
use crate::writer::Writer;
use rotule_symbolic::{Mat3, Number, Scalar, Vec3, sum};
use std::ops::AddAssign;

/// A rigid body about the origin of its node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solid<'g> {
    /// Mass.
    pub m: Scalar<'g>,
    /// First moment: mass times centre of mass.
    pub b: Vec3<'g>,
    /// Inertia about the origin.
    pub K: Mat3<'g>,
    /// The axis about which the moment of inertia is the sum of the other two, if it was made so.
    pub flat: Option<usize>,
}

impl AddAssign for Solid<'_> {
    fn add_assign(&mut self, other: Self) {
        self.m += other.m;
        self.b += other.b;
        self.K += other.K;
    }
}

impl<'g> Solid<'g> {
    const ZERO: Solid<'static> =
        Solid { m: Scalar::ZERO, b: Vec3::ZERO, K: Mat3::ZERO, flat: None };

    /// The solid as seen from a frame in which this one has the rotation `R` and the position `d`:
    /// parallel axes, for a body whose reference point is not its centre of mass.
    fn placed(self, R: Mat3<'g>, d: Vec3<'g>) -> Solid<'g> {
        let Rb = R * self.b;
        let RKR = R.congruent(self.K);
        let b = self.m * d + Rb;
        let steiner = d.tilde() * b.tilde() + Rb.tilde() * d.tilde();
        Solid { m: self.m, b, K: RKR - steiner, flat: None }
    }
}

/// The solids of all nodes, named; with `flat` those that turn are flat across the axis where that
/// pays.
pub(crate) fn solids<'g>(writer: Writer<'_, 'g>, flat: bool) -> ByNode<Solid<'g>> {
    // The nodes as they are.
    let own = |node: NodeId| {
        let (m, l, I) = writer.inertia(node);
        Solid { m, b: Vec3::ZERO, K: I, flat: None }.placed(Mat3::IDENTITY, l)
    };
    let mut solids: ByNode<Solid<'g>> = writer.tree.nodes.ids().map(own).collect();
    if !writer.strategy.transformations.regroup {
        return solids;
    }
    for i in writer.tree.inward() {
        let node = &writer.tree.nodes[i];
        let solid = &mut solids[i];
        let mut passed = Solid::ZERO;
        match node.motion {
            ElementaryMotion::Revolute { axis, .. } => {
                passed = Solid { m: solid.m, ..across(solid, axis, flat, writer) };
                passed.b[axis] = solid.b[axis];
                (solid.m, solid.b[axis]) = (Scalar::ZERO, Scalar::ZERO);
            }
            ElementaryMotion::Helical { axis, .. } => passed = across(solid, axis, false, writer),
            ElementaryMotion::Prismatic { .. } => std::mem::swap(&mut passed.K, &mut solid.K),
            ElementaryMotion::Spherical => std::mem::swap(&mut passed.m, &mut solid.m),
            ElementaryMotion::Ground | ElementaryMotion::Free => {}
        }
        *solid = Solid {
            m: writer.name("mb", i, solid.m),
            b: writer.name("b", i, solid.b),
            K: solid.K.named_symmetric(&format!("K[{}]", node.name)),
            flat: solid.flat,
        };
        if node.parent != NodeId::GROUND {
            let (R, d) = writer.anchored(i);
            solids[node.parent] += passed.placed(R, d);
        }
    }
    solids
}

/// Takes an inertia that is the same about all lines across the axis off a solid, so that it has
/// one entry less.
fn across<'g>(solid: &mut Solid<'g>, axis: usize, flat: bool, writer: Writer<'_, 'g>) -> Solid<'g> {
    let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
    let (amount, is_flat) = shared(&mut solid.K, solid.b, axis, flat, writer);
    solid.flat = is_flat.then_some(axis);
    let mut passed = Solid::ZERO;
    (passed.K[first][first], passed.K[second][second]) = (amount, amount);
    passed
}

/// Takes from an inertia what is the same about all lines across an axis: one of the two moments,
/// or as much as makes the body flat. The latter gives cheaper torques where `beta` is needed in
/// any case.
pub(crate) fn shared<'g>(
    K: &mut Mat3<'g>,
    b: Vec3<'g>,
    axis: usize,
    flat: bool,
    writer: Writer<'_, 'g>,
) -> (Scalar<'g>, bool) {
    let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
    let [one, other, about] = [first, second, axis].map(|at| K[at][at]);
    let rest = one - other;
    let beside = [K[first][second], K[first][axis], K[second][axis]];
    let uneven = [b[first], b[second]].iter().chain(&beside).any(|x| !x.is_zero());
    if flat && uneven && !rest.is_zero() {
        let twice = sum([one, other, -about]);
        let amount = writer.number(Number::ratio(1, 2)) * twice;
        K[first][first] = one - amount;
        K[second][second] = other - amount;
        return (amount, true);
    }
    K[first][first] = rest;
    K[second][second] = Scalar::ZERO;
    (other, false)
}
