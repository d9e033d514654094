//! The verifier: each problem that a builder can make, one row each. What a text can show is among
//! the file tests.

use rotule_program::{
    ArithmeticOperation, Block, ForeignSignature, FunctionId, InputId, Operation, Partner, Program,
    ProgramOutput, RegionId, RegionRole, Value, verify,
};
use rotule_symbolic::Kind;

/// Builds on a program with a parameter `m` (value 0), a coordinate `q` (value 1) and a function
/// `f(1) -> 2`, and compares the problems.
fn check(build: impl FnOnce(&mut Program, Value, Value), expected: &[&str]) {
    let mut program = Program::new("p");
    let m = program.input("m", Kind::Parameter);
    let q = program.input("q", Kind::Coordinate);
    program.function(function("f", 1, 2, None));
    build(&mut program, m, q);
    let problems = verify(&program).err().unwrap_or_default();
    let found: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected);
    // Whatever is wrong, the program can be shown.
    assert!(program.to_string().starts_with("program p"));
}

fn function(
    name: &str,
    arguments: u32,
    results: u32,
    derivative_of: Option<Partner>,
) -> ForeignSignature {
    ForeignSignature { name: name.into(), arguments, results, derivative_of }
}

const BODY: Block = Block::Body;
const F: FunctionId = FunctionId::new(0);

#[test]
fn a_valid_program() {
    check(
        |p, m, q| {
            let sum = p.push(BODY, Operation::Arithmetic(ArithmeticOperation::Add, m, q));
            p.output(ProgramOutput::vector("y", &[sum]));
        },
        &[],
    );
}

#[test]
fn operands() {
    let missing = Value::new(99);
    check(
        |p, _, _| {
            p.push(BODY, Operation::Neg(missing));
        },
        &["value 2 reads value 99, which does not exist"],
    );
    // A later value.
    check(
        |p, m, _| {
            p.push(BODY, Operation::Neg(Value::new(3)));
            p.push(BODY, Operation::Neg(m));
        },
        &["value 2 reads value 3, which is not visible there"],
    );
    // A value of `body` in `setup`.
    check(
        |p, m, _| {
            let later = p.push(BODY, Operation::Neg(m));
            p.push(Block::Setup, Operation::Neg(later));
        },
        &["value 3 reads value 2, which is not visible there"],
    );
    check(
        |p, _, q| {
            p.push(Block::Setup, Operation::Neg(q));
        },
        &["value 2 lies in setup but reads input 1, a coordinate, which comes later"],
    );
    check(
        |p, m, _| {
            let call = p.call(BODY, F, &[m]);
            p.push(BODY, Operation::Neg(call));
        },
        &["value 3 reads value 2 as a number, but it is a tuple"],
    );
}

#[test]
fn calls_and_results() {
    check(
        |p, m, q| {
            p.call(BODY, F, &[m, q]);
        },
        &["value 2 gives 2 arguments, expected 1"],
    );
    check(
        |p, m, _| {
            p.call(BODY, FunctionId::new(7), &[m]);
        },
        &["value 2 refers to function 7, which does not exist"],
    );
    check(
        |p, m, _| {
            let call = p.call(BODY, F, &[m]);
            p.result(BODY, call, 2);
            p.result(BODY, m, 0);
        },
        &[
            "value 3 picks result 2, but there are 2, counted from 0",
            "value 4 picks a result of value 0, which is a number",
        ],
    );
}

#[test]
fn leaves_in_blocks() {
    check(
        |p, _, _| {
            p.push(BODY, Operation::Constant(1.0));
        },
        &["value 2 is a constant, input or state and may not be listed in a block"],
    );
    check(
        |p, _, _| {
            p.push(BODY, Operation::Input(InputId::new(5)));
        },
        &[
            "value 2 refers to input 5, which does not exist",
            "value 2 is a constant, input or state and may not be listed in a block",
        ],
    );
}

