//! Elementary functions whose results are the same bits on every machine.
//!
//! The functions of the standard library are those of the host's mathematical library, which
//! differs in the last digit from one system to the next, and some are evaluated by the compiler
//! where it knows the argument. One digit in a law or in the choice of a step is enough for another
//! motion. So every function that reaches a result, a step size or a printed number is called here:
//! sine and cosine are our own ([`crate::sincos`]), the others those of the crate `libm`, whose
//! version is pinned. Where that crate has code for one processor, it is for operations that IEEE
//! 754 defines to the last bit (roots, fused products, rounding), as those of the standard library
//! are, which may be used directly.
//!
//! `clippy.toml` lists what is called from here only.

pub use libm::{acos, asin, atan, atan2, cbrt, exp, exp2, hypot, log2, log10, pow, tan};

pub use crate::sincos::sincos;

/// The sine of an angle.
pub fn sin(angle: f64) -> f64 {
    sincos(angle).0
}

/// The cosine of an angle.
pub fn cos(angle: f64) -> f64 {
    sincos(angle).1
}

/// The natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// A whole power, by squaring.
#[inline]
pub fn powi(x: f64, power: i32) -> f64 {
    let (mut square, mut left, mut product) = (x, power.unsigned_abs(), 1.0);
    loop {
        if left & 1 == 1 {
            product *= square;
        }
        left >>= 1;
        if left == 0 {
            return if power < 0 { 1.0 / product } else { product };
        }
        square *= square;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of all sizes between `2^-range` and `2^range`, of both signs, the same in every run.
    fn numbers(range: i32) -> impl Iterator<Item = f64> {
        (0..20_000_u64).map(move |k| {
            let bits = k.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let bits = (bits ^ (bits >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mantissa = 1.0 + (bits >> 12) as f64 / (1_u64 << 52) as f64;
            let exponent = (bits % (2 * range as u64 + 1)) as i32 - range;
            let sign = if bits & (1 << 11) == 0 { 1.0 } else { -1.0 };
            sign * mantissa * powi(2.0, exponent)
        })
    }

    /// The distance of two numbers in units of the last place.
    fn distance(a: f64, b: f64) -> u64 {
        if a == b || (a.is_nan() && b.is_nan()) {
            return 0;
        }
        let ordered = |x: f64| {
            let bits = x.to_bits() as i64;
            if bits < 0 { i64::MIN - bits } else { bits }
        };
        ordered(a).abs_diff(ordered(b))
    }

    /// A sum of bits that changes with any of them.
    fn digest(values: impl Iterator<Item = f64>) -> u64 {
        values.fold(0xCBF2_9CE4_8422_2325, |sum, value| {
            let bits = if value.is_nan() { 0 } else { value.to_bits() };
            (sum ^ bits).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(23)
        })
    }

    type One = (&'static str, fn(f64) -> f64, fn(f64) -> f64, i32, u64);

    /// Each function beside that of the host, the size of arguments, and the digest of its values.
    const ONE: [One; 13] = [
        ("sin", sin, f64::sin, 20, 0xE57A_1D4D_398C_0080),
        ("cos", cos, f64::cos, 20, 0xB3F1_8572_AFA3_939B),
        ("tan", tan, f64::tan, 20, 0xCCDC_6792_143C_7B2C),
        ("asin", asin, f64::asin, 3, 0xCD8A_A931_B96B_FF74),
        ("acos", acos, f64::acos, 3, 0x9B77_2006_66D2_78A0),
        ("atan", atan, f64::atan, 20, 0x9866_1833_DC00_DFFE),
        ("exp", exp, f64::exp, 10, 0xC639_509A_3503_069F),
        ("exp2", exp2, f64::exp2, 10, 0xFDCD_34DC_1357_C0F6),
        ("ln", ln, f64::ln, 300, 0xBC2A_B199_F84F_46C1),
        ("log2", log2, f64::log2, 300, 0x0415_55F0_498F_7CF7),
        ("log10", log10, f64::log10, 300, 0xC71B_0111_148C_98F2),
        ("cbrt", cbrt, f64::cbrt, 300, 0xDC2C_30B2_DB57_3B8C),
        ("cube", |x| powi(x, -3), |x| 1.0 / (x * x * x), 100, 0x07C3_F366_CFE8_3696),
    ];

    type Two = (&'static str, fn(f64, f64) -> f64, fn(f64, f64) -> f64, u64);

    const TWO: [Two; 3] = [
        ("atan2", atan2, f64::atan2, 0x36B7_5D1E_7E74_1062),
        ("hypot", hypot, f64::hypot, 0x8957_3ECD_5055_2A0E),
        ("pow", |x, y| pow(x.abs(), y), |x, y| x.abs().powf(y), 0xAC0E_9423_1CA1_D4C9),
    ];

    /// Pairs of numbers.
    fn pairs() -> impl Iterator<Item = (f64, f64)> {
        numbers(7).zip(numbers(7).skip(1))
    }

    #[test]
    fn close_to_the_library_of_the_host() {
        for (name, ours, theirs, range, _) in ONE {
            let worst = numbers(range).map(|x| distance(ours(x), theirs(x))).max();
            assert!(worst <= Some(2), "{name}: {worst:?}");
        }
        for (name, ours, theirs, _) in TWO {
            let worst = pairs().map(|(x, y)| distance(ours(x, y), theirs(x, y))).max();
            assert!(worst <= Some(2), "{name}: {worst:?}");
        }
    }

    /// Every bit of every value, on every machine and with every version of the compiler.
    #[test]
    fn the_same_bits_everywhere() {
        let one = ONE.map(|(name, ours, _, range, expected)| {
            (name, digest(numbers(range).map(ours)), expected)
        });
        let two = TWO.map(|(name, ours, _, expected)| {
            (name, digest(pairs().map(|(x, y)| ours(x, y))), expected)
        });
        let wrong: Vec<String> = one
            .into_iter()
            .chain(two)
            .filter(|(_, found, expected)| found != expected)
            .map(|(name, found, _)| format!("{name}: {found:#018X}"))
            .collect();
        assert!(wrong.is_empty(), "other bits than pinned: {wrong:#?}");
    }

    #[test]
    fn whole_powers_and_their_logarithms_are_exact() {
        for n in -300..=300_i32 {
            let power = powi(2.0, n);
            assert_eq!((exp2(f64::from(n)), log2(power)), (power, f64::from(n)));
        }
        for n in 0..=22 {
            assert_eq!(log10(powi(10.0, n)), f64::from(n));
        }
        assert_eq!((powi(3.0, 0), powi(0.0, 0), powi(-2.0, 3)), (1.0, 1.0, -8.0));
        assert_eq!((powi(2.0, i32::MIN), powi(0.5, i32::MAX)), (0.0, 0.0));
    }
}
