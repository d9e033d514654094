//! Errors in a program with their places, as the verifier reports them.

use crate::index::{FunctionId, InputId, MarkId, OutputId, RegionId, Value};
use crate::limits;
use rotule_symbolic::Kind;
use std::fmt;

/// The place of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// At the definition of a value.
    Value(Value),
    /// At a region.
    Region(RegionId),
    /// At an output.
    Output(OutputId),
    /// At a mark.
    Mark(MarkId),
    /// At the declaration of a function.
    Function(FunctionId),
    /// At the declaration of an input.
    Input(InputId),
    /// In the program as a whole.
    Program,
}

impl Site {
    /// The word for what was found.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Site::Value(_) => "value",
            Site::Region(_) => "region",
            Site::Output(_) => "output",
            Site::Mark(_) => "mark",
            Site::Function(_) => "function",
            Site::Input(_) => "input",
            Site::Program => "program",
        }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let index = match self {
            Site::Value(value) => value.index(),
            Site::Region(region) => region.index(),
            Site::Output(output) => output.index(),
            Site::Mark(mark) => mark.index(),
            Site::Function(function) => function.index(),
            Site::Input(input) => input.index(),
            Site::Program => return write!(f, "the program"),
        };
        write!(f, "{} {index}", self.word())
    }
}

/// Something that is wrong with a program. Values are named by their place in the arena.
#[allow(missing_docs, reason = "the fields are the numbers that the message shows")]
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProgramError {
    /// An operand that does not exist.
    NoSuchValue { at: Site, operand: Value },
    /// An input, function or region that does not exist.
    NoSuchItem { at: Value, what: &'static str, index: usize },
    /// An operand that is defined later, or in a region that does not enclose its use.
    NotVisible { at: Site, operand: Value },
    /// A call or a region where a number is needed.
    NotANumber { at: Site, operand: Value },
    /// A result of something that is neither a call nor a region.
    NotATuple { at: Value, operand: Value },
    /// A result that the call or the region does not have.
    NoSuchResult { at: Value, index: u32, results: u32 },
    /// A call with too many or too few arguments.
    ArgumentCount { at: Value, found: usize, expected: u32 },
    /// A statement in no block.
    NotListed { value: Value },
    /// A statement in two places.
    ListedTwice { value: Value },
    /// A constant, input or state in a block.
    LeafListed { value: Value },
    /// A region that no statement, or more than one, runs.
    RegionUses { region: RegionId, uses: usize },
    /// Regions too deep inside each other.
    TooDeep { region: RegionId, depth: usize },
    /// A region that may run too long.
    TooManyIterations { region: RegionId, limit: u32 },
    /// Not as many states as initial and next values.
    StateCount { region: RegionId, states: usize, initial: usize, next: usize },
    /// A region that exports and has another one inside.
    ExportsAroundRegion { region: RegionId },
    /// A state that is not the one its region says.
    WrongState { value: Value },
    /// Something in `setup` or `shared` that reads an input of a kind that comes later.
    NotOfStage { at: Site, input: InputId, kind: Kind, stage: &'static str },
    /// An input whose value is not that input.
    WrongInput { input: InputId },
    /// Two inputs, functions, outputs or marks of a kind of one name.
    SameName { at: Site, name: String },
    /// A name that is too long.
    NameTooLong { at: Site, bytes: usize },
    /// A function with too many arguments or results.
    FunctionTooWide { function: FunctionId, arguments: u32, results: u32 },
    /// A derivative of a function that is not declared before it.
    NoSuchBase { function: FunctionId, base: FunctionId },
    /// A derivative whose arguments or results are not (1 + directions) times those of its base.
    PartnerShape { function: FunctionId, arguments: (u32, u64), results: (u32, u64) },
    /// An entry outside the output's shape.
    OutsideShape { output: OutputId, row: u32, column: u32, rows: u32, columns: u32 },
    /// An entry given twice.
    EntryTwice { output: OutputId, row: u32, column: u32 },
    /// A symmetric output that is not square.
    NotSquare { output: OutputId, rows: u32, columns: u32 },
    /// An entry above the diagonal of a symmetric output.
    AboveDiagonal { output: OutputId, row: u32, column: u32 },
    /// Outputs that hold too many numbers.
    OutputsTooLarge { numbers: u64 },
    /// Too many values.
    TooManyValues { values: usize },
    /// Too many marks.
    TooManyMarks { marks: usize },
    /// A mark of a constant, input or state.
    LeafMarked { mark: MarkId, value: Value },
    /// A value that a mark has twice.
    MarkedTwice { mark: MarkId, value: Value },
}

impl ProgramError {
    /// Where the problem is.
    pub const fn site(&self) -> Site {
        match *self {
            ProgramError::NoSuchValue { at, .. }
            | ProgramError::NotVisible { at, .. }
            | ProgramError::NotANumber { at, .. }
            | ProgramError::NotOfStage { at, .. }
            | ProgramError::SameName { at, .. }
            | ProgramError::NameTooLong { at, .. } => at,
            ProgramError::NoSuchItem { at, .. }
            | ProgramError::NotATuple { at, .. }
            | ProgramError::NoSuchResult { at, .. }
            | ProgramError::ArgumentCount { at, .. } => Site::Value(at),
            ProgramError::NotListed { value }
            | ProgramError::ListedTwice { value }
            | ProgramError::LeafListed { value }
            | ProgramError::WrongState { value } => Site::Value(value),
            ProgramError::RegionUses { region, .. }
            | ProgramError::TooDeep { region, .. }
            | ProgramError::TooManyIterations { region, .. }
            | ProgramError::ExportsAroundRegion { region }
            | ProgramError::StateCount { region, .. } => Site::Region(region),
            ProgramError::FunctionTooWide { function, .. }
            | ProgramError::NoSuchBase { function, .. }
            | ProgramError::PartnerShape { function, .. } => Site::Function(function),
            ProgramError::OutsideShape { output, .. }
            | ProgramError::EntryTwice { output, .. }
            | ProgramError::NotSquare { output, .. }
            | ProgramError::AboveDiagonal { output, .. } => Site::Output(output),
            ProgramError::LeafMarked { mark, .. } | ProgramError::MarkedTwice { mark, .. } => {
                Site::Mark(mark)
            }
            ProgramError::WrongInput { input } => Site::Input(input),
            ProgramError::OutputsTooLarge { .. }
            | ProgramError::TooManyValues { .. }
            | ProgramError::TooManyMarks { .. } => Site::Program,
        }
    }
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.site())?;
        self.message(f)
    }
}

