//! Groups of functions: one program of several functions, and the parts that it is cut into.
//!
//! Functions are written into one program once, whatever groups they will be in: the outputs of
//! each are some of the program's. A group is a part of it, found by leaving statements out. What
//! remains computes as before, in the order of its operands, so that regrouping generates nothing
//! and changes no bit.
//!
//! ```text
//! program of all functions --part--> program of a group --share--> with the stage `shared`
//!                                          --split--> the shared vector | one program per function
//! ```
//!
//! A statement belongs to `shared` if at least two functions of the group need it and it depends on
//! neither accelerations, efforts nor inputs, which may change while the state stays (Moore 2000,
//! section 3.4). Iterated regions move as a whole, with all that they read.

use crate::index::Value;
use crate::needs::Needs;
use crate::operation::Operation;
use crate::passes::{dead, schedule};
use crate::program::{Block, Program, ProgramOutput};
use crate::walk::{Step, crossing, steps};
use rotule_symbolic::Kind;
use std::ops::Range;

/// The part of a program that computes some of its outputs, in the order given, from inputs of some
/// kinds; parameters and time stay. What these outputs need keeps its bits.
pub fn part(program: &Program, outputs: &[usize], kinds: &[Kind]) -> Program {
    let mut part = program.clone();
    part.outputs = outputs.iter().map(|&at| program.outputs[at].clone()).collect();
    dead(&mut part);
    keep_inputs(&mut part, |kind| {
        matches!(kind, Kind::Parameter | Kind::Time) || kinds.contains(&kind)
    });
    part
}

/// The part of a program that computes some numbers: of every output in the list those that are
/// `true`, by rows; its other numbers are zero. What these numbers need keeps its bits. Inputs that
/// nothing reads are left out.
pub fn numbers(program: &Program, outputs: &[(usize, &[bool])]) -> Program {
    let mut part = program.clone();
    let cut = |&(at, keep): &(usize, &[bool])| {
        let mut output = program.outputs[at].clone();
        let (columns, symmetric) = (output.columns as usize, output.symmetric);
        let kept = |row: u32, column: u32| keep[row as usize * columns + column as usize];
        output.entries.retain(|entry| {
            kept(entry.row, entry.column) || symmetric && kept(entry.column, entry.row)
        });
        output
    };
    part.outputs = outputs.iter().map(cut).collect();
    dead(&mut part);
    keep_inputs(&mut part, |kind| matches!(kind, Kind::Parameter | Kind::Time));
    schedule(&mut part);
    part
}

/// Drops inputs by their kinds, except those that something reads.
fn keep_inputs(program: &mut Program, keep: impl Fn(Kind) -> bool) {
    let mut read = vec![false; program.len()];
    let mut note = |value: Value| read[value.index()] = true;
    crate::walk::all_steps(program).for_each(|step| match step {
        Step::Statement(value) | Step::Enter(value, _) => {
            program.operands(program.operation(value), &mut note);
        }
        Step::Leave(_, region) => {
            let region = program.get_region(region);
            region.ends().for_each(|&value| note(value));
        }
    });
    program.outputs.iter().flat_map(|output| &output.entries).for_each(|entry| note(entry.value));
    let (inputs, values) =
        (std::mem::take(&mut program.inputs), std::mem::take(&mut program.input_values));
    for (input, value) in inputs.into_iter().zip(values) {
        if keep(input.kind) || read[value.index()] {
            let id = crate::index::InputId::new(program.inputs.len());
            program.operations[value.index()] = Operation::Input(id);
            program.inputs.push(input);
            program.input_values.push(value);
        }
    }
    crate::passes::compact(program);
}

/// Moves to `shared` what at least two functions need of `body` and what holds for a state. A
/// function is given by the positions of its outputs. Returns the number of statements moved.
pub fn share(program: &mut Program, functions: &[Range<usize>]) -> usize {
    let (users, late) = (users(program, functions), late(program));
    let body = std::mem::take(program.block_mut(Block::Body));
    let mut moves = vec![false; program.len()];
    // Backwards, so that readers come before what they read.
    for &value in body.iter().rev() {
        let own = match program.operation(value) {
            // A result goes with its tuple.
            Operation::Result { .. } => continue,
            _ => users[value.index()] > 1 && !late[value.index()],
        };
        if own {
            moves[value.index()] = true;
        }
        if moves[value.index()] {
            for_each_outer_read(program, value, |read| moves[read.index()] = true);
        }
    }
    // Forwards, since a result stands behind its tuple.
    let (mut shared, mut rest) = (Vec::new(), Vec::new());
    for value in body {
        if let Operation::Result { of, .. } = program.operation(value) {
            moves[value.index()] = moves[of.index()];
        }
        let stage = if moves[value.index()] { &mut shared } else { &mut rest };
        stage.push(value);
    }
    let moved = shared.len();
    program.block_mut(Block::Shared).extend(shared);
    *program.block_mut(Block::Body) = rest;
    if moved > 0 {
        crate::passes::compact(program);
        schedule(program);
    }
    moved
}

