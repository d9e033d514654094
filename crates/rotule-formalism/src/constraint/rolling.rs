//! The rows of wheels that roll without slipping: the point of the disc that touches the ground
//! moves with the ground.
//!
//! With forward S1, left S2 and the normal n of flat ground, the axle a, and `v` and `w` of the
//! wheel's centre:
//!
//! ```text
//! height       h = (G - P) . n - R cos      hd = v . n + R sin (w . S1) - rising      cos = |a x n|, sin = a . n
//! forward                                   v . S1 - R (w . a) = 0
//! left                                      v . S2 + R cos (w . S1) = 0
//! ```
//!
//! The first is the derivative of a distance, the others are of no function: they leave the
//! coordinates free and tie the speeds. Multipliers are the forces of the ground on the wheel along
//! n, S1 and S2.

use super::cut::columns;
use super::reactions::{Load, Solved};
use super::relation::motion;
use super::{ConstraintElement, Constraints, Row};
use crate::forces::{Touch, touch};
use crate::joint_motion::Place;
use crate::kinematics::outward::{Frames, Level};
use crate::problem::Problem;
use crate::spatial::Wrench;
use crate::tree::NodeId;
use crate::writer::Writer;
use rotule_model::mechanism::{Frame, Placement, Wheel};
use rotule_symbolic::{Direction, Expr, Scalar, Vec3, Vector, sum};

/// Writes the rows of all wheels that roll.
pub(super) fn write(writer: Writer<'_, '_>, all: &mut Constraints) -> Result<(), Problem> {
    for (at, _) in writer.mechanism.wheels.iter().enumerate().filter(|(_, wheel)| wheel.rolling) {
        let speeds = writer.mechanism.speeds.iter().map(|speed| writer.scalar(speed.symbol));
        let speeds: Vec<Scalar<'_>> = speeds.collect();
        let moving = motion(writer, &speeds);
        rows(writer, at, &speeds, moving)?.into_iter().for_each(|row| all.add(row));
    }
    Ok(())
}

/// The loads of the ground on every wheel that rolls, at the origin of its body and in its axes.
pub(super) fn loads<'g>(writer: Writer<'_, 'g>, solved: &Solved) -> Vec<Load<'g>> {
    let mut all = Vec::new();
    for (at, wheel) in writer.mechanism.wheels.iter().enumerate() {
        let Some(contact) = touch(writer, at).filter(|_| wheel.rolling) else { continue };
        let mut frames = Frames::new(Place::of_node(NodeId::GROUND), Level::Position);
        let own = frames.place(writer, writer.body(wheel.body)).R.transpose();
        let mut wrench = Wrench::ZERO;
        for (label, along, about) in parts(writer, wheel, &contact) {
            let name = format!("{} {label}", wheel.name);
            let lambda = writer.scalar(solved.multiplier(ConstraintElement::Wheel(at), name));
            wrench += Wrench { force: lambda * along, torque: lambda * about };
        }
        let wrench = Wrench { force: own * wrench.force, torque: own * wrench.torque };
        all.push(Load { on: Frame { body: wheel.body, placement: Placement::IDENTITY }, wrench });
    }
    all
}

/// The names of a wheel's rows along forward, left and the normal.
pub(super) fn row_names(wheel: &Wheel) -> [String; 3] {
    ["forward", "left", "height"].map(|label| format!("{} {label}", wheel.name))
}

/// The force of the ground on a wheel, along forward, left and the normal.
pub(super) fn force(wheel: &Wheel, solved: &Solved, at: usize) -> Vector {
    let names = row_names(wheel);
    Vector(names.map(|name| solved.multiplier(ConstraintElement::Wheel(at), name)))
}

/// The velocity of each row as a linear function: its name, and its coefficients of the velocity of
/// the wheel's centre and of the angular velocity.
fn parts<'g>(
    writer: Writer<'_, 'g>,
    wheel: &Wheel,
    contact: &Touch<'g>,
) -> [(&'static str, Vec3<'g>, Vec3<'g>); 3] {
    let tangent = &contact.tangent;
    let radius = writer.scalar(wheel.radius);
    let leaning = radius * tangent.sine;
    let upright = radius * tangent.cosine;
    [
        ("height", tangent.normal, leaning * tangent.forward),
        ("forward", tangent.forward, -radius * contact.a),
        ("left", tangent.left, upright * tangent.forward),
    ]
}

fn rows<'g>(
    writer: Writer<'_, 'g>,
    at: usize,
    speeds: &[Scalar<'g>],
    moving: Direction,
) -> Result<Vec<Row>, Problem> {
    let wheel = &writer.mechanism.wheels[at];
    let Some(contact) = touch(writer, at) else {
        return Err(Problem::new(
            format!(
                "wheel `{}` rolls without slipping on ground that is not flat, which is not supported",
                wheel.name
            ),
            "give it force laws instead of `rolling`, or a ground of constant height",
        ));
    };
    // In the axes of the ground.
    let mut frames = Frames::new(Place::of_node(NodeId::GROUND), Level::Position);
    let columns = columns(writer, &mut frames, writer.body(wheel.body));
    let symbols = speeds.iter().map(|speed| speed.expr());
    let now: Vec<(Expr, Expr)> = symbols.zip(writer.motion.qd.iter().copied()).collect();
    let moving = [moving];
    let mut rows = Vec::new();
    for (number, (label, along, about)) in parts(writer, wheel, &contact).into_iter().enumerate() {
        let mut entries = Vec::new();
        for (&column, twist) in &columns {
            let value = sum([along.dot(twist.linear), about.dot(twist.angular)]);
            if !value.is_zero() {
                entries.push((column, value));
            }
        }
        let explicit = -(along[2] * contact.rising);
        let terms = entries.iter().map(|&(column, value)| value * speeds[column]);
        let velocity = sum([explicit].into_iter().chain(terms));
        let rate = writer.jacobian(&[velocity], &moving)[0][0];
        let rate = writer.substitute(&[rate.expr()], &now)[0];
        rows.push(Row {
            name: format!("{} {label}", wheel.name),
            element: ConstraintElement::Wheel(at),
            residual: (number == 0).then_some(contact.gap.expr()),
            entries: entries.iter().map(|&(column, value)| (column, value.expr())).collect(),
            explicit: explicit.expr(),
            rate,
        });
    }
    Ok(rows)
}
