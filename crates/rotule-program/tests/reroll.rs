//! Structure that repeats: what is found computes the same numbers as the program, whatever signs,
//! orders and ends the copies have, and whatever stands between them.

use rotule_program::RegionRole;
use rotule_program::reroll::{RerollSettings, Rerolled, RunItem, reroll};
use rotule_program::slp::{OperandSource, PackOperand, PackOperation};
use rotule_program::{
    ArithmeticOperation, Block, Externals, ForeignSignature, FunctionId, InputId, Operation,
    Program, ProgramOutput, Value, run_once, verify,
};
use rotule_symbolic::{Kind, Unary};
use rotule_testing::program::Random;
use std::collections::HashMap;

/// The external function of these tests.
struct Shrink;

impl Externals for Shrink {
    fn call(&mut self, _: &ForeignSignature, arguments: &[f64], results: &mut [f64]) {
        results[0] = shrink(arguments[0]);
    }
}

fn shrink(x: f64) -> f64 {
    x / (1.0 + x.abs())
}

/// The numbers of a program, computed in the order of what was found. Of copies, they are what the
/// copies compute.
struct Copied<'a> {
    program: &'a Program,
    numbers: Vec<f64>,
    opposite: Vec<bool>,
    /// Results that copies have given: output, entry, number.
    given: Vec<(usize, usize, f64)>,
    /// `true` if the last digit decided a floor, so that another order of a sum may give another
    /// number.
    torn: bool,
}

impl Copied<'_> {
    fn of(&self, value: Value) -> f64 {
        let number = self.numbers[value.index()];
        assert!(!number.is_nan(), "{value:?} is read before it is computed");
        if self.opposite[value.index()] { -number } else { number }
    }

    fn unary(&mut self, function: Unary, x: f64) -> f64 {
        match function {
            Unary::Sin => x.sin(),
            Unary::Cos => x.cos(),
            Unary::Abs => x.abs(),
            Unary::Atan => x.atan(),
            Unary::Floor => {
                self.torn |= (x - x.round()).abs() < 1e-9;
                x.floor()
            }
            other => panic!("{} is not in these tests", other.name()),
        }
    }

    fn statement(&mut self, value: Value) {
        self.numbers[value.index()] = match self.program.operation(value) {
            Operation::Neg(a) => -self.of(a),
            Operation::Arithmetic(arithmetic, a, b) => arithmetic.apply(self.of(a), self.of(b)),
            Operation::Unary(function, a) => self.unary(function, self.of(a)),
            Operation::Call { arguments, .. } => {
                shrink(self.of(self.program.arguments(arguments)[0]))
            }
            Operation::Region(region) => {
                let region = self.program.get_region(region);
                for (&state, &initial) in region.states.iter().zip(&region.initial) {
                    self.numbers[state.index()] = self.of(initial);
                }
                for count in 0..=region.limit {
                    region.block.iter().for_each(|&inner| self.statement(inner));
                    let small = |&one: &Value| self.of(one).abs() <= self.of(region.tolerance);
                    if region.residuals.iter().all(small) || count == region.limit {
                        break;
                    }
                    let next: Vec<f64> = region.next.iter().map(|&one| self.of(one)).collect();
                    for (&state, next) in region.states.iter().zip(next) {
                        self.numbers[state.index()] = next;
                    }
                }
                self.of(region.states[0])
            }
            Operation::Result { of, .. } => self.of(of),
            other => panic!("{} is not in these tests", other.word()),
        };
    }

    fn run(&mut self, found: &Rerolled) {
        for item in &found.order {
            match item {
                RunItem::Statement(value) => self.statement(*value),
                RunItem::Run { phases, first, count, down } => {
                    for step in 0..*count {
                        let copy = if *down { first - step } else { first + step };
                        phases.iter().for_each(|&phase| self.part(found, phase, copy));
                    }
                }
            }
        }
    }

    fn part(&mut self, found: &Rerolled, phase: usize, copy: usize) {
        let mut here: Vec<f64> = Vec::new();
        for pack in &found.phases[phase].packs {
            let of = |source: &PackOperand| {
                let number = match &source.what {
                    OperandSource::Here(place) => here[*place],
                    OperandSource::Earlier(values) | OperandSource::Each(values) => {
                        let number = self.numbers[values[copy].index()];
                        assert!(!number.is_nan(), "a copy reads what is not computed yet");
                        number
                    }
                };
                if source.negative[copy] { -number } else { number }
            };
            let number = match &pack.form {
                PackOperation::Sum(sources) => sources.iter().map(of).sum(),
                PackOperation::Product(sources) => sources.iter().map(of).product(),
                PackOperation::Apply(Operation::Unary(function, _), sources) => {
                    let x = of(&sources[0]);
                    self.unary(*function, x)
                }
                PackOperation::Apply(
                    Operation::Arithmetic(ArithmeticOperation::Div, ..),
                    sources,
                ) => of(&sources[0]) / of(&sources[1]),
                PackOperation::Apply(other, _) => panic!("{} is not in these tests", other.word()),
            };
            let value = pack.values[copy];
            assert!(self.numbers[value.index()].is_nan(), "computed twice");
            self.numbers[value.index()] = number;
            self.opposite[value.index()] = pack.negative[copy];
            here.push(number);
        }
        let phase = &found.phases[phase];
        for (pack, results) in phase.packs.iter().zip(&phase.results) {
            for given in results {
                let number = self.of(pack.values[copy]);
                let number = if given.negative[copy] { -number } else { number };
                self.given.push((given.output.index(), given.entries[copy], number));
            }
        }
    }
}

