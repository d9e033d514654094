//! Renumbering: what the blocks list moves to the front of the arena in the order of the text, and
//! what nothing needs any more is dropped. Every pass that changed something ends here, so that the
//! same program has the same numbers whatever its history.

use crate::index::{RegionId, Value};
use crate::operation::Operation;
use crate::program::{Block, Program, Region};
use crate::walk::{Step, steps};

/// Renumbers a program: inputs, then statements in the order of execution, each constant just before
/// its first use. Regions are numbered as they begin. Unused constants and unlisted values go.
pub fn compact(program: &mut Program) {
    let old = std::mem::replace(program, Program::new(""));
    let mut new = Program::new(old.name.clone());
    new.operations.reserve(old.len());
    new.functions.clone_from(&old.functions);
    let mut renumber = Renumber { map: vec![None; old.len()], regions: Vec::new(), old: &old, new };
    renumber.inputs();
    renumber.blocks();
    renumber.outputs();
    *program = renumber.new;
}

struct Renumber<'a> {
    old: &'a Program,
    new: Program,
    map: Vec<Option<Value>>,
    /// Old region of each new one.
    regions: Vec<RegionId>,
}

impl Renumber<'_> {
    fn inputs(&mut self) {
        for (input, &value) in self.old.inputs.iter().zip(&self.old.input_values) {
            let renumbered = self.new.input(input.name.clone(), input.kind);
            self.define(value, renumbered);
        }
    }

    fn define(&mut self, old: Value, new: Value) {
        self.map[old.index()] = Some(new);
        if let Some(name) = self.old.names.get(&old) {
            self.new.names.insert(new, name.clone());
        }
    }

    /// The new number of an operand.
    fn operand(&mut self, value: Value) -> Value {
        if let Some(known) = self.map[value.index()] {
            return known;
        }
        // A valid program defines everything else before its use.
        let renumbered = match self.old.operation(value) {
            Operation::Constant(number) => self.new.constant(number),
            other => self.new.make(other),
        };
        self.map[value.index()] = Some(renumbered);
        renumbered
    }

    fn operands(&mut self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|&value| self.operand(value)).collect()
    }

    fn blocks(&mut self) {
        let old = self.old;
        for block in [Block::Setup, Block::Body] {
            let mut inside = vec![block];
            for step in steps(old, block) {
                let around = inside[inside.len() - 1];
                match step {
                    Step::Statement(value) => {
                        let operation = self.operation(old.operation(value));
                        let renumbered = self.new.push(around, operation);
                        self.define(value, renumbered);
                    }
                    Step::Enter(value, region) => {
                        let id = self.enter(region);
                        let renumbered = self.new.push(around, Operation::Region(id));
                        self.define(value, renumbered);
                        self.states(id);
                        inside.push(Block::Region(id));
                    }
                    Step::Leave(_, region) => {
                        if let Some(Block::Region(id)) = inside.pop() {
                            let next = self.operands(&old.get_region(region).next);
                            let residuals = self.operands(&old.get_region(region).residuals);
                            let closed = &mut self.new.regions[id.index()];
                            closed.next = next;
                            closed.residuals = residuals;
                        }
                    }
                }
            }
        }
    }

    fn operation(&mut self, operation: Operation) -> Operation {
        match operation {
            Operation::Call { function, arguments } => {
                let old = self.old;
                let arguments = self.operands(old.arguments(arguments));
                Operation::Call { function, arguments: self.new.pool(&arguments) }
            }
            other => super::rewrite::map_plain(other, |value| self.operand(value)),
        }
    }

    fn enter(&mut self, region: RegionId) -> RegionId {
        let old = self.old.get_region(region);
        let initial = self.operands(&old.initial);
        let tolerance = self.operand(old.tolerance);
        self.regions.push(region);
        self.new.regions.push(Region {
            name: old.name.clone(),
            initial,
            states: Vec::new(),
            block: Vec::new(),
            next: Vec::new(),
            residuals: Vec::new(),
            tolerance,
            limit: old.limit,
        });
        RegionId::new(self.new.regions.len() - 1)
    }

    fn states(&mut self, id: RegionId) {
        let old = self.old;
        for (k, &state) in old.get_region(self.regions[id.index()]).states.iter().enumerate() {
            let renumbered = self.new.make(Operation::State(id, k as u32));
            self.define(state, renumbered);
            self.new.regions[id.index()].states.push(renumbered);
        }
    }

    fn outputs(&mut self) {
        for output in &self.old.outputs {
            let mut output = output.clone();
            for entry in &mut output.entries {
                entry.value = self.operand(entry.value);
            }
            self.new.outputs.push(output);
        }
    }
}
