//! Random gimbals near gimbal lock, each computed in two ways.
//!
//! With switches of the Euler-angle sequence they move as by the user's angles alone at tight
//! tolerances, and as a rigid body with a quaternion whose torques are written by hand.

mod gimbals;

use gimbals::{AFTER, BEFORE, Case, Happening, Start, run};
use rotule_model::pose::{Components, add, cross, dot, rodrigues, scale, sub};
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::method;
use rotule_simulate::ode::{Fault, Ode};
use rotule_simulate::run::End;
use rotule_testing::simulate::Kept;

/// The largest difference of coordinates and states of two motions.
fn difference(one: &Kept, other: &Kept) -> f64 {
    assert_eq!(one.times, other.times);
    let of = |(one, other): (&InputPoint, &InputPoint)| {
        let q = one.q.iter().zip(&other.q).chain(one.states.iter().zip(&other.states));
        q.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    one.points.iter().zip(&other.points).map(of).fold(0.0, f64::max)
}

/// One case in both descriptions, which must agree.
fn check(seed: u64, case: &Case) {
    let start = case.start();
    let to = BEFORE + AFTER;
    let what = format!("{seed} {:?} at {:.1e}", case.happening, case.distance);
    let (expected, exact) = run(&case.text(false, false, &start), 1e-12, to, 0.1);
    assert_eq!(expected.end, End::Reached, "{what}");
    assert!(expected.sequence_switches.is_empty());
    let (outcome, kept) = run(&case.text(false, true, &start), 1e-12, to, 0.1);
    assert_eq!(outcome.end, End::Reached, "{what} {:?}", outcome.reason);
    // A stop of the middle axis at three times the distance may keep the body away.
    let stopped = matches!(case.happening, Happening::Stop(1) | Happening::Rest(1));
    let kept_away = stopped && 3.0 * case.distance > 0.2;
    assert!(kept_away || !outcome.sequence_switches.is_empty(), "{what}");
    assert_eq!(outcome.events.len(), expected.events.len(), "{what}");
    let found = difference(&exact, &kept);
    // An error of the distance grows by its inverse in the passage.
    // What closing leaves of a loop grows in the same way.
    let limit = if case.looped { 1e-9 } else { 1e-10 };
    // Where rounding decides more than that, each motion is known as well as it stays with other
    // tolerances.
    let uncertain = |switched: bool, own: &Kept| {
        let other = |tolerance| run(&case.text(false, switched, &start), tolerance, to, 0.1).1;
        [0.9e-12, 1.1e-12].map(|one| difference(own, &other(one))).into_iter().fold(0.0, f64::max)
    };
    let limit = limit / case.distance;
    let known = found < limit || found < limit + uncertain(false, &exact) + uncertain(true, &kept);
    assert!(known, "{what}: {found}");
    // The passage takes steps by halves of the distance, not by rounding errors.
    let most = if case.looped { 10_000 } else { 1000 };
    assert!(outcome.work.steps < most, "{what}: {}", outcome.work.steps);
}

#[test]
fn gimbals_with_laws_states_and_events_move_alike() {
    (0..102).for_each(|seed| check(seed, &Case::new(seed)));
}

#[test]
fn gimbals_in_loops_move_alike() {
    for seed in 200..230 {
        let mut case = Case::new(seed);
        case.looped = true;
        if !matches!(case.happening, Happening::Condition(_) | Happening::Impact(_)) {
            case.happening = Happening::SetState;
        }
        check(seed, &case);
    }
}

/// A rigid body about a fixed point: quaternion, angular velocity in the body's frame, the user's
/// angles and the state `x`.
struct Rotor<'a> {
    axes: [Components; 3],
    /// Of each axis: spring, damper, factor of `x`.
    laws: &'a [[f64; 3]; 3],
    inertia: [f64; 3],
}

impl Rotor<'_> {
    /// The axes in the body's frame.
    fn inner_axes(&self, angles: Components) -> [Components; 3] {
        let back =
            |at: usize, v: Components| rodrigues(self.axes[at], -angles[at]).map(|row| dot(row, v));
        [back(2, back(1, self.axes[0])), back(2, self.axes[1]), self.axes[2]]
    }

    /// Vectors whose products with the angular velocity are the rates.
    fn gradients(&self, angles: Components) -> [Components; 3] {
        let [a, b, c] = self.inner_axes(angles);
        let volume = dot(a, cross(b, c));
        [cross(b, c), cross(c, a), cross(a, b)].map(|v| scale(v, 1.0 / volume))
    }
}

