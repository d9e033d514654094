//! States of the user's own: their rates, at coordinates and speeds as the tree has them; outputs
//! and conditions of events.

use crate::function::Call;
use crate::problem::Problem;
use crate::signals::settled;
use crate::writer::Writer;
use rotule_model::mechanism::{Action, Event, Mechanism};
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Kind};

/// `states`
pub fn function(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(vec![Target::vector("rate", &rates(writer))])
}

/// `outputs`
pub fn outputs(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let values: Vec<Expr> = writer.mechanism.outputs.iter().map(|output| output.value).collect();
    Ok(vec![Target::vector("output", &at_present(writer, &values))])
}

/// `events`
pub fn events(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let all = at_present(writer, &of_events(writer.mechanism));
    let (when, value) = all.split_at(writer.mechanism.events.len());
    Ok(vec![Target::vector("when", when), Target::vector("value", value)])
}

/// The conditions of all events, then the numbers of their actions.
fn of_events(mechanism: &Mechanism) -> Vec<Expr> {
    let list = &mechanism.events;
    list.iter().map(|event| event.when).chain(list.iter().flat_map(numbers_of)).collect()
}

/// The numbers that the actions of an event use.
fn numbers_of(event: &Event) -> impl Iterator<Item = Expr> {
    event.actions.iter().filter_map(|action| match action {
        Action::Set { value, .. } => Some(*value),
        Action::Impact { restitution, .. } => Some(*restitution),
        Action::Stick { limit, .. } => Some(*limit),
        Action::Lock(_)
        | Action::Unlock(_)
        | Action::Engage(_)
        | Action::Release(_)
        | Action::End => None,
    })
}

/// The condition of an event, and the numbers that its actions use.
pub fn expressions_of(event: &Event) -> Vec<Expr> {
    std::iter::once(event.when).chain(numbers_of(event)).collect()
}

/// Returns `true` if events use accelerations, which are inputs of their function then.
pub fn use_accelerations(mechanism: &Mechanism) -> bool {
    let used = |expr: &Expr| mechanism.graph.kinds(*expr).contains(Kind::Acceleration);
    of_events(mechanism).iter().any(used)
}

/// The rates of all states. Where loops have been closed, they are those of the closed mechanism.
pub(crate) fn rates(writer: Writer<'_, '_>) -> Vec<Expr> {
    let rates: Vec<Expr> = writer.mechanism.states.iter().map(|state| state.rate).collect();
    at_present(writer, &rates)
}

/// Expressions of coordinates, speeds and signals, with what these are now in the place of their
/// symbols.
pub(crate) fn at_present(writer: Writer<'_, '_>, exprs: &[Expr]) -> Vec<Expr> {
    if exprs.is_empty() {
        return Vec::new();
    }
    let exprs = settled(writer, exprs);
    let (mechanism, motion) = (writer.mechanism, writer.motion);
    let accelerations = mechanism.speeds.iter().map(|one| one.acceleration);
    let mut pairs: Vec<(Expr, Expr)> = accelerations.zip(motion.qdd.iter().copied()).collect();
    pairs.retain(|(symbol, now)| symbol != now);
    pairs.extend(motion.known(mechanism));
    writer.substitute(&exprs, &pairs)
}
