//! Euler-angle sequences: three rotations about axes at right angles that give a body any
//! orientation.
//!
//! ```text
//! A = R(n1, a) B1 R(n2, b) B2 R(n3, c)              axes n, fixed rotations B
//!   = R(u1, a) R(u2, b) R(u3, c) B                  B = B1 B2, u1 = n1, u2 = B1 n2, u3 = B n3
//! u1 . u2 = u2 . u3 = 0,   w = u1 x u2,   u3 = R(u2, offset) u1,   beta = b + offset
//! ```
//!
//! The third axis is `e3 = A n3 = cos(beta) u1 + S u2 + C w` with `S = sin(beta) sin(a)` and `C =
//! -sin(beta) cos(a)`. Where `sin(beta)` vanishes, the first and the third axis are parallel:
//! gimbal lock, where no rates of the angles give some angular velocities (Morette, chapter 6). It
//! is a singularity of the description, not of the body, and another sequence is regular there. The
//! sign of `sin(beta)` is the side of gimbal lock: every orientation has one triple of angles on
//! each side, and a motion changes sides only if it goes exactly through gimbal lock.

use rotule_model::pose::{Components, add, cross, dot, norm, rodrigues, scale, sub};
use rotule_symbolic::elementary::{atan2, hypot, powi, sin};
use std::f64::consts::{PI, TAU};

/// A rotation matrix by rows.
pub type RotationMatrix = [Components; 3];

/// Three rotations, each about its axis and after the fixed rotation before it.
#[derive(Clone, Debug, PartialEq)]
pub struct EulerSequence {
    axes: [Components; 3],
    /// Fixed rotations before the second and the third.
    before: [RotationMatrix; 2],
    /// The axes in the outer frame where all angles are zero: `u1`, `u2`, `u3`.
    zero: [Components; 3],
    /// All fixed rotations.
    fixed: RotationMatrix,
    offset: f64,
}

/// Three frame axes in the order of rotation; those of frames are 0, 1 and 2.
pub type AxisOrder = [usize; 3];

/// The orders of three frame axes, first to last.
pub const ORDERS: [AxisOrder; 6] =
    [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [1, 0, 2], [0, 2, 1]];

const IDENTITY: RotationMatrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The largest cosine of the angle between axes that count as perpendicular.
const PERPENDICULAR: f64 = 1e-12;

/// The sine of the middle angle up to which the outer angles are rounding.
const LOCKED: f64 = 1e-13;

impl EulerSequence {
    /// A sequence by its axes and the fixed rotations before the second and the third; none if axes
    /// that follow each other are not perpendicular, because such rotations do not reach every
    /// orientation.
    pub fn new(axes: [Components; 3], before: [RotationMatrix; 2]) -> Option<EulerSequence> {
        let fixed = mul(&before[0], &before[1]);
        let zero = [axes[0], apply(&before[0], axes[1]), apply(&fixed, axes[2])];
        let square = |a: Components, b: Components| dot(a, b).abs() <= PERPENDICULAR;
        if !square(zero[0], zero[1]) || !square(zero[1], zero[2]) {
            return None;
        }
        let across = cross(zero[0], zero[1]);
        let offset = atan2(-dot(zero[2], across), dot(zero[2], zero[0]));
        Some(EulerSequence { axes, before, zero, fixed, offset })
    }

    /// Rotations about frame axes, in one of [`ORDERS`].
    pub fn order(order: AxisOrder) -> EulerSequence {
        let axes = order.map(|axis| IDENTITY[axis]);
        EulerSequence::new(axes, [IDENTITY; 2]).expect("frame axes are perpendicular")
    }

    /// The orientation.
    pub fn rotation(&self, angles: Components) -> RotationMatrix {
        let rotate = |at: usize| rodrigues(self.axes[at], angles[at]);
        let first = mul(&rotate(0), &self.before[0]);
        let second = mul(&mul(&first, &rotate(1)), &self.before[1]);
        mul(&second, &rotate(2))
    }

    /// The three axes in the body's frame.
    pub fn axes(&self, angles: Components) -> [Components; 3] {
        body_axes(&self.axes, &self.before, angles)
    }

    /// The axes `u1`, `u2` and `w` of the outer frame, in which the third axis has the components
    /// `cos(beta)`, `S`, `C`.
    pub fn outer(&self) -> [Components; 3] {
        [self.zero[0], self.zero[1], cross(self.zero[0], self.zero[1])]
    }

