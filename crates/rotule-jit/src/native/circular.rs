//! Sine and cosine of four angles side by side, as a routine that is written once into each kernel.
//!
//! It does the operations of [`rotule_symbolic::sincos`] in the same order, so that its numbers are
//! the same bit by bit. The routine takes the angles in `ymm0` and gives sines in `ymm0` and
//! cosines in `ymm1`. If an angle is too large, or no number, all four are handed to a function in
//! Rust.

use super::assemble::{Assembler, FAR, LESS_EQUAL};
use iced_x86::{Code, Instruction as Encoded, MemoryOperand, Register};
use rotule_symbolic::sincos::{COSINE, HALF_PI, LARGEST, QUARTERS, ROUND, SINE};

/// Numbers at the beginning of all machine code, four copies each.
pub const NUMBERS: [u64; 25] = {
    let mut numbers = [0; 25];
    numbers[SIGN as usize] = 1 << 63;
    numbers[MAGNITUDE as usize] = !(1 << 63);
    numbers[ONE as usize] = 1.0_f64.to_bits();
    numbers[ALL as usize] = u64::MAX;
    numbers[LARGEST_AT as usize] = LARGEST.to_bits();
    numbers[QUARTERS_AT as usize] = QUARTERS.to_bits();
    numbers[ROUND_AT as usize] = ROUND.to_bits();
    numbers[HALF as usize] = 0.5_f64.to_bits();
    numbers[STEP as usize] = 1;
    let mut k = 0;
    while k < 3 {
        numbers[HALF_PI_AT as usize + k] = HALF_PI[k].to_bits();
        k += 1;
    }
    k = 0;
    while k < 6 {
        numbers[SINE_AT as usize + k] = SINE[k].to_bits();
        numbers[COSINE_AT as usize + k] = COSINE[k].to_bits();
        k += 1;
    }
    numbers
};

/// The bit of the sign.
pub const SIGN: u64 = 0;
/// All bits but that of the sign.
pub const MAGNITUDE: u64 = 1;
/// One.
pub const ONE: u64 = 2;
/// Zero.
pub const ZERO: u64 = 3;
/// All bits.
pub const ALL: u64 = 4;
const LARGEST_AT: u64 = 5;
const QUARTERS_AT: u64 = 6;
const ROUND_AT: u64 = 7;
const HALF: u64 = 8;
const STEP: u64 = 9;
const HALF_PI_AT: u64 = 10;
const SINE_AT: u64 = 13;
const COSINE_AT: u64 = 19;

/// The second operand of an operation of the routine: a register or one of [`NUMBERS`].
enum Second {
    R(u32),
    N(u64),
}

use Second::{N, R};

const ADD: Code = Code::VEX_Vaddpd_ymm_ymm_ymmm256;
const SUB: Code = Code::VEX_Vsubpd_ymm_ymm_ymmm256;
const MUL: Code = Code::VEX_Vmulpd_ymm_ymm_ymmm256;

/// Down to the rest of the angle `r` (7) and what is below its last digit `t` (0); `counted` stays
/// in 1. Each row is `to = a op b`.
const REDUCE: [(Code, u32, u32, Second); 15] = [
    (MUL, 1, 0, N(QUARTERS_AT)),
    (ADD, 1, 1, N(ROUND_AT)),
    (SUB, 2, 1, N(ROUND_AT)),
    (MUL, 3, 2, N(HALF_PI_AT)),
    (MUL, 4, 2, N(HALF_PI_AT + 1)),
    (MUL, 5, 2, N(HALF_PI_AT + 2)),
    (SUB, 0, 0, R(3)),
    (SUB, 6, 0, R(4)),
    (SUB, 7, 6, R(5)),
    (SUB, 0, 0, R(6)),
    (SUB, 0, 0, R(4)),
    (SUB, 6, 6, R(7)),
    (SUB, 6, 6, R(5)),
    (ADD, 0, 0, R(6)),
    // z = r^2
    (MUL, 2, 7, R(7)),
];

/// From `r` (7), `t` (0), `z` (2), the polynomials (3, 4) and one (8) to sine (9) and cosine (8).
const COMBINE: [(Code, u32, u32, Second); 14] = [
    (MUL, 5, 2, N(HALF)),
    (SUB, 6, 8, R(5)),
    // The sine.
    (MUL, 9, 2, R(7)),
    (MUL, 9, 9, R(3)),
    (MUL, 10, 0, R(6)),
    (ADD, 9, 9, R(10)),
    (ADD, 9, 7, R(9)),
    // The cosine.
    (SUB, 8, 8, R(6)),
    (SUB, 8, 8, R(5)),
    (MUL, 2, 2, R(2)),
    (MUL, 2, 2, R(4)),
    (MUL, 7, 7, R(0)),
    (SUB, 2, 2, R(7)),
    (ADD, 8, 8, R(2)),
];

