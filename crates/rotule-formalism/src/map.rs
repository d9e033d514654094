//! From speeds to the derivatives of coordinates: `qdot = N(q) qd`.
//!
//! N is the unit matrix but for joints with quaternions. With the quaternion `(w, v)` and the
//! angular velocity `o` in the moving body's axes,
//!
//! ```text
//! wdot = -(v . o) / 2          vdot = (w o + v x o) / 2
//! ```
//!
//! and the position of a free joint changes by its velocity, turned from the body's axes to those
//! of the joint's fixed side.

use crate::function::Call;
use crate::problem::Problem;
use crate::tree::{ElementaryMotion, Tree};
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Vector};

/// `rates`
pub fn rates(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(vec![Target::vector("qdot", &derivatives(tree))])
}

/// `kinematic_map`
pub fn matrix(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let entries = entries(tree);
    let entry = |(row, column, value): (usize, usize, Expr)| (row as u32, column as u32, value);
    Ok(vec![Target {
        name: "N".to_owned(),
        rows: tree.q.len() as u32,
        columns: tree.speeds() as u32,
        symmetric: false,
        entries: entries.into_iter().map(entry).collect(),
    }])
}

/// The time derivatives of all coordinates at the tree's speeds.
pub(crate) fn derivatives(tree: &mut Tree) -> Vec<Expr> {
    let mut terms = vec![Vec::new(); tree.q.len()];
    for (row, column, value) in entries(tree) {
        let term = tree.mechanism.graph.mul(value, tree.qd[column]);
        terms[row].push(term);
    }
    terms.iter().map(|terms| tree.mechanism.graph.sum(terms)).collect()
}

/// The entries of N that are not zero, by rows: row, column, value.
pub(crate) fn entries(tree: &mut Tree) -> Vec<(usize, usize, Expr)> {
    let mut entries = Vec::new();
    for node in 1..tree.nodes.len() {
        let (q, v) = (tree.nodes[node].coordinate, tree.nodes[node].speed);
        match tree.nodes[node].motion {
            ElementaryMotion::Ground => {}
            ElementaryMotion::Revolute { .. }
            | ElementaryMotion::Prismatic { .. }
            | ElementaryMotion::Helical { .. } => {
                entries.push((q, v, Expr::ONE));
            }
            ElementaryMotion::Spherical => quaternion(tree, q, v, &mut entries),
            ElementaryMotion::Free => {
                let (rotation, _) = tree.displacement(node);
                for (i, row) in rotation.0.into_iter().enumerate() {
                    entries.extend(row.into_iter().enumerate().map(|(j, e)| (q + i, v + j, e)));
                }
                quaternion(tree, q + 3, v + 3, &mut entries);
            }
        }
    }
    entries.retain(|&(_, _, value)| value != Expr::ZERO);
    entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
    entries
}

/// The block of a quaternion that begins at a coordinate, and of an angular velocity that begins at
/// a speed.
fn quaternion(tree: &mut Tree, q: usize, v: usize, entries: &mut Vec<(usize, usize, Expr)>) {
    let graph = &mut tree.mechanism.graph;
    let two = graph.number(2);
    let half: [Expr; 4] = std::array::from_fn(|i| graph.div(tree.q[q + i], two));
    let [w, x, y, z] = half;
    let tilde = Vector([x, y, z]).tilde();
    for (j, &part) in [x, y, z].iter().enumerate() {
        entries.push((q, v + j, -part));
        for i in 0..3 {
            let value = if i == j { w } else { tilde.0[i][j] };
            entries.push((q + 1 + i, v + j, value));
        }
    }
}
