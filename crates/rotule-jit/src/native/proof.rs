//! Proofs about written code, for the tests.
//!
//! The allocation is run with names instead of numbers: each register and each place holds the
//! formula that it stands for, every instruction makes a formula of those it reads, and outputs,
//! arguments of calls and what regions test and update must be the formulas of the program. A
//! region is run through twice, so that what its end destroys is missed at its second beginning.
//! The bytes are decoded and compared with what was to be encoded.

use super::allocate::{Allocation, REGISTERS, Stage, allocate};
use super::codes::Width;
use super::instruction::{Extreme, Form, Instruction, One, Place, Register, Source, Sum};
use super::layout::Layout;
use super::machine_code::{Written, write};
use super::plan::{Helper, Plan};
use super::uses::Uses;
use crate::selection::KernelOptions;
use iced_x86::{Code, Decoder, DecoderOptions, OpKind};
use proptest::prelude::*;
use rotule_program::{
    ArithmeticOperation, Block, Operation, Picks, Program, ProgramOutput, RegionId, RegionResult,
    Step, Value, all_steps,
};
use rotule_symbolic::{Binary, Kind, Unary};
use rotule_testing::program;
use std::collections::HashMap;

/// A formula, by number.
type Formula = u32;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Shape {
    Constant(u64),
    Input(u32),
    State(usize, u32),
    /// A result of a region.
    Final(usize, u32),
    /// An operation with its operands.
    Made(String, Vec<Formula>),
}

#[derive(Default)]
struct Formulas {
    known: HashMap<Shape, Formula>,
}

impl Formulas {
    fn of(&mut self, form: Shape) -> Formula {
        let next = self.known.len() as u32;
        *self.known.entry(form).or_insert(next)
    }

    fn made(&mut self, name: impl Into<String>, operands: &[Formula]) -> Formula {
        self.of(Shape::Made(name.into(), operands.to_vec()))
    }

    fn arithmetic(&mut self, operation: ArithmeticOperation, a: Formula, b: Formula) -> Formula {
        let (a, b) = if operation.commutes() && b < a { (b, a) } else { (a, b) };
        self.made(operation.name(), &[a, b])
    }

    /// The formulas of all values of a program.
    fn of_program(&mut self, program: &Program) -> Vec<Option<Formula>> {
        let picks = Picks::of(program);
        let mut of = vec![None; program.len()];
        for (k, known) in of.iter_mut().enumerate() {
            *known = match program.operation(Value::new(k)) {
                Operation::Constant(number) => Some(self.of(Shape::Constant(number.to_bits()))),
                Operation::Input(input) => Some(self.of(Shape::Input(input.index() as u32))),
                Operation::State(region, k) => Some(self.of(Shape::State(region.index(), k))),
                _ => None,
            };
        }
        for step in all_steps(program) {
            match step {
                Step::Statement(value) => {
                    let operation = program.operation(value);
                    if matches!(operation, Operation::Result { .. }) {
                        continue;
                    }
                    let mut operands = Vec::new();
                    program.operands(operation, |operand| {
                        operands.push(of[operand.index()].expect("operands come first"));
                    });
                    match operation {
                        Operation::Arithmetic(operation, ..) => {
                            let made = self.arithmetic(operation, operands[0], operands[1]);
                            of[value.index()] = Some(made);
                        }
                        Operation::Select { compare, .. } => {
                            let name = format!("select {}", compare.sign());
                            of[value.index()] = Some(self.made(name, &operands));
                        }
                        Operation::Call { function, .. } => {
                            for &(index, pick) in picks.from_tuple(value) {
                                let name = format!("{} {index}", function.index());
                                of[pick.index()] = Some(self.made(name, &operands));
                            }
                        }
                        operation => {
                            of[value.index()] = Some(self.made(operation.word(), &operands));
                        }
                    }
                }
                Step::Enter(..) => {}
                Step::Leave(value, region) => {
                    for &(index, pick) in picks.from_tuple(value) {
                        of[pick.index()] = match program.get_region(region).result(index) {
                            // The number that the last iteration leaves behind.
                            Some(RegionResult::Export(value)) => match program.operation(value) {
                                Operation::State(own, k) if own == region => {
                                    Some(self.of(Shape::Final(region.index(), k)))
                                }
                                _ => of[value.index()],
                            },
                            _ => Some(self.of(Shape::Final(region.index(), index))),
                        };
                    }
                }
            }
        }
        of
    }
}

