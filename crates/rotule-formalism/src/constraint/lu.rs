//! Square systems of expressions, factored without pivoting: the order of rows and columns has been
//! chosen by numbers.
//!
//! ```text
//! L_ik = A_ik / U_kk               y_i = b_i - sum L_ij y_j               j < i
//! A_ij -= L_ik U_kj    j > k       x_i = (y_i - sum U_ij x_j) / U_ii      j > i
//! ```

#![allow(non_snake_case)] // symbols as in the formulas

use rotule_symbolic::{Scalar, sum};

/// `A = L U` with unit lower triangular `L`; the reciprocals of the pivots are kept.
#[derive(Clone, Debug)]
pub(crate) struct Lu<'g> {
    entries: Vec<Vec<Scalar<'g>>>,
    reciprocals: Vec<Scalar<'g>>,
}

impl<'g> Lu<'g> {
    /// Factors a matrix. Variables are named after `name`.
    #[allow(clippy::needless_range_loop, reason = "indices are those of the equations")]
    pub fn of(mut A: Vec<Vec<Scalar<'g>>>, name: &str) -> Lu<'g> {
        let size = A.len();
        let mut reciprocals = Vec::with_capacity(size);
        for k in 0..size {
            let reciprocal = (Scalar::ONE / A[k][k]).named(&format!("{name}D[{}]", k + 1));
            for i in k + 1..size {
                if A[i][k].is_zero() {
                    continue;
                }
                let L = (A[i][k] * reciprocal).named(&format!("{name}L[{},{}]", i + 1, k + 1));
                A[i][k] = L;
                let U = A[k].clone();
                for (j, &U) in U.iter().enumerate().skip(k + 1) {
                    if !U.is_zero() {
                        let rest = A[i][j] - L * U;
                        A[i][j] = rest.named(&format!("{name}U[{},{}]", i + 1, j + 1));
                    }
                }
            }
            reciprocals.push(reciprocal);
        }
        Lu { entries: A, reciprocals }
    }

    /// The solution of `A x = b`; zeros cost nothing.
    pub fn solve(&self, b: &[Scalar<'g>], name: &str) -> Vec<Scalar<'g>> {
        let A = &self.entries;
        let mut x = b.to_vec();
        for i in 0..b.len() {
            x[i] = sum([x[i]].into_iter().chain((0..i).map(|j| -(A[i][j] * x[j]))));
        }
        for i in (0..b.len()).rev() {
            let above = (i + 1..b.len()).map(|j| -(A[i][j] * x[j]));
            let value = sum([x[i]].into_iter().chain(above)) * self.reciprocals[i];
            x[i] = value.named(&format!("{name}[{}]", i + 1));
        }
        x
    }

    /// The solution of `A' x = b`.
    pub fn solve_transposed(&self, b: &[Scalar<'g>], name: &str) -> Vec<Scalar<'g>> {
        let A = &self.entries;
        let mut x = b.to_vec();
        for i in 0..b.len() {
            let before = (0..i).map(|j| -(A[j][i] * x[j]));
            x[i] = sum([x[i]].into_iter().chain(before)) * self.reciprocals[i];
        }
        for i in (0..b.len()).rev() {
            let below = (i + 1..b.len()).map(|j| -(A[j][i] * x[j]));
            let value = sum([x[i]].into_iter().chain(below));
            x[i] = value.named(&format!("{name}[{}]", i + 1));
        }
        x
    }
}
