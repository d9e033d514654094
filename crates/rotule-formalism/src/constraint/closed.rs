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

#![allow(non_snake_case)] // symbols as in the formulas

use super::blocks::DiagonalBlock;
use super::congruence::{Folded, Passed, Sparse, folded, passed};
use super::lu::Lu;
use super::partition::{CoordinatePartition, Partition};
use super::position::{picked, positions};
use super::tolerance::tolerances;
use super::{Row, constraints};
use crate::dynamics::{efforts_with, masses};
use crate::formalism::Formalism;
use crate::forward::ldl::{LdlFactor, Singular};
use crate::problem::Problem;
use crate::system::MotionInput;
use crate::writer::{Entries, Writer, exprs};
use rotule_model::index::{BySpeed, SpeedId, SpeedSet, ids};
use rotule_program::Tag;
use rotule_symbolic::{Expr, Scalar, sum};
use std::collections::{BTreeMap, BTreeSet};

/// Results of closing the loops of a tree.
pub struct Closed<'g> {
    /// The motion: dependent coordinates are unknowns of iterations, dependent speeds follow from
    /// the independent ones.
    pub motion: MotionInput,
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
    pub(crate) coupling: Vec<Vec<Scalar<'g>>>,
    /// `b'`.
    pub(crate) rate: Vec<Scalar<'g>>,
    factors: Vec<Lu<'g>>,
}

