//! A tree whose loops are closed: dependent coordinates, speeds and accelerations follow from the independent ones
//! (Postiau, sections 2.4 and 2.5).
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
//! Rows that relate speeds only take part from the velocities on. Coordinates follow from the other rows; then speeds are
//! chosen for the rows of speeds among those that are left, and at velocity level all rows are solved together, in
//! blocks of their own. The coordinates that belong to the speeds chosen last stay part of the state.
//!
//! `Phi` with accelerations `b'` is one inverse dynamics, which saves the product of `M` and `b'`. Inputs `q` of dependent
//! coordinates are where iterations begin; inputs `qd` of dependent speeds are not used.

use super::alike::alike;
use super::lu::Lu;
use super::partition::{Partition, Shape, Singularity, chosen, partition, redundant};
use super::redundancy::{Analysis, analyse};
use super::tolerance::tolerances;
use super::{Constraints, Row, constraints};
use crate::direct::ldl::Factor;
use crate::dynamics::{masses, parts};
use crate::formalism::Formalism;
use crate::normalise::put_known;
use crate::parts::Parts;
use crate::problem::Problem;
use crate::tree::{Motion, Tree};
use rotule_model::draft::Partition as Wish;
use rotule_model::mechanism::Nature;
use rotule_program::lower::Solve;
use rotule_symbolic::{Expr, Kind};

/// After how many steps an iteration gives up.
const LIMIT: u32 = 25;

/// What is left of numbers that cancel.
const ROUNDING: f64 = 1e-12;

/// What is known of a closed tree.
pub struct Closed {
    /// Which speeds depend on which.
    pub partition: Partition,
    /// Which coordinates depend on which, by their speeds: of the rows that have a residual.
    pub coordinates: Partition,
    /// Names of rows that repeat others and were set aside.
    pub redundant: Vec<String>,
    /// Names of rows that say nothing.
    pub dropped: Vec<String>,
    /// The rows that are solved, in the order of the blocks.
    pub rows: Vec<Row>,
    /// `B`: one row for each dependent speed, in the order of the blocks; one column for each independent speed.
    pub(super) coupling: Vec<Vec<Expr>>,
    /// `b'`.
    pub(super) rate: Vec<Expr>,
    factors: Vec<Lu>,
}

/// Closes a tree: from here on its dependent coordinates are unknowns of iterations, its dependent speeds follow from
/// the independent ones, and its dependent accelerations are those while independent ones are zero.
pub fn close(tree: &mut Tree, function: &str) -> Result<Closed, Problem> {
    // What is only looked at is written elsewhere.
    let mut draft = tree.clone();
    let open = constraints(&mut draft)?;
    let choice = match &tree.choice {
        Some(given) => given.clone(),
        None => choice(tree, function)?,
    };
    positions(tree, &choice.coordinates, &tolerances(&draft, &open.rows))?;
    let (coupling, factors) = velocities(tree, &choice.speeds)?;
    let (rows, rate) = accelerations(tree, &choice.speeds, &factors)?;
    Ok(Closed {
        partition: choice.speeds,
        coordinates: choice.coordinates,
        redundant: choice.spare.iter().map(|&row| open.rows[row].name.clone()).collect(),
        dropped: open.dropped,
        rows,
        coupling,
        rate,
        factors,
    })
}

/// What is chosen. Rows have their numbers among all that [`constraints`] writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Which coordinates depend on which, by their speeds.
    pub coordinates: Partition,
    /// Which speeds depend on which.
    pub speeds: Partition,
    /// Rows that repeat others.
    pub spare: Vec<usize>,
}

/// Chooses at the initial state.
pub fn choice(tree: &Tree, function: &str) -> Result<Choice, Problem> {
    let mut draft = tree.clone();
    let open = constraints(&mut draft)?;
    match open.rows.iter().all(|row| row.residual.is_some()) {
        true => analysed(tree, function),
        false => choose(&draft, &open, &shape(&draft, &open, function)?, function),
    }
}