/// Registers and memory with formulas in them.
struct Machine<'a> {
    program: &'a Program,
    formulas: &'a mut Formulas,
    /// The formula of each value.
    of: &'a [Option<Formula>],
    states: &'a [Vec<Place>],
    registers: [Option<Formula>; REGISTERS],
    cells: HashMap<Place, Formula>,
    /// Angles that were taken, and those whose sines and cosines are in registers.
    angles: Vec<Formula>,
    turned: Vec<Formula>,
}

/// The mark of the states that passed all tests.
const GATHERED: &str = "gathered";

type Outcome<T> = Result<T, String>;

impl Machine<'_> {
    fn expected(&self, value: Value) -> Outcome<Formula> {
        self.of[value.index()].ok_or_else(|| format!("{value:?} has no formula"))
    }

    fn place(&self, place: Place) -> Outcome<Formula> {
        match place {
            Place::Constant(value) => self.expected(Value::new(value as usize)),
            Place::Input(input) => {
                let id = rotule_program::InputId::new(input as usize);
                self.expected(self.program.input_value(id))
            }
            _ => self.cells.get(&place).copied().ok_or_else(|| format!("{place:?} holds nothing")),
        }
    }

    fn register(&self, register: Register) -> Outcome<Formula> {
        self.registers[usize::from(register.0)].ok_or_else(|| format!("{register:?} holds nothing"))
    }

    fn source(&self, source: Source) -> Outcome<Formula> {
        match source {
            Source::Register(register) => self.register(register),
            Source::Place(place) => self.place(place),
        }
    }

    fn set(&mut self, register: Register, formula: Formula) {
        self.registers[usize::from(register.0)] = Some(formula);
    }

    fn same(&self, what: &str, found: Formula, value: Value) -> Outcome<()> {
        if found == self.expected(value)? { Ok(()) } else { Err(format!("{what}: not {value:?}")) }
    }

    fn run(&mut self, instructions: &[Instruction]) -> Outcome<()> {
        let mut at = 0;
        while let Some(&instruction) = instructions.get(at) {
            if let Instruction::Enter { region } = instruction {
                at = self.iterate(region, instructions, at + 1)?;
                continue;
            }
            self.one(instruction).map_err(|error| format!("{at} {instruction:?}: {error}"))?;
            at += 1;
        }
        Ok(())
    }

    /// Runs through a region twice; gives where it ends.
    fn iterate(
        &mut self,
        id: RegionId,
        instructions: &[Instruction],
        start: usize,
    ) -> Outcome<usize> {
        let region = self.program.get_region(id);
        let places = &self.states[id.index()];
        for (&place, &initial) in places.iter().zip(&region.initial) {
            self.same("initial", self.place(place)?, initial)?;
        }
        let mut end = start;
        let mut after = None;
        for _ in 0..2 {
            self.registers = [None; REGISTERS];
            for (&place, &state) in places.iter().zip(&region.states) {
                self.cells.insert(place, self.expected(state)?);
            }
            let mut tested = 0;
            let mut at = start;
            loop {
                match instructions[at] {
                    Instruction::Enter { region } => {
                        at = self.iterate(region, instructions, at + 1)?;
                        continue;
                    }
                    Instruction::Test { residual, tolerance, spare, first } => {
                        if first != (tested == 0) {
                            return Err("a test is not the first one".into());
                        }
                        if !first && spare.passed != spare.scratch {
                            self.gathered(spare.passed)?;
                        }
                        let requested = self.program.get_region(id);
                        self.same("residual", self.source(residual)?, requested.residuals[tested])?;
                        self.same("tolerance", self.register(tolerance)?, requested.tolerance)?;
                        self.registers[usize::from(spare.scratch.0)] = None;
                        if spare.passed != spare.scratch {
                            let gathered = self.formulas.made(GATHERED, &[]);
                            self.set(spare.passed, gathered);
                        }
                        tested += 1;
                    }
                    Instruction::Update { spare, .. } => {
                        if spare.passed != spare.scratch {
                            self.gathered(spare.passed)?;
                            self.registers[usize::from(spare.old.0)] = None;
                        }
                        after = Some((self.registers, self.cells.clone()));
                    }
                    Instruction::Leave { region: left, loops } => {
                        assert_eq!(left, id, "regions lie inside each other");
                        if tested != region.residuals.len() || loops != (tested > 0) {
                            return Err(format!("{tested} tests"));
                        }
                        if loops {
                            for (&place, &next) in places.iter().zip(&region.next) {
                                self.same("next", self.place(place)?, next)?;
                            }
                        }
                        end = at + 1;
                        break;
                    }
                    Instruction::Next { from, to, spare } => {
                        let formula = self.register(from)?;
                        if spare.passed != spare.scratch {
                            self.gathered(spare.passed)?;
                            distinct(&[spare.old], &[from, spare.passed])?;
                            self.place(to)?;
                            self.registers[usize::from(spare.old.0)] = None;
                        }
                        self.cells.insert(to, formula);
                    }
                    instruction => {
                        let told = |error| format!("{at} {instruction:?}: {error}");
                        self.one(instruction).map_err(told)?;
                    }
                }
                at += 1;
            }
        }
        if let Some((_, cells)) = after {
            self.cells = cells;
        }
        self.registers = [None; REGISTERS];
        for (k, &place) in places.iter().enumerate() {
            let formula = self.formulas.of(Shape::Final(id.index(), k as u32));
            self.cells.insert(place, formula);
        }
        let converged = self.formulas.of(Shape::Final(id.index(), region.converged_index()));
        self.cells.insert(Place::Converged(id.index() as u32), converged);
        Ok(end)
    }

    /// Checks that a register still holds the states that passed all tests.
    fn gathered(&mut self, register: Register) -> Outcome<()> {
        let gathered = self.formulas.made(GATHERED, &[]);
        if self.register(register)? == gathered { Ok(()) } else { Err("the tests are lost".into()) }
    }

    fn one(&mut self, instruction: Instruction) -> Outcome<()> {
        match instruction {
            Instruction::Load { to, from } => {
                let formula = self.place(from)?;
                self.set(to, formula);
            }
            Instruction::Store { from, to } => {
                let formula = self.register(from)?;
                self.cells.insert(to, formula);
            }
            Instruction::Move { to, from } => {
                let formula = self.register(from)?;
                self.set(to, formula);
            }
            Instruction::Arithmetic { operation, to, a, b } => {
                let (a, b) = (self.register(a)?, self.source(b)?);
                let made = self.formulas.arithmetic(operation, a, b);
                self.set(to, made);
            }
            Instruction::Fused { sum, form, to, other, source } => {
                let own = self.register(to)?;
                let (other, source) = (self.register(other)?, self.source(source)?);
                let (a, b, addend) = match form {
                    Form::Factor132 => (own, source, other),
                    Form::Factor213 => (own, other, source),
                    Form::Addend231 => (other, source, own),
                };
                let product = self.formulas.arithmetic(ArithmeticOperation::Mul, a, b);
                let made = match sum {
                    Sum::Plus => {
                        self.formulas.arithmetic(ArithmeticOperation::Add, product, addend)
                    }
                    Sum::Minus => {
                        self.formulas.arithmetic(ArithmeticOperation::Sub, product, addend)
                    }
                    Sum::Reversed => {
                        self.formulas.arithmetic(ArithmeticOperation::Sub, addend, product)
                    }
                };
                self.set(to, made);
            }
            Instruction::One { operation, to, a } => {
                let name = match operation {
                    One::Neg => "neg",
                    One::Abs => Unary::Abs.name(),
                    One::Sqrt => Unary::Sqrt.name(),
                    One::Floor => Unary::Floor.name(),
                };
                let made = self.formulas.made(name, &[self.register(a)?]);
                self.set(to, made);
            }
            Instruction::Sign { to, a, scratch } => {
                distinct(&[to, scratch], &[a])?;
                let made = self.formulas.made(Unary::Sign.name(), &[self.register(a)?]);
                self.registers[usize::from(scratch.0)] = None;
                self.set(to, made);
            }
            Instruction::Extreme { extreme, to, a, b, scratch } => {
                distinct(&[to, scratch], &[a, b])?;
                let name = match extreme {
                    Extreme::Min => Binary::Min.name(),
                    Extreme::Max => Binary::Max.name(),
                };
                let made = self.formulas.made(name, &[self.register(a)?, self.register(b)?]);
                self.registers[usize::from(scratch.0)] = None;
                self.set(to, made);
            }
            Instruction::Select { compare, to, left, right, then, otherwise } => {
                distinct(&[to], &[then, otherwise])?;
                let operands = [
                    self.register(left)?,
                    self.source(right)?,
                    self.register(then)?,
                    self.register(otherwise)?,
                ];
                let made = self.formulas.made(format!("select {}", compare.sign()), &operands);
                self.set(to, made);
            }
            Instruction::Call { helper, arguments, results } => {
                let mut given = Vec::new();
                for argument in arguments.into_iter().flatten() {
                    given.push(self.place(argument)?);
                }
                let names = match helper {
                    Helper::Unary(function) => vec![function.name()],
                    Helper::Binary(function) => vec![function.name()],
                    Helper::SinCos => return Err("is no call".into()),
                };
                for (result, name) in results.into_iter().flatten().zip(names) {
                    let made = self.formulas.made(name, &given);
                    self.cells.insert(result, made);
                }
                self.registers = [None; REGISTERS];
            }
            Instruction::Angle { lane, from } => {
                let angle = self.place(from)?;
                if usize::from(lane) != self.angles.len() {
                    return Err("an angle is left out".into());
                }
                self.angles.push(angle);
            }
            Instruction::Turn { angles } => {
                if usize::from(angles) != self.angles.len() {
                    return Err("an angle is forgotten".into());
                }
                self.registers = [None; REGISTERS];
                self.turned = std::mem::take(&mut self.angles);
            }
            Instruction::Sine { lane, to } | Instruction::Cosine { lane, to } => {
                let sine = matches!(instruction, Instruction::Sine { .. });
                let name = if sine { Unary::Sin.name() } else { Unary::Cos.name() };
                let angle = self.turned.get(usize::from(lane)).copied();
                let made = self.formulas.made(name, &[angle.ok_or("there is no such angle")?]);
                self.cells.insert(to, made);
            }
            Instruction::External { function } => {
                let declared = self.program.get_function(function);
                let given: Result<Vec<Formula>, String> =
                    (0..declared.arguments).map(|k| self.place(Place::Argument(k))).collect();
                let given = given?;
                for k in 0..declared.results {
                    let made = self.formulas.made(format!("{} {k}", function.index()), &given);
                    self.cells.insert(Place::Result(k), made);
                }
                self.registers = [None; REGISTERS];
            }
            Instruction::Count { to, region } => {
                let index = self.program.get_region(region).iterations_index();
                let made = self.formulas.of(Shape::Final(region.index(), index));
                self.set(to, made);
            }
            Instruction::Enter { .. }
            | Instruction::Test { .. }
            | Instruction::Update { .. }
            | Instruction::Next { .. }
            | Instruction::Leave { .. } => return Err("stands outside its region".into()),
        }
        Ok(())
    }
}

