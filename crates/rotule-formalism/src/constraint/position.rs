//! Dependent coordinates from independent ones, block by block.
//!
//! Where the rows of a block are linear in its coordinates, as those of couplings and of slides are, the coordinates are
//! written down; all other blocks become iterations. What is linear is seen from derivatives, not from the kind of a row.

use super::blocks::components;
use super::lu::Lu;
use super::partition::Partition;
use super::{Row, constraints};
use crate::normalise::put_known;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_program::lower::Solve;
use rotule_symbolic::{Expr, Graph, Kind};
use std::collections::{BTreeSet, HashMap};

/// How small a residual must become, and after how many steps an iteration gives up.
const TOLERANCE: f64 = 1e-12;
const LIMIT: u32 = 25;

/// Dependent coordinates become expressions or unknowns of iterations.
pub(super) fn positions(tree: &mut Tree, partition: &Partition) -> Result<(), Problem> {
    let mut coordinate = vec![None; tree.speeds()];
    for node in &tree.nodes {
        if node.motion.speeds() == 1 {
            coordinate[node.speed] = Some(node.coordinate);
        }
    }
    let of = |speed: usize| coordinate[speed].expect("only single coordinates are dependent");
    for speed in partition.dependent() {
        let name = format!("{}.closed", tree.mechanism.coordinates[of(speed)].name);
        tree.q[of(speed)] = tree.mechanism.graph.symbol(&name, Kind::Coordinate);
    }
    let mut closed = constraints(tree)?;
    // Each symbol that turned out to be an expression of others.
    let mut known: Vec<(Expr, Expr)> = Vec::new();
    let mut written = vec![false; partition.blocks.len()];
    for (number, block) in partition.blocks.iter().enumerate() {
        let rows: Vec<&Row> = block.rows.iter().map(|&row| &closed.rows[row]).collect();
        let unknowns: Vec<Expr> = block.columns.iter().map(|&speed| tree.q[of(speed)]).collect();
        let name = format!("J{}", number + 1);
        let graph = &mut tree.mechanism.graph;
        let Some(found) = linear(&rows, &block.columns, &unknowns, &name, graph) else { continue };
        let found = graph.substitute(&found, &known);
        written[number] = true;
        for ((&speed, symbol), value) in block.columns.iter().zip(unknowns).zip(found) {
            let at = of(speed);
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
        let unknowns: Vec<Expr> = block.columns.iter().map(|&speed| tree.q[of(speed)]).collect();
        let next = unknowns.iter().zip(steps).map(|(&q, step)| graph.sub(q, step)).collect();
        let start = block.columns.iter().map(|&speed| tree.mechanism.coordinates[of(speed)].symbol);
        let start = start.collect();
        solves.push(Solve {
            name: format!("closure {}", number + 1),
            unknowns,
            start,
            next,
            residuals,
            tolerance: TOLERANCE,
            limit: LIMIT,
        });
    }
    let ordered = ordered(solves, &mut tree.mechanism.graph);
    tree.solves.extend(ordered);
    Ok(())
}

/// Iterations in an order in which each needs results of earlier ones only. A residual may contain a coordinate that its row
/// of `J` has no entry for, because it is the same for all values of it or only near a closed position: those that need
/// each other's results are iterated together, each with its own step.
fn ordered(solves: Vec<Solve>, graph: &mut Graph) -> Vec<Solve> {
    let mut owner = HashMap::new();
    for (number, solve) in solves.iter().enumerate() {
        let symbols = solve.unknowns.iter().filter_map(|&one| graph.symbol_of(one));
        owner.extend(symbols.map(|symbol| (symbol, number)));
    }
    let mut needs: Vec<Vec<usize>> = Vec::with_capacity(solves.len());
    for (number, solve) in solves.iter().enumerate() {
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
    let mut solves: Vec<Option<Solve>> = solves.into_iter().map(Some).collect();
    let mut found = Vec::new();
    for mut group in components(needs.len(), &|at| needs[at].clone()) {
        group.sort_unstable();
        let mut group = group.into_iter().filter_map(|at| solves[at].take());
        let Some(mut first) = group.next() else { continue };
        for solve in group {
            first.unknowns.extend(solve.unknowns);
            first.start.extend(solve.start);
            first.next.extend(solve.next);
            first.residuals.extend(solve.residuals);
        }
        found.push(first);
    }
    found
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
    // Rows of J are derivatives of residuals only where loops are closed, but what moves in them moves in both.
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
