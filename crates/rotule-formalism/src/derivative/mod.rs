//! Derivatives of functions: by coordinates along the speeds, by speeds, accelerations, efforts,
//! states and parameters.
//!
//! There are several ways to a derivative, and the one with the fewest operations is kept: over the
//! graph of the function, forward or backward, which always goes (`sweeps.rs`), and for inverse and
//! forward dynamics by recursions that know the mechanism (`recursion.rs`).
//!
//! By `q` means along the speeds: column `j` is the rate of change while speed `j` is one and all
//! others are zero, which is `df/dq N(q)` with the kinematic map `N`. Coordinates and speeds of
//! driven and locked joints are no variables: their columns are empty. `qd` stays fixed while `q`
//! moves.

pub(crate) mod directions;
mod floating_base;
mod recursion;
pub(crate) mod second;
mod sweeps;

use crate::dynamics;
use crate::formalism::Formalism;
use crate::forward::preconditions::check_entries;
use crate::forward::{Solved, solved};
use crate::function::{Argument, By, Call, FunctionKind, ModelFunction, Terms, outputs};
use crate::parts::Parts;
use crate::problem::Problem;
use crate::writer::{Writer, matrix_of};
use directions::directions;
use rotule_model::mechanism::Mechanism;
use rotule_program::lower::Target;
use rotule_symbolic::Expr;

/// A way to a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DerivativeMethod {
    /// Over the graph, one direction at a time.
    Forward,
    /// Over the graph, one output at a time.
    Backward,
    /// By composite bodies.
    Recursion,
    /// From the derivatives of inverse dynamics by composite bodies, and the factored mass matrix.
    Implicit,
    /// From the derivatives of inverse dynamics over the graph, and the factored mass matrix.
    ImplicitForward,
}

/// `derivative`
pub fn derivative(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let [Argument::Function(inner), Argument::By(by)] = call.arguments else {
        let help = "expected derivative(FUNCTION, q|qd|qdd|effort|state|input|t|NAME|[NAME, ..])";
        return Err(Problem::new("`derivative` needs a function and a variable", help));
    };
    if inner.row.is_wide() && !by.is_outside() {
        check_entries(writer.tree, "derivative")?;
    }
    // Differentiating through a factored matrix is more expensive than solving with it again, but
    // for a few speeds.
    let implicit = factored(writer.mechanism, inner, call.formalism);
    let many = writer.speeds() > FEW && matches!(by, By::Coordinates | By::Speeds | By::Efforts);
    let ways = if implicit && many {
        let solved = solved(writer, "forward", call.formalism)?;
        forward_ways(writer, &solved, call.formalism, by, false)
    } else {
        derivative_ways(writer, inner, by, call.formalism)?
    };
    Ok(cheapest(writer, ways))
}

/// Derivatives of forward dynamics of so few speeds are tried by all ways.
const FEW: usize = 4;

/// The derivative of a function, by every way there is.
pub fn derivative_ways(
    writer: Writer<'_, '_>,
    function: &ModelFunction,
    by: &By,
    formalism: Formalism,
) -> Result<Vec<(DerivativeMethod, Vec<Target>)>, Problem> {
    let outputs = function.write(writer, formalism)?;
    ways_of(writer, function, &outputs, by, formalism)
}

/// The derivative of what a function has written, by every way there is.
fn ways_of(
    writer: Writer<'_, '_>,
    function: &ModelFunction,
    outputs: &[Target],
    by: &By,
    formalism: Formalism,
) -> Result<Vec<(DerivativeMethod, Vec<Target>)>, Problem> {
    let exprs: Vec<Expr> =
        outputs.iter().flat_map(|output| output.entries.iter().map(|entry| entry.2)).collect();
    // Where loops were closed, derivatives are about the closed motion.
    let motion = writer.closed_motion();
    let writer = Writer { motion: &motion, ..writer };
    let directions = writer.total_directions(&writer.scalars(&exprs), directions(writer, by));
    let mut ways =
        vec![(DerivativeMethod::Forward, sweeps::forward(writer, outputs, &directions, by))];
    // One sweep backward is about as costly as two forward.
    if exprs.len() * 2 <= directions.len() {
        ways.push((DerivativeMethod::Backward, sweeps::backward(writer, outputs, &directions, by)));
    }
    let size = writer.speeds();
    if let Terms::Efforts { parts, less_laws } = function.row.terms
        && let Some(entries) = recursion::inverse(writer, parts, less_laws, formalism, by)
    {
        let name = name(writer, &outputs[0].name, by);
        ways.push((DerivativeMethod::Recursion, vec![matrix_of(&name, [size; 2], entries)]));
    }
    if factored(writer.mechanism, function, formalism) {
        let solved = solved(writer, "forward", formalism)?;
        ways.extend(forward_ways(writer, &solved, formalism, by, true));
    }
    Ok(ways)
}

