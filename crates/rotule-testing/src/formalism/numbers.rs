//! Plain numbers for tests: a matrix by rows, and how two of them are compared.

use std::fmt;

/// A matrix by rows; a vector has one column.
#[derive(Clone, PartialEq)]
pub struct Matrix {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// The entries, by rows.
    pub values: Vec<f64>,
}

impl Matrix {
    /// A matrix of entries by rows.
    pub fn new(rows: usize, columns: usize, values: Vec<f64>) -> Matrix {
        assert_eq!(values.len(), rows * columns, "as many values as entries");
        Matrix { rows, columns, values }
    }

    /// A matrix of zeros.
    pub fn zero(rows: usize, columns: usize) -> Matrix {
        Matrix { rows, columns, values: vec![0.0; rows * columns] }
    }

    /// A matrix of one column.
    pub fn vector(values: Vec<f64>) -> Matrix {
        Matrix { rows: values.len(), columns: 1, values }
    }

    /// The identity.
    pub fn identity(size: usize) -> Matrix {
        let mut matrix = Matrix::zero(size, size);
        (0..size).for_each(|i| *matrix.at(i, i) = 1.0);
        matrix
    }

    /// An entry.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column]
    }

    /// An entry to change.
    pub fn at(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.values[row * self.columns + column]
    }

    /// The product with another matrix.
    pub fn mul(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.columns, other.rows, "matrices that fit");
        let mut product = Matrix::zero(self.rows, other.columns);
        for i in 0..self.rows {
            for j in 0..other.columns {
                let terms = (0..self.columns).map(|k| self.get(i, k) * other.get(k, j));
                *product.at(i, j) = terms.sum();
            }
        }
        product
    }

    /// The product with a vector.
    pub fn apply(&self, vector: &[f64]) -> Vec<f64> {
        self.mul(&Matrix::vector(vector.to_vec())).values
    }

    /// The transpose.
    pub fn transpose(&self) -> Matrix {
        let entry = |at: usize| self.get(at % self.rows, at / self.rows);
        Matrix::new(self.columns, self.rows, (0..self.values.len()).map(entry).collect())
    }

    /// `self + factor * other`
    pub fn plus(&self, factor: f64, other: &Matrix) -> Matrix {
        assert_eq!((self.rows, self.columns), (other.rows, other.columns), "equal shapes");
        let sum = self.values.iter().zip(&other.values).map(|(a, b)| a + factor * b);
        Matrix::new(self.rows, self.columns, sum.collect())
    }

    /// The largest magnitude.
    pub fn size(&self) -> f64 {
        self.values.iter().fold(0.0_f64, |size, value| size.max(value.abs()))
    }

    /// The lower factor of Cholesky; none if the matrix is not positive definite.
    pub fn cholesky(&self) -> Option<Matrix> {
        let mut lower = Matrix::zero(self.rows, self.rows);
        for i in 0..self.rows {
            for j in 0..=i {
                let known: f64 = (0..j).map(|k| lower.get(i, k) * lower.get(j, k)).sum();
                let rest = self.get(i, j) - known;
                if i == j && (rest.is_nan() || rest <= 0.0) {
                    return None;
                }
                *lower.at(i, j) = if i == j { rest.sqrt() } else { rest / lower.get(j, j) };
            }
        }
        Some(lower)
    }
}

impl fmt::Debug for Matrix {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in 0..self.rows {
            writeln!(out, "{:?}", &self.values[row * self.columns..(row + 1) * self.columns])?;
        }
        Ok(())
    }
}

/// The scalar product.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "vectors that fit");
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Equal within `tolerance` of the largest magnitude among the expected, or of one if that is
/// larger.
pub fn agree(label: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{label}: as many numbers as expected");
    let size = expected.iter().fold(1.0_f64, |size, value| size.max(value.abs()));
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs() / size;
        // A NaN is no agreement.
        assert!(
            error <= tolerance,
            "{label}: number {at} is {found} and should be {expected}: off by {error:.1e}"
        );
    }
}

/// The solution of a dense system, by elimination with the largest pivot of a column.
pub fn solved(mut a: Matrix, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let size = |row: usize| a.get(row, k).abs();
        let best = (k..n).max_by(|&i, &j| size(i).total_cmp(&size(j))).expect("rows are left");
        for column in 0..n {
            let (upper, lower) = (a.get(k, column), a.get(best, column));
            (*a.at(k, column), *a.at(best, column)) = (lower, upper);
        }
        b.swap(k, best);
        for row in k + 1..n {
            let factor = a.get(row, k) / a.get(k, k);
            for column in k..n {
                *a.at(row, column) -= factor * a.get(k, column);
            }
            b[row] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|column| a.get(k, column) * b[column]).sum();
        b[k] = (b[k] - known) / a.get(k, k);
    }
    b
}
