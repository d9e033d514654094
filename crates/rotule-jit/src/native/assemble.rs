//! Bytes for instructions, by way of the encoder of `iced-x86`.
//!
//! Everything lies in one piece: masks, addresses of functions, constants, then a jump to each function
//! that is called (so that a call is short and its target well predicted), then the two stages. All
//! references within are relative, so that the piece may lie anywhere.

use super::instruction::{Extreme, Form, Instruction, One, Place, Register as Xmm, Source, Sum};
use super::layout::Layout;
use super::plan::Helper;
use iced_x86::{Code, Encoder, IcedError, Instruction as Encoded, MemoryOperand, Register};
use rotule_program::{Arithmetic, FunctionId, Operation, Program, RegionId, Value};
use rotule_symbolic::Compare;

/// The base of the kernel's memory.
const MEMORY: Register = Register::RBX;
/// The inputs.
const INPUTS: Register = Register::RBP;
/// The outputs.
const OUTPUTS: Register = Register::R14;
/// What external calls need.
const CONTEXT: Register = Register::R15;
/// What a caller expects to find unchanged. An odd number, so that the stack is aligned at calls.
const SAVED: [Register; 5] = [MEMORY, INPUTS, OUTPUTS, CONTEXT, Register::R12];

/// Masks and numbers at the beginning of the piece, 16 bytes each.
const SIGN_MASK: u64 = 0;
const MAGNITUDE_MASK: u64 = 16;
const ONE: u64 = 32;
const ZERO: u64 = 48;
const MASKS: [u64; 8] = [1 << 63, 1 << 63, !(1 << 63), !(1 << 63), 0x3ff0_0000_0000_0000, 0, 0, 0];

/// Machine code under construction.
pub struct Assembler<'a> {
    program: &'a Program,
    layout: &'a Layout,
    encoder: Encoder,
    /// How many bytes there are.
    at: u64,
    /// Where each constant lies, by value.
    constants: Vec<u32>,
    /// Where each function can be called.
    thunks: Vec<u64>,
    /// Where each region's loop begins.
    heads: Vec<u64>,
    /// Jumps of each open region whose targets are not yet known.
    open: Vec<Open>,
    /// Jumps to the end of the stage.
    exits: Vec<u64>,
    /// Ends of jumps and where they lead to.
    patches: Vec<(u64, u64)>,
    failure: Option<IcedError>,
    #[cfg(test)]
    pub record: Vec<(u64, Encoded)>,
}

/// Jumps of a region, each by its end.
#[derive(Default)]
struct Open {
    to_update: Vec<u64>,
    to_end: Vec<u64>,
    to_failure: Vec<u64>,
}

/// The functions that can be called, with the external trampoline last.
pub const HELPERS: [Helper; 11] = {
    use rotule_symbolic::{Binary, Unary};
    [
        Helper::Unary(Unary::Sin),
        Helper::Unary(Unary::Cos),
        Helper::Unary(Unary::Tan),
        Helper::Unary(Unary::Asin),
        Helper::Unary(Unary::Acos),
        Helper::Unary(Unary::Atan),
        Helper::Unary(Unary::Exp),
        Helper::Unary(Unary::Log),
        Helper::Binary(Binary::Atan2),
        Helper::Binary(Binary::Pow),
        Helper::SinCos,
    ]
};