impl ProgramError {
    /// Writes what is wrong, without where.
    pub(crate) fn message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProgramError::NoSuchValue { operand, .. } => {
                write!(f, "reads value {}, which does not exist", operand.index())
            }
            ProgramError::NoSuchItem { what, index, .. } => {
                write!(f, "refers to {what} {index}, which does not exist")
            }
            ProgramError::NotVisible { operand, .. } => {
                write!(f, "reads value {}, which is not visible there", operand.index())
            }
            ProgramError::NotANumber { operand, .. } => {
                write!(f, "reads value {} as a number, but it is a tuple", operand.index())
            }
            ProgramError::NotATuple { operand, .. } => {
                write!(f, "picks a result of value {}, which is a number", operand.index())
            }
            ProgramError::NoSuchResult { index, results, .. } => {
                write!(f, "picks result {index}, but there are {results}, counted from 0")
            }
            ProgramError::ArgumentCount { found, expected, .. } => {
                write!(f, "gives {found} arguments, expected {expected}")
            }
            ProgramError::NotListed { .. } => write!(f, "is listed in no block"),
            ProgramError::ListedTwice { .. } => write!(f, "is listed more than once"),
            ProgramError::LeafListed { .. } => {
                write!(f, "is a constant, input or state and may not be listed in a block")
            }
            ProgramError::RegionUses { uses, .. } => {
                write!(f, "is run by {uses} statements, expected 1")
            }
            ProgramError::TooDeep { depth, .. } => {
                write!(f, "lies {depth} regions deep, the limit is {}", limits::REGION_DEPTH)
            }
            ProgramError::TooManyIterations { limit, .. } => {
                let most = limits::REGION_ITERATIONS;
                write!(f, "may iterate {limit} times, the limit is {most}")
            }
            ProgramError::StateCount { states, initial, next, .. } => {
                write!(f, "has {states} states, {initial} initial values and {next} next values")
            }
            ProgramError::ExportsAroundRegion { .. } => {
                write!(f, "exports values, which a region with another one inside may not")
            }
            ProgramError::WrongState { .. } => write!(f, "is not a state that its region has"),
            ProgramError::NotOfStage { input, kind, stage, .. } => {
                let input = input.index();
                write!(f, "lies in {stage} but reads input {input}, a {kind}, which comes later")
            }
            ProgramError::WrongInput { .. } => write!(f, "has a value that is not this input"),
            ProgramError::SameName { name, .. } => write!(f, "has the name `{name}` of another"),
            ProgramError::NameTooLong { bytes, .. } => {
                write!(f, "has a name of {bytes} bytes, the limit is {}", limits::NAME_BYTES)
            }
            ProgramError::FunctionTooWide { arguments, results, .. } => {
                let most = limits::FUNCTION_WIDTH;
                write!(f, "has {arguments} arguments and {results} results, the limit is {most}")
            }
            ProgramError::NoSuchBase { base, .. } => {
                write!(f, "is the derivative of function {}, not declared before", base.index())
            }
            ProgramError::PartnerShape { arguments, results, .. } => {
                write!(f, "has {} arguments, expected {}, ", arguments.0, arguments.1)?;
                write!(f, "and {} results, expected {}", results.0, results.1)
            }
            ProgramError::OutsideShape { row, column, rows, columns, .. } => {
                write!(f, "has an entry ({row}, {column}), but its shape is ({rows}, {columns})")
            }
            ProgramError::EntryTwice { row, column, .. } => {
                write!(f, "gives the entry ({row}, {column}) twice")
            }
            ProgramError::NotSquare { rows, columns, .. } => {
                write!(f, "is symmetric, but its shape is ({rows}, {columns})")
            }
            ProgramError::AboveDiagonal { row, column, .. } => {
                write!(f, "is symmetric, but has an entry ({row}, {column}) above its diagonal")
            }
            ProgramError::OutputsTooLarge { numbers } => {
                write!(
                    f,
                    "has outputs of {numbers} numbers, the limit is {}",
                    limits::OUTPUT_NUMBERS
                )
            }
            ProgramError::TooManyValues { values } => {
                write!(f, "has {values} values, the limit is {}", limits::VALUES)
            }
            ProgramError::TooManyMarks { marks } => {
                write!(f, "has {marks} marks, the limit is {}", limits::MARKS)
            }
            ProgramError::LeafMarked { value, .. } => {
                let value = value.index();
                write!(f, "is on value {value}, a constant, input or state, not a statement")
            }
            ProgramError::MarkedTwice { value, .. } => {
                write!(f, "has value {} twice", value.index())
            }
        }
    }
}

impl std::error::Error for ProgramError {}