/// Holds the numbers of copies against the interpreter's; false where the last digit decides.
fn check(program: &Program, found: &Rerolled, seed: u64) -> bool {
    let mut random = Random(seed);
    let inputs: Vec<f64> = program.inputs().iter().map(|_| random.number()).collect();
    let numbers = (0..program.len()).map(|at| program.number(Value::new(at)).unwrap_or(f64::NAN));
    let opposite = vec![false; program.len()];
    let numbers = numbers.collect();
    let mut copied = Copied { program, numbers, opposite, given: Vec::new(), torn: false };
    for (at, &input) in inputs.iter().enumerate() {
        copied.numbers[program.input_value(InputId::new(at)).index()] = input;
    }
    program.block(Block::Setup).iter().for_each(|&value| copied.statement(value));
    copied.run(found);
    if copied.torn {
        return false;
    }
    let run = |inputs: &[f64]| run_once(program, inputs, &mut Shrink).expect("all inputs");
    let expected = run(&inputs);
    // Long recursions can be sensitive: then the last digits of inputs say how much may be lost.
    let nearby: Vec<f64> = inputs.iter().map(|x| x * (1.0 + 1e-15)).collect();
    let nearby = run(&nearby);
    let mut at = 0;
    let by_entry: HashMap<(usize, usize), f64> =
        copied.given.iter().map(|&(output, entry, number)| ((output, entry), number)).collect();
    assert_eq!(by_entry.len(), copied.given.len(), "an entry is given twice");
    for (number, output) in program.outputs().iter().enumerate() {
        for (entry_number, entry) in output.entries.iter().enumerate() {
            let place = at + (entry.row * output.columns + entry.column) as usize;
            let known = by_entry.get(&(number, entry_number)).copied();
            let own = known.unwrap_or_else(|| copied.of(entry.value));
            let given = expected[place];
            let loss = 100.0 * (given - nearby[place]).abs() + 1e-12 * given.abs().max(1.0);
            assert!((own - given).abs() <= loss, "seed {seed}: {own} instead of {given}");
        }
        at += output.dense_len() as usize;
    }
    true
}

/// An operand of a step of a link.
#[derive(Clone, Copy)]
enum Read {
    /// A step of the same link.
    Own(usize),
    /// A step of the link before it, or behind it.
    Beside(usize),
    /// An input of the link.
    Input(usize),
    /// A value that all links have in common.
    Common,
}

