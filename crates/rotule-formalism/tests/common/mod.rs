//! What tests of this crate share: trees from text or examples, and numbers of functions by name.
#![allow(dead_code, reason = "every test file uses a part")]

use rotule_formalism::{Formalism, Function, Tree, normalise};
use rotule_model::{Format, ReadOptions, Sources, load};
use rotule_program::Counts;
use rotule_program::lower::{Request, Target, lower};
use std::path::Path;

/// The tree of a model.
pub fn tree(text: &str) -> Tree {
    let mut sources = Sources::new();
    let id = sources.add("model", text);
    let loaded = load(&sources, id, Format::Native, &[], &ReadOptions::default());
    let shown = loaded.diagnostics.render(&sources);
    let Some(mechanism) = loaded.mechanism else { panic!("{shown}") };
    normalise(mechanism)
}

/// The text of an example.
pub fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    std::fs::read_to_string(path).expect("a readable example")
}

/// The outputs of a function.
pub fn write(tree: &mut Tree, function: &str, formalism: Formalism) -> Vec<Target> {
    let function = Function::parse(function, tree).expect("a known function");
    function.write(tree, formalism).unwrap_or_else(|problem| panic!("{problem}"))
}

/// The operations of a function in the body of its program, functions such as sines included.
pub fn operations(tree: &mut Tree, function: &str, formalism: Formalism) -> u64 {
    let outputs = write(tree, function, formalism);
    let request = Request { name: "count".to_owned(), inputs: Vec::new(), outputs };
    let program = lower(&tree.mechanism.graph, &request).program;
    Counts::of(&program).body.operations()
}

/// The numbers of an output, dense and by rows.
pub fn numbers(tree: &Tree, target: &Target, value: impl Fn(&str) -> Option<f64>) -> Vec<f64> {
    let exprs: Vec<_> = target.entries.iter().map(|entry| entry.2).collect();
    let found = tree.mechanism.graph.evaluate_f64(&exprs, value).expect("all inputs are known");
    let mut dense = vec![0.0; (target.rows * target.columns) as usize];
    for (&(row, column, _), number) in target.entries.iter().zip(found) {
        dense[(row * target.columns + column) as usize] = number;
        if target.symmetric {
            dense[(column * target.columns + row) as usize] = number;
        }
    }
    dense
}

/// A number between -1 and 1, the same for the same name and seed.
pub fn random(name: &str, seed: u32) -> f64 {
    let start = seed.wrapping_mul(2_654_435_761);
    let hash =
        name.bytes().fold(start, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
    f64::from(hash) / f64::from(u32::MAX) * 2.0 - 1.0
}
