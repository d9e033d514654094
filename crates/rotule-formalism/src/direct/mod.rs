//! Direct dynamics and what follows from the inverse of the mass matrix.

pub mod ldl;

use crate::function::Call;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_program::lower::Target;

/// `direct`
pub fn direct(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`direct` is not there yet", ""))
}

/// `drives`
pub fn drives(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`drives` is not there yet", ""))
}

/// `inverse_mass`
pub fn inverse_mass(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`inverse_mass` is not there yet", ""))
}

/// `operational_inertia`
pub fn operational_inertia(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`operational_inertia` is not there yet", ""))
}
