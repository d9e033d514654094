//! Derivatives of functions: by coordinates along the speeds, by speeds, accelerations, efforts,
//! states and parameters.
//!
//! There are several ways to a derivative, and the one with the fewest operations is kept: over the
//! graph of the function, forward or backward, which always goes (`graph.rs`), and for inverse and
//! forward dynamics by recursions that know the mechanism (`recursion.rs`).
//!
//! By `q` means along the speeds: column `j` is the rate of change while speed `j` is one and all
//! others are zero, which is `df/dq N(q)` with the kinematic map `N`. Coordinates and speeds of
//! driven and locked joints are no variables: their columns are empty. `qd` stays fixed while `q`
//! moves.

mod afloat;
pub(crate) mod directions;
mod graph;
mod recursion;

use crate::dynamics;
use crate::formalism::Formalism;
use crate::forward::refusal::check_entries;
use crate::forward::{Solved, solved};
use crate::function::{Argument, By, Call, ModelFunction};
use crate::parts::Parts;
use crate::problem::Problem;
use crate::tree::Tree;
use directions::directions;
pub(crate) use recursion::square;
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
pub fn derivative(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let [Argument::Function(inner), Argument::By(by)] = call.arguments else {
        let help = "expected derivative(FUNCTION, q|qd|qdd|effort|state|PARAMETER)";
        return Err(Problem::new("`derivative` needs a function and a variable", help));
    };
    if WIDE.contains(&inner.row.name) && !matches!(by, By::Parameter(_)) {
        check_entries(tree, "derivative")?;
    }
    let by = *by;
    // Differentiating through a factored matrix is more expensive than solving with it again, but
    // for a few speeds.
    let implicit = factored(tree, inner, call.formalism);
    let many = tree.speeds() > FEW && matches!(by, By::Coordinates | By::Speeds | By::Efforts);
    let ways = if implicit && many {
        let solved = solved(tree, "forward", call.formalism)?;
        forward_ways(tree, &solved, call.formalism, by, false)
    } else {
        derivative_ways(tree, inner, by, call.formalism)?
    };
    Ok(cheapest(tree, ways))
}

/// Derivatives of forward dynamics of so few speeds are tried by all ways.
const FEW: usize = 4;

/// The derivative of a function, by every way there is.
pub fn derivative_ways(
    tree: &mut Tree,
    function: &ModelFunction,
    by: By,
    formalism: Formalism,
) -> Result<Vec<(DerivativeMethod, Vec<Target>)>, Problem> {
    let outputs = function.write(tree, formalism)?;
    let exprs: Vec<Expr> =
        outputs.iter().flat_map(|output| output.entries.iter().map(|entry| entry.2)).collect();
    let plain = directions(tree, by);
    let directions = tree.total_directions(&exprs, plain);
    let mut ways =
        vec![(DerivativeMethod::Forward, graph::forward(tree, &outputs, &directions, by))];
    // One sweep backward is about as costly as two forward.
    if exprs.len() * 2 <= directions.len() {
        ways.push((DerivativeMethod::Backward, graph::backward(tree, &outputs, &directions, by)));
    }
    let size = tree.speeds();
    if let Some((parts, laws)) = parts_of(function)
        && let Some(entries) = recursion::inverse(tree, parts, laws, formalism, by)
    {
        let name = name(tree, &outputs[0].name, by);
        ways.push((DerivativeMethod::Recursion, vec![square(name, size, entries)]));
    }
    if factored(tree, function, formalism) {
        let solved = solved(tree, "forward", formalism)?;
        ways.extend(forward_ways(tree, &solved, formalism, by, true));
    }
    Ok(ways)
}

/// Returns `true` if a function is forward dynamics by a mass matrix of all speeds. Articulated
/// bodies have none, and may be there because it would be too large; that of a closed tree is of
/// independent speeds.
fn factored(tree: &Tree, function: &ModelFunction, formalism: Formalism) -> bool {
    function.row.name == "forward"
        && formalism != Formalism::ArticulatedBody
        && !crate::constraint::is_constrained(tree)
}

