//! Dependent coordinates from independent ones, block by block.
//!
//! Where the rows of a block are linear in its coordinates, as those of couplings and of slides
//! are, the coordinates are written down; all other blocks become iterations. What is linear is
//! seen from derivatives, not from the kind of a row.
//!
//! A joint with a quaternion follows along those of its speeds that are dependent: iterations turn
//! the quaternion that is given about these axes alone, so that along the others it stays what the
//! state says.

use super::blocks::components;
use super::lu::Lu;
use super::partition::Partition;
use super::{Row, constraints};
use crate::derivative::directions::along;
use crate::normalise::put_known;
use crate::problem::Problem;
use crate::tree::{ElementaryMotion, Tree, TreeNode};
use rotule_program::lower::Solve;
use rotule_symbolic::{Expr, Graph, Kind, Vector};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// After how many steps an iteration gives up.
const LIMIT: u32 = 25;

/// The change of coordinates by a speed.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    /// One, at its own rate.
    Single(usize),
    /// The position of a free joint, along an axis of its node.
    Slide { node: usize, axis: usize },
    /// A quaternion, about an axis of its node.
    Turn { node: usize, axis: usize },
}

/// The change of coordinates by each speed.
fn changes(tree: &Tree) -> Vec<Option<Change>> {
    let mut changes = vec![None; tree.speeds()];
    for (number, node) in tree.nodes.iter().enumerate() {
        for at in 0..node.motion.speeds() {
            changes[node.speed + at] = Some(match node.motion {
                ElementaryMotion::Free if at < 3 => Change::Slide { node: number, axis: at },
                ElementaryMotion::Free => Change::Turn { node: number, axis: at - 3 },
                ElementaryMotion::Spherical => Change::Turn { node: number, axis: at },
                _ => Change::Single(node.coordinate),
            });
        }
    }
    changes
}

/// The coordinates that a change has a part in.
fn coordinates(tree: &Tree, change: Change) -> Range<usize> {
    match change {
        Change::Single(at) => at..at + 1,
        Change::Slide { node, .. } => {
            let first = tree.nodes[node].coordinate;
            first..first + 3
        }
        Change::Turn { node, .. } => {
            let TreeNode { coordinate, motion, .. } = tree.nodes[node];
            let first = if motion == ElementaryMotion::Free { coordinate + 3 } else { coordinate };
            first..first + 4
        }
    }
}

