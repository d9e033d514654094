//! Inverse dynamics by the recursive Newton-Euler formalism (Featherstone 2008, chapter 5; Postiau,
//! section 1.3.2, corrected). After the outward pass:
//!
//! ```text
//! W = m (alpha + beta l)
//! F = W + sum R_j F_j
//! L = l x W + I wd + w x I w + sum (R_j L_j + d_j x R_j F_j)
//! Q = projections of F and L on the joint's axes
//! ```

use crate::outward::{Kinematics, euler, outward};
use crate::parts::{Given, Parts};
use crate::tree::{Tree, Wrench};
use rotule_symbolic::{Expr, Vector};

/// The efforts that the chosen parts of the equations of motion need, one per speed.
pub fn efforts(tree: &mut Tree, parts: Parts) -> Vec<Expr> {
    let Given { qd, qdd, gravity, wrenches } = parts.of(tree);
    let outward = outward(tree, &qd, &qdd, gravity);
    let mut efforts = vec![Expr::ZERO; qd.len()];
    let mut passed = vec![Wrench::ZERO; tree.nodes.len()];
    for node in (1..tree.nodes.len()).rev() {
        let own = &outward[node];
        let applied = wrenches[node];
        let (force, torque) = wrench(tree, node, own, passed[node]);
        let force = force.sub(applied.force, &mut tree.mechanism.graph);
        let torque = torque.sub(applied.torque, &mut tree.mechanism.graph);
        let name = tree.nodes[node].name.clone();
        let force = force.name(&format!("F[{name}]"), &mut tree.mechanism.graph);
        let torque = torque.name(&format!("L[{name}]"), &mut tree.mechanism.graph);
        let speed = tree.nodes[node].speed;
        let armature = tree.nodes[node].armature;
        for (at, effort) in tree.project(node, force, torque).into_iter().enumerate() {
            let drive = tree.mechanism.graph.mul(armature, qdd[speed + at]);
            efforts[speed + at] = tree.mechanism.graph.add(effort, drive);
        }
        let parent = tree.nodes[node].parent;
        let graph = &mut tree.mechanism.graph;
        let carried = Wrench { force, torque }.carried(own.rotation, own.arm, graph);
        passed[parent] = passed[parent].add(carried, graph);
    }
    efforts
}

/// The force and torque that a node takes from its joint, about its origin.
fn wrench(tree: &mut Tree, node: usize, own: &Kinematics, children: Wrench) -> (Vector, Vector) {
    let (mass, com, inertia) = {
        let node = &tree.nodes[node];
        (node.mass, node.com, node.inertia)
    };
    let graph = &mut tree.mechanism.graph;
    let at_com = own.beta.apply(com, graph);
    let inertial = own.alpha.add(at_com, graph).scale(mass, graph);
    let inertial = inertial.name(&format!("W[{}]", tree.nodes[node].name), graph);
    let force = inertial.add(children.force, graph);
    let parts = [com.cross(inertial, graph), euler(inertia, None, own, graph), children.torque];
    (force, Vector::sum(&parts, graph))
}
