//! Inverse dynamics by the recursive Newton-Euler algorithm (Featherstone 2008, chapter 5; Postiau,
//! section 1.3.2, corrected). After the outward pass:
//!
//! ```text
//! W = m (alpha + beta l)
//! F = W + sum R_j F_j - F_ext
//! L = l x W + I wd + w x I w + sum (R_j L_j + d_j x R_j F_j) - L_ext
//! Q = phi . L + psi . F + r qdd                                         r: armature
//! ```
#![allow(non_snake_case)] // symbols as in the formulas

use crate::outward::{euler, outward};
use crate::parts::Given;
use crate::spatial::Wrench;
use crate::writer::Writer;
use rotule_model::index::BySpeed;
use rotule_symbolic::{Scalar, sum};

/// The efforts that the given parts of the equations of motion need, one per speed.
pub(crate) fn efforts<'g>(writer: Writer<'_, 'g>, given: &Given) -> BySpeed<Scalar<'g>> {
    let writer = Writer { motion: &given.motion, ..writer };
    let k = outward(writer);
    let qdd = writer.qdd();
    let mut Q = writer.by_speed(Scalar::ZERO);
    let mut passed = writer.tree.by_node(Wrench::ZERO);
    for i in writer.tree.inward() {
        let (m, l, I) = writer.inertia(i);
        let (r, h) = (writer.scalar(writer.tree.nodes[i].armature), writer.tree.nodes[i].parent);
        let applied = Wrench::of(given.wrenches[i], writer);
        let W = writer.name("W", i, m * (k[i].alpha + k[i].beta * l));
        let F = W + passed[i].force;
        let L = sum([l.cross(W), euler(I, None, &k[i]), passed[i].torque]);
        let (F, L) = (F - applied.force, L - applied.torque);
        let (F, L) = (writer.name("F", i, F), writer.name("L", i, L));
        for column in writer.columns(i) {
            let s = column.speed;
            Q[s] = column.phi.dot(L) + column.psi.dot(F) + r * qdd[s];
        }
        passed[h] += Wrench { force: F, torque: L }.carried(k[i].R, k[i].d);
    }
    Q
}
