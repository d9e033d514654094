//! Gimbals in gimbal lock (Morette, chapter 6): described by another Euler-angle sequence, they go
//! through it.

mod gimbals;

use rotule_model::pose::{add, cross, dot, norm, rodrigues, scale};
use rotule_program::NoExternals;
use rotule_simulate::augmented::{ConstraintForm, Gains};
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::plant::Plant;
use rotule_simulate::run::{End, Observer, Outcome, RunOptions, Samples, Threshold};
use rotule_testing::simulate::{Energy, Kept, ends, motion, plant, plant_in, tree, within};
use std::ops::ControlFlow;

/// A body on three revolute joints or a ball joint, torque-free, with these principal moments.
fn body(joint: &str, inertia: [f64; 3], initial: &str) -> String {
    format!(
        "[model]\nname = \"body\"\ngravity = [0, 0, 0]\n\
         [[body]]\nname = \"body\"\nparent = \"ground\"\njoint = {joint}\nmass = 1\n\
         inertia = {{ xx = {}, yy = {}, zz = {} }}\n{initial}",
        inertia[0], inertia[1], inertia[2]
    )
}

const CHAIN: &str = "[{ name = \"a\", type = \"revolute\", axis = \"x\" }, \
     { name = \"b\", type = \"revolute\", axis = \"y\" }, \
     { name = \"c\", type = \"revolute\", axis = \"z\" }]";

fn run(text: &str, to: f64, every: f64) -> (Outcome, Kept) {
    let mut plant = plant(text);
    let accuracy = Accuracy::Within { relative: 1e-11, absolute: 1e-12 };
    let mut method = method("dop853", accuracy, plant.size()).expect("a method");
    motion(&mut plant, method.as_mut(), to, every, Threshold::AUTOMATIC)
}

/// The chain with something besides in each joint.
fn chain(extra: [&str; 3]) -> String {
    let joint = |name: &str, axis: &str, extra: &str| {
        format!("{{ name = \"{name}\", type = \"revolute\", axis = \"{axis}\"{extra} }}")
    };
    let [a, b, c] = extra;
    format!("[{}, {}, {}]", joint("a", "x", a), joint("b", "y", b), joint("c", "z", c))
}

const THROUGH: &str = "[initial.q]\nb = 1.4\n[initial.qd]\nb = 0.1\n";

/// Exactly through gimbal lock, by every method, whatever the model has besides: past a quarter
/// revolution the middle angle goes on, and a damper on its axis slows it down.
#[test]
fn a_body_goes_straight_through_gimbal_lock() {
    let damper = ", effort = \"-0.2*qd\"";
    let spring = ", effort = \"-0.2*q - 0.1*qd\"";
    let elastic = ", effort = \"-0.2*q\"";
    let state = "[[state]]\nname = \"x\"\nrate = \"1 - x\"\n";
    let seen = "[[state]]\nname = \"x\"\nrate = \"sin(a) + b*b.d\"\n";
    let event = "[[event]]\nname = \"e\"\nwhen = \"t - 1.5\"\nmessage = \"now\"\n";
    let condition = "[[event]]\nname = \"e\"\nwhen = \"b - 1.5\"\nmessage = \"now\"\n";
    let stop = ", range = [-2, 2], stop = { restitution = 0.5 }";
    let rows = [
        (["", "", ""], ""),
        ([damper, "", ""], ""),
        (["", damper, ""], ""),
        (["", "", damper], ""),
        ([spring, "", ""], ""),
        ([elastic, damper, elastic], state),
        (["", damper, ""], seen),
        (["", "", ""], state),
        (["", "", ""], event),
        (["", damper, ""], condition),
        (["", stop, ""], ""),
    ];
    for (extra, rest) in rows {
        for name in ["dop853", "dormand-prince", "radau", "bdf", "rk4"] {
            let text = body(&chain(extra), [1.0; 3], &format!("{rest}{THROUGH}"));
            let accuracy = match name {
                "rk4" => Accuracy::Fixed(0.01),
                _ => within(1e-10),
            };
            let mut plant = plant(&text);
            let mut method = method(name, accuracy, plant.size()).expect("a method");
            let (outcome, kept) =
                motion(&mut plant, method.as_mut(), 4.0, 0.25, Threshold::AUTOMATIC);
            let what = format!("{name} {extra:?} {rest}");
            assert_eq!(outcome.end, End::Reached, "{what}");
            assert!(!outcome.sequence_switches.is_empty(), "{what}");
            assert!(outcome.work.steps < 3000, "{what}: {}", outcome.work.steps);
            for (t, point) in kept.times.iter().zip(&kept.points) {
                let way = if extra[1] == damper { (1.0 - (-0.2 * t).exp()) / 0.2 } else { *t };
                let expected = [0.0, 1.4 + 0.1 * way, 0.0];
                for (found, expected) in point.q.iter().zip(expected) {
                    assert!((found - expected).abs() < 1e-7, "{what} {t}: {:?}", point.q);
                }
            }
        }
    }
}

