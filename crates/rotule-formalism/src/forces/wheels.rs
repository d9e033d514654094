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

#![allow(non_snake_case)] // symbols as in the formulas

use super::{References, ground, put};
use crate::joint_motion::Place;
use crate::spatial::Wrench;
use crate::tree::{ByNode, NodeId, PlainWrench};
use crate::writer::Writer;
use rotule_model::mechanism::Wheel;
use rotule_symbolic::{
    Binary, Compare, Expr, Graph, Mat3, Node, Number, Scalar, Unary, Vec3, Vector,
};

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
    wrench: PlainWrench,
}

/// The frame that a wheel is looked at in: that of its node, without the spin if the joint is the
/// axle.
pub(super) struct Hub<'g> {
    /// From the frame's components to the ground's.
    pub R: Mat3<'g>,
    /// The centre and its velocity, in the axes of the ground.
    pub G: Vec3<'g>,
    pub v: Vec3<'g>,
    /// The angular velocity, without the spin if the joint is the axle.
    pub w: Vec3<'g>,
    /// The speed of the joint if it is the axle.
    pub turning: Scalar<'g>,
    /// The axle in the axes of the frame, and of the ground.
    pub axle: Vec3<'g>,
    pub a: Vec3<'g>,
    /// From the node's axes to the frame's.
    pub turn: Mat3<'g>,
    /// The centre in the node's axes.
    pub inside: Vec3<'g>,
    /// The rotations from the ground to the frame, one after the other; empty if they are many.
    pub path: Vec<Mat3<'g>>,
}

/// The tangent frame.
#[derive(Clone, Copy)]
pub(crate) struct Tangent<'g> {
    pub forward: Vec3<'g>,
    pub left: Vec3<'g>,
    pub normal: Vec3<'g>,
    /// `T3`
    pub up: Vec3<'g>,
    pub cosine: Scalar<'g>,
    pub sine: Scalar<'g>,
    /// Forward in the axes of the hub's frame.
    pub inside: Vec3<'g>,
}

/// Adds a wheel's forces to those of its node.
pub(super) fn apply<'g>(
    writer: Writer<'_, 'g>,
    references: &mut References<'g>,
    index: usize,
    sums: &mut ByNode<Wrench<'g>>,
) {
    let wheel = &writer.mechanism.wheels[index];
    if wheel.rolling {
        return;
    }
    let contact = contact(writer, references, index);
    let node = writer.tree.bodies[wheel.body].0;
    sums[node] += Wrench::of(contact.wrench, writer);
}

/// The contact of a wheel, written once.
pub(super) fn contact<'g>(
    writer: Writer<'_, 'g>,
    references: &mut References<'g>,
    index: usize,
) -> Contact {
    let wheels = &writer.mechanism.wheels;
    writer.sheet.contacts.borrow_mut().resize(wheels.len(), None);
    if let Some(known) = writer.sheet.contacts.borrow()[index] {
        return known;
    }
    let (hub, geometry) = geometry(writer, references, index);
    let made = write(writer, index, &hub, &geometry);
    writer.sheet.contacts.borrow_mut()[index] = Some(made);
    made
}

/// The contact of a rolling wheel with flat ground.
pub(crate) struct Touch<'g> {
    pub tangent: Tangent<'g>,
    /// The axle, in the axes of the ground.
    pub a: Vec3<'g>,
    /// The distance of disc and ground.
    pub gap: Scalar<'g>,
    /// The speed at which the ground rises.
    pub rising: Scalar<'g>,
}

/// The contact of a disc that touches flat ground; none if the ground is not flat.
pub(crate) fn touch<'g>(writer: Writer<'_, 'g>, index: usize) -> Option<Touch<'g>> {
    let wheel = &writer.mechanism.wheels[index];
    if !ground::is_flat(writer, wheel) {
        return None;
    }
    let hub = hub(writer, &mut References::default(), wheel);
    let surface = ground::under(writer, wheel, &hub);
    let tangent = tangent(writer, &hub, surface.normal);
    let reach = writer.scalar(wheel.radius) * tangent.cosine;
    let gap = surface.above[2] - reach;
    Some(Touch { tangent, a: hub.a, gap, rising: surface.rising })
}