    /// Directions of the body's frame: the third axis `n3`, then those whose products with the
    /// first axis are `sin(beta) sin(c)` and `-sin(beta) cos(c)`.
    pub fn inner(&self) -> [Components; 3] {
        let across = cross(self.zero[1], self.zero[2]);
        [self.axes[2], apply_back(&self.fixed, self.zero[1]), apply_back(&self.fixed, across)]
    }

    /// The angle between the first and the third axis where the middle angle is zero.
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// The absolute determinant of the three axes: one at best, zero in gimbal lock.
    pub fn determinant(&self, angles: Components) -> f64 {
        sin(angles[1] + self.offset).abs()
    }

    /// The side of gimbal lock, plus or minus one.
    pub fn side(&self, angles: Components) -> f64 {
        1.0_f64.copysign(sin(angles[1] + self.offset))
    }

    /// The angular velocity in the body's frame.
    pub fn velocity(&self, angles: Components, rates: Components) -> Components {
        combine(&self.axes(angles), rates)
    }

    /// The part of the angular acceleration that second rates do not have.
    fn bias(&self, angles: Components, rates: Components) -> Components {
        let axes = self.axes(angles);
        let mut bias = [0.0; 3];
        // An axis moves in the body's frame because of the rotations after it.
        let mut after = [0.0; 3];
        for at in (0..3).rev() {
            let moved = cross(axes[at], after);
            bias = add(bias, scale(moved, rates[at]));
            after = add(after, scale(axes[at], rates[at]));
        }
        bias
    }

    /// The angular acceleration in the body's frame.
    pub fn acceleration(
        &self,
        angles: Components,
        rates: Components,
        second: Components,
    ) -> Components {
        add(combine(&self.axes(angles), second), self.bias(angles, rates))
    }

    /// Rates that give an angular velocity; large or not finite in gimbal lock.
    pub fn rates(&self, angles: Components, velocity: Components) -> Components {
        let [first, second, third] = self.axes(angles);
        let volume = dot(first, cross(second, third));
        [
            dot(velocity, cross(second, third)) / volume,
            dot(velocity, cross(third, first)) / volume,
            dot(velocity, cross(first, second)) / volume,
        ]
    }

    /// Second rates that give an angular acceleration.
    pub fn second_rates(
        &self,
        angles: Components,
        rates: Components,
        acceleration: Components,
    ) -> Components {
        self.rates(angles, sub(acceleration, self.bias(angles, rates)))
    }

    /// The angles of an orientation on a side of gimbal lock, each within half a revolution of the
    /// one in `near`.
    pub fn angles_on(
        &self,
        side: f64,
        orientation: &RotationMatrix,
        near: Components,
    ) -> Components {
        let [u1, u2, w] = self.outer();
        let third = apply(orientation, self.axes[2]);
        let (sine, cosine) = (side * dot(third, u2), -side * dot(third, w));
        let size = hypot(sine, cosine);
        // In gimbal lock the first angle is free, and the last one follows from it.
        let first = if size > LOCKED { unwrap(atan2(sine, cosine), near[0]) } else { near[0] };
        let middle = unwrap(atan2(side * size, dot(third, u1)) - self.offset, near[1]);
        // What the first two rotations leave is the third, in gimbal lock, too.
        let inner = mul(&rodrigues(u1, first), &rodrigues(u2, middle));
        let rest = apply_back(&inner, apply(orientation, apply_back(&self.fixed, u2)));
        let last = atan2(dot(rest, cross(self.zero[2], u2)), dot(rest, u2));
        [first, middle, unwrap(last, near[2])]
    }

    /// The angles of an orientation that are nearest to given ones, on either side of gimbal lock.
    pub fn angles(&self, orientation: &RotationMatrix, near: Components) -> Components {
        let side = self.side(near);
        let same = self.angles_on(side, orientation, near);
        let other = self.angles_on(-side, orientation, near);
        let far = |angles: Components| norm(sub(angles, near));
        if far(other) < far(same) { other } else { same }
    }
}

/// The axes of three rotations in the body's frame.
fn body_axes(
    axes: &[Components; 3],
    before: &[RotationMatrix; 2],
    angles: Components,
) -> [Components; 3] {
    let third = rodrigues(axes[2], angles[2]);
    let second = mul(&mul(&rodrigues(axes[1], angles[1]), &before[1]), &third);
    let first = mul(&before[0], &second);
    [apply_back(&first, axes[0]), apply_back(&second, axes[1]), axes[2]]
}

