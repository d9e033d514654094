//! Symmetric 6x6 matrices as three 3x3 blocks: what a force and a torque owe to accelerations.
//!
//! ```text
//! torque = A wd   + B alpha        A and C symmetric
//! force  = B^T wd + C alpha
//! ```
//!
//! Turning a 2x2 block about an axis takes nine operations where it is symmetric and eleven where
//! it is not, against 24 by two products: with `v = s (p - t) + c (q + r)`
//!
//! ```text
//! [p q]      [p - s v   c v - r]
//! [r t]  ->  [c v - q   t + s v]
//! ```

use rotule_symbolic::{Expr, Graph, Matrix, Vector};

/// The blocks; components 0 to 2 are angular, 3 to 5 linear.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// Torque by angular acceleration.
    pub a: Matrix,
    /// Torque by linear acceleration.
    pub b: Matrix,
    /// Force by linear acceleration.
    pub c: Matrix,
}

impl Blocks {
    /// Nothing.
    pub const ZERO: Blocks = Blocks { a: Matrix::ZERO, b: Matrix::ZERO, c: Matrix::ZERO };

    /// An entry of the 6x6 matrix.
    pub fn get(&self, i: usize, j: usize) -> Expr {
        match (i / 3, j / 3) {
            (0, 0) => self.a.0[i][j],
            (0, _) => self.b.0[i][j - 3],
            (_, 0) => self.b.0[j][i - 3],
            _ => self.c.0[i - 3][j - 3],
        }
    }

    /// Sets an entry of the 6x6 matrix and its mirror image.
    pub fn set(&mut self, i: usize, j: usize, value: Expr) {
        match (i / 3, j / 3) {
            (0, 0) => (self.a.0[i][j], self.a.0[j][i]) = (value, value),
            (0, _) => self.b.0[i][j - 3] = value,
            (_, 0) => self.b.0[j][i - 3] = value,
            _ => {
                let (i, j) = (i - 3, j - 3);
                (self.c.0[i][j], self.c.0[j][i]) = (value, value);
            }
        }
    }

    /// The sum.
    #[must_use]
    pub fn add(&self, other: &Blocks, graph: &mut Graph) -> Blocks {
        self.map(|i, j, value| graph.add(value, other.get(i, j)))
    }

    /// Names all entries.
    #[must_use]
    pub fn name(&self, name: &str, graph: &mut Graph) -> Blocks {
        let axes = ["x", "y", "z"];
        let block = ["IA", "IB", "IC"];
        self.map(|i, j, value| {
            let label = format!("{}{name}.{}{}", block[i / 3 + j / 3], axes[j % 3], axes[i % 3]);
            graph.name(&label, value)
        })
    }

    /// A function of all entries, those above the diagonal mirrored.
    fn map(&self, mut function: impl FnMut(usize, usize, Expr) -> Expr) -> Blocks {
        let mut out = Blocks::ZERO;
        for i in 0..6 {
            for j in 0..=i {
                let value = function(i, j, self.get(i, j));
                out.set(i, j, value);
            }
        }
        out
    }

    /// The blocks in the components of a frame that sees this one rotated.
    #[must_use]
    pub fn turned(&self, rotation: Matrix, graph: &mut Graph) -> Blocks {
        if rotation == Matrix::IDENTITY {
            return *self;
        }
        let Some((axis, cosine, sine)) = about_axis(rotation) else {
            let mut out = Blocks::ZERO;
            out.a = rotation.congruent(self.a, graph);
            out.b = rotation.mul(self.b, graph).mul(rotation.transpose(), graph);
            out.c = rotation.congruent(self.c, graph);
            return out;
        };
        let turn = |matrix: Matrix, graph: &mut Graph| turn(matrix, axis, cosine, sine, graph);
        Blocks { a: turn(self.a, graph), b: turn(self.b, graph), c: turn(self.c, graph) }
    }

    /// The blocks about a point that sees the origin at `arm`: `B + d~ C` and `A - (B + d~ C) d~ -
    /// (B d~)^T`.
    #[must_use]
    pub fn shifted(&self, arm: Vector, graph: &mut Graph) -> Blocks {
        if arm == Vector::ZERO {
            return *self;
        }
        let tilde = arm.tilde();
        let lever = tilde.mul(self.c, graph);
        let b = self.b.add(lever, graph);
        let mut a = self.a;
        for i in 0..3 {
            for j in 0..=i {
                let first = b.row(i).dot(tilde.column(j), graph);
                let second = self.b.row(j).dot(tilde.column(i), graph);
                let value = graph.sum(&[a.0[i][j], -first, -second]);
                (a.0[i][j], a.0[j][i]) = (value, value);
            }
        }
        Blocks { a, b, c: self.c }
    }
}

/// The axis, cosine and sine of a rotation about a frame axis.
pub(crate) fn about_axis(rotation: Matrix) -> Option<(usize, Expr, Expr)> {
    (0..3).find_map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let r = rotation.0;
        let along = r[k][k] == Expr::ONE
            && [r[i][k], r[j][k], r[k][i], r[k][j]].iter().all(|&entry| entry == Expr::ZERO);
        let same = r[i][i] == r[j][j] && r[j][i] == -r[i][j];
        (along && same).then_some((k, r[i][i], r[j][i]))
    })
}

/// `R M R^T` for a rotation about a frame axis.
pub(crate) fn turn(
    matrix: Matrix,
    axis: usize,
    cosine: Expr,
    sine: Expr,
    graph: &mut Graph,
) -> Matrix {
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let m = matrix.0;
    let mut out = matrix.0;
    let difference = graph.sub(m[i][i], m[j][j]);
    let sum = graph.add(m[i][j], m[j][i]);
    let (first, second) = (graph.mul(sine, difference), graph.mul(cosine, sum));
    let v = graph.add(first, second);
    let (across, along) = (graph.mul(sine, v), graph.mul(cosine, v));
    out[i][i] = graph.sub(m[i][i], across);
    out[j][j] = graph.add(m[j][j], across);
    out[i][j] = graph.sub(along, m[j][i]);
    out[j][i] = graph.sub(along, m[i][j]);
    let mut plane = |x: Expr, y: Expr| {
        let (cx, sy) = (graph.mul(cosine, x), graph.mul(sine, y));
        let (sx, cy) = (graph.mul(sine, x), graph.mul(cosine, y));
        (graph.sub(cx, sy), graph.add(sx, cy))
    };
    (out[i][axis], out[j][axis]) = plane(m[i][axis], m[j][axis]);
    (out[axis][i], out[axis][j]) = plane(m[axis][i], m[axis][j]);
    Matrix(out)
}