impl<'a> Assembler<'a> {
    /// A piece with its constants. The addresses are those of [`HELPERS`] and of the trampoline.
    pub fn new(
        program: &'a Program,
        layout: &'a Layout,
        addresses: &[u64; HELPERS.len() + 1],
    ) -> Assembler<'a> {
        let mut data: Vec<u64> = MASKS.to_vec();
        data.extend(addresses);
        let mut constants = vec![0; program.len()];
        for (k, place) in constants.iter_mut().enumerate() {
            if let Operation::Constant(number) = program.operation(Value::new(k)) {
                *place = data.len() as u32;
                data.push(number.to_bits());
            }
        }
        let bytes: Vec<u8> = data.iter().flat_map(|number| number.to_le_bytes()).collect();
        let at = bytes.len() as u64;
        let mut encoder = Encoder::new(64);
        encoder.set_buffer(bytes);
        let mut assembler = Assembler {
            program,
            layout,
            encoder,
            at,
            constants,
            thunks: Vec::new(),
            heads: vec![0; program.regions().len()],
            open: Vec::new(),
            exits: Vec::new(),
            patches: Vec::new(),
            failure: None,
            #[cfg(test)]
            record: Vec::new(),
        };
        for k in 0..addresses.len() {
            assembler.thunks.push(assembler.at);
            let address = fixed(8 * (MASKS.len() + k) as u64);
            assembler.put(Encoded::with1(Code::Jmp_rm64, address));
        }
        assembler
    }

    /// Writes a stage and gives where it begins.
    pub fn stage(&mut self, instructions: &[Instruction]) -> u64 {
        while !self.at.is_multiple_of(64) {
            self.encoder.write_u8(0xcc);
            self.at += 1;
        }
        let start = self.at;
        for register in SAVED {
            self.put(Encoded::with1(Code::Push_r64, register));
        }
        // The arguments come in the order of the System V convention.
        let given = [Register::RDI, Register::RSI, Register::RDX, Register::RCX];
        for (to, from) in [MEMORY, INPUTS, OUTPUTS, CONTEXT].into_iter().zip(given) {
            self.put(Encoded::with2(Code::Mov_r64_rm64, to, from));
        }
        for &instruction in instructions {
            self.instruction(instruction);
        }
        let end = self.at;
        let exits = std::mem::take(&mut self.exits);
        self.patches.extend(exits.into_iter().map(|jump| (jump, end)));
        for register in SAVED.into_iter().rev() {
            self.put(Encoded::with1(Code::Pop_r64, register));
        }
        self.put(Ok(Encoded::with(Code::Retnq)));
        start
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

    /// How many bytes there are so far.
    pub fn len(&self) -> u64 {
        self.at
    }

    fn put(&mut self, encoded: Result<Encoded, IcedError>) {
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
    fn jump(&mut self, code: Code) -> u64 {
        self.put(Encoded::with_branch(code, self.at));
        self.at
    }

    fn memory(&self, place: Place) -> MemoryOperand {
        let base = match place {
            Place::Input(_) => INPUTS,
            Place::Output(_) => OUTPUTS,
            Place::Constant(value) => {
                return fixed(8 * u64::from(self.constants[value as usize]));
            }
            _ => MEMORY,
        };
        MemoryOperand::with_base_displ(base, self.layout.displacement(place))
    }

    fn region_cell(&self, region: RegionId, cell: i64) -> MemoryOperand {
        let last = self.layout.displacement(Place::Iterations(region.index() as u32));
        MemoryOperand::with_base_displ(MEMORY, last + 8 * (cell - 3))
    }

    fn load(&mut self, to: Register, from: Place) {
        self.put(Encoded::with2(Code::VEX_Vmovsd_xmm_m64, to, self.memory(from)));
    }

    fn store(&mut self, from: Register, to: Place) {
        self.put(Encoded::with2(Code::VEX_Vmovsd_m64_xmm, self.memory(to), from));
    }

    /// An instruction with two registers and a third operand in a register or in memory.
    fn three(&mut self, code: Code, to: Xmm, a: Xmm, b: Source) {
        let encoded = match b {
            Source::Register(b) => Encoded::with3(code, xmm(to), xmm(a), xmm(b)),
            Source::Place(place) => Encoded::with3(code, xmm(to), xmm(a), self.memory(place)),
        };
        self.put(encoded);
    }

    fn mask(&mut self, code: Code, to: Xmm, a: Xmm, mask: u64) {
        self.put(Encoded::with3(code, xmm(to), xmm(a), fixed(mask)));
    }

    fn compare(&mut self, to: Xmm, a: Xmm, b: Source, predicate: u32) {
        let code = Code::VEX_Vcmpsd_xmm_xmm_xmmm64_imm8;
        let encoded = match b {
            Source::Register(b) => Encoded::with4(code, xmm(to), xmm(a), xmm(b), predicate),
            Source::Place(place) => {
                Encoded::with4(code, xmm(to), xmm(a), self.memory(place), predicate)
            }
        };
        self.put(encoded);
    }

    /// `to = mask ? then : otherwise`, by the sign of the mask.
    fn blend(&mut self, to: Xmm, otherwise: Xmm, then: Xmm, mask: Xmm) {
        let code = Code::VEX_Vblendvpd_xmm_xmm_xmmm128_xmm;
        self.put(Encoded::with4(code, xmm(to), xmm(otherwise), xmm(then), xmm(mask)));
    }

    fn call(&mut self, function: usize) {
        self.put(Encoded::with_branch(Code::Call_rel32_64, self.thunks[function]));
    }

    fn instruction(&mut self, instruction: Instruction) {
        match instruction {
            Instruction::Load { to, from } => self.load(xmm(to), from),
            Instruction::Store { from, to } => self.store(xmm(from), to),
            Instruction::Move { to, from } => {
                let code = Code::VEX_Vmovapd_xmm_xmmm128;
                self.put(Encoded::with2(code, xmm(to), xmm(from)));
            }
            Instruction::Arithmetic { operation, to, a, b } => {
                let code = match operation {
                    Arithmetic::Add => Code::VEX_Vaddsd_xmm_xmm_xmmm64,
                    Arithmetic::Sub => Code::VEX_Vsubsd_xmm_xmm_xmmm64,
                    Arithmetic::Mul => Code::VEX_Vmulsd_xmm_xmm_xmmm64,
                    Arithmetic::Div => Code::VEX_Vdivsd_xmm_xmm_xmmm64,
                };
                self.three(code, to, a, b);
            }
            Instruction::Fused { sum, form, to, other, source } => {
                self.three(fused(sum, form), to, other, source);
            }
            Instruction::One { operation: One::Neg, to, a } => {
                self.mask(Code::VEX_Vxorpd_xmm_xmm_xmmm128, to, a, SIGN_MASK);
            }
            Instruction::One { operation: One::Abs, to, a } => {
                self.mask(Code::VEX_Vandpd_xmm_xmm_xmmm128, to, a, MAGNITUDE_MASK);
            }
            Instruction::One { operation: One::Sqrt, to, a } => {
                self.three(Code::VEX_Vsqrtsd_xmm_xmm_xmmm64, to, a, Source::Register(a));
            }
            Instruction::Sign { to, a, scratch } => self.sign(to, a, scratch),
            Instruction::Extreme { extreme, to, a, b, scratch } => {
                let code = match extreme {
                    Extreme::Min => Code::VEX_Vminsd_xmm_xmm_xmmm64,
                    Extreme::Max => Code::VEX_Vmaxsd_xmm_xmm_xmmm64,
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
            Instruction::Call { helper, arguments, results } => {
                let registers = [Register::XMM0, Register::XMM1];
                for (argument, to) in arguments.into_iter().flatten().zip(registers) {
                    self.load(to, argument);
                }
                let function = HELPERS.iter().position(|&listed| listed == helper);
                self.call(function.unwrap_or(HELPERS.len()));
                for (result, from) in results.into_iter().flatten().zip(registers) {
                    self.store(from, result);
                }
            }
            Instruction::External { function } => self.external(function),
            Instruction::Count { to, region } => {
                let last = self.region_cell(region, 3);
                let code = Code::VEX_Vcvtsi2sd_xmm_xmm_rm32;
                self.put(Encoded::with3(code, xmm(to), xmm(to), last));
            }
            Instruction::Enter { region } => {
                let last = self.region_cell(region, 3);
                self.put(Encoded::with2(Code::Mov_rm64_imm32, last, 0));
                self.heads[region.index()] = self.at;
                self.open.push(Open::default());
            }
            Instruction::Test { residual, tolerance, scratch, .. } => {
                self.test(residual, tolerance, scratch);
            }
            Instruction::Update { region } => self.update(region),
            Instruction::Leave { region, loops } => self.leave(region, loops),
        }
    }

    /// 1 with the sign of `a`, 0 where that is 0, itself where that is no number.
    fn sign(&mut self, to: Xmm, a: Xmm, scratch: Xmm) {
        self.mask(Code::VEX_Vandpd_xmm_xmm_xmmm128, to, a, SIGN_MASK);
        self.mask(Code::VEX_Vorpd_xmm_xmm_xmmm128, to, to, ONE);
        let code = Code::VEX_Vcmpsd_xmm_xmm_xmmm64_imm8;
        self.put(Encoded::with4(code, xmm(scratch), xmm(a), fixed(ZERO), EQUAL));
        self.three(Code::VEX_Vandnpd_xmm_xmm_xmmm128, to, scratch, Source::Register(to));
        self.compare(scratch, a, Source::Register(a), UNORDERED);
        self.blend(to, to, a, scratch);
    }

    fn external(&mut self, function: FunctionId) {
        let address = |place| MemoryOperand::with_base_displ(MEMORY, place);
        let arguments = address(self.layout.displacement(Place::Argument(0)));
        let results = address(self.layout.displacement(Place::Result(0)));
        self.put(Encoded::with2(Code::Mov_r64_rm64, Register::RDI, CONTEXT));
        let number = function.index() as u32;
        self.put(Encoded::with2(Code::Mov_r32_imm32, Register::ESI, number));
        self.put(Encoded::with2(Code::Lea_r64_m, Register::RDX, arguments));
        self.put(Encoded::with2(Code::Lea_r64_m, Register::RCX, results));
        self.call(HELPERS.len());
        // The foreign function panicked: leave at once.
        self.put(Encoded::with2(Code::Test_rm32_r32, Register::EAX, Register::EAX));
        let exit = self.jump(Code::Jne_rel32_64);
        self.exits.push(exit);
    }

    fn test(&mut self, residual: Source, tolerance: Xmm, scratch: Xmm) {
        let register = match residual {
            Source::Register(register) => register,
            Source::Place(place) => {
                self.load(xmm(scratch), place);
                scratch
            }
        };
        self.mask(Code::VEX_Vandpd_xmm_xmm_xmmm128, scratch, register, MAGNITUDE_MASK);
        let code = Code::VEX_Vcomisd_xmm_xmmm64;
        self.put(Encoded::with2(code, xmm(tolerance), xmm(scratch)));
        // Below, or no number.
        let jump = self.jump(Code::Jb_rel32_64);
        if let Some(open) = self.open.last_mut() {
            open.to_update.push(jump);
        }
    }

    fn update(&mut self, region: RegionId) {
        let to_end = self.jump(Code::Jmp_rel32_64);
        let here = self.at;
        let limit = self.program.get_region(region).limit as i32;
        let last = self.region_cell(region, 3);
        self.put(Encoded::with2(Code::Cmp_rm32_imm32, last, limit));
        let to_failure = self.jump(Code::Je_rel32_64);
        let Some(open) = self.open.last_mut() else { return };
        let jumps = std::mem::take(&mut open.to_update);
        self.patches.extend(jumps.into_iter().map(|jump| (jump, here)));
        open.to_end.push(to_end);
        open.to_failure.push(to_failure);
    }

    fn leave(&mut self, region: RegionId, loops: bool) {
        let open = self.open.pop().unwrap_or_default();
        let [runs, failures, iterations, last, converged] =
            [0, 1, 2, 3, 4].map(|cell| self.region_cell(region, cell));
        let mut after_failure = None;
        if loops {
            self.put(Encoded::with1(Code::Inc_rm32, last));
            let head = self.heads[region.index()];
            self.put(Encoded::with_branch(Code::Jmp_rel32_64, head));
            let here = self.at;
            self.patches.extend(open.to_failure.into_iter().map(|jump| (jump, here)));
            self.put(Encoded::with1(Code::Inc_rm64, failures));
            self.put(Encoded::with2(Code::Mov_rm64_imm32, converged, 0));
            after_failure = Some(self.jump(Code::Jmp_rel32_64));
            let here = self.at;
            self.patches.extend(open.to_end.into_iter().map(|jump| (jump, here)));
        }
        self.put(Encoded::with2(Code::Mov_r64_imm64, Register::RAX, 1.0_f64.to_bits()));
        self.put(Encoded::with2(Code::Mov_rm64_r64, converged, Register::RAX));
        let here = self.at;
        self.patches.extend(after_failure.map(|jump| (jump, here)));
        self.put(Encoded::with1(Code::Inc_rm64, runs));
        self.put(Encoded::with2(Code::Mov_r32_rm32, Register::EAX, last));
        self.put(Encoded::with2(Code::Add_rm64_r64, iterations, Register::RAX));
    }
}

const EQUAL: u32 = 0;
const UNORDERED: u32 = 3;

fn predicate(compare: Compare) -> u32 {
    match compare {
        Compare::Less => 1,
        Compare::LessEqual => 2,
        Compare::Equal => EQUAL,
        Compare::NotEqual => 4,
    }
}

fn fused(sum: Sum, form: Form) -> Code {
    match (sum, form) {
        (Sum::Plus, Form::Factor132) => Code::VEX_Vfmadd132sd_xmm_xmm_xmmm64,
        (Sum::Plus, Form::Factor213) => Code::VEX_Vfmadd213sd_xmm_xmm_xmmm64,
        (Sum::Plus, Form::Addend231) => Code::VEX_Vfmadd231sd_xmm_xmm_xmmm64,
        (Sum::Minus, Form::Factor132) => Code::VEX_Vfmsub132sd_xmm_xmm_xmmm64,
        (Sum::Minus, Form::Factor213) => Code::VEX_Vfmsub213sd_xmm_xmm_xmmm64,
        (Sum::Minus, Form::Addend231) => Code::VEX_Vfmsub231sd_xmm_xmm_xmmm64,
        (Sum::Reversed, Form::Factor132) => Code::VEX_Vfnmadd132sd_xmm_xmm_xmmm64,
        (Sum::Reversed, Form::Factor213) => Code::VEX_Vfnmadd213sd_xmm_xmm_xmmm64,
        (Sum::Reversed, Form::Addend231) => Code::VEX_Vfnmadd231sd_xmm_xmm_xmmm64,
    }
}

/// The encoder's name of a register; its registers of this kind are numbered in order.
fn xmm(register: Xmm) -> Register {
    Register::XMM0 + u32::from(register.0 & 15)
}

/// A place in the piece itself.
fn fixed(offset: u64) -> MemoryOperand {
    MemoryOperand::with_base_displ(Register::RIP, offset as i64)
}
