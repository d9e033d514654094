//! What joints transmit.

use crate::problem::Problem;
use crate::tree::Tree;
use rotule_program::lower::Target;

/// Force and torque of every joint.
pub fn reactions(_: &mut Tree) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`reactions` is not there yet", ""))
}
