//! A program as a library that the machine's C compiler makes, for runs that last.
//!
//! ```text
//! program --rotule-emit--> C --cc, cache--> library --load--> run
//! ```
//!
//! It takes seconds where native code takes milliseconds, once: the library is kept for the next
//! run. Without fused operations the numbers are those of the interpreter but for the functions of
//! the C library, which round nearly always alike.

mod compiler;
mod foreign;
mod kept;
mod load;

pub use foreign::{
    CompiledSource, UserFunction, UserLibrary, UserLibraryError, compile_source, compile_texts,
};

use crate::cache;
use crate::error::KernelError;
use crate::kernel::{ProgramKernel, RunCheck};
use crate::selection::KernelOptions;
use compiler::Compiler;
use load::Loaded;
use rotule_emit::{Shared, shared};
use rotule_program::group::merge;
use rotule_program::{
    Block, Externals, LengthError, Operation, Program, RegionStatus, Step, steps, verify,
};
use std::borrow::Borrow;

/// Numbers that a stage may keep on the stack, of which a thread often has 2 MB.
const STACK: usize = 1 << 16;

/// A program as a compiled library, with its memory.
#[derive(Debug)]
pub struct Compiled<P> {
    program: P,
    loaded: Loaded,
    constants: Vec<f64>,
    /// For each region that is not inside of another one its iterations and whether it converged.
    ends: Vec<f64>,
    /// The regions of `ends`; those of `setup` come first.
    outer: Vec<usize>,
    /// Number of them that run in `setup`.
    early: usize,
    /// A region inside of another one, by stage: failures of all those are told together.
    inner: [Option<usize>; 2],
    /// Number of regions that failed in `setup`.
    failed: i32,
    statuses: Vec<RegionStatus>,
}

impl<P: Borrow<Program>> Compiled<P> {
    /// Makes a program ready. Refuses one that is not valid, and machines without a compiler or
    /// without a folder where libraries are safe.
    pub fn new(owner: P, options: KernelOptions) -> Result<Compiled<P>, KernelError> {
        let program: &Program = owner.borrow();
        verify(program).map_err(KernelError::Invalid)?;
        let unavailable = |reason: String| {
            KernelError::Unavailable(format!("{reason}; use native code or the interpreter"))
        };
        let compiler = Compiler::find().map_err(unavailable)?;
        // A library has two entries, so that each evaluation computes all.
        let mut merged = program.clone();
        merge(&mut merged);
        let Shared { text, constants, work, regions } =
            shared(&merged).map_err(|problem| unavailable(problem.message))?;
        if work > STACK {
            let message = format!("compiled code would keep {work} numbers on the stack");
            return Err(unavailable(message));
        }
        let text = compiler.origin(options) + &text;
        let root = cache::folder().map_err(unavailable)?;
        let make = |folder: &std::path::Path| {
            compiler.compile(folder, kept::SOURCE, kept::LIBRARY, options)
        };
        let load = |path: &std::path::Path| {
            Loaded::new(path).map_err(|error| format!("the library cannot be loaded: {error}"))
        };
        let loaded = kept::library(&root, &text, make, load).map_err(unavailable)?;
        let outer: Vec<usize> = regions.iter().map(|region| region.index()).collect();
        let is_region = |value: &&_| matches!(program.operation(**value), Operation::Region(_));
        let early = program.block(Block::Setup).iter().filter(is_region).count();
        let mut is_outer = vec![false; program.regions().len()];
        outer.iter().for_each(|&region| is_outer[region] = true);
        let inner = [Block::Setup, Block::Body].map(|block| {
            let entered = steps(&merged, block).filter_map(|step| match step {
                Step::Enter(_, region) => Some(region.index()),
                _ => None,
            });
            entered.into_iter().find(|&region| !is_outer[region])
        });
        let statuses = vec![RegionStatus::default(); program.regions().len()];
        let ends = vec![0.0; 2 * outer.len()];
        let constants = vec![f64::NAN; constants];
        Ok(Compiled {
            program: owner,
            loaded,
            constants,
            ends,
            outer,
            early,
            inner,
            failed: 0,
            statuses,
        })
    }

    fn check(&self, inputs: &[f64]) -> Result<(), LengthError> {
        let (found, expected) = (inputs.len(), self.program.borrow().inputs().len());
        if found == expected { Ok(()) } else { Err(LengthError::Inputs { found, expected }) }
    }

    /// Failures beyond those of regions that are told one by one.
    fn rest(&mut self, stage: usize, failures: i32, told: u64) {
        if let Some(region) = self.inner[stage] {
            let failures = u64::from(failures.unsigned_abs()).saturating_sub(told);
            self.statuses[region] = RegionStatus { failures, ..RegionStatus::default() };
        }
    }
}

impl<P: Borrow<Program> + Send> ProgramKernel for Compiled<P> {
    fn program(&self) -> &Program {
        self.program.borrow()
    }

    fn name(&self) -> &'static str {
        "compiled"
    }

    fn setup(&mut self, inputs: &[f64], calls: &mut dyn Externals) -> RunCheck {
        self.check(inputs)?;
        let program = self.program.borrow();
        let failures = self.loaded.setup(program, inputs, &mut self.constants, calls);
        self.failed = failures;
        // Until an evaluation gives the ends, no more is known than how many failed.
        for (at, &region) in self.outer[..self.early].iter().enumerate() {
            let failures = if at == 0 { u64::from(failures.unsigned_abs()) } else { 0 };
            self.statuses[region] = RegionStatus { runs: 1, failures, ..RegionStatus::default() };
        }
        Ok(())
    }

    fn update(&mut self, inputs: &[f64], _: &mut dyn Externals) -> RunCheck {
        self.check(inputs)
    }

    fn evaluate(&mut self, inputs: &[f64], out: &mut [f64], calls: &mut dyn Externals) -> RunCheck {
        self.check(inputs)?;
        let program = self.program.borrow();
        let (found, expected) = (out.len(), program.output_len());
        if found != expected {
            return Err(LengthError::Outputs { found, expected });
        }
        let written = (out, &mut self.ends[..]);
        let failures = self.loaded.evaluate(program, inputs, &self.constants, written, calls);
        let mut told = [0, 0];
        for (at, &region) in self.outer.iter().enumerate() {
            let (iterations, failed) = (self.ends[2 * at] as u64, self.ends[2 * at + 1] != 1.0);
            self.statuses[region] = RegionStatus {
                runs: 1,
                failures: u64::from(failed),
                iterations,
                last: iterations as u32,
            };
            told[usize::from(at >= self.early)] += u64::from(failed);
        }
        self.rest(0, self.failed, told[0]);
        self.rest(1, failures, told[1]);
        Ok(())
    }

    fn regions(&self, _: usize) -> &[RegionStatus] {
        &self.statuses
    }
}
