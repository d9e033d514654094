//! The interpreter: runs a program in double precision, exactly in the order of its statements.
//!
//! It is the meaning of a program. Compiled code is compared with it bit by bit, so nothing here
//! reorders, contracts or skips. The program stays untouched; all that changes lies in a
//! [`Workspace`], and evaluating allocates nothing.

use crate::counts::OperationTally;
use crate::error::ProgramError;
use crate::index::{RegionId, Value};
use crate::operation::Operation;
use crate::picks::Picks;
use crate::program::{Block, ForeignSignature, Program, RegionResult};
use crate::verify::verify;
use crate::walk::{Step, steps};
use rotule_symbolic::{ForeignCode, Kind};
use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// The foreign functions that a program may call.
pub trait Externals {
    /// Computes the results of one call. The lengths are those that the function declares.
    fn call(&mut self, function: &ForeignSignature, arguments: &[f64], results: &mut [f64]);
}

/// No foreign functions: every result is NaN.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoExternals;

impl Externals for NoExternals {
    fn call(&mut self, _: &ForeignSignature, _: &[f64], results: &mut [f64]) {
        results.fill(f64::NAN);
    }
}

/// The foreign functions of a program by the code that a graph has of them; what has none is NaN.
#[derive(Clone)]
pub struct SuppliedCode<'p> {
    /// The program.
    pub program: &'p Program,
    /// The code.
    pub code: Option<Arc<dyn ForeignCode>>,
}

impl Externals for SuppliedCode<'_> {
    fn call(&mut self, function: &ForeignSignature, arguments: &[f64], results: &mut [f64]) {
        let (mut base, mut directions) = (function, Vec::new());
        while let Some(partner) = base.derivative_of {
            directions.insert(0, partner.directions as usize);
            base = self.program.get_function(partner.of);
        }
        match self.code.as_ref().filter(|code| code.knows(&base.name)) {
            Some(code) => code.call(&base.name, &directions, arguments, results),
            None => results.fill(f64::NAN),
        }
    }
}

/// A slice that is not as long as the program needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are the numbers that the message shows")]
#[non_exhaustive]
pub enum LengthError {
    /// The inputs.
    Inputs { found: usize, expected: usize },
    /// The outputs.
    Outputs { found: usize, expected: usize },
    /// The workspace belongs to another program.
    Workspace { found: usize, expected: usize },
}

impl fmt::Display for LengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, found, expected) = match self {
            LengthError::Inputs { found, expected } => ("inputs", found, expected),
            LengthError::Outputs { found, expected } => {
                ("numbers for the outputs", found, expected)
            }
            LengthError::Workspace { found, expected } => {
                ("values in the workspace", found, expected)
            }
        };
        write!(f, "found {found} {what}, expected {expected}")
    }
}

impl std::error::Error for LengthError {}

/// The end of a region: whether it converged, and after how many updates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionStatus {
    /// Number of times that the region ran since its stage began; more than once only inside
    /// another region.
    pub runs: u64,
    /// Number of these runs that did not converge.
    pub failures: u64,
    /// Iterations of all these runs.
    pub iterations: u64,
    /// Iterations of the last run.
    pub last: u32,
}

/// Work since the workspace was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExecutionWork {
    /// Operations that are not free, as [`OperationTally::operations`] counts them.
    pub operations: u64,
    /// Updates of the state of any region.
    pub iterations: u64,
    /// Calls of external functions.
    pub calls: u64,
}

/// Everything that changes while a program runs.
#[derive(Clone, Debug)]
pub struct Workspace {
    values: Vec<f64>,
    arguments: Vec<f64>,
    results: Vec<f64>,
    regions: Vec<RegionStatus>,
    work: ExecutionWork,
    /// Updates of region states after which every region stops without convergence, for programs
    /// from an untrusted source. Counted since the workspace was made, like
    /// [`ExecutionWork::iterations`].
    pub iteration_budget: u64,
}

