//! Kinematics from the tip to a reference, each step in the axes of its own node (Postiau, section
//! 1.2.1, corrected).
//!
//! The motion of the place `f` relative to a node, in the node's axes, gives that relative to the
//! joint's fixed side. Terms of the joint are added in the node's axes, where its speeds have few
//! components; then everything is turned:
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

use super::outward::{Level, Moving};
use super::path;
use crate::tree::{ElementaryMotion, Tree};
use rotule_model::mechanism::Placement;
use rotule_symbolic::{Graph, Matrix, Vector};

/// The motion of a frame placed in a node, relative to another such frame and in its axes.
pub(super) fn relative(
    tree: &mut Tree,
    place: (usize, Placement),
    origin: (usize, Placement),
    level: Level,
) -> Moving {
    let (carrying, carried) = path(tree, origin.0, place.0);
    let end = tree.nodes[place.0].name.clone();
    let mut moving = Moving::at_rest(place.1);
    for &node in carried.iter().rev() {
        let joint = joint(tree, node, level);
        let parent = tree.nodes[node].parent;
        let outer = tree.nodes[node].placement;
        let label = format!("{},{end}", tree.nodes[parent].name);
        let graph = &mut tree.mechanism.graph;
        let seen = added(moving, &joint, level, graph);
        let seen = turned(seen, joint.turn, graph);
        let seen = Moving { position: seen.position.add(joint.slide, graph), ..seen };
        // Sums that a fixed turn would use three times each.
        let inner = format!("{label},{}", tree.nodes[node].name);
        let seen =
            if outer.rotation == Matrix::IDENTITY { seen } else { named(seen, &inner, graph) };
        let seen = turned(seen, outer.rotation, graph);
        let seen = Moving { position: seen.position.add(outer.position, graph), ..seen };
        moving = named(seen, &label, graph);
    }
    for &node in carrying.iter().rev() {
        let joint = joint(tree, node, level);
        let inverse = tree.nodes[node].placement.inverse(&mut tree.mechanism.graph);
        let label = format!("{},{end}", tree.nodes[node].name);
        let graph = &mut tree.mechanism.graph;
        let seen = turned(moving, inverse.rotation, graph);
        let position = Vector::sum(&[seen.position, inverse.position, -joint.slide], graph);
        let inner = format!("{label},fixed");
        let seen = named(Moving { position, ..seen }, &inner, graph);
        let seen = turned(seen, joint.turn.transpose(), graph);
        moving = named(removed(seen, &joint, level, graph), &label, graph);
    }
    let graph = &mut tree.mechanism.graph;
    let inverse = origin.1.inverse(graph);
    let seen = turned(moving, inverse.rotation, graph);
    Moving { position: seen.position.add(inverse.position, graph), ..seen }
}

/// A joint: its displacement, and its rates in the node's axes.
struct Joint {
    turn: Matrix,
    slide: Vector,
    angular: Vector,
    linear: Vector,
    angular_rate: Vector,
    /// With the part that comes of a velocity that turns with the node.
    linear_rate: Vector,
}

fn joint(tree: &mut Tree, node: usize, level: Level) -> Joint {
    let (turn, slide) = tree.displacement(node);
    let zero = Vector::ZERO;
    let mut joint =
        Joint { turn, slide, angular: zero, linear: zero, angular_rate: zero, linear_rate: zero };
    let speed = tree.nodes[node].speed;
    let range = speed..speed + tree.nodes[node].motion.speeds();
    if level >= Level::Velocity {
        let speeds = tree.qd[range.clone()].to_vec();
        (joint.angular, joint.linear) = tree.rates(node, &speeds);
    }
    if level >= Level::Acceleration {
        let accelerations = tree.qdd[range].to_vec();
        (joint.angular_rate, joint.linear_rate) = tree.rates(node, &accelerations);
        if tree.nodes[node].motion == ElementaryMotion::Free {
            let graph = &mut tree.mechanism.graph;
            let turning = joint.angular.cross(joint.linear, graph);
            joint.linear_rate = joint.linear_rate.add(turning, graph);
        }
    }
    joint
}

/// From motion relative to the node to motion relative to the joint's fixed side, but still in the
/// node's axes.
fn added(own: Moving, joint: &Joint, level: Level, graph: &mut Graph) -> Moving {
    let mut seen = own;
    if level >= Level::Velocity {
        let turning = joint.angular.cross(own.position, graph);
        seen.angular = own.angular.add(joint.angular, graph);
        seen.velocity = Vector::sum(&[own.velocity, turning, joint.linear], graph);
        if level >= Level::Acceleration {
            let change = joint.angular.cross(own.angular, graph);
            seen.angular_acceleration =
                Vector::sum(&[own.angular_acceleration, change, joint.angular_rate], graph);
            let change = accelerated(own, joint, turning, graph);
            seen.acceleration = own.acceleration.add(change, graph);
        }
    }
    seen
}

/// The way back.
fn removed(seen: Moving, joint: &Joint, level: Level, graph: &mut Graph) -> Moving {
    let mut own = seen;
    if level >= Level::Velocity {
        let turning = joint.angular.cross(seen.position, graph);
        own.angular = seen.angular.sub(joint.angular, graph);
        own.velocity = Vector::sum(&[seen.velocity, -turning, -joint.linear], graph);
        if level >= Level::Acceleration {
            let change = joint.angular.cross(seen.angular, graph);
            own.angular_acceleration =
                Vector::sum(&[seen.angular_acceleration, -change, -joint.angular_rate], graph);
            let change = accelerated(own, joint, turning, graph);
            own.acceleration = seen.acceleration.sub(change, graph);
        }
    }
    own
}

/// The acceleration that the joint adds: `Wd x p + W x (2 v + W x p) + Vd`.
fn accelerated(own: Moving, joint: &Joint, turning: Vector, graph: &mut Graph) -> Vector {
    let two = graph.number(2);
    let twice = own.velocity.scale(two, graph).add(turning, graph);
    let parts = [
        joint.angular_rate.cross(own.position, graph),
        joint.angular.cross(twice, graph),
        joint.linear_rate,
    ];
    Vector::sum(&parts, graph)
}

fn turned(moving: Moving, rotation: Matrix, graph: &mut Graph) -> Moving {
    Moving {
        position: rotation.apply(moving.position, graph),
        rotation: rotation.mul(moving.rotation, graph),
        velocity: rotation.apply(moving.velocity, graph),
        angular: rotation.apply(moving.angular, graph),
        acceleration: rotation.apply(moving.acceleration, graph),
        angular_acceleration: rotation.apply(moving.angular_acceleration, graph),
    }
}

fn named(moving: Moving, label: &str, graph: &mut Graph) -> Moving {
    Moving {
        position: moving.position.name(&format!("p[{label}]"), graph),
        rotation: moving.rotation.name(&format!("R[{label}]"), graph),
        velocity: moving.velocity.name(&format!("v[{label}]"), graph),
        angular: moving.angular.name(&format!("w[{label}]"), graph),
        acceleration: moving.acceleration.name(&format!("a[{label}]"), graph),
        angular_acceleration: moving.angular_acceleration.name(&format!("wd[{label}]"), graph),
    }
}
