//! Native code for x86-64, written in this process without any compiler.
//!
//! ```text
//! program --uses, plan--> steps --allocate--> instructions --assemble--> bytes --call--> run
//! ```
//!
//! Each arrow takes linear time. Without fused operations the numbers are those of the interpreter, bit
//! by bit: the order of operations within each value is the program's, and functions are called as the
//! interpreter calls them.

mod allocate;
mod assemble;
mod call;
mod instruction;
mod layout;
mod plan;
#[cfg(test)]
mod proof;
mod uses;

use crate::choice::Options;
use crate::kernel::Kernel;
use crate::refusal::Refusal;
use allocate::{Stage, allocate};
use assemble::Assembler;
use call::{Executable, Run};
use layout::Layout;
use plan::Plan;
use rotule_program::{
    Block, Externals, LengthError, Picks, Program, RegionStatus, Step, steps, verify,
};
use std::borrow::Borrow;
use uses::Uses;

/// A program as native code, with its memory.
#[derive(Debug)]
pub struct Native<P> {
    program: P,
    code: Executable,
    code_bytes: usize,
    setup: StageCode,
    body: StageCode,
    memory: Vec<f64>,
    base: usize,
    statuses: Vec<RegionStatus>,
    /// Whether some numbers of the outputs are never written and have to be cleared.
    zeros: bool,
}

/// One of the two stages.
#[derive(Debug)]
struct StageCode {
    /// Where its code begins.
    offset: usize,
    /// Its regions, each with the place of its counters.
    regions: Vec<(usize, std::ops::Range<usize>)>,
}

/// Bytes of code and of memory beyond which distances might not fit into 32 bits.
const LARGEST: u64 = 1 << 30;

impl<P: Borrow<Program>> Native<P> {
    /// Makes a program ready. Refuses one that is not valid, machines of another kind, and programs so
    /// large that 32-bit distances do not reach.
    pub fn new(owner: P, options: Options) -> Result<Native<P>, Refusal> {
        available()?;
        let program: &Program = owner.borrow();
        let Written { bytes, setup, body, layout, cells, .. } = write(program, options)?;
        let code = Executable::new(&bytes).map_err(|error| {
            Refusal::Unavailable(format!(
                "this system gives no memory for native code ({error}); use the interpreter"
            ))
        })?;
        let statuses = vec![RegionStatus::default(); program.regions().len()];
        let zeros = layout.has_zeros(program);
        Ok(Native {
            program: owner,
            code,
            code_bytes: bytes.len(),
            setup,
            body,
            memory: vec![f64::NAN; cells + 1],
            base: layout.base(),
            statuses,
            zeros,
        })
    }

    /// How many bytes of machine code and constants there are.
    pub fn code_bytes(&self) -> usize {
        self.code_bytes
    }

    fn check(&self, inputs: &[f64]) -> Result<(), LengthError> {
        let (found, expected) = (inputs.len(), self.program.borrow().inputs().len());
        if found == expected { Ok(()) } else { Err(LengthError::Inputs { found, expected }) }
    }

    /// Runs a stage. Lengths have been checked.
    fn run(
        &mut self,
        stage: Stage,
        inputs: &[f64],
        outputs: &mut [f64],
        externals: &mut dyn Externals,
    ) {
        let stage = if stage == Stage::Setup { &self.setup } else { &self.body };
        let (memory, statuses) = (&mut self.memory, &mut self.statuses);
        for (_, cells) in &stage.regions {
            memory[cells.clone()].fill(0.0);
        }
        let (program, base) = (self.program.borrow(), self.base);
        self.code.run(stage.offset, Run { program, memory, base, inputs, outputs, externals });
        for (region, cells) in &stage.regions {
            let cell = |k: usize| memory[cells.start + k].to_bits();
            statuses[*region] = RegionStatus {
                runs: cell(0),
                failures: cell(1),
                iterations: cell(2),
                last: cell(3) as u32,
            };
        }
    }
}

/// A program as bytes, not yet executable.
struct Written {
    bytes: Vec<u8>,
    setup: StageCode,
    body: StageCode,
    layout: Layout,
    /// How many numbers the kernel's memory holds.
    cells: usize,
    #[cfg(test)]
    record: Vec<(u64, iced_x86::Instruction)>,
}

/// Writes a program as bytes.
fn write(program: &Program, options: Options) -> Result<Written, Refusal> {
    verify(program).map_err(Refusal::Invalid)?;
    let picks = Picks::of(program);
    let uses = Uses::of(program, &picks, options.fuse);
    let layout = Layout::of(program, &uses);
    let addresses = call::addresses();
    let mut assembler = Assembler::new(program, &layout, &addresses);
    let mut slots = 0;
    let mut stage = |block, kind| {
        let plan = Plan::of(program, &picks, &uses, block);
        let allocation = allocate(program, &picks, &uses, &layout, &plan, kind);
        slots = slots.max(allocation.slots);
        StageCode {
            offset: assembler.stage(&allocation.instructions) as usize,
            regions: regions(program, &layout, block),
        }
    };
    let setup = stage(Block::Setup, Stage::Setup);
    let body = stage(Block::Body, Stage::Body);
    let cells = layout.len(slots);
    if assembler.len().max(8 * cells as u64) > LARGEST {
        return Err(Refusal::Unavailable(format!(
            "native code for {} values would be larger than {LARGEST} bytes; use the interpreter",
            program.len()
        )));
    }
    #[cfg(test)]
    let record = std::mem::take(&mut assembler.record);
    let bytes = assembler.finish().map_err(|error| {
        Refusal::Unavailable(format!("an instruction could not be encoded: {error}"))
    })?;
    Ok(Written {
        bytes,
        setup,
        body,
        layout,
        cells,
        #[cfg(test)]
        record,
    })
}

/// Whether this machine can run what is written here.
pub fn available() -> Result<(), Refusal> {
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        return Ok(());
    }
    Err(Refusal::Unavailable(
        "native code needs a processor with AVX2 and FMA; use the interpreter".into(),
    ))
}

fn regions(
    program: &Program,
    layout: &Layout,
    block: Block,
) -> Vec<(usize, std::ops::Range<usize>)> {
    let entered = steps(program, block).filter_map(|step| match step {
        Step::Enter(_, region) => Some((region.index(), layout.region(region.index()))),
        _ => None,
    });
    entered.collect()
}

impl<P: Borrow<Program> + Send> Kernel for Native<P> {
    fn program(&self) -> &Program {
        self.program.borrow()
    }

    fn name(&self) -> &'static str {
        "native"
    }

    fn setup(&mut self, inputs: &[f64], externals: &mut dyn Externals) -> Result<(), LengthError> {
        self.check(inputs)?;
        self.run(Stage::Setup, inputs, &mut [], externals);
        Ok(())
    }

    fn evaluate(
        &mut self,
        inputs: &[f64],
        outputs: &mut [f64],
        externals: &mut dyn Externals,
    ) -> Result<(), LengthError> {
        self.check(inputs)?;
        let (found, expected) = (outputs.len(), self.program.borrow().output_len());
        if found != expected {
            return Err(LengthError::Outputs { found, expected });
        }
        if self.zeros {
            outputs.fill(0.0);
        }
        self.run(Stage::Body, inputs, outputs, externals);
        Ok(())
    }

    fn regions(&self) -> &[RegionStatus] {
        &self.statuses
    }
}
