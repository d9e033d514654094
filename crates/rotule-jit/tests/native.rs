//! Corners of native code: large programs, functions that panic, lengths, signed zeros, programs
//! that are not valid.

#![cfg(target_arch = "x86_64")]

use rotule_jit::{
    Interpreted, KernelError, KernelKind, KernelOptions, Native, ProgramKernel, kernel,
};
use rotule_program::RegionRole;
use rotule_program::{
    ArithmeticOperation, Block, Externals, ForeignSignature, LengthError, NoExternals, Operation,
    Program, ProgramOutput, Value, parse,
};
use rotule_symbolic::{Binary, Kind, Unary};
use rotule_testing::program;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Outputs of one evaluation.
fn outputs(kernel: &mut dyn ProgramKernel, inputs: &[f64]) -> Vec<u64> {
    let mut outputs = vec![0.0; kernel.program().output_len()];
    kernel.setup(inputs, &mut NoExternals).expect("lengths are right");
    kernel.evaluate(inputs, &mut outputs, &mut NoExternals).expect("lengths are right");
    // One NaN is as good as another.
    let bits = |x: f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
    outputs.into_iter().map(bits).collect()
}

fn same(program: &Program, inputs: &[f64]) {
    let mut meaning = Interpreted::new(program).expect("a valid program");
    let mut native = Native::new(program, KernelOptions::default()).expect("this machine can");
    assert_eq!(outputs(&mut meaning, inputs), outputs(&mut native, inputs));
}

/// Numbers that look random.
fn hash(k: usize) -> usize {
    (k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) as usize >> 8
}

/// A program of so many operations; operands come from a window of recent values.
fn long(operations: usize, window: usize) -> Program {
    let mut program = Program::new("long");
    let mut scope: Vec<Value> =
        (0..32).map(|k| program.input(format!("x{k}"), Kind::Coordinate)).collect();
    scope.push(program.constant(0.125));
    for k in 0..operations {
        let of = |h: usize| scope[scope.len() - 1 - h % window.min(scope.len())];
        let (a, b) = (of(hash(3 * k)), of(hash(3 * k + 1)));
        let operation = match hash(3 * k + 2) % 40 {
            0 => Operation::Unary(Unary::Sin, a),
            1 => Operation::Unary(Unary::Cos, a),
            // Keeps numbers from growing without end.
            2..=8 => Operation::Binary(Binary::Min, a, b),
            k => Operation::Arithmetic(
                [ArithmeticOperation::Add, ArithmeticOperation::Sub, ArithmeticOperation::Mul]
                    [k % 3],
                a,
                b,
            ),
        };
        scope.push(program.push(Block::Body, operation));
    }
    let last = scope.len().saturating_sub(window);
    program.output(ProgramOutput::vector("y", &scope[last..]));
    program
}

fn some(count: usize) -> Vec<f64> {
    (0..count).map(|k| (hash(k) % 1000) as f64 / 500.0 - 1.0).collect()
}

#[test]
fn long_programs() {
    for (operations, window) in [(1_000, 12), (1_000, 17), (5_000, 40), (20_000, 1_000)] {
        same(&long(operations, window), &some(32));
    }
}

/// Nothing takes more than linear time, or this would not end.
#[test]
fn a_million_operations() {
    let program = long(1_000_000, 100);
    same(&program, &some(32));
}

#[test]
fn signed_zeros_infinities_and_what_is_no_number() {
    let program = program::corners();
    let numbers = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -2.5,
        1e-320,
        -1e308,
        7e22,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        -f64::NAN,
    ];
    for x in numbers {
        for y in numbers {
            same(&program, &[x, y]);
        }
    }
}

/// Sines and cosines go through the lanes of a register: any number of them, of which some are too
/// large for that.
#[test]
fn angles_side_by_side() {
    let angles = [0.3, -2.0, 1e7, 5e5, f64::NAN, -1.7e6, 0.0, 1.6e6, f64::INFINITY];
    for count in 1..=angles.len() {
        let mut program = Program::new("angles");
        let mut values = Vec::new();
        for k in 0..count {
            let angle = program.input(format!("x{k}"), Kind::Coordinate);
            let requested: &[Unary] = match k % 3 {
                0 => &[Unary::Cos],
                1 => &[Unary::Sin, Unary::Cos],
                _ => &[Unary::Sin, Unary::Sin],
            };
            for &function in requested {
                values.push(program.push(Block::Body, Operation::Unary(function, angle)));
            }
        }
        program.output(ProgramOutput::vector("all", &values));
        for turn in 0..angles.len() {
            let mut inputs = angles;
            inputs.rotate_left(turn);
            same(&program, &inputs[..count]);
        }
    }
}

