//! Faults in the text of a unit, with their places.

use super::{MAX_POWER, MAX_TEXT};
use std::fmt;
use std::ops::Range;

/// A text that is no unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError {
    /// The place in the text.
    pub span: Range<usize>,
    /// The fault.
    pub fault: UnitFault,
}

/// A fault in the text of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnitFault {
    /// A symbol that is no unit.
    Unknown(String),
    /// A character that no unit begins with.
    Unexpected(char),
    /// The end where a unit should stand.
    End,
    /// A product behind a `/`, which can be read in two ways.
    Ambiguous,
    /// A parenthesis that is not closed.
    Open,
    /// A power that is no integer of a moderate size.
    Power,
    /// A factor that cannot be computed with.
    Range,
    /// A text of this many bytes.
    Long(usize),
}

impl UnitFault {
    /// The error at a place.
    pub(super) fn at(self, span: Range<usize>) -> UnitError {
        UnitError { span, fault: self }
    }

    /// The remedy that follows from the fault alone.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            UnitFault::Unexpected('0'..='9') => {
                Some("write a power as `m^2`, a unit without dimension as `1`")
            }
            UnitFault::Unexpected(_) => Some("write a unit such as `kg m^2` or `N/mm`"),
            UnitFault::Ambiguous => {
                Some("put parentheses around it, as in `V/(rad s)`, or move it before the `/`")
            }
            _ => None,
        }
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            UnitFault::Unknown(symbol) => {
                write!(out, "there is no unit `{}`", crate::diagnostic::short(symbol))
            }
            UnitFault::Unexpected(c) => {
                write!(out, "expected a unit, found `{}`", c.escape_debug())
            }
            UnitFault::End => out.write_str("expected a unit, found the end"),
            UnitFault::Ambiguous => out.write_str("a product behind a `/` can be read in two ways"),
            UnitFault::Open => out.write_str("this `(` is not closed"),
            UnitFault::Power => {
                write!(
                    out,
                    "the power of a unit must be an integer from -{MAX_POWER} to {MAX_POWER}"
                )
            }
            UnitFault::Range => {
                out.write_str("this unit is too large or too small to compute with")
            }
            UnitFault::Long(bytes) => {
                write!(out, "this unit has {bytes} bytes; at most {MAX_TEXT} are read")
            }
        }
    }
}

impl std::error::Error for UnitError {}