/// The sum of `most` (6) and the rest of the cosine, then both polynomials exchanged where the
/// quarter is odd.
fn finish(assembler: &mut Assembler<'_>) {
    let (blend, shift) = (Code::VEX_Vblendvpd_ymm_ymm_ymmm256_ymm, Code::VEX_Vpsllq_ymm_ymm_imm8);
    let (and, xor) = (Code::VEX_Vandpd_ymm_ymm_ymmm256, Code::VEX_Vxorpd_ymm_ymm_ymmm256);
    assembler.put(Encoded::with3(ADD, ymm(8), ymm(6), ymm(8)));
    assembler.put(Encoded::with3(shift, ymm(2), ymm(1), 63));
    assembler.put(Encoded::with4(blend, ymm(3), ymm(9), ymm(8), ymm(2)));
    assembler.put(Encoded::with4(blend, ymm(4), ymm(8), ymm(9), ymm(2)));
    assembler.put(Encoded::with3(shift, ymm(5), ymm(1), 62));
    assembler.put(Encoded::with3(and, ymm(5), ymm(5), number(SIGN)));
    assembler.put(Encoded::with3(xor, ymm(0), ymm(3), ymm(5)));
    let step = Code::VEX_Vpaddq_ymm_ymm_ymmm256;
    assembler.put(Encoded::with3(step, ymm(1), ymm(1), number(STEP)));
    assembler.put(Encoded::with3(shift, ymm(1), ymm(1), 62));
    assembler.put(Encoded::with3(and, ymm(1), ymm(1), number(SIGN)));
    assembler.put(Encoded::with3(xor, ymm(1), ymm(4), ymm(1)));
    assembler.put(Ok(Encoded::with(Code::Retnq)));
}

/// Writes the routine and gives where it begins.
pub fn routine(assembler: &mut Assembler<'_>) -> u64 {
    assembler.align();
    let start = assembler.len();
    let near = Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8;
    let and = Code::VEX_Vandpd_ymm_ymm_ymmm256;
    assembler.put(Encoded::with3(and, ymm(1), ymm(0), number(MAGNITUDE)));
    assembler.put(Encoded::with4(near, ymm(1), ymm(1), number(LARGEST_AT), LESS_EQUAL));
    assembler.put(Encoded::with2(Code::VEX_Vmovmskpd_r32_ymm, Register::EAX, ymm(1)));
    assembler.put(Encoded::with2(Code::Cmp_rm32_imm8, Register::EAX, 15));
    let far = assembler.jump(Code::Jne_rel32_64);
    rows(assembler, &REDUCE);
    for (to, first) in [(3, SINE_AT), (4, COSINE_AT)] {
        let load = Code::VEX_Vmovupd_ymm_ymmm256;
        assembler.put(Encoded::with2(load, ymm(to), number(first + 5)));
        for k in (0..5).rev() {
            rows(assembler, &[(MUL, to, to, R(2)), (ADD, to, to, N(first + k))]);
        }
    }
    assembler.put(Encoded::with2(Code::VEX_Vmovupd_ymm_ymmm256, ymm(8), number(ONE)));
    rows(assembler, &COMBINE);
    finish(assembler);
    assembler.land(far);
    distant(assembler);
    start
}

/// By way of the stack to a function in Rust and back.
fn distant(assembler: &mut Assembler<'_>) {
    // With the address of return, the stack is aligned again; four sines and four cosines find
    // room.
    const ROOM: i32 = 72;
    let stack = |at| MemoryOperand::with_base_displ(Register::RSP, at);
    assembler.put(Encoded::with2(Code::Sub_rm64_imm8, Register::RSP, ROOM));
    assembler.put(Encoded::with2(Code::VEX_Vmovupd_ymmm256_ymm, stack(0), ymm(0)));
    assembler.put(Encoded::with2(Code::Mov_r64_rm64, Register::RDI, Register::RSP));
    assembler.put(Ok(Encoded::with(Code::VEX_Vzeroupper)));
    assembler.call(FAR);
    assembler.put(Encoded::with2(Code::VEX_Vmovupd_ymm_ymmm256, ymm(0), stack(0)));
    assembler.put(Encoded::with2(Code::VEX_Vmovupd_ymm_ymmm256, ymm(1), stack(32)));
    assembler.put(Encoded::with2(Code::Add_rm64_imm8, Register::RSP, ROOM));
    assembler.put(Ok(Encoded::with(Code::Retnq)));
}

fn rows(assembler: &mut Assembler<'_>, rows: &[(Code, u32, u32, Second)]) {
    for (code, to, a, b) in rows {
        assembler.put(match *b {
            R(b) => Encoded::with3(*code, ymm(*to), ymm(*a), ymm(b)),
            N(b) => Encoded::with3(*code, ymm(*to), ymm(*a), number(b)),
        });
    }
}

fn ymm(register: u32) -> Register {
    Register::YMM0 + register
}

/// One of [`NUMBERS`], by its place.
pub fn number(place: u64) -> MemoryOperand {
    MemoryOperand::with_base_displ(Register::RIP, 32 * place as i64)
}
