//! Placements as numbers, for readers that must move what a file says from one frame to another.
//!
//! Quarter turns have matrices of exact zeros and ones and stay exact when they are composed, and
//! a matrix that is written back gets its exact angles back: what was cheap in the file must not
//! become costly by a detour through numbers.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use rotule_symbolic::elementary::{atan2, hypot, sincos};
use rotule_symbolic::{Doubles, parse};

use crate::draft::{DraftValue, Inertia, Rotation, Triple, Value};
use crate::pose;
pub(crate) use crate::pose::{Pose, add};
use crate::read::snap::eighth_turns;
use crate::source::{Span, Spanned};

/// Three components.
pub(crate) type Vector = pose::Components;
/// A matrix by rows.
pub(crate) type Matrix = [Vector; 3];

/// No turn.
pub(crate) const IDENTITY: Matrix = Pose::IDENTITY.rotation;

/// Matrix times vector.
pub(crate) fn apply(matrix: &Matrix, v: Vector) -> Vector {
    matrix.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

/// Matrix times matrix.
pub(crate) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    a.map(|row| {
        let entry = |j: usize| row[0] * b[0][j] + row[1] * b[1][j] + row[2] * b[2][j];
        [entry(0), entry(1), entry(2)]
    })
}

/// The matrix with rows and columns exchanged.
pub(crate) fn transpose(m: &Matrix) -> Matrix {
    [0, 1, 2].map(|j| [m[0][j], m[1][j], m[2][j]])
}

/// The number of a scalar: a literal, or an expression without names but `pi` and `deg`.
pub(crate) fn number(scalar: &DraftValue) -> Option<f64> {
    match &scalar.value {
        Value::Number(number) => Some(*number),
        Value::Expression(text) => {
            let mut names = Doubles(|name: &str| (name == "deg").then_some(PI / 180.0));
            parse(text).ok()?.evaluate(&mut names).ok().filter(|value| value.is_finite())
        }
    }
}

/// The numbers of a triple.
pub(crate) fn vector(triple: &Triple) -> Option<Vector> {
    Some([number(&triple[0])?, number(&triple[1])?, number(&triple[2])?])
}

/// A triple of numbers.
pub(crate) fn triple(vector: Vector, span: Span) -> Triple {
    vector.map(|x| scalar(x, span))
}

/// A computed number without the noise of its computation: a sum of decimals is a decimal again. A
/// number that is not close to a short decimal stays as it is.
pub(crate) fn tidy(x: f64) -> f64 {
    if x.abs() < 1e-14 {
        return 0.0;
    }
    let rounded = format!("{x:.13e}");
    let digits = rounded.split('e').next().unwrap_or_default().trim_end_matches('0');
    // Ten digits, the point and a sign.
    if digits.len() > 12 { x } else { rounded.parse().unwrap_or(x) }
}

/// A computed position for a draft; none at the origin.
pub(crate) fn position(vector: Vector, span: Span) -> Option<Triple> {
    let tidied = vector.map(tidy);
    (tidied != [0.0; 3]).then(|| triple(tidied, span))
}

/// A number for a draft.
pub(crate) fn scalar(x: f64, span: Span) -> DraftValue {
    // Adding zero turns a negative zero into a plain one.
    Spanned::new(Value::Number(x + 0.0), span)
}

/// Sine and cosine; those of quarter turns are exact.
fn sin_cos(angle: f64) -> (f64, f64) {
    let quarters = (angle / FRAC_PI_2).round();
    if (angle - quarters * FRAC_PI_2).abs() > 1e-12 {
        return sincos(angle);
    }
    match quarters.rem_euclid(4.0) {
        0.0 => (0.0, 1.0),
        1.0 => (1.0, 0.0),
        2.0 => (0.0, -1.0),
        _ => (-1.0, 0.0),
    }
}

/// The matrix of turns about the fixed axes x, y and z.
pub(crate) fn of_rpy(angles: Vector) -> Matrix {
    let [(sr, cr), (sp, cp), (sy, cy)] = angles.map(sin_cos);
    let x = [[1.0, 0.0, 0.0], [0.0, cr, -sr], [0.0, sr, cr]];
    let y = [[cp, 0.0, sp], [0.0, 1.0, 0.0], [-sp, 0.0, cp]];
    let z = [[cy, -sy, 0.0], [sy, cy, 0.0], [0.0, 0.0, 1.0]];
    product(&z, &product(&y, &x))
}