fn hub<'g>(writer: Writer<'_, 'g>, references: &mut References<'g>, wheel: &Wheel) -> Hub<'g> {
    let place = writer.body(wheel.body);
    let node = place.node;
    let joint = axle_joint(writer, wheel, place);
    let frames = references.to(NodeId::GROUND);
    let Some(axle) = joint else {
        let axle = place.R * writer.vector(wheel.axle);
        let moving = frames.place(writer, place.in_axes_of_node());
        return Hub {
            R: moving.R,
            G: moving.p,
            v: moving.v,
            w: moving.w,
            turning: Scalar::ZERO,
            axle,
            a: moving.R * axle,
            turn: Mat3::IDENTITY,
            inside: place.d,
            path: path(writer, node),
        };
    };
    // The centre is on the joint's axis, which moves with the parent: the angle of the joint does
    // not matter.
    let parent = writer.tree.nodes[node].parent;
    let (R, d) = writer.anchored(node);
    let side = Place { node: parent, d: d + R * place.d, R };
    let moving = frames.place(writer, side);
    let (turn, _) = writer.displacement(node);
    let (turning, _) = writer.velocities(node);
    let mut path = path(writer, parent);
    if !path.is_empty() {
        path.push(side.R);
    }
    Hub {
        R: moving.R,
        G: moving.p,
        v: moving.v,
        w: moving.w,
        turning: turning.dot(axle),
        axle,
        a: moving.R * axle,
        turn,
        inside: place.d,
        path,
    }
}

/// The rotations of the nodes from the ground to one.
fn path<'g>(writer: Writer<'_, 'g>, node: NodeId) -> Vec<Mat3<'g>> {
    let mut nodes = Vec::new();
    let mut at = node;
    while at != NodeId::GROUND {
        nodes.push(at);
        at = writer.tree.nodes[at].parent;
        if nodes.len() > PATH {
            return Vec::new();
        }
    }
    nodes.into_iter().rev().map(|node| writer.placed(node).0).collect()
}

/// The axle in the node's axes, if the node turns about it and the centre is on the joint's axis.
fn axle_joint<'g>(writer: Writer<'_, 'g>, wheel: &Wheel, place: Place<'g>) -> Option<Vec3<'g>> {
    let (axis, reversed) = writer.tree.nodes[place.node].motion.turn()?;
    if (0..3).any(|i| i != axis && !place.d[i].is_zero()) {
        return None;
    }
    // The axis as the file gives it: in the node's axes it might differ by rounding.
    let unit = Vec3::unit(axis);
    if let Some(own) = writer.mechanism.joint_of(wheel.body).and_then(|joint| joint.axes.last()) {
        let along = if reversed { -unit } else { unit };
        if *own == wheel.axle {
            return Some(along);
        }
        if -*own == wheel.axle {
            return Some(-along);
        }
    }
    let axle = place.R * writer.vector(wheel.axle);
    [unit, -unit].into_iter().find(|along| *along == axle)
}

/// All of a contact that does not depend on the laws of the wheel.
pub(crate) struct Geometry<'g> {
    tangent: Tangent<'g>,
    /// The depth, negative without contact; the depth itself is never negative.
    raw: Scalar<'g>,
    depth: Scalar<'g>,
    /// The rate of the depth if the wheel touches.
    rate: Scalar<'g>,
    camber: Scalar<'g>,
    slip: Scalar<'g>,
    side_slip: Scalar<'g>,
    spin: Scalar<'g>,
    speed: Scalar<'g>,
    /// The radius at the contact.
    r: Scalar<'g>,
    /// Where the wheel touches, or its lowest point, in the axes of the ground.
    pub point: Vec3<'g>,
}

impl<'g> Geometry<'g> {
    /// The rate of the depth, zero without contact.
    fn depth_rate(&self) -> Scalar<'g> {
        self.rate.where_else(Compare::Less, Scalar::ZERO, self.raw, Scalar::ZERO)
    }

    /// A quantity by its position in [`rotule_model::mechanism::WHEEL_GEOMETRY`].
    pub fn quantity(&self, number: usize) -> Scalar<'g> {
        match number {
            0 => self.depth,
            1 => self.depth_rate(),
            2 => self.camber,
            3 => self.slip,
            4 => self.side_slip,
            5 => self.spin,
            _ => self.speed,
        }
    }
}

