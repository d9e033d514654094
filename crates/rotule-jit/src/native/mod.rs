//! Native code for x86-64, written in this process without any compiler.
//!
//! ```text
//! program --uses, plan--> steps --allocate--> instructions --assemble--> bytes --call--> run
//! ```
//!
//! Each arrow takes linear time. Without fused operations the numbers are those of the interpreter,
//! bit by bit: the order of operations within each value is the program's, and functions are called
//! as the interpreter calls them, but for sine and cosine, which a routine in the code itself
//! computes in the same way, several at once. The same way leads to code for several states side by
//! side ([`Native::lanes`]); only the names of registers and of instructions differ, and what
//! decides in loops.

mod allocate;
mod assemble;
mod call;
mod circular;
mod codes;
mod instruction;
mod layout;
mod loops;
mod machine_code;
mod plan;
#[cfg(test)]
mod proof;
mod uses;

use crate::error::KernelError;
use crate::kernel::{ProgramKernel, RunCheck};
use crate::selection::KernelOptions;
use allocate::Stage;
use codes::Width;
use machine_code::MachineCode;
use rotule_program::{Externals, Program, RegionStatus};
use std::borrow::Borrow;

/// A program as native code, with its memory: for one state, or for several side by side in the
/// lanes of registers of 256 bits.
#[derive(Debug)]
pub struct Native<P> {
    program: P,
    code: MachineCode,
    width: Width,
    /// Of all regions for the first state, then for the second, and so on.
    statuses: Vec<RegionStatus>,
}

impl<P: Borrow<Program>> Native<P> {
    /// Makes a program ready for one state at a time. Refuses one that is not valid, machines of
    /// another kind, and programs so large that 32-bit distances do not reach.
    pub fn new(program: P, options: KernelOptions) -> Result<Native<P>, KernelError> {
        Native::wide(program, options, Width::One)
    }

    /// Makes a program ready for four states at a time; refuses what [`Native::new`] refuses.
    pub fn lanes(program: P, options: KernelOptions) -> Result<Native<P>, KernelError> {
        Native::wide(program, options, Width::Four)
    }

    fn wide(owner: P, options: KernelOptions, width: Width) -> Result<Native<P>, KernelError> {
        let program: &Program = owner.borrow();
        let code = MachineCode::new(program, options, width)?;
        let statuses = vec![RegionStatus::default(); width.lanes() * program.regions().len()];
        Ok(Native { program: owner, code, width, statuses })
    }

    /// Number of bytes of machine code and constants.
    pub fn code_bytes(&self) -> usize {
        self.code.code_bytes
    }

    fn run(
        &mut self,
        stage: Stage,
        inputs: &[f64],
        out: &mut [f64],
        calls: &mut dyn Externals,
    ) -> RunCheck {
        self.code.run(stage, self.program.borrow(), inputs, out, calls)?;
        // One state counts in whole numbers, several in those of their registers.
        match self.width {
            Width::One => self.record::<1>(stage, f64::to_bits),
            Width::Four => self.record::<4>(stage, |cell| cell as u64),
        }
        Ok(())
    }

    /// Keeps what the regions of a stage say of each lane.
    fn record<const W: usize>(&mut self, stage: Stage, number: impl Fn(f64) -> u64) {
        let count = self.statuses.len() / W;
        for (region, cells) in self.code.regions(stage) {
            let [runs, failures, iterations, last, ..] = cells.as_chunks::<W>().0 else {
                continue;
            };
            for lane in 0..W {
                self.statuses[lane * count + region] = RegionStatus {
                    runs: number(runs[lane]),
                    failures: number(failures[lane]),
                    iterations: number(iterations[lane]),
                    last: number(last[lane]) as u32,
                };
            }
        }
    }
}

impl<P: Borrow<Program> + Send> ProgramKernel for Native<P> {
    fn program(&self) -> &Program {
        self.program.borrow()
    }

    fn name(&self) -> &'static str {
        "native"
    }

    fn width(&self) -> usize {
        self.width.lanes()
    }

    fn setup(&mut self, inputs: &[f64], calls: &mut dyn Externals) -> RunCheck {
        self.run(Stage::Setup, inputs, &mut [], calls)
    }

    fn update(&mut self, inputs: &[f64], calls: &mut dyn Externals) -> RunCheck {
        self.run(Stage::Shared, inputs, &mut [], calls)
    }

    fn evaluate(&mut self, inputs: &[f64], out: &mut [f64], calls: &mut dyn Externals) -> RunCheck {
        self.run(Stage::Body, inputs, out, calls)
    }

    fn regions(&self, lane: usize) -> &[RegionStatus] {
        let count = self.statuses.len() / self.width.lanes();
        &self.statuses[lane * count..(lane + 1) * count]
    }
}
