//! Relations that are written as expressions: couplings of coordinates and the user's own
//! constraints.
//!
//! Their rows are derivatives of the graph: `J` along the speeds, `e` along time, `b` along both
//! once more.

#![allow(non_snake_case)] // symbols as in the formulas

use super::{ConstraintElement, Constraints, Row};
use crate::derivative::directions::directions;
use crate::function::By;
use crate::signals::settled;
use crate::system::MotionInput;
use crate::writer::Writer;
use rotule_model::draft::Level;
use rotule_model::mechanism::Coupling;
use rotule_symbolic::{Direction, Expr, Scalar, SymbolId, sum};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Writes the rows of couplings and of the user's constraints. They are written and differentiated
/// with all coordinates and speeds as symbols, whatever these follow from or are driven by; what
/// they are is put in afterwards.
pub(super) fn write(writer: Writer<'_, '_>, all: &mut Constraints) {
    let now = writer.motion;
    let symbols = MotionInput {
        q: writer.mechanism.coordinates.iter().map(|one| one.symbol).collect(),
        qd: writer.mechanism.speeds.iter().map(|one| one.symbol).collect(),
        ..now.clone()
    };
    let writer = Writer { motion: &symbols, ..writer };
    let columns = [&By::Coordinates, &By::Speeds].map(|by| Columns::of(writer, by));
    let columns = [&columns[0], &columns[1]];
    let mut rows = couplings(writer, columns);
    users(writer, columns, &mut rows);
    let q = symbols.q.iter().copied().zip(now.q.iter().copied());
    let qd = symbols.qd.iter().copied().zip(now.qd.iter().copied());
    let known: Vec<(Expr, Expr)> = q.chain(qd).filter(|(symbol, value)| symbol != value).collect();
    settle(writer, &mut rows, &known);
    rows.into_iter().for_each(|row| all.add(row));
}

/// Puts what is known into rows.
fn settle(writer: Writer<'_, '_>, rows: &mut [Row], known: &[(Expr, Expr)]) {
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
    let new = writer.substitute(&old, known);
    parts.into_iter().zip(new).for_each(|(part, value)| *part = value);
    rows.iter_mut().for_each(|row| row.entries.retain(|(_, value)| *value != Expr::ZERO));
}

fn couplings(writer: Writer<'_, '_>, columns: [&Columns; 2]) -> Vec<Row> {
    let q = writer.q().into_vec();
    let row = |(at, coupling): (usize, &Coupling)| {
        let terms = coupling.terms.iter().map(|&(at, factor)| writer.scalar(factor) * q[at]);
        let h = sum([writer.scalar(coupling.offset)].into_iter().chain(terms));
        let element = ConstraintElement::Coupling(at);
        row(writer, columns, coupling.name.clone(), element, h, Level::Position)
    };
    writer.mechanism.couplings.iter().enumerate().map(row).collect()
}

fn users(writer: Writer<'_, '_>, columns: [&Columns; 2], rows: &mut Vec<Row>) {
    for (at, constraint) in writer.mechanism.constraints.iter().enumerate() {
        let expression = settled(writer, &[constraint.expression])[0];
        let (element, name) = (ConstraintElement::Constraint(at), constraint.name.clone());
        let expression = writer.scalar(expression);
        rows.push(row(writer, columns, name, element, expression, constraint.level));
    }
}

/// Directions of columns, found by the symbols that they move: a relation has few of all columns.
struct Columns {
    directions: Vec<Direction>,
    of_symbol: HashMap<SymbolId, Vec<usize>>,
}

impl Columns {
    fn of(writer: Writer<'_, '_>, by: &By) -> Columns {
        let directions = directions(writer, by);
        let mut of_symbol: HashMap<SymbolId, Vec<usize>> = HashMap::new();
        for (column, direction) in directions.iter().enumerate() {
            for symbol in direction.rates.iter().filter_map(|one| writer.symbol_of(one.0)) {
                of_symbol.entry(symbol).or_default().push(column);
            }
        }
        Columns { directions, of_symbol }
    }