fn distinct(written: &[Register], read: &[Register]) -> Outcome<()> {
    let clash = written.iter().any(|register| read.contains(register))
        || (written.len() == 2 && written[0] == written[1]);
    if clash { Err("writes what it has still to read".into()) } else { Ok(()) }
}

/// A stage of a program, with its allocation.
fn allocated(
    program: &Program,
    fuse: bool,
    width: Width,
    change: impl Fn(Stage, &mut Allocation),
) -> Outcome<()> {
    let picks = Picks::of(program);
    let uses = Uses::of(program, &picks, fuse);
    let layout = Layout::of(program, &uses, width.lanes());
    let mut formulas = Formulas::default();
    let of = formulas.of_program(program);
    let values = || (0..program.len()).map(Value::new);
    for (block, stage) in Stage::ALL {
        let plan = Plan::of(program, &picks, &uses, block);
        let mut made = allocate(program, &picks, &uses, &layout, &plan, stage, width);
        change(stage, &mut made);
        let mut cells = HashMap::new();
        if stage != Stage::Setup {
            let earlier =
                |value: &Value| uses.made[value.index()].is_some_and(|it| it < stage as u8);
            for value in values().filter(earlier) {
                if let (Some(k), Some(formula)) = (layout.crossing(value), of[value.index()]) {
                    cells.insert(Place::Crossing(k), formula);
                }
            }
        }
        let mut machine = Machine {
            program,
            formulas: &mut formulas,
            of: &of,
            states: &made.states,
            registers: [None; REGISTERS],
            cells,
            angles: Vec::new(),
            turned: Vec::new(),
        };
        machine.run(&made.instructions)?;
        for value in values() {
            let made = uses.made[value.index()].is_some_and(|it| it <= stage as u8);
            if let Some(k) = layout.crossing(value).filter(|_| made) {
                machine.same("crossing", machine.place(Place::Crossing(k))?, value)?;
            }
            if stage == Stage::Body {
                for &k in layout.outputs(value) {
                    machine.same("output", machine.place(Place::Output(k))?, value)?;
                }
            }
        }
    }
    Ok(())
}

