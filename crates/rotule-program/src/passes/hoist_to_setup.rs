//! Hoisting: each statement moves to the outermost block that knows its operands. What depends on
//! parameters only goes to `setup`, what does not change while a region iterates goes out of it; a
//! region moves as a whole where nothing inside it reads the block around.
//!
//! A region's block runs at least once, so nothing is computed that was not computed before.

use super::PassReport;
use crate::index::{RegionId, Value};
use crate::operation::Operation;
use crate::program::{Block, Program};
use crate::walk::{Step, steps};
use rotule_symbolic::Kind;

/// Moves statements out of `body` and of regions.
pub fn hoist_to_setup(program: &mut Program) -> PassReport {
    PassReport::of("hoist_to_setup", program, |program| {
        let order =
            Block::STAGES.map(|block| (block, steps(program, block).collect::<Vec<Step>>()));
        let mut hoist = Hoist {
            levels: levels_of_leaves(program),
            chain: Block::STAGES.to_vec(),
            reads: Vec::new(),
            moved: 0,
        };
        program.stages.iter_mut().for_each(Vec::clear);
        program.regions.iter_mut().for_each(|region| region.block.clear());
        for (block, order) in order {
            let top = Block::STAGES.iter().position(|&it| it == block).unwrap_or(0) as Level;
            for step in order {
                hoist.step(program, step, top);
            }
        }
        if hoist.moved > 0 {
            super::compact(program);
        }
        hoist.moved
    })
}

/// A level is a place in the chain of blocks around a statement: the stages, then the regions that
/// are open. A region of `setup` has later stages in its chain too, but reads nothing there.
type Level = u8;
const SETUP: Level = 0;
/// The last stage.
const BODY: Level = Block::STAGES.len() as Level - 1;
/// The first stage but `setup`: what reads more than parameters stays in its own stage, since
/// nobody knows here what functions share.
const LATER: Level = 1;

/// A set of levels, of which there are few: the verifier bounds the depth of regions.
type Levels = u32;

fn levels_of_leaves(program: &Program) -> Vec<Level> {
    let level = |&operation: &Operation| match operation {
        Operation::Input(input) if program.inputs[input.index()].kind != Kind::Parameter => LATER,
        _ => SETUP,
    };
    program.operations.iter().map(level).collect()
}

struct Hoist {
    /// The outermost level at which each value is known.
    levels: Vec<Level>,
    chain: Vec<Block>,
    /// For each open region, the levels that its initial states and its inside read.
    reads: Vec<Levels>,
    moved: usize,
}

impl Hoist {
    fn step(&mut self, program: &mut Program, step: Step, top: Level) {
        match step {
            Step::Statement(value) => {
                let reads = self.reads_of(program, value);
                let here = self.here(top);
                self.put(program, value, reads, here, top);
            }
            Step::Enter(value, region) => {
                self.reads.push(self.reads_of(program, value));
                self.chain.push(Block::Region(region));
                for state in &program.get_region(region).states {
                    self.levels[state.index()] = self.chain.len() as Level - 1;
                }
            }
            Step::Leave(value, region) => {
                self.leave(program, region);
                self.chain.pop();
                let reads = self.reads.pop().unwrap_or(0);
                let here = self.here(top);
                self.put(program, value, reads, here, top);
            }
        }
    }

    /// The level of the block that is being walked.
    fn here(&self, top: Level) -> Level {
        if self.reads.is_empty() { top } else { self.chain.len() as Level - 1 }
    }

    fn reads_of(&self, program: &Program, value: Value) -> Levels {
        let mut reads = 0;
        program.operands(program.operation(value), |operand| {
            reads |= 1 << self.levels[operand.index()];
        });
        reads
    }

    /// Notes what the end of a region reads.
    fn leave(&mut self, program: &Program, region: RegionId) {
        let region = program.get_region(region);
        for operand in region.ends() {
            self.note(1 << self.levels[operand.index()], self.chain.len() as Level - 1);
        }
    }

    /// Notes that something placed at `level` reads `reads`, as far as that lies outside.
    fn note(&mut self, reads: Levels, level: Level) {
        if level > BODY {
            self.reads[usize::from(level - BODY - 1)] |= reads & ((1 << level) - 1);
        }
    }

    /// Lists a statement at the innermost level that it reads, in `setup` or within its stage.
    fn put(&mut self, program: &mut Program, value: Value, reads: Levels, here: Level, top: Level) {
        let innermost = reads.checked_ilog2().unwrap_or(0) as Level;
        let level = if innermost > SETUP { innermost.max(top) } else { SETUP };
        self.levels[value.index()] = level;
        self.note(reads, level);
        self.moved += usize::from(level != here);
        program.block_mut(self.chain[usize::from(level)]).push(value);
    }
}