#[test]
fn regions() {
    // Opened and never closed.
    check(
        |p, m, q| {
            let region = p.region(RegionRole::Unknowns, "r", &[q], m, 3);
            p.push(Block::Region(region), Operation::Neg(q));
        },
        &["value 3 is listed in no block", "region 0 is run by 0 statements, expected 1"],
    );
    check(
        |p, m, q| {
            let region = p.region(RegionRole::Unknowns, "r", &[q], m, 3);
            p.close(BODY, region, &[], &[]);
        },
        &["region 0 has 1 states, 1 initial values and 0 next values"],
    );
    // Closed twice.
    check(
        |p, m, q| {
            let region = p.region(RegionRole::Unknowns, "r", &[q], m, 3);
            p.close(BODY, region, &[q], &[]);
            p.close(BODY, region, &[q], &[]);
        },
        &["region 0 is run by 2 statements, expected 1"],
    );
    // Closed inside itself.
    check(
        |p, m, q| {
            let region = p.region(RegionRole::Unknowns, "r", &[q], m, 3);
            p.close(Block::Region(region), region, &[q], &[]);
        },
        &["value 3 is listed in no block"],
    );
    check(
        |p, _, _| {
            p.push(BODY, Operation::Region(RegionId::new(4)));
        },
        &["value 2 refers to region 4, which does not exist"],
    );
    check(
        |p, m, q| {
            let region = p.region(RegionRole::Unknowns, "r", &[q], m, 2_000_000);
            p.close(BODY, region, &[q], &[]);
        },
        &["region 0 may iterate 2000000 times, the limit is 1000000"],
    );
}

#[test]
fn scopes_of_regions() {
    // Neither a state nor a value of its block is visible around a region.
    check(
        |p, m, q| {
            let region = p.region(RegionRole::Unknowns, "r", &[q], m, 3);
            let state = p.get_region(region).states[0];
            let inner = p.push(Block::Region(region), Operation::Neg(state));
            p.close(BODY, region, &[inner], &[inner]);
            p.push(BODY, Operation::Neg(state));
            p.push(BODY, Operation::Neg(inner));
            p.output(ProgramOutput::vector("y", &[inner]));
        },
        &[
            "value 5 reads value 2, which is not visible there",
            "value 6 reads value 3, which is not visible there",
            "output 0 reads value 3, which is not visible there",
        ],
    );
    // Nor is the region inside itself.
    check(
        |p, m, _| {
            let region = p.region(RegionRole::Unknowns, "r", &[], m, 3);
            p.push(Block::Region(region), Operation::Result { of: Value::new(3), index: 0 });
            p.close(BODY, region, &[], &[]);
        },
        &["value 2 reads value 3, which is not visible there"],
    );
}

#[test]
fn deep_regions() {
    check(
        |p, m, _| {
            let regions: Vec<RegionId> =
                (0..17).map(|_| p.region(RegionRole::Unknowns, "r", &[], m, 1)).collect();
            for k in (0..17).rev() {
                let around = if k == 0 { BODY } else { Block::Region(regions[k - 1]) };
                p.close(around, regions[k], &[], &[]);
            }
        },
        &["region 16 lies 17 regions deep, the limit is 16"],
    );
}

#[test]
fn names() {
    check(
        |p, _, _| {
            p.input("m", Kind::Time);
            p.function(function("f", 0, 1, None));
            p.output(ProgramOutput::vector("y", &[]));
            p.output(ProgramOutput::vector("y", &[]));
        },
        &[
            "input 2 has the name `m` of another",
            "function 1 has the name `f` of another",
            "output 1 has the name `y` of another",
        ],
    );
    check(
        |p, m, _| {
            let value = p.push(BODY, Operation::Neg(m));
            p.set_name(value, "n".repeat(2000));
        },
        &["value 2 has a name of 2000 bytes, the limit is 1024"],
    );
}

#[test]
fn functions() {
    check(
        |p, _, _| {
            p.function(function("g", 100_000, 1, None));
            p.function(function("h", 2, 5, Some(Partner { of: F, directions: 1 })));
            p.function(function(
                "i",
                1,
                2,
                Some(Partner { of: FunctionId::new(3), directions: 0 }),
            ));
        },
        &[
            "function 1 has 100000 arguments and 1 results, the limit is 65536",
            "function 2 has 2 arguments, expected 2, and 5 results, expected 4",
            "function 3 is the derivative of function 3, not declared before",
        ],
    );
}

#[test]
fn outputs() {
    check(
        |p, m, _| {
            let mut output = ProgramOutput::sparse("y", 2, 2);
            for (row, column) in [(1, 1), (2, 0), (1, 1)] {
                output.set(row, column, m);
            }
            p.output(output);
            let mut symmetric = ProgramOutput::symmetric("s", 2);
            // The mirror image counts as the same entry.
            symmetric.set(0, 1, m);
            symmetric.set(1, 0, m);
            p.output(symmetric);
            p.output(ProgramOutput { columns: 3, ..ProgramOutput::symmetric("t", 2) });
            p.output(ProgramOutput::sparse("big", 1 << 20, 1 << 20));
        },
        &[
            "output 0 has an entry (2, 0), but its shape is (2, 2)",
            "output 0 gives the entry (1, 1) twice",
            "output 1 gives the entry (1, 0) twice",
            "output 2 is symmetric, but its shape is (2, 3)",
            "the program has outputs of 1099511627790 numbers, the limit is 67108864",
        ],
    );
}