/// A program of many sums and products whose operands are taken from a wide window, so that
/// registers are scarce.
fn crowded(choices: &[u16], window: usize, calls: bool) -> Program {
    let mut program = Program::new("crowded");
    let mut scope: Vec<Value> =
        (0..8).map(|k| program.input(format!("x{k}"), Kind::Coordinate)).collect();
    scope.push(program.constant(0.5));
    for pair in choices.windows(3) {
        let of =
            |choice: u16| scope[scope.len() - 1 - usize::from(choice) % window.min(scope.len())];
        let (a, b) = (of(pair[0]), of(pair[1]));
        let operation = match pair[2] % 16 {
            0 if calls => Operation::Unary(Unary::Sin, a),
            1 if calls => Operation::Unary(Unary::Cos, a),
            2 if calls => Operation::Binary(Binary::Atan2, a, b),
            3 => Operation::Unary(Unary::Sign, a),
            4 => Operation::Binary(Binary::Max, a, b),
            5 => Operation::Unary(Unary::Floor, a),
            k => Operation::Arithmetic(ArithmeticOperation::ALL[usize::from(k) % 3], a, b),
        };
        scope.push(program.push(Block::Body, operation));
    }
    let last = scope.len().saturating_sub(window);
    program.output(ProgramOutput::vector("y", &scope[last..]));
    program
}

