//! Wheels on the ground (Postiau, section 1.5.3, corrected).
//!
//! A wheel is a disc about its axle `a` through its centre G. With the normal n of the ground at
//! the contact:
//!
//! ```text
//! T1 = S1 = a x n / |a x n|    forward          cos = |a x n|, sin = a . n    of the camber
//! S2 = n x S1                  to the left      T3 = T1 x a                   from the contact to the centre
//! h = (G - P) . n              height           depth = R cos - h             radius r = h/cos, at most R
//! ```
//!
//! Only the centre and the direction of the axle enter, so the wheel's own angle drops out. With
//! `w1 = w . T1`:
//!
//! ```text
//! speed = v . S1        v_left = v . S2 + r cos w1        spin = w . a        v_slip = speed - r spin
//! slip = v_slip/D       side_slip = atan(v_left/D)        D = max(|speed|, 0.1 m/s)
//! depth_rate = -(v - ground's) . n - R sin w1             camber = atan2(sin, cos)
//! ```
//!
//! `D` is the speed wherever that is more than a slow walk; below, it is constant, so that nothing
//! is infinite at rest and the slips go to zero with the velocities. The rate of the depth is exact
//! on flat ground, moving or not; on other ground the turn of the normal times the depth is left
//! out. Forces and moments of the laws are along S1, S2 and n, and act at the contact. In the frame
//! T, and about the centre:
//!
//! ```text
//! F = (f1, cos f2 + sin f3, cos f3 - sin f2)
//! L = (m1 + r F2, cos m2 + sin m3 - r F1, cos m3 - sin m2)
//! ```
//!
//! A tyre pushes only: the vertical force is the law's where that is positive and the tyre is
//! compressed, and without contact all forces vanish.

use super::line_forces::put;
use super::{References, add, ground};
use crate::tree::{ElementaryMotion, Tree, Wrench};
use rotule_model::mechanism::{Placement, Wheel};
use rotule_symbolic::{Binary, Compare, Expr, Graph, Matrix, Node, Number, Unary, Vector};

/// The speed below which slips are relative to this speed.
const SLOW: f64 = 0.1;

/// The least cosine of the camber: a wheel that lies flat has no direction, and does not touch.
const FLAT: f64 = 1e-9;

/// Depth of names to which the direction of an axle is expanded.
const LEVELS: u32 = 8;

/// Number of joints that a direction is followed through.
const PATH: usize = 12;

/// The contact of a wheel with the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub depth: Expr,
    pub depth_rate: Expr,
    pub camber: Expr,
    pub slip: Expr,
    pub side_slip: Expr,
    pub spin: Expr,
    pub speed: Expr,
    /// Along S1, S2 and the normal, on the wheel.
    pub force: Vector,
    /// Likewise.
    pub torque: Vector,
    /// Where the wheel touches, or its lowest point, in the axes of the ground.
    pub point: Vector,
    /// Force and torque on the wheel's node.
    wrench: Wrench,
}

/// The frame that a wheel is looked at in: that of its node, without the spin if the joint is the
/// axle.
pub(super) struct Hub {
    /// From the frame's components to the ground's.
    pub rotation: Matrix,
    /// The centre and its velocity, in the axes of the ground.
    pub centre: Vector,
    pub velocity: Vector,
    /// The angular velocity, without the spin if the joint is the axle.
    pub angular: Vector,
    /// The speed of the joint if it is the axle.
    pub turning: Expr,
    /// The axle in the axes of the frame, and of the ground.
    pub axle: Vector,
    pub axis: Vector,
    /// From the node's axes to the frame's.
    pub turn: Matrix,
    /// The centre in the node's axes.
    pub inside: Vector,
    /// The rotations from the ground to the frame, one after the other; empty if they are many.
    pub path: Vec<Matrix>,
}