impl Workspace {
    /// The number that a value had when it was last computed, NaN before; 0 for tuples.
    pub fn value(&self, value: Value) -> f64 {
        self.values[value.index()]
    }

    /// The status of each region, by [`RegionId`].
    pub fn regions(&self) -> &[RegionStatus] {
        &self.regions
    }

    /// Returns `true` if no run of any region failed to converge, in the last setup and the last
    /// evaluation.
    pub fn converged(&self) -> bool {
        self.failed().next().is_none()
    }

    /// The regions that did not always converge.
    pub fn failed(&self) -> impl Iterator<Item = (RegionId, &RegionStatus)> {
        let failed = self.regions.iter().enumerate().filter(|(_, status)| status.failures > 0);
        failed.map(|(k, status)| (RegionId::new(k), status))
    }

    /// Work since the workspace was made.
    pub fn work(&self) -> ExecutionWork {
        self.work
    }
}

/// A program made ready to be run, borrowed or owned.
#[derive(Clone, Debug)]
pub struct Interpreter<P> {
    program: P,
    picks: Picks,
    /// Regions and operations of each stage, in the order of [`Block::STAGES`].
    stages: [(Vec<RegionId>, OperationTally); Block::STAGES.len()],
    region_tallies: Vec<OperationTally>,
    widest_call: (usize, usize),
}

impl<P: Borrow<Program>> Interpreter<P> {
    /// Makes a program ready; refuses one that is not valid.
    pub fn new(owner: P) -> Result<Interpreter<P>, Vec<ProgramError>> {
        let program: &Program = owner.borrow();
        verify(program)?;
        let regions_in = |block| {
            let regions = steps(program, block).filter_map(|step| match step {
                Step::Enter(_, region) => Some(region),
                _ => None,
            });
            regions.collect()
        };
        let tally = |block: &[Value]| {
            let mut tally = OperationTally::default();
            block.iter().for_each(|&value| tally.add(program.operation(value)));
            tally
        };
        let functions = program.functions();
        let most =
            |width: fn(&ForeignSignature) -> u32| functions.iter().map(width).max().unwrap_or(0);
        let states = program.regions().iter().map(|region| region.states.len()).max().unwrap_or(0);
        let picks = Picks::of(program);
        let stages = Block::STAGES.map(|block| (regions_in(block), tally(program.block(block))));
        let region_tallies = program.regions().iter().map(|region| tally(&region.block)).collect();
        // The states of a region are updated all at once, by way of the same scratch.
        let widest_call = (
            most(|function| function.arguments) as usize,
            (most(|function| function.results) as usize).max(states),
        );
        Ok(Interpreter { program: owner, picks, stages, region_tallies, widest_call })
    }

    /// The program that is run.
    pub fn program(&self) -> &Program {
        self.program.borrow()
    }

    /// A fresh workspace: every number is NaN until it is computed.
    pub fn workspace(&self) -> Workspace {
        let values = self.program().operations.iter().map(|&operation| match operation {
            Operation::Constant(number) => number,
            operation if operation.is_tuple() => 0.0,
            _ => f64::NAN,
        });
        Workspace {
            values: values.collect(),
            arguments: vec![0.0; self.widest_call.0],
            results: vec![0.0; self.widest_call.1],
            regions: vec![RegionStatus::default(); self.program().regions().len()],
            work: ExecutionWork::default(),
            iteration_budget: u64::MAX,
        }
    }

    /// Runs `setup`. Of the inputs, one number each, only the parameters are read.
    pub fn setup(
        &self,
        workspace: &mut Workspace,
        inputs: &[f64],
        externals: &mut dyn Externals,
    ) -> Result<(), LengthError> {
        self.check(workspace, inputs)?;
        self.stage(Block::Setup, workspace, inputs, externals);
        Ok(())
    }

