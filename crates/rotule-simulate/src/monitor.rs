//! Conditioning of the coordinate partition, watched from step to step: how well the dependent
//! coordinates follow from the independent ones.
//!
//! `qd_v = B qd_u`: when an entry of `B` grows, a dependent coordinate moves much faster than the
//! independent ones, and at a singular position it becomes infinite while another partition has no
//! difficulty at all (Morette, chapters 3 and 5). The largest entry says it in numbers without
//! units, because speeds of translations are measured in sizes of their loop ([`Pattern::units`]),
//! which do not change in a run: one threshold serves all models. Columns of `J` as it is now would
//! not do as units: a row with one rotation and one translation would be as well conditioned at a
//! dead centre as anywhere else. The condition number of `J_v` is one for a single row. The order
//! of pivots inside of a program can fail although `B` is harmless; that is watched, too.

use crate::inputs::InputPoint;
use rotule_formalism::constraint::blocks::DiagonalBlock;
use rotule_formalism::constraint::partition::CoordinatePartition;
use rotule_formalism::constraint::partition::Partition;
use rotule_formalism::{MultibodySystem, Problem};
use rotule_model::mechanism::Role;
use rotule_numeric::alternatives::Alternatives;
use rotule_numeric::dense::{DenseLu, growth_without_pivots, probe_sign};
use rotule_numeric::pattern::Pattern;
use rotule_symbolic::Expr;
use std::cell::RefCell;

/// `J` in numbers, with a column for each speed.
#[derive(Clone, Debug)]
pub struct Jacobian {
    /// Entries by row: column and number.
    pub rows: Vec<Vec<(usize, f64)>>,
    /// The elements that the rows belong to, and the units of the columns.
    pub pattern: Pattern,
    alternatives: Alternatives,
    columns: usize,
    /// Columns that are in some row and whose speeds are not zero for ever.
    moving: Vec<bool>,
    /// The largest that each row was so far, columns in their units.
    largest: Vec<f64>,
    /// Memory to judge partitions in, which is done after every step.
    scratch: RefCell<Scratch>,
}

#[derive(Clone, Debug, Default)]
struct Scratch {
    /// Independent columns that are in some constraint.
    free: Vec<usize>,
    /// Where a column is in its block.
    inside: Vec<usize>,
    /// The factors of each block.
    factors: Vec<DenseLu>,
    matrix: Vec<f64>,
    /// The entries of all blocks outside of their own columns, in the units of the columns: the
    /// place of the row in its block, the column and the number.
    outer: Vec<(usize, usize, f64)>,
    /// Where those of each block end.
    ends: Vec<usize>,
    /// A speed for each column.
    speeds: Vec<f64>,
    vectors: [Vec<f64>; 2],
}

/// The conditioning of a partition at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// The largest entry of `B`, in the units of the speeds; driven speeds count as independent
    /// ones.
    pub amplification: f64,
    /// The largest number that elimination in the program's order divides by its pivot.
    pub growth: f64,
    /// The smallest singular value of the diagonal blocks of `J_v`, rows in parts of the largest
    /// that they were.
    pub smallest: f64,
    /// The signs of the determinants of the blocks of `J_v`, of the rows of coordinates and of all,
    /// a bit each: one changes where the partition is singular. Blocks beyond 64 share bits.
    pub signs: [u64; 2],
}

impl Condition {
    /// That of nothing: no constraint, no difficulty.
    pub const UNKNOWN: Condition =
        Condition { amplification: 0.0, growth: 1.0, smallest: f64::INFINITY, signs: [0; 2] };
}

/// Entries of `B` are all computed up to this number of them; beyond, a few combinations of columns
/// stand for all.
const EXACT: usize = 4096;
const PROBES: usize = 6;

impl Jacobian {
    /// The pattern of a tree's constraints; numbers are to come. An entry that is zero at some
    /// point is an entry.
    pub fn new(tree: &MultibodySystem) -> Result<Jacobian, Problem> {
        let pattern = Pattern::of(tree)?;
        let alternatives = Alternatives::of(tree, &pattern);
        let columns = tree.speeds();
        let zeros = |columns: &Vec<usize>| columns.iter().map(|&column| (column, 0.0)).collect();
        let rows: Vec<Vec<(usize, f64)>> =
            pattern.rows.iter().map(|row| zeros(&row.columns)).collect();
        let mut moving = vec![false; columns];
        rows.iter().flatten().for_each(|&(column, _)| moving[column] = true);
        let qd = tree.motion.qd.as_slice();
        for joint in tree.mechanism.joints.iter().filter(|joint| joint.role != Role::Free) {
            joint.speeds.clone().for_each(|at| moving[at] &= qd[at] != Expr::ZERO);
        }
        let largest = vec![0.0; rows.len()];
        let scratch = RefCell::default();
        Ok(Jacobian { rows, pattern, alternatives, columns, moving, largest, scratch })
    }

    /// Takes the numbers of a dense matrix, by rows.
    pub fn take(&mut self, dense: &[f64]) {
        let lines = dense.chunks_exact(self.columns.max(1));
        for ((row, numbers), largest) in self.rows.iter_mut().zip(lines).zip(&mut self.largest) {
            let mut most = *largest;
            for (column, value) in row {
                *value = numbers[*column];
                most = most.max((*value * self.pattern.units[*column]).abs());
            }
            *largest = most;
        }
    }

    /// One entry.
    pub fn entry(&self, row: usize, column: usize) -> f64 {
        self.rows[row].iter().find(|(known, _)| *known == column).map_or(0.0, |&(_, value)| value)
    }

