//! The interpreter over several states: each operation is looked up once and done for all of them.
//!
//! A region is run again as long as one state needs it. Those that are done keep their values, and
//! count nothing.

use crate::kernel::{ProgramKernel, RunCheck};
use rotule_program::{
    Block, Externals, LengthError, Operation, Picks, Program, ProgramError, RegionId, RegionResult,
    RegionStatus, Step, Value, steps, verify,
};
use std::borrow::Borrow;

/// Number of states.
const LANES: usize = 8;

/// The numbers of one value.
type Numbers = [f64; LANES];

/// The states that an operation is done for.
type Active = [bool; LANES];

/// The interpreter of eight states with its memory.
#[derive(Clone, Debug)]
pub struct InterpretedLanes<P> {
    program: P,
    picks: Picks,
    values: Vec<Numbers>,
    /// Of all regions for the first state, then for the second, and so on.
    statuses: Vec<RegionStatus>,
    /// Next values of states, before any of them is taken.
    scratch: Vec<Numbers>,
    arguments: Vec<f64>,
    results: Vec<f64>,
    /// The reason for which nothing faster was taken, if there is one.
    pub reason: Option<String>,
}

impl<P: Borrow<Program>> InterpretedLanes<P> {
    /// Makes a program ready; refuses one that is not valid.
    pub fn new(owner: P) -> Result<InterpretedLanes<P>, Vec<ProgramError>> {
        let program: &Program = owner.borrow();
        verify(program)?;
        let constant = |k: usize| match program.operation(Value::new(k)) {
            Operation::Constant(number) => [number; LANES],
            _ => [f64::NAN; LANES],
        };
        let values = (0..program.len()).map(constant).collect();
        let statuses = vec![RegionStatus::default(); LANES * program.regions().len()];
        Ok(InterpretedLanes {
            picks: Picks::of(program),
            program: owner,
            values,
            statuses,
            scratch: Vec::new(),
            arguments: Vec::new(),
            results: Vec::new(),
            reason: None,
        })
    }

    fn start(&mut self, block: Block, inputs: &[f64]) -> Result<(), LengthError> {
        let program = self.program.borrow();
        let (found, expected) = (inputs.len(), LANES * program.inputs().len());
        if found != expected {
            return Err(LengthError::Inputs { found, expected });
        }
        for (k, (input, numbers)) in
            program.inputs().iter().zip(inputs.chunks_exact(LANES)).enumerate()
        {
            if block.may_read(input.kind) {
                let value = program.input_value(rotule_program::InputId::new(k));
                self.values[value.index()].copy_from_slice(numbers);
            }
        }
        let count = program.regions().len();
        for step in steps(program, block) {
            if let Step::Enter(_, region) = step {
                for lane in 0..LANES {
                    self.statuses[lane * count + region.index()] = RegionStatus::default();
                }
            }
        }
        Ok(())
    }

    /// Runs the statements of a block. Regions recurse; the verifier bounds their depth.
    fn run(&mut self, block: Block, active: &Active, externals: &mut dyn Externals) {
        for at in 0..self.program.borrow().block(block).len() {
            let program = self.program.borrow();
            let value = program.block(block)[at];
            let get = |value: Value| &self.values[value.index()];
            let number: Numbers = match program.operation(value) {
                Operation::Neg(a) => get(a).map(|x| -x),
                Operation::Arithmetic(arithmetic, a, b) => {
                    each(get(a), get(b), |x, y| arithmetic.apply(x, y))
                }
                Operation::Unary(function, a) => get(a).map(|x| function.apply(x)),
                Operation::Binary(function, a, b) => {
                    each(get(a), get(b), |x, y| function.apply(x, y))
                }
                Operation::Select { compare, left, right, then, otherwise } => {
                    let (left, right) = (get(left), get(right));
                    let (then, otherwise) = (get(then), get(otherwise));
                    std::array::from_fn(|lane| {
                        let holds = compare.apply(left[lane], right[lane]);
                        if holds { then[lane] } else { otherwise[lane] }
                    })
                }
                Operation::Call { .. } => {
                    self.call(value, active, externals);
                    continue;
                }
                Operation::Region(region) => {
                    self.iterate(value, region, active, externals);
                    continue;
                }
                // Results are stored with their tuple; leaves are not listed.
                Operation::Result { .. }
                | Operation::Constant(_)
                | Operation::Input(_)
                | Operation::State(..) => continue,
            };
            self.values[value.index()] = number;
        }
    }

    fn call(&mut self, value: Value, active: &Active, externals: &mut dyn Externals) {
        let program = self.program.borrow();
        let Operation::Call { function, arguments } = program.operation(value) else { return };
        let function = program.get_function(function);
        self.results.resize(self.results.len().max(function.results as usize), 0.0);
        for lane in (0..LANES).filter(|&lane| active[lane]) {
            let given = program.arguments(arguments).iter();
            self.arguments.clear();
            self.arguments.extend(given.map(|argument| self.values[argument.index()][lane]));
            let results = &mut self.results[..function.results as usize];
            externals.call(function, &self.arguments, results);
            for &(index, pick) in self.picks.from_tuple(value) {
                self.values[pick.index()][lane] = self.results[index as usize];
            }
        }
    }

