//! What the rewriting passes share: operands replaced in an operation and in a whole program.

use crate::index::Value;
use crate::operation::Operation;
use crate::program::Program;
use crate::walk::{Step, all_steps};

/// The operation with other operands. Calls and regions keep theirs in side arenas and come back as
/// they are.
pub(super) fn map_plain(operation: Operation, mut map: impl FnMut(Value) -> Value) -> Operation {
    match operation {
        Operation::Neg(a) => Operation::Neg(map(a)),
        Operation::Arithmetic(arithmetic, a, b) => {
            let a = map(a);
            Operation::Arithmetic(arithmetic, a, map(b))
        }
        Operation::Unary(function, a) => Operation::Unary(function, map(a)),
        Operation::Binary(function, a, b) => {
            let a = map(a);
            Operation::Binary(function, a, map(b))
        }
        Operation::Select { compare, left, right, then, otherwise } => {
            let (left, right) = (map(left), map(right));
            let then = map(then);
            Operation::Select { compare, left, right, then, otherwise: map(otherwise) }
        }
        Operation::Result { of, index } => Operation::Result { of: map(of), index },
        Operation::Constant(_)
        | Operation::Input(_)
        | Operation::State(..)
        | Operation::Call { .. }
        | Operation::Region(_) => operation,
    }
}

/// A program being rewritten in place from the first statement to the last: a statement may change,
/// or give way to a value that is already there.
pub(super) struct Rewrite<'a> {
    /// The program. Operations are changed here, regions and outputs when the rewrite is finished.
    pub program: &'a mut Program,
    replaced: Vec<Value>,
    changes: usize,
}

impl<'a> Rewrite<'a> {
    pub fn new(program: &'a mut Program) -> Rewrite<'a> {
        let replaced = (0..program.len()).map(Value::new).collect();
        Rewrite { program, replaced, changes: 0 }
    }

    /// The steps of the program as it is now.
    pub fn steps(&self) -> Vec<Step> {
        all_steps(self.program).collect()
    }

    /// What stands for a value now. Values made during the rewrite stand for themselves.
    pub fn current(&self, value: Value) -> Value {
        self.replaced.get(value.index()).copied().unwrap_or(value)
    }

    /// The operation of a statement, with operands brought up to date.
    pub fn update(&mut self, value: Value) -> Operation {
        let operation = self.program.operation(value);
        if let Operation::Call { arguments, .. } = operation {
            let start = arguments.start as usize;
            for k in start..start + arguments.len as usize {
                self.program.arguments[k] = self.current(self.program.arguments[k]);
            }
            return operation;
        }
        let operation = map_plain(operation, |operand| self.current(operand));
        self.program.operations[value.index()] = operation;
        operation
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

    /// Brings regions and outputs up to date, drops the statements that were replaced and gives the
    /// number of changes.
    pub fn finish(self) -> usize {
        let Rewrite { program, replaced, changes } = self;
        if changes == 0 {
            return 0;
        }
        let current = |value: Value| replaced.get(value.index()).copied().unwrap_or(value);
        let kept = |value: &Value| current(*value) == *value;
        program.setup.retain(kept);
        program.body.retain(kept);
        for region in &mut program.regions {
            region.block.retain(kept);
            let lists = [&mut region.initial, &mut region.next, &mut region.residuals];
            for value in lists.into_iter().flatten() {
                *value = current(*value);
            }
            region.tolerance = current(region.tolerance);
        }
        for entry in program.outputs.iter_mut().flat_map(|output| &mut output.entries) {
            entry.value = current(entry.value);
        }
        super::compact(program);
        changes
    }
}
