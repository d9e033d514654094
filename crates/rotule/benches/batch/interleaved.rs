//! The batch that columns are compared with: one array with one number for every input of the
//! program in each state. Parameters are gathered and compared for every block.

use rotule::layers::jit::{KernelKind, KernelOptions, ProgramKernel, lanes, over};
use rotule::layers::program::{Externals, NoExternals, Program};
use rotule::layers::symbolic::Kind;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// A program over threads.
pub struct Interleaved<'a> {
    program: &'a Program,
    workers: Vec<Worker<'a>>,
    width: usize,
}

struct Worker<'a> {
    kernel: Box<dyn ProgramKernel + 'a>,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    /// The bits of the parameters that the kernel was set up for.
    parameters: Option<Vec<u64>>,
}

/// Blocks of a work item.
const BLOCKS: usize = 32;

impl<'a> Interleaved<'a> {
    /// Makes a program ready for so many threads.
    pub fn new(program: &'a Program, threads: usize) -> Interleaved<'a> {
        let worker = |_| {
            let kernel = lanes(program, KernelKind::Auto, KernelOptions::default()).expect("valid");
            let width = kernel.width();
            let inputs = vec![0.0; width * program.inputs().len()];
            let outputs = vec![0.0; width * program.output_len()];
            Worker { kernel, inputs, outputs, parameters: None }
        };
        let workers: Vec<Worker<'a>> = (0..threads).map(worker).collect();
        let width = workers[0].kernel.width();
        Interleaved { program, workers, width }
    }

    /// Evaluates all states; returns for each whether all its regions converged.
    pub fn evaluate(&mut self, inputs: &[f64], outputs: &mut [f64]) -> Vec<bool> {
        let (given, taken) = (self.program.inputs().len(), self.program.output_len());
        let states = outputs.len() / taken;
        let block = BLOCKS * self.width;
        let blocks = states.div_ceil(block);
        let parts: Vec<Mutex<&mut [f64]>> =
            outputs.chunks_mut(block * taken).map(Mutex::new).collect();
        let program = self.program;
        let done = over(&mut self.workers, blocks, |worker, number| {
            let first = number * block;
            let mut part = parts[number].lock().unwrap_or_else(PoisonError::into_inner);
            let count = part.len() / taken;
            let own = &inputs[first * given..(first + count) * given];
            let converged = worker.run(program, own, &mut part, count, &mut NoExternals);
            ControlFlow::Continue(converged)
        });
        let done: Option<Vec<Vec<bool>>> = done.into_iter().collect();
        done.expect("nothing stops it").concat()
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
