//! Forces and torques at places (Postiau, section 1.5.1, corrected).
//!
//! The laws know position, velocity and angular velocity of the place in the axes of the ground. A
//! force in the ground's axes is rotated into the node's; one in the axes of the place has a
//! constant direction there.

use super::{References, put};
use crate::spatial::Wrench;
use crate::tree::{ByNode, NodeId};
use crate::writer::Writer;
use rotule_symbolic::{Scalar, Vec3};

/// The placeholders, in the order of position, velocity, angular velocity.
const KNOWN: [&str; 9] = [
    "force.x", "force.y", "force.z", "force.vx", "force.vy", "force.vz", "force.wx", "force.wy",
    "force.wz",
];

/// Adds a force to those of its node.
pub(super) fn apply<'g>(
    writer: Writer<'_, 'g>,
    references: &mut References<'g>,
    index: usize,
    sums: &mut ByNode<Wrench<'g>>,
) {
    let force = &writer.mechanism.forces[index];
    let place = writer.locate(force.at);
    if place.node == NodeId::GROUND {
        return;
    }
    let frames = references.to(NodeId::GROUND);
    let rotation = frames.node(writer, place.node).R;
    let at = frames.place(writer, place);
    let values = [at.p.0, at.v.0, at.w.0].concat();
    let known: Vec<(&str, Scalar<'g>)> = KNOWN.into_iter().zip(values).collect();
    let [law, moment] = writer.motion.elements.forces[index];
    let laws = put(writer, &[law.0, moment.0].concat(), &known);
    // Named, because a law may be long and every component of the node's wrench uses it.
    let pull = Vec3([laws[0], laws[1], laws[2]]).named(&format!("force[{}]", force.name));
    let twist = Vec3([laws[3], laws[4], laws[5]]).named(&format!("torque[{}]", force.name));
    let turn = if force.body_axes { place.R } else { rotation.transpose() };
    let (pull, twist) = (turn * pull, turn * twist);
    let lever = place.d.cross(pull);
    sums[place.node] += Wrench { force: pull, torque: twist + lever };
}
