//! Renumbering: what the blocks list moves to the front of the arena in the order of the text, and
//! what nothing needs any more is dropped. Every pass that changed something ends here, so that the
//! same program has the same numbers whatever its history.

use super::rewrite::for_each_plain;
use crate::index::{RegionId, Value};
use crate::operation::Operation;
use crate::program::{Block, Program, Region};
use crate::walk::{Step, steps};
use rustc_hash::FxHashMap;
use std::mem::take;

/// Renumbers a program: inputs, then statements in the order of execution, each constant just
/// before its first use. Regions are numbered as they begin. Unused constants and unlisted values
/// go, and with these their marks.
pub fn compact(program: &mut Program) {
    let mut renumber = Renumber {
        old: program,
        map: vec![DROPPED; program.len()],
        operations: Vec::with_capacity(program.len()),
        arguments: Vec::with_capacity(program.arguments.len()),
        regions: Vec::new(),
    };
    renumber.inputs();
    renumber.blocks();
    renumber.outputs();
    let Renumber { map, operations, arguments, regions, .. } = renumber;
    program.operations = operations;
    program.arguments = arguments;
    apply(program, &map, &regions);
}

/// The new number of what has none. An arena never has so many values.
const DROPPED: Value = Value::new(u32::MAX as usize);

struct Renumber<'a> {
    old: &'a Program,
    /// The new number of each value.
    map: Vec<Value>,
    operations: Vec<Operation>,
    arguments: Vec<Value>,
    /// The old region of each new one.
    regions: Vec<RegionId>,
}

impl Renumber<'_> {
    fn inputs(&mut self) {
        for &value in &self.old.input_values {
            self.define(value, self.old.operation(value));
        }
    }

    fn define(&mut self, old: Value, operation: Operation) {
        self.map[old.index()] = Value::new(self.operations.len());
        self.operations.push(operation);
    }

    /// The new number of an operand.
    fn operand(&mut self, value: Value) -> Value {
        if self.map[value.index()] == DROPPED {
            // A constant: a valid program defines everything else before its use.
            self.define(value, self.old.operation(value));
        }
        self.map[value.index()]
    }

    fn operands(&mut self, values: &[Value]) {
        for &value in values {
            self.operand(value);
        }
    }

    fn blocks(&mut self) {
        let old = self.old;
        for block in Block::STAGES {
            for step in steps(old, block) {
                match step {
                    Step::Statement(value) => self.statement(value),
                    Step::Enter(value, region) => self.enter(value, region),
                    Step::Leave(_, region) => {
                        for &value in old.get_region(region).ends() {
                            self.operand(value);
                        }
                    }
                }
            }
        }
    }

    fn statement(&mut self, value: Value) {
        let mut operation = self.old.operation(value);
        if let Operation::Call { arguments, .. } = &mut operation {
            let start = self.arguments.len() as u32;
            for &argument in self.old.arguments(*arguments) {
                let argument = self.operand(argument);
                self.arguments.push(argument);
            }
            arguments.start = start;
        }
        for_each_plain(&mut operation, |operand| *operand = self.operand(*operand));
        self.define(value, operation);
    }

    fn enter(&mut self, value: Value, region: RegionId) {
        let old = self.old.get_region(region);
        self.operands(&old.initial);
        self.operand(old.tolerance);
        let id = RegionId::new(self.regions.len());
        self.regions.push(region);
        self.define(value, Operation::Region(id));
        for (k, &state) in old.states.iter().enumerate() {
            self.define(state, Operation::State(id, k as u32));
        }
    }

    fn outputs(&mut self) {
        for entry in self.old.outputs.iter().flat_map(|output| &output.entries) {
            self.operand(entry.value);
        }
    }
}

/// Puts new numbers wherever a program names values, and the regions in their new order.
fn apply(program: &mut Program, map: &[Value], regions: &[RegionId]) {
    let put = |value: &mut Value| *value = map[value.index()];
    program.input_values.iter_mut().for_each(put);
    program.stages.iter_mut().flatten().for_each(put);
    let mut old: Vec<Option<Region>> = take(&mut program.regions).into_iter().map(Some).collect();
    program.regions = regions.iter().filter_map(|id| old[id.index()].take()).collect();
    for region in &mut program.regions {
        let Region { initial, states, block, next, residuals, exports, tolerance, .. } = region;
        [initial, states, block, next, residuals, exports].into_iter().flatten().for_each(put);
        put(tolerance);
    }
    program.outputs.iter_mut().flat_map(|output| &mut output.entries).for_each(|entry| {
        put(&mut entry.value);
    });
    program.move_marks(|value| Some(map[value.index()]).filter(|&value| value != DROPPED));
    program.constants.retain(|_, value| {
        put(value);
        *value != DROPPED
    });
    let names = take(&mut program.names);
    program.names = FxHashMap::with_capacity_and_hasher(names.len(), Default::default());
    let renumbered = names.into_iter().map(|(value, name)| (map[value.index()], name));
    program.names.extend(renumbered.filter(|(value, _)| *value != DROPPED));
}