/// Closes the loops of a tree with a coordinate partition.
pub fn close<'g>(
    writer: Writer<'_, 'g>,
    partition: &CoordinatePartition,
) -> Result<Closed<'g>, Problem> {
    // What is only looked at is written elsewhere.
    let open = writer.on_draft(constraints)?;
    let tolerances = tolerances(writer.mechanism, &open.rows);
    let motion = positions(writer, &partition.coordinates, &tolerances)?;
    let writer = Writer { motion: &motion, ..writer };
    let (motion, coupling, factors) = velocities(writer, &partition.speeds)?;
    let writer = Writer { motion: &motion, ..writer };
    let qd = writer.qd().into_vec();
    let speeds = partition.speeds.dependent().map(|at| qd[at]);
    writer.mark("speeds", coupling.iter().flatten().copied().chain(speeds));
    let (rows, rate) = accelerations(writer, &partition.speeds, &factors)?;
    writer.mark("rates", rate.iter().copied());
    // By blocks as well: those that do not wait for each other are independent.
    let mut start = 0;
    for (number, block) in partition.speeds.blocks.iter().enumerate() {
        let own = start..start + block.columns.len();
        start = own.end;
        let speeds = block.columns.iter().map(|&at| qd[at]);
        let found = coupling[own.clone()].iter().flatten().chain(&rate[own]).copied();
        writer.mark_part(Tag::block(format!("J{}", number + 1)), speeds.chain(found));
    }
    let redundant = partition.redundant.iter().map(|&row| open.rows[row].name.clone()).collect();
    let CoordinatePartition { coordinates, speeds: partition, .. } = partition.clone();
    let dropped = open.dropped;
    *writer.sheet.closed.borrow_mut() = Some(motion.clone());
    Ok(Closed { motion, partition, coordinates, redundant, dropped, rows, coupling, rate, factors })
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
    fn substituted<'g>(
        &self,
        rows: &[Vec<(usize, Scalar<'g>)>],
        factors: &[Lu<'g>],
        b: &[(usize, Scalar<'g>)],
        name: &str,
    ) -> Vec<(usize, Scalar<'g>)> {
        let b: BTreeMap<usize, Scalar<'g>> = b.iter().copied().collect();
        let mut open: BTreeSet<usize> = b.keys().map(|&at| self.block(at)).collect();
        let mut x: BTreeMap<usize, Scalar<'g>> = BTreeMap::new();
        while let Some(number) = open.pop_first() {
            let (block, start) = (&self.partition.blocks[number], self.starts[number]);
            let mut own = Vec::with_capacity(block.rows.len());
            for (at, &row) in block.rows.iter().enumerate() {
                let mut terms = vec![b.get(&(start + at)).copied().unwrap_or(Scalar::ZERO)];
                for &(column, value) in &rows[row] {
                    let known = self.place[column].filter(|&place| place < start);
                    if let Some(&known) = known.and_then(|place| x.get(&place)) {
                        terms.push(-(value * known));
                    }
                }
                own.push(sum(terms));
            }
            let found = factors[number].solve(&own, &format!("{name}{}", number + 1));
            let found: Vec<_> = (start..).zip(found).filter(|one| !one.1.is_zero()).collect();
            if !found.is_empty() {
                open.extend(&self.waiting[number]);
            }
            x.extend(found);
        }
        x.into_iter().collect()
    }
}

/// The motion with dependent speeds as they follow; `B`, and the factors of the diagonal blocks.
#[allow(clippy::type_complexity, reason = "three results of one step")]
fn velocities<'g>(
    writer: Writer<'_, 'g>,
    partition: &Partition,
) -> Result<(MotionInput, Vec<Vec<Scalar<'g>>>, Vec<Lu<'g>>), Problem> {
    let rows = constraints(writer)?.rows;
    let J: Vec<Sparse<'g>> = rows.iter().map(|row| writer.entries(row)).collect();
    let factor = |(number, block): (usize, &DiagonalBlock)| {
        let J_v = block.rows.iter().map(|&row| picked(&J[row], &block.columns)).collect();
        Lu::of(J_v, &format!("J{}", number + 1))
    };
    let factors: Vec<Lu<'g>> = partition.blocks.iter().enumerate().map(factor).collect();
    let order = Order::of(partition, writer.speeds());
    // By columns, so that each is gone through for its own entries alone.
    let mut columns: Vec<Sparse<'g>> = vec![Vec::new(); writer.speeds()];
    for (at, &row) in order.rows.iter().enumerate() {
        J[row].iter().for_each(|&(column, value)| columns[column].push((at, -value)));
    }
    let mut coupling = vec![vec![Scalar::ZERO; partition.independent.len()]; order.rows.len()];
    let mut sums: Vec<Sparse<'g>> = vec![Sparse::new(); order.rows.len()];
    for (number, &speed) in partition.independent.iter().enumerate() {
        let name = format!("B[{}]", writer.mechanism.speeds[speed].name);
        for (at, value) in order.substituted(&J, &factors, &columns[speed], &name) {
            coupling[at][number] = value;
            sums[at].push((speed, value));
        }
    }
    let e = |row: usize| writer.scalar(rows[row].explicit);
    let explicit = order.rows.iter().map(|&row| -e(row)).enumerate();
    let explicit: Sparse<'g> = explicit.filter(|one| !one.1.is_zero()).collect();
    let offsets = order.substituted(&J, &factors, &explicit, "e");
    let offsets: BTreeMap<usize, Scalar<'g>> = offsets.into_iter().collect();
    let mut motion = writer.motion.clone();
    for (number, block) in partition.blocks.iter().enumerate() {
        let start = order.starts[number];
        let own = start..start + block.rows.len();
        let outside = |&row: &usize| {
            let entries = J[row].iter().copied();
            entries.filter(|entry| !block.columns.contains(&entry.0)).collect::<Sparse<'g>>()
        };
        let rest: Vec<Sparse<'g>> = block.rows.iter().map(outside).collect();
        // A solve takes as much as there is in the rows, the map as much as there is in it.
        let size = block.rows.len();
        let ones = rest.iter().flatten().filter(|entry| is_one(entry.1)).count();
        let solve = 2 * (size * size + rest.iter().map(Vec::len).sum::<usize>()) - size - ones;
        let map: usize = own.clone().map(|at| 2 * sums[at].len()).sum();
        let qd = |at: usize| writer.scalar(motion.qd[SpeedId::new(at)]);
        let speeds: Vec<Scalar<'g>> = if solve <= map {
            let right = block.rows.iter().zip(&rest).map(|(&row, rest)| {
                let known = rest.iter().map(|&(at, value)| -(value * qd(at)));
                sum(known.chain([-e(row)]))
            });
            factors[number].solve(&right.collect::<Vec<_>>(), &format!("v{}", number + 1))
        } else {
            own.map(|at| {
                let known = sums[at].iter().map(|&(speed, value)| value * qd(speed));
                sum(known.chain(offsets.get(&at).copied()))
            })
            .collect()
        };
        for (&speed, value) in block.columns.iter().zip(speeds) {
            let name = format!("{}.closed", writer.mechanism.speeds[speed].name);
            motion.qd[SpeedId::new(speed)] = value.named(&name).expr();
        }
    }
    let known = motion.known(writer.mechanism);
    motion.put_into_laws(&known, |laws, known| writer.substitute(laws, known));
    Ok((motion, coupling, factors))
}

/// Dependent accelerations while free independent ones are zero: the rows and `b'`.
fn accelerations<'g>(
    writer: Writer<'_, 'g>,
    partition: &Partition,
    factors: &[Lu<'g>],
) -> Result<(Vec<Row>, Vec<Scalar<'g>>), Problem> {
    let rows = constraints(writer)?.rows;
    let J: Vec<Sparse<'g>> = rows.iter().map(|row| writer.entries(row)).collect();
    let order = Order::of(partition, writer.speeds());
    let mut right = Vec::new();
    for (at, &row) in order.rows.iter().enumerate() {
        let mut terms = vec![-writer.scalar(rows[row].rate)];
        for &(speed, value) in &J[row] {
            // Driven accelerations are known; those of free joints are symbols, and count as zero
            // here.
            if order.place[speed].is_none() && !writer.is_free(speed) {
                let known = writer.motion.qdd[SpeedId::new(speed)];
                terms.push(-(value * writer.scalar(known)));
            }
        }
        let sum = sum(terms);
        if !sum.is_zero() {
            right.push((at, sum));
        }
    }
    let mut rate = vec![Scalar::ZERO; order.rows.len()];
    for (at, value) in order.substituted(&J, factors, &right, "b") {
        rate[at] = value;
    }
    let ordered = order.rows.iter().map(|&row| rows[row].clone()).collect();
    Ok((ordered, rate))
}

/// Returns `true` if an entry is one or minus one.
pub(super) fn is_one(entry: Scalar<'_>) -> bool {
    entry.expr().abs() == Expr::ONE
}

impl<'g> Writer<'_, 'g> {
    /// The entries of `J` in a row.
    pub(super) fn entries(self, row: &Row) -> Sparse<'g> {
        row.entries.iter().map(|&(column, value)| (column, self.scalar(value))).collect()
    }

    /// Returns `true` if the acceleration of a speed is not known beforehand.
    pub(crate) fn is_free(self, speed: usize) -> bool {
        self.motion.is_free(self.mechanism, SpeedId::new(speed))
    }

    /// The speeds whose accelerations are not known beforehand.
    pub(super) fn free_speeds(self) -> SpeedSet {
        ids(0..self.speeds()).filter(|at: &SpeedId| self.is_free(at.index())).collect()
    }
}

