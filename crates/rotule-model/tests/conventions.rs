//! Converters of states: they are inverse to each other, keep power, and commute with
//! differentiation in time. Numbers of the other libraries themselves are in `rotule-formalism`,
//! where there is dynamics.

use rotule_model::build::{Body, Draft, Joint};
use rotule_model::conventions::*;
use rotule_model::pose::{Components, add, cross, scale};

/// A mechanism with every type of joint.
fn mechanism() -> rotule_model::Mechanism {
    let mut model = Draft::new("all");
    let joints = [
        Joint::revolute("hinge", "x"),
        Joint::free("base"),
        Joint::spherical("ball"),
        Joint::planar("plane", "z"),
        Joint::universal("cross", "x", "y"),
        Joint::cylindrical("piston", "z"),
        Joint::prismatic("slide", "y"),
        Joint::helical("screw", "y", 0.1),
        Joint::free("second"),
        Joint::revolute("wheel", "z"),
    ];
    for (i, joint) in joints.into_iter().enumerate() {
        let parent = if i == 0 { "ground".to_owned() } else { format!("b{}", i - 1) };
        model
            .add(Body::new(format!("b{i}")).parent(parent).joint(joint).mass(1).inertia([1, 1, 1]));
    }
    model.load().expect("a model").mechanism
}

/// Another order than ours.
const ORDER: [&str; 10] =
    ["wheel", "second", "slide", "ball", "base", "plane", "screw", "hinge", "piston", "cross"];

fn conversions() -> [Conversion; 4] {
    let mechanism = mechanism();
    let pinocchio = Conversion::pinocchio(&mechanism);
    let mujoco = Conversion::mujoco(&mechanism);
    let mixed = pinocchio.clone().order(&ORDER).expect("all joints");
    let mixed = mixed.unbounded(&["wheel", "hinge"]).expect("revolute joints");
    [pinocchio, mujoco.clone(), mixed, mujoco.order(&ORDER).expect("all joints")]
}

/// Numbers between -1 and 1, the same in every run.
struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn numbers<const N: usize>(&mut self) -> [f64; N] {
        std::array::from_fn(|_| self.number())
    }
}

/// A smooth random motion of one coordinate: its value, rate and second rate.
#[derive(Clone, Copy)]
struct Smooth([f64; 4]);

impl Smooth {
    fn at(self, t: f64) -> [f64; 3] {
        let Smooth([a, b, c, d]) = self;
        let phase = 2.0 * t + 3.0 * d;
        let (sin, cos) = phase.sin_cos();
        [a + b * t + c * sin, b + 2.0 * c * cos, -4.0 * c * sin]
    }
}

/// A motion of a joint: coordinates, speeds and accelerations by Rotule's conventions.
#[derive(Clone, Copy)]
enum Motion {
    One(Smooth),
    /// A quaternion along roll, pitch and yaw.
    Ball([Smooth; 3]),
    Free([Smooth; 3], [Smooth; 3]),
}

type Parts = [Vec<f64>; 3];

impl Motion {
    fn at(self, t: f64) -> Parts {
        match self {
            Motion::One(smooth) => smooth.at(t).map(|number| vec![number]),
            Motion::Ball(angles) => {
                let (quaternion, omega, alpha) = rotation(angles, t);
                [quaternion.to_vec(), omega.to_vec(), alpha.to_vec()]
            }
            Motion::Free(place, angles) => {
                let (quaternion, omega, alpha) = rotation(angles, t);
                let [p, pd, pdd] = triples(place, t);
                // v = R^T pd, and its components change as R^T pdd - omega x v.
                let v = rotate_back(quaternion, pd);
                let vd = add(rotate_back(quaternion, pdd), scale(cross(omega, v), -1.0));
                let both = |a: &[f64], b: &[f64]| [a, b].concat();
                [both(&p, &quaternion), both(&v, &omega), both(&vd, &alpha)]
            }
        }
    }
}

fn triples(all: [Smooth; 3], t: f64) -> [Components; 3] {
    let all = all.map(|one| one.at(t));
    [0, 1, 2].map(|order| all.map(|one| one[order]))
}

/// Quaternion, angular velocity and its rate in body axes, of roll, pitch and yaw: the body's x
/// turns with the roll rate, and so on outwards.
fn rotation(angles: [Smooth; 3], t: f64) -> (Quaternion, Components, Components) {
    let [rpy, rates, seconds] = triples(angles, t);
    let ((sr, cr), (sp, cp)) = (rpy[0].sin_cos(), rpy[1].sin_cos());
    let [r, p, y] = rates;
    let omega = [r - y * sp, p * cr + y * cp * sr, -p * sr + y * cp * cr];
    let [rr, pp, yy] = seconds;
    let alpha = [
        rr - yy * sp - y * p * cp,
        pp * cr - p * r * sr + yy * cp * sr + y * (-p * sp * sr + r * cp * cr),
        -pp * sr - p * r * cr + yy * cp * cr + y * (-p * sp * cr - r * cp * sr),
    ];
    (quaternion_from_rpy(rpy), omega, alpha)
}

