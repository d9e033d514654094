//! The Coriolis matrix `C(q, qd)`: `C qd` is the Coriolis vector, and `Mdot - 2 C` is skew.
//!
//! Many matrices have the first property. This one is `sum J^T (I Jdot + B J)` over all bodies with
//! `B = (v x* I + (I v) x* - I v x) / 2` (Niemeyer and Slotine; Echeandia and Wensing), written for
//! composite bodies: see `composite.rs`. For joints of one degree of freedom its entries are those
//! of the Christoffel symbols of the mass matrix; spherical and free joints, whose speeds are no
//! derivatives of coordinates, keep both properties.

use crate::composite::{self, MatrixKind};
use crate::formalism::Formalism;
use crate::forward::preconditions::check_entries;
use crate::parts::Parts;
use crate::problem::Problem;
use crate::writer::{Writer, matrix_of};
use rotule_program::lower::Target;

/// The matrix.
pub fn matrix(writer: Writer<'_, '_>, formalism: Formalism) -> Result<Vec<Target>, Problem> {
    check_entries(writer.tree, "coriolis_matrix")?;
    let given = Parts::CORIOLIS.of(writer);
    let entries = composite::matrix(writer, &given, MatrixKind::Coriolis, formalism);
    Ok(vec![matrix_of("C", [writer.speeds(); 2], entries)])
}
