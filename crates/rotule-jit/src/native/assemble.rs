//! Bytes for instructions, by way of the encoder of `iced-x86`.
//!
//! Everything lies in one block of bytes: numbers, addresses of functions, constants, then a jump
//! to each function that is called (so that a call is short and its target well predicted), a
//! routine for sine and cosine, then the two stages. All references within are relative, so that
//! the block may lie anywhere.

use super::circular::{MAGNITUDE, NUMBERS, ONE, SIGN, ZERO, number, routine};
use super::codes::{Codes, Width};
use super::instruction::{Extreme, Instruction, One, Place, Register as Number, Source};
use super::layout::Layout;
use super::loops::Open;
use super::plan::Helper;
use iced_x86::{Code, Encoder, IcedError, Instruction as Encoded, MemoryOperand, Register};
use rotule_program::{ArithmeticOperation, FunctionId, Operation, Program, Value};
use rotule_symbolic::Compare;

/// The base of the kernel's memory.
pub const MEMORY: Register = Register::RBX;
/// The inputs.
const INPUTS: Register = Register::RBP;
/// The outputs.
const OUTPUTS: Register = Register::R14;
/// The context of external calls.
const CONTEXT: Register = Register::R15;
/// Registers that a caller expects to find unchanged. An odd number, so that the stack is aligned
/// at calls.
const SAVED: [Register; 5] = [MEMORY, INPUTS, OUTPUTS, CONTEXT, Register::R12];

/// The bytes of a line of the cache.
const LINE: u64 = 64;
/// Instructions of a stage beyond which its code does not fit into the caches next to the
/// processor. It runs once from its beginning to its end, and processors fetch code only a few
/// lines ahead, so that each line would be waited for.
const LARGE: usize = 50_000;
/// The distance of prefetching in code, in bytes.
const AHEAD: u64 = 2048;

/// Machine code under construction.
pub struct Assembler<'a> {
    pub(super) program: &'a Program,
    pub(super) layout: &'a Layout,
    pub(super) width: Width,
    pub(super) codes: &'static Codes,
    encoder: Encoder,
    /// Number of bytes.
    at: u64,
    /// Where each constant lies, by value, in bytes.
    constants: Vec<u32>,
    /// Where each function can be called.
    thunks: Vec<u64>,
    /// Where the routine for sine and cosine begins.
    circular: u64,
    /// `true` if this stage leaves something in the upper halves of registers, which others' code
    /// is slow with.
    wide: bool,
    /// The regions that have no end yet.
    pub(super) open: Vec<Open>,
    /// Jumps to the end of the stage.
    exits: Vec<u64>,
    /// Ends of jumps and where they lead to.
    pub(super) patches: Vec<(u64, u64)>,
    failure: Option<IcedError>,
    #[cfg(test)]
    pub record: Vec<(u64, Encoded)>,
}

/// The functions of numbers that can be called.
pub const HELPERS: [Helper; 8] = {
    use rotule_symbolic::{Binary, Unary};
    [
        Helper::Unary(Unary::Tan),
        Helper::Unary(Unary::Asin),
        Helper::Unary(Unary::Acos),
        Helper::Unary(Unary::Atan),
        Helper::Unary(Unary::Exp),
        Helper::Unary(Unary::Log),
        Helper::Binary(Binary::Atan2),
        Helper::Binary(Binary::Pow),
    ]
};

/// After these, the function for angles that the routine does not serve.
pub const FAR: usize = HELPERS.len();

/// Then the function that calls foreign ones.
pub const EXTERNAL: usize = FAR + 1;

/// The addresses of all functions that are called.
pub type Addresses = [u64; EXTERNAL + 1];

