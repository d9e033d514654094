//! Inverse dynamics by the recursive Newton-Euler formalism, classical form (Postiau, section 1.3.2,
//! corrected).
//!
//! ```text
//! forward   w  = R w_h + W                         W, V: relative angular and linear velocity
//!           wd = R wd_h + w x W + Wd
//!           alpha = R (alpha_h + beta_h d) + 2 (w - W) x V + Vd  (+ W x V where V turns with the node)
//! backward  W_i = m (alpha + beta l)
//!           F  = W_i + sum R^T F_j
//!           L  = l x W_i + I wd + w x I w + sum (R^T L_j + d x R^T F_j)
//!           Q  = projections of F and L on the joint's axes
//! ```

use crate::parts::{Given, Parts};
use crate::tree::{Motion, Tree, Wrench};
use rotule_symbolic::{Expr, Graph, Matrix, Vector};

/// What the forward pass leaves for the backward pass.
#[derive(Clone, Copy)]
pub(crate) struct Kinematics {
    /// From the node's components to its parent's.
    pub rotation: Matrix,
    /// From the parent's origin to the node's, in the parent's components.
    pub arm: Vector,
    pub w: Vector,
    pub wd: Vector,
    pub alpha: Vector,
    pub beta: Matrix,
}

/// The efforts that the chosen parts of the equations of motion need, one per speed.
pub fn efforts(tree: &mut Tree, parts: Parts) -> Vec<Expr> {
    let given = parts.of(tree);
    let forward = forward(tree, &given);
    let transmitted = transmitted(tree, &forward, &given.wrenches);
    let mut efforts = vec![Expr::ZERO; given.qd.len()];
    for node in (1..tree.nodes.len()).rev() {
        let Wrench { force, torque } = transmitted[node];
        let speed = tree.nodes[node].speed;
        let armature = tree.nodes[node].armature;
        for (at, effort) in tree.project(node, force, torque).into_iter().enumerate() {
            let drive = tree.mechanism.graph.mul(armature, given.qdd[speed + at]);
            efforts[speed + at] = tree.mechanism.graph.add(effort, drive);
        }
    }
    efforts
}

/// The motion of every node.
pub(crate) fn forward(tree: &mut Tree, given: &Given) -> Vec<Kinematics> {
    let mut forward = vec![Kinematics {
        rotation: Matrix::IDENTITY,
        arm: Vector::ZERO,
        w: Vector::ZERO,
        wd: Vector::ZERO,
        alpha: -given.gravity,
        beta: Matrix::ZERO,
    }];
    for node in 1..tree.nodes.len() {
        let next = step(tree, node, &forward[tree.nodes[node].parent], &given.qd, &given.qdd);
        forward.push(next);
    }
    forward
}

/// The force and torque that every node takes from its joint, about its origin and in its axes; none for
/// the ground.
pub(crate) fn transmitted(
    tree: &mut Tree,
    forward: &[Kinematics],
    applied: &[Wrench],
) -> Vec<Wrench> {
    let mut transmitted = vec![Wrench::ZERO; tree.nodes.len()];
    let mut passed = vec![(Vector::ZERO, Vector::ZERO); tree.nodes.len()];
    for node in (1..tree.nodes.len()).rev() {
        let own = &forward[node];
        let (force, torque) = wrench(tree, node, own, passed[node]);
        let force = force.sub(applied[node].force, &mut tree.mechanism.graph);
        let torque = torque.sub(applied[node].torque, &mut tree.mechanism.graph);
        let name = tree.nodes[node].name.clone();
        let force = force.name(&format!("F[{name}]"), &mut tree.mechanism.graph);
        let torque = torque.name(&format!("L[{name}]"), &mut tree.mechanism.graph);
        transmitted[node] = Wrench { force, torque };
        let parent = tree.nodes[node].parent;
        let graph = &mut tree.mechanism.graph;
        let force = own.rotation.apply(force, graph);
        let moment = own.rotation.apply(torque, graph);
        let lever = own.arm.cross(force, graph);
        let moment = moment.add(lever, graph);
        passed[parent].0 = passed[parent].0.add(force, graph);
        passed[parent].1 = passed[parent].1.add(moment, graph);
    }
    transmitted
}

fn step(
    tree: &mut Tree,
    node: usize,
    parent: &Kinematics,
    qd: &[Expr],
    qdd: &[Expr],
) -> Kinematics {
    let name = tree.nodes[node].name.clone();
    let placed = tree.placed(node);
    let speed = tree.nodes[node].speed;
    let (rel_w, rel_v) = tree.rates(node, &qd[speed..]);
    let (rel_wd, rel_vd) = tree.rates(node, &qdd[speed..]);
    let turns_with_node = tree.nodes[node].motion == Motion::Free;
    let graph = &mut tree.mechanism.graph;
    let (rotation, arm) = (placed.rotation, placed.position);
    let back = rotation.transpose();
    let carried = back.apply(parent.w, graph);
    let w = carried.add(rel_w, graph).name(&format!("w[{name}]"), graph);
    let wd = sum(&[back.apply(parent.wd, graph), w.cross(rel_w, graph), rel_wd], graph)
        .name(&format!("wd[{name}]"), graph);
    let at_joint = parent.beta.apply(arm, graph);
    let at_joint = parent.alpha.add(at_joint, graph);
    let two = graph.number(2);
    let coriolis = carried.cross(rel_v, graph).scale(two, graph);
    let turning = if turns_with_node { rel_w.cross(rel_v, graph) } else { Vector::ZERO };
    let alpha = sum(&[back.apply(at_joint, graph), coriolis, turning, rel_vd], graph)
        .name(&format!("alpha[{name}]"), graph);
    let beta = beta(w, wd, &name, graph);
    Kinematics { rotation, arm, w, wd, alpha, beta }
}

/// `tilde(wd) + tilde(w) tilde(w)`, its products named apart because they are symmetric.
fn beta(w: Vector, wd: Vector, name: &str, graph: &mut Graph) -> Matrix {
    let tilde = w.tilde();
    let squares = tilde.mul(tilde, graph);
    let mut matrix = squares.add(wd.tilde(), graph);
    let axes = ["x", "y", "z"];
    for (i, row) in matrix.0.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry = graph.name(&format!("beta[{name}].{}{}", axes[i], axes[j]), *entry);
        }
    }
    matrix
}

/// The force and torque that a node takes from its joint, about its origin.
fn wrench(
    tree: &mut Tree,
    node: usize,
    own: &Kinematics,
    children: (Vector, Vector),
) -> (Vector, Vector) {
    let (mass, com, inertia) = {
        let node = &tree.nodes[node];
        (node.mass, node.com, node.inertia)
    };
    let graph = &mut tree.mechanism.graph;
    let at_com = own.beta.apply(com, graph);
    let inertial = own.alpha.add(at_com, graph).scale(mass, graph);
    let inertial = inertial.name(&format!("W[{}]", tree.nodes[node].name), graph);
    let force = inertial.add(children.0, graph);
    let angular = inertia.apply(own.w, graph);
    let parts = [
        com.cross(inertial, graph),
        inertia.apply(own.wd, graph),
        own.w.cross(angular, graph),
        children.1,
    ];
    (force, sum(&parts, graph))
}

pub(crate) fn sum(vectors: &[Vector], graph: &mut Graph) -> Vector {
    Vector(std::array::from_fn(|i| {
        let terms: Vec<Expr> = vectors.iter().map(|vector| vector[i]).collect();
        graph.sum(&terms)
    }))
}
