//! Derivatives of functions: by coordinates along the speeds, by speeds, accelerations, efforts and parameters.
//!
//! There are several ways to a derivative, and the one with the fewest operations is kept:
//!
//! - forward over the graph of the function, one direction at a time: always;
//! - backward over the graph, one output at a time: where there are few outputs;
//! - inverse dynamics and its parts by coordinates and speeds: the recursion of `composite.rs`, with the derivatives
//!   of external forces and joint laws from the graph;
//! - direct dynamics: with `inverse(q, qd, qdd) = Q`, `d qdd = M^-1 (dQ - d inverse)` at the accelerations that direct
//!   dynamics gives.
//!
//! By `q` means along the speeds: column `j` is the rate of change while speed `j` is one and all others are
//! zero, which is `df/dq N(q)` with the kinematic map `N`. Coordinates and speeds of driven and locked joints are no
//! variables: their columns are empty. `qd` stays fixed while `q` moves.

use crate::composite::{self, Entries, Wanted};
use crate::formalism::{Formalism, inputs};
use crate::function::{Argument, By, Call, Function};
use crate::parts::Parts;
use crate::problem::Problem;
use crate::tree::{Motion, Tree, Wrench};
use crate::{dynamics, forces};
use rotule_program::Counts;
use rotule_program::lower::{Request, Target, lower};
use rotule_symbolic::{Direction, Expr, Kind, Number, Vector};
use std::collections::BTreeMap;

/// `derivative`
pub fn derivative(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let [Argument::Function(inner), Argument::By(by)] = call.arguments else {
        let help = "write derivative(FUNCTION, q|qd|qdd|effort|PARAMETER)";
        return Err(Problem::new("`derivative` needs a function and a variable", help));
    };
    let outputs = inner.write(tree, call.formalism)?;
    let directions = directions(tree, *by);
    let mut candidates = vec![forward(tree, &outputs, &directions, *by)];
    let distinct: usize = outputs.iter().map(|output| output.entries.len()).sum();
    if distinct * 2 <= directions.len() {
        candidates.push(backward(tree, &outputs, &directions, *by));
    }
    if let Some(parts) = parts_of(inner)
        && let Some(entries) = recursive(tree, parts, call.formalism, *by)
    {
        let size = tree.speeds();
        let name = name(tree, &outputs[0].name, *by);
        candidates.push(vec![square(name, size, entries)]);
    }
    Ok(cheapest(tree, candidates))
}

/// `tangent`
pub fn tangent(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let size = tree.speeds();
    let outputs = dynamics::inverse(tree, call)?;
    let kinds = [(By::Accelerations, "M"), (By::Speeds, "G"), (By::Coordinates, "K")];
    let mut by_graph = Vec::new();
    for (by, name) in kinds {
        let directions = directions(tree, by);
        let mut targets = forward(tree, &outputs, &directions, by);
        targets.iter_mut().for_each(|target| name.clone_into(&mut target.name));
        by_graph.extend(targets);
    }
    let mut by_recursion = Vec::new();
    for (by, name) in kinds {
        let entries = recursive(tree, (Parts::ALL, true), call.formalism, by);
        by_recursion.push(square(name.to_owned(), size, entries.unwrap_or_default()));
    }
    Ok(cheapest(tree, vec![by_graph, by_recursion]))
}

/// The parts of the equations of motion that a function is, and whether it has the joint laws in it.
fn parts_of(function: &Function) -> Option<(Parts, bool)> {
    match function.row.name {
        "inverse" => Some((Parts::ALL, true)),
        "bias" => Some((Parts::BIAS, false)),
        "gravity" => Some((Parts::GRAVITY, false)),
        "coriolis" => Some((Parts::CORIOLIS, false)),
        _ => None,
    }
}

/// What `by` stands for in names.
fn word(tree: &Tree, by: By) -> String {
    match by {
        By::Coordinates => "q".to_owned(),
        By::Speeds => "qd".to_owned(),
        By::Accelerations => "qdd".to_owned(),
        By::Efforts => "effort".to_owned(),
        By::Parameter(symbol) => tree.mechanism.graph.text(symbol),
    }
}