/// The reduced equations `R qdd_f + F = 0` of the free independent speeds `f`, and what leads back
/// from them to all speeds.
pub(super) struct Reduced<'g> {
    /// The free independent speeds.
    pub free: Vec<usize>,
    /// `R`: entries at or below the diagonal, by the numbers of the free speeds.
    pub R: Entries<'g>,
    /// `F`.
    pub F: Vec<Scalar<'g>>,
    /// Accelerations of all speeds while those of the free ones are zero.
    qdd: Vec<Scalar<'g>>,
    /// Efforts that these accelerations need, less those applied.
    Phi: Vec<Scalar<'g>>,
    /// All speeds by rows, over the free ones and the rows of blocks that are passed through.
    S: Vec<Sparse<'g>>,
    /// The free speeds and these rows, over the free speeds.
    inner: Vec<Sparse<'g>>,
    /// `M S`.
    moving: Vec<Sparse<'g>>,
}

impl<'g> Closed<'g> {
    /// The reduced equations under applied efforts.
    pub(super) fn reduced(
        &self,
        writer: Writer<'_, 'g>,
        formalism: Formalism,
        applied: &[Scalar<'g>],
    ) -> Reduced<'g> {
        let writer = Writer { motion: &self.motion, ..writer };
        let dependent: Vec<usize> = self.partition.dependent().collect();
        let independent = self.partition.independent.iter().copied();
        let free: Vec<usize> = independent.filter(|&at| writer.is_free(at)).collect();
        // Efforts while free accelerations are zero, less what is applied.
        let mut qdd = writer.qdd().into_vec();
        for &speed in &free {
            qdd[speed] = Scalar::ZERO;
        }
        for (&speed, &rate) in dependent.iter().zip(&self.rate) {
            qdd[speed] = rate;
        }
        let mut Phi = efforts_with(writer, exprs(&qdd).into(), formalism).into_vec();
        for (at, law) in writer.laws().into_iter().enumerate() {
            Phi[at] = sum([Phi[at], -law, -applied[at]]);
        }
        // Mass seen by the free independent speeds: T = M S with S the rows of B, and of the unit
        // matrix. All are lists of what is not zero, so that loops that have nothing to do with
        // each other cost nothing together. Blocks that are passed through have rows of their own,
        // which are folded in turn.
        let size = writer.speeds();
        let mut number = vec![None; size];
        free.iter().enumerate().for_each(|(at, &speed)| number[speed] = Some(at));
        let mut S: Vec<Sparse<'g>> = vec![Vec::new(); size];
        free.iter().enumerate().for_each(|(at, &speed)| S[speed] = vec![(at, Scalar::ONE)]);
        for (&at, B) in dependent.iter().zip(&self.coupling) {
            let own = self.partition.independent.iter().zip(B).filter(|one| !one.1.is_zero());
            S[at] = own.filter_map(|(&speed, &value)| Some((number[speed]?, value))).collect();
        }
        let M = masses(writer, formalism);
        // Only masses of what the free speeds move are needed of the open tree.
        let used = M.iter().filter(|one| !S[one.0].is_empty() && !S[one.1].is_empty());
        let moved = (0..size).filter(|&at| !S[at].is_empty()).map(|at| Phi[at]);
        let used: Vec<Scalar<'g>> = used.map(|entry| entry.2).chain(moved).collect();
        let mut inner: Vec<Sparse<'g>> =
            (0..free.len()).map(|at| vec![(at, Scalar::ONE)]).collect();
        for Passed { block, rows } in passed(self, writer, &number, &M) {
            let first = inner.len();
            let columns = &self.partition.blocks[block].columns;
            columns.iter().for_each(|&column| S[column].clear());
            for at in 0..rows.len() {
                let mut unit = vec![Scalar::ZERO; rows.len()];
                unit[at] = Scalar::ONE;
                let name = format!("X{}[{}]", block + 1, at + 1);
                let found = self.factors[block].solve(&unit, &name);
                for (&column, value) in columns.iter().zip(found) {
                    if !value.is_zero() {
                        S[column].push((first + at, value));
                    }
                }
            }
            inner.extend(rows);
        }
        writer.mark("open tree", used);
        let Folded { entries: mut R, right: mut F, moving } =
            folded(&M, &S, &Phi, inner.len(), "T");
        if inner.len() > free.len() {
            for (row, column, value) in R.iter_mut().filter(|entry| entry.0 >= free.len()) {
                *value = value.named(&format!("Kw[{},{}]", *row + 1, *column + 1));
            }
            let outer = folded(&R, &inner, &F, free.len(), "Tw");
            (R, F) = (outer.entries, outer.right);
        }
        Reduced { free, R, F, qdd, Phi, S, inner, moving }
    }