/// Operands of an instruction, read and written, however it is encoded.
fn operands(instruction: &iced_x86::Instruction) -> Vec<String> {
    let shown = |k| match instruction.op_kind(k) {
        OpKind::Register => format!("{:?}", instruction.op_register(k)),
        OpKind::Memory => format!(
            "{:?} {:?} {}",
            instruction.memory_base(),
            instruction.memory_index(),
            instruction.memory_displacement64() as i64
        ),
        OpKind::NearBranch64 => instruction.near_branch_target().to_string(),
        _ => instruction.immediate(k).to_string(),
    };
    (0..instruction.op_count()).map(shown).collect()
}

fn decoded(program: &Program, fuse: bool, width: Width) {
    let Written { bytes, record, .. } =
        write(program, KernelOptions { fuse }, width).unwrap_or_else(|error| panic!("{error}"));
    let starts: Vec<u64> = record.iter().map(|&(at, _)| at).collect();
    for (k, (at, requested)) in record.iter().enumerate() {
        let rest = &bytes[*at as usize..];
        let found = Decoder::with_ip(64, rest, *at, DecoderOptions::NONE).decode();
        assert_eq!(found.code(), requested.code(), "{found:?} {requested:?}");
        let next = starts.get(k + 1).copied().unwrap_or(bytes.len() as u64);
        let padding = &bytes[found.next_ip() as usize..next as usize];
        assert!(padding.iter().all(|&byte| byte == 0xcc), "{requested:?}");
        let jumps = requested.op_count() == 1 && requested.op0_kind() == OpKind::NearBranch64;
        if jumps {
            // Where it leads to was not known when it was written; but it is an instruction.
            assert!(starts.binary_search(&found.near_branch_target()).is_ok(), "{found:?}");
        } else {
            assert_eq!(operands(&found), operands(requested), "{requested:?}");
        }
    }
}

