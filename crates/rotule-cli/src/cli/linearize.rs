//! `rotule linearize`: the linear model of a mechanism about a state.

use super::arguments::number;
use super::failure::Failure;
use super::functions::{error, state};
use super::laws::{ModelWithLaws, judge};
use super::models::open_counting;
use super::output;
use super::part::{Place, write_bytes, wrote};
use super::session::Session;
use clap::Args;
use rotule::layers::symbolic::list::names;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Linearize {
    #[command(flatten)]
    pub source: ModelWithLaws,

    /// Read the state from a file; - is standard input.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// Set a parameter, in SI or as "500 mm"; repeatable.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Inputs, or joints whose efforts are inputs.
    #[arg(long, value_name = "NAMES")]
    pub inputs: Option<String>,

    /// Outputs: sensors, coordinates, speeds, states.
    #[arg(long, value_name = "NAMES")]
    pub outputs: Option<String>,

    /// Hold inputs for so many seconds: a discrete model.
    #[arg(long, value_name = "S", value_parser = number)]
    pub sample_time: Option<f64>,

    /// Write a file: .json, .npz (NumPy) or .mat (MATLAB).
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Write frequency and step responses as a picture: .svg.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,

    /// Frequencies of the picture in rad/s, such as 0.1..100.
    #[arg(long, value_name = "A..B", requires = "plot", value_parser = range)]
    pub range: Option<[f64; 2]>,

    /// The end of step responses, in seconds.
    #[arg(long, value_name = "S", requires = "plot", value_parser = number)]
    pub to: Option<f64>,

    /// Replace files that exist.
    #[arg(long)]
    pub force: bool,

    /// Write the linear model as JSON to standard output.
    #[arg(long)]
    pub json: bool,
}

/// The text that `--help` adds.
pub const HELP: &str = "\
x' = A x + B u, y = C x + D u about the initial state or that of --state, with
loops closed. x has the independent coordinates, the independent speeds and the
model's states; u its inputs, y its sensors. Without inputs, efforts of joints
with drives are u; without sensors, all coordinates are y.

Controllers that sample make the model discrete: exactly, with the flow between
samples from the exponential of A. The matrices of the equations of motion
themselves are functions: rotule eval MODEL \"linear(permanent)\".

Examples:
  rotule linearize examples/cart_pole.toml --inputs x --outputs x,theta
  rotule linearize examples/slider_crank.toml --json
  rotule linearize examples/cart_pole.toml --inputs x --out pole.npz
  rotule linearize examples/cart_pole.toml --inputs x --plot pole.svg";

/// Two numbers with two dots between.
fn range(text: &str) -> Result<[f64; 2], String> {
    let form = || "expected two positive numbers, such as 0.1..100".to_owned();
    let (from, to) = text.split_once("..").ok_or_else(form)?;
    let [from, to] = [from, to].map(|one| one.trim().parse::<f64>().ok());
    match (from, to) {
        (Some(from), Some(to)) if from > 0.0 && to > from && to.is_finite() => Ok([from, to]),
        _ => Err(form()),
    }
}

/// `rotule linearize`
pub fn linearize(requested: &Linearize, session: &Session) -> Result<(), Failure> {
    let plot = requested.plot.as_deref();
    if let Some(path) = plot.filter(|path| path.extension().is_none_or(|ending| ending != "svg")) {
        return Err(Failure::Arguments(format!(
            "error: --plot {}: pictures of responses are SVG\n  = help: name a file that ends in `.svg`",
            path.display()
        )));
    }
    let place = |path: &Path| Place::new(path, requested.force);
    let (out, plot) = (
        requested.out.as_deref().map(|path| Ok((path, place(path)?))).transpose()?,
        plot.map(|path| Ok((path, place(path)?))).transpose()?,
    );
    let (mut model, remarks) =
        open_counting(&requested.source.model, Some(&requested.source.loops))?;
    requested.source.laws.supply(&mut model)?;
    let file = requested.state.as_deref();
    let mut state = state(&requested.source.model, file, None, &requested.set, &mut model)?;
    output::doing("linearising");
    let changes = judge(&model, model.close(&mut state).map_err(error))?;
    remarks.about_initial_values(&changes, file.is_none() && requested.set.is_empty());
    let split = |list: &'_ Option<String>| -> Vec<String> {
        list.iter().flat_map(|list| names(list)).map(str::to_owned).collect()
    };
    let (inputs, outputs) = (split(&requested.inputs), split(&requested.outputs));
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
    let mut linear = model.linearize().at(&state).inputs(&inputs).outputs(&outputs);
    if let Some(period) = requested.sample_time {
        linear = linear.sample_time(period);
    }
    let linear = judge(&model, linear.run().map_err(error))?;
    if let Some((path, place)) = out {
        let bytes = linear.file(path).map_err(error)?;
        write_bytes(session, place, &bytes)?;
        output::remark(&wrote(path, None));
    }
    if let Some((path, place)) = plot {
        let picture = linear.picture(requested.range, requested.to).map_err(error)?;
        write_bytes(session, place, picture.as_bytes())?;
        output::remark(&wrote(path, None));
    }
    if requested.json {
        return output::data(&format!("{:#}\n", linear.json()));
    }
    output::result(&linear.to_string())
}
