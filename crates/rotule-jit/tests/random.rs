//! Native code against the interpreter: random programs with everything that a program can hold,
//! and inputs that are anything a number can be. The numbers must agree bit by bit, the ends of all
//! regions too.

mod common;

use common::number;
use proptest::prelude::*;
use rotule_jit::{Interpreted, KernelOptions, Native, ProgramKernel};
use rotule_program::Program;
use rotule_testing::program::{INPUTS, Library, Range, program_from, same_bits};

/// Everything that a kernel gives: outputs and the ends of regions, over two parameter changes.
fn everything(
    kernel: &mut dyn ProgramKernel,
    program: &Program,
    inputs: &[[f64; 6]],
) -> Vec<(Vec<f64>, String)> {
    let mut all = Vec::new();
    for inputs in inputs {
        let mut outputs = vec![7.0; program.output_len()];
        kernel.setup(inputs, &mut Library).expect("the lengths are right");
        for _ in 0..2 {
            kernel.evaluate(inputs, &mut outputs, &mut Library).expect("the lengths are right");
        }
        all.push((outputs, format!("{:?}", kernel.regions(0))));
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn native_code_is_the_interpreter_bit_by_bit(
        choices in prop::collection::vec(any::<u16>(), 0..700),
        inputs in prop::collection::vec(prop::array::uniform6(number()), 1..4),
    ) {
        let program = program_from(&choices, Range::All);
        prop_assert_eq!(program.inputs().len(), INPUTS.len());
        let mut meaning = Interpreted::new(&program).expect("the program is valid");
        let mut native = Native::new(&program, KernelOptions::default()).expect("this machine can");
        let expected = everything(&mut meaning, &program, &inputs);
        let found = everything(&mut native, &program, &inputs);
        for (expected, found) in expected.iter().zip(&found) {
            prop_assert!(same_bits(&expected.0, &found.0), "{:?}\n{:?}\n{}",
                expected, found, rotule_program::print(&program));
            prop_assert_eq!(&expected.1, &found.1);
        }
    }
}