fn motions(random: &mut Random) -> Vec<Motion> {
    let mut smooth = || Smooth(random.numbers());
    let mut three = || [smooth(), smooth(), smooth()];
    let mut all = Vec::new();
    let ones = |all: &mut Vec<Motion>, three: [Smooth; 3], count: usize| {
        all.extend(three.into_iter().take(count).map(Motion::One));
    };
    ones(&mut all, three(), 1);
    all.push(Motion::Free(three(), three()));
    all.push(Motion::Ball(three()));
    for count in [3, 2, 2, 1, 1] {
        ones(&mut all, three(), count);
    }
    all.push(Motion::Free(three(), three()));
    ones(&mut all, three(), 1);
    all
}

fn state(motions: &[Motion], t: f64) -> Parts {
    let parts: Vec<Parts> = motions.iter().map(|motion| motion.at(t)).collect();
    [0, 1, 2].map(|order| parts.iter().flat_map(|part| part[order].clone()).collect())
}

#[track_caller]
fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let difference = (found - expected).abs();
        let size = expected.abs().max(1.0);
        assert!(difference <= tolerance * size, "entry {at}: {found} is not {expected}");
    }
}

/// Equal but for rounding. Rotations mix components, so an error is relative to the largest of
/// them.
#[track_caller]
fn same(found: &[f64], expected: &[f64]) {
    let size = expected.iter().fold(1.0_f64, |size, number| size.max(number.abs()));
    let scaled = |numbers: &[f64]| -> Vec<f64> { numbers.iter().map(|n| n / size).collect() };
    close(&scaled(found), &scaled(expected), 1e-15);
}

#[test]
fn there_and_back() {
    let random = &mut Random(1);
    for conversion in conversions() {
        for _ in 0..50 {
            let [q, qd, qdd] = state(&motions(random), 0.0);
            let effort: Vec<f64> = qd.iter().map(|_| 3.0 * random.number()).collect();
            let other_q = conversion.q_from_rotule(&q);
            let other_qd = conversion.qd_from_rotule(&q, &qd);
            let other_qdd = conversion.qdd_from_rotule(&q, &qd, &qdd);
            let other_effort = conversion.effort_from_rotule(&q, &effort);
            close(&conversion.q_to_rotule(&other_q), &q, 1e-15);
            same(&conversion.qd_to_rotule(&other_q, &other_qd), &qd);
            same(&conversion.qdd_to_rotule(&other_q, &other_qd, &other_qdd), &qdd);
            same(&conversion.effort_to_rotule(&other_q, &other_effort), &effort);
            let power = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            close(&[power(&other_effort, &other_qd)], &[power(&effort, &qd)], 4e-14);
        }
    }
}

/// Central differences of fourth order, whose step makes an error of about 1e-10.
fn rate(f: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let h = 2e-3;
    let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|k| f(k * h));
    (0..a.len()).map(|i| (a[i] - 8.0 * b[i] + 8.0 * c[i] - d[i]) / (12.0 * h)).collect()
}

/// The motion by which the tests below judge is one by our conventions: q' follows from qd, and qdd
/// is qd'.
#[test]
fn quaternions_follow_the_angular_velocity() {
    let random = &mut Random(2);
    for _ in 0..20 {
        let motion = motions(random)[2];
        let [quaternion, omega, alpha] = motion.at(0.0);
        let (w, v) = (quaternion[0], [quaternion[1], quaternion[2], quaternion[3]]);
        let omega: Components = omega.try_into().expect("three speeds");
        // q * (0, omega) / 2
        let vector = add(scale(omega, w / 2.0), scale(cross(v, omega), 0.5));
        let scalar = -(v[0] * omega[0] + v[1] * omega[1] + v[2] * omega[2]) / 2.0;
        let expected = [scalar, vector[0], vector[1], vector[2]];
        close(&rate(|t| motion.at(t)[0].clone()), &expected, 1e-8);
        close(&rate(|t| motion.at(t)[1].clone()), &alpha, 1e-8);
    }
}

/// Converted accelerations are the derivatives of converted speeds.
#[test]
fn accelerations_are_derivatives() {
    let random = &mut Random(3);
    for conversion in conversions() {
        for _ in 0..20 {
            let motions = motions(random);
            let speeds = |t: f64| {
                let [q, qd, _] = state(&motions, t);
                conversion.qd_from_rotule(&q, &qd)
            };
            let [q, qd, qdd] = state(&motions, 0.0);
            close(&rate(speeds), &conversion.qdd_from_rotule(&q, &qd, &qdd), 1e-7);
        }
    }
}

