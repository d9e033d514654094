//! The Coriolis matrix.

use crate::problem::Problem;
use crate::tree::Tree;
use rotule_program::lower::Target;

/// C with `C qd = coriolis` and `Mdot - 2 C` skew.
pub fn matrix(_: &mut Tree) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`coriolis_matrix` is not there yet", ""))
}
