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

use super::efforts::{Kinematics, forward, sum};
use crate::parts::Parts;
use crate::problem::Problem;
use crate::tree::{Tree, Wrench};
use rotule_program::lower::Target;
use rotule_symbolic::Expr;

/// Force and torque of every body's joint, about the body's origin and in its axes: one row of six per body of the
/// user, in order.
pub fn reactions(tree: &mut Tree) -> Result<Vec<Target>, Problem> {
    let given = Parts::ALL.of(tree);
    let kinematics = forward(tree, &given);
    let count = tree.bodies.len();
    let mut balance = vec![Wrench::ZERO; count];
    for (node, &applied) in given.wrenches.iter().enumerate() {
        if applied != Wrench::ZERO
            && let Some(body) = bearer(tree, node)?
        {
            let none = Wrench::ZERO.less(applied, &mut tree.mechanism.graph);
            balance[body] = none;
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
            let Kinematics { rotation, arm, .. } = kinematics[at];
            passed = passed.carried(rotation, arm, &mut tree.mechanism.graph);
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
    let angular = inertia.apply(motion.w, graph);
    let parts = [
        com.cross(force, graph),
        inertia.apply(motion.wd, graph),
        motion.w.cross(angular, graph),
    ];
    Wrench { force, torque: sum(&parts, graph) }
}

/// The body of a node that bears its links, wheels and forces; none if only the ground does.
fn bearer(tree: &Tree, node: usize) -> Result<Option<usize>, Problem> {
    let mechanism = &tree.mechanism;
    let links = mechanism.links.iter();
    let mut at: Vec<(usize, &str)> = links
        .flat_map(|link| link.ends.iter().map(|end| (end.body.index(), link.name.as_str())))
        .collect();
    at.extend(mechanism.forces.iter().map(|one| (one.at.body.index(), one.name.as_str())));
    at.extend(mechanism.wheels.iter().map(|one| (one.body.index(), one.name.as_str())));
    at.retain(|&(body, _)| tree.bodies[body].0 == node);
    let Some(&(first, name)) = at.first() else { return Ok(None) };
    if let Some(&(second, other)) = at.iter().find(|&&(body, _)| body != first) {
        let [one, two] = [first, second].map(|body| mechanism.bodies[body].name.as_str());
        return Err(Problem::new(
            format!(
                "`{name}` acts on `{one}` and `{other}` on `{two}`, which are fixed to each other: \
                 what passes between them is not known"
            ),
            "let both act on the same body, at a point of it",
        ));
    }
    Ok(Some(first))
}