    /// Runs `shared`, which [`Interpreter::evaluate`] takes its numbers from: once per state.
    /// Parameters must be those of the last `setup`. Programs without that stage do nothing.
    pub fn update(
        &self,
        workspace: &mut Workspace,
        inputs: &[f64],
        externals: &mut dyn Externals,
    ) -> Result<(), LengthError> {
        self.check(workspace, inputs)?;
        self.stage(Block::Shared, workspace, inputs, externals);
        Ok(())
    }

    /// Reads the inputs of a stage and runs it.
    fn stage(
        &self,
        stage: Block,
        workspace: &mut Workspace,
        inputs: &[f64],
        externals: &mut dyn Externals,
    ) {
        let at = Block::STAGES.iter().position(|&block| block == stage);
        let (regions, tally) = &self.stages[at.expect("every stage is in the list of stages")];
        self.read(workspace, inputs, |kind| stage.may_read(kind));
        self.reset(workspace, regions);
        self.run(workspace, self.program().block(stage), *tally, externals);
    }

    /// Runs `body` and writes every output densely, by rows, one after the other as
    /// [`Program::output_range`] says. Parameters must be those of the last `setup`, and the state
    /// that of the last [`Interpreter::update`] if there is a stage `shared`.
    pub fn evaluate(
        &self,
        workspace: &mut Workspace,
        inputs: &[f64],
        outputs: &mut [f64],
        externals: &mut dyn Externals,
    ) -> Result<(), LengthError> {
        self.check(workspace, inputs)?;
        let (found, expected) = (outputs.len(), self.program().output_len());
        if found != expected {
            return Err(LengthError::Outputs { found, expected });
        }
        self.stage(Block::Body, workspace, inputs, externals);
        self.write(workspace, outputs);
        Ok(())
    }

    fn check(&self, workspace: &Workspace, inputs: &[f64]) -> Result<(), LengthError> {
        let (found, expected) = (inputs.len(), self.program().inputs().len());
        if found != expected {
            return Err(LengthError::Inputs { found, expected });
        }
        let (found, expected) = (workspace.values.len(), self.program().len());
        if found != expected {
            return Err(LengthError::Workspace { found, expected });
        }
        Ok(())
    }

    fn read(&self, workspace: &mut Workspace, inputs: &[f64], requested: impl Fn(Kind) -> bool) {
        let program = self.program();
        for ((&value, input), &number) in
            program.input_values.iter().zip(&program.inputs).zip(inputs)
        {
            if requested(input.kind) {
                workspace.values[value.index()] = number;
            }
        }
    }

    fn reset(&self, workspace: &mut Workspace, regions: &[RegionId]) {
        for region in regions {
            workspace.regions[region.index()] = RegionStatus::default();
        }
    }

    fn write(&self, workspace: &Workspace, outputs: &mut [f64]) {
        outputs.fill(0.0);
        let mut rest = outputs;
        for output in self.program().outputs() {
            let (dense, after) = rest.split_at_mut(output.dense_len() as usize);
            rest = after;
            let columns = output.columns as usize;
            for entry in &output.entries {
                let number = workspace.value(entry.value);
                let (row, column) = (entry.row as usize, entry.column as usize);
                dense[row * columns + column] = number;
                if output.symmetric {
                    dense[column * columns + row] = number;
                }
            }
        }
    }

