//! The work of a program: its operations by kind and by stage.
//!
//! The total is + - * /, each counting 1. Functions are counted apart and the unary minus is free.
//! Products that only one sum reads are also known: a processor with fused operations does both at
//! once.

use crate::index::Value;
use crate::operation::{ArithmeticOperation, Operation};
use crate::program::{Block, Program, Region};
use rotule_symbolic::{Binary, Unary};
use std::fmt;
use std::ops::Add;

/// Operations by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationTally {
    arithmetic: [u64; ArithmeticOperation::ALL.len()],
    unary: [u64; Unary::ALL.len()],
    binary: [u64; Binary::ALL.len()],
    /// Unary minuses, which are free.
    pub neg: u64,
    /// Selects.
    pub select: u64,
    /// Calls of external functions.
    pub call: u64,
    /// Of the products, those that can be computed together with the one sum that reads them.
    pub fused: u64,
}

impl OperationTally {
    /// Adds one operation; leaves, regions and picked results are none.
    pub fn add(&mut self, operation: Operation) {
        match operation {
            Operation::Neg(_) => self.neg += 1,
            Operation::Arithmetic(arithmetic, ..) => self.arithmetic[arithmetic as usize] += 1,
            Operation::Unary(function, _) => self.unary[function as usize] += 1,
            Operation::Binary(function, ..) => self.binary[function as usize] += 1,
            Operation::Select { .. } => self.select += 1,
            Operation::Call { .. } => self.call += 1,
            Operation::Constant(_)
            | Operation::Input(_)
            | Operation::State(..)
            | Operation::Region(_)
            | Operation::Result { .. } => {}
        }
    }

    /// Number of operations of one arithmetic kind.
    pub const fn arithmetic(&self, arithmetic: ArithmeticOperation) -> u64 {
        self.arithmetic[arithmetic as usize]
    }

    /// Number of evaluations of a function of one argument.
    pub const fn unary(&self, function: Unary) -> u64 {
        self.unary[function as usize]
    }

    /// Number of evaluations of a function of two arguments.
    pub const fn binary(&self, function: Binary) -> u64 {
        self.binary[function as usize]
    }

    /// All of + - * /.
    pub fn total(&self) -> u64 {
        self.arithmetic.iter().sum()
    }

    /// All functions of one and two arguments.
    pub fn functions(&self) -> u64 {
        self.unary.iter().chain(&self.binary).sum()
    }

    /// Everything that is not free: + - * /, functions, selects and calls.
    pub fn operations(&self) -> u64 {
        self.total() + self.functions() + self.select + self.call
    }
}

impl Add for OperationTally {
    type Output = OperationTally;

    fn add(self, other: OperationTally) -> OperationTally {
        let mut sum = self;
        sum.arithmetic.iter_mut().zip(other.arithmetic).for_each(|(a, b)| *a += b);
        sum.unary.iter_mut().zip(other.unary).for_each(|(a, b)| *a += b);
        sum.binary.iter_mut().zip(other.binary).for_each(|(a, b)| *a += b);
        sum.neg += other.neg;
        sum.select += other.select;
        sum.call += other.call;
        sum.fused += other.fused;
        sum
    }
}

/// Operations by kind and stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramCounts {
    /// Done once per change of the parameters.
    pub setup: OperationTally,
    /// Done once per state, for all functions of a group.
    pub shared: OperationTally,
    /// Done at each evaluation.
    pub body: OperationTally,
    /// Done in one iteration of each region, wherever it lies.
    pub iteration: OperationTally,
}

impl ProgramCounts {
    /// The counts of a valid program but for what can be fused, which takes most of the time.
    pub fn plain(program: &Program) -> ProgramCounts {
        let mut counts = ProgramCounts::default();
        let add = |tally: &mut OperationTally, block: &[Value]| {
            block.iter().for_each(|&value| tally.add(program.operation(value)));
        };
        for (block, statements) in program.stages() {
            add(counts.stage_mut(block), statements);
        }
        for region in &program.regions {
            add(&mut counts.iteration, &region.block);
        }
        counts
    }

