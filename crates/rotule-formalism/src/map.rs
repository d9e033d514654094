//! From speeds to the derivatives of coordinates: `qdot = N(q) qd`.
//!
//! N is the unit matrix but for joints with quaternions. With the quaternion `(w, v)` and the
//! angular velocity `o` in the moving body's axes,
//!
//! ```text
//! wdot = -(v . o) / 2          vdot = (w o + v x o) / 2
//! ```
//!
//! and the position of a free joint changes by its velocity, rotated from the body's axes to those
//! of the joint's fixed side.

use crate::function::Call;
use crate::problem::Problem;
use crate::tree::ElementaryMotion;
use crate::writer::{Entries, Writer, exprs, matrix_of};
use rotule_model::index::{CoordinateId, SpeedId};
use rotule_program::lower::Target;
use rotule_symbolic::{Scalar, Vec3, sum};

/// `rates`
pub fn rates(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(vec![Target::vector("qdot", &exprs(&derivatives(writer)))])
}

/// `kinematic_map`
pub fn matrix(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(vec![matrix_of("N", [writer.motion.q.len(), writer.speeds()], map(writer))])
}

/// The time derivatives of all coordinates at the system's speeds.
pub(crate) fn derivatives<'g>(writer: Writer<'_, 'g>) -> Vec<Scalar<'g>> {
    let qd = writer.qd();
    let mut terms = vec![Vec::new(); writer.motion.q.len()];
    for (row, column, value) in map(writer) {
        terms[row].push(value * qd[SpeedId::new(column)]);
    }
    terms.into_iter().map(sum).collect()
}

/// The entries of N that are not zero, by rows.
pub(crate) fn map<'g>(writer: Writer<'_, 'g>) -> Entries<'g> {
    let mut entries = Vec::new();
    for (at, node) in writer.tree.nodes.pairs().skip(1) {
        let (q, v) = (node.coordinate, node.speed);
        match node.motion {
            ElementaryMotion::Ground => {}
            ElementaryMotion::Revolute { .. }
            | ElementaryMotion::Prismatic { .. }
            | ElementaryMotion::Helical { .. } => entries.push((q.index(), v.index(), Scalar::ONE)),
            ElementaryMotion::Spherical => quaternion(writer, q, v, &mut entries),
            ElementaryMotion::Free => {
                let (rotation, _) = writer.displacement(at);
                let (row, column) = (q.index(), v.index());
                for (i, e) in rotation.0.into_iter().enumerate() {
                    entries.extend((0..3).map(|j| (row + i, column + j, e[j])));
                }
                quaternion(writer, q.after(3), v.after(3), &mut entries);
            }
        }
    }
    entries.retain(|(_, _, value)| !value.is_zero());
    entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
    entries
}

/// The block of a quaternion that begins at a coordinate, and of an angular velocity that begins at
/// a speed.
fn quaternion<'g>(writer: Writer<'_, 'g>, q: CoordinateId, v: SpeedId, entries: &mut Entries<'g>) {
    let two = writer.number(2);
    let [w, x, y, z] = [0, 1, 2, 3].map(|i| writer.scalar(writer.motion.q[q.after(i)]) / two);
    let tilde = Vec3([x, y, z]).tilde();
    for (j, part) in [x, y, z].into_iter().enumerate() {
        let (row, column) = (q.index(), v.index() + j);
        entries.push((row, column, -part));
        for i in 0..3 {
            entries.push((row + 1 + i, column, if i == j { w } else { tilde[i][j] }));
        }
    }
}
