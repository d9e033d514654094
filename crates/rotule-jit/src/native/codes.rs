//! Instructions of the processor by the number of states that a register holds: one table for each
//! width, so that all that is written from an allocation is written the same way for one state and
//! for several.

use super::instruction::{Form, Register as Number, Sum};
use iced_x86::{Code, Register};

/// Number of states that go through the code side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// One.
    One,
    /// Four, in the lanes of registers of 256 bits.
    Four,
}

impl Width {
    /// Number of states.
    pub const fn lanes(self) -> usize {
        match self {
            Width::One => 1,
            Width::Four => 4,
        }
    }

    /// The instructions of this width.
    pub const fn codes(self) -> &'static Codes {
        match self {
            Width::One => &ONE,
            Width::Four => &FOUR,
        }
    }

    /// The encoder's name of a register; its registers of one kind are numbered in order.
    pub fn register(self, register: Number) -> Register {
        let first = match self {
            Width::One => Register::XMM0,
            Width::Four => Register::YMM0,
        };
        first + u32::from(register.0 & 15)
    }
}

/// The instructions of one width, each by what it does.
#[allow(missing_docs, reason = "each field is the instruction of that name")]
pub struct Codes {
    pub load: Code,
    pub store: Code,
    pub copy: Code,
    pub add: Code,
    pub sub: Code,
    pub mul: Code,
    pub div: Code,
    pub min: Code,
    pub max: Code,
    pub and: Code,
    pub and_not: Code,
    pub or: Code,
    pub xor: Code,
    pub compare: Code,
    pub blend: Code,
    /// By [`Sum`], then by [`Form`].
    fused: [[Code; 3]; 3],
}

impl Codes {
    /// A product and a sum with one rounding.
    pub fn fused(&self, sum: Sum, form: Form) -> Code {
        let row = match sum {
            Sum::Plus => 0,
            Sum::Minus => 1,
            Sum::Reversed => 2,
        };
        let column = match form {
            Form::Factor132 => 0,
            Form::Factor213 => 1,
            Form::Addend231 => 2,
        };
        self.fused[row][column]
    }
}

const ONE: Codes = Codes {
    load: Code::VEX_Vmovsd_xmm_m64,
    store: Code::VEX_Vmovsd_m64_xmm,
    copy: Code::VEX_Vmovapd_xmm_xmmm128,
    add: Code::VEX_Vaddsd_xmm_xmm_xmmm64,
    sub: Code::VEX_Vsubsd_xmm_xmm_xmmm64,
    mul: Code::VEX_Vmulsd_xmm_xmm_xmmm64,
    div: Code::VEX_Vdivsd_xmm_xmm_xmmm64,
    min: Code::VEX_Vminsd_xmm_xmm_xmmm64,
    max: Code::VEX_Vmaxsd_xmm_xmm_xmmm64,
    and: Code::VEX_Vandpd_xmm_xmm_xmmm128,
    and_not: Code::VEX_Vandnpd_xmm_xmm_xmmm128,
    or: Code::VEX_Vorpd_xmm_xmm_xmmm128,
    xor: Code::VEX_Vxorpd_xmm_xmm_xmmm128,
    compare: Code::VEX_Vcmpsd_xmm_xmm_xmmm64_imm8,
    blend: Code::VEX_Vblendvpd_xmm_xmm_xmmm128_xmm,
    fused: [
        [
            Code::VEX_Vfmadd132sd_xmm_xmm_xmmm64,
            Code::VEX_Vfmadd213sd_xmm_xmm_xmmm64,
            Code::VEX_Vfmadd231sd_xmm_xmm_xmmm64,
        ],
        [
            Code::VEX_Vfmsub132sd_xmm_xmm_xmmm64,
            Code::VEX_Vfmsub213sd_xmm_xmm_xmmm64,
            Code::VEX_Vfmsub231sd_xmm_xmm_xmmm64,
        ],
        [
            Code::VEX_Vfnmadd132sd_xmm_xmm_xmmm64,
            Code::VEX_Vfnmadd213sd_xmm_xmm_xmmm64,
            Code::VEX_Vfnmadd231sd_xmm_xmm_xmmm64,
        ],
    ],
};

const FOUR: Codes = Codes {
    load: Code::VEX_Vmovupd_ymm_ymmm256,
    store: Code::VEX_Vmovupd_ymmm256_ymm,
    copy: Code::VEX_Vmovapd_ymm_ymmm256,
    add: Code::VEX_Vaddpd_ymm_ymm_ymmm256,
    sub: Code::VEX_Vsubpd_ymm_ymm_ymmm256,
    mul: Code::VEX_Vmulpd_ymm_ymm_ymmm256,
    div: Code::VEX_Vdivpd_ymm_ymm_ymmm256,
    min: Code::VEX_Vminpd_ymm_ymm_ymmm256,
    max: Code::VEX_Vmaxpd_ymm_ymm_ymmm256,
    and: Code::VEX_Vandpd_ymm_ymm_ymmm256,
    and_not: Code::VEX_Vandnpd_ymm_ymm_ymmm256,
    or: Code::VEX_Vorpd_ymm_ymm_ymmm256,
    xor: Code::VEX_Vxorpd_ymm_ymm_ymmm256,
    compare: Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8,
    blend: Code::VEX_Vblendvpd_ymm_ymm_ymmm256_ymm,
    fused: [
        [
            Code::VEX_Vfmadd132pd_ymm_ymm_ymmm256,
            Code::VEX_Vfmadd213pd_ymm_ymm_ymmm256,
            Code::VEX_Vfmadd231pd_ymm_ymm_ymmm256,
        ],
        [
            Code::VEX_Vfmsub132pd_ymm_ymm_ymmm256,
            Code::VEX_Vfmsub213pd_ymm_ymm_ymmm256,
            Code::VEX_Vfmsub231pd_ymm_ymm_ymmm256,
        ],
        [
            Code::VEX_Vfnmadd132pd_ymm_ymm_ymmm256,
            Code::VEX_Vfnmadd213pd_ymm_ymm_ymmm256,
            Code::VEX_Vfnmadd231pd_ymm_ymm_ymmm256,
        ],
    ],
};
