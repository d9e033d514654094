//! Programs of functions with numbers for their inputs, for whatever runs programs.

use rotule_formalism::state::StateNumbers;
use rotule_formalism::{ModelFunction, Tree, generate};
use rotule_program::Program;

/// The program of a function by its cheapest formalism.
pub fn program(tree: &Tree, function: &str) -> Program {
    let function = ModelFunction::parse(function, tree).expect("a known function");
    generate(tree, &function, None).expect("the function can be written").program
}

/// Numbers for the inputs of a program.
pub fn inputs(tree: &Tree, program: &Program, state: &StateNumbers) -> Vec<f64> {
    let known = state.numbers(&tree.mechanism);
    program.inputs().iter().map(|input| known[input.name.as_str()]).collect()
}
