//! Reactions of joints: the force and torque that a body's parent applies to it through the joint.
//!
//! Newton and Euler body by body, from the leaves: what a body's motion needs, less the forces
//! applied to it, plus what it hands on to the bodies that it carries. Bodies that are fixed to
//! each other are one node of the tree, but their joint transmits something too: each gets a
//! balance of its own, in the frame of the common node, and the result is brought to the body's
//! frame last.
//!
//! The wrench holds everything that acts between the two sides of the joint: the drive's effort,
//! the joint's law, and what the drive's own inertia uses is not in it. Along the joint's axes it
//! is the effort of inverse dynamics plus the law, less armature times acceleration.

#![allow(non_snake_case)] // symbols as in the formulas

use crate::forces;
use crate::forward::preconditions::check_open;
use crate::outward::{Kinematics, euler, outward};
use crate::parts::Parts;
use crate::problem::Problem;
use crate::spatial::Wrench;
use crate::tree::{NodeId, PlainWrench};
use crate::writer::Writer;
use rotule_model::mechanism::{Body, BodyId};
use rotule_program::lower::Target;
use rotule_symbolic::Expr;

/// Force and torque of every body's joint, about the body's origin and in its axes: one row of six
/// per body of the user, in order.
pub fn reactions(writer: Writer<'_, '_>) -> Result<Vec<Target>, Problem> {
    check_open(writer.mechanism, "reactions")?;
    transmitted(writer, Vec::new())
}

/// The reactions with further wrenches on bodies, each about the origin of its node and in the
/// node's axes.
pub(crate) fn transmitted(
    writer: Writer<'_, '_>,
    more: Vec<(BodyId, PlainWrench)>,
) -> Result<Vec<Target>, Problem> {
    let given = Parts { forces: false, ..Parts::ALL }.of(writer);
    check(writer)?;
    let bodies = writer.mechanism.bodies.iter().enumerate().skip(1);
    let rows: Vec<usize> =
        bodies.filter(|(_, body)| !body.fictitious).map(|(index, _)| index).collect();
    let values = balance(Writer { motion: &given.motion, ..writer }, more);
    let list: Vec<Expr> = rows.iter().flat_map(|&body| values[body]).collect();
    Ok(vec![Target::matrix("reactions", rows.len() as u32, 6, &list)])
}

/// Force and torque of every body's joint.
fn balance(writer: Writer<'_, '_>, more: Vec<(BodyId, PlainWrench)>) -> Vec<[Expr; 6]> {
    let k = outward(writer);
    let mut balance = forces::on_bodies(writer);
    for (body, wrench) in more {
        balance[body.index()] += Wrench::of(wrench, writer);
    }
    balance.iter_mut().for_each(|own| *own = -*own);
    let mut values = vec![[Expr::ZERO; 6]; balance.len()];
    for body in (1..balance.len()).rev() {
        let (node, place) = writer.tree.bodies[BodyId::new(body)];
        let name = writer.mechanism.bodies[body].name.replace('/', "_");
        let total = balance[body] + own_wrench(writer, body, &name, &k[node]);
        let total = Wrench {
            force: total.force.named(&format!("F[{name}]")),
            torque: total.torque.named(&format!("L[{name}]")),
        };
        // To the body's own frame.
        let (back, d) = (writer.matrix(place.rotation).transpose(), writer.vector(place.position));
        let torque = total.torque - d.cross(total.force);
        let (force, torque) = (back * total.force, back * torque);
        values[body] =
            std::array::from_fn(|at| if at < 3 { force[at] } else { torque[at - 3] }.expr());
        // To the parent, through the massless nodes of the joint.
        let parent = writer.mechanism.bodies[body].parent.unwrap_or(BodyId::GROUND);
        let (target, mut at, mut passed) = (writer.tree.bodies[parent].0, node, total);
        while at != target {
            passed = passed.carried(k[at].R, k[at].d);
            at = writer.tree.nodes[at].parent;
        }
        balance[parent.index()] += passed;
    }
    values
}

/// The wrench that a body's own motion needs, in its node's axes about the node's origin.
fn own_wrench<'g>(
    writer: Writer<'_, 'g>,
    body: usize,
    name: &str,
    k: &Kinematics<'g>,
) -> Wrench<'g> {
    let (_, place) = writer.tree.bodies[BodyId::new(body)];
    let (R, d) = (writer.matrix(place.rotation), writer.vector(place.position));
    let Body { mass, com, inertia, .. } = &writer.mechanism.bodies[body];
    let l = d + R * writer.vector(*com);
    let I = R.congruent(writer.matrix(*inertia));
    let W = (writer.scalar(*mass) * (k.alpha + k.beta * l)).named(&format!("W[{name}]"));
    let lever = l.cross(W);
    Wrench { force: W, torque: euler(I, None, k) + lever }
}

/// Refuses elements whose force is unknown because it moves nothing: within one rigid body, or on
/// the ground.
fn check(writer: Writer<'_, '_>) -> Result<(), Problem> {
    let mechanism = writer.mechanism;
    let name = |body: BodyId| &mechanism.bodies[body.index()].name;
    for line_force in &mechanism.line_forces {
        let [first, second] = line_force.ends.map(|end| end.body);
        let nodes = [first, second].map(|body| writer.tree.bodies[body].0);
        if nodes[0] == nodes[1] && first != second {
            let [one, two] = [name(first), name(second)];
            return Err(Problem::new(
                format!(
                    "the line force `{}` pulls `{one}` and `{two}`, which are fixed to each other, so \
                     that reactions between them are not known",
                    line_force.name
                ),
                "leave the line force out, since it moves nothing",
            ));
        }
    }
    let line_forces =
        mechanism.line_forces.iter().flat_map(|one| one.ends.map(|end| (&one.name, end.body)));
    let forces = mechanism.forces.iter().map(|one| (&one.name, one.at.body));
    let wheels = mechanism.wheels.iter().map(|one| (&one.name, one.body));
    for (element, body) in line_forces.chain(forces).chain(wheels) {
        if body != BodyId::GROUND && writer.tree.bodies[body].0 == NodeId::GROUND {
            return Err(Problem::new(
                format!(
                    "`{element}` acts on `{}`, which is fixed to the ground, so that its reaction is \
                     not known",
                    name(body)
                ),
                "let it act on `ground`, at a point there",
            ));
        }
    }
    Ok(())
}
