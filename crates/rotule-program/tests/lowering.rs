//! Lowering against the examples of the theses: Postiau's engine tests (B1 to B10 of its chapter 1)
//! and Moore's table of temporaries (examples 3.1 and 3.2).

use rotule_program::lower::{Lowered, MarkTarget, Request, Target, lower};
use rotule_program::{
    ArithmeticOperation, NoExternals, ProgramCounts, Tag, TagKind, count_by_tag, passes, print,
    run_once, verify,
};
use rotule_symbolic::{Expr, Graph, Kind, Unary};
use rotule_testing::symbolic::pendulum::DOUBLE_PENDULUM;

fn lowered(graph: &Graph, outputs: &[(&str, Expr)]) -> Lowered {
    let outputs = outputs.iter().map(|(name, e)| Target::scalar(*name, *e)).collect();
    let lowered = lower(
        graph,
        &Request { name: "test".into(), inputs: vec![], outputs, ..Request::default() },
    );
    verify(&lowered.program).unwrap();
    lowered
}

/// Multiplications, additions and functions of a text, after lowering.
fn operations(graph: &Graph, outputs: &[(&str, Expr)]) -> (u64, u64, u64) {
    let tally = ProgramCounts::of(&lowered(graph, outputs).program).all();
    let multiply = tally.arithmetic(ArithmeticOperation::Mul);
    let add =
        tally.arithmetic(ArithmeticOperation::Add) + tally.arithmetic(ArithmeticOperation::Sub);
    (multiply, add, tally.functions())
}

fn check(texts: &[&str], multiply: u64, add: u64) {
    let mut graph = Graph::new();
    let exprs: Vec<Expr> = texts.iter().map(|t| graph.parse(t).unwrap()).collect();
    let names: Vec<String> = (0..exprs.len()).map(|i| format!("y{i}")).collect();
    let outputs: Vec<_> = names.iter().map(String::as_str).zip(exprs.iter().copied()).collect();
    let (m, a, _) = operations(&graph, &outputs);
    let written: Vec<String> = exprs.iter().map(|&e| graph.text(e)).collect();
    assert_eq!((m, a), (multiply, add), "{texts:?} -> {written:?}");
}

#[test]
fn partial_products_and_sums_are_shared() {
    check(&["a*b*c", "a*b*d"], 3, 0);
    check(&["a*b", "a*b*c", "a*b*c*d"], 3, 0);
    check(&["a + b", "a + b + c", "c - a - b"], 0, 3);
    check(&["a - b", "b - a + c"], 0, 2);
    // Powers are formed jointly, squares are shared.
    check(&["x^2*y^2"], 2, 0);
    check(&["x^2*y", "x^2*z"], 3, 0);
    check(&["(x^3*y)^5"], 6, 0);
}

#[test]
fn common_factors_are_found_whatever_the_order() {
    for text in ["a*b*c + b*c*e + a*d*f", "a*b*c + a*d*f + b*c*e", "a*d*f + b*c*e + a*b*c"] {
        check(&[text], 4, 2);
    }
    check(&["a*p*x + b*p*z"], 3, 1);
}

#[test]
fn parameters_are_hoisted_into_setup() {
    let mut graph = Graph::new();
    graph.symbol("q1", Kind::Coordinate);
    let torque = graph.parse("0.5*m*g*l*sin(q1) + m*l^2/12 + i0").unwrap();
    let program = lowered(&graph, &[("tau", torque)]).program;
    let counts = ProgramCounts::of(&program);
    assert_eq!((counts.body.total(), counts.body.functions()), (2, 1), "{counts}");
}

#[test]
fn a_sign_is_never_an_operation() {
    // x = -(a - b); y = d - x + z
    let mut graph = Graph::new();
    let difference = graph.parse("-(a - b)").unwrap();
    graph.name("x", difference);
    let y = graph.parse("d - x + z").unwrap();
    let program = lowered(&graph, &[("y", y)]).program;
    let tally = ProgramCounts::of(&program).all();
    assert_eq!((tally.total(), tally.neg), (3, 0));
}

