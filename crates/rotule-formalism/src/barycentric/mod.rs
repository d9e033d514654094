//! The recursive Newton-Euler formalism on augmented bodies with minimal parameters.

use crate::classical;
use crate::parts::Parts;
use crate::tree::Tree;
use rotule_symbolic::Expr;

/// The efforts that the chosen parts of the equations of motion need, one per speed.
pub fn efforts(tree: &mut Tree, parts: Parts) -> Vec<Expr> {
    classical::efforts(tree, parts)
}

/// The entries of the mass matrix at or below its diagonal that are not zero.
pub fn mass(tree: &mut Tree) -> Vec<(usize, usize, Expr)> {
    classical::mass(tree)
}
