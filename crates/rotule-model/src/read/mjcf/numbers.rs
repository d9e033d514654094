//! Numbers that are computed, kept as short as those they come from.

use crate::read::frame::{Matrix, Vector};
use rotule_symbolic::elementary::{hypot, log10};

/// More digits than this are not a number that somebody wrote.
const WRITTEN: usize = 12;

/// A number without the rounding of a sum whose terms are of a size: 0.3 - 0.1 is 0.2. A number
/// that has many digits anyway keeps them all.
pub(super) fn tidy(value: f64, size: f64) -> f64 {
    if value == 0.0 || !(size > 0.0 && size.is_finite()) {
        return value + 0.0;
    }
    // One digit less than a double holds.
    let decimals = 14 - log10(size).floor() as i32;
    let Ok(decimals @ 0..=300) = usize::try_from(decimals) else { return value };
    let short: f64 = format!("{value:.decimals$}").parse().unwrap_or(value);
    let text = format!("{short:e}");
    let digits = text.bytes().take_while(|c| *c != b'e').filter(u8::is_ascii_digit);
    // Adding zero turns a negative zero into a plain one.
    if digits.count() <= WRITTEN { short + 0.0 } else { value }
}

pub(super) fn sum(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|i| tidy(a[i] + b[i], a[i].abs().max(b[i].abs())))
}

pub(super) fn difference(a: Vector, b: Vector) -> Vector {
    sum(a, b.map(|x| -x))
}

/// A direction without components that come of rounding only.
pub(super) fn clean(v: Vector) -> Vector {
    let size = v.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    v.map(|x| if x.abs() < 1e-15 * size { 0.0 } else { x })
}

/// A number as it stands in an expression, without its sign.
pub(super) fn literal(value: f64) -> String {
    let text = format!("{:?}", value.abs());
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// The quaternion of a rotation matrix, w first.
pub(super) fn quaternion(m: &Matrix) -> [f64; 4] {
    // The largest of the four squares decides, so that nothing is divided by a small number.
    let squares = [
        1.0 + m[0][0] + m[1][1] + m[2][2],
        1.0 + m[0][0] - m[1][1] - m[2][2],
        1.0 - m[0][0] + m[1][1] - m[2][2],
        1.0 - m[0][0] - m[1][1] + m[2][2],
    ];
    let largest = (0..4).fold(0, |best, i| if squares[i] > squares[best] { i } else { best });
    let [a, b, c] = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]];
    let [d, e, f] = [m[0][1] + m[1][0], m[0][2] + m[2][0], m[1][2] + m[2][1]];
    let q = match largest {
        0 => [squares[0], a, b, c],
        1 => [a, squares[1], d, e],
        2 => [b, d, squares[2], f],
        _ => [c, e, f, squares[3]],
    };
    let length = q.iter().fold(0.0_f64, |length, x| hypot(length, *x));
    q.map(|x| x / length + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::frame;

    #[test]
    fn sums_are_as_short_as_their_terms() {
        assert_eq!(difference([0.3, 1.1, 1e-20], [0.1, 1.0, 1e-20]), [0.2, 0.1, 0.0]);
        assert_eq!(sum([f64::MAX, 0.0, 5e-324], [f64::MAX, 0.0, 0.0])[0], f64::INFINITY);
        assert_eq!(literal(-2.0), "2");
        assert_eq!(literal(1e-7), "1e-7");
    }

    #[test]
    fn quaternions_of_matrices() {
        for q in [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.6, 0.8], [0.5; 4]] {
            let m = frame::of_quaternion(q).expect("not zero");
            let found = quaternion(&m);
            assert!((0..4).all(|i| (found[i] - q[i]).abs() < 1e-15), "{q:?} {found:?}");
        }
    }
}
