//! Inverse dynamics where drives stand anywhere: as many as degrees of freedom, more, or fewer
//! (Postiau, section 2.5.1).
//!
//! ```text
//! Psi = S' (Phi - Q)                what independent joints must deliver together
//! Psi = G Q_a                       G: the rows of S of actuated joints, transposed
//! ```
//!
//! What structure decides, no norm has to. Rows and drives are matched; drives that are left over,
//! and all that rows tie to them, share the work: of these `sum w Q^2` is the least, `Q = W^-1 G'
//! (G W^-1 G')^-1 Psi`, apart for each part that has nothing to do with the others. The rest is
//! square, and is solved block by block before. Where drives are too few, some rows have none:
//! their part of `Psi`, less what the drives do there, is missing, and only motions without it are
//! possible. Joints with a given motion deliver what is left at them.
//!
//! Rank is that of numbers in the closed initial position and near it: as many drives as degrees of
//! freedom may still be too few, if two of them do the same.

use super::assemble::{Random, assemble, assemble_from};
use super::blocks::{blocks, matching};
use super::closed::is_free;
use super::lu::Lu;
use super::numbers::moved;
use crate::forward::ldl::LdlFactor;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_symbolic::Expr;
use std::collections::HashMap;

/// Entries below this part of the largest count as zero.
const ZERO: f64 = 1e-9;
/// Positions near the initial one that are looked at where drives seem to be too few.
const PROBES: usize = 3;

/// `G` of a model: rows are independent speeds, columns are drives.
pub(super) struct Map {
    /// The independent speeds.
    pub rows: Vec<usize>,
    /// The speeds that drives act along.
    pub drives: Vec<usize>,
    /// The weight of the square of each drive's effort.
    pub weights: Vec<Expr>,
    /// By rows.
    pub entries: Vec<Vec<Expr>>,
}

/// The distribution of the required efforts among the drives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActuationReport {
    /// Free independent speeds: as many as degrees of freedom.
    pub free: Vec<usize>,
    /// The speeds that drives act along.
    pub drives: Vec<usize>,
    /// Drives whose effort follows from the motion alone.
    pub determined: Vec<usize>,
    /// Drives that share work.
    pub shared: Vec<usize>,
    /// Free speeds at which nothing delivers what a motion needs.
    pub missing: Vec<usize>,
}

/// The drives of a model: speed and weight. Of a model that names none, the free independent joints
/// have them.
pub(super) fn drives(tree: &Tree, independent: &[usize]) -> Vec<(usize, Expr)> {
    let joints = &tree.mechanism.joints;
    if joints.iter().all(|joint| joint.actuation.is_none()) {
        let free = independent.iter().filter(|&&at| is_free(tree, at));
        return free.map(|&at| (at, Expr::ONE)).collect();
    }
    let own = joints.iter().flat_map(|joint| {
        let weight = joint.actuation;
        joint.speeds.clone().filter_map(move |at| Some((at, weight?)))
    });
    own.filter(|&(at, _)| is_free(tree, at)).collect()
}

/// The efforts of drives and of joints with a given motion, what is missing, and who delivers what.
/// `psi` has an entry for each row of the map, and `open` is the tree before its loops were closed.
pub(super) fn shared(
    tree: &mut Tree,
    open: &Tree,
    map: &Map,
    psi: &[Expr],
) -> Result<(Vec<Expr>, Vec<Expr>, ActuationReport), Problem> {
    let numbers = numbers(tree, open, map)?;
    let (rows, missing) = ranked(tree, map, &numbers);
    let mut q: Vec<Expr> = vec![Expr::ZERO; map.drives.len()];
    let plan = Plan::of(map, &rows);
    for block in &plan.square {
        solve_square(tree, map, block, &numbers, psi, &mut q);
    }
    for part in &plan.wide {
        solve_wide(tree, map, part, psi, &mut q)?;
    }
    let graph = &mut tree.mechanism.graph;
    let mut efforts = vec![Expr::ZERO; tree.qdd.len()];
    let mut lacking = efforts.clone();
    for (&at, &value) in map.drives.iter().zip(&q) {
        efforts[at] = value;
    }
    for (row, &speed) in map.rows.iter().enumerate() {
        if rows.contains(&row) {
            continue;
        }
        let rest = rest(map, row, psi, &q, &|_| true, graph);
        match missing.contains(&row) {
            true => lacking[speed] = rest,
            false => efforts[speed] = rest,
        }
    }
    let speeds = |list: &[usize]| list.iter().map(|&drive| map.drives[drive]).collect::<Vec<_>>();
    let mut report = ActuationReport {
        free: map.rows.iter().copied().filter(|&at| is_free(tree, at)).collect(),
        drives: map.drives.clone(),
        determined: plan.square.iter().flat_map(|block| speeds(&block.1)).collect(),
        shared: plan.wide.iter().flat_map(|part| speeds(&part.1)).collect(),
        missing: missing.iter().map(|&row| map.rows[row]).collect(),
    };
    report.determined.sort_unstable();
    report.shared.sort_unstable();
    Ok((efforts, lacking, report))
}

