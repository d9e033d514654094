//! Vectors and 3x3 matrices of expressions: the algebra that formalisms are written in.
//!
//! Plain arrays of handles with methods that take the graph. Products skip zeros and ones by
//! themselves, because the graph does.

use crate::expr::Expr;
use crate::graph::Graph;
use smallvec::SmallVec;
use std::ops::{Index, IndexMut, Neg};

/// Three expressions: the components of a vector in some frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector(pub [Expr; 3]);

/// Nine expressions, by rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix(pub [[Expr; 3]; 3]);

impl Vector {
    /// The zero vector.
    pub const ZERO: Vector = Vector([Expr::ZERO; 3]);

    /// The unit vector along axis 0, 1 or 2.
    pub fn unit(axis: usize) -> Vector {
        let mut unit = Vector::ZERO;
        unit[axis] = Expr::ONE;
        unit
    }

    /// `a + b`
    pub fn add(self, other: Vector, graph: &mut Graph) -> Vector {
        Vector(std::array::from_fn(|i| graph.add(self[i], other[i])))
    }

    /// The sum of several.
    pub fn sum(vectors: &[Vector], graph: &mut Graph) -> Vector {
        Vector(std::array::from_fn(|i| {
            let terms: SmallVec<[Expr; 8]> = vectors.iter().map(|vector| vector[i]).collect();
            graph.sum(&terms)
        }))
    }

    /// `a - b`
    pub fn sub(self, other: Vector, graph: &mut Graph) -> Vector {
        self.add(-other, graph)
    }

    /// A scalar times the vector.
    pub fn scale(self, factor: Expr, graph: &mut Graph) -> Vector {
        Vector(self.0.map(|e| graph.mul(factor, e)))
    }

    /// The scalar product.
    pub fn dot(self, other: Vector, graph: &mut Graph) -> Expr {
        let terms: [Expr; 3] = std::array::from_fn(|i| graph.mul(self[i], other[i]));
        graph.sum(&terms)
    }

    /// The vector product.
    pub fn cross(self, other: Vector, graph: &mut Graph) -> Vector {
        Vector(std::array::from_fn(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let first = graph.mul(self[j], other[k]);
            let second = graph.mul(self[k], other[j]);
            graph.sub(first, second)
        }))
    }

    /// The skew matrix with `tilde(a) b = a x b`.
    pub fn tilde(self) -> Matrix {
        let [x, y, z] = self.0;
        let o = Expr::ZERO;
        Matrix([[o, -z, y], [z, o, -x], [-y, x, o]])
    }

    /// The matrix with entries `a_i b_j`.
    pub fn outer(self, other: Vector, graph: &mut Graph) -> Matrix {
        Matrix(self.0.map(|a| other.0.map(|b| graph.mul(a, b))))
    }

    /// Names the components `name.x`, `name.y`, `name.z`.
    pub fn name(self, name: &str, graph: &mut Graph) -> Vector {
        let axes = ["x", "y", "z"];
        Vector(std::array::from_fn(|i| graph.name(&format!("{name}.{}", axes[i]), self[i])))
    }
}

impl Matrix {
    /// The zero matrix.
    pub const ZERO: Matrix = Matrix([[Expr::ZERO; 3]; 3]);

    /// The unit matrix.
    pub const IDENTITY: Matrix = Matrix([
        [Expr::ONE, Expr::ZERO, Expr::ZERO],
        [Expr::ZERO, Expr::ONE, Expr::ZERO],
        [Expr::ZERO, Expr::ZERO, Expr::ONE],
    ]);

    /// The rotation by an angle about a unit axis: `c I + s tilde(e) + (1 - c) e e^T`.
    pub fn rotation(axis: Vector, angle: Expr, graph: &mut Graph) -> Matrix {
        if angle == Expr::ZERO {
            return Matrix::IDENTITY;
        }
        let (sine, cosine) = (graph.sin(angle), graph.cos(angle));
        let rest = graph.sub(Expr::ONE, cosine);
        let along = axis.outer(axis, graph).scale(rest, graph);
        let across = axis.tilde().scale(sine, graph);
        let mut matrix = along.add(across, graph);
        for i in 0..3 {
            // On the axis itself the sum c + (1 - c) is one, exactly.
            matrix.0[i][i] = if axis[i] == Expr::ONE || axis[i] == -Expr::ONE {
                Expr::ONE
            } else {
                graph.add(matrix.0[i][i], cosine)
            };
        }
        matrix
    }