impl Ode for Rotor<'_> {
    fn size(&self) -> usize {
        11
    }

    fn rates(&mut self, _: f64, y: &[f64], rates: &mut [f64]) -> Result<(), Fault> {
        let (w, v) = (y[0], [y[1], y[2], y[3]]);
        let (omega, angles, x) = ([y[4], y[5], y[6]], [y[7], y[8], y[9]], y[10]);
        rates[0] = -0.5 * dot(v, omega);
        rates[1..4].copy_from_slice(&scale(add(scale(omega, w), cross(v, omega)), 0.5));
        let gradients = self.gradients(angles);
        let mut torque = [0.0; 3];
        for k in 0..3 {
            let rate = dot(gradients[k], omega);
            rates[7 + k] = rate;
            let [spring, damper, factor] = self.laws[k];
            let effort = -spring * angles[k] - damper * rate + factor * x;
            torque = add(torque, scale(gradients[k], effort));
        }
        let momentum: Components = std::array::from_fn(|k| self.inertia[k] * omega[k]);
        let rest = sub(torque, cross(omega, momentum));
        (0..3).for_each(|k| rates[4 + k] = rest[k] / self.inertia[k]);
        rates[10] = angles[0].sin() + 0.2 * angles[1] - angles[2].cos() - x;
        Ok(())
    }
}

/// A rigid body with laws moves as by its quaternion and Euler's equations.
#[test]
fn gimbals_move_as_a_quaternion_with_torques_by_hand() {
    for seed in 300..324 {
        let mut case = Case::new(seed);
        (case.happening, case.child) = (Happening::Nothing, false);
        let mut random = gimbals::Random(seed);
        let inertia = [1.0, 1.5, 1.8];
        case.body = format!(
            "mass = 1\ninertia = {{ xx = {}, yy = {}, zz = {} }}\n",
            inertia[0], inertia[1], inertia[2]
        );
        let outer = 0.3 * case.distance;
        let laws = [outer, 0.3, outer]
            .map(|damper| [0.4 * random.unit(), damper * random.unit(), 0.4 * random.signed()]);
        case.laws = laws.map(|[spring, damper, factor]| {
            format!("-{spring:?}*q - s*{damper:?}*qd + {factor:?}*x")
        });
        let start = case.start();
        let to = BEFORE + AFTER;
        let (outcome, kept) = run(&case.text(false, true, &start), 1e-12, to, to);
        assert_eq!(outcome.end, End::Reached);
        assert!(!outcome.sequence_switches.is_empty());
        let y = by_hand(&case, &laws, inertia, &start, to);
        let last = kept.points.last().expect("a point");
        let what = format!("{seed} at {:.1e}: {:?} {y:?}", case.distance, last.q);
        let limit = 1e-10 / case.distance;
        (0..3).for_each(|k| assert!((last.q[k] - y[7 + k]).abs() < limit, "{what}"));
        assert!((last.states[0] - y[10]).abs() < limit, "{what}");
        // The orientation does not need the user's angles: a vector of the body in the ground's
        // frame.
        let probe = [0.3, -0.5, 0.7];
        let rotate =
            |v: Components, at: usize| rodrigues(case.axes[at], last.q[at]).map(|row| dot(row, v));
        let found = [2, 1, 0].into_iter().fold(probe, rotate);
        let (w, v) = (y[0], [y[1], y[2], y[3]]);
        let across = scale(cross(v, probe), 2.0);
        let expected = add(probe, add(scale(across, w), cross(v, across)));
        (0..3).for_each(|k| assert!((found[k] - expected[k]).abs() < limit, "{what}"));
    }
}

/// The state of a rotor at a time.
fn by_hand(
    case: &Case,
    laws: &[[f64; 3]; 3],
    inertia: [f64; 3],
    start: &Start,
    to: f64,
) -> Vec<f64> {
    let mut rotor = Rotor { axes: case.axes, laws, inertia };
    let angles = [start.q[0], start.q[1], start.q[2]];
    // Quaternions of the three rotations, multiplied.
    let mut quaternion = (1.0, [0.0; 3]);
    for (axis, angle) in case.axes.into_iter().zip(angles) {
        let (w, v) = ((0.5 * angle).cos(), scale(axis, (0.5 * angle).sin()));
        let (first, rest) = quaternion;
        let vector = add(add(scale(v, first), scale(rest, w)), cross(rest, v));
        quaternion = (first * w - dot(rest, v), vector);
    }
    let axes = rotor.inner_axes(angles);
    let omega = (0..3).fold([0.0; 3], |sum, k| add(sum, scale(axes[k], start.qd[k])));
    let mut y = vec![quaternion.0];
    y.extend(quaternion.1);
    y.extend(omega);
    y.extend(angles);
    y.push(start.state);
    let accuracy = Accuracy::Within { relative: 1e-13, absolute: 1e-13 };
    let mut method = method("dop853", accuracy, y.len()).expect("a method");
    let mut t = 0.0;
    while t < to {
        method.step(&mut rotor, &mut t, &mut y, to).expect("a step");
    }
    y
}
