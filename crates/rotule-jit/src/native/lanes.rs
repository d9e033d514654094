//! Native code for four states side by side, in the lanes of registers of 256 bits.

use super::allocate::Stage;
use super::codes::Width;
use super::machine_code::MachineCode;
use crate::error::KernelError;
use crate::lanes::Lanes;
use crate::selection::KernelOptions;
use rotule_program::{Externals, LengthError, Program, RegionStatus};
use std::borrow::Borrow;

/// A program as native code for four states, with its memory.
#[derive(Debug)]
pub struct NativeLanes<P> {
    program: P,
    code: MachineCode,
    /// Of all regions for the first state, then for the second, and so on.
    statuses: Vec<RegionStatus>,
}

const LANES: usize = Width::Four.lanes();

impl<P: Borrow<Program>> NativeLanes<P> {
    /// Makes a program ready; refuses what [`Native`](super::Native) refuses.
    pub fn new(owner: P, options: KernelOptions) -> Result<NativeLanes<P>, KernelError> {
        let program: &Program = owner.borrow();
        let code = MachineCode::new(program, options, Width::Four)?;
        let statuses = vec![RegionStatus::default(); LANES * program.regions().len()];
        Ok(NativeLanes { program: owner, code, statuses })
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
        let count = self.statuses.len() / LANES;
        for (region, cells) in self.code.regions(stage) {
            for lane in 0..LANES {
                let cell = |k: usize| cells[LANES * k + lane];
                self.statuses[lane * count + region] = RegionStatus {
                    runs: cell(0) as u64,
                    failures: cell(1) as u64,
                    iterations: cell(2) as u64,
                    last: cell(3) as u32,
                };
            }
        }
        Ok(())
    }
}

impl<P: Borrow<Program> + Send> Lanes for NativeLanes<P> {
    fn program(&self) -> &Program {
        self.program.borrow()
    }

    fn name(&self) -> &'static str {
        "native"
    }

    fn width(&self) -> usize {
        LANES
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

    fn regions(&self, lane: usize) -> &[RegionStatus] {
        let count = self.statuses.len() / LANES;
        &self.statuses[lane * count..(lane + 1) * count]
    }
}
