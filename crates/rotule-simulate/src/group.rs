//! Increments of coordinates: plain sums, but for joints with a quaternion, which turn about the
//! moving body's own axes.
//!
//! A free joint moves along the screw of its increment `(u, p)`: with the rotation `R` of the body,
//!
//! ```text
//! x += R (u + (1 - cos p)/p^2 p x u + (p - sin p)/p^3 p x (p x u))       R = R exp(p)
//! ```
//!
//! The derivative of the place reached by the increment, in the body's axes there, is `T = 1 -
//! a/2 + a^2/6 - ..` with `a (u', p') = (p x u' + u x p', p x p')`.

use rotule_formalism::{MotionPart, MultibodySystem};
use rotule_symbolic::elementary::sincos;

/// A joint's coordinates and speeds among those of a state: the first of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Span {
    /// One coordinate and its derivative.
    One(usize, usize),
    /// A quaternion and an angular velocity.
    Turn(usize, usize),
    /// A position and a quaternion, a velocity and an angular velocity in the body's axes.
    Free(usize, usize),
}

/// The joints whose coordinates and speeds are in two lists, which hold all or none of a joint's.
pub(crate) fn spans(tree: &MultibodySystem, coordinates: &[usize], speeds: &[usize]) -> Vec<Span> {
    let mut spans = Vec::new();
    for node in &tree.tree.nodes {
        let q = coordinates.iter().position(|&at| at == node.coordinate.index());
        let v = speeds.iter().position(|&at| at == node.speed.index());
        let (Some(q), Some(v)) = (q, v) else { continue };
        spans.push(match node.motion.parts() {
            [] => continue,
            [MotionPart::Rotation] => Span::Turn(q, v),
            [MotionPart::Position, ..] => Span::Free(q, v),
            [MotionPart::Length | MotionPart::Angle | MotionPart::Rotation, ..] => Span::One(q, v),
        });
    }
    spans
}

/// Where a step leads.
pub(crate) fn moved(spans: &[Span], q: &[f64], step: &[f64], reached: &mut [f64]) {
    for span in spans {
        match *span {
            Span::One(at, v) => reached[at] = q[at] + step[v],
            Span::Turn(at, v) => {
                let new = turn(four(&q[at..]), three(&step[v..]));
                reached[at..at + 4].copy_from_slice(&new);
            }
            Span::Free(at, v) => {
                let (slide, angle) = (three(&step[v..]), three(&step[v + 3..]));
                let square = dot(angle, angle);
                let (first, second) = if square < 1e-6 {
                    (0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0)
                } else {
                    let size = square.sqrt();
                    let (sine, cosine) = sincos(size);
                    ((1.0 - cosine) / square, (size - sine) / (square * size))
                };
                let once = cross(angle, slide);
                let twice = cross(angle, once);
                let along = std::array::from_fn(|k| slide[k] + first * once[k] + second * twice[k]);
                let rotation = four(&q[at + 3..]);
                let along = rotated(rotation, along);
                (0..3).for_each(|k| reached[at + k] = q[at + k] + along[k]);
                reached[at + 3..at + 7].copy_from_slice(&turn(rotation, angle));
            }
        }
    }
}

/// A row times `T`; higher powers than the third are left out.
pub(crate) fn turned(spans: &[Span], step: &[f64], row: &mut [f64]) {
    const WEIGHTS: [f64; 3] = [-0.5, 1.0 / 6.0, -1.0 / 24.0];
    for span in spans {
        match *span {
            Span::One(..) => {}
            Span::Turn(_, v) => {
                let angle = three(&step[v..]);
                let mut power = three(&row[v..]);
                for weight in WEIGHTS {
                    power = cross(power, angle);
                    (0..3).for_each(|k| row[v + k] += weight * power[k]);
                }
            }
            Span::Free(_, v) => {
                let (slide, angle) = (three(&step[v..]), three(&step[v + 3..]));
                let (mut linear, mut angular) = (three(&row[v..]), three(&row[v + 3..]));
                for weight in WEIGHTS {
                    let [one, other] = [cross(linear, slide), cross(angular, angle)];
                    linear = cross(linear, angle);
                    angular = std::array::from_fn(|k| one[k] + other[k]);
                    for k in 0..3 {
                        row[v + k] += weight * linear[k];
                        row[v + 3 + k] += weight * angular[k];
                    }
                }
            }
        }
    }
}

/// `N(q) v`
pub(crate) fn rates(spans: &[Span], q: &[f64], v: &[f64], qdot: &mut [f64]) {
    for span in spans {
        match *span {
            Span::One(at, speed) => qdot[at] = v[speed],
            Span::Turn(at, speed) => {
                qdot[at..at + 4].copy_from_slice(&spin(four(&q[at..]), three(&v[speed..])));
            }
            Span::Free(at, speed) => {
                let rotation = four(&q[at + 3..]);
                qdot[at..at + 3].copy_from_slice(&rotated(rotation, three(&v[speed..])));
                qdot[at + 3..at + 7].copy_from_slice(&spin(rotation, three(&v[speed + 3..])));
            }
        }
    }
}

