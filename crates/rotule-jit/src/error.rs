//! Errors of making a kernel.

use rotule_program::ProgramError;
use std::fmt;

/// The reason why a kernel could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KernelError {
    /// The program is not valid; no kernel can run it.
    Invalid(Vec<ProgramError>),
    /// This kind of kernel is not available here, for the reason given; another kind may serve.
    Unavailable(String),
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KernelError::Invalid(problems) => {
                write!(f, "the program is not valid")?;
                problems.iter().try_for_each(|problem| write!(f, "\n{problem}"))
            }
            KernelError::Unavailable(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for KernelError {}
