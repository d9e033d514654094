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
use std::hash::{BuildHasher, RandomState};

/// Makes equal statements one.
pub fn share(program: &mut Program) -> Report {
    Report::of("share", program, |program| {
        let mut rewrite = Rewrite::new(program);
        let mut known = Known::by(rewrite.program, |_, operation| ordered(operation));
        rewrite.walk(|rewrite, step| match step {
            Step::Enter(..) => known.enter(),
            Step::Leave(..) => known.leave(),
            Step::Statement(value) => {
                rewrite.update(value);
                if let Some(equal) = known.find_or_add(rewrite.program, value) {
                    rewrite.replace(value, equal);
                }
            }
        });
        rewrite.finish()
    })
}

/// The statements that are visible, by what they compute.
pub(super) struct Known<F> {
    table: HashTable<(u64, Value)>,
    /// What each open region added, to be forgotten when it ends.
    scopes: Vec<Vec<(u64, Value)>>,
    /// The form in which operations are compared.
    form: F,
    // A hostile program chooses the keys. The seed cannot show: the table is never iterated.
    seed: u64,
}

impl<F: Fn(&Program, Operation) -> Operation> Known<F> {
    /// No statement yet; operations will be equal if their forms are.
    pub fn by(program: &Program, form: F) -> Known<F> {
        Known {
            table: HashTable::with_capacity(program.len()),
            scopes: Vec::new(),
            form,
            seed: RandomState::new().hash_one(0),
        }
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
        let same =
            |&(other, known): &(u64, Value)| other == hash && equal(program, form(known), own);
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
        let detail = match operation {
            Operation::Arithmetic(arithmetic, ..) => arithmetic as u64,
            Operation::Unary(function, _) => 0x100 + function as u64,
            Operation::Binary(function, ..) => 0x200 + function as u64,
            Operation::Select { compare, .. } => 0x300 + compare as u64,
            Operation::Call { function, .. } => 0x400 + ((function.index() as u64) << 16),
            Operation::Result { index, .. } => 0x500 + (u64::from(index) << 16),
            Operation::Neg(_) => 0x600,
            _ => 0x700,
        };
        let mut state = mixed(self.seed, detail);
        program.operands(operation, |operand| state = mixed(state, operand.index() as u64));
        state
    }
}

/// Both halves of a product, added: every bit of the seed and the value reaches every bit of the result.
fn mixed(state: u64, value: u64) -> u64 {
    let product = u128::from(state ^ value) * 0x9e37_79b9_7f4a_7c15;
    (product >> 64) as u64 ^ product as u64
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
