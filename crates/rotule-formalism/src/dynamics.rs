//! Functions of the dynamics of a tree: inverse, mass, bias and their parts.

use crate::formalism::Formalism;
use crate::forward::refusal::check_entries;
use crate::function::Call;
use crate::parts::Parts;
use crate::problem::Problem;
use crate::tree::Tree;
use crate::{barycentric, coriolis, newton_euler};
use rotule_program::lower::Target;
use rotule_symbolic::Expr;

/// The efforts of some parts of the equations of motion.
pub fn parts(tree: &mut Tree, parts: Parts, formalism: Formalism) -> Vec<Expr> {
    match formalism {
        Formalism::Barycentric => barycentric::efforts(tree, parts),
        _ => newton_euler::efforts(tree, parts),
    }
}

/// The entries of the mass matrix at or below its diagonal that are not zero: row, column, value.
pub fn masses(tree: &mut Tree, formalism: Formalism) -> Vec<(usize, usize, Expr)> {
    match formalism {
        Formalism::Barycentric => barycentric::mass(tree),
        _ => newton_euler::mass(tree),
    }
}

/// `inverse`
pub fn inverse(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let mut efforts = parts(tree, Parts::ALL, call.formalism);
    for (effort, &law) in efforts.iter_mut().zip(&tree.laws) {
        *effort = tree.mechanism.graph.sub(*effort, law);
    }
    Ok(vec![Target::vector("effort", &efforts)])
}

/// `mass`
pub fn mass(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    check_entries(tree, "mass")?;
    let entries = masses(tree, call.formalism);
    Ok(vec![symmetric("M", tree.speeds(), &entries)])
}

/// `bias`
pub fn bias(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(vec![Target::vector("c", &parts(tree, Parts::BIAS, call.formalism))])
}

/// `mass_bias`
pub fn mass_bias(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok([mass(tree, call)?, bias(tree, call)?].concat())
}

/// `gravity`
pub fn gravity(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(vec![Target::vector("gravity", &parts(tree, Parts::GRAVITY, call.formalism))])
}

/// `coriolis`
pub fn coriolis(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(vec![Target::vector("coriolis", &parts(tree, Parts::CORIOLIS, call.formalism))])
}

/// `efforts`
pub fn efforts(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(vec![Target::vector("effort", &tree.laws)])
}

/// `coriolis_matrix`
pub fn coriolis_matrix(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    coriolis::matrix(tree, call.formalism)
}

/// `reactions`
pub fn reactions(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    newton_euler::reactions(tree)
}

/// A symmetric matrix from its entries at or below the diagonal.
pub fn symmetric(name: &str, size: usize, entries: &[(usize, usize, Expr)]) -> Target {
    let entry = |&(row, column, value): &(usize, usize, Expr)| (row as u32, column as u32, value);
    Target {
        name: name.to_owned(),
        rows: size as u32,
        columns: size as u32,
        symmetric: true,
        entries: entries.iter().map(entry).collect(),
    }
}
