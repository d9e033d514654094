//! Isomorphic subgraphs: what is found computes the same numbers as the program, whatever signs and
//! orders the copies have.

use rotule_program::slp::{
    IsomorphicSubgraphs, OperandSource, PackOperand, PackOperation, PackSettings, find_isomorphic,
};
use rotule_program::{
    ArithmeticOperation, Block, InputId, NoExternals, Operation, Program, ProgramOutput, Value,
    parse, run_once,
};
use rotule_symbolic::{Kind, Unary};
use rotule_testing::program::Random;

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|error| panic!("{error}"))
}

/// The numbers of a program, computed as its pack sets say.
struct Layered<'a> {
    program: &'a Program,
    numbers: Vec<f64>,
}

impl Layered<'_> {
    fn statement(&mut self, value: Value) {
        let of = |value: Value| self.numbers[value.index()];
        self.numbers[value.index()] = match self.program.operation(value) {
            Operation::Neg(a) => -of(a),
            Operation::Arithmetic(arithmetic, a, b) => arithmetic.apply(of(a), of(b)),
            Operation::Unary(Unary::Sin, a) => of(a).sin(),
            Operation::Unary(Unary::Cos, a) => of(a).cos(),
            other => panic!("{} is not in these tests", other.word()),
        };
    }

    fn pack_sets(&mut self, found: &IsomorphicSubgraphs) {
        for pack_set in &found.pack_sets {
            pack_set.before.iter().for_each(|&value| self.statement(value));
            let mut here: Vec<Vec<f64>> = Vec::new();
            for pack in &pack_set.packs {
                let lanes: Vec<f64> =
                    (0..found.copies).map(|copy| self.lane(&pack.form, copy, &here)).collect();
                for (copy, &value) in pack.values.iter().enumerate() {
                    let sign = if pack.negative[copy] { -1.0 } else { 1.0 };
                    self.numbers[value.index()] = sign * lanes[copy];
                }
                here.push(lanes);
            }
        }
        found.after.iter().for_each(|&value| self.statement(value));
    }

    fn lane(&self, form: &PackOperation, copy: usize, here: &[Vec<f64>]) -> f64 {
        let of = |source: &PackOperand| {
            let sign = if source.negative[copy] { -1.0 } else { 1.0 };
            sign * match &source.what {
                OperandSource::Here(place) => here[*place][copy],
                OperandSource::Earlier(values) | OperandSource::Each(values) => {
                    self.numbers[values[copy].index()]
                }
            }
        };
        match form {
            PackOperation::Sum(sources) => sources.iter().map(of).sum(),
            PackOperation::Product(sources) => sources.iter().map(of).product(),
            PackOperation::Apply(Operation::Unary(Unary::Sin, _), sources) => of(&sources[0]).sin(),
            PackOperation::Apply(Operation::Unary(Unary::Cos, _), sources) => of(&sources[0]).cos(),
            PackOperation::Apply(Operation::Arithmetic(ArithmeticOperation::Div, ..), sources) => {
                of(&sources[0]) / of(&sources[1])
            }
            PackOperation::Apply(other, _) => panic!("{} is not in these tests", other.word()),
        }
    }
}

/// Holds the numbers of the pack sets against the interpreter's. Gives back how much of them was
/// compared sharply.
fn check(program: &Program, found: &IsomorphicSubgraphs, seed: u64) -> f64 {
    let mut random = Random(seed);
    let inputs: Vec<f64> = program.inputs().iter().map(|_| random.number()).collect();
    let numbers = (0..program.len()).map(|at| program.number(Value::new(at)).unwrap_or(f64::NAN));
    let mut layered = Layered { program, numbers: numbers.collect() };
    for (at, &input) in inputs.iter().enumerate() {
        layered.numbers[program.input_value(InputId::new(at)).index()] = input;
    }
    layered.pack_sets(found);
    let run = |inputs: &[f64]| run_once(program, inputs, &mut NoExternals).expect("all inputs");
    let expected = run(&inputs);
    // Deep programs can be sensitive: then the last digits of inputs say how much may be lost.
    let nearby: Vec<f64> = inputs.iter().map(|x| x * (1.0 + 1e-15)).collect();
    let nearby = run(&nearby);
    let (mut at, mut digits, mut entries) = (0, 0.0, 0.0);
    for output in program.outputs() {
        for entry in &output.entries {
            let place = at + (entry.row * output.columns + entry.column) as usize;
            let (own, given) = (layered.numbers[entry.value.index()], expected[place]);
            let loss = 100.0 * (given - nearby[place]).abs() + 1e-12 * given.abs().max(1.0);
            assert!((own - given).abs() <= loss, "seed {seed}: {own} instead of {given}");
            digits += f64::from(u8::from(loss < 1e-9 * given.abs().max(1.0)));
            entries += 1.0;
        }
        at += output.dense_len() as usize;
    }
    // What share of the numbers was compared to nine digits at least.
    digits / entries
}

