//! Unknowns that an iteration finds, lowered to regions.

use rotule_program::lower::{Request, Solve, Target, lower};
use rotule_program::{NoExternals, Program, ProgramCounts, RegionRole, Value, run_once, verify};
use rotule_symbolic::{Expr, Graph, Kind, Unary};

/// Newton's iteration for the root of one equation.
fn newton(graph: &mut Graph, name: &str, start: &str, equation: &str) -> (Solve, Expr) {
    let unknown = graph.symbol(name, Kind::Coordinate);
    let start = graph.parse(start).expect("an expression");
    let residual = graph.parse(equation).expect("an expression");
    let slope = graph.derivative(residual, unknown);
    let step = graph.div(residual, slope);
    let next = graph.sub(unknown, step);
    let solve = Solve {
        name: name.to_owned(),
        role: RegionRole::Unknowns,
        unknowns: vec![unknown],
        start: vec![start],
        next: vec![next],
        residuals: vec![residual],
        tolerance: 1e-14,
        limit: 30,
    };
    (solve, unknown)
}

fn program(graph: &Graph, outputs: &[(&str, Expr)], solves: Vec<Solve>) -> Program {
    let outputs = outputs.iter().map(|(name, e)| Target::scalar(*name, *e)).collect();
    let request = Request { name: "test".into(), outputs, solves, ..Request::default() };
    let program = lower(graph, &request).program;
    verify(&program).expect("a valid program");
    program
}

fn run(program: &Program, inputs: &[(&str, f64)]) -> Vec<f64> {
    let number = |name: &str| inputs.iter().find(|input| input.0 == name).map(|input| input.1);
    let inputs: Vec<f64> = program
        .inputs()
        .iter()
        .map(|input| number(&input.name).unwrap_or_else(|| panic!("`{}` is an input", input.name)))
        .collect();
    run_once(program, &inputs, &mut NoExternals).expect("it runs")
}

#[test]
fn an_unknown_is_found_and_used() {
    let mut graph = Graph::new();
    let (solve, u) = newton(&mut graph, "u1", "q1", "u1^2 - q1");
    let twice = graph.parse("2*u1 + q1").expect("an expression");
    let program = program(&graph, &[("u", u), ("y", twice)], vec![solve]);
    let values = run(&program, &[("q1", 2.0)]);
    assert!((values[0] - 2_f64.sqrt()).abs() < 1e-14, "{values:?}");
    assert!((values[1] - 2.0 * 2_f64.sqrt() - 2.0).abs() < 1e-14, "{values:?}");
}

#[test]
fn a_solve_uses_results_of_those_before_it() {
    let mut graph = Graph::new();
    let (first, u) = newton(&mut graph, "u1", "q1", "u1^2 - q1");
    let (second, v) = newton(&mut graph, "u2", "u1", "u2^3 - sin(u1)*q2");
    let program = program(&graph, &[("v", v)], vec![first, second]);
    let values = run(&program, &[("q1", 2.0), ("q2", 3.0)]);
    let expected = (2_f64.sqrt().sin() * 3.0).cbrt();
    assert!((values[0] - expected).abs() < 1e-14, "{values:?}");
    assert!(program.inputs().iter().all(|input| graph.lookup(&input.name) != Some(u)));
}

#[test]
fn what_nobody_needs_is_not_there() {
    let mut graph = Graph::new();
    let (first, _) = newton(&mut graph, "u1", "q1", "u1^2 - q1");
    let (second, v) = newton(&mut graph, "u2", "q1", "u2^2 - q2");
    let program = program(&graph, &[("v", v)], vec![first, second]);
    assert_eq!(program.regions().len(), 1);
    assert_eq!(program.regions()[0].name, "u2");
}

#[test]
fn an_iteration_computes_only_what_moves() {
    let mut graph = Graph::new();
    let (solve, u) = newton(&mut graph, "u1", "1", "q1*q2*m*u1^2 - (sin(q3) + q1 + q2)*u1 - 1");
    let program = program(&graph, &[("u", u)], vec![solve]);
    let region = &program.regions()[0];
    let mut moving: Vec<Value> = region.states.clone();
    for &value in &region.block {
        let mut moves = false;
        program.operands(program.operation(value), |operand| moves |= moving.contains(&operand));
        assert!(moves, "a statement that stands still is in the region");
        moving.push(value);
    }
    // With a, b for what stands still: (a*u - b)*u - 1 and u - r/(2a*u - b).
    assert_eq!(ProgramCounts::of(&program).iteration.operations(), 8);
    let values = run(&program, &[("q1", 1.0), ("q2", 2.0), ("m", 0.5), ("q3", 0.0)]);
    // u^2 - 3u - 1 = 0
    let root = values[0];
    assert!((root * root - 3.0 * root - 1.0).abs() < 1e-13, "{root}");
}

/// Values of the block are read behind it, at the final state to the last bit, however it
/// ends.
#[test]
fn what_a_region_computes_is_not_computed_again() {
    let mut graph = Graph::new();
    let (mut first, _) = newton(&mut graph, "u1", "q1", "u1 + exp(u1)*sin(u1) - q1");
    let (second, _) = newton(&mut graph, "u2", "u1", "u2^3 - sin(u1)*q2");
    let mut outputs = Vec::new();
    for text in ["u1", "u2", "sin(u1)", "exp(u1)", "sin(u1) + 2*exp(u1)", "3*u2^2", "tan(u1)"] {
        outputs.push((text, graph.parse(text).expect("an expression")));
    }
    for limit in [30, 1, 0] {
        first.limit = limit;
        let program = program(&graph, &outputs, vec![first.clone(), second.clone()]);
        // Behind: a product for the second region, two with numbers, one sum, the tangent.
        assert_eq!(ProgramCounts::of(&program).body.operations(), 5, "{program}");
        assert_eq!(program.regions().len(), 2);
        let y = run(&program, &[("q1", 2.0), ("q2", 3.0)]);
        let again = [Unary::Sin, Unary::Exp].map(|function| function.apply(y[0]).to_bits());
        assert_eq!([y[2], y[3]].map(f64::to_bits), again);
        assert_eq!(y[5].to_bits(), (3.0 * (y[1] * y[1])).to_bits());
        let residual = y[0] + y[3] * y[2] - 2.0;
        assert_eq!(residual.abs() < 1e-13, limit == 30, "{limit}: {residual}");
    }
}
