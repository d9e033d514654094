//! The choice of the kernel that runs a program: the fastest one available, or the requested one.

use crate::error::KernelError;
use crate::interpreted::Interpreted;
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
    taken(choice, |way| match way {
        Way::Interpreter(reason) => interpreter(program.clone(), reason),
        Way::Native => native(program.clone(), options),
        Way::Compiled => compiled(program.clone(), options),
    })
}

/// A way to run a program.
pub(crate) enum Way {
    /// The interpreter, and why nothing faster is available, if something faster was tried.
    Interpreter(Option<String>),
    Native,
    Compiled,
}

/// Makes the requested kind of kernel. The interpreter replaces native code that is not available
/// only if no kind was requested.
pub(crate) fn taken<K>(
    choice: KernelKind,
    make: impl Fn(Way) -> Result<K, KernelError>,
) -> Result<K, KernelError> {
    match choice {
        KernelKind::Interpreter => make(Way::Interpreter(None)),
        KernelKind::Native => make(Way::Native),
        KernelKind::Compiled => make(Way::Compiled),
        KernelKind::Auto => match make(Way::Native) {
            Err(KernelError::Unavailable(reason)) => make(Way::Interpreter(Some(reason))),
            made => made,
        },
    }
}

fn interpreter<'a, P: Borrow<Program> + Send + 'a>(
    program: P,
    reason: Option<String>,
) -> Result<Box<dyn ProgramKernel + 'a>, KernelError> {
    let interpreted = Interpreted::new(program).map_err(KernelError::Invalid)?;
    Ok(Box::new(match reason {
        Some(reason) => interpreted.because(reason),
        None => interpreted,
    }))
}

#[cfg(all(feature = "native", target_arch = "x86_64"))]
fn native<'a, P: Borrow<Program> + Send + 'a>(
    program: P,
    options: KernelOptions,
) -> Result<Box<dyn ProgramKernel + 'a>, KernelError> {
    Ok(Box::new(crate::native::Native::new(program, options)?))
}

#[cfg(not(all(feature = "native", target_arch = "x86_64")))]
fn native<'a, P: Borrow<Program> + Send + 'a>(
    _: P,
    _: KernelOptions,
) -> Result<Box<dyn ProgramKernel + 'a>, KernelError> {
    Err(no_native())
}

/// Reason for which there is no native code in this build.
#[cfg(not(all(feature = "native", target_arch = "x86_64")))]
pub(crate) fn no_native() -> KernelError {
    KernelError::Unavailable(match cfg!(target_arch = "x86_64") {
        true => {
            "this build has no native code; build with the feature `native`, or use the interpreter"
                .into()
        }
        false => format!(
            "native code is written for x86-64 only, and this machine is {}; use the interpreter",
            std::env::consts::ARCH
        ),
    })
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
