//! From speeds to the derivatives of coordinates.

use crate::function::Call;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_program::lower::Target;

/// `rates`
pub fn rates(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`rates` is not there yet", ""))
}

/// `kinematic_map`
pub fn matrix(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`kinematic_map` is not there yet", ""))
}