/// The tangent frame.
pub(crate) struct Tangent {
    pub forward: Vector,
    pub left: Vector,
    pub normal: Vector,
    /// `T3`
    pub up: Vector,
    pub cosine: Expr,
    pub sine: Expr,
    /// Forward in the axes of the hub's frame.
    pub inside: Vector,
}

/// Adds a wheel's forces to those of its node.
pub(super) fn apply(
    tree: &mut Tree,
    references: &mut References,
    index: usize,
    sums: &mut [Wrench],
) {
    if tree.mechanism.wheels[index].rolling {
        return;
    }
    let contact = contact(tree, references, index);
    let node = tree.bodies[tree.mechanism.wheels[index].body.index()].0;
    add(&mut sums[node], contact.wrench.force, contact.wrench.torque, tree);
}

/// The contact of a wheel, written once.
pub(super) fn contact(tree: &mut Tree, references: &mut References, index: usize) -> Contact {
    tree.contacts.resize(tree.mechanism.wheels.len(), None);
    if let Some(known) = tree.contacts[index] {
        return known;
    }
    let wheel = tree.mechanism.wheels[index].clone();
    let hub = hub(tree, references, &wheel);
    let made = write(tree, &wheel, &hub);
    tree.contacts[index] = Some(made);
    made
}

/// The contact of a rolling wheel with flat ground.
pub(crate) struct Touch {
    pub tangent: Tangent,
    /// The axle, in the axes of the ground.
    pub axis: Vector,
    /// The distance of disc and ground.
    pub gap: Expr,
    /// The speed at which the ground rises.
    pub rising: Expr,
}

/// The contact of a disc that touches flat ground; none if the ground is not flat.
pub(crate) fn touch(tree: &mut Tree, index: usize) -> Option<Touch> {
    let wheel = tree.mechanism.wheels[index].clone();
    if !ground::is_flat(tree, &wheel) {
        return None;
    }
    let hub = hub(tree, &mut References::default(), &wheel);
    let surface = ground::under(tree, &wheel, &hub);
    let graph = &mut tree.mechanism.graph;
    let tangent = tangent(&hub, surface.normal, graph);
    let reach = graph.mul(wheel.radius, tangent.cosine);
    let gap = graph.sub(surface.above[2], reach);
    Some(Touch { tangent, axis: hub.axis, gap, rising: surface.rising })
}

fn hub(tree: &mut Tree, references: &mut References, wheel: &Wheel) -> Hub {
    let (node, placement) = tree.bodies[wheel.body.index()];
    let joint = axle_joint(tree, wheel, node, placement);
    let frames = references.to(tree, 0);
    let Some(axle) = joint else {
        let axle = placement.rotation.apply(wheel.axle, &mut tree.mechanism.graph);
        let moving =
            frames.place(tree, node, Placement { rotation: Matrix::IDENTITY, ..placement });
        let axis = moving.rotation.apply(axle, &mut tree.mechanism.graph);
        return Hub {
            rotation: moving.rotation,
            centre: moving.position,
            velocity: moving.velocity,
            angular: moving.angular,
            turning: Expr::ZERO,
            axle,
            axis,
            turn: Matrix::IDENTITY,
            inside: placement.position,
            path: path(tree, node),
        };
    };
    // The centre is on the joint's axis, which moves with the parent: the angle of the joint does
    // not matter.
    let parent = tree.nodes[node].parent;
    let centre = Placement { rotation: Matrix::IDENTITY, ..placement };
    let side = tree.nodes[node].placement.then(centre, &mut tree.mechanism.graph);
    let moving = frames.place(tree, parent, side);
    let (turn, _) = tree.displacement(node);
    let speed = tree.qd[tree.nodes[node].speed];
    let (turning, _) = tree.rates(node, &[speed]);
    let mut path = path(tree, parent);
    if !path.is_empty() {
        path.push(side.rotation);
    }
    let graph = &mut tree.mechanism.graph;
    Hub {
        rotation: moving.rotation,
        centre: moving.position,
        velocity: moving.velocity,
        angular: moving.angular,
        turning: turning.dot(axle, graph),
        axle,
        axis: moving.rotation.apply(axle, graph),
        turn,
        inside: placement.position,
        path,
    }
}

