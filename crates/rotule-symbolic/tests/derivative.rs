//! Derivatives, forward and adjoint: values against finite differences in 192-bit arithmetic, the
//! work they take, and very long graphs.

use proptest::prelude::*;
use rotule_symbolic::{Binary, Derivatives, Direction, Expr, Graph, Kind, Node, Number, Unary};
use rotule_testing::symbolic::extended::to_f64;
use rotule_testing::symbolic::judge::*;

// ---- values ----

#[test]
fn functions_of_one_argument() {
    for function in Unary::ALL {
        let name = function.name();
        check_inside(&format!("{name}(x)"));
        check_inside(&format!("{name}(x*y)"));
        check_inside(&format!("{name}(x^2/2 + y*z/3)"));
        check_inside(&format!("z*{name}(x*y*z)^2 - x"));
        check_inside(&format!("1/(2 + {name}(x - x^2*y))"));
        if !matches!(function, Unary::Sqrt | Unary::Log | Unary::Asin | Unary::Acos) {
            check(&format!("{name}(x)"));
            check(&format!("{name}(x*y - z)"));
        }
    }
    // Negative arguments of the two that are neither odd nor even but defined there.
    check_at("acos(-x) + acos(x/2 - 1)", &INSIDE, 25);
    check_at("exp(-x) + exp(-x*y)", &ANYWHERE, 25);
}

#[test]
fn functions_of_two_arguments() {
    for function in Binary::ALL {
        let name = function.name();
        check_inside(&format!("{name}(x, y)"));
        check_inside(&format!("{name}(y, x)"));
        check_inside(&format!("{name}(x*y, y + z)"));
        check_inside(&format!("x*{name}(x^2, {name}(y, z))"));
        if function != Binary::Pow {
            check(&format!("{name}(x, y)"));
            check(&format!("{name}(-x, z*y)"));
            check(&format!("{name}(x, 1/2)"));
            check(&format!("{name}(1/2, x)"));
        }
    }
    // All four quadrants and the axes between them.
    let axes = [[0.0, 1.5, 1.0], [1.5, 0.0, 1.0], [-1.5, 0.5, 1.0], [-0.5, -1.5, 1.0]];
    check_at("atan2(x, y + 0)", &[axes[0], axes[2], axes[3]], 25);
    check_at("atan2(y, x)", &[axes[1], axes[2], axes[3]], 25);
}

#[test]
fn powers() {
    for n in [-7, -3, -2, -1, 1, 2, 3, 5, 12, 31] {
        check(&format!("x^({n})"));
        check(&format!("(x*y)^({n})*z"));
        check(&format!("(x - y/3)^({n})"));
    }
    for exponent in ["1/2", "-1/2", "3/2", "-5/2", "1/3", "-2/7", "pi"] {
        check_inside(&format!("x^({exponent})"));
        check_inside(&format!("(x*y + z)^({exponent})"));
    }
    // A real exponent less one is rounded to a double.
    check_at("x^0.3 + (x + y)^(-1.7)", &INSIDE, 14);
    check_inside("x^y");
    check_inside("2^x + 3^(x*y)");
    check_inside("(x + y)^(y*z)");
    check_inside("x^x^x");
}

#[test]
fn sums_products_and_quotients() {
    check("x + 2*y - z/3 + 5");
    check("x*y*z");
    check("3*x*(y - 2*z)*(x + y)");
    check("x/y");
    check("(x + y)/(x - y)");
    check("x*y/(z^2 + 1) - z/(x*y)");
    check("1/x + 1/(x*y) - 2/z^3");
    check("x*(y*(z*(x + 1) + 1) + 1)");
    check("-x*(-y - z)");
    check("-(x - y)*sin(-(y - z))");
    // More operands than are flattened.
    let long: Vec<String> = (1..60).map(|i| format!("sin({i}*x + y)")).collect();
    check(&long.join(" + "));
    check(&long[..40].join("*"));
}

#[test]
fn choices() {
    check("if(x < y, x*y, x/z)");
    check("if(x*y <= z, sin(x), if(y < 0, cos(y*x), z^2))");
    check("if(x == y, 0, x^3)");
    check("if(x != y, x*z, 0)");
    check("if(x < 0 && y < 0 || z > 1, x*y*z, x - y)");
    check("min(x, y)*max(y, z)");
    check("min(x, y, z) + max(x^2, y^2, z^2)");
    check("max(0, x)^2 + min(0, y)");
    check("abs(x)*y + abs(x - y)^3 + sign(x)*z");
    check("abs(sin(x)*z) + sqrt(x^2 + y^2 + z^2)");
}