/// A step of a link.
#[derive(Clone)]
enum Step {
    Sum(Vec<(Read, bool)>),
    Product(Read, Read),
    Scale(Read, f64),
    Function(Unary, Read),
    /// An external function, or an iteration.
    Foreign(Read, bool),
}

/// Equal links.
struct Chain {
    links: usize,
    inputs: usize,
    /// Steps that follow from the link before, then steps that follow from the link behind.
    ways: [Vec<Step>; 2],
    parameters: bool,
    /// `true` if one link gives one more result.
    middle: bool,
}

fn random_chain(random: &mut Random) -> Chain {
    let inputs = 1 + random.below(3);
    let foreign = random.below(3) == 0;
    let mut ways = [Vec::new(), Vec::new()];
    let mut known = 0;
    for way in &mut ways {
        let steps = 6 + random.below(14);
        for at in 0..steps {
            let reads = |random: &mut Random| match random.below(6) {
                0 | 1 if known > 0 => Read::Own(random.below(known)),
                // What is beside is of the same way, any step of it.
                2 | 3 => Read::Beside(known - at + random.below(steps)),
                4 if random.below(3) == 0 => Read::Common,
                _ => Read::Input(random.below(inputs)),
            };
            let step = match random.below(10) {
                0..=3 => {
                    let count = 2 + random.below(3);
                    Step::Sum((0..count).map(|_| (reads(random), random.coin())).collect())
                }
                4..=6 => Step::Product(reads(random), reads(random)),
                7 => Step::Scale(reads(random), random.number()),
                8 if foreign => Step::Foreign(reads(random), random.coin()),
                _ => {
                    let functions = [Unary::Sin, Unary::Cos, Unary::Atan, Unary::Abs, Unary::Floor];
                    Step::Function(functions[random.below(functions.len())], reads(random))
                }
            };
            way.push(step);
            known += 1;
        }
    }
    Chain {
        links: 3 + random.below(30),
        inputs,
        ways,
        parameters: random.coin(),
        middle: random.coin(),
    }
}

/// Writes a chain, each link with orders, signs and numbers of its own.
struct Builder<'a> {
    program: Program,
    random: &'a mut Random,
    function: FunctionId,
    common: Value,
    parameter: Option<Value>,
    inputs: Vec<Vec<Value>>,
    /// Of each link and step the value, and whether it is the opposite.
    made: Vec<Vec<Option<(Value, bool)>>>,
}

