//! Rank of a small matrix by singular values: shortest solutions, directions that change nothing,
//! and combinations of rows that nothing changes.

use nalgebra::{DMatrix, SVD};

/// Singular values below this part of the largest count as zero.
pub const VANISHING: f64 = 1e-11;

/// A matrix taken apart.
#[derive(Clone, Debug)]
pub struct Rank {
    rows: usize,
    columns: usize,
    left: DMatrix<f64>,
    values: Vec<f64>,
    /// By rows.
    right: DMatrix<f64>,
    least: f64,
}

impl Rank {
    /// Takes a matrix apart, given by rows.
    pub fn of(matrix: &[Vec<f64>], columns: usize) -> Rank {
        let rows = matrix.len();
        // A square shape has all directions, those that change nothing included.
        let size = rows.max(columns);
        let entry = |i: usize, j: usize| match i < rows && j < columns {
            true => matrix[i][j],
            false => 0.0,
        };
        let square = DMatrix::from_fn(size, size, entry);
        Rank::of_square(square, rows, columns)
    }

    fn of_square(square: DMatrix<f64>, rows: usize, columns: usize) -> Rank {
        let size = square.nrows();
        let steps = 200 * size.max(1);
        let svd = match size {
            0 => None,
            _ if square.iter().any(|x| !x.is_finite()) => None,
            _ => SVD::try_new(square, true, true, 2.0 * f64::EPSILON, steps),
        };
        // What cannot be taken apart has no rank: nothing is solved with it.
        let (left, values, right) = match svd {
            Some(SVD { u: Some(u), v_t: Some(v), singular_values }) => {
                (u, singular_values.iter().copied().collect(), v)
            }
            _ => (DMatrix::identity(size, size), vec![0.0; size], DMatrix::identity(size, size)),
        };
        let least = VANISHING * values.iter().copied().fold(0.0, f64::max);
        Rank { rows, columns, left, values, right, least }
    }

    /// Lets singular values below another part of the largest count as zero.
    #[must_use]
    pub fn above(mut self, part: f64) -> Rank {
        self.least = part * self.values.iter().copied().fold(0.0, f64::max);
        self
    }

    fn is_zero(&self, at: usize) -> bool {
        self.values[at] <= self.least
    }

    /// The rank.
    pub fn rank(&self) -> usize {
        (0..self.values.len()).filter(|&at| !self.is_zero(at)).count()
    }

    /// The shortest `x` that brings `A x` nearest to `b`.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; self.columns];
        for at in (0..self.values.len()).filter(|&at| !self.is_zero(at)) {
            let along: f64 = b.iter().enumerate().map(|(row, b)| self.left[(row, at)] * b).sum();
            let factor = along / self.values[at];
            (0..self.columns).for_each(|column| x[column] += factor * self.right[(at, column)]);
        }
        x
    }

    /// Directions of unit length that `A` maps to zero, at right angles to each other.
    pub fn neutral(&self) -> Vec<Vec<f64>> {
        // Directions of the padding are none of the matrix.
        let inside = |at: &usize| {
            let own: f64 =
                (0..self.columns).map(|k| self.right[(*at, k)] * self.right[(*at, k)]).sum();
            self.is_zero(*at) && own > 0.5
        };
        let direction = |at| (0..self.columns).map(|k| self.right[(at, k)]).collect();
        (0..self.values.len()).filter(inside).map(direction).collect()
    }

    /// The direction of unit length that `A` changes least, and others that it changes by less than
    /// a part of its size.
    pub fn least_directions(&self, part: f64) -> Vec<Vec<f64>> {
        let inside = |at: &usize| {
            let own = (0..self.columns).map(|k| self.right[(*at, k)] * self.right[(*at, k)]);
            own.sum::<f64>() > 0.5
        };
        let mut all: Vec<usize> = (0..self.values.len()).filter(inside).collect();
        all.sort_by(|&a, &b| self.values[a].total_cmp(&self.values[b]));
        let largest = self.values.iter().copied().fold(0.0, f64::max);
        let count = all.iter().filter(|at| self.values[**at] < part * largest).count().max(1);
        let direction = |at: usize| (0..self.columns).map(|k| self.right[(at, k)]).collect();
        all.into_iter().take(count).map(direction).collect()
    }

    /// Combinations of rows, of unit length, that `A` never reaches.
    pub fn unreached(&self) -> Vec<Vec<f64>> {
        let inside = |at: &usize| {
            let own: f64 = (0..self.rows).map(|k| self.left[(k, *at)] * self.left[(k, *at)]).sum();
            self.is_zero(*at) && own > 0.5
        };
        let combination = |at| (0..self.rows).map(|k| self.left[(k, at)]).collect();
        (0..self.values.len()).filter(inside).map(combination).collect()
    }
}