/// `Psi` of a row less what drives do there, of those that count.
fn rest(
    map: &Map,
    row: usize,
    psi: &[Expr],
    q: &[Expr],
    counts: &dyn Fn(usize) -> bool,
    graph: &mut rotule_symbolic::Graph,
) -> Expr {
    let mut terms = vec![psi[row]];
    for (drive, (&factor, &value)) in map.entries[row].iter().zip(q).enumerate() {
        if counts(drive) {
            terms.push(-graph.mul(factor, value));
        }
    }
    graph.sum(&terms)
}

/// Parts of the equations, in the order in which they are solved: rows with drives.
struct Plan {
    square: Vec<(Vec<usize>, Vec<usize>)>,
    wide: Vec<(Vec<usize>, Vec<usize>)>,
}

impl Plan {
    /// From drives that are not matched, through rows that have them, one reaches all that share
    /// work.
    fn of(map: &Map, rows: &[usize]) -> Plan {
        let drives = map.drives.len();
        let has = |row: usize, drive: usize| map.entries[row][drive] != Expr::ZERO;
        let pattern: Vec<Vec<usize>> = (rows.iter())
            .map(|&row| (0..drives).filter(|&drive| has(row, drive)).collect())
            .collect();
        let matched = matching(&pattern, drives);
        let mut wide_drive = vec![true; drives];
        matched.iter().flatten().for_each(|&drive| wide_drive[drive] = false);
        // A drive that moves nothing has no part in anything.
        let useful = |drive: usize| pattern.iter().any(|row| row.contains(&drive));
        let mut queue: Vec<usize> =
            (0..drives).filter(|&drive| wide_drive[drive] && useful(drive)).collect();
        (0..drives).for_each(|drive| wide_drive[drive] &= useful(drive));
        let mut wide_row = vec![false; rows.len()];
        while let Some(drive) = queue.pop() {
            for at in (0..rows.len()).filter(|&at| pattern[at].contains(&drive)) {
                if !std::mem::replace(&mut wide_row[at], true)
                    && let Some(next) = matched[at]
                {
                    wide_drive[next] = true;
                    queue.push(next);
                }
            }
        }
        // The square part has no entries in drives that share work.
        let square_rows: Vec<usize> = (0..rows.len()).filter(|&at| !wide_row[at]).collect();
        let square_drives: Vec<usize> = square_rows.iter().filter_map(|&at| matched[at]).collect();
        let inner: Vec<Vec<usize>> = square_rows
            .iter()
            .map(|&at| {
                let place = |drive: &usize| square_drives.iter().position(|one| one == drive);
                pattern[at].iter().filter_map(place).collect()
            })
            .collect();
        let found = blocks(&inner, square_drives.len()).unwrap_or_default();
        let square = found.into_iter().map(|block| {
            let own = block.rows.iter().map(|&at| rows[square_rows[at]]).collect();
            (own, block.columns.iter().map(|&at| square_drives[at]).collect())
        });
        let wide: Vec<usize> = (0..rows.len()).filter(|&at| wide_row[at]).collect();
        Plan { square: square.collect(), wide: parts(&wide, rows, &pattern, &wide_drive) }
    }
}

