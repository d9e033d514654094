//! Many states: blocks of them over threads.
//!
//! Whichever thread runs a block, its numbers are the same, and results come in the order of the blocks: nothing depends on how
//! many threads there are.

use crate::choice::{Choice, Options};
use crate::lanes::{Lanes, lanes};
use crate::refusal::Refusal;
use rotule_program::{Externals, LengthError, Program};
use rotule_symbolic::Kind;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Does pieces of work numbered from zero, each worker in a thread of its own, which takes the next number as soon as it is free.
/// Results come in the order of their numbers; pieces are left out after one of them breaks. A panic of a worker goes on.
pub fn over<W: Send, R: Send>(
    workers: &mut [W],
    count: usize,
    work: impl Fn(&mut W, usize) -> ControlFlow<(), R> + Sync,
) -> Vec<Option<R>> {
    let (next, broken) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results: Mutex<Vec<Option<R>>> = Mutex::new((0..count).map(|_| None).collect());
    let one = |worker: &mut W| {
        while !broken.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                break;
            }
            match work(worker, number) {
                ControlFlow::Break(()) => broken.store(true, Ordering::Relaxed),
                ControlFlow::Continue(result) => {
                    // Nobody panics with the list in hand.
                    let mut results =
                        results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    results[number] = Some(result);
                }
            }
        }
    };
    match workers {
        [] => {}
        [worker] => one(worker),
        workers => std::thread::scope(|scope| {
            for worker in workers {
                scope.spawn(|| one(worker));
            }
        }),
    }
    results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// How many threads this machine runs at once.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A program that is evaluated at many states.
pub struct Many<'a> {
    program: &'a Program,
    workers: Vec<Worker<'a>>,
    width: usize,
}

struct Worker<'a> {
    kernel: Box<dyn Lanes + 'a>,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    /// The bits of the parameters that the kernel was set up for.
    parameters: Option<Vec<u64>>,
}

/// Why many states could not be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Inputs or outputs are not as many as there are states.
    Length(LengthError),
    /// It was wished to stop.
    Stopped,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Length(error) => error.fmt(f),
            Fault::Stopped => f.write_str("stopped before all states were evaluated"),
        }
    }
}

impl std::error::Error for Fault {}

/// Blocks that one piece of work has, so that taking the next one costs nothing.
const BLOCKS: usize = 32;

impl<'a> Many<'a> {
    /// Makes a program ready for so many threads.
    pub fn new(
        program: &'a Program,
        choice: Choice,
        options: Options,
        threads: usize,
    ) -> Result<Many<'a>, Refusal> {
        let worker = |_| {
            let kernel = lanes(program, choice, options)?;
            let width = kernel.width();
            let inputs = vec![0.0; width * program.inputs().len()];
            let outputs = vec![0.0; width * program.output_len()];
            Ok(Worker { kernel, inputs, outputs, parameters: None })
        };
        let workers: Vec<Worker<'a>> =
            (0..threads.max(1)).map(worker).collect::<Result<_, Refusal>>()?;
        let width = workers[0].kernel.width();
        Ok(Many { program, workers, width })
    }

    /// Evaluates all states. Inputs come state by state, one number for each input of the program; outputs likewise. Says for each
    /// state whether all its regions converged. `externals` makes foreign functions for one piece of work; `progress` is told after each
    /// how many states it had, and may stop.
    pub fn evaluate(
        &mut self,
        inputs: &[f64],
        outputs: &mut [f64],
        externals: &(dyn Fn() -> Box<dyn Externals> + Sync),
        progress: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
    ) -> Result<Vec<bool>, Fault> {
        let (given, taken) = (self.program.inputs().len(), self.program.output_len());
        let states = outputs.len() / taken.max(1);
        if inputs.len() != states * given || outputs.len() != states * taken {
            let (found, expected) = (inputs.len(), states * given);
            return Err(Fault::Length(LengthError::Inputs { found, expected }));
        }
        let piece = BLOCKS * self.width;
        let pieces = states.div_ceil(piece);
        // Each piece has its own part of the outputs.
        let parts: Vec<Mutex<&mut [f64]>> =
            outputs.chunks_mut((piece * taken).max(1)).map(Mutex::new).collect();
        let program = self.program;
        let done = over(&mut self.workers, pieces, |worker, number| {
            let first = number * piece;
            let mut part = parts[number].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let count = part.len() / taken.max(1);
            let own = &inputs[first * given..(first + count) * given];
            let converged = worker.run(program, own, &mut part, count, externals().as_mut());
            match progress(count) {
                ControlFlow::Break(()) => ControlFlow::Break(()),
                ControlFlow::Continue(()) => ControlFlow::Continue(converged),
            }
        });
        let done: Option<Vec<Vec<bool>>> = done.into_iter().collect();
        done.map(|done| done.concat()).ok_or(Fault::Stopped)
    }
}

impl Worker<'_> {
    fn run(
        &mut self,
        program: &Program,
        inputs: &[f64],
        outputs: &mut [f64],
        count: usize,
        externals: &mut dyn Externals,
    ) -> Vec<bool> {
        let width = self.kernel.width();
        let (given, taken) = (program.inputs().len(), program.output_len());
        let mut converged = Vec::with_capacity(count);
        for first in (0..count).step_by(width) {
            // The last state stands for those that are missing.
            let state = |lane: usize| (first + lane).min(count - 1);
            for (k, numbers) in self.inputs.chunks_exact_mut(width).enumerate() {
                for (lane, number) in numbers.iter_mut().enumerate() {
                    *number = inputs[state(lane) * given + k];
                }
            }
            let parameters: Vec<f64> = program
                .inputs()
                .iter()
                .zip(self.inputs.chunks_exact(width))
                .filter(|(input, _)| input.kind == Kind::Parameter)
                .flat_map(|(_, numbers)| numbers.iter().copied())
                .collect();
            let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            let parameters = bits(&parameters);
            let known = self.parameters.as_ref().is_some_and(|known| *known == parameters);
            if !known {
                let done = self.kernel.setup(&self.inputs, externals);
                done.expect("there are as many inputs as the program has");
                self.parameters = Some(parameters);
            }
            let done = self.kernel.evaluate(&self.inputs, &mut self.outputs, externals);
            done.expect("inputs and outputs are as many as the program has");
            for lane in 0..width.min(count - first) {
                let own = &mut outputs[(first + lane) * taken..(first + lane + 1) * taken];
                for (number, all) in own.iter_mut().zip(self.outputs.chunks_exact(width)) {
                    *number = all[lane];
                }
                converged.push(self.kernel.converged(lane));
            }
        }
        converged
    }
}
