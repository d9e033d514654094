//! Expressions with operators: handles that know the graph they live in.
//!
//! A recursion written with them reads as its formula: `m * (a + beta * l)`. An [`Expr`] is plain
//! data and means something only together with its graph; a [`Scalar`] is an expression and the
//! [`GraphCell`] that it is in, and [`Vec3`] and [`Mat3`] are three and nine of these. All are
//! copied freely. Stored data stay plain ([`Expr`], [`Vector`], [`Matrix`]): handles are made of
//! them where a recursion begins, and give them back where it ends.
//!
//! `a + b` is a sum of two, made at once; [`sum`] makes one of many terms, which rules see as a
//! whole. The constants zero and one are in every graph and need none: what else is computed of
//! constants alone must start from [`GraphCell::number`].
//!
//! ```
//! use rotule_symbolic::{Graph, GraphCell, Kind, Vec3};
//!
//! let cell = GraphCell::new(Graph::new());
//! let q = cell.symbol("q", Kind::Coordinate);
//! let arm = cell.symbol("l", Kind::Parameter) * Vec3::new([q.cos(), q.sin(), Vec3::ZERO[2]]);
//! assert_eq!(cell.text(arm.dot(arm)), "l^2");
//! ```

use crate::expr::Expr;
use crate::function::{Binary, Compare, Kind, Unary};
use crate::graph::Graph;
use crate::number::Number;
use crate::vector::{Matrix, Vector};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Index, IndexMut, Mul, Neg, Sub, SubAssign};

/// A graph that handles write into. It is lent for the time of one operation only, so that handles
/// can be copied and mixed at will.
#[derive(Clone)]
pub struct GraphCell(RefCell<Graph>);

impl GraphCell {
    /// A graph to be written into by handles.
    pub fn new(graph: Graph) -> GraphCell {
        GraphCell(RefCell::new(graph))
    }

    /// The graph, when nothing is written any more.
    pub fn into_inner(self) -> Graph {
        self.0.into_inner()
    }

    /// Looks at the graph. Handles must not be computed with meanwhile.
    pub fn read<T>(&self, look: impl FnOnce(&Graph) -> T) -> T {
        look(&self.0.borrow())
    }

    /// Writes into the graph directly. Handles must not be computed with meanwhile.
    pub fn edit<T>(&self, write: impl FnOnce(&mut Graph) -> T) -> T {
        write(&mut self.0.borrow_mut())
    }

    /// A plain expression of this graph as a handle.
    pub fn scalar(&self, expr: Expr) -> Scalar<'_> {
        Scalar { expr, cell: Some(self) }
    }

    /// A plain vector of this graph as handles.
    pub fn vector(&self, vector: Vector) -> Vec3<'_> {
        Vec3(vector.0.map(|expr| self.scalar(expr)))
    }

    /// A plain matrix of this graph as handles.
    pub fn matrix(&self, matrix: Matrix) -> Mat3<'_> {
        Mat3(matrix.0.map(|row| row.map(|expr| self.scalar(expr))))
    }

    /// Plain expressions of this graph as handles.
    pub fn scalars(&self, list: &[Expr]) -> Vec<Scalar<'_>> {
        list.iter().map(|&expr| self.scalar(expr)).collect()
    }

    /// A number.
    pub fn number(&self, number: impl Into<Number>) -> Scalar<'_> {
        self.scalar(self.edit(|graph| graph.number(number)))
    }

    /// A symbol: see [`Graph::symbol`].
    pub fn symbol(&self, name: &str, kind: Kind) -> Scalar<'_> {
        self.scalar(self.edit(|graph| graph.symbol(name, kind)))
    }

    /// The text of an expression.
    pub fn text(&self, scalar: Scalar<'_>) -> String {
        self.read(|graph| graph.text(scalar.expr))
    }

    /// Number of operations of an evaluation of these expressions: the measure of what is cheaper.
    pub fn operations<'g>(&'g self, list: impl IntoIterator<Item = Scalar<'g>>) -> u64 {
        let list: Vec<Expr> = list.into_iter().map(Scalar::expr).collect();
        self.read(|graph| graph.evaluation_counts(&list).total())
    }
}

