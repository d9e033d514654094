//! The mass matrix with composite augmented bodies.
//!
//! Moments and inertias of everything beyond a joint, as if it were rigid; a unit acceleration of
//! the joint needs a force and a torque, which every ancestor feels:
//!
//! ```text
//! b = b_i + sum (R_j b_j + m_j z)
//! K = K_i + sum (R_j K_j R_j' - [d + z, R_j b_j] - m_j ([d, z] + tilde(z)^2))    [u, v] = uv~~ + vu~~
//! F = m psi + phi x b        L = K phi + b x psi
//! towards the base           F_h = R F        L_h = R L + (d + z) x R F
//! ```

#![allow(non_snake_case)] // symbols as in the formulas

use super::gauge::{Purpose, gauged};
use super::parameters::{Augmented, augmented, crossed};
use crate::forward::blocks::{about_axis, turn};
use crate::joint_motion::JointColumn;
use crate::tree::{ByNode, NodeId};
use crate::writer::{Entries, Writer, lower};
use rotule_symbolic::{Mat3, Scalar, Vec3, sum};

/// The entries of the mass matrix at or below its diagonal that are not zero: row, column, value.
pub(crate) fn mass<'g>(writer: Writer<'_, 'g>) -> Entries<'g> {
    let (tree, _) = gauged(writer, ByNode::new(), Purpose::Mass);
    let mut entries = composite(Writer { tree: &tree, ..writer });
    entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
    entries
}

fn composite<'g>(writer: Writer<'_, 'g>) -> Entries<'g> {
    let mut bodies = augmented(writer, false);
    let placed: ByNode<_> = writer.tree.nodes.ids().map(|node| writer.placed(node)).collect();
    let mut M = Vec::new();
    for i in writer.tree.inward() {
        let node = &writer.tree.nodes[i];
        let own = bodies[i];
        let (m, b) = (own.m, writer.name("bc", i, own.b));
        let K = own.K.named_symmetric(&format!("KC[{}]", node.name));
        for joint in writer.columns(i) {
            column(writer, i, joint, Augmented { m, b, K, flat: None }, &placed, &mut M);
        }
        let (fixed, d) = writer.anchored(i);
        let (R, arm) = placed[i];
        let z = arm - d;
        let (mz, Rb) = (m * z, R * b);
        let RKR = match about_axis(writer.displacement(i).0) {
            Some((axis, cosine, sine)) => fixed.congruent(turn(K, axis, cosine, sine)),
            None => R.congruent(K),
        };
        let (lever, moved, slid) = (crossed(arm, Rb), crossed(d, mz), z.tilde() * mz.tilde());
        let parent = &mut bodies[node.parent];
        parent.b = sum([parent.b, Rb, mz]);
        parent.K = sum([parent.K, RKR, -lever, -moved, -slid]);
    }
    M
}

/// The entries of one speed with itself and all speeds towards the base.
fn column<'g>(
    writer: Writer<'_, 'g>,
    node: NodeId,
    joint: JointColumn<'g>,
    body: Augmented<'g>,
    placed: &ByNode<(Mat3<'g>, Vec3<'g>)>,
    M: &mut Entries<'g>,
) {
    let JointColumn { speed, phi, psi } = joint;
    let Augmented { m, b, K, .. } = body;
    let r = writer.scalar(writer.tree.nodes[node].armature);
    let (pushed, mut F) = (m * psi, phi.cross(b));
    F += pushed;
    let (spun, mut L) = (K * phi, b.cross(psi));
    L += spun;
    let mut i = node;
    while i != NodeId::GROUND {
        for row in writer.columns(i) {
            let drive = if row.speed == speed { r } else { Scalar::ZERO };
            let value = row.phi.dot(L) + row.psi.dot(F) + drive;
            // Within a joint of several speeds each pair comes once.
            if !value.is_zero() && (i != node || row.speed <= speed) {
                M.push(lower(row.speed, speed, value));
            }
        }
        let (R, d) = placed[i];
        F = writer.name_column("FM", i, speed, R * F);
        let lever = d.cross(F);
        L = writer.name_column("LM", i, speed, R * L + lever);
        i = writer.tree.nodes[i].parent;
    }
}