/// Rows that share drives, together; with these drives.
fn parts(
    wide: &[usize],
    rows: &[usize],
    pattern: &[Vec<usize>],
    wide_drive: &[bool],
) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut left: Vec<usize> = wide.to_vec();
    let mut found = Vec::new();
    while !left.is_empty() {
        let mut own = vec![left.remove(0)];
        let mut drives: Vec<usize> = Vec::new();
        let mut next = 0;
        while next < own.len() {
            for &drive in pattern[own[next]].iter().filter(|&&drive| wide_drive[drive]) {
                if !drives.contains(&drive) {
                    drives.push(drive);
                    own.extend(left.extract_if(.., |at| pattern[*at].contains(&drive)));
                }
            }
            next += 1;
        }
        drives.sort_unstable();
        found.push((own.iter().map(|&at| rows[at]).collect(), drives));
    }
    found
}

/// As many rows as drives: a factor, with the order of the largest pivots.
fn solve_square(
    tree: &mut Tree,
    map: &Map,
    (rows, drives): &(Vec<usize>, Vec<usize>),
    numbers: &[Vec<f64>],
    psi: &[Expr],
    q: &mut [Expr],
) {
    let own: Vec<Vec<f64>> =
        rows.iter().map(|&row| drives.iter().map(|&drive| numbers[row][drive]).collect()).collect();
    let order = pivots(own);
    let rows: Vec<usize> = order.iter().map(|pivot| rows[pivot.0]).collect();
    let drives: Vec<usize> = order.iter().map(|pivot| drives[pivot.1]).collect();
    let graph = &mut tree.mechanism.graph;
    let matrix: Vec<Vec<Expr>> = rows
        .iter()
        .map(|&row| drives.iter().map(|&drive| map.entries[row][drive]).collect())
        .collect();
    let right: Vec<Expr> = rows
        .iter()
        .map(|&row| rest(map, row, psi, q, &|drive| !drives.contains(&drive), graph))
        .collect();
    let found = Lu::of(matrix, "Gd", graph).solve(&right, "Qa", graph);
    drives.iter().zip(found).for_each(|(&drive, value)| q[drive] = value);
}

/// More drives than rows: the least sum of weighted squares.
fn solve_wide(
    tree: &mut Tree,
    map: &Map,
    (rows, drives): &(Vec<usize>, Vec<usize>),
    psi: &[Expr],
    q: &mut [Expr],
) -> Result<(), Problem> {
    let graph = &mut tree.mechanism.graph;
    let lighter: Vec<Vec<Expr>> = rows
        .iter()
        .map(|&row| {
            let each = drives.iter();
            each.map(|&drive| graph.div(map.entries[row][drive], map.weights[drive])).collect()
        })
        .collect();
    let mut entries = Vec::new();
    for one in 0..rows.len() {
        for (two, &other) in rows[..=one].iter().enumerate() {
            let own = drives.iter().zip(&lighter[one]);
            let terms: Vec<Expr> =
                own.map(|(&drive, &value)| graph.mul(value, map.entries[other][drive])).collect();
            entries.push((one, two, graph.sum(&terms)));
        }
    }
    let right: Vec<Expr> = rows
        .iter()
        .map(|&row| rest(map, row, psi, q, &|drive| !drives.contains(&drive), graph))
        .collect();
    let factor = LdlFactor::of(&entries, rows.len(), "GG", graph).map_err(|_| {
        Problem::new(
            "`closed_inverse`: the efforts of redundant drives are linearly dependent",
            "actuate other joints",
        )
    })?;
    let x = factor.solve(&right, "Qx", graph);
    for (at, &drive) in drives.iter().enumerate() {
        let terms: Vec<Expr> =
            lighter.iter().zip(&x).map(|(row, &x)| graph.mul(row[at], x)).collect();
        q[drive] = graph.sum(&terms);
    }
    Ok(())
}

/// Rows that drives can serve, all together, and free ones that they cannot. A drive at an
/// independent joint serves that one; the others serve where they do most.
fn ranked(tree: &Tree, map: &Map, numbers: &[Vec<f64>]) -> (Vec<usize>, Vec<usize>) {
    let free: Vec<usize> =
        (0..map.rows.len()).filter(|&row| is_free(tree, map.rows[row])).collect();
    let served = |row: &usize| map.drives.contains(&map.rows[*row]);
    let (mut rows, open): (Vec<usize>, Vec<usize>) = free.into_iter().partition(served);
    let others: Vec<Vec<f64>> = open.iter().map(|&row| numbers[row].clone()).collect();
    let found = pivots(others);
    rows.extend(found.iter().map(|pivot| open[pivot.0]));
    rows.sort_unstable();
    let missing = open.into_iter().filter(|row| !rows.contains(row)).collect();
    (rows, missing)
}

