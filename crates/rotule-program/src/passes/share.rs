//! Sharing: statements that compute the same become one, by value numbering.
//!
//! A statement is compared with all that are visible where it stands: those before it in its own
//! block, in the blocks around it and in `setup`. Operands of + and * match in either order, which
//! changes no bit. Regions are not compared with each other.
//!
//! What a region exports without computing it, because it is shared with the blocks around or was
//! hoisted there, is read where it is.

use super::PassReport;
use super::rewrite::Rewrite;
use crate::index::Value;
use crate::operation::Operation;
use crate::program::{Program, RegionResult};
use crate::walk::Step;
use rotule_symbolic::{Newest, OperandTable};
use std::hash::{BuildHasher, RandomState};

/// Makes equal statements one.
pub fn share(program: &mut Program) -> PassReport {
    PassReport::of("share", program, |program| {
        let mut rewrite = Rewrite::new(program);
        let mut known = Known::by(rewrite.program, |_, operation| ordered(operation));
        rewrite.walk(|rewrite, step| match step {
            Step::Enter(..) => known.enter(),
            Step::Leave(..) => known.leave(),
            Step::Statement(value) => {
                let operation = rewrite.update(value);
                match known_around(rewrite, operation) {
                    Some(Around::Value(same)) => return rewrite.replace(value, same),
                    Some(Around::State(state)) => rewrite.change(value, state),
                    None => {}
                }
                if let Some(equal) = known.find_or_add(rewrite.program, value) {
                    rewrite.replace(value, equal);
                }
            }
        });
        rewrite.finish()
    })
}

/// Where the result of a region is found that the region exports without computing it.
enum Around {
    /// A value that is visible behind the region, too.
    Value(Value),
    /// The result of a state.
    State(Operation),
}

/// Looks for a result that is an export, where the block of its region does not list that.
fn known_around(rewrite: &Rewrite<'_>, operation: Operation) -> Option<Around> {
    let Operation::Result { of, index } = operation else { return None };
    let Operation::Region(id) = rewrite.program.operation(of) else { return None };
    let RegionResult::Export(value) = rewrite.program.get_region(id).result(index)? else {
        return None;
    };
    let value = rewrite.current(value);
    match rewrite.program.operation(value) {
        Operation::State(own, index) if own == id => {
            Some(Around::State(Operation::Result { of, index }))
        }
        _ if rewrite.home(value) == Some(id) => None,
        _ => Some(Around::Value(value)),
    }
}

/// The statements that are visible, by what they compute.
pub(super) struct Known<F> {
    table: OperandTable,
    /// Additions of each open region, to be forgotten when it ends.
    scopes: Vec<Vec<Added>>,
    /// The form in which operations are compared.
    form: F,
    // A hostile program chooses the keys. The seed cannot show: the table is never iterated.
    seed: u64,
}

/// A statement in the table: its newest operand, its hash and its value.
type Added = (Newest, u32, Value);

impl<F: Fn(&Program, Operation) -> Operation> Known<F> {
    /// No statement yet; operations will be equal if their forms are.
    pub fn by(program: &Program, form: F) -> Known<F> {
        Known {
            table: OperandTable::with_capacity(program.len()),
            scopes: Vec::new(),
            form,
            seed: RandomState::new().hash_one(0),
        }
    }

    pub fn enter(&mut self) {
        self.scopes.push(Vec::new());
    }

    pub fn leave(&mut self) {
        for (newest, hash, value) in self.scopes.pop().unwrap_or_default().into_iter().rev() {
            self.table.remove(newest, hash, value.index() as u32);
        }
    }

    /// A known statement of the same form; else the statement becomes known itself.
    pub fn find_or_add(&mut self, program: &Program, value: Value) -> Option<Value> {
        let form = |value: Value| (self.form)(program, program.operation(value));
        let own = form(value);
        let (newest, hash) = self.key(program, own);
        let same = |known: u32| equal(program, form(Value::new(known as usize)), own);
        if let Some(known) = self.table.find(newest, hash, same) {
            return Some(Value::new(known as usize));
        }
        self.table.insert(newest, hash, value.index() as u32);
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((newest, hash, value));
        }
        None
    }

    /// The newest operand and the hash of an operation.
    fn key(&self, program: &Program, operation: Operation) -> (Newest, u32) {
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
        let (mut newest, mut state) = (None, mixed(self.seed, detail));
        program.operands(operation, |operand| {
            newest = newest.max(Some(operand.index() as u32));
            state = mixed(state, operand.index() as u64);
        });
        (newest, (state >> 32) as u32 ^ state as u32)
    }
}

/// Both halves of a product, added: every bit of the seed and the value reaches every bit of the
/// result.
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