    /// `R M R^T` of a symmetric `M` with this as `R`: the same tensor in other axes.
    #[must_use]
    pub fn congruent(self, matrix: Matrix, graph: &mut Graph) -> Matrix {
        let left = self.mul(matrix, graph);
        let mut out = Matrix::ZERO;
        for i in 0..3 {
            for j in 0..=i {
                let value = left.row(j).dot(self.row(i), graph);
                (out.0[i][j], out.0[j][i]) = (value, value);
            }
        }
        out
    }

    /// Names the entries `name.xx`, `name.xy` and so on.
    #[must_use]
    pub fn name(self, name: &str, graph: &mut Graph) -> Matrix {
        let axes = ["x", "y", "z"];
        Matrix(std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                graph.name(&format!("{name}.{}{}", axes[i], axes[j]), self.0[i][j])
            })
        }))
    }

    /// Names the entries of a symmetric matrix; those below the diagonal become the ones above.
    #[must_use]
    pub fn name_symmetric(self, name: &str, graph: &mut Graph) -> Matrix {
        let axes = ["x", "y", "z"];
        let mut named = self;
        for i in 0..3 {
            for j in i..3 {
                let label = format!("{name}.{}{}", axes[i], axes[j]);
                named.0[i][j] = graph.name(&label, self.0[i][j]);
                named.0[j][i] = named.0[i][j];
            }
        }
        named
    }

    /// The rotation of a quaternion, w first, whose parts have the given sum of squares:
    /// `I + (2/n) (w tilde(v) + tilde(v) tilde(v))`.
    pub fn of_quaternion(parts: [Expr; 4], squares: Expr, graph: &mut Graph) -> Matrix {
        let [w, x, y, z] = parts;
        let two = graph.number(2);
        let factor = graph.div(two, squares);
        let tilde = Vector([x, y, z]).tilde();
        let first = tilde.scale(w, graph);
        let second = tilde.mul(tilde, graph);
        let sum = first.add(second, graph).scale(factor, graph);
        Matrix::IDENTITY.add(sum, graph)
    }

    /// The symmetric matrix with these entries; off-diagonal ones stand in both places.
    pub fn symmetric(xx: Expr, yy: Expr, zz: Expr, xy: Expr, xz: Expr, yz: Expr) -> Matrix {
        Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    }

    /// A row.
    pub fn row(self, i: usize) -> Vector {
        Vector(self.0[i])
    }

    /// A column.
    pub fn column(self, j: usize) -> Vector {
        Vector(std::array::from_fn(|i| self.0[i][j]))
    }

    /// The transposed matrix.
    #[must_use]
    pub fn transpose(self) -> Matrix {
        Matrix(std::array::from_fn(|i| self.column(i).0))
    }

    /// `A + B`
    pub fn add(self, other: Matrix, graph: &mut Graph) -> Matrix {
        Matrix(std::array::from_fn(|i| self.row(i).add(other.row(i), graph).0))
    }

    /// `A - B`
    pub fn sub(self, other: Matrix, graph: &mut Graph) -> Matrix {
        self.add(-other, graph)
    }

    /// A scalar times the matrix.
    pub fn scale(self, factor: Expr, graph: &mut Graph) -> Matrix {
        Matrix(self.0.map(|row| Vector(row).scale(factor, graph).0))
    }

    /// `A v`
    pub fn apply(self, vector: Vector, graph: &mut Graph) -> Vector {
        Vector(std::array::from_fn(|i| self.row(i).dot(vector, graph)))
    }

    /// `A B`
    pub fn mul(self, other: Matrix, graph: &mut Graph) -> Matrix {
        Matrix(std::array::from_fn(|i| {
            std::array::from_fn(|j| self.row(i).dot(other.column(j), graph))
        }))
    }

    /// Returns `true` if the entries mirror each other as expressions.
    pub fn is_symmetric(self) -> bool {
        self == self.transpose()
    }
}

impl Index<usize> for Vector {
    type Output = Expr;
    fn index(&self, i: usize) -> &Expr {
        &self.0[i]
    }
}

impl IndexMut<usize> for Vector {
    fn index_mut(&mut self, i: usize) -> &mut Expr {
        &mut self.0[i]
    }
}

impl Neg for Vector {
    type Output = Vector;
    fn neg(self) -> Vector {
        Vector(self.0.map(|e| -e))
    }
}

impl Neg for Matrix {
    type Output = Matrix;
    fn neg(self) -> Matrix {
        Matrix(self.0.map(|row| row.map(|e| -e)))
    }
}
