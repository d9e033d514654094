//! Kinematics from the tip to a reference, each step in the axes of its own node (Postiau, section
//! 1.2.1, corrected).
//!
//! The motion of the place `f` relative to a node, in the node's axes, gives that relative to the
//! joint's fixed side. Terms of the joint are added in the node's axes, where its speeds have few
//! components; then everything is rotated:
//!
//! ```text
//! w  = w_f + W
//! v  = v_f + W x p_f + V
//! wd = wd_f + W x w_f + Wd
//! a  = a_f + Wd x p_f + 2 W x v_f + W x (W x p_f) + Vd  (+ W x V where V turns with the node)
//! p  = R p_f + z
//! ```
//!
//! A joint that carries the reference and not the place is passed downwards: the same equations,
//! solved for the quantities relative to the node.

#![allow(non_snake_case)] // symbols as in the formulas

use super::outward::{Level, Moving};
use super::path;
use crate::joint_motion::Place;
use crate::tree::NodeId;
use crate::writer::Writer;
use rotule_symbolic::{Mat3, Vec3, sum};

/// The motion of a frame that is fixed to a node, relative to another such frame and in its axes.
pub(super) fn relative<'g>(
    writer: Writer<'_, 'g>,
    place: Place<'g>,
    origin: Place<'g>,
    level: Level,
) -> Moving<'g> {
    let nodes = &writer.tree.nodes;
    let (carrying, carried) = path(writer.tree, origin.node, place.node);
    let end = &nodes[place.node].name;
    let mut moving = Moving::at_rest(place.R, place.d);
    for &i in carried.iter().rev() {
        let joint = joint(writer, i, level);
        let (fixed, d) = writer.anchored(i);
        let label = format!("{},{end}", nodes[nodes[i].parent].name);
        let seen = added(writer, moving, &joint, level);
        let seen = rotated(seen, joint.R);
        let seen = Moving { p: seen.p + joint.z, ..seen };
        // Sums that a fixed turn would use three times each.
        let inner = format!("{label},{}", nodes[i].name);
        let seen = if fixed == Mat3::IDENTITY { seen } else { named(seen, &inner) };
        let seen = rotated(seen, fixed);
        let seen = Moving { p: seen.p + d, ..seen };
        moving = named(seen, &label);
    }
    for &i in carrying.iter().rev() {
        let joint = joint(writer, i, level);
        let (fixed, d) = writer.anchored(i);
        let back = fixed.transpose();
        let inverse = -(back * d);
        let label = format!("{},{end}", nodes[i].name);
        let seen = rotated(moving, back);
        let p = sum([seen.p, inverse, -joint.z]);
        let seen = named(Moving { p, ..seen }, &format!("{label},fixed"));
        let seen = rotated(seen, joint.R.transpose());
        moving = named(removed(writer, seen, &joint, level), &label);
    }
    let back = origin.R.transpose();
    let inverse = -(back * origin.d);
    let seen = rotated(moving, back);
    Moving { p: seen.p + inverse, ..seen }
}

/// A joint: its displacement, and its rates in the node's axes.
struct Joint<'g> {
    R: Mat3<'g>,
    z: Vec3<'g>,
    W: Vec3<'g>,
    V: Vec3<'g>,
    Wd: Vec3<'g>,
    /// With the part that comes of a velocity that turns with the node.
    Vd: Vec3<'g>,
}

fn joint<'g>(writer: Writer<'_, 'g>, i: NodeId, level: Level) -> Joint<'g> {
    let (R, z) = writer.displacement(i);
    let zero = Vec3::ZERO;
    let mut joint = Joint { R, z, W: zero, V: zero, Wd: zero, Vd: zero };
    if level >= Level::Velocity {
        (joint.W, joint.V) = writer.velocities(i);
    }
    if level >= Level::Acceleration {
        (joint.Wd, joint.Vd) = writer.accelerations(i);
        if writer.tree.nodes[i].motion.translates_in_own_axes() {
            let turning = joint.W.cross(joint.V);
            joint.Vd += turning;
        }
    }
    joint
}

/// From motion relative to the node to motion relative to the joint's fixed side, but still in the
/// node's axes.
fn added<'g>(
    writer: Writer<'_, 'g>,
    own: Moving<'g>,
    joint: &Joint<'g>,
    level: Level,
) -> Moving<'g> {
    let mut seen = own;
    if level >= Level::Velocity {
        let turning = joint.W.cross(own.p);
        seen.w = own.w + joint.W;
        seen.v = sum([own.v, turning, joint.V]);
        if level >= Level::Acceleration {
            let change = joint.W.cross(own.w);
            seen.wd = sum([own.wd, change, joint.Wd]);
            seen.a = own.a + accelerated(writer, own, joint, turning);
        }
    }
    seen
}

/// The way back.
fn removed<'g>(
    writer: Writer<'_, 'g>,
    seen: Moving<'g>,
    joint: &Joint<'g>,
    level: Level,
) -> Moving<'g> {
    let mut own = seen;
    if level >= Level::Velocity {
        let turning = joint.W.cross(seen.p);
        own.w = seen.w - joint.W;
        own.v = sum([seen.v, -turning, -joint.V]);
        if level >= Level::Acceleration {
            let change = joint.W.cross(seen.w);
            own.wd = sum([seen.wd, -change, -joint.Wd]);
            own.a = seen.a - accelerated(writer, own, joint, turning);
        }
    }
    own
}

/// The acceleration that the joint adds: `Wd x p + W x (2 v + W x p) + Vd`.
fn accelerated<'g>(
    writer: Writer<'_, 'g>,
    own: Moving<'g>,
    joint: &Joint<'g>,
    turning: Vec3<'g>,
) -> Vec3<'g> {
    let twice = writer.number(2) * own.v + turning;
    sum([joint.Wd.cross(own.p), joint.W.cross(twice), joint.Vd])
}

fn rotated<'g>(moving: Moving<'g>, R: Mat3<'g>) -> Moving<'g> {
    Moving {
        p: R * moving.p,
        R: R * moving.R,
        v: R * moving.v,
        w: R * moving.w,
        a: R * moving.a,
        wd: R * moving.wd,
    }
}

fn named<'g>(moving: Moving<'g>, label: &str) -> Moving<'g> {
    Moving {
        p: moving.p.named(&format!("p[{label}]")),
        R: moving.R.named(&format!("R[{label}]")),
        v: moving.v.named(&format!("v[{label}]")),
        w: moving.w.named(&format!("w[{label}]")),
        a: moving.a.named(&format!("a[{label}]")),
        wd: moving.wd.named(&format!("wd[{label}]")),
    }
}
