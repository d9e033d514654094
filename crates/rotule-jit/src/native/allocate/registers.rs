//! Register allocation: the value in each register, its place in memory, and what gives way to a
//! new one.

use super::super::instruction::{Instruction, Place, Register, Source};
use super::super::plan::NEVER;
use super::{Allocator, NONE, REGISTERS, Stage};
use rotule_program::Value;

impl Allocator<'_> {
    pub(super) fn register_of(&self, value: Value) -> Option<Register> {
        let register = self.register[value.index()];
        (register != NONE).then_some(Register(register as u8))
    }

    pub(super) fn place_of(&self, value: Value) -> Place {
        // Whatever is neither in a register nor in memory was never computed, and the verifier of
        // programs lets nobody read it.
        self.place[value.index()].unwrap_or(Place::Slot(0))
    }

    pub(super) fn where_is(&self, value: Value) -> Source {
        match self.register_of(value) {
            Some(register) => Source::Register(register),
            None => Source::Place(self.place_of(value)),
        }
    }

    pub(super) fn lock(&mut self, register: Register) {
        self.locked |= 1 << register.0;
    }

    /// The register of a value, loaded if need be, and kept for this step.
    pub(super) fn load(&mut self, value: Value) -> Register {
        let register = self.register_of(value).unwrap_or_else(|| {
            let register = self.take();
            self.fill(value, register);
            register
        });
        self.lock(register);
        register
    }

    pub(super) fn fill(&mut self, value: Value, register: Register) {
        let from = self.place_of(value);
        self.out.push(Instruction::Load { to: register, from });
        self.hold(value, register);
    }

    pub(super) fn hold(&mut self, value: Value, register: Register) {
        self.held[usize::from(register.0)] = value.index() as u32;
        self.register[value.index()] = u32::from(register.0);
    }

    /// Where to read a value: it is loaded only if it is read again soon and nothing has to be
    /// stored for its sake.
    pub(super) fn source(&mut self, value: Value) -> Source {
        if self.register_of(value).is_none()
            && !self.useless(value)
            && let Some(register) = self.cheap(self.next[value.index()])
        {
            self.drop_register(register);
            self.fill(value, register);
        }
        let source = self.where_is(value);
        if let Source::Register(register) = source {
            self.lock(register);
        }
        source
    }

    /// Returns `true` if it is no use to keep a value in its register.
    pub(super) fn useless(&self, value: Value) -> bool {
        self.next[value.index()] > self.barrier || self.next[value.index()] == NEVER
    }

    /// A register that is free, or whose value is in memory too and is read later than `next`.
    pub(super) fn cheap(&self, next: u32) -> Option<Register> {
        let mut best = None;
        let mut furthest = next;
        for (k, &held) in self.held.iter().enumerate() {
            if self.locked >> k & 1 == 1 {
                continue;
            }
            if held == NONE {
                return Some(Register(k as u8));
            }
            let value = Value::new(held as usize);
            let until = self.distance(value);
            if until > furthest && self.place[held as usize].is_some() {
                furthest = until;
                best = Some(Register(k as u8));
            }
        }
        best
    }

    /// Distance to the next read that a register would serve.
    pub(super) fn distance(&self, value: Value) -> u32 {
        if self.useless(value) { NEVER } else { self.next[value.index()] }
    }

    /// A register for something new. What it held is stored if it is needed and not yet in memory.
    pub(super) fn take(&mut self) -> Register {
        let mut best = 0;
        let mut furthest = (0, false);
        for (k, &held) in self.held.iter().enumerate() {
            if self.locked >> k & 1 == 1 {
                continue;
            }
            if held == NONE {
                return Register(k as u8);
            }
            let value = Value::new(held as usize);
            let rank = (self.distance(value), self.place[held as usize].is_some());
            if rank >= furthest {
                furthest = rank;
                best = k;
            }
        }
        let register = Register(best as u8);
        // A value that is dead is in no register, but for one that this very step reads.
        self.spill(Value::new(self.held[best] as usize));
        self.drop_register(register);
        register
    }

    pub(super) fn take_locked(&mut self) -> Register {
        let register = self.take();
        self.lock(register);
        register
    }

    /// The target of an instruction that reads before it writes: operands that are not read again
    /// give up their registers.
    pub(super) fn target(&mut self, operands: &[Value]) -> Register {
        for &operand in operands {
            if self.next[operand.index()] == NEVER
                && let Some(register) = self.register_of(operand)
            {
                self.drop_register(register);
            }
        }
        self.locked = 0;
        self.take()
    }

    pub(super) fn drop_register(&mut self, register: Register) {
        let held = &mut self.held[usize::from(register.0)];
        if *held != NONE {
            self.register[*held as usize] = NONE;
            *held = NONE;
        }
    }

    /// Makes sure that a value is in memory.
    pub(super) fn spill(&mut self, value: Value) {
        if self.place[value.index()].is_none()
            && let Some(from) = self.register_of(value)
        {
            let to = Place::Slot(self.take_slot());
            self.place[value.index()] = Some(to);
            self.out.push(Instruction::Store { from, to });
        }
    }

    /// Empties all registers.
    pub(super) fn flush(&mut self) {
        for k in 0..REGISTERS {
            if self.held[k] != NONE {
                let value = Value::new(self.held[k] as usize);
                if self.next[value.index()] != NEVER {
                    self.spill(value);
                }
                self.drop_register(Register(k as u8));
            }
        }
        self.locked = 0;
    }

    pub(super) fn copy(&mut self, from: Place, to: Place) {
        // Only used when all registers are free.
        let register = Register(0);
        self.out.push(Instruction::Load { to: register, from });
        self.out.push(Instruction::Store { from: register, to });
    }

    pub(super) fn take_slot(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        })
    }

    /// The place that a value has for good, or a slot.
    pub(super) fn own_place(&mut self, value: Value) -> Place {
        let place = match self.permanent(value) {
            Some(place) => place,
            None => Place::Slot(self.take_slot()),
        };
        self.place[value.index()] = Some(place);
        place
    }

    pub(super) fn permanent(&self, value: Value) -> Option<Place> {
        match self.stage {
            Stage::Setup | Stage::Shared => self.layout.crossing(value).map(Place::Crossing),
            Stage::Body => self.layout.outputs(value).first().map(|&k| Place::Output(k)),
        }
    }

    /// Returns `true` if a value can have the slot of another, which is not read again: it has no
    /// place of its own.
    pub(super) fn can_hand_over(&self, from: Value, to: Value) -> bool {
        let slot = matches!(self.place[from.index()], Some(Place::Slot(_)));
        slot && self.next[from.index()] == NEVER && self.permanent(to).is_none()
    }

    /// A value has been computed into a register.
    pub(super) fn define(&mut self, value: Value, register: Register) {
        self.drop_register(register);
        self.hold(value, register);
        if let Some(place) = self.permanent(value) {
            self.out.push(Instruction::Store { from: register, to: place });
            self.place[value.index()] = Some(place);
            self.write_outputs(value, Some(register));
        }
        if self.next[value.index()] == NEVER {
            self.drop_register(register);
        }
    }

    /// Writes a value to the outputs that it is, except for the one that is its own place.
    pub(super) fn write_outputs(&mut self, value: Value, register: Option<Register>) {
        if self.stage != Stage::Body {
            return;
        }
        let own = self.place[value.index()];
        for &output in self.layout.outputs(value) {
            let to = Place::Output(output);
            if own == Some(to) {
                continue;
            }
            match register {
                Some(from) => self.out.push(Instruction::Store { from, to }),
                None => self.copy(self.place_of(value), to),
            }
        }
    }

    /// Gives back what a value holds, if it is not read again.
    pub(super) fn release(&mut self, value: Value) {
        if self.next[value.index()] != NEVER {
            return;
        }
        if let Some(register) = self.register_of(value) {
            self.drop_register(register);
        }
        if let Some(Place::Slot(slot)) = self.place[value.index()] {
            self.place[value.index()] = None;
            self.free.push(slot);
        }
    }
}
