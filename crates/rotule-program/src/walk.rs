//! The order of execution as a flat list of steps.
//!
//! Most of the crate walks a program from first to last statement and has to notice where a region
//! begins and ends. Walking without recursion also serves programs that have not been verified: a
//! region that is reached again is not entered again.

use crate::index::{RegionId, Value};
use crate::operation::Operation;
use crate::program::{Block, Program};

/// One step of the execution of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A statement that is not a region.
    Statement(Value),
    /// A region begins: initial states and tolerance are read, then its block follows.
    Enter(Value, RegionId),
    /// A region ends: next states and residuals are read.
    Leave(Value, RegionId),
}

/// The steps of a block and of all regions in it, each region walked once.
pub fn steps(program: &Program, block: Block) -> BlockSteps<'_> {
    BlockSteps { program, walk: Walk::new(program, block) }
}

/// The steps of the whole program, `setup` first.
pub fn all_steps(program: &Program) -> impl Iterator<Item = Step> {
    Block::STAGES.into_iter().flat_map(|block| steps(program, block))
}

/// The stage that makes each value of a valid program, by its place in [`Block::STAGES`]; none for
/// inputs and constants, which are there in every stage. A result is made with its tuple.
pub fn stages_of(program: &Program) -> Vec<Option<u8>> {
    let mut made = vec![None; program.len()];
    for (stage, block) in (0..).zip(Block::STAGES) {
        for step in steps(program, block) {
            match step {
                Step::Statement(value) => {
                    made[value.index()] = match program.operation(value) {
                        Operation::Result { of, .. } => made[of.index()],
                        _ => Some(stage),
                    };
                }
                Step::Enter(value, region) => {
                    let states = &program.get_region(region).states;
                    states.iter().chain([&value]).for_each(|v| made[v.index()] = Some(stage));
                }
                Step::Leave(..) => {}
            }
        }
    }
    made
}

/// For each value of a valid program whether it crosses: a stage makes it, and a later one or an
/// output reads it.
pub fn crossing(program: &Program) -> Vec<bool> {
    let made = stages_of(program);
    let mut crossing = vec![false; program.len()];
    let mut read = |value: Value, stage: u8| {
        crossing[value.index()] |= made[value.index()].is_some_and(|made| made < stage);
    };
    for (stage, block) in (0..).zip(Block::STAGES) {
        for step in steps(program, block) {
            match step {
                Step::Statement(value) | Step::Enter(value, _) => {
                    if !matches!(program.operation(value), Operation::Result { .. }) {
                        program.operands(program.operation(value), |operand| read(operand, stage));
                    }
                }
                Step::Leave(_, region) => {
                    let region = program.get_region(region);
                    region.ends().for_each(|&operand| read(operand, stage));
                }
            }
        }
    }
    let last = Block::STAGES.len() as u8 - 1;
    for entry in program.outputs().iter().flat_map(|output| &output.entries) {
        read(entry.value, last);
    }
    crossing
}

/// Iterator over the steps of a block; see [`steps`].
pub struct BlockSteps<'a> {
    program: &'a Program,
    walk: Walk,
}

impl Iterator for BlockSteps<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        self.walk.next(self.program)
    }
}

/// Where a walk through a block stands. It holds no program, so that operations can be changed on
/// the way; the lists of the blocks must stay as they are.
pub(crate) struct Walk {
    entered: Vec<bool>,
    here: Place,
    /// The blocks around, each with the region that was entered from it.
    around: Vec<(Place, Value, RegionId)>,
}

/// A place in a block.
struct Place {
    block: Block,
    next: usize,
}

impl Walk {
    pub fn new(program: &Program, block: Block) -> Walk {
        let entered = vec![false; program.regions.len()];
        Walk { entered, here: Place { block, next: 0 }, around: Vec::new() }
    }

    /// The next step, if the walk has not ended.
    pub fn next(&mut self, program: &Program) -> Option<Step> {
        let Some(&value) = program.block(self.here.block).get(self.here.next) else {
            let (around, value, region) = self.around.pop()?;
            self.here = around;
            return Some(Step::Leave(value, region));
        };
        self.here.next += 1;
        if let Some(&Operation::Region(id)) = program.operations.get(value.index())
            && let Some(entered @ false) = self.entered.get_mut(id.index())
        {
            *entered = true;
            let inside = Place { block: Block::Region(id), next: 0 };
            self.around.push((std::mem::replace(&mut self.here, inside), value, id));
            return Some(Step::Enter(value, id));
        }
        Some(Step::Statement(value))
    }
}
