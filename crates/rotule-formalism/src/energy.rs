//! Centre of mass, momentum, energies and power.
//!
//! Two recursions serve them all. From the tips to the ground, the moment of mass `h` of a node and
//! all it carries, with its derivative as seen from the node, both in the node's axes (`mu` is the
//! mass, `z` the joint's displacement):
//!
//! ```text
//! h_h  += mu d + R (h + mu z)          hd_h += R (hd + W x h + mu V)
//! ```
//!
//! so that the ground's `h / mu` is the centre of mass and `-g . h` the gravitational potential
//! energy. From the ground to the tips, velocities in the node's axes, as in the Newton-Euler
//! recursion:
//!
//! ```text
//! w = R' w_h + W                       v = R' (v_h + w_h x d) + V
//! ```
//!
//! Bodies that are fixed to the ground have their part in the centre of mass and the potential
//! energy.

#![allow(non_snake_case)] // symbols as in the formulas

use crate::forces;
use crate::function::Call;
use crate::joint_motion::Place;
use crate::kinematics::outward::{Frames, Level};
use crate::problem::Problem;
use crate::spatial::{Twist, Wrench};
use crate::tree::{ByNode, NodeId, PlainWrench};
use crate::writer::Writer;
use rotule_model::index::{SpeedId, run_of};
use rotule_model::mechanism::{BodyId, Frame, Placement};
use rotule_program::lower::Target;
use rotule_symbolic::{Scalar, Vec3, sum};

/// `com`
pub fn com(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let all = moment(writer, Rates::Without);
    let com = per_mass("com", &all, all.h)?;
    Ok(vec![Target::vector("com", &com.plain().0)])
}

/// `com_velocity`
pub fn com_velocity(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let all = moment(writer, Rates::With);
    let velocity = per_mass("com_velocity", &all, all.hd)?;
    Ok(vec![Target::vector("com_velocity", &velocity.plain().0)])
}

/// `momentum`
pub fn momentum(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let (linear, about_origin) = momenta(writer);
    let all = moment(writer, Rates::Without);
    // Without mass there is no momentum, and the angular momentum is the same about every
    // point.
    let angular = if all.mu.is_zero() {
        about_origin
    } else {
        about_origin - per_mass("momentum", &all, all.h)?.cross(linear)
    };
    let (linear, angular) = (linear.plain().0, angular.plain().0);
    Ok(vec![Target::vector("linear", &linear), Target::vector("angular", &angular)])
}

/// `kinetic_energy`
pub fn kinetic(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let qd = writer.qd();
    let mut terms = Vec::new();
    for (i, &(twist, at_com)) in twists(writer).pairs().skip(1) {
        let node = &writer.tree.nodes[i];
        let ((m, _, I), r, w) = (writer.inertia(i), writer.scalar(node.armature), twist.angular);
        let squares = at_com.dot(at_com);
        let spin = I * w;
        terms.extend([m * squares, w.dot(spin)]);
        let speeds = run_of(node.speed, node.motion.speeds());
        terms.extend(speeds.map(|at| r * qd[at].square()));
    }
    let energy = sum(terms) / writer.number(2);
    Ok(vec![Target::scalar("kinetic_energy", energy.expr())])
}

/// `potential_energy`
pub fn potential(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let all = moment(writer, Rates::Without);
    let energy = -writer.vector(writer.motion.gravity).dot(all.h);
    Ok(vec![Target::scalar("potential_energy", energy.expr())])
}

/// `body_energies`: of every body of the model, fixed ones included. Drives count to the body that
/// their joint moves, so that the sums are those of the whole mechanism.
pub fn of_bodies(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let mut frames = Frames::new(writer.body(BodyId::GROUND), Level::Velocity);
    let (two, gravity) = (writer.number(2), writer.vector(writer.motion.gravity));
    let mut kinetic = vec![Scalar::ZERO; writer.tree.bodies.len()];
    let mut potential = kinetic.clone();
    for (at, body) in writer.mechanism.bodies.iter().enumerate() {
        let frame = Frame { body: BodyId::new(at), placement: Placement::IDENTITY };
        let place = writer.locate(frame);
        let (m, com) = (writer.scalar(body.mass), writer.vector(body.com));
        let centre = Place { d: place.d + place.R * com, ..place };
        let moving = frames.place(writer, centre);
        let w = moving.R.transpose() * moving.w;
        let spin = writer.matrix(body.inertia) * w;
        kinetic[at] = (m * moving.v.dot(moving.v) + w.dot(spin)) / two;
        potential[at] = -(m * gravity.dot(moving.p));
    }
    let qd = |speed: SpeedId| writer.scalar(writer.motion.qd[speed]);
    for (body, node) in driven_bodies(writer) {
        let node = &writer.tree.nodes[node];
        let speeds = run_of(node.speed, node.motion.speeds());
        let squares = sum(speeds.map(|speed| qd(speed).square()));
        kinetic[body.index()] += writer.scalar(node.armature) * squares / two;
    }
    let listed = writer.mechanism.bodies.iter().enumerate().skip(1);
    let listed = listed.filter(|(_, body)| !body.fictitious).map(|(at, _)| at);
    let [kinetic, potential] =
        [kinetic, potential].map(|all| listed.clone().map(|at| all[at].expr()).collect::<Vec<_>>());
    Ok(vec![Target::vector("kinetic", &kinetic), Target::vector("potential", &potential)])
}