impl Builder<'_> {
    fn push(&mut self, operation: Operation) -> Value {
        self.program.push(Block::Body, operation)
    }

    fn read(&mut self, link: usize, beside: Option<usize>, read: Read) -> (Value, bool) {
        match read {
            Read::Own(step) => self.made[link][step],
            Read::Beside(step) => beside.and_then(|link| self.made[link][step]),
            Read::Input(input) => Some((self.inputs[link][input], false)),
            Read::Common => None,
        }
        .unwrap_or((self.common, false))
    }

    fn plain(&mut self, (value, opposite): (Value, bool)) -> Value {
        if opposite { self.push(Operation::Neg(value)) } else { value }
    }

    fn step(&mut self, link: usize, beside: Option<usize>, step: &Step) -> (Value, bool) {
        let squash =
            |builder: &mut Self, value: Value| builder.push(Operation::Unary(Unary::Atan, value));
        match step {
            Step::Sum(terms) => {
                let mut terms: Vec<(Value, bool)> = terms
                    .iter()
                    .map(|&(read, minus)| {
                        let (value, opposite) = self.read(link, beside, read);
                        (value, opposite ^ minus)
                    })
                    .collect();
                for at in (1..terms.len()).rev() {
                    let other = self.random.below(at + 1);
                    terms.swap(at, other);
                }
                let opposite = self.random.coin();
                terms.iter_mut().for_each(|(_, minus)| *minus ^= opposite);
                let mut sum = self.plain(terms[0]);
                for &(value, minus) in &terms[1..] {
                    let how =
                        if minus { ArithmeticOperation::Sub } else { ArithmeticOperation::Add };
                    sum = self.push(Operation::Arithmetic(how, sum, value));
                }
                (sum, opposite)
            }
            Step::Product(a, b) => {
                let (a, b) = (self.read(link, beside, *a), self.read(link, beside, *b));
                let (first, second) = if self.random.coin() { (a, b) } else { (b, a) };
                let product =
                    self.push(Operation::Arithmetic(ArithmeticOperation::Mul, first.0, second.0));
                let value = squash(self, product);
                (value, a.1 ^ b.1)
            }
            Step::Scale(a, number) => {
                let (value, opposite) = self.read(link, beside, *a);
                let turned = self.random.coin();
                let number = number * (1.0 + 0.1 * self.random.number());
                let number = self.program.constant(if turned { -number } else { number });
                let factor = match self.parameter {
                    Some(parameter) => {
                        let factor =
                            Operation::Arithmetic(ArithmeticOperation::Mul, parameter, number);
                        self.program.push(Block::Setup, factor)
                    }
                    None => number,
                };
                let product = Operation::Arithmetic(ArithmeticOperation::Mul, value, factor);
                (self.push(product), opposite ^ turned)
            }
            Step::Function(function, a) => {
                let a = self.read(link, beside, *a);
                let a = self.plain(a);
                (self.push(Operation::Unary(*function, a)), false)
            }
            Step::Foreign(a, true) => {
                let a = self.read(link, beside, *a);
                let a = self.plain(a);
                let pack = self.program.call(Block::Body, self.function, &[a]);
                (self.program.result(Block::Body, pack, 0), false)
            }
            Step::Foreign(a, false) => {
                // A number whose cosine, halved, it is, near what is read.
                let a = self.read(link, beside, *a);
                let a = self.plain(a);
                let (half, small) = (self.program.constant(0.25), self.program.constant(1e-14));
                let region = self.program.region(RegionRole::Unknowns, "near", &[a], small, 60);
                let block = Block::Region(region);
                let state = self.program.get_region(region).states[0];
                let cosine = self.program.push(block, Operation::Unary(Unary::Cos, state));
                let next = self
                    .program
                    .push(block, Operation::Arithmetic(ArithmeticOperation::Mul, half, cosine));
                let rest = self
                    .program
                    .push(block, Operation::Arithmetic(ArithmeticOperation::Sub, next, state));
                let pack = self.program.close(Block::Body, region, &[next], &[rest]);
                (self.program.result(Block::Body, pack, 0), false)
            }
        }
    }
}

fn build(chain: &Chain, random: &mut Random) -> Program {
    let mut program = Program::new("chain");
    let parameter = chain.parameters.then(|| program.input("m", Kind::Parameter));
    let kinds = [Kind::Coordinate, Kind::Velocity, Kind::Effort];
    let mut inputs = vec![Vec::new(); chain.links];
    for (input, kind) in kinds.into_iter().enumerate().take(chain.inputs) {
        for (link, list) in inputs.iter_mut().enumerate() {
            list.push(program.input(format!("x{input}_{link}"), kind));
        }
    }
    let common = program.input("base", Kind::Coordinate);
    let function = program.function(ForeignSignature {
        name: "shrink".to_owned(),
        arguments: 1,
        results: 1,
        derivative_of: None,
    });
    let steps = chain.ways[0].len() + chain.ways[1].len();
    let made = vec![vec![None; steps]; chain.links];
    let mut builder = Builder { program, random, function, common, parameter, inputs, made };
    let turns = chain.ways[0].len();
    for link in 0..chain.links {
        for (at, step) in chain.ways[0].iter().enumerate() {
            builder.made[link][at] = Some(builder.step(link, link.checked_sub(1), step));
        }
    }
    for link in (0..chain.links).rev() {
        let beside = Some(link + 1).filter(|&link| link < chain.links);
        for (at, step) in chain.ways[1].iter().enumerate() {
            builder.made[link][turns + at] = Some(builder.step(link, beside, step));
        }
    }
    let results: Vec<Value> = (0..chain.links)
        .map(|link| {
            let last = builder.made[link][steps - 1].expect("all links are made");
            builder.plain(last)
        })
        .collect();
    builder.program.output(ProgramOutput::vector("ends", &results));
    if chain.middle {
        let middle = builder.made[chain.links / 2][turns / 2].expect("all links are made");
        let middle = builder.plain(middle);
        builder.program.output(ProgramOutput::vector("middle", &[middle]));
    }
    builder.program
}