/// The name of a derivative: `effort_by_q`.
fn name(tree: &Tree, output: &str, by: By) -> String {
    format!("{output}_by_{}", word(tree, by))
}

/// The directions of all columns. Those of driven and locked joints move nothing.
pub(crate) fn directions(tree: &mut Tree, by: By) -> Vec<Direction> {
    let plain = |symbol: Expr, now: Expr, tree: &Tree| Direction {
        name: tree.mechanism.graph.text(symbol),
        // A driven joint may follow an input of another kind, such as the time.
        rates: if symbol == now { vec![(symbol, Expr::ONE)] } else { Vec::new() },
    };
    match by {
        By::Parameter(symbol) => vec![plain(symbol, symbol, tree)],
        By::Coordinates => along(tree),
        _ => {
            let speeds = tree.mechanism.speeds.iter().enumerate();
            let one = |(at, speed): (usize, &rotule_model::mechanism::Speed)| match by {
                By::Speeds => plain(speed.symbol, tree.qd[at], tree),
                By::Accelerations => plain(speed.acceleration, tree.qdd[at], tree),
                _ => plain(speed.effort, speed.effort, tree),
            };
            speeds.map(one).collect()
        }
    }
}

/// For each speed the rates of the coordinates while it is one: the columns of the kinematic map.
fn along(tree: &mut Tree) -> Vec<Direction> {
    let mut directions = vec![Direction::default(); tree.speeds()];
    let half = tree.mechanism.graph.number(Number::ratio(1, 2));
    for node in 1..tree.nodes.len() {
        let (coordinate, speed) = (tree.nodes[node].coordinate, tree.nodes[node].speed);
        let motion = tree.nodes[node].motion;
        let symbols: Vec<Expr> =
            tree.mechanism.coordinates[coordinate..].iter().map(|one| one.symbol).collect();
        let free = tree.q[coordinate] == symbols[0];
        if motion.speeds() == 1 {
            let direction = &mut directions[speed];
            direction.name = tree.mechanism.coordinates[coordinate].name.clone();
            if free {
                direction.rates.push((symbols[0], Expr::ONE));
            }
            continue;
        }
        let quaternion = if motion == Motion::Free { 3 } else { 0 };
        let (rotation, _) = tree.displacement(node);
        for at in 0..motion.speeds() {
            let direction = &mut directions[speed + at];
            direction.name = tree.mechanism.speeds[speed + at].name.replacen(".d", ".along", 1);
            if !free {
                continue;
            }
            if at < quaternion {
                // The velocity is in the body's axes, the position in those of the joint's fixed side.
                let column = rotation.column(at);
                direction.rates.extend((0..3).map(|row| (symbols[row], column[row])));
                continue;
            }
            // Half the product of the quaternion and the angular velocity.
            let graph = &mut tree.mechanism.graph;
            let unit = Vector::unit(at - quaternion);
            let parts = &symbols[quaternion..];
            let axis = Vector([parts[1], parts[2], parts[3]]);
            let turned = unit.scale(parts[0], graph);
            let crossed = axis.cross(unit, graph);
            let rates = turned.add(crossed, graph);
            let rates = [-axis.dot(unit, graph), rates[0], rates[1], rates[2]];
            for (&part, rate) in parts.iter().zip(rates) {
                direction.rates.push((part, graph.mul(half, rate)));
            }
        }
    }
    directions
}

/// The shape of an output's derivative: a matrix by one parameter stays a matrix; otherwise there is a row per
/// entry, by rows, and a column per direction.
struct Shape {
    rows: u32,
    columns: u32,
    single: bool,
}

impl Shape {
    fn of(output: &Target, by: By, directions: usize) -> Shape {
        let single = matches!(by, By::Parameter(_));
        let (rows, columns) = if single {
            (output.rows, output.columns)
        } else {
            (output.rows * output.columns, directions as u32)
        };
        Shape { rows, columns, single }
    }
}

/// The entries of an output with their mirror images.
fn entries(output: &Target) -> Vec<(u32, u32, Expr)> {
    let mut entries = output.entries.clone();
    if output.symmetric {
        let mirrored = output.entries.iter().filter(|entry| entry.0 != entry.1);
        entries.extend(mirrored.map(|&(row, column, value)| (column, row, value)));
    }
    entries
}

