//! A tree whose loops are closed: dependent coordinates, speeds and accelerations follow from the
//! independent ones (Postiau, sections 2.4 and 2.5).
//!
//! ```text
//! position      J_K d = -h_K, q_K += d        Newton, block by block; earlier blocks are known
//! velocity      J_v B = -J_u                  qd_v = B qd_u + e',   J_v e' = -e
//! acceleration  qdd_v = B qdd_u + b'          J_v b' = -b
//! dynamics      R = M_uu + M_uv B + B' (M_vu + M_vv B)
//!               F = (Phi_u + B' Phi_v)        Phi: efforts at qdd_u = 0, qdd_v = b', less those applied
//!               R qdd_u + F = 0               J_v' lambda = Phi_v at all accelerations
//! ```
//!
//! Rows that relate speeds only take part from the velocities on. Coordinates follow from the other
//! rows; then speeds are chosen for the rows of speeds among those that are left, and at velocity
//! level all rows are solved together, in blocks of their own. The coordinates that belong to the
//! speeds chosen last stay part of the state.
//!
//! `Phi` with accelerations `b'` is one inverse dynamics, which saves the product of `M` and `b'`.
//! Inputs `q` of dependent coordinates are where iterations begin; inputs `qd` of dependent speeds
//! are not used.

use super::choice::renumber;
use super::fold::{Folded, Passed, Sparse, folded, passed};
use super::lu::Lu;
use super::partition::Partition;
use super::position::{picked, positions};
use super::redundancy::{Analysis, analyse};
use super::singular_mass::check_analysed;
use super::tolerance::tolerances;
use super::{Row, constraints};
use crate::dynamics::{masses, parts};
use crate::formalism::Formalism;
use crate::forward::ldl::LdlFactor;
use crate::normalise::put_known;
use crate::parts::Parts;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_symbolic::Expr;
use std::collections::{BTreeMap, BTreeSet};

/// Results of closing the loops of a tree.
pub struct Closed {
    /// The partition of the speeds.
    pub partition: Partition,
    /// The partition of the coordinates, by their speeds: of the rows that have a residual.
    pub coordinates: Partition,
    /// Names of rows that repeat others and were set aside.
    pub redundant: Vec<String>,
    /// Names of rows that say nothing.
    pub dropped: Vec<String>,
    /// The rows that are solved, in the order of the blocks.
    pub rows: Vec<Row>,
    /// `B`: one row for each dependent speed, in the order of the blocks; one column for each
    /// independent speed.
    pub(super) coupling: Vec<Vec<Expr>>,
    /// `b'`.
    pub(super) rate: Vec<Expr>,
    factors: Vec<Lu>,
}

/// Closes a tree: from here on its dependent coordinates are unknowns of iterations, its dependent
/// speeds follow from the independent ones, and its dependent accelerations are those while
/// independent ones are zero.
pub fn close(tree: &mut Tree, function: &str) -> Result<Closed, Problem> {
    let choice = match &tree.choice {
        Some(given) => given.clone(),
        None => choice(tree, function)?,
    };
    written(tree, choice)
}

/// A chosen partition. Rows have their numbers among all that [`constraints`] writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartitionChoice {
    /// The partition of the coordinates, by their speeds.
    pub coordinates: Partition,
    /// The partition of the speeds.
    pub speeds: Partition,
    /// Rows that repeat others.
    pub spare: Vec<usize>,
}

/// Functions of closed trees that solve nothing with the reduced mass matrix.
const KINEMATIC: [&str; 4] = ["closure", "reduction", "closed_inverse", "actuation"];

/// Chooses at the initial state, closed; for functions that need accelerations, the reduced mass
/// matrix must be regular.
pub fn choice(tree: &Tree, function: &str) -> Result<PartitionChoice, Problem> {
    let analysis = looked_at(tree, function)?;
    if !KINEMATIC.contains(&function) {
        check_analysed(tree, &analysis, function)?;
    }
    let (Ok(mut speeds), Some(mut coordinates)) = (analysis.partition, analysis.coordinates) else {
        return Err(Problem::new(format!("`{function}`: no coordinate partition exists"), ""));
    };
    renumber(&mut coordinates, &analysis.kept);
    renumber(&mut speeds, &analysis.kept);
    Ok(PartitionChoice {
        coordinates,
        speeds,
        spare: analysis.repeats.iter().map(|one| one.row).collect(),
    })
}

