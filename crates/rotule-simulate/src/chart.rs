//! Three turns that make up any turn, and other ways to count them.
//!
//! A chain of three revolute joints with massless steps between them gives a body any orientation, but where the first
//! axis falls into the plane of the others, no rates of the angles give some angular velocities: a singularity of
//! the count, not of the body (Morette, chapter 6). The same orientation counted about other axes is not singular there:
//!
//! ```text
//! A = R_i(a1) R_j(a2) R_k(a3), s = +1 for even orders of the axes, -1 for odd ones
//! a2 = asin(s A_ik)      a1 = atan2(-s A_jk, A_kk)      a3 = atan2(-s A_ij, A_ii)
//! ```
//!
//! and rates follow from the same angular velocity (the corrected map of the thesis). How far from singular a count is says
//! the determinant of its axes, which is the cosine of the middle angle for axes at right angles.

use crate::inputs::Point;
use rotule_model::draft::JointType;
use rotule_model::mechanism::{BodyId, Mechanism, Nature, Placement};
use rotule_model::pose::{Triple, add, cross, dot, norm, rodrigues, scale, vectors};
use rotule_symbolic::{Expr, Matrix, Vector};

/// A rotation matrix by rows.
pub type Rotation = [Triple; 3];

/// Three joints that turn about one point, the first of which is joint `first` of the mechanism.
#[derive(Clone, Debug, PartialEq)]
pub struct Gimbal {
    /// The position of the first joint; the others follow along the chain.
    pub joints: [usize; 3],
    /// Their coordinates.
    pub coordinates: [usize; 3],
    /// Their speeds.
    pub speeds: [usize; 3],
    /// How the user counts.
    pub user: Count,
}

/// A way to count three turns: each about its axis, after the fixed turn before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    axes: [Triple; 3],
    /// Fixed turns before the second and the third.
    before: [Rotation; 2],
}

/// The axes of the six orders, first to last.
pub const ORDERS: [[usize; 3]; 6] =
    [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [1, 0, 2], [0, 2, 1]];

const IDENTITY: Rotation = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl Count {
    /// Turns about frame axes, in one of [`ORDERS`].
    pub fn order(order: [usize; 3]) -> Count {
        Count { axes: order.map(|axis| IDENTITY[axis]), before: [IDENTITY; 2] }
    }

    /// The orientation.
    pub fn rotation(&self, angles: Triple) -> Rotation {
        let turn = |at: usize| rodrigues(self.axes[at], angles[at]);
        let first = mul(&turn(0), &self.before[0]);
        let second = mul(&mul(&first, &turn(1)), &self.before[1]);
        mul(&second, &turn(2))
    }

    /// The three axes in the body's frame.
    fn axes(&self, angles: Triple) -> [Triple; 3] {
        let third = rodrigues(self.axes[2], angles[2]);
        let second = mul(&mul(&rodrigues(self.axes[1], angles[1]), &self.before[1]), &third);
        let first = mul(&self.before[0], &second);
        [back(&first, self.axes[0]), back(&second, self.axes[1]), self.axes[2]]
    }

    /// How far from singular: one at best, zero where a rate would be infinite.
    pub fn soundness(&self, angles: Triple) -> f64 {
        let [first, second, third] = self.axes(angles);
        dot(first, cross(second, third)).abs()
    }

    /// The angular velocity in the body's frame.
    pub fn velocity(&self, angles: Triple, rates: Triple) -> Triple {
        combined(&self.axes(angles), rates)
    }

    /// What the angular acceleration has besides second rates times axes.
    fn bias(&self, angles: Triple, rates: Triple) -> Triple {
        let axes = self.axes(angles);
        let mut bias = [0.0; 3];
        // An axis moves in the body's frame because of the turns after it.
        let mut after = [0.0; 3];
        for at in (0..3).rev() {
            let moved = cross(axes[at], after);
            bias = add(bias, scale(moved, rates[at]));
            after = add(after, scale(axes[at], rates[at]));
        }
        bias
    }

    /// The angular acceleration in the body's frame.
    pub fn acceleration(&self, angles: Triple, rates: Triple, second: Triple) -> Triple {
        add(combined(&self.axes(angles), second), self.bias(angles, rates))
    }

    /// Rates that give an angular velocity; large or not finite where the count is singular.
    pub fn rates(&self, angles: Triple, velocity: Triple) -> Triple {
        let [first, second, third] = self.axes(angles);
        let volume = dot(first, cross(second, third));
        [
            dot(velocity, cross(second, third)) / volume,
            dot(velocity, cross(third, first)) / volume,
            dot(velocity, cross(first, second)) / volume,
        ]
    }

    /// Second rates that give an angular acceleration.
    pub fn second_rates(&self, angles: Triple, rates: Triple, acceleration: Triple) -> Triple {
        let rest = add(acceleration, scale(self.bias(angles, rates), -1.0));
        self.rates(angles, rest)
    }

    /// The angles of an orientation that are nearest to given ones, by Newton: the branch is that of the given ones.
    pub fn angles(&self, orientation: &Rotation, near: Triple) -> Triple {
        let mut angles = near;
        for _ in 0..60 {
            let now = self.rotation(angles);
            let left = logarithm(&mul(&transposed(&now), orientation));
            let step = self.rates(angles, left);
            let size = norm(step);
            if !size.is_finite() {
                // Exactly singular: any way out will do.
                angles[1] += 1e-7;
                continue;
            }
            // A long step near a singular place leads astray.
            let factor = if size > 0.5 { 0.5 / size } else { 1.0 };
            angles = add(angles, scale(step, factor));
            if norm(left) < 1e-15 || (factor == 1.0 && size < 1e-15) {
                break;
            }
        }
        angles
    }
}