/// The matrix of a quaternion, w first, of any length but zero.
pub(crate) fn of_quaternion([w, x, y, z]: [f64; 4]) -> Option<Matrix> {
    let size = w * w + x * x + y * y + z * z;
    if !size.is_finite() || size < 1e-200 {
        return None;
    }
    let s = 2.0 / size;
    let matrix = [
        [1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)],
    ];
    Some(matrix.map(|row| row.map(clean)))
}

/// The matrix of a turn about an axis of any length but zero.
pub(crate) fn of_turn(axis: Vector, angle: f64) -> Option<Matrix> {
    let [x, y, z] = unit(axis)?;
    let (s, c) = sin_cos(angle);
    let d = 1.0 - c;
    Some([
        [c + d * x * x, d * x * y - s * z, d * x * z + s * y],
        [d * x * y + s * z, c + d * y * y, d * y * z - s * x],
        [d * x * z - s * y, d * y * z + s * x, c + d * z * z],
    ])
}

/// The vector of length one in the same direction; none for zero.
pub(crate) fn unit(v: Vector) -> Option<Vector> {
    let length = hypot(hypot(v[0], v[1]), v[2]);
    if !(length.is_finite() && length > 0.0) {
        return None;
    }
    Some(v.map(|x| x / length))
}

/// The smallest turn that brings one direction to another, both of length one.
pub(crate) fn between(a: Vector, b: Vector) -> Matrix {
    let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    if cosine < -1.0 + 1e-12 {
        // Half a turn about any direction across: the frame axis that is least along it, made so.
        let least = (0..3).min_by(|i, j| a[*i].abs().total_cmp(&a[*j].abs())).unwrap_or(0);
        let mut across = a.map(|x| -x * a[least]);
        across[least] += 1.0;
        return of_turn(across, PI).unwrap_or(IDENTITY);
    }
    let [x, y, z] = cross;
    let skew = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
    let square = product(&skew, &skew);
    let entry = |i: usize, j: usize| IDENTITY[i][j] + skew[i][j] + square[i][j] / (1.0 + cosine);
    [0, 1, 2].map(|i| [entry(i, 0), entry(i, 1), entry(i, 2)])
}

/// The matrix of a rotation as written; none if it is not made of numbers.
pub(crate) fn matrix(rotation: &Rotation) -> Option<Matrix> {
    match rotation {
        Rotation::Rpy(angles) => Some(of_rpy(vector(angles)?)),
        Rotation::Quaternion([w, x, y, z]) => {
            of_quaternion([number(w)?, number(x)?, number(y)?, number(z)?])
        }
        Rotation::Matrix([a, b, c]) => Some([vector(a)?, vector(b)?, vector(c)?]),
        Rotation::Turn { axis, angle } => of_turn(vector(&axis.components)?, number(angle)?),
        Rotation::Link { .. } => None,
    }
}

/// A pose as written, what is left out being none.
pub(crate) fn pose(position: Option<&Triple>, rotation: Option<&Rotation>) -> Option<Pose> {
    Some(Pose {
        position: position.map_or(Some([0.0; 3]), vector)?,
        rotation: rotation.map_or(Some(IDENTITY), matrix)?,
    })
}

/// A number that is one of those in the matrices of eighths of a turn, but for rounding.
fn clean(x: f64) -> f64 {
    let half = 0.5_f64;
    let exact = [0.0, 1.0, -1.0, half, -half, half.sqrt(), -half.sqrt()];
    exact.into_iter().find(|e| (x - e).abs() < 1e-14).unwrap_or(x)
}

/// A turn for a draft: exact angles where they are multiples of pi/4; none if there is no turn.
pub(crate) fn rotation(matrix: &Matrix, span: Span) -> Option<Rotation> {
    let m = matrix.map(|row| row.map(clean));
    if m == IDENTITY {
        return None;
    }
    let pitch = atan2(-m[2][0], hypot(m[0][0], m[1][0]));
    let upright = hypot(m[0][0], m[1][0]) < 1e-12;
    // With the pitch a quarter turn, roll and yaw turn about the same axis: all goes to the yaw.
    let roll = if upright { 0.0 } else { atan2(m[2][1], m[2][2]) };
    let yaw = if upright { atan2(-m[0][1], m[1][1]) } else { atan2(m[1][0], m[0][0]) };
    let angles = [roll, pitch, yaw].map(|angle| {
        let eighths = (angle / FRAC_PI_4).round();
        let exact = eighths * FRAC_PI_4;
        if (angle - exact).abs() < 1e-12 {
            (exact, Some(eighths as i32))
        } else {
            (tidy(angle), None)
        }
    });
    let rebuilt = of_rpy(angles.map(|(angle, _)| angle));
    let off = |i: usize, j: usize| (rebuilt[i][j] - m[i][j]).abs();
    let faithful = (0..3).all(|i| (0..3).all(|j| off(i, j) < 1e-13));
    if faithful {
        return Some(Rotation::Rpy(angles.map(|(angle, eighths)| match eighths {
            Some(count) => Spanned::new(eighth_turns(count), span),
            None => scalar(angle, span),
        })));
    }
    Some(Rotation::Matrix(m.map(|row| triple(row, span))))
}

