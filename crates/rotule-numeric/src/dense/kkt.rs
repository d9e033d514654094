//! The KKT system of accelerations, or increments, and multipliers, dense.
//!
//! ```text
//! [ A  -B' ] [ x      ]   [ f ]
//! [ C   0  ] [ lambda ] = [ g ]
//! ```
//!
//! `A` may be singular, as it is where bodies have no mass, as long as what it does not see is
//! ruled by the rows of `C`. Both kinds of rows are brought to one size first, so that the choice
//! of pivots is not one of units.

use nalgebra::{DMatrix, DVector, Dyn, LU};

/// The system, factored.
#[derive(Clone, Debug)]
pub struct KktSystem {
    lu: LU<f64, Dyn, Dyn>,
    size: usize,
    rows: usize,
    scale: f64,
}

impl KktSystem {
    /// Factors the system of `size` unknowns and `rows` multipliers; matrices are by rows.
    pub fn factor(a: &[f64], b: &[f64], c: &[f64], size: usize, rows: usize) -> KktSystem {
        let largest = |values: &[f64]| values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let scale = largest(a) / largest(b);
        let scale = if scale.is_finite() && scale > 0.0 { scale } else { 1.0 };
        let mut matrix = DMatrix::zeros(size + rows, size + rows);
        for row in 0..size {
            for column in 0..size {
                matrix[(row, column)] = a[row * size + column];
            }
            for multiplier in 0..rows {
                matrix[(row, size + multiplier)] = -scale * b[multiplier * size + row];
            }
        }
        for row in 0..rows {
            for column in 0..size {
                matrix[(size + row, column)] = scale * c[row * size + column];
            }
        }
        KktSystem { lu: LU::new(matrix), size, rows, scale }
    }

    /// The unknowns and the multipliers; none if the system is singular.
    pub fn solve(&self, f: &[f64], g: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        if self.size + self.rows == 0 {
            return Some((Vec::new(), Vec::new()));
        }
        let right = f.iter().copied().chain(g.iter().map(|g| self.scale * g));
        let mut right = DVector::from_iterator(self.size + self.rows, right);
        let solved = self.lu.solve_mut(&mut right);
        if !solved || right.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let (x, lambda) = right.as_slice().split_at(self.size);
        Some((x.to_vec(), lambda.iter().map(|value| self.scale * value).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mass_on_a_slope() {
        // Two unknowns, one row: x = y, pulled along y with 2.
        let system = KktSystem::factor(&[1.0, 0.0, 0.0, 1.0], &[1.0, -1.0], &[1.0, -1.0], 2, 1);
        let (x, lambda) = system.solve(&[0.0, 2.0], &[0.0]).expect("a regular system");
        assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 1.0).abs() < 1e-15);
        assert!((lambda[0] - 1.0).abs() < 1e-15);
    }

    #[test]
    fn what_has_no_mass_follows_from_rows() {
        let system = KktSystem::factor(&[1e-9, 0.0, 0.0, 0.0], &[1.0, 1e3], &[1.0, 1e3], 2, 1);
        let (x, lambda) = system.solve(&[1e-9, 0.0], &[0.0]).expect("a regular system");
        assert!((x[0] - 1.0).abs() < 1e-12 && (x[1] + 1e-3).abs() < 1e-15);
        assert!(lambda[0].abs() < 1e-20);
    }

    #[test]
    fn rows_that_repeat_others_are_told() {
        let rows = [1.0, 0.0, 1.0, 0.0];
        let system = KktSystem::factor(&[1.0, 0.0, 0.0, 1.0], &rows, &rows, 2, 2);
        assert!(system.solve(&[0.0; 2], &[0.0; 2]).is_none());
    }
}