/// The rotations of the nodes from the ground to one.
fn path(tree: &mut Tree, node: usize) -> Vec<Matrix> {
    let mut nodes = Vec::new();
    let mut at = node;
    while at != 0 {
        nodes.push(at);
        at = tree.nodes[at].parent;
        if nodes.len() > PATH {
            return Vec::new();
        }
    }
    nodes.into_iter().rev().map(|node| tree.placed(node).rotation).collect()
}

/// The axle in the node's axes, if the node turns about it and the centre is on the joint's axis.
fn axle_joint(tree: &mut Tree, wheel: &Wheel, node: usize, placement: Placement) -> Option<Vector> {
    let ElementaryMotion::Revolute { axis, reversed } = tree.nodes[node].motion else {
        return None;
    };
    if (0..3).any(|i| i != axis && placement.position[i] != Expr::ZERO) {
        return None;
    }
    // The axis as the file gives it: in the node's axes it might differ by rounding.
    let unit = Vector::unit(axis);
    if let Some(own) = tree.mechanism.joint_of(wheel.body).and_then(|joint| joint.axes.last()) {
        let along = if reversed { -unit } else { unit };
        if *own == wheel.axle {
            return Some(along);
        }
        if -*own == wheel.axle {
            return Some(-along);
        }
    }
    let axle = placement.rotation.apply(wheel.axle, &mut tree.mechanism.graph);
    [unit, -unit].into_iter().find(|along| *along == axle)
}