/// The ways to derivatives of forward dynamics by the factored mass matrix: all, or the likely one.
fn forward_ways(
    tree: &mut Tree,
    solved: &Solved,
    formalism: Formalism,
    by: By,
    all: bool,
) -> Vec<(DerivativeMethod, Vec<Target>)> {
    let columns = directions(tree, by).len() as u32;
    let found = recursion::forward(tree, solved, formalism, by, all).into_iter();
    let target =
        |entries| Target { columns, ..square(name(tree, "qdd", by), tree.speeds(), entries) };
    found.map(|(way, entries)| (way, vec![target(entries)])).collect()
}

/// Functions with a row per speed, whose derivatives have as many entries as the mass matrix.
const WIDE: [&str; 10] = [
    "inverse",
    "bias",
    "forward",
    "gravity",
    "coriolis",
    "drives",
    "mass",
    "mass_bias",
    "inverse_mass",
    "coriolis_matrix",
];

/// `tangent`
pub fn tangent(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    check_entries(tree, "tangent")?;
    let size = tree.speeds();
    let mut ways = Vec::new();
    if size <= recursion::FORWARD {
        let outputs = dynamics::inverse(tree, call)?;
        let exprs: Vec<Expr> = outputs[0].entries.iter().map(|entry| entry.2).collect();
        let mut by_graph = Vec::new();
        for (by, name) in TANGENT {
            let plain = directions(tree, by);
            let directions = tree.total_directions(&exprs, plain);
            let mut targets = graph::forward(tree, &outputs, &directions, by);
            targets.iter_mut().for_each(|target| name.clone_into(&mut target.name));
            by_graph.extend(targets);
        }
        ways.push((DerivativeMethod::Forward, by_graph));
    }
    let mut by_recursion = Vec::new();
    for (by, name) in TANGENT {
        let entries = recursion::inverse(tree, Parts::ALL, true, call.formalism, by);
        by_recursion.push(square(name.to_owned(), size, entries.unwrap_or_default()));
    }
    ways.push((DerivativeMethod::Recursion, by_recursion));
    Ok(cheapest(tree, ways))
}

/// The outputs of `tangent`.
const TANGENT: [(By, &str); 3] =
    [(By::Accelerations, "M"), (By::Speeds, "G"), (By::Coordinates, "K")];

/// `forward_tangent`
pub fn forward_tangent(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    check_entries(tree, "forward_tangent")?;
    let forward = ModelFunction::parse("forward", tree)?;
    let mut found = Vec::new();
    // What all three need is written once.
    let solved = match factored(tree, &forward, call.formalism) {
        true => Some(solved(tree, "forward", call.formalism)?),
        false => None,
    };
    for by in [By::Coordinates, By::Speeds, By::Efforts] {
        let ways = match &solved {
            Some(solved) => forward_ways(tree, solved, call.formalism, by, false),
            None => derivative_ways(tree, &forward, by, call.formalism)?,
        };
        found.extend(cheapest(tree, ways));
    }
    Ok(found)
}

/// The parts of the equations of motion that a function is, and whether it has the joint laws in
/// it.
fn parts_of(function: &ModelFunction) -> Option<(Parts, bool)> {
    match function.row.name {
        "inverse" => Some((Parts::ALL, true)),
        "bias" => Some((Parts::BIAS, false)),
        "gravity" => Some((Parts::GRAVITY, false)),
        "coriolis" => Some((Parts::CORIOLIS, false)),
        _ => None,
    }
}

/// The name of a derivative: `effort_by_q`.
fn name(tree: &Tree, output: &str, by: By) -> String {
    let by = match by {
        By::Coordinates => "q",
        By::Speeds => "qd",
        By::Accelerations => "qdd",
        By::Efforts => "effort",
        By::States => "state",
        By::Parameter(symbol) => &tree.mechanism.graph.text(symbol),
    };
    format!("{output}_by_{by}")
}

/// The way with the fewest operations, as the graph counts them; the first of equals.
fn cheapest(tree: &Tree, ways: Vec<(DerivativeMethod, Vec<Target>)>) -> Vec<Target> {
    let operations = |(_, outputs): &(DerivativeMethod, Vec<Target>)| {
        let entries = outputs.iter().flat_map(|output| output.entries.iter().map(|entry| entry.2));
        tree.mechanism.graph.evaluation_counts(&entries.collect::<Vec<Expr>>()).total()
    };
    // Counting is not free, and one way needs no comparison.
    match ways.len() {
        1 => ways.into_iter().next(),
        _ => ways.into_iter().min_by_key(operations),
    }
    .map_or(Vec::new(), |(_, outputs)| outputs)
}