#[test]
fn chains_with_signs_orders_and_numbers_of_their_own_give_the_same() {
    let (mut inside, mut all, mut runs, mut checked) = (0, 0, 0, 0);
    for seed in 0..400 {
        let mut random = Random(seed);
        let chain = random_chain(&mut random);
        let program = build(&chain, &mut random);
        verify(&program).unwrap_or_else(|problems| panic!("seed {seed}: {problems:?}"));
        let settings = RerollSettings { least: 10, ..RerollSettings::default() };
        let found = reroll(&program, &settings);
        all += program.block(Block::Body).len();
        if let Some(found) = found {
            inside += found.inside as usize;
            for trial in 0..3 {
                runs += 1;
                checked += usize::from(check(&program, &found, seed + 1000 * trial));
            }
        }
    }
    // Iterations and foreign functions stay outside, and so do the ends; changes of sign are not
    // counted.
    assert!(2 * inside > all, "{inside} of {all}");
    assert!(5 * checked > 4 * runs, "{checked} of {runs}");
}

#[test]
fn a_recursion_is_one_loop_up_and_one_down() {
    let beside = Read::Beside;
    let up = vec![
        Step::Function(Unary::Sin, Read::Input(0)),
        Step::Function(Unary::Cos, Read::Input(0)),
        Step::Product(Read::Own(0), beside(5)),
        Step::Product(Read::Own(1), beside(6)),
        Step::Scale(Read::Input(1), 2.0),
        Step::Sum(vec![(Read::Own(2), false), (Read::Own(3), true)]),
        Step::Sum(vec![(Read::Own(2), false), (Read::Own(3), false), (Read::Own(4), false)]),
    ];
    let down = vec![
        Step::Product(Read::Own(5), Read::Own(6)),
        Step::Product(Read::Own(1), beside(10)),
        Step::Product(Read::Own(0), beside(10)),
        Step::Sum(vec![(Read::Own(7), false), (Read::Own(8), true), (Read::Own(9), false)]),
    ];
    let chain = Chain { links: 40, inputs: 2, ways: [up, down], parameters: false, middle: false };
    let program = build(&chain, &mut Random(5));
    let found = reroll(&program, &RerollSettings::default()).expect("40 links repeat");
    assert!(check(&program, &found, 1));
    assert!(found.copies[0] >= 36, "{:?}", found.copies);
    let loops: Vec<(usize, bool)> = found
        .order
        .iter()
        .filter_map(|item| match item {
            RunItem::Run { phases, count, down, .. } => Some((phases.len() * *count, *down)),
            RunItem::Statement(_) => None,
        })
        .collect();
    assert_eq!(loops, [(found.copies[0], false), (found.copies[0], true)]);
    assert!(7 * found.bytes[0] < found.bytes[1], "{:?}", found.bytes);
}

#[test]
fn what_does_not_repeat_is_left_alone() {
    let mut program = Program::new("one");
    let q = program.input("q", Kind::Coordinate);
    let mut sum = q;
    for at in 0..200 {
        let number = program.constant(f64::from(at));
        let operation = match at % 3 {
            0 => Operation::Arithmetic(ArithmeticOperation::Mul, sum, q),
            1 => Operation::Arithmetic(ArithmeticOperation::Add, sum, number),
            _ => Operation::Unary(Unary::Atan, sum),
        };
        sum = program.push(Block::Body, operation);
    }
    program.output(ProgramOutput::vector("y", &[sum]));
    if let Some(found) = reroll(&program, &RerollSettings::default()) {
        assert!(check(&program, &found, 3));
    }
    let empty = Program::new("empty");
    assert!(reroll(&empty, &RerollSettings::default()).is_none());
}