/// An expression that knows its graph.
#[derive(Clone, Copy)]
pub struct Scalar<'g> {
    expr: Expr,
    /// None for the constants zero and one, which every graph has.
    cell: Option<&'g GraphCell>,
}

/// Three scalars: the components of a vector in some frame.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Vec3<'g>(pub [Scalar<'g>; 3]);

/// Nine scalars, by rows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mat3<'g>(pub [[Scalar<'g>; 3]; 3]);

/// The sum of several terms, as one sum.
pub fn sum<T: Sum<T>>(terms: impl IntoIterator<Item = T>) -> T {
    terms.into_iter().sum()
}

/// The graph that two handles share; in debug builds handles of two graphs are refused.
fn common<'g>(a: Option<&'g GraphCell>, b: Option<&'g GraphCell>) -> Option<&'g GraphCell> {
    if let (Some(a), Some(b)) = (a, b) {
        debug_assert!(std::ptr::eq(a, b), "expressions of two graphs are mixed");
    }
    a.or(b)
}

/// Writes into a graph, or computes with the constants that need none.
fn write<'g>(cell: Option<&'g GraphCell>, make: impl FnOnce(&mut Graph) -> Expr) -> Scalar<'g> {
    let expr = match cell {
        Some(cell) => cell.edit(make),
        None => {
            let mut graph = Graph::new();
            let (before, expr) = (graph.len(), make(&mut graph));
            assert_eq!(before, graph.len(), "constants other than 0 and 1 belong to a graph");
            expr
        }
    };
    Scalar { expr, cell }
}

impl<'g> Scalar<'g> {
    /// The number zero.
    pub const ZERO: Scalar<'static> = Scalar { expr: Expr::ZERO, cell: None };
    /// The number one.
    pub const ONE: Scalar<'static> = Scalar { expr: Expr::ONE, cell: None };

    /// The plain expression.
    pub fn expr(self) -> Expr {
        self.expr
    }

    /// Returns `true` if it is the number zero.
    pub fn is_zero(self) -> bool {
        self.expr == Expr::ZERO
    }

    /// The scalar, negated if `negative`.
    #[must_use]
    pub fn negated_if(self, negative: bool) -> Scalar<'g> {
        Scalar { expr: self.expr.negated_if(negative), ..self }
    }

    /// Its square.
    #[must_use]
    pub fn square(self) -> Scalar<'g> {
        write(self.cell, |graph| graph.square(self.expr))
    }

    /// Its square root.
    #[must_use]
    pub fn sqrt(self) -> Scalar<'g> {
        write(self.cell, |graph| graph.sqrt(self.expr))
    }

    /// Its sine.
    #[must_use]
    pub fn sin(self) -> Scalar<'g> {
        write(self.cell, |graph| graph.sin(self.expr))
    }

    /// Its cosine.
    #[must_use]
    pub fn cos(self) -> Scalar<'g> {
        write(self.cell, |graph| graph.cos(self.expr))
    }

    /// A function of it.
    #[must_use]
    pub fn unary(self, function: Unary) -> Scalar<'g> {
        write(self.cell, |graph| graph.unary(function, self.expr))
    }

    /// A function of it and another.
    #[must_use]
    pub fn binary(self, function: Binary, other: Scalar<'g>) -> Scalar<'g> {
        let cell = common(self.cell, other.cell);
        write(cell, |graph| graph.binary(function, self.expr, other.expr))
    }

    /// It where `a` and `b` compare so, else another.
    #[must_use]
    pub fn where_else(
        self,
        compare: Compare,
        a: Scalar<'g>,
        b: Scalar<'g>,
        other: Scalar<'g>,
    ) -> Scalar<'g> {
        let cell = common(common(self.cell, other.cell), common(a.cell, b.cell));
        write(cell, |graph| graph.select(compare, a.expr, b.expr, self.expr, other.expr))
    }

    /// Its shortest form: see [`Graph::shorten`].
    #[must_use]
    pub fn shortened(self) -> Scalar<'g> {
        write(self.cell, |graph| graph.shorten(&[self.expr])[0])
    }

    /// The factor that all its terms have in common, and the rest: see [`Graph::common_factor`].
    pub fn common_factor(self) -> (Scalar<'g>, Scalar<'g>) {
        let mut rest = self.expr;
        let front = write(self.cell, |graph| {
            let front;
            (front, rest) = graph.common_factor(self.expr);
            front
        });
        (front, Scalar { expr: rest, ..self })
    }

    /// A variable of this name that stands for it: see [`Graph::name`].
    #[must_use]
    pub fn named(self, name: &str) -> Scalar<'g> {
        match self.cell {
            Some(_) => write(self.cell, |graph| graph.name(name, self.expr)),
            None => self,
        }
    }
}