/// Dependent coordinates become expressions or unknowns of iterations, which end when each row is
/// as small as its tolerance.
pub(super) fn positions(
    tree: &mut Tree,
    partition: &Partition,
    tolerances: &[f64],
) -> Result<(), Problem> {
    let changes = changes(tree);
    let of = |speed: usize| changes[speed].expect("locked joints are not dependent");
    for speed in partition.dependent() {
        for at in coordinates(tree, of(speed)) {
            let name = format!("{}.closed", tree.mechanism.coordinates[at].name);
            tree.q[at] = tree.mechanism.graph.symbol(&name, Kind::Coordinate);
        }
    }
    let mut closed = constraints(tree)?;
    // Each symbol that turned out to be an expression of others.
    let mut known: Vec<(Expr, Expr)> = Vec::new();
    let mut written = vec![false; partition.blocks.len()];
    for (number, block) in partition.blocks.iter().enumerate() {
        let single = |&speed: &usize| match of(speed) {
            Change::Single(at) => Some(at),
            _ => None,
        };
        let Some(places) = block.columns.iter().map(single).collect::<Option<Vec<_>>>() else {
            continue;
        };
        let rows: Vec<&Row> = block.rows.iter().map(|&row| &closed.rows[row]).collect();
        let unknowns: Vec<Expr> = places.iter().map(|&at| tree.q[at]).collect();
        let name = format!("J{}", number + 1);
        let graph = &mut tree.mechanism.graph;
        let Some(found) = linear(&rows, &block.columns, &unknowns, &name, graph) else { continue };
        let found = graph.substitute(&found, &known);
        written[number] = true;
        for ((at, symbol), value) in places.into_iter().zip(unknowns).zip(found) {
            let name = format!("{} closed", tree.mechanism.coordinates[at].name);
            tree.q[at] = tree.mechanism.graph.name(&name, value);
            known.push((symbol, tree.q[at]));
        }
    }
    put_known(tree);
    if !known.is_empty() {
        closed = constraints(tree)?;
    }
    let mut solves = Vec::new();
    for (number, block) in partition.blocks.iter().enumerate().filter(|one| !written[one.0]) {
        let rows: Vec<&Row> = block.rows.iter().map(|&row| &closed.rows[row]).collect();
        let matrix = rows.iter().map(|row| picked(row, &block.columns)).collect();
        let graph = &mut tree.mechanism.graph;
        let name = format!("J{}", number + 1);
        let factor = Lu::of(matrix, &name, graph);
        let residuals: Vec<Expr> = rows.iter().filter_map(|row| row.residual).collect();
        let steps = factor.solve(&residuals, &format!("{name}d"), graph);
        let steps: Vec<(Change, Expr)> =
            block.columns.iter().zip(steps).map(|(&speed, step)| (of(speed), -step)).collect();
        let next = stepped(tree, &steps);
        let turned = steps.iter().any(|one| !matches!(one.0, Change::Single(_)));
        let solve = Solve {
            name: format!("closure {}", number + 1),
            unknowns: next.iter().map(|&(at, _)| tree.q[at]).collect(),
            start: next.iter().map(|&(at, _)| tree.mechanism.coordinates[at].symbol).collect(),
            next: next.iter().map(|&(_, value)| value).collect(),
            residuals,
            tolerance: block.rows.iter().fold(0.0, |most: f64, &row| most.max(tolerances[row])),
            limit: LIMIT,
        };
        solves.push(Made { solve, columns: block.columns.clone(), turned });
    }
    for Made { solve, columns, turned } in ordered(solves, &mut tree.mechanism.graph) {
        if turned {
            let along = along(tree);
            let tangents = columns.iter().map(|&speed| along[speed].clone()).collect();
            tree.tangents.insert(tree.solves.len(), tangents);
        }
        tree.solves.push(solve);
    }
    Ok(())
}

/// An iteration, the speeds that it steps along, and whether quaternions are among what these
/// change.
struct Made {
    solve: Solve,
    columns: Vec<usize>,
    turned: bool,
}

/// Iterations in an order in which each needs results of earlier ones only. A residual may contain
/// a coordinate that its row of `J` has no entry for, because it is the same for all values of it
/// or only near a closed position: those that need each other's results are iterated together, each
/// with its own step.
fn ordered(solves: Vec<Made>, graph: &mut Graph) -> Vec<Made> {
    let mut owner = HashMap::new();
    for (number, Made { solve, .. }) in solves.iter().enumerate() {
        let symbols = solve.unknowns.iter().filter_map(|&one| graph.symbol_of(one));
        owner.extend(symbols.map(|symbol| (symbol, number)));
    }
    let mut needs: Vec<Vec<usize>> = Vec::with_capacity(solves.len());
    for (number, Made { solve, .. }) in solves.iter().enumerate() {
        let mut own = BTreeSet::new();
        for &value in solve.next.iter().chain(&solve.residuals) {
            let set = graph.symbols_of(value);
            own.extend(graph.symbols_in(set).filter_map(|symbol| owner.get(&symbol).copied()));
        }
        own.remove(&number);
        needs.push(own.into_iter().collect());
    }
    if needs.iter().enumerate().all(|(at, own)| own.iter().all(|&other| other < at)) {
        return solves;
    }
    let mut solves: Vec<Option<Made>> = solves.into_iter().map(Some).collect();
    let mut found = Vec::new();
    for mut group in components(needs.len(), &|at| needs[at].clone()) {
        group.sort_unstable();
        let mut group = group.into_iter().filter_map(|at| solves[at].take());
        let Some(mut first) = group.next() else { continue };
        for Made { solve, columns, turned } in group {
            first.solve.unknowns.extend(solve.unknowns);
            first.solve.start.extend(solve.start);
            first.solve.next.extend(solve.next);
            first.solve.residuals.extend(solve.residuals);
            first.solve.tolerance = first.solve.tolerance.max(solve.tolerance);
            first.columns.extend(columns);
            first.turned |= turned;
        }
        found.push(first);
    }
    found
}

