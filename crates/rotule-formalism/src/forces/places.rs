//! Forces and torques at places (Postiau, section 1.5.1, corrected).
//!
//! The laws know position, velocity and angular velocity of the place in the axes of the ground. A
//! force in the ground's axes is turned into the node's; one in the axes of the place has a
//! constant direction there.

use super::line_forces::put;
use super::{References, add};
use crate::tree::{Tree, Wrench};
use rotule_symbolic::{Expr, Vector};

/// The placeholders, in the order of position, velocity, angular velocity.
const KNOWN: [&str; 9] = [
    "force.x", "force.y", "force.z", "force.vx", "force.vy", "force.vz", "force.wx", "force.wy",
    "force.wz",
];

/// Adds a force to those of its node.
pub(super) fn apply(
    tree: &mut Tree,
    references: &mut References,
    index: usize,
    sums: &mut [Wrench],
) {
    let force = tree.mechanism.forces[index].clone();
    let (node, placement) = tree.locate(force.at);
    if node == 0 {
        return;
    }
    let frames = references.to(tree, 0);
    let rotation = frames.node(tree, node).rotation;
    let at = frames.place(tree, node, placement);
    let values = [at.position.0, at.velocity.0, at.angular.0].concat();
    let known: Vec<(&str, Expr)> = KNOWN.into_iter().zip(values).collect();
    let laws = put(tree, &[force.force.0, force.torque.0].concat(), &known);
    let graph = &mut tree.mechanism.graph;
    let vector = |at: usize| Vector(std::array::from_fn(|i| laws[at + i]));
    // Named, because a law may be long and every component of the node's wrench uses it.
    let pull = vector(0).name(&format!("force[{}]", force.name), graph);
    let twist = vector(3).name(&format!("torque[{}]", force.name), graph);
    let turn = if force.body_axes { placement.rotation } else { rotation.transpose() };
    let pull = turn.apply(pull, graph);
    let twist = turn.apply(twist, graph);
    let lever = placement.position.cross(pull, graph);
    let torque = twist.add(lever, graph);
    add(&mut sums[node], pull, torque, tree);
}
