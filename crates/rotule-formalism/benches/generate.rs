//! Time to write functions of mechanisms as programs, and its growth with the number of joints.
//!
//! Times run from a mechanism that was read to the finished program: normalising, writing,
//! simplifying, lowering and all passes, each function from a fresh mechanism. They are the least
//! of several runs, because what else the machine does can only add to them. `growth` is the time
//! for ten times the joints: ten is linear. `cargo xtask bench generate` prints the tables.

use rotule_formalism::{Formalism, ModelFunction, generate, normalise};
use rotule_testing::formalism::{example, mechanism};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// The functions of the first table.
const FUNCTIONS: [&str; 9] = [
    "inverse",
    "mass_bias",
    "gravity",
    "forward",
    "inverse_mass",
    "kinetic_energy",
    "derivative(inverse, q)",
    "derivative(forward, q)",
    "regressor",
];

const MODELS: [&str; 4] = ["puma560", "kuka_iiwa14", "motorcycle", "quadruped"];

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench generate");
        return;
    }
    println!("| model | function | formalism | operations | time |");
    println!("|---|---|---|---|---|");
    for model in MODELS {
        let text = example(&format!("{model}.toml"));
        for function in FUNCTIONS {
            row(model, &text, function, None, 5);
        }
    }
    let train = example("train_20.toml");
    row("train_20", &train, "inverse", None, 3);
    row("train_20", &train, "forward", Some(Formalism::ArticulatedBody), 3);
    println!("\n| chain | function | formalism | operations | time | growth |");
    println!("|---|---|---|---|---|---|");
    for (function, formalism) in [
        ("inverse", Formalism::NewtonEuler),
        ("inverse", Formalism::Barycentric),
        ("forward", Formalism::ArticulatedBody),
    ] {
        let mut before: Option<Duration> = None;
        for joints in [10, 100, 1000] {
            let (operations, time, _) = least(&chain(joints), function, Some(formalism), 3);
            let growth = before.map_or(String::new(), |before| {
                format!("{:.1}", time.as_secs_f64() / before.as_secs_f64())
            });
            before = Some(time);
            let name = formalism.name();
            println!("| {joints} | {function} | {name} | {operations} | {} | {growth} |", ms(time));
        }
    }
}

fn row(model: &str, text: &str, function: &str, formalism: Option<Formalism>, runs: usize) {
    let (operations, time, name) = least(text, function, formalism, runs);
    println!("| {model} | `{function}` | {name} | {operations} | {} |", ms(time));
}

/// Operations of the program, the least time to make it, and the formalism that made it.
fn least(
    text: &str,
    function: &str,
    formalism: Option<Formalism>,
    runs: usize,
) -> (u64, Duration, &'static str) {
    let mut best = (0, Duration::MAX, "");
    for _ in 0..runs {
        let mechanism = mechanism(text);
        let start = Instant::now();
        let tree = normalise(mechanism);
        let made = ModelFunction::parse(function, &tree)
            .and_then(|function| generate(&tree, &function, formalism));
        let time = start.elapsed();
        match made {
            Ok(made) => {
                let operations = made.counts.body.operations();
                best = (operations, best.1.min(time), made.formalism.name());
            }
            Err(problem) => panic!("{function}: {problem}"),
        }
    }
    best
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// A chain in space whose axes change from joint to joint.
fn chain(joints: usize) -> String {
    let mut text = String::from("[model]\nname = \"chain\"\n");
    for i in 1..=joints {
        let parent = if i == 1 { "ground".to_owned() } else { format!("b{}", i - 1) };
        let axis = ["x", "y", "z"][i % 3];
        let _ = write!(
            text,
            "[[body]]\nname = \"b{i}\"\nparent = \"{parent}\"\nposition = [0.3, 0, 0.1]\n\
             joint = {{ name = \"q{i}\", type = \"revolute\", axis = \"{axis}\" }}\n\
             mass = 1.5\ncom = [0.1, 0.02, 0]\n\
             inertia = {{ xx = 0.01, yy = 0.02, zz = 0.02, xy = 0.001 }}\n"
        );
    }
    text
}
