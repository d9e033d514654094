//! Vectors and matrices of expressions: identities of the algebra at random points, and what must
//! hold exactly, as expressions.

use proptest::prelude::*;
use rotule_symbolic::{Expr, Graph, Kind, Matrix, Node, Number, Vector};
use rotule_testing::symbolic::extended::{Extended, to_f64};

/// A vector of new inputs `name1`, `name2`, `name3`.
fn vector(graph: &mut Graph, name: &str) -> Vector {
    Vector([1, 2, 3].map(|i| graph.symbol(&format!("{name}{i}"), Kind::Parameter)))
}

/// A matrix of new inputs.
fn matrix(graph: &mut Graph, name: &str) -> Matrix {
    let rows = [1, 2, 3].map(|i| vector(graph, &format!("{name}{i}")));
    Matrix(rows.map(|row| row.0))
}

/// The rotation about an axis, from the rotated frame to the fixed one.
fn rotation(graph: &mut Graph, axis: usize, angle: Expr) -> Matrix {
    let (c, s) = (graph.cos(angle), graph.sin(angle));
    let mut rotation = Matrix::IDENTITY;
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    rotation.0[j][j] = c;
    rotation.0[k][k] = c;
    rotation.0[j][k] = -s;
    rotation.0[k][j] = s;
    rotation
}

fn entries(matrix: Matrix) -> Vec<Expr> {
    matrix.0.as_flattened().to_vec()
}

/// Values of inputs that depend on their names and a seed only.
fn input(seed: u64) -> impl Fn(&str) -> Option<f64> {
    move |name| {
        let mix = |h: u64, b: u64| (h ^ b).wrapping_mul(0x0100_0000_01b3).rotate_left(17);
        let hash = name.bytes().fold(mix(0xcbf2_9ce4_8422_2325, seed), |h, b| mix(h, b.into()));
        Some((hash >> 11) as f64 / (1u64 << 53) as f64 * 4.0 - 2.0)
    }
}

fn values(graph: &Graph, exprs: &[Expr], seed: u64) -> Vec<f64> {
    let values = graph.evaluate(exprs, &mut Extended::new(input(seed))).unwrap();
    values.iter().map(to_f64).collect()
}

/// Two lists of expressions have equal values.
fn check(title: &str, a: &[Expr], b: &[Expr], seed: u64, graph: &Graph) {
    let (x, y) = (values(graph, a, seed), values(graph, b, seed));
    for (i, (x, y)) in x.iter().zip(&y).enumerate() {
        assert!((x - y).abs() <= 1e-30 + 1e-15 * y.abs(), "{title}, {i}: {x} and {y}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn identities_of_the_algebra(seed in any::<u64>()) {
        let g = &mut Graph::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| vector(g, name));
        let [m, n] = ["m", "n"].map(|name| matrix(g, name));
        let s = g.symbol("s", Kind::Parameter);

        let cross = a.cross(b, g);
        check("a x b = tilde(a) b", &a.tilde().apply(b, g).0, &cross.0, seed, g);
        check("a x b = -(b x a)", &b.cross(a, g).0, &(-cross).0, seed, g);
        check("a . (a x b) = 0", &[a.dot(cross, g)], &[Expr::ZERO], seed, g);
        // a x (b x c) = b (a.c) - c (a.b)
        let left = a.cross(b.cross(c, g), g);
        let (ac, ab) = (a.dot(c, g), a.dot(b, g));
        let right = b.scale(ac, g).sub(c.scale(ab, g), g);
        check("a x (b x c)", &left.0, &right.0, seed, g);
        // tilde(a) tilde(b) = b a^T - (a.b) 1
        let left = a.tilde().mul(b.tilde(), g);
        let right = b.outer(a, g).sub(Matrix::IDENTITY.scale(ab, g), g);
        check("tilde(a) tilde(b)", &entries(left), &entries(right), seed, g);
        // (a b^T) c = a (b.c)
        let bc = b.dot(c, g);
        check("outer", &a.outer(b, g).apply(c, g).0, &a.scale(bc, g).0, seed, g);
        check("linear", &[a.add(b, g).dot(c, g)], &[g.add(ac, bc)], seed, g);

        let product = m.mul(n, g);
        let (left, right) = (product.transpose(), n.transpose().mul(m.transpose(), g));
        check("(A B)^T = B^T A^T", &entries(left), &entries(right), seed, g);
        let (left, right) = (product.apply(a, g), m.apply(n.apply(a, g), g));
        check("(A B) a = A (B a)", &left.0, &right.0, seed, g);
        let left = m.add(n, g).sub(n.scale(s, g), g).apply(a, g);
        let right = n.apply(a, g);
        let right = m.apply(a, g).add(right, g).sub(right.scale(s, g), g);
        check("(A + B - s B) a", &left.0, &right.0, seed, g);
        let third = m.mul(n, g).mul(m, g);
        check("(A B) A = A (B A)", &entries(third), &entries(m.mul(n.mul(m, g), g)), seed, g);
    }

    #[test]
    fn rotations_keep_lengths_and_turn_products(seed in any::<u64>()) {
        let g = &mut Graph::new();
        let [a, b] = ["a", "b"].map(|name| vector(g, name));
        let mut r = Matrix::IDENTITY;
        for axis in [2, 0, 1] {
            let angle = g.symbol(&format!("q{axis}"), Kind::Coordinate);
            let next = rotation(g, axis, angle);
            r = r.mul(next, g);
        }
        let (ra, rb) = (r.apply(a, g), r.apply(b, g));
        check("(R a).(R b) = a.b", &[ra.dot(rb, g)], &[a.dot(b, g)], seed, g);
        let cross = a.cross(b, g);
        check("R a x R b = R (a x b)", &ra.cross(rb, g).0, &r.apply(cross, g).0, seed, g);
        let unit = r.transpose().mul(r, g);
        check("R^T R = 1", &entries(unit), &entries(Matrix::IDENTITY), seed, g);
        // R tilde(a) R^T = tilde(R a)
        let turned = r.mul(a.tilde(), g).mul(r.transpose(), g);
        check("R tilde(a) R^T", &entries(turned), &entries(ra.tilde()), seed, g);
    }
}

