//! Rows that share columns, group by group: what has nothing to do with each other is solved apart,
//! so that many loops cost as many times one loop.

use crate::components::leader;
use crate::dense::gram::Gram;
use crate::dense::svd::Svd;
use crate::row_values::RowValues;
use rotule_model::index::{BySpeed, SpeedId, SpeedSet};

/// Singular values below this part of the largest count as zero.
const RANK: f64 = 1e-7;
/// Columns shorter than this part of the longest are not stretched further, and rows likewise.
const SHORT: f64 = 1e-3;

/// Rows, and the columns that they have among those that may move.
#[derive(Clone, Debug)]
pub(crate) struct RowGroup {
    pub rows: Vec<usize>,
    pub columns: Vec<SpeedId>,
}

/// The groups of some rows, in the order of their first rows.
pub(crate) fn groups(values: &RowValues, rows: &[usize], movable: &SpeedSet) -> Vec<RowGroup> {
    // Each column leads to the group of the first row that has it; groups that meet are joined.
    let mut leaders: Vec<usize> = (0..rows.len()).collect();
    let speeds = movable.iter().last().map_or(0, |last| last.index() + 1);
    let mut owner: BySpeed<Option<usize>> = BySpeed::filled(None, speeds);
    for (at, &row) in rows.iter().enumerate() {
        for &(column, _) in values.j[row].iter().filter(|(column, _)| movable.contains(*column)) {
            match owner[column] {
                None => owner[column] = Some(at),
                Some(other) => {
                    let (a, b) = (leader(&mut leaders, at), leader(&mut leaders, other));
                    leaders[a.max(b)] = a.min(b);
                }
            }
        }
    }
    let mut place = vec![None; rows.len()];
    let mut found: Vec<RowGroup> = Vec::new();
    for (at, &row) in rows.iter().enumerate() {
        let first = leader(&mut leaders, at);
        let number = *place[first].get_or_insert_with(|| {
            found.push(RowGroup { rows: Vec::new(), columns: Vec::new() });
            found.len() - 1
        });
        found[number].rows.push(row);
    }
    for (column, owner) in owner.pairs() {
        if let Some(number) = owner.and_then(|at| place[leader(&mut leaders, at)]) {
            found[number].columns.push(column);
        }
    }
    found
}

/// A group's part of `J` with rows and columns of equal length, as far as that is sensible: units
/// do not matter then.
pub(crate) struct ScaledGroup {
    /// The numbers that columns were divided by.
    pub columns: Vec<f64>,
    /// The numbers that rows were divided by.
    pub rows: Vec<f64>,
    apart: Apart,
}

/// A group taken apart: exactly, or in a time that is linear in the length of a chain of loops.
enum Apart {
    Small(Svd),
    Large(Gram),
}

/// Groups of more rows are large.
const LARGE: usize = 64;

impl ScaledGroup {
    pub fn of(values: &RowValues, group: &RowGroup) -> ScaledGroup {
        ScaledGroup::weighted(values, group, &BySpeed::new())
    }

    /// The group where columns count more or less in what is the smallest change; all count alike
    /// without weights.
    pub fn weighted(values: &RowValues, group: &RowGroup, weights: &BySpeed<f64>) -> ScaledGroup {
        let mut matrix: Vec<Vec<(usize, f64)>> = Vec::with_capacity(group.rows.len());
        let mut columns = vec![0.0; group.columns.len()];
        for &row in &group.rows {
            let own = values.j[row].iter().filter_map(|&(column, value)| {
                group.columns.binary_search(&column).ok().map(|at| (at, value))
            });
            let own: Vec<(usize, f64)> = own.collect();
            own.iter().for_each(|&(at, value)| columns[at] += value * value);
            matrix.push(own);
        }
        let mut columns = bounded(columns.into_iter().map(f64::sqrt).collect());
        for (scale, &column) in columns.iter_mut().zip(&group.columns) {
            *scale *= weights.get(column).copied().unwrap_or(1.0);
        }
        let mut rows = Vec::with_capacity(matrix.len());
        for line in &mut matrix {
            line.iter_mut().for_each(|(at, value)| *value /= columns[*at]);
            rows.push(line.iter().map(|(_, value)| value * value).sum::<f64>().sqrt());
        }
        let rows = bounded(rows);
        for (line, scale) in matrix.iter_mut().zip(&rows) {
            line.iter_mut().for_each(|(_, value)| *value /= scale);
        }
        let apart = if matrix.len() > LARGE {
            Apart::Large(Gram::of(&matrix, columns.len()))
        } else {
            let dense = |line: &Vec<(usize, f64)>| {
                let mut dense = vec![0.0; columns.len()];
                line.iter().for_each(|&(at, value)| dense[at] = value);
                dense
            };
            Apart::Small(Svd::of(&matrix.iter().map(dense).collect::<Vec<_>>()))
        };
        ScaledGroup { columns, rows, apart }
    }

    /// The smallest change of the columns that brings the group's rows to the given values, damped.
    pub fn solve(&self, right: &[f64], damping: f64) -> Vec<f64> {
        let right: Vec<f64> = right.iter().zip(&self.rows).map(|(b, scale)| b / scale).collect();
        let x = match &self.apart {
            Apart::Small(svd) => svd.solve(&right, RANK, damping),
            Apart::Large(gram) => gram.solve(&right, damping),
        };
        x.into_iter().zip(&self.columns).map(|(x, scale)| x / scale).collect()
    }

    /// Combinations of scaled rows that vanish.
    pub fn vanishing(&self) -> Vec<Vec<f64>> {
        match &self.apart {
            Apart::Small(svd) => {
                svd.vanishing(RANK).into_iter().map(|at| svd.left[at].clone()).collect()
            }
            Apart::Large(gram) => gram.vanishing(),
        }
    }

    /// The remainder of a change of scaled columns without its part along the rows.
    pub fn beyond(&self, along: &[f64]) -> Vec<f64> {
        match &self.apart {
            Apart::Small(svd) => svd.beyond(along, RANK),
            Apart::Large(gram) => gram.beyond(along),
        }
    }
}

/// Lengths with short ones replaced.
fn bounded(lengths: Vec<f64>) -> Vec<f64> {
    let most = lengths.iter().fold(0.0_f64, |most, &length| most.max(length));
    let least = if most > 0.0 { SHORT * most } else { 1.0 };
    lengths.into_iter().map(|length| length.max(least)).collect()
}
