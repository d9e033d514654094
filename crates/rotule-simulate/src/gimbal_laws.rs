//! A mechanism with a gimbal described by another Euler-angle sequence: laws still see the user's
//! angles.
//!
//! With the orientation `A` and the angular velocity `omega` of the new sequence, in the notation
//! of `euler_sequence.rs`, the user's angles and rates are
//!
//! ```text
//! cos(beta) = e3 . u1    S = e3 . u2 = sin(beta) sin(a)      C = e3 . w = -sin(beta) cos(a)       e3 = A n3
//! sin(beta) = side rho,  rho^2 = S^2 + C^2                   and c likewise from u1 in the body's frame
//! cd = (S omega.u2 + C omega.w) / rho^2    ad = omega.u1 - cos(beta) cd    bd = side (S omega.w - C omega.u2) / rho
//! ```
//!
//! Every angle is a reference plus what is beyond it, so that it goes on over whole revolutions;
//! references are parameters, which follow the motion from step to step. The side of gimbal lock is
//! the one on which the first angle is within a quarter revolution of its reference. These
//! expressions replace the symbols in all laws. Efforts of the user's axes become generalised
//! forces of the new coordinates by their virtual power: rates are `g_a . omega`, `g_b . omega`,
//! `g_c . omega`, so that the torque is `tau_a g_a + tau_b g_b + tau_c g_c`.
//!
//! A damper on an outer axis resists sideways motion of the third axis like `1 / rho^2`: it leads
//! the axis straight into gimbal lock. There a least `rho` in the torques of `g_a` and `g_c` keeps
//! the equations finite; rates stay what they are, so that they go to the same values
//! (`sequence_switch.rs` says when).

use crate::euler_sequence::AxisOrder;
use crate::expressions::{laws, watched};
use crate::gimbal::Gimbal;
use rotule_model::mechanism::Mechanism;
use rotule_model::pose::Components;
use rotule_symbolic::{Binary, Compare, Expr, Graph, Matrix, Vector};

/// The number of parameters of a gimbal: the references of its angles, and the least distance from
/// gimbal lock in the torques of efforts on its outer axes.
pub(crate) const PARAMETERS: usize = 4;

/// The part of the least distance within which the outer angles are those of the reference.
pub(crate) const STRAIGHT: f64 = 1e-3;

/// Gives a mechanism the parameters of a gimbal; their symbols.
pub(crate) fn add_parameters(mechanism: &mut Mechanism, gimbal: &Gimbal) -> [Expr; PARAMETERS] {
    let names = gimbal.coordinates.map(|at| mechanism.coordinates[at].name.clone());
    let [a, b, c] = names.each_ref().map(|name| format!("{name}.reference"));
    let least = format!("{}.least_distance", names[1]);
    [a, b, c, least].map(|name| mechanism.add_parameter(&name, 0.0))
}

/// Describes a gimbal by rotations about frame axes in an order. Constant efforts act on the user's
/// axes besides laws.
pub(crate) fn describe_by(
    mechanism: &mut Mechanism,
    gimbal: &Gimbal,
    order: AxisOrder,
    parameters: [Expr; PARAMETERS],
    efforts: Components,
) {
    let q = gimbal.coordinates.map(|at| mechanism.coordinates[at].symbol);
    let qd = gimbal.speeds.map(|at| mechanism.speeds[at].symbol);
    let user = UserAngles::new(&mut mechanism.graph, gimbal, order, q, qd, parameters);
    let pairs: Vec<(Expr, Expr)> =
        q.into_iter().zip(user.angles).chain(qd.into_iter().zip(user.rates)).collect();
    for list in [laws, watched] {
        let old: Vec<Expr> = list(mechanism).into_iter().map(|one| *one).collect();
        let new = mechanism.graph.substitute(&old, &pairs);
        list(mechanism).into_iter().zip(new).for_each(|(one, new)| *one = new);
    }
    let graph = &mut mechanism.graph;
    let given = efforts.map(|effort| graph.number(effort));
    let on_axes: [Expr; 3] =
        std::array::from_fn(|k| graph.add(mechanism.joints[gimbal.joints[k]].effort[0], given[k]));
    let forces = user.generalised_forces(graph, on_axes);
    for (k, &at) in gimbal.joints.iter().enumerate() {
        // What is given besides the law is added to it by the equations of motion.
        mechanism.joints[at].effort = vec![graph.sub(forces[k], given[k])];
        let joint = &mut mechanism.joints[at];
        joint.axes = vec![Vector::unit(order[k])];
        // Limits and requested roles are about the user's angles.
        (joint.range, joint.max_speed, joint.max_effort) = (None, None, None);
        joint.partition = None;
        if k > 0 {
            mechanism.bodies[at + 1].placement.rotation = Matrix::IDENTITY;
        }
    }
}

/// The user's angles and rates as expressions of the new coordinates and speeds.
struct UserAngles {
    angles: [Expr; 3],
    rates: [Expr; 3],
    /// The new axes in the outer frame, along `u1`, `u2` and `w`.
    axes: [Vector; 3],
    /// Torques of unit efforts in the same components: the gradients of the rates by the angular
    /// velocity, bounded by the least distance from gimbal lock.
    arms: [Vector; 3],
}

