//! The law `table`: piecewise linear through points, constant beyond the first and the last.
//!
//! The value is `y + slope*(x - start)`, where `y`, `slope` and `start` are chosen by balanced
//! trees of selects, each of which compares `x` with the position of a point. That takes at most
//! three operations a point, a logarithmic depth, and one product for the derivative. A value at a
//! point is exact from the right and continuous within rounding from the left.

use super::Law;
use crate::diagnostic::short;
use rotule_symbolic::{CallReading, Compare, Expr, Graph, Number};

/// The most points of a table.
pub const MOST: usize = 1000;

/// The law's name.
pub const NAME: &str = "table";

/// The name of that of two variables.
pub const NAME2: &str = "table2";

/// The entry of the library. Any number of points may follow the first.
pub(super) const LAW: Law = Law {
    name: NAME,
    arguments: &["x", "x1", "y1", "..."],
    expression: "y + slope*(x - start), all three by the interval that has x",
    about: "linear between the points (x1, y1), (x2, y2) and so on, constant beyond the ends",
};

/// The law of tables of two variables.
pub(super) const LAW2: Law = Law {
    name: NAME2,
    arguments: &["x", "y", "nx", "ny", "x1", "...", "y1", "...", "z11", "..."],
    expression: "linear in x within the rows of y1, y2 and so on, and linear in y between these",
    about: "bilinear between the points of a grid, whose values come row by row, constant beyond",
};

/// The expression of a table of two variables: a table over y of tables over x.
pub(super) fn expand2(graph: &mut Graph, given: &[Expr]) -> CallReading {
    let usage = || format!("write `{}`: {}", LAW2.usage(), LAW2.about);
    let count = |graph: &Graph, at: usize| {
        let number = graph.number_of(*given.get(at)?)?.to_f64();
        let whole = number.fract() == 0.0 && (1.0..=MOST as f64).contains(&number);
        whole.then_some(number as usize)
    };
    let (Some(nx), Some(ny)) = (count(graph, 2), count(graph, 3)) else {
        let message =
            format!("`nx` and `ny` of the law `table2` must be whole numbers from 1 to {MOST}");
        return Err((message, usage()));
    };
    let expected = 4 + nx + ny + nx * ny;
    if nx * ny > MOST || given.len() != expected {
        let found = given.len();
        let message = match nx * ny > MOST {
            true => format!("the law `table2` takes at most {MOST} points, found {}", nx * ny),
            false => format!(
                "the law `table2` with {nx} by {ny} points takes {expected} arguments, found {found}"
            ),
        };
        return Err((message, usage()));
    }
    let (x, y, rest) = (given[0], given[1], &given[4..]);
    let (xs, rest) = rest.split_at(nx);
    let (ys, zs) = rest.split_at(ny);
    let mut over = vec![y];
    for (&at, row) in ys.iter().zip(zs.chunks(nx)) {
        let points = xs.iter().zip(row).flat_map(|(&x, &z)| [x, z]);
        let list: Vec<Expr> = std::iter::once(x).chain(points).collect();
        over.extend([at, interpolate(graph, &list, ["table2", "x"])?]);
    }
    interpolate(graph, &over, ["table2", "y"])
}

/// The positions of rows and columns among the arguments of a table of two variables.
pub fn positions2(graph: &Graph, given: &[Expr]) -> Vec<Vec<Expr>> {
    let count = |at: usize| Some(graph.number_of(*given.get(at)?)?.to_f64() as usize);
    let lists = || {
        let (nx, ny) = (count(2)?, count(3)?);
        let (xs, rest) = given.get(4..)?.split_at_checked(nx)?;
        Some(vec![xs.to_vec(), rest.get(..ny)?.to_vec()])
    };
    lists().unwrap_or_default()
}

/// The positions of the points among the arguments.
pub fn positions(given: &[Expr]) -> Vec<Expr> {
    given.iter().skip(1).step_by(2).copied().collect()
}

/// The expression of a table; a message and a remedy if the arguments are none.
pub(super) fn expand(graph: &mut Graph, given: &[Expr]) -> CallReading {
    interpolate(graph, given, ["table", "x"])
}

/// The expression of points along an axis of a law, which messages name.
fn interpolate(graph: &mut Graph, given: &[Expr], [law, axis]: [&str; 2]) -> CallReading {
    let (&x, points) = match given.split_first() {
        Some((x, points)) if points.len() >= 2 && points.len().is_multiple_of(2) => (x, points),
        _ => {
            let message = format!(
                "the law `table` takes x and then x and y of each point, found {} arguments",
                given.len()
            );
            return Err((message, format!("write `{}`: {}", LAW.usage(), LAW.about)));
        }
    };
    let count = points.len() / 2;
    if count > MOST {
        let message = format!("the law `{law}` takes at most {MOST} points, found {count}");
        return Err((message, "leave points out, or let an external function look up".to_owned()));
    }
    let starts = positions(given);
    let values: Vec<Expr> = points.iter().skip(1).step_by(2).copied().collect();
    if let Some(at) = starts.iter().position(|&start| !graph.kinds(start).is_constant()) {
        let (number, text) = (at + 1, shown(graph, starts[at]));
        let message = format!("{axis}{number} of the law `{law}` changes during a run: {text}");
        return Err((message, "points are at numbers or parameters".to_owned()));
    }
    let mut slopes = vec![Expr::ZERO];
    for at in 1..count {
        let width = graph.sub(starts[at], starts[at - 1]);
        if graph.number_of(width).is_some_and(|width| width <= Number::ZERO) {
            let (below, above) = (shown(graph, starts[at - 1]), shown(graph, starts[at]));
            let message = format!(
                "the points of the law `{law}` are out of order: {axis}{} = {above} is not above {axis}{at} = {below}",
                at + 1
            );
            return Err((message, format!("sort the points by {axis}, each {axis} once")));
        }
        let height = graph.sub(values[at], values[at - 1]);
        let slope = graph.div(height, width);
        if graph.number_of(slope).is_some_and(|slope| !slope.is_finite()) {
            let message = format!("the slope of the law `{law}` behind {axis}{at} is not finite");
            return Err((message, "move the points apart".to_owned()));
        }
        slopes.push(slope);
    }
    slopes.push(Expr::ZERO);
    if count == 1 {
        return Ok(values[0]);
    }
    // Where the slope is zero, any start will do.
    let slope = choose(graph, x, &starts, &slopes);
    let start = choose(graph, x, &starts[1..count - 1], &starts[..count - 1]);
    let value = choose(graph, x, &starts[1..], &values);
    let beyond = graph.sub(x, start);
    let rise = graph.mul(slope, beyond);
    Ok(graph.add(value, rise))
}

/// The choice of the interval that has `x`: one more than there are bounds between them.
fn choose(graph: &mut Graph, x: Expr, bounds: &[Expr], choices: &[Expr]) -> Expr {
    let middle = bounds.len() / 2;
    let Some(&bound) = bounds.get(middle) else { return choices[0] };
    let below = choose(graph, x, &bounds[..middle], &choices[..=middle]);
    let above = choose(graph, x, &bounds[middle + 1..], &choices[middle + 1..]);
    graph.select(Compare::Less, x, bound, below, above)
}

/// An expression as a message shows it.
fn shown(graph: &Graph, expr: Expr) -> String {
    short(&graph.text(expr))
}
