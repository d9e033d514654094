//! The interpreter as a kernel: runs everywhere, at once, and is what the others are compared with.

use crate::kernel::{ProgramKernel, RunCheck};
use rotule_program::{Externals, Interpreter, Program, ProgramError, RegionStatus, Workspace};
use std::borrow::Borrow;

/// The interpreter with its workspace.
#[derive(Clone, Debug)]
pub struct Interpreted<P> {
    interpreter: Interpreter<P>,
    workspace: Workspace,
    /// The reason for which nothing faster was taken, if there is one.
    pub reason: Option<String>,
}

impl<P: Borrow<Program>> Interpreted<P> {
    /// Makes a program ready; refuses one that is not valid.
    pub fn new(program: P) -> Result<Interpreted<P>, Vec<ProgramError>> {
        let interpreter = Interpreter::new(program)?;
        let workspace = interpreter.workspace();
        Ok(Interpreted { interpreter, workspace, reason: None })
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

    fn setup(&mut self, inputs: &[f64], calls: &mut dyn Externals) -> RunCheck {
        self.interpreter.setup(&mut self.workspace, inputs, calls)
    }

    fn update(&mut self, inputs: &[f64], calls: &mut dyn Externals) -> RunCheck {
        self.interpreter.update(&mut self.workspace, inputs, calls)
    }

    fn evaluate(&mut self, inputs: &[f64], out: &mut [f64], calls: &mut dyn Externals) -> RunCheck {
        self.interpreter.evaluate(&mut self.workspace, inputs, out, calls)
    }

    fn regions(&self, _: usize) -> &[RegionStatus] {
        self.workspace.regions()
    }
}
