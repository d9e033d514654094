//! Hessian-vector products against differences in 192-bit arithmetic, on random mechanisms with
//! every type of joint.

use rotule_formalism::{Formalism, ModelFunction, MultibodySystem, direction_names, weight_names};
use rotule_model::mechanism::{Mechanism, Speed};
use rotule_symbolic::{Arithmetic, Expr, Graph, Kind, Number};
use rotule_testing::formalism::case::Case;
use rotule_testing::formalism::numbers::agree;
use rotule_testing::formalism::random::Random;
use rotule_testing::formalism::{dense, write};
use rotule_testing::symbolic::extended::{Extended, to_f64};
use std::collections::HashMap;

/// The step of differences. Of the 57 digits that numbers have, 26 cancel.
const STEP: f64 = 1.0 / (1_u64 << 43) as f64;

/// The number of mechanisms.
const SEEDS: u64 = 12;

/// The coordinates, speeds and the third variable, moved by a step along a direction: coordinates
/// along the kinematic map.
fn moved(
    system: &mut MultibodySystem,
    third: fn(&Speed) -> Expr,
    step: Expr,
    direction: &[Expr],
) -> Vec<(Expr, Expr)> {
    let n = system.speeds();
    let map = write(system, "kinematic_map", Formalism::Outward);
    let Mechanism { coordinates, speeds, graph, .. } = &mut system.mechanism;
    let mut pairs = Vec::new();
    for (row, coordinate) in coordinates.iter().enumerate() {
        let mut terms = vec![coordinate.symbol];
        for &(_, column, value) in map[0].entries.iter().filter(|entry| entry.0 as usize == row) {
            terms.push(graph.product(&[step, value, direction[column as usize]]));
        }
        pairs.push((coordinate.symbol, graph.sum(&terms)));
    }
    for (at, speed) in speeds.iter().enumerate() {
        for (symbol, part) in [(speed.symbol, n + at), (third(speed), 2 * n + at)] {
            let change = graph.mul(step, direction[part]);
            pairs.push((symbol, graph.add(symbol, change)));
        }
    }
    pairs
}

fn symbols(graph: &mut Graph, names: &[String], kind: Kind) -> Vec<Expr> {
    names.iter().map(|name| graph.symbol(name, kind)).collect()
}

fn check(seed: u64, function: &str, third: fn(&Speed) -> Expr) {
    let mut case = Case::random(seed);
    let n = case.speeds();
    if n > 9 {
        return;
    }
    let state = case.state(1);
    let label = format!("{}: hessian_vector({function})", case.label);
    let names = case.parameters.iter().map(|one| (one.name.clone(), one.value));
    let mut numbers: HashMap<String, f64> = names.collect();
    numbers.insert("t".to_owned(), state.time);
    let system = &mut case.tree;
    let random = &mut Random::new(77 + seed);
    {
        let graph = &system.mechanism.graph;
        let coordinates = system.mechanism.coordinates.iter().map(|one| graph.text(one.symbol));
        numbers.extend(coordinates.zip(state.q.iter().copied()));
        for (at, speed) in system.mechanism.speeds.iter().enumerate() {
            numbers.insert(graph.text(speed.symbol), state.qd[at]);
            numbers.insert(graph.text(speed.acceleration), state.qdd[at]);
            numbers.insert(graph.text(speed.effort), state.effort[at]);
        }
    }
    let names = [direction_names(&system.mechanism), weight_names(&system.mechanism)];
    for name in names.iter().flatten() {
        numbers.insert(name.clone(), random.between(-1.0, 1.0));
    }
    let product = write(system, &format!("hessian_vector({function})"), Formalism::NewtonEuler);
    let f = dense(&write(system, function, Formalism::NewtonEuler)[0]);
    let graph = &mut system.mechanism.graph;
    let d = symbols(graph, &names[0], Kind::Direction);
    let w = symbols(graph, &names[1], Kind::Weight);
    let terms: Vec<Expr> = f.iter().zip(&w).map(|(&f, &w)| graph.mul(f, w)).collect();
    let weighted = graph.sum(&terms);
    let [s, r] = ["s", "r"].map(|name| graph.symbol(name, Kind::Parameter));
    // First along the direction from where the second step leads, as derivatives do.
    let first = moved(system, third, s, &d);
    let along = system.mechanism.graph.substitute(&[weighted], &first)[0];
    let found: Vec<f64> = {
        let all: Vec<Expr> = product.iter().flat_map(dense).collect();
        let graph = &system.mechanism.graph;
        let found = graph.evaluate_f64(&all, |name| numbers.get(name).copied());
        found.unwrap_or_else(|name| panic!("{label}: {name}"))
    };
    let mut expected = Vec::new();
    for at in 0..3 * n {
        let mut unit = vec![Expr::ZERO; 3 * n];
        unit[at] = Expr::ONE;
        let second = moved(system, third, r, &unit);
        let both = system.mechanism.graph.substitute(&[along], &second)[0];
        let graph = &system.mechanism.graph;
        let at = |s: f64, r: f64| {
            let step = |name: &str| match name {
                "s" => Some(s * STEP),
                "r" => Some(r * STEP),
                name => numbers.get(name).copied(),
            };
            let found = graph.evaluate(&[both], &mut Extended::new(step));
            found.expect("all inputs are known").remove(0)
        };
        let mut digits = Extended::new(|_| None);
        let mut sum = digits.number(Number::Real(0.0));
        for (s, r) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
            let term = at(s, r);
            let term = if s * r > 0.0 { term } else { digits.negate(&term) };
            sum = digits.add(&sum, &term);
        }
        let area = digits.number(Number::Real(4.0 * STEP * STEP));
        expected.push(to_f64(&digits.divide(&sum, &area)));
    }
    assert!(expected.iter().any(|x| x.abs() > 1e-3), "{label}: nothing to compare");
    agree(&label, &found, &expected, 1e-11);
}

#[test]
fn products_of_inverse_dynamics_are_differences() {
    (1..=SEEDS).for_each(|seed| check(seed, "inverse", |speed| speed.acceleration));
}

#[test]
fn products_of_forward_dynamics_are_differences() {
    (1..=SEEDS).for_each(|seed| check(seed, "forward", |speed| speed.effort));
}

#[test]
fn products_of_other_functions_are_refused() {
    let case = Case::random(1);
    for function in ["mass", "kinetic_energy", "bias"] {
        let parsed = ModelFunction::parse(&format!("hessian_vector({function})"), &case.tree);
        let made = rotule_formalism::generate(&case.tree, &parsed.expect("a function"), None);
        let problem = made.expect_err(function).to_string();
        assert!(problem.contains(&format!("not defined for `{function}`")), "{problem}");
    }
}