impl PartialEq for Scalar<'_> {
    fn eq(&self, other: &Scalar<'_>) -> bool {
        if let (Some(a), Some(b)) = (self.cell, other.cell) {
            debug_assert!(std::ptr::eq(a, b), "expressions of two graphs are compared");
        }
        self.expr == other.expr
    }
}

impl fmt::Debug for Scalar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expr.fmt(f)
    }
}

impl<'g> Neg for Scalar<'g> {
    type Output = Scalar<'g>;
    fn neg(self) -> Scalar<'g> {
        self.negated_if(true)
    }
}

impl<'g> Add for Scalar<'g> {
    type Output = Scalar<'g>;
    fn add(self, other: Scalar<'g>) -> Scalar<'g> {
        write(common(self.cell, other.cell), |graph| graph.add(self.expr, other.expr))
    }
}

impl<'g> Sub for Scalar<'g> {
    type Output = Scalar<'g>;
    fn sub(self, other: Scalar<'g>) -> Scalar<'g> {
        write(common(self.cell, other.cell), |graph| graph.sub(self.expr, other.expr))
    }
}

impl<'g> Mul for Scalar<'g> {
    type Output = Scalar<'g>;
    fn mul(self, other: Scalar<'g>) -> Scalar<'g> {
        write(common(self.cell, other.cell), |graph| graph.mul(self.expr, other.expr))
    }
}

impl<'g> Div for Scalar<'g> {
    type Output = Scalar<'g>;
    fn div(self, other: Scalar<'g>) -> Scalar<'g> {
        write(common(self.cell, other.cell), |graph| graph.div(self.expr, other.expr))
    }
}

impl<'g> Sum for Scalar<'g> {
    fn sum<I: Iterator<Item = Scalar<'g>>>(terms: I) -> Scalar<'g> {
        let mut cell = None;
        let terms: SmallVec<[Expr; 8]> = terms
            .map(|term| {
                cell = common(cell, term.cell);
                term.expr
            })
            .collect();
        if terms.is_empty() {
            return Scalar::ZERO;
        }
        write(cell, |graph| graph.sum(&terms))
    }
}

impl<'g> Vec3<'g> {
    /// The zero vector.
    pub const ZERO: Vec3<'static> = Vec3([Scalar::ZERO; 3]);

