//! Kernels: programs ready to run, over one state or over several in lanes.

use rotule_program::{Externals, LengthError, Program, RegionStatus};

/// The check of a run: an error if inputs or outputs are not as many as the program has.
pub type RunCheck = Result<(), LengthError>;

/// A program ready to run, with all the memory that it needs.
///
/// Inputs and outputs are those of [`Interpreter`](rotule_program::Interpreter): one number for
/// each input, every output dense by rows, one after the other. States of a kernel that is wider
/// than one lie side by side: all numbers of the first input, one for each state, then those of the
/// second, and so on; outputs likewise. Every state gets the numbers that it would get alone, bit
/// by bit.
pub trait ProgramKernel: Send {
    /// The program that is run.
    fn program(&self) -> &Program;

    /// The kind of kernel, in a word.
    fn name(&self) -> &'static str;

    /// The reason why it is not a faster kind, if one was tried without success.
    fn reason(&self) -> Option<&str> {
        None
    }

    /// Number of states.
    fn width(&self) -> usize {
        1
    }

    /// Runs `setup`, once before the first evaluation and after every change of a parameter. Of the
    /// inputs only the parameters are read; each state has its own.
    fn setup(&mut self, inputs: &[f64], calls: &mut dyn Externals) -> RunCheck;

    /// Runs `shared`, once per state: before the first evaluation at it. Parameters must be those
    /// of the last `setup`. Does nothing where the program has no such stage, and where the kernel
    /// runs it at each evaluation.
    fn update(&mut self, inputs: &[f64], calls: &mut dyn Externals) -> RunCheck;

    /// Runs `body` and writes every output. Parameters must be those of the last `setup`, and the
    /// state that of the last [`ProgramKernel::update`] if there is a stage `shared`. Foreign
    /// functions are called for one state after the other.
    fn evaluate(&mut self, inputs: &[f64], out: &mut [f64], calls: &mut dyn Externals) -> RunCheck;

    /// The status of each region for one state in the last setup and the last evaluation, by
    /// region.
    fn regions(&self, lane: usize) -> &[RegionStatus];

    /// Returns `true` if every region converged for one state.
    fn converged(&self, lane: usize) -> bool {
        self.regions(lane).iter().all(|status| status.failures == 0)
    }
}
