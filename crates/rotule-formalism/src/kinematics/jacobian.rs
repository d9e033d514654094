//! Jacobians: `(v; w) = J qd`, linear rows above angular ones (Postiau, section 1.2.2, corrected).
//!
//! The column of a joint's speed, with its unit angular and linear velocities `phi` and `psi` and
//! the arm `r` from the joint's node to the place, all in the axes of the reference, is
//!
//! ```text
//! J_t = psi + phi x r          J_o = phi
//! ```
//!
//! and the negative of it for joints that carry the reference and not the place. The two recursions
//! differ in `r`. *Outward*: the difference of positions that the recursion from base to tip gives.
//! (Carrying each column along that recursion gives the same sums, but takes a number of operations
//! that is quadratic in the joints.) *Mixed*: rotations from base to tip, then `r` itself from tip
//! to base, which also gives the position.
//!
//! Columns are at rest in their nodes, so that with the angular velocity `w` of the node and the
//! velocity `rd` of the arm, relative to the reference, their time derivatives are
//!
//! ```text
//! Jd_t = w x psi + (w x phi) x r + phi x rd          Jd_o = w x phi
//! ```

#![allow(non_snake_case)] // symbols as in the formulas

use super::outward::Frames;
use super::path;
use crate::joint_motion::Place;
use crate::tree::NodeId;
use crate::writer::Writer;
use rotule_model::index::SpeedId;
use rotule_symbolic::{Scalar, Vec3, sum};

/// Entries that are not zero: row, column, value.
pub(crate) type Entries<'g> = Vec<(u32, u32, Scalar<'g>)>;

/// Arms as differences of positions.
pub(crate) fn outward<'g>(
    writer: Writer<'_, 'g>,
    frames: &mut Frames<'g>,
    place: Place<'g>,
) -> Entries<'g> {
    let end = frames.place(writer, place).p;
    let (up, down) = path(writer.tree, frames.origin(), place.node);
    let mut entries = Entries::new();
    for (nodes, against) in [(up, true), (down, false)] {
        for node in nodes {
            let r = end - frames.node(writer, node).p;
            columns(writer, frames, node, r, against, &mut entries);
        }
    }
    sorted(entries)
}

/// The time derivatives of the entries, by frames that have velocities.
pub(super) fn rate<'g>(
    writer: Writer<'_, 'g>,
    frames: &mut Frames<'g>,
    place: Place<'g>,
) -> Entries<'g> {
    let end = frames.place(writer, place);
    let (up, down) = path(writer.tree, frames.origin(), place.node);
    let mut entries = Entries::new();
    for (nodes, against) in [(up, true), (down, false)] {
        for node in nodes {
            let own = frames.node(writer, node);
            let (r, rd) = (end.p - own.p, end.v - own.v);
            for column in writer.columns(node) {
                let (phi, psi) = (own.R * column.phi, own.R * column.psi);
                let angular = own.w.cross(phi);
                let linear = sum([own.w.cross(psi), angular.cross(r), phi.cross(rd)]);
                push(&mut entries, column.speed, linear, angular, against);
            }
        }
    }
    sorted(entries)
}

/// Arms from tip to base; gives the position of the place, too.
pub(super) fn mixed<'g>(
    writer: Writer<'_, 'g>,
    frames: &mut Frames<'g>,
    place: Place<'g>,
) -> (Entries<'g>, Vec3<'g>) {
    let (up, down) = path(writer.tree, frames.origin(), place.node);
    let own = frames.node(writer, place.node);
    let mut r = own.R * place.d;
    let mut entries = Entries::new();
    for &node in down.iter().rev() {
        columns(writer, frames, node, r, false, &mut entries);
        r = writer.name("r", writer.tree.nodes[node].parent, r + frames.arm(node));
    }
    for &node in up.iter().rev() {
        r = writer.name("r", node, r + -frames.arm(node));
        columns(writer, frames, node, r, true, &mut entries);
    }
    let start = frames.node(writer, frames.origin()).p;
    (sorted(entries), r + start)
}

/// Adds the columns of a node's speeds.
fn columns<'g>(
    writer: Writer<'_, 'g>,
    frames: &mut Frames<'g>,
    node: NodeId,
    r: Vec3<'g>,
    against: bool,
    entries: &mut Entries<'g>,
) {
    let rotation = frames.node(writer, node).R;
    for column in writer.columns(node) {
        let (phi, psi) = (rotation * column.phi, rotation * column.psi);
        let linear = psi + phi.cross(r);
        push(entries, column.speed, linear, phi, against);
    }
}

/// Adds a column.
fn push<'g>(
    entries: &mut Entries<'g>,
    speed: SpeedId,
    linear: Vec3<'g>,
    angular: Vec3<'g>,
    against: bool,
) {
    for (row, value) in linear.0.iter().chain(&angular.0).enumerate() {
        if !value.is_zero() {
            entries.push((row as u32, speed.index() as u32, value.negated_if(against)));
        }
    }
}

fn sorted(mut entries: Entries<'_>) -> Entries<'_> {
    entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
    entries
}
