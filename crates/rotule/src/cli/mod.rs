//! The command line: `arguments` says what can be typed, `input` reads what is named there,
//! `models` serves the commands on models, `functions` those on their equations and `generate` writes code, `output`
//! writes an answer, `failure` says what went wrong. The work is done by the library.
//!
//! Results go to standard output, messages to standard error. The exit code is 0 for success, 1 for
//! a failure and 2 for arguments that make no sense; a simulation that ends too early has codes of its own.

mod arguments;
mod bench;
mod failure;
mod functions;
mod generate;
mod input;
mod models;
mod output;
mod simulate;
mod study;

use arguments::{Arguments, Verb};
use clap::{CommandFactory, Parser};
use failure::Failure;
use rotule::{Answer, Options, Origin};
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the program with the given arguments, the first of which is its own name.
pub fn run(words: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments::with_signs(words)) {
        Ok(arguments) => arguments,
        // Help and version come this way, too. A closed pipe is nothing to complain about.
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match perform(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::message(&failure.to_string());
            ExitCode::from(failure.code())
        }
    }
}

fn perform(arguments: Arguments) -> Result<(), Failure> {
    let (common, by) = match &arguments.verb {
        None => return output::result(&Arguments::command().render_help().to_string()),
        Some(Verb::Simplify(common)) => (common, None),
        Some(Verb::Diff(diff)) => (&diff.common, Some(&diff.by)),
        Some(Verb::Check(check)) => return models::check(check),
        Some(Verb::Assemble(wanted)) => return models::assemble(wanted),
        Some(Verb::Convert(convert)) => return models::convert(convert),
        Some(Verb::Count(count)) => return functions::count(count),
        Some(Verb::Eval(eval)) => return functions::eval(eval),
        Some(Verb::Equations(equations)) => return functions::equations(equations),
        Some(Verb::Generate(wanted)) => return generate::generate(wanted),
        Some(Verb::Simulate(wanted)) => return simulate::simulate(wanted),
        Some(Verb::Bench(wanted)) => return bench::bench(wanted),
        Some(Verb::Study(wanted)) => return study::study(wanted),
    };
    let sources = input::read(common)?;
    let texts: Vec<&str> = sources.iter().map(|source| source.text.as_str()).collect();
    let options = Options { assume: common.assume.clone() };
    let answer: Result<Answer, rotule::Error> = match by {
        None => rotule::simplify(&texts, &options),
        Some(by) => rotule::diff(&texts, by, &options),
    };
    let answer = answer.map_err(|error| {
        let name = match error.origin {
            Origin::Expression(index) => {
                sources.get(index).map_or("expression", |source| source.name.as_str())
            }
            Origin::By(_) => "--by",
            Origin::Assume(_) => "--assume",
        };
        Failure::Text(error.render(name))
    })?;
    output::answer(&answer, common)
}