impl<'a> Assembler<'a> {
    /// A block of machine code with its constants and its routine.
    pub fn new(
        program: &'a Program,
        layout: &'a Layout,
        width: Width,
        addresses: &Addresses,
    ) -> Assembler<'a> {
        let mut data: Vec<u64> = NUMBERS.iter().flat_map(|&number| [number; 4]).collect();
        data.extend(addresses);
        while !data.len().is_multiple_of(4) {
            data.push(0);
        }
        let mut constants = vec![0; program.len()];
        for (k, place) in constants.iter_mut().enumerate() {
            if let Operation::Constant(number) = program.operation(Value::new(k)) {
                *place = 8 * data.len() as u32;
                data.extend(std::iter::repeat_n(number.to_bits(), width.lanes()));
            }
        }
        let bytes: Vec<u8> = data.iter().flat_map(|number| number.to_le_bytes()).collect();
        let at = bytes.len() as u64;
        let mut encoder = Encoder::new(64);
        encoder.set_buffer(bytes);
        let mut assembler = Assembler {
            program,
            layout,
            width,
            codes: width.codes(),
            encoder,
            at,
            constants,
            thunks: Vec::new(),
            circular: 0,
            wide: false,
            open: Vec::new(),
            exits: Vec::new(),
            patches: Vec::new(),
            failure: None,
            #[cfg(test)]
            record: Vec::new(),
        };
        for k in 0..addresses.len() {
            assembler.thunks.push(assembler.at);
            let address = fixed(8 * (4 * NUMBERS.len() + k) as u64);
            assembler.put(Encoded::with1(Code::Jmp_rm64, address));
        }
        assembler.circular = routine(&mut assembler);
        assembler
    }

    /// Fills up to where a line of the cache begins.
    pub(super) fn align(&mut self) {
        while !self.at.is_multiple_of(LINE) {
            self.encoder.write_u8(0xcc);
            self.at += 1;
        }
    }

    /// Writes a stage and gives where it begins.
    pub fn stage(&mut self, instructions: &[Instruction]) -> u64 {
        self.align();
        let start = self.at;
        let turns = |instruction: &Instruction| matches!(instruction, Instruction::Turn { .. });
        self.wide = self.width == Width::Four || instructions.iter().any(turns);
        for register in SAVED {
            self.put(Encoded::with1(Code::Push_r64, register));
        }
        // The arguments come in the order of the System V convention.
        let given = [Register::RDI, Register::RSI, Register::RDX, Register::RCX];
        for (to, from) in [MEMORY, INPUTS, OUTPUTS, CONTEXT].into_iter().zip(given) {
            self.put(Encoded::with2(Code::Mov_r64_rm64, to, from));
        }
        let large = instructions.len() > LARGE;
        let mut fetched = self.at;
        for &instruction in instructions {
            if large && self.at >= fetched {
                self.fetch_ahead();
                fetched += LINE;
            }
            self.instruction(instruction);
        }
        let exits = std::mem::take(&mut self.exits);
        exits.into_iter().for_each(|jump| self.land(jump));
        self.narrow();
        for register in SAVED.into_iter().rev() {
            self.put(Encoded::with1(Code::Pop_r64, register));
        }
        self.put(Ok(Encoded::with(Code::Retnq)));
        start
    }

    /// Asks for code that will run soon.
    fn fetch_ahead(&mut self) {
        self.put(Encoded::with1(Code::Prefetcht1_m8, fixed(self.at + AHEAD)));
    }

    /// The bytes, all jumps resolved.
    pub fn finish(mut self) -> Result<Vec<u8>, IcedError> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let mut bytes = self.encoder.take_buffer();
        for (jump, target) in self.patches {
            let distance = (target as i64 - jump as i64) as i32;
            let end = jump as usize;
            bytes[end - 4..end].copy_from_slice(&distance.to_le_bytes());
        }
        Ok(bytes)
    }

    /// Number of bytes so far.
    pub fn len(&self) -> u64 {
        self.at
    }

    pub(super) fn put(&mut self, encoded: Result<Encoded, IcedError>) {
        let done = encoded.and_then(|encoded| {
            #[cfg(test)]
            self.record.push((self.at, encoded));
            self.encoder.encode(&encoded, self.at)
        });
        match done {
            Ok(bytes) => self.at += bytes as u64,
            Err(failure) => self.failure = Some(failure),
        }
    }

    /// A jump whose target is patched later; gives its end.
    pub(super) fn jump(&mut self, code: Code) -> u64 {
        self.put(Encoded::with_branch(code, self.at));
        self.at
    }

    /// Lets a jump lead here.
    pub(super) fn land(&mut self, jump: u64) {
        self.patches.push((jump, self.at));
    }

    /// Before code of others runs, the upper halves of registers are cleared.
    fn narrow(&mut self) {
        if self.wide {
            self.put(Ok(Encoded::with(Code::VEX_Vzeroupper)));
        }
    }

    fn memory(&self, place: Place) -> MemoryOperand {
        let base = match place {
            Place::Input(_) => INPUTS,
            Place::Output(_) => OUTPUTS,
            Place::Constant(value) => {
                return fixed(u64::from(self.constants[value as usize]));
            }
            _ => MEMORY,
        };
        MemoryOperand::with_base_displ(base, self.layout.displacement(place))
    }

    pub(super) fn load(&mut self, to: Number, from: Place) {
        self.put(Encoded::with2(self.codes.load, self.width.register(to), self.memory(from)));
    }

    pub(super) fn store(&mut self, from: Number, to: Place) {
        self.put(Encoded::with2(self.codes.store, self.memory(to), self.width.register(from)));
    }

    /// An instruction with two registers and a third operand in a register or in memory.
    pub(super) fn three(&mut self, code: Code, to: Number, a: Number, b: Source) {
        let [to, a] = [to, a].map(|register| self.width.register(register));
        let encoded = match b {
            Source::Register(b) => Encoded::with3(code, to, a, self.width.register(b)),
            Source::Place(place) => Encoded::with3(code, to, a, self.memory(place)),
        };
        self.put(encoded);
    }

    /// With one of the numbers at the beginning of the block.
    pub(super) fn mask(&mut self, code: Code, to: Number, a: Number, mask: u64) {
        let [to, a] = [to, a].map(|register| self.width.register(register));
        self.put(Encoded::with3(code, to, a, number(mask)));
    }

    pub(super) fn compare(&mut self, to: Number, a: Number, b: Source, predicate: u32) {
        let [to, a] = [to, a].map(|register| self.width.register(register));
        let code = self.codes.compare;
        let encoded = match b {
            Source::Register(b) => Encoded::with4(code, to, a, self.width.register(b), predicate),
            Source::Place(place) => Encoded::with4(code, to, a, self.memory(place), predicate),
        };
        self.put(encoded);
    }

    /// `to = mask ? then : otherwise`, by the sign of the mask.
    pub(super) fn blend(&mut self, to: Number, otherwise: Number, then: Number, mask: Number) {
        let [to, otherwise, then, mask] =
            [to, otherwise, then, mask].map(|register| self.width.register(register));
        self.put(Encoded::with4(self.codes.blend, to, otherwise, then, mask));
    }

    pub(super) fn call(&mut self, function: usize) {
        self.put(Encoded::with_branch(Code::Call_rel32_64, self.thunks[function]));
    }

    fn instruction(&mut self, instruction: Instruction) {
        let codes = self.codes;
        match instruction {
            Instruction::Load { to, from } => self.load(to, from),
            Instruction::Store { from, to } => self.store(from, to),
            Instruction::Move { to, from } => {
                let [to, from] = [to, from].map(|register| self.width.register(register));
                self.put(Encoded::with2(codes.copy, to, from));
            }
            Instruction::Arithmetic { operation, to, a, b } => {
                let code = match operation {
                    ArithmeticOperation::Add => codes.add,
                    ArithmeticOperation::Sub => codes.sub,
                    ArithmeticOperation::Mul => codes.mul,
                    ArithmeticOperation::Div => codes.div,
                };
                self.three(code, to, a, b);
            }
            Instruction::Fused { sum, form, to, other, source } => {
                self.three(codes.fused(sum, form), to, other, source);
            }
            Instruction::One { operation: One::Neg, to, a } => {
                self.mask(codes.xor, to, a, SIGN);
            }
            Instruction::One { operation: One::Abs, to, a } => {
                self.mask(codes.and, to, a, MAGNITUDE);
            }
            Instruction::One { operation: One::Sqrt, to, a } => self.root(to, a),
            Instruction::One { operation: One::Floor, to, a } => self.floor(to, a),
            Instruction::Sign { to, a, scratch } => self.sign(to, a, scratch),
            Instruction::Extreme { extreme, to, a, b, scratch } => {
                let code = match extreme {
                    Extreme::Min => codes.min,
                    Extreme::Max => codes.max,
                };
                // Gives `a` where the operands are equal or one is no number.
                self.three(code, to, b, Source::Register(a));
                self.compare(scratch, b, Source::Register(b), UNORDERED);
                self.blend(to, to, b, scratch);
            }
            Instruction::Select { compare, to, left, right, then, otherwise } => {
                self.compare(to, left, right, predicate(compare));
                self.blend(to, otherwise, then, to);
            }
            Instruction::Angle { lane, from } => self.angle(lane, from),
            Instruction::Turn { angles } => self.turn(angles),
            Instruction::Sine { lane, to } => self.store_sincos(lane, 0, to),
            Instruction::Cosine { lane, to } => self.store_sincos(lane, 1, to),
            Instruction::Call { helper, arguments, results } => {
                self.helper(helper, arguments, results);
            }
            Instruction::External { function } => self.external(function),
            Instruction::Count { to, region } => self.count(to, region),
            Instruction::Enter { region } => self.enter(region),
            Instruction::Test { residual, tolerance, spare, first } => {
                self.test(residual, tolerance, spare, first);
            }
            Instruction::Update { region, spare } => self.update(region, spare),
            Instruction::Next { from, to, spare } => self.next(from, to, spare),
            Instruction::Leave { region, loops } => self.leave(region, loops),
        }
    }

    fn root(&mut self, to: Number, a: Number) {
        let [to, a] = [to, a].map(|register| self.width.register(register));
        self.put(match self.width {
            Width::One => Encoded::with3(Code::VEX_Vsqrtsd_xmm_xmm_xmmm64, to, a, a),
            Width::Four => Encoded::with2(Code::VEX_Vsqrtpd_ymm_ymmm256, to, a),
        });
    }

    fn floor(&mut self, to: Number, a: Number) {
        let [to, a] = [to, a].map(|register| self.width.register(register));
        self.put(match self.width {
            Width::One => Encoded::with4(Code::VEX_Vroundsd_xmm_xmm_xmmm64_imm8, to, a, a, DOWN),
            Width::Four => Encoded::with3(Code::VEX_Vroundpd_ymm_ymmm256_imm8, to, a, DOWN),
        });
    }

    /// 1 with the sign of `a`, 0 where that is 0, itself where that is no number.
    fn sign(&mut self, to: Number, a: Number, scratch: Number) {
        let codes = self.codes;
        self.mask(codes.and, to, a, SIGN);
        self.mask(codes.or, to, to, ONE);
        let [zero, from] = [scratch, a].map(|register| self.width.register(register));
        self.put(Encoded::with4(codes.compare, zero, from, number(ZERO), EQUAL));
        self.three(codes.and_not, to, scratch, Source::Register(to));
        self.compare(scratch, a, Source::Register(a), UNORDERED);
        self.blend(to, to, a, scratch);
    }

    /// Angles of one state are collected in the halves of two registers.
    fn angle(&mut self, lane: u8, from: Place) {
        let memory = self.memory(from);
        if self.width == Width::Four {
            return self.put(Encoded::with2(self.codes.load, Register::YMM0, memory));
        }
        let to = Register::XMM0 + u32::from(lane / 2);
        self.put(if lane.is_multiple_of(2) {
            Encoded::with2(self.codes.load, to, memory)
        } else {
            Encoded::with3(Code::VEX_Vmovhpd_xmm_xmm_m64, to, to, memory)
        });
    }

    fn turn(&mut self, angles: u8) {
        let (first, second) = (Register::YMM0, Register::YMM1);
        if angles > 2 {
            let join = Code::VEX_Vinsertf128_ymm_ymm_xmmm128_imm8;
            self.put(Encoded::with4(join, first, first, Register::XMM1, 1));
        }
        self.put(Encoded::with_branch(Code::Call_rel32_64, self.circular));
        if angles > 2 {
            let upper = Code::VEX_Vextractf128_xmmm128_ymm_imm8;
            self.put(Encoded::with3(upper, Register::XMM2, first, 1));
            self.put(Encoded::with3(upper, Register::XMM3, second, 1));
        }
    }

    /// Stores a sine (0) or a cosine (1).
    fn store_sincos(&mut self, lane: u8, which: u32, to: Place) {
        let memory = self.memory(to);
        if self.width == Width::Four {
            return self.put(Encoded::with2(self.codes.store, memory, Register::YMM0 + which));
        }
        let from = Register::XMM0 + (which + 2 * u32::from(lane / 2));
        let code =
            if lane.is_multiple_of(2) { self.codes.store } else { Code::VEX_Vmovhpd_m64_xmm };
        self.put(Encoded::with2(code, memory, from));
    }

    /// A function of numbers, for one state after the other.
    fn helper(
        &mut self,
        helper: Helper,
        arguments: [Option<Place>; 2],
        results: [Option<Place>; 2],
    ) {
        let function = HELPERS.iter().position(|&listed| listed == helper);
        let registers = [Register::XMM0, Register::XMM1];
        self.narrow();
        for lane in 0..self.width.lanes() {
            let of_lane = |memory: MemoryOperand| MemoryOperand {
                displacement: memory.displacement + 8 * lane as i64,
                ..memory
            };
            for (argument, to) in arguments.into_iter().flatten().zip(registers) {
                let from = of_lane(self.memory(argument));
                self.put(Encoded::with2(Code::VEX_Vmovsd_xmm_m64, to, from));
            }
            self.call(function.unwrap_or(EXTERNAL));
            for (result, from) in results.into_iter().flatten().zip(registers) {
                let to = of_lane(self.memory(result));
                self.put(Encoded::with2(Code::VEX_Vmovsd_m64_xmm, to, from));
            }
        }
    }

    fn external(&mut self, function: FunctionId) {
        let address = |place| MemoryOperand::with_base_displ(MEMORY, place);
        let arguments = address(self.layout.displacement(Place::Argument(0)));
        let results = address(self.layout.displacement(Place::Result(0)));
        if self.width == Width::Four {
            // Which states the call is for.
            let active = self.active();
            self.put(Encoded::with2(self.codes.load, Register::YMM0, active));
            let code = Code::VEX_Vmovmskpd_r32_ymm;
            self.put(Encoded::with2(code, Register::R8D, Register::YMM0));
        }
        self.narrow();
        self.put(Encoded::with2(Code::Mov_r64_rm64, Register::RDI, CONTEXT));
        let number = function.index() as u32;
        self.put(Encoded::with2(Code::Mov_r32_imm32, Register::ESI, number));
        self.put(Encoded::with2(Code::Lea_r64_m, Register::RDX, arguments));
        self.put(Encoded::with2(Code::Lea_r64_m, Register::RCX, results));
        self.call(EXTERNAL);
        // The foreign function panicked: leave at once.
        self.put(Encoded::with2(Code::Test_rm32_r32, Register::EAX, Register::EAX));
        let exit = self.jump(Code::Jne_rel32_64);
        self.exits.push(exit);
    }
}

/// The mode of roundings to the integer below, without a flag for what is lost.
const DOWN: u32 = 9;
const EQUAL: u32 = 0;
/// The predicate of comparisons for at most.
pub const LESS_EQUAL: u32 = 2;
const UNORDERED: u32 = 3;

fn predicate(compare: Compare) -> u32 {
    match compare {
        Compare::Less => 1,
        Compare::LessEqual => LESS_EQUAL,
        Compare::Equal => EQUAL,
        Compare::NotEqual => 4,
    }
}

/// A place in the block itself.
fn fixed(offset: u64) -> MemoryOperand {
    MemoryOperand::with_base_displ(Register::RIP, offset as i64)
}
