//! The choice of the kernel that runs a program: the fastest one available, or the requested one.

use crate::error::KernelError;
use crate::interpreted::Interpreted;
use crate::interpreted_lanes::InterpretedLanes;
use crate::kernel::ProgramKernel;
use rotule_program::Program;
use std::borrow::Borrow;

/// Kinds of kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KernelKind {
    /// Native code where it is available, else the interpreter.
    #[default]
    Auto,
    /// The interpreter.
    Interpreter,
    /// Native code, or an error.
    Native,
    /// A library that the machine's C compiler makes, or an error.
    Compiled,
}

impl KernelKind {
    /// Every choice with its word.
    pub const ALL: [(KernelKind, &'static str); 4] = [
        (KernelKind::Auto, "auto"),
        (KernelKind::Interpreter, "interpreter"),
        (KernelKind::Native, "native"),
        (KernelKind::Compiled, "compiled"),
    ];
}

/// Options of generated code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelOptions {
    /// `true` if a product that only one sum reads is rounded together with it. This is faster and
    /// mostly more exact, but the last digits differ from the interpreter's.
    pub fuse: bool,
}

/// A kernel for a program, borrowed or shared. Only a choice other than [`KernelKind::Auto`] can be
/// refused for another reason than that the program is not valid.
pub fn kernel<'a, P: Borrow<Program> + Clone + Send + 'a>(
    program: P,
    choice: KernelKind,
    options: KernelOptions,
) -> Result<Box<dyn ProgramKernel + 'a>, KernelError> {
    select(program, choice, options, States::One)
}

/// A kernel over several states for a program, borrowed or shared: native code or the interpreter;
/// a library of the C compiler serves one state only.
pub fn lanes<'a, P: Borrow<Program> + Clone + Send + 'a>(
    program: P,
    choice: KernelKind,
    options: KernelOptions,
) -> Result<Box<dyn ProgramKernel + 'a>, KernelError> {
    select(program, choice, options, States::Several)
}

/// States that a kernel takes at once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum States {
    One,
    Several,
}

/// Makes the requested kind of kernel. The interpreter replaces native code that is not available
/// only if no kind was requested.
fn select<'a, P: Borrow<Program> + Clone + Send + 'a>(
    program: P,
    choice: KernelKind,
    options: KernelOptions,
    states: States,
) -> Result<Box<dyn ProgramKernel + 'a>, KernelError> {
    match choice {
        KernelKind::Interpreter => interpreter(program, states, None),
        KernelKind::Native => native(program, options, states),
        KernelKind::Compiled if states == States::Several => Err(KernelError::Unavailable(
            "a compiled library runs one state at a time; use native code".into(),
        )),
        KernelKind::Compiled => compiled(program, options),
        KernelKind::Auto => match native(program.clone(), options, states) {
            Err(KernelError::Unavailable(reason)) => interpreter(program, states, Some(reason)),
            made => made,
        },
    }
}

/// The interpreter, and why nothing faster is available, if something faster was tried.
fn interpreter<'a, P: Borrow<Program> + Send + 'a>(
    program: P,
    states: States,
    reason: Option<String>,
) -> Result<Box<dyn ProgramKernel + 'a>, KernelError> {
    Ok(match states {
        States::One => {
            let mut one = Interpreted::new(program).map_err(KernelError::Invalid)?;
            one.reason = reason;
            Box::new(one)
        }
        States::Several => {
            let mut several = InterpretedLanes::new(program).map_err(KernelError::Invalid)?;
            several.reason = reason;
            Box::new(several)
        }
    })
}

#[cfg(all(feature = "native", target_arch = "x86_64"))]
fn native<'a, P: Borrow<Program> + Send + 'a>(
    program: P,
    options: KernelOptions,
    states: States,
) -> Result<Box<dyn ProgramKernel + 'a>, KernelError> {
    let native = match states {
        States::One => crate::native::Native::new(program, options)?,
        States::Several => crate::native::Native::lanes(program, options)?,
    };
    Ok(Box::new(native))
}

#[cfg(not(all(feature = "native", target_arch = "x86_64")))]
fn native<'a, P: Borrow<Program> + Send + 'a>(
    _: P,
    _: KernelOptions,
    _: States,
) -> Result<Box<dyn ProgramKernel + 'a>, KernelError> {
    Err(KernelError::Unavailable(match cfg!(target_arch = "x86_64") {
        true => {
            "this build has no native code; build with the feature `native`, or use the interpreter"
                .into()
        }
        false => format!(
            "native code is written for x86-64 only, and this machine is {}; use the interpreter",
            std::env::consts::ARCH
        ),
    }))
}

#[cfg(all(feature = "compiled", unix))]
fn compiled<'a, P: Borrow<Program> + Send + 'a>(
    program: P,
    options: KernelOptions,
) -> Result<Box<dyn ProgramKernel + 'a>, KernelError> {
    Ok(Box::new(crate::compiled::Compiled::new(program, options)?))
}

#[cfg(not(all(feature = "compiled", unix)))]
fn compiled<'a, P: Borrow<Program> + Send + 'a>(
    _: P,
    _: KernelOptions,
) -> Result<Box<dyn ProgramKernel + 'a>, KernelError> {
    Err(KernelError::Unavailable(match cfg!(unix) {
        true => "this build has no compiled kernels; build with the feature `compiled`, or use native code or the interpreter".into(),
        false => "compiled kernels are made on Unix-like systems only; use native code or the interpreter".into(),
    }))
}
