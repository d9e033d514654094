//! The forward pass that all Newton-Euler recursions share (Postiau, section 1.3.2, corrected).
//!
//! ```text
//! w  = R w_h + W                         W, V: relative angular and linear velocity of the node
//! wd = R wd_h + w x W + Wd
//! alpha = R (alpha_h + beta_h d) + 2 (w - W) x V + Vd  (+ W x V where V turns with the node)
//! ```
//!
//! Turns about parallel axes, one after the other, are one turn by the sum of their angles: angular
//! quantities of such nodes come straight from the node before the first of them.

use crate::tree::{Motion, Tree};
use rotule_symbolic::{Expr, Graph, Matrix, Vector};

/// The motion of a node's frame, in its own axes.
pub struct Kinematics {
    /// From the node's components to its parent's.
    pub rotation: Matrix,
    /// From the parent's origin to the node's, in the parent's components.
    pub arm: Vector,
    /// Angular velocity.
    pub w: Vector,
    /// Angular acceleration.
    pub wd: Vector,
    /// Acceleration of the origin, less gravity.
    pub alpha: Vector,
    /// The part of `alpha` that the joint's own linear motion makes.
    pub own: Vector,
    /// `tilde(wd) + tilde(w) tilde(w)`
    pub beta: Matrix,
    /// The squares of the angular velocity's components.
    pub squares: Vector,
    /// The turns about parallel axes that end with this node.
    run: Run,
}

/// Successive turns about parallel axes.
#[derive(Clone, Copy)]
struct Run {
    /// The node before the first.
    base: usize,
    /// From the last node's components to the base's.
    turn: Matrix,
    /// Rate and acceleration of the whole turn, along the axis in the last node's components.
    rate: Vector,
    acceleration: Vector,
}

/// The motion of all nodes for given speeds, accelerations and gravity.
pub fn forward(tree: &mut Tree, qd: &[Expr], qdd: &[Expr], gravity: Vector) -> Vec<Kinematics> {
    let mut all = Vec::with_capacity(tree.nodes.len());
    all.push(Kinematics {
        rotation: Matrix::IDENTITY,
        arm: Vector::ZERO,
        w: Vector::ZERO,
        wd: Vector::ZERO,
        alpha: -gravity,
        own: Vector::ZERO,
        beta: Matrix::ZERO,
        squares: Vector::ZERO,
        run: Run {
            base: 0,
            turn: Matrix::IDENTITY,
            rate: Vector::ZERO,
            acceleration: Vector::ZERO,
        },
    });
    for node in 1..tree.nodes.len() {
        let next = step(tree, node, &all, qd, qdd);
        all.push(next);
    }
    all
}

fn step(tree: &mut Tree, node: usize, all: &[Kinematics], qd: &[Expr], qdd: &[Expr]) -> Kinematics {
    let parent = &all[tree.nodes[node].parent];
    let name = tree.nodes[node].name.clone();
    let placed = tree.placed(node);
    let speed = tree.nodes[node].speed;
    let (rel_w, rel_v) = tree.rates(node, &qd[speed..]);
    let (rel_wd, rel_vd) = tree.rates(node, &qdd[speed..]);
    let turns_with_node = tree.nodes[node].motion == Motion::Free;
    let follows = parallel(tree, node);
    let graph = &mut tree.mechanism.graph;
    let (rotation, arm) = (placed.rotation, placed.position);
    let back = rotation.transpose();
    let run = if follows {
        let rate = back.apply(parent.run.rate, graph).add(rel_w, graph);
        Run {
            base: parent.run.base,
            turn: parent.run.turn.mul(rotation, graph),
            rate: rate.name(&format!("wr[{name}]"), graph),
            acceleration: back.apply(parent.run.acceleration, graph).add(rel_wd, graph),
        }
    } else {
        Run { base: tree.nodes[node].parent, turn: rotation, rate: rel_w, acceleration: rel_wd }
    };
    let (outer, whole) = (&all[run.base], run.turn.transpose());
    let w = whole.apply(outer.w, graph).add(run.rate, graph).name(&format!("w[{name}]"), graph);
    let wd = Vector::sum(
        &[whole.apply(outer.wd, graph), w.cross(run.rate, graph), run.acceleration],
        graph,
    )
    .name(&format!("wd[{name}]"), graph);
    let at_joint = parent.beta.apply(arm, graph);
    let at_joint = parent.alpha.add(at_joint, graph);
    let two = graph.number(2);
    let carried = back.apply(parent.w, graph);
    let coriolis = carried.cross(rel_v, graph).scale(two, graph);
    let turning = if turns_with_node { rel_w.cross(rel_v, graph) } else { Vector::ZERO };
    let own = Vector::sum(&[coriolis, turning, rel_vd], graph);
    let alpha = Vector::sum(&[back.apply(at_joint, graph), own], graph)
        .name(&format!("alpha[{name}]"), graph);
    let squares = Vector(w.0.map(|component| graph.square(component)));
    // Named, lest a difference of two be written as a product.
    let squares = squares.name(&format!("ww[{name}]"), graph);
    let beta = beta(w, wd, squares, &name, graph);
    Kinematics { rotation, arm, w, wd, alpha, own, beta, squares, run }
}

/// Whether a node turns about an axis that is parallel to that of its parent's turn.
pub fn parallel(tree: &Tree, node: usize) -> bool {
    let one = &tree.nodes[node];
    match (one.motion, tree.nodes[one.parent].motion) {
        (Motion::Revolute { axis, .. }, Motion::Revolute { axis: outer, .. }) => {
            let direction = one.placement.rotation.column(axis);
            direction == Vector::unit(outer) || direction == -Vector::unit(outer)
        }
        _ => false,
    }
}

fn beta(w: Vector, wd: Vector, squares: Vector, name: &str, graph: &mut Graph) -> Matrix {
    let tilde = wd.tilde();
    let mut matrix = Matrix::ZERO;
    for i in 0..3 {
        for j in 0..3 {
            matrix.0[i][j] = if i == j {
                -graph.add(squares[(i + 1) % 3], squares[(i + 2) % 3])
            } else {
                let product = graph.mul(w[i], w[j]);
                graph.add(product, tilde.0[i][j])
            };
        }
    }
    matrix.name(&format!("beta[{name}]"), graph)
}

/// `I wd + w x I w`, written with the entries of `beta`, so that products of speeds are shared and
/// differences of moments of inertia are made once (spec: a, b, c cyclic):
/// `I_aa wd_a + (I_cc - I_bb) w_b w_c - I_ab beta_ca + I_ac beta_ba + I_bc (w_b^2 - w_c^2)`.
pub fn euler(inertia: Matrix, own: &Kinematics, graph: &mut Graph) -> Vector {
    let (i, beta) = (inertia.0, own.beta.0);
    Vector([0, 1, 2].map(|a| {
        let (b, c) = ((a + 1) % 3, (a + 2) % 3);
        let difference = graph.sub(i[c][c], i[b][b]);
        let product = graph.mul(own.w[b], own.w[c]);
        let squares = graph.sub(own.squares[b], own.squares[c]);
        let terms = [
            graph.mul(i[a][a], own.wd[a]),
            graph.mul(difference, product),
            -graph.mul(i[a][b], beta[c][a]),
            graph.mul(i[a][c], beta[b][a]),
            graph.mul(i[b][c], squares),
        ];
        graph.sum(&terms)
    }))
}
