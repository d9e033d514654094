//! The border between Rust and the code written here: the only module with `unsafe` in the workspace.
//!
//! Code is written into memory that is not executable and then made executable and read-only, never
//! both at once. It calls back only the functions below, none of which lets a panic through.

#![allow(unsafe_code, reason = "to run bytes one has to call them a function")]

use super::assemble::HELPERS;
use super::plan::Helper;
use memmap2::{Mmap, MmapMut};
use rotule_program::{Externals, FunctionId, Program};
use rotule_symbolic::{Binary, Unary};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Executable code.
#[derive(Debug)]
pub struct Executable {
    code: Mmap,
}

/// What a stage gets: the base of the kernel's memory, inputs, outputs, what external calls need.
type Stage = unsafe extern "sysv64" fn(*mut f64, *const f64, *mut f64, *mut Context<'_>);

/// What external calls need.
struct Context<'a> {
    program: &'a Program,
    externals: &'a mut dyn Externals,
    panic: Option<Box<dyn Any + Send>>,
}

/// Everything that one run of a stage reads and writes.
pub struct Run<'a> {
    /// The program.
    pub program: &'a Program,
    /// The kernel's memory, as long as its layout says.
    pub memory: &'a mut [f64],
    /// Where the base register points to.
    pub base: usize,
    /// The inputs, one for each of the program.
    pub inputs: &'a [f64],
    /// The outputs, as many as the program has.
    pub outputs: &'a mut [f64],
    /// The foreign functions.
    pub externals: &'a mut dyn Externals,
}

impl Executable {
    /// Makes bytes of the assembler executable.
    pub fn new(bytes: &[u8]) -> std::io::Result<Executable> {
        let mut writable = MmapMut::map_anon(bytes.len())?;
        writable.copy_from_slice(bytes);
        Ok(Executable { code: writable.make_exec()? })
    }

    /// Runs a stage that begins at `offset`. A panic of a foreign function goes on from here.
    pub fn run(&self, offset: usize, run: Run<'_>) {
        let mut context = Context { program: run.program, externals: run.externals, panic: None };
        let start = self.code[offset..].as_ptr();
        let base = run.memory.as_mut_ptr().wrapping_add(run.base);
        // SAFETY: the assembler wrote a function of this type at `offset`, and the mapping is
        // executable as long as `self` lives. The code reads and writes only `memory`, `inputs` and
        // `outputs`, whose lengths the kernel checked against the layout that the code was made for.
        unsafe {
            let stage = std::mem::transmute::<*const u8, Stage>(start);
            stage(base, run.inputs.as_ptr(), run.outputs.as_mut_ptr(), &raw mut context);
        }
        if let Some(panic) = context.panic {
            resume_unwind(panic);
        }
    }
}

/// Calls a foreign function; gives 1 if it panicked.
extern "sysv64" fn external(
    context: *mut Context<'_>,
    function: u64,
    arguments: *const f64,
    results: *mut f64,
) -> u64 {
    // SAFETY: the code hands on the context that `run` gave it, which nobody else uses meanwhile.
    let context = unsafe { &mut *context };
    let function = context.program.get_function(FunctionId::new(function as usize));
    // SAFETY: the layout has as much room for arguments and for results as the widest function needs,
    // apart from each other, and the code has written the arguments.
    let (arguments, results) = unsafe {
        (
            std::slice::from_raw_parts(arguments, function.arguments as usize),
            std::slice::from_raw_parts_mut(results, function.results as usize),
        )
    };
    let call = AssertUnwindSafe(|| context.externals.call(function, arguments, results));
    match catch_unwind(call) {
        Ok(()) => 0,
        Err(panic) => {
            context.panic = Some(panic);
            1
        }
    }
}

/// A sine and a cosine, in two registers.
#[repr(C)]
struct Pair {
    sine: f64,
    cosine: f64,
}

extern "sysv64" fn sin_cos(x: f64) -> Pair {
    Pair { sine: Unary::Sin.apply(x), cosine: Unary::Cos.apply(x) }
}

/// The address of a function of one argument that native code may call.
macro_rules! unary {
    ($function:expr) => {{
        extern "sysv64" fn helper(x: f64) -> f64 {
            $function.apply(x)
        }
        helper as extern "sysv64" fn(f64) -> f64 as usize as u64
    }};
}

/// The address of a function of two arguments that native code may call.
macro_rules! binary {
    ($function:expr) => {{
        extern "sysv64" fn helper(x: f64, y: f64) -> f64 {
            $function.apply(x, y)
        }
        helper as extern "sysv64" fn(f64, f64) -> f64 as usize as u64
    }};
}

/// The addresses of all functions that native code calls, the one for foreign functions last.
pub fn addresses() -> [u64; HELPERS.len() + 1] {
    let mut addresses = [0; HELPERS.len() + 1];
    for (address, helper) in addresses.iter_mut().zip(HELPERS) {
        *address = match helper {
            Helper::Unary(Unary::Sin) => unary!(Unary::Sin),
            Helper::Unary(Unary::Cos) => unary!(Unary::Cos),
            Helper::Unary(Unary::Tan) => unary!(Unary::Tan),
            Helper::Unary(Unary::Asin) => unary!(Unary::Asin),
            Helper::Unary(Unary::Acos) => unary!(Unary::Acos),
            Helper::Unary(Unary::Atan) => unary!(Unary::Atan),
            Helper::Unary(Unary::Exp) => unary!(Unary::Exp),
            Helper::Unary(Unary::Log) => unary!(Unary::Log),
            Helper::Unary(Unary::Sqrt) => unary!(Unary::Sqrt),
            Helper::Unary(Unary::Abs) => unary!(Unary::Abs),
            Helper::Unary(Unary::Sign) => unary!(Unary::Sign),
            Helper::Binary(Binary::Atan2) => binary!(Binary::Atan2),
            Helper::Binary(Binary::Min) => binary!(Binary::Min),
            Helper::Binary(Binary::Max) => binary!(Binary::Max),
            Helper::Binary(Binary::Pow) => binary!(Binary::Pow),
            Helper::SinCos => sin_cos as extern "sysv64" fn(f64) -> Pair as usize as u64,
        };
    }
    type External = extern "sysv64" fn(*mut Context<'_>, u64, *const f64, *mut f64) -> u64;
    addresses[HELPERS.len()] = external as External as usize as u64;
    addresses
}
