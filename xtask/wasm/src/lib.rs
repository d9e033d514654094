//! Requests of `cargo xtask wasm` to the library, as texts: a request and a model go in, numbers to
//! the last bit come out.
//!
//! The same functions run natively (`main.rs`) and in node (`exports.rs`, `run.mjs`); whatever they
//! write must be equal.

mod exports;

use rotule::simulate::Balance;
use rotule::simulate::stream::sections;
use rotule::{Error, Language, Method, Model};
use std::fmt::Write;

/// Random states at which a function is evaluated.
const STATES: u64 = 100;

/// The end of a motion, in seconds.
const END: f64 = 2.0;

/// Answers a request about a model file. Requests are `evaluate FUNCTION`, `simulate METHOD` and
/// `generate LANGUAGE`.
pub fn answer(request: &str, model: &str) -> Result<String, String> {
    let model = Model::read("model.toml", model).map_err(|error| error.to_string())?;
    let text = match request.split_once(' ') {
        Some(("evaluate", function)) => evaluate(&model, function),
        Some(("simulate", method)) => simulate(&model, method),
        Some(("generate", language)) => generate(&model, language),
        _ => {
            return Err(format!(
                "`{request}`: expected `evaluate`, `simulate` or `generate` and a name"
            ));
        }
    };
    text.map_err(|error| error.to_string())
}

/// A function at random states, by the fastest kernel that the target has.
fn evaluate(model: &Model, function: &str) -> Result<String, Error> {
    let mut kernel = model.function(function)?.compile()?;
    let names: Vec<String> =
        kernel.function().outputs().iter().map(|one| one.name.clone()).collect();
    let mut text = String::new();
    for seed in 0..STATES {
        kernel.evaluate_at(&model.random(seed))?;
        for name in &names {
            line(&mut text, &format!("state {seed}, {name}"), kernel.output_of(name)?);
        }
    }
    Ok(text)
}

/// All channels of a motion from the initial state.
fn simulate(model: &Model, method: &str) -> Result<String, Error> {
    let simulate = model.simulate().to(END).every(0.01).balance(Balance::Requested);
    let simulate = if method == "rk4" { simulate.step(1e-3) } else { simulate };
    let run = simulate.method(Method::Named(method.to_owned())).run()?;
    let mut text = String::new();
    for channel in run.channels() {
        line(&mut text, &channel.name, run.channel(&channel.name)?);
    }
    for section in sections(run.summary(), run.request()) {
        for (name, value) in section.rows.iter().filter(|row| row.0 != "kernel") {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name}: {value}");
        }
    }
    Ok(text)
}

/// Source code of the functions that are generated unless others are named.
fn generate(model: &Model, language: &str) -> Result<String, Error> {
    let code = model.generate(Language::named(language)?, &[])?;
    Ok(code.files.iter().map(|file| format!("--- {}\n{}", file.name, file.text)).collect())
}

/// Numbers as people read them and as bits.
fn line(text: &mut String, name: &str, numbers: &[f64]) {
    // Writing to a string cannot fail.
    let _ = write!(text, "{name}:");
    for number in numbers {
        let _ = write!(text, " {number:e}/{:016x}", number.to_bits());
    }
    text.push('\n');
}
