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
mod equilibrium;
mod eval;
mod expressions;
mod failure;
mod functions;
mod generate;
mod input;
mod inputs;
mod laws;
mod linearize;
mod manuals;
mod models;
mod modes;
mod motion;
mod new;
mod operating_point;
mod output;
mod overlay;
mod part;
mod report;
mod session;
mod simulate;
mod singular;
mod study;
mod table;
mod terminal;
mod usage;
mod view;

use arguments::{Arguments, Verb, with_old_forms, with_signs};
use clap::{CommandFactory, Parser};
use failure::Failure;
use session::Session;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the program with the given arguments, the first of which is its own name.
pub fn run(words: impl Iterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = words.collect();
    // It is to crash as any program does, so that nothing is set up before.
    if words.get(1).is_some_and(|word| word == rotule::laws::PROBE) {
        return laws::probe(&words[2..]);
    }
    let session = Session::start();
    let words = with_old_forms(with_signs(words.into_iter()));
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
        Some(Verb::Simplify(requested)) => expressions::simplify(requested),
        Some(Verb::Diff(requested)) => expressions::diff(requested),
        Some(Verb::New(requested)) => new::new(requested, session),
        Some(Verb::Check(requested)) => check::check(requested),
        Some(Verb::Assemble(requested)) => assemble::assemble(requested, session),
        Some(Verb::Convert(requested)) => convert::convert(requested, session),
        Some(Verb::Count(requested)) => count::count(requested),
        Some(Verb::Eval(requested)) => eval::eval(requested),
        Some(Verb::Equilibrium(requested)) => equilibrium::equilibrium(requested, session),
        Some(Verb::Modes(requested)) => modes::modes(requested, session),
        Some(Verb::Singular(requested)) => singular::singular(requested, session),
        Some(Verb::Linearize(requested)) => linearize::linearize(requested, session),
        Some(Verb::Equations(requested)) => equations::equations(requested),
        Some(Verb::Generate(requested)) => generate::generate(requested, session),
        Some(Verb::Laws(requested)) => laws::laws(requested, session),
        Some(Verb::Simulate(requested)) => simulate::simulate(requested, session),
        Some(Verb::Report(requested)) => overlay::overlay(requested, session),
        Some(Verb::Bench(requested)) => bench::bench(requested, session),
        Some(Verb::Study(requested)) => study::study(requested, session),
        Some(Verb::View(requested)) => view::view(requested, session),
        Some(Verb::Completions(requested)) => manuals::completions(requested),
        Some(Verb::Man(requested)) => manuals::man(requested, session),
    }
}
