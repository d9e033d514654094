//! Inverse dynamics with augmented bodies. After the forward pass, with `m`, `b`, `K` of the augmented body,
//! `d` the anchor and `z` the displacement of a child, and `a` the acceleration that its slide makes:
//!
//! ```text
//! G = beta b + sum G'_j                             F = m alpha + G
//! L = b x alpha + K wd + w x K w + sum (R^T L_j + (d + z) x G'_j + m_j z x (alpha + beta d))
//! G'_j = R^T (G_j + m_j a_j) + m_j beta z
//! ```
//!
//! The weight and inertia force of a child's mass at its anchor are in `b` and `K` already; only what
//! the slide adds remains.

use super::gauge::gauged;
use super::parameters::augmented;
use crate::forward::{euler, forward};
use crate::parts::{Given, Parts};
use crate::tree::{Motion, Tree, Wrench};
use rotule_symbolic::{Expr, Vector};

/// The efforts that the chosen parts of the equations of motion need, one per speed.
pub fn efforts(tree: &mut Tree, parts: Parts) -> Vec<Expr> {
    let Given { qd, qdd, gravity, wrenches } = parts.of(tree);
    gauged(tree, wrenches, |tree, wrenches| recursion(tree, &qd, &qdd, gravity, wrenches))
}

fn recursion(
    tree: &mut Tree,
    qd: &[Expr],
    qdd: &[Expr],
    gravity: Vector,
    wrenches: &[Wrench],
) -> Vec<Expr> {
    let bodies = augmented(tree);
    let forward = forward(tree, qd, qdd, gravity);
    let mut efforts = vec![Expr::ZERO; qd.len()];
    let mut passed = vec![(Vector::ZERO, Vector::ZERO); tree.nodes.len()];
    for node in (1..tree.nodes.len()).rev() {
        let (own, body, applied) = (&forward[node], bodies[node], wrenches[node]);
        let name = tree.nodes[node].name.clone();
        let graph = &mut tree.mechanism.graph;
        let spun = own.beta.apply(body.moment, graph);
        let rest = Vector::sum(&[spun, passed[node].0, -applied.force], graph)
            .name(&format!("Fb[{name}]"), graph);
        let torque = Vector::sum(
            &[
                body.moment.cross(own.alpha, graph),
                euler(body.inertia, own, graph),
                passed[node].1,
                -applied.torque,
            ],
            graph,
        )
        .name(&format!("L[{name}]"), graph);
        // The force is needed where the joint slides.
        let force = match tree.nodes[node].motion {
            Motion::Revolute { .. } | Motion::Spherical | Motion::Ground => Vector::ZERO,
            Motion::Prismatic { .. } | Motion::Helical { .. } | Motion::Free => {
                own.alpha.scale(body.mass, graph).add(rest, graph)
            }
        };
        let speed = tree.nodes[node].speed;
        let armature = tree.nodes[node].armature;
        for (at, effort) in tree.project(node, force, torque).into_iter().enumerate() {
            let drive = tree.mechanism.graph.mul(armature, qdd[speed + at]);
            efforts[speed + at] = tree.mechanism.graph.add(effort, drive);
        }
        let (parent, anchor) = (tree.nodes[node].parent, tree.nodes[node].placement.position);
        let graph = &mut tree.mechanism.graph;
        let slide = own.arm.sub(anchor, graph);
        let pushed = own.own.scale(body.mass, graph);
        let rest = own.rotation.apply(rest.add(pushed, graph), graph);
        let heavy = slide.scale(body.mass, graph);
        let outer = &forward[parent];
        let moved = outer.beta.apply(heavy, graph);
        let rest = rest.add(moved, graph);
        let at_anchor = outer.beta.apply(anchor, graph);
        let at_anchor = outer.alpha.add(at_anchor, graph);
        let parts = [
            passed[parent].1,
            own.rotation.apply(torque, graph),
            own.arm.cross(rest, graph),
            heavy.cross(at_anchor, graph),
        ];
        passed[parent].0 = passed[parent].0.add(rest, graph);
        passed[parent].1 = Vector::sum(&parts, graph);
    }
    efforts
}
