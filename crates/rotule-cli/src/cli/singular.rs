//! `rotule singular`: poses in which the mechanism, its partition, its actuation or an output is
//! singular.

use super::failure::Failure;
use super::functions::{error, state};
use super::laws::{ModelWithLaws, judge};
use super::models::open_counting;
use super::operating_point::write_page;
use super::output;
use super::part::write_text;
use super::session::Session;
use super::view::checked;
use clap::Args;
use rotule::layers::symbolic::list::names;
use std::path::PathBuf;

#[derive(Args)]
pub struct Singular {
    #[command(flatten)]
    pub source: ModelWithLaws,

    /// Joints with drives, as q1,q3.
    #[arg(long, value_name = "NAMES")]
    pub drives: Option<String>,

    /// Places whose motion is the output, as pen or pose:hand.
    #[arg(long, value_name = "PLACES")]
    pub output: Option<String>,

    /// Joints that stay where the state has them.
    #[arg(long, value_name = "NAMES")]
    pub hold: Option<String>,

    /// Random starts [default: 60, fewer of large models].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub starts: Option<u32>,

    /// Read the state; - is standard input.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// Set a parameter, in SI or as "500 mm"; repeatable.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Write the poses as a table: .csv.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Write a page with the poses: .html.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Write a page with curves over two drives, .html.
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,

    /// Replace files that exist.
    #[arg(long)]
    pub force: bool,

    /// Print the poses as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The text that `--help` adds.
pub const HELP: &str = "\
Poses in which a rank falls below that of general poses: of the constraints
(mechanism: branches of motion meet), of the columns of dependent coordinates
(partition), of those without drives (actuation: it moves although the drives
are locked, and their forces grow without limit), and of constraints with an
output (output: it cannot move in some direction, and a force along it needs no
drive).

Drives are those of --drives; else joints that are driven or `actuated`; else
joints with efforts, if they are as many as the degrees of freedom; else the
independent coordinates. An output is a body or a point, of which the
position counts if it determines the motion, and else the whole pose;
position:PLACE, orientation:PLACE and pose:PLACE say it. Without loops it is
every terminal frame.

Motion of one degree of freedom is followed along all of its curves; --hold
makes it one. Of more, poses are found from random starts, always the same, and
those that have the same in common are told once.

Examples:
  rotule singular examples/slider_crank.toml --drives q3
  rotule singular examples/five_bar.toml --output pen --map map.html
  rotule singular examples/puma560.toml --json";

/// `rotule singular`
pub fn singular(requested: &Singular, session: &Session) -> Result<(), Failure> {
    if let Some(path) = &requested.out {
        checked(path, &["csv"])?;
    }
    for path in [&requested.report, &requested.map].into_iter().flatten() {
        checked(path, &["html"])?;
    }
    let (mut model, remarks) =
        open_counting(&requested.source.model, Some(&requested.source.loops))?;
    requested.source.laws.supply(&mut model)?;
    let file = requested.state.as_deref();
    let begin = state(&requested.source.model, file, None, &requested.set, &mut model)?;
    drop(remarks);
    output::doing("finding the singular positions");
    let mut find = model.singular().from(&begin);
    for name in names(requested.drives.as_deref().unwrap_or_default()) {
        find = find.drive(name);
    }
    for name in names(requested.hold.as_deref().unwrap_or_default()) {
        find = find.hold(name);
    }
    for name in names(requested.output.as_deref().unwrap_or_default()) {
        find = find.output(name);
    }
    if let Some(starts) = requested.starts {
        find = find.starts(starts as usize);
    }
    let found = judge(&model, find.solve().map_err(error))?;
    if let Some(path) = &requested.out {
        write_text(session, path, &found.csv(), requested.force)?;
    }
    if let Some(path) = &requested.report {
        write_page(session, path, found.page(), requested.force)?;
    }
    if let Some(path) = &requested.map {
        match found.map() {
            Some(page) => write_page(session, path, page, requested.force)?,
            None => {
                return Err(Failure::Text(
                    "error: --map: the singular poses found are no curves over two drives\n  = help: it shows models of two degrees of freedom; --hold leaves fewer"
                        .to_owned(),
                ));
            }
        }
    }
    match requested.json {
        true => output::data(&format!("{:#}\n", found.json())),
        false => output::result(&found.to_string()),
    }
}