/// One step of a limb: a sum or product of what exists, or a function of it. Places are those of
/// earlier steps.
enum Step {
    Sum(Vec<usize>),
    Product(usize, usize),
    Scale(usize, f64),
    Quotient(usize, usize),
    Function(Unary, usize),
}

fn steps(random: &mut Random, known: usize, count: usize) -> Vec<Step> {
    let mut list = Vec::new();
    for at in known..known + count {
        // What is new is read, so that little is left over.
        let mut place = || {
            if random.below(3) == 0 { random.below(at) } else { at - 1 - random.below(at.min(5)) }
        };
        let (a, b, c) = (place(), place(), place());
        list.push(match random.below(8) {
            0..=1 => Step::Sum(vec![a, b]),
            2 => Step::Sum(vec![a, b, c]),
            3..=4 => Step::Product(a, b),
            5 => Step::Scale(a, random.number()),
            6 if random.below(4) == 0 => Step::Quotient(a, b),
            _ => Step::Function(if random.below(2) == 0 { Unary::Sin } else { Unary::Cos }, a),
        });
    }
    list
}

/// Writes the steps of a limb, with signs and orders of its own.
fn write(random: &mut Random, program: &mut Program, known: &mut Vec<Value>, steps: &[Step]) {
    let push = |program: &mut Program, operation| program.push(Block::Body, operation);
    for step in steps {
        let value = match step {
            Step::Sum(places) => {
                let mut terms: Vec<Value> = places.iter().map(|&place| known[place]).collect();
                let turn = random.below(terms.len());
                terms.rotate_left(turn);
                let mut sum = terms[0];
                for &term in &terms[1..] {
                    let sign = if random.below(4) == 0 {
                        ArithmeticOperation::Sub
                    } else {
                        ArithmeticOperation::Add
                    };
                    let (a, b) = if random.below(2) == 0 { (sum, term) } else { (term, sum) };
                    sum = push(program, Operation::Arithmetic(sign, a, b));
                }
                sum
            }
            &Step::Product(a, b) => {
                let (a, b) = if random.below(2) == 0 { (a, b) } else { (b, a) };
                push(program, Operation::Arithmetic(ArithmeticOperation::Mul, known[a], known[b]))
            }
            &Step::Scale(a, factor) => {
                let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
                let number = program.constant(factor * sign * (1.0 + 1e-6 * random.number()));
                push(program, Operation::Arithmetic(ArithmeticOperation::Mul, number, known[a]))
            }
            &Step::Quotient(a, b) => {
                // Away from zero.
                let square = Operation::Arithmetic(ArithmeticOperation::Mul, known[b], known[b]);
                let square = push(program, square);
                let two = program.constant(2.0);
                let below =
                    push(program, Operation::Arithmetic(ArithmeticOperation::Add, square, two));
                push(program, Operation::Arithmetic(ArithmeticOperation::Div, known[a], below))
            }
            &Step::Function(function, a) => match random.below(4) {
                0 => {
                    let opposite = push(program, Operation::Neg(known[a]));
                    push(program, Operation::Unary(function, opposite))
                }
                _ => push(program, Operation::Unary(function, known[a])),
            },
        };
        known.push(value);
    }
}

/// A trunk with limbs that go out from it, a sum of what they give, and limbs that go on with that.
fn limbs(seed: u64, copies: usize) -> Program {
    let mut random = Random(seed);
    let mut program = Program::new("limbs");
    let trunk: Vec<Value> =
        (0..3).map(|at| program.input(format!("b{at}"), Kind::Velocity)).collect();
    let of_limbs: Vec<Vec<Value>> = (0..copies)
        .map(|copy| {
            (0..3).map(|at| program.input(format!("q{copy}_{at}"), Kind::Coordinate)).collect()
        })
        .collect();
    let out = steps(&mut random, 6, 60);
    let back = steps(&mut random, 67, 40);
    let mut known: Vec<Vec<Value>> = Vec::new();
    for own in &of_limbs {
        let mut limb: Vec<Value> = own.iter().chain(&trunk).copied().collect();
        write(&mut random, &mut program, &mut limb, &out);
        known.push(limb);
    }
    let mut sum = known[0][65];
    for limb in &known[1..] {
        sum = program
            .push(Block::Body, Operation::Arithmetic(ArithmeticOperation::Add, sum, limb[65]));
    }
    let mut results = vec![sum];
    for limb in &mut known {
        limb.push(sum);
        write(&mut random, &mut program, limb, &back);
        results.extend(&limb[100..]);
    }
    program.output(ProgramOutput::vector("y", &results));
    program
}

