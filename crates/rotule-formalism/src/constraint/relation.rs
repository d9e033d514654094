//! Relations that are written as expressions: couplings of coordinates and the user's own
//! constraints.
//!
//! Their rows are derivatives of the graph: `J` along the speeds, `e` along time, `b` along both
//! once more.

use super::{ConstraintElement, Constraints, Row};
use crate::derivative::directions::directions;
use crate::function::By;
use crate::kinematics::outward::{Frames, Level as Depth};
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_model::draft::{Level, Measure};
use rotule_model::mechanism::Signal;
use rotule_symbolic::{Direction, Expr, Graph, SymbolId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Writes the rows of couplings and of the user's constraints. They are written and differentiated
/// with all coordinates and speeds as symbols, whatever these follow from or are driven by; what
/// they are is put in afterwards.
pub(super) fn write(tree: &mut Tree, all: &mut Constraints) -> Result<(), Problem> {
    let q = tree.mechanism.coordinates.iter().map(|one| one.symbol).collect();
    let qd = tree.mechanism.speeds.iter().map(|one| one.symbol).collect();
    let now = (std::mem::replace(&mut tree.q, q), std::mem::replace(&mut tree.qd, qd));
    let columns = [Columns::of(tree, By::Coordinates), Columns::of(tree, By::Speeds)];
    let columns = [&columns[0], &columns[1]];
    let mut rows = couplings(tree, columns);
    let written = users(tree, columns, &mut rows);
    let mut known: Vec<(Expr, Expr)> = tree.q.iter().copied().zip(now.0.iter().copied()).collect();
    known.extend(tree.qd.iter().copied().zip(now.1.iter().copied()));
    known.retain(|(symbol, value)| symbol != value);
    (tree.q, tree.qd) = now;
    settle(tree, &mut rows, &known);
    rows.into_iter().for_each(|row| all.add(row));
    written
}

/// Puts what is known into rows.
fn settle(tree: &mut Tree, rows: &mut [Row], known: &[(Expr, Expr)]) {
    if known.is_empty() {
        return;
    }
    let mut parts: Vec<&mut Expr> = Vec::new();
    for row in rows.iter_mut() {
        parts.extend([&mut row.explicit, &mut row.rate]);
        parts.extend(row.residual.as_mut());
        parts.extend(row.entries.iter_mut().map(|entry| &mut entry.1));
    }
    let old: Vec<Expr> = parts.iter().map(|part| **part).collect();
    let new = tree.mechanism.graph.substitute(&old, known);
    parts.into_iter().zip(new).for_each(|(part, value)| *part = value);
    rows.iter_mut().for_each(|row| row.entries.retain(|(_, value)| *value != Expr::ZERO));
}

fn couplings(tree: &mut Tree, columns: [&Columns; 2]) -> Vec<Row> {
    let mut rows = Vec::new();
    for at in 0..tree.mechanism.couplings.len() {
        let coupling = tree.mechanism.couplings[at].clone();
        let mut terms = vec![coupling.offset];
        for (coordinate, factor) in coupling.terms {
            let q = tree.q[coordinate];
            terms.push(tree.mechanism.graph.mul(factor, q));
        }
        let sum = tree.mechanism.graph.sum(&terms);
        let element = ConstraintElement::Coupling(at);
        rows.push(row(tree, columns, coupling.name, element, sum, Level::Position));
    }
    rows
}

fn users(tree: &mut Tree, columns: [&Columns; 2], rows: &mut Vec<Row>) -> Result<(), Problem> {
    for at in 0..tree.mechanism.constraints.len() {
        let constraint = tree.mechanism.constraints[at].clone();
        let of = || format!("constraint `{}`", constraint.name);
        let pairs = signals(tree, &constraint.signals, of)?;
        let expression = tree.mechanism.graph.substitute(&[constraint.expression], &pairs)[0];
        let element = ConstraintElement::Constraint(at);
        rows.push(row(tree, columns, constraint.name, element, expression, constraint.level));
    }
    Ok(())
}

/// The signals of sensors, as pairs of a placeholder and what it stands for at the tree's
/// coordinates and speeds.
pub(crate) fn signals(
    tree: &mut Tree,
    signals: &[Signal],
    of: impl Fn() -> String,
) -> Result<Vec<(Expr, Expr)>, Problem> {
    let mut pairs = Vec::new();
    for signal in signals {
        let sensor = tree.mechanism.sensors[signal.sensor].clone();
        let place = tree.locate(sensor.at);
        let origin = tree.bodies[sensor.relative_to.index()];
        let mut frames = Frames::new(tree, origin.0, origin.1, Depth::Velocity);
        let moving = frames.place(tree, place.0, place.1);
        let vector = match signal.measure {
            Measure::Position => moving.position,
            Measure::Velocity => moving.velocity,
            Measure::AngularVelocity => moving.angular,
            _ => {
                let message = format!("{} uses a signal that has no derivative here", of());
                return Err(Problem::new(message, "expected a position or a velocity"));
            }
        };
        pairs.push((signal.symbol, vector[signal.component]));
    }
    Ok(pairs)
}

/// Directions of columns, found by the symbols that they move: a relation has few of all columns.
struct Columns {
    directions: Vec<Direction>,
    of_symbol: HashMap<SymbolId, Vec<usize>>,
}

impl Columns {
    fn of(tree: &mut Tree, by: By) -> Columns {
        let directions = directions(tree, by);
        let mut of_symbol: HashMap<SymbolId, Vec<usize>> = HashMap::new();
        for (column, direction) in directions.iter().enumerate() {
            let symbols = direction.rates.iter();
            for symbol in symbols.filter_map(|one| tree.mechanism.graph.symbol_of(one.0)) {
                of_symbol.entry(symbol).or_default().push(column);
            }
        }
        Columns { directions, of_symbol }
    }

    /// The columns that an expression depends on, in order.
    fn touched(&self, graph: &mut Graph, expression: Expr) -> Vec<usize> {
        let symbols = graph.symbols_of(expression);
        let found = graph.symbols_in(symbols).filter_map(|symbol| self.of_symbol.get(&symbol));
        found.flatten().copied().collect::<BTreeSet<usize>>().into_iter().collect()
    }
}

/// The row of an expression of coordinates or of speeds, which are symbols in it.
fn row(
    tree: &mut Tree,
    [coordinates, speeds]: [&Columns; 2],
    name: String,
    element: ConstraintElement,
    expression: Expr,
    level: Level,
) -> Row {
    let columns = match level {
        Level::Position => coordinates,
        Level::Velocity => speeds,
    };
    let time = Direction { name: "t".to_owned(), rates: vec![(tree.mechanism.time, Expr::ONE)] };
    let qd = tree.qd.clone();
    let graph = &mut tree.mechanism.graph;
    let touched = columns.touched(graph, expression);
    let along: Vec<Direction> = touched.iter().map(|&at| columns.directions[at].clone()).collect();
    let found = graph.derivatives_along(&[expression], &along);
    let entries: Vec<(usize, Expr)> = (touched.iter().enumerate())
        .map(|(at, &column)| (column, found.get(0, at)))
        .filter(|(_, value)| *value != Expr::ZERO)
        .collect();
    let (residual, velocity, explicit) = match level {
        Level::Position => {
            let explicit = graph.derivatives_along(&[expression], &[time]).get(0, 0);
            let terms: Vec<Expr> = (entries.iter())
                .map(|&(column, value)| graph.mul(value, qd[column]))
                .chain([explicit])
                .collect();
            (Some(expression), graph.sum(&terms), explicit)
        }
        Level::Velocity => {
            // What is left of the relation where all speeds are zero.
            let zeros: Vec<(Expr, Expr)> =
                touched.iter().map(|&column| (qd[column], Expr::ZERO)).collect();
            let rest = graph.substitute(&[expression], &zeros)[0];
            (None, expression, rest)
        }
    };
    // A relation of speeds is differentiated along the motion of the coordinates, too.
    let touched = coordinates.touched(graph, velocity);
    let moving = along_motion(tree, &coordinates.directions, touched.into_iter(), &qd);
    let rate = tree.mechanism.graph.derivatives_along(&[velocity], &[moving]).get(0, 0);
    Row { name, element, residual, entries, explicit, rate }
}

/// The direction in which everything moves with time, while speeds stay as they are.
pub(super) fn motion(tree: &mut Tree, speeds: &[Expr]) -> Direction {
    let columns = directions(tree, By::Coordinates);
    along_motion(tree, &columns, 0..columns.len(), speeds)
}

/// The direction in which everything that some columns move moves with time.
fn along_motion(
    tree: &mut Tree,
    columns: &[Direction],
    touched: impl Iterator<Item = usize>,
    speeds: &[Expr],
) -> Direction {
    let graph = &mut tree.mechanism.graph;
    let mut rates: Vec<(Expr, Expr)> = vec![(tree.mechanism.time, Expr::ONE)];
    let mut sums: BTreeMap<Expr, Vec<Expr>> = BTreeMap::new();
    for column in touched {
        for &(symbol, rate) in &columns[column].rates {
            let term = graph.mul(rate, speeds[column]);
            sums.entry(symbol).or_default().push(term);
        }
    }
    rates.extend(sums.into_iter().map(|(symbol, terms)| (symbol, graph.sum(&terms))));
    Direction { name: "motion".to_owned(), rates }
}
