//! Antiderivatives: their derivatives are the integrand, and they do not jump.

use rotule_symbolic::{Expr, Graph, Kind};

/// Integrands.
const KNOWN: &[&str] = &[
    "k",
    "k*x",
    "k*(x - x0)",
    "k*(x - x0) + k3*(x - x0)^3",
    "k*x*(x - x0)",
    "(x - x0)^-2",
    "1/(x + 7)",
    "k*sqrt(x + 9)",
    "sin(2*x + x0) + 3*cos(k*x)",
    "exp(-x/3)",
    "atan(k*x)",
    "tan(x/9)",
    "log(x + 8)",
    "k*max(0, x - x0)",
    "k*max(0, x - x0)^2",
    "k*max(0, x0 - x)^1.5",
    "k*max(0, x - x0)^1.3",
    "k*min(0, x - x0)",
    "abs(x - x0)",
    "x*abs(x)",
    "sign(x - x0)",
    "if(x < x0, k*(x - x0), 2*k*(x - x0))",
    "if(x < x0, 1, if(x <= x0 + 1, x, sin(x)))",
    "max(k*x, 2)",
    "max(x, 0)*(x - 1)",
    "k*(x - x0)*if(x < x0, 1, 0)",
    "if(k < 1, x, x^2)",
    "(x - x0)*(x + 1)^2/k",
];

const UNKNOWN: &[&str] = &[
    "floor(x)",
    "exp(x^2)",
    "1/(x^2 + 1)",
    "if(x == 1, x, 2)",
    "atan2(x, k)",
    "if(x^2 < 1, 1, 2)",
];

fn value(graph: &Graph, expr: Expr, x: f64) -> f64 {
    let numbers = [("x", x), ("k", 1.7), ("x0", 0.3), ("k3", 0.9)];
    let input = |name: &str| numbers.iter().find(|one| one.0 == name).map(|one| one.1);
    graph.evaluate_f64(&[expr], input).expect("all inputs are known")[0]
}

#[test]
fn derivatives_are_the_integrand_and_nothing_jumps() {
    for text in KNOWN {
        let mut graph = Graph::new();
        let x = graph.symbol("x", Kind::Coordinate);
        for name in ["k", "x0", "k3"] {
            graph.symbol(name, Kind::Parameter);
        }
        let f = graph.parse(text).expect("a valid expression");
        let found = graph.antiderivative(f, x).unwrap_or_else(|| panic!("`{text}` has none"));
        // Midpoints of small steps: the rule is exact to second order, so differences of the
        // antiderivative are the integral.
        let step = 1e-2;
        for at in -400..400 {
            let (a, b) = (f64::from(at) * step, f64::from(at + 1) * step);
            let middle = value(&graph, f, (a + b) / 2.0);
            let ends = [value(&graph, f, a), value(&graph, f, b)];
            let increase = value(&graph, found, b) - value(&graph, found, a);
            let spread = (ends[0] - ends[1]).abs().max((ends[0] - middle).abs());
            let error = (increase - middle * step).abs();
            assert!(
                error <= step * spread + 1e-9 * middle.abs().max(1.0),
                "`{text}` near {a}: {error}"
            );
        }
    }
}

#[test]
fn what_no_rule_knows_is_refused() {
    for text in UNKNOWN {
        let mut graph = Graph::new();
        let x = graph.symbol("x", Kind::Coordinate);
        let f = graph.parse(text).expect("a valid expression");
        assert!(graph.antiderivative(f, x).is_none(), "`{text}`");
    }
}