    /// The vector with these components.
    pub fn new(components: [Scalar<'g>; 3]) -> Vec3<'g> {
        Vec3(components)
    }

    /// The unit vector along axis 0, 1 or 2.
    pub fn unit(axis: usize) -> Vec3<'g> {
        Vec3::along(axis, Scalar::ONE)
    }

    /// The vector of one component along axis 0, 1 or 2.
    pub fn along(axis: usize, value: Scalar<'g>) -> Vec3<'g> {
        let mut vector = Vec3::ZERO;
        vector.0[axis] = value;
        vector
    }

    /// The plain vector.
    pub fn plain(self) -> Vector {
        Vector(self.0.map(Scalar::expr))
    }

    /// Returns `true` if all components are the number zero.
    pub fn is_zero(self) -> bool {
        self.0.iter().all(|component| component.is_zero())
    }

    /// The scalar product.
    pub fn dot(self, other: Vec3<'g>) -> Scalar<'g> {
        sum([0, 1, 2].map(|i| self[i] * other[i]))
    }

    /// The vector product.
    #[must_use]
    pub fn cross(self, other: Vec3<'g>) -> Vec3<'g> {
        Vec3([0, 1, 2].map(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            self[j] * other[k] - self[k] * other[j]
        }))
    }

    /// The skew matrix with `tilde(a) b = a x b`.
    pub fn tilde(self) -> Mat3<'g> {
        let [x, y, z] = self.0;
        let o = Scalar::ZERO;
        Mat3([[o, -z, y], [z, o, -x], [-y, x, o]])
    }

    /// The matrix with entries `a_i b_j`.
    pub fn outer(self, other: Vec3<'g>) -> Mat3<'g> {
        Mat3(self.0.map(|a| other.0.map(|b| a * b)))
    }

    /// Names the components `name.x`, `name.y`, `name.z`.
    #[must_use]
    pub fn named(self, name: &str) -> Vec3<'g> {
        let axes = ["x", "y", "z"];
        Vec3([0, 1, 2].map(|i| self[i].named(&format!("{name}.{}", axes[i]))))
    }
}

impl<'g> Mat3<'g> {
    /// The zero matrix.
    pub const ZERO: Mat3<'static> = Mat3([[Scalar::ZERO; 3]; 3]);

    /// The unit matrix.
    pub const IDENTITY: Mat3<'static> = Mat3([
        [Scalar::ONE, Scalar::ZERO, Scalar::ZERO],
        [Scalar::ZERO, Scalar::ONE, Scalar::ZERO],
        [Scalar::ZERO, Scalar::ZERO, Scalar::ONE],
    ]);

    /// The plain matrix.
    pub fn plain(self) -> Matrix {
        Matrix(self.0.map(|row| row.map(Scalar::expr)))
    }

    /// A row.
    pub fn row(self, i: usize) -> Vec3<'g> {
        Vec3(self.0[i])
    }

    /// A column.
    pub fn column(self, j: usize) -> Vec3<'g> {
        Vec3([0, 1, 2].map(|i| self.0[i][j]))
    }

    /// The transposed matrix.
    #[must_use]
    pub fn transpose(self) -> Mat3<'g> {
        Mat3([0, 1, 2].map(|i| self.column(i).0))
    }

    /// Returns `true` if the entries mirror each other as expressions.
    pub fn is_symmetric(self) -> bool {
        self == self.transpose()
    }

    /// The rotation by an angle about a unit axis: `c I + s tilde(e) + (1 - c) e e^T`.
    #[allow(non_snake_case)] // as in the formula
    pub fn rotation(axis: Vec3<'g>, angle: Scalar<'g>) -> Mat3<'g> {
        if angle.is_zero() {
            return Mat3::IDENTITY;
        }
        let (s, c) = (angle.sin(), angle.cos());
        let mut R = (Scalar::ONE - c) * axis.outer(axis) + s * axis.tilde();
        for i in 0..3 {
            // On the axis itself the sum c + (1 - c) is one, exactly.
            let along = axis[i] == Scalar::ONE || axis[i] == -Scalar::ONE;
            R[i][i] = if along { Scalar::ONE } else { R[i][i] + c };
        }
        R
    }

    /// `R M R^T` of a symmetric `M` with this as `R`: the same tensor in other axes.
    #[must_use]
    pub fn congruent(self, matrix: Mat3<'g>) -> Mat3<'g> {
        let left = self * matrix;
        let mut out = Mat3::ZERO;
        for i in 0..3 {
            for j in 0..=i {
                let value = left.row(j).dot(self.row(i));
                (out.0[i][j], out.0[j][i]) = (value, value);
            }
        }
        out
    }

    /// Names the entries `name.xx`, `name.xy` and so on.
    #[must_use]
    pub fn named(self, name: &str) -> Mat3<'g> {
        let axes = ["x", "y", "z"];
        let entry =
            |i: usize, j: usize| self.0[i][j].named(&format!("{name}.{}{}", axes[i], axes[j]));
        Mat3([0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j))))
    }

    /// Names the entries of a symmetric matrix; those below the diagonal become the ones above.
    #[must_use]
    pub fn named_symmetric(self, name: &str) -> Mat3<'g> {
        let axes = ["x", "y", "z"];
        let mut named = self;
        for i in 0..3 {
            for j in i..3 {
                named.0[i][j] = self.0[i][j].named(&format!("{name}.{}{}", axes[i], axes[j]));
                named.0[j][i] = named.0[i][j];
            }
        }
        named
    }
}