    fn iterate(
        &mut self,
        value: Value,
        id: RegionId,
        outside: &Active,
        externals: &mut dyn Externals,
    ) {
        self.take(id, outside, true);
        let mut counts = [0_u32; LANES];
        let mut active = *outside;
        loop {
            self.run(Block::Region(id), &active, externals);
            let region = self.program.borrow().get_region(id);
            for lane in (0..LANES).filter(|&lane| outside[lane]) {
                let tolerance = self.values[region.tolerance.index()][lane];
                let small = |value: &Value| self.values[value.index()][lane].abs() <= tolerance;
                active[lane] &= !region.residuals.iter().all(small);
            }
            // All that are active have made as many updates.
            let made = (0..LANES).filter(|&lane| active[lane]).map(|lane| counts[lane]).max();
            if made.is_none_or(|made| made == region.limit) {
                break;
            }
            self.take(id, &active, false);
            for lane in (0..LANES).filter(|&lane| active[lane]) {
                counts[lane] += 1;
            }
        }
        let total = self.program.borrow().regions().len();
        for lane in (0..LANES).filter(|&lane| outside[lane]) {
            let status = &mut self.statuses[lane * total + id.index()];
            status.runs += 1;
            status.failures += u64::from(active[lane]);
            status.iterations += u64::from(counts[lane]);
            status.last = counts[lane];
        }
        for &(index, pick) in self.picks.from_tuple(value) {
            let region = self.program.borrow().get_region(id);
            self.values[pick.index()] = match region.result(index) {
                Some(RegionResult::State(value) | RegionResult::Export(value)) => {
                    self.values[value.index()]
                }
                Some(RegionResult::Iterations) => counts.map(f64::from),
                Some(RegionResult::Converged) | None => {
                    active.map(|failed| f64::from(u8::from(!failed)))
                }
            };
        }
    }

    /// Gives the states of a region their initial or their next values, all at once.
    fn take(&mut self, id: RegionId, active: &Active, initial: bool) {
        let region = self.program.borrow().get_region(id);
        let from = if initial { &region.initial } else { &region.next };
        self.scratch.clear();
        self.scratch.extend(from.iter().map(|value| self.values[value.index()]));
        for (state, numbers) in region.states.iter().zip(&self.scratch) {
            let own = &mut self.values[state.index()];
            for lane in (0..LANES).filter(|&lane| active[lane]) {
                own[lane] = numbers[lane];
            }
        }
    }

    fn write(&self, outputs: &mut [f64]) {
        outputs.fill(0.0);
        let mut rest = outputs;
        for output in self.program.borrow().outputs() {
            let (dense, after) = rest.split_at_mut(LANES * output.dense_len() as usize);
            rest = after;
            let columns = output.columns as usize;
            for entry in &output.entries {
                let numbers = &self.values[entry.value.index()];
                let (row, column) = (entry.row as usize, entry.column as usize);
                let at = LANES * (row * columns + column);
                dense[at..at + LANES].copy_from_slice(numbers);
                if output.symmetric {
                    let at = LANES * (column * columns + row);
                    dense[at..at + LANES].copy_from_slice(numbers);
                }
            }
        }
    }
}

fn each(a: &Numbers, b: &Numbers, of: impl Fn(f64, f64) -> f64) -> Numbers {
    std::array::from_fn(|lane| of(a[lane], b[lane]))
}

impl<P: Borrow<Program> + Send> ProgramKernel for InterpretedLanes<P> {
    fn program(&self) -> &Program {
        self.program.borrow()
    }

    fn name(&self) -> &'static str {
        "interpreter"
    }

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn width(&self) -> usize {
        LANES
    }

    fn setup(&mut self, inputs: &[f64], calls: &mut dyn Externals) -> RunCheck {
        self.start(Block::Setup, inputs)?;
        self.run(Block::Setup, &[true; LANES], calls);
        Ok(())
    }

    fn update(&mut self, inputs: &[f64], calls: &mut dyn Externals) -> RunCheck {
        self.start(Block::Shared, inputs)?;
        self.run(Block::Shared, &[true; LANES], calls);
        Ok(())
    }

    fn evaluate(&mut self, inputs: &[f64], out: &mut [f64], calls: &mut dyn Externals) -> RunCheck {
        let (found, expected) = (out.len(), LANES * self.program.borrow().output_len());
        if found != expected {
            return Err(LengthError::Outputs { found, expected });
        }
        self.start(Block::Body, inputs)?;
        self.run(Block::Body, &[true; LANES], calls);
        self.write(out);
        Ok(())
    }

    fn regions(&self, lane: usize) -> &[RegionStatus] {
        let count = self.statuses.len() / LANES;
        &self.statuses[lane * count..(lane + 1) * count]
    }
}