/// The number of functions that need each value.
pub fn users(program: &Program, functions: &[Range<usize>]) -> Vec<u32> {
    let mut users = vec![0; program.len()];
    for function in functions {
        let mut needs = Needs::of(program);
        let entries = program.outputs[function.clone()].iter().flat_map(|output| &output.entries);
        needs.add(entries.map(|entry| entry.value), |value| users[value.index()] += 1);
    }
    users
}

/// For each value whether it depends on inputs that `shared` may not read.
pub fn late(program: &Program) -> Vec<bool> {
    let mut late = vec![false; program.len()];
    for (k, late) in late.iter_mut().enumerate() {
        if let Operation::Input(input) = program.operations[k] {
            *late = !Block::Shared.may_read(program.inputs[input.index()].kind);
        }
    }
    // For each open region, whether something in it is late.
    let mut open: Vec<bool> = Vec::new();
    for step in steps(program, Block::Body) {
        match step {
            Step::Statement(value) | Step::Enter(value, _) => {
                let mut own = false;
                program.operands(program.operation(value), |read| own |= late[read.index()]);
                late[value.index()] = own;
                if let Step::Enter(_, region) = step {
                    open.push(own);
                    for state in &program.get_region(region).states {
                        late[state.index()] = own;
                    }
                } else if let Some(region) = open.last_mut() {
                    *region |= own;
                }
            }
            Step::Leave(value, region) => {
                let region = program.get_region(region);
                let mut own = open.pop().unwrap_or(false);
                let ends = region.ends();
                ends.for_each(|read| own |= late[read.index()]);
                late[value.index()] = own;
                if let Some(around) = open.last_mut() {
                    *around |= own;
                }
            }
        }
    }
    late
}

/// Calls `visit` with each value that a statement reads, and for a region with all that is read
/// inside, its own values included.
fn for_each_outer_read(program: &Program, value: Value, mut visit: impl FnMut(Value)) {
    let operation = program.operation(value);
    program.operands(operation, &mut visit);
    let Operation::Region(region) = operation else { return };
    for step in steps(program, Block::Region(region)) {
        match step {
            Step::Statement(inner) | Step::Enter(inner, _) => {
                program.operands(program.operation(inner), &mut visit);
            }
            Step::Leave(_, inner) => {
                let inner = program.get_region(inner);
                inner.ends().for_each(|&read| visit(read));
            }
        }
    }
    let region = program.get_region(region);
    region.ends().for_each(|&read| visit(read));
}

/// A group as functions that are called one by one.
#[derive(Clone, Debug)]
pub struct Split {
    /// Computes the shared vector, its output `shared`.
    pub shared: Program,
    /// The functions, each with inputs `shared[0]`, `shared[1]` ... of the kind
    /// [`Kind::Shared`], counted from the offset that was given.
    pub functions: Vec<Program>,
    /// The names that the numbers of the vector have in the equations; may be empty.
    pub names: Vec<String>,
}