fn write(tree: &mut Tree, wheel: &Wheel, hub: &Hub) -> Contact {
    let name = wheel.name.as_str();
    let surface = ground::under(tree, wheel, hub);
    let graph = &mut tree.mechanism.graph;
    let named =
        |what: &str, expr: Expr, graph: &mut Graph| graph.name(&format!("{what}[{name}]"), expr);
    let tangent = tangent(hub, surface.normal, graph);
    let Tangent { forward, left, normal, up, cosine, sine, inside } = tangent;

    let height = surface.above.dot(normal, graph);
    let height = named("height", height, graph);
    let reach = graph.mul(wheel.radius, cosine);
    let raw = graph.sub(reach, height);
    let raw = named("reach", raw, graph);
    let depth = graph.binary(Binary::Max, Expr::ZERO, raw);
    let loaded = graph.div(height, cosine);
    let loaded = graph.binary(Binary::Min, loaded, wheel.radius);
    let radius = named("radius", loaded, graph);

    let speed = hub.velocity.dot(forward, graph);
    let speed = named("speed", speed, graph);
    let rolling = hub.angular.dot(forward, graph);
    let rolling = named("w1", rolling, graph);
    let carried = hub.angular.dot(hub.axis, graph);
    let spin = graph.add(carried, hub.turning);
    let spin = named("spin", spin, graph);
    let sideways = hub.velocity.dot(left, graph);
    let arm = graph.mul(radius, cosine);
    let swing = graph.mul(arm, rolling);
    let sideways = graph.add(sideways, swing);
    let rim = graph.mul(radius, spin);
    let sliding = graph.sub(speed, rim);
    let slow = graph.number(Number::Real(SLOW));
    let size = graph.unary(Unary::Abs, speed);
    let below = graph.binary(Binary::Max, size, slow);
    let below = named("D", below, graph);
    let slip = graph.div(sliding, below);
    let slip = named("slip", slip, graph);
    let tangent_of = graph.div(sideways, below);
    let side_slip = graph.unary(Unary::Atan, tangent_of);
    let side_slip = named("side_slip", side_slip, graph);
    let camber =
        if sine == Expr::ZERO { Expr::ZERO } else { graph.binary(Binary::Atan2, sine, cosine) };
    let camber = named("camber", camber, graph);

    let mut velocity = hub.velocity;
    velocity[2] = graph.sub(velocity[2], surface.rising);
    let away = velocity.dot(normal, graph);
    let leaning = [wheel.radius, sine, rolling];
    let leaning = graph.product(&leaning);
    let rate = -graph.add(away, leaning);
    let rate = named("depth_rate", rate, graph);

    let known = [
        ("wheel.depth", depth),
        ("wheel.camber", camber),
        ("wheel.depth_rate", rate),
        ("wheel.side_slip", side_slip),
        ("wheel.slip", slip),
        ("wheel.spin", spin),
        ("wheel.speed", speed),
    ];
    let laws = laws(tree, wheel, raw, &known);
    let graph = &mut tree.mechanism.graph;
    let [f3, f1, f2, m1, m2, m3] = laws;
    let depth_rate = graph.select(Compare::Less, Expr::ZERO, raw, rate, Expr::ZERO);

    // From the contact's axes to the frame T, about the centre.
    let mix = |a: Expr, b: Expr, c: Expr, d: Expr, graph: &mut Graph| {
        let (first, second) = (graph.mul(a, b), graph.mul(c, d));
        graph.add(first, second)
    };
    let across = mix(cosine, f2, sine, f3, graph);
    let across = named("F2", across, graph);
    let upwards = mix(cosine, f3, -sine, f2, graph);
    let upwards = named("F3", upwards, graph);
    let pitch = mix(cosine, m2, sine, m3, graph);
    let yaw = mix(cosine, m3, -sine, m2, graph);
    let roll = mix(radius, across, Expr::ONE, m1, graph);
    let pitch = mix(-radius, f1, Expr::ONE, pitch, graph);
    let third = inside.cross(hub.axle, graph);
    let mut turned = |parts: [Expr; 3], label: &str| {
        let first = inside.scale(parts[0], graph);
        let second = hub.axle.scale(parts[1], graph);
        let last = third.scale(parts[2], graph);
        let sum = first.add(second, graph).add(last, graph);
        let sum = sum.name(&format!("{label}[{name}]"), graph);
        hub.turn.transpose().apply(sum, graph)
    };
    let force = turned([f1, across, upwards], "Fw");
    let torque = turned([roll, pitch, yaw], "Lw");
    let lever = hub.inside.cross(force, graph);
    let torque = torque.add(lever, graph);
    let down = up.scale(radius, graph);
    Contact {
        depth,
        depth_rate,
        camber,
        slip,
        side_slip,
        spin,
        speed,
        force: Vector([f1, f2, f3]),
        torque: Vector([m1, m2, m3]),
        point: hub.centre.sub(down, graph),
        wrench: Wrench { force, torque },
    }
}

/// The forces and moments of the laws, in their order. Without contact they vanish.
fn laws(tree: &mut Tree, wheel: &Wheel, raw: Expr, known: &[(&str, Expr)]) -> [Expr; 6] {
    let mut known = known.to_vec();
    let touching = |value: Expr, graph: &mut Graph| {
        graph.select(Compare::Less, Expr::ZERO, raw, value, Expr::ZERO)
    };
    let vertical = put(tree, &wheel.laws[..1], &known)[0];
    let graph = &mut tree.mechanism.graph;
    let vertical = graph.binary(Binary::Max, Expr::ZERO, vertical);
    let vertical = touching(vertical, graph);
    let load = graph.name(&format!("Fz[{}]", wheel.name), vertical);
    // A law that is in proportion to the load vanishes by itself.
    let zero = put(tree, &wheel.laws[1..], &[("wheel.Fz", Expr::ZERO)]);
    known.push(("wheel.Fz", load));
    let others = put(tree, &wheel.laws[1..], &known);
    let graph = &mut tree.mechanism.graph;
    let mut forces = [load; 6];
    for (index, (law, without)) in others.into_iter().zip(zero).enumerate() {
        let value = if without == Expr::ZERO { law } else { touching(law, graph) };
        let label = rotule_model::draft::WHEEL_LAWS[index + 1];
        forces[index + 1] = graph.name(&format!("{label}[{}]", wheel.name), value);
    }
    forces
}

