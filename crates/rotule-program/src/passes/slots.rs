//! Slots: temporaries are packed into few places by a linear scan, for the fast face of a program.
//!
//! A slot is free again once its value has been read for the last time, and the very statement that
//! reads it last may write it. What crosses from `setup` to `body` has a place of its own that is
//! never reused. [`check_slots`](super::check_slots) proves an assignment right.
//!
//! Whoever runs a program in slots does so under these rules:
//! - The picked results of a call or of a region are stored when the call or the region is done,
//!   not where the pick is listed.
//! - An output entry is stored as soon as its value is known; it does not keep the slot.
//! - Initial states may be stored one after the other, in order. So may results of a region. Next
//!   states may too, unless [`Region::update_overlaps`](crate::Region::update_overlaps).

use crate::index::{RegionId, SlotId, Value};
use crate::operation::Operation;
use crate::picks::Picks;
use crate::program::{Block, Program, RegionResult};
use crate::walk::{Step, crossing, steps};

/// Where a value is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// Nowhere: constants, inputs, calls and regions.
    Nowhere,
    /// A temporary of a stage before `body`.
    Setup(SlotId),
    /// Computed by a stage and read by a later one or an output.
    Crossing(SlotId),
    /// A temporary of `body`.
    Body(SlotId),
}

/// Where all values of a program are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    /// The place of each value.
    pub of: Vec<Location>,
    /// Number of slots that the temporaries of stages before `body` take.
    pub setup: usize,
    /// Number of values that cross from a stage to a later one.
    pub crossing: usize,
    /// Number of slots that the temporaries of `body` take.
    pub body: usize,
}

/// Packs the temporaries of a program, in the order of its blocks.
pub fn slots(program: &Program) -> Slots {
    let picks = Picks::of(program);
    let mut slots =
        Slots { of: vec![Location::Nowhere; program.len()], setup: 0, crossing: 0, body: 0 };
    slots.crossing = place_crossing(program, &picks, &mut slots.of);
    for stage in [Block::Setup, Block::Shared] {
        slots.setup = slots.setup.max(Scan::of(program, &picks, stage).run(&mut slots.of));
    }
    slots.body = Scan::of(program, &picks, Block::Body).run(&mut slots.of);
    slots
}

/// Gives a place to each value of a stage that a later one or an output reads, in the order of the
/// stages.
fn place_crossing(program: &Program, picks: &Picks, of: &mut [Location]) -> usize {
    let crossing = crossing(program);
    let mut count = 0;
    let mut place = |value: Value| {
        of[value.index()] = Location::Crossing(SlotId::new(count));
        count += 1;
    };
    for &value in [Block::Setup, Block::Shared].into_iter().flat_map(|stage| program.block(stage)) {
        match program.operation(value) {
            // A tuple crosses by those of its results that are picked, wherever they are listed.
            operation if operation.is_tuple() => {
                for &(_, pick) in picks.from_tuple(value) {
                    if crossing[pick.index()] {
                        place(pick);
                    }
                }
            }
            Operation::Result { .. } => {}
            _ if crossing[value.index()] => place(value),
            _ => {}
        }
    }
    count
}

/// When each value of one block and its regions is defined and read last, in steps.
struct Scan<'a> {
    program: &'a Program,
    picks: &'a Picks,
    block: Block,
    defined: Vec<u32>,
    /// Values by the step that reads them last: those of step `p` are
    /// `ending[end_start[p]..end_start[p + 1]]`.
    ending: Vec<Value>,
    end_start: Vec<u32>,
}

const NEVER: u32 = u32::MAX;

impl<'a> Scan<'a> {
    fn of(program: &'a Program, picks: &'a Picks, block: Block) -> Scan<'a> {
        let (Lifetimes { defined, last, .. }, count) = Lifetimes::of(program, picks, block);
        let mut end_start = vec![0_u32; count + 1];
        let ends = || (0..program.len()).filter(|&k| defined[k] != NEVER);
        ends().for_each(|k| end_start[last[k] as usize + 1] += 1);
        for p in 1..end_start.len() {
            end_start[p] += end_start[p - 1];
        }
        let mut fill = end_start.clone();
        let mut ending = vec![Value::new(0); ends().count()];
        for k in ends() {
            ending[fill[last[k] as usize] as usize] = Value::new(k);
            fill[last[k] as usize] += 1;
        }
        Scan { program, picks, block, defined, ending, end_start }
    }

    /// Gives a slot to each value that has no place yet and returns how many slots there are.
    fn run(&self, of: &mut [Location]) -> usize {
        let setup = self.block != Block::Body;
        let mut pool = Pool { of, setup, owner: Vec::new(), free: Vec::new() };
        for (p, step) in steps(self.program, self.block).enumerate() {
            match step {
                Step::Statement(value) => {
                    self.end(p, &mut pool, false);
                    match self.program.operation(value) {
                        operation if operation.is_tuple() => {
                            for &(_, pick) in self.picks.from_tuple(value) {
                                pool.take(pick);
                            }
                        }
                        Operation::Result { .. } => {}
                        _ => pool.take(value),
                    }
                    self.end(p, &mut pool, true);
                }
                Step::Enter(_, region) => {
                    self.enter(p, region, &mut pool);
                    self.end(p, &mut pool, false);
                }
                Step::Leave(value, region) => {
                    self.leave(p, value, region, &mut pool);
                    self.end(p, &mut pool, false);
                    self.end(p, &mut pool, true);
                }
            }
        }
        pool.owner.len()
    }

    /// Frees the slots of values that end at a step: those defined before it, or by it.
    fn end(&self, p: usize, pool: &mut Pool<'_>, fresh: bool) {
        for &value in self.ending_at(p) {
            if (self.defined[value.index()] == p as u32) == fresh {
                pool.release(value);
            }
        }
    }

    /// Values that end at a step, in the order of their numbers.
    fn ending_at(&self, p: usize) -> &[Value] {
        &self.ending[self.end_start[p] as usize..self.end_start[p + 1] as usize]
    }

    /// A state takes over the slot of its initial value where that ends here. Other states take
    /// slots that are free already, so that no state is stored over an initial value to come.
    fn enter(&self, p: usize, region: RegionId, pool: &mut Pool<'_>) {
        let region = self.program.get_region(region);
        let ending = self.ending_at(p);
        for (&state, &initial) in region.states.iter().zip(&region.initial) {
            let ends = ending.binary_search(&initial).is_ok();
            if !(ends && pool.hand_over(initial, state)) {
                pool.take(state);
            }
        }
    }

    /// The first pick of a state or an export takes over its slot; other results take slots that
    /// are free.
    fn leave(&self, p: usize, value: Value, region: RegionId, pool: &mut Pool<'_>) {
        let region = self.program.get_region(region);
        let ending = self.ending_at(p);
        for &(index, pick) in self.picks.from_tuple(value) {
            let taken = match region.result(index) {
                Some(RegionResult::State(from) | RegionResult::Export(from)) => {
                    ending.binary_search(&from).is_ok() && pool.hand_over(from, pick)
                }
                _ => false,
            };
            if !taken {
                pool.take(pick);
            }
        }
    }
}