impl UserAngles {
    fn new(
        graph: &mut Graph,
        gimbal: &Gimbal,
        order: AxisOrder,
        q: [Expr; 3],
        qd: [Expr; 3],
        [first, middle, last, least]: [Expr; PARAMETERS],
    ) -> UserAngles {
        let rotations: [Matrix; 3] =
            std::array::from_fn(|k| Matrix::rotation(Vector::unit(order[k]), q[k], graph));
        let two = rotations[0].mul(rotations[1], graph);
        let orientation = two.mul(rotations[2], graph);
        let outer = gimbal.user.outer().map(|v| numbers(v, graph));
        let inner = gimbal.user.inner().map(|v| numbers(v, graph));
        let components =
            |v: Vector, graph: &mut Graph| Vector(outer.map(|axis| axis.dot(v, graph)));
        let name = |expr: Expr, name: &str, graph: &mut Graph| graph.name(name, expr);
        let axes = [Vector::unit(order[0]), rotations[0].column(order[1]), two.column(order[2])]
            .map(|axis| components(axis, graph).name("euler.axis", graph));
        let third = orientation.apply(inner[0], graph);
        let [cosine, s, c] = components(third, graph).name("euler.third", graph).0;
        let first_axis = Vector(inner.map(|v| {
            let moved = orientation.apply(v, graph);
            outer[0].dot(moved, graph)
        }));
        let [_, s_last, c_last] = first_axis.name("euler.first", graph).0;
        let squares = [s, c].map(|x| graph.square(x));
        let squares = graph.sum(&squares);
        let squares = name(squares, "euler.squares", graph);
        let rho = graph.sqrt(squares);
        let rho = name(rho, "euler.sine", graph);
        let (along, across) = (graph.cos(first), graph.sin(first));
        let (ahead, beside) = (graph.mul(s, across), graph.mul(c, along));
        let straight = graph.sub(ahead, beside);
        let straight = name(straight, "euler.straight", graph);
        let side = graph.select(Compare::Less, straight, Expr::ZERO, -Expr::ONE, Expr::ONE);
        let side = name(side, "euler.side", graph);
        let sine = graph.mul(side, rho);
        let offset = graph.number(gimbal.user.offset());
        let sided = |x: Expr, graph: &mut Graph| graph.mul(side, x);
        let outer_angle = |s: Expr, c: Expr, reference: Expr, graph: &mut Graph| {
            let (s, c) = (sided(s, graph), sided(-c, graph));
            beyond(s, c, reference, reference, graph)
        };
        let shifted = graph.add(middle, offset);
        let angles = [
            outer_angle(s, c, first, graph),
            beyond(sine, cosine, middle, shifted, graph),
            outer_angle(s_last, c_last, last, graph),
        ];
        // Next to gimbal lock the third axis goes straight on in the direction of the reference.
        let least = graph.square(least);
        let part = graph.number(STRAIGHT * STRAIGHT);
        let next_to_it = graph.mul(part, least);
        let within = |inside: Expr, outside: Expr, name: &str, graph: &mut Graph| {
            let chosen = graph.select(Compare::Less, squares, next_to_it, inside, outside);
            graph.name(name, chosen)
        };
        let (s_straight, c_straight) = (graph.mul(straight, across), graph.mul(straight, along));
        let s = within(s_straight, s, "euler.s", graph);
        let c = within(-c_straight, c, "euler.c", graph);
        let sine = within(straight, sine, "euler.signed_sine", graph);
        let (s_part, c_part) = (graph.div(s, sine), graph.div(c, sine));
        let of_middle = Vector([Expr::ZERO, -c_part, s_part]).name("euler.middle_rate", graph);
        // The gradients of all rates, with some square of the distance from gimbal lock.
        let gradients = |squares: Expr, graph: &mut Graph| {
            let (s_part, c_part) = (graph.div(s, squares), graph.div(c, squares));
            let of_last = Vector([Expr::ZERO, s_part, c_part]).name("euler.last_rate", graph);
            let back = of_last.scale(-cosine, graph);
            let of_first = Vector([Expr::ONE, back[1], back[2]]).name("euler.first_rate", graph);
            [of_first, of_middle, of_last]
        };
        let squares = graph.square(sine);
        // Sideways speeds follow within that part of the distance, so that rates mean nothing below
        // it.
        let [of_rates, of_torques] =
            [next_to_it, least].map(|least| graph.binary(Binary::Max, squares, least));
        let (gradients, arms) = (gradients(of_rates, graph), gradients(of_torques, graph));
        let parts: [Vector; 3] = std::array::from_fn(|k| axes[k].scale(qd[k], graph));
        let velocity = Vector::sum(&parts, graph).name("euler.velocity", graph);
        let rates = gradients.map(|gradient| gradient.dot(velocity, graph));
        UserAngles { angles, rates, axes, arms }
    }

    /// The generalised forces of efforts on the user's axes.
    fn generalised_forces(&self, graph: &mut Graph, efforts: [Expr; 3]) -> [Expr; 3] {
        let parts: [Vector; 3] = std::array::from_fn(|k| self.arms[k].scale(efforts[k], graph));
        let torque = Vector::sum(&parts, graph).name("euler.torque", graph);
        self.axes.map(|axis| axis.dot(torque, graph))
    }
}

/// The angle of a sine and a cosine (up to a common factor) within half a revolution of
/// `reference`, plus `shown - reference`.
fn beyond(sine: Expr, cosine: Expr, shown: Expr, reference: Expr, graph: &mut Graph) -> Expr {
    let (s, c) = (graph.sin(reference), graph.cos(reference));
    let terms = [(sine, c), (-cosine, s), (cosine, c), (sine, s)];
    let [a, b, x, y] = terms.map(|(a, b)| graph.mul(a, b));
    let (ahead, along) = (graph.add(a, b), graph.add(x, y));
    let rest = graph.binary(Binary::Atan2, ahead, along);
    let angle = graph.add(shown, rest);
    graph.name("euler.angle", angle)
}

fn numbers(v: Components, graph: &mut Graph) -> Vector {
    Vector(v.map(|x| graph.number(x)))
}
