//! The directions that the columns of a derivative stand for.

use crate::function::By;
use crate::map;
use crate::tree::Tree;
use rotule_symbolic::{Direction, Expr, Kind};

/// The directions of all columns. Those of driven and locked joints move nothing.
pub(crate) fn directions(tree: &mut Tree, by: By) -> Vec<Direction> {
    if by == By::Coordinates {
        return along(tree);
    }
    let single = |symbol: Expr, now: Expr| Direction {
        name: tree.mechanism.graph.text(symbol),
        // A driven joint may follow an input of another kind, such as the time.
        rates: if symbol == now { vec![(symbol, Expr::ONE)] } else { Vec::new() },
    };
    if let By::Parameter(symbol) = by {
        return vec![single(symbol, symbol)];
    }
    if by == By::States {
        return tree.mechanism.states.iter().map(|one| single(one.symbol, one.symbol)).collect();
    }
    let mut directions = Vec::with_capacity(tree.speeds());
    for (at, speed) in tree.mechanism.speeds.iter().enumerate() {
        directions.push(match by {
            By::Speeds => single(speed.symbol, tree.qd[at]),
            By::Accelerations => single(speed.acceleration, tree.qdd[at]),
            _ => single(speed.effort, speed.effort),
        });
    }
    directions
}

/// For each speed the rates of the coordinates while it is one: the columns of the kinematic map.
/// Coordinates are what the tree has for them: their symbols, or unknowns that close a loop.
pub(crate) fn along(tree: &mut Tree) -> Vec<Direction> {
    let name = |name: &str| name.replacen(".d", "", 1);
    let mut directions: Vec<Direction> = (tree.mechanism.speeds.iter())
        .map(|speed| Direction { name: name(&speed.name), rates: Vec::new() })
        .collect();
    for (row, column, rate) in map::entries(tree) {
        let graph = &tree.mechanism.graph;
        let symbol = graph.symbol_of(tree.q[row]).is_some();
        if symbol && graph.kinds(tree.q[row]).contains(Kind::Coordinate) {
            directions[column].rates.push((tree.q[row], rate));
        }
    }
    directions
}
