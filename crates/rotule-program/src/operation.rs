//! The operations of a program: what one value is made of.
//!
//! An operation is at most 24 bytes; what does not fit (the arguments of a call, the inside of a
//! region) lies in the program's side arenas.

use crate::index::{FunctionId, InputId, RegionId, Value};
use rotule_symbolic::{Binary, Compare, Unary};

/// The four arithmetic operations.
#[allow(missing_docs, reason = "each variant is the operation of that name")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum ArithmeticOperation {
    Add,
    Sub,
    Mul,
    Div,
}

impl ArithmeticOperation {
    /// Every arithmetic operation.
    pub const ALL: [ArithmeticOperation; 4] = [
        ArithmeticOperation::Add,
        ArithmeticOperation::Sub,
        ArithmeticOperation::Mul,
        ArithmeticOperation::Div,
    ];

    /// The word for this operation in text.
    pub const fn name(self) -> &'static str {
        match self {
            ArithmeticOperation::Add => "add",
            ArithmeticOperation::Sub => "sub",
            ArithmeticOperation::Mul => "mul",
            ArithmeticOperation::Div => "div",
        }
    }

    /// The sign of this operation between its operands.
    pub const fn sign(self) -> &'static str {
        match self {
            ArithmeticOperation::Add => "+",
            ArithmeticOperation::Sub => "-",
            ArithmeticOperation::Mul => "*",
            ArithmeticOperation::Div => "/",
        }
    }

    /// The operation that `name` is the word for.
    pub fn from_name(name: &str) -> Option<ArithmeticOperation> {
        ArithmeticOperation::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// Returns `true` if the operands may be exchanged without changing a bit of the value.
    pub const fn commutes(self) -> bool {
        matches!(self, ArithmeticOperation::Add | ArithmeticOperation::Mul)
    }

    /// The operation's value.
    pub fn apply(self, x: f64, y: f64) -> f64 {
        match self {
            ArithmeticOperation::Add => x + y,
            ArithmeticOperation::Sub => x - y,
            ArithmeticOperation::Mul => x * y,
            ArithmeticOperation::Div => x / y,
        }
    }
}

/// The arguments of a call: a range of the program's argument pool, read by
/// [`Program::arguments`](crate::Program::arguments).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arguments {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// The operation that makes a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    /// A number. Always available, listed in no block.
    Constant(f64),
    /// An input. Always available, listed in no block.
    Input(InputId),
    /// The current state of a region, available inside that region, listed in no block.
    State(RegionId, u32),
    /// The opposite of a value.
    Neg(Value),
    /// A sum, difference, product or quotient.
    Arithmetic(ArithmeticOperation, Value, Value),
    /// A function of one argument.
    Unary(Unary, Value),
    /// A function of two arguments.
    Binary(Binary, Value, Value),
    /// `then` where the comparison of `left` with `right` holds, else `otherwise`. All four are
    /// evaluated.
    Select {
        /// The comparison of the two sides.
        compare: Compare,
        /// The left side of the comparison.
        left: Value,
        /// The right side of the comparison.
        right: Value,
        /// The value where the comparison holds.
        then: Value,
        /// The value where it does not hold.
        otherwise: Value,
    },
    /// The results of an external function: a tuple.
    Call {
        /// The function.
        function: FunctionId,
        /// Its arguments.
        arguments: Arguments,
    },
    /// The results of an iterated region: a tuple.
    Region(RegionId),
    /// One result of a call or of a region.
    Result {
        /// The call or the region.
        of: Value,
        /// The number of the result, from 0.
        index: u32,
    },
}

impl Operation {
    /// Returns `true` if the value is always available where it is visible and hence listed in no
    /// block.
    pub const fn is_leaf(self) -> bool {
        matches!(self, Operation::Constant(_) | Operation::Input(_) | Operation::State(..))
    }

    /// Returns `true` if the value is a tuple, of which only [`Operation::Result`] can make a
    /// number.
    pub const fn is_tuple(self) -> bool {
        matches!(self, Operation::Call { .. } | Operation::Region(_))
    }

    /// The word for this operation in text.
    pub const fn word(self) -> &'static str {
        match self {
            Operation::Constant(_) => "constant",
            Operation::Input(_) => "input",
            Operation::State(..) => "state",
            Operation::Neg(_) => "neg",
            Operation::Arithmetic(arithmetic, ..) => arithmetic.name(),
            Operation::Unary(function, _) => function.name(),
            Operation::Binary(function, ..) => function.name(),
            Operation::Select { .. } => "select",
            Operation::Call { .. } => "call",
            Operation::Region(_) => "region",
            Operation::Result { .. } => "result",
        }
    }
}

// A million operations should stay in 24 MB.
const _: () = assert!(size_of::<Operation>() <= 24);
