//! The border between Rust and libraries: those that the machine's C compiler made, and those with
//! functions of the user.
//!
//! The first was made of the C of [`rotule_emit::shared`] and comes from a folder into which
//! nobody else can write. It calls back only the function below, which lets no panic through.

#![allow(unsafe_code, reason = "a library is loaded by saying what is in it")]

use libloading::Library;
use rotule_program::{Externals, FunctionId, Program};
use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

type Call = extern "C" fn(*mut c_void, std::ffi::c_ulong, *const f64, *mut f64);
type Setup = unsafe extern "C" fn(*const f64, *mut f64, Call, *mut c_void) -> i32;
type Evaluate =
    unsafe extern "C" fn(*const f64, *const f64, *mut f64, *mut f64, Call, *mut c_void) -> i32;

/// A loaded library.
#[derive(Debug)]
pub struct Loaded {
    setup: Setup,
    evaluate: Evaluate,
    /// Keeps the two functions where they are.
    _library: Library,
}

/// The context of external calls.
struct Context<'a> {
    program: &'a Program,
    externals: &'a mut dyn Externals,
    panic: Option<Box<dyn Any + Send>>,
}

impl Loaded {
    /// Loads a library that was made of the C of a program.
    pub fn new(path: &Path) -> Result<Loaded, libloading::Error> {
        // SAFETY: the library has no initialisers, and its functions have the types that their C
        // gives them.
        unsafe {
            let library = Library::new(path)?;
            let setup = *library.get::<Setup>("rotule_setup")?;
            let evaluate = *library.get::<Evaluate>("rotule_evaluate")?;
            Ok(Loaded { setup, evaluate, _library: library })
        }
    }

    /// Runs `setup`; gives how many regions did not converge. Inputs and constants are as many as
    /// the program has.
    pub fn setup(
        &self,
        program: &Program,
        inputs: &[f64],
        constants: &mut [f64],
        externals: &mut dyn Externals,
    ) -> i32 {
        let mut context = Context { program, externals, panic: None };
        let pointer = (&raw mut context).cast();
        // SAFETY: the caller gives arrays of the lengths that the C was written for.
        let failures =
            unsafe { (self.setup)(inputs.as_ptr(), constants.as_mut_ptr(), call, pointer) };
        context.end(failures)
    }

    /// Runs `body`; gives how many regions did not converge. All lengths are those of the program.
    pub fn evaluate(
        &self,
        program: &Program,
        inputs: &[f64],
        constants: &[f64],
        (outputs, ends): (&mut [f64], &mut [f64]),
        externals: &mut dyn Externals,
    ) -> i32 {
        let mut context = Context { program, externals, panic: None };
        let pointer = (&raw mut context).cast();
        let (outputs, ends) = (outputs.as_mut_ptr(), ends.as_mut_ptr());
        // SAFETY: the caller gives arrays of the lengths that the C was written for.
        let failures = unsafe {
            (self.evaluate)(inputs.as_ptr(), constants.as_ptr(), outputs, ends, call, pointer)
        };
        context.end(failures)
    }
}

impl Context<'_> {
    /// A panic of an external function goes on from here.
    fn end(self, failures: i32) -> i32 {
        match self.panic {
            Some(panic) => resume_unwind(panic),
            None => failures,
        }
    }
}

/// Calls an external function. After a panic there is nothing but NaN until the C returns.
extern "C" fn call(
    context: *mut c_void,
    function: std::ffi::c_ulong,
    arguments: *const f64,
    results: *mut f64,
) {
    // SAFETY: the C hands on the context that it was given, which nobody else uses meanwhile.
    let context = unsafe { &mut *context.cast::<Context<'_>>() };
    let function = context.program.get_function(FunctionId::new(function as usize));
    // SAFETY: the C has arrays of these lengths, apart from each other, and has written the
    // arguments.
    let (arguments, results) = unsafe {
        (
            std::slice::from_raw_parts(arguments, function.arguments as usize),
            std::slice::from_raw_parts_mut(results, function.results as usize),
        )
    };
    results.fill(f64::NAN);
    if context.panic.is_some() {
        return;
    }
    let made = AssertUnwindSafe(|| context.externals.call(function, arguments, results));
    context.panic = catch_unwind(made).err();
}

/// A function of the user in a library that is loaded.
#[derive(Clone, Copy, Debug)]
pub struct Function(unsafe extern "C" fn(*const f64, *mut f64));

/// A library with functions of the user.
#[derive(Debug)]
pub struct Opened {
    library: Library,
}

impl Opened {
    /// Loads a library that the user named.
    pub fn new(path: &Path) -> Result<Opened, libloading::Error> {
        // SAFETY: its initialisers do what the user wants who named it.
        let library = unsafe { Library::new(path)? };
        Ok(Opened { library })
    }

    /// A function by its name.
    pub fn function(&self, name: &str) -> Option<Function> {
        // SAFETY: documented to users as the type of such a function.
        let found = unsafe { self.library.get::<unsafe extern "C" fn(*const f64, *mut f64)>(name) };
        found.ok().map(|function| Function(*function))
    }

    /// Calls a function of this library.
    pub fn call(&self, function: Function, arguments: &[f64], results: &mut [f64]) {
        // SAFETY: the library is loaded as long as `self` lives; that the function keeps to its
        // slices is the user's promise, which callers try in another process first.
        unsafe { (function.0)(arguments.as_ptr(), results.as_mut_ptr()) }
    }
}