/// A derivative from those of the entries of an output.
fn shaped(
    tree: &Tree,
    output: &Target,
    by: By,
    directions: usize,
    derivatives: impl Fn(Expr) -> Vec<(usize, Expr)>,
) -> Target {
    let shape = Shape::of(output, by, directions);
    let symmetric = shape.single && output.symmetric;
    let list = if symmetric { output.entries.clone() } else { entries(output) };
    let mut found = Vec::new();
    for (row, column, value) in list {
        for (direction, derivative) in derivatives(value) {
            found.push(if shape.single {
                (row, column, derivative)
            } else {
                (row * output.columns + column, direction as u32, derivative)
            });
        }
    }
    found.sort_unstable_by_key(|entry| (entry.0, entry.1));
    let Shape { rows, columns, .. } = shape;
    Target { name: name(tree, &output.name, by), rows, columns, symmetric, entries: found }
}

/// Forward over the graph.
fn forward(tree: &mut Tree, outputs: &[Target], directions: &[Direction], by: By) -> Vec<Target> {
    let exprs: Vec<Expr> =
        outputs.iter().flat_map(|output| output.entries.iter().map(|entry| entry.2)).collect();
    let found = tree.mechanism.graph.derivatives_along(&exprs, directions);
    let mut rows: BTreeMap<Expr, Vec<(usize, Expr)>> = BTreeMap::new();
    for (row, column, value) in found.entries {
        // An expression may be an output twice.
        let list = rows.entry(exprs[row]).or_default();
        if list.iter().all(|&(known, _)| known != column) {
            list.push((column, value));
        }
    }
    let derivatives = |expr: Expr| rows.get(&expr).cloned().unwrap_or_default();
    outputs.iter().map(|output| shaped(tree, output, by, directions.len(), derivatives)).collect()
}

/// Backward over the graph.
fn backward(tree: &mut Tree, outputs: &[Target], directions: &[Direction], by: By) -> Vec<Target> {
    let mut symbols: Vec<Expr> =
        directions.iter().flat_map(|one| one.rates.iter().map(|rate| rate.0)).collect();
    symbols.sort_unstable();
    symbols.dedup();
    let mut rows: BTreeMap<Expr, Vec<(usize, Expr)>> = BTreeMap::new();
    let exprs = outputs.iter().flat_map(|output| output.entries.iter().map(|entry| entry.2));
    for expr in exprs.collect::<Vec<Expr>>() {
        if rows.contains_key(&expr) {
            continue;
        }
        let graph = &mut tree.mechanism.graph;
        let gradient = graph.gradient(expr, &symbols);
        let mut list = Vec::new();
        for (column, direction) in directions.iter().enumerate() {
            let mut terms = Vec::with_capacity(direction.rates.len());
            for &(symbol, rate) in &direction.rates {
                // Every symbol of a rate is among the symbols.
                if let Ok(at) = symbols.binary_search(&symbol) {
                    terms.push(graph.mul(gradient[at], rate));
                }
            }
            let value = graph.sum(&terms);
            if value != Expr::ZERO {
                list.push((column, value));
            }
        }
        rows.insert(expr, list);
    }
    let derivatives = |expr: Expr| rows.get(&expr).cloned().unwrap_or_default();
    outputs.iter().map(|output| shaped(tree, output, by, directions.len(), derivatives)).collect()
}

/// Parts of inverse dynamics by the recursion of composite bodies.
fn recursive(
    tree: &mut Tree,
    (parts, laws): (Parts, bool),
    formalism: Formalism,
    by: By,
) -> Option<Entries> {
    let directions = directions(tree, by);
    let moves = |column: usize| !directions[column].rates.is_empty();
    let mut entries = match by {
        By::Accelerations if parts.accelerations => {
            let lower = dynamics::masses(tree, formalism);
            let mirrored = lower.iter().filter(|entry| entry.0 != entry.1);
            let upper: Entries =
                mirrored.map(|&(row, column, value)| (column, row, value)).collect();
            [lower, upper].concat()
        }
        By::Coordinates | By::Speeds => {
            let given = parts.of(tree);
            let wanted = Wanted::Derivatives {
                mass: false,
                speeds: by == By::Speeds,
                coordinates: by == By::Coordinates,
            };
            let found = composite::matrices(tree, &given, wanted);
            if by == By::Speeds { found.speeds } else { found.coordinates }
        }
        _ => return None,
    };
    entries.retain(|entry| moves(entry.1));
    let mut rest = Vec::new();
    if parts.forces {
        let wrenches = forces::wrenches(tree);
        rest = applied(tree, &wrenches, &directions);
    }
    if laws {
        let list = tree.laws.clone();
        rest.extend(tree.mechanism.graph.derivatives_along(&list, &directions).entries);
    }
    Some(less(tree, entries, rest))
}

