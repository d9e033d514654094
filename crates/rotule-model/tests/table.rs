//! The law `table`: values, slopes and conditions of random tables, and the messages about wrong
//! ones.

use rotule_model::laws::find;
use rotule_model::laws::table::MOST;
use rotule_model::{ReadOptions, Texts};
use rotule_symbolic::{Expr, Graph, Kind, Node};
use std::fmt::Write as _;

/// Numbers from 0 to 1 that look random.
struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Points in order, at distances from a millionth to a thousand.
    fn points(&mut self, count: usize) -> Vec<(f64, f64)> {
        let mut x = 200.0 * self.number() - 100.0;
        let mut point = || {
            x += 10_f64.powf(9.0 * self.number() - 6.0);
            (x, 200.0 * self.number() - 100.0)
        };
        (0..count).map(|_| point()).collect()
    }
}

/// The table of points as an expression of `x`.
fn table(graph: &mut Graph, points: &[(f64, f64)]) -> Expr {
    let mut given = vec![graph.symbol("x", Kind::Time)];
    for &(x, y) in points {
        given.extend([graph.number(x), graph.number(y)]);
    }
    find("table").expect("a law").expand(graph, &given).expect("points in order")
}

fn value(graph: &Graph, expr: Expr, x: f64) -> f64 {
    graph.evaluate_f64(&[expr], |_| Some(x)).expect("x is known")[0]
}

/// Value and slope between the points, by their definition.
fn expected(points: &[(f64, f64)], x: f64) -> (f64, f64) {
    let behind = points.iter().take_while(|point| point.0 <= x).count();
    if behind == 0 || behind == points.len() {
        return (points[behind.saturating_sub(1)].1, 0.0);
    }
    let [(x0, y0), (x1, y1)] = [points[behind - 1], points[behind]];
    let part = (x - x0) / (x1 - x0);
    (y0 * (1.0 - part) + y1 * part, (y1 - y0) / (x1 - x0))
}

#[test]
fn random_tables_are_linear_between_their_points() {
    let mut random = Random(1);
    for count in (1..40).chain([MOST]) {
        let points = random.points(count);
        let mut graph = Graph::new();
        let expr = table(&mut graph, &points);
        let x = graph.symbol("x", Kind::Time);
        let derivative = graph.derivative(expr, x);
        let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-12, "{a} is not {b}");
        // Of a long table a part will do.
        for (at, &(x, y)) in points.iter().enumerate().step_by(1 + count / 100) {
            // Exact at the point, and continuous from both sides.
            assert_eq!(value(&graph, expr, x), y);
            close(value(&graph, expr, x.next_down()), expected(&points, x.next_down()).0);
            let next = points.get(at + 1).map_or(x + 1.0, |next| next.0);
            for part in [0.1, 0.5, 0.9, 0.999_999] {
                let between = x + part * (next - x);
                let (height, slope) = expected(&points, between);
                close(value(&graph, expr, between), height);
                let found = value(&graph, derivative, between);
                assert!((found - slope).abs() <= 1e-15 * slope.abs(), "{found} is not {slope}");
            }
        }
        let (first, last) = (points[0], points[count - 1]);
        for far in [1e-9, 1.0, 1e9] {
            assert_eq!(value(&graph, expr, first.0 - far), first.1);
            assert_eq!(value(&graph, expr, last.0 + far), last.1);
            assert_eq!(value(&graph, derivative, first.0 - far), 0.0);
            assert_eq!(value(&graph, derivative, last.0 + far), 0.0);
        }
        assert!(count == 1 || value(&graph, expr, f64::NAN).is_nan());
    }
}

/// The search for conditions finds every point, and the work grows with the points alone.
#[test]
fn conditions_compare_x_with_the_points() {
    for count in [2, 3, 17, MOST] {
        let points = Random(count as u64).points(count);
        let mut graph = Graph::new();
        let expr = table(&mut graph, &points);
        let x = graph.symbol("x", Kind::Time);
        let mut compared = Vec::new();
        let mut depths = std::collections::HashMap::new();
        let (mut selects, mut deepest) = (0, 0);
        for node in graph.reachable(&[expr]) {
            let Node::Select(_, &[left, right, then, otherwise]) = graph.node(node) else {
                continue;
            };
            assert_eq!(left, x);
            compared.push(graph.number_of(right).expect("a number").to_f64());
            let depth = |e: Expr| depths.get(&e.abs()).copied().unwrap_or(0);
            let own = 1 + depth(then).max(depth(otherwise));
            depths.insert(node, own);
            (selects, deepest) = (selects + 1, own.max(deepest));
        }
        compared.sort_by(f64::total_cmp);
        compared.dedup();
        assert_eq!(compared, points.iter().map(|point| point.0).collect::<Vec<f64>>());
        // With a sum, a difference and a product that makes three operations a point.
        assert_eq!(selects, 3 * count - 3);
        assert!(deepest <= 1 + count.ilog2(), "{deepest} selects in one another");
        let derivative = graph.derivative(expr, x);
        let again = graph.reachable(&[derivative]);
        let more =
            again.iter().filter(|node| matches!(graph.node(**node), Node::Select(..))).count();
        assert_eq!(more, count, "the slope is chosen already");
    }
}

