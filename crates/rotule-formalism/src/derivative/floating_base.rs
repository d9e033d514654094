//! A mechanism that floats: what uniform fields and steady motion do to it, without solving
//! anything.
//!
//! Weights act on all bodies alike, so that turning a floating mechanism as a whole changes nothing
//! but the direction in which it falls; and moving it faster along a line changes nothing at all
//! but, with the velocity `v` counted in the turning axes of its root, what makes these components
//! change:
//!
//! ```text
//! qdd of the root's velocity = R' g - omega x v + what depends on neither R nor v
//! ```
//!
//! So six columns of the derivatives of forward dynamics are zero but for three entries, and three
//! more are empty.

use super::directions::directions;
use crate::function::By;
use crate::tree::{NodeId, TreeNode};
use crate::writer::{Entries, Writer};
use rotule_model::mechanism::{Mechanism, Role};
use rotule_symbolic::{Expr, Vec3};
use std::ops::Range;

/// Columns of a derivative of forward dynamics that are known.
pub(super) struct Known<'g> {
    /// Which.
    pub(super) columns: Vec<Range<usize>>,
    /// All that is not zero in them.
    pub(super) entries: Entries<'g>,
}

/// The columns that are known, of every root that floats.
pub(super) fn known<'g>(writer: Writer<'_, 'g>, by: &By) -> Known<'g> {
    let mut known = Known { columns: Vec::new(), entries: Vec::new() };
    let mechanism = writer.mechanism;
    let alone = mechanism.line_forces.is_empty()
        && mechanism.wheels.is_empty()
        && mechanism.forces.is_empty();
    if !alone || !matches!(by, By::Coordinates | By::Speeds) {
        return known;
    }
    // Drives with laws that look at the root's motion are no business of Galileo's.
    let seen = writer.derivatives_along(&writer.laws(), &directions(writer, by));
    // Drives with inertia resist the field.
    let floats = |one: &TreeNode| {
        one.motion.translates_in_own_axes()
            && one.parent == NodeId::GROUND
            && one.armature == Expr::ZERO
    };
    for (at, node) in writer.tree.nodes.pairs().skip(1) {
        let speed = node.speed.index();
        if !floats(node) || !is_free(mechanism, speed) {
            continue;
        }
        let columns = match by {
            By::Coordinates => speed..speed + 6,
            _ => speed..speed + 3,
        };
        if seen.iter().any(|entry| columns.contains(&entry.1)) {
            continue;
        }
        // Column k is `field x e_k`.
        let (field, first) = if *by == By::Coordinates {
            let back = writer.placed(at).0.transpose();
            (back * writer.vector(writer.motion.gravity), speed + 3)
        } else {
            let qd = writer.qd();
            let spin = |axis: usize| qd[node.speed.after(3 + axis)];
            (-Vec3([0, 1, 2].map(spin)), speed)
        };
        for k in 0..3 {
            let rows = field.cross(Vec3::unit(k)).0.into_iter().enumerate();
            known.entries.extend(rows.map(|(row, value)| (speed + row, first + k, value)));
        }
        known.columns.push(columns);
    }
    known
}

/// Returns `true` if the joint of a speed is neither driven nor locked.
fn is_free(mechanism: &Mechanism, speed: usize) -> bool {
    let mut joints = mechanism.joints.iter();
    joints.any(|joint| joint.speeds.contains(&speed) && matches!(joint.role, Role::Free))
}
