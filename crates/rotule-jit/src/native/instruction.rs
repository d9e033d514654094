//! Instructions between the plan and the bytes: registers and places are decided, encodings are
//! not.
//!
//! This is what the proof in the tests runs with names instead of numbers.

use super::plan::Helper;
use rotule_program::{ArithmeticOperation, FunctionId, RegionId};
use rotule_symbolic::Compare;

/// One of the sixteen registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register(pub u8);

/// A place in memory that holds one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// An input.
    Input(u32),
    /// A number of the outputs.
    Output(u32),
    /// A constant of the program, by its value.
    Constant(u32),
    /// A value that `setup` gives to `body`.
    Crossing(u32),
    /// A place for what does not fit into registers.
    Slot(u32),
    /// An argument of an external call.
    Argument(u32),
    /// A result of an external call.
    Result(u32),
    /// Number of updates that a region made, as a whole number.
    Iterations(u32),
    /// One if a region converged, as a floating number.
    Converged(u32),
}

/// The source of an instruction: a register or memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A register.
    Register(Register),
    /// A place.
    Place(Place),
}

/// Operations with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum One {
    /// The opposite.
    Neg,
    /// The magnitude.
    Abs,
    /// The square root.
    Sqrt,
    /// The largest integer that is not above.
    Floor,
}

/// The smaller or the larger of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
}

/// Sums of a product and a number, with one rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    /// Product plus number.
    Plus,
    /// Product minus number.
    Minus,
    /// Number minus product.
    Reversed,
}

/// The role of the target before a fused instruction: a factor or the addend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `to = to * source + other`.
    Factor132,
    /// `to = other * to + source`.
    Factor213,
    /// `to = other * source + to`.
    Addend231,
}

/// Registers that the end of a region needs. With one state all three are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spare {
    /// For what is read from memory.
    pub scratch: Register,
    /// States that passed all tests; after the update began, those that go on.
    pub passed: Register,
    /// For what a state was before.
    pub old: Register,
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Instruction {
    /// Reads a place.
    Load { to: Register, from: Place },
    /// Writes a place.
    Store { from: Register, to: Place },
    /// Copies a register.
    Move { to: Register, from: Register },
    /// `to = a op b`.
    Arithmetic { operation: ArithmeticOperation, to: Register, a: Register, b: Source },
    /// A fused product and sum.
    Fused { sum: Sum, form: Form, to: Register, other: Register, source: Source },
    /// One operand.
    One { operation: One, to: Register, a: Register },
    /// The sign; `to` and `scratch` differ from `a`.
    Sign { to: Register, a: Register, scratch: Register },
    /// The smaller or larger one; `to` and `scratch` differ from the operands.
    Extreme { extreme: Extreme, to: Register, a: Register, b: Register, scratch: Register },
    /// A choice; `to` differs from `then` and `otherwise`.
    Select {
        compare: Compare,
        to: Register,
        left: Register,
        right: Source,
        then: Register,
        otherwise: Register,
    },
    /// Takes an angle, one of up to four.
    Angle { lane: u8, from: Place },
    /// Sines and cosines of so many angles; every register is lost.
    Turn { angles: u8 },
    /// The sine of one of the angles, before anything else is done with registers.
    Sine { lane: u8, to: Place },
    /// The cosine of one of the angles, likewise.
    Cosine { lane: u8, to: Place },
    /// A call; every register is lost.
    Call { helper: Helper, arguments: [Option<Place>; 2], results: [Option<Place>; 2] },
    /// A call of a foreign function; every register is lost.
    External { function: FunctionId },
    /// The number of updates of a region, as a floating number.
    Count { to: Register, region: RegionId },
    /// A region's loop begins; every register is lost.
    Enter { region: RegionId },
    /// Goes to [`Instruction::Update`] unless |residual| <= tolerance. With several states,
    /// `passed` gathers which of them pass all tests.
    Test { residual: Source, tolerance: Register, spare: Spare, first: bool },
    /// All tests are passed: goes to the end. Here begins the update, or the end after too many.
    Update { region: RegionId, spare: Spare },
    /// A state gets its next value; with several states, only where the iteration goes on.
    Next { from: Register, to: Place, spare: Spare },
    /// The update is done: goes to the loop's beginning. Here is the end of the region.
    Leave { region: RegionId, loops: bool },
}