fn widths() -> impl Strategy<Value = Width> {
    prop::sample::select(vec![Width::One, Width::Four])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn every_use_reads_the_value_it_should(
        choices in prop::collection::vec(any::<u16>(), 0..900),
        fuse in any::<bool>(),
        width in widths(),
    ) {
        let program = program::program_from(&choices, program::Range::All);
        let outcome = allocated(&program, fuse, width, |_, _| {});
        prop_assert!(outcome.is_ok(), "{:?}\n{}", outcome, rotule_program::print(&program));
    }

    #[test]
    fn also_where_registers_are_scarce(
        choices in prop::collection::vec(any::<u16>(), 0..2000),
        window in 2_usize..80,
        fuse in any::<bool>(),
        width in widths(),
        calls in any::<bool>(),
    ) {
        let program = crowded(&choices, window, calls);
        let outcome = allocated(&program, fuse, width, |_, _| {});
        prop_assert!(outcome.is_ok(), "{:?}", outcome);
    }

    #[test]
    fn every_instruction_decodes_to_itself(
        choices in prop::collection::vec(any::<u16>(), 0..900),
        fuse in any::<bool>(),
        width in widths(),
    ) {
        decoded(&program::program_from(&choices, program::Range::All), fuse, width);
        decoded(&crowded(&choices, 60, true), fuse, width);
    }
}

/// A sum of products of this length.
fn long(length: usize) -> Program {
    let mut program = Program::new("long");
    let x = program.input("x", Kind::Coordinate);
    let mut total = x;
    for _ in 0..length {
        let square =
            program.push(Block::Body, Operation::Arithmetic(ArithmeticOperation::Mul, total, x));
        total =
            program.push(Block::Body, Operation::Arithmetic(ArithmeticOperation::Add, square, x));
    }
    program.output(ProgramOutput::vector("y", &[total]));
    program
}

/// Code beyond the caches would be waited for line by line; other code has nothing to ask for.
#[test]
fn large_code_asks_for_each_of_its_lines_ahead() {
    for (length, lines) in [(1000, false), (50_000, true)] {
        let program = long(length);
        decoded(&program, false, Width::One);
        let written = write(&program, KernelOptions { fuse: false }, Width::One);
        let Written { bytes, record, .. } = written.unwrap_or_else(|error| panic!("{error}"));
        let requested = record.iter().filter(|(_, made)| made.code() == Code::Prefetcht1_m8);
        let mut requested: Vec<u64> =
            requested.map(|(_, made)| made.memory_displacement64() / 64).collect();
        requested.dedup();
        let expected = if lines { bytes.len() / 64 } else { 0 };
        assert!(
            requested.len().abs_diff(expected) <= expected / 50,
            "{} {expected}",
            requested.len()
        );
    }
}

/// The proof finds every load from a wrong slot and every lost store.
#[test]
fn a_wrong_allocation_is_found() {
    let choices: Vec<u16> = (0..400_u32).map(|k| ((k * k * 7919 + k * 31) >> 3) as u16).collect();
    let program = crowded(&choices, 50, true);
    assert_eq!(allocated(&program, false, Width::One, |_, _| {}), Ok(()));
    let count = std::cell::Cell::new(0);
    allocated(&program, false, Width::One, |_, made| count.set(made.instructions.len()))
        .expect("as before");
    let mut tried = 0;
    for k in 0..count.get() {
        let changed = std::cell::Cell::new(false);
        let outcome = allocated(&program, false, Width::One, |stage, made| {
            if stage != Stage::Body {
                return;
            }
            match &mut made.instructions[k] {
                Instruction::Load { from: Place::Slot(slot), .. } => *slot ^= 1,
                Instruction::Store { to: Place::Slot(slot), .. } => *slot += 1000,
                Instruction::Arithmetic { b: Source::Place(Place::Slot(slot)), .. } => *slot ^= 1,
                Instruction::Arithmetic { a, .. } => a.0 ^= 1,
                _ => return,
            }
            changed.set(true);
        });
        if changed.get() {
            tried += 1;
            assert!(outcome.is_err(), "{k}");
        }
    }
    assert!(tried > 100, "{tried}");
}
