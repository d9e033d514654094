//! Models, states, and functions run by the interpreter: unknowns of contacts need its regions.

pub use rotule_symbolic::random::of_name;
pub use rotule_testing::formalism::programs::program;
pub use rotule_testing::formalism::{example, tree as model};

use rotule_formalism::MultibodySystem;
use rotule_model::draft::JointType;
use rotule_program::{Interpreter, NoExternals, OutputId, Program};
use rotule_symbolic::Expr;
use std::collections::HashMap;

/// Numbers by the names of inputs.
pub type State = HashMap<String, f64>;

/// Parameters as the file has them, everything else random, with unit quaternions.
pub fn random_state(tree: &MultibodySystem, seed: u32) -> State {
    let mechanism = &tree.mechanism;
    let mut state = State::new();
    for symbol in mechanism.graph.symbols() {
        state.insert(symbol.name.clone(), of_name(&symbol.name, seed));
    }
    for joint in &mechanism.joints {
        let skipped = match joint.kind {
            JointType::Spherical => 0,
            JointType::Free => 3,
            _ => continue,
        };
        let parts = &mechanism.coordinates[joint.coordinates.clone()][skipped..];
        let size: f64 = parts.iter().map(|one| state[&one.name].powi(2)).sum();
        for part in parts {
            state.insert(part.name.clone(), state[&part.name] / size.sqrt());
        }
    }
    for parameter in &mechanism.parameters {
        state.insert(parameter.name.clone(), parameter.value);
    }
    state
}

/// The initial state of the file; accelerations and efforts are zero.
pub fn initial_state(tree: &MultibodySystem) -> State {
    let mechanism = &tree.mechanism;
    let mut state = random_state(tree, 0);
    let mut set = |symbols: Vec<(Expr, Expr)>| {
        let initial: Vec<Expr> = symbols.iter().map(|pair| pair.1).collect();
        for ((symbol, _), value) in symbols.into_iter().zip(mechanism.evaluate(&initial)) {
            state.insert(mechanism.graph.text(symbol), value);
        }
    };
    set(mechanism.coordinates.iter().map(|one| (one.symbol, one.initial)).collect());
    set(mechanism.speeds.iter().map(|one| (one.symbol, one.initial)).collect());
    set(mechanism.speeds.iter().map(|one| (one.acceleration, Expr::ZERO)).collect());
    set(mechanism.speeds.iter().map(|one| (one.effort, Expr::ZERO)).collect());
    set(vec![(mechanism.time, Expr::ZERO)]);
    state
}

/// The outputs of a program by name; all its iterations must converge.
pub fn run(program: &Program, state: &State) -> HashMap<String, Vec<f64>> {
    let number = |name: &String| match state.get(name) {
        Some(number) => *number,
        None => panic!("`{name}` is no input of a mechanism"),
    };
    let inputs: Vec<f64> = program.inputs().iter().map(|input| number(&input.name)).collect();
    let interpreter = Interpreter::new(program).expect("a valid program");
    let mut workspace = interpreter.workspace();
    let mut outputs = vec![0.0; program.output_len()];
    interpreter.setup(&mut workspace, &inputs, &mut NoExternals).expect("all inputs");
    let done = interpreter.evaluate(&mut workspace, &inputs, &mut outputs, &mut NoExternals);
    done.expect("all inputs");
    assert!(workspace.converged(), "{:?}", workspace.regions());
    let range = |index: usize| outputs[program.output_range(OutputId::new(index))].to_vec();
    let named = program.outputs().iter().enumerate();
    named.map(|(index, output)| (output.name.clone(), range(index))).collect()
}

/// One output of a function.
pub fn get(tree: &MultibodySystem, function: &str, output: &str, state: &State) -> Vec<f64> {
    let program = program(tree, function);
    let mut values = run(&program, state);
    values.remove(output).unwrap_or_else(|| panic!("{function} has no output `{output}`"))
}

/// The speeds of a state, in the mechanism's order; those of driven joints as they are driven.
pub fn speeds(tree: &MultibodySystem, state: &State) -> Vec<f64> {
    let value = |name: &str| state.get(name).copied();
    tree.mechanism
        .graph
        .evaluate_f64(tree.motion.qd.as_slice(), value)
        .expect("all inputs are in the state")
}

/// The state after a small time at constant speeds.
pub fn moved(tree: &MultibodySystem, state: &State, time: f64) -> State {
    let rates = get(tree, "rates", "qdot", state);
    let mut next = state.clone();
    for (coordinate, rate) in tree.mechanism.coordinates.iter().zip(rates) {
        next.entry(coordinate.name.clone()).and_modify(|value| *value += time * rate);
    }
    next.entry("t".to_owned()).and_modify(|value| *value += time);
    next
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Equal to a tolerance, relative to the largest of the two or to one.
#[track_caller]
pub fn close(found: f64, expected: f64, tolerance: f64) {
    let size = found.abs().max(expected.abs()).max(1.0);
    assert!((found - expected).abs() <= tolerance * size, "{found} is not {expected}");
}
