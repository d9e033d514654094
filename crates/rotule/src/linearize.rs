//! Linear models: `x' = A x + B u`, `y = C x + D u` about a state, their responses, and files that
//! other programs read.
//!
//! ```
//! let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
//! let mut state = model.state();
//! state.set("q", 0.0)?;
//! let linear = model.linearize().at(&state).inputs(&["q"]).run()?;
//! let found = linear.state_space();
//! assert_eq!((found.states.join(" "), found.outputs.join(" ")), ("q q.d".into(), "q".into()));
//! let frequency = found.eigenvalues()[1].im.abs(); // rad/s
//! assert!((frequency - (9.81_f64 * 0.5 / (0.25 + 0.01)).sqrt()).abs() < 1e-9);
//! println!("{linear}");
//! # Ok::<(), rotule::Error>(())
//! ```

use crate::error::Error;
use crate::files::write_file;
use crate::model::Model;
use crate::state::State;
use rotule_analysis::linear::{LinearRequest, RealMatrix, state_space};
use rotule_analysis::linear_response::spaced;
use rotule_formalism::Problem;
use rotule_report::arrays::{ArrayContent, NamedArray, mat, npz};
use rotule_report::chart::{Chart, figure};
use rotule_symbolic::elementary::{atan2, hypot, log10};
use rotule_symbolic::figures::shown;
use serde_json::{Value, json};
use std::fmt;
use std::io::Write;
use std::path::Path;

pub use rotule_analysis::linear::{LinearInput, StateSpace};
pub use rotule_analysis::linear_response::{FrequencyResponse, StepResponse};

/// Points of a response.
const POINTS: usize = 501;
/// Matrices up to this size are printed.
const PRINTED: usize = 12;
/// The largest size of a matrix whose eigenvalues are listed.
const LISTED: usize = 60;
/// An eigenvalue below this part of the largest is rounding.
const ZERO: f64 = 1e-15;
/// A rate above this part of the state's size says that the state is no equilibrium.
const RESTING: f64 = 1e-6;

/// A linear model that is to be made; [`Linearize::run`] does so.
#[derive(Clone, Debug)]
pub struct Linearize<'m> {
    model: &'m Model,
    state: State,
    request: LinearRequest,
}

/// A linear model. `Display` shows it as `rotule linearize` does.
#[derive(Clone, Debug)]
pub struct LinearModel {
    found: StateSpace,
}

impl Model {
    /// A linear model about a state: by default the initial one, with the model's inputs and
    /// sensors.
    pub fn linearize(&self) -> Linearize<'_> {
        Linearize { model: self, state: self.state(), request: LinearRequest::default() }
    }
}

impl Linearize<'_> {
    /// Sets the state.
    #[must_use]
    pub fn at(mut self, state: &State) -> Self {
        self.state = state.clone();
        self
    }

    /// Chooses inputs of the model, or joints whose efforts are inputs.
    #[must_use]
    pub fn inputs(mut self, names: &[&str]) -> Self {
        self.request.inputs = names.iter().map(|&name| name.to_owned()).collect();
        self
    }

    /// Chooses outputs: sensors or their quantities (`tip.position.x`), coordinates, speeds,
    /// accelerations, states.
    #[must_use]
    pub fn outputs(mut self, names: &[&str]) -> Self {
        self.request.outputs = names.iter().map(|&name| name.to_owned()).collect();
        self
    }

    /// Asks for a discrete model whose inputs are held for a period, in seconds.
    #[must_use]
    pub fn sample_time(mut self, period: f64) -> Self {
        self.request.period = Some(period);
        self
    }

    /// Makes the linear model.
    pub fn run(&self) -> Result<LinearModel, Error> {
        self.state.check_finite(&self.model.tree().mechanism)?;
        let externals = Box::new(self.model.externals().clone());
        let found =
            state_space(self.model.tree(), &self.state.numbers(), externals, &self.request)?;
        Ok(LinearModel { found })
    }
}

impl LinearModel {
    /// The matrices and names.
    pub fn state_space(&self) -> &StateSpace {
        &self.found
    }

    /// Everything as JSON.
    pub fn json(&self) -> Value {
        let found = &self.found;
        let matrix = |matrix: &RealMatrix| {
            (0..matrix.nrows())
                .map(|row| matrix.row(row).iter().copied().collect::<Vec<f64>>())
                .collect::<Vec<_>>()
        };
        let eigenvalues: Vec<[f64; 2]> = match found.states.len() <= LISTED {
            true => found.eigenvalues().iter().map(|one| [one.re, one.im]).collect(),
            false => Vec::new(),
        };
        json!({
            "model": found.model,
            "states": found.states,
            "inputs": self.input_names(),
            "outputs": found.outputs,
            "A": matrix(&found.a),
            "B": matrix(&found.b),
            "C": matrix(&found.c),
            "D": matrix(&found.d),
            "dt": found.period,
            "rates": found.rates,
            "values": found.values,
            "eigenvalues": eigenvalues,
            "notes": found.notes,
        })
    }

