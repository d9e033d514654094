//! Kernels: programs ready to run.

use rotule_program::{Externals, LengthError, Program, RegionStatus};

/// A program ready to run, with all the memory that it needs.
///
/// Inputs and outputs are those of [`Interpreter`](rotule_program::Interpreter): one number for
/// each input, every output dense by rows, one after the other.
pub trait ProgramKernel: Send {
    /// The program that is run.
    fn program(&self) -> &Program;

    /// The kind of kernel, in a word.
    fn name(&self) -> &'static str;

    /// The reason why it is not a faster kind, if one was tried without success.
    fn reason(&self) -> Option<&str> {
        None
    }

    /// Runs `setup`, once before the first evaluation and after every change of a parameter. Of the
    /// inputs only the parameters are read.
    fn setup(&mut self, inputs: &[f64], externals: &mut dyn Externals) -> Result<(), LengthError>;

    /// Runs `body` and writes every output. Parameters must be those of the last `setup`.
    fn evaluate(
        &mut self,
        inputs: &[f64],
        outputs: &mut [f64],
        externals: &mut dyn Externals,
    ) -> Result<(), LengthError>;

    /// The status of each region in the last setup and the last evaluation, by region.
    fn regions(&self) -> &[RegionStatus];

    /// Returns `true` if every region converged.
    fn converged(&self) -> bool {
        self.regions().iter().all(|status| status.failures == 0)
    }
}