    /// Accelerations of all speeds, and the multipliers of the rows.
    pub fn forward(
        &self,
        writer: Writer<'_, 'g>,
        formalism: Formalism,
        function: &str,
    ) -> Result<(BySpeed<Scalar<'g>>, Vec<Scalar<'g>>), Problem> {
        let writer = Writer { motion: &self.motion, ..writer };
        let efforts = writer.mechanism.speeds.iter().map(|speed| writer.scalar(speed.effort));
        let efforts: Vec<Scalar<'g>> = efforts.collect();
        let Reduced { free, R, F, mut qdd, Phi, S, inner, moving } =
            self.reduced(writer, formalism, &efforts);
        let F: Vec<Scalar<'g>> = F.into_iter().map(|value| -value).collect();
        writer.mark("reduction", R.iter().map(|entry| entry.2).chain(F.iter().copied()));
        let factor = LdlFactor::of(&R, free.len(), "R").map_err(|Singular(at)| {
            let name = &writer.mechanism.speeds[free[at]].name;
            Problem::new(
                format!("`{function}`: the reduced mass matrix is singular in `{name}`"),
                "give the bodies it moves mass or inertia",
            )
        })?;
        let solved = factor.solve(&F, "a");
        for (&speed, &value) in free.iter().zip(&solved) {
            qdd[speed] = value;
        }
        // Accelerations of the rows of blocks that are passed through.
        let of_row = |row: &Sparse<'g>| sum(row.iter().map(|&(at, value)| value * solved[at]));
        let solved: Vec<Scalar<'g>> = inner.iter().map(of_row).collect();
        for speed in self.partition.dependent() {
            let terms = S[speed].iter().map(|&(number, value)| value * solved[number]);
            qdd[speed] = sum([qdd[speed]].into_iter().chain(terms));
        }
        let lambda = self.multipliers(writer, &Phi, &moving, &solved);
        Ok((qdd.into(), lambda))
    }

    /// `J_v' lambda = Phi_v` at all accelerations, backwards through the blocks.
    fn multipliers(
        &self,
        writer: Writer<'_, 'g>,
        Phi: &[Scalar<'g>],
        moving: &[Sparse<'g>],
        solved: &[Scalar<'g>],
    ) -> Vec<Scalar<'g>> {
        let mut columns: Vec<Sparse<'g>> = vec![Vec::new(); writer.speeds()];
        for (at, row) in self.rows.iter().enumerate() {
            let own = writer.entries(row);
            own.into_iter().for_each(|(column, value)| columns[column].push((at, value)));
        }
        let mut lambda = vec![Scalar::ZERO; self.rows.len()];
        let mut end = lambda.len();
        for (number, block) in self.partition.blocks.iter().enumerate().rev() {
            let start = end - block.columns.len();
            let right = block.columns.iter().map(|&speed| {
                let inertia = moving[speed].iter().map(|&(at, value)| value * solved[at]);
                let later = columns[speed].iter().filter(|entry| entry.0 >= end);
                let held = later.map(|&(row, value)| -(value * lambda[row]));
                sum([Phi[speed]].into_iter().chain(inertia).chain(held))
            });
            let right: Vec<Scalar<'g>> = right.collect();
            let name = format!("lambda{}", number + 1);
            let found = self.factors[number].solve_transposed(&right, &name);
            lambda[start..end].copy_from_slice(&found);
            end = start;
        }
        lambda
    }
}
