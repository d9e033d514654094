//! The null space of constraints in numbers: all speeds by those that the rows leave free, `v = S
//! z` with `J v = 0`.
//!
//! Rows are eliminated one after the other, each with the largest entry that is left of it as its
//! pivot; columns have equal length before, so that units do not matter. Everything is a list of
//! what is not zero, so that loops that have nothing to do with each other cost nothing together.

use rotule_model::index::{BySpeed, SpeedId, SpeedSet};
use std::collections::{BTreeMap, BTreeSet};

/// Remainder of a row that is a combination of others, as a part of its largest entry.
const RANK: f64 = 1e-7;
/// Remainder of numbers that cancel, as a part of the largest entry of the row.
const ROUNDING: f64 = 1e-15;
/// The part of the largest entry that a preferred pivot has at least.
const PREFERRED: f64 = 0.01;

/// Entries of a row that are not zero: number of a free speed and value.
pub(crate) type Entries = Vec<(usize, f64)>;

/// A basis of the null space.
#[derive(Clone, Debug)]
pub(crate) struct NullSpace {
    /// The speeds that the rows leave free, in order.
    pub free: Vec<SpeedId>,
    /// `S` by rows, one for each speed; columns are numbers of free speeds. Rows of speeds that do
    /// not move are empty.
    pub rows: BySpeed<Entries>,
}

impl NullSpace {
    /// The null space of some rows over the columns that may move. Columns that are preferred
    /// become dependent where their pivots allow it.
    pub fn of<'a>(
        rows: impl Iterator<Item = &'a Vec<(SpeedId, f64)>> + Clone,
        (speeds, movable): (usize, &SpeedSet),
        preferred: &SpeedSet,
    ) -> NullSpace {
        let mut lengths: BySpeed<f64> = BySpeed::filled(0.0, speeds);
        rows.clone().flatten().for_each(|&(column, value)| lengths[column] += value * value);
        let length = |square: f64| if square > 0.0 { square.sqrt() } else { 1.0 };
        let lengths: BySpeed<f64> = lengths.into_iter().map(length).collect();
        // Pivot rows by their order: the column, and the other entries with a pivot of one.
        let mut pivots: Vec<(SpeedId, Vec<(SpeedId, f64)>)> = Vec::new();
        let mut order: BySpeed<Option<usize>> = BySpeed::filled(None, speeds);
        for row in rows {
            let scaled = row.iter().filter(|entry| movable.contains(entry.0));
            let mut line: BTreeMap<SpeedId, f64> =
                scaled.map(|&(column, value)| (column, value / lengths[column])).collect();
            let size = largest(line.values());
            let mut open: BTreeSet<usize> = line.keys().filter_map(|&at| order[at]).collect();
            while let Some(next) = open.pop_first() {
                let (column, others) = &pivots[next];
                let Some(factor) = line.remove(column) else { continue };
                for &(other, value) in others {
                    *line.entry(other).or_insert(0.0) -= factor * value;
                    open.extend(order[other]);
                }
            }
            line.retain(|_, value| value.abs() > ROUNDING * size);
            let most = largest(line.values());
            if most <= RANK * size {
                continue;
            }
            let choice = |needed: &dyn Fn(SpeedId) -> bool| {
                let own = line.iter().filter(|(column, _)| needed(**column));
                // The first of equals.
                own.fold((SpeedId::new(0), 0.0_f64), |best, (&column, &value)| {
                    if value.abs() > best.1.abs() { (column, value) } else { best }
                })
            };
            let mut pivot = choice(&|column| preferred.contains(column));
            if pivot.1.abs() < PREFERRED * most {
                pivot = choice(&|_| true);
            }
            line.remove(&pivot.0);
            order[pivot.0] = Some(pivots.len());
            let others = line.into_iter().map(|(column, value)| (column, value / pivot.1));
            pivots.push((pivot.0, others.collect()));
        }
        let free: Vec<SpeedId> = movable.iter().filter(|&at| order[at].is_none()).collect();
        let mut found: BySpeed<Entries> = BySpeed::filled(Vec::new(), speeds);
        free.iter().enumerate().for_each(|(number, &at)| found[at] = vec![(number, lengths[at])]);
        // Later pivots are known when earlier ones need them.
        for (column, others) in pivots.iter().rev() {
            let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
            for &(other, value) in others {
                for &(number, factor) in &found[other] {
                    *sums.entry(number).or_insert(0.0) -= value * factor;
                }
            }
            found[*column] = sums.into_iter().filter(|entry| entry.1 != 0.0).collect();
        }
        for (row, length) in found.iter_mut().zip(&lengths) {
            row.iter_mut().for_each(|(_, value)| *value /= length);
        }
        NullSpace { free, rows: found }
    }

    /// `S z`, and the sum of the magnitudes that it consists of, for each speed.
    pub fn speeds(&self, z: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let each = self.rows.iter().map(|row| {
            row.iter().fold((0.0, 0.0), |(sum, size), &(number, value)| {
                let part: f64 = value * z[number];
                (sum + part, size + part.abs())
            })
        });
        each.unzip()
    }
}

fn largest<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    values.fold(0.0_f64, |most, value| most.max(value.abs()))
}
