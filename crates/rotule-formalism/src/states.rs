//! States of the user's own: their rates, at coordinates and speeds as the tree has them; and
//! conditions of events.

use crate::constraint::relation::signals;
use crate::function::Call;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_model::mechanism::{Action, Signal};
use rotule_program::lower::Target;
use rotule_symbolic::Expr;

/// `states`
pub fn function(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(vec![Target::vector("rate", &rates(tree)?)])
}

/// `events`
pub fn events(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let list = &tree.mechanism.events;
    let conditions: Vec<Expr> = list.iter().map(|event| event.when).collect();
    let numbers = list.iter().flat_map(|event| &event.actions).filter_map(|action| match action {
        Action::Set { value, .. } => Some(*value),
        Action::Impact { restitution, .. } => Some(*restitution),
        Action::Stick { limit, .. } => Some(*limit),
        Action::Lock(_) | Action::Unlock(_) | Action::End => None,
    });
    let all: Vec<Expr> = conditions.iter().copied().chain(numbers).collect();
    let used: Vec<Signal> = list.iter().flat_map(|event| event.signals.clone()).collect();
    let all = at_present(tree, &all, &used, || "an event".to_owned())?;
    let (when, value) = all.split_at(conditions.len());
    Ok(vec![Target::vector("when", when), Target::vector("value", value)])
}

/// The rates of all states. Where loops have been closed, they are those of the closed mechanism.
pub(crate) fn rates(tree: &mut Tree) -> Result<Vec<Expr>, Problem> {
    let states = &tree.mechanism.states;
    let rates: Vec<Expr> = states.iter().map(|state| state.rate).collect();
    let used: Vec<Signal> = states.iter().flat_map(|state| state.signals.clone()).collect();
    at_present(tree, &rates, &used, || "the rate of a state".to_owned())
}

/// Expressions of coordinates, speeds and signals, with what these are now in the place of their
/// symbols.
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