/// An asymmetric body tumbles the same with three angles and with a quaternion.
#[test]
fn angles_and_a_quaternion_tumble_alike() {
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

/// One motion from a middle angle and rates; the number of switches.
fn tumble(b: f64, rates: [f64; 3]) -> usize {
    let inertia = [1.0, 2.0, 2.5];
    let [p, q, r] = rates;
    let initial =
        format!("[initial.q]\nb = {b:?}\n[initial.qd]\na = {p:?}\nb = {q:?}\nc = {r:?}\n");
    let (outcome, kept) = run(&body(CHAIN, inertia, &initial), 20.0, 0.5);
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

/// A start in gimbal lock itself, where the user's equations have no finite accelerations.
#[test]
fn a_run_starts_in_gimbal_lock() {
    let initial = "[initial.q]\na = 0.3\nb = \"pi/2\"\nc = -0.2\n[initial.qd]\nb = -0.5\n";
    let text = body(&chain(["", ", effort = \"-0.1*qd\"", ""]), [1.0, 1.0, 1.0], initial);
    let (outcome, kept) = run(&text, 2.0, 1.0);
    assert_eq!(outcome.end, End::Reached);
    let last = kept.points.last().expect("a point");
    let b = std::f64::consts::FRAC_PI_2 - 0.5 * (1.0 - (-0.2_f64).exp()) / 0.1;
    for (found, expected) in last.q.iter().zip([0.3, b, -0.2]) {
        assert!((found - expected).abs() < 1e-8, "{:?}", last.q);
    }
}

/// Two gimbals, one on the other, both with laws; the second comes near gimbal lock while the first
/// is there.
#[test]
fn gimbals_that_carry_gimbals_are_switched_together() {
    let two = |sensors: &str| {
        let ring = |name: &str, parent: &str, joint: &str, axis: &str, law: &str| {
            format!(
                "[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\njoint = {{ name = \"{joint}\", \
                 type = \"revolute\", axis = \"{axis}\", effort = \"{law}\" }}\n"
            )
        };
        let mut text = String::from("[model]\nname = \"two\"\ngravity = [0, 0, -1]\n");
        text += &ring("r1", "ground", "a", "x", "-0.1*q");
        text += &ring("r2", "r1", "b", "y", "-0.05*qd + x");
        text += &ring("one", "r2", "c", "z", "-0.1*q");
        text += "mass = 2\ncom = [0.05, 0, 0.1]\ninertia = { xx = 1, yy = 1.3, zz = 1.5 }\n";
        text += &ring("r3", "one", "d", "z", "-0.1*q");
        text += &ring("r4", "r3", "e", "x", "-0.02*qd");
        text += &ring("two", "r4", "f", "z", "0.1*x - 0.1*q");
        text += "mass = 1\ncom = [0, 0.1, 0.05]\ninertia = { xx = 0.5, yy = 0.4, zz = 0.6 }\n";
        text += "[[state]]\nname = \"x\"\nrate = \"sin(a + d) - x\"\n";
        text += sensors;
        text += "[initial.q]\na = 0.2\nb = 1.1\nc = 0.4\nd = 0.3\ne = 0.5\nf = -0.2\n";
        text += "[initial.qd]\na = 0.02\nb = 0.9\nd = 0.05\ne = -0.9\nf = 0.1\n";
        text
    };
    let (outcome, kept) = gimbals::run(&two(""), 1e-12, 1.5, 0.1);
    assert_eq!(outcome.end, End::Reached);
    let said: Vec<&str> = outcome.sequence_switches.iter().map(|(_, said)| said.as_str()).collect();
    assert!(said.iter().any(|said| said.starts_with("a, b, c by rotations")), "{said:?}");
    assert!(said.iter().any(|said| said.contains("d, e, f by rotations")), "{said:?}");
    let sensor = |at: &str| {
        format!("[[sensor]]\nname = \"s{at}\"\nat = \"{at}\"\nmeasures = [\"rotation\"]\n")
    };
    let (_, exact) = gimbals::run(&two(&(sensor("r1") + &sensor("r3"))), 1e-12, 1.5, 0.1);
    for (point, other) in kept.points.iter().zip(&exact.points) {
        for (found, expected) in point.q.iter().zip(&other.q) {
            assert!((found - expected).abs() < 1e-8, "{}: {:?} {:?}", point.t, point.q, other.q);
        }
    }
}

/// A gimbal in a loop goes through gimbal lock in all forms of the equations.
#[test]
fn other_forms_switch_too() {
    let mut case = gimbals::Case::new(205);
    (case.looped, case.happening, case.child) = (true, gimbals::Happening::Nothing, false);
    case.laws = ["-0.2*q", "-0.1*s*qd", "-0.1*q"].map(String::from);
    let start = case.start();
    let text = case.text(false, true, &start);
    let state = text.find("[[state]]").expect("a state");
    let rest = text.find("[initial.q]").expect("initial values");
    let text = format!("{}{}", &text[..state], &text[rest..]);
    // Index 3 knows no states: its torque of `x` is left out everywhere.
    let run = |form: ConstraintForm, name: &str, accuracy: Accuracy| {
        let mut plant = plant_in(&text, form);
        let mut method = method(name, accuracy, plant.size()).expect("a method");
        let (outcome, kept) = motion(&mut plant, method.as_mut(), 1.6, 0.2, Threshold::AUTOMATIC);
        assert_eq!(outcome.end, End::Reached, "{form:?}");
        assert!(!outcome.sequence_switches.is_empty(), "{form:?}");
        kept
    };
    let expected = run(ConstraintForm::Partition, "dop853", within(1e-11));
    for (form, name, accuracy, most) in [
        (ConstraintForm::Projection, "dop853", within(1e-11), 1e-7),
        (ConstraintForm::Baumgarte(Gains::Step), "dop853", within(1e-11), 1e-6),
        (ConstraintForm::Index3, "generalised-alpha", Accuracy::Fixed(1e-4), 1e-3),
    ] {
        let kept = run(form, name, accuracy);
        for (point, other) in kept.points.iter().zip(&expected.points) {
            let far = |k: usize| (point.q[k] - other.q[k]).abs();
            let worst = (0..point.q.len()).map(far).fold(0.0, f64::max);
            assert!(worst < most, "{form:?} at {}: {worst}", point.t);
        }
    }
}

/// Constant efforts act on the user's axes, as laws of the same numbers do.
#[test]
fn efforts_stay_on_the_axes_of_the_user() {
    let initial = "[initial.q]\nb = 1.2\n[initial.qd]\na = 0.1\nb = 0.9\nc = 0.2\n";
    let law = |effort: f64| format!(", effort = \"{effort}\"");
    let [x, y, z] = [0.3, -0.2, 0.4].map(law);
    let (_, expected) = run(&body(&chain([&x, &y, &z]), [1.0, 1.4, 1.7], initial), 1.5, 0.25);
    let tree = tree(&body(CHAIN, [1.0, 1.4, 1.7], initial));
    let mut start = InputPoint::new(0.0, vec![0.0, 1.2, 0.0], vec![0.1, 0.9, 0.2], Vec::new());
    start.effort = vec![0.3, -0.2, 0.4];
    let mut plant = Plant::new(tree, start, Box::new(NoExternals)).expect("equations");
    let mut method = method("dop853", within(1e-11), plant.size()).expect("a method");
    let (outcome, kept) = motion(&mut plant, method.as_mut(), 1.5, 0.25, Threshold::AUTOMATIC);
    assert_eq!(outcome.end, End::Reached);
    assert!(!outcome.sequence_switches.is_empty());
    for (point, other) in kept.points.iter().zip(&expected.points) {
        (0..3).for_each(|k| assert!((point.q[k] - other.q[k]).abs() < 1e-8, "{}", point.t));
    }
}

/// Energy less the work of all laws.
struct Balance(Energy, Vec<f64>);

impl Observer for Balance {
    fn sample(&mut self, plant: &mut Plant) -> ControlFlow<()> {
        let [kinetic, potential] = self.0.of(plant);
        self.1.push(kinetic + potential - plant.work().expect("work"));
        ControlFlow::Continue(())
    }
}

#[test]
fn the_work_of_laws_is_balanced_through_gimbal_lock() {
    let mut case = gimbals::Case::new(18);
    case.happening = gimbals::Happening::Nothing;
    let start = case.start();
    let plant = plant(&case.text(false, true, &start));
    let mut plant = plant.with_work().expect("work");
    let mut balance = Balance(Energy::new(&mut plant), Vec::new());
    let mut method = method("dop853", within(1e-11), plant.size()).expect("a method");
    let options = RunOptions::new(1.6, Samples::Every(0.1), Threshold::AUTOMATIC);
    let outcome = rotule_simulate::run::run(&mut plant, method.as_mut(), &options, &mut balance)
        .expect("a run");
    assert_eq!(outcome.end, End::Reached);
    assert!(!outcome.sequence_switches.is_empty());
    let first = balance.1[0];
    balance.1.iter().for_each(|now| assert!((now - first).abs() < 1e-8, "{:?}", balance.1));
}

/// Outside of runs a plant is in the user's angles, so a run in parts is the run as a whole.
#[test]
fn a_run_in_parts_keeps_the_angles_of_the_user() {
    let mut case = gimbals::Case::new(1);
    case.happening = gimbals::Happening::Nothing;
    let text = case.text(false, true, &case.start());
    let (_, whole) = gimbals::run(&text, 1e-12, 1.4, 0.1);
    let mut plant = plant(&text);
    let mut method = method("dop853", within(1e-12), plant.size()).expect("a method");
    let mut parts = Kept::default();
    let times: Vec<f64> = whole.times[1..].to_vec();
    ends(&mut plant, method.as_mut(), &times, Threshold::AUTOMATIC, |plant| {
        parts.points.push(plant.point().clone());
    });
    for (point, other) in parts.points.iter().zip(&whole.points[1..]) {
        let far = |k: usize| (point.q[k] - other.q[k]).abs();
        let worst = (0..point.q.len()).map(far).fold(0.0, f64::max);
        assert!(worst < 1e-6, "{}: {worst}", point.t);
    }
}

/// A chain that cannot be switched is named with the reason when a run fails in its gimbal lock.
#[test]
fn the_reason_why_a_sequence_stays_is_told() {
    let tail = "[initial.q]\nb = 1.4\n[initial.qd]\na = 1e-9\nb = 0.1\n";
    let ring = |name: &str, parent: &str, joint: &str, axis: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\n\
             joint = {{ name = \"{joint}\", type = \"revolute\", axis = {axis} }}\n"
        )
    };
    let model = |third: &str, rest: &str| {
        let mut text = String::from("[model]\nname = \"m\"\ngravity = [0, 0, 0]\n");
        text += &ring("r1", "ground", "a", "\"x\"");
        text += &ring("r2", "r1", "b", "\"y\"");
        text += &ring("rotor", "r2", "c", third);
        text + "mass = 1\ninertia = { xx = 1, yy = 1, zz = 1 }\n" + rest + tail
    };
    let sensor = "[[sensor]]\nname = \"eye\"\nat = \"r2\"\nmeasures = [\"rotation\"]\n";
    let rows = [
        (model("\"z\"", sensor), "sensor `eye` is attached to the body before joint `c`"),
        (model("[0, 0.1, 1]", ""), "its axes are not perpendicular"),
    ];
    for (text, reason) in rows {
        let mut plant = plant(&text);
        let mut method = method("dop853", within(1e-9), plant.size()).expect("a method");
        let (outcome, _) = motion(&mut plant, method.as_mut(), 40.0, 40.0, Threshold::AUTOMATIC);
        assert!(matches!(outcome.end, End::Failed(_)), "{reason}: {:?}", outcome.end);
        let cause = outcome.reason.expect("a reason").what;
        assert!(cause.contains(reason), "{cause}");
        assert!(cause.starts_with("joints `a`, `b`, `c` are near gimbal lock"), "{cause}");
    }
}

/// Rows of the rotation about a unit axis, and their product.
fn times(a: [[f64; 3]; 3], b: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

/// A body with equal moments turns steadily; its third axis passes gimbal lock at any distance on a
/// great circle. The middle angle comes within the distance and goes again, the first one sweeps
/// half a revolution in the direction of the passage, however long the steps would be without it.
#[test]
fn angles_are_followed_past_gimbal_lock_at_any_distance() {
    let unit =
        |axis: usize| -> [f64; 3] { std::array::from_fn(|k| f64::from(u8::from(k == axis))) };
    for (name, tolerance) in [("dop853", 1e-3), ("dop853", 1e-9), ("radau", 1e-9), ("bdf", 1e-9)] {
        for power in 1..=7 {
            for way in [1.0, -1.0] {
                let distance = 10_f64.powi(-power);
                let nearest = [0.3, std::f64::consts::FRAC_PI_2 - distance, -0.8];
                let [x, y, z] = [0, 1, 2].map(|k| rodrigues(unit(k), nearest[k]));
                let closest = times(times(x, y), z);
                // The axis of the passage is the one that leads the third axis along the second,
                // with some spin.
                let third = closest.map(|row| row[2]);
                let second = x.map(|row| row[1]);
                let omega = add(scale(cross(third, second), way), scale(third, 0.3));
                let at = |t: f64| {
                    let size = norm(omega);
                    times(rodrigues(scale(omega, 1.0 / size), size * t), closest)
                };
                let angles = |a: [[f64; 3]; 3]| {
                    let sizes = (-a[1][2]).hypot(a[2][2]);
                    [(-a[1][2]).atan2(a[2][2]), a[0][2].atan2(sizes), (-a[0][1]).atan2(a[0][0])]
                };
                let start = angles(at(-0.9));
                // Rates of the angles: the products of the angular velocity with the dual axes.
                let [first, middle] = [0, 1].map(|k| rodrigues(unit(k), start[k]));
                let b = first.map(|row| row[1]);
                let c = times(first, middle).map(|row| row[2]);
                let axes = [unit(0), b, c];
                let volume = dot(axes[0], cross(b, c));
                let rate =
                    |k: usize| dot(omega, cross(axes[(k + 1) % 3], axes[(k + 2) % 3])) / volume;
                let initial = format!(
                    "[initial.q]\na = {:?}\nb = {:?}\nc = {:?}\n[initial.qd]\na = {:?}\nb = {:?}\nc = {:?}\n",
                    start[0],
                    start[1],
                    start[2],
                    rate(0),
                    rate(1),
                    rate(2)
                );
                let mut plant = plant(&body(CHAIN, [1.0; 3], &initial));
                let mut method = method(name, within(tolerance), plant.size()).expect("a method");
                let (outcome, kept) =
                    motion(&mut plant, method.as_mut(), 1.8, 0.9, Threshold::AUTOMATIC);
                let what = format!("{name} {tolerance:e} at {distance:e} {way}");
                assert_eq!(outcome.end, End::Reached, "{what}");
                let (last, end) = (&kept.points.last().expect("a point").q, angles(at(0.9)));
                let limit = 30.0 * tolerance.max(1e-8);
                assert!((last[1] - end[1]).abs() < limit, "{what}: {last:?} {end:?}");
                for k in [0, 2] {
                    let whole = (last[k] - end[k]) / std::f64::consts::TAU;
                    assert!((whole - whole.round()).abs() < limit, "{what}: {last:?} {end:?}");
                }
                let swept = way * (start[0] - last[0]);
                assert!((swept - 3.0).abs() < 0.5, "{what}: {swept} {start:?} {last:?}");
            }
        }
    }
}

/// A damper on an outer axis leads every motion straight into gimbal lock. There is no other
/// description in which the equations stay finite, but small armatures on both outer axes make them
/// so: for ever smaller ones the motion goes to the same limit.
#[test]
fn dampers_on_outer_axes_lead_through_gimbal_lock() {
    let initial =
        "[initial.q]\na = 0.2\nb = 1.0\nc = -0.3\n[initial.qd]\na = 0.05\nb = 0.9\nc = 0.1\n";
    for [a, b, c] in [[0.05, 0.0, 0.0], [0.0, 0.0, 0.3], [0.1, 0.2, 0.04], [2.0, 0.0, 0.0]] {
        let text = |armature: f64| {
            let law = |damper: f64, armature: f64| {
                format!(", effort = \"-{damper}*qd\", armature = {armature:?}")
            };
            let extra = [law(a, armature), law(b, 0.0), law(c, armature)];
            body(&chain(extra.each_ref().map(String::as_str)), [1.0, 2.0, 2.5], initial)
        };
        let run = |armature: f64, name: &str, tolerance: f64| {
            let mut plant = plant(&text(armature));
            let mut method = method(name, within(tolerance), plant.size()).expect("a method");
            let (outcome, kept) =
                motion(&mut plant, method.as_mut(), 2.0, 0.25, Threshold::AUTOMATIC);
            assert_eq!(outcome.end, End::Reached, "{name} {armature}: {:?}", outcome.reason);
            assert_eq!(outcome.sequence_switches.is_empty(), armature > 0.0);
            assert!(armature > 0.0 || outcome.work.steps < 5000, "{name}: {}", outcome.work.steps);
            kept
        };
        let (small, smaller) = (run(1e-5, "radau", 1e-11), run(1e-6, "radau", 1e-11));
        for name in ["dop853", "dormand-prince", "radau", "bdf"] {
            let kept = run(0.0, name, 1e-9);
            for (at, point) in kept.points.iter().enumerate() {
                for k in 0..3 {
                    let (one, other) = (small.points[at].q[k], smaller.points[at].q[k]);
                    let limit = other + (other - one) / 9.0;
                    let found = point.q[k];
                    assert!((found - limit).abs() < 2e-6, "{name} {:?} {found} {limit}", [a, b, c]);
                }
            }
        }
    }
}
