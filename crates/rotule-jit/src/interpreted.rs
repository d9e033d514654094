//! The interpreter as a kernel: runs everywhere, at once, and is what the others are compared with.

use crate::kernel::ProgramKernel;
use rotule_program::{
    Externals, Interpreter, LengthError, Program, ProgramError, RegionStatus, Workspace,
};
use std::borrow::Borrow;

/// The interpreter with its workspace.
#[derive(Clone, Debug)]
pub struct Interpreted<P> {
    interpreter: Interpreter<P>,
    workspace: Workspace,
    reason: Option<String>,
}

impl<P: Borrow<Program>> Interpreted<P> {
    /// Makes a program ready; refuses one that is not valid.
    pub fn new(program: P) -> Result<Interpreted<P>, Vec<ProgramError>> {
        let interpreter = Interpreter::new(program)?;
        let workspace = interpreter.workspace();
        Ok(Interpreted { interpreter, workspace, reason: None })
    }

    /// The same, with the reason for which nothing faster was taken.
    pub fn because(self, reason: String) -> Interpreted<P> {
        Interpreted { reason: Some(reason), ..self }
    }
}

impl<P: Borrow<Program> + Send> ProgramKernel for Interpreted<P> {
    fn program(&self) -> &Program {
        self.interpreter.program()
    }

    fn name(&self) -> &'static str {
        "interpreter"
    }

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn setup(&mut self, inputs: &[f64], externals: &mut dyn Externals) -> Result<(), LengthError> {
        self.interpreter.setup(&mut self.workspace, inputs, externals)
    }

    fn evaluate(
        &mut self,
        inputs: &[f64],
        outputs: &mut [f64],
        externals: &mut dyn Externals,
    ) -> Result<(), LengthError> {
        self.interpreter.evaluate(&mut self.workspace, inputs, outputs, externals)
    }

    fn regions(&self) -> &[RegionStatus] {
        self.workspace.regions()
    }
}
