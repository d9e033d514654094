//! Random mechanisms with what Rotule makes of them, as JSON lines for a comparison with another
//! code.
//!
//! ```sh
//! cargo run -p rotule-formalism --example oracle -- FILE [SEEDS]
//! ```
//!
//! Each line has a mechanism in plain numbers, a state, and the values of every function below by
//! each of its formalisms. `tests/against_pinocchio.py` reads it.

use rotule_testing::formalism;
use rotule_testing::formalism::case::Case;
use rotule_testing::formalism::random::Random;
use rotule_testing::formalism::text::{json, numbers};
use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::process::ExitCode;

/// Functions that are compared, by every formalism. `P` and `S` are places, a point of one body and
/// another body; `B` is a body.
const FUNCTIONS: &[&str] = &[
    "inverse",
    "mass",
    "bias",
    "gravity",
    "coriolis",
    "forward",
    "jacobian(P)",
    "jacobian(S)",
    "jacobian(P, B)",
    "position(P)",
    "rotation(P)",
    "velocity(P)",
    "angular_velocity(P)",
    "acceleration(P)",
    "angular_acceleration(P)",
    "position(P, B)",
    "rotation(P, B)",
    "velocity(P, B)",
    "angular_velocity(P, B)",
    "acceleration(P, B)",
    "angular_acceleration(P, B)",
    "reactions",
    "com",
    "com_velocity",
    "momentum",
    "kinetic_energy",
    "potential_energy",
    "rates",
    "regressor",
    "parameters",
];

/// Functions that are compared by one formalism for each mechanism, in turn: these take most of the
/// time.
const IN_TURN: &[&str] = &[
    "coriolis_matrix",
    "inverse_mass",
    "operational_inertia(P)",
    "derivative(inverse, q)",
    "derivative(inverse, qd)",
    "derivative(inverse, qdd)",
    "derivative(forward, q)",
    "derivative(forward, qd)",
    "derivative(forward, effort)",
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next();
    let seeds = arguments.next().map_or(Some(200), |text| text.parse().ok());
    let (Some(path), Some(seeds)) = (path, seeds) else {
        eprintln!("usage: oracle FILE [SEEDS]");
        return ExitCode::FAILURE;
    };
    match write(&path, seeds) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn write(path: &str, seeds: u64) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("`{path}` could not be written: {error}");
    let mut file = BufWriter::new(std::fs::File::create(path).map_err(failed)?);
    let workers = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    // Workers take the seeds in turn; the file has them in order.
    let lines: Vec<Vec<Result<String, String>>> = std::thread::scope(|scope| {
        let start = |worker: u64| {
            scope.spawn(move || {
                (1 + worker..=seeds).step_by(workers as usize).map(line).collect::<Vec<_>>()
            })
        };
        let handles: Vec<_> = (0..workers).map(start).collect();
        let join = |handle: std::thread::ScopedJoinHandle<'_, _>| {
            handle.join().unwrap_or_else(|_| vec![Err("a mechanism ended in a panic".to_owned())])
        };
        handles.into_iter().map(join).collect()
    });
    let mut lines: Vec<_> = lines.into_iter().map(Vec::into_iter).collect();
    for seed in 0..seeds {
        let next = lines[(seed % workers) as usize].next().ok_or("a mechanism is missing")?;
        writeln!(file, "{}", next?).map_err(failed)?;
    }
    file.flush().map_err(failed)
}

/// One mechanism.
fn line(seed: u64) -> Result<String, String> {
    let mut case = Case::random(seed);
    let state = case.state(0);
    let model = case.model.clone().ok_or("a random mechanism has a model")?;
    let mut random = Random::new(seed + 77_777);
    let [p, s, b] = [(); 3].map(|()| random.below(model.bodies.len()));
    let words = [
        ("P", format!("{}.tip", model.bodies[p].name)),
        ("S", model.bodies[s].name.clone()),
        ("B", model.bodies[b].name.clone()),
    ];
    let mut text = format!("{{\"seed\": {seed}, {}", json(&model, case.mechanism()));
    let lists =
        [("q", &state.q), ("qd", &state.qd), ("qdd", &state.qdd), ("effort", &state.effort)];
    for (name, list) in lists {
        write!(text, ", \"{name}\": {}", numbers(list)).map_err(|error| error.to_string())?;
    }
    text += &format!(", \"P\": {p}, \"S\": {s}, \"B\": {b}");
    let mut results = Vec::new();
    for &function in FUNCTIONS.iter().chain(IN_TURN) {
        let asked = named(function, &words);
        let mut formalisms = case.formalisms(&asked);
        if IN_TURN.contains(&function) {
            let turn = seed as usize % formalisms.len();
            formalisms = &formalisms[turn..=turn];
        }
        for &formalism in formalisms {
            match case.outputs(&asked, formalism, &state) {
                Ok(outputs) => {
                    let lists: Vec<String> = outputs
                        .iter()
                        .map(|output| format!("\"{}\": {}", output.name, shaped(output)))
                        .collect();
                    results.push(format!(
                        "{{\"function\": \"{function}\", \"formalism\": \"{}\", \
                         \"outputs\": {{{}}}}}",
                        formalism.name(),
                        lists.join(", ")
                    ));
                }
                Err(problem) => return Err(format!("seed {seed}: `{asked}`: {problem}")),
            }
        }
    }
    text += &format!(", \"results\": [{}]}}", results.join(", "));
    Ok(text)
}

/// A function with the letters of places in brackets replaced.
fn named(function: &str, words: &[(&str, String)]) -> String {
    let Some((name, rest)) = function.split_once('(') else { return function.to_owned() };
    let inside = rest.trim_end_matches(')').split(", ").map(|letter| {
        let found = words.iter().find(|(known, _)| *known == letter);
        found.map_or(letter, |(_, word)| word.as_str())
    });
    format!("{name}({})", inside.collect::<Vec<_>>().join(", "))
}

/// An output as a list of rows.
fn shaped(output: &formalism::case::Output) -> String {
    let rows = output.matrix.values.chunks(output.matrix.columns.max(1)).map(numbers);
    format!("[{}]", rows.collect::<Vec<_>>().join(", "))
}