/// The geometry of a contact, and the frame that it is relative to.
pub(super) fn geometry<'g>(
    writer: Writer<'_, 'g>,
    references: &mut References<'g>,
    index: usize,
) -> (Hub<'g>, Geometry<'g>) {
    let wheel = &writer.mechanism.wheels[index];
    let hub = hub(writer, references, wheel);
    let name = wheel.name.as_str();
    let surface = ground::under(writer, wheel, &hub);
    let named = |what: &str, value: Scalar<'g>| value.named(&format!("{what}[{name}]"));
    let tangent = tangent(writer, &hub, surface.normal);
    let Tangent { forward, left, normal, up, cosine, sine, .. } = tangent;
    let R = writer.scalar(wheel.radius);

    let height = named("height", surface.above.dot(normal));
    let raw = named("reach", R * cosine - height);
    let depth = Scalar::ZERO.binary(Binary::Max, raw);
    let r = named("radius", (height / cosine).binary(Binary::Min, R));

    let speed = named("speed", hub.v.dot(forward));
    let w1 = named("w1", hub.w.dot(forward));
    let spin = named("spin", hub.w.dot(hub.a) + hub.turning);
    let sideways = hub.v.dot(left);
    let sideways = sideways + r * cosine * w1;
    let sliding = speed - r * spin;
    let slow = writer.number(Number::Real(SLOW));
    let D = named("D", speed.unary(Unary::Abs).binary(Binary::Max, slow));
    let slip = named("slip", sliding / D);
    let side_slip = named("side_slip", (sideways / D).unary(Unary::Atan));
    let camber = if sine.is_zero() { Scalar::ZERO } else { sine.binary(Binary::Atan2, cosine) };
    let camber = named("camber", camber);

    let mut velocity = hub.v;
    velocity[2] -= surface.rising;
    let away = velocity.dot(normal);
    let leaning =
        writer.scalar(writer.edit(|graph| graph.product(&[R.expr(), sine.expr(), w1.expr()])));
    let rate = named("depth_rate", -(away + leaning));
    let down = r * up;
    let point = hub.G - down;
    let geometry =
        Geometry { tangent, raw, depth, rate, camber, slip, side_slip, spin, speed, r, point };
    (hub, geometry)
}

fn write<'g>(
    writer: Writer<'_, 'g>,
    index: usize,
    hub: &Hub<'g>,
    geometry: &Geometry<'g>,
) -> Contact {
    let name = writer.mechanism.wheels[index].name.as_str();
    let named = |what: &str, value: Scalar<'g>| value.named(&format!("{what}[{name}]"));
    let Geometry { raw, depth, rate, camber, slip, side_slip, spin, speed, r, .. } = *geometry;
    let Tangent { cosine, sine, inside, .. } = geometry.tangent;
    let known = [
        ("wheel.depth", depth),
        ("wheel.camber", camber),
        ("wheel.depth_rate", rate),
        ("wheel.side_slip", side_slip),
        ("wheel.slip", slip),
        ("wheel.spin", spin),
        ("wheel.speed", speed),
    ];
    let [f3, f1, f2, m1, m2, m3] = laws(writer, index, raw, &known);
    let depth_rate = geometry.depth_rate();

    // From the contact's axes to the frame T, about the centre.
    let F2 = named("F2", cosine * f2 + sine * f3);
    let F3 = named("F3", cosine * f3 + -sine * f2);
    let pitch = cosine * m2 + sine * m3;
    let yaw = cosine * m3 + -sine * m2;
    let roll = r * F2 + m1;
    let pitch = -r * f1 + pitch;
    let third = inside.cross(hub.axle);
    let turned = |parts: [Scalar<'g>; 3], label: &str| {
        let [first, second, last] = [parts[0] * inside, parts[1] * hub.axle, parts[2] * third];
        let sum = (first + second + last).named(&format!("{label}[{name}]"));
        hub.turn.transpose() * sum
    };
    let force = turned([f1, F2, F3], "Fw");
    let torque = turned([roll, pitch, yaw], "Lw");
    let lever = hub.inside.cross(force);
    let wrench = Wrench { force, torque: torque + lever };
    Contact {
        depth: depth.expr(),
        depth_rate: depth_rate.expr(),
        camber: camber.expr(),
        slip: slip.expr(),
        side_slip: side_slip.expr(),
        spin: spin.expr(),
        speed: speed.expr(),
        force: Vec3([f1, f2, f3]).plain(),
        torque: Vec3([m1, m2, m3]).plain(),
        point: geometry.point.plain(),
        wrench: wrench.plain(),
    }
}