/// The angles of an orientation about frame axes in an order, the middle one between minus and plus a quarter turn.
pub fn angles(order: [usize; 3], a: &Rotation) -> Triple {
    let [i, j, k] = order;
    let sign = if ORDERS[..3].contains(&order) { 1.0 } else { -1.0 };
    let middle = (sign * a[i][k]).clamp(-1.0, 1.0).asin();
    [(-sign * a[j][k]).atan2(a[k][k]), middle, (-sign * a[i][j]).atan2(a[i][i])]
}

/// The order of frame axes that is farthest from singular for an orientation, with how far.
pub fn best_order(a: &Rotation) -> ([usize; 3], f64) {
    let soundness = |order: [usize; 3]| (1.0 - a[order[0]][order[2]].powi(2)).max(0.0).sqrt();
    let mut best = (ORDERS[0], soundness(ORDERS[0]));
    for order in ORDERS {
        // The first of equals, so that the choice is the same everywhere.
        if soundness(order) > best.1 * (1.0 + 1e-9) {
            best = (order, soundness(order));
        }
    }
    best
}

/// A count that is less sound than this is given up.
const SOUND: f64 = 0.2;

impl Gimbal {
    fn take(&self, list: &[f64], places: [usize; 3]) -> Triple {
        debug_assert!(places.iter().all(|&at| at < list.len()));
        places.map(|at| list[at])
    }

    /// The order in which the angles should be counted from here on, if the present count comes near to singular.
    pub fn better(&self, now: &Count, point: &Point) -> Option<[usize; 3]> {
        let angles = self.take(&point.q, self.coordinates);
        if now.soundness(angles) >= SOUND {
            return None;
        }
        Some(best_order(&now.rotation(angles)).0)
    }

    /// The same orientation, angular velocity and acceleration in another count. Angles of a count of the user's are those
    /// nearest to the ones given.
    pub fn carry(&self, from: &Count, to: &Count, near: Triple, point: &mut Point) {
        let angles = self.take(&point.q, self.coordinates);
        let rates = self.take(&point.qd, self.speeds);
        let second = self.take(&point.qdd, self.speeds);
        let orientation = from.rotation(angles);
        let velocity = from.velocity(angles, rates);
        let acceleration = from.acceleration(angles, rates, second);
        let found = to.angles(&orientation, near);
        let found_rates = to.rates(found, velocity);
        let found_second = to.second_rates(found, found_rates, acceleration);
        for k in 0..3 {
            point.q[self.coordinates[k]] = found[k];
            point.qd[self.speeds[k]] = found_rates[k];
            point.qdd[self.speeds[k]] = found_second[k];
        }
    }

    /// The angles of a point's orientation in an order of frame axes.
    pub fn in_order(&self, now: &Count, order: [usize; 3], point: &Point) -> Triple {
        angles(order, &now.rotation(self.take(&point.q, self.coordinates)))
    }

    /// The angles of a point.
    pub fn angles(&self, point: &Point) -> Triple {
        self.take(&point.q, self.coordinates)
    }
}

/// The gimbals of a mechanism whose angles nothing else looks at. Events and states of the user's own may look at anything.
pub fn gimbals(mechanism: &Mechanism) -> Vec<Gimbal> {
    if !mechanism.events.is_empty() || !mechanism.states.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Gimbal> = Vec::new();
    for last in 3..mechanism.bodies.len() {
        let Some(gimbal) = gimbal(mechanism, BodyId::new(last)) else { continue };
        let taken = found.iter().any(|one| one.joints.iter().any(|at| gimbal.joints.contains(at)));
        if !taken {
            found.push(gimbal);
        }
    }
    found
}

