//! Accelerations that fulfil the constraints and are nearest to those without constraints, measured
//! by the mass matrix.
//!
//! ```text
//! M a - J' lambda = f,  J a = g        M = L L'
//! (L^-1 J') P = Q R                    columns with the largest rests first
//! a = M^-1 f + L'^-1 Q z               R' z = P' (g - J M^-1 f)        R P' lambda = z
//! ```
//!
//! This is Gauss's principle of least constraint by an orthogonal factorisation. Its rounding
//! errors grow with the inverse of the smallest singular value of `J`, where those of the system of
//! accelerations and multipliers grow with its square: near a singular position that decides. Rows
//! that add nothing there are left out, which is the nearest in this sense, too.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// The factors.
#[derive(Clone, Debug)]
pub struct LeastConstraint {
    mass: Cholesky<f64, Dyn>,
    jacobian: DMatrix<f64>,
    /// The columns of `Q` that count, beside the triangle `R` of these.
    q: DMatrix<f64>,
    r: DMatrix<f64>,
    /// The rows of `J` in the order of the columns of `R`.
    order: Vec<usize>,
}

/// Rows whose rest is below this part of the first one add nothing.
const NOTHING: f64 = 1e-10;

impl LeastConstraint {
    /// Factors `M` and `J`, both by rows; none if `M` is not positive definite, as it is where
    /// bodies have no mass.
    pub fn factor(
        mass: &[f64],
        jacobian: &[f64],
        size: usize,
        rows: usize,
    ) -> Option<LeastConstraint> {
        let mass = Cholesky::new(DMatrix::from_row_slice(size, size, mass))?;
        let least = mass.l_dirty().diagonal().min();
        let most = mass.l_dirty().diagonal().max();
        // What is left of a pivot by rounding is no mass.
        if size > 0 && least <= 1e-7 * most {
            return None;
        }
        let jacobian = DMatrix::from_row_slice(rows, size, jacobian);
        let mut scaled = jacobian.transpose();
        if !mass.l_dirty().solve_lower_triangular_mut(&mut scaled) {
            return None;
        }
        let mut order = DMatrix::from_fn(1, rows, |_, column| column as f64);
        let factors = scaled.col_piv_qr();
        factors.p().permute_columns(&mut order);
        let (q, r) = (factors.q(), factors.r());
        let rank = (0..size.min(rows))
            .take_while(|&at| r[(at, at)].abs() > NOTHING * r[(0, 0)].abs())
            .count();
        Some(LeastConstraint {
            mass,
            jacobian,
            q: q.columns(0, rank).into_owned(),
            r: r.view((0, 0), (rank, rank)).into_owned(),
            order: order.iter().map(|&row| row as usize).collect(),
        })
    }

    /// The unknowns and the multipliers; none if rounding leaves no finite ones.
    pub fn solve(&self, f: &[f64], g: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        let free = self.mass.solve(&DVector::from_column_slice(f));
        let rest = DVector::from_column_slice(g) - &self.jacobian * &free;
        let rank = self.r.nrows();
        let mut z = DVector::from_iterator(rank, self.order[..rank].iter().map(|&row| rest[row]));
        if !self.r.tr_solve_upper_triangular_mut(&mut z) {
            return None;
        }
        let mut change = &self.q * &z;
        if !self.mass.l_dirty().tr_solve_lower_triangular_mut(&mut change) {
            return None;
        }
        if !self.r.solve_upper_triangular_mut(&mut z) {
            return None;
        }
        let mut lambda = vec![0.0; self.order.len()];
        self.order.iter().zip(z.iter()).for_each(|(&row, value)| lambda[row] = *value);
        let a = free + change;
        a.iter().all(|a| a.is_finite()).then(|| (a.as_slice().to_vec(), lambda))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::KktSystem;

    #[test]
    fn the_same_as_the_system_of_accelerations_and_multipliers() {
        let mass = [2.0, 0.3, 0.1, 0.3, 1.0, 0.2, 0.1, 0.2, 0.5];
        let jacobian = [1.0, -1.0, 0.5, 0.2, 0.4, -0.3];
        let (f, g) = ([1.0, 2.0, -3.0], [0.4, -0.7]);
        let nearest =
            LeastConstraint::factor(&mass, &jacobian, 3, 2).expect("a positive definite mass");
        let (a, lambda) = nearest.solve(&f, &g).expect("a solution");
        let system = KktSystem::factor(&mass, &jacobian, &jacobian, 3, 2);
        let (expected, forces) = system.solve(&f, &g).expect("a solution");
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-13);
        assert!(near(&a, &expected) && near(&lambda, &forces), "{a:?} {lambda:?}");
    }

    #[test]
    fn a_row_that_repeats_another_adds_nothing() {
        let jacobian = [1.0, 0.0, 1.0, 0.0];
        let nearest =
            LeastConstraint::factor(&[1.0, 0.0, 0.0, 1.0], &jacobian, 2, 2).expect("a mass");
        let (a, _) = nearest.solve(&[3.0, 4.0], &[0.5, 0.5]).expect("a solution");
        assert!((a[0] - 0.5).abs() < 1e-15 && (a[1] - 4.0).abs() < 1e-15, "{a:?}");
    }

    #[test]
    fn what_has_no_mass_is_told() {
        assert!(LeastConstraint::factor(&[1.0, 1.0, 1.0, 1.0], &[1.0, 0.0], 2, 1).is_none());
    }
}
