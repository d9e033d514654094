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
pub fn steps(program: &Program, block: Block) -> Steps<'_> {
    Steps {
        program,
        entered: vec![false; program.regions.len()],
        stack: vec![Frame { region: None, rest: program.block(block).iter() }],
    }
}

/// The steps of the whole program, `setup` first.
pub fn all_steps(program: &Program) -> impl Iterator<Item = Step> {
    steps(program, Block::Setup).chain(steps(program, Block::Body))
}

/// Iterator over the steps of a block; see [`steps`].
pub struct Steps<'a> {
    program: &'a Program,
    entered: Vec<bool>,
    stack: Vec<Frame<'a>>,
}

/// A block that is being walked: the region that it belongs to and what is left of it.
struct Frame<'a> {
    region: Option<(Value, RegionId)>,
    rest: std::slice::Iter<'a, Value>,
}

impl Iterator for Steps<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let frame = self.stack.last_mut()?;
        let Some(&value) = frame.rest.next() else {
            let region = frame.region;
            self.stack.pop();
            return region.map(|(value, region)| Step::Leave(value, region));
        };
        if let Some(&Operation::Region(id)) = self.program.operations.get(value.index())
            && let Some(entered) = self.entered.get_mut(id.index())
            && !*entered
        {
            *entered = true;
            let rest = self.program.regions[id.index()].block.iter();
            self.stack.push(Frame { region: Some((value, id)), rest });
            return Some(Step::Enter(value, id));
        }
        Some(Step::Statement(value))
    }
}
