//! Bytes for regions: code that is run again until all residuals are small.
//!
//! With one state, its numbers decide where to go. With several, the region is run again as long as
//! one of them needs it; those that are done keep their values, and a region inside another one
//! counts only for those that still go on outside. So every state gets the numbers, and the counts,
//! that it would get alone.

use super::assemble::{Assembler, LESS_EQUAL, MEMORY};
use super::circular::{ALL, MAGNITUDE, ONE, number};
use super::codes::Width;
use super::instruction::{Place, Register as Number, Source, Spare};
use iced_x86::{Code, Instruction as Encoded, MemoryOperand, Register};
use rotule_program::RegionId;

/// Memory of a region, in the order of the layout.
#[derive(Clone, Copy)]
pub enum Cell {
    Runs,
    Failures,
    Iterations,
    Last,
    Converged,
    /// States that go on.
    Active,
    /// Number of updates.
    Updates,
}

/// A region whose end is not yet written, with its jumps, each by its end.
pub struct Open {
    region: RegionId,
    head: u64,
    to_update: Vec<u64>,
    to_end: Vec<u64>,
    to_failure: Vec<u64>,
}

impl Assembler<'_> {
    fn cell(&self, region: RegionId, cell: Cell) -> MemoryOperand {
        let last = self.layout.displacement(Place::Iterations(region.index() as u32));
        let bytes = 8 * self.width.lanes() as i64;
        let distance = bytes * (cell as i64 - Cell::Last as i64);
        MemoryOperand::with_base_displ(MEMORY, last + distance)
    }

    /// States that go on in the region around the next one, or in the innermost open one.
    pub(super) fn active(&self) -> MemoryOperand {
        match self.open.last() {
            Some(open) => self.cell(open.region, Cell::Active),
            None => number(ALL),
        }
    }

    pub(super) fn count(&mut self, to: Number, region: RegionId) {
        let (to, last) = (self.width.register(to), self.cell(region, Cell::Last));
        self.put(match self.width {
            Width::One => Encoded::with3(Code::VEX_Vcvtsi2sd_xmm_xmm_rm32, to, to, last),
            Width::Four => Encoded::with2(self.codes.load, to, last),
        });
    }

    pub(super) fn enter(&mut self, region: RegionId) {
        let last = self.cell(region, Cell::Last);
        match self.width {
            Width::One => self.put(Encoded::with2(Code::Mov_rm64_imm32, last, 0)),
            Width::Four => {
                let outside = self.active();
                let (active, updates) =
                    (self.cell(region, Cell::Active), self.cell(region, Cell::Updates));
                self.vector(self.codes.load, 0, outside);
                self.put(Encoded::with2(self.codes.store, active, ymm(0)));
                // Those that do not come in keep what they counted.
                self.put(Encoded::with3(self.codes.and_not, ymm(1), ymm(0), last));
                self.put(Encoded::with2(self.codes.store, last, ymm(1)));
                self.put(Encoded::with2(Code::Mov_rm32_imm32, updates, 0));
            }
        }
        let head = self.len();
        let (to_update, to_end, to_failure) = Default::default();
        self.open.push(Open { region, head, to_update, to_end, to_failure });
    }

    pub(super) fn test(&mut self, residual: Source, tolerance: Number, spare: Spare, first: bool) {
        let register = match residual {
            Source::Register(register) => register,
            Source::Place(place) => {
                self.load(spare.scratch, place);
                spare.scratch
            }
        };
        self.mask(self.codes.and, spare.scratch, register, MAGNITUDE);
        if self.width == Width::Four {
            let to = if first { spare.passed } else { spare.scratch };
            self.compare(to, spare.scratch, Source::Register(tolerance), LESS_EQUAL);
            if !first {
                let passed = spare.passed;
                self.three(self.codes.and, passed, passed, Source::Register(spare.scratch));
            }
            return;
        }
        let (tolerance, scratch) =
            (self.width.register(tolerance), self.width.register(spare.scratch));
        self.put(Encoded::with2(Code::VEX_Vcomisd_xmm_xmmm64, tolerance, scratch));
        // Below, or no number.
        let jump = self.jump(Code::Jb_rel32_64);
        if let Some(open) = self.open.last_mut() {
            open.to_update.push(jump);
        }
    }

    pub(super) fn update(&mut self, region: RegionId, spare: Spare) {
        let limit = self.program.get_region(region).limit as i32;
        if self.width == Width::Four {
            return self.update_lanes(region, limit, spare);
        }
        let to_end = self.jump(Code::Jmp_rel32_64);
        let here = self.len();
        let last = self.cell(region, Cell::Last);
        self.put(Encoded::with2(Code::Cmp_rm32_imm32, last, limit));
        let to_failure = self.jump(Code::Je_rel32_64);
        let Some(open) = self.open.last_mut() else { return };
        let jumps = std::mem::take(&mut open.to_update);
        open.to_end.push(to_end);
        open.to_failure.push(to_failure);
        self.patches.extend(jumps.into_iter().map(|jump| (jump, here)));
    }

    fn update_lanes(&mut self, region: RegionId, limit: i32, spare: Spare) {
        let [active, last, updates] =
            [Cell::Active, Cell::Last, Cell::Updates].map(|cell| self.cell(region, cell));
        let [passed, old] = [spare.passed, spare.old].map(|register| self.width.register(register));
        let codes = self.codes;
        self.put(Encoded::with3(codes.and_not, passed, passed, active));
        self.put(Encoded::with2(codes.store, active, passed));
        self.put(Encoded::with2(Code::VEX_Vmovmskpd_r32_ymm, Register::EAX, passed));
        self.put(Encoded::with2(Code::Test_rm32_r32, Register::EAX, Register::EAX));
        let all_done = self.jump(Code::Je_rel32_64);
        self.put(Encoded::with2(Code::Cmp_rm32_imm32, updates, limit));
        let too_many = self.jump(Code::Je_rel32_64);
        self.put(Encoded::with1(Code::Inc_rm32, updates));
        self.put(Encoded::with3(codes.and, old, passed, number(ONE)));
        self.put(Encoded::with3(codes.add, old, old, last));
        self.put(Encoded::with2(codes.store, last, old));
        if let Some(open) = self.open.last_mut() {
            open.to_end.extend([all_done, too_many]);
        }
    }

    pub(super) fn next(&mut self, from: Number, to: Place, spare: Spare) {
        match self.width {
            Width::One => self.store(from, to),
            Width::Four => {
                self.load(spare.old, to);
                self.blend(spare.old, spare.old, from, spare.passed);
                self.store(spare.old, to);
            }
        }
    }

    pub(super) fn leave(&mut self, region: RegionId, loops: bool) {
        let Some(open) = self.open.pop() else { return };
        if self.width == Width::Four {
            return self.leave_lanes(&open, loops);
        }
        let [runs, failures, iterations, last, converged] =
            [Cell::Runs, Cell::Failures, Cell::Iterations, Cell::Last, Cell::Converged]
                .map(|cell| self.cell(region, cell));
        let mut after_failure = None;
        if loops {
            self.put(Encoded::with1(Code::Inc_rm32, last));
            self.put(Encoded::with_branch(Code::Jmp_rel32_64, open.head));
            open.to_failure.into_iter().for_each(|jump| self.land(jump));
            self.put(Encoded::with1(Code::Inc_rm64, failures));
            self.put(Encoded::with2(Code::Mov_rm64_imm32, converged, 0));
            after_failure = Some(self.jump(Code::Jmp_rel32_64));
            open.to_end.into_iter().for_each(|jump| self.land(jump));
        }
        self.put(Encoded::with2(Code::Mov_r64_imm64, Register::RAX, 1.0_f64.to_bits()));
        self.put(Encoded::with2(Code::Mov_rm64_r64, converged, Register::RAX));
        after_failure.into_iter().for_each(|jump| self.land(jump));
        self.put(Encoded::with1(Code::Inc_rm64, runs));
        self.put(Encoded::with2(Code::Mov_r32_rm32, Register::EAX, last));
        self.put(Encoded::with2(Code::Add_rm64_r64, iterations, Register::RAX));
    }

    /// Those that are still active have failed. All registers are free.
    fn leave_lanes(&mut self, open: &Open, loops: bool) {
        let codes = self.codes;
        let region = open.region;
        if loops {
            self.put(Encoded::with_branch(Code::Jmp_rel32_64, open.head));
            open.to_end.iter().for_each(|&jump| self.land(jump));
        }
        let outside = self.active();
        self.vector(codes.load, 0, outside);
        self.vector(codes.load, 1, number(ONE));
        if loops {
            self.vector(codes.load, 2, self.cell(region, Cell::Active));
        } else {
            self.put(Encoded::with3(codes.xor, ymm(2), ymm(2), ymm(2)));
        }
        let converged = self.cell(region, Cell::Converged);
        self.put(Encoded::with3(codes.and_not, ymm(3), ymm(2), ymm(1)));
        self.vector(codes.load, 4, converged);
        self.put(Encoded::with4(codes.blend, ymm(4), ymm(4), ymm(3), ymm(0)));
        self.put(Encoded::with2(codes.store, converged, ymm(4)));
        let last = self.cell(region, Cell::Last);
        self.put(Encoded::with3(codes.and, ymm(5), ymm(0), last));
        self.put(Encoded::with3(codes.and, ymm(2), ymm(2), ymm(1)));
        self.put(Encoded::with3(codes.and, ymm(0), ymm(0), ymm(1)));
        for (cell, more) in [(Cell::Failures, 2), (Cell::Runs, 0), (Cell::Iterations, 5)] {
            let cell = self.cell(region, cell);
            self.put(Encoded::with3(codes.add, ymm(more), ymm(more), cell));
            self.put(Encoded::with2(codes.store, cell, ymm(more)));
        }
    }

    fn vector(&mut self, code: Code, to: u32, from: MemoryOperand) {
        self.put(Encoded::with2(code, ymm(to), from));
    }
}

fn ymm(register: u32) -> Register {
    Register::YMM0 + register
}
