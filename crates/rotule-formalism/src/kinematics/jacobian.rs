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

use super::outward::Frames;
use super::path;
use crate::tree::Tree;
use rotule_model::mechanism::Placement;
use rotule_symbolic::{Expr, Vector};

/// Entries that are not zero: row, column, value.
type Entries = Vec<(u32, u32, Expr)>;

/// Arms as differences of positions.
pub(super) fn outward(tree: &mut Tree, frames: &mut Frames, place: (usize, Placement)) -> Entries {
    let end = frames.place(tree, place.0, place.1).position;
    let (up, down) = path(tree, frames.origin(), place.0);
    let mut entries = Entries::new();
    for (nodes, against) in [(up, true), (down, false)] {
        for node in nodes {
            let position = frames.node(tree, node).position;
            let arm = end.sub(position, &mut tree.mechanism.graph);
            columns(tree, frames, node, arm, against, &mut entries);
        }
    }
    sorted(entries)
}

/// Arms from tip to base; gives the position of the place, too.
pub(super) fn mixed(
    tree: &mut Tree,
    frames: &mut Frames,
    place: (usize, Placement),
) -> (Entries, Vector) {
    let (up, down) = path(tree, frames.origin(), place.0);
    let own = frames.node(tree, place.0);
    let mut arm = own.rotation.apply(place.1.position, &mut tree.mechanism.graph);
    let mut entries = Entries::new();
    for &node in down.iter().rev() {
        columns(tree, frames, node, arm, false, &mut entries);
        let step = frames.arm(node);
        arm = longer(tree, tree.nodes[node].parent, arm, step);
    }
    for &node in up.iter().rev() {
        let step = frames.arm(node);
        arm = longer(tree, node, arm, -step);
        columns(tree, frames, node, arm, true, &mut entries);
    }
    let start = frames.node(tree, frames.origin()).position;
    (sorted(entries), arm.add(start, &mut tree.mechanism.graph))
}

/// The arm from the next node.
fn longer(tree: &mut Tree, node: usize, arm: Vector, step: Vector) -> Vector {
    let label = format!("r[{}]", tree.nodes[node].name);
    let graph = &mut tree.mechanism.graph;
    arm.add(step, graph).name(&label, graph)
}

/// Adds the columns of a node's speeds.
fn columns(
    tree: &mut Tree,
    frames: &mut Frames,
    node: usize,
    arm: Vector,
    against: bool,
    entries: &mut Entries,
) {
    let rotation = frames.node(tree, node).rotation;
    for at in 0..tree.nodes[node].motion.speeds() {
        let mut unit = [Expr::ZERO; 6];
        unit[at] = Expr::ONE;
        let (angular, linear) = tree.rates(node, &unit);
        let graph = &mut tree.mechanism.graph;
        let angular = rotation.apply(angular, graph);
        let linear = rotation.apply(linear, graph);
        let lever = angular.cross(arm, graph);
        let linear = linear.add(lever, graph);
        let column = (tree.nodes[node].speed + at) as u32;
        for (row, &value) in linear.0.iter().chain(&angular.0).enumerate() {
            if value != Expr::ZERO {
                entries.push((row as u32, column, if against { -value } else { value }));
            }
        }
    }
}

fn sorted(mut entries: Entries) -> Entries {
    entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
    entries
}