    /// The bytes of a file for NumPy: arrays `A`, `B`, `C`, `D`, `dt` (zero if continuous),
    /// `states`, `inputs` and `outputs`.
    pub fn npz(&self) -> Vec<u8> {
        npz(&self.arrays())
    }

    /// The bytes of a file for MATLAB, Octave and SciPy, with the same arrays.
    pub fn mat(&self) -> Vec<u8> {
        mat(&self.arrays())
    }

    /// The bytes of a file by its ending: `.json`, `.npz` or `.mat`.
    pub fn file(&self, path: &Path) -> Result<Vec<u8>, Error> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("npz") => Ok(self.npz()),
            Some("mat") => Ok(self.mat()),
            Some("json") => Ok(format!("{:#}\n", self.json()).into_bytes()),
            _ => Err(Error::unknown(
                "format of linear models with the ending of",
                &path.display().to_string(),
                [".json", ".npz", ".mat"],
            )),
        }
    }

    /// Writes a file by its ending: `.json`, `.npz` or `.mat`.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let bytes = self.file(path.as_ref())?;
        write_file(path.as_ref(), |out| out.write_all(&bytes))
    }

    /// The step responses of all inputs as a picture and the frequency responses above them, as
    /// SVG: frequencies in rad/s and the end of steps in seconds, or what shows all eigenvalues.
    pub fn picture(&self, range: Option<[f64; 2]>, end: Option<f64>) -> Result<String, Error> {
        let found = &self.found;
        let [from, to] = range.unwrap_or_else(|| found.usual_range());
        if !(from > 0.0 && to > from && to.is_finite()) {
            let message = "frequencies must be positive, the first below the last";
            return Err(Problem::new(message, "write them as 0.1..100, in rad/s").into());
        }
        let response = found.frequency_response(&spaced(from, to, POINTS));
        let mut charts = Vec::new();
        for (column, input) in response.inputs.iter().enumerate() {
            let curves = |of: &dyn Fn(f64, f64) -> f64, unwrapped: bool| {
                let curve = |(row, name): (usize, &String)| {
                    let values = response.values.iter().map(|one| one[(row, column)]);
                    let mut values: Vec<f64> = values.map(|one| of(one.re, one.im)).collect();
                    if unwrapped {
                        unwrap(&mut values);
                    }
                    (name.clone(), values)
                };
                // What an input does not move is not drawn.
                let moves = |row: usize| {
                    response
                        .values
                        .iter()
                        .any(|one| hypot(one[(row, column)].re, one[(row, column)].im) > 0.0)
                };
                found.outputs.iter().enumerate().filter(|one| moves(one.0)).map(curve).collect()
            };
            let chart = |along: &str, curves| Chart {
                title: format!("Frequency response to {input}"),
                across: "frequency in rad/s".to_owned(),
                along: along.to_owned(),
                logarithmic: true,
                x: response.frequencies.clone(),
                curves,
            };
            charts.push(chart(
                "magnitude in dB",
                curves(&|re, im| 20.0 * log10(hypot(re, im)), false),
            ));
            charts.push(chart(
                "phase in degrees",
                curves(&|re, im| atan2(im, re).to_degrees(), true),
            ));
        }
        let end = end.unwrap_or_else(|| self.usual_end());
        for input in found.plain_inputs() {
            // An input that moves a joint has no step.
            let Ok(step) = found.step_response(input, end, POINTS) else { continue };
            let all = found.outputs.iter().cloned().zip(step.values);
            let curves = all.filter(|(_, values)| values.iter().any(|one| *one != 0.0)).collect();
            charts.push(Chart {
                title: format!("Response to a step of {}", step.input),
                across: "time in s".to_owned(),
                along: "change of outputs".to_owned(),
                logarithmic: false,
                x: step.times,
                curves,
            });
        }
        if charts.is_empty() {
            let message = "there are no inputs, so there are no responses";
            return Err(Problem::new(message, "name joints or inputs by --inputs").into());
        }
        Ok(figure(&charts))
    }

    /// A time after which steps have settled, in seconds.
    fn usual_end(&self) -> f64 {
        if let Some(period) = self.found.period {
            return 200.0 * period;
        }
        let [low, high] = self.found.usual_range();
        // Five periods of the slowest motion, unless the fastest would not be seen.
        let usual = (std::f64::consts::PI / low).min(4000.0 / high);
        // What grows is shown until it has grown by a factor of twenty.
        let growth = self.found.eigenvalues().iter().map(|one| one.re).fold(0.0, f64::max);
        if growth > 0.01 * low { usual.min(3.0 / growth) } else { usual }
    }

    fn input_names(&self) -> Vec<&str> {
        self.found.inputs.iter().map(|one| one.name.as_str()).collect()
    }

    fn arrays(&self) -> Vec<NamedArray> {
        let found = &self.found;
        let named = |name: &str, content| NamedArray { name: name.to_owned(), content };
        let matrix = |matrix: &RealMatrix| {
            let numbers = (0..matrix.nrows())
                .flat_map(|row| matrix.row(row).iter().copied().collect::<Vec<_>>());
            ArrayContent::Matrix(matrix.nrows(), matrix.ncols(), numbers.collect())
        };
        let texts = |list: &mut dyn Iterator<Item = &str>| {
            ArrayContent::Texts(list.map(str::to_owned).collect())
        };
        vec![
            named("A", matrix(&found.a)),
            named("B", matrix(&found.b)),
            named("C", matrix(&found.c)),
            named("D", matrix(&found.d)),
            named("dt", ArrayContent::Number(found.period.unwrap_or(0.0))),
            named("states", texts(&mut found.states.iter().map(String::as_str))),
            named("inputs", texts(&mut self.input_names().into_iter())),
            named("outputs", texts(&mut found.outputs.iter().map(String::as_str))),
        ]
    }
}

