//! The mass matrix by the semi-explicit recursion (Postiau, section 1.3.3, corrected).
//!
//! Every quantity of the Newton-Euler recursion is linear in the accelerations; these are its
//! factors, one column per speed of a node and its ancestors:
//!
//! ```text
//! outward   O = R' O_h                        A = R' (A_h + O_h x d)         of ancestors' speeds
//!           O = phi                           A = psi                        of the node's own
//! inward    W = m (A + O x l)                 F = W + sum R_j F_j
//!           L = l x W + I O + sum (R_j L_j + d_j x R_j F_j)
//!           M = phi . L + psi . F  (+ r on the diagonal)
//! ```
#![allow(non_snake_case)] // symbols as in the formulas

use crate::spatial::Wrench;
use crate::tree::ByNode;
use crate::writer::{Entries, Writer, lower};
use rotule_model::index::SpeedId;
use rotule_symbolic::{Scalar, Vec3};

/// The factors of one acceleration at one node.
#[derive(Clone, Copy)]
pub(crate) struct Column<'g> {
    /// The speed.
    pub speed: SpeedId,
    /// Of the angular acceleration.
    pub O: Vec3<'g>,
    /// Of the origin's acceleration.
    pub A: Vec3<'g>,
}

/// The columns of all nodes: those of its parent, carried on, and its own.
pub(crate) fn columns<'g>(writer: Writer<'_, 'g>) -> ByNode<Vec<Column<'g>>> {
    let mut columns: ByNode<Vec<Column<'g>>> = ByNode::from(vec![Vec::new()]);
    for i in writer.tree.outward() {
        let (R, d) = writer.placed(i);
        let back = R.transpose();
        let carry = |&Column { speed, O, A }: &Column<'g>| {
            let A = A + O.cross(d);
            let (O, A) = (back * O, back * A);
            Column {
                speed,
                O: writer.name_column("O", i, speed, O),
                A: writer.name_column("A", i, speed, A),
            }
        };
        let mut own: Vec<Column<'g>> =
            columns[writer.tree.nodes[i].parent].iter().map(carry).collect();
        let columns_of_joint = writer.columns(i).into_iter();
        own.extend(columns_of_joint.map(|one| Column { speed: one.speed, O: one.phi, A: one.psi }));
        columns.push(own);
    }
    columns
}

/// The entries of the mass matrix at or below its diagonal that are not zero: row, column, value.
/// Entries between speeds of parallel branches are zero and not among them.
pub(crate) fn mass<'g>(writer: Writer<'_, 'g>) -> Entries<'g> {
    let columns = columns(writer);
    let mut M = Vec::new();
    // Forces and torques that children pass on, one pair per column of the node.
    let mut passed: ByNode<Vec<Wrench<'_>>> =
        columns.iter().map(|list| vec![Wrench::ZERO; list.len()]).collect();
    for i in writer.tree.inward() {
        let h = writer.tree.nodes[i].parent;
        let (m, l, I) = writer.inertia(i);
        let r = writer.scalar(writer.tree.nodes[i].armature);
        let own = writer.columns(i);
        let (R, d) = writer.placed(i);
        for (at, &Column { speed, O, A }) in columns[i].iter().enumerate() {
            let W = writer.name_column("WM", i, speed, m * (A + O.cross(l)));
            let F = writer.name_column("FM", i, speed, W + passed[i][at].force);
            let L = l.cross(W) + I * O + passed[i][at].torque;
            let L = writer.name_column("LM", i, speed, L);
            for row in &own {
                let drive = if row.speed == speed { r } else { Scalar::ZERO };
                let value = row.phi.dot(L) + row.psi.dot(F) + drive;
                // A node's own block comes whole; what couples it to an ancestor comes once.
                let is_own = at >= columns[i].len() - own.len();
                let twice = is_own && row.speed < speed;
                if !value.is_zero() && !twice {
                    M.push(lower(row.speed, speed, value));
                }
            }
            // Columns of the parent come first, in the same order.
            if at < passed[h].len() {
                passed[h][at] += Wrench { force: F, torque: L }.carried(R, d);
            }
        }
    }
    M.sort_unstable_by_key(|&(row, column, _)| (row, column));
    M
}