impl<'g> Index<usize> for Vec3<'g> {
    type Output = Scalar<'g>;
    fn index(&self, i: usize) -> &Scalar<'g> {
        &self.0[i]
    }
}

impl<'g> IndexMut<usize> for Vec3<'g> {
    fn index_mut(&mut self, i: usize) -> &mut Scalar<'g> {
        &mut self.0[i]
    }
}

impl<'g> Index<usize> for Mat3<'g> {
    type Output = [Scalar<'g>; 3];
    fn index(&self, i: usize) -> &[Scalar<'g>; 3] {
        &self.0[i]
    }
}

impl<'g> IndexMut<usize> for Mat3<'g> {
    fn index_mut(&mut self, i: usize) -> &mut [Scalar<'g>; 3] {
        &mut self.0[i]
    }
}

impl<'g> Neg for Vec3<'g> {
    type Output = Vec3<'g>;
    fn neg(self) -> Vec3<'g> {
        Vec3(self.0.map(|a| -a))
    }
}

impl<'g> Neg for Mat3<'g> {
    type Output = Mat3<'g>;
    fn neg(self) -> Mat3<'g> {
        Mat3(self.0.map(|row| row.map(|a| -a)))
    }
}

impl<'g> Add for Vec3<'g> {
    type Output = Vec3<'g>;
    fn add(self, other: Vec3<'g>) -> Vec3<'g> {
        Vec3([0, 1, 2].map(|i| self[i] + other[i]))
    }
}

impl<'g> Sub for Vec3<'g> {
    type Output = Vec3<'g>;
    fn sub(self, other: Vec3<'g>) -> Vec3<'g> {
        self + -other
    }
}

impl<'g> Add for Mat3<'g> {
    type Output = Mat3<'g>;
    fn add(self, other: Mat3<'g>) -> Mat3<'g> {
        Mat3([0, 1, 2].map(|i| (self.row(i) + other.row(i)).0))
    }
}

impl<'g> Sub for Mat3<'g> {
    type Output = Mat3<'g>;
    fn sub(self, other: Mat3<'g>) -> Mat3<'g> {
        self + -other
    }
}

impl<'g> Mul<Vec3<'g>> for Scalar<'g> {
    type Output = Vec3<'g>;
    fn mul(self, vector: Vec3<'g>) -> Vec3<'g> {
        Vec3(vector.0.map(|a| self * a))
    }
}

impl<'g> Mul<Mat3<'g>> for Scalar<'g> {
    type Output = Mat3<'g>;
    fn mul(self, matrix: Mat3<'g>) -> Mat3<'g> {
        Mat3(matrix.0.map(|row| row.map(|a| self * a)))
    }
}

impl<'g> Div<Scalar<'g>> for Vec3<'g> {
    type Output = Vec3<'g>;
    fn div(self, divisor: Scalar<'g>) -> Vec3<'g> {
        Vec3(self.0.map(|a| a / divisor))
    }
}

impl<'g> Mul<Vec3<'g>> for Mat3<'g> {
    type Output = Vec3<'g>;
    fn mul(self, vector: Vec3<'g>) -> Vec3<'g> {
        Vec3([0, 1, 2].map(|i| self.row(i).dot(vector)))
    }
}

impl<'g> Mul for Mat3<'g> {
    type Output = Mat3<'g>;
    fn mul(self, other: Mat3<'g>) -> Mat3<'g> {
        Mat3([0, 1, 2].map(|i| [0, 1, 2].map(|j| self.row(i).dot(other.column(j)))))
    }
}

impl<'g> Sum for Vec3<'g> {
    fn sum<I: Iterator<Item = Vec3<'g>>>(terms: I) -> Vec3<'g> {
        let terms: SmallVec<[Vec3<'g>; 8]> = terms.collect();
        Vec3([0, 1, 2].map(|i| sum(terms.iter().map(|term| term[i]))))
    }
}

impl<'g> Sum for Mat3<'g> {
    fn sum<I: Iterator<Item = Mat3<'g>>>(terms: I) -> Mat3<'g> {
        let terms: SmallVec<[Mat3<'g>; 8]> = terms.collect();
        Mat3([0, 1, 2].map(|i| [0, 1, 2].map(|j| sum(terms.iter().map(|term| term[i][j])))))
    }
}

macro_rules! assign {
    ($($name:ident)*) => {
        $(impl AddAssign for $name<'_> {
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl SubAssign for $name<'_> {
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        })*
    };
}

assign! { Scalar Vec3 Mat3 }

#[cfg(test)]
mod tests {
    use super::*;