/// Takes jumps of whole turns out of angles in degrees.
fn unwrap(angles: &mut [f64]) {
    for at in 1..angles.len() {
        let turns = ((angles[at] - angles[at - 1]) / 360.0).round();
        if turns.is_finite() {
            angles[at] -= 360.0 * turns;
        }
    }
}

impl fmt::Display for LinearModel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = &self.found;
        match found.period {
            None => writeln!(out, "x' = A x + B u, y = C x + D u")?,
            Some(period) => {
                writeln!(
                    out,
                    "x(k+1) = A x(k) + B u(k), y(k) = C x(k) + D u(k), every {period} s"
                )?;
            }
        }
        let list =
            |names: Vec<&str>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        writeln!(out, "states   {}", list(found.states.iter().map(String::as_str).collect()))?;
        writeln!(out, "inputs   {}", list(self.input_names()))?;
        writeln!(out, "outputs  {}", list(found.outputs.iter().map(String::as_str).collect()))?;
        if found.states.len() <= LISTED {
            let (heading, unit) = match found.period {
                None => ("eigenvalues", "1/s"),
                Some(_) => ("multipliers", "1"),
            };
            writeln!(out, "\n{heading} ({unit})")?;
            let all = found.eigenvalues();
            let largest = all.iter().fold(0.0_f64, |most, one| most.max(hypot(one.re, one.im)));
            // What rounding leaves of a zero is shown as one.
            let clean = |x: f64| if x.abs() <= ZERO * largest { 0.0 } else { x };
            for one in all.iter().filter(|one| one.im >= 0.0) {
                let (re, im) = (clean(one.re), clean(one.im));
                match im > 0.0 {
                    true => writeln!(out, "  {} ± {}i", shown(re, 6), shown(im, 6))?,
                    false => writeln!(out, "  {}", shown(re, 6))?,
                }
            }
        }
        for (name, matrix) in [("A", &found.a), ("B", &found.b), ("C", &found.c), ("D", &found.d)] {
            if matrix.is_empty() || matrix.nrows() > PRINTED || matrix.ncols() > PRINTED {
                continue;
            }
            writeln!(out, "\n{name}")?;
            for row in matrix.row_iter() {
                let numbers = row.iter().map(|one| format!("{:>13}", shown(*one + 0.0, 6)));
                writeln!(out, "{}", numbers.collect::<String>())?;
            }
        }
        for note in &found.notes {
            writeln!(out, "\nnote: {note}")?;
        }
        if let Some(warning) = self.unrest() {
            writeln!(out, "\nwarning: {warning}")?;
        }
        Ok(())
    }
}

impl LinearModel {
    /// A warning about the operating point if it is no equilibrium.
    pub fn unrest(&self) -> Option<String> {
        let found = &self.found;
        // Displacements may change; accelerations and rates of states say whether it stays so.
        let rates = found.rates.iter().zip(&found.states).skip(found.displacements);
        let worst = rates.max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))?;
        let size = found.a.amax().max(1.0);
        (worst.0.abs() > RESTING * size).then(|| {
            format!(
                "the state is no equilibrium: `{}` changes by {} per second; the linear model leaves this out",
                worst.1,
                shown(*worst.0, 4)
            )
        })
    }
}
