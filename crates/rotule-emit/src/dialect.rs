//! Dialects: how a language spells numbers, operations and elements of arrays, which all languages
//! have.
//!
//! A dialect is a table of small functions. The four operations and the minus are written alike
//! everywhere.

use crate::names::NameRules;
use rotule_program::ProgramOutput;
use rotule_symbolic::{Binary, Compare, Unary};

/// The spelling of expressions in a language.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// Its rules for names.
    pub rules: NameRules,
    /// Names of the code around the statements, which arguments and variables leave alone.
    pub taken: &'static [&'static str],
    /// Sines and cosines of so many angles at least are computed at once, if at all.
    pub fewest: usize,
    /// A number, such that it is read as the very same double.
    pub number: fn(f64) -> String,
    /// A function of one argument.
    pub unary: fn(Unary, &str) -> String,
    /// A function of two arguments.
    pub binary: fn(Binary, &str, &str) -> String,
    /// `then` where the comparison of the first two texts holds, else `otherwise`: the last two.
    /// Parenthesised or a call, so that it can stand anywhere.
    pub select: fn(Compare, [&str; 4]) -> String,
    /// An element of an array of arguments, constants or work; counted from zero.
    pub element: fn(&str, usize) -> String,
    /// An entry of an output; counted from zero.
    pub entry: fn(&str, &ProgramOutput, EntryPlace) -> String,
}

/// Of fewer angles sines and cosines are left to the library: packs take longer than two calls.
pub const FEWEST: usize = 3;

/// The place of an entry in an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryPlace {
    /// The row, from zero.
    pub row: u32,
    /// The column, from zero.
    pub column: u32,
    /// `true` if the output is a single number.
    pub scalar: bool,
    /// `true` if the output is a matrix, even if of one column.
    pub matrix: bool,
}

/// The shortest decimal that is read as the same double, for languages that write numbers as C
/// does.
pub fn plain_number(number: f64) -> String {
    format!("{number:?}")
}

/// The word for a value that is no number, if it is none: languages have their own.
pub fn unusual(number: f64, infinity: &str, nan: &str) -> Option<String> {
    match number {
        _ if number.is_nan() => Some(nan.to_owned()),
        _ if number == f64::INFINITY => Some(infinity.to_owned()),
        _ if number == f64::NEG_INFINITY => Some(format!("-{infinity}")),
        _ => None,
    }
}