    /// The counts of a valid program.
    pub fn of(program: &Program) -> ProgramCounts {
        let mut counts = ProgramCounts::plain(program);
        let readers = readers(program);
        for (block, statements) in program.stages() {
            counts.stage_mut(block).fused = fused(program, statements, &readers);
        }
        let regions = program.regions.iter();
        counts.iteration.fused =
            regions.map(|region| fused(program, &region.block, &readers)).sum();
        counts
    }

    /// The operations of a stage; those of an iteration for what lies in a region.
    pub(crate) const fn stage_mut(&mut self, block: Block) -> &mut OperationTally {
        match block {
            Block::Setup => &mut self.setup,
            Block::Shared => &mut self.shared,
            Block::Body => &mut self.body,
            Block::Region(_) => &mut self.iteration,
        }
    }

    /// All stages together, regions counted as one iteration.
    pub fn all(&self) -> OperationTally {
        self.setup + self.shared + self.body + self.iteration
    }

    /// All of + - * / of all stages.
    pub fn total(&self) -> u64 {
        self.all().total()
    }

    /// All functions of one and two arguments of all stages.
    pub fn functions(&self) -> u64 {
        self.all().functions()
    }
}

/// Number of times that each value is read.
fn readers(program: &Program) -> Vec<u32> {
    let mut readers = vec![0_u32; program.len()];
    let mut read = |value: Value| readers[value.index()] = readers[value.index()].saturating_add(1);
    let regions = program.regions.iter();
    let inside = regions.clone().map(|region| region.block.as_slice());
    for &value in program.stages().map(|(_, stage)| stage).chain(inside).flatten() {
        program.operands(program.operation(value), &mut read);
    }
    regions.flat_map(Region::ends).for_each(|&v| read(v));
    let outputs = program.outputs().iter();
    outputs.flat_map(|output| &output.entries).for_each(|entry| read(entry.value));
    readers
}

/// The products of a block that a sum of the same block alone reads; a sum takes in one.
fn fused(program: &Program, block: &[Value], readers: &[u32]) -> u64 {
    let mut here = vec![false; program.len()];
    let mut count = 0;
    for &value in block {
        here[value.index()] = true;
        if let Operation::Arithmetic(ArithmeticOperation::Add | ArithmeticOperation::Sub, a, b) =
            program.operation(value)
        {
            let product = |side: Value| {
                let alone = here[side.index()] && readers[side.index()] == 1;
                let operation = program.operation(side);
                alone && matches!(operation, Operation::Arithmetic(ArithmeticOperation::Mul, ..))
            };
            count += u64::from(product(a) || product(b));
        }
    }
    count
}

/// A table: stages side by side, one row for each kind that occurs. The columns of what is shared
/// and of iterations are left out where there is no such work.
impl fmt::Display for ProgramCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stages = [
            ("setup", self.setup),
            ("shared", self.shared),
            ("body", self.body),
            ("iteration", self.iteration),
        ];
        let optional = |title: &str| matches!(title, "shared" | "iteration");
        let none = OperationTally::default();
        let shown = stages.iter().filter(|(title, tally)| !optional(title) || *tally != none);
        let stages: Vec<_> = shown.collect();
        write!(f, "{:<14}", "")?;
        stages.iter().try_for_each(|(title, _)| write!(f, "{title:>11}"))?;
        let mut row = |title: &str, count: &dyn Fn(&OperationTally) -> u64| {
            let counts: Vec<u64> = stages.iter().map(|(_, tally)| count(tally)).collect();
            if counts.iter().all(|&count| count == 0) && title != "total" {
                return Ok(());
            }
            write!(f, "\n{title:<14}")?;
            counts.iter().try_for_each(|count| write!(f, "{count:>11}"))
        };
        for arithmetic in ArithmeticOperation::ALL {
            row(arithmetic.sign(), &|tally| tally.arithmetic(arithmetic))?;
        }
        row("total", &OperationTally::total)?;
        row("of these fused", &|tally| tally.fused)?;
        for function in Unary::ALL {
            row(function.name(), &|tally| tally.unary(function))?;
        }
        for function in Binary::ALL {
            row(function.name(), &|tally| tally.binary(function))?;
        }
        row("functions", &OperationTally::functions)?;
        row("select", &|tally| tally.select)?;
        row("call", &|tally| tally.call)?;
        row("neg (free)", &|tally| tally.neg)
    }
}