/// Rank and partition in the closed initial position, if they are sound.
fn looked_at(tree: &Tree, function: &str) -> Result<Analysis, Problem> {
    let said = |problem: Problem| Problem {
        message: format!("`{function}`: {}", problem.message),
        ..problem
    };
    let analysis = analyse(tree).map_err(said)?;
    match analysis.fault() {
        Some(fault) => Err(said(fault)),
        None => Ok(analysis),
    }
}

/// Writes what a choice makes of a tree.
pub(super) fn written(tree: &mut Tree, choice: PartitionChoice) -> Result<Closed, Problem> {
    // What is only looked at is written elsewhere.
    let open = constraints(&mut tree.clone())?;
    let tolerances = tolerances(tree, &open.rows);
    positions(tree, &choice.coordinates, &tolerances)?;
    let (coupling, factors) = velocities(tree, &choice.speeds)?;
    let speeds = choice.speeds.dependent().map(|at| tree.qd[at]);
    let found = coupling.iter().flatten().copied().chain(speeds).collect();
    tree.mark("speeds", found);
    let (rows, rate) = accelerations(tree, &choice.speeds, &factors)?;
    tree.mark("rates", rate.clone());
    let redundant = choice.spare.iter().map(|&row| open.rows[row].name.clone()).collect();
    let PartitionChoice { coordinates, speeds: partition, .. } = choice;
    let dropped = open.dropped;
    Ok(Closed { partition, coordinates, redundant, dropped, rows, coupling, rate, factors })
}

/// Where the rows and columns of a partition are in the order of its blocks.
struct Order<'a> {
    partition: &'a Partition,
    /// The rows, and where each block begins.
    rows: Vec<usize>,
    starts: Vec<usize>,
    /// The place of each column that is dependent.
    place: Vec<Option<usize>>,
    /// The blocks that wait for each.
    waiting: Vec<Vec<usize>>,
}

