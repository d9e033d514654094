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

/// The largest quotient of an entry and its pivot when a matrix, given by rows, is eliminated as it
/// stands.
pub fn growth_without_pivots(a: &mut [f64], size: usize) -> f64 {
    let mut growth = 1.0_f64;
    for k in 0..size {
        let mut largest = 0.0_f64;
        for line in a[k * size..].chunks_exact(size) {
            for x in &line[k..] {
                largest = if x.abs() > largest { x.abs() } else { largest };
            }
        }
        let (above, below) = a.split_at_mut((k + 1) * size);
        let above = &above[k * size..];
        let pivot = above[k];
        let quotient = largest / pivot.abs();
        growth = growth.max(if quotient.is_finite() { quotient } else { f64::INFINITY });
        for line in below.chunks_exact_mut(size) {
            let factor = line[k] / pivot;
            // Closed loops have sparse matrices.
            if factor == 0.0 {
                continue;
            }
            line[k..].iter_mut().zip(&above[k..]).for_each(|(x, y)| *x -= factor * y);
        }
    }
    growth
}

/// A small dense matrix, factored with the largest pivot of each column. Its memory is used again
/// when it is factored anew.
#[derive(Clone, Debug, Default)]
pub struct DenseLu {
    /// The factors, by rows.
    lu: Vec<f64>,
    order: Vec<usize>,
    /// `true` if an odd number of rows was exchanged.
    odd: bool,
}

impl DenseLu {
    /// Factors a matrix, given by rows.
    pub fn of(a: &[f64], size: usize) -> DenseLu {
        let mut factors = DenseLu::default();
        factors.factor(a, size);
        factors
    }

    /// Factors another matrix, given by rows.
    pub fn factor(&mut self, a: &[f64], size: usize) {
        let DenseLu { lu, order, odd } = self;
        lu.clear();
        lu.extend_from_slice(a);
        order.clear();
        order.extend(0..size);
        *odd = false;
        for k in 0..size {
            let at = |i: usize| lu[i * size + k].abs();
            let best = (k..size).max_by(|&i, &j| at(i).total_cmp(&at(j)));
            let best = best.unwrap_or(k);
            if best != k {
                let (above, below) = lu.split_at_mut(best * size);
                above[k * size..(k + 1) * size].swap_with_slice(&mut below[..size]);
                order.swap(k, best);
                *odd = !*odd;
            }
            let (above, below) = lu.split_at_mut((k + 1) * size);
            let above = &above[k * size..];
            for line in below.chunks_exact_mut(size) {
                let factor = line[k] / above[k];
                line[k] = factor;
                if factor == 0.0 {
                    continue;
                }
                line[k + 1..].iter_mut().zip(&above[k + 1..]).for_each(|(x, y)| *x -= factor * y);
            }
        }
    }

    /// Number of rows.
    fn size(&self) -> usize {
        self.order.len()
    }

    fn row(&self, at: usize) -> &[f64] {
        &self.lu[at * self.size()..(at + 1) * self.size()]
    }

    /// Returns `true` if the determinant is negative.
    pub fn has_negative_determinant(&self) -> bool {
        (0..self.size()).fold(self.odd, |negative, at| negative ^ (self.row(at)[at] < 0.0))
    }

    /// The smallest singular value, from above and within a small factor: two steps of inverse
    /// iteration with `A' A`. The vectors are memory to work in.
    pub fn smallest_singular_value(&self, [x, y]: &mut [Vec<f64>; 2]) -> f64 {
        let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        x.clear();
        x.extend((0..self.size()).map(|at| probe_sign(at, 1)));
        let mut found = f64::INFINITY;
        for _ in 0..2 {
            let before = length(x);
            self.solve_transposed(x, y);
            self.solve(y, x);
            let gain = length(x) / before;
            if !gain.is_finite() {
                return 0.0;
            }
            found = found.min(1.0 / gain.sqrt());
            let after = length(x);
            x.iter_mut().for_each(|x| *x /= after);
        }
        found
    }

    /// Puts the solution of `A' x = b` in place of what a vector had; `b` is lost.
    fn solve_transposed(&self, b: &mut [f64], found: &mut Vec<f64>) {
        for i in 0..b.len() {
            let line = &self.row(i)[i..];
            b[i] /= line[0];
            let known = b[i];
            b[i + 1..].iter_mut().zip(&line[1..]).for_each(|(b, a)| *b -= a * known);
        }
        for i in (0..b.len()).rev() {
            let known = b[i];
            b[..i].iter_mut().zip(self.row(i)).for_each(|(b, a)| *b -= a * known);
        }
        found.clear();
        found.resize(b.len(), 0.0);
        self.order.iter().zip(b).for_each(|(&row, x)| found[row] = *x);
    }

    /// Puts the solution of `A x = b` in place of what a vector had.
    pub fn solve(&self, b: &[f64], x: &mut Vec<f64>) {
        x.clear();
        x.extend(self.order.iter().map(|&row| b[row]));
        for i in 0..x.len() {
            let known: f64 = self.row(i)[..i].iter().zip(&*x).map(|(a, x)| a * x).sum();
            x[i] -= known;
        }
        for i in (0..x.len()).rev() {
            let line = self.row(i);
            let known: f64 = line[i + 1..].iter().zip(&x[i + 1..]).map(|(a, x)| a * x).sum();
            x[i] = (x[i] - known) / line[i];
        }
    }
}