/// The numbers of the map where it has the largest rank among the closed initial position and
/// others near it.
fn numbers(tree: &Tree, open: &Tree, map: &Map) -> Result<Vec<Vec<f64>>, Problem> {
    let flat: Vec<Expr> = map.entries.concat();
    let constant = flat.iter().all(|entry| *entry == Expr::ZERO || *entry == Expr::ONE);
    if constant || map.drives.is_empty() {
        let number = |entry: &Expr| if *entry == Expr::ONE { 1.0 } else { 0.0 };
        return Ok(map.entries.iter().map(|row| row.iter().map(number).collect()).collect());
    }
    let here = assemble(open, &[])?;
    let mut best = evaluated(tree, map, &flat, &here.q)?;
    let mut most = ranked(tree, map, &best).0.len();
    let wanted = map.rows.iter().filter(|&&at| is_free(tree, at)).count().min(map.drives.len());
    let mut random = Random(5);
    for _ in 0..PROBES {
        if most >= wanted {
            break;
        }
        let step: Vec<f64> = (0..tree.qdd.len())
            .map(|at| if is_free(tree, at) { 0.1 * random.number() } else { 0.0 })
            .collect();
        let near = moved(open, &here.q, &step);
        let Ok(near) = assemble_from(open, &near, &here.qd, &[]) else { continue };
        let found = evaluated(tree, map, &flat, &near.q)?;
        let rank = ranked(tree, map, &found).0.len();
        if rank > most {
            (best, most) = (found, rank);
        }
    }
    Ok(best)
}

/// The numbers of the map at closed coordinates.
fn evaluated(tree: &Tree, map: &Map, flat: &[Expr], q: &[f64]) -> Result<Vec<Vec<f64>>, Problem> {
    let mechanism = &tree.mechanism;
    let graph = &mechanism.graph;
    let mut known: HashMap<&str, f64> =
        mechanism.parameters.iter().map(|one| (one.name.as_str(), one.value)).collect();
    for ((coordinate, &symbol), &value) in mechanism.coordinates.iter().zip(&tree.q).zip(q) {
        // A dependent coordinate is a symbol of its own.
        for symbol in [coordinate.symbol, symbol] {
            if let Some(id) = graph.symbol_of(symbol) {
                known.insert(graph.symbol_name(id), value);
            }
        }
    }
    let number = |name: &str| Some(known.get(name).copied().unwrap_or(0.0));
    let values = graph.evaluate_f64(flat, number).map_err(|_| {
        Problem::new("`closed_inverse`: a constraint calls an external function", "")
    })?;
    let columns = map.drives.len().max(1);
    Ok(values.chunks(columns).map(<[f64]>::to_vec).collect())
}

/// Elimination with the largest pivot of all that is left: row and column of each.
fn pivots(mut rest: Vec<Vec<f64>>) -> Vec<(usize, usize)> {
    let columns = rest.first().map_or(0, Vec::len);
    let mut free: (Vec<bool>, Vec<bool>) = (vec![true; rest.len()], vec![true; columns]);
    let (mut found, mut largest) = (Vec::new(), 0.0_f64);
    loop {
        let mut best = (0, 0, 0.0_f64);
        for row in (0..rest.len()).filter(|&row| free.0[row]) {
            for column in (0..columns).filter(|&column| free.1[column]) {
                // The first of equals, so that the choice is the same everywhere.
                if rest[row][column].abs() > best.2 * (1.0 + 1e-9) {
                    best = (row, column, rest[row][column].abs());
                }
            }
        }
        let (row, column, size) = best;
        largest = largest.max(size);
        if size <= ZERO * largest {
            return found;
        }
        (free.0[row], free.1[column]) = (false, false);
        let line = rest[row].clone();
        for other in (0..rest.len()).filter(|&other| free.0[other]) {
            let factor = rest[other][column] / line[column];
            rest[other].iter_mut().zip(&line).for_each(|(x, y)| *x -= factor * y);
        }
        found.push((row, column));
    }
}
