//! Symmetric 6x6 matrices as three 3x3 blocks: what a force and a torque owe to accelerations.
//!
//! ```text
//! torque = A wd   + B alpha        A and C symmetric
//! force  = B'  wd + C alpha
//! ```
//!
//! Turning a 2x2 block about an axis takes nine operations where it is symmetric and eleven where
//! it is not, against 24 by two products: with `v = s (p - t) + c (q + r)`
//!
//! ```text
//! [p q]      [p - s v   c v - r]
//! [r t]  ->  [c v - q   t + s v]
//! ```

#![allow(non_snake_case)] // symbols as in the formulas

use rotule_symbolic::{Mat3, Scalar, Vec3, sum};
use std::ops::AddAssign;

/// The blocks; components 0 to 2 are angular, 3 to 5 linear.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks<'g> {
    /// Torque by angular acceleration.
    pub A: Mat3<'g>,
    /// Torque by linear acceleration.
    pub B: Mat3<'g>,
    /// Force by linear acceleration.
    pub C: Mat3<'g>,
}

impl<'g> Blocks<'g> {
    /// Nothing.
    pub const ZERO: Blocks<'static> = Blocks { A: Mat3::ZERO, B: Mat3::ZERO, C: Mat3::ZERO };

    /// An entry of the 6x6 matrix.
    pub fn get(&self, i: usize, j: usize) -> Scalar<'g> {
        match (i / 3, j / 3) {
            (0, 0) => self.A[i][j],
            (0, _) => self.B[i][j - 3],
            (_, 0) => self.B[j][i - 3],
            _ => self.C[i - 3][j - 3],
        }
    }

    /// Sets an entry of the 6x6 matrix and its mirror image.
    pub fn set(&mut self, i: usize, j: usize, value: Scalar<'g>) {
        match (i / 3, j / 3) {
            (0, 0) => (self.A[i][j], self.A[j][i]) = (value, value),
            (0, _) => self.B[i][j - 3] = value,
            (_, 0) => self.B[j][i - 3] = value,
            _ => {
                let (i, j) = (i - 3, j - 3);
                (self.C[i][j], self.C[j][i]) = (value, value);
            }
        }
    }

    /// Names all entries.
    #[must_use]
    pub fn named(&self, name: &str) -> Blocks<'g> {
        let axes = ["x", "y", "z"];
        let block = ["IA", "IB", "IC"];
        self.map(|i, j, value| {
            let place = format!("{}{}", axes[j % 3], axes[i % 3]);
            value.named(&format!("{}{name}.{place}", block[i / 3 + j / 3]))
        })
    }

    /// A function of all entries, those above the diagonal mirrored.
    fn map(&self, function: impl Fn(usize, usize, Scalar<'g>) -> Scalar<'g>) -> Blocks<'g> {
        let mut out = Blocks::ZERO;
        for i in 0..6 {
            for j in 0..=i {
                out.set(i, j, function(i, j, self.get(i, j)));
            }
        }
        out
    }

    /// The blocks in the components of a frame that sees this one rotated by `R`.
    #[must_use]
    pub fn rotated(&self, R: Mat3<'g>) -> Blocks<'g> {
        if R == Mat3::IDENTITY {
            return *self;
        }
        let Some((axis, c, s)) = about_axis(R) else {
            return Blocks {
                A: R.congruent(self.A),
                B: R * self.B * R.transpose(),
                C: R.congruent(self.C),
            };
        };
        let [A, B, C] = [self.A, self.B, self.C].map(|block| turn(block, axis, c, s));
        Blocks { A, B, C }
    }

    /// The blocks about a point that sees the origin at `d`: `B + d~ C` and `A - (B + d~ C) d~ - (B
    /// d~)'`.
    #[must_use]
    pub fn shifted(&self, d: Vec3<'g>) -> Blocks<'g> {
        if d.is_zero() {
            return *self;
        }
        let tilde = d.tilde();
        let B = self.B + tilde * self.C;
        let mut A = self.A;
        for i in 0..3 {
            for j in 0..=i {
                let first = B.row(i).dot(tilde.column(j));
                let second = self.B.row(j).dot(tilde.column(i));
                let value = sum([A[i][j], -first, -second]);
                (A[i][j], A[j][i]) = (value, value);
            }
        }
        Blocks { A, B, C: self.C }
    }
}

impl AddAssign for Blocks<'_> {
    fn add_assign(&mut self, other: Self) {
        *self = self.map(|i, j, value| value + other.get(i, j));
    }
}

/// The axis, cosine and sine of a rotation about a frame axis.
pub(crate) fn about_axis(R: Mat3<'_>) -> Option<(usize, Scalar<'_>, Scalar<'_>)> {
    (0..3).find_map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let along = R[k][k] == Scalar::ONE
            && [R[i][k], R[j][k], R[k][i], R[k][j]].iter().all(|entry| entry.is_zero());
        let same = R[i][i] == R[j][j] && R[j][i] == -R[i][j];
        (along && same).then_some((k, R[i][i], R[j][i]))
    })
}

/// `R M R'` for a rotation about a frame axis.
pub(crate) fn turn<'g>(M: Mat3<'g>, axis: usize, c: Scalar<'g>, s: Scalar<'g>) -> Mat3<'g> {
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut out = M;
    let (difference, both) = (M[i][i] - M[j][j], M[i][j] + M[j][i]);
    let v = s * difference + c * both;
    let (across, along) = (s * v, c * v);
    out[i][i] = M[i][i] - across;
    out[j][j] = M[j][j] + across;
    out[i][j] = along - M[j][i];
    out[j][i] = along - M[i][j];
    let plane = |x: Scalar<'g>, y: Scalar<'g>| {
        let (cx, sy, sx, cy) = (c * x, s * y, s * x, c * y);
        (cx - sy, sx + cy)
    };
    (out[i][axis], out[j][axis]) = plane(M[i][axis], M[j][axis]);
    (out[axis][i], out[axis][j]) = plane(M[axis][i], M[axis][j]);
    out
}