/// Where all rows relate coordinates, their analysis in the closed position has the choice.
fn analysed(tree: &Tree, function: &str) -> Result<Choice, Problem> {
    let Analysis { repeats, kept, partition, .. } = looked_at(tree, function)?;
    let none = |_| Problem::new(format!("`{function}`: no partition"), "");
    let mut speeds = partition.map_err(none)?;
    renumber(&mut speeds, &kept);
    let spare = repeats.iter().map(|one| one.row).collect();
    Ok(Choice { coordinates: speeds.clone(), speeds, spare })
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

/// Chooses dependent coordinates for the rows of coordinates, then dependent speeds for those of speeds.
fn choose(
    tree: &Tree,
    open: &Constraints,
    shape: &Shape,
    function: &str,
) -> Result<Choice, Problem> {
    let (places, velocities): (Vec<usize>, Vec<usize>) =
        (0..open.rows.len()).partition(|&row| open.rows[row].residual.is_some());
    let mut barred = shape.barred.clone();
    for node in &tree.nodes {
        // Coordinates of a quaternion cannot be dependent one by one.
        if matches!(node.motion, Motion::Spherical | Motion::Free) {
            barred[node.speed..node.speed + node.motion.speeds()].fill(true);
        }
    }
    let first = Shape { barred, ..some(shape, &places) };
    let spare = redundant(&first);
    let mut spare: Vec<usize> = spare.into_iter().map(|row| places[row]).collect();
    let kept: Vec<usize> = places.into_iter().filter(|row| !spare.contains(row)).collect();
    let first = Shape { rows: some(shape, &kept).rows, ..first };
    let mut coordinates =
        partition(&first).map_err(|fault| refused(open, &kept, &fault, function))?;
    renumber(&mut coordinates, &kept);
    if velocities.is_empty() {
        return Ok(Choice { speeds: coordinates.clone(), coordinates, spare });
    }
    // The rows of speeds with the dependent speeds of the others eliminated.
    let mut second = eliminated(shape, &coordinates, &velocities);
    let repeated = redundant(&second);
    spare.extend(repeated.iter().map(|&row| velocities[row]));
    let at: Vec<usize> = (0..velocities.len()).filter(|row| !repeated.contains(row)).collect();
    second.rows = at.iter().map(|&row| second.rows[row].clone()).collect();
    let moving: Vec<usize> = at.iter().map(|&row| velocities[row]).collect();
    let more = partition(&second).map_err(|fault| refused(open, &moving, &fault, function))?;
    let dependent: Vec<usize> = coordinates.dependent().chain(more.dependent()).collect();
    let all: Vec<usize> = kept.into_iter().chain(moving).collect();
    let mut speeds = chosen(&some(shape, &all), &dependent)
        .map_err(|fault| refused(open, &all, &fault, function))?;
    renumber(&mut speeds, &all);
    Ok(Choice { coordinates, speeds, spare })
}

/// The same with some of the rows.
fn some(shape: &Shape, rows: &[usize]) -> Shape {
    let rows = rows.iter().map(|&row| shape.rows[row].clone()).collect();
    Shape {
        rows,
        columns: shape.columns,
        barred: shape.barred.clone(),
        wishes: shape.wishes.clone(),
    }
}

/// Rows by the numbers that they have among all.
fn renumber(partition: &mut Partition, rows: &[usize]) {
    for block in &mut partition.blocks {
        block.rows.iter_mut().for_each(|row| *row = rows[*row]);
    }
}

/// Rows whose entries at dependent columns are eliminated by the rows that these are matched to. The pattern is that of the
/// numbers: a column that is zero at the initial state is no choice there.
fn eliminated(shape: &Shape, known: &Partition, rows: &[usize]) -> Shape {
    let dense = |row: usize| {
        let mut line = vec![0.0; shape.columns];
        shape.rows[row].iter().for_each(|&(column, value)| line[column] = value);
        line
    };
    // Each pivot row, cleared of the pivots before it.
    let mut pivots: Vec<(usize, Vec<f64>)> = Vec::new();
    let clear = |line: &mut Vec<f64>, pivots: &[(usize, Vec<f64>)]| {
        for (column, pivot) in pivots {
            let factor = line[*column] / pivot[*column];
            if factor != 0.0 {
                line.iter_mut().zip(pivot).for_each(|(x, y)| *x -= factor * y);
                line[*column] = 0.0;
            }
        }
    };
    for block in &known.blocks {
        for (&row, &column) in block.rows.iter().zip(&block.columns) {
            let mut line = dense(row);
            clear(&mut line, &pivots);
            pivots.push((column, line));
        }
    }
    let mut found = Vec::new();
    for &row in rows {
        let mut line = dense(row);
        clear(&mut line, &pivots);
        let size = line.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let entries = line.into_iter().enumerate().filter(|(_, x)| x.abs() > ROUNDING * size);
        found.push(entries.collect());
    }
    let mut barred = shape.barred.clone();
    let mut wishes = shape.wishes.clone();
    for column in known.dependent() {
        barred[column] = true;
        wishes[column] = None;
    }
    Shape { rows: found, columns: shape.columns, barred, wishes }
}

/// Pattern and numbers of the Jacobian at the initial state.
fn shape(tree: &Tree, open: &Constraints, function: &str) -> Result<Shape, Problem> {
    let mechanism = &tree.mechanism;
    let entries: Vec<Expr> =
        open.rows.iter().flat_map(|row| row.entries.iter().map(|&(_, value)| value)).collect();
    let symbols: Vec<Expr> = mechanism.coordinates.iter().map(|one| one.symbol).collect();
    let initial: Vec<Expr> = mechanism.coordinates.iter().map(|one| one.initial).collect();
    let initial = mechanism.evaluate(&initial);
    let known: std::collections::HashMap<&str, f64> = (symbols.iter().zip(&initial))
        .filter_map(|(&symbol, &value)| {
            let id = mechanism.graph.symbol_of(symbol)?;
            Some((mechanism.graph.symbol_name(id), value))
        })
        .chain(mechanism.parameters.iter().map(|one| (one.name.as_str(), one.value)))
        .collect();
    let number = |name: &str| Some(known.get(name).copied().unwrap_or(0.0));
    let values = mechanism.graph.evaluate_f64(&entries, number).map_err(|_| {
        Problem::new(format!("`{function}`: a constraint calls an external function"), "")
    })?;
    let mut values = values.into_iter();
    let rows = open.rows.iter().map(|row| {
        row.entries.iter().map(|&(column, _)| (column, values.next().unwrap_or(0.0))).collect()
    });
    let mut rows: Vec<Vec<(usize, f64)>> = rows.collect();
    alike(tree, &mut rows);
    let mut barred = vec![false; tree.speeds()];
    let mut wishes = vec![None; tree.speeds()];
    for joint in &mechanism.joints {
        if joint.nature != Nature::Free {
            barred[joint.speeds.clone()].fill(true);
        }
        let wish = joint.partition.map(|wish| wish == Wish::Dependent);
        wishes[joint.speeds.clone()].fill(wish);
    }
    Ok(Shape { rows, columns: tree.speeds(), barred, wishes })
}

/// What is wrong with constraints that cannot be solved.
fn refused(open: &Constraints, kept: &[usize], fault: &Singularity, function: &str) -> Problem {
    let name = |row: &usize| format!("`{}`", open.rows[kept[*row]].name);
    match fault {
        Singularity::Structural(row) => Problem::new(
            format!("`{function}`: nothing is left to fulfil constraint {}", name(row)),
            "free, release or add a joint: driven, locked and quaternion joints do not follow",
        ),
        Singularity::Numerical(rows) => Problem::new(
            format!(
                "`{function}`: constraints {} cannot be solved at the initial state",
                rows.iter().map(name).collect::<Vec<_>>().join(", ")
            ),
            "the mechanism is singular there: give another initial state",
        ),
    }
}

/// Dependent coordinates become unknowns, block by block.
fn positions(tree: &mut Tree, partition: &Partition, each: &[f64]) -> Result<(), Problem> {
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
    put_known(tree);
    let closed = constraints(tree)?;
    for (number, block) in partition.blocks.iter().enumerate() {
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
        let tolerance = block.rows.iter().fold(0.0_f64, |most, &row| most.max(each[row]));
        tree.solves.push(Solve {
            name: format!("closure {}", number + 1),
            unknowns,
            start,
            next,
            residuals,
            tolerance,
            limit: LIMIT,
        });
    }
    Ok(())
}

/// The entries of a row in some columns.
fn picked(row: &Row, columns: &[usize]) -> Vec<Expr> {
    let entry = |column: usize| row.entries.iter().find(|(known, _)| *known == column);
    columns.iter().map(|&column| entry(column).map_or(Expr::ZERO, |&(_, value)| value)).collect()
}

/// Block forward substitution: `J_v x = b` with one right-hand side, given and found in the order of the blocks.
fn substituted(
    tree: &mut Tree,
    partition: &Partition,
    rows: &[Row],
    factors: &[Lu],
    right: &[Expr],
    name: &str,
) -> Vec<Expr> {
    let graph = &mut tree.mechanism.graph;
    let dependent: Vec<usize> = partition.dependent().collect();
    let mut x: Vec<Expr> = Vec::new();
    for ((number, block), factor) in partition.blocks.iter().enumerate().zip(factors) {
        let start = x.len();
        let mut b = Vec::with_capacity(block.rows.len());
        for (at, &row) in block.rows.iter().enumerate() {
            let mut terms = vec![right[start + at]];
            for (value, &known) in picked(&rows[row], &dependent[..start]).iter().zip(&x) {
                terms.push(-graph.mul(*value, known));
            }
            b.push(graph.sum(&terms));
        }
        x.extend(factor.solve(&b, &format!("{name}{}", number + 1), graph));
    }
    x
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
    let order: Vec<usize> = partition.blocks.iter().flat_map(|block| block.rows.clone()).collect();
    let mut coupling = vec![Vec::new(); order.len()];
    for &speed in &partition.independent {
        let right: Vec<Expr> = order.iter().map(|&row| -picked(&rows[row], &[speed])[0]).collect();
        let name = format!("B[{}]", tree.mechanism.speeds[speed].name);
        let column = substituted(tree, partition, &rows, &factors, &right, &name);
        coupling.iter_mut().zip(column).for_each(|(row, value)| row.push(value));
    }
    let explicit: Vec<Expr> = order.iter().map(|&row| -rows[row].explicit).collect();
    let offset = substituted(tree, partition, &rows, &factors, &explicit, "e");
    for ((speed, row), offset) in partition.dependent().zip(&coupling).zip(offset) {
        let graph = &mut tree.mechanism.graph;
        let mut terms = vec![offset];
        for (&value, &at) in row.iter().zip(&partition.independent) {
            terms.push(graph.mul(value, tree.qd[at]));
        }
        let sum = graph.sum(&terms);
        let name = format!("{}.closed", tree.mechanism.speeds[speed].name);
        tree.qd[speed] = tree.mechanism.graph.name(&name, sum);
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
    let order: Vec<usize> = partition.blocks.iter().flat_map(|block| block.rows.clone()).collect();
    let mut right = Vec::new();
    for &row in &order {
        let mut terms = vec![-rows[row].rate];
        for &speed in &partition.independent {
            // Driven accelerations are known; those of free joints are symbols, and count as zero here.
            if !is_free(tree, speed) {
                let value = picked(&rows[row], &[speed])[0];
                let product = tree.mechanism.graph.mul(value, tree.qdd[speed]);
                terms.push(-product);
            }
        }
        right.push(tree.mechanism.graph.sum(&terms));
    }
    let rate = substituted(tree, partition, &rows, factors, &right, "b");
    let ordered = order.iter().map(|&row| rows[row].clone()).collect();
    Ok((ordered, rate))
}

/// Whether the acceleration of a speed is not known beforehand.
pub(super) fn is_free(tree: &Tree, speed: usize) -> bool {
    let symbol = tree.mechanism.speeds[speed].acceleration;
    tree.qdd[speed] == symbol
}

/// Accelerations of all speeds, and the multipliers of the rows.
#[allow(clippy::needless_range_loop, reason = "indices are those of the equations")]
pub fn direct(
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
    // Mass seen by the free independent speeds: T = M S with S the rows of B, and of the unit matrix.
    let size = tree.speeds();
    let mut mass = vec![vec![Expr::ZERO; size]; size];
    for (row, column, value) in masses(tree, formalism) {
        mass[row][column] = value;
        mass[column][row] = value;
    }
    let graph = &mut tree.mechanism.graph;
    let mut spread = vec![vec![Expr::ZERO; free.len()]; size];
    for (number, &speed) in free.iter().enumerate() {
        spread[speed][number] = Expr::ONE;
        let column = closed.partition.independent.iter().position(|&one| one == speed);
        for (&at, row) in dependent.iter().zip(&closed.coupling) {
            spread[at][number] = column.map_or(Expr::ZERO, |column| row[column]);
        }
    }
    let moved: Vec<usize> = free.iter().chain(&dependent).copied().collect();
    let mut moving = vec![vec![Expr::ZERO; free.len()]; size];
    for &row in &moved {
        for number in 0..free.len() {
            let terms: Vec<Expr> =
                moved.iter().map(|&at| graph.mul(mass[row][at], spread[at][number])).collect();
            let sum = graph.sum(&terms);
            moving[row][number] = graph.name(&format!("T[{},{}]", row + 1, number + 1), sum);
        }
    }
    let mut entries = Vec::new();
    let mut right = Vec::new();
    let columns: Vec<usize> = (0..free.len()).collect();
    for &one in &columns {
        for &two in &columns[..=one] {
            let terms: Vec<Expr> =
                moved.iter().map(|&at| graph.mul(spread[at][one], moving[at][two])).collect();
            let sum = graph.sum(&terms);
            if sum != Expr::ZERO {
                entries.push((one, two, sum));
            }
        }
        let terms: Vec<Expr> =
            moved.iter().map(|&at| graph.mul(spread[at][one], phi[at])).collect();
        right.push(-graph.sum(&terms));
    }
    let factor = Factor::of(&entries, free.len(), "R", graph).map_err(|singular| {
        let name = &tree.mechanism.speeds[free[singular.0]].name;
        Problem::new(format!("`{function}`: nothing resists `{name}`"), "give what it moves a mass")
    })?;
    let graph = &mut tree.mechanism.graph;
    let solved = factor.solve(&right, "a", graph);
    for (&speed, &value) in free.iter().zip(&solved) {
        qdd[speed] = value;
    }
    for &speed in &dependent {
        let mut terms = vec![qdd[speed]];
        for (number, &value) in solved.iter().enumerate() {
            terms.push(graph.mul(spread[speed][number], value));
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
    moving: &[Vec<Expr>],
    solved: &[Expr],
) -> Vec<Expr> {
    let graph = &mut tree.mechanism.graph;
    let dependent: Vec<usize> = closed.partition.dependent().collect();
    let mut lambda = vec![Expr::ZERO; dependent.len()];
    let mut end = dependent.len();
    for (number, block) in closed.partition.blocks.iter().enumerate().rev() {
        let start = end - block.columns.len();
        let mut right = Vec::new();
        for &speed in &block.columns {
            let mut terms = vec![phi[speed]];
            for (at, &value) in solved.iter().enumerate() {
                terms.push(graph.mul(moving[speed][at], value));
            }
            for (row, &known) in closed.rows[end..].iter().zip(&lambda[end..]) {
                terms.push(-graph.mul(picked(row, &[speed])[0], known));
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