/// The inertia matrix of a draft in the body's axes; none if it is not made of numbers.
pub(crate) fn inertia_matrix(inertia: &Inertia) -> Option<Matrix> {
    let mut entries = [0.0; 6];
    for (entry, given) in entries.iter_mut().zip(&inertia.entries) {
        *entry = given.as_ref().map_or(Some(0.0), number)?;
    }
    let [xx, yy, zz, xy, xz, yz] = entries;
    let plain = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    match &inertia.rotation {
        None => Some(plain),
        Some(rotation) => Some(rotated(&matrix(rotation)?, &plain)),
    }
}

/// A tensor given in rotated axes, in the axes they are rotated in.
pub(crate) fn rotated(rotation: &Matrix, tensor: &Matrix) -> Matrix {
    product(&product(rotation, tensor), &transpose(rotation))
}

/// An inertia matrix for a draft; off-diagonal zeros are left out.
pub(crate) fn inertia(m: &Matrix, span: Span) -> Inertia {
    let off = |x: f64| (x != 0.0).then(|| scalar(x, span));
    let entries = [
        Some(scalar(m[0][0], span)),
        Some(scalar(m[1][1], span)),
        Some(scalar(m[2][2], span)),
        off(m[0][1]),
        off(m[0][2]),
        off(m[1][2]),
    ];
    Inertia { span, entries, rotation: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eighths of turns about all axes come back as exact angles of the same matrix.
    #[test]
    fn eighth_turns_stay_exact() {
        for index in 0..512_i32 {
            let eighths = [index / 64, index / 8 % 8, index % 8];
            let requested = of_rpy(eighths.map(|k| f64::from(k - 4) * FRAC_PI_4));
            let Some(written) = rotation(&requested, Span::default()) else {
                assert_eq!(requested.map(|row| row.map(clean)), IDENTITY);
                continue;
            };
            let found = matrix(&written).expect("numbers");
            for (a, b) in found.as_flattened().iter().zip(requested.as_flattened()) {
                assert!((a - b).abs() < 1e-14, "{eighths:?}");
            }
            // A product with entries of 1/4 has no such angles; all others do.
            if let Rotation::Rpy(angles) = &written {
                let exact = angles.iter().filter(|angle| match &angle.value {
                    Value::Expression(_) => true,
                    Value::Number(number) => *number == 0.0,
                });
                assert_eq!(exact.count(), 3, "{eighths:?} {angles:?}");
            }
        }
    }

    #[test]
    fn the_smallest_turn_between_directions() {
        let directions = [
            [1.0, 0.0, 0.0],
            [0.0, 0.0, -1.0],
            [-1.0, 0.0, 0.0],
            [0.6, 0.0, 0.8],
            [-0.48, 0.6, 0.64],
        ];
        for a in directions {
            for b in directions {
                let turn = between(a, b);
                let found = apply(&turn, a);
                assert!((0..3).all(|i| (found[i] - b[i]).abs() < 1e-14), "{a:?} {b:?} {found:?}");
                let square = product(&turn, &transpose(&turn));
                for (x, y) in square.as_flattened().iter().zip(IDENTITY.as_flattened()) {
                    assert!((x - y).abs() < 1e-14);
                }
            }
        }
    }

    #[test]
    fn near_the_upright_pitch_the_matrix_is_kept() {
        let requested = of_rpy([0.3, FRAC_PI_2 - 1e-9, 0.7]);
        let written = rotation(&requested, Span::default()).expect("a turn");
        let found = matrix(&written).expect("numbers");
        for (a, b) in found.as_flattened().iter().zip(requested.as_flattened()) {
            assert!((a - b).abs() < 1e-13);
        }
    }
}
