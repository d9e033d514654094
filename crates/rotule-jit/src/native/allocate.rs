//! Registers for a plan: of the values in registers, the one that is read furthest in the future
//! goes first, which for code without branches is best.
//!
//! A value is written to memory at most once, where it first has to leave its register; from then
//! on it may be dropped for nothing. Slots in memory are used again as soon as their value is dead.
//! Nothing stays in registers over a call or over the beginning and the end of a region.

mod registers;

use super::codes::Width;
use super::instruction::{Extreme, Form, Instruction, One, Place, Register, Spare, Sum};
use super::layout::Layout;
use super::plan::{Call, Helper, Kind, NEVER, Operand, Plan};
use super::uses::{Fused, Uses};
use rotule_program::{
    ArithmeticOperation, Block, Operation, Picks, Program, RegionId, RegionResult, Value,
};
use rotule_symbolic::{Binary, Unary};

/// Number of registers.
pub const REGISTERS: usize = 16;

/// Number of angles whose sines and cosines are computed at once.
const ANGLES: usize = 4;

/// No register, or no value in one.
const NONE: u32 = u32::MAX;

/// The instructions of a stage and the number of slots that they need.
pub struct Allocation {
    /// The instructions in order.
    pub instructions: Vec<Instruction>,
    /// Number of slots.
    pub slots: u32,
    /// Where the states of each region lie.
    #[cfg(test)]
    pub states: Vec<Vec<Place>>,
}

/// Gives registers and slots to a plan.
pub fn allocate(
    program: &Program,
    picks: &Picks,
    uses: &Uses,
    layout: &Layout,
    plan: &Plan,
    stage: Stage,
    width: Width,
) -> Allocation {
    let mut allocator = Allocator {
        program,
        picks,
        uses,
        layout,
        plan,
        stage,
        width,
        register: vec![NONE; program.len()],
        place: vec![None; program.len()],
        next: plan.first.clone(),
        held: [NONE; REGISTERS],
        locked: 0,
        free: Vec::new(),
        slots: 0,
        barrier: NEVER,
        out: Vec::with_capacity(plan.steps.len() * 3 / 2),
        #[cfg(test)]
        states: vec![Vec::new(); program.regions().len()],
    };
    allocator.leaves();
    for p in 0..plan.steps.len() {
        allocator.step(p);
    }
    Allocation {
        instructions: allocator.out,
        slots: allocator.slots,
        #[cfg(test)]
        states: allocator.states,
    }
}

/// Stages of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Values that cross are written to their places.
    Setup,
    /// So they are here, and those of `setup` are read.
    Shared,
    /// Outputs are written.
    Body,
}

impl Stage {
    /// The stages in their order, with their statements.
    pub const ALL: [(Block, Stage); Block::STAGES.len()] =
        [(Block::Setup, Stage::Setup), (Block::Shared, Stage::Shared), (Block::Body, Stage::Body)];
}

struct Allocator<'a> {
    program: &'a Program,
    picks: &'a Picks,
    uses: &'a Uses,
    layout: &'a Layout,
    plan: &'a Plan,
    stage: Stage,
    width: Width,
    /// The register of each value.
    register: Vec<u32>,
    /// Where each value lies in memory, once it does.
    place: Vec<Option<Place>>,
    /// Where each value is read next.
    next: Vec<u32>,
    /// The value in each register.
    held: [u32; REGISTERS],
    /// Registers that must stay as they are, one bit each.
    locked: u16,
    free: Vec<u32>,
    slots: u32,
    /// The first step after this one that no register survives.
    barrier: u32,
    out: Vec<Instruction>,
    #[cfg(test)]
    states: Vec<Vec<Place>>,
}