#[test]
fn elementary_rotations_are_orthogonal_exactly() {
    let g = &mut Graph::new();
    for text in ["q1", "-q1", "q1 + q2", "2*q1 - 3*q2", "q1*q2", "q1 + pi/2", "pi/3", "0.7*q1"] {
        let angle = g.parse(text).unwrap();
        for axis in 0..3 {
            let r = rotation(g, axis, angle);
            assert_eq!(r.transpose().mul(r, g), Matrix::IDENTITY, "{text} about {axis}");
            assert_eq!(r.mul(r.transpose(), g), Matrix::IDENTITY, "{text} about {axis}");
        }
    }
}

#[test]
fn rotations_about_one_axis_add_their_angles() {
    let g = &mut Graph::new();
    let [a, b, c] = ["q1", "q2", "q3"].map(|t| g.parse(t).unwrap());
    for axis in 0..3 {
        let [ra, rb, rc] = [a, b, c].map(|angle| rotation(g, axis, angle));
        let (plus, minus, all) = (g.add(a, b), g.sub(a, b), g.sum(&[a, b, c]));
        assert_eq!(ra.mul(rb, g), rotation(g, axis, plus));
        assert_eq!(ra.mul(rb.transpose(), g), rotation(g, axis, minus));
        assert_eq!(ra.mul(rb, g).mul(rc, g), rotation(g, axis, all));
        assert_eq!(ra.mul(rb.mul(rc, g), g), rotation(g, axis, all));
        assert_eq!(ra.mul(rb, g).mul(rb.transpose(), g), ra);
    }
}

#[test]
fn a_rotation_done_twice_has_twice_the_angle() {
    let g = &mut Graph::new();
    let a = g.parse("q1").unwrap();
    let double = g.add(a, a);
    for axis in 0..3 {
        let r = rotation(g, axis, a);
        assert_eq!(r.mul(r, g), rotation(g, axis, double));
    }
    // However the two came about, it is the same product.
    let written = g.parse("2*sin(q1)*cos(q1)").unwrap();
    let product = g.parse("sin(q1)*cos(q1)").unwrap();
    let sum = g.sum(&[product, product]);
    assert_eq!(sum, written, "{} and {}", g.text(sum), g.text(written));
}

#[test]
fn named_rotations_fold_too() {
    // By names, as a formalism would do it: the sum looks through them.
    let g = &mut Graph::new();
    let [a, b] = ["q1", "q2"].map(|t| g.parse(t).unwrap());
    let (ra, rb) = (rotation(g, 2, a), rotation(g, 2, b));
    let names = ["x", "y", "z"];
    let named = Matrix(std::array::from_fn(|i| ra.row(i).name(&format!("R.{}", names[i]), g).0));
    // Sines and cosines are no atoms: each entry got a name, zeros and ones did not.
    assert_eq!((named.0[0][2], named.0[2][2]), (Expr::ZERO, Expr::ONE));
    assert!(matches!(g.node(named.0[0][0]), Node::Variable(_)));
    let sum = g.add(a, b);
    assert_eq!(named.mul(rb, g), rotation(g, 2, sum));
}