    /// Runs the statements of a block. Regions recurse; the verifier bounds their depth.
    fn run(
        &self,
        workspace: &mut Workspace,
        block: &[Value],
        tally: OperationTally,
        externals: &mut dyn Externals,
    ) {
        workspace.work.operations += tally.operations();
        workspace.work.calls += tally.call;
        for &value in block {
            let get = |value: Value| workspace.values[value.index()];
            let number = match self.program().operation(value) {
                Operation::Neg(a) => -get(a),
                Operation::Arithmetic(arithmetic, a, b) => arithmetic.apply(get(a), get(b)),
                Operation::Unary(function, a) => function.apply(get(a)),
                Operation::Binary(function, a, b) => function.apply(get(a), get(b)),
                Operation::Select { compare, left, right, then, otherwise } => {
                    if compare.apply(get(left), get(right)) { get(then) } else { get(otherwise) }
                }
                Operation::Call { function, arguments } => {
                    let function = self.program().get_function(function);
                    let given = &mut workspace.arguments[..function.arguments as usize];
                    for (place, argument) in
                        given.iter_mut().zip(self.program().arguments(arguments))
                    {
                        *place = workspace.values[argument.index()];
                    }
                    let results = &mut workspace.results[..function.results as usize];
                    externals.call(function, given, results);
                    for &(index, pick) in self.picks.from_tuple(value) {
                        workspace.values[pick.index()] = workspace.results[index as usize];
                    }
                    continue;
                }
                Operation::Region(region) => {
                    self.iterate(workspace, value, region, externals);
                    continue;
                }
                // Results are stored with their tuple; leaves are not listed.
                Operation::Result { .. }
                | Operation::Constant(_)
                | Operation::Input(_)
                | Operation::State(..) => continue,
            };
            workspace.values[value.index()] = number;
        }
    }

    fn iterate(
        &self,
        workspace: &mut Workspace,
        value: Value,
        id: RegionId,
        externals: &mut dyn Externals,
    ) {
        let region = self.program().get_region(id);
        let tally = self.region_tallies[id.index()];
        let move_all = |workspace: &mut Workspace, from: &[Value]| {
            for (place, source) in workspace.results.iter_mut().zip(from) {
                *place = workspace.values[source.index()];
            }
            for (state, &number) in region.states.iter().zip(&workspace.results) {
                workspace.values[state.index()] = number;
            }
        };
        move_all(workspace, &region.initial);
        let tolerance = workspace.value(region.tolerance);
        let mut count = 0;
        let converged = loop {
            self.run(workspace, &region.block, tally, externals);
            let small = |&residual: &Value| workspace.value(residual).abs() <= tolerance;
            if region.residuals.iter().all(small) {
                break true;
            }
            if count == region.limit || workspace.work.iterations >= workspace.iteration_budget {
                break false;
            }
            move_all(workspace, &region.next);
            count += 1;
            workspace.work.iterations += 1;
        };
        let status = &mut workspace.regions[id.index()];
        status.runs += 1;
        status.failures += u64::from(!converged);
        status.iterations += u64::from(count);
        status.last = count;
        for &(index, pick) in self.picks.from_tuple(value) {
            workspace.values[pick.index()] = match region.result(index) {
                Some(RegionResult::State(value) | RegionResult::Export(value)) => {
                    workspace.value(value)
                }
                Some(RegionResult::Iterations) => f64::from(count),
                Some(RegionResult::Converged) => f64::from(u8::from(converged)),
                None => f64::NAN,
            };
        }
    }
}

/// Runs all stages once, in a workspace made for it: for tests and for small programs.
pub fn run_once(
    program: &Program,
    inputs: &[f64],
    externals: &mut dyn Externals,
) -> Result<Vec<f64>, RunError> {
    let interpreter = Interpreter::new(program).map_err(RunError::Invalid)?;
    let mut workspace = interpreter.workspace();
    let mut outputs = vec![0.0; program.output_len()];
    interpreter.setup(&mut workspace, inputs, externals).map_err(RunError::Length)?;
    interpreter.update(&mut workspace, inputs, externals).map_err(RunError::Length)?;
    let done = interpreter.evaluate(&mut workspace, inputs, &mut outputs, externals);
    done.map_err(RunError::Length)?;
    Ok(outputs)
}

/// Why [`run_once`] could not run a program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunError {
    /// The program is not valid.
    Invalid(Vec<ProgramError>),
    /// There are too many or too few inputs.
    Length(LengthError),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Invalid(problems) => {
                write!(f, "the program is not valid")?;
                problems.iter().try_for_each(|problem| write!(f, "\n{problem}"))
            }
            RunError::Length(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RunError {}