/// The findings about a model whose one joint has an effort.
fn findings(effort: &str, parameters: &str) -> String {
    let text = format!(
        "[model]\nname = \"m\"\n[parameters]\n{parameters}\n[[body]]\nname = \"a\"\nparent = \"ground\"\nmass = 1\n\
         [body.joint]\nname = \"x\"\ntype = \"prismatic\"\naxis = \"x\"\neffort = \"{effort}\"\n"
    );
    let texts = Texts::new("model.toml", text);
    texts.read(&ReadOptions::default()).diagnostics.render(texts.sources())
}

#[track_caller]
fn check(effort: &str, parameters: &str, expected: &[&str]) {
    let shown = findings(effort, parameters);
    for part in expected {
        assert!(shown.contains(part), "{shown}");
    }
    assert!(!expected.is_empty() || shown.is_empty(), "{shown}");
}

#[test]
fn points_may_be_parameters_and_values_may_change() {
    check("table(t, 0, 0, 1, 10)", "", &[]);
    check("3*table(-qd, -1, t, 30*deg, k, 1, q^2)", "k = 3", &[]);
    check("table(t, a, 0, b, 10, b + 1, k)", "a = 1\nb = 2\nk = 5", &[]);
    check("mod(t, 2)*table(mod(t, T), 0, 0, T/2, 1)", "T = 2", &[]);
}

#[test]
fn wrong_tables_are_refused() {
    let order = "the points of the law `table` are out of order";
    check(
        "1 + table(t, 0, 1, 2, 3, 1.5, 2)",
        "",
        &[order, "x3 = 1.5 is not above x2 = 2", "model.toml:13:15", "sort the points by x"],
    );
    check("table(t, 0, 1, 0, 3)", "", &[order, "x2 = 0 is not above x1 = 0"]);
    check("table(t, a, 1, a, 3)", "a = 1", &[order, "x2 = a is not above x1 = a"]);
    check("table(t, a, 1, a - 1, 3)", "a = 1", &[order, "x2 = a - 1 is not above x1 = a"]);
    // Parameters are known later: then the place is the whole text.
    check(
        "table(t, 0, 1, a, 3, b, 2)",
        "a = 2\nb = 1.5",
        &[
            "the table in the effort of joint `x` has points out of order",
            "x3 = 1.5 is not above x2 = 2",
        ],
    );
    check("table(t, 0, 1, t, 3)", "", &["x2 of the law `table` changes during a run: t"]);
    check("table(t, 0, 1, q, 3)", "", &["x2 of the law `table` changes during a run"]);
    let pairs = "takes x and then x and y of each point, found";
    check("table()", "", &[pairs, "found 0 arguments", "write `table(x, x1, y1, ...)`"]);
    check("table(t)", "", &[pairs, "found 1 arguments"]);
    check("table(t, 1)", "", &[pairs, "found 2 arguments"]);
    check("table(t, 0, 1, 2)", "", &[pairs, "found 4 arguments"]);
    check(
        "table(t, 0, -1e300, 1e-300, 1e300)",
        "",
        &["the slope of the law `table` behind x1 is not finite"],
    );
    check("table", "", &["`table`, a law without its arguments"]);
    check(
        "table2(t, t, 2, 2, 0, 1, 3, 2, 0, 0, 0, 0)",
        "",
        &["the points of the law `table2` are out of order: y2 = 2 is not above y1 = 3", "by y"],
    );
}

#[test]
fn a_table_has_at_most_a_thousand_points() {
    let long = |count: usize| {
        let mut text = String::from("table(t");
        for k in 0..count {
            let _ = write!(text, ", {k}, {}", k % 7);
        }
        text + ")"
    };
    check(&long(MOST), "", &[]);
    check(&long(MOST + 1), "", &["the law `table` takes at most 1000 points, found 1001"]);
}
