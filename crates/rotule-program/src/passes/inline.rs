//! Inlining: which values the readable face writes inside their one consumer instead of in a line
//! of their own. Only a decision; the program stays as it is, and so does the order of operations.

use crate::index::Value;
use crate::operation::Operation;
use crate::program::{Block, Program};
use crate::walk::{Step, steps};

/// Bounds on the size of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Operations in one expression.
    pub size: u32,
    /// Operations inside each other.
    pub depth: u32,
}

impl Default for Bounds {
    /// About one line of text.
    fn default() -> Bounds {
        Bounds { size: 12, depth: 6 }
    }
}

/// Values that are written inside their consumer: those that have no name, are read exactly once,
/// by a statement of their own block or by an output, and are neither call nor region.
pub fn inline(program: &Program, bounds: Bounds) -> Vec<bool> {
    let uses = Uses::of(program);
    let mut inlined = vec![false; program.len()];
    // Size and depth of the expression that each value is written as.
    let mut grown = vec![(1_u32, 1_u32); program.len()];
    for block in Block::STAGES {
        let mut inside = vec![block];
        for step in steps(program, block) {
            let value = match step {
                Step::Statement(value) => value,
                Step::Enter(_, region) => {
                    inside.push(Block::Region(region));
                    continue;
                }
                Step::Leave(..) => {
                    inside.pop();
                    continue;
                }
            };
            let here = inside.last().copied();
            let (mut size, mut depth) = (1, 1);
            program.operands(program.operation(value), |operand| {
                let (more, below) = grown[operand.index()];
                let fits = size + more <= bounds.size && below < bounds.depth;
                if fits && uses.single(program, operand) && uses.block[operand.index()] == here {
                    inlined[operand.index()] = true;
                    size += more;
                    depth = depth.max(below + 1);
                }
            });
            grown[value.index()] = (size, depth);
        }
    }
    // An output is a line of its own.
    for entry in program.outputs().iter().flat_map(|output| &output.entries) {
        let of_body = uses.block[entry.value.index()] == Some(Block::Body);
        if of_body && uses.single(program, entry.value) {
            inlined[entry.value.index()] = true;
        }
    }
    inlined
}

/// Number of times that each value is read, and which block lists it.
struct Uses {
    count: Vec<u32>,
    block: Vec<Option<Block>>,
}

impl Uses {
    fn of(program: &Program) -> Uses {
        let mut uses = Uses { count: vec![0; program.len()], block: vec![None; program.len()] };
        for block in Block::STAGES {
            let mut inside = vec![block];
            for step in steps(program, block) {
                let here = inside.last().copied();
                match step {
                    Step::Statement(value) => {
                        uses.block[value.index()] = here;
                        uses.read(program, value);
                    }
                    Step::Enter(value, region) => {
                        uses.block[value.index()] = here;
                        uses.read(program, value);
                        inside.push(Block::Region(region));
                    }
                    Step::Leave(_, region) => {
                        inside.pop();
                        // The ends of a region are written after its block, each as a name.
                        let region = program.get_region(region);
                        for value in region.ends() {
                            uses.count[value.index()] += 2;
                        }
                    }
                }
            }
        }
        for entry in program.outputs().iter().flat_map(|output| &output.entries) {
            uses.count[entry.value.index()] += 1;
        }
        uses
    }

    fn read(&mut self, program: &Program, value: Value) {
        program.operands(program.operation(value), |operand| self.count[operand.index()] += 1);
    }

    /// Returns `true` if a value may be written inside its only consumer.
    fn single(&self, program: &Program, value: Value) -> bool {
        let operation = program.operation(value);
        let plain = !operation.is_leaf() && !operation.is_tuple();
        let pick = matches!(operation, Operation::Result { .. });
        plain && !pick && self.count[value.index()] == 1 && program.name_of(value).is_none()
    }
}
