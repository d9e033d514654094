//! The command line. Each command has a file with its options, its help and what it does;
//! `arguments` lists them all. What they share: `input` reads what is named, `models` and
//! `functions` make a model ready, `output` writes for people, `part` writes files that appear
//! whole, `table` and `report` those that grow, `session` ends all of it on a signal, `failure`
//! says what went wrong, `terminal` paints it. The work is done by the library.
//!
//! Results go to standard output, messages to standard error. Exit codes are those of
//! docs/manual/exit-codes.md.

mod arguments;
mod assemble;
mod bench;
mod check;
mod convert;
mod count;
mod equations;
mod eval;
mod expressions;
mod failure;
mod functions;
mod generate;
mod input;
mod manuals;
mod models;
mod new;
mod output;
mod part;
mod report;
mod session;
mod simulate;
mod study;
mod table;
mod terminal;
mod usage;

use arguments::{Arguments, Verb, with_old_forms, with_signs};
use clap::{CommandFactory, Parser};
use failure::Failure;
use session::Session;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the program with the given arguments, the first of which is its own name.
pub fn run(words: impl Iterator<Item = OsString>) -> ExitCode {
    let session = Session::start();
    let words = with_old_forms(with_signs(words));
    let arguments = match Arguments::try_parse_from(&words) {
        Ok(arguments) => arguments,
        // Help and version come this way, too. A closed pipe is nothing to complain about.
        Err(error) => {
            match error.use_stderr() {
                true => output::message(usage::explain(&error, &words).trim_end()),
                false => drop(error.print()),
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    output::begin(arguments.quiet);
    let performed = perform(arguments, &session);
    output::idle();
    match performed {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::message(&failure.to_string());
            ExitCode::from(failure.code())
        }
    }
}

fn perform(arguments: Arguments, session: &Session) -> Result<(), Failure> {
    match &arguments.verb {
        None => {
            let help = Arguments::command().render_help();
            match terminal::colours_results() {
                true => output::raw(&help.ansi().to_string()),
                false => output::result(&help.to_string()),
            }
        }
        Some(Verb::Simplify(wanted)) => expressions::simplify(wanted),
        Some(Verb::Diff(wanted)) => expressions::diff(wanted),
        Some(Verb::New(wanted)) => new::new(wanted, session),
        Some(Verb::Check(wanted)) => check::check(wanted),
        Some(Verb::Assemble(wanted)) => assemble::assemble(wanted, session),
        Some(Verb::Convert(wanted)) => convert::convert(wanted, session),
        Some(Verb::Count(wanted)) => count::count(wanted),
        Some(Verb::Eval(wanted)) => eval::eval(wanted),
        Some(Verb::Equations(wanted)) => equations::equations(wanted),
        Some(Verb::Generate(wanted)) => generate::generate(wanted, session),
        Some(Verb::Simulate(wanted)) => simulate::simulate(wanted, session),
        Some(Verb::Bench(wanted)) => bench::bench(wanted, session),
        Some(Verb::Study(wanted)) => study::study(wanted, session),
        Some(Verb::Completions(wanted)) => manuals::completions(wanted),
        Some(Verb::Man(wanted)) => manuals::man(wanted, session),
    }
}
