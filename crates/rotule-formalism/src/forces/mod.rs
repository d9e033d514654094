//! Forces of links, wheels and at places.

use crate::function::Call;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_program::lower::Target;

/// `forces`
pub fn forces(_: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Err(Problem::new("`forces` is not there yet", ""))
}

/// The external forces and torques on every node.
pub fn wrenches(tree: &mut Tree) -> Vec<crate::tree::Wrench> {
    vec![crate::tree::Wrench::ZERO; tree.nodes.len()]
}
