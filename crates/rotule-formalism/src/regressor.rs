//! Inverse dynamics as a linear function of parameters.

use crate::function::Call;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_program::lower::Target;

/// `regressor`
pub fn regressor(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`regressor` is not there yet", ""))
}

/// `parameters`
pub fn parameters(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`parameters` is not there yet", ""))
}
