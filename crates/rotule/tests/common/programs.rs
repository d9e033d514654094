//! Programs of the examples with numbers for their inputs, for whatever runs programs.
#![allow(dead_code, reason = "each user takes a part")]

use rotule::formalism::{Function, Tree, generate, normalise};
use rotule::model::{Format, ReadOptions, Sources, load};
use rotule::program::Program;
use rotule::state::State;
use rotule::symbolic::Expr;
use std::collections::HashMap;
use std::path::Path;

/// The tree of an example.
pub fn tree(name: &str) -> Tree {
    tree_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{name}.toml")))
}

/// The tree of a model file.
pub fn tree_of(path: &Path) -> Tree {
    let text = std::fs::read_to_string(path).expect("the file is there");
    let mut sources = Sources::new();
    let id = sources.add(path.display().to_string(), text);
    let loaded = load(&sources, id, Format::Native, &[], &ReadOptions::default());
    normalise(loaded.mechanism.expect("examples are valid"))
}

/// A function of an example.
pub fn program(tree: &Tree, function: &str) -> Program {
    let function = Function::parse(function, tree).expect("a known function");
    generate(tree, &function, None).expect("the function can be written").program
}

/// Numbers for the inputs of a program.
pub fn inputs(tree: &Tree, program: &Program, state: &State) -> Vec<f64> {
    let mechanism = &tree.mechanism;
    let mut known: HashMap<&str, f64> = HashMap::new();
    let mut add = |symbol: Expr, value: f64| {
        let id = mechanism.graph.symbol_of(symbol).expect("inputs are symbols");
        known.insert(mechanism.graph.symbol_name(id), value);
    };
    add(mechanism.time, state.t);
    let parameters = mechanism.parameters.iter().zip(&state.parameters);
    parameters.for_each(|(one, &value)| add(one.symbol, value));
    let coordinates = mechanism.coordinates.iter().zip(&state.q);
    coordinates.for_each(|(one, &value)| add(one.symbol, value));
    for (k, speed) in mechanism.speeds.iter().enumerate() {
        add(speed.symbol, state.qd[k]);
        add(speed.acceleration, state.qdd[k]);
        add(speed.effort, state.effort[k]);
    }
    program.inputs().iter().map(|input| known[input.name.as_str()]).collect()
}
