//! Moore's thesis (SYMOFROS, UQTR 2000): what it asks of a global table of temporaries and of its
//! linearisation, by the numbers M-01 to M-18 of our study. The engine may do better than the
//! thesis: then the thesis is the bound.

use rotule_symbolic::rules::Rules;
use rotule_symbolic::{Counts, Derivatives, Expr, Graph, Kind, Node, for_each_operand};
use rotule_testing::symbolic::extended::{Extended, to_f64};
use rotule_testing::symbolic::pendulum::DOUBLE_PENDULUM;
use std::collections::{HashMap, HashSet};

/// A graph that only sorts, collects and factors, as Moore's optimiser does.
fn plain() -> Graph {
    let mut graph = Graph::with_rules(Rules::none());
    graph.set_expansion(0);
    graph
}

fn both() -> [Graph; 2] {
    [plain(), Graph::new()]
}

fn read(graph: &mut Graph, text: &str) -> Expr {
    graph.parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

/// Reads texts in which earlier rows stand by their names, and names each row. (A row that is an
/// atom needs no name, so names are looked up here and not in the graph.)
fn table(graph: &mut Graph, rows: &[(&str, &str)]) -> Vec<Expr> {
    let mut known: HashMap<&str, Expr> = HashMap::new();
    rows.iter()
        .map(|(name, text)| {
            let mut scope = |graph: &mut Graph, name: &str| {
                let row = known.get(name).copied();
                Some(row.unwrap_or_else(|| graph.symbol(name, Kind::Coordinate)))
            };
            let row = graph.parse_in(text, &mut scope).expect("a row");
            let row = graph.name(name, row);
            known.insert(name, row);
            row
        })
        .collect()
}

// ---- the table ----

#[test]
fn m01_equal_products_are_one_node() {
    for mut graph in both() {
        let mut same = |texts: &[&str]| {
            let first = read(&mut graph, texts[0]);
            for text in texts {
                assert_eq!(read(&mut graph, text), first, "{text}");
            }
            first
        };
        same(&["sin(x)*cos(x)", "cos(x)*sin(x)"]);
        let five = same(&["x*y*z*sin(x)*cos(x)", "sin(x)*z*cos(x)*y*x", "cos(x)*(x*sin(x))*(z*y)"]);
        let four = same(&["x*y*sin(x)*cos(x)", "cos(x)*y*x*sin(x)"]);
        assert_ne!(four, five);
    }
}

#[test]
fn m02_three_rows_for_the_first_example() {
    // t1 = sin x; t2 = x y; t4 = t1 + t2 + t2 z. Partial products are shared by lowering.
    for mut graph in both() {
        let expr = read(&mut graph, "sin(x) + x*y + x*y*z");
        let counts = graph.counts(&[expr]);
        assert!(counts.trig == 1 && counts.multiply <= 3 && counts.add <= 2, "{counts}");
        let rows = graph.listing(&[("t4", expr)]).lines().count();
        assert!(rows <= 3, "{}", graph.listing(&[("t4", expr)]));
    }
}

/// Example 3.1.
const EQUATIONS: [&str; 3] = ["x*sin(x) + y*cos(y)", "x*sin(x) + z*w", "y*cos(y) + w*z + x*y"];

#[test]
fn m03_equations_share_what_came_before() {
    // 1 sin x; 2 x z1; 3 cos y; 4 y z3; 5 z2+z4 | 6 z w; 7 z2+z6 | 8 x y; 9 z4+z6+z8
    for mut graph in both() {
        let exprs = EQUATIONS.map(|text| read(&mut graph, text));
        let counts = graph.counts(&exprs);
        let table = Counts { add: 4, multiply: 4, divide: 0, trig: 2, other: 0 };
        assert!(counts.total() <= table.total() && counts.trig == 2, "{counts}");
        // One after the other, each brings its own operations only.
        let new: Vec<u64> = (1..=3).map(|n| graph.counts(&exprs[..n]).total()).collect();
        assert!(new[0] <= 5 && new[1] - new[0] <= 2 && new[2] - new[1] <= 3, "{new:?}");
        // The products of the first two are the very nodes of the first.
        let [xs, zw] = ["x*sin(x)", "z*w"].map(|text| read(&mut graph, text));
        let reached: Vec<HashSet<Expr>> =
            exprs.iter().map(|&e| graph.reachable(&[e]).into_iter().collect()).collect();
        assert!(reached[0].contains(&xs) && reached[1].contains(&xs));
        assert!(reached[1].contains(&zw) && reached[2].contains(&zw));
    }
}

/// A node's structure, so that equal and opposite nodes have equal keys.
fn key(graph: &Graph, expr: Expr) -> String {
    match graph.node(expr) {
        Node::Sum(terms) => {
            let mut list: Vec<(Expr, String, bool)> = terms
                .iter()
                .map(|t| {
                    let size = graph.text(t.coefficient.abs());
                    (t.core, size, t.coefficient.is_negative())
                })
                .collect();
            list.sort_unstable();
            let flip = list[0].2;
            list.iter_mut().for_each(|t| t.2 ^= flip);
            format!("sum {list:?}")
        }
        Node::Product(factors) => {
            let mut list: Vec<(Expr, i32)> = factors.iter().map(|f| (f.base, f.power)).collect();
            list.sort_unstable();
            format!("product {list:?}")
        }
        node => format!("{node:?}"),
    }
}

#[test]
fn m04_no_two_nodes_are_equal_up_to_sign() {
    for mut graph in both() {
        let mut roots: Vec<Expr> = Vec::new();
        for text in EQUATIONS {
            roots.push(read(&mut graph, text));
            roots.push(read(&mut graph, &format!("-({text})")));
        }
        for text in [
            "a - b",
            "b - a",
            "(a - b)*(c - d)",
            "(b - a)*(c - d)",
            "sin(a - b)",
            "sin(b - a)",
            "cos(b - a)*cos(a - b)",
            "2*a - 2*b",
            "3*b - 3*a",
            "(a - b)^3",
            "(b - a)^3",
            "x*(b - a)/(d - c)",
            "1/(a - b) + 1/(b - a)^2",
            "min(a, b) - min(b, a)",
            "abs(a - b) + abs(b - a)",
        ] {
            roots.push(read(&mut graph, text));
        }
        roots.extend(table(&mut graph, &DOUBLE_PENDULUM));
        let symbols = ["a", "b", "x", "X1"].map(|name| read(&mut graph, name));
        for expr in roots.clone() {
            roots.extend(graph.gradient(expr, &symbols));
        }
        // Both signs of one sum are one node.
        assert_eq!(roots[0], -roots[1]);
        let nodes = graph.reachable(&roots);
        let mut seen: HashSet<String> = HashSet::new();
        for &expr in &nodes {
            assert!(seen.insert(key(&graph, expr)), "twice: {}", graph.text(expr));
            // Signs sit on edges: no operand of a sum or product is a negative edge.
            let node = graph.node(expr);
            if let Node::Sum(_) | Node::Product(_) = node {
                for_each_operand(node, |e| assert!(!e.is_negative()));
            }
        }
        assert!(nodes.len() > 100);
    }
}

#[test]
fn m05_neither_a_multiple_nor_an_opposite_is_a_row() {
    for mut graph in both() {
        let check = |graph: &mut Graph, text: &str| {
            let expr = read(graph, text);
            assert_eq!(graph.name("row", expr), expr, "{text}");
        };
        for text in ["x", "2*x", "-x", "x/3", "-0.5*x", "7", "pi", "2*pi"] {
            check(&mut graph, text);
        }
        assert_eq!(graph.lookup("row"), None);
        let sum = read(&mut graph, "a - b + c");
        let named = graph.name("s", sum);
        let before = graph.len();
        let opposite = read(&mut graph, "b - a - c");
        assert_eq!((opposite, graph.len()), (-sum, before));
        // The name holds for the opposite, too.
        assert_eq!(graph.name("t", opposite), -named);
        assert_eq!(graph.lookup("t"), None);
    }
}

#[test]
fn m07_the_result_does_not_depend_on_the_order() {
    let texts = [
        "sin(x)*cos(x)*x*y*z",
        "x*sin(x) + y*cos(y)",
        "y*cos(y) + w*z + x*y",
        "a*b*c + b*c*e + a*d*f",
        "m*(l1^2 + l2^2 + 2*l1*l2*cos(q2))",
        "(a + b)*(c - d) - (c - d)*e",
        "x^2*y/(z + w) - atan2(y, x)*min(w, a, b)",
        "if(x < y, a*b - c, c - a*b)",
        "sin(q1)*cos(q2) + cos(q1)*sin(q2) + 3*x",
        "a - b + c - d + e - f",
        "-(b - a)*(d - c)",
        "sqrt(a^2*b) + abs(c - d)*exp(x - y)",
        // More than one way to factor, none better than the others.
        "a*b + b*c + c*a",
        "x*y + y*z + z*w + w*x",
        "max(x*y, y*z) - (a*b - b*c + c*d - d*a)",
    ];
    let orders: [Vec<usize>; 4] = [
        (0..texts.len()).collect(),
        (0..texts.len()).rev().collect(),
        (0..texts.len()).map(|i| i * 4 % texts.len()).collect(),
        (0..texts.len()).map(|i| (i * 7 + 3) % texts.len()).collect(),
    ];
    for make in [plain, Graph::new] {
        let run = |order: &[usize]| {
            let mut graph = make();
            let mut exprs = [Expr::ZERO; 15];
            // Inputs are declared in another order, too.
            let mut letters: Vec<char> = "abcdefmwxyz".chars().collect();
            let half = order[1] % letters.len();
            letters.rotate_left(half);
            if order[0] > order[1] {
                letters.reverse();
            }
            for letter in letters {
                graph.symbol(&letter.to_string(), Kind::Parameter);
            }
            for &i in order {
                exprs[i] = read(&mut graph, texts[i]);
                // Derivatives in between, as a program would do it.
                let x = graph.symbol("x", Kind::Parameter);
                graph.derivative(exprs[i], x);
            }
            let names: Vec<String> = (0..texts.len()).map(|i| format!("e{i}")).collect();
            let outputs: Vec<_> = names.iter().zip(exprs).collect();
            let x = graph.symbol("x", Kind::Parameter);
            let slopes = exprs.map(|e| graph.derivative(e, x));
            let mut written: Vec<String> = exprs.iter().map(|&e| graph.text(e)).collect();
            written.extend(slopes.iter().map(|&e| graph.text(e)));
            written.push(graph.listing(&outputs));
            written
        };
        let first = run(&orders[0]);
        for order in &orders[1..] {
            assert_eq!(run(order), first, "in the order {order:?}");
        }
    }
    // Nor on the order in which operands are written.
    let mut graph = Graph::new();
    for (a, b) in [
        ("a*b*c + b*c*e + a*d*f", "d*a*f + c*e*b + c*b*a"),
        ("y*cos(y) + w*z + x*y", "x*y + z*w + cos(y)*y"),
        ("a - b + c - d + e - f", "-f + e - d + c - b + a"),
        ("(a + b)*(c - d) - (c - d)*e", "-e*(c - d) + (-d + c)*(b + a)"),
    ] {
        assert_eq!(read(&mut graph, a), read(&mut graph, b), "{a} and {b}");
    }
}

#[test]
fn m11_multiplication_by_zero_leaves_nothing() {
    for mut graph in both() {
        let rows = [("t1", "sin(x)*y"), ("t2", "t1^2 + z"), ("t3", "0*t2 + x"), ("t4", "t3*z")];
        let rows = table(&mut graph, &rows);
        let names: Vec<&str> = graph
            .reachable(&rows[3..])
            .into_iter()
            .filter_map(|e| graph.symbol_of(e))
            .map(|id| graph.symbol_name(id))
            .collect();
        assert_eq!(names, ["x", "z"]);
        assert_eq!(graph.counts(&rows[3..]).total(), 1);
        assert_eq!(read(&mut graph, "0*sin(x)*exp(y)"), Expr::ZERO);
        assert_eq!(read(&mut graph, "(x - x)*t2 + 0/t1"), Expr::ZERO);
    }
}

// ---- example 3.2 ----

/// Number of dependent rows over all rows: 35.
fn dependencies() -> usize {
    let names: HashSet<&str> = DOUBLE_PENDULUM.iter().map(|row| row.0).collect();
    DOUBLE_PENDULUM
        .iter()
        .map(|(_, text)| {
            let words = text.split(|c: char| !c.is_ascii_alphanumeric());
            words.filter(|word| names.contains(word)).count()
        })
        .sum()
}

/// The value of one expression at the operating point of M-16.
fn value(graph: &Graph, expr: Expr) -> f64 {
    let point = [
        ("I1", 1.0),
        ("I2", 0.5),
        ("m2", 2.0),
        ("l1", 1.2),
        ("c2", 0.4),
        ("X1", 0.6),
        ("X2", 0.9),
        ("X3", -0.5),
        ("X4", 1.5),
        ("a1", 0.3),
        ("a2", -0.8),
    ];
    let input = |name: &str| point.iter().find(|p| p.0 == name).map(|p| p.1);
    to_f64(&graph.evaluate(&[expr], &mut Extended::new(input)).unwrap()[0])
}

#[test]
fn m14_worked_examples_of_the_chain_rule() {
    for expansion in [0, 1, 2] {
        let mut graph = Graph::new();
        graph.set_expansion(expansion);
        let rows = table(&mut graph, &[("z1", "q^2"), ("z2", "L*z1")]);
        let q = graph.lookup("q").unwrap();
        // By name the second row does not depend on q, but all in all it does.
        let total = graph.derivative(rows[1], q);
        let expect = read(&mut graph, "2*L*q");
        assert_eq!(graph.substitute(&[total], &[])[0], total);
        let at = |graph: &Graph, expr: Expr| {
            let input = |name: &str| Some(if name == "q" { 1.37 } else { 0.71 });
            to_f64(&graph.evaluate(&[expr], &mut Extended::new(input)).unwrap()[0])
        };
        assert!((at(&graph, total) - at(&graph, expect)).abs() < 1e-15);

        let mut graph = Graph::new();
        graph.set_expansion(expansion);
        let rows = table(&mut graph, &[("z1", "q^2"), ("z2", "q*z1"), ("z3", "q*z1*z2")]);
        let q = graph.lookup("q").unwrap();
        let slopes = graph.derivatives(&rows, &[q]);
        for (row, expect) in ["2*q", "3*q^2", "6*q^5"].into_iter().enumerate() {
            let expect = read(&mut graph, expect);
            let (value, expect) = (at(&graph, slopes.get(row, 0)), at(&graph, expect));
            assert!((value - expect).abs() < 1e-14, "{row}: {value} and {expect}");
        }
    }
}

#[test]
fn m15_derivatives_take_only_what_depends() {
    assert_eq!((dependencies(), DOUBLE_PENDULUM.len()), (35, 28));
    for name in ["X1", "X3", "X4", "l1", "m2", "c2", "I2"] {
        let mut graph = plain();
        let rows = table(&mut graph, &DOUBLE_PENDULUM);
        let by = graph.lookup(name).unwrap();
        let Derivatives { nodes, operands, .. } = graph.derivatives(&rows, &[by]);
        // A row is a variable and its definition: the step from one to the other is a node and an
        // operand that differentiate nothing.
        let moving = rows.iter().filter(|&&row| {
            let symbol = graph.symbol_of(by).unwrap();
            graph.depends_on(row, symbol)
        });
        let moving = moving.count();
        let own = (nodes - moving) + (operands - moving);
        assert!(own <= 63, "{name}: {moving} rows, {nodes} nodes, {operands} operands");
    }
}

#[test]
fn m16_the_linearised_double_pendulum() {
    for mut graph in both() {
        let x2 = graph.symbol("X2", Kind::Coordinate);
        let rows = table(&mut graph, &DOUBLE_PENDULUM);
        let row = |n: usize| rows[n - 1];
        let i2 = graph.lookup("I2").unwrap();
        let i1 = graph.symbol("I1", Kind::Parameter);
        let m22 = graph.add(i1, row(17));
        let mass = [[i2, row(12)], [row(12), m22]];
        let g = [row(22), row(28)];
        let acceleration = ["a1", "a2"].map(|name| graph.symbol(name, Kind::Acceleration));
        let inertia: Vec<Expr> = mass
            .iter()
            .map(|row| {
                let terms = [0, 1].map(|j| graph.mul(row[j], acceleration[j]));
                graph.sum(&terms)
            })
            .collect();
        let [x1, x3, x4] = ["X1", "X3", "X4"].map(|name| graph.lookup(name).unwrap());
        let k1 = graph.derivatives(&inertia, &[x1, x2]);
        let k2 = graph.derivatives(&g, &[x1, x2]);
        let b = graph.derivatives(&g, &[x3, x4]);
        let check = |what: &str, found: Expr, expect: f64| {
            let found = value(&graph, found);
            assert!((found - expect).abs() <= 0.5001e-8, "{what}: {found} and not {expect}");
        };
        let expected = [[0.5, 1.29232219], [1.29232219, 5.96464438]];
        for i in 0..2 {
            for j in 0..2 {
                check("M", mass[i][j], expected[i][j]);
            }
            check("g", g[i], [1.21962774, 0.67757097][i]);
            check("K1", k1.get(i, 0), [0.43364542, 0.70467381][i]);
            check("K2", k2.get(i, 0), [1.78272493, 0.99040274][i]);
            check("B", b.get(i, 0), [0.0, -1.08411355][i]);
            check("B", b.get(i, 1), [1.62617032, 0.54205677][i]);
            // The base angle does not occur: a structural zero.
            assert_eq!((k1.get(i, 1), k2.get(i, 1)), (Expr::ZERO, Expr::ZERO));
        }
        assert_eq!(b.get(0, 0), Expr::ZERO);
        assert_eq!(b.entries.len(), 3);
    }
}

#[test]
fn m18_each_row_is_differentiated_once_for_all_variants() {
    let mut graph = plain();
    let rows = table(&mut graph, &DOUBLE_PENDULUM);
    let x1 = graph.lookup("X1").unwrap();
    let once = graph.derivatives(&rows, &[x1]);
    // Three variants of the model over the same table: g, and g with two kinds of constraints.
    let mut variants: Vec<Expr> = rows.clone();
    let mut outer = 0;
    for (name, text) in [("pc", "t28 + 2*t22*t12"), ("ic", "t28*t17 - t22")] {
        let expr = read(&mut graph, text);
        variants.push(graph.name(name, expr));
        outer += 1;
    }
    let all = graph.derivatives(&variants, &[x1]);
    // The variants' own nodes: the variable, the sum, and a product in it.
    assert_eq!(all.nodes, once.nodes + 3 * outer);
    // The same outputs again cost nothing.
    let thrice: Vec<Expr> = variants.iter().cycle().take(3 * variants.len()).copied().collect();
    let repeated = graph.derivatives(&thrice, &[x1]);
    assert_eq!((repeated.nodes, repeated.operands), (all.nodes, all.operands));
    // Nor do they make new nodes: derivatives are rows of the table.
    let before = graph.len();
    graph.derivatives(&thrice, &[x1]);
    assert_eq!(graph.len(), before);
}
