//! A longer search finds programs that are never longer, and that compute the same.

use rotule_formalism::ModelFunction;
use rotule_numeric::{generate, search};
use rotule_program::{NoExternals, Program, run_once};
use rotule_testing::formalism::motion::example;

/// All outputs where inputs are between a half and three halves.
fn outputs(program: &Program) -> Vec<f64> {
    let inputs: Vec<f64> =
        (0..program.inputs().len()).map(|at| 1.0 + 0.5 * (at as f64 * 1.7).sin()).collect();
    run_once(program, &inputs, &mut NoExternals).expect("runs")
}

#[test]
fn more_effort_gives_no_more_operations_and_the_same_numbers() {
    for (model, function) in [
        ("puma560.toml", "inverse"),
        ("puma560.toml", "forward"),
        ("kuka_iiwa14.toml", "mass"),
        ("slider_crank.toml", "forward"),
        ("motorcycle.toml", "inverse"),
    ] {
        let tree = example(model);
        let function = ModelFunction::parse(function, &tree).expect("a function");
        let usual = generate(&tree, &function, None).expect("a program");
        let searched = search(&tree, &function, None, 12).expect("a program");
        let again = search(&tree, &function, None, 12).expect("a program");
        let operations = |made: &rotule_formalism::WrittenFunction| made.counts.body.operations();
        let (before, after) = (operations(&usual), operations(&searched));
        assert!(after <= before, "{model}: {after} operations after a search, {before} before");
        let text = rotule_program::print(&searched.program);
        assert_eq!(text, rotule_program::print(&again.program), "{model}: always the same");
        let largest = |list: &[f64]| list.iter().fold(1.0_f64, |most, one| most.max(one.abs()));
        let (a, b) = (outputs(&usual.program), outputs(&searched.program));
        for (a, b) in a.iter().zip(&b) {
            let off = (a - b).abs();
            assert!(off <= 1e-9 * largest(&[*a]), "{model} {}: {a} and {b}", function.text);
        }
    }
}