#[test]
fn rules_of_simplification_do_not_disturb() {
    check("sin(x)^2 + 3*cos(x)^2");
    check("sin(x)*cos(y) + cos(x)*sin(y)");
    check("2*sin(x)*cos(x) + cos(2*x)");
    check("tan(x)*cos(x)*y + exp(x)*exp(-y)");
    check("exp(log(x^2 + 1)) + tan(atan(x*y))");
    check("sin(x + pi/2)*sin(y + pi) + cos(z - 3*pi/2)");
    check("sqrt(x^2*y^2) + sqrt(4*z^2 + 8)");
}

#[test]
fn through_named_variables() {
    let check = |texts: &[&str]| {
        for expansion in [0, 1, 2] {
            let mut graph = Graph::new();
            graph.set_expansion(expansion);
            let texts: Vec<String> = texts.iter().copied().map(String::from).collect();
            let rows = table(&mut graph, &texts);
            for &row in &rows {
                for point in ANYWHERE {
                    let point: Vec<_> = ["x", "y", "z"].into_iter().zip(point).collect();
                    assert!(compare(&mut graph, row, &point, 25), "{texts:?} at {point:?}");
                }
            }
        }
    };
    check(&["x*y", "sin(v1) + x", "v1*v2^2 - z/v2"]);
    check(&["-(x - y)", "z*v1", "v1*v2 - v1^2"]);
    check(&["cos(x)*y", "sin(x)*y", "cos(x)*v1 + sin(x)*v2", "v3*v1 + v2"]);
    check(&["2*x", "-v1*y", "v2 + v1", "v3*v3 + min(v2, v1)"]);
    check(&["x*y*z", "v1", "-v2", "1/(1 + v3^2)"]);
    check(&["if(x < y, x, y)*z", "if(v1 < 0, v1^2, -v1*x)"]);
}

fn leaf() -> impl Strategy<Value = String> {
    let leaves = ["x", "y", "z", "x", "y", "z", "2", "3", "1/2", "1/3", "pi"];
    prop::sample::select(leaves.to_vec()).prop_map(str::to_owned)
}

