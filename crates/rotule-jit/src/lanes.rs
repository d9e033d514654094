//! Programs over several states at once: what runs them, and which one is taken.
//!
//! States lie side by side: all numbers of the first input, one for each state, then those of the
//! second, and so on; outputs likewise. Every state gets the numbers that it would get alone, bit
//! by bit.

mod interpreted;
mod one;

pub use interpreted::InterpretedLanes;
pub(crate) use one::OneLane;

use crate::error::KernelError;
use crate::selection::{KernelKind, KernelOptions, Way, taken};
use rotule_program::{Externals, LengthError, Program, RegionStatus};
use std::borrow::Borrow;

/// A program ready to run over several states at once, with all the memory that it needs.
pub trait Lanes: Send {
    /// The program that is run.
    fn program(&self) -> &Program;

    /// The kind of kernel, in a word.
    fn name(&self) -> &'static str;

    /// The reason why it is not a faster kind, if one was tried without success.
    fn reason(&self) -> Option<&str> {
        None
    }

    /// Number of states.
    fn width(&self) -> usize;

    /// Runs `setup`, once before the first evaluation and after every change of a parameter. Of the
    /// inputs only the parameters are read; each state has its own.
    fn setup(&mut self, inputs: &[f64], externals: &mut dyn Externals) -> Result<(), LengthError>;

    /// Runs `body` and writes every output. Parameters must be those of the last `setup`. Foreign
    /// functions are called for one state after the other.
    fn evaluate(
        &mut self,
        inputs: &[f64],
        outputs: &mut [f64],
        externals: &mut dyn Externals,
    ) -> Result<(), LengthError>;

    /// The status of each region for one state in the last setup and the last evaluation, by
    /// region.
    fn regions(&self, lane: usize) -> &[RegionStatus];

    /// Returns `true` if every region converged for one state.
    fn converged(&self, lane: usize) -> bool {
        self.regions(lane).iter().all(|status| status.failures == 0)
    }
}

/// A kernel over several states for a program, borrowed or shared: native code or the interpreter;
/// a library of the C compiler serves one state only.
pub fn lanes<'a, P: Borrow<Program> + Clone + Send + 'a>(
    program: P,
    choice: KernelKind,
    options: KernelOptions,
) -> Result<Box<dyn Lanes + 'a>, KernelError> {
    taken(choice, |way| match way {
        Way::Interpreter(reason) => interpreter(program.clone(), reason),
        Way::Native => native(program.clone(), options),
        Way::Compiled => Err(KernelError::Unavailable(
            "a compiled library runs one state at a time; use native code".into(),
        )),
    })
}

fn interpreter<'a, P: Borrow<Program> + Send + 'a>(
    program: P,
    reason: Option<String>,
) -> Result<Box<dyn Lanes + 'a>, KernelError> {
    let interpreted = InterpretedLanes::new(program).map_err(KernelError::Invalid)?;
    Ok(Box::new(match reason {
        Some(reason) => interpreted.because(reason),
        None => interpreted,
    }))
}

#[cfg(all(feature = "native", target_arch = "x86_64"))]
fn native<'a, P: Borrow<Program> + Send + 'a>(
    program: P,
    options: KernelOptions,
) -> Result<Box<dyn Lanes + 'a>, KernelError> {
    Ok(Box::new(crate::native::NativeLanes::new(program, options)?))
}

#[cfg(not(all(feature = "native", target_arch = "x86_64")))]
fn native<'a, P: Borrow<Program> + Send + 'a>(
    _: P,
    _: KernelOptions,
) -> Result<Box<dyn Lanes + 'a>, KernelError> {
    Err(crate::selection::no_native())
}
