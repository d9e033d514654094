//! A program as executable bytes with the memory that they work on, for one state or for several.

use super::allocate::{Stage, allocate};
use super::assemble::Assembler;
use super::call::{self, Executable, Run};
use super::codes::Width;
use super::layout::Layout;
use super::plan::Plan;
use super::uses::Uses;
use crate::error::KernelError;
use crate::selection::KernelOptions;
use rotule_program::{Block, Externals, LengthError, Picks, Program, Step, steps, verify};
use std::ops::Range;

/// Executable bytes and their memory.
#[derive(Debug)]
pub struct MachineCode {
    code: Executable,
    /// Number of bytes of machine code and constants.
    pub code_bytes: usize,
    /// In the order of the stages.
    stages: [StageCode; Stage::ALL.len()],
    memory: Vec<f64>,
    /// Where in memory the layout begins.
    start: usize,
    base: usize,
    lanes: usize,
    /// `true` if some numbers of the outputs are never written and have to be cleared.
    zeros: bool,
}

/// A stage.
#[derive(Debug)]
pub struct StageCode {
    /// Where its code begins.
    offset: usize,
    /// Its regions, each with the place of its counters.
    regions: Vec<(usize, Range<usize>)>,
}

/// Bytes of code and of memory beyond which distances might not fit into 32 bits.
const LARGEST: u64 = 1 << 30;

impl MachineCode {
    /// Makes a program ready. Refuses one that is not valid, machines of another kind, and programs
    /// so large that 32-bit distances do not reach.
    pub fn new(
        program: &Program,
        options: KernelOptions,
        width: Width,
    ) -> Result<MachineCode, KernelError> {
        available()?;
        let Written { bytes, stages, layout, cells, .. } = write(program, options, width)?;
        let code = Executable::new(&bytes).map_err(|error| {
            KernelError::Unavailable(format!(
                "this system gives no memory for native code ({error}); use the interpreter"
            ))
        })?;
        let lanes = width.lanes();
        let memory = vec![f64::NAN; (cells + 2) * lanes];
        // Numbers of several states that lie across two lines of the cache would cost twice.
        let start = match memory.as_ptr().align_offset(8 * lanes) {
            start if start < lanes => start,
            _ => 0,
        };
        Ok(MachineCode {
            code,
            code_bytes: bytes.len(),
            stages,
            memory,
            start,
            base: layout.base(),
            lanes,
            zeros: layout.has_zeros(program),
        })
    }

    /// Runs a stage; of the outputs only `body` writes any.
    pub fn run(
        &mut self,
        stage: Stage,
        program: &Program,
        inputs: &[f64],
        outputs: &mut [f64],
        externals: &mut dyn Externals,
    ) -> Result<(), LengthError> {
        let (found, expected) = (inputs.len(), self.lanes * program.inputs().len());
        if found != expected {
            return Err(LengthError::Inputs { found, expected });
        }
        let (found, expected) = (outputs.len(), self.lanes * program.output_len());
        if stage == Stage::Body && found != expected {
            return Err(LengthError::Outputs { found, expected });
        }
        if self.zeros {
            outputs.fill(0.0);
        }
        let code = &self.stages[stage as usize];
        let (start, lanes) = (self.start, self.lanes);
        for (_, cells) in &code.regions {
            self.memory[start + lanes * cells.start..start + lanes * cells.end].fill(0.0);
        }
        let (memory, base) = (&mut self.memory, start + lanes * self.base);
        self.code.run(code.offset, Run { program, memory, base, inputs, outputs, externals });
        Ok(())
    }

    /// The counters of each region of a stage: runs, failures, iterations and the last number of
    /// them, for each state.
    pub fn regions(&self, stage: Stage) -> impl Iterator<Item = (usize, &[f64])> {
        let code = &self.stages[stage as usize];
        code.regions.iter().map(|(region, cells)| {
            let start = self.start + self.lanes * cells.start;
            (*region, &self.memory[start..start + self.lanes * 4])
        })
    }
}

/// A program as bytes, not yet executable.
pub struct Written {
    /// The bytes.
    pub bytes: Vec<u8>,
    stages: [StageCode; Stage::ALL.len()],
    layout: Layout,
    /// Number of values that the kernel's memory holds for each state.
    cells: usize,
    /// Encoded instructions with their places.
    #[cfg(test)]
    pub record: Vec<(u64, iced_x86::Instruction)>,
}

/// Writes a program as bytes.
pub fn write(
    program: &Program,
    options: KernelOptions,
    width: Width,
) -> Result<Written, KernelError> {
    verify(program).map_err(KernelError::Invalid)?;
    let picks = Picks::of(program);
    let uses = Uses::of(program, &picks, options.fuse);
    let layout = Layout::of(program, &uses, width.lanes());
    let addresses = call::addresses(width);
    let mut assembler = Assembler::new(program, &layout, width, &addresses);
    let mut slots = 0;
    let stages = Stage::ALL.map(|(block, kind)| {
        let plan = Plan::of(program, &picks, &uses, block);
        let allocation = allocate(program, &picks, &uses, &layout, &plan, kind, width);
        slots = slots.max(allocation.slots);
        StageCode {
            offset: assembler.stage(&allocation.instructions) as usize,
            regions: regions(program, &layout, block),
        }
    });
    let cells = layout.len(slots);
    if assembler.len().max((8 * width.lanes() * cells) as u64) > LARGEST {
        return Err(KernelError::Unavailable(format!(
            "native code for {} values would be larger than {LARGEST} bytes; use the interpreter",
            program.len()
        )));
    }
    #[cfg(test)]
    let record = std::mem::take(&mut assembler.record);
    let bytes = assembler.finish().map_err(|error| {
        KernelError::Unavailable(format!("an instruction could not be encoded: {error}"))
    })?;
    Ok(Written {
        bytes,
        stages,
        layout,
        cells,
        #[cfg(test)]
        record,
    })
}

/// Checks that this machine can run native code.
fn available() -> Result<(), KernelError> {
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        return Ok(());
    }
    Err(KernelError::Unavailable(
        "native code needs a processor with AVX2 and FMA; use the interpreter".into(),
    ))
}

fn regions(program: &Program, layout: &Layout, block: Block) -> Vec<(usize, Range<usize>)> {
    let entered = steps(program, block).filter_map(|step| match step {
        Step::Enter(_, region) => Some((region.index(), layout.region(region.index()))),
        _ => None,
    });
    entered.collect()
}
