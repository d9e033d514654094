//! A function of a mechanism, ready to be evaluated at points of one motion or of several in lanes.

use crate::inputs::{InputPoint, Inputs};
use rotule_formalism::{ModelFunction, MultibodySystem, Problem};
use rotule_jit::{KernelError, KernelKind, KernelOptions, ProgramKernel, kernel, lanes};
use rotule_numeric::generate;
use rotule_program::{Externals, Program, Region, RegionRole, group};
use rotule_symbolic::elementary::exp2;
use std::ops::Range;
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
    pub fn new(tree: &MultibodySystem, function: &str) -> Result<EvaluatedFunction, Problem> {
        EvaluatedFunction::run_by(KernelKind::Auto, tree, function)
    }

    /// The function of a name, run by a kernel of a kind.
    pub fn run_by(
        choice: KernelKind,
        tree: &MultibodySystem,
        function: &str,
    ) -> Result<EvaluatedFunction, Problem> {
        let function = ModelFunction::parse(function, tree)?;
        let program = generate(tree, &function, None)?.program;
        EvaluatedFunction::of(tree, program, choice)
    }

    /// The first outputs of a function, by their positions.
    pub(crate) fn outputs_of<const N: usize>(
        tree: &MultibodySystem,
        function: &str,
        outputs: [usize; N],
    ) -> Result<EvaluatedFunction, Problem> {
        let function = ModelFunction::parse(function, tree)?;
        let program = generate(tree, &function, None)?.program;
        let kinds = function.inputs(tree);
        EvaluatedFunction::of(tree, group::part(&program, &outputs, &kinds), KernelKind::Auto)
    }

    /// A program of a mechanism.
    pub fn of(
        tree: &MultibodySystem,
        program: Program,
        choice: KernelKind,
    ) -> Result<EvaluatedFunction, Problem> {
        let program = Arc::new(program);
        let kernel = kernel(Arc::clone(&program), choice, OPTIONS);
        EvaluatedFunction::made(tree, &program, choice, kernel)
    }

    /// A program of a mechanism, for several motions in lanes.
    pub fn lanes(
        tree: &MultibodySystem,
        program: &Arc<Program>,
    ) -> Result<EvaluatedFunction, Problem> {
        let choice = KernelKind::Auto;
        let kernel = lanes(Arc::clone(program), choice, OPTIONS);
        EvaluatedFunction::made(tree, program, choice, kernel)
    }

    fn made(
        tree: &MultibodySystem,
        program: &Program,
        choice: KernelKind,
        kernel: Result<Box<dyn ProgramKernel>, KernelError>,
    ) -> Result<EvaluatedFunction, Problem> {
        let name = program.name();
        let kernel = kernel.map_err(|refusal| Problem::new(format!("`{name}`: {refusal}"), ""))?;
        let width = kernel.width();
        assert!(matches!(width, 1 | 4 | 8), "kernels have one lane, four or eight");
        let missing = |input: String| Problem::new(format!("`{name}` needs `{input}`"), "");
        let inputs = Inputs::of(tree, program, width).map_err(missing)?;
        let mut starts = vec![0];
        for output in program.outputs() {
            starts.push(starts[starts.len() - 1] + width * output.dense_len() as usize);
        }
        let outputs = vec![f64::NAN; width * program.output_len()];
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
        if !self.program().regions().iter().any(closes_loop) {
            return;
        }
        let program = self.program().loosened(factor, RegionRole::LoopClosure);
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

    /// Number of motions.
    pub fn width(&self) -> usize {
        self.kernel.width()
    }

    /// The name of the kernel that runs it.
    pub fn kernel(&self) -> &'static str {
        self.kernel.name()
    }

    /// Takes over parameters.
    pub fn setup(&mut self, point: &InputPoint, externals: &mut dyn Externals) {
        let done = self.kernel.setup(self.inputs.at(point, true), externals);
        done.expect("there are as many inputs as the program has");
    }

    /// Computes the outputs at a point; false if an iteration did not converge. In lanes,
    /// parameters are those of the last setup.
    pub fn evaluate(&mut self, point: &InputPoint, externals: &mut dyn Externals) -> bool {
        let numbers = self.inputs.at(point, self.kernel.width() == 1);
        let done = self.kernel.evaluate(numbers, &mut self.outputs, externals);
        done.expect("inputs and outputs are as many as the program has");
        (0..self.kernel.width()).all(|lane| self.kernel.converged(lane))
    }

    /// An output of the last evaluation, by its position: its first number for all motions, then
    /// the second, and so on.
    pub fn output(&self, at: usize) -> &[f64] {
        &self.outputs[self.starts[at]..self.starts[at + 1]]
    }

    /// Some outputs of the last evaluation that stand together.
    pub(crate) fn span(&self, outputs: Range<usize>) -> &[f64] {
        &self.outputs[self.starts[outputs.start]..self.starts[outputs.end]]
    }

    /// All outputs of the last evaluation.
    pub fn outputs(&self) -> &[f64] {
        &self.outputs
    }

    /// The name of an iteration that did not converge for one motion in the last evaluation.
    pub fn open_region(&self, lane: usize) -> Option<String> {
        let failed = self.kernel.regions(lane).iter().position(|status| status.failures > 0)?;
        Some(self.program().regions()[failed].name.clone())
    }

    /// All iterations that did not converge in the last evaluation.
    fn open_regions(&self) -> impl Iterator<Item = &Region> {
        let regions = self.kernel.regions(0).iter().zip(self.program().regions());
        regions.filter(|(status, _)| status.failures > 0).map(|(_, region)| region)
    }

    /// Returns `true` if nothing but the closing of loops did not converge in the last evaluation.
    pub(crate) fn only_loops_open(&self) -> bool {
        self.open_regions().all(closes_loop)
    }

    /// Iterations of the last evaluation: the largest of any region.
    pub fn iterations(&self) -> u64 {
        self.kernel.regions(0).iter().map(|status| status.iterations).max().unwrap_or(0)
    }
}

fn closes_loop(region: &Region) -> bool {
    region.role == RegionRole::LoopClosure
}