    /// The conditioning of a coordinate partition here: that of coordinates or that of speeds,
    /// whichever is worse.
    pub fn condition(&self, choice: &CoordinatePartition) -> Condition {
        let speeds = self.condition_of(&choice.speeds);
        if choice.coordinates == choice.speeds || choice.coordinates.blocks.is_empty() {
            return speeds;
        }
        let coordinates = self.condition_of(&choice.coordinates);
        Condition {
            amplification: speeds.amplification.max(coordinates.amplification),
            growth: speeds.growth.max(coordinates.growth),
            smallest: speeds.smallest.min(coordinates.smallest),
            signs: [coordinates.signs[0], speeds.signs[1]],
        }
    }

    fn condition_of(&self, partition: &Partition) -> Condition {
        let units = &self.pattern.units;
        let scratch = &mut *self.scratch.borrow_mut();
        let Scratch { free, inside, factors, matrix, outer, ends, speeds, vectors } = scratch;
        // What is in no constraint moves nothing else.
        free.clear();
        free.extend(partition.independent.iter().copied().filter(|&at| self.moving[at]));
        let size = partition.dependent().count();
        let exact = free.len() * size <= EXACT;
        let probes = if exact { free.len() } else { PROBES };
        let mut amplification = 0.0_f64;
        let mut growth = 1.0_f64;
        let mut smallest = f64::INFINITY;
        let mut signs = 0;
        inside.resize(self.columns, usize::MAX);
        outer.clear();
        ends.clear();
        if factors.len() < partition.blocks.len() {
            factors.resize_with(partition.blocks.len(), DenseLu::default);
        }
        for (number, (block, factor)) in partition.blocks.iter().zip(&mut *factors).enumerate() {
            block.columns.iter().enumerate().for_each(|(at, &column)| inside[column] = at);
            let size = block.columns.len();
            matrix.clear();
            matrix.resize(size * size, 0.0);
            let lines = matrix.chunks_exact_mut(size.max(1));
            for (place, (&row, line)) in block.rows.iter().zip(lines).enumerate() {
                let scale = self.scale(row);
                for &(column, value) in &self.rows[row] {
                    // Columns of other blocks have places there.
                    let at = inside[column];
                    match block.columns.get(at) == Some(&column) {
                        true => line[at] = value * units[column] / scale,
                        false => outer.push((place, column, value * units[column])),
                    }
                }
            }
            ends.push(outer.len());
            factor.factor(matrix, size);
            growth = growth.max(growth_without_pivots(matrix, size));
            smallest = smallest.min(factor.smallest_singular_value(vectors));
            signs ^= u64::from(factor.has_negative_determinant()) << (number % 64);
        }
        let [right, solved] = vectors;
        for probe in 0..probes {
            // All speeds: given ones of independent columns, then those that follow.
            speeds.clear();
            speeds.resize(self.columns, 0.0);
            for (at, &column) in free.iter().enumerate() {
                speeds[column] = match exact {
                    true => f64::from(u8::from(at == probe)),
                    false => probe_sign(at, probe),
                };
            }
            let mut from = 0;
            for ((block, factor), &end) in partition.blocks.iter().zip(&*factors).zip(&*ends) {
                let known = &outer[std::mem::replace(&mut from, end)..end];
                // Most blocks feel but a few of the free columns.
                if known.iter().all(|&(_, column, _)| speeds[column] == 0.0) {
                    continue;
                }
                right.clear();
                right.resize(block.rows.len(), 0.0);
                known.iter().for_each(|&(at, column, value)| right[at] += value * speeds[column]);
                for (right, &row) in right.iter_mut().zip(&block.rows) {
                    *right = -*right / self.scale(row);
                }
                factor.solve(right, solved);
                for (&column, &value) in block.columns.iter().zip(&*solved) {
                    speeds[column] = value;
                    // What is not a number is as bad as can be.
                    let size = if value.is_finite() { value.abs() } else { f64::INFINITY };
                    amplification = amplification.max(size);
                }
            }
        }
        Condition { amplification, growth, smallest, signs: [signs; 2] }
    }

    /// The unit of a row: the largest that it was so far.
    fn scale(&self, row: usize) -> f64 {
        if self.largest[row] > 0.0 { self.largest[row] } else { 1.0 }
    }

    /// The smallest singular value of one block of dependent columns.
    pub fn smallest(&self, block: &DiagonalBlock) -> f64 {
        let alone =
            Partition { independent: Vec::new(), blocks: vec![block.clone()], quality: 1.0 };
        self.condition_of(&alone).smallest
    }

    /// Returns `true` if a speed is known beforehand, as that of a driven joint is.
    pub fn is_known(&self, speed: usize) -> bool {
        self.alternatives.is_known(speed)
    }

    /// Other partitions for the numbers here, cheapest first. Redundant rows stay those of the
    /// present one.
    pub fn choices(&self, now: &CoordinatePartition) -> Vec<CoordinatePartition> {
        self.alternatives.choices(&self.rows, &now.redundant)
    }
}

/// The residuals of the constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    /// The largest residual of positions.
    pub position: f64,
    /// The largest residual of velocities.
    pub velocity: f64,
}

/// The residuals of `h` and of `J qd + e`, of the rows that are not set aside.
pub fn drift(h: &[f64], jacobian: &Jacobian, e: &[f64], point: &InputPoint) -> Drift {
    let most = |most: f64, value: f64| if value.abs() <= most { most } else { value.abs() };
    let velocity = jacobian.rows.iter().zip(e).map(|(row, e)| {
        row.iter().map(|&(column, value)| value * point.qd[column]).sum::<f64>() + e
    });
    Drift { position: h.iter().copied().fold(0.0, most), velocity: velocity.fold(0.0, most) }
}
