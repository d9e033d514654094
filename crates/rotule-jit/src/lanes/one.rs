//! A kernel for one state where several are taken at once, each block of them being one.

use super::Lanes;
use crate::kernel::ProgramKernel;
use rotule_program::{Externals, LengthError, Program, RegionStatus};

/// A kernel as a block of one state.
pub(crate) struct OneLane<'a>(pub Box<dyn ProgramKernel + 'a>);

impl Lanes for OneLane<'_> {
    fn program(&self) -> &Program {
        self.0.program()
    }

    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn reason(&self) -> Option<&str> {
        self.0.reason()
    }

    fn width(&self) -> usize {
        1
    }

    fn setup(&mut self, inputs: &[f64], externals: &mut dyn Externals) -> Result<(), LengthError> {
        self.0.setup(inputs, externals)
    }

    fn evaluate(
        &mut self,
        inputs: &[f64],
        outputs: &mut [f64],
        externals: &mut dyn Externals,
    ) -> Result<(), LengthError> {
        self.0.evaluate(inputs, outputs, externals)
    }

    fn regions(&self, _: usize) -> &[RegionStatus] {
        self.0.regions()
    }
}
