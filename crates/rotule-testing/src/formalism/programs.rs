//! Programs of functions with numbers for their inputs, for whatever runs programs.

use rotule_formalism::{ModelFunction, MultibodySystem};
use rotule_numeric::generate;
use rotule_numeric::state::StateNumbers;
use rotule_program::Program;

/// The program of a function by its cheapest formalism.
pub fn program(tree: &MultibodySystem, function: &str) -> Program {
    let function = ModelFunction::parse(function, tree).expect("a known function");
    generate(tree, &function, None).expect("the function can be written").program
}

/// Numbers for the inputs of a program.
pub fn inputs(tree: &MultibodySystem, program: &Program, state: &StateNumbers) -> Vec<f64> {
    let known = state.numbers(&tree.mechanism);
    program.inputs().iter().map(|input| known[input.name.as_str()]).collect()
}
