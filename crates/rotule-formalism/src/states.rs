//! States of the user's own: their rates, at coordinates and speeds as the tree has them.

use crate::constraint::relation::signals;
use crate::function::Call;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_model::mechanism::Signal;
use rotule_program::lower::Target;
use rotule_symbolic::Expr;

/// `states`
pub fn function(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(vec![Target::vector("rate", &rates(tree)?)])
}

/// The rates of all states. Where loops have been closed, they are those of the closed mechanism.
pub(crate) fn rates(tree: &mut Tree) -> Result<Vec<Expr>, Problem> {
    let states = &tree.mechanism.states;
    let rates: Vec<Expr> = states.iter().map(|state| state.rate).collect();
    let used: Vec<Signal> = states.iter().flat_map(|state| state.signals.clone()).collect();
    at_present(tree, &rates, &used, || "the rate of a state".to_owned())
}

/// Expressions of coordinates, speeds and signals, with what these are now in the place of their symbols.
pub(crate) fn at_present(
    tree: &mut Tree,
    exprs: &[Expr],
    used: &[Signal],
    of: impl Fn() -> String,
) -> Result<Vec<Expr>, Problem> {
    if exprs.is_empty() {
        return Ok(Vec::new());
    }
    let mut used = used.to_vec();
    used.sort_by_key(|signal| signal.symbol);
    used.dedup();
    let mut pairs = signals(tree, &used, of)?;
    let mechanism = &mut tree.mechanism;
    let coordinates = mechanism.coordinates.iter().map(|one| one.symbol);
    pairs.extend(coordinates.zip(tree.q.iter().copied()));
    pairs.extend(mechanism.speeds.iter().map(|one| one.symbol).zip(tree.qd.iter().copied()));
    pairs.retain(|(symbol, value)| symbol != value);
    Ok(mechanism.graph.substitute(exprs, &pairs))
}
