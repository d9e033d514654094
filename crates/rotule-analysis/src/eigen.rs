//! Eigenvalues and eigenvectors of a real matrix, with zero eigenvalues taken out first.
//!
//! A model that can move as a whole has zero eigenvalues in chains: a displacement that changes
//! nothing, and a speed that changes nothing but that displacement. Rounding splits such a chain of
//! length `k` into numbers of size `eps^(1/k)`, which look like slow modes. So they are taken out
//! by rank: directions that the matrix maps to zero are a basis together with their complement, in
//! which the rest has fewer of them, until it has none.
//!
//! ```text
//! [Z W]' A [Z W] = [ 0  * ]       Z: A Z = 0         the rest B has the other eigenvalues
//!                  [ 0  B ]
//! ```

use crate::rank::Rank;
use nalgebra::{Complex, DMatrix, DVector, Schur};
use rotule_formalism::Problem;
use rotule_numeric::dense::PivotedLu;
use rotule_symbolic::elementary::hypot;

/// A complex number.
pub type ComplexNumber = Complex<f64>;

/// Eigenvalues and eigenvectors; of pairs of complex ones, those above the real axis.
#[derive(Clone, Debug, Default)]
pub struct Eigen {
    /// Directions of zero eigenvalues: chains end to end, those that change nothing first.
    pub zero: Vec<Vec<f64>>,
    /// The number of directions that change nothing at all: the first ones.
    pub still: usize,
    /// The other eigenvalues, by their size.
    pub values: Vec<ComplexNumber>,
    /// Their eigenvectors.
    pub vectors: Vec<Vec<ComplexNumber>>,
}

/// The modulus, by our own function.
pub fn size(z: ComplexNumber) -> f64 {
    hypot(z.re, z.im)
}

impl Eigen {
    /// The eigenvalues of a matrix whose state is measured in units.
    pub fn of(matrix: &DMatrix<f64>, units: &[f64]) -> Result<Eigen, Problem> {
        let scales = balance(matrix, units);
        let count = matrix.nrows();
        let balanced =
            DMatrix::from_fn(count, count, |i, j| matrix[(i, j)] * scales[j] / scales[i]);
        let mut made = Eigen::default();
        // Orthonormal columns: directions that were taken out, then the complement.
        let mut basis = DMatrix::identity(count, count);
        let mut taken = 0;
        loop {
            let rest =
                (basis.transpose() * &balanced * &basis).view_range(taken.., taken..).into_owned();
            let lines: Vec<Vec<f64>> =
                rest.row_iter().map(|row| row.iter().copied().collect()).collect();
            let rank = Rank::of(&lines, rest.ncols());
            let neutral = rank.neutral();
            if neutral.is_empty() || rest.nrows() == 0 {
                break;
            }
            let all = complete(&neutral, rest.ncols());
            let turned = basis.columns_range(taken..) * all;
            basis.columns_range_mut(taken..).copy_from(&turned);
            if taken == 0 {
                made.still = neutral.len();
            }
            taken += neutral.len();
        }
        let unscaled = |column: &[f64]| -> Vec<f64> {
            column.iter().zip(&scales).map(|(x, scale)| x * scale).collect()
        };
        for column in 0..taken {
            let direction: Vec<f64> = basis.column(column).iter().copied().collect();
            made.zero.push(unscaled(&direction));
        }
        let turned = basis.transpose() * &balanced * &basis;
        let rest = turned.view_range(taken.., taken..).into_owned();
        let chain = turned.view_range(..taken, ..taken).into_owned();
        let coupling = turned.view_range(..taken, taken..).into_owned();
        for (value, vector) in pairs(&rest)? {
            // (value - N) z = C y: what is taken out follows.
            let follows = coupling.map(|x| ComplexNumber::new(x, 0.0)) * &vector;
            let shifted = PivotedLu::from_fn(taken, |i, j| {
                let own = if i == j { value } else { ComplexNumber::new(0.0, 0.0) };
                own - chain[(i, j)]
            });
            let mut whole: Vec<ComplexNumber> = follows.iter().copied().collect();
            shifted.solve(&mut whole);
            whole.extend(vector.iter().copied());
            let found = basis.map(|x| ComplexNumber::new(x, 0.0)) * DVector::from_vec(whole);
            let found = found.iter().zip(&scales).map(|(x, scale)| x * *scale).collect();
            made.values.push(value);
            made.vectors.push(found);
        }
        Ok(made)
    }
}

