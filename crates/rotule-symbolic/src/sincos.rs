//! Sine and cosine without branches: the same few operations for every angle, so that several
//! angles, or the same angle of several states, can go through them side by side in the lanes of a
//! register.
//!
//! The angle less a multiple `k` of pi/2 is `r + t`, with `t` below the last digit of `r`. Pi/2 is
//! a sum of three numbers, of which the first two have 33 bits: their products with `k` are exact
//! as long as `k` has 20 bits. Two polynomials, best approximations within pi/4, do the rest; the
//! last two bits of `k` say which of them is which, and their signs.
//!
//! This is the meaning of sine and cosine in expressions and programs: the interpreter computes
//! them so, and kernels do the same operations in the same order, so that their numbers are the
//! same on every machine. Errors stay below one unit in the last place for angles up to
//! [`LARGEST`]; beyond that the crate `libm` serves. The sine of minus zero is zero without its
//! sign.

/// Up to this size angles are served: 2^20 quarter turns.
pub const LARGEST: f64 = 1_647_000.0;

/// Quarter turns per radian.
pub const QUARTERS: f64 = std::f64::consts::FRAC_2_PI;

/// Added to a number below 2^51 and taken away again, it leaves the nearest whole number; in
/// between, that number stands in the last bits.
pub const ROUND: f64 = 6_755_399_441_055_744.0;

/// Pi/2 in three parts.
pub const HALF_PI: [f64; 3] =
    [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];

/// `sin r = r + r^3 (S[0] + S[1] r^2 + ...)`
pub const SINE: [f64; 6] = [
    -1.666_666_666_666_663_2e-1,
    8.333_333_333_322_49e-3,
    -1.984_126_982_985_795e-4,
    2.755_731_370_707_006_8e-6,
    -2.505_076_025_340_686_3e-8,
    1.589_690_995_211_55e-10,
];

/// `cos r = 1 - r^2/2 + r^4 (C[0] + C[1] r^2 + ...)`
pub const COSINE: [f64; 6] = [
    4.166_666_666_666_66e-2,
    -1.388_888_888_887_411e-3,
    2.480_158_728_947_673e-5,
    -2.755_731_435_139_066_3e-7,
    2.087_572_321_298_175e-9,
    -1.135_964_755_778_819_5e-11,
];

/// Sine and cosine.
pub fn sincos(angle: f64) -> (f64, f64) {
    // Written so that what is no number goes to `libm`, too.
    if angle.abs() <= LARGEST { near(angle) } else { libm::sincos(angle) }
}

/// Sine and cosine of an angle that is not too large.
fn near(angle: f64) -> (f64, f64) {
    let counted = angle * QUARTERS + ROUND;
    let k = counted - ROUND;
    let [first, second, third] = HALF_PI.map(|part| k * part);
    let coarse = angle - first;
    let finer = coarse - second;
    let r = finer - third;
    let t = ((coarse - finer) - second) + ((finer - r) - third);
    let z = r * r;
    let sine = r + (z * r * polynomial(&SINE, z) + t * (1.0 - 0.5 * z));
    let half = 0.5 * z;
    let most = 1.0 - half;
    let cosine = most + (((1.0 - most) - half) + (z * z * polynomial(&COSINE, z) - r * t));
    let quarter = counted.to_bits();
    let (sine, cosine) = if quarter & 1 == 0 { (sine, cosine) } else { (cosine, sine) };
    let signed = |value: f64, bits: u64| f64::from_bits(value.to_bits() ^ ((bits & 2) << 62));
    (signed(sine, quarter), signed(cosine, quarter.wrapping_add(1)))
}

