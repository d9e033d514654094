//! Sharing: statements that compute the same become one, by value numbering.
//!
//! A statement is compared with all that are visible where it stands: those before it in its own
//! block, in the blocks around it and in `setup`. Operands of + and * match in either order, which
//! changes no bit. Regions are not compared with each other.

use super::Report;
use super::rewrite::Rewrite;
use crate::index::Value;
use crate::operation::Operation;
use crate::program::Program;
use crate::walk::Step;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

/// Makes equal statements one.
pub fn share(program: &mut Program) -> Report {
    Report::of("share", program, |program| {
        let mut rewrite = Rewrite::new(program);
        let mut known = Known::by(|_, operation| ordered(operation));
        for step in rewrite.steps() {
            match step {
                Step::Enter(..) => known.enter(),
                Step::Leave(..) => known.leave(),
                Step::Statement(value) => {
                    rewrite.update(value);
                    if let Some(equal) = known.find_or_add(rewrite.program, value) {
                        rewrite.replace(value, equal);
                    }
                }
            }
        }
        rewrite.finish()
    })
}

/// The statements that are visible, by what they compute.
pub(super) struct Known {
    table: HashTable<(u64, Value)>,
    /// What each open region added, to be forgotten when it ends.
    scopes: Vec<Vec<(u64, Value)>>,
    /// The form in which operations are compared.
    form: fn(&Program, Operation) -> Operation,
    // A hostile program chooses the keys. The seed cannot show: the table is never iterated.
    seed: RandomState,
}

impl Known {
    /// No statement yet; operations will be equal if their forms are.
    pub fn by(form: fn(&Program, Operation) -> Operation) -> Known {
        Known { table: HashTable::new(), scopes: Vec::new(), form, seed: RandomState::new() }
    }

    pub fn enter(&mut self) {
        self.scopes.push(Vec::new());
    }

    pub fn leave(&mut self) {
        for (hash, value) in self.scopes.pop().unwrap_or_default() {
            if let Ok(entry) = self.table.find_entry(hash, |&(_, known)| known == value) {
                entry.remove();
            }
        }
    }

    /// A known statement of the same form; else the statement becomes known itself.
    pub fn find_or_add(&mut self, program: &Program, value: Value) -> Option<Value> {
        let form = |value: Value| (self.form)(program, program.operation(value));
        let own = form(value);
        let hash = self.hash(program, own);
        let same = |&(_, known): &(u64, Value)| equal(program, form(known), own);
        if let Some(&(_, known)) = self.table.find(hash, same) {
            return Some(known);
        }
        self.table.insert_unique(hash, (hash, value), |&(hash, _)| hash);
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((hash, value));
        }
        None
    }

    fn hash(&self, program: &Program, operation: Operation) -> u64 {
        let mut state = self.seed.build_hasher();
        std::mem::discriminant(&operation).hash(&mut state);
        match operation {
            Operation::Arithmetic(arithmetic, ..) => arithmetic.hash(&mut state),
            Operation::Unary(function, _) => function.hash(&mut state),
            Operation::Binary(function, ..) => function.hash(&mut state),
            Operation::Select { compare, .. } => compare.hash(&mut state),
            Operation::Call { function, .. } => function.hash(&mut state),
            Operation::Result { index, .. } => index.hash(&mut state),
            _ => {}
        }
        program.operands(operation, |operand| operand.hash(&mut state));
        state.finish()
    }
}

/// The operation with the operands of + and * in the order of their numbers.
pub(super) fn ordered(operation: Operation) -> Operation {
    match operation {
        Operation::Arithmetic(arithmetic, a, b) if arithmetic.commutes() && b < a => {
            Operation::Arithmetic(arithmetic, b, a)
        }
        other => other,
    }
}

fn equal(program: &Program, one: Operation, other: Operation) -> bool {
    match (one, other) {
        (
            Operation::Call { function: f, arguments: a },
            Operation::Call { function: g, arguments: b },
        ) => f == g && program.arguments(a) == program.arguments(b),
        _ => one == other,
    }
}
