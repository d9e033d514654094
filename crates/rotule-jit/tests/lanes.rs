//! Several states side by side against each of them alone: random programs with everything that a
//! program can hold, inputs that are anything a number can be and different parameters in every
//! lane. Numbers must agree bit by bit, the ends of all regions too, and foreign functions are
//! called as often as by each state alone.

mod common;

use common::number;
use proptest::prelude::*;
use rotule_jit::{
    Interpreted, InterpretedLanes, KernelError, KernelKind, KernelOptions, ProgramKernel, lanes,
};
use rotule_program::RegionRole;
use rotule_program::{
    Block, Externals, ForeignSignature, LengthError, NoExternals, Operation, Program,
    ProgramOutput, RegionStatus,
};
use rotule_symbolic::Kind;
use rotule_testing::program;
use rotule_testing::program::{Library, Range, program_from, same_bits};

/// A library that counts its calls.
struct Counted(u64);

impl Externals for Counted {
    fn call(&mut self, function: &ForeignSignature, arguments: &[f64], results: &mut [f64]) {
        self.0 += 1;
        Library.call(function, arguments, results);
    }
}

/// Outputs, ends of regions and calls of one state.
type Found = (Vec<f64>, Vec<RegionStatus>);

/// Each state alone, evaluated twice, so that state left by an evaluation shows in the next.
fn alone(program: &Program, states: &[Vec<f64>]) -> (Vec<Found>, u64) {
    let mut calls = Counted(0);
    let mut found = Vec::new();
    for inputs in states {
        let mut kernel = Interpreted::new(program).expect("the program is valid");
        let mut outputs = vec![7.0; program.output_len()];
        kernel.setup(inputs, &mut calls).expect("the lengths are right");
        for _ in 0..2 {
            kernel.evaluate(inputs, &mut outputs, &mut calls).expect("the lengths are right");
        }
        found.push((outputs, kernel.regions(0).to_vec()));
    }
    (found, calls.0)
}

/// All states side by side.
fn together(kernel: &mut dyn ProgramKernel, states: &[Vec<f64>]) -> (Vec<Found>, u64) {
    let (width, count) = (kernel.width(), kernel.program().output_len());
    let mut calls = Counted(0);
    let inputs: Vec<f64> = (0..kernel.program().inputs().len())
        .flat_map(|k| states.iter().map(move |state| state[k]))
        .collect();
    let mut outputs = vec![7.0; width * count];
    kernel.setup(&inputs, &mut calls).expect("the lengths are right");
    for _ in 0..2 {
        kernel.evaluate(&inputs, &mut outputs, &mut calls).expect("the lengths are right");
    }
    let of = |lane: usize| {
        let own = (0..count).map(|k| outputs[k * width + lane]).collect();
        (own, kernel.regions(lane).to_vec())
    };
    ((0..width).map(of).collect(), calls.0)
}

