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

use crate::forces;
use crate::forward::refusal::check_open;
use crate::outward::{Kinematics, euler, outward};
use crate::parts::Parts;
use crate::problem::Problem;
use crate::tree::{Tree, Wrench};
use rotule_model::mechanism::BodyId;
use rotule_program::lower::Target;
use rotule_symbolic::Expr;

/// Force and torque of every body's joint, about the body's origin and in its axes: one row of six
/// per body of the user, in order.
pub fn reactions(tree: &mut Tree) -> Result<Vec<Target>, Problem> {
    check_open(tree, "reactions")?;
    transmitted(tree, Vec::new())
}

/// The reactions with further wrenches on bodies, each about the origin of its node and in the
/// node's axes.
pub fn transmitted(tree: &mut Tree, more: Vec<(BodyId, Wrench)>) -> Result<Vec<Target>, Problem> {
    let given = Parts { forces: false, ..Parts::ALL }.of(tree);
    let kinematics = outward(tree, &given.qd, &given.qdd, given.gravity);
    let count = tree.bodies.len();
    check(tree)?;
    let mut balance = forces::on_bodies(tree);
    for (body, wrench) in more {
        balance[body.index()] = balance[body.index()].add(wrench, &mut tree.mechanism.graph);
    }
    balance.iter_mut().for_each(|own| *own = Wrench { force: -own.force, torque: -own.torque });
    let mut values = vec![[Expr::ZERO; 6]; count];
    for body in (1..count).rev() {
        let (node, placement) = tree.bodies[body];
        let own = own_wrench(tree, body, &kinematics[node]);
        let name = tree.mechanism.bodies[body].name.replace('/', "_");
        let graph = &mut tree.mechanism.graph;
        let total = balance[body].add(own, graph);
        let total = Wrench {
            force: total.force.name(&format!("F[{name}]"), graph),
            torque: total.torque.name(&format!("L[{name}]"), graph),
        };
        // To the body's own frame.
        let back = placement.rotation.transpose();
        let lever = placement.position.cross(total.force, graph);
        let torque = total.torque.sub(lever, graph);
        let (force, torque) = (back.apply(total.force, graph), back.apply(torque, graph));
        values[body] = std::array::from_fn(|at| if at < 3 { force[at] } else { torque[at - 3] });
        // To the parent, through the massless nodes of the joint.
        let parent = tree.mechanism.bodies[body].parent.map_or(0, BodyId::index);
        let (target, mut at, mut passed) = (tree.bodies[parent].0, node, total);
        while at != target {
            let Kinematics { rotation, arm, .. } = &kinematics[at];
            passed = passed.carried(*rotation, *arm, &mut tree.mechanism.graph);
            at = tree.nodes[at].parent;
        }
        balance[parent] = balance[parent].add(passed, &mut tree.mechanism.graph);
    }
    let bodies = tree.mechanism.bodies.iter().enumerate().skip(1);
    let rows: Vec<usize> =
        bodies.filter(|(_, body)| !body.fictitious).map(|(index, _)| index).collect();
    let list: Vec<Expr> = rows.iter().flat_map(|&body| values[body]).collect();
    Ok(vec![Target::matrix("reactions", rows.len() as u32, 6, &list)])
}

/// The wrench that a body's own motion needs, in its node's axes about the node's origin.
fn own_wrench(tree: &mut Tree, body: usize, motion: &Kinematics) -> Wrench {
    let (_, placement) = tree.bodies[body];
    let (mass, com, inertia, name) = {
        let body = &tree.mechanism.bodies[body];
        (body.mass, body.com, body.inertia, body.name.replace('/', "_"))
    };
    let graph = &mut tree.mechanism.graph;
    let turned = placement.rotation.apply(com, graph);
    let com = placement.position.add(turned, graph);
    let inertia = placement.rotation.congruent(inertia, graph);
    let at_com = motion.beta.apply(com, graph);
    let force = motion.alpha.add(at_com, graph).scale(mass, graph);
    let force = force.name(&format!("W[{name}]"), graph);
    let lever = com.cross(force, graph);
    let torque = euler(inertia, None, motion, graph).add(lever, graph);
    Wrench { force, torque }
}

/// Refuses elements whose force is unknown because it moves nothing: within one rigid body, or on
/// the ground.
fn check(tree: &Tree) -> Result<(), Problem> {
    let mechanism = &tree.mechanism;
    let name = |body: BodyId| &mechanism.bodies[body.index()].name;
    for line_force in &mechanism.line_forces {
        let [first, second] = line_force.ends.map(|end| end.body);
        let nodes = [first, second].map(|body| tree.bodies[body.index()].0);
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
        if body != BodyId::GROUND && tree.bodies[body.index()].0 == 0 {
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
