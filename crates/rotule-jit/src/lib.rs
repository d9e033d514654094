//! Kernels: programs ready to run in this process.
//!
//! Whoever evaluates a program many times (a simulation, a study, a benchmark) holds a [`Kernel`] and
//! does not know how it runs. The [interpreter](Interpreted) is the meaning; every other kernel gives
//! the same numbers to 1e-13.

mod interpreted;
mod kernel;

pub use interpreted::Interpreted;
pub use kernel::Kernel;