/// Singular values of a matrix, with a unit vector for each column of it: what the matrix does to
/// directions of its columns.
#[derive(Clone, Debug)]
pub struct Directions {
    /// As many as there are columns, largest first.
    pub values: Vec<f64>,
    /// The right singular vectors, at right angles to each other.
    pub vectors: Vec<Vec<f64>>,
}

impl Directions {
    /// Those of a matrix that is given by rows; none if it is not finite.
    pub fn of(matrix: &[Vec<f64>], columns: usize) -> Option<Directions> {
        if columns == 0 {
            return Some(Directions { values: Vec::new(), vectors: Vec::new() });
        }
        // Rows of zeros give a wide matrix all its directions, and mix none of them with others.
        let rows = matrix.len().max(columns);
        let entry = |i: usize, j: usize| matrix.get(i).map_or(0.0, |row| row[j]);
        let dense = DMatrix::from_fn(rows, columns, entry);
        if dense.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let svd = SVD::try_new(dense, false, true, 2.0 * f64::EPSILON, 200 * rows)?;
        let right = svd.v_t?;
        let mut order: Vec<usize> = (0..columns).collect();
        order.sort_by(|&a, &b| svd.singular_values[b].total_cmp(&svd.singular_values[a]));
        let vector = |&at: &usize| (0..columns).map(|k| right[(at, k)]).collect();
        Some(Directions {
            values: order.iter().map(|&at| svd.singular_values[at]).collect(),
            vectors: order.iter().map(vector).collect(),
        })
    }

    /// Directions of the rows: those of the transposed matrix.
    pub fn of_rows(matrix: &[Vec<f64>], columns: usize) -> Option<Directions> {
        let column = |at: usize| matrix.iter().map(|row| row[at]).collect();
        let transposed: Vec<Vec<f64>> = (0..columns).map(column).collect();
        Directions::of(&transposed, matrix.len())
    }

    /// The number of singular values above a part of the largest.
    pub fn rank(&self, part: f64) -> usize {
        let most = self.values.first().copied().unwrap_or(0.0);
        self.values.iter().filter(|value| **value > part * most).count()
    }
}

/// A basis of the same directions in which as many numbers as can be are zero: each direction has a
/// component of its own that the others lack. Names can be given to such directions.
pub fn readable(mut basis: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let columns = basis.first().map_or(0, Vec::len);
    let mut used = vec![false; columns];
    for row in 0..basis.len() {
        // The largest component that is left, the first of equal ones.
        let mut best = (0.0_f64, row, 0);
        for (at, line) in basis.iter().enumerate().skip(row) {
            for (column, x) in line.iter().enumerate().filter(|(column, _)| !used[*column]) {
                if x.abs() > best.0 * (1.0 + 1e-9) {
                    best = (x.abs(), at, column);
                }
            }
        }
        let (size, at, column) = best;
        if size == 0.0 {
            break;
        }
        basis.swap(row, at);
        used[column] = true;
        let pivot = basis[row][column];
        basis[row].iter_mut().for_each(|x| *x /= pivot);
        let own = basis[row].clone();
        for (other, line) in basis.iter_mut().enumerate() {
            let factor = line[column];
            if other != row && factor != 0.0 {
                line.iter_mut().zip(&own).for_each(|(x, y)| *x -= factor * y);
            }
        }
    }
    for line in &mut basis {
        let most = line.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        line.iter_mut().filter(|x| x.abs() < 1e-8 * most).for_each(|x| *x = 0.0);
    }
    basis
}

#[cfg(test)]
mod tests {
    use super::{Rank, readable};

    #[test]
    fn solutions_and_what_is_out_of_reach() {
        let rank = Rank::of(&[vec![1.0, 0.0, 1.0], vec![2.0, 0.0, 2.0]], 3);
        assert_eq!((rank.rank(), rank.neutral().len(), rank.unreached().len()), (1, 2, 1));
        let x = rank.solve(&[1.0, 2.0]);
        assert!((x[0] - 0.5).abs() < 1e-14 && x[1].abs() < 1e-14 && (x[2] - 0.5).abs() < 1e-14);
        for direction in rank.neutral() {
            assert!((direction[0] + direction[2]).abs() < 1e-14);
        }
        let names = readable(rank.neutral());
        assert!(names.iter().any(|one| one == &[0.0, 1.0, 0.0]), "{names:?}");
    }
}
