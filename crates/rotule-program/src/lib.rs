//! The program IR of Rotule: what an optimised model is before it becomes code.
//!
//! A [`Program`] is a graph of values in static single assignment. Inputs have a kind, which is
//! their stage; `setup` computes what depends on parameters only; `body` computes the rest;
//! iterated regions are Newton loops that stay loops; external calls are foreign functions with
//! several results; outputs are named sparse matrices.
//!
//! A program is built by [`Program`]'s methods or read by [`parse`], checked by [`verify`], printed
//! by [`print`](print()), run by [`Interpreter`], measured by [`ProgramCounts`] and rewritten by
//! the [`passes`].
//!
//! ```
//! use rotule_program::{NoExternals, parse, run_once};
//!
//! let program = parse(
//!     "program pendulum
//!      input m parameter
//!      input l parameter
//!      input q coordinate
//!      setup
//!        %0 = mul m l
//!        %1 = mul %0 9.81
//!      body
//!        %2 = sin q
//!        %3 torque = mul %1 %2
//!      output tau(1)
//!        (0) = %3",
//! )?;
//! let outputs = run_once(&program, &[2.0, 0.5, 0.0], &mut NoExternals)?;
//! assert_eq!(outputs, [0.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod alike;
mod counts;
mod error;
mod index;
mod interpret;
pub mod limits;
pub mod lower;
mod operation;
pub mod parallel;
pub mod passes;
mod picks;
mod program;
mod readable;
pub mod repeat;
pub mod text;
mod verify;
mod walk;

pub use counts::{OperationTally, ProgramCounts};
pub use error::{ProgramError, Site};
pub use index::{FunctionId, InputId, OutputId, RegionId, SlotId, Value};
pub use interpret::{
    ExecutionWork, Externals, Interpreter, LengthError, NoExternals, RegionStatus, RunError,
    Workspace, run_once,
};
pub use operation::{Arguments, ArithmeticOperation, Operation};
pub use picks::Picks;
pub use program::{
    Block, Entry, ForeignSignature, Partner, Program, ProgramInput, ProgramOutput, Region,
};
pub use readable::readable;
pub use text::{ParseProblem, ProgramParseError, parse, print};
pub use verify::verify;
pub use walk::{BlockSteps, Step, all_steps, steps};