/// The determinant of the axes of three rotations, perpendicular or not.
pub fn volume(axes: &[Components; 3], before: &[RotationMatrix; 2], angles: Components) -> f64 {
    let [first, second, third] = body_axes(axes, before, angles);
    dot(first, cross(second, third))
}

/// The angle that differs from another one by whole revolutions and is nearest to a third.
fn unwrap(angle: f64, near: f64) -> f64 {
    if (angle - near).abs() <= PI {
        return angle;
    }
    angle + TAU * ((near - angle) / TAU).round()
}

/// The order of frame axes that is farthest from gimbal lock for an orientation, with its
/// determinant.
pub fn best_order(a: &RotationMatrix) -> (AxisOrder, f64) {
    let determinant = |order: [usize; 3]| (1.0 - powi(a[order[0]][order[2]], 2)).max(0.0).sqrt();
    let mut best = (ORDERS[0], determinant(ORDERS[0]));
    for order in ORDERS {
        // The first of equals, so that the choice is the same everywhere.
        if determinant(order) > best.1 * (1.0 + 1e-9) {
            best = (order, determinant(order));
        }
    }
    best
}

fn combine(axes: &[Components; 3], rates: Components) -> Components {
    let parts = [0, 1, 2].map(|at| scale(axes[at], rates[at]));
    add(parts[0], add(parts[1], parts[2]))
}

fn mul(a: &RotationMatrix, b: &RotationMatrix) -> RotationMatrix {
    let columns = transpose(b);
    a.map(|row| columns.map(|column| dot(row, column)))
}

fn transpose(a: &RotationMatrix) -> RotationMatrix {
    [0, 1, 2].map(|column| a.map(|row| row[column]))
}

/// A vector of the inner frame in the outer one.
fn apply(rotation: &RotationMatrix, v: Components) -> Components {
    rotation.map(|row| dot(row, v))
}

/// A vector of the outer frame in the inner one.
fn apply_back(rotation: &RotationMatrix, v: Components) -> Components {
    apply(&transpose(rotation), v)
}

#[cfg(test)]
mod tests {
    use super::{EulerSequence, ORDERS, RotationMatrix, best_order};
    use rotule_model::pose::{Components, norm, rodrigues, scale, sub};

    fn close(a: Components, b: Components, most: f64) {
        assert!(norm(sub(a, b)) <= most, "{a:?} {b:?}");
    }

    fn same(a: &RotationMatrix, b: &RotationMatrix) {
        a.iter().zip(b).for_each(|(a, b)| close(*a, *b, 3e-15));
    }

    const ZERO: Components = [0.0; 3];
    const UNIT: RotationMatrix = super::IDENTITY;