fn three(values: &[f64]) -> [f64; 3] {
    [values[0], values[1], values[2]]
}

fn four(values: &[f64]) -> [f64; 4] {
    [values[0], values[1], values[2], values[3]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The product of two quaternions.
fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let ([w, x, y, z], [c, i, j, k]) = (a, b);
    [
        w * c - x * i - y * j - z * k,
        w * i + x * c + y * k - z * j,
        w * j + y * c + z * i - x * k,
        w * k + z * c + x * j - y * i,
    ]
}

/// The derivative of a quaternion.
fn spin(q: [f64; 4], w: [f64; 3]) -> [f64; 4] {
    product(q, [0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]])
}

/// A quaternion after a turn in its own axes, of unit length.
fn turn(q: [f64; 4], angle: [f64; 3]) -> [f64; 4] {
    let size = dot(angle, angle).sqrt();
    let (sine, cosine) = sincos(size / 2.0);
    let sine = if size < 1e-3 { 0.5 - size * size / 48.0 } else { sine / size };
    let new = product(q, [cosine, sine * angle[0], sine * angle[1], sine * angle[2]]);
    let length = new.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 { new.map(|x| x / length) } else { new }
}

/// A vector in the components of what a frame is rotated against.
fn rotated(q: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let axis = [q[1], q[2], q[3]];
    let twice = cross(axis, v).map(|x| 2.0 * x);
    let more = cross(axis, twice);
    std::array::from_fn(|at| v[at] + q[0] * twice[at] + more[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPANS: [Span; 3] = [Span::One(0, 0), Span::Turn(1, 1), Span::Free(5, 4)];

    fn start() -> Vec<f64> {
        let mut q = vec![0.3, 0.5, -0.5, 0.5, 0.5, 1.0, 2.0, 3.0, 0.1, 0.7, -0.1, 0.7];
        for first in [1, 8] {
            let part = &mut q[first..first + 4];
            let length = part.iter().map(|x| x * x).sum::<f64>().sqrt();
            part.iter_mut().for_each(|x| *x /= length);
        }
        q
    }

    const STEP: [f64; 10] = [0.1, 0.2, -0.3, 0.15, 0.4, -0.5, 0.6, 0.12, 0.25, -0.2];

    #[test]
    fn a_step_is_a_motion_with_constant_speeds() {
        // Many small explicit steps against one on the group.
        let mut q = start();
        let parts = 20_000;
        let (mut rates_here, mut middle) = (vec![0.0; 12], vec![0.0; 12]);
        for _ in 0..parts {
            let h = 1.0 / f64::from(parts);
            rates(&SPANS, &q, &STEP, &mut rates_here);
            (0..12).for_each(|at| middle[at] = q[at] + 0.5 * h * rates_here[at]);
            rates(&SPANS, &middle, &STEP, &mut rates_here);
            (0..12).for_each(|at| q[at] += h * rates_here[at]);
        }
        let mut reached = vec![0.0; 12];
        moved(&SPANS, &start(), &STEP, &mut reached);
        for (one, other) in q.iter().zip(&reached) {
            assert!((one - other).abs() < 1e-8, "{q:?} {reached:?}");
        }
    }

    #[test]
    fn the_derivative_of_a_step() {
        // A change of the step moves the place reached as `T` says, seen by the rates there.
        let small: Vec<f64> = STEP.iter().map(|x| 0.2 * x).collect();
        let (mut reached, mut ends) = (vec![0.0; 12], [vec![0.0; 12], vec![0.0; 12]]);
        moved(&SPANS, &start(), &small, &mut reached);
        for column in 0..10 {
            let width = 1e-5;
            for (end, sign) in ends.iter_mut().zip([-1.0, 1.0]) {
                let mut step = small.clone();
                step[column] += sign * width;
                moved(&SPANS, &start(), &step, end);
            }
            // A column of T: products of T with the rows of the unit matrix.
            let column_of: Vec<f64> = (0..10)
                .map(|row| {
                    let mut line = vec![0.0; 10];
                    line[row] = 1.0;
                    turned(&SPANS, &small, &mut line);
                    line[column]
                })
                .collect();
            let mut expected = vec![0.0; 12];
            rates(&SPANS, &reached, &column_of, &mut expected);
            for at in 0..12 {
                let found = (ends[1][at] - ends[0][at]) / (2.0 * width);
                assert!((found - expected[at]).abs() < 2e-6, "{column} {at}: {found} {expected:?}");
            }
        }
    }
}