    fn cell() -> GraphCell {
        GraphCell::new(Graph::new())
    }

    #[test]
    fn handles_read_as_formulas() {
        let cell = cell();
        let symbol = |name: &str| cell.symbol(name, Kind::Parameter);
        let (m, w) = (symbol("m"), Vec3::along(2, symbol("w")));
        let r = Vec3([symbol("x"), symbol("y"), Scalar::ZERO]);
        let force = m * w.cross(w.cross(r));
        let expected = ["-m*w^2*x", "-m*w^2*y", "0"];
        for (component, expected) in force.0.into_iter().zip(expected) {
            let expected = cell.edit(|graph| graph.parse(expected).expect("an expression"));
            assert_eq!(component.expr(), expected, "{}", cell.text(component));
        }
        assert_eq!(w.tilde() * r, w.cross(r));
        assert_eq!((Mat3::IDENTITY * w.tilde()).transpose(), -w.tilde());
    }

    #[test]
    fn handles_write_what_plain_vectors_do() {
        let cell = cell();
        let vector = |name: &str| {
            let part = |axis: &str| cell.symbol(&format!("{name}.{axis}"), Kind::Parameter);
            Vec3(["x", "y", "z"].map(part))
        };
        let (a, b, q) = (vector("a"), vector("b"), cell.symbol("q", Kind::Coordinate));
        let rotation = Mat3::rotation(Vec3::unit(1), q);
        let inertia = a.outer(b) + b.outer(a);
        let plain = cell.edit(|graph| {
            let rotation = Matrix::rotation(Vector::unit(1), q.expr(), graph);
            let (a, b) = (a.plain(), b.plain());
            let inertia = a.outer(b, graph).add(b.outer(a, graph), graph);
            (a.cross(b, graph), rotation.apply(a, graph), rotation.congruent(inertia, graph))
        });
        assert_eq!(a.cross(b).plain(), plain.0);
        assert_eq!((rotation * a).plain(), plain.1);
        assert_eq!(rotation.congruent(inertia).plain(), plain.2);
    }

    #[test]
    fn constants_need_no_graph() {
        assert_eq!(Vec3::unit(0).cross(Vec3::unit(1)), Vec3::unit(2));
        assert_eq!(Mat3::IDENTITY * Mat3::IDENTITY, Mat3::IDENTITY);
        assert!((Scalar::ONE - Scalar::ONE).is_zero());
    }

    #[test]
    #[should_panic(expected = "belong to a graph")]
    fn other_constants_belong_to_a_graph() {
        let _ = Scalar::ONE + Scalar::ONE;
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "expressions of two graphs are mixed")]
    fn two_graphs_are_not_mixed() {
        let (one, other) = (cell(), cell());
        let _ = one.symbol("x", Kind::Parameter) + other.symbol("y", Kind::Parameter);
    }

    #[test]
    fn graphs_with_handles_can_be_sent() {
        fn send<T: Send>() {}
        send::<GraphCell>();
    }
}
