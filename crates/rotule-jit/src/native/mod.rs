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
//! side ([`NativeLanes`]); only the names of registers and of instructions differ, and what decides
//! in loops.

mod allocate;
mod assemble;
mod call;
mod circular;
mod codes;
mod instruction;
mod lanes;
mod layout;
mod loops;
mod machine_code;
mod plan;
#[cfg(test)]
mod proof;
mod uses;

pub use lanes::NativeLanes;

use crate::error::KernelError;
use crate::kernel::ProgramKernel;
use crate::selection::KernelOptions;
use allocate::Stage;
use codes::Width;
use machine_code::MachineCode;
use rotule_program::{Externals, LengthError, Program, RegionStatus};
use std::borrow::Borrow;

/// A program as native code, with its memory.
#[derive(Debug)]
pub struct Native<P> {
    program: P,
    code: MachineCode,
    statuses: Vec<RegionStatus>,
}

impl<P: Borrow<Program>> Native<P> {
    /// Makes a program ready. Refuses one that is not valid, machines of another kind, and programs
    /// so large that 32-bit distances do not reach.
    pub fn new(owner: P, options: KernelOptions) -> Result<Native<P>, KernelError> {
        let program: &Program = owner.borrow();
        let code = MachineCode::new(program, options, Width::One)?;
        let statuses = vec![RegionStatus::default(); program.regions().len()];
        Ok(Native { program: owner, code, statuses })
    }

    /// Number of bytes of machine code and constants.
    pub fn code_bytes(&self) -> usize {
        self.code.code_bytes
    }

    fn run(
        &mut self,
        stage: Stage,
        inputs: &[f64],
        outputs: &mut [f64],
        externals: &mut dyn Externals,
    ) -> Result<(), LengthError> {
        self.code.run(stage, self.program.borrow(), inputs, outputs, externals)?;
        for (region, cells) in self.code.regions(stage) {
            let cell = |k: usize| cells[k].to_bits();
            self.statuses[region] = RegionStatus {
                runs: cell(0),
                failures: cell(1),
                iterations: cell(2),
                last: cell(3) as u32,
            };
        }
        Ok(())
    }
}

impl<P: Borrow<Program> + Send> ProgramKernel for Native<P> {
    fn program(&self) -> &Program {
        self.program.borrow()
    }

    fn name(&self) -> &'static str {
        "native"
    }

    fn setup(&mut self, inputs: &[f64], externals: &mut dyn Externals) -> Result<(), LengthError> {
        self.run(Stage::Setup, inputs, &mut [], externals)
    }

    fn evaluate(
        &mut self,
        inputs: &[f64],
        outputs: &mut [f64],
        externals: &mut dyn Externals,
    ) -> Result<(), LengthError> {
        self.run(Stage::Body, inputs, outputs, externals)
    }

    fn regions(&self) -> &[RegionStatus] {
        &self.statuses
    }
}