impl Allocator<'_> {
    /// Inputs, constants and what earlier stages computed are in memory from the beginning.
    fn leaves(&mut self) {
        for k in 0..self.program.len() {
            let value = Value::new(k);
            self.place[k] = match self.program.operation(value) {
                Operation::Constant(_) => Some(Place::Constant(k as u32)),
                Operation::Input(input) => Some(Place::Input(input.index() as u32)),
                _ => {
                    let made = self.uses.made[k].is_some_and(|made| made < self.stage as u8);
                    self.layout.crossing(value).filter(|_| made).map(Place::Crossing)
                }
            };
            if self.place[k].is_some() && self.stage == Stage::Body {
                self.write_outputs(value, None);
            }
        }
    }

    fn step(&mut self, p: usize) {
        let plan = self.plan;
        self.barrier = plan.barrier[p];
        let operands = plan.operands(p);
        for operand in operands {
            self.next[operand.value.index()] = operand.after;
        }
        match &plan.steps[p] {
            Kind::Plain(value) => self.plain(*value, operands),
            Kind::Calls(calls) => self.calls(calls),
            Kind::External(value) => self.external(*value, operands),
            Kind::Enter(_, region) => self.enter(*region),
            Kind::Leave(value, region) => self.leave(*value, *region),
        }
        for operand in operands {
            self.release(operand.value);
        }
        self.locked = 0;
    }

    fn plain(&mut self, value: Value, operands: &[Operand]) {
        for operand in operands {
            if let Some(register) = self.register_of(operand.value) {
                self.lock(register);
            }
        }
        let fused = self.uses.fused[value.index()];
        let to = match self.program.operation(value) {
            Operation::Arithmetic(operation, ..) if fused != Fused::No => {
                let [a, b, addend] = operands else { return };
                let sum = match (operation, fused) {
                    (ArithmeticOperation::Sub, Fused::Left) => Sum::Minus,
                    (ArithmeticOperation::Sub, _) => Sum::Reversed,
                    _ => Sum::Plus,
                };
                self.fused(sum, a.value, b.value, addend.value)
            }
            Operation::Arithmetic(operation, a, b) => self.arithmetic(operation, a, b),
            Operation::Neg(a) => self.one(One::Neg, a),
            Operation::Unary(Unary::Abs, a) => self.one(One::Abs, a),
            Operation::Unary(Unary::Sqrt, a) => self.one(One::Sqrt, a),
            Operation::Unary(Unary::Floor, a) => self.one(One::Floor, a),
            Operation::Unary(Unary::Sign, a) => {
                let a = self.load(a);
                let (to, scratch) = (self.take_locked(), self.take_locked());
                self.out.push(Instruction::Sign { to, a, scratch });
                to
            }
            Operation::Binary(function, a, b) => {
                let extreme = if function == Binary::Min { Extreme::Min } else { Extreme::Max };
                let (a, b) = (self.load(a), self.load(b));
                let (to, scratch) = (self.take_locked(), self.take_locked());
                self.out.push(Instruction::Extreme { extreme, to, a, b, scratch });
                to
            }
            Operation::Select { compare, left, right, then, otherwise } => {
                let left = self.load(left);
                let then = self.load(then);
                let otherwise = self.load(otherwise);
                let right = self.source(right);
                let to = self.take_locked();
                self.out.push(Instruction::Select { compare, to, left, right, then, otherwise });
                to
            }
            // Everything else is no plain step.
            _ => return,
        };
        self.define(value, to);
    }

    fn arithmetic(&mut self, operation: ArithmeticOperation, a: Value, b: Value) -> Register {
        let swap = operation.commutes() && self.better_second(a, b);
        let (first, second) = if swap { (b, a) } else { (a, b) };
        let left = self.load(first);
        let right = self.source(second);
        let to = self.target(&[first, second]);
        self.out.push(Instruction::Arithmetic { operation, to, a: left, b: right });
        to
    }

    /// Returns `true` if `a` rather than `b` should be read from memory.
    fn better_second(&self, a: Value, b: Value) -> bool {
        let (in_a, in_b) = (self.register_of(a).is_some(), self.register_of(b).is_some());
        match (in_a, in_b) {
            (false, true) => true,
            (false, false) => self.next[b.index()] < self.next[a.index()],
            _ => false,
        }
    }

    fn one(&mut self, operation: One, a: Value) -> Register {
        let from = self.load(a);
        let to = self.target(&[a]);
        self.out.push(Instruction::One { operation, to, a: from });
        to
    }

    /// `a * b` with `c`, into the register of an operand that is not read again, if there is one.
    fn fused(&mut self, sum: Sum, a: Value, b: Value, c: Value) -> Register {
        let dies = |this: &Self, value: Value| {
            this.register_of(value).is_some() && this.useless(value) && this.clean_or_dead(value)
        };
        let (form, own, other, source) = if dies(self, c) {
            let swap = self.better_second(a, b);
            (Form::Addend231, c, if swap { b } else { a }, if swap { a } else { b })
        } else if dies(self, a) {
            self.factor_form(a, b, c)
        } else if dies(self, b) {
            self.factor_form(b, a, c)
        } else {
            let swap = self.better_second(a, b);
            (Form::Addend231, c, if swap { b } else { a }, if swap { a } else { b })
        };
        let held = self.register_of(own).filter(|_| dies(self, own));
        if let Some(register) = held {
            self.lock(register);
        }
        let first = self.load(other);
        let second = self.source(source);
        let to = match (held, self.register_of(own)) {
            (Some(register), _) => register,
            (None, Some(from)) => {
                self.lock(from);
                let to = self.take_locked();
                self.out.push(Instruction::Move { to, from });
                to
            }
            (None, None) => {
                let to = self.take_locked();
                let place = self.place_of(own);
                self.out.push(Instruction::Load { to, from: place });
                to
            }
        };
        self.out.push(Instruction::Fused { sum, form, to, other: first, source: second });
        to
    }

    /// The target holds a factor; of the two others, one in memory is the source.
    fn factor_form(&self, own: Value, factor: Value, addend: Value) -> (Form, Value, Value, Value) {
        if self.better_second(factor, addend) {
            (Form::Factor132, own, addend, factor)
        } else {
            (Form::Factor213, own, factor, addend)
        }
    }

    fn clean_or_dead(&self, value: Value) -> bool {
        self.next[value.index()] == NEVER || self.place[value.index()].is_some()
    }

    fn calls(&mut self, calls: &[Call]) {
        for argument in calls.iter().flat_map(|call| call.arguments).flatten() {
            self.spill(argument);
        }
        self.flush();
        let (circular, other): (Vec<Call>, Vec<Call>) =
            calls.iter().partition(|call| call.helper == Helper::SinCos);
        for call in &other {
            let arguments = call.arguments.map(|value| value.map(|value| self.place_of(value)));
            let results = call.results.map(|value| value.map(|value| self.own_place(value)));
            self.out.push(Instruction::Call { helper: call.helper, arguments, results });
        }
        // Several angles of one state, or one angle of several states, go into one call.
        for turned in circular.chunks(ANGLES / self.width.lanes()) {
            self.turn(turned);
        }
        for result in calls.iter().flat_map(|call| call.results).flatten() {
            self.write_outputs(result, None);
        }
    }

    fn turn(&mut self, calls: &[Call]) {
        for (call, lane) in calls.iter().zip(0_u8..) {
            for angle in call.arguments.into_iter().flatten() {
                let from = self.place_of(angle);
                self.out.push(Instruction::Angle { lane, from });
            }
        }
        self.out.push(Instruction::Turn { angles: calls.len() as u8 });
        for (call, lane) in calls.iter().zip(0_u8..) {
            let [sine, cosine] = call.results;
            if let Some(sine) = sine {
                let to = self.own_place(sine);
                self.out.push(Instruction::Sine { lane, to });
            }
            if let Some(cosine) = cosine {
                let to = self.own_place(cosine);
                self.out.push(Instruction::Cosine { lane, to });
            }
        }
    }

    fn external(&mut self, value: Value, operands: &[Operand]) {
        let Operation::Call { function, .. } = self.program.operation(value) else { return };
        for (k, operand) in operands.iter().enumerate() {
            if let Some(from) = self.register_of(operand.value) {
                self.out.push(Instruction::Store { from, to: Place::Argument(k as u32) });
            }
        }
        let in_memory: Vec<bool> =
            operands.iter().map(|operand| self.register_of(operand.value).is_none()).collect();
        self.flush();
        for (k, operand) in operands.iter().enumerate().filter(|&(k, _)| in_memory[k]) {
            let from = self.place_of(operand.value);
            self.copy(from, Place::Argument(k as u32));
        }
        self.out.push(Instruction::External { function });
        for &(index, pick) in self.picks.from_tuple(value) {
            if self.uses.needed(pick) {
                let to = self.take();
                self.out.push(Instruction::Load { to, from: Place::Result(index) });
                self.define(pick, to);
            }
        }
    }

    fn enter(&mut self, id: RegionId) {
        let region = self.program.get_region(id);
        let moves: Vec<(Value, Place, bool)> = (region.initial.iter().zip(&region.states))
            .map(|(&initial, &state)| {
                let place = Place::Slot(self.take_slot());
                self.place[state.index()] = Some(place);
                (initial, place, self.register_of(initial).is_some())
            })
            .collect();
        #[cfg(test)]
        self.states[id.index()].extend(moves.iter().map(|&(_, place, _)| place));
        for &(initial, to, _) in &moves {
            if let Some(from) = self.register_of(initial) {
                self.out.push(Instruction::Store { from, to });
            }
        }
        self.flush();
        for (initial, to, stored) in moves {
            if !stored {
                self.copy(self.place_of(initial), to);
            }
        }
        self.out.push(Instruction::Enter { region: id });
    }

    fn leave(&mut self, value: Value, id: RegionId) {
        let region = self.program.get_region(id);
        let loops = !region.residuals.is_empty();
        for &export in &region.exports {
            self.spill(export);
        }
        if loops {
            let tolerance = self.load(region.tolerance);
            let scratch = self.take_locked();
            let spare = match self.width {
                Width::One => Spare { scratch, passed: scratch, old: scratch },
                Width::Four => {
                    Spare { scratch, passed: self.take_locked(), old: self.take_locked() }
                }
            };
            for (k, &residual) in region.residuals.iter().enumerate() {
                let residual = self.where_is(residual);
                let first = k == 0;
                self.out.push(Instruction::Test { residual, tolerance, spare, first });
            }
            self.out.push(Instruction::Update { region: id, spare });
            self.update(id, spare);
        }
        for k in 0..REGISTERS {
            self.drop_register(Register(k as u8));
        }
        self.locked = 0;
        self.out.push(Instruction::Leave { region: id, loops });
        self.region_results(value, id);
    }

    /// All states become their next values at once.
    fn update(&mut self, id: RegionId, spare: Spare) {
        let region = self.program.get_region(id);
        let crossed = |k: usize| {
            let state = self.program.operation(region.next[k]);
            matches!(state, Operation::State(of, j) if of == id && j as usize != k)
        };
        let mut staged = Vec::new();
        for k in (0..region.next.len()).filter(|&k| crossed(k)) {
            let stage = self.take_slot();
            staged.push((k, stage));
            let from = self.bring(region.next[k], spare.scratch);
            self.out.push(Instruction::Store { from, to: Place::Slot(stage) });
        }
        for k in 0..region.next.len() {
            if !crossed(k) && region.next[k] != region.states[k] {
                let from = self.bring(region.next[k], spare.scratch);
                let to = self.place_of(region.states[k]);
                self.out.push(Instruction::Next { from, to, spare });
            }
        }
        for (k, stage) in staged {
            let (from, to) = (spare.scratch, self.place_of(region.states[k]));
            self.out.push(Instruction::Load { to: from, from: Place::Slot(stage) });
            self.out.push(Instruction::Next { from, to, spare });
            self.free.push(stage);
        }
    }

    /// The register of a value, wherever it is.
    fn bring(&mut self, value: Value, scratch: Register) -> Register {
        self.register_of(value).unwrap_or_else(|| {
            self.out.push(Instruction::Load { to: scratch, from: self.place_of(value) });
            scratch
        })
    }

    fn region_results(&mut self, value: Value, id: RegionId) {
        let region = self.program.get_region(id);
        // Exports whose slots go to their picks. That a block which is not in the order of its
        // values is not searched well costs a copy and no more.
        let mut handed: Vec<(Value, Value)> = Vec::new();
        for &(index, pick) in self.picks.from_tuple(value) {
            if !self.uses.needed(pick) {
                continue;
            }
            let from = match region.result(index) {
                Some(RegionResult::Export(value))
                    if region.block.binary_search(&value).is_ok()
                        && handed.iter().all(|known| known.0 != value)
                        && self.can_hand_over(value, pick) =>
                {
                    handed.push((value, pick));
                    continue;
                }
                Some(RegionResult::State(value) | RegionResult::Export(value)) => {
                    Some(self.place_of(value))
                }
                Some(RegionResult::Iterations) => None,
                Some(RegionResult::Converged) | None => Some(Place::Converged(id.index() as u32)),
            };
            let to = self.take();
            self.out.push(match from {
                Some(from) => Instruction::Load { to, from },
                None => Instruction::Count { to, region: id },
            });
            self.define(pick, to);
        }
        for (value, pick) in handed {
            self.place[pick.index()] = self.place[value.index()].take();
        }
    }
}
