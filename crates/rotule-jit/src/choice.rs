//! Which kernel runs a program: the fastest one that can be had, or the one that was asked for.

use crate::interpreted::Interpreted;
use crate::kernel::Kernel;
use crate::refusal::Refusal;
use rotule_program::Program;
use std::borrow::Borrow;

/// Which kernel to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// Native code where that can be had, else the interpreter.
    #[default]
    Auto,
    /// The interpreter.
    Interpreter,
    /// Native code, or a refusal.
    Native,
}

/// How code is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether a product that only one sum reads is rounded together with it. This is faster and
    /// mostly more exact, but the last digits differ from the interpreter's.
    pub fuse: bool,
}

/// A kernel for a program, borrowed or shared. Only a choice other than [`Choice::Auto`] can be refused for another
/// reason than that the program is not valid.
pub fn kernel<'a, P: Borrow<Program> + Clone + Send + 'a>(
    program: P,
    choice: Choice,
    options: Options,
) -> Result<Box<dyn Kernel + 'a>, Refusal> {
    match choice {
        Choice::Interpreter => interpreter(program, None),
        Choice::Native => native(program, options),
        Choice::Auto => match native(program.clone(), options) {
            Err(Refusal::Unavailable(reason)) => interpreter(program, Some(reason)),
            made => made,
        },
    }
}

fn interpreter<'a, P: Borrow<Program> + Send + 'a>(
    program: P,
    reason: Option<String>,
) -> Result<Box<dyn Kernel + 'a>, Refusal> {
    let interpreted = Interpreted::new(program).map_err(Refusal::Invalid)?;
    Ok(Box::new(match reason {
        Some(reason) => interpreted.because(reason),
        None => interpreted,
    }))
}

#[cfg(target_arch = "x86_64")]
fn native<'a, P: Borrow<Program> + Send + 'a>(
    program: P,
    options: Options,
) -> Result<Box<dyn Kernel + 'a>, Refusal> {
    Ok(Box::new(crate::native::Native::new(program, options)?))
}

#[cfg(not(target_arch = "x86_64"))]
fn native<'a, P: Borrow<Program> + Send + 'a>(
    _: P,
    _: Options,
) -> Result<Box<dyn Kernel + 'a>, Refusal> {
    Err(Refusal::Unavailable(format!(
        "native code is written for x86-64 only, and this machine is {}; use the interpreter",
        std::env::consts::ARCH
    )))
}
