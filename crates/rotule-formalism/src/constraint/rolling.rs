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
use crate::kinematics::outward::{Frames, Level};
use crate::problem::Problem;
use crate::tree::{Tree, Wrench};
use rotule_model::mechanism::{Frame, Placement, Wheel};
use rotule_symbolic::{Expr, Graph, Vector};

/// Writes the rows of all wheels that roll.
pub(super) fn write(tree: &mut Tree, all: &mut Constraints) -> Result<(), Problem> {
    let rolling = |at: &usize| tree.mechanism.wheels[*at].rolling;
    let wheels: Vec<usize> = (0..tree.mechanism.wheels.len()).filter(rolling).collect();
    for at in wheels {
        for row in rows(tree, at)? {
            all.add(row);
        }
    }
    Ok(())
}

/// The loads of the ground on every wheel that rolls, at the origin of its body and in its axes.
pub(super) fn loads(tree: &mut Tree, solved: &Solved) -> Vec<Load> {
    let mut all = Vec::new();
    for at in 0..tree.mechanism.wheels.len() {
        let wheel = tree.mechanism.wheels[at].clone();
        let Some(contact) = touch(tree, at).filter(|_| wheel.rolling) else { continue };
        let on = Frame { body: wheel.body, placement: Placement::IDENTITY };
        let place = tree.locate(on);
        let mut frames = Frames::new(tree, 0, Placement::IDENTITY, Level::Position);
        let own = frames.place(tree, place.0, place.1).rotation.transpose();
        let graph = &mut tree.mechanism.graph;
        let mut wrench = Wrench::ZERO;
        for (label, along, about) in parts(&wheel, &contact, graph) {
            let name = format!("{} {label}", wheel.name);
            let lambda = solved.multiplier(ConstraintElement::Wheel(at), name);
            let (force, torque) = (along.scale(lambda, graph), about.scale(lambda, graph));
            wrench = wrench.add(Wrench { force, torque }, graph);
        }
        let (force, torque) = (own.apply(wrench.force, graph), own.apply(wrench.torque, graph));
        all.push(Load { on, wrench: Wrench { force, torque } });
    }
    all
}

/// The names of a wheel's rows along forward, left and the normal.
pub(super) fn row_names(wheel: &Wheel) -> [String; 3] {
    ["forward", "left", "height"].map(|label| format!("{} {label}", wheel.name))
}

/// The force of the ground on a wheel, along forward, left and the normal.
pub(super) fn force(tree: &Tree, solved: &Solved, at: usize) -> Vector {
    let names = row_names(&tree.mechanism.wheels[at]);
    Vector(names.map(|name| solved.multiplier(ConstraintElement::Wheel(at), name)))
}

/// The velocity of each row as a linear function: its name, and its coefficients of the velocity of
/// the wheel's centre and of the angular velocity.
fn parts(wheel: &Wheel, contact: &Touch, graph: &mut Graph) -> [(&'static str, Vector, Vector); 3] {
    let tangent = &contact.tangent;
    let leaning = graph.mul(wheel.radius, tangent.sine);
    let upright = graph.mul(wheel.radius, tangent.cosine);
    [
        ("height", tangent.normal, tangent.forward.scale(leaning, graph)),
        ("forward", tangent.forward, contact.axis.scale(-wheel.radius, graph)),
        ("left", tangent.left, tangent.forward.scale(upright, graph)),
    ]
}

fn rows(tree: &mut Tree, at: usize) -> Result<Vec<Row>, Problem> {
    let wheel = tree.mechanism.wheels[at].clone();
    let Some(contact) = touch(tree, at) else {
        return Err(Problem::new(
            format!(
                "wheel `{}` rolls without slipping on ground that is not flat, which is not supported",
                wheel.name
            ),
            "give it force laws instead of `rolling`, or a ground of constant height",
        ));
    };
    // In the axes of the ground.
    let place = tree.locate(Frame { body: wheel.body, placement: Placement::IDENTITY });
    let mut frames = Frames::new(tree, 0, Placement::IDENTITY, Level::Position);
    let columns = columns(tree, &mut frames, place);
    let speeds: Vec<Expr> = tree.mechanism.speeds.iter().map(|speed| speed.symbol).collect();
    let moving = motion(tree, &speeds);
    let now: Vec<(Expr, Expr)> = speeds.iter().copied().zip(tree.qd.iter().copied()).collect();
    let graph = &mut tree.mechanism.graph;
    let parts = parts(&wheel, &contact, graph);
    let mut rows = Vec::new();
    for (number, (label, along, about)) in parts.into_iter().enumerate() {
        let mut entries = Vec::new();
        for (&column, (linear, angular)) in &columns {
            let terms = [along.dot(*linear, graph), about.dot(*angular, graph)];
            let sum = graph.sum(&terms);
            if sum != Expr::ZERO {
                entries.push((column, sum));
            }
        }
        let explicit = -graph.mul(along[2], contact.rising);
        let mut terms = vec![explicit];
        for &(column, value) in &entries {
            terms.push(graph.mul(value, speeds[column]));
        }
        let velocity = graph.sum(&terms);
        let rate = graph.derivatives_along(&[velocity], std::slice::from_ref(&moving)).get(0, 0);
        rows.push(Row {
            name: format!("{} {label}", wheel.name),
            element: ConstraintElement::Wheel(at),
            residual: (number == 0).then_some(contact.gap),
            entries,
            explicit,
            rate: graph.substitute(&[rate], &now)[0],
        });
    }
    Ok(rows)
}
