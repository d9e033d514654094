//! Native code of this process under the same protocol as libraries: checked first, then timed in
//! repeats.

use super::harness::Times;
use super::subject::{States, Subject};
use rotule_formalism::MultibodySystem;
use rotule_jit::{KernelKind, KernelOptions, ProgramKernel, kernel, lanes};
use rotule_program::NoExternals;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Kernels of all programs of a subject, with inputs for each pack of states.
pub struct Native<'a> {
    runners: Vec<Box<dyn ProgramKernel + 'a>>,
    /// States in a pack.
    pub width: usize,
    /// By program and pack.
    inputs: Vec<Vec<Vec<f64>>>,
    outputs: Vec<Vec<f64>>,
}

impl<'a> Native<'a> {
    /// Makes the programs ready, with fused operations, as compilers of C have them too.
    pub fn new(
        subject: &'a Subject,
        tree: &MultibodySystem,
        states: &States,
        batch: bool,
    ) -> Result<Native<'a>, String> {
        let single = subject.inputs(tree, states).map_err(|problem| problem.message)?;
        let options = KernelOptions { fuse: true };
        let (mut runners, mut inputs, mut width) = (Vec::new(), Vec::new(), 1);
        for (program, single) in subject.programs.iter().zip(single) {
            let refused = |error: rotule_jit::KernelError| error.to_string();
            let make = if batch { lanes } else { kernel };
            let mut runner = make(program, KernelKind::Native, options).map_err(refused)?;
            width = runner.width();
            // States side by side: all of the first input, then all of the second.
            let pack = |list: &[Vec<f64>]| -> Vec<f64> {
                let many = program.inputs().len();
                (0..many).flat_map(|at| list.iter().map(move |state| state[at])).collect()
            };
            let packs: Vec<Vec<f64>> = single.chunks_exact(width).map(pack).collect();
            let first = packs.first().ok_or("there are too few states")?;
            runner.setup(first, &mut NoExternals).map_err(|error| error.to_string())?;
            runners.push(runner);
            inputs.push(packs);
        }
        let lengths = runners.iter().map(|one| one.program().output_len() * one.width());
        let outputs = lengths.map(|length| vec![0.0; length]).collect();
        Ok(Native { runners, width, inputs, outputs })
    }

    fn run(&mut self, pack: usize) -> Result<(), String> {
        for ((runner, inputs), outputs) in
            self.runners.iter_mut().zip(&self.inputs).zip(&mut self.outputs)
        {
            let run = runner.evaluate(&inputs[pack], outputs, &mut NoExternals);
            run.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn packs(&self) -> usize {
        self.inputs.first().map_or(0, Vec::len)
    }

    /// The results of all states, one after the other.
    pub fn results(&mut self, subject: &Subject) -> Result<Vec<f64>, String> {
        let mut all = Vec::new();
        for pack in 0..self.packs() {
            self.run(pack)?;
            for lane in 0..self.width {
                let own = |list: &Vec<f64>| {
                    list.iter().skip(lane).step_by(self.width).copied().collect::<Vec<f64>>()
                };
                let outputs: Vec<f64> = self.outputs.iter().flat_map(own).collect();
                all.extend(subject.whole(&outputs));
            }
        }
        Ok(all)
    }

    fn seconds(&mut self, runs: usize) -> Result<f64, String> {
        let (packs, mut at) = (self.packs(), 0);
        let begun = Instant::now();
        for _ in 0..runs {
            self.run(at)?;
            at = if at + 1 == packs { 0 } else { at + 1 };
        }
        Ok(begun.elapsed().as_secs_f64())
    }

    /// Repeats of about this length; times are per state.
    pub fn time(&mut self, repeats: usize, milliseconds: f64) -> Result<Times, String> {
        let least = milliseconds * 1e-3;
        let mut runs = self.packs().max(1);
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
            times.push(self.seconds(runs)? / runs as f64 / self.width as f64 * 1e9);
        }
        times.sort_by(f64::total_cmp);
        let first = times.first().copied().ok_or("there are no repeats")?;
        Ok(Times { least: first, median: times[times.len() / 2] })
    }
}

/// Keeps this process to a processor, if the program `taskset` is installed: what it starts takes
/// the same one.
pub fn pin(core: i64) {
    if core >= 0 {
        let (core, own) = (core.to_string(), std::process::id().to_string());
        let mut taskset = Command::new("taskset");
        taskset.args(["-cp", &core, &own]).stdin(Stdio::null());
        let _ = taskset.stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}