fn polynomial(coefficients: &[f64; 6], z: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, one| sum * z + one)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sum of two numbers with twice the digits.
    type Double = (f64, f64);

    fn sum(a: f64, b: f64) -> Double {
        let s = a + b;
        let v = s - a;
        (s, (a - (s - v)) + (b - v))
    }

    fn add(a: Double, b: Double) -> Double {
        let (s, e) = sum(a.0, b.0);
        let (t, f) = sum(a.1, b.1);
        let (s, e) = sum(s, e + t);
        sum(s, e + f)
    }

    fn mul(a: Double, b: Double) -> Double {
        let p = a.0 * b.0;
        sum(p, a.0.mul_add(b.0, -p) + (a.0 * b.1 + a.1 * b.0))
    }

    /// Sine and cosine by Taylor's series of an eighth of the angle, thrice doubled, after pi/2 was
    /// taken away in three numbers of 53 bits.
    fn exact(angle: f64) -> (Double, Double) {
        const PARTS: [f64; 3] =
            [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33];
        let k = (angle / PARTS[0]).round();
        let mut r = (angle, 0.0);
        for part in PARTS {
            r = add(r, mul((-k, 0.0), (part, 0.0)));
        }
        let x = (r.0 / 8.0, r.1 / 8.0);
        let (mut term, mut sine, mut versine) = ((1.0, 0.0), (0.0, 0.0), (0.0, 0.0));
        for n in 1..28_i32 {
            let inverse = 1.0 / f64::from(n);
            let inverse = (inverse, (-inverse).mul_add(f64::from(n), 1.0) / f64::from(n));
            term = mul(mul(term, x), inverse);
            let sign = if n % 4 < 2 { 1.0 } else { -1.0 };
            let signed = (sign * term.0, sign * term.1);
            if n % 2 == 1 {
                sine = add(sine, signed);
            } else {
                versine = add(versine, (-signed.0, -signed.1));
            }
        }
        // 1 - cos 2x = 2 sin^2 x, which keeps the digits of small angles.
        for _ in 0..3 {
            let cosine = add((1.0, 0.0), (-versine.0, -versine.1));
            let twice = mul(sine, sine);
            sine = mul((2.0, 0.0), mul(sine, cosine));
            versine = (2.0 * twice.0, 2.0 * twice.1);
        }
        let cosine = add((1.0, 0.0), (-versine.0, -versine.1));
        let minus = |a: Double| (-a.0, -a.1);
        match (k as i64).rem_euclid(4) {
            0 => (sine, cosine),
            1 => (cosine, minus(sine)),
            2 => (minus(sine), minus(cosine)),
            _ => (minus(cosine), sine),
        }
    }

    /// The distance in units of the last place.
    fn distance(value: f64, exact: Double) -> f64 {
        let unit = f64::from_bits(exact.0.abs().to_bits() + 1) - exact.0.abs();
        ((value - exact.0) - exact.1).abs() / unit
    }

    fn worst(angles: impl Iterator<Item = f64>) -> f64 {
        let off = |angle: f64| {
            let ((s, c), (sine, cosine)) = (sincos(angle), exact(angle));
            distance(s, sine).max(distance(c, cosine))
        };
        angles.map(off).fold(0.0, f64::max)
    }

    #[test]
    fn errors_stay_below_one_unit() {
        for range in [0.7, 3.2, 100.0, 1e4, 1.6e6] {
            let step = range / 20_011.3;
            let found = worst((-20_000..20_000).map(|n| f64::from(n) * step));
            assert!(found < 1.0, "within {range}: {found}");
        }
    }

    #[test]
    fn angles_close_to_quarter_turns_keep_their_digits() {
        let near = |n: i32| {
            let angle = f64::from(n) * std::f64::consts::FRAC_PI_2;
            [angle, angle.next_up(), angle.next_down(), angle + 1e-9]
        };
        let found = worst((1..4_000).chain(1_000_000..1_004_000).flat_map(near));
        assert!(found < 1.0, "{found}");
    }

    #[test]
    fn what_is_special_is_served() {
        assert_eq!(sincos(0.0), (0.0, 1.0));
        assert_eq!(sincos(-0.0), (0.0, 1.0));
        assert!(sincos(f64::NAN).0.is_nan() && sincos(f64::INFINITY).1.is_nan());
        assert_eq!(sincos(1e300), (-0.817_881_912_115_908_5, -0.575_386_111_957_549_1));
        assert_eq!(sincos(1e-300).0, 1e-300);
        assert_eq!(sincos(5e-324).0, 5e-324);
    }
}
