//! The mass matrix with composite augmented bodies.
//!
//! Moments and inertias of everything beyond a joint, as if it were rigid; a unit acceleration of
//! the joint needs a force and a torque, which every ancestor feels:
//!
//! ```text
//! b = b_i + sum (R_j b_j + m_j z)
//! K = K_i + sum (R_j K_j R_j^T - [d + z, R_j b_j] - m_j ([d, z] + tilde(z)^2))    [u, v] = uv~~ + vu~~
//! F = m psi + phi x b        L = K phi + b x psi
//! towards the base           F_h = R F        L_h = R L + (d + z) x R F
//! ```

use super::gauge::{Purpose, gauged};
use super::parameters::{Augmented, augmented, crossed};
use crate::forward::blocks::{self, about_axis};
use crate::tree::Tree;
use rotule_model::mechanism::Placement;
use rotule_symbolic::{Expr, Graph, Matrix, Vector};

/// The entries of the mass matrix at or below its diagonal that are not zero: row, column, value.
pub fn mass(tree: &mut Tree) -> Vec<(usize, usize, Expr)> {
    gauged(tree, Vec::new(), Purpose::Mass, |tree, _| composite(tree))
}

fn composite(tree: &mut Tree) -> Vec<(usize, usize, Expr)> {
    let mut bodies = augmented(tree, false);
    let placed: Vec<_> = (0..tree.nodes.len()).map(|node| tree.placed(node)).collect();
    let own: Vec<_> = (0..tree.nodes.len()).map(|node| tree.displacement(node).0).collect();
    let mut entries = Vec::new();
    for node in (1..tree.nodes.len()).rev() {
        let one = tree.nodes[node].clone();
        let body = named(bodies[node], &one.name, &mut tree.mechanism.graph);
        for at in 0..one.motion.speeds() {
            column(tree, node, at, body, &placed, &mut entries);
        }
        let graph = &mut tree.mechanism.graph;
        let (turn, anchor) = (placed[node].rotation, one.placement.position);
        let slide = placed[node].position.sub(anchor, graph);
        let heavy = slide.scale(body.mass, graph);
        let moment = turn.apply(body.moment, graph);
        let turned = match about_axis(own[node]) {
            Some((axis, cosine, sine)) => {
                let turned = blocks::turn(body.inertia, axis, cosine, sine, graph);
                one.placement.rotation.congruent(turned, graph)
            }
            None => turn.congruent(body.inertia, graph),
        };
        let lever = crossed(placed[node].position, moment, graph);
        let moved = crossed(anchor, heavy, graph);
        let slid = slide.tilde().mul(heavy.tilde(), graph);
        let parent = &mut bodies[one.parent];
        parent.moment = Vector::sum(&[parent.moment, moment, heavy], graph);
        parent.inertia = Matrix(std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let terms = [
                    parent.inertia.0[i][j],
                    turned.0[i][j],
                    -lever.0[i][j],
                    -moved.0[i][j],
                    -slid.0[i][j],
                ];
                graph.sum(&terms)
            })
        }));
    }
    entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
    entries
}

/// The entries of one speed with itself and all speeds towards the base.
fn column(
    tree: &mut Tree,
    node: usize,
    at: usize,
    body: Augmented,
    placed: &[Placement],
    entries: &mut Vec<(usize, usize, Expr)>,
) {
    let speed = tree.nodes[node].speed + at;
    let mut unit = [Expr::ZERO; 6];
    unit[at] = Expr::ONE;
    let (phi, psi) = tree.rates(node, &unit);
    let graph = &mut tree.mechanism.graph;
    let pushed = psi.scale(body.mass, graph);
    let mut force = phi.cross(body.moment, graph).add(pushed, graph);
    let spun = body.inertia.apply(phi, graph);
    let mut torque = body.moment.cross(psi, graph).add(spun, graph);
    let mut current = node;
    while current != 0 {
        let first = tree.nodes[current].speed;
        for (row, value) in tree.project(current, force, torque).into_iter().enumerate() {
            let row = first + row;
            let drive = if row == speed { tree.nodes[node].armature } else { Expr::ZERO };
            let value = tree.mechanism.graph.add(value, drive);
            // Within a joint of several speeds each pair comes once.
            if value != Expr::ZERO && (current != node || row <= speed) {
                entries.push((row.max(speed), row.min(speed), value));
            }
        }
        let place = placed[current];
        let label = format!("{},{}", tree.nodes[current].name, speed + 1);
        let graph = &mut tree.mechanism.graph;
        force = place.rotation.apply(force, graph).name(&format!("FM[{label}]"), graph);
        let lever = place.position.cross(force, graph);
        torque = place.rotation.apply(torque, graph).add(lever, graph);
        torque = torque.name(&format!("LM[{label}]"), graph);
        current = tree.nodes[current].parent;
    }
}

fn named(body: Augmented, name: &str, graph: &mut Graph) -> Augmented {
    Augmented {
        mass: body.mass,
        moment: body.moment.name(&format!("bc[{name}]"), graph),
        inertia: body.inertia.name_symmetric(&format!("KC[{name}]"), graph),
        flat: None,
    }
}