/// The efforts that changes of forces on nodes make.
fn applied(tree: &mut Tree, wrenches: &[Wrench], directions: &[Direction]) -> Entries {
    let exprs: Vec<Expr> =
        wrenches.iter().flat_map(|one| one.force.0.into_iter().chain(one.torque.0)).collect();
    let found = tree.mechanism.graph.derivatives_along(&exprs, directions);
    let mut changes: Vec<BTreeMap<usize, Wrench>> = vec![BTreeMap::new(); wrenches.len()];
    for (row, column, value) in found.entries {
        let wrench = changes[row / 6].entry(column).or_insert(Wrench::ZERO);
        let part = if row % 6 < 3 { &mut wrench.force } else { &mut wrench.torque };
        part[row % 3] = value;
    }
    let mut entries = Vec::new();
    for node in (1..wrenches.len()).rev() {
        let own = std::mem::take(&mut changes[node]);
        if own.is_empty() {
            continue;
        }
        let placed = tree.placed(node);
        let (speed, parent) = (tree.nodes[node].speed, tree.nodes[node].parent);
        for (column, wrench) in own {
            let efforts = tree.project(node, wrench.force, wrench.torque);
            let rows = efforts.into_iter().enumerate();
            entries.extend(rows.map(|(at, value)| (speed + at, column, value)));
            let graph = &mut tree.mechanism.graph;
            let carried = wrench.carried(placed.rotation, placed.position, graph);
            let sum = changes[parent].entry(column).or_insert(Wrench::ZERO);
            *sum = sum.add(carried, graph);
        }
    }
    entries
}

/// The difference of two matrices, in order.
fn less(tree: &mut Tree, entries: Entries, other: Entries) -> Entries {
    let mut sums: BTreeMap<(usize, usize), Expr> = BTreeMap::new();
    let negative = other.into_iter().map(|(row, column, value)| (row, column, -value));
    for (row, column, value) in entries.into_iter().chain(negative) {
        let sum = sums.entry((row, column)).or_insert(Expr::ZERO);
        *sum = tree.mechanism.graph.add(*sum, value);
    }
    sums.retain(|_, value| *value != Expr::ZERO);
    sums.into_iter().map(|((row, column), value)| (row, column, value)).collect()
}

pub(crate) fn square(name: String, size: usize, entries: Entries) -> Target {
    let entry = |(row, column, value): (usize, usize, Expr)| (row as u32, column as u32, value);
    let entries = entries.into_iter().map(entry).collect();
    Target { name, rows: size as u32, columns: size as u32, symmetric: false, entries }
}

/// The candidate whose program has the fewest operations; the first of equals.
fn cheapest(tree: &Tree, mut candidates: Vec<Vec<Target>>) -> Vec<Target> {
    if candidates.len() < 2 {
        return candidates.pop().unwrap_or_default();
    }
    let kinds = [Kind::Coordinate, Kind::Velocity, Kind::Acceleration, Kind::Effort];
    let operations = |outputs: &Vec<Target>| {
        let request = Request {
            name: "candidate".to_owned(),
            inputs: inputs(tree, &kinds),
            outputs: outputs.clone(),
        };
        Counts::of(&lower(&tree.mechanism.graph, &request).program).body.operations()
    };
    let best = candidates.iter().enumerate().min_by_key(|(_, outputs)| operations(outputs));
    let best = best.map_or(0, |(at, _)| at);
    candidates.swap_remove(best)
}