/// The slots of one block, and which value each of them holds.
struct Pool<'a> {
    of: &'a mut [Location],
    setup: bool,
    owner: Vec<Option<Value>>,
    free: Vec<SlotId>,
}

impl Pool<'_> {
    fn place(&self, slot: SlotId) -> Location {
        if self.setup { Location::Setup(slot) } else { Location::Body(slot) }
    }

    /// The slot that a value holds now.
    fn held(&self, value: Value) -> Option<SlotId> {
        let slot = match self.of[value.index()] {
            Location::Setup(slot) if self.setup => slot,
            Location::Body(slot) if !self.setup => slot,
            _ => return None,
        };
        (self.owner[slot.index()] == Some(value)).then_some(slot)
    }

    /// Gives a free slot to a value that has no place of its own.
    fn take(&mut self, value: Value) {
        if self.of[value.index()] != Location::Nowhere {
            return;
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.owner.push(None);
            SlotId::new(self.owner.len() - 1)
        });
        self.owner[slot.index()] = Some(value);
        self.of[value.index()] = self.place(slot);
    }

    /// Lets one value have the slot of another, if that still holds one.
    fn hand_over(&mut self, from: Value, to: Value) -> bool {
        let Some(slot) = self.held(from).filter(|_| self.of[to.index()] == Location::Nowhere)
        else {
            return false;
        };
        self.owner[slot.index()] = Some(to);
        self.of[to.index()] = self.place(slot);
        true
    }

    fn release(&mut self, value: Value) {
        if let Some(slot) = self.held(value) {
            self.owner[slot.index()] = None;
            self.free.push(slot);
        }
    }
}

/// When values are defined and read last, counted in steps of one block and its regions.
struct Lifetimes {
    defined: Vec<u32>,
    last: Vec<u32>,
    /// Number of regions that lie around the definition.
    depth: Vec<u8>,
    /// Values that each open region reads of the blocks around it. It reads them again in each
    /// iteration, so that it stays until the region ends.
    outer: Vec<Vec<Value>>,
}

impl Lifetimes {
    fn of(program: &Program, picks: &Picks, block: Block) -> (Lifetimes, usize) {
        let mut lives = Lifetimes {
            defined: vec![NEVER; program.len()],
            last: vec![NEVER; program.len()],
            depth: vec![0; program.len()],
            outer: Vec::new(),
        };
        let mut p = 0;
        for step in steps(program, block) {
            match step {
                Step::Statement(value) => match program.operation(value) {
                    Operation::Result { .. } => {}
                    operation => {
                        program.operands(operation, |operand| lives.read(operand, p));
                        if operation.is_tuple() {
                            picks.from_tuple(value).iter().for_each(|&(_, v)| lives.define(v, p));
                        } else {
                            lives.define(value, p);
                        }
                    }
                },
                Step::Enter(_, region) => {
                    let region = program.get_region(region);
                    region.initial.iter().for_each(|&initial| lives.read(initial, p));
                    lives.outer.push(Vec::new());
                    lives.read(region.tolerance, p);
                    region.states.iter().for_each(|&state| lives.define(state, p));
                }
                Step::Leave(value, region) => {
                    let region = program.get_region(region);
                    let read = region.ends().chain(&region.states);
                    read.for_each(|&operand| lives.read(operand, p));
                    for operand in lives.outer.pop().unwrap_or_default() {
                        lives.read(operand, p);
                    }
                    picks.from_tuple(value).iter().for_each(|&(_, v)| lives.define(v, p));
                }
            }
            p += 1;
        }
        (lives, p as usize)
    }

    fn define(&mut self, value: Value, p: u32) {
        self.defined[value.index()] = p;
        self.last[value.index()] = p;
        self.depth[value.index()] = self.outer.len() as u8;
    }

    fn read(&mut self, value: Value, p: u32) {
        let k = value.index();
        if self.defined[k] == NEVER {
            return;
        }
        self.last[k] = p;
        if usize::from(self.depth[k]) < self.outer.len()
            && let Some(outer) = self.outer.last_mut()
        {
            outer.push(value);
        }
    }
}
