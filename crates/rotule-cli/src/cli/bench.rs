//! `rotule bench`: how fast the code of a model is, beside that of others.

use super::arguments::number;
use super::failure::Failure;
use super::functions::failure;
use super::models::{Loops, Model, open};
use super::output;
use super::part::write_text;
use super::session::Session;
use super::terminal::colours_results;
use clap::Args;
use rotule::Problem;
use rotule::bench::{BenchOptions, Peer, bench as measure};
use rotule::layers::symbolic::likely;
use rotule::layers::symbolic::list::names;
use std::path::PathBuf;

#[derive(Args)]
pub struct Bench {
    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub loops: Loops,

    /// Functions to measure, as inverse,mass; see below.
    #[arg(long, value_name = "LIST")]
    pub functions: Option<String>,

    /// Other codes: pinocchio,casadi,mujoco; from PyPI.
    #[arg(long, value_name = "LIST")]
    pub against: Option<String>,

    /// Measure batches of states, too.
    #[arg(long)]
    pub batch: bool,

    /// Number of repetitions.
    #[arg(long, value_name = "N", default_value = "25")]
    pub repeats: usize,

    /// Duration of a repetition.
    #[arg(long, value_name = "MS", value_parser = positive, default_value = "20")]
    pub milliseconds: f64,

    /// gcc, clang or both [default: both].
    #[arg(long, value_name = "NAME", value_parser = ["gcc", "clang", "both"], default_value = "both", hide_default_value = true, hide_possible_values = true)]
    pub compiler: String,

    /// Print all numbers as JSON; the table is a message.
    #[arg(long)]
    pub json: bool,

    /// Write all numbers to a file as JSON.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Replace the file of --out if it exists.
    #[arg(long, requires = "out")]
    pub force: bool,
}

/// The text that `--help` adds.
pub const HELP: &str = "\
The C of each function, with all parameters as numbers, is compiled with -O3
-march=native and called at 64 random states in turn; native code of this
process likewise. Numbers are compared first: what differs by more than 1e-9 is
an error and is not timed. All codes take turns on one processor. Instructions
are counted step by step. The ratio is the time over that of our fastest.

Functions: inverse, mass, forward, inverse_derivatives, forward_derivatives (by
q and qd together) are compared with other codes; any other function is measured
alone. Without --functions it is these five.

--against fetches other codes from PyPI (pip, a private environment in the cache
folder) and compiles drivers for them; this takes minutes the first time.
Nothing is fetched without it.

Exit codes: 0 measured; 1 not, or numbers differ; 2 arguments make no sense.

Examples:
  rotule bench examples/puma560.toml
  rotule bench examples/puma560.toml --functions inverse --against casadi
  rotule bench robot.urdf --floating-base --against pinocchio,casadi --batch";

/// A number above zero.
fn positive(text: &str) -> Result<f64, String> {
    match number(text) {
        Ok(found) if found > 0.0 && found <= 1e6 => Ok(found),
        _ => Err("expected a positive number up to 1e6".to_owned()),
    }
}

/// `rotule bench`
pub fn bench(arguments: &Bench, session: &Session) -> Result<(), Failure> {
    let against = peers(arguments.against.as_deref().unwrap_or_default())?;
    if arguments.repeats == 0 {
        let problem = Problem::new("--repeats 0: nothing would be measured", "take 15 or more");
        return Err(failure(problem).into_argument());
    }
    let mut model = open(&arguments.model, Some(&arguments.loops))?;
    model.freeze_all();
    let options = BenchOptions {
        functions: arguments.functions.as_deref(),
        against: &against,
        batch: arguments.batch,
        repeats: arguments.repeats,
        milliseconds: arguments.milliseconds,
        compiler: &arguments.compiler,
        stop: session.flag(),
    };
    // It takes long enough for every step to be said, on a terminal or in a log.
    let report = measure(model.tree(), &options, &mut output::step);
    output::idle();
    session.end_if_stopped("")?;
    let report = report.map_err(failure)?;
    let text = format!("{:#}\n", report.json());
    if let Some(path) = &arguments.out {
        write_text(session, path, &text, arguments.force)?;
    }
    if arguments.json {
        output::data(&text)?;
    }
    let (plain, colours) = (report.text(false), colours_results());
    match arguments.json {
        true => output::message(plain.trim_end()),
        // Colours are for texts that have nothing else in them that a terminal could obey.
        false if colours && output::printable(&plain) == plain => output::raw(&report.text(true))?,
        false => output::result(&plain)?,
    }
    match report.differs() {
        true => Err(Failure::Text("error: numbers differ, see the table".to_owned())),
        false => Ok(()),
    }
}

/// The codes of a list.
fn peers(list: &str) -> Result<Vec<Peer>, Failure> {
    let mut found = Vec::new();
    for word in names(list) {
        let Some((peer, ..)) = Peer::ALL.iter().find(|(_, name, _)| *name == word) else {
            let names: Vec<&str> = Peer::ALL.iter().map(|(_, name, _)| *name).collect();
            let message = format!("--against: there is no `{word}`");
            let problem = Problem::new(message, likely(word, names));
            return Err(failure(problem).into_argument());
        };
        if !found.contains(peer) {
            found.push(*peer);
        }
    }
    Ok(found)
}
