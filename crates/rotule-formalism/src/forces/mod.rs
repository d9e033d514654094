//! Line forces, wheels and forces at places, as wrenches on nodes and as efforts on coordinates.
//!
//! Every element gives forces on nodes, about the node's origin and in its axes. They are summed
//! per node once, and recursions subtract them from what the inertia needs. As efforts on the
//! coordinates they are `J^T F`, written by the backward pass alone:
//!
//! ```text
//! F = F_ext + sum R_j F_j         L = L_ext + sum (R_j L_j + d_j x R_j F_j)         Q = projections of F and L
//! ```

mod ground;
mod line_forces;
mod places;
mod wheels;

use crate::constraint::reactions;
use crate::function::{Argument, Call};
use crate::joint_motion::Place;
use crate::kinematics::outward::{Frames, Level};
use crate::problem::Problem;
use crate::signals::settled;
use crate::spatial::Wrench;
use crate::tree::{ByNode, NodeId, PlainWrench};
use crate::writer::{Writer, exprs};
pub(crate) use line_forces::{Line, common};
use rotule_model::index::BySpeed;
use rotule_model::mechanism::{BodyId, Mechanism};
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Scalar};
use std::collections::BTreeMap;
pub(crate) use wheels::{Contact, Geometry, Touch, touch};

/// `forces`: line forces, wheels and forces at places as efforts on the coordinates.
pub fn forces(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let efforts = efforts(writer, &on_nodes(writer));
    Ok(vec![Target::vector("effort", &exprs(&efforts))])
}

/// `line_force`: its length, the rate of it, and its force.
pub fn line_force(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let Some(Argument::LineForce(index)) = call.arguments.first() else {
        return Err(missing("line_force"));
    };
    let line = line_of(writer, *index, true);
    Ok(vec![
        Target::scalar("length", line.Z.expr()),
        Target::scalar("rate", line.Zd.expr()),
        Target::scalar("force", line.F.expr()),
    ])
}

/// `wheel`: its contact with the ground.
pub fn wheel(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let Some(Argument::Wheel(index)) = call.arguments.first() else {
        return Err(missing("wheel"));
    };
    // The ground holds a rolling wheel with the forces of its constraints, and with no moment.
    let held = reactions::of_rolling(writer, call.formalism, *index)?;
    let motion = held.as_ref().map_or(writer.motion, |held| &held.motion);
    let writer = Writer { motion, ..writer };
    let contact = wheels::contact(writer, &mut References::default(), *index);
    let force = held.as_ref().map_or(contact.force, |held| held.force);
    let scalars = [
        ("depth", contact.depth),
        ("depth_rate", contact.depth_rate),
        ("camber", contact.camber),
        ("slip", contact.slip),
        ("side_slip", contact.side_slip),
        ("spin", contact.spin),
        ("speed", contact.speed),
    ];
    let mut targets: Vec<Target> =
        scalars.into_iter().map(|(name, value)| Target::scalar(name, value)).collect();
    targets.push(Target::vector("force", &force.0));
    targets.push(Target::vector("torque", &contact.torque.0));
    targets.push(Target::vector("point", &contact.point.0));
    Ok(targets)
}

/// A line force; its force is zero if it is not requested.
pub(crate) fn line_of<'g>(writer: Writer<'_, 'g>, index: usize, forces: bool) -> Line<'g> {
    let mut references = References::default();
    let mut line = line_forces::geometry(writer, &mut references, index);
    if forces {
        line.F = line_forces::force(writer, index, &line);
    }
    line
}

/// The geometry of a wheel's contact.
pub(crate) fn geometry_of<'g>(writer: Writer<'_, 'g>, index: usize) -> Geometry<'g> {
    wheels::geometry(writer, &mut References::default(), index).1
}

/// The contact of a wheel.
pub(crate) fn contact_of(writer: Writer<'_, '_>, index: usize) -> Contact {
    wheels::contact(writer, &mut References::default(), index)
}

/// The table of functions gives each row the arguments it takes.
fn missing(what: &str) -> Problem {
    Problem::new(format!("a {what} is missing"), format!("write {what}(NAME)"))
}

