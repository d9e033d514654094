//! Many states: blocks of them over threads.
//!
//! Numbers are read where they lie, by columns, and written where they are needed. Whichever thread
//! runs a block, its numbers are the same: nothing depends on how many threads there are.

mod error;

pub use error::ManyError;

use crate::error::KernelError;
use crate::kernel::ProgramKernel;
use crate::selection::{KernelKind, KernelOptions, kernel, lanes};
use rotule_program::parallel::over;
use rotule_program::{Externals, Program};
use rotule_symbolic::Kind;
use std::borrow::Borrow;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// A program that is evaluated at many states.
///
/// ```
/// use rotule_jit::{KernelKind, InputSource, Many, ManyInputs, KernelOptions, StateArray, threads};
/// use rotule_program::{NoExternals, parse};
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
///
/// let program = parse(
///     "program spring
///      input k parameter
///      input x coordinate
///      body
///        %0 = mul k x
///      output force(1)
///        (0) = %0",
/// )?;
/// let mut many = Many::new(Arc::new(program), KernelKind::Auto, KernelOptions::default(), threads())?;
/// let stretch = [1.0, 2.0, 3.0];
/// let inputs = ManyInputs {
///     states: stretch.len(),
///     sources: &[InputSource::Constant(10.0), InputSource::Column { array: 0, column: 0 }],
///     arrays: &[StateArray { name: "x", numbers: &stretch, row: 1 }],
/// };
/// let mut force = [0.0; 3];
/// let unconverged = many.evaluate(
///     &inputs,
///     &mut [Some(&mut force)],
///     &|| Box::new(NoExternals),
///     &|_| ControlFlow::Continue(()),
/// )?;
/// assert_eq!(force, [10.0, 20.0, 30.0]);
/// assert!(unconverged.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Many<'a> {
    /// One for each thread, at least one.
    workers: Vec<Worker<'a>>,
}

/// Source of the numbers of one input of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InputSource {
    /// One number for all states.
    Constant(f64),
    /// A column of an array, which has a number for each state.
    Column {
        /// Position of the array in [`ManyInputs::arrays`].
        array: usize,
        /// Position of the column in its rows.
        column: usize,
    },
}

/// An array with one row for each state, row after row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateArray<'d> {
    /// Name that messages give it.
    pub name: &'d str,
    /// All its numbers.
    pub numbers: &'d [f64],
    /// Numbers in a row; columns that nobody reads are allowed.
    pub row: usize,
}

/// Inputs of a program at many states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ManyInputs<'d> {
    /// Number of states.
    pub states: usize,
    /// One source for each input of the program, in their order.
    pub sources: &'d [InputSource],
    /// Arrays that sources refer to.
    pub arrays: &'d [StateArray<'d>],
}

/// Blocks that a work item has, so that taking the next one costs nothing.
const BLOCKS: usize = 32;

impl<'a> Many<'a> {
    /// Makes a program, borrowed or shared, ready for so many threads.
    pub fn new<P: Borrow<Program> + Clone + Send + 'a>(
        program: P,
        choice: KernelKind,
        options: KernelOptions,
        threads: usize,
    ) -> Result<Many<'a>, KernelError> {
        let worker = |_| {
            let make = if choice == KernelKind::Compiled { kernel } else { lanes };
            Ok(Worker::new(make(program.clone(), choice, options)?))
        };
        let workers = (0..threads.max(1)).map(worker).collect::<Result<_, KernelError>>()?;
        Ok(Many { workers })
    }

    /// The kernel of the first thread: its program, its name, and the reason why it is not a faster
    /// one.
    pub fn kernel(&self) -> &(dyn ProgramKernel + 'a) {
        // There is at least one worker.
        self.workers[0].kernel.as_ref()
    }

    /// Evaluates all states and returns those, in ascending order, that have a region that did not
    /// converge. For each output of the program there is an array with one row for each state,
    /// matrices dense by rows, or none if nobody needs it. `externals` makes foreign functions for
    /// one work item, which may be called for a state more than once; `progress` is told after each
    /// item how many states it had, and may stop.
    pub fn evaluate(
        &mut self,
        inputs: &ManyInputs<'_>,
        outputs: &mut [Option<&mut [f64]>],
        externals: &(dyn Fn() -> Box<dyn Externals> + Sync),
        progress: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
    ) -> Result<Vec<usize>, ManyError> {
        let program = self.kernel().program();
        error::check(program, inputs, outputs)?;
        let columns = Columns::new(program, inputs);
        let states = inputs.states;
        let item = BLOCKS * self.kernel().width();
        let targets = targets(program, outputs, item);
        for worker in &mut self.workers {
            worker.begin(inputs.sources);
        }
        let done = over(&mut self.workers, states.div_ceil(item), |worker, number| {
            let first = number * item;
            let states = first..states.min(first + item);
            let mut parts: Vec<Part<'_>> =
                targets.iter().map(|target| target.part(number)).collect();
            let count = states.len();
            let unconverged = worker.run(states, &columns, &mut parts, externals().as_mut());
            match progress(count) {
                ControlFlow::Break(()) => ControlFlow::Break(()),
                ControlFlow::Continue(()) => ControlFlow::Continue(unconverged),
            }
        });
        let done: Option<Vec<Vec<usize>>> = done.into_iter().collect();
        done.map(|done| done.concat()).ok_or(ManyError::Stopped)
    }
}

/// A column of an array, and the input that it is for.
struct Column<'d> {
    input: usize,
    /// From the first number of the column on.
    numbers: &'d [f64],
    row: usize,
}