    /// The columns that an expression depends on, in order.
    fn touched(&self, writer: Writer<'_, '_>, expression: Scalar<'_>) -> Vec<usize> {
        let symbols = writer.symbols_in(expression.expr()).into_iter();
        let found = symbols.filter_map(|symbol| self.of_symbol.get(&symbol));
        found.flatten().copied().collect::<BTreeSet<usize>>().into_iter().collect()
    }
}

/// The row of an expression of coordinates or of speeds, which are symbols in it.
fn row<'g>(
    writer: Writer<'_, 'g>,
    [coordinates, speeds]: [&Columns; 2],
    name: String,
    element: ConstraintElement,
    expression: Scalar<'g>,
    level: Level,
) -> Row {
    let columns = match level {
        Level::Position => coordinates,
        Level::Velocity => speeds,
    };
    let qd = writer.qd().into_vec();
    let touched = columns.touched(writer, expression);
    let along: Vec<Direction> = touched.iter().map(|&at| columns.directions[at].clone()).collect();
    let found = writer.derivatives_along(&[expression], &along).into_iter();
    let J: Vec<(usize, Scalar<'g>)> = found.map(|(_, at, value)| (touched[at], value)).collect();
    let (residual, velocity, explicit) = match level {
        Level::Position => {
            let time = along_time(writer);
            let explicit = writer.jacobian(&[expression], &[time])[0][0];
            let terms = J.iter().map(|&(column, value)| value * qd[column]);
            (Some(expression.expr()), sum(terms.chain([explicit])), explicit)
        }
        Level::Velocity => {
            // What is left of the relation where all speeds are zero.
            let zeros: Vec<(Expr, Expr)> =
                touched.iter().map(|&column| (qd[column].expr(), Expr::ZERO)).collect();
            let rest = writer.substitute(&[expression.expr()], &zeros)[0];
            (None, expression, writer.scalar(rest))
        }
    };
    // A relation of speeds is differentiated along the motion of the coordinates, too.
    let touched = coordinates.touched(writer, velocity);
    let moving = along_motion(writer, &coordinates.directions, touched.into_iter(), &qd);
    let rate = writer.jacobian(&[velocity], &[moving])[0][0].expr();
    let entries = J.into_iter().map(|(column, value)| (column, value.expr())).collect();
    Row { name, element, residual, entries, explicit: explicit.expr(), rate }
}

/// The direction in which everything moves with time, while speeds stay as they are.
pub(super) fn motion<'g>(writer: Writer<'_, 'g>, speeds: &[Scalar<'g>]) -> Direction {
    let columns = directions(writer, &By::Coordinates);
    along_motion(writer, &columns, 0..columns.len(), speeds)
}

/// The direction in which time moves alone, and inputs with it.
pub(crate) fn along_time(writer: Writer<'_, '_>) -> Direction {
    let mut direction = writer.along(writer.mechanism.time);
    direction.rates.extend(&writer.mechanism.flows);
    direction
}

/// The direction in which everything that some columns move moves with time.
fn along_motion<'g>(
    writer: Writer<'_, 'g>,
    columns: &[Direction],
    touched: impl Iterator<Item = usize>,
    speeds: &[Scalar<'g>],
) -> Direction {
    let mut rates = along_time(writer).rates;
    let mut sums: BTreeMap<Expr, Vec<Scalar<'g>>> = BTreeMap::new();
    for column in touched {
        for &(symbol, rate) in &columns[column].rates {
            sums.entry(symbol).or_default().push(writer.scalar(rate) * speeds[column]);
        }
    }
    rates.extend(sums.into_iter().map(|(symbol, terms)| (symbol, sum(terms).expr())));
    Direction { name: "motion".to_owned(), rates }
}
