//! Large programs go through everything in linear time and without deep recursion: the thread that
//! does it has a small stack.

use rotule_program::RegionRole;
use rotule_program::passes::{Reports, check_slots, optimise, slots};
use rotule_program::{
    ArithmeticOperation, Block, NoExternals, Operation, Program, ProgramOutput, Value, parse,
    print, readable, run_once, verify,
};
use rotule_symbolic::{Kind, Unary};
use std::time::Instant;

/// Statements of the long chain.
const LONG: usize = 1_000_000;

/// Statements of the others.
const COUNT: usize = 200_000;

/// Runs a test on 256 kB of stack.
fn on_a_small_stack(work: fn()) {
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(work);
    thread.expect("a thread").join().expect("the work is done");
}

/// Takes a program through everything and says how long each part took.
fn all_of(title: &str, mut program: Program, inputs: &[f64]) -> Reports {
    let mut start = Instant::now();
    let mut lap = |part: &str| {
        println!("{title:<8}{part:<10}{:>8.1} ms", start.elapsed().as_secs_f64() * 1e3);
        start = Instant::now();
    };
    verify(&program).expect("valid");
    lap("verify");
    let text = print(&program);
    lap("print");
    let read = parse(&text).expect("readable");
    lap("parse");
    let before = run_once(&read, inputs, &mut NoExternals).expect("runs");
    lap("run");
    let reports = optimise(&mut program);
    lap("optimise");
    let places = slots(&program);
    lap("slots");
    check_slots(&program, &places).expect("right");
    lap("check");
    readable(&program);
    lap("readable");
    println!("{reports}\n{} slots in body", places.body);
    let after = run_once(&program, inputs, &mut NoExternals).expect("runs");
    assert_eq!(before, after);
    reports
}

/// A chain of statements, each reading the one before.
fn chain(program: &mut Program, block: Block, start: Value, step: Value, count: usize) -> Value {
    (0..count).fold(start, |last, k| {
        program.push(
            block,
            match k % 4 {
                0 => Operation::Arithmetic(ArithmeticOperation::Mul, last, step),
                1 => Operation::Arithmetic(ArithmeticOperation::Add, last, start),
                2 => Operation::Unary(Unary::Sin, last),
                _ => Operation::Neg(last),
            },
        )
    })
}

#[test]
fn a_long_chain() {
    on_a_small_stack(|| {
        let mut program = Program::new("chain");
        let m = program.input("m", Kind::Parameter);
        let q = program.input("q", Kind::Coordinate);
        let last = chain(&mut program, Block::Body, q, m, LONG);
        program.output(ProgramOutput::vector("y", &[last]));
        all_of("chain", program, &[0.75, 0.5]);
    });
}

#[test]
fn a_long_chain_of_parameters_in_a_region() {
    on_a_small_stack(|| {
        let mut program = Program::new("region");
        let m = program.input("m", Kind::Parameter);
        let q = program.input("q", Kind::Coordinate);
        let tolerance = program.constant(1e-12);
        let region = program.region(RegionRole::Unknowns, "closure", &[q], tolerance, 2);
        let inside = Block::Region(region);
        let state = program.get_region(region).states[0];
        let fixed = chain(&mut program, inside, m, m, COUNT / 2);
        let last = chain(&mut program, inside, state, fixed, COUNT / 2);
        let run = program.close(Block::Body, region, &[last], &[last]);
        let result = program.result(Block::Body, run, 0);
        program.output(ProgramOutput::vector("y", &[result]));
        let reports = all_of("region", program, &[0.75, 0.5]);
        let hoisted =
            reports.0.iter().find(|report| report.name == "hoist_to_setup").expect("it ran");
        assert!(hoisted.changes >= COUNT / 4, "{hoisted}");
    });
}

#[test]
fn a_wide_sum_of_equal_and_dead_terms() {
    on_a_small_stack(|| {
        let mut program = Program::new("wide");
        let m = program.input("m", Kind::Parameter);
        let q = program.input("q", Kind::Coordinate);
        let body = Block::Body;
        let terms: Vec<Value> = (0..COUNT / 2)
            .map(|k| {
                let number = program.constant((k / 2) as f64);
                let factor = if k % 3 == 0 { q } else { m };
                program.push(body, Operation::Arithmetic(ArithmeticOperation::Mul, number, factor))
            })
            .collect();
        let sum = terms[1..].iter().fold(terms[0], |sum, &term| {
            program.push(body, Operation::Arithmetic(ArithmeticOperation::Add, sum, term))
        });
        program.output(ProgramOutput::vector("y", &[sum]));
        all_of("wide", program, &[0.75, 0.5]);
    });
}
