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
use crate::composite::Entries;
use crate::function::By;
use crate::tree::{ElementaryMotion, Tree};
use rotule_model::mechanism::Role;
use rotule_symbolic::{Expr, Vector};
use std::ops::Range;

/// Columns of a derivative of forward dynamics that are known.
pub(super) struct Known {
    /// Which.
    pub(super) columns: Vec<Range<usize>>,
    /// All that is not zero in them.
    pub(super) entries: Entries,
}

/// The columns that are known, of every root that floats.
pub(super) fn known(tree: &mut Tree, by: By) -> Known {
    let mut known = Known { columns: Vec::new(), entries: Vec::new() };
    let mechanism = &tree.mechanism;
    let alone = mechanism.line_forces.is_empty()
        && mechanism.wheels.is_empty()
        && mechanism.forces.is_empty();
    if !alone || !matches!(by, By::Coordinates | By::Speeds) {
        return known;
    }
    // Drives with laws that look at the root's motion are no business of Galileo's.
    let (laws, directions) = (tree.laws.clone(), directions(tree, by));
    let seen = tree.mechanism.graph.derivatives_along(&laws, &directions).entries;
    // Drives with inertia resist the field.
    let floats = |tree: &Tree, node: usize| {
        let one = &tree.nodes[node];
        one.motion == ElementaryMotion::Free && one.parent == 0 && one.armature == Expr::ZERO
    };
    for node in 1..tree.nodes.len() {
        let speed = tree.nodes[node].speed;
        if !floats(tree, node) || !is_free(tree, speed) {
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
        let (field, first) = if by == By::Coordinates {
            let rotation = tree.placed(node).rotation.transpose();
            let gravity = tree.mechanism.gravity;
            (rotation.apply(gravity, &mut tree.mechanism.graph), speed + 3)
        } else {
            let spin = &tree.qd[speed + 3..speed + 6];
            (-Vector([spin[0], spin[1], spin[2]]), speed)
        };
        for k in 0..3 {
            let column = field.cross(Vector::unit(k), &mut tree.mechanism.graph);
            let rows = column.0.into_iter().enumerate();
            known.entries.extend(rows.map(|(row, value)| (speed + row, first + k, value)));
        }
        known.columns.push(columns);
    }
    known
}

/// Returns `true` if the joint of a speed is neither driven nor locked.
fn is_free(tree: &Tree, speed: usize) -> bool {
    let mut joints = tree.mechanism.joints.iter();
    joints.any(|joint| joint.speeds.contains(&speed) && matches!(joint.role, Role::Free))
}
