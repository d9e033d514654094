//! Derivatives of external functions, by the partner convention.

use rotule_symbolic::{Expr, ForeignFunction, FunctionId, Graph, Node};
use rotule_testing::symbolic::extended::to_f64;
use rotule_testing::symbolic::judge::*;

fn tyre(graph: &mut Graph) -> FunctionId {
    graph.declare_function("tyre", 2, 3)
}

#[test]
fn a_call_is_differentiated_by_one_call_of_its_partner() {
    let mut graph = Graph::new();
    let function = tyre(&mut graph);
    let texts = ["p*q", "p + q^2"];
    let [a, b] = texts.map(|t| read(&mut graph, t));
    let forces = graph.call(function, &[a, b]);
    let [p, q] = ["p", "q"].map(|name| graph.lookup(name).unwrap());
    let derivatives = graph.derivatives(&forces, &[p, q]);
    let all: Vec<Expr> = derivatives.entries.iter().map(|e| e.2).collect();
    assert_eq!(all.len(), 6);
    // {a, da/dp, da/dq, b, db/dp, db/dq}
    let slope = read(&mut graph, "2*q");
    let [(partner, arguments)] = &calls(&graph, &all)[..] else { panic!("one call") };
    assert_eq!(arguments, &[a, q, p, b, Expr::ONE, slope]);
    let expect = ForeignFunction {
        name: "tyre_d2".into(),
        arguments: 6,
        results: 9,
        derivative_of: Some((function, 2)),
    };
    assert_eq!(partner, &expect);
    // {f1, df1/dp, df1/dq, f2, ...}
    for (row, column, value) in &derivatives.entries {
        let Node::Result(_, index) = graph.node(*value) else { panic!("a result") };
        assert_eq!(index as usize, 3 * row + 1 + column);
    }
    // The same question again makes nothing new.
    let before = graph.len();
    assert_eq!(graph.derivatives(&forces, &[p, q]).entries, derivatives.entries);
    assert_eq!(graph.len(), before);
}

#[test]
fn a_direction_that_moves_nothing_is_not_passed() {
    let mut graph = Graph::new();
    let function = tyre(&mut graph);
    let [a, b] = ["sin(q)", "s"].map(|t| read(&mut graph, t));
    let forces = graph.call(function, &[a, b]);
    let sum = read(&mut graph, "p*r");
    let sum = graph.add(sum, forces[1]);
    let [p, q, r] = ["p", "q", "r"].map(|name| graph.lookup(name).unwrap());
    let derivatives = graph.derivatives(&[sum, forces[2]], &[p, q, r]);
    let values: Vec<Expr> = derivatives.entries.iter().map(|e| e.2).collect();
    let [(partner, arguments)] = &calls(&graph, &values)[..] else { panic!("one call") };
    let cosine = graph.cos(q);
    assert_eq!(partner.name, "tyre_d1");
    assert_eq!(arguments, &[a, cosine, b, Expr::ZERO]);
    assert_eq!((derivatives.get(0, 0), derivatives.get(0, 2)), (r, p));
    assert_eq!((derivatives.get(1, 0), derivatives.get(1, 2)), (Expr::ZERO, Expr::ZERO));
    // Backwards, too: only the argument that moves is a direction.
    let gradient = graph.gradient(sum, &[q]);
    let [(partner, arguments)] = &calls(&graph, &gradient)[..] else { panic!("one call") };
    assert_eq!(partner.name, "tyre_d1");
    assert_eq!(arguments, &[a, Expr::ONE, b, Expr::ZERO]);
}

