//! Vectors of three numbers.

pub(super) type Vector = [f64; 3];

pub(super) fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn scale(a: Vector, s: f64) -> Vector {
    a.map(|x| x * s)
}

pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// A direction of length one; another one where there is none.
pub(super) fn unit(a: Vector, otherwise: Vector) -> Vector {
    let size = length(a);
    if size > 0.0 && size.is_finite() { scale(a, 1.0 / size) } else { otherwise }
}

/// Two directions that complete an axis to a right-handed frame.
pub(super) fn besides(axis: Vector) -> [Vector; 2] {
    let [x, y, z] = axis.map(f64::abs);
    let away = match (x < y, x < z, y < z) {
        (true, true, _) => [1.0, 0.0, 0.0],
        (false, _, true) => [0.0, 1.0, 0.0],
        _ => [0.0, 0.0, 1.0],
    };
    let first = unit(sub(away, scale(axis, dot(away, axis))), [1.0, 0.0, 0.0]);
    [first, cross(axis, first)]
}

pub(super) fn finite(a: Vector) -> bool {
    a.iter().all(|x| x.is_finite())
}
