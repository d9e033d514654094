//! The mass matrix by the semi-explicit recursion (Postiau, section 1.3.3, corrected).
//!
//! Every quantity of the Newton-Euler recursion is linear in the accelerations; these are its
//! factors, one column per speed of a node and its ancestors:
//!
//! ```text
//! forward   O = R^T O_h + phi                 A = R^T (A_h + O_h x d) + psi
//! backward  W = m (A + O x l)                 F = W + sum R_j F_j
//!           L = l x W + I O + sum (R_j L_j + d_j x R_j F_j)
//! ```

use crate::tree::{Tree, Wrench};
use rotule_model::mechanism::Placement;
use rotule_symbolic::{Expr, Matrix, Vector};

/// The factors of one acceleration at one node.
#[derive(Clone, Copy)]
pub(crate) struct Column {
    /// The speed.
    pub speed: usize,
    /// Of the angular acceleration, and of the origin's acceleration.
    pub angular: Vector,
    pub linear: Vector,
}

/// The columns of all nodes.
pub(crate) fn columns(tree: &mut Tree) -> Vec<Vec<Column>> {
    let mut columns: Vec<Vec<Column>> = vec![Vec::new()];
    for node in 1..tree.nodes.len() {
        let Placement { rotation, position: arm } = tree.placed(node);
        let own = forward(tree, node, &columns[tree.nodes[node].parent], rotation, arm);
        columns.push(own);
    }
    columns
}

/// The entries of the mass matrix at or below its diagonal that are not zero: row, column, value.
/// Entries between speeds of parallel branches are zero and not among them.
pub fn mass(tree: &mut Tree) -> Vec<(usize, usize, Expr)> {
    let columns = columns(tree);
    let mut entries = Vec::new();
    // Forces and torques that children pass on, one pair per column of the node.
    let mut passed: Vec<Vec<Wrench>> =
        columns.iter().map(|list| vec![Wrench::ZERO; list.len()]).collect();
    for node in (1..tree.nodes.len()).rev() {
        let parent = tree.nodes[node].parent;
        let Placement { rotation, position: arm } = tree.placed(node);
        for (at, column) in columns[node].clone().into_iter().enumerate() {
            let (force, torque) = wrench(tree, node, &column, passed[node][at]);
            let speed = tree.nodes[node].speed;
            let speeds = tree.nodes[node].motion.speeds();
            for (row, value) in tree.project(node, force, torque).into_iter().enumerate() {
                let row = speed + row;
                let armature = tree.nodes[node].armature;
                let drive = if row == column.speed { armature } else { Expr::ZERO };
                let value = tree.mechanism.graph.add(value, drive);
                // A node's own block comes whole; what couples it to an ancestor comes once.
                let own = column.speed >= speed && column.speed < speed + speeds;
                if value != Expr::ZERO && !(own && row < column.speed) {
                    entries.push((row.max(column.speed), row.min(column.speed), value));
                }
            }
            // Columns of the parent come first, in the same order.
            if at < passed[parent].len() {
                let graph = &mut tree.mechanism.graph;
                let carried = Wrench { force, torque }.carried(rotation, arm, graph);
                passed[parent][at] = passed[parent][at].add(carried, graph);
            }
        }
    }
    entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
    entries
}

/// The columns of a node: those of its parent, carried on, and its own.
fn forward(
    tree: &mut Tree,
    node: usize,
    parent: &[Column],
    rotation: Matrix,
    arm: Vector,
) -> Vec<Column> {
    let name = tree.nodes[node].name.clone();
    let back = rotation.transpose();
    let mut own = Vec::with_capacity(parent.len() + 1);
    for column in parent {
        let graph = &mut tree.mechanism.graph;
        let lever = column.angular.cross(arm, graph);
        let linear = column.linear.add(lever, graph);
        let angular = back.apply(column.angular, graph);
        let linear = back.apply(linear, graph);
        let label = format!("{name},{}", column.speed + 1);
        own.push(Column {
            speed: column.speed,
            angular: angular.name(&format!("O[{label}]"), graph),
            linear: linear.name(&format!("A[{label}]"), graph),
        });
    }
    let speed = tree.nodes[node].speed;
    for at in 0..tree.nodes[node].motion.speeds() {
        let mut unit = [Expr::ZERO; 6];
        unit[at] = Expr::ONE;
        let (angular, linear) = tree.rates(node, &unit);
        own.push(Column { speed: speed + at, angular, linear });
    }
    own
}

/// The force and torque of a node for one unit of an acceleration, about its origin.
fn wrench(tree: &mut Tree, node: usize, column: &Column, children: Wrench) -> (Vector, Vector) {
    let (mass, com, inertia, name) = {
        let node = &tree.nodes[node];
        (node.mass, node.com, node.inertia, node.name.clone())
    };
    let label = format!("{name},{}", column.speed + 1);
    let graph = &mut tree.mechanism.graph;
    let at_com = column.angular.cross(com, graph);
    let inertial = column.linear.add(at_com, graph).scale(mass, graph);
    let inertial = inertial.name(&format!("WM[{label}]"), graph);
    let force = inertial.add(children.force, graph).name(&format!("FM[{label}]"), graph);
    let lever = com.cross(inertial, graph);
    let spin = inertia.apply(column.angular, graph);
    let torque = lever.add(spin, graph).add(children.torque, graph);
    (force, torque.name(&format!("LM[{label}]"), graph))
}
