//! `rotule eval`: the numbers of a function at a state.

use super::failure::Failure;
use super::functions::{RequestedFormalism, error, formalism, state_for};
use super::laws::{ModelWithLaws, judge};
use super::models::open_counting;
use super::operating_point::AtState;
use super::output;
use clap::Args;
use rotule::Formalism;
use rotule::layers::formalism::aliases::{self, Names};
use rotule::layers::formalism::function::{self, FUNCTIONS};
use rotule::layers::report::terminal::width;
use std::path::PathBuf;

/// Entries that are not finite are named up to this many.
const NAMED: usize = 5;

#[derive(Args)]
pub struct Eval {
    #[command(flatten)]
    pub source: ModelWithLaws,

    /// The function, such as mass or "jacobian(hand.tip)".
    #[arg(value_name = "FUNCTION")]
    pub function: String,

    /// Read the state from a file; - is standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "random")]
    pub state: Option<PathBuf>,

    #[command(flatten)]
    pub at: AtState,

    /// Use random numbers, the same for the same seed.
    #[arg(long, value_name = "SEED")]
    pub random: Option<u64>,

    /// Set a parameter, in SI or as "500 mm"; repeatable.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Write the state as JSON, and nothing else.
    #[arg(long)]
    pub show_state: bool,

    /// The formalism, such as newton-euler.
    #[arg(long, value_name = "NAME", value_parser = formalism, default_value = "auto")]
    pub formalism: RequestedFormalism,

    /// Write function, state and numbers as JSON.
    #[arg(long)]
    pub json: bool,
}

const HELP: &str = "\
A state is JSON: { \"t\": 0, \"q\": { \"q1\": 0.3, \"leg\": [1, 0, 0, 0] }, \"qd\": .. }
with q, qd, state, input, qdd, effort and parameters, by name or as lists in the
model's order. What is left out is as at the start of the model, or zero; for
Hessian-vector products, lists direction and weight are ones. Functions of a
closed mechanism close its loops first: given values are kept, or the change is
reported.

Examples:
  rotule eval examples/sliding_pendulum.toml mass
  rotule eval examples/puma560.toml inverse --random 7 --json
  rotule eval examples/cart_pole.toml bias --set l=0.8 --formalism newton-euler
  rotule eval examples/cart_pole.toml inverse --state examples/cart_pole.json
  rotule eval examples/heavy_top.toml bias --random 1 --show-state

Functions:
";

/// The text that `--help` adds, with the table of functions.
pub fn help() -> String {
    let mut text = HELP.to_owned();
    for row in FUNCTIONS {
        let name = row.usage();
        // A long name has a line of its own.
        let mut line = format!("  {name:<20}");
        let room = 22;
        if name.len() > room - 3 {
            text.push_str(&line);
            text.push('\n');
            line = " ".repeat(room);
        }
        for word in row.about.split(' ') {
            if line.len() + 1 + word.len() > 80 {
                text.push_str(line.trim_end());
                text.push('\n');
                line = " ".repeat(room);
            }
            line.push_str(if line.len() > room || line.ends_with(' ') { "" } else { " " });
            line.push_str(word);
            line.push(' ');
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let others = aliases::listed(function::aliases(), 78).replace('\n', "\n  ");
    let formalisms: String =
        Formalism::ALL.iter().map(|one| format!("  {:<18}{}\n", one.name(), one.about())).collect();
    let same = aliases::listed(aliases::of(Names::Formalism), 78).replace('\n', "\n  ");
    format!(
        "{text}\nOther names:\n  {others}\n\nFormalisms:\n{formalisms}\nOther names (Postiau's and \
         ROBOTRAN's, and short ones):\n  {same}"
    )
}

/// `rotule eval`
pub fn eval(arguments: &Eval) -> Result<(), Failure> {
    let (mut model, remarks) =
        open_counting(&arguments.source.model, Some(&arguments.source.loops))?;
    arguments.source.laws.supply(&mut model)?;
    // A function that does not exist is reported before a state is read.
    let closes = model.closes_loops(&arguments.function).map_err(error)?;
    let (file, random) = (arguments.state.as_deref(), arguments.random);
    let (source, function) = (&arguments.source.model, Some(&arguments.function[..]));
    let state = state_for(source, file, random, &arguments.set, &mut model, function)?;
    let mut state = arguments.at.of(&model, state)?;
    let of_file = file.is_none() && random.is_none() && arguments.set.is_empty();
    if arguments.show_state {
        if closes {
            remarks.about_initial_values(&model.close(&mut state).map_err(error)?, of_file);
        }
        return output::data(&model.state_to_json(&state).map_err(error)?);
    }
    output::doing(&format!("computing {}", arguments.function));
    let values = model.evaluate_by(&arguments.function, arguments.formalism.0, &state);
    let values = judge(&model, values.map_err(error))?;
    remarks.about_initial_values(&values.changes, of_file);
    if values.of_open_tree {
        let note = "note: the model has loops or constraints; this is of its open tree, without their forces; `closed_inverse` is of the closed one";
        output::remark(note);
    }
    if !values.given.is_empty() {
        output::remark(&format!(
            "note: no law says how {} moves; this is at the coordinates, speeds and accelerations of the state\n  = help: supply it by --laws",
            values.given.join(", ")
        ));
    }
    let bad = values.not_finite(NAMED + 1);
    if !bad.is_empty() {
        let more = if bad.len() > NAMED { " and more" } else { "" };
        let named = bad[..bad.len().min(NAMED)].join(", ");
        output::remark(&format!("warning: {named}{more}"));
    }
    if arguments.json {
        return output::data(&format!("{:#}\n", values.report()));
    }
    output::result(&values.text(width()))
}
