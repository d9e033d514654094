//! A function ready to run: at one state, or at many on all cores, by names that are checked once
//! per call.

use crate::error::Error;
use crate::function::{Function, Slot};
use crate::state::State;
use rotule_jit::{
    InputSource, KernelKind, KernelOptions, Many, ManyError, ManyInputs, ProgramKernel as Runs,
    StateArray, kernel, threads,
};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A function of a model, ready to run, with all the memory that it needs. It is `Send`: give each
/// thread its own.
///
/// Inputs and outputs are slices with names: see [`Function::inputs`] and [`Function::outputs`] for
/// what there is, in which order and in which units. All inputs must be given; of the outputs only
/// those that are named are written.
///
/// ```
/// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let mut kernel = model.function("inverse")?.compile()?;
/// let (q, qd, qdd, mut effort) = ([0.5], [0.0], [0.0], [0.0]);
/// kernel.evaluate(&[("q", &q), ("qd", &qd), ("qdd", &qdd)], &mut [("effort", &mut effort)])?;
/// let weight = 9.81 * 0.5 * 0.5_f64.sin();
/// assert!((effort[0] - weight).abs() < 1e-14);
///
/// // Parameters change without anything being generated anew.
/// kernel.set("m", 2.0)?;
/// kernel.evaluate(&[("q", &q), ("qd", &qd), ("qdd", &qdd)], &mut [("effort", &mut effort)])?;
/// assert!((effort[0] - 2.0 * weight).abs() < 1e-14);
///
/// // Three states at once: one row for each, on all cores.
/// let (qs, zeros, mut efforts) = ([0.0, 0.5, 1.0], [0.0; 3], [0.0; 3]);
/// kernel.batch(&[("q", &qs), ("qd", &zeros), ("qdd", &zeros)], &mut [("effort", &mut efforts)])?;
/// assert!((efforts[1] - 2.0 * weight).abs() < 1e-14);
/// # Ok::<(), rotule::Error>(())
/// ```
pub struct Kernel {
    function: Function,
    kind: KernelKind,
    one: Box<dyn Runs>,
    /// The inputs of the program: parameters and time as they were set last, all else of the last
    /// evaluation.
    inputs: Vec<f64>,
    /// Numbers that lie side by side in an input and in the program, for one copy each.
    runs: Vec<Run>,
    /// The position of the time among the inputs, if the program has it.
    time: Option<usize>,
    outputs: Vec<f64>,
    /// Where each output begins, and where the last one ends.
    starts: Vec<usize>,
    is_set_up: bool,
    many: Option<Many<'static>>,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel")
            .field("function", &self.function)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// Numbers `from..from + len` of an input that are numbers `to..to + len` of the program.
#[derive(Clone, Copy, Debug)]
struct Run {
    input: usize,
    from: usize,
    to: usize,
    len: usize,
}

/// Functions have at most this many inputs: `q`, `qd`, `state`, `input`, `qdd`, `effort`, `shared`.
const INPUTS: usize = 7;

/// A callback of a batch: the number of states that are done; a break stops it.
pub type BatchProgress<'a> = &'a (dyn Fn(usize) -> ControlFlow<()> + Sync);

impl Kernel {
    pub(crate) fn new(function: Function, kind: KernelKind) -> Result<Kernel, Error> {
        let one = kernel(Arc::clone(&function.program), kind, KernelOptions::default())?;
        let mut runs: Vec<Run> = Vec::new();
        for (to, slot) in function.slots.iter().enumerate() {
            let Slot::Input(input, from) = *slot else { continue };
            match runs.last_mut() {
                Some(run)
                    if run.input == input
                        && run.from + run.len == from
                        && run.to + run.len == to =>
                {
                    run.len += 1;
                }
                _ => runs.push(Run { input, from, to, len: 1 }),
            }
        }
        let mut starts = vec![0];
        for output in function.outputs() {
            starts.push(starts[starts.len() - 1] + output.len());
        }
        let number = |slot: &Slot| match slot {
            Slot::Parameter(at) => function.parameters[*at],
            Slot::Time => function.time,
            Slot::Input(..) => 0.0,
        };
        Ok(Kernel {
            inputs: function.slots.iter().map(number).collect(),
            time: function.slots.iter().position(|slot| *slot == Slot::Time),
            outputs: vec![0.0; starts[starts.len() - 1]],
            function,
            kind,
            one,
            runs,
            starts,
            is_set_up: false,
            many: None,
        })
    }