/// Returns `true` if a function is forward dynamics by a mass matrix of all speeds. Articulated
/// bodies have none, and are taken where it would be too large; that of a closed tree is of
/// independent speeds.
fn factored(mechanism: &Mechanism, function: &ModelFunction, formalism: Formalism) -> bool {
    function.row.id == FunctionKind::Forward
        && formalism != Formalism::ArticulatedBody
        && !crate::constraint::is_constrained(mechanism)
}

/// The ways to derivatives of forward dynamics by the factored mass matrix: all, or the likely one.
fn forward_ways<'g>(
    writer: Writer<'_, 'g>,
    solved: &Solved<'g>,
    formalism: Formalism,
    by: &By,
    all: bool,
) -> Vec<(DerivativeMethod, Vec<Target>)> {
    let size = [writer.speeds(), directions(writer, by).len()];
    let name = name(writer, outputs::ACCELERATIONS.name, by);
    let found = recursion::forward(writer, solved, formalism, by, all).into_iter();
    let target = |entries| matrix_of(&name, size, entries);
    found.map(|(way, entries)| (way, vec![target(entries)])).collect()
}

/// `tangent`
pub fn tangent(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    check_entries(writer.tree, "tangent")?;
    let size = writer.speeds();
    let mut ways = Vec::new();
    if size <= recursion::FORWARD {
        let outputs = dynamics::inverse(writer, call)?;
        let efforts: Vec<Expr> = outputs[0].entries.iter().map(|entry| entry.2).collect();
        let efforts = writer.scalars(&efforts);
        let mut by_sweeps = Vec::new();
        for (by, name) in &TANGENT {
            let directions = writer.total_directions(&efforts, directions(writer, by));
            let mut targets = sweeps::forward(writer, &outputs, &directions, by);
            targets.iter_mut().for_each(|target| (*name).clone_into(&mut target.name));
            by_sweeps.extend(targets);
        }
        ways.push((DerivativeMethod::Forward, by_sweeps));
    }
    let mut by_recursion = Vec::new();
    for (by, name) in &TANGENT {
        let entries = recursion::inverse(writer, Parts::ALL, true, call.formalism, by);
        by_recursion.push(matrix_of(name, [size; 2], entries.unwrap_or_default()));
    }
    ways.push((DerivativeMethod::Recursion, by_recursion));
    Ok(cheapest(writer, ways))
}

/// The outputs of `tangent`.
const TANGENT: [(By, &str); 3] =
    [(By::Accelerations, "M"), (By::Speeds, "G"), (By::Coordinates, "K")];

/// `forward_tangent`
pub fn forward_tangent(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    check_entries(writer.tree, "forward_tangent")?;
    let forward = ModelFunction::plain("forward").expect("a row of the table");
    let mut found = Vec::new();
    let all = [By::Coordinates, By::Speeds, By::Efforts];
    // What all three need is written once.
    if factored(writer.mechanism, &forward, call.formalism) {
        let solved = solved(writer, "forward", call.formalism)?;
        for by in &all {
            let ways = forward_ways(writer, &solved, call.formalism, by, false);
            found.extend(cheapest(writer, ways));
        }
        return Ok(found);
    }
    let outputs = forward.write(writer, call.formalism)?;
    for by in &all {
        let ways = ways_of(writer, &forward, &outputs, by, call.formalism)?;
        found.extend(cheapest(writer, ways));
    }
    Ok(found)
}

/// The name of a derivative: `effort_by_q`.
fn name(writer: Writer<'_, '_>, output: &str, by: &By) -> String {
    writer.read(|graph| by.derivative(output, graph))
}

/// The way with the fewest operations, as the graph counts them; the first of equals.
fn cheapest(writer: Writer<'_, '_>, ways: Vec<(DerivativeMethod, Vec<Target>)>) -> Vec<Target> {
    let operations = |(_, outputs): &(DerivativeMethod, Vec<Target>)| {
        let entries = outputs.iter().flat_map(|output| output.entries.iter().map(|entry| entry.2));
        writer.operations(entries.map(|entry| writer.scalar(entry)))
    };
    // Counting is not free, and one way needs no comparison.
    match ways.len() {
        1 => ways.into_iter().next(),
        _ => ways.into_iter().min_by_key(operations),
    }
    .map_or(Vec::new(), |(_, outputs)| outputs)
}
