//! Rows that share columns, group by group: what has nothing to do with each other is solved apart, so that many loops cost
//! as many times one loop.

use super::numbers::Values;
use super::svd::Svd;

/// Singular values below this part of the largest count as zero.
pub(super) const RANK: f64 = 1e-7;
/// Columns shorter than this part of the longest are not stretched further, and rows likewise.
const SHORT: f64 = 1e-3;

/// Rows, and the columns that they have among those that may move.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub rows: Vec<usize>,
    pub columns: Vec<usize>,
}

/// The groups of some rows, in the order of their first rows.
pub(super) fn groups(values: &Values, rows: &[usize], movable: &[bool]) -> Vec<Group> {
    // Each column leads to the group of the first row that has it; groups that meet are joined.
    let mut leader: Vec<usize> = (0..rows.len()).collect();
    fn find(leader: &mut [usize], mut at: usize) -> usize {
        while leader[at] != at {
            leader[at] = leader[leader[at]];
            at = leader[at];
        }
        at
    }
    let mut owner: Vec<Option<usize>> = vec![None; movable.len()];
    for (at, &row) in rows.iter().enumerate() {
        for &(column, _) in values.j[row].iter().filter(|(column, _)| movable[*column]) {
            match owner[column] {
                None => owner[column] = Some(at),
                Some(other) => {
                    let (a, b) = (find(&mut leader, at), find(&mut leader, other));
                    leader[a.max(b)] = a.min(b);
                }
            }
        }
    }
    let mut place = vec![None; rows.len()];
    let mut found: Vec<Group> = Vec::new();
    for (at, &row) in rows.iter().enumerate() {
        let first = find(&mut leader, at);
        let number = *place[first].get_or_insert_with(|| {
            found.push(Group { rows: Vec::new(), columns: Vec::new() });
            found.len() - 1
        });
        found[number].rows.push(row);
    }
    for (column, owner) in owner.iter().enumerate() {
        if let Some(number) = owner.and_then(|at| place[find(&mut leader, at)]) {
            found[number].columns.push(column);
        }
    }
    found
}

/// A group's part of `J` with rows and columns of equal length, as far as that is sensible: units do not matter then.
pub(super) struct Scaled {
    /// What columns were divided by.
    pub columns: Vec<f64>,
    /// What rows were divided by.
    pub rows: Vec<f64>,
    pub svd: Svd,
}

impl Scaled {
    pub fn of(values: &Values, group: &Group) -> Scaled {
        let mut matrix = vec![vec![0.0; group.columns.len()]; group.rows.len()];
        for (line, &row) in matrix.iter_mut().zip(&group.rows) {
            for &(column, value) in &values.j[row] {
                if let Ok(at) = group.columns.binary_search(&column) {
                    line[at] = value;
                }
            }
        }
        let column = |at: usize| matrix.iter().map(|row| row[at] * row[at]).sum::<f64>().sqrt();
        let columns = bounded((0..group.columns.len()).map(column).collect());
        for line in &mut matrix {
            line.iter_mut().zip(&columns).for_each(|(value, scale)| *value /= scale);
        }
        let length = |row: &Vec<f64>| super::svd::dot(row, row).sqrt();
        let rows = bounded(matrix.iter().map(length).collect());
        for (line, scale) in matrix.iter_mut().zip(&rows) {
            line.iter_mut().for_each(|value| *value /= scale);
        }
        Scaled { columns, rows, svd: Svd::of(&matrix) }
    }

    /// The smallest change of the columns that brings the group's rows to the given values, damped.
    pub fn solve(&self, right: &[f64], damping: f64) -> Vec<f64> {
        let right: Vec<f64> = right.iter().zip(&self.rows).map(|(b, scale)| b / scale).collect();
        let x = self.svd.solve(&right, RANK, damping);
        x.into_iter().zip(&self.columns).map(|(x, scale)| x / scale).collect()
    }
}

/// Lengths with short ones replaced.
fn bounded(lengths: Vec<f64>) -> Vec<f64> {
    let most = lengths.iter().fold(0.0_f64, |most, &length| most.max(length));
    let least = if most > 0.0 { SHORT * most } else { 1.0 };
    lengths.into_iter().map(|length| length.max(least)).collect()
}