    /// The function.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The kind of kernel: `native code`, `interpreter`, `compiled`.
    pub fn kind(&self) -> &'static str {
        self.one.name()
    }

    /// Gives a parameter another number, or the time if the name is `t`. Nothing is generated or
    /// compiled anew.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), Error> {
        if name == "t" {
            self.set_time(value);
            return Ok(());
        }
        let at = self.parameter(name)?;
        self.function.parameters[at] = value;
        let slot = self.function.slots.iter().position(|slot| *slot == Slot::Parameter(at));
        if let Some(slot) = slot {
            self.inputs[slot] = value;
            self.is_set_up = false;
        }
        Ok(())
    }

    /// The number of a parameter, or the time if the name is `t`.
    pub fn get(&self, name: &str) -> Result<f64, Error> {
        if name == "t" {
            return Ok(self.function.time);
        }
        Ok(self.function.parameters[self.parameter(name)?])
    }

    /// Sets the time of the evaluations that follow; it is zero at first.
    pub fn set_time(&mut self, t: f64) {
        self.function.time = t;
        if let Some(at) = self.time {
            self.inputs[at] = t;
        }
    }

    fn parameter(&self, name: &str) -> Result<usize, Error> {
        let names = &self.function.parameter_names;
        let found = names.iter().position(|known| known == name);
        found.ok_or_else(|| Error::unknown("parameter", name, names.iter().map(String::as_str)))
    }

    /// Evaluates one state. For functions that close loops, `q` of dependent coordinates is where
    /// iterations begin.
    #[inline]
    pub fn evaluate(
        &mut self,
        inputs: &[(&str, &[f64])],
        outputs: &mut [(&str, &mut [f64])],
    ) -> Result<(), Error> {
        let mut given = [false; INPUTS];
        for &(name, numbers) in inputs {
            let at = self.input(name, numbers.len(), 1)?;
            if given[at] {
                return Err(twice(name));
            }
            given[at] = true;
            for run in self.runs.iter().filter(|run| run.input == at) {
                self.inputs[run.to..run.to + run.len]
                    .copy_from_slice(&numbers[run.from..run.from + run.len]);
            }
        }
        self.check_given(&given)?;
        for (at, (name, numbers)) in outputs.iter().enumerate() {
            self.output(name, numbers.len(), 1)?;
            if outputs[..at].iter().any(|(other, _)| other == name) {
                return Err(twice(name));
            }
        }
        match outputs {
            // The only output there is needs no copy.
            [(_, numbers)] if self.starts.len() == 2 => self.run(Some(numbers))?,
            _ => self.run(None)?,
        }
        if self.starts.len() > 2 || outputs.len() > 1 {
            for (name, numbers) in outputs.iter_mut() {
                let at = self.output(name, numbers.len(), 1)?;
                numbers.copy_from_slice(&self.outputs[self.starts[at]..self.starts[at + 1]]);
            }
        }
        Ok(())
    }

    /// Evaluates one state of a model, with its time and parameters; [`Kernel::output_of`]
    /// has the numbers.
    pub fn evaluate_at(&mut self, state: &State) -> Result<(), Error> {
        let (expected, found) = (self.function.parameters.len(), state.parameters.len());
        if expected != found {
            return Err(Error::Length { name: "parameters".to_owned(), expected, found });
        }
        self.set_time(state.t);
        if self.function.parameters != state.parameters {
            for (at, value) in state.parameters.iter().enumerate() {
                self.function.parameters[at] = *value;
            }
            for (slot, number) in self.function.slots.iter().zip(&mut self.inputs) {
                if let Slot::Parameter(at) = slot {
                    *number = self.function.parameters[*at];
                }
            }
            self.is_set_up = false;
        }
        for (at, input) in self.function.inputs().iter().enumerate() {
            let numbers: &[f64] = match input.name.as_str() {
                "q" => &state.q,
                "qd" => &state.qd,
                "qdd" => &state.qdd,
                "effort" => &state.effort,
                "input" => &state.inputs,
                "direction" => &state.direction,
                "weight" => &state.weight,
                _ => &state.states,
            };
            if numbers.len() != input.len() {
                let (expected, found) = (input.len(), numbers.len());
                return Err(Error::Length { name: input.name.clone(), expected, found });
            }
            for run in self.runs.iter().filter(|run| run.input == at) {
                self.inputs[run.to..run.to + run.len]
                    .copy_from_slice(&numbers[run.from..run.from + run.len]);
            }
        }
        self.run(None)
    }

    /// An output of the last [`Kernel::evaluate_at`], dense by rows.
    pub fn output_of(&self, name: &str) -> Result<&[f64], Error> {
        let at = self.output_position(name)?;
        Ok(&self.outputs[self.starts[at]..self.starts[at + 1]])
    }

    fn run(&mut self, only: Option<&mut [f64]>) -> Result<(), Error> {
        let externals = &mut self.function.externals;
        let length = |error: rotule_program::LengthError| {
            unreachable!("lengths are checked before a kernel runs: {error}")
        };
        if !self.is_set_up {
            self.one.setup(&self.inputs, externals).unwrap_or_else(length);
            self.is_set_up = true;
        }
        let outputs = only.unwrap_or(&mut self.outputs);
        self.one.evaluate(&self.inputs, outputs, externals).unwrap_or_else(length);
        match self.one.regions(0).iter().position(|status| status.failures > 0) {
            None => Ok(()),
            Some(at) => Err(self.not_converged(Some(at), Vec::new())),
        }
    }

    /// Evaluates many states on all cores: arrays have one row for each state. Numbers are those of
    /// [`Kernel::evaluate`], bit by bit, however many cores there are. Time and parameters
    /// are those of the kernel; where they differ from state to state they are given as arrays,
    /// too: `("t", &ts)`, or a parameter by its name, with one number for each state.
    ///
    /// States whose iterations do not converge are named in the error; their outputs are NaN, and
    /// those of all others are good.
    pub fn batch(
        &mut self,
        inputs: &[(&str, &[f64])],
        outputs: &mut [(&str, &mut [f64])],
    ) -> Result<(), Error> {
        self.batch_with(inputs, outputs, &|_| ControlFlow::Continue(()))
    }

    /// As [`Kernel::batch`], with a callback that hears of states that are done and may stop
    /// the rest.
    pub fn batch_with(
        &mut self,
        inputs: &[(&str, &[f64])],
        outputs: &mut [(&str, &mut [f64])],
        progress: BatchProgress<'_>,
    ) -> Result<(), Error> {
        let states = self.states(inputs, outputs)?;
        let mut sources: Vec<InputSource> =
            self.inputs.iter().map(|number| InputSource::Constant(*number)).collect();
        let mut arrays = Vec::new();
        let mut given = [false; INPUTS];
        for (array, &(name, numbers)) in inputs.iter().enumerate() {
            if inputs[..array].iter().any(|(other, _)| *other == name) {
                return Err(twice(name));
            }
            let slot = match name {
                "t" => Some(Slot::Time),
                _ => self.parameter(name).ok().map(Slot::Parameter),
            };
            let row = match slot {
                Some(_) => 1,
                None => {
                    let at = self.input(name, numbers.len(), states)?;
                    given[at] = true;
                    self.function.inputs()[at].len()
                }
            };
            check_length(name, numbers.len(), row, states)?;
            for (source, known) in sources.iter_mut().zip(&self.function.slots) {
                match (known, slot) {
                    (known, Some(slot)) if *known == slot => {
                        *source = InputSource::Column { array, column: 0 };
                    }
                    (Slot::Input(at, column), None) if self.function.inputs()[*at].name == name => {
                        *source = InputSource::Column { array, column: *column };
                    }
                    _ => {}
                }
            }
            arrays.push(StateArray { name, numbers, row });
        }
        self.check_given(&given)?;
        let mut requested: Vec<Option<&mut [f64]>> =
            self.function.outputs().iter().map(|_| None).collect();
        for (name, numbers) in outputs.iter_mut() {
            let at = self.output(name, numbers.len(), states)?;
            if requested[at].is_some() {
                return Err(twice(name));
            }
            requested[at] = Some(numbers);
        }
        let many = match &mut self.many {
            Some(many) => many,
            empty => {
                let program = Arc::clone(&self.function.program);
                empty.insert(Many::new(program, self.kind, KernelOptions::default(), threads())?)
            }
        };
        let externals = self.function.externals.clone();
        let inputs = ManyInputs { states, sources: &sources, arrays: &arrays };
        let failed = many.evaluate(&inputs, &mut requested, &|| externals.boxed(), progress);
        match failed {
            Ok(failed) if failed.is_empty() => Ok(()),
            Ok(failed) => {
                for (name, numbers) in outputs.iter_mut() {
                    let row = numbers.len() / states;
                    debug_assert!(row > 0, "{name} has no numbers");
                    failed.iter().for_each(|&at| numbers[at * row..(at + 1) * row].fill(f64::NAN));
                }
                Err(self.not_converged(None, failed))
            }
            Err(ManyError::Stopped) => Err(Error::Stopped),
            Err(error) => Err(rotule_formalism::Problem::new(error.to_string(), "").into()),
        }
    }

    /// The number of states of a batch, from the first array that has one row for each.
    fn states(
        &self,
        inputs: &[(&str, &[f64])],
        outputs: &[(&str, &mut [f64])],
    ) -> Result<usize, Error> {
        for &(name, numbers) in inputs {
            let known = self.function.inputs().iter().find(|input| input.name == name);
            match known.map(super::function::Input::len) {
                Some(0) => {}
                Some(row) if numbers.len() % row != 0 => {
                    let (name, found) = (name.to_owned(), numbers.len());
                    return Err(Error::Rows { name, row, found });
                }
                Some(row) => return Ok(numbers.len() / row),
                None => {
                    if name == "t" || self.parameter(name).is_ok() {
                        return Ok(numbers.len());
                    }
                    self.input(name, numbers.len(), 1)?;
                }
            }
        }
        for (name, numbers) in outputs {
            let row = self.function.outputs()[self.output_position(name)?].len();
            if let Some(states) = numbers.len().checked_div(row) {
                return Ok(states);
            }
        }
        Ok(0)
    }

    #[inline]
    fn input(&self, name: &str, found: usize, states: usize) -> Result<usize, Error> {
        let inputs = self.function.inputs();
        let Some(at) = inputs.iter().position(|input| input.name == name) else {
            return Err(self.unknown_input(name));
        };
        check_length(name, found, inputs[at].len(), states)?;
        Ok(at)
    }

    #[cold]
    fn unknown_input(&self, name: &str) -> Error {
        let inputs = self.function.inputs().iter().map(|one| one.name.as_str());
        let mut error = Error::unknown("input", name, inputs);
        if let Error::Unknown { help, .. } = &mut error
            && (name == "t" || self.parameter(name).is_ok())
        {
            *help = "set time and parameters by `Kernel::set`, or give them to `Kernel::batch` \
                     with one number for each state"
                .to_owned();
        }
        error
    }

    #[inline]
    fn output(&self, name: &str, found: usize, states: usize) -> Result<usize, Error> {
        let at = self.output_position(name)?;
        check_length(name, found, self.function.outputs()[at].len(), states)?;
        Ok(at)
    }

    #[inline]
    fn output_position(&self, name: &str) -> Result<usize, Error> {
        let outputs = self.function.outputs();
        let found = outputs.iter().position(|output| output.name == name);
        found.ok_or_else(|| {
            Error::unknown("output", name, outputs.iter().map(|one| one.name.as_str()))
        })
    }

    #[inline]
    fn check_given(&self, given: &[bool; INPUTS]) -> Result<(), Error> {
        let inputs = self.function.inputs();
        match inputs.iter().zip(given).find(|(input, given)| !**given && !input.is_empty()) {
            None => Ok(()),
            Some((input, _)) => Err(Error::Missing {
                function: self.function.text.clone(),
                input: input.name.clone(),
            }),
        }
    }

    fn not_converged(&self, region: Option<usize>, states: Vec<usize>) -> Error {
        let program = &self.function.program;
        let at = region.unwrap_or(0);
        let region = &program.regions()[at];
        Error::NotConverged {
            function: self.function.text.clone(),
            region: region.name.clone(),
            iterations: region.limit,
            states,
        }
    }
}

#[cold]
fn twice(name: &str) -> Error {
    Error::Twice { name: name.to_owned() }
}

#[inline]
fn check_length(name: &str, found: usize, row: usize, states: usize) -> Result<(), Error> {
    let expected = row * states;
    match found == expected {
        true => Ok(()),
        false => Err(Error::Length { name: name.to_owned(), expected, found }),
    }
}
