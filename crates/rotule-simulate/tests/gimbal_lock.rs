//! Chains of three turns near their singular angle (Morette, chapter 6): counted otherwise, they go through it.

mod common;

use common::{motion, plant};
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::run::{End, Threshold};

/// A body on three turns or a ball joint, torque-free, with these principal moments.
fn body(joint: &str, inertia: [f64; 3], initial: &str) -> String {
    format!(
        "[model]\nname = \"body\"\ngravity = [0, 0, 0]\n\
         [[body]]\nname = \"body\"\nparent = \"ground\"\njoint = {joint}\nmass = 1\n\
         inertia = {{ xx = {}, yy = {}, zz = {} }}\n{initial}",
        inertia[0], inertia[1], inertia[2]
    )
}

const TURNS: &str = "[{ name = \"a\", type = \"revolute\", axis = \"x\" }, \
     { name = \"b\", type = \"revolute\", axis = \"y\" }, \
     { name = \"c\", type = \"revolute\", axis = \"z\" }]";

fn run(text: &str, to: f64, every: f64) -> (rotule_simulate::run::Outcome, common::Kept) {
    let mut plant = plant(text);
    let accuracy = Accuracy::Within { relative: 1e-11, absolute: 1e-12 };
    let mut method = method("dop853", accuracy, plant.size()).expect("a method");
    motion(&mut plant, method.as_mut(), to, every, Threshold::AUTOMATIC)
}

/// B-16: exactly through the singular angle.
#[test]
fn a_turn_goes_straight_through_the_singular_angle() {
    let text = body(TURNS, [1.0; 3], "[initial.q]\nb = 1.4\n[initial.qd]\nb = 0.1\n");
    let (outcome, kept) = run(&text, 4.0, 0.25);
    assert_eq!(outcome.end, End::Reached);
    assert!(!outcome.sequence_switches.is_empty());
    for (t, point) in kept.times.iter().zip(&kept.points) {
        // Past a quarter turn the middle angle simply goes on.
        let expected = [0.0, 1.4 + 0.1 * t, 0.0];
        for (found, expected) in point.q.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-8, "{t}: {:?}", point.q);
        }
    }
}

/// B-18: an asymmetric body tumbles the same with turns and with a quaternion.
#[test]
fn turns_and_a_quaternion_tumble_alike() {
    let mut switched = 0;
    for (b, rates) in [
        (0.3, [0.1, 1.5, 0.1]),
        (1.4, [0.8, 0.6, 0.3]),
        (1.0, [-0.5, 0.9, 1.2]),
        (-1.3, [0.4, -0.7, 0.9]),
    ] {
        switched += tumble(b, rates);
    }
    assert!(switched >= 4, "{switched}");
}

/// One motion from a middle angle and rates; gives how often angles were counted otherwise.
fn tumble(b: f64, rates: [f64; 3]) -> usize {
    let inertia = [1.0, 2.0, 2.5];
    let [p, q, r] = rates;
    let initial =
        format!("[initial.q]\nb = {b:?}\n[initial.qd]\na = {p:?}\nb = {q:?}\nc = {r:?}\n");
    let (outcome, kept) = run(&body(TURNS, inertia, &initial), 20.0, 0.5);
    assert_eq!(outcome.end, End::Reached);
    // The angular velocity in the body's axes at the start.
    let velocity = [p * b.cos(), q, p * b.sin() + r];
    let half = 0.5 * b;
    let ball = "{ name = \"r\", type = \"spherical\" }";
    let initial = format!(
        "[initial.q]\nr = [{:?}, 0, {:?}, 0]\n[initial.qd]\nr = [{:?}, {:?}, {:?}]\n",
        half.cos(),
        half.sin(),
        velocity[0],
        velocity[1],
        velocity[2]
    );
    let (_, expected) = run(&body(ball, inertia, &initial), 20.0, 0.5);
    for (point, other) in kept.points.iter().zip(&expected.points) {
        let (w, x, y, z) = (other.q[0], other.q[1], other.q[2], other.q[3]);
        let row = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        ];
        let (a, b, c) = (point.q[0], point.q[1], point.q[2]);
        let found = [
            [b.cos() * c.cos(), -b.cos() * c.sin(), b.sin()],
            [
                a.cos() * c.sin() + a.sin() * b.sin() * c.cos(),
                a.cos() * c.cos() - a.sin() * b.sin() * c.sin(),
                -a.sin() * b.cos(),
            ],
        ];
        for (found, expected) in found.iter().flatten().zip(row.iter().flatten()) {
            assert!((found - expected).abs() < 1e-8, "{}: {found} {expected}", point.t);
        }
        // Rates are large near the singular angle, but give the same angular velocity.
        let (p, q, r) = (point.qd[0], point.qd[1], point.qd[2]);
        let omega = [
            p * b.cos() * c.cos() + q * c.sin(),
            -p * b.cos() * c.sin() + q * c.cos(),
            p * b.sin() + r,
        ];
        for (found, expected) in omega.iter().zip(&other.qd) {
            assert!((found - expected).abs() < 1e-7, "{}: {omega:?} {:?}", point.t, other.qd);
        }
    }
    outcome.sequence_switches.len()
}