/// Cuts a program after its stage `shared`: what crosses becomes a vector, which one program
/// computes and those of the functions take. It is a part of a vector of `len` numbers, from
/// `offset`, so that several groups can have one; `len` is at least as large as it needs to be.
pub fn split(program: &Program, functions: &[Range<usize>], offset: usize, len: usize) -> Split {
    let crossing = crossing(program);
    let made = crate::walk::stages_of(program);
    let of_shared = |value: &Value| crossing[value.index()] && made[value.index()] == Some(SHARED);
    let vector: Vec<Value> = steps(program, Block::Shared)
        .filter_map(|step| match step {
            Step::Statement(value) => Some(value),
            _ => None,
        })
        .filter(of_shared)
        .collect();
    let mut shared = program.clone();
    let statements = std::mem::take(shared.block_mut(Block::Shared));
    *shared.block_mut(Block::Body) = statements;
    let mut output = ProgramOutput::sparse(VECTOR, len.max(offset + vector.len()) as u32, 1);
    for (at, &value) in vector.iter().enumerate() {
        output.set((offset + at) as u32, 0, value);
    }
    shared.outputs = vec![output];
    dead(&mut shared);
    keep_inputs(&mut shared, |kind| Block::Shared.may_read(kind));
    let own = |outputs: &Range<usize>| {
        let mut own = program.clone();
        own.outputs = program.outputs[outputs.clone()].to_vec();
        let inputs: Vec<Value> = (offset..offset + vector.len())
            .map(|at| own.input(element(at), Kind::Shared))
            .collect();
        let mut rewrite = crate::passes::Rewrite::new(&mut own);
        vector.iter().zip(inputs).for_each(|(&value, input)| rewrite.replace(value, input));
        rewrite.walk(|rewrite, step| {
            if let Step::Statement(value) = step {
                rewrite.update(value);
            }
        });
        rewrite.finish();
        own.block_mut(Block::Shared).clear();
        dead(&mut own);
        keep_inputs(&mut own, |kind| matches!(kind, Kind::Parameter | Kind::Time | Kind::Shared));
        own
    };
    let name = |&value: &Value| program.name_of(value).unwrap_or_default().to_owned();
    Split {
        shared,
        functions: functions.iter().map(own).collect(),
        names: vector.iter().map(name).collect(),
    }
}

/// The name of the shared vector.
pub const VECTOR: &str = "shared";

/// The place of [`Block::Shared`] among the stages.
const SHARED: u8 = 1;

/// The name of a number of the shared vector.
pub fn element(at: usize) -> String {
    format!("{VECTOR}[{at}]")
}

