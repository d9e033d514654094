//! The proof that an assignment of slots is right: the program is run with names instead of
//! numbers, and whatever a statement reads must still be where it was put.

use super::slots::{Location, Slots};
use crate::index::{RegionId, Value};
use crate::operation::Operation;
use crate::picks::Picks;
use crate::program::{Block, Program, RegionResult};
use crate::walk::{Step, steps};
use std::fmt;

/// A value that is not where a reader expects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotProblem {
    /// The reader.
    pub reader: Value,
    /// The value that should be read.
    pub value: Value,
    /// Where the reader expects it.
    pub place: Location,
    /// The value in the slot, if any.
    pub found: Option<Value>,
}

impl fmt::Display for SlotProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (reader, value) = (self.reader.index(), self.value.index());
        write!(f, "value {reader} reads value {value} from {:?} and finds ", self.place)?;
        match self.found {
            Some(found) => write!(f, "value {}", found.index()),
            None => write!(f, "nothing"),
        }
    }
}

impl std::error::Error for SlotProblem {}

/// Proves that no value is overwritten while it is needed.
pub fn check_slots(program: &Program, slots: &Slots) -> Result<(), SlotProblem> {
    let mut memory = Memory {
        slots,
        setup: vec![None; slots.setup],
        crossing: vec![None; slots.crossing],
        body: vec![None; slots.body],
    };
    let picks = Picks::of(program);
    for block in Block::STAGES {
        memory.run(program, &picks, block)?;
        // What a stage leaves behind is gone when the next one runs.
        memory.setup.fill(None);
    }
    for entry in program.outputs().iter().flat_map(|output| &output.entries) {
        // Of `body`, outputs are stored at once; what `setup` computed must have crossed.
        if let Location::Setup(_) = slots.of[entry.value.index()] {
            memory.read(program, entry.value, entry.value)?;
        }
    }
    Ok(())
}

struct Memory<'a> {
    slots: &'a Slots,
    setup: Vec<Option<Value>>,
    crossing: Vec<Option<Value>>,
    body: Vec<Option<Value>>,
}

/// Values of the blocks around, for each open region, that the region reads.
type Open = Vec<Vec<Value>>;

/// Notes a read of something that was defined around the innermost open region.
fn note(open: &mut Open, depth: &[usize], operand: Value) {
    if depth[operand.index()] < open.len()
        && let Some(reads) = open.last_mut()
    {
        reads.push(operand);
    }
}

impl Memory<'_> {
    fn run(&mut self, program: &Program, picks: &Picks, block: Block) -> Result<(), SlotProblem> {
        let mut open = Open::new();
        // How many regions were open when a value was defined.
        let mut depth = vec![0; program.len()];
        let mut operands = Vec::new();
        for step in steps(program, block) {
            match step {
                Step::Statement(value) => {
                    let operation = program.operation(value);
                    if let Operation::Result { .. } = operation {
                        continue;
                    }
                    operands.clear();
                    program.operands(operation, |operand| operands.push(operand));
                    for &operand in &operands {
                        self.read(program, value, operand)?;
                        note(&mut open, &depth, operand);
                    }
                    let own = [(0, value)];
                    let picked = picks.from_tuple(value);
                    for &(_, written) in if operation.is_tuple() { picked } else { &own } {
                        self.write(written);
                        depth[written.index()] = open.len();
                    }
                }
                Step::Enter(value, id) => {
                    let region = program.get_region(id);
                    for &initial in &region.initial {
                        note(&mut open, &depth, initial);
                    }
                    let moves = region.initial.iter().copied().zip(region.states.iter().copied());
                    self.moves(program, value, moves)?;
                    open.push(vec![region.tolerance]);
                    region.states.iter().for_each(|state| depth[state.index()] = open.len());
                }
                Step::Leave(value, id) => {
                    let region = program.get_region(id);
                    let ends = region.ends().chain(&region.states);
                    for &operand in ends {
                        self.read(program, value, operand)?;
                        note(&mut open, &depth, operand);
                    }
                    // The next iteration does the same again, so what it reads from outside must
                    // still be in its slot.
                    for operand in open.pop().unwrap_or_default() {
                        self.read(program, value, operand)?;
                        note(&mut open, &depth, operand);
                    }
                    self.results(program, picks, value, id)?;
                    picks.from_tuple(value).iter().for_each(|(_, v)| depth[v.index()] = open.len());
                }
            }
        }
        Ok(())
    }

    /// Stores the results of a region: states that move, and counters that come from elsewhere.
    fn results(
        &mut self,
        program: &Program,
        picks: &Picks,
        value: Value,
        id: RegionId,
    ) -> Result<(), SlotProblem> {
        let region = program.get_region(id);
        let source = |index: u32| match region.result(index)? {
            RegionResult::State(value) | RegionResult::Export(value) => Some(value),
            RegionResult::Iterations | RegionResult::Converged => None,
        };
        let picked = picks.from_tuple(value);
        for &(_, pick) in picked.iter().filter(|&&(index, _)| source(index).is_none()) {
            self.write(pick);
        }
        let moves = picked.iter().filter_map(|&(index, pick)| Some((source(index)?, pick)));
        self.moves(program, value, moves)
    }

    /// Moves values one after the other, as code does it. Where both ends share a slot, nothing is
    /// stored; the number only changes its name, when all else is done.
    fn moves(
        &mut self,
        program: &Program,
        reader: Value,
        moves: impl Iterator<Item = (Value, Value)> + Clone,
    ) -> Result<(), SlotProblem> {
        for renamed in [false, true] {
            for (from, to) in moves.clone() {
                if (self.slots.of[from.index()] == self.slots.of[to.index()]) == renamed {
                    self.read(program, reader, from)?;
                    self.write(to);
                }
            }
        }
        Ok(())
    }

    fn cell(&mut self, place: Location) -> Option<&mut Option<Value>> {
        match place {
            Location::Nowhere => None,
            Location::Setup(slot) => self.setup.get_mut(slot.index()),
            Location::Crossing(slot) => self.crossing.get_mut(slot.index()),
            Location::Body(slot) => self.body.get_mut(slot.index()),
        }
    }

    fn read(&mut self, program: &Program, reader: Value, value: Value) -> Result<(), SlotProblem> {
        if matches!(program.operation(value), Operation::Constant(_) | Operation::Input(_)) {
            return Ok(());
        }
        let place = self.slots.of[value.index()];
        let found = self.cell(place).and_then(|cell| *cell);
        if found == Some(value) {
            return Ok(());
        }
        Err(SlotProblem { reader, value, place, found })
    }

    fn write(&mut self, value: Value) {
        if let Some(cell) = self.cell(self.slots.of[value.index()]) {
            *cell = Some(value);
        }
    }
}
