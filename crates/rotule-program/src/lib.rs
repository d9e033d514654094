//! The program IR of Rotule: what an optimised model is before it becomes code.
//!
//! A [`Program`] is a graph of values in static single assignment. Inputs have a kind, which says
//! in which stages they are known; `setup` computes what depends on parameters only; `shared`
//! computes what functions of a [group] share at a state; `body` computes the rest;
//! iterated regions are Newton loops that stay loops; external calls are foreign functions with
//! several results; outputs are named sparse matrices. [Marks](Mark) say which part of the equations
//! a value belongs to, and change no code.
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

mod counts;
mod error;
mod forward_mode;
pub mod group;
mod index;
mod interpret;
pub mod limits;
pub mod lower;
mod mark;
mod needs;
mod operation;
pub mod parallel;
pub mod passes;
mod picks;
mod program;
mod readable;
pub mod reroll;
pub mod slp;
pub mod text;
mod verify;
mod walk;

pub use counts::{OperationTally, ProgramCounts};
pub use error::{ProgramError, Site};
pub use forward_mode::{ForwardDerivatives, ForwardMode};
pub use index::{FunctionId, InputId, MarkId, OutputId, RegionId, SlotId, Value};
pub use interpret::{
    ExecutionWork, Externals, Interpreter, LengthError, NoExternals, RegionStatus, RunError,
    SuppliedCode, Workspace, run_once,
};
pub use mark::{Mark, Tag, TagKind, TaggedCounts, count_by_tag};
pub use operation::{Arguments, ArithmeticOperation, Operation};
pub use picks::Picks;
pub use program::{
    Block, Entry, ForeignSignature, Partner, Program, ProgramInput, ProgramOutput, Region,
    RegionResult, RegionRole,
};
pub use readable::readable;
pub use text::{ParseProblem, ProgramParseError, parse, print};
pub use verify::verify;
pub use walk::{BlockSteps, Step, all_steps, stages_of, steps};
