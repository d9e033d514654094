//! The cost of compiling generated C: operations, size of the machine code and time of `gcc -O2`,
//! by function.
//!
//! Each function is a package of its own, parameters frozen, as one would put it on a target. How
//! fast the code runs is not told here. `cargo xtask bench emit` prints the table.

use rotule::layers::emit::{LANGUAGES, emit};
use rotule::layers::formalism::normalise;
use rotule::layers::program::ProgramCounts;
use rotule::layers::state::StateNumbers;
use rotule::layers::{PackageOptions, package};
use rotule_testing::formalism::{example, mechanism};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const CASES: &[(&str, &[&str])] = &[
    ("puma560", &["inverse", "forward", "derivative(inverse, q)", "derivative(forward, q)"]),
    ("motorcycle", &["inverse", "forward"]),
    ("quadruped", &["inverse", "forward", "derivative(inverse, q)", "derivative(forward, q)"]),
    ("multilink_car", &["inverse", "forward"]),
    ("train_20", &["inverse"]),
];

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench emit");
        return;
    }
    println!("| model | function | operations | lines | bytes of .text | written in | gcc -O2 |");
    println!("|---|---|---|---|---|---|---|");
    for (model, functions) in CASES {
        for function in *functions {
            row(model, function);
        }
    }
}

fn row(model: &str, function: &str) {
    let mut mechanism = mechanism(&example(&format!("{model}.toml")));
    let names: Vec<String> = mechanism.parameters.iter().map(|one| one.name.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let frozen = mechanism.freeze(&names);
    let tree = normalise(mechanism);
    let options = PackageOptions { functions: function, frozen, ..PackageOptions::default() };
    let made = match package(&tree, &options, &StateNumbers::initial(&tree), &mut |_| {
        ControlFlow::Continue(())
    }) {
        Ok(made) => made,
        Err(problem) => {
            println!("| {model} | {function} | {} |", problem.message);
            return;
        }
    };
    let operations = ProgramCounts::of(&made.functions[0].program).body.operations();
    let begun = Instant::now();
    let files = emit(&made, &LANGUAGES[0]).expect("C can write everything");
    let written = begun.elapsed();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("emit");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the build folder can be written");
    for file in &files {
        std::fs::write(folder.join(&file.name), &file.text).expect("it can be written");
    }
    let source = files.iter().find(|file| file.name == format!("{model}.c")).expect("a source");
    let lines = source.text.lines().count();
    let (bytes, time) = compile(&folder, model);
    println!(
        "| {model} | {function} | {operations} | {lines} | {bytes} | {} | {time} |",
        ms(written)
    );
}

/// The size of the code and the time that it took, or what went wrong.
fn compile(folder: &Path, model: &str) -> (String, String) {
    let begun = Instant::now();
    let source = format!("{model}.c");
    let gcc = ["-std=c99", "-O2", "-c", &source, "-o", "model.o"];
    let done = Command::new("gcc").args(gcc).current_dir(folder).status();
    let time = begun.elapsed();
    if !done.is_ok_and(|status| status.success()) {
        return ("-".to_owned(), "gcc is missing or failed".to_owned());
    }
    let size = Command::new("size").arg("model.o").current_dir(folder).output();
    let size = size.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let bytes =
        size.ok().and_then(|text| Some(text.lines().nth(1)?.split_whitespace().next()?.to_owned()));
    (bytes.unwrap_or_else(|| "-".to_owned()), ms(time))
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