fn check(program: &Program, states: &[Vec<f64>]) -> Result<(), TestCaseError> {
    for choice in [KernelKind::Interpreter, KernelKind::Auto] {
        let mut kernel = lanes(program, choice, KernelOptions::default()).expect("valid");
        let own = &states[..kernel.width()];
        let (expected, expected_calls) = alone(program, own);
        let (found, calls) = together(kernel.as_mut(), own);
        for (lane, (expected, found)) in expected.iter().zip(&found).enumerate() {
            prop_assert!(
                same_bits(&expected.0, &found.0),
                "{} lane {}\n{:?}\n{:?}\n{:?}\n{}",
                kernel.name(),
                lane,
                own,
                expected,
                found,
                rotule_program::print(program)
            );
            prop_assert_eq!(&expected.1, &found.1, "{} lane {}", kernel.name(), lane);
        }
        prop_assert_eq!(expected_calls, calls, "{}", kernel.name());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn every_state_gets_what_it_gets_alone(
        choices in prop::collection::vec(any::<u16>(), 0..700),
        states in prop::collection::vec(prop::collection::vec(number(), 6), 8),
    ) {
        check(&program_from(&choices, Range::All), &states)?;
    }
}

/// All operations on all pairs of special numbers.
#[test]
fn corners() {
    let program = program::corners();
    let special =
        [0.0, -0.0, 1.0, -2.5, 1e-320, 7e22, 1.6e6, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    for shift in 0..special.len() {
        for other in 0..special.len() {
            let state =
                |k: usize| vec![special[(k + shift) % 10], special[(k * 3 + shift + other) % 10]];
            let states: Vec<Vec<f64>> = (0..8).map(state).collect();
            check(&program, &states).expect("as each alone");
        }
    }
}

/// Square roots by Newton's method: lanes need different numbers of iterations, one never ends.
#[test]
fn lanes_that_are_done_wait() {
    let mut program = Program::new("roots");
    let a = program.input("a", Kind::Coordinate);
    let (tolerance, half) = (program.constant(1e-12), program.constant(0.5));
    let region = program.region(RegionRole::Unknowns, "root", &[a], tolerance, 20);
    let inside = Block::Region(region);
    let x = program.get_region(region).states[0];
    let arithmetic = |program: &mut Program, word: &str, x, y| {
        let operation = rotule_program::ArithmeticOperation::from_name(word).expect("a word");
        program.push(inside, Operation::Arithmetic(operation, x, y))
    };
    let quotient = arithmetic(&mut program, "div", a, x);
    let difference = arithmetic(&mut program, "sub", quotient, x);
    let change = arithmetic(&mut program, "mul", half, difference);
    let next = arithmetic(&mut program, "add", x, change);
    let closed = program.close(Block::Body, region, &[next], &[change]);
    let results: Vec<_> = (0..3).map(|k| program.result(Block::Body, closed, k)).collect();
    program.output(ProgramOutput::vector("y", &results));
    let inputs = [4.0, 1.0, 1e6, -1.0, 2.0, f64::NAN, 9.0, 1e-3];
    let states: Vec<Vec<f64>> = inputs.iter().map(|&a| vec![a]).collect();
    check(&program, &states).expect("as each alone");
    let mut kernel = lanes(&program, KernelKind::Auto, KernelOptions::default()).expect("valid");
    let width = kernel.width();
    let (found, _) = together(kernel.as_mut(), &states[..width]);
    assert!((found[0].0[0] - 2.0).abs() < 1e-12);
    assert_eq!(found[1].0[1..], [0.0, 1.0]);
    assert!((found[2].0[0] - 1000.0).abs() < 1e-9 && found[2].0[1] > 5.0);
    assert_eq!((found[3].0[1], found[3].0[2], kernel.converged(3)), (20.0, 0.0, false));
    assert!(kernel.converged(0) && kernel.converged(2));
}

#[test]
fn refusals_and_lengths() {
    let program = program_from(&[3; 40], Range::All);
    let compiled =
        lanes(&program, KernelKind::Compiled, KernelOptions::default()).map(|one| one.width());
    assert!(matches!(compiled, Err(KernelError::Unavailable(_))));
    let mut wrong = Program::new("wrong");
    wrong.push(Block::Setup, Operation::Neg(rotule_program::Value::new(7)));
    for choice in [KernelKind::Auto, KernelKind::Interpreter] {
        let made = lanes(&wrong, choice, KernelOptions::default()).map(|one| one.width());
        assert!(matches!(made, Err(KernelError::Invalid(_))));
        let mut kernel = lanes(&program, choice, KernelOptions::default()).expect("valid");
        let (width, outputs) = (kernel.width(), program.output_len());
        let inputs = vec![0.0; 6 * width];
        assert_eq!(
            kernel.setup(&inputs[1..], &mut NoExternals),
            Err(LengthError::Inputs { found: 6 * width - 1, expected: 6 * width })
        );
        assert_eq!(
            kernel.evaluate(&inputs, &mut [0.0; 3], &mut NoExternals),
            Err(LengthError::Outputs { found: 3, expected: outputs * width })
        );
    }
    let mut because = InterpretedLanes::new(&program).expect("valid");
    because.reason = Some("no reason".into());
    assert_eq!(because.reason(), Some("no reason"));
}
