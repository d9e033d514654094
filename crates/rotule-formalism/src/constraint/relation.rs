//! Relations that are written as expressions: couplings of coordinates and the user's own constraints.
//!
//! Their rows are derivatives of the graph: `J` along the speeds, `e` along time, `b` along both once more.

use super::{Constraints, Element, Row};
use crate::derivative::directions::directions;
use crate::function::By;
use crate::kinematics::progressive::{Frames, Level as Depth};
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_model::draft::{Level, Measure};
use rotule_symbolic::{Direction, Expr};

/// Writes the rows of couplings and of the user's constraints.
pub(super) fn write(tree: &mut Tree, all: &mut Constraints) -> Result<(), Problem> {
    for at in 0..tree.mechanism.couplings.len() {
        let coupling = tree.mechanism.couplings[at].clone();
        let mut terms = vec![coupling.offset];
        for (coordinate, factor) in coupling.terms {
            let q = tree.q[coordinate];
            terms.push(tree.mechanism.graph.mul(factor, q));
        }
        let sum = tree.mechanism.graph.sum(&terms);
        let speeds = tree.qd.clone();
        let owner = (coupling.name, Element::Coupling(at));
        let row = row(tree, owner, sum, Level::Position, &speeds);
        all.add(row);
    }
    // Relations of speeds are written with the speeds as symbols, whatever these follow from.
    let symbols: Vec<Expr> = tree.mechanism.speeds.iter().map(|speed| speed.symbol).collect();
    let speeds = std::mem::replace(&mut tree.qd, symbols);
    let written = users(tree, &speeds, all);
    tree.qd = speeds;
    written
}

/// Writes the rows of the user's constraints, while the speeds of the tree are symbols.
fn users(tree: &mut Tree, speeds: &[Expr], all: &mut Constraints) -> Result<(), Problem> {
    for at in 0..tree.mechanism.constraints.len() {
        let constraint = tree.mechanism.constraints[at].clone();
        let mut pairs = Vec::new();
        for signal in &constraint.signals {
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
                    let message = format!(
                        "constraint `{}` uses a signal that has no derivative here",
                        constraint.name
                    );
                    return Err(Problem::new(message, "positions and velocities can be used"));
                }
            };
            pairs.push((signal.symbol, vector[signal.component]));
        }
        let expression = tree.mechanism.graph.substitute(&[constraint.expression], &pairs)[0];
        let owner = (constraint.name, Element::Constraint(at));
        let row = row(tree, owner, expression, constraint.level, speeds);
        all.add(row);
    }
    Ok(())
}

/// The row of an expression of coordinates or of speeds; the latter are symbols in it, and `now` is what they are.
fn row(
    tree: &mut Tree,
    (name, element): (String, Element),
    expression: Expr,
    level: Level,
    now: &[Expr],
) -> Row {
    let columns = match level {
        Level::Position => directions(tree, By::Coordinates),
        Level::Velocity => directions(tree, By::Speeds),
    };
    let time = Direction { name: "t".to_owned(), rates: vec![(tree.mechanism.time, Expr::ONE)] };
    // A relation of speeds is differentiated along the motion of the coordinates, too. Speeds are symbols until then:
    // what they depend on has no part in it.
    let speeds: Vec<Expr> = tree.mechanism.speeds.iter().map(|speed| speed.symbol).collect();
    let moving = motion(tree, &speeds);
    let graph = &mut tree.mechanism.graph;
    let found = graph.derivatives_along(&[expression], &columns);
    let entries: Vec<(usize, Expr)> = (0..columns.len())
        .map(|column| (column, found.get(0, column)))
        .filter(|(_, value)| *value != Expr::ZERO)
        .collect();
    let (residual, velocity, explicit) = match level {
        Level::Position => {
            let explicit = graph.derivatives_along(&[expression], &[time]).get(0, 0);
            let terms: Vec<Expr> = (entries.iter())
                .map(|&(column, value)| graph.mul(value, speeds[column]))
                .chain([explicit])
                .collect();
            (Some(expression), graph.sum(&terms), explicit)
        }
        Level::Velocity => {
            // What is left of the relation where all speeds are zero.
            let zeros: Vec<(Expr, Expr)> =
                tree.mechanism.speeds.iter().map(|speed| (speed.symbol, Expr::ZERO)).collect();
            let rest = graph.substitute(&[expression], &zeros)[0];
            (None, expression, rest)
        }
    };
    let rate = graph.derivatives_along(&[velocity], &[moving]).get(0, 0);
    let known: Vec<(Expr, Expr)> = speeds.into_iter().zip(now.iter().copied()).collect();
    let rate = graph.substitute(&[rate], &known)[0];
    Row { name, element, residual, entries, explicit, rate }
}

/// How everything moves with time, while speeds stay as they are.
pub(super) fn motion(tree: &mut Tree, speeds: &[Expr]) -> Direction {
    let columns = directions(tree, By::Coordinates);
    let graph = &mut tree.mechanism.graph;
    let mut rates: Vec<(Expr, Expr)> = vec![(tree.mechanism.time, Expr::ONE)];
    let mut sums: Vec<(Expr, Vec<Expr>)> = Vec::new();
    for (column, direction) in columns.into_iter().enumerate() {
        for (symbol, rate) in direction.rates {
            let term = graph.mul(rate, speeds[column]);
            match sums.iter_mut().find(|(known, _)| *known == symbol) {
                Some((_, terms)) => terms.push(term),
                None => sums.push((symbol, vec![term])),
            }
        }
    }
    rates.extend(sums.into_iter().map(|(symbol, terms)| (symbol, graph.sum(&terms))));
    Direction { name: "motion".to_owned(), rates }
}
