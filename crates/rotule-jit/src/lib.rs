//! Kernels: programs ready to run in this process.
//!
//! Whoever evaluates a program many times (a simulation, a study, a benchmark) holds a
//! [`ProgramKernel`] and does not know how it runs. The [interpreter](Interpreted) is the meaning;
//! native code (`Native`) gives the same numbers, bit by bit unless operations are fused.
//! [`kernel`] takes the fastest that is ready at once, or the requested kind, such as a library
//! (`Compiled`) that the machine's C compiler makes. [`lanes`] makes a kernel that runs a program
//! over several states at once, and [`Many`] hands blocks of many states to threads.
//!
//! ```
//! use rotule_jit::{KernelKind, KernelOptions, kernel};
//! use rotule_program::{NoExternals, parse};
//!
//! let program = parse(
//!     "program area
//!      input r coordinate
//!      body
//!        %0 = mul r r
//!        %1 = mul %0 3.141592653589793
//!      output a(1)
//!        (0) = %1",
//! )?;
//! let mut kernel = kernel(&program, KernelKind::Auto, KernelOptions::default())?;
//! let mut area = [0.0];
//! kernel.setup(&[2.0], &mut NoExternals)?;
//! kernel.evaluate(&[2.0], &mut area, &mut NoExternals)?;
//! assert_eq!(area, [4.0 * std::f64::consts::PI]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Features, all of them on by default: `native` is native code for x86-64, `compiled` is libraries
//! of the C compiler. Without them, and on machines that they are not for, [`KernelKind::Auto`] is
//! the interpreter and other choices are refused with the reason.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

#[cfg_attr(not(unix), path = "no_cache.rs")]
#[cfg_attr(
    not(feature = "compiled"),
    allow(dead_code, reason = "others ask for a folder alone, libraries also for what lies in it")
)]
mod cache;
#[cfg(all(feature = "compiled", unix))]
mod compiled;
mod error;
mod interpreted;
mod interpreted_lanes;
mod kernel;
mod many;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod native;
mod selection;

pub use cache::cache_folder;
#[cfg(all(feature = "compiled", unix))]
pub use compiled::{
    Compiled, CompiledSource, UserFunction, UserLibrary, UserLibraryError, compile_source,
    compile_texts,
};
pub use error::KernelError;
pub use interpreted::Interpreted;
pub use interpreted_lanes::InterpretedLanes;
pub use kernel::{ProgramKernel, RunCheck};
pub use many::{InputSource, Many, ManyError, ManyInputs, StateArray};
#[cfg(all(feature = "native", target_arch = "x86_64"))]
pub use native::Native;
pub use rotule_program::parallel::{over, threads};
pub use selection::{KernelKind, KernelOptions, kernel, lanes};