#[test]
fn products_of_rotations_about_different_axes_are_orthogonal() {
    let g = &mut Graph::new();
    let [a, b] = ["q1", "q2"].map(|t| g.parse(t).unwrap());
    for (first, second) in [(0, 1), (1, 2), (2, 0), (2, 1)] {
        let (ra, rb) = (rotation(g, first, a), rotation(g, second, b));
        let r = ra.mul(rb, g);
        assert_eq!(r.transpose().mul(r, g), Matrix::IDENTITY, "{first} {second}");
        assert_eq!(r.mul(r.transpose(), g), Matrix::IDENTITY, "{first} {second}");
    }
}

#[test]
fn units_and_zeros_cost_nothing() {
    let g = &mut Graph::new();
    let a = vector(g, "a");
    let m = matrix(g, "m");
    let before = g.len();
    assert_eq!(Matrix::IDENTITY.mul(m, g), m);
    assert_eq!(m.mul(Matrix::IDENTITY, g), m);
    assert_eq!(Matrix::ZERO.mul(m, g), Matrix::ZERO);
    assert_eq!(m.add(Matrix::ZERO, g), m);
    assert_eq!(m.sub(m, g), Matrix::ZERO);
    assert_eq!(Matrix::IDENTITY.apply(a, g), a);
    assert_eq!(a.sub(a, g), Vector::ZERO);
    assert_eq!(a.cross(a, g), Vector::ZERO);
    assert_eq!(a.scale(Expr::ONE, g), a);
    assert_eq!(m.scale(-Expr::ONE, g), -m);
    for i in 0..3 {
        let unit = Vector::unit(i);
        assert_eq!(unit.dot(a, g), a[i]);
        assert_eq!(m.apply(unit, g), m.column(i));
        assert_eq!(unit.cross(Vector::unit((i + 1) % 3), g), Vector::unit((i + 2) % 3));
        assert_eq!(Vector::unit((i + 1) % 3).cross(unit, g), -Vector::unit((i + 2) % 3));
    }
    // But for the products of `a x a`, nothing was made.
    assert_eq!(g.len(), before + 3);
}

#[test]
fn shapes() {
    let g = &mut Graph::new();
    let (a, b, m) = (vector(g, "a"), vector(g, "b"), matrix(g, "m"));
    let skew = a.tilde();
    assert_eq!(skew.transpose(), -skew);
    assert!(!skew.is_symmetric() && Vector::ZERO.tilde().is_symmetric());
    assert_eq!(m.transpose().transpose(), m);
    assert_eq!((m.row(1).0[2], m.column(2).0[1]), (m.0[1][2], m.0[1][2]));
    let outer = a.outer(b, g);
    assert_eq!(outer.0[0][2], g.mul(a[0], b[2]));
    assert_eq!(outer.transpose(), b.outer(a, g));
    assert!(a.outer(a, g).is_symmetric() && !outer.is_symmetric());
    let [xx, yy, zz, xy, xz, yz] =
        ["xx", "yy", "zz", "xy", "xz", "yz"].map(|n| g.symbol(n, Kind::Parameter));
    let inertia = Matrix::symmetric(xx, yy, zz, xy, xz, yz);
    assert!(inertia.is_symmetric());
    assert_eq!(inertia.0, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]);
    // Symmetry as expressions survives what keeps it.
    let sum = m.add(m.transpose(), g);
    assert!(sum.is_symmetric());
    assert!(m.mul(m.transpose(), g).is_symmetric());
    let half = g.number(Number::ratio(1, 2));
    assert!(inertia.scale(half, g).add(a.outer(a, g), g).is_symmetric());
}

#[test]
fn a_turned_inertia_is_symmetric() {
    let g = &mut Graph::new();
    let [xx, yy, zz, xy, xz, yz] =
        ["xx", "yy", "zz", "xy", "xz", "yz"].map(|n| g.symbol(n, Kind::Parameter));
    let full = Matrix::symmetric(xx, yy, zz, xy, xz, yz);
    let diagonal = Matrix::symmetric(xx, yy, zz, Expr::ZERO, Expr::ZERO, Expr::ZERO);
    let [a, b] = ["q1", "q2"].map(|t| g.parse(t).unwrap());
    for axis in 0..3 {
        let r = rotation(g, axis, a);
        let two = r.mul(rotation(g, (axis + 1) % 3, b), g);
        for (title, r) in [("one", r), ("two", two)] {
            for (name, inertia) in [("diagonal", diagonal), ("full", full)] {
                let turned = r.mul(inertia, g).mul(r.transpose(), g);
                check(title, &entries(turned), &entries(turned.transpose()), 7, g);
                // What a formalism relies on: about one axis, the two halves are one expression.
                if title == "one" {
                    assert!(turned.is_symmetric(), "{title} {name} about {axis}");
                }
            }
        }
        // A ball stays a ball.
        let ball = Matrix::IDENTITY.scale(xx, g);
        assert_eq!(r.mul(ball, g).mul(r.transpose(), g), ball);
    }
}
