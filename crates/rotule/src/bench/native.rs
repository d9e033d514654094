//! Native code of this process under the same protocol as libraries: checked first, then timed in turns.

use super::harness::Times;
use super::subject::{States, Subject};
use rotule_formalism::Tree;
use rotule_jit::{Choice, Kernel, Options, kernel};
use rotule_program::NoExternals;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Kernels of all programs of a subject, with inputs for each state.
pub struct Native<'a> {
    kernels: Vec<Box<dyn Kernel + 'a>>,
    inputs: Vec<Vec<Vec<f64>>>,
    outputs: Vec<Vec<f64>>,
}

impl<'a> Native<'a> {
    /// Makes the programs ready, with fused operations, as compilers of C have them too.
    pub fn new(subject: &'a Subject, tree: &Tree, states: &States) -> Result<Native<'a>, String> {
        let inputs = subject.inputs(tree, states).map_err(|problem| problem.message)?;
        let mut kernels = Vec::new();
        for (program, inputs) in subject.programs.iter().zip(&inputs) {
            let mut made = kernel(program, Choice::Native, Options { fuse: true })
                .map_err(|refusal| refusal.to_string())?;
            let first = inputs.first().ok_or("there are no states")?;
            made.setup(first, &mut NoExternals).map_err(|error| error.to_string())?;
            kernels.push(made);
        }
        let room = |kernel: &Box<dyn Kernel + 'a>| vec![0.0; kernel.program().output_len()];
        Ok(Native { outputs: kernels.iter().map(room).collect(), kernels, inputs })
    }

    fn run(&mut self, at: usize) -> Result<(), String> {
        for ((kernel, inputs), outputs) in
            self.kernels.iter_mut().zip(&self.inputs).zip(&mut self.outputs)
        {
            kernel
                .evaluate(&inputs[at], outputs, &mut NoExternals)
                .map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn states(&self) -> usize {
        self.inputs.first().map_or(0, Vec::len)
    }

    /// The results of all states.
    pub fn results(&mut self, subject: &Subject) -> Result<Vec<f64>, String> {
        let mut all = Vec::new();
        for at in 0..self.states() {
            self.run(at)?;
            let outputs: Vec<f64> = self.outputs.concat();
            all.extend(subject.results.iter().flat_map(|range| &outputs[range.clone()]));
        }
        Ok(all)
    }

    fn seconds(&mut self, runs: usize) -> Result<f64, String> {
        let (states, mut at) = (self.states(), 0);
        let begun = Instant::now();
        for _ in 0..runs {
            self.run(at)?;
            at = if at + 1 == states { 0 } else { at + 1 };
        }
        Ok(begun.elapsed().as_secs_f64())
    }

    /// Repeats of about this length.
    pub fn time(&mut self, repeats: usize, milliseconds: f64) -> Result<Times, String> {
        let least = milliseconds * 1e-3;
        let mut runs = self.states().max(1);
        loop {
            let taken = self.seconds(runs)?;
            if taken >= least {
                break;
            }
            let factor = (1.15 * least / taken.max(1e-9)).clamp(1.1, 4.0);
            runs = (runs as f64 * factor) as usize + 1;
        }
        let mut times = Vec::new();
        for _ in 0..repeats {
            self.seconds(runs / 10 + 1)?;
            times.push(self.seconds(runs)? / runs as f64 * 1e9);
        }
        times.sort_by(f64::total_cmp);
        let first = times.first().copied().ok_or("there are no repeats")?;
        Ok(Times { least: first, median: times[times.len() / 2] })
    }
}

/// Keeps this process to a processor, if the program `taskset` is there: what it starts takes the same one.
pub fn pin(core: i64) {
    if core >= 0 {
        let (core, own) = (core.to_string(), std::process::id().to_string());
        let mut taskset = Command::new("taskset");
        taskset.args(["-cp", &core, &own]).stdin(Stdio::null());
        let _ = taskset.stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}