/// The gimbal that ends with the joint of a body.
fn gimbal(mechanism: &Mechanism, last: BodyId) -> Option<Gimbal> {
    let second = mechanism.bodies[last.index()].parent?;
    let first = mechanism.bodies[second.index()].parent?;
    if second == BodyId::GROUND || first == BodyId::GROUND {
        return None;
    }
    let bodies = [first, second, last];
    let joints = bodies.map(|body| body.index() - 1);
    let plain = |at: usize| {
        let joint = &mechanism.joints[at];
        joint.kind == JointType::Revolute
            && joint.nature == Nature::Free
            && joint.effort.iter().all(|law| *law == Expr::ZERO)
            && joint.armature == Expr::ZERO
            && joint.range.is_none()
    };
    let step = |body: BodyId| mechanism.bodies[body.index()].fictitious && is_bare(mechanism, body);
    if !joints.into_iter().all(plain) || !step(first) || !step(second) {
        return None;
    }
    // All turns are about one point.
    let placements = [second, last].map(|body| mechanism.bodies[body.index()].placement);
    if placements.iter().any(|placement| placement.position != Vector::ZERO) {
        return None;
    }
    let coordinates = joints.map(|at| mechanism.joints[at].coordinates.start);
    let speeds = joints.map(|at| mechanism.joints[at].speeds.start);
    if is_looked_at(mechanism, coordinates, speeds) {
        return None;
    }
    let axes = joints.map(|at| vectors(mechanism, &[mechanism.joints[at].axes[0]])[0]);
    let before = placements.map(|placement| numbers(mechanism, &placement));
    Some(Gimbal { joints, coordinates, speeds, user: Count { axes, before } })
}

fn numbers(mechanism: &Mechanism, placement: &Placement) -> Rotation {
    let rows: Vec<Vector> = placement.rotation.0.into_iter().map(Vector).collect();
    let rows = vectors(mechanism, &rows);
    [rows[0], rows[1], rows[2]]
}

/// Whether nothing but the next joint is fixed to a body.
fn is_bare(mechanism: &Mechanism, body: BodyId) -> bool {
    let children = mechanism.bodies.iter().filter(|one| one.parent == Some(body)).count();
    let ends = (mechanism.cuts.iter().flat_map(|cut| &cut.ends))
        .chain(mechanism.links.iter().flat_map(|link| &link.ends))
        .chain(mechanism.forces.iter().map(|force| &force.at))
        .chain(mechanism.sensors.iter().map(|sensor| &sensor.at));
    let reference = mechanism.sensors.iter().any(|sensor| sensor.relative_to == body);
    let wheel = mechanism.wheels.iter().any(|wheel| wheel.body == body);
    children == 1 && !reference && !wheel && ends.into_iter().all(|frame| frame.body != body)
}

/// Whether a law, a coupling or a constraint uses one of the angles or their rates.
fn is_looked_at(mechanism: &Mechanism, coordinates: [usize; 3], speeds: [usize; 3]) -> bool {
    if mechanism
        .couplings
        .iter()
        .any(|one| one.terms.iter().any(|(at, _)| coordinates.contains(at)))
    {
        return true;
    }
    let mut laws: Vec<Expr> = Vec::new();
    mechanism.joints.iter().for_each(|joint| laws.extend(&joint.effort));
    laws.extend(mechanism.constraints.iter().map(|one| one.expression));
    laws.extend(mechanism.links.iter().map(|one| one.force));
    mechanism.forces.iter().for_each(|one| laws.extend([one.force.0, one.torque.0].concat()));
    mechanism.wheels.iter().for_each(|one| laws.extend(one.laws));
    let symbols: Vec<Expr> = (coordinates.iter().map(|&at| mechanism.coordinates[at].symbol))
        .chain(speeds.iter().map(|&at| mechanism.speeds[at].symbol))
        .collect();
    let used = mechanism.graph.reachable(&laws);
    used.iter().any(|expr| symbols.contains(expr))
}

/// The mechanism with a gimbal counted about frame axes in another order.
pub fn recounted(mechanism: &mut Mechanism, gimbal: &Gimbal, order: [usize; 3]) {
    for (number, &joint) in gimbal.joints.iter().enumerate() {
        let mut axis = Vector::ZERO;
        axis.0[order[number]] = Expr::ONE;
        mechanism.joints[joint].axes = vec![axis];
        if number > 0 {
            mechanism.bodies[joint + 1].placement.rotation = Matrix::IDENTITY;
        }
    }
}

fn combined(axes: &[Triple; 3], rates: Triple) -> Triple {
    let parts = [0, 1, 2].map(|at| scale(axes[at], rates[at]));
    add(parts[0], add(parts[1], parts[2]))
}

fn mul(a: &Rotation, b: &Rotation) -> Rotation {
    let columns = transposed(b);
    a.map(|row| columns.map(|column| dot(row, column)))
}

fn transposed(a: &Rotation) -> Rotation {
    [0, 1, 2].map(|column| a.map(|row| row[column]))
}