#[test]
fn random_limbs_give_the_same_numbers_in_lanes() {
    let (mut inside, mut all) = (0, 0);
    let (mut sharp, mut checked) = (0.0, 0.0);
    for seed in 0..120 {
        let copies = 2 + seed as usize % 4;
        let mut program = limbs(seed, copies);
        rotule_program::passes::dead(&mut program);
        if let Some(found) = find_isomorphic(&program, &PackSettings::default()) {
            sharp += check(&program, &found, seed);
            checked += 1.0;
            inside += found.inside;
        }
        all += program.block(Block::Body).len() as u64;
    }
    // Signs and orders differ at random in every limb, and still most is found.
    assert!(inside * 10 > all * 7, "{inside} of {all}");
    assert!(checked > 80.0 && sharp > 0.8 * checked, "{sharp} of {checked}");
}

/// Two arms, the second mirrored: signs and orders differ, nothing else.
const MIRRORED: &str = "program arms
    input a1 coordinate
    input a2 coordinate
    input w velocity
    input v velocity
    body
      %1 = sin a1
      %2 = cos a1
      %3 = mul w %1
      %4 = mul v %2
      %5 = sub %3 %4
      %6 = mul %5 0.25
      %7 = mul %5 %5
      %8 = add %6 %7
      %9 = add %8 %1
      %11 = sin a2
      %12 = cos a2
      %13 = mul w %11
      %14 = mul v %12
      %15 = sub %14 %13
      %16 = mul %15 0.25
      %17 = mul %15 %15
      %18 = add %11 %17
      %19 = sub %18 %16
    output y(2)
      (0) = %9
      (1) = %19";

#[test]
fn mirrored_arms_are_alike_and_need_no_change_of_sign() {
    let program = program(MIRRORED);
    let found = find_isomorphic(&program, &PackSettings { least: 4, ..PackSettings::default() })
        .expect("two arms");
    assert_eq!((found.copies, found.pack_sets.len()), (2, 1));
    assert_eq!((found.inside, found.all), (18, 18));
    for pack in &found.pack_sets[0].packs {
        let (PackOperation::Sum(sources)
        | PackOperation::Product(sources)
        | PackOperation::Apply(_, sources)) = &pack.form;
        for source in sources {
            let number = matches!(&source.what, OperandSource::Each(values)
                if values.iter().all(|&value| program.number(value).is_some()));
            let mixed = source.negative[0] != source.negative[1];
            assert!(number || !mixed, "{pack:?}");
        }
    }
    assert_eq!(check(&program, &found, 1), 1.0);
}

#[test]
fn what_is_too_little_stays_as_it_is() {
    assert!(find_isomorphic(&program(MIRRORED), &PackSettings::default()).is_none());
}

/// Each wagon needs the one before, so that they cannot be computed at once.
#[test]
fn a_chain_is_no_set_of_copies() {
    let mut text = String::from("program chain\n");
    for at in 0..6 {
        text += &format!("input q{at} coordinate\n");
    }
    text += "body\n%0 = sin q0\n";
    for at in 1..6 {
        // The last statement of each wagon is the sixth.
        let [before, a, b, c, d, e, s] = [0, 1, 2, 3, 4, 5, 6].map(|k| 6 * (at - 1) + k);
        text += &format!("%{a} = mul %{before} q{at}\n%{b} = add %{a} 1.5\n%{c} = mul %{b} %{a}\n");
        text += &format!("%{d} = sin %{c}\n%{e} = mul %{d} %{b}\n%{s} = add %{e} %{a}\n");
    }
    text += "output y(1)\n(0) = %30\n";
    let program = program(&text);
    let settings = PackSettings { least: 1, ..PackSettings::default() };
    if let Some(found) = find_isomorphic(&program, &settings) {
        // Whatever little is isomorphic, the numbers are right.
        assert_eq!(check(&program, &found, 3), 1.0);
        assert!(found.inside * 2 < found.all, "{} of {}", found.inside, found.all);
    }
}