#[test]
fn values_through_calls() {
    // The functions of the judge, and everything around them.
    let check = |texts: &[&str]| {
        for point in ANYWHERE {
            let mut graph = Graph::new();
            tyre(&mut graph);
            graph.declare_function("spring", 1, 1);
            let texts: Vec<String> = texts.iter().copied().map(String::from).collect();
            let rows = table(&mut graph, &texts);
            let point: Vec<_> = ["x", "y", "z"].into_iter().zip(point).collect();
            for row in rows {
                assert!(compare(&mut graph, row, &point, 25), "{texts:?} at {point:?}");
            }
        }
    };
    check(&["spring(x)"]);
    check(&["tyre(x, y)[1]"]);
    check(&["tyre(x*y, y - z)[1] + z*tyre(x*y, y - z)[2]*tyre(x*y, y - z)[3]"]);
    check(&["tyre(x, x)[2] - tyre(x, -x)[1]"]);
    check(&["tyre(2, y)[2]", "v1*x"]);
    // Calls of calls, and named variables in between.
    check(&["spring(tyre(x, spring(y))[1]*tyre(z, spring(x*y))[3])"]);
    check(&["spring(x)*y", "tyre(v1, z)[3]", "-tyre(v2, v1*v2)[2]", "v3*v2 + spring(v3)"]);
    check(&["if(spring(x) < y, tyre(x, y)[2], spring(x*z)^2)"]);
    check(&["min(spring(x), tyre(y, z)[1])"]);
}

#[test]
fn second_derivatives_use_partners_of_partners() {
    let mut graph = Graph::new();
    tyre(&mut graph);
    let expr = read(&mut graph, "tyre(x*y, x + y)[1]*x");
    let [x, y] = ["x", "y"].map(|name| graph.lookup(name).unwrap());
    let first = graph.derivative(expr, x);
    let second = graph.derivative(first, y);
    let names: Vec<String> = calls(&graph, &[second]).into_iter().map(|c| c.0.name).collect();
    assert!(names.iter().any(|name| name == "tyre_d1_d1"), "{names:?}");
    // d2/dxdy of sin(x y) (x + y) x, and the same once more by finite differences.
    let point = [("x", 0.4), ("y", 0.9)];
    let expect = graph.parse("sin(x*y)*(x + y)*x").unwrap();
    let expect = graph.derivative(expect, x);
    let expect = graph.derivative(expect, y);
    let mut judge = Judge::at(&point);
    let [value, expect] = [second, expect].map(|e| judge.value(&graph, e, "x", 0.0));
    assert!(agree(&value, &expect, 15), "{} and {}", to_f64(&value), to_f64(&expect));
}

#[test]
fn directions_may_repeat_and_differ_between_runs() {
    let mut graph = Graph::new();
    tyre(&mut graph);
    let expr = read(&mut graph, "tyre(x*y, z)[1]");
    let [x, y, z] = ["x", "y", "z"].map(|name| graph.lookup(name).unwrap());
    let alone = [x, y, z].map(|s| graph.derivative(expr, s));
    let together = graph.derivatives(&[expr], &[z, x, y, x]);
    let mut judge = Judge::at(&[("x", 0.4), ("y", -0.9), ("z", 1.3)]);
    for (column, single) in [(0, alone[2]), (1, alone[0]), (2, alone[1]), (3, alone[0])] {
        let [a, b] = [together.get(0, column), single].map(|e| judge.value(&graph, e, "x", 0.0));
        assert!(agree(&a, &b, 25), "column {column}: {} and {}", to_f64(&a), to_f64(&b));
    }
}

#[test]
fn a_partner_does_not_take_the_name_of_another_function() {
    let mut graph = Graph::new();
    graph.declare_function("spring", 1, 1);
    // The user's own function happens to be called as the partner would be.
    graph.declare_function("spring_d1", 3, 1);
    let expr = read(&mut graph, "spring(x)");
    let x = graph.lookup("x").unwrap();
    let derivative = graph.derivative(expr, x);
    let [(partner, arguments)] = &calls(&graph, &[derivative])[..] else { panic!("one call") };
    assert_eq!((partner.arguments, arguments.len()), (2, 2));
    assert!(partner.derivative_of.is_some());
}
