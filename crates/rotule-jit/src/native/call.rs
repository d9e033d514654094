//! The border between Rust and the code written here: the only module with `unsafe` in the
//! workspace.
//!
//! Code is written into memory that is not executable and then made executable and read-only, never
//! both at once. It calls back only the functions below, none of which lets a panic through.

#![allow(unsafe_code, reason = "to run bytes one has to call them a function")]

use super::assemble::{Addresses, EXTERNAL, FAR, HELPERS};
use super::codes::Width;
use super::plan::Helper;
use memmap2::{Mmap, MmapMut};
use rotule_program::{Externals, FunctionId, Program};
use rotule_symbolic::sincos::sincos;
use rotule_symbolic::{Binary, Unary};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Executable code.
#[derive(Debug)]
pub struct Executable {
    code: Mmap,
}

/// A stage: its arguments are the base of the kernel's memory, inputs, outputs, and the context of
/// external calls.
type Stage = unsafe extern "sysv64" fn(*mut f64, *const f64, *mut f64, *mut Context<'_>);

/// The context of external calls.
struct Context<'a> {
    program: &'a Program,
    externals: &'a mut dyn Externals,
    panic: Option<Box<dyn Any + Send>>,
    /// Arguments and results of one of several states.
    scratch: Vec<f64>,
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
        let (program, externals) = (run.program, run.externals);
        let mut context = Context { program, externals, panic: None, scratch: Vec::new() };
        let start = self.code[offset..].as_ptr();
        let base = run.memory.as_mut_ptr().wrapping_add(run.base);
        // SAFETY: the assembler wrote a function of this type at `offset`, and the mapping is
        // executable as long as `self` lives. The code reads and writes only `memory`, `inputs` and
        // `outputs`, whose lengths the kernel checked against the layout that the code was made
        // for.
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
    // SAFETY: the layout has as much room for arguments and for results as the widest function
    // needs, apart from each other, and the code has written the arguments.
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

/// Calls a foreign function for one state after the other, as far as `active` has bits; gives 1 if
/// it panicked.
extern "sysv64" fn external_lanes(
    context: *mut Context<'_>,
    function: u64,
    arguments: *const f64,
    results: *mut f64,
    active: u64,
) -> u64 {
    const LANES: usize = Width::Four.lanes();
    // SAFETY: as in `external`.
    let context = unsafe { &mut *context };
    let function = context.program.get_function(FunctionId::new(function as usize));
    let (given, taken) = (function.arguments as usize, function.results as usize);
    // SAFETY: as in `external`; every argument and every result has a number for each state.
    let (arguments, results) = unsafe {
        (
            std::slice::from_raw_parts(arguments, given * LANES),
            std::slice::from_raw_parts_mut(results, taken * LANES),
        )
    };
    let scratch = &mut context.scratch;
    scratch.resize(scratch.len().max(given + taken), 0.0);
    let (own_arguments, own_results) = scratch[..given + taken].split_at_mut(given);
    for lane in (0..LANES).filter(|lane| active >> lane & 1 == 1) {
        for (own, of_all) in own_arguments.iter_mut().zip(arguments.chunks_exact(LANES)) {
            *own = of_all[lane];
        }
        let call =
            AssertUnwindSafe(|| context.externals.call(function, own_arguments, own_results));
        if let Err(panic) = catch_unwind(call) {
            context.panic = Some(panic);
            return 1;
        }
        for (own, of_all) in own_results.iter().zip(results.chunks_exact_mut(LANES)) {
            of_all[lane] = *own;
        }
    }
    0
}

/// Sines and cosines of four angles, some of which are large or no numbers; they replace the
/// angles.
extern "sysv64" fn far(cells: *mut [f64; 8]) {
    // SAFETY: the routine hands on a block of its stack that is as long and holds four angles.
    let cells = unsafe { &mut *cells };
    for k in 0..4 {
        (cells[k], cells[k + 4]) = sincos(cells[k]);
    }
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

/// The addresses of all functions that native code calls.
pub fn addresses(width: Width) -> Addresses {
    let mut addresses = [0; EXTERNAL + 1];
    for (address, helper) in addresses.iter_mut().zip(HELPERS) {
        *address = match helper {
            Helper::Unary(Unary::Tan) => unary!(Unary::Tan),
            Helper::Unary(Unary::Asin) => unary!(Unary::Asin),
            Helper::Unary(Unary::Acos) => unary!(Unary::Acos),
            Helper::Unary(Unary::Atan) => unary!(Unary::Atan),
            Helper::Unary(Unary::Exp) => unary!(Unary::Exp),
            Helper::Unary(Unary::Log) => unary!(Unary::Log),
            Helper::Binary(Binary::Atan2) => binary!(Binary::Atan2),
            Helper::Binary(Binary::Pow) => binary!(Binary::Pow),
            // These are written as instructions.
            Helper::Unary(_) | Helper::Binary(_) | Helper::SinCos => 0,
        };
    }
    type Far = extern "sysv64" fn(*mut [f64; 8]);
    type External = extern "sysv64" fn(*mut Context<'_>, u64, *const f64, *mut f64) -> u64;
    type Lanes = extern "sysv64" fn(*mut Context<'_>, u64, *const f64, *mut f64, u64) -> u64;
    addresses[FAR] = far as Far as usize as u64;
    addresses[EXTERNAL] = match width {
        Width::One => external as External as usize as u64,
        Width::Four => external_lanes as Lanes as usize as u64,
    };
    addresses
}