/// Inputs that are not the same for all states.
struct Columns<'d> {
    parameters: Vec<Column<'d>>,
    others: Vec<Column<'d>>,
}

impl<'d> Columns<'d> {
    fn new(program: &Program, inputs: &ManyInputs<'d>) -> Columns<'d> {
        let mut columns = Columns { parameters: Vec::new(), others: Vec::new() };
        for (k, (input, source)) in program.inputs().iter().zip(inputs.sources).enumerate() {
            let InputSource::Column { array, column } = *source else { continue };
            let StateArray { numbers, row, .. } = inputs.arrays[array];
            // Without any state there is no first number.
            let numbers = numbers.get(column..).unwrap_or_default();
            let list = match input.kind {
                Kind::Parameter => &mut columns.parameters,
                _ => &mut columns.others,
            };
            list.push(Column { input: k, numbers, row });
        }
        columns
    }
}

/// An array that an output goes to, cut into the parts of the work items.
struct Target<'o> {
    /// Position of the output among all numbers that a kernel writes for a state.
    first: usize,
    /// Numbers of the output for one state, at least one.
    row: usize,
    parts: Vec<Mutex<&'o mut [f64]>>,
}

/// The part of a target that one work item writes.
struct Part<'o> {
    first: usize,
    row: usize,
    numbers: &'o mut [f64],
}

fn targets<'o>(
    program: &Program,
    outputs: &'o mut [Option<&mut [f64]>],
    item: usize,
) -> Vec<Target<'o>> {
    let mut targets = Vec::new();
    let mut first = 0;
    for (output, place) in program.outputs().iter().zip(outputs) {
        let row = output.dense_len() as usize;
        if let (Some(numbers), 1..) = (place, row) {
            let parts = numbers.chunks_mut(item * row).map(Mutex::new).collect();
            targets.push(Target { first, row, parts });
        }
        first += row;
    }
    targets
}

impl<'o> Target<'o> {
    /// Takes the part of a work item, which is done once.
    fn part(&self, number: usize) -> Part<'o> {
        let mut part = self.parts[number].lock().unwrap_or_else(PoisonError::into_inner);
        let numbers = std::mem::take(&mut *part);
        Part { first: self.first, row: self.row, numbers }
    }
}

/// A kernel with the numbers of one block, side by side.
struct Worker<'a> {
    kernel: Box<dyn ProgramKernel + 'a>,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    /// `true` if the kernel is set up for the parameters among the inputs.
    ready: bool,
}

impl<'a> Worker<'a> {
    fn new(kernel: Box<dyn ProgramKernel + 'a>) -> Worker<'a> {
        let (width, program) = (kernel.width(), kernel.program());
        let inputs = vec![0.0; width * program.inputs().len()];
        let outputs = vec![0.0; width * program.output_len()];
        Worker { kernel, inputs, outputs, ready: false }
    }

    /// Takes what is the same for all states of a call.
    fn begin(&mut self, sources: &[InputSource]) {
        let program = self.kernel.program();
        // Foreign functions may be others than in the last call.
        self.ready &= program.functions().is_empty();
        let places = self.inputs.chunks_exact_mut(self.kernel.width());
        for ((input, source), places) in program.inputs().iter().zip(sources).zip(places) {
            if let InputSource::Constant(number) = *source {
                let same = places.iter().all(|place| place.to_bits() == number.to_bits());
                self.ready &= same || input.kind != Kind::Parameter;
                places.fill(number);
            }
        }
    }

    /// Evaluates consecutive states, of which there is at least one.
    fn run(
        &mut self,
        states: std::ops::Range<usize>,
        columns: &Columns<'_>,
        parts: &mut [Part<'_>],
        externals: &mut dyn Externals,
    ) -> Vec<usize> {
        let width = self.kernel.width();
        let iterates = !self.kernel.program().regions().is_empty();
        let mut unconverged = Vec::new();
        for first in states.clone().step_by(width) {
            // The last state stands for those that are missing.
            let state = |lane: usize| (first + lane).min(states.end - 1);
            for column in &columns.parameters {
                let places = &mut self.inputs[column.input * width..][..width];
                for (lane, place) in places.iter_mut().enumerate() {
                    let number = column.numbers[state(lane) * column.row];
                    self.ready &= place.to_bits() == number.to_bits();
                    *place = number;
                }
            }
            for column in &columns.others {
                let places = &mut self.inputs[column.input * width..][..width];
                for (lane, place) in places.iter_mut().enumerate() {
                    *place = column.numbers[state(lane) * column.row];
                }
            }
            if !self.ready {
                let done = self.kernel.setup(&self.inputs, externals);
                done.expect("there are as many inputs as the program has");
                self.ready = true;
            }
            let done = self.kernel.update(&self.inputs, externals);
            done.expect("there are as many inputs as the program has");
            let done = self.kernel.evaluate(&self.inputs, &mut self.outputs, externals);
            done.expect("inputs and outputs are as many as the program has");
            let lanes = width.min(states.end - first);
            for part in &mut *parts {
                let found = &self.outputs[part.first * width..(part.first + part.row) * width];
                let places = &mut part.numbers[(first - states.start) * part.row..];
                for (lane, places) in places.chunks_exact_mut(part.row).take(lanes).enumerate() {
                    for (place, numbers) in places.iter_mut().zip(found.chunks_exact(width)) {
                        *place = numbers[lane];
                    }
                }
            }
            if iterates {
                let failed = (0..lanes).filter(|&lane| !self.kernel.converged(lane));
                unconverged.extend(failed.map(|lane| first + lane));
            }
        }
        unconverged
    }
}
