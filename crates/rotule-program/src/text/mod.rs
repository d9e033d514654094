//! The text form of a program: [`print()`] and [`parse()`] are inverse to each other.
//!
//! ```text
//! program pendulum
//!
//! input m parameter
//! input l parameter
//! input q coordinate
//!
//! function tyre(2) -> 3
//! function tyre_d(4) -> 6 derivative of tyre along 1
//!
//! setup
//!   %0 = mul m l
//!
//! body
//!   %1 = sin q
//!   %2 torque = mul %0 %1
//!   %3 = call tyre %1 %2
//!   %4 = result %3 1
//!   %5 = select %4 < 0.5 then %4 else %2
//!   %6 = region closure role loop_closure limit 20 tolerance 1e-12
//!     state %7 angle = %5
//!     %8 = cos %7
//!     %9 = sub %8 %7
//!     next %8
//!     residual %9
//!     export %8
//!   end
//!   %10 = result %6 0
//!   %11 = result %6 3
//!
//! output tau(1)
//!   (0) = %2
//!
//! output M(2, 2) symmetric
//!   (0, 0) = %2
//!   (1, 0) = %10
//!
//! mark section closure %10
//! mark block "first loop" %6 %8
//! ```
//!
//! One line is one thing; indentation and blank lines mean nothing; `#` starts a comment. Values
//! are `%` and a number, and the printer counts them from `%0` in the order of execution; a name
//! may follow where the value is defined. Inputs are written by name and numbers as themselves,
//! also `inf`, `-inf` and `nan`. A name that is not a letter or `_` followed by letters, digits and
//! any of `_ . [ ]` stands in quotes. An output with one column is written as a vector; of a
//! symmetric output only the entries on and below the diagonal are written. Absent entries are
//! zero. Of a region, the role stands behind the name unless it is `unknowns`: see
//! [`RegionRole`](crate::RegionRole). What it exports comes
//! behind its states, its iterations and its convergence. A [mark](crate::Mark) names statements of any block, also those inside of regions.

mod cursor;
mod error;
mod lex;
mod meaning;
mod parse;
mod print;

pub use error::{ParseProblem, ProgramParseError};
pub use parse::parse;
pub(crate) use print::number;
pub use print::{numbers, print};