/// Puts `shared` in front of `body`, for whoever runs all functions at each evaluation.
pub fn merge(program: &mut Program) {
    let mut statements = std::mem::take(program.block_mut(Block::Shared));
    let body = program.block_mut(Block::Body);
    statements.append(body);
    *body = statements;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interpreter, NoExternals, parse, print, run_once, verify};

    /// Two functions of one angle, one of which takes an acceleration, and a root that both need.
    const TWO: &str = "program two
        input m parameter
        input q coordinate
        input a acceleration
        body
          %0 = sin q
          %1 = region root limit 9 tolerance 1e-12
            state %2 = q
            %3 = mul %2 %2
            %4 = sub %3 m
            %5 = add %2 %2
            %6 = div %4 %5
            %7 = sub %2 %6
            next %7
            residual %4
          end
          %8 = result %1 0
          %9 = mul %0 %8
          %10 = mul m a
          %11 = add %9 %10
          %12 = mul %10 %9
          %13 = cos q
        output one(1)
          (0) = %11
        output two(2)
          (0) = %12
          (1) = %13";

    fn two() -> Program {
        parse(TWO).unwrap_or_else(|problem| panic!("{problem:?}"))
    }

    fn bits(program: &Program, inputs: &[f64]) -> Vec<u64> {
        let values = run_once(program, inputs, &mut NoExternals).expect("it runs");
        values.into_iter().map(f64::to_bits).collect()
    }

    #[test]
    fn what_two_functions_need_and_a_state_fixes_is_shared() {
        let (plain, mut program) = (two(), two());
        assert!(share(&mut program, &[0..1, 1..2]) > 0);
        assert_eq!(verify(&program), Ok(()), "{program}");
        // The sine, the root with what picks from it, and their product; neither the cosine, which
        // one function needs, nor what the acceleration is in.
        let words: Vec<&str> = program
            .block(Block::Shared)
            .iter()
            .map(|&value| program.operation(value).word())
            .collect();
        assert_eq!(words, ["sin", "region", "result", "mul"], "{program}");
        assert_eq!(program.block(Block::Body).len(), 4, "{program}");
        let inputs = [2.0, 1.3, 0.7];
        assert_eq!(bits(&program, &inputs), bits(&plain, &inputs));
        // The text has the stage and reads back.
        let text = print(&program);
        assert!(text.contains("\nshared\n"), "{text}");
        assert_eq!(print(&parse(&text).expect("it is valid")), text);
    }

    #[test]
    fn shared_runs_once_for_several_evaluations() {
        let mut program = two();
        share(&mut program, &[0..1, 1..2]);
        let interpreter = Interpreter::new(&program).expect("it is valid");
        let mut workspace = interpreter.workspace();
        let mut out = [0.0; 3];
        let calls = &mut NoExternals;
        interpreter.setup(&mut workspace, &[2.0, 0.0, 0.0], calls).expect("lengths");
        interpreter.update(&mut workspace, &[2.0, 1.3, 0.0], calls).expect("lengths");
        let iterations = workspace.work().iterations;
        assert!(iterations > 0);
        for a in [0.7, -2.0] {
            let inputs = [2.0, 1.3, a];
            interpreter.evaluate(&mut workspace, &inputs, &mut out, calls).expect("lengths");
            assert_eq!(out.map(f64::to_bits).to_vec(), bits(&two(), &inputs));
        }
        assert_eq!(workspace.work().iterations, iterations);
    }

    #[test]
    fn functions_take_the_shared_vector() {
        let mut program = two();
        share(&mut program, &[0..1, 1..2]);
        let split = split(&program, &[0..1, 1..2], 1, 4);
        for one in split.functions.iter().chain([&split.shared]) {
            assert_eq!(verify(one), Ok(()), "{one}");
            assert!(one.block(Block::Shared).is_empty());
        }
        let inputs = [2.0, 1.3, 0.7];
        let vector = run_once(&split.shared, &[2.0, 1.3], &mut NoExternals).expect("it runs");
        assert_eq!(vector.len(), 4);
        assert!(vector[0] == 0.0 && vector[1] != 0.0, "{vector:?}");
        let expected = bits(&two(), &inputs);
        let found = split.functions.iter().flat_map(|one| {
            let given = one.inputs().iter().map(|input| match input.name.as_str() {
                "m" => inputs[0],
                "q" => inputs[1],
                "a" => inputs[2],
                name => (0..4).find(|&at| element(at) == name).map_or(f64::NAN, |at| vector[at]),
            });
            bits(one, &given.collect::<Vec<f64>>())
        });
        assert_eq!(found.collect::<Vec<u64>>(), expected);
    }

    #[test]
    fn a_part_keeps_bits_and_drops_inputs() {
        let whole = two();
        let one = part(&whole, &[1], &[Kind::Coordinate]);
        assert_eq!(verify(&one), Ok(()), "{one}");
        // `a` is read, so it stays.
        assert_eq!(one.inputs().len(), 3);
        let inputs = [2.0, 1.3, 0.7];
        assert_eq!(bits(&one, &inputs), bits(&whole, &inputs)[1..]);
    }

    #[test]
    fn numbers_keep_their_bits_and_leave_out_what_others_need() {
        let whole = two();
        let one = numbers(&whole, &[(1, &[false, true])]);
        assert_eq!(verify(&one), Ok(()), "{one}");
        // The cosine of the angle: neither the root nor the acceleration.
        assert_eq!((one.block(Block::Body).len(), one.regions().len()), (1, 0), "{one}");
        let names: Vec<&str> = one.inputs().iter().map(|input| input.name.as_str()).collect();
        assert_eq!(names, ["m", "q"]);
        assert_eq!(bits(&one, &[2.0, 1.3])[1], bits(&whole, &[2.0, 1.3, 0.7])[2]);
        assert_eq!(bits(&one, &[2.0, 1.3])[0], 0);
    }

    #[test]
    fn a_stage_refuses_what_comes_later() {
        let wrong = "program p\ninput a acceleration\nshared\n%0 = neg a\noutput y(1)\n(0) = %0";
        let problem = parse(wrong).expect_err("it is not valid").to_string();
        assert!(problem.contains("shared may read parameters, time"), "{problem}");
        let order = "program p\ninput q coordinate\nbody\n%0 = neg q\nshared\n%1 = neg q";
        assert!(parse(order).is_err());
    }

    #[test]
    fn merging_gives_the_body_back() {
        let mut program = two();
        share(&mut program, &[0..1, 1..2]);
        merge(&mut program);
        assert_eq!(verify(&program), Ok(()));
        assert!(program.block(Block::Shared).is_empty());
        let inputs = [2.0, 1.3, 0.7];
        assert_eq!(bits(&program, &inputs), bits(&two(), &inputs));
    }
}