/// The nodes with drives that have inertia, each with the body that it leads to.
fn driven_bodies(writer: Writer<'_, '_>) -> Vec<(BodyId, NodeId)> {
    let mut home = writer.tree.by_node(None);
    for (at, body) in writer.mechanism.bodies.iter().enumerate().skip(1) {
        let node = writer.tree.bodies[BodyId::new(at)].0;
        if !body.fictitious && home[node].is_none() {
            home[node] = Some(BodyId::new(at));
        }
    }
    for node in writer.tree.inward() {
        let parent = writer.tree.nodes[node].parent;
        home[parent] = home[parent].or(home[node]);
    }
    let driven =
        writer.tree.nodes.pairs().filter(|(_, node)| !writer.scalar(node.armature).is_zero());
    driven.filter_map(|(at, _)| Some((home[at]?, at))).collect()
}

/// `power`: of the efforts that are given, of the joint laws, and of line forces, wheels and
/// forces. Weights are not in it, nor is what a drive needs beyond the effort given for its joint.
pub fn power(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let wrenches = forces::on_nodes(writer);
    let twists = twists(writer);
    let mut terms = Vec::new();
    for (effort, &speed) in writer.applied().into_iter().zip(&writer.motion.qd) {
        terms.push(effort * writer.scalar(speed));
    }
    for (&wrench, (twist, _)) in wrenches.iter().zip(&twists) {
        if wrench != PlainWrench::ZERO {
            let Wrench { force, torque } = Wrench::of(wrench, writer);
            terms.extend([force.dot(twist.linear), torque.dot(twist.angular)]);
        }
    }
    Ok(vec![Target::scalar("power", sum(terms).expr())])
}

/// The request for derivatives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rates {
    Without,
    With,
}

/// Mass, moment of mass and the latter's derivative.
#[derive(Clone, Copy)]
struct Moment<'g> {
    mu: Scalar<'g>,
    h: Vec3<'g>,
    hd: Vec3<'g>,
}

/// A moment over the total mass.
fn per_mass<'g>(function: &str, all: &Moment<'g>, h: Vec3<'g>) -> Result<Vec3<'g>, Problem> {
    if all.mu.is_zero() {
        return Err(Problem::new(
            format!("`{function}` needs a centre of mass, and no body of the model has a mass"),
            "give a body a `mass`",
        ));
    }
    Ok(h / all.mu)
}

/// Of the whole mechanism, in the ground's axes and about its origin.
fn moment<'g>(writer: Writer<'_, 'g>, rates: Rates) -> Moment<'g> {
    let own = |node: NodeId| {
        let (m, l, _) = writer.inertia(node);
        Moment { mu: m, h: m * l, hd: Vec3::ZERO }
    };
    let mut sums: ByNode<Moment<'g>> = writer.tree.nodes.ids().map(own).collect();
    for i in writer.tree.inward() {
        let node = &writer.tree.nodes[i];
        let (R, z) = writer.displacement(i);
        let (fixed, d) = writer.anchored(i);
        let own = sums[i];
        let (mu, h) = (writer.name("mu", i, own.mu), writer.name("h", i, own.h));
        let parent = &mut sums[node.parent];
        parent.mu += mu;
        let side = (R * h + mu * z).named(&format!("h[{},fixed]", node.name));
        parent.h = sum([parent.h, fixed * side, mu * d]);
        if rates == Rates::With {
            let (W, V) = writer.velocities(i);
            let hd = writer.name("hd", i, sum([own.hd, W.cross(h), mu * V]));
            let side = (R * hd).named(&format!("hd[{},fixed]", node.name));
            parent.hd += fixed * side;
        }
    }
    sums[NodeId::GROUND]
}

/// Velocities of all nodes in their own axes: of the node, and of its centre of mass.
fn twists<'g>(writer: Writer<'_, 'g>) -> ByNode<(Twist<'g>, Vec3<'g>)> {
    let rest = Twist { angular: Vec3::ZERO, linear: Vec3::ZERO };
    let mut twists = ByNode::from(vec![(rest, Vec3::ZERO)]);
    for i in writer.tree.outward() {
        let h = twists[writer.tree.nodes[i].parent].0;
        let (R, d) = writer.placed(i);
        let (W, V) = writer.velocities(i);
        let (_, l, _) = writer.inertia(i);
        let back = R.transpose();
        let w = writer.name("w", i, back * h.angular + W);
        let v = writer.name("v", i, back * (h.linear + h.angular.cross(d)) + V);
        let at_com = writer.name("vc", i, v + w.cross(l));
        twists.push((Twist { angular: w, linear: v }, at_com));
    }
    twists
}

/// Momentum, and angular momentum about the ground's origin, in the ground's axes.
fn momenta<'g>(writer: Writer<'_, 'g>) -> (Vec3<'g>, Vec3<'g>) {
    let twists = twists(writer);
    let mut sums = writer.tree.by_node((Vec3::ZERO, Vec3::ZERO));
    for i in writer.tree.inward() {
        let ((m, l, I), (twist, at_com)) = (writer.inertia(i), twists[i]);
        let (R, d) = writer.placed(i);
        let momentum = m * at_com;
        let linear = writer.name("Pl", i, sums[i].0 + momentum);
        let angular = sum([sums[i].1, I * twist.angular, l.cross(momentum)]);
        let angular = writer.name("H", i, angular);
        let linear = R * linear;
        let (turned, lever) = (R * angular, d.cross(linear));
        let parent = &mut sums[writer.tree.nodes[i].parent];
        *parent = (parent.0 + linear, sum([parent.1, turned, lever]));
    }
    sums[NodeId::GROUND]
}