impl<'a> Order<'a> {
    fn of(partition: &'a Partition, columns: usize) -> Order<'a> {
        let mut rows = Vec::new();
        let mut starts = Vec::with_capacity(partition.blocks.len());
        let mut waiting = vec![Vec::new(); partition.blocks.len()];
        for (number, block) in partition.blocks.iter().enumerate() {
            starts.push(rows.len());
            rows.extend(&block.rows);
            block.needs.iter().for_each(|&needed| waiting[needed].push(number));
        }
        let mut place = vec![None; columns];
        partition.dependent().enumerate().for_each(|(at, column)| place[column] = Some(at));
        Order { partition, rows, starts, place, waiting }
    }

    /// The block of a place.
    fn block(&self, place: usize) -> usize {
        self.starts.partition_point(|&start| start <= place) - 1
    }

    /// Block forward substitution: `J_v x = b` with one right-hand side, given by what is not zero
    /// of it, and found in the same way. Blocks that nothing reaches are not looked at.
    fn substituted(
        &self,
        tree: &mut Tree,
        rows: &[Row],
        factors: &[Lu],
        right: &[(usize, Expr)],
        name: &str,
    ) -> Vec<(usize, Expr)> {
        let graph = &mut tree.mechanism.graph;
        let right: BTreeMap<usize, Expr> = right.iter().copied().collect();
        let mut open: BTreeSet<usize> = right.keys().map(|&at| self.block(at)).collect();
        let mut x: BTreeMap<usize, Expr> = BTreeMap::new();
        while let Some(number) = open.pop_first() {
            let (block, start) = (&self.partition.blocks[number], self.starts[number]);
            let mut b = Vec::with_capacity(block.rows.len());
            for (at, &row) in block.rows.iter().enumerate() {
                let mut terms = vec![right.get(&(start + at)).copied().unwrap_or(Expr::ZERO)];
                for &(column, value) in &rows[row].entries {
                    let known = self.place[column].filter(|&place| place < start);
                    if let Some(&known) = known.and_then(|place| x.get(&place)) {
                        terms.push(-graph.mul(value, known));
                    }
                }
                b.push(graph.sum(&terms));
            }
            let found = factors[number].solve(&b, &format!("{name}{}", number + 1), graph);
            let found: Vec<_> = (start..).zip(found).filter(|one| one.1 != Expr::ZERO).collect();
            if !found.is_empty() {
                open.extend(&self.waiting[number]);
            }
            x.extend(found);
        }
        x.into_iter().collect()
    }
}

/// Dependent speeds follow; gives `B` and the factors of the diagonal blocks.
fn velocities(
    tree: &mut Tree,
    partition: &Partition,
) -> Result<(Vec<Vec<Expr>>, Vec<Lu>), Problem> {
    let rows = constraints(tree)?.rows;
    let mut factors = Vec::new();
    for (number, block) in partition.blocks.iter().enumerate() {
        let matrix = block.rows.iter().map(|&row| picked(&rows[row], &block.columns)).collect();
        factors.push(Lu::of(matrix, &format!("J{}", number + 1), &mut tree.mechanism.graph));
    }
    let order = Order::of(partition, tree.speeds());
    // By columns, so that each is gone through for its own entries alone.
    let mut columns: Vec<Vec<(usize, Expr)>> = vec![Vec::new(); tree.speeds()];
    for (at, &row) in order.rows.iter().enumerate() {
        rows[row].entries.iter().for_each(|&(column, value)| columns[column].push((at, -value)));
    }
    let mut coupling = vec![vec![Expr::ZERO; partition.independent.len()]; order.rows.len()];
    let mut sums: Vec<Sparse> = vec![Sparse::new(); order.rows.len()];
    for (number, &speed) in partition.independent.iter().enumerate() {
        let name = format!("B[{}]", tree.mechanism.speeds[speed].name);
        for (at, value) in order.substituted(tree, &rows, &factors, &columns[speed], &name) {
            coupling[at][number] = value;
            sums[at].push((speed, value));
        }
    }
    let explicit = order.rows.iter().map(|&row| -rows[row].explicit).enumerate();
    let explicit: Vec<(usize, Expr)> = explicit.filter(|one| one.1 != Expr::ZERO).collect();
    let offsets = order.substituted(tree, &rows, &factors, &explicit, "e");
    let offsets: BTreeMap<usize, Expr> = offsets.into_iter().collect();
    for (number, block) in partition.blocks.iter().enumerate() {
        let start = order.starts[number];
        let own = start..start + block.rows.len();
        let outside = |row: usize| {
            let entries = rows[row].entries.iter().copied();
            entries.filter(|entry| !block.columns.contains(&entry.0)).collect::<Sparse>()
        };
        let rest: Vec<Sparse> = block.rows.iter().map(|&row| outside(row)).collect();
        // A solve takes as much as there is in the rows, the map as much as there is in it.
        let size = block.rows.len();
        let ones = rest.iter().flatten().filter(|entry| entry.1.abs() == Expr::ONE).count();
        let solve = 2 * (size * size + rest.iter().map(Vec::len).sum::<usize>()) - size - ones;
        let map: usize = own.clone().map(|at| 2 * sums[at].len()).sum();
        let graph = &mut tree.mechanism.graph;
        let speeds: Vec<Expr> = if solve <= map {
            let mut right = Vec::with_capacity(size);
            for (&row, rest) in block.rows.iter().zip(&rest) {
                let known = rest.iter().map(|&(at, value)| -graph.mul(value, tree.qd[at]));
                let terms: Vec<Expr> = known.chain([-rows[row].explicit]).collect();
                right.push(graph.sum(&terms));
            }
            factors[number].solve(&right, &format!("v{}", number + 1), graph)
        } else {
            own.map(|at| {
                let known = sums[at].iter().map(|&(speed, value)| graph.mul(value, tree.qd[speed]));
                let terms: Vec<Expr> = known.chain(offsets.get(&at).copied()).collect();
                graph.sum(&terms)
            })
            .collect()
        };
        for (&speed, value) in block.columns.iter().zip(speeds) {
            let name = format!("{}.closed", tree.mechanism.speeds[speed].name);
            tree.qd[speed] = tree.mechanism.graph.name(&name, value);
        }
    }
    put_known(tree);
    Ok((coupling, factors))
}

/// Dependent accelerations while free independent ones are zero; gives the rows and `b'`.
fn accelerations(
    tree: &mut Tree,
    partition: &Partition,
    factors: &[Lu],
) -> Result<(Vec<Row>, Vec<Expr>), Problem> {
    let rows = constraints(tree)?.rows;
    let order = Order::of(partition, tree.speeds());
    let mut right = Vec::new();
    for (at, &row) in order.rows.iter().enumerate() {
        let mut terms = vec![-rows[row].rate];
        for &(speed, value) in &rows[row].entries {
            // Driven accelerations are known; those of free joints are symbols, and count as zero
            // here.
            if order.place[speed].is_none() && !is_free(tree, speed) {
                let product = tree.mechanism.graph.mul(value, tree.qdd[speed]);
                terms.push(-product);
            }
        }
        let sum = tree.mechanism.graph.sum(&terms);
        if sum != Expr::ZERO {
            right.push((at, sum));
        }
    }
    let mut rate = vec![Expr::ZERO; order.rows.len()];
    for (at, value) in order.substituted(tree, &rows, factors, &right, "b") {
        rate[at] = value;
    }
    let ordered = order.rows.iter().map(|&row| rows[row].clone()).collect();
    Ok((ordered, rate))
}

/// Returns `true` if the acceleration of a speed is not known beforehand.
pub(super) fn is_free(tree: &Tree, speed: usize) -> bool {
    let symbol = tree.mechanism.speeds[speed].acceleration;
    tree.qdd[speed] == symbol
}

/// Accelerations of all speeds, and the multipliers of the rows.
pub fn forward(
    tree: &mut Tree,
    closed: &Closed,
    formalism: Formalism,
    function: &str,
) -> Result<(Vec<Expr>, Vec<Expr>), Problem> {
    let dependent: Vec<usize> = closed.partition.dependent().collect();
    let free: Vec<usize> =
        closed.partition.independent.iter().copied().filter(|&at| is_free(tree, at)).collect();
    // Efforts while free accelerations are zero, less what is applied.
    let given = tree.qdd.clone();
    for &speed in &free {
        tree.qdd[speed] = Expr::ZERO;
    }
    for (&speed, &rate) in dependent.iter().zip(&closed.rate) {
        tree.qdd[speed] = rate;
    }
    let mut phi = parts(tree, Parts::ALL, formalism);
    let mut qdd = std::mem::replace(&mut tree.qdd, given);
    for (at, value) in phi.iter_mut().enumerate() {
        let effort = tree.mechanism.speeds[at].effort;
        *value = tree.mechanism.graph.sum(&[*value, -tree.laws[at], -effort]);
    }
    // Mass seen by the free independent speeds: T = M S with S the rows of B, and of the unit
    // matrix. All are lists of what is not zero, so that loops that have nothing to do with each
    // other cost nothing together. Blocks that are passed through have rows of their own, which are
    // folded in turn.
    let size = tree.speeds();
    let mut number = vec![None; size];
    free.iter().enumerate().for_each(|(at, &speed)| number[speed] = Some(at));
    let mut spread: Vec<Sparse> = vec![Vec::new(); size];
    free.iter().enumerate().for_each(|(at, &speed)| spread[speed] = vec![(at, Expr::ONE)]);
    for (&at, row) in dependent.iter().zip(&closed.coupling) {
        let own = closed.partition.independent.iter().zip(row).filter(|one| *one.1 != Expr::ZERO);
        spread[at] = own.filter_map(|(&speed, &value)| Some((number[speed]?, value))).collect();
    }
    let mass = masses(tree, formalism);
    // What the free speeds move is what the open tree is asked for.
    let used = mass.iter().filter(|one| !spread[one.0].is_empty() && !spread[one.1].is_empty());
    let used = used.map(|entry| entry.2);
    let moved = (0..size).filter(|&at| !spread[at].is_empty()).map(|at| phi[at]);
    let used = used.chain(moved).collect();
    let mut inner: Vec<Sparse> = (0..free.len()).map(|at| vec![(at, Expr::ONE)]).collect();
    let graph = &mut tree.mechanism.graph;
    for Passed { block, rows } in passed(closed, &number, &mass) {
        let first = inner.len();
        let columns = &closed.partition.blocks[block].columns;
        columns.iter().for_each(|&column| spread[column].clear());
        for at in 0..rows.len() {
            let mut unit = vec![Expr::ZERO; rows.len()];
            unit[at] = Expr::ONE;
            let name = format!("X{}[{}]", block + 1, at + 1);
            let found = closed.factors[block].solve(&unit, &name, graph);
            for (&column, value) in columns.iter().zip(found) {
                if value != Expr::ZERO {
                    spread[column].push((first + at, value));
                }
            }
        }
        inner.extend(rows);
    }
    tree.mark("open tree", used);
    let graph = &mut tree.mechanism.graph;
    let Folded { mut entries, mut right, moving } =
        folded(&mass, &spread, &phi, inner.len(), "T", graph);
    if inner.len() > free.len() {
        for entry in entries.iter_mut().filter(|entry| entry.0 >= free.len()) {
            entry.2 = graph.name(&format!("Kw[{},{}]", entry.0 + 1, entry.1 + 1), entry.2);
        }
        let outer = folded(&entries, &inner, &right, free.len(), "Tw", graph);
        (entries, right) = (outer.entries, outer.right);
    }
    right.iter_mut().for_each(|value| *value = -*value);
    let found = entries.iter().map(|entry| entry.2).chain(right.iter().copied()).collect();
    tree.mark("reduction", found);
    let graph = &mut tree.mechanism.graph;
    let factor = LdlFactor::of(&entries, free.len(), "R", graph).map_err(|singular| {
        let name = &tree.mechanism.speeds[free[singular.0]].name;
        Problem::new(
            format!("`{function}`: the reduced mass matrix is singular in `{name}`"),
            "give the bodies it moves mass or inertia",
        )
    })?;
    let graph = &mut tree.mechanism.graph;
    let solved = factor.solve(&right, "a", graph);
    for (&speed, &value) in free.iter().zip(&solved) {
        qdd[speed] = value;
    }
    // Accelerations of the rows of blocks that are passed through.
    let solved: Vec<Expr> = inner
        .iter()
        .map(|row| {
            let terms: Vec<Expr> =
                row.iter().map(|&(at, value)| graph.mul(value, solved[at])).collect();
            graph.sum(&terms)
        })
        .collect();
    for &speed in &dependent {
        let mut terms = vec![qdd[speed]];
        for &(number, value) in &spread[speed] {
            terms.push(graph.mul(value, solved[number]));
        }
        let sum = graph.sum(&terms);
        qdd[speed] = sum;
    }
    let multipliers = multipliers(tree, closed, &phi, &moving, &solved);
    Ok((qdd, multipliers))
}

/// `J_v' lambda = Phi_v` at all accelerations, backwards through the blocks.
fn multipliers(
    tree: &mut Tree,
    closed: &Closed,
    phi: &[Expr],
    moving: &[Vec<(usize, Expr)>],
    solved: &[Expr],
) -> Vec<Expr> {
    let mut columns: Vec<Vec<(usize, Expr)>> = vec![Vec::new(); tree.speeds()];
    for (at, row) in closed.rows.iter().enumerate() {
        row.entries.iter().for_each(|&(column, value)| columns[column].push((at, value)));
    }
    let graph = &mut tree.mechanism.graph;
    let mut lambda = vec![Expr::ZERO; closed.rows.len()];
    let mut end = lambda.len();
    for (number, block) in closed.partition.blocks.iter().enumerate().rev() {
        let start = end - block.columns.len();
        let mut right = Vec::new();
        for &speed in &block.columns {
            let mut terms = vec![phi[speed]];
            for &(at, value) in &moving[speed] {
                terms.push(graph.mul(value, solved[at]));
            }
            for &(row, value) in columns[speed].iter().filter(|entry| entry.0 >= end) {
                terms.push(-graph.mul(value, lambda[row]));
            }
            right.push(graph.sum(&terms));
        }
        let name = format!("lambda{}", number + 1);
        let found = closed.factors[number].solve_transposed(&right, &name, graph);
        lambda[start..end].copy_from_slice(&found);
        end = start;
    }
    lambda
}