/// Converted speeds are the rates of converted coordinates, as each library says.
#[test]
fn speeds_follow_coordinates() {
    let random = &mut Random(4);
    let [pinocchio, mujoco, ..] = conversions();
    for _ in 0..20 {
        let motions = motions(random);
        let [q, qd, _] = state(&motions, 0.0);
        // Rotule's order: the free joint has places 1 to 8 of q and 1 to 7 of qd, the planar one
        // comes behind the ball.
        let rates = rate(|t| mujoco.q_from_rotule(&state(&motions, t)[0]));
        close(&mujoco.qd_from_rotule(&q, &qd)[1..4], &rates[1..4], 1e-8);
        let rates = rate(|t| pinocchio.q_from_rotule(&state(&motions, t)[0]));
        let (other_q, other_qd) = (pinocchio.q_from_rotule(&q), pinocchio.qd_from_rotule(&q, &qd));
        let [x, y, z, w] = [4, 5, 6, 7].map(|i| other_q[i]);
        let linear: Components = other_qd[1..4].try_into().expect("three speeds");
        close(&rotate([w, x, y, z], linear), &rates[1..4], 1e-8);
        // The planar joint: x, y, cos, sin, and its velocity in body axes.
        let ([cos, sin], [vx, vy, omega]) =
            ([other_q[14], other_q[15]], [other_qd[10], other_qd[11], other_qd[12]]);
        let expected = [cos * vx - sin * vy, sin * vx + cos * vy, -sin * omega, cos * omega];
        close(&expected, &rates[12..16], 1e-8);
    }
}

#[test]
fn roll_pitch_and_yaw() {
    let random = &mut Random(5);
    for _ in 0..200 {
        let [r, p, y] = random.numbers();
        let rpy = [3.1 * r, 1.5 * p, 3.1 * y];
        close(&rpy_from_quaternion(quaternion_from_rpy(rpy)), &rpy, 1e-14);
        // Rz(yaw) Ry(pitch) Rx(roll), by rotations about one axis each.
        let [roll, pitch, yaw] = rpy;
        let about = |angle: f64, axis: usize| {
            let mut quaternion = [(angle / 2.0).cos(), 0.0, 0.0, 0.0];
            quaternion[axis + 1] = (angle / 2.0).sin();
            quaternion
        };
        let v = random.numbers();
        let rolled = rotate(about(roll, 0), v);
        let expected = rotate(about(yaw, 2), rotate(about(pitch, 1), rolled));
        close(&rotate(quaternion_from_rpy(rpy), v), &expected, 1e-15);
        let rows = matrix_from_quaternion(quaternion_from_rpy(rpy));
        let product = rows.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
        close(&product, &expected, 1e-15);
    }
    // At gimbal lock the rotation is the same, with a yaw of zero.
    for pitch in [std::f64::consts::FRAC_PI_2, -std::f64::consts::FRAC_PI_2] {
        let quaternion = quaternion_from_rpy([0.3, pitch, 0.9]);
        let rpy = rpy_from_quaternion(quaternion);
        let v = [0.3, -0.5, 0.7];
        close(&rotate(quaternion_from_rpy(rpy), v), &rotate(quaternion, v), 1e-14);
    }
}

#[test]
fn orders_that_do_not_fit_are_refused() {
    let mechanism = mechanism();
    let new = || Conversion::pinocchio(&mechanism);
    let error = |names: &[&str]| new().order(names).expect_err("it does not fit").to_string();
    assert_eq!(error(&["wheel", "knee"]), "there is no joint `knee` with coordinates");
    assert_eq!(error(&["wheel", "wheel"]), "joint `wheel` is named twice: name it once");
    assert_eq!(error(&ORDER[1..]), "joint `wheel` has no place in the order: add it");
    let bounded = "joint `slide` cannot be unbounded: only revolute joints of Pinocchio have a cosine and a sine";
    assert_eq!(new().unbounded(&["slide"]).expect_err("prismatic").to_string(), bounded);
    let mujoco = Conversion::mujoco(&mechanism).unbounded(&["wheel"]);
    assert!(matches!(mujoco, Err(OrderError::Bounded(name)) if name == "wheel"));
    let conversion = new().order(&ORDER).expect("all joints");
    assert_eq!(conversion.speeds()[..8], [25, 19, 20, 21, 22, 23, 24, 17]);
    let mut sorted = conversion.speeds();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..26).collect::<Vec<_>>());
}

#[test]
#[should_panic(expected = "expected 29 numbers, one for each of the coordinates, found 3")]
fn vectors_of_another_length_are_refused() {
    Conversion::mujoco(&mechanism()).q_from_rotule(&[0.0; 3]);
}