/// A vector of the outer frame in the inner one.
fn back(rotation: &Rotation, v: Triple) -> Triple {
    transposed(rotation).map(|row| dot(row, v))
}

/// The turn that a rotation matrix makes, as a vector.
fn logarithm(r: &Rotation) -> Triple {
    let axial = [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]];
    let (sine, cosine) = (0.5 * norm(axial), 0.5 * (r[0][0] + r[1][1] + r[2][2] - 1.0));
    if sine > 1e-9 {
        return scale(axial, 0.5 * sine.atan2(cosine) / sine);
    }
    if cosine > 0.0 {
        return scale(axial, 0.5);
    }
    // Half a turn: the axis is the largest column of the symmetric part.
    let square = [0, 1, 2].map(|at| 0.5 * (r[at][at] + 1.0));
    let largest = (0..3).fold(0, |best, at| if square[at] > square[best] { at } else { best });
    let column = [0, 1, 2].map(|row| {
        let unit = if row == largest { 1.0 } else { 0.0 };
        0.5 * (r[row][largest] + unit)
    });
    scale(column, std::f64::consts::PI / norm(column).max(f64::MIN_POSITIVE))
}

#[cfg(test)]
mod tests {
    use super::{Count, ORDERS, Rotation, angles, best_order};
    use rotule_model::pose::{Triple, norm, sub};

    fn close(a: Triple, b: Triple, most: f64) {
        assert!(norm(sub(a, b)) <= most, "{a:?} {b:?}");
    }

    fn same(a: &Rotation, b: &Rotation) {
        a.iter().zip(b).for_each(|(a, b)| close(*a, *b, 3e-15));
    }

    /// Morette's hand-over, corrected (B-15): the thesis prints (1.4708, 0.1218, -0.0026) and (0.0981, 0.2928, -0.0073),
    /// which has another angular velocity.
    #[test]
    fn the_hand_over_of_the_thesis_in_its_corrected_form() {
        let (theta, rates) = ([-0.0255, 1.4711, 0.0965], [-0.0968, 0.0995, 0.1963]);
        let (user, other) = (Count::order([0, 1, 2]), Count::order([1, 2, 0]));
        let alpha = angles([1, 2, 0], &user.rotation(theta));
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
    fn every_order_gives_every_orientation_and_its_rates() {
        let given = Count::order([0, 1, 2]);
        for seed in 0..50 {
            let number = |k: i32| f64::from((seed * 37 + k * 101) % 200) / 100.0 - 1.0;
            let (theta, rates) =
                ([number(1), number(2), number(3)], [number(4), number(5), number(6)]);
            let second = [number(7), number(8), number(9)];
            let a = given.rotation(theta);
            let (velocity, acceleration) =
                (given.velocity(theta, rates), given.acceleration(theta, rates, second));
            for order in ORDERS {
                let count = Count::order(order);
                let alpha = angles(order, &a);
                same(&count.rotation(alpha), &a);
                let found = count.rates(alpha, velocity);
                let limit = 1e-12 / count.soundness(alpha).powi(3);
                close(count.velocity(alpha, found), velocity, limit);
                let twice = count.second_rates(alpha, found, acceleration);
                close(count.acceleration(alpha, found, twice), acceleration, limit);
                // And back, to the branch that is near.
                close(given.angles(&a, [theta[0] + 0.05, theta[1], theta[2] - 0.05]), theta, 1e-11);
            }
        }
    }

    /// The acceleration against differences of the velocity, turned back.
    #[test]
    fn acceleration_is_the_derivative_of_velocity() {
        let count = Count::order([2, 0, 1]);
        let (angles, rates, second) = ([0.3, -0.7, 1.1], [0.9, -0.4, 0.6], [0.2, 0.8, -0.5]);
        let h = 1e-5;
        let at = |t: f64| {
            let moved = [0, 1, 2].map(|k| angles[k] + t * (rates[k] + 0.5 * t * second[k]));
            count.velocity(moved, [0, 1, 2].map(|k| rates[k] + t * second[k]))
        };
        let (ahead, behind) = (at(h), at(-h));
        let slope = [0, 1, 2].map(|k| (ahead[k] - behind[k]) / (2.0 * h));
        close(count.acceleration(angles, rates, second), slope, 1e-9);
    }

    /// B-17: where the second order of the thesis is singular, too, another one is taken.
    #[test]
    fn the_best_order_is_never_singular() {
        let user = Count::order([0, 1, 2]);
        for k in 0..40 {
            let quarter = std::f64::consts::FRAC_PI_2;
            let a = user.rotation([f64::from(k) * 0.16, quarter, quarter - f64::from(k) * 0.16]);
            let (order, soundness) = best_order(&a);
            assert!(soundness > 0.57, "{order:?} {soundness}");
            assert!((Count::order(order).soundness(angles(order, &a)) - soundness).abs() < 1e-7);
        }
    }
}
