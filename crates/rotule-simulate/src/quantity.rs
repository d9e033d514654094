//! A function of a mechanism, ready to be evaluated at points of a motion.

use crate::inputs::{InputPoint, Inputs};
use rotule_formalism::{ModelFunction, Problem, Tree, generate};
use rotule_jit::{KernelKind, KernelOptions, ProgramKernel, kernel};
use rotule_program::{Externals, Program};
use rotule_symbolic::elementary::exp2;
use std::sync::Arc;

/// A function as a kernel, with its inputs and outputs.
pub struct EvaluatedFunction {
    kernel: Box<dyn ProgramKernel>,
    inputs: Inputs,
    outputs: Vec<f64>,
    /// Where each output begins; one more for the end.
    starts: Vec<usize>,
    /// The requested kernel.
    choice: KernelKind,
    /// Number of times that the tolerance of loops was doubled.
    doubled: u32,
}

/// Results are the same on every machine, whatever runs the program.
const OPTIONS: KernelOptions = KernelOptions { fuse: false };

impl EvaluatedFunction {
    /// The function of a name, as fast as can be.
    pub fn new(tree: &Tree, function: &str) -> Result<EvaluatedFunction, Problem> {
        EvaluatedFunction::run_by(KernelKind::Auto, tree, function)
    }

    /// The function of a name, run by a kernel that was asked for.
    pub fn run_by(
        choice: KernelKind,
        tree: &Tree,
        function: &str,
    ) -> Result<EvaluatedFunction, Problem> {
        let function = ModelFunction::parse(function, tree)?;
        let program = generate(tree, &function, None)?.program;
        EvaluatedFunction::of(tree, program, choice)
    }

    /// A program of a mechanism.
    pub fn of(
        tree: &Tree,
        program: Program,
        choice: KernelKind,
    ) -> Result<EvaluatedFunction, Problem> {
        let name = program.name().to_owned();
        let missing = |input: String| Problem::new(format!("`{name}` needs `{input}`"), "");
        let inputs = Inputs::of(tree, &program).map_err(missing)?;
        let mut starts = vec![0];
        for output in program.outputs() {
            starts.push(starts[starts.len() - 1] + output.dense_len() as usize);
        }
        let outputs = vec![f64::NAN; program.output_len()];
        let kernel = kernel(Arc::new(program), choice, OPTIONS)
            .map_err(|refusal| Problem::new(format!("`{name}`: {refusal}"), ""))?;
        Ok(EvaluatedFunction { kernel, inputs, outputs, starts, choice, doubled: 0 })
    }

    /// Closes loops to a tolerance that was doubled so often. Outputs stay those of the last
    /// evaluation.
    pub(crate) fn loosen(
        &mut self,
        doubled: u32,
        point: &InputPoint,
        externals: &mut dyn Externals,
    ) {
        if doubled <= self.doubled {
            return;
        }
        let factor = exp2(f64::from(doubled - self.doubled));
        self.doubled = doubled;
        if !self.program().regions().iter().any(|region| is_closure(&region.name)) {
            return;
        }
        let program = self.program().loosened(factor, is_closure);
        // A kernel that cannot be made any more leaves the one that there is.
        if let Ok(kernel) = kernel(Arc::new(program), self.choice, OPTIONS) {
            self.kernel = kernel;
            self.setup(point, externals);
        }
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.kernel.program()
    }

    /// The name of the kernel that runs it.
    pub fn kernel(&self) -> &'static str {
        self.kernel.name()
    }

    /// Takes over parameters.
    pub fn setup(&mut self, point: &InputPoint, externals: &mut dyn Externals) {
        let done = self.kernel.setup(self.inputs.at(point), externals);
        done.expect("there are as many inputs as the program has");
    }

    /// Computes the outputs at a point; false if an iteration did not converge.
    pub fn evaluate(&mut self, point: &InputPoint, externals: &mut dyn Externals) -> bool {
        let done = self.kernel.evaluate(self.inputs.at(point), &mut self.outputs, externals);
        done.expect("inputs and outputs are as many as the program has");
        self.kernel.converged()
    }

    /// An output of the last evaluation, by its position.
    pub fn output(&self, at: usize) -> &[f64] {
        &self.outputs[self.starts[at]..self.starts[at + 1]]
    }

    /// All outputs of the last evaluation.
    pub fn outputs(&self) -> &[f64] {
        &self.outputs
    }

    /// The name of an iteration that did not converge in the last evaluation.
    pub fn open_region(&self) -> Option<String> {
        let failed = self.kernel.regions().iter().position(|status| status.failures > 0)?;
        Some(self.program().regions()[failed].name.clone())
    }

    /// The names of all iterations that did not converge in the last evaluation.
    fn open_regions(&self) -> impl Iterator<Item = &str> {
        let regions = self.kernel.regions().iter().zip(self.program().regions());
        regions.filter(|(status, _)| status.failures > 0).map(|(_, region)| region.name.as_str())
    }

    /// Returns `true` if nothing but the closing of loops did not converge in the last evaluation.
    pub(crate) fn only_loops_open(&self) -> bool {
        self.open_regions().all(is_closure)
    }

    /// Iterations of the last evaluation: the largest of any region.
    pub fn iterations(&self) -> u64 {
        self.kernel.regions().iter().map(|status| status.iterations).max().unwrap_or(0)
    }
}

/// Returns `true` if a region closes a loop, by its name.
fn is_closure(region: &str) -> bool {
    region.starts_with("closure")
}
