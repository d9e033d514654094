//! The directions that the columns of a derivative stand for.

use crate::function::By;
use crate::map;
use crate::writer::Writer;
use rotule_model::index::CoordinateId;
use rotule_model::mechanism::Mechanism;
use rotule_symbolic::{Direction, Expr, Kind};

/// The directions of all columns. Those of driven and locked joints move nothing.
pub(crate) fn directions(writer: Writer<'_, '_>, by: &By) -> Vec<Direction> {
    let single = |symbol: Expr, now: Expr| match writer.along(symbol) {
        direction if symbol == now => direction,
        // A driven joint may follow an input of another kind, such as the time.
        Direction { name, .. } => Direction { name, rates: Vec::new() },
    };
    let Mechanism { states, speeds, inputs, .. } = writer.mechanism;
    match by {
        By::Coordinates => along(writer),
        By::Time => vec![single(writer.mechanism.time, writer.mechanism.time)],
        By::Parameter(symbol) => vec![single(*symbol, *symbol)],
        By::Parameters(symbols) => symbols.iter().map(|&symbol| single(symbol, symbol)).collect(),
        By::Inputs => inputs.iter().map(|one| single(one.symbol, one.symbol)).collect(),
        By::States => states.iter().map(|one| single(one.symbol, one.symbol)).collect(),
        By::Speeds => {
            let now = speeds.iter().zip(&writer.motion.qd);
            now.map(|(speed, &now)| single(speed.symbol, now)).collect()
        }
        By::Accelerations => {
            let now = speeds.iter().zip(&writer.motion.qdd);
            now.map(|(speed, &now)| single(speed.acceleration, now)).collect()
        }
        By::Efforts => speeds.iter().map(|speed| single(speed.effort, speed.effort)).collect(),
    }
}

/// For each speed the rates of the coordinates while it is one: the columns of the kinematic map.
/// Coordinates are what the tree has for them: their symbols, or unknowns that close a loop.
pub(crate) fn along(writer: Writer<'_, '_>) -> Vec<Direction> {
    let name = |name: &str| name.replacen(".d", "", 1);
    let mut directions: Vec<Direction> = (writer.mechanism.speeds.iter())
        .map(|speed| Direction { name: name(&speed.name), rates: Vec::new() })
        .collect();
    for (row, column, rate) in map::map(writer) {
        let q = writer.motion.q[CoordinateId::new(row)];
        let is_coordinate = writer.read(|graph| {
            graph.symbol_of(q).is_some() && graph.kinds(q).contains(Kind::Coordinate)
        });
        if is_coordinate {
            directions[column].rates.push((q, rate.expr()));
        }
    }
    directions
}
