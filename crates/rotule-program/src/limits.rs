//! Limits on the size of a program. The verifier enforces them on every program, the reader on
//! every text, so that a hostile file ends in a message.

/// Bytes of a text that the reader accepts.
pub const TEXT_BYTES: usize = 1 << 30;

/// Bytes of one name.
pub const NAME_BYTES: usize = 1 << 10;

/// Values of one program.
pub const VALUES: usize = 1 << 28;

/// Marks of one program.
pub const MARKS: usize = 1 << 16;

/// Regions that lie inside each other.
pub const REGION_DEPTH: usize = 16;

/// Iterations of one region.
pub const REGION_ITERATIONS: u32 = 1_000_000;

/// Arguments of an external function, and results as well.
pub const FUNCTION_WIDTH: u32 = 1 << 16;

/// Numbers that all outputs of a program hold together when written densely.
pub const OUTPUT_NUMBERS: u64 = 1 << 26;
