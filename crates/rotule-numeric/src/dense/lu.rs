//! Factors `L U` of dense matrices with the largest pivot of each column.
//!
//! Matrices of implicit steps are factored by nalgebra ([`PivotedLu`]), real or complex. Blocks of
//! constraints are many and small: their factors ([`DenseLu`]) also tell the sign of the
//! determinant and the smallest singular value, and skip the zeros of closed loops.

use nalgebra::{ComplexField, DMatrix, DVectorViewMut, Dyn, LU};

/// A square matrix of real or complex numbers, factored.
#[derive(Clone, Debug)]
pub struct PivotedLu<T: ComplexField>(LU<T, Dyn, Dyn>);

impl<T: ComplexField> PivotedLu<T> {
    /// Factors the matrix with these entries, by row and column.
    pub fn from_fn(size: usize, entry: impl FnMut(usize, usize) -> T) -> PivotedLu<T> {
        PivotedLu(LU::new(DMatrix::from_fn(size, size, entry)))
    }

    /// Solves in place; false if the matrix is singular.
    pub fn solve(&self, values: &mut [T]) -> bool {
        let size = values.len();
        size == 0 || self.0.solve_mut(&mut DVectorViewMut::from_slice(values, size))
    }
}

/// A sign that looks random and is the same on every machine.
pub fn probe_sign(at: usize, probe: usize) -> f64 {
    let mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7 * probe as u32);
    if mixed & 1 == 0 { 1.0 } else { -1.0 }
}

/// The largest quotient of an entry and its pivot when a matrix is eliminated as it stands.
pub fn growth_without_pivots(mut a: Vec<Vec<f64>>) -> f64 {
    let mut growth = 1.0_f64;
    for k in 0..a.len() {
        let mut largest = 0.0_f64;
        for line in &a[k..] {
            for x in &line[k..] {
                largest = if x.abs() > largest { x.abs() } else { largest };
            }
        }
        let pivot = a[k][k];
        let quotient = largest / pivot.abs();
        growth = growth.max(if quotient.is_finite() { quotient } else { f64::INFINITY });
        let (above, below) = a.split_at_mut(k + 1);
        for line in below {
            let factor = line[k] / pivot;
            // Closed loops have sparse matrices.
            if factor == 0.0 {
                continue;
            }
            line[k..].iter_mut().zip(&above[k][k..]).for_each(|(x, y)| *x -= factor * y);
        }
    }
    growth
}

/// A small dense matrix, factored with the largest pivot of each column.
#[derive(Clone, Debug)]
pub struct DenseLu {
    lu: Vec<Vec<f64>>,
    order: Vec<usize>,
}

impl DenseLu {
    /// Factors a matrix, given by rows.
    pub fn of(mut a: Vec<Vec<f64>>) -> DenseLu {
        let mut order: Vec<usize> = (0..a.len()).collect();
        for k in 0..a.len() {
            let best = (k..a.len()).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()));
            let best = best.unwrap_or(k);
            a.swap(k, best);
            order.swap(k, best);
            let (above, below) = a.split_at_mut(k + 1);
            for line in below {
                let factor = line[k] / above[k][k];
                line[k] = factor;
                if factor == 0.0 {
                    continue;
                }
                line[k + 1..]
                    .iter_mut()
                    .zip(&above[k][k + 1..])
                    .for_each(|(x, y)| *x -= factor * y);
            }
        }
        DenseLu { lu: a, order }
    }

    /// Returns `true` if the determinant is negative.
    pub fn has_negative_determinant(&self) -> bool {
        let mut order = self.order.clone();
        let mut negative = false;
        for at in 0..order.len() {
            negative ^= self.lu[at][at] < 0.0;
            // Every exchange that sorts the rows turns the sign.
            while order[at] != at {
                let other = order[at];
                order.swap(at, other);
                negative = !negative;
            }
        }
        negative
    }

    /// The smallest singular value, from above and within a small factor: two steps of inverse
    /// iteration with `A' A`.
    pub fn smallest_singular_value(&self) -> f64 {
        let size = self.order.len();
        let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut x: Vec<f64> = (0..size).map(|at| probe_sign(at, 1)).collect();
        let mut found = f64::INFINITY;
        for _ in 0..2 {
            let before = length(&x);
            x = self.solve(self.solve_transposed(&x));
            let gain = length(&x) / before;
            if !gain.is_finite() {
                return 0.0;
            }
            found = found.min(1.0 / gain.sqrt());
            let after = length(&x);
            x.iter_mut().for_each(|x| *x /= after);
        }
        found
    }

    /// The solution of `A' x = b`.
    fn solve_transposed(&self, right: &[f64]) -> Vec<f64> {
        let mut x = right.to_vec();
        for i in 0..x.len() {
            x[i] /= self.lu[i][i];
            let known = x[i];
            (i + 1..x.len()).for_each(|at| x[at] -= self.lu[i][at] * known);
        }
        for i in (0..x.len()).rev() {
            let known = x[i];
            (0..i).for_each(|at| x[at] -= self.lu[i][at] * known);
        }
        let mut found = vec![0.0; x.len()];
        self.order.iter().zip(x).for_each(|(&row, x)| found[row] = x);
        found
    }

    /// The solution of `A x = b`.
    pub fn solve(&self, right: Vec<f64>) -> Vec<f64> {
        let mut x: Vec<f64> = self.order.iter().map(|&row| right[row]).collect();
        for i in 0..x.len() {
            let known: f64 = self.lu[i][..i].iter().zip(&x).map(|(a, x)| a * x).sum();
            x[i] -= known;
        }
        for i in (0..x.len()).rev() {
            let known: f64 = self.lu[i][i + 1..].iter().zip(&x[i + 1..]).map(|(a, x)| a * x).sum();
            x[i] = (x[i] - known) / self.lu[i][i];
        }
        x
    }
}
