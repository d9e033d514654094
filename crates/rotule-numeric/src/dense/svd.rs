//! Singular values of small matrices of numbers, for what must be said about rank.
//!
//! Pairs of rows are rotated until all are orthogonal (one-sided Jacobi), `Q A = S V'`: rows of `Q`
//! with a vanishing singular value are the combinations of rows that say nothing, rows of `V'` span
//! what the others reach. Slower than a factorisation and exact in small singular values, which is
//! what decides here.

use rotule_symbolic::elementary::hypot;

/// Turns are repeated at most so often; a dozen is usual.
const SWEEPS: usize = 60;

/// A matrix taken apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Svd {
    /// Singular values, one per row, in no order.
    pub values: Vec<f64>,
    /// `Q`: for each singular value its combination of rows.
    pub left: Vec<Vec<f64>>,
    /// `S V'`: for each singular value the combined row.
    pub right: Vec<Vec<f64>>,
}

impl Svd {
    pub fn of(matrix: &[Vec<f64>]) -> Svd {
        let mut right = matrix.to_vec();
        let count = right.len();
        let unit = |row: usize| (0..count).map(|at| f64::from(u8::from(at == row))).collect();
        let mut left: Vec<Vec<f64>> = (0..count).map(unit).collect();
        for _ in 0..SWEEPS {
            let mut turned = false;
            for one in 0..count {
                for two in one + 1..count {
                    let a = dot(&right[one], &right[one]);
                    let b = dot(&right[two], &right[two]);
                    let c = dot(&right[one], &right[two]);
                    if c == 0.0 || c.abs() <= 1e-15 * (a * b).sqrt() {
                        continue;
                    }
                    turned = true;
                    let zeta = (b - a) / (2.0 * c);
                    let tangent = zeta.signum() / (zeta.abs() + hypot(zeta, 1.0));
                    let cosine = 1.0 / hypot(tangent, 1.0);
                    turn(&mut right, one, two, cosine, cosine * tangent);
                    turn(&mut left, one, two, cosine, cosine * tangent);
                }
            }
            if !turned {
                break;
            }
        }
        let values = right.iter().map(|row| dot(row, row).sqrt()).collect();
        Svd { values, left, right }
    }

    /// The largest singular value.
    pub fn largest(&self) -> f64 {
        self.values.iter().fold(0.0, |most, &value| most.max(value))
    }

    /// The singular values that count as zero: those below a part of the largest.
    pub fn vanishing(&self, part: f64) -> Vec<usize> {
        let least = part * self.largest();
        // What is not a number does not vanish; it shows in the results.
        (0..self.values.len()).filter(|&at| self.values[at] <= least).collect()
    }

    /// The shortest `x` that brings `A x` nearest to `b`, damped.
    pub fn solve(&self, b: &[f64], part: f64, damping: f64) -> Vec<f64> {
        let mut x = vec![0.0; self.right.first().map_or(0, Vec::len)];
        let least = part * self.largest();
        for ((&value, left), right) in self.values.iter().zip(&self.left).zip(&self.right) {
            if value <= least || value == 0.0 {
                continue;
            }
            let factor = dot(left, b) / (value * value + damping);
            x.iter_mut().zip(right).for_each(|(x, row)| *x += factor * row);
        }
        x
    }

    /// The remainder of a vector without its part along the rows.
    pub fn beyond(&self, vector: &[f64], part: f64) -> Vec<f64> {
        let mut rest = vector.to_vec();
        let least = part * self.largest();
        for (&value, right) in self.values.iter().zip(&self.right) {
            if value > least {
                let along = dot(right, &rest) / (value * value);
                rest.iter_mut().zip(right).for_each(|(x, row)| *x -= along * row);
            }
        }
        rest
    }
}

fn turn(rows: &mut [Vec<f64>], one: usize, two: usize, cosine: f64, sine: f64) {
    let (before, after) = rows.split_at_mut(two);
    for (a, b) in before[one].iter_mut().zip(&mut after[0]) {
        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::{Svd, dot};

    #[test]
    fn rank_null_combinations_and_shortest_solutions() {
        // The third row is the first plus twice the second.
        let rows =
            vec![vec![1.0, 2.0, 0.0, 1.0], vec![0.0, 1.0, 3.0, 0.0], vec![1.0, 4.0, 6.0, 1.0]];
        let svd = Svd::of(&rows);
        let none = svd.vanishing(1e-10);
        assert_eq!(none.len(), 1);
        let q = &svd.left[none[0]];
        assert!((q[0] + q[2]).abs() < 1e-14 && (q[1] + 2.0 * q[2]).abs() < 1e-14, "{q:?}");
        let b = [2.0, -1.0, 0.0];
        let x = svd.solve(&b, 1e-10, 0.0);
        rows.iter().zip(b).for_each(|(row, b)| assert!((dot(row, &x) - b).abs() < 1e-13));
        // The shortest one has nothing beyond the rows.
        assert!(svd.beyond(&x, 1e-10).iter().all(|x| x.abs() < 1e-13));
    }
}
