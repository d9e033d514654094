//! What joints transmit: the force and torque that a body's parent applies to it through the joint.
//!
//! Newton and Euler body by body, from the leaves: what a body's motion needs, less the forces applied to it, plus
//! what it hands on to the bodies that it carries. Bodies that are fixed to each other are one node of the tree, but
//! their joint transmits something too: each gets a balance of its own, in the frame of the common node, and
//! the result is brought to the body's frame last.
//!
//! The wrench holds everything that acts between the two sides of the joint: the drive's effort, the joint's
//! law, and what the drive's own inertia uses is not in it. Along the joint's axes it is the effort of inverse dynamics
//! plus the law, less armature times acceleration.

use crate::forward::{Kinematics, euler, forward};
use crate::parts::Parts;
use crate::problem::Problem;
use crate::tree::{Tree, Wrench};
use rotule_program::lower::Target;
use rotule_symbolic::Expr;

/// Force and torque of every body's joint, about the body's origin and in its axes: one row of six per body of the
/// user, in order.
pub fn reactions(tree: &mut Tree) -> Result<Vec<Target>, Problem> {
    let given = Parts::ALL.of(tree);
    let kinematics = forward(tree, &given.qd, &given.qdd, given.gravity);
    let count = tree.bodies.len();
    let mut balance = vec![Wrench::ZERO; count];
    for (node, bearer) in bearers(tree, &given.wrenches)?.into_iter().enumerate() {
        if let Some(body) = bearer {
            let Wrench { force, torque } = given.wrenches[node];
            balance[body] = Wrench { force: -force, torque: -torque };
        }
    }
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
        let parent = tree.mechanism.bodies[body].parent.map_or(0, |parent| parent.index());
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

/// What a body's own motion needs, in its node's axes about the node's origin.
fn own_wrench(tree: &mut Tree, body: usize, motion: &Kinematics) -> Wrench {
    let (_, placement) = tree.bodies[body];
    let (mass, com, inertia, name) = {
        let body = &tree.mechanism.bodies[body];
        (body.mass, body.com, body.inertia, body.name.replace('/', "_"))
    };
    let graph = &mut tree.mechanism.graph;
    let turned = placement.rotation.apply(com, graph);
    let com = placement.position.add(turned, graph);
    let left = placement.rotation.mul(inertia, graph);
    let inertia = left.mul(placement.rotation.transpose(), graph);
    let at_com = motion.beta.apply(com, graph);
    let force = motion.alpha.add(at_com, graph).scale(mass, graph);
    let force = force.name(&format!("W[{name}]"), graph);
    let lever = com.cross(force, graph);
    let torque = euler(inertia, motion, graph).add(lever, graph);
    Wrench { force, torque }
}

/// For each node the body that bears its links, wheels and forces.
fn bearers(tree: &Tree, applied: &[Wrench]) -> Result<Vec<Option<usize>>, Problem> {
    let mechanism = &tree.mechanism;
    let links = mechanism.links.iter();
    let mut elements: Vec<(usize, &str)> = links
        .flat_map(|link| link.ends.iter().map(|end| (end.body.index(), link.name.as_str())))
        .collect();
    elements.extend(mechanism.forces.iter().map(|one| (one.at.body.index(), one.name.as_str())));
    elements.extend(mechanism.wheels.iter().map(|one| (one.body.index(), one.name.as_str())));
    let mut bearers: Vec<Option<(usize, &str)>> = vec![None; tree.nodes.len()];
    for (body, name) in elements {
        let node = tree.bodies[body].0;
        match bearers[node] {
            _ if applied[node] == Wrench::ZERO => {}
            None => bearers[node] = Some((body, name)),
            Some((known, _)) if known == body => {}
            Some((known, other)) => {
                let [one, two] = [known, body].map(|body| mechanism.bodies[body].name.as_str());
                let message = format!(
                    "`{other}` acts on `{one}` and `{name}` on `{two}`, which are fixed to each \
                     other: what passes between them is not known"
                );
                let help = "let both act on the same body, at points of it";
                return Err(Problem::new(message, help));
            }
        }
    }
    Ok(bearers.into_iter().map(|bearer| bearer.map(|(body, _)| body)).collect())
}
