//! The Coriolis matrix `C(q, qd)`: `C qd` is the Coriolis vector, and `Mdot - 2 C` is skew.
//!
//! Many matrices have the first property. This one is `sum J^T (I Jdot + B J)` over all bodies with
//! `B = (v x* I + (I v) x* - I v x) / 2` (Niemeyer and Slotine; Echeandia and Wensing), written for
//! composite bodies: see `composite.rs`. For joints of one degree of freedom its entries are those
//! of the Christoffel symbols of the mass matrix; spherical and free joints, whose speeds are no
//! derivatives of coordinates, keep both properties.

use crate::composite::{self, Wanted};
use crate::derivative::square;
use crate::formalism::Formalism;
use crate::forward::refusal::check_entries;
use crate::parts::Parts;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_program::lower::Target;

/// The matrix.
pub fn matrix(tree: &mut Tree, formalism: Formalism) -> Result<Vec<Target>, Problem> {
    check_entries(tree, "coriolis_matrix")?;
    let given = Parts::CORIOLIS.of(tree);
    let entries = composite::matrix(tree, &given, Wanted::Coriolis, formalism);
    Ok(vec![square("C".to_owned(), tree.speeds(), entries)])
}
