//! Operations, graph nodes and a digest of the program of every function of every example, by every
//! formalism.
//!
//! Two versions of the code are compared by the lines that this prints: a change of how equations
//! are written must leave counts equal or lower, and texts equal where counts are. `cargo xtask
//! bench gallery` prints the table; an argument restricts it to models whose name contains it.

use rotule_formalism::function::{FUNCTIONS, Takes};
use rotule_formalism::{ModelFunction, generate, normalise};
use rotule_model::mechanism::Mechanism;
use rotule_model::{ReadOptions, load_text};
use rotule_symbolic::random::hash;
use std::path::{Path, PathBuf};

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench gallery");
        return;
    }
    let filter = std::env::args().skip(1).find(|one| !one.starts_with("--")).unwrap_or_default();
    println!("model function formalism operations functions setup nodes digest");
    for path in models() {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        if !name.contains(&filter) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("examples are readable");
        for floating_base in [false, true] {
            let options = ReadOptions { floating_base, ..ReadOptions::default() };
            if floating_base && !name.ends_with("urdf") {
                continue;
            }
            let Ok(mechanism) = load_text(&name, text.clone(), &options) else { continue };
            let label = if floating_base { format!("{name}+base") } else { name.clone() };
            rows(&label, &mechanism);
        }
    }
}

/// The model files below `examples`, in the order of their names.
fn models() -> Vec<PathBuf> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut found = Vec::new();
    for folder in ["", "seeds", "robots", "formats"] {
        let entries = std::fs::read_dir(examples.join(folder)).expect("the folder exists");
        found.extend(entries.flatten().map(|entry| entry.path()).filter(|path| {
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            ["toml", "urdf", "sdf", "mjcf", "mbs"].contains(&ending.as_str())
        }));
    }
    found.sort();
    found
}

/// The functions of a mechanism, with arguments that it has.
fn functions(mechanism: &Mechanism) -> Vec<String> {
    let mut list = Vec::new();
    for row in FUNCTIONS {
        let argument = |takes: &Takes| match takes {
            Takes::Place => mechanism.bodies.last().map(|body| body.name.clone()),
            Takes::LineForce => mechanism.line_forces.first().map(|one| one.name.clone()),
            Takes::Wheel => mechanism.wheels.first().map(|one| one.name.clone()),
            Takes::Sensor => mechanism.sensors.first().map(|one| one.name.clone()),
            _ => None,
        };
        match row.takes {
            [] => list.push(row.name.to_owned()),
            [first, ..] => {
                list.extend(argument(first).map(|name| format!("{}({name})", row.name)));
            }
        }
    }
    for (function, by) in [
        ("inverse", "q"),
        ("inverse", "qd"),
        ("forward", "q"),
        ("forward", "qd"),
        ("forward", "effort"),
        ("closed_inverse", "q"),
        ("kinetic_energy", "q"),
    ] {
        list.push(format!("derivative({function}, {by})"));
    }
    list
}

fn rows(model: &str, mechanism: &Mechanism) {
    let large = mechanism.speeds.len() > 100;
    for text in functions(mechanism) {
        if large && !["inverse", "forward", "mass"].contains(&text.as_str()) {
            continue;
        }
        let tree = normalise(mechanism.clone());
        let Ok(function) = ModelFunction::parse(&text, &tree) else { continue };
        let label = text.replace(' ', "");
        for &formalism in function.formalisms() {
            let name = formalism.name();
            match generate(&tree, &function, Some(formalism)) {
                Ok(made) => {
                    let sheet = tree.sheet();
                    let written = function.write(tree.writer(&sheet), formalism);
                    let nodes = written.map_or(0, |_| sheet.into_parts().0.len());
                    let body = made.counts.body;
                    let (operations, functions) = (body.total(), body.operations() - body.total());
                    let setup = made.counts.setup.operations();
                    // Marks are no part of the code.
                    let mut program = made.program;
                    program.clear_marks();
                    let digest = hash(&program.to_string());
                    println!(
                        "{model} {label} {name} {operations} {functions} {setup} {nodes} {digest:016x}"
                    );
                }
                Err(problem) => {
                    println!("{model} {label} {name} refused {:016x}", hash(&problem.to_string()));
                }
            }
        }
    }
}