#[test]
fn equal_subexpressions_are_computed_once() {
    // OM13 = qd2 + qd3; OpF23 = qd1*C2p3*(qd2 + qd3); OpF33 = -qd1*S2p3*(qd2 + qd3)
    let mut graph = Graph::new();
    let texts = ["qd2 + qd3", "qd1*cos(q2 + q3)*(qd2 + qd3)", "-qd1*sin(q2 + q3)*(qd2 + qd3)"];
    let exprs = texts.map(|t| graph.parse(t).unwrap());
    let outputs: Vec<_> = ["OM13", "OpF23", "OpF33"].into_iter().zip(exprs).collect();
    // qd2+qd3, q2+q3, qd1*OM13, and one product each.
    assert_eq!(operations(&graph, &outputs), (3, 2, 2));
}

#[test]
fn dead_equations_and_calls_disappear() {
    let mut graph = Graph::new();
    let x = graph.parse("a*b + sin(c)").unwrap();
    let unused = graph.parse("exp(a) + b").unwrap();
    graph.name("unused", unused);
    let tyre = graph.declare_function("tyre", 2, 3);
    let a = graph.lookup("a").unwrap();
    let forces = graph.call(tyre, &[a, x]);
    let dead = graph.call(tyre, &[x, a]);
    let zero = graph.mul(dead[0], Expr::ZERO);
    let y = graph.sum(&[forces[1], x, zero]);
    let program = lowered(&graph, &[("y", y)]).program;
    let tally = ProgramCounts::of(&program).all();
    assert_eq!((tally.call, tally.total(), tally.functions()), (1, 3, 1));
}

/// Moore, example 3.2: the planar double pendulum as a table of temporaries, row by row.
fn double_pendulum(graph: &mut Graph) -> [Expr; 4] {
    let mut table: Vec<(&str, Expr)> = Vec::new();
    for (name, text) in DOUBLE_PENDULUM {
        // As in the source: each row is an expression in earlier rows, written out here.
        let mut row = graph.parse(text).unwrap();
        let pairs: Vec<(Expr, Expr)> = table
            .iter()
            .filter_map(|&(known, value)| graph.lookup(known).map(|symbol| (symbol, value)))
            .collect();
        row = graph.substitute(&[row], &pairs)[0];
        table.push((name, row));
    }
    let i1 = graph.symbol("I1", Kind::Parameter);
    let row = |i: usize| table[i - 1].1;
    let m22 = graph.add(i1, row(17));
    [row(12), m22, row(22), row(28)]
}

#[test]
fn the_double_pendulum_takes_12_multiplications_and_5_additions() {
    let mut graph = Graph::new();
    let outputs = double_pendulum(&mut graph);
    let expected = [
        "I2 + m2*c2*l1*cos(X1)",
        "I1 + I2 + 2*m2*c2*l1*cos(X1) + m2*l1^2",
        "m2*c2*l1*sin(X1)*X4^2",
        "-m2*c2*l1*sin(X1)*X3*(X3 + 2*X4)",
    ];
    let names = ["M12", "M22", "g1", "g2"];
    for i in 0..4 {
        let expect = graph.parse(expected[i]).unwrap();
        assert_eq!(outputs[i], expect, "{}: {}", names[i], graph.text(outputs[i]));
    }
    let outputs: Vec<_> = names.into_iter().zip(outputs).collect();
    let (multiply, add, functions) = operations(&graph, &outputs);
    assert!(multiply <= 12 && add <= 5 && functions == 2, "{multiply} {add} {functions}");
    // With the state told from the parameters, less than that is left for each evaluation.
    let mut graph = Graph::new();
    for name in ["X1", "X3", "X4"] {
        graph.symbol(name, Kind::Coordinate);
    }
    let outputs = double_pendulum(&mut graph);
    let outputs: Vec<_> = names.into_iter().zip(outputs).collect();
    let body = ProgramCounts::of(&lowered(&graph, &outputs).program).body;
    assert!(body.total() <= 13 && body.functions() == 2, "{}", body.total());
}

#[test]
fn slots_are_reused() {
    // Forty products of sines: each can go where an older one was.
    let mut graph = Graph::new();
    let mut total = graph.parse("sin(q1)").unwrap();
    for i in 0..40 {
        let angle = graph.parse(&format!("q{i} + q{}", i + 1)).unwrap();
        let sine = graph.unary(Unary::Sin, angle);
        let product = graph.mul(total, sine);
        total = graph.unary(Unary::Exp, product);
    }
    let program = lowered(&graph, &[("y", total)]).program;
    let slots = passes::slots(&program);
    let statements = program.block(rotule_program::Block::Body).len();
    assert!(slots.body * 3 <= statements, "{} slots for {statements}", slots.body);
}

