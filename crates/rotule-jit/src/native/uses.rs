//! Uses of each value: what nobody reads is not computed, what a stage reads of an earlier one has
//! to be kept, and a product that is read once can melt into a sum.

use rotule_program::{
    ArithmeticOperation, Block, Operation, Picks, Program, Step, Value, stages_of, steps,
};

/// Readers of all values of a program.
pub struct Uses {
    /// Number of needed statements that read a value; outputs count as readers.
    pub count: Vec<u32>,
    /// `true` if a value is computed in a stage and read by a later one or an output.
    pub crossing: Vec<bool>,
    /// The stage that makes each value, by its place in [`Block::STAGES`].
    pub made: Vec<Option<u8>>,
    /// The fused product of a sum, if any.
    pub fused: Vec<Fused>,
    /// `true` if a product is computed only within the sum that reads it.
    pub absorbed: Vec<bool>,
}

/// The side of a sum or a difference that is a product computed with it, rounded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fused {
    /// None.
    No,
    /// The left side.
    Left,
    /// The right side.
    Right,
}

impl Uses {
    /// Counts the uses of a valid program.
    pub fn of(program: &Program, picks: &Picks, fuse: bool) -> Uses {
        let mut uses = Uses {
            count: vec![0; program.len()],
            crossing: vec![false; program.len()],
            made: stages_of(program),
            fused: vec![Fused::No; program.len()],
            absorbed: vec![false; program.len()],
        };
        for entry in program.outputs().iter().flat_map(|output| &output.entries) {
            uses.count[entry.value.index()] += 1;
        }
        for block in Block::STAGES.into_iter().rev() {
            // So far only later stages have read anything.
            for step in steps(program, block).filter(|_| block != Block::Body) {
                if let Step::Statement(value) = step
                    && uses.count[value.index()] > 0
                {
                    uses.crossing[value.index()] = true;
                }
            }
            uses.block(program, picks, block);
        }
        if fuse {
            Block::STAGES.into_iter().for_each(|block| uses.fuse(program, block));
        }
        uses
    }

    /// Returns `true` if anybody needs a value.
    pub fn needed(&self, value: Value) -> bool {
        self.count[value.index()] > 0
    }

    /// Counts backwards, so that readers come before what they read.
    fn block(&mut self, program: &Program, picks: &Picks, block: Block) {
        let mut order: Vec<Step> = steps(program, block).collect();
        order.reverse();
        for step in order {
            match step {
                Step::Statement(value) => {
                    let operation = program.operation(value);
                    let called = matches!(operation, Operation::Call { .. });
                    if called || (self.needed(value) && !is_pick(operation)) {
                        program.operands(operation, |operand| self.count[operand.index()] += 1);
                    }
                }
                Step::Enter(value, _) => {
                    let operation = program.operation(value);
                    program.operands(operation, |operand| self.count[operand.index()] += 1);
                }
                Step::Leave(_, region) => {
                    let region = program.get_region(region);
                    for operand in region.ends() {
                        self.count[operand.index()] += 1;
                    }
                }
            }
        }
        // Tuples are never operands of anything that is computed.
        debug_assert!(steps(program, block).all(|step| match step {
            Step::Statement(value) | Step::Enter(value, _) | Step::Leave(value, _) => {
                picks.from_tuple(value).is_empty() || !self.needed(value)
            }
        }));
    }

    /// Melts products into sums, where both lie between the same two calls or ends of regions.
    fn fuse(&mut self, program: &Program, block: Block) {
        let mut segment = vec![0_u32; program.len()];
        let mut here = 1;
        for step in steps(program, block) {
            let value = match step {
                Step::Statement(value) if !program.operation(value).is_tuple() => value,
                _ => {
                    here += 1;
                    continue;
                }
            };
            segment[value.index()] = here;
            if !self.needed(value) {
                continue;
            }
            let Operation::Arithmetic(ArithmeticOperation::Add | ArithmeticOperation::Sub, a, b) =
                program.operation(value)
            else {
                continue;
            };
            let product = |uses: &Uses, side: Value| {
                let k = side.index();
                let alone = uses.count[k] == 1 && !uses.crossing[k] && segment[k] == here;
                alone && is_product(program.operation(side))
            };
            let (fused, side) = match (product(self, a), product(self, b)) {
                (_, true) => (Fused::Right, b),
                (true, false) => (Fused::Left, a),
                (false, false) => continue,
            };
            self.fused[value.index()] = fused;
            self.absorbed[side.index()] = true;
        }
    }
}

fn is_pick(operation: Operation) -> bool {
    matches!(operation, Operation::Result { .. })
}

fn is_product(operation: Operation) -> bool {
    matches!(operation, Operation::Arithmetic(ArithmeticOperation::Mul, ..))
}