/// Factors of the state that bring rows and columns to one size, each a power of two times a unit,
/// so that no digit is lost (Parlett and Reinsch 1969).
fn balance(matrix: &DMatrix<f64>, units: &[f64]) -> Vec<f64> {
    let count = matrix.nrows();
    let mut scales = units.to_vec();
    for _ in 0..30 {
        let mut changed = false;
        for at in 0..count {
            let (mut row, mut column) = (0.0, 0.0);
            for other in (0..count).filter(|&other| other != at) {
                row += (matrix[(at, other)] * scales[other] / scales[at]).abs();
                column += (matrix[(other, at)] * scales[at] / scales[other]).abs();
            }
            if row == 0.0 || column == 0.0 {
                continue;
            }
            let (mut factor, sum) = (1.0, row + column);
            while column < row / 2.0 {
                (factor, column, row) = (factor * 2.0, column * 2.0, row / 2.0);
            }
            while column >= row * 2.0 {
                (factor, column, row) = (factor / 2.0, column / 2.0, row * 2.0);
            }
            if factor != 1.0 && row + column < 0.95 * sum {
                scales[at] *= factor;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    scales
}

/// An orthonormal basis that begins with some orthonormal directions.
fn complete(first: &[Vec<f64>], size: usize) -> DMatrix<f64> {
    let mut columns: Vec<DVector<f64>> =
        first.iter().map(|one| DVector::from_column_slice(one)).collect();
    let mut rest: Vec<DVector<f64>> = (0..size)
        .map(|at| DVector::from_fn(size, |row, _| f64::from(u8::from(row == at))))
        .collect();
    let remove = |vector: &mut DVector<f64>, columns: &[DVector<f64>]| {
        for _ in 0..2 {
            for column in columns {
                let along = column.dot(vector);
                vector.axpy(-along, column, 1.0);
            }
        }
    };
    rest.iter_mut().for_each(|one| remove(one, &columns));
    while columns.len() < size {
        let norms = rest.iter().map(nalgebra::Matrix::norm);
        let best = norms
            .enumerate()
            .fold((0, -1.0), |best, one| if one.1 > best.1 { one } else { best })
            .0;
        let mut next = rest.swap_remove(best);
        remove(&mut next, &columns);
        let next = next.normalize();
        rest.iter_mut().for_each(|one| {
            let along = next.dot(one);
            one.axpy(-along, &next, 1.0);
        });
        columns.push(next);
    }
    DMatrix::from_columns(&columns)
}

/// Eigenvalues on and above the real axis, by their size, with eigenvectors.
fn pairs(matrix: &DMatrix<f64>) -> Result<Vec<(ComplexNumber, DVector<ComplexNumber>)>, Problem> {
    let count = matrix.nrows();
    if count == 0 {
        return Ok(Vec::new());
    }
    let failed = || Problem::new("the eigenvalues do not converge", "");
    let limit = 200 * count;
    let real = Schur::try_new(matrix.clone(), f64::EPSILON, limit).ok_or_else(failed)?;
    let values = real.complex_eigenvalues();
    let complex = matrix.map(|x| ComplexNumber::new(x, 0.0));
    let complex = Schur::try_new(complex, f64::EPSILON, limit).ok_or_else(failed)?;
    let (q, t) = complex.unpack();
    // Each eigenvalue takes the vector of the nearest one that is left.
    let mut left: Vec<usize> = (0..count).collect();
    let mut order: Vec<ComplexNumber> =
        values.iter().copied().filter(|value| value.im >= 0.0).collect();
    order.sort_by(|a, b| {
        size(*a).total_cmp(&size(*b)).then(a.re.total_cmp(&b.re)).then(a.im.total_cmp(&b.im))
    });
    let mut found = Vec::new();
    for value in order {
        let near = |&at: &usize| size(t[(at, at)] - value);
        let at = left.iter().copied().min_by(|a, b| near(a).total_cmp(&near(b)));
        let Some(at) = at else { break };
        left.retain(|other| *other != at);
        found.push((value, &q * triangular(&t, at)));
    }
    Ok(found)
}

/// The eigenvector of a triangular matrix that belongs to an entry of its diagonal.
fn triangular(t: &DMatrix<ComplexNumber>, at: usize) -> DVector<ComplexNumber> {
    let norm = t.iter().fold(0.0_f64, |most, x| most.max(size(*x)));
    let least = f64::EPSILON * norm.max(f64::MIN_POSITIVE);
    let mut x = DVector::from_element(t.nrows(), ComplexNumber::new(0.0, 0.0));
    x[at] = ComplexNumber::new(1.0, 0.0);
    for row in (0..at).rev() {
        let sum: ComplexNumber = (row + 1..=at).map(|k| t[(row, k)] * x[k]).sum();
        let mut gap = t[(row, row)] - t[(at, at)];
        // Repeated eigenvalues are told apart by as little as rounding.
        if size(gap) < least {
            gap = ComplexNumber::new(least, 0.0);
        }
        x[row] = -sum / gap;
        // Nothing overflows: what counts is the direction.
        let largest = size(x[row]);
        if largest > 1e100 {
            x.iter_mut().for_each(|x| *x /= largest);
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::{Eigen, size};
    use nalgebra::DMatrix;

    /// Two masses on a spring that float: a chain of two zeros, and one frequency.
    #[test]
    fn floating_masses_have_a_chain_of_zeros() {
        let (k, a, b) = (3.0, 1.0, 2.0);
        let matrix = DMatrix::from_row_slice(
            4,
            4,
            &[
                0.0,
                0.0,
                1.0,
                0.0, //
                0.0,
                0.0,
                0.0,
                1.0, //
                -k / a,
                k / a,
                0.0,
                0.0, //
                k / b,
                -k / b,
                0.0,
                0.0,
            ],
        );
        let eigen = Eigen::of(&matrix, &[1.0; 4]).unwrap();
        assert_eq!((eigen.zero.len(), eigen.still, eigen.values.len()), (2, 1, 1));
        assert!((eigen.values[0].im - f64::sqrt(k / a + k / b)).abs() < 1e-13);
        assert!(eigen.values[0].re.abs() < 1e-13);
        let vector = &eigen.vectors[0];
        let ratio = vector[1] / vector[0];
        assert!((ratio.re + a / b).abs() < 1e-12 && ratio.im.abs() < 1e-12, "{ratio}");
        assert!((eigen.zero[0][0] - eigen.zero[0][1]).abs() < 1e-12);
    }

    /// Every eigenvector fulfils its equation, repeated eigenvalues included.
    #[test]
    fn vectors_belong_to_their_values() {
        let mut matrix = DMatrix::zeros(8, 8);
        for k in 0..4 {
            matrix[(k, 4 + k)] = 1.0;
            matrix[(4 + k, k)] = if k < 2 { -4.0 } else { -900.0 * (k as f64) };
            matrix[(4 + k, 4 + k)] = -0.1 * k as f64;
        }
        matrix[(5, 0)] = 1e-3;
        let eigen = Eigen::of(&matrix, &[1.0; 8]).unwrap();
        assert_eq!(eigen.values.len(), 4);
        for (value, vector) in eigen.values.iter().zip(&eigen.vectors) {
            let norm = vector.iter().fold(0.0_f64, |most, x| most.max(size(*x)));
            for row in 0..8 {
                let sum: super::ComplexNumber = (0..8).map(|k| vector[k] * matrix[(row, k)]).sum();
                assert!(size(sum - vector[row] * value) < 1e-10 * norm, "{value} {row}");
            }
        }
    }
}