/// The forces and moments of the laws, in their order. Without contact they vanish.
fn laws<'g>(
    writer: Writer<'_, 'g>,
    index: usize,
    raw: Scalar<'g>,
    known: &[(&str, Scalar<'g>)],
) -> [Scalar<'g>; 6] {
    let (wheel, laws) = (&writer.mechanism.wheels[index], &writer.motion.elements.wheels[index]);
    let mut known = known.to_vec();
    let touching =
        |value: Scalar<'g>| value.where_else(Compare::Less, Scalar::ZERO, raw, Scalar::ZERO);
    let vertical = put(writer, &laws[..1], &known)[0];
    let vertical = touching(Scalar::ZERO.binary(Binary::Max, vertical));
    let load = vertical.named(&format!("Fz[{}]", wheel.name));
    // A law that is in proportion to the load vanishes by itself.
    let zero = put(writer, &laws[1..], &[("wheel.Fz", Scalar::ZERO)]);
    known.push(("wheel.Fz", load));
    let others = put(writer, &laws[1..], &known);
    let mut forces = [load; 6];
    for (index, (law, without)) in others.into_iter().zip(zero).enumerate() {
        let value = if without.is_zero() { law } else { touching(law) };
        let label = rotule_model::draft::WHEEL_LAWS[index + 1];
        forces[index + 1] = value.named(&format!("{label}[{}]", wheel.name));
    }
    forces
}

/// The tangent frame of a wheel on ground with a normal, of any length.
pub(super) fn tangent<'g>(writer: Writer<'_, 'g>, hub: &Hub<'g>, normal: Vec3<'g>) -> Tangent<'g> {
    let seen =
        |value: Scalar<'g>| writer.scalar(writer.edit(|graph| seen(value.expr(), graph, LEVELS)));
    let across = Vec3(hub.a.0.map(seen)).cross(normal);
    let size = across.dot(across).sqrt();
    let steep = normal.dot(normal).sqrt();
    let unit = normal / steep;
    // Where the engine finds |x| for the size, `across/x` is simpler than `across/|x|`.
    let found = writer.read(|graph| match graph.node(size.expr()) {
        Node::Unary(Unary::Abs, inner) => Some(Some(inner)),
        Node::Number(_) => Some(None),
        _ => None,
    });
    let (below, sign, size) = match found {
        Some(Some(inner)) => {
            let inner = writer.scalar(inner);
            (inner, inner.unary(Unary::Sign), size)
        }
        Some(None) => (size, Scalar::ONE, size),
        None => {
            let least = writer.number(Number::Real(FLAT));
            let size = size.binary(Binary::Max, least).named("across");
            (size, Scalar::ONE, size)
        }
    };
    let plain = across / below;
    let mut inside = turned_in(writer, hub, plain);
    for i in 0..3 {
        // Forward is across the axle: where that is an axis of the frame, exactly.
        if hub.axle == Vec3::unit(i) || hub.axle == -Vec3::unit(i) {
            inside[i] = Scalar::ZERO;
        }
    }
    let cosine = size / steep;
    let forward = sign * plain;
    let sine = hub.a.dot(unit);
    let left = unit.cross(forward);
    let mut up = forward.cross(hub.a);
    if unit == Vec3::unit(2) {
        up[2] = cosine;
    }
    Tangent { forward, left, normal: unit, up, cosine, sine, inside: sign * inside }
}

/// A direction in the axes of the hub's frame: by the frame's rotation, or joint by joint where
/// angles cancel on the way, as the yaw does in the direction that a wheel rolls in.
fn turned_in<'g>(writer: Writer<'_, 'g>, hub: &Hub<'g>, direction: Vec3<'g>) -> Vec3<'g> {
    let direct = hub.R.transpose() * direction;
    if hub.path.is_empty() {
        return direct;
    }
    let stepped = hub.path.iter().fold(direction, |vector, turn| turn.transpose() * vector);
    // The rotation's entries exist anyway: what remains is two sums of two products, or more.
    let stepped_plain = stepped.plain().0;
    let operations = writer.read(|graph| graph.counts(&stepped_plain).arithmetic());
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