/// Expressions in `x`, `y`, `z` and the variables before number `row`; exact numbers only, so that
/// nothing is rounded to doubles.
fn expression(row: usize) -> impl Strategy<Value = String> {
    let leaf = if row == 0 {
        leaf().boxed()
    } else {
        prop_oneof![1 => leaf(), 1 => (1..=row).prop_map(|i| format!("v{i}"))].boxed()
    };
    leaf.prop_recursive(4, 24, 2, |inner| {
        let two = (inner.clone(), inner.clone());
        let functions = ["sin", "cos", "tan", "atan", "abs", "exp", "sign", "floor"];
        prop_oneof![
            4 => (two.clone(), prop::sample::select(vec!["+", "-", "*", "*"]))
                .prop_map(|((a, b), sign)| format!("({a} {sign} {b})")),
            1 => two.clone().prop_map(|(a, b)| format!("({a}/(1 + ({b})^2))")),
            1 => (inner.clone(), prop::sample::select(vec![2, 3, -1, -2]))
                .prop_map(|(a, n)| format!("({a})^({n})")),
            3 => (inner.clone(), prop::sample::select(functions.to_vec()))
                .prop_map(|(a, f)| format!("{f}({a})")),
            1 => two.clone().prop_map(|(a, b)| format!("sqrt(({a})^2 + ({b})^2 + 1)")),
            1 => two.clone().prop_map(|(a, b)| format!("log(({a})^2 + ({b})^2 + 1/2)")),
            1 => (two.clone(), prop::sample::select(vec!["min", "max", "atan2"]))
                .prop_map(|((a, b), f)| format!("{f}({a}, {b})")),
            1 => (two.clone(), two)
                .prop_map(|((a, b), (c, d))| format!("if({a} < {b}, {c}, {d})")),
            1 => (inner.clone(), inner).prop_map(|(a, b)| format!("(2 + cos({a}))^({b}/3)")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// Random tables of four rows, each in terms of the ones before.
    #[test]
    fn forward_and_adjoint_agree(
        texts in (expression(0), expression(1), expression(2), expression(3)),
        point in prop::array::uniform3(-2.0..2.0f64),
        expansion in 0..3u32,
    ) {
        let mut graph = Graph::new();
        graph.set_expansion(expansion);
        let texts = [texts.0, texts.1, texts.2, texts.3];
        let rows = try_table(&mut graph, &texts);
        prop_assume!(rows.is_some());
        let point: Vec<_> = ["x", "y", "z"].into_iter().zip(point).collect();
        // A row such as atan2(x, 1/0) has a value but is made of what has none.
        let regular = |graph: &Graph, row: Expr| {
            let parts = graph.reachable(&[row]);
            let values = graph.evaluate(&parts, &mut Judge::at(&point)).unwrap();
            values.iter().all(|value| !value.is_inf() && !value.is_nan())
        };
        let mut rows = rows.unwrap_or_default();
        rows.retain(|&row| regular(&graph, row) && compare(&mut graph, row, &point, 15));
        prop_assume!(!rows.is_empty());
    }
}

#[test]
fn derivatives_of_derivatives() {
    for point in INSIDE {
        let mut graph = Graph::new();
        let [x, y] = ["x", "y"].map(|name| graph.symbol(name, Kind::Coordinate));
        let expr = read(&mut graph, "sin(x*y)*exp(x)/(1 + z^2) + atan2(x, y)^3 - sqrt(x + y)");
        let expr = graph.name("f", expr);
        let dx = graph.derivative(expr, x);
        let dxy = graph.derivative(dx, y);
        let point: Vec<_> = ["x", "y", "z"].into_iter().zip(point).collect();
        assert!(compare(&mut graph, dx, &point, 25));
        assert!(compare(&mut graph, dxy, &point, 25));
        // The order does not matter.
        let dy = graph.gradient(expr, &[y])[0];
        let dyx = graph.gradient(dy, &[x])[0];
        let mut judge = Judge::at(&point);
        let [a, b] = [dxy, dyx].map(|e| judge.value(&graph, e, "x", 0.0));
        assert!(agree(&a, &b, 25), "{} and {}", to_f64(&a), to_f64(&b));
    }
}

// ---- zeros ----

#[test]
fn zero_derivatives_are_structurally_zero() {
    let check = |text: &str, by: &str| {
        let mut graph = Graph::new();
        let expr = read(&mut graph, text);
        let by = read(&mut graph, by);
        let before = graph.len();
        let derivatives = graph.derivatives(&[expr, -expr], &[by]);
        assert_eq!(derivatives.entries, [], "{text}");
        assert_eq!(derivatives.get(0, 0), Expr::ZERO);
        assert_eq!(graph.gradient(expr, &[by]), [Expr::ZERO], "{text}");
        (derivatives, graph.len() - before)
    };
    // Where the symbol does not occur, nothing is visited and nothing is made.
    for text in ["5", "pi", "x", "sin(x)*y + z^2", "x - x + p - p", "0*p", "p^0", "min(x, y)"] {
        let (derivatives, made) = check(text, "p");
        assert_eq!((derivatives.nodes, derivatives.operands, made), (0, 0, 0), "{text}");
    }
    check("sign(p)*x", "p");
    check("floor(p)*x", "p");
    check("if(p < 0, x, y)", "p");
    check("sign(p*x + y)^3", "p");
    // By what is not a plain input.
    for by in ["x*y", "2*x", "3", "pi"] {
        let (derivatives, made) = check("sin(x*y) + 2*x", by);
        assert_eq!((derivatives.nodes, derivatives.operands, made), (0, 0, 0), "{by}");
    }
}

#[test]
fn signs_of_edges_are_kept() {
    let mut graph = Graph::new();
    let expr = read(&mut graph, "x*sin(y)");
    let [x, slope] = ["x", "sin(y)"].map(|t| read(&mut graph, t));
    assert_eq!(graph.derivative(expr, x), slope);
    assert_eq!(graph.derivative(-expr, x), -slope);
    assert_eq!(graph.derivative(expr, -x), -slope);
    assert_eq!(graph.derivative(-expr, -x), slope);
    assert_eq!(graph.gradient(-expr, &[x, -x]), [-slope, slope]);
    assert_eq!((graph.derivative(x, x), graph.derivative(-x, x)), (Expr::ONE, -Expr::ONE));
}

// ---- work ----

fn work(text: &str, by: &[&str]) -> (usize, usize) {
    let mut graph = Graph::new();
    let expr = read(&mut graph, text);
    let by: Vec<Expr> = by.iter().map(|name| read(&mut graph, name)).collect();
    let Derivatives { nodes, operands, .. } = graph.derivatives(&[expr], &by);
    (nodes, operands)
}

#[test]
fn each_moving_node_is_visited_once() {
    let check = |text: &str, by: &[&str], nodes, operands| {
        assert_eq!(work(text, by), (nodes, operands), "{text} by {by:?}");
    };
    check("p", &["p"], 1, 0);
    // p, sin(p)
    check("sin(p)", &["p"], 2, 1);
    // p, p*x, sin(p*x): x and what is beside it cost nothing.
    check("sin(p*x) + exp(x)*cos(y)", &["p"], 4, 3);
    check("sin(p*x) + exp(x)*cos(y)", &["y"], 4, 3);
    check("sin(p*x) + exp(x)*cos(y)", &["p", "y"], 8, 6);
    // p, sin(p), cos(p), the product, exp of it, tan of it, their sum: shared nodes once.
    check("exp(sin(p)*cos(p)) + tan(sin(p)*cos(p))", &["p"], 7, 8);
    check("3*p", &["p"], 2, 1);
    check("p^2*x^3", &["p"], 2, 1);
    check("atan2(p, x)", &["p"], 2, 1);
    check("atan2(p, p^2)", &["p"], 3, 3);
    check("if(x < y, p, p^2)", &["p"], 3, 3);
    check("min(p, sin(x))", &["p"], 2, 1);
}

#[test]
fn a_condition_moves_nothing() {
    // What is compared has no influence on the derivative: it need not be differentiated.
    assert_eq!(work("if(sin(exp(p)) < y, x, z)", &["p"]).1, 0);
}

#[test]
fn variables_count_like_operations() {
    // p, p*x, v1, v1^2, v2
    let mut graph = Graph::new();
    let rows = table(&mut graph, &["p*x", "v1^2"].map(String::from));
    let p = graph.lookup("p").unwrap();
    let derivatives = graph.derivatives(&rows, &[p]);
    assert_eq!((derivatives.nodes, derivatives.operands), (5, 4));
}

/// `x0` and `count` more links `x_{k+1} = sin(x_k*y_k)`.
fn chain(graph: &mut Graph, count: usize) -> Expr {
    let mut last = graph.symbol("x0", Kind::Coordinate);
    for k in 0..count {
        let y = graph.symbol(&format!("y{k}"), Kind::Coordinate);
        let product = graph.mul(last, y);
        last = graph.sin(product);
    }
    last
}

#[test]
fn a_symbol_at_the_tip_costs_nothing_below() {
    let run = |count: usize| {
        let mut graph = Graph::new();
        let tip = chain(&mut graph, count);
        let p = graph.symbol("p", Kind::Parameter);
        let product = graph.mul(tip, p);
        let square = graph.square(p);
        let expr = graph.add(product, square);
        let before = graph.len();
        let Derivatives { nodes, operands, .. } = graph.derivatives(&[expr], &[p]);
        let forward = graph.len() - before;
        graph.gradient(expr, &[p]);
        (nodes, operands, forward, graph.len() - before)
    };
    let small = run(10);
    assert_eq!(run(10_000), small);
    assert!(small.0 <= 4 && small.1 <= 4 && small.3 < 10, "{small:?}");
}

#[test]
fn growth_is_linear_in_the_length_of_a_chain() {
    let check = |title: &str, differentiate: fn(&mut Graph, Expr, Expr)| {
        let made = |count: usize| {
            let mut graph = Graph::new();
            let tip = chain(&mut graph, count);
            let x = graph.lookup("x0").unwrap();
            differentiate(&mut graph, tip, x);
            graph.len() as f64
        };
        let ratio = made(2000) / made(1000);
        assert!((1.9..2.1).contains(&ratio), "{title}: {ratio}");
    };
    check("forward", |graph, tip, x| {
        let derivatives = graph.derivatives(&[tip], &[x]);
        let count = graph.symbols().len() - 1;
        assert_eq!((derivatives.nodes, derivatives.operands), (2 * count + 1, 2 * count));
    });
    check("adjoint", |graph, tip, x| drop(graph.gradient(tip, &[x])));
    // All inputs at once: still one sweep.
    check("gradient", |graph, tip, _| {
        let all: Vec<Expr> = (0..graph.symbols().len() - 1)
            .map(|k| graph.lookup(&format!("y{k}")).unwrap())
            .collect();
        let gradient = graph.gradient(tip, &all);
        assert!(!gradient.contains(&Expr::ZERO));
    });
}

#[test]
fn long_chains_keep_their_value() {
    // Long enough for intermediate products to get names of their own.
    let mut graph = Graph::new();
    let tip = chain(&mut graph, 40);
    let names: Vec<String> = (0..40).map(|k| format!("y{k}")).collect();
    let mut point: Vec<(&str, f64)> = vec![("x0", 0.8)];
    point.extend(names.iter().enumerate().map(|(k, n)| (n.as_str(), 1.2 + 0.01 * k as f64)));
    assert!(compare(&mut graph, tip, &point, 20));
}

#[test]
fn the_jacobian_is_sparse() {
    // Each expression touches its own coordinate and the next one.
    let count = 50;
    let mut graph = Graph::new();
    let q: Vec<Expr> =
        (0..count).map(|i| graph.symbol(&format!("q{i}"), Kind::Coordinate)).collect();
    let rows: Vec<Expr> = (0..count)
        .map(|i| {
            let sine = graph.sin(q[i]);
            graph.mul(sine, q[(i + 1) % count])
        })
        .collect();
    let jacobian = graph.derivatives(&rows, &q);
    let places: Vec<(usize, usize)> = jacobian.entries.iter().map(|e| (e.0, e.1)).collect();
    let mut expect: Vec<(usize, usize)> =
        (0..count).flat_map(|i| [(i, i), (i, (i + 1) % count)]).collect();
    expect.sort_unstable();
    assert_eq!(places, expect);
    for i in 0..count {
        let (cosine, sine) = (graph.cos(q[i]), graph.sin(q[i]));
        let own = graph.mul(cosine, q[(i + 1) % count]);
        assert_eq!((jacobian.get(i, i), jacobian.get(i, (i + 1) % count)), (own, sine));
        assert_eq!(jacobian.get(i, (i + 2) % count), Expr::ZERO);
    }
    // For q_i: itself, its sine, the product with it; itself again, the product before.
    assert_eq!((jacobian.nodes, jacobian.operands), (4 * count, 3 * count));
}

#[test]
fn outputs_share_their_work() {
    let mut graph = Graph::new();
    let shared = read(&mut graph, "exp(sin(p*x))");
    let other = graph.mul(shared, shared);
    let p = graph.lookup("p").unwrap();
    let one = graph.derivatives(&[shared], &[p]);
    let twice = graph.derivatives(&[shared, shared, -shared, other], &[p, p]);
    // Two directions that happen to be equal, and one node more.
    assert_eq!((one.nodes, twice.nodes), (4, 10));
    assert_eq!(twice.entries.len(), 8);
    assert_eq!(twice.get(0, 0), twice.get(1, 1));
    assert_eq!(twice.get(0, 0), -twice.get(2, 1));
}

// ---- names ----

#[test]
fn the_derivative_of_a_variable_is_a_variable() {
    let mut graph = Graph::new();
    let rows = table(&mut graph, &["x^2*y", "sin(v1)"].map(String::from));
    let [x, y] = ["x", "y"].map(|name| graph.lookup(name).unwrap());
    let derivatives = graph.derivatives(&rows, &[x, y]);
    let named = |graph: &Graph, expr: Expr| match graph.node(expr) {
        Node::Variable(id) => graph.variable_name(id).to_owned(),
        _ => graph.text(expr),
    };
    assert_eq!(named(&graph, derivatives.get(0, 0)), "dv1_dx");
    assert_eq!(named(&graph, derivatives.get(0, 1)), "dv1_dy");
    assert_eq!(named(&graph, derivatives.get(1, 0)), "dv2_dx");
    // Its definition uses the derivative of what the variable is made of, by name.
    let Node::Variable(id) = graph.node(derivatives.get(1, 0)) else { panic!("a variable") };
    let expect = read(&mut graph, "cos(v1)*dv1_dx");
    assert_eq!(graph.definition(id), expect);
    // Again, and the same variable comes back.
    let again = graph.derivatives(&rows, &[x, y]);
    assert_eq!(again.entries, derivatives.entries);
    // An atom needs no name.
    let line = graph.name("line", expect);
    let scaled = graph.parse("3*x").unwrap();
    assert_eq!(graph.derivative(scaled, x), graph.number(3));
    assert_ne!(line, expect);
}

#[test]
fn a_taken_name_gets_a_number() {
    let mut graph = Graph::new();
    let taken = graph.symbol("dv1_dx", Kind::Parameter);
    let row = table(&mut graph, &["sin(x)*y".to_owned()])[0];
    let x = graph.lookup("x").unwrap();
    let derivative = graph.derivative(row, x);
    assert_ne!(derivative, taken);
    assert_eq!(graph.text(derivative), "dv1_dx_2");
}

// ---- depth ----

/// Runs on 2 MB of stack.
fn on_a_small_stack(work: fn()) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work);
    thread.expect("a thread").join().expect("the work is done");
}

const DEEP: usize = 100_000;

#[test]
fn many_variables_of_one_name() {
    // Long chains name their partial products `z`, `z_2` and so on: the search for the next free
    // number must not begin at two each time. (A quadratic search takes minutes here.)
    let start = std::time::Instant::now();
    let mut graph = Graph::new();
    let x = graph.symbol("x", Kind::Coordinate);
    for n in 0..20_000 {
        let number = graph.number(n);
        let sum = graph.add(x, number);
        let sine = graph.sin(sum);
        graph.name("z", sine);
    }
    assert!(graph.lookup("z_20000").is_some());
    assert!(start.elapsed().as_secs_f64() < 5.0, "{:?}", start.elapsed());
}

#[test]
fn deep_functions() {
    on_a_small_stack(|| {
        let mut graph = Graph::new();
        let x = graph.symbol("x", Kind::Coordinate);
        let half = graph.number(Number::ratio(1, 2));
        let mut last = x;
        for _ in 0..DEEP / 2 {
            let sine = graph.sin(last);
            last = graph.add(sine, half);
        }
        let forward = graph.derivative(last, x);
        let adjoint = graph.gradient(last, &[x])[0];
        let values = graph.evaluate_f64(&[forward, adjoint, last], |_| Some(0.4)).unwrap();
        // The iteration converges, so that its derivative vanishes.
        assert!(values[0].abs() < 1e-300 && values[1].abs() < 1e-300, "{values:?}");
        assert!((values[2] - values[2].sin() - 0.5).abs() < 1e-12);
        assert!(graph.len() < 20 * DEEP, "{}", graph.len());
    });
}

#[test]
fn deep_variables_and_calls() {
    on_a_small_stack(|| {
        let mut graph = Graph::new();
        let x = graph.symbol("x", Kind::Coordinate);
        let spring = graph.declare_function("spring", 1, 1);
        let mut last = x;
        for i in 0..DEEP / 4 {
            let called = graph.call(spring, &[last])[0];
            let sum = graph.add(called, x);
            last = graph.name(&format!("v{i}"), sum);
        }
        let derivatives = graph.derivatives(&[last], &[x]);
        // Call, result, sum, variable.
        assert_eq!(derivatives.nodes, DEEP + 1);
        assert_eq!(calls(&graph, &[derivatives.get(0, 0)]).len(), DEEP / 2 - 1);
        assert_ne!(graph.gradient(last, &[x])[0], Expr::ZERO);
    });
}

/// A direction moves several inputs at rates that are expressions: the chain rule.
#[test]
fn along_directions() {
    let mut graph = Graph::new();
    let f = read(&mut graph, "sin(x*y) + x^3*exp(p)");
    let named = graph.name("f", f);
    let exprs = [read(&mut graph, "f^2 + y*t"), named];
    let [x, y, p] = ["x", "y", "p"].map(|name| graph.lookup(name).unwrap());
    let (a, b) = (read(&mut graph, "cos(t)"), read(&mut graph, "x + 2"));
    let direction = |rates: &[(Expr, Expr)]| Direction { name: "v".into(), rates: rates.to_vec() };
    // The second counts against p; the third moves what is no input, which is nothing.
    let directions =
        [direction(&[(x, a), (y, b)]), direction(&[(-p, Expr::ONE)]), direction(&[(f, a)])];
    let along = graph.derivatives_along(&exprs, &directions);
    let by = graph.derivatives(&exprs, &[x, y, p]);
    for row in 0..2 {
        let parts = [graph.mul(by.get(row, 0), a), graph.mul(by.get(row, 1), b)];
        let expected = graph.sum(&parts);
        let value = |name: &str| {
            Some(["x", "y", "p", "t"].iter().position(|one| *one == name)? as f64 + 0.3)
        };
        let values = graph.evaluate_f64(&[along.get(row, 0), expected], value).unwrap();
        assert!((values[0] - values[1]).abs() < 1e-13 * values[1].abs(), "{values:?}");
        assert_eq!(along.get(row, 1), -by.get(row, 2));
        assert_eq!(along.get(row, 2), Expr::ZERO);
    }
}
