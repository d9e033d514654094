//! Inverse dynamics as a linear function of the parameters of bodies: `M qdd + c = Y(q, qd, qdd)
//! parameters`, without external forces and joint laws, as identification wants it.
//!
//! Each body of the user has ten parameters in its own frame: mass `m`, first moments `mx my mz`
//! (mass times centre of mass), and the entries `Ixx Ixy Ixz Iyy Iyz Izz` of the inertia matrix
//! about the frame's origin. Bodies without mass have them, too; the massless steps between the
//! joints of a chain have none. One armature per speed follows.
//!
//! The wrench of a body that moves with `w`, `wd`, `alpha` and `beta` is linear in them,
//!
//! ```text
//! force = m alpha + beta h          torque = h x alpha + J wd + w x J w
//! ```
//!
//! and an entry of `Y` is its power at the twist `(s, l)` that a unit of the row's speed gives to
//! the body.

#![allow(non_snake_case)] // symbols as in the formulas

use crate::forward::preconditions::check_entries;
use crate::function::Call;
use crate::newton_euler::{self, Column};
use crate::outward::{Kinematics, outward};
use crate::parts::Parts;
use crate::problem::Problem;
use crate::writer::Writer;
use rotule_model::mechanism::{BodyId, Mechanism};
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Mat3, Scalar, Vec3};

/// The parameters of a body, by name.
pub const PARAMETERS: [&str; 10] =
    ["m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz"];

/// Rows and columns of the inertia's parameters.
const INERTIA: [(usize, usize); 6] = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];

/// The bodies that have parameters, in order.
fn bodies(mechanism: &Mechanism) -> Vec<usize> {
    let bodies = mechanism.bodies.iter().enumerate().skip(1);
    bodies.filter(|(_, body)| !body.fictitious).map(|(index, _)| index).collect()
}

/// The names of the regressor's columns: `body.m` and so on for all bodies, then `joint.armature`,
/// numbered for a joint with several speeds.
pub fn parameter_names(mechanism: &Mechanism) -> Vec<String> {
    let mut names = Vec::new();
    for index in bodies(mechanism) {
        let body = &mechanism.bodies[index].name;
        names.extend(PARAMETERS.iter().map(|parameter| format!("{body}.{parameter}")));
    }
    for joint in &mechanism.joints {
        let count = joint.speeds.len();
        let name = &joint.name;
        names.extend((1..=count).map(|at| match count {
            1 => format!("{name}.armature"),
            _ => format!("{name}.armature[{at}]"),
        }));
    }
    names
}

/// `parameters`
pub fn parameters(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let mut values = Vec::new();
    for index in bodies(writer.mechanism) {
        let body = &writer.mechanism.bodies[index];
        let (m, l) = (writer.scalar(body.mass), writer.vector(body.com));
        let h = m * l;
        let J = writer.matrix(body.inertia) - m * (l.tilde() * l.tilde());
        values.push(m.expr());
        values.extend(h.plain().0);
        values.extend(INERTIA.map(|(row, column)| J[row][column].expr()));
    }
    for joint in &writer.mechanism.joints {
        values.extend(joint.speeds.clone().map(|_| joint.armature));
    }
    Ok(vec![Target::vector("parameters", &values)])
}

/// `regressor`
pub fn regressor(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    check_entries(writer.tree, "regressor")?;
    let given = Parts { forces: false, ..Parts::ALL }.of(writer);
    let bodies = bodies(writer.mechanism);
    let mut entries = entries(Writer { motion: &given.motion, ..writer }, &bodies);
    let first = bodies.len() * PARAMETERS.len();
    let qdd = &given.motion.qdd;
    for (speed, &acceleration) in qdd.pairs() {
        let speed = speed.index();
        entries.push((speed as u32, (first + speed) as u32, acceleration));
    }
    entries.retain(|entry| entry.2 != Expr::ZERO);
    entries.sort_unstable_by_key(|entry| (entry.0, entry.1));
    let (rows, columns) = (qdd.len() as u32, (first + qdd.len()) as u32);
    Ok(vec![Target { name: "Y".to_owned(), rows, columns, symmetric: false, entries }])
}

/// The entries of the bodies' parameters.
fn entries(writer: Writer<'_, '_>, bodies: &[usize]) -> Vec<(u32, u32, Expr)> {
    let k = outward(writer);
    let twists = newton_euler::columns(writer);
    let mut entries: Vec<(u32, u32, Expr)> = Vec::new();
    for (at, &index) in bodies.iter().enumerate() {
        let (node, place) = writer.tree.bodies[BodyId::new(index)];
        let first = (at * PARAMETERS.len()) as u32;
        let name = writer.mechanism.bodies[index].name.replace('/', "_");
        // The motion in the body's own frame.
        let (R, d) = (writer.matrix(place.rotation), writer.vector(place.position));
        let own = at_body(&k[node], R, d);
        let spins = spins(&own, &name);
        for &Column { speed, O, A } in &twists[node] {
            let label = format!("{name},{}", speed.index() + 1);
            let linear = A + O.cross(d);
            let s = (R.transpose() * O).named(&format!("O[{label}]"));
            let l = (R.transpose() * linear).named(&format!("A[{label}]"));
            let mut values = [Scalar::ZERO; 10];
            values[0] = l.dot(own.alpha);
            let crossed = own.alpha.cross(s);
            for axis in 0..3 {
                values[1 + axis] = l.dot(own.beta.column(axis)) + crossed[axis];
            }
            for (place, &spin) in spins.iter().enumerate() {
                values[4 + place] = s.dot(spin);
            }
            for (parameter, value) in values.into_iter().enumerate() {
                entries.push((speed.index() as u32, first + parameter as u32, value.expr()));
            }
        }
    }
    entries
}

/// The motion of a body's frame, in its own axes.
struct Moving<'g> {
    w: Vec3<'g>,
    wd: Vec3<'g>,
    alpha: Vec3<'g>,
    beta: Mat3<'g>,
}

fn at_body<'g>(node: &Kinematics<'g>, R: Mat3<'g>, d: Vec3<'g>) -> Moving<'g> {
    let back = R.transpose();
    let alpha = node.alpha + node.beta * d;
    let beta = if R == Mat3::IDENTITY { node.beta } else { back * node.beta * R };
    Moving { w: back * node.w, wd: back * node.wd, alpha: back * alpha, beta }
}

/// The torques of units of the inertia's entries.
fn spins<'g>(own: &Moving<'g>, name: &str) -> [Vec3<'g>; 6] {
    INERTIA.map(|(row, column)| {
        let mut unit = Mat3::ZERO;
        (unit[row][column], unit[column][row]) = (Scalar::ONE, Scalar::ONE);
        let momentum = unit * own.w;
        let turning = own.w.cross(momentum);
        (unit * own.wd + turning).named(&format!("N{}{}[{name}]", row + 1, column + 1))
    })
}
