//! Derivatives of functions.

use crate::function::Call;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_program::lower::Target;

/// `derivative`
pub fn derivative(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`derivative` is not there yet", ""))
}

/// `tangent`
pub fn tangent(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`tangent` is not there yet", ""))
}
