//! Substitution: numbers for parameters, expressions for symbols and for other expressions, all at
//! once, through named variables and external calls.

use rotule_symbolic::{Expr, Graph, Kind, Node};

fn read(graph: &mut Graph, text: &str) -> Expr {
    graph.parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

/// `text` with replacements is the expression that `expect` reads as.
fn check(text: &str, pairs: &[(&str, &str)], expect: &str) {
    let mut graph = Graph::new();
    let expr = read(&mut graph, text);
    let pairs: Vec<(Expr, Expr)> =
        pairs.iter().map(|(a, b)| (read(&mut graph, a), read(&mut graph, b))).collect();
    let [found, opposite] = graph.substitute(&[expr, -expr], &pairs)[..] else {
        panic!("two results")
    };
    let expect = read(&mut graph, expect);
    assert_eq!(found, expect, "{text} became {}", graph.text(found));
    assert_eq!(opposite, -expect);
}

#[test]
fn numbers_fold_through() {
    check("m*l^2/12", &[("m", "3"), ("l", "2")], "1");
    check("m*l^2/12", &[("m", "3")], "l^2/4");
    check("a*sin(q) + b*cos(q)", &[("a", "0")], "b*cos(q)");
    check("a*sin(q) + b*cos(q)", &[("a", "0"), ("b", "0")], "0");
    check("sin(a*x + b)", &[("a", "0"), ("b", "0")], "0");
    check("x^n", &[("n", "2")], "x^2");
    check("x^n", &[("n", "1/2")], "sqrt(x)");
    check("sqrt(a^2 + b^2)", &[("a", "3"), ("b", "4")], "5");
    check("exp(a)*y + log(b)", &[("a", "0"), ("b", "1")], "y");
    check("if(a < 1, x, y)", &[("a", "0")], "x");
    check("if(a < 1, x, y)", &[("a", "1")], "y");
    check("if(a <= b, x, y)", &[("a", "b")], "x");
    check("min(a, 2) + max(a, 2)", &[("a", "5")], "7");
    check("atan2(a, b)*x", &[("a", "0"), ("b", "1")], "0");
    check("abs(a)*sign(a)*x", &[("a", "-3")], "-3*x");
    check("cos(n*pi/3)", &[("n", "1")], "1/2");
    check("(a + b*x)*(c - d*y)", &[("b", "0"), ("d", "0"), ("c", "1")], "a");
}

#[test]
fn all_pairs_at_once() {
    // What is put in is not searched again.
    check("x - 2*y", &[("x", "y"), ("y", "x")], "y - 2*x");
    check("sin(x)*y^2", &[("x", "y"), ("y", "z"), ("z", "x")], "sin(y)*z^2");
    check("x", &[("x", "x + 1")], "x + 1");
    check("x^2 + x", &[("x", "2*x")], "4*x^2 + 2*x");
    check("a*b^2*c^3", &[("a", "b"), ("b", "c"), ("c", "a")], "b*c^2*a^3");
}

#[test]
fn signs() {
    check("x*y", &[("x", "-x")], "-x*y");
    check("x^2 + cos(x)", &[("x", "-x")], "x^2 + cos(x)");
    check("a - b", &[("a", "b"), ("b", "a")], "b - a");
    // A negative pattern means its opposite.
    check("x*y", &[("-x", "z")], "-z*y");
    check("sin(a - b)", &[("b - a", "c")], "-sin(c)");
}

#[test]
fn whole_expressions() {
    check("sin(q)*l + sin(q)^2", &[("sin(q)", "s")], "s*l + s^2");
    check("exp(x*y) + x", &[("x*y", "u")], "exp(u) + x");
    check("exp(x*y) + x", &[("x*y", "u"), ("x", "v")], "exp(u) + v");
    check("sqrt(a^2 + b^2)*c", &[("a^2 + b^2", "r^2"), ("c", "1/2")], "abs(r)/2");
    check("x + y", &[("x + y", "z")], "z");
    // Found whole or not at all.
    check("a + b + c", &[("a + b", "z")], "a + b + c");
    check("2*x", &[("2*x", "y")], "y");
}

#[test]
fn simplifications_appear() {
    check("sin(a)*cos(b) + cos(b + c)*sin(b)", &[("c", "a - b")], "sin(a + b)");
    check("sin(a)^2 + cos(b)^2", &[("b", "a")], "1");
    check("x/y - z/w", &[("z", "x"), ("w", "y")], "0");
    check("x*y + x*z", &[("z", "-y")], "0");
}

#[test]
fn nothing_to_do_changes_nothing() {
    let mut graph = Graph::new();
    let texts = [
        "sin(x)*y + z^2/(a - b)",
        "a*b*c + b*c*e + a*d*f",
        "if(x < y, min(a, b), atan2(x, y))",
        "sin(q1)*cos(q2) + exp(x)^3*sqrt(y)",
        "m*(l1^2 + l2^2 + 2*l1*l2*cos(q2))",
    ];
    let mut exprs: Vec<Expr> = texts.iter().map(|t| read(&mut graph, t)).collect();
    let named = graph.name("v", exprs[0]);
    exprs.push(graph.mul(named, exprs[2]));
    let (x, other) = (read(&mut graph, "x"), read(&mut graph, "unused"));
    let before = graph.len();
    assert_eq!(graph.substitute(&exprs, &[]), exprs);
    assert_eq!(graph.substitute(&exprs, &[(other, x)]), exprs);
    assert_eq!(graph.substitute(&exprs, &[(x, x)]), exprs);
    assert_eq!(graph.len(), before);
    assert_eq!(graph.substitute(&[], &[(x, other)]), []);
}

fn variable(graph: &Graph, expr: Expr) -> (String, Expr) {
    match graph.node(expr) {
        Node::Variable(id) => (graph.variable_name(id).to_owned(), graph.definition(id)),
        node => panic!("{node:?} is no variable"),
    }
}

#[test]
fn variables_are_made_anew() {
    let mut graph = Graph::new();
    let first = read(&mut graph, "sin(x)*y");
    let first = graph.name("v", first);
    let second = read(&mut graph, "v^2 + z");
    let second = graph.name("w", second);
    let outer = read(&mut graph, "w*v + z");
    let [x, z, a] = ["x", "z", "a"].map(|name| read(&mut graph, name));

    // Only what changes gets a new name.
    let new = graph.substitute(&[first, second, outer], &[(z, a)]);
    assert_eq!(new[0], first);
    let (name, definition) = variable(&graph, new[1]);
    assert_eq!((name.as_str(), definition), ("w_2", read(&mut graph, "v^2 + a")));
    assert_eq!(new[2], read(&mut graph, "w_2*v + a"));

    let new = graph.substitute(&[first, second, outer], &[(x, a)]);
    let (name, definition) = variable(&graph, new[0]);
    assert_eq!((name.as_str(), definition), ("v_2", read(&mut graph, "sin(a)*y")));
    let (name, definition) = variable(&graph, new[1]);
    assert_eq!((name.as_str(), definition), ("w_3", read(&mut graph, "v_2^2 + z")));
    // The old ones are as they were.
    assert_eq!(variable(&graph, first), ("v".into(), read(&mut graph, "sin(x)*y")));
    // The same again gives the same variables.
    assert_eq!(graph.substitute(&[first, second, outer], &[(x, a)]), new);
}

#[test]
fn variables_may_disappear_or_change_sign() {
    let mut graph = Graph::new();
    let difference = read(&mut graph, "x - y");
    let v = graph.name("v", difference);
    let product = read(&mut graph, "v*z");
    let [x, y, z] = ["x", "y", "z"].map(|name| read(&mut graph, name));
    // A definition that becomes a number or an atom needs no name.
    assert_eq!(graph.substitute(&[v, product], &[(y, x)]), [Expr::ZERO; 2]);
    assert_eq!(graph.substitute(&[v], &[(y, Expr::ZERO)]), [x]);
    // One that becomes its own opposite keeps it.
    assert_eq!(graph.substitute(&[v, product], &[(x, y), (y, x)]), [-v, -product]);
    // A variable may be replaced itself; then its definition does not matter.
    let yz = graph.mul(y, z);
    assert_eq!(graph.substitute(&[product], &[(v, y), (x, z)]), [yz]);
}

#[test]
fn through_calls() {
    let mut graph = Graph::new();
    let tyre = graph.declare_function("tyre", 2, 3);
    let [x, y, k] = ["x", "y", "k"].map(|name| graph.symbol(name, Kind::Parameter));
    let (sum, product) = (graph.add(x, k), graph.mul(x, y));
    let forces = graph.call(tyre, &[sum, product]);
    let power = graph.product(&[forces[0], forces[2], k]);
    let new = graph.substitute(&[forces[1], power], &[(x, y), (y, x), (k, Expr::ZERO)]);
    let expect = graph.call(tyre, &[y, product]);
    assert_eq!(new, [expect[1], Expr::ZERO]);
    // A result may be replaced like any other expression.
    let new = graph.substitute(&[power], &[(forces[2], x)])[0];
    assert_eq!(new, graph.product(&[forces[0], x, k]));
    // Signs stay with their arguments.
    let negative = graph.call(tyre, &[-x, y]);
    let new = graph.substitute(&[-negative[0]], &[(x, -k)])[0];
    assert_eq!(new, -graph.call(tyre, &[k, y])[0]);
}

#[test]
fn deep_and_shared() {
    // Doubles in size with each step as text, but is one node more as a graph.
    let mut graph = Graph::new();
    let [x, y] = ["x", "y"].map(|name| graph.symbol(name, Kind::Coordinate));
    let build = |graph: &mut Graph, start: Expr| {
        (0..2000).fold(start, |last, _| {
            let sine = graph.sin(last);
            graph.mul(sine, last)
        })
    };
    let (of_x, of_y) = (build(&mut graph, x), build(&mut graph, y));
    let before = graph.len();
    assert_eq!(graph.substitute(&[of_x], &[(x, y)]), [of_y]);
    assert_eq!(graph.len(), before);
    // On a small stack, fifty thousand deep.
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(|| {
        let mut graph = Graph::new();
        let [x, y] = ["x", "y"].map(|name| graph.symbol(name, Kind::Coordinate));
        let build = |graph: &mut Graph, start: Expr| {
            (0..50_000).fold(start, |last, _| {
                let sine = graph.sin(last);
                graph.add(sine, Expr::ONE)
            })
        };
        let (of_x, of_y) = (build(&mut graph, x), build(&mut graph, y));
        assert_eq!(graph.substitute(&[of_x], &[(x, y)]), [of_y]);
    });
    thread.expect("a thread").join().expect("the work is done");
}

#[test]
fn values_agree() {
    let mut graph = Graph::new();
    let text = "if(x < y, min(a*b/c, x^3/2), atan2(x, y)) - sqrt(a^2 + b^2)/(x*y)^2 + exp(a*x)";
    let expr = read(&mut graph, text);
    let [a, b, x] = ["a", "b", "x"].map(|name| read(&mut graph, name));
    let put_in = [graph.parse("y*c").unwrap(), graph.parse("3/4").unwrap(), graph.sin(a)];
    let new = graph.substitute(&[expr], &[(a, put_in[0]), (b, put_in[1]), (x, put_in[2])])[0];
    for seed in 0..10 {
        let at =
            |name: &str| 0.4 + 0.37 * f64::from(name.as_bytes()[0] % 7) + 0.11 * f64::from(seed);
        let inner = |name: &str| match name {
            "a" => at("y") * at("c"),
            "b" => 0.75,
            "x" => at("a").sin(),
            _ => at(name),
        };
        let expect = graph.evaluate_f64(&[expr], |name| Some(inner(name))).unwrap()[0];
        let value = graph.evaluate_f64(&[new], |name| Some(at(name))).unwrap()[0];
        assert!((value - expect).abs() <= 1e-13 * expect.abs().max(1.0), "{value} {expect}");
    }
}

#[test]
fn inlining_leaves_no_names_at_any_depth() {
    let mut graph = Graph::new();
    let inner = read(&mut graph, "x + y");
    let a = graph.name("a", inner);
    let z = read(&mut graph, "z");
    let product = graph.mul(a, z);
    let b = graph.name("b", product);
    let sum = graph.add(b, a);
    let inlined = graph.inline(&[sum, -b]);
    assert_eq!(inlined[0], read(&mut graph, "(x + y)*z + (x + y)"));
    assert_eq!(inlined[1], read(&mut graph, "-(x + y)*z"));
}