/// Fails at one argument.
struct Fails(f64, usize);

impl Externals for Fails {
    fn call(&mut self, _: &ForeignSignature, arguments: &[f64], results: &mut [f64]) {
        self.1 += 1;
        assert!(arguments[0] != self.0, "no such road");
        results[0] = 2.0 * arguments[0];
    }
}

/// A panic of a foreign function comes out of the kernel, at once, and the kernel still works.
#[test]
fn a_foreign_function_may_panic() {
    let mut program = Program::new("road");
    let x = program.input("x", Kind::Coordinate);
    let tolerance = program.constant(1e-9);
    let (arguments, results) = (1, 1);
    let name = "road".into();
    let road = program.function(ForeignSignature { name, arguments, results, derivative_of: None });
    let first = program.call(Block::Body, road, &[x]);
    let first = program.result(Block::Body, first, 0);
    let region = program.region(RegionRole::Unknowns, "closure", &[first], tolerance, 1000);
    let state = program.get_region(region).states[0];
    let again = program.call(Block::Region(region), road, &[state]);
    let again = program.result(Block::Region(region), again, 0);
    let closed = program.close(Block::Body, region, &[again], &[x]);
    let last = program.result(Block::Body, closed, 0);
    program.output(ProgramOutput::vector("y", &[last]));
    let mut native = Native::new(&program, KernelOptions::default()).expect("this machine can");
    let mut y = [0.0];
    let mut road = Fails(8.0, 0);
    let panic = catch_unwind(AssertUnwindSafe(|| native.evaluate(&[1.0], &mut y, &mut road)));
    let message = *panic.expect_err("8 is reached").downcast::<&str>().expect("a text");
    assert_eq!(message, "no such road");
    // 1, then 2, 4 and 8 inside the region.
    assert_eq!(road.1, 4);
    native.evaluate(&[0.0], &mut y, &mut Fails(8.0, 0)).expect("lengths are right");
    assert_eq!(y, [0.0]);
    assert_eq!(native.regions(0)[0].runs, 1);
    assert!(native.converged(0));
}

#[test]
fn lengths_are_checked() {
    let program = long(10, 5);
    let mut native = Native::new(&program, KernelOptions::default()).expect("this machine can");
    let mut right = vec![0.0; program.output_len()];
    let inputs = Err(LengthError::Inputs { found: 31, expected: 32 });
    assert_eq!(native.setup(&[0.0; 31], &mut NoExternals), inputs);
    assert_eq!(native.evaluate(&[0.0; 31], &mut right, &mut NoExternals), inputs);
    let outputs = Err(LengthError::Outputs { found: 4, expected: 5 });
    assert_eq!(native.evaluate(&[0.0; 32], &mut right[1..], &mut NoExternals), outputs);
}

/// Before `setup`, what comes from there is not a number, as in the interpreter.
#[test]
fn without_setup() {
    let program = parse(
        "program twice
         input m parameter
         input x coordinate
         setup
           %0 = mul m 2
         body
           %1 = mul %0 x
         output y(1)
           (0) = %1",
    )
    .expect("a valid program");
    let mut native = Native::new(&program, KernelOptions::default()).expect("this machine can");
    let mut y = [0.0];
    native.evaluate(&[3.0, 1.0], &mut y, &mut NoExternals).expect("lengths are right");
    assert!(y[0].is_nan());
    native.setup(&[3.0, f64::NAN], &mut NoExternals).expect("lengths are right");
    native.evaluate(&[3.0, 1.0], &mut y, &mut NoExternals).expect("lengths are right");
    assert_eq!(y, [6.0]);
}

#[test]
fn kernels_tell_what_they_are() {
    let program = long(10, 5);
    let name = |choice| {
        kernel(&program, choice, KernelOptions::default()).map(|kernel| kernel.name().to_owned())
    };
    assert_eq!(name(KernelKind::Interpreter).as_deref(), Ok("interpreter"));
    assert_eq!(name(KernelKind::Native).as_deref(), Ok("native"));
    assert_eq!(name(KernelKind::Auto).as_deref(), Ok("native"));
    let mut because = Interpreted::new(&program).expect("valid");
    because.reason = Some("no reason".into());
    assert_eq!(because.reason(), Some("no reason"));
}

#[test]
fn a_program_that_is_not_valid_is_refused() {
    let mut program = Program::new("wrong");
    program.push(Block::Setup, Operation::Neg(Value::new(7)));
    for choice in [KernelKind::Auto, KernelKind::Native, KernelKind::Interpreter] {
        let made = kernel(&program, choice, KernelOptions::default()).map(|kernel| kernel.name());
        assert!(matches!(made, Err(KernelError::Invalid(_))));
    }
}