/// The external forces and torques on every node, written once.
pub(crate) fn on_nodes(writer: Writer<'_, '_>) -> ByNode<PlainWrench> {
    if let Some(known) = &*writer.sheet.wrenches.borrow() {
        return known.clone();
    }
    let mut sums = writer.tree.by_node(Wrench::ZERO);
    let mut references = References::default();
    for index in 0..writer.mechanism.line_forces.len() {
        line_forces::apply(writer, &mut references, index, &mut sums);
    }
    for index in 0..writer.mechanism.forces.len() {
        places::apply(writer, &mut references, index, &mut sums);
    }
    for index in 0..writer.mechanism.wheels.len() {
        wheels::apply(writer, &mut references, index, &mut sums);
    }
    let sums: ByNode<PlainWrench> = sums.into_iter().map(Wrench::plain).collect();
    *writer.sheet.wrenches.borrow_mut() = Some(sums.clone());
    sums
}

/// The external forces and torques on every body, about the origin of its node and in the node's
/// axes. Of elements that act between bodies which are fixed to each other, or to the ground,
/// nothing is known: they are none of the equations of motion.
pub(crate) fn on_bodies<'g>(writer: Writer<'_, 'g>) -> Vec<Wrench<'g>> {
    let Mechanism { line_forces, forces, wheels, .. } = writer.mechanism;
    let mut bodies = vec![Wrench::ZERO; writer.tree.bodies.len()];
    let mut sums = writer.tree.by_node(Wrench::ZERO);
    let mut references = References::default();
    let mut gather = |body: BodyId, sums: &mut ByNode<Wrench<'g>>| {
        let node = writer.tree.bodies[body].0;
        bodies[body.index()] += std::mem::replace(&mut sums[node], Wrench::ZERO);
    };
    for (index, line_force) in line_forces.iter().enumerate() {
        line_forces::apply(writer, &mut references, index, &mut sums);
        line_force.ends.iter().for_each(|end| gather(end.body, &mut sums));
    }
    for (index, force) in forces.iter().enumerate() {
        places::apply(writer, &mut references, index, &mut sums);
        gather(force.at.body, &mut sums);
    }
    for (index, wheel) in wheels.iter().enumerate() {
        wheels::apply(writer, &mut references, index, &mut sums);
        gather(wheel.body, &mut sums);
    }
    bodies
}

/// The efforts on the coordinates of wrenches on nodes.
pub(crate) fn efforts<'g>(
    writer: Writer<'_, 'g>,
    wrenches: &ByNode<PlainWrench>,
) -> BySpeed<Scalar<'g>> {
    let mut efforts = writer.by_speed(Scalar::ZERO);
    let mut sums: ByNode<Wrench<'g>> =
        wrenches.iter().map(|&wrench| Wrench::of(wrench, writer)).collect();
    for i in writer.tree.inward() {
        if sums[i] == Wrench::ZERO {
            continue;
        }
        let force = writer.name("Fx", i, sums[i].force);
        let torque = writer.name("Lx", i, sums[i].torque);
        for column in writer.columns(i) {
            efforts[column.speed] = column.phi.dot(torque) + column.psi.dot(force);
        }
        let parent = writer.tree.nodes[i].parent;
        if parent != NodeId::GROUND {
            let (rotation, position) = writer.placed(i);
            sums[parent] += Wrench { force, torque }.carried(rotation, position);
        }
    }
    efforts
}

/// Kinematics relative to nodes, each reference once: elements share what they have in common.
#[derive(Default)]
struct References<'g>(BTreeMap<NodeId, Frames<'g>>);

impl<'g> References<'g> {
    /// Kinematics relative to a node.
    fn to(&mut self, node: NodeId) -> &mut Frames<'g> {
        let frames = || Frames::new(Place::of_node(node), Level::Velocity);
        self.0.entry(node).or_insert_with(frames)
    }
}

/// Laws with what their placeholders stand for.
fn put<'g>(writer: Writer<'_, 'g>, laws: &[Expr], known: &[(&str, Scalar<'g>)]) -> Vec<Scalar<'g>> {
    let laws = &settled(writer, laws);
    writer.scalars(&writer.edit(|graph| {
        let pair = |&(name, value): &(&str, Scalar<'_>)| Some((graph.lookup(name)?, value.expr()));
        let pairs: Vec<(Expr, Expr)> = known.iter().filter_map(pair).collect();
        graph.substitute(laws, &pairs)
    }))
}
