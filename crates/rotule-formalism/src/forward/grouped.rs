//! Masses, first moments and inertias, gathered as near to the ground as they can be.
//!
//! What is symmetric about a joint's axis and has no inertia about it moves the same whether it is
//! fixed to the node or to its parent. A node keeps only what its own joint feels (the minimal
//! barycentric parameters of Fisette and Renaud, here as a change of the bodies themselves):
//!
//! ```text
//! revolute   mass m, moment c e along the axis, inertia k (1 - e e^T) go to the parent
//! helical    inertia k (1 - e e^T) goes
//! prismatic  the whole inertia about the origin goes
//! spherical  the mass goes
//! ```
//!
//! Accelerations and efforts are the same for all motions, so recursions run on these bodies as
//! they would on the true ones, with fewer terms. All of it depends on parameters only.

use crate::tree::{ElementaryMotion, Tree};
use rotule_symbolic::{Expr, Graph, Matrix, Number, Vector};

/// A rigid body about the origin of its node.
#[derive(Clone, Copy, Debug)]
pub struct Solid {
    /// Mass.
    pub mass: Expr,
    /// First moment: mass times centre of mass.
    pub moment: Vector,
    /// Inertia about the origin.
    pub inertia: Matrix,
    /// The axis about which the moment of inertia is the sum of the other two, if it was made so.
    pub flat: Option<usize>,
}

impl Solid {
    const ZERO: Solid =
        Solid { mass: Expr::ZERO, moment: Vector::ZERO, inertia: Matrix::ZERO, flat: None };

    fn add(&mut self, other: &Solid, graph: &mut Graph) {
        self.mass = graph.add(self.mass, other.mass);
        self.moment = self.moment.add(other.moment, graph);
        self.inertia = self.inertia.add(other.inertia, graph);
    }

    /// The solid as seen from a frame in which this one is rotated and placed.
    fn placed(&self, rotation: Matrix, position: Vector, graph: &mut Graph) -> Solid {
        let moment = rotation.apply(self.moment, graph);
        let turned = rotation.congruent(self.inertia, graph);
        // Parallel axes, for a body whose reference point is not its centre of mass.
        let half = position.scale(self.mass, graph);
        let far = half.add(moment, graph);
        let tilde = position.tilde();
        let first = tilde.mul(far.tilde(), graph);
        let second = moment.tilde().mul(tilde, graph);
        let shift = first.add(second, graph);
        Solid { mass: self.mass, moment: far, inertia: turned.sub(shift, graph), flat: None }
    }
}

/// The solids of all nodes, named; with `flat` those that turn are flat across the axis where that
/// pays.
pub fn solids(tree: &mut Tree, flat: bool) -> Vec<Solid> {
    let mut solids = own(tree);
    if !tree.transformations.regroup {
        return solids;
    }
    for node in (1..tree.nodes.len()).rev() {
        let graph = &mut tree.mechanism.graph;
        let placement = tree.nodes[node].placement;
        let solid = &mut solids[node];
        let mut passed = Solid::ZERO;
        match tree.nodes[node].motion {
            ElementaryMotion::Revolute { axis, .. } => {
                passed = Solid { mass: solid.mass, ..across(solid, axis, flat, graph) };
                passed.moment[axis] = solid.moment[axis];
                (solid.mass, solid.moment[axis]) = (Expr::ZERO, Expr::ZERO);
            }
            ElementaryMotion::Helical { axis, .. } => passed = across(solid, axis, false, graph),
            ElementaryMotion::Prismatic { .. } => {
                std::mem::swap(&mut passed.inertia, &mut solid.inertia);
            }
            ElementaryMotion::Spherical => std::mem::swap(&mut passed.mass, &mut solid.mass),
            ElementaryMotion::Ground | ElementaryMotion::Free => {}
        }
        *solid = named(solid, &tree.nodes[node].name, graph);
        let parent = tree.nodes[node].parent;
        if parent != 0 {
            let passed = passed.placed(placement.rotation, placement.position, graph);
            solids[parent].add(&passed, graph);
        }
    }
    solids
}

/// Takes an inertia that is the same about all lines across the axis off a solid, so that it has
/// one entry less.
fn across(solid: &mut Solid, axis: usize, flat: bool, graph: &mut Graph) -> Solid {
    let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
    let (amount, is_flat) = shared(&mut solid.inertia, solid.moment, axis, flat, graph);
    solid.flat = is_flat.then_some(axis);
    let mut passed = Solid::ZERO;
    (passed.inertia.0[first][first], passed.inertia.0[second][second]) = (amount, amount);
    passed
}

/// Takes from an inertia what is the same about all lines across an axis: one of the two moments,
/// or as much as makes the body flat. The latter gives cheaper torques where `beta` is needed in
/// any case.
pub(crate) fn shared(
    inertia: &mut Matrix,
    moment: Vector,
    axis: usize,
    flat: bool,
    graph: &mut Graph,
) -> (Expr, bool) {
    let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
    let [one, other, about] = [first, second, axis].map(|at| inertia.0[at][at]);
    let rest = graph.sub(one, other);
    let beside = [inertia.0[first][second], inertia.0[first][axis], inertia.0[second][axis]];
    let uneven = [moment[first], moment[second]].iter().chain(&beside).any(|&x| x != Expr::ZERO);
    if flat && uneven && rest != Expr::ZERO {
        let sum = graph.sum(&[one, other, -about]);
        let half = graph.number(Number::ratio(1, 2));
        let amount = graph.mul(half, sum);
        inertia.0[first][first] = graph.sub(one, amount);
        inertia.0[second][second] = graph.sub(other, amount);
        return (amount, true);
    }
    inertia.0[first][first] = rest;
    inertia.0[second][second] = Expr::ZERO;
    (other, false)
}

/// The nodes as they are.
fn own(tree: &mut Tree) -> Vec<Solid> {
    let graph = &mut tree.mechanism.graph;
    let solid = |node: &crate::tree::TreeNode| {
        let at_com =
            Solid { mass: node.mass, moment: Vector::ZERO, inertia: node.inertia, flat: None };
        at_com.placed(Matrix::IDENTITY, node.com, graph)
    };
    tree.nodes.iter().map(solid).collect()
}

fn named(solid: &Solid, name: &str, graph: &mut Graph) -> Solid {
    Solid {
        mass: graph.name(&format!("mb[{name}]"), solid.mass),
        moment: solid.moment.name(&format!("b[{name}]"), graph),
        inertia: solid.inertia.name_symmetric(&format!("K[{name}]"), graph),
        flat: solid.flat,
    }
}