/// The coordinates after steps along speeds. Quaternions are rotated and stay units: `q (1, s/2)`,
/// normalised.
fn stepped(tree: &mut Tree, steps: &[(Change, Expr)]) -> Vec<(usize, Expr)> {
    let mut next = Vec::new();
    let (mut slides, mut turns): (BTreeMap<usize, Vector>, BTreeMap<usize, Vector>) =
        (BTreeMap::new(), BTreeMap::new());
    for &(change, step) in steps {
        match change {
            Change::Single(at) => next.push((at, tree.mechanism.graph.add(tree.q[at], step))),
            Change::Slide { node, axis } => slides.entry(node).or_insert(Vector::ZERO)[axis] = step,
            Change::Turn { node, axis } => turns.entry(node).or_insert(Vector::ZERO)[axis] = step,
        }
    }
    for (node, step) in slides {
        let (rotation, _) = tree.displacement(node);
        let first = tree.nodes[node].coordinate;
        let graph = &mut tree.mechanism.graph;
        let moved = rotation.apply(step, graph);
        next.extend(
            (0..3).map(|axis| (first + axis, graph.add(tree.q[first + axis], moved[axis]))),
        );
    }
    for (node, step) in turns {
        let first = coordinates(tree, Change::Turn { node, axis: 0 }).start;
        let [w, x, y, z] = [0, 1, 2, 3].map(|at| tree.q[first + at]);
        let graph = &mut tree.mechanism.graph;
        let half = graph.number(rotule_symbolic::Number::ratio(1, 2));
        let (v, s) = (Vector([x, y, z]), step.scale(half, graph));
        let (along, across, turned) = (v.dot(s, graph), v.cross(s, graph), s.scale(w, graph));
        let vector = v.add(turned, graph).add(across, graph);
        let parts = [graph.sub(w, along), vector[0], vector[1], vector[2]];
        let squares = parts.map(|part| graph.square(part));
        let sum = graph.sum(&squares);
        let length = graph.sqrt(sum);
        next.extend((first..).zip(parts.map(|part| graph.div(part, length))));
    }
    next
}

/// The unknowns of a block whose rows are linear in them; none if they are not.
fn linear(
    rows: &[&Row],
    columns: &[usize],
    unknowns: &[Expr],
    name: &str,
    graph: &mut Graph,
) -> Option<Vec<Expr>> {
    let symbols: Vec<_> = unknowns.iter().filter_map(|&one| graph.symbol_of(one)).collect();
    let mut moves = |value: Expr| symbols.iter().any(|&one| graph.depends_on(value, one));
    // Rows of J are derivatives of residuals only where loops are closed, but what moves in them
    // moves in both.
    if rows.iter().any(|row| picked(row, columns).into_iter().any(&mut moves)) {
        return None;
    }
    let residuals: Vec<Expr> = rows.iter().filter_map(|row| row.residual).collect();
    let derivatives = graph.derivatives(&residuals, unknowns);
    let line = |row: usize| (0..columns.len()).map(|at| derivatives.get(row, at)).collect();
    let matrix: Vec<Vec<Expr>> = (0..residuals.len()).map(line).collect();
    let mut moves = |value: &Expr| symbols.iter().any(|&one| graph.depends_on(*value, one));
    if matrix.iter().flatten().any(&mut moves) {
        return None;
    }
    let zeros: Vec<(Expr, Expr)> = unknowns.iter().map(|&one| (one, Expr::ZERO)).collect();
    let rest = graph.substitute(&residuals, &zeros);
    let right: Vec<Expr> = rest.into_iter().map(|value| -value).collect();
    Some(Lu::of(matrix, name, graph).solve(&right, &format!("{name}d"), graph))
}

/// The entries of a row in some columns.
pub(super) fn picked(row: &Row, columns: &[usize]) -> Vec<Expr> {
    let entry = |column: usize| {
        row.entries.binary_search_by_key(&column, |entry| entry.0).ok().map(|at| row.entries[at].1)
    };
    columns.iter().map(|&column| entry(column).unwrap_or(Expr::ZERO)).collect()
}