/// The tangent frame of a wheel on ground with a normal, of any length.
pub(super) fn tangent(hub: &Hub, normal: Vector, graph: &mut Graph) -> Tangent {
    let axis = Vector(hub.axis.0.map(|component| seen(component, graph, LEVELS)));
    let across = axis.cross(normal, graph);
    let squares = across.dot(across, graph);
    let size = graph.sqrt(squares);
    let steep = {
        let squares = normal.dot(normal, graph);
        graph.sqrt(squares)
    };
    let unit = Vector(normal.0.map(|component| graph.div(component, steep)));
    // Where the engine finds |x| for the size, `across/x` is simpler than `across/|x|`.
    let (below, sign, size) = match graph.node(size) {
        Node::Unary(Unary::Abs, inner) => (inner, graph.unary(Unary::Sign, inner), size),
        Node::Number(_) => (size, Expr::ONE, size),
        _ => {
            let least = graph.number(Number::Real(FLAT));
            let size = graph.binary(Binary::Max, size, least);
            let size = graph.name("across", size);
            (size, Expr::ONE, size)
        }
    };
    let plain = Vector(across.0.map(|component| graph.div(component, below)));
    let mut inside = turned_in(hub, plain, graph);
    for i in 0..3 {
        // Forward is across the axle: where that is an axis of the frame, exactly.
        if hub.axle == Vector::unit(i) || hub.axle == -Vector::unit(i) {
            inside[i] = Expr::ZERO;
        }
    }
    let cosine = graph.div(size, steep);
    let forward = plain.scale(sign, graph);
    let sine = hub.axis.dot(unit, graph);
    let left = unit.cross(forward, graph);
    let mut up = forward.cross(hub.axis, graph);
    if unit == Vector::unit(2) {
        up[2] = cosine;
    }
    Tangent { forward, left, normal: unit, up, cosine, sine, inside: inside.scale(sign, graph) }
}

/// A direction in the axes of the hub's frame: by the frame's rotation, or joint by joint where
/// angles cancel on the way, as the yaw does in the direction that a wheel rolls in.
fn turned_in(hub: &Hub, direction: Vector, graph: &mut Graph) -> Vector {
    let direct = hub.rotation.transpose().apply(direction, graph);
    if hub.path.is_empty() {
        return direct;
    }
    let step = |vector: Vector, turn: &Matrix| turn.transpose().apply(vector, graph);
    let stepped = hub.path.iter().fold(direction, step);
    // The rotation's entries are there anyway: what remains is two sums of two products, or more.
    let operations = graph.counts(&stepped.0).arithmetic();
    if operations <= 6 { stepped } else { direct }
}

/// An expression with the names in it replaced by the products they stand for: a quotient may
/// cancel then. Names of sums stay. The recursion is a few levels deep.
fn seen(expr: Expr, graph: &mut Graph, levels: u32) -> Expr {
    let Some(levels) = levels.checked_sub(1) else { return expr };
    let factors = match graph.node(expr) {
        Node::Variable(id) => {
            let definition = graph.definition(id);
            if matches!(graph.node(definition), Node::Sum(_)) {
                return expr;
            }
            let inner = seen(definition, graph, levels);
            return if expr.is_negative() { -inner } else { inner };
        }
        Node::Product(factors) => factors.to_vec(),
        _ => return expr,
    };
    let mut parts = Vec::with_capacity(factors.len());
    for factor in factors {
        let base = seen(factor.base, graph, levels);
        parts.push(graph.powi(base, factor.power));
    }
    let product = graph.product(&parts);
    if expr.is_negative() { -product } else { product }
}
