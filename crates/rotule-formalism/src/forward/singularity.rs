//! The inertia that each speed meets, in numbers: the diagonal of the mass matrix in one pose,
//! beside which a pivot may be nothing.
//!
//! A body is its pseudo-inertia `P`, the integral of `x x^T` over its mass with `x = (r, 1)`. Where
//! `T` places the body, it is `T P T^T`; bodies add up; and a speed that moves points by `V x`
//! meets `tr(V P V^T)`.

use crate::tree::{ByNode, NodeId, Tree};
use crate::writer::Writer;
use rotule_model::index::{BySpeed, SpeedId};
use rotule_model::mechanism::Joint;
use rotule_symbolic::{Expr, Mat3, Scalar, Vec3};
use std::collections::BTreeMap;

/// A matrix of homogeneous coordinates.
pub type Four = [[f64; 4]; 4];

/// The last speed whose pivot is nothing beside its entry of the mass matrix, in a pose without
/// special angles: what vanishes there vanishes everywhere, such as a second slide along the same
/// line with no mass between.
pub(crate) fn vanishing<'g>(
    writer: Writer<'_, 'g>,
    pivots: &[(SpeedId, Scalar<'g>)],
) -> Option<SpeedId> {
    below(writer, pivots, 1e-12)
}

/// The last speed whose pivot is below a part of its entry of the mass matrix.
pub(crate) fn below<'g>(
    writer: Writer<'_, 'g>,
    pivots: &[(SpeedId, Scalar<'g>)],
    part: f64,
) -> Option<SpeedId> {
    let mut exprs: Vec<Expr> = pivots.iter().map(|pivot| pivot.1.expr()).collect();
    exprs.extend(describe(writer));
    let numbers = numbers(writer, &exprs)?;
    let (values, rest) = numbers.split_at(pivots.len());
    let diagonal = diagonal(writer.tree, writer.speeds(), rest);
    // Later pivots come first; those before them are meaningless after a zero.
    let mut all = pivots.iter().zip(values).rev();
    let found = all.find(|((speed, _), value)| value.abs() <= part * diagonal[*speed].abs());
    found.map(|((speed, _), _)| *speed)
}

/// The data of [`moved`] for all nodes but the ground: matrices of four rows with three rows given.
pub fn describe(writer: Writer<'_, '_>) -> Vec<Expr> {
    let mut exprs = Vec::new();
    for node in writer.tree.outward() {
        let (mass, com, inertia) = writer.inertia(node);
        exprs.extend([mass.expr(), writer.tree.nodes[node].armature]);
        let mut push = |matrix: Mat3<'_>, last: Vec3<'_>| {
            for (row, last) in matrix.plain().0.iter().zip(last.plain().0) {
                exprs.extend(row);
                exprs.push(last);
            }
        };
        push(inertia, com);
        let (rotation, position) = writer.placed(node);
        push(rotation, position);
        for column in writer.columns(node) {
            push(column.phi.tilde(), column.psi);
        }
    }
    exprs
}

/// A node in numbers.
pub struct Moved {
    /// Inertia of drives, seen at the joint.
    pub armature: f64,
    /// The pseudo-inertia of the node's own body, in its frame.
    pub body: Four,
    /// The placement in the parent's frame.
    pub placed: Four,
    /// The velocity field of each unit speed of the joint, in the node's frame.
    pub fields: Vec<Four>,
}

/// The numbers of all nodes, from the values of what [`describe`] lists.
pub fn moved(tree: &Tree, mut numbers: &[f64]) -> ByNode<Moved> {
    let mut take = |count: usize| {
        let (taken, rest) = numbers.split_at(count);
        numbers = rest;
        taken
    };
    let four = |rows: &[f64], corner: f64| -> Four {
        let row = |i: usize| std::array::from_fn(|j| rows[4 * i + j]);
        [row(0), row(1), row(2), [0.0, 0.0, 0.0, corner]]
    };
    let mut nodes = ByNode::new();
    let nothing = [[0.0; 4]; 4];
    let ground = Moved { armature: 0.0, body: nothing, placed: nothing, fields: Vec::new() };
    nodes.push(ground);
    for node in tree.nodes.iter().skip(1) {
        let (mass, armature) = (take(1)[0], take(1)[0]);
        let body = pseudo(mass, &four(take(12), 0.0));
        let placed = four(take(12), 1.0);
        let fields = (0..node.motion.speeds()).map(|_| four(take(12), 0.0)).collect();
        nodes.push(Moved { armature, body, placed, fields });
    }
    nodes
}

/// The pseudo-inertias of all nodes with what they carry, each in its own frame; nothing for the
/// ground.
pub fn composites(tree: &Tree, nodes: &ByNode<Moved>) -> ByNode<Four> {
    let mut bodies: ByNode<Four> = nodes.iter().map(|node| node.body).collect();
    for at in tree.inward() {
        let carried = seen(&nodes[at].placed, &bodies[at]);
        let parent = tree.nodes[at].parent;
        if parent != NodeId::GROUND {
            let sums = bodies[parent].as_flattened_mut().iter_mut();
            sums.zip(carried.as_flattened()).for_each(|(sum, part)| *sum += part);
        }
    }
    bodies
}

/// The diagonal of the mass matrix from the numbers of all nodes but the ground.
fn diagonal(tree: &Tree, speeds: usize, numbers: &[f64]) -> BySpeed<f64> {
    let nodes = moved(tree, numbers);
    let mut diagonal = BySpeed::filled(0.0, speeds);
    for (at, body) in composites(tree, &nodes).pairs() {
        for (number, field) in nodes[at].fields.iter().enumerate() {
            let moved = seen(field, body);
            let trace = moved[0][0] + moved[1][1] + moved[2][2];
            diagonal[tree.nodes[at].speed.after(number)] = trace + nodes[at].armature;
        }
    }
    diagonal
}

/// The pseudo-inertia from the mass, and from the inertia about the centre of mass beside that
/// centre.
fn pseudo(mass: f64, given: &Four) -> Four {
    let half = (given[0][0] + given[1][1] + given[2][2]) / 2.0;
    let centre = [given[0][3], given[1][3], given[2][3], 1.0];
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let second = if i < 3 && j < 3 { -given[i][j] } else { 0.0 };
            let diagonal = if i == j && i < 3 { half } else { 0.0 };
            second + diagonal + mass * centre[i] * centre[j]
        })
    })
}

