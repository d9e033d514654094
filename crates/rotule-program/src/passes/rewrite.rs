//! Rewriting: operands replaced in an operation and in a whole program.

use crate::index::{RegionId, Value};
use crate::operation::Operation;
use crate::program::{Block, Program, Region};
use crate::walk::{Step, Walk};

/// Calls `visit` with each operand, to change it. Calls and regions keep theirs in side arenas,
/// which are left alone.
pub(super) fn for_each_plain(operation: &mut Operation, mut visit: impl FnMut(&mut Value)) {
    match operation {
        Operation::Neg(a) | Operation::Unary(_, a) | Operation::Result { of: a, .. } => visit(a),
        Operation::Arithmetic(_, a, b) | Operation::Binary(_, a, b) => {
            visit(a);
            visit(b);
        }
        Operation::Select { left, right, then, otherwise, .. } => {
            [left, right, then, otherwise].into_iter().for_each(visit);
        }
        Operation::Constant(_)
        | Operation::Input(_)
        | Operation::State(..)
        | Operation::Call { .. }
        | Operation::Region(_) => {}
    }
}

/// A program being rewritten in place from the first statement to the last: a statement may change,
/// or give way to a value that is already there.
pub(crate) struct Rewrite<'a> {
    /// The program. Operations are changed here, regions and outputs when the rewrite is finished.
    pub program: &'a mut Program,
    replaced: Vec<Value>,
    /// The region that lists each value, if one does.
    home: Vec<Option<RegionId>>,
    changes: usize,
}

impl<'a> Rewrite<'a> {
    pub fn new(program: &'a mut Program) -> Rewrite<'a> {
        let replaced = (0..program.len()).map(Value::new).collect();
        let mut home = vec![None; program.len()];
        for (k, region) in program.regions.iter().enumerate() {
            region.block.iter().for_each(|value| home[value.index()] = Some(RegionId::new(k)));
        }
        Rewrite { program, replaced, home, changes: 0 }
    }

    /// Calls `visit` with each step of the program, `setup` first.
    pub fn walk(&mut self, mut visit: impl FnMut(&mut Self, Step)) {
        for block in Block::STAGES {
            let mut walk = Walk::new(self.program, block);
            while let Some(step) = walk.next(self.program) {
                visit(self, step);
            }
        }
    }

    /// The operation of a statement, with operands brought up to date.
    pub fn update(&mut self, value: Value) -> Operation {
        let Program { operations, arguments: pool, .. } = &mut *self.program;
        let bring = |operand: &mut Value| *operand = current(&self.replaced, *operand);
        let operation = &mut operations[value.index()];
        for_each_plain(operation, bring);
        if let Operation::Call { arguments, .. } = operation {
            let start = arguments.start as usize;
            pool[start..start + arguments.len as usize].iter_mut().for_each(bring);
        }
        *operation
    }

    /// The value that stands for a value now.
    pub fn current(&self, value: Value) -> Value {
        current(&self.replaced, value)
    }

    /// The region whose block lists a value, if there is one.
    pub fn home(&self, value: Value) -> Option<RegionId> {
        self.home.get(value.index()).copied().flatten()
    }

    /// Lets a statement compute something else.
    pub fn change(&mut self, value: Value, operation: Operation) {
        self.program.operations[value.index()] = operation;
        self.changes += 1;
    }

    /// Lets `by`, which is visible wherever `value` is, stand for `value`. A name is handed on to a
    /// statement that has none.
    pub fn replace(&mut self, value: Value, by: Value) {
        self.replaced[value.index()] = by;
        self.changes += 1;
        if !matches!(self.program.operation(by), Operation::Constant(_) | Operation::Input(_))
            && let Some(name) = self.program.names.remove(&value)
        {
            self.program.names.entry(by).or_insert(name);
        }
    }

    /// Brings regions, outputs and marks up to date, drops the statements that were replaced and
    /// gives the number of changes.
    pub fn finish(self) -> usize {
        let Rewrite { program, replaced, changes, .. } = self;
        if changes == 0 {
            return 0;
        }
        let current = |value| current(&replaced, value);
        let kept = |value: &Value| current(*value) == *value;
        program.stages.iter_mut().for_each(|stage| stage.retain(kept));
        for region in &mut program.regions {
            region.block.retain(kept);
            let Region { initial, next, residuals, exports, .. } = region;
            let lists = [initial, next, residuals, exports];
            for value in lists.into_iter().flatten() {
                *value = current(*value);
            }
            region.tolerance = current(region.tolerance);
        }
        for entry in program.outputs.iter_mut().flat_map(|output| &mut output.entries) {
            entry.value = current(entry.value);
        }
        program.move_marks(|value| Some(current(value)));
        super::compact(program);
        changes
    }
}

/// The value that stands for a value now. Values made during the rewrite stand for themselves.
fn current(replaced: &[Value], value: Value) -> Value {
    replaced.get(value.index()).copied().unwrap_or(value)
}