#[test]
fn values_survive() {
    let mut graph = Graph::new();
    let text = "if(x < y, min(a*b/c, 2.5*x^3), atan2(x, y)) - sqrt(a^2 + b^2)/(x*y)^2";
    let expr = graph.parse(text).unwrap();
    let program = lowered(&graph, &[("y", expr)]).program;
    let inputs: Vec<f64> = (0..program.inputs().len()).map(|i| 0.4 + 0.3 * i as f64).collect();
    let by_name = |name: &str| {
        let position = program.inputs().iter().position(|input| input.name == name)?;
        Some(inputs[position])
    };
    let expect = graph.evaluate_f64(&[expr], by_name).unwrap()[0];
    let value = run_once(&program, &inputs, &mut NoExternals).unwrap()[0];
    assert!((value - expect).abs() <= 1e-14 * expect.abs(), "{value} {expect}");
}

#[test]
fn products_and_sums_are_binary_in_the_end() {
    // Postiau, appendix A.2: F = m*(alpha - wd*L) takes three steps, in this order.
    let mut graph = Graph::new();
    for name in ["alpha", "wd", "m", "L"] {
        graph.symbol(name, Kind::Coordinate);
    }
    let force = graph.parse("m*(alpha - wd*L)").unwrap();
    let program = lowered(&graph, &[("F", force)]).program;
    let text = program.to_string();
    let body = &text[text.find("body").unwrap()..text.find("output").unwrap()];
    let words: Vec<&str> = body.lines().filter_map(|l| l.split_whitespace().nth(2)).collect();
    assert_eq!(words, ["mul", "sub", "mul"], "{text}");
}

#[test]
fn inputs_come_in_the_order_requested() {
    // Postiau, appendix A.4: parameters are one vector, laid out as the caller says.
    let mut graph = Graph::new();
    let expr = graph.parse("m6*l36^2 + In1_6").unwrap();
    let inputs = ["In1_6", "l36", "unused", "m6"].map(|n| graph.symbol(n, Kind::Parameter));
    let outputs = vec![Target::scalar("y", expr)];
    let request =
        Request { name: "packed".into(), inputs: inputs.to_vec(), outputs, ..Request::default() };
    let program = lower(&graph, &request).program;
    let names: Vec<&str> = program.inputs().iter().map(|i| i.name.as_str()).collect();
    assert_eq!(names, ["In1_6", "l36", "unused", "m6"]);
    let value = run_once(&program, &[1.0, 2.0, f64::NAN, 3.0], &mut NoExternals).unwrap();
    assert_eq!(value, [13.0]);
}

#[test]
fn marks_follow_expressions_and_change_nothing() {
    let mut graph = Graph::new();
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| graph.symbol(name, Kind::Coordinate));
    let products = [graph.mul(a, b), graph.mul(c, d)];
    let first = graph.sum(&products);
    let sine = graph.unary(Unary::Sin, a);
    // The sum joins a longer one, and the square is not needed at all.
    let whole = graph.sum(&[first, sine]);
    let cosine = graph.unary(Unary::Cos, a);
    let unneeded = graph.square(cosine);
    let mark = |tag, values: &[Expr]| MarkTarget { tag, values: values.to_vec() };
    let marks = vec![
        mark(Tag::section("first"), &[first]),
        mark(Tag::section("second"), &[unneeded, a]),
        mark(Tag::block("whole"), &[whole]),
    ];
    let outputs = vec![Target::scalar("y", whole)];
    let plain = Request { outputs, ..Request::default() };
    let with = Request { marks, ..plain.clone() };
    let mut program = lower(&graph, &with).program;
    verify(&program).unwrap();
    let sections: Vec<u64> = count_by_tag(&program, TagKind::Section)
        .iter()
        .map(|part| part.counts.body.operations())
        .collect();
    // Two products, which are added to the sine one by one; nothing; the sine and the additions.
    assert_eq!(sections, [2, 0, 3], "{program}");
    assert_eq!(count_by_tag(&program, TagKind::Block)[0].counts.body.operations(), 5);
    program.clear_marks();
    assert_eq!(print(&program), print(&lower(&graph, &plain).program));
}