    /// Sequences whose axes are not frame axes: Euler's own (first and last axis alike) and a
    /// skewed third axis.
    fn others() -> Vec<EulerSequence> {
        let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        let (one, two) = (rodrigues([0.6, 0.0, 0.8], 0.7), rodrigues(y, -1.2));
        let back = |r: &RotationMatrix, v: Components| {
            [0, 1, 2].map(|j| (0..3).map(|i| r[i][j] * v[i]).sum())
        };
        [
            EulerSequence::new([z, x, z], [UNIT, UNIT]),
            EulerSequence::new([x, y, [0.6, 0.0, 0.8]], [UNIT, two]),
            EulerSequence::new([x, back(&one, scale(y, -1.0)), back(&one, z)], [one, UNIT]),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Morette's hand-over, corrected: the thesis prints (1.4708, 0.1218, -0.0026) and (0.0981,
    /// 0.2928, -0.0073), which has another angular velocity.
    #[test]
    fn the_hand_over_of_the_thesis_in_its_corrected_form() {
        let (theta, rates) = ([-0.0255, 1.4711, 0.0965], [-0.0968, 0.0995, 0.1963]);
        let (user, other) = (EulerSequence::order([0, 1, 2]), EulerSequence::order([1, 2, 0]));
        let alpha = other.angles(&user.rotation(theta), ZERO);
        close(alpha, [1.4713, 0.0711, -0.0025], 1e-4);
        same(&user.rotation(theta), &other.rotation(alpha));
        let velocity = user.velocity(theta, rates);
        let found = other.rates(alpha, velocity);
        close(found, [0.1005, 0.0997, -0.0071], 1e-4);
        close(other.velocity(alpha, found), velocity, 1e-12);
        let printed = other.velocity([1.4708, 0.1218, -0.0026], [0.0981, 0.2928, -0.0073]);
        assert!((norm(printed) - norm(velocity)).abs() > 0.1);
    }

    #[test]
    fn every_sequence_gives_every_orientation_and_its_rates() {
        let given = EulerSequence::order([0, 1, 2]);
        let mut sequences: Vec<EulerSequence> = ORDERS.map(EulerSequence::order).into();
        sequences.extend(others());
        assert_eq!(sequences.len(), 9);
        for seed in 0..50 {
            let number = |k: i32| f64::from((seed * 37 + k * 101) % 200) / 100.0 - 1.0;
            let (theta, rates) =
                ([number(1), number(2), number(3)], [number(4), number(5), number(6)]);
            let second = [number(7), number(8), number(9)];
            let a = given.rotation(theta);
            let (velocity, acceleration) =
                (given.velocity(theta, rates), given.acceleration(theta, rates, second));
            for sequence in &sequences {
                for side in [1.0, -1.0] {
                    let alpha = sequence.angles_on(side, &a, ZERO);
                    assert_eq!(sequence.side(alpha), side);
                    same(&sequence.rotation(alpha), &a);
                    let found = sequence.rates(alpha, velocity);
                    let limit = 1e-12 / sequence.determinant(alpha).powi(3);
                    close(sequence.velocity(alpha, found), velocity, limit);
                    let twice = sequence.second_rates(alpha, found, acceleration);
                    close(sequence.acceleration(alpha, found, twice), acceleration, limit);
                    // Nearby angles lead back to the same ones, revolutions included.
                    let near = [alpha[0] + 0.05, alpha[1], alpha[2] - 0.05];
                    close(sequence.angles(&a, near), alpha, limit);
                    let far = [near[0] - 4.0 * std::f64::consts::PI, near[1], near[2]];
                    assert!((sequence.angles(&a, far)[0] - far[0]).abs() < 0.06 + limit);
                }
            }
        }
    }

    /// In gimbal lock itself the first angle stays and the others still give the orientation.
    #[test]
    fn angles_exist_in_gimbal_lock() {
        for sequence in others().into_iter().chain(ORDERS.map(EulerSequence::order)) {
            for revolution in [0.0, std::f64::consts::PI] {
                let theta = [0.4, revolution - sequence.offset(), -1.1];
                let a = sequence.rotation(theta);
                let found = sequence.angles(&a, [0.5, theta[1], -1.0]);
                same(&sequence.rotation(found), &a);
                close(found, theta, 0.4);
            }
        }
    }

    #[test]
    fn axes_that_are_not_perpendicular_reach_too_little() {
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.6, 0.8]];
        assert!(EulerSequence::new(axes, [UNIT, UNIT]).is_none());
    }

    /// The acceleration against differences of the velocity, in the body's frame.
    #[test]
    fn acceleration_is_the_derivative_of_velocity() {
        let sequence = EulerSequence::order([2, 0, 1]);
        let (angles, rates, second) = ([0.3, -0.7, 1.1], [0.9, -0.4, 0.6], [0.2, 0.8, -0.5]);
        let h = 1e-5;
        let at = |t: f64| {
            let moved = [0, 1, 2].map(|k| angles[k] + t * (rates[k] + 0.5 * t * second[k]));
            sequence.velocity(moved, [0, 1, 2].map(|k| rates[k] + t * second[k]))
        };
        let (ahead, behind) = (at(h), at(-h));
        let slope = [0, 1, 2].map(|k| (ahead[k] - behind[k]) / (2.0 * h));
        close(sequence.acceleration(angles, rates, second), slope, 1e-9);
    }

    /// Where the second order of the thesis is in gimbal lock, too, another one is taken.
    #[test]
    fn the_best_order_is_never_in_gimbal_lock() {
        let user = EulerSequence::order([0, 1, 2]);
        for k in 0..40 {
            let quarter = std::f64::consts::FRAC_PI_2;
            let a = user.rotation([f64::from(k) * 0.16, quarter, quarter - f64::from(k) * 0.16]);
            let (order, determinant) = best_order(&a);
            assert!(determinant > 0.57, "{order:?} {determinant}");
            let best = EulerSequence::order(order);
            assert!((best.determinant(best.angles(&a, ZERO)) - determinant).abs() < 1e-7);
        }
    }
}