/// `A P A^T`
fn seen(a: &Four, p: &Four) -> Four {
    // P is symmetric.
    product(&product(a, p), a)
}

/// `A B^T`
pub fn product(a: &Four, b: &Four) -> Four {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..4).map(|k| a[i][k] * b[j][k]).sum()))
}

/// Values in a pose without special angles; none where foreign functions in given motions have no
/// numbers.
fn numbers(writer: Writer<'_, '_>, exprs: &[Expr]) -> Option<Vec<f64>> {
    let mechanism = writer.mechanism;
    let mut known: BTreeMap<&str, f64> = BTreeMap::new();
    for parameter in &mechanism.parameters {
        known.insert(&parameter.name, parameter.any_number());
    }
    for (at, one) in mechanism.coordinates.iter().enumerate() {
        known.insert(&one.name, 0.3 + (0.618_034 * at as f64).fract());
    }
    let quaternion = |joint: &&Joint| joint.coordinates.len() > joint.speeds.len();
    for joint in mechanism.joints.iter().filter(quaternion) {
        let last = joint.coordinates.end;
        for (at, part) in (last - 4..last).zip([0.5, 0.5, 0.5, -0.5]) {
            known.insert(&mechanism.coordinates[at].name, part);
        }
    }
    let number = |name: &str| Some(known.get(name).copied().unwrap_or(0.7));
    writer.read(|graph| graph.evaluate_f64(exprs, number).ok())
}

#[cfg(test)]
mod tests {
    use super::{describe, diagonal, numbers};
    use crate::barycentric;
    use crate::normalise::normalise;
    use rotule_model::{ReadOptions, load_text};
    use rotule_symbolic::Expr;

    /// Every kind of joint.
    const MODEL: &str = r#"
        [model]
        name = "joints"
        [[body]]
        name = "a"
        parent = "ground"
        joint = { name = "free", type = "free" }
        mass = 2
        com = [0.3, 0.2, 0.1]
        inertia = { xx = 0.2, yy = 0.3, zz = 0.4, xy = 0.05 }
        [[body]]
        name = "b"
        parent = "a"
        position = [0.4, 0.1, 0.2]
        rotation = { axis = "z", angle = 0.3 }
        joint = { name = "turn", type = "revolute", axis = "-x", armature = 0.1 }
        mass = 1
        com = [0.1, 0.2, 0.3]
        inertia = { xx = 0.2, yy = 0.3, zz = 0.4, xz = 0.05 }
        [[body]]
        name = "c"
        parent = "b"
        position = [0.1, 0.5, 0.2]
        joint = { name = "slide", type = "prismatic", axis = "y" }
        mass = 3
        com = [0.3, 0.2, 0.2]
        inertia = { xx = 0.2, yy = 0.3, zz = 0.4, yz = 0.05 }
        [[body]]
        name = "d"
        parent = "c"
        position = [0.1, 0.2, 0.2]
        joint = { name = "screw", type = "helical", axis = "y", pitch = 0.2 }
        mass = 1
        com = [0.3, 0.2, 0.2]
        inertia = { xx = 0.2, yy = 0.3, zz = 0.4, yz = 0.05 }
        [[body]]
        name = "e"
        parent = "c"
        position = [0.1, 0.2, 0.3]
        joint = { name = "ball", type = "spherical" }
        mass = 1
        com = [0.3, 0.2, 0.2]
        inertia = { xx = 0.2, yy = 0.3, zz = 0.4 }
    "#;

    #[test]
    fn pseudo_inertias_give_the_diagonal_of_the_mass_matrix() {
        let mechanism = load_text("joints", MODEL, &ReadOptions::default()).expect("a valid model");
        let system = normalise(mechanism);
        let sheet = system.sheet();
        let writer = system.writer(&sheet);
        let found = numbers(writer, &describe(writer)).expect("numbers");
        let mut expected = vec![Expr::ZERO; writer.speeds()];
        for (row, column, value) in barycentric::mass(writer) {
            if row == column {
                expected[row] = value.expr();
            }
        }
        let found = diagonal(writer.tree, writer.speeds(), &found);
        let expected = numbers(writer, &expected).expect("numbers");
        assert_eq!(found.len(), 12);
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12 * expected, "{found} {expected}");
        }
    }
}
