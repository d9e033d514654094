//! Events against closed solutions and balances of momentum.

use rotule_simulate::impact::impulse;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::plant::Plant;
use rotule_simulate::quantity::EvaluatedFunction;
use rotule_simulate::run::{End, Outcome, Threshold};
use rotule_testing::simulate;
use rotule_testing::simulate::{Kept, motion, plant};

fn run(plant: &mut Plant, to: f64, every: f64) -> (Outcome, Kept) {
    let accuracy = Accuracy::Within { relative: 1e-11, absolute: 1e-11 };
    let mut method = method("dormand-prince", accuracy, plant.size()).expect("a known method");
    motion(plant, method.as_mut(), to, every, Threshold::AUTOMATIC)
}

fn ball(rest: &str) -> String {
    format!(
        r#"
[model]
name = "ball"

[[body]]
name = "ball"
parent = "ground"
joint = {{ name = "z", type = "prismatic", axis = "z"{rest}
mass = 2

[initial.q]
z = 5
"#
    )
}

/// Impacts of a ball that falls from a height: after the first, flights are `2 e^n v/g`.
fn impacts(height: f64, restitution: f64, count: usize) -> Vec<f64> {
    let g = 9.81_f64;
    let first = (2.0 * height / g).sqrt();
    let (mut times, mut speed) = (vec![first], g * first);
    while times.len() < count {
        speed *= restitution;
        times.push(times[times.len() - 1] + 2.0 * speed / g);
    }
    times
}

#[test]
fn a_ball_bounces_at_the_times_of_the_closed_solution() {
    let set = r#" }
[[event]]
name = "floor"
when = "z"
direction = "falling"
set = { "z.d" = "-0.8*z.d" }
"#;
    let impact = set.replace(
        "set = { \"z.d\" = \"-0.8*z.d\" }",
        "impact = { joint = \"z\", restitution = 0.8 }",
    );
    let stop = ", range = [0, 100], stop = { restitution = 0.8 } }\n";
    for (text, name) in [(set, "floor"), (impact.as_str(), "floor"), (stop, "z.lower")] {
        // The event table stands behind the body.
        let (joint, event) = text.split_once('\n').expect("a line");
        let mut plant = plant(&(ball(joint) + event));
        let (outcome, kept) = run(&mut plant, 7.9, 0.01);
        assert_eq!(outcome.end, End::Reached);
        let expected = impacts(5.0, 0.8, 12);
        for (found, expected) in outcome.events.iter().zip(&expected).take(10) {
            assert_eq!(found.name, name);
            assert!((found.t - expected).abs() < 1e-10, "{} {expected}", found.t);
        }
        assert_eq!(outcome.events.len(), expected.iter().filter(|t| **t < 7.9).count());
        // Each bounce keeps e^2 of the energy.
        for (t, point) in kept.times.iter().zip(&kept.points) {
            let bounces = expected.iter().filter(|impact| *impact < t).count();
            let energy = 9.81 * point.q[0] + 0.5 * point.qd[0] * point.qd[0];
            let kept = 9.81 * 5.0 * 0.64_f64.powi(bounces as i32);
            assert!((energy - kept).abs() < 1e-8, "{t}: {energy} {kept}");
        }
    }
}

/// A ball whose bounces end at `t = first (1 + e)/(1 - e)` rests on its stop from then on.
#[test]
fn bouncing_comes_to_rest_at_a_stop() {
    let mut plant = plant(&ball(", range = [0, 100], stop = { restitution = 0.5 } }"));
    let (outcome, kept) = run(&mut plant, 6.0, 0.1);
    assert_eq!(outcome.end, End::Reached);
    let end = impacts(5.0, 0.5, 1)[0] * 1.5 / 0.5;
    let last = outcome.events.last().expect("events");
    assert!(last.done.contains("rests"), "{}", last.done);
    assert!((last.t - end).abs() < 1e-3 && outcome.events.len() < 30, "{} {end}", last.t);
    for (_, point) in kept.times.iter().zip(&kept.points).filter(|(t, _)| **t > last.t) {
        assert!(point.q[0].abs() < 1e-9 && point.qd[0] == 0.0, "{point:?}");
    }
}

/// A joint that rests is released when the force pulls it away: a lift whose upward force grows
/// with time leaves at `F = m g`.
#[test]
fn a_joint_at_rest_leaves_when_it_is_pulled() {
    let text = ball(", range = [0, 100], stop = { restitution = 0 }, effort = \"10*t\" }")
        .replace("z = 5", "z = 0");
    let mut plant = plant(&text);
    let (outcome, kept) = run(&mut plant, 3.0, 0.1);
    let leaves = 2.0 * 9.81 / 10.0;
    let last = outcome.events.last().expect("events");
    assert!((last.t - leaves).abs() < 1e-9, "{:?}", outcome.events);
    for (t, point) in kept.times.iter().zip(&kept.points) {
        // z'' = 5 (t - leaves) afterwards.
        let expected = if *t < leaves { 0.0 } else { 5.0 * (t - leaves).powi(3) / 6.0 };
        assert!((point.q[0] - expected).abs() < 1e-8, "{t}: {} {expected}", point.q[0]);
    }
}

#[test]
fn bouncing_without_a_stop_is_told() {
    let event = "\n[[event]]\nname = \"floor\"\nwhen = \"z\"\ndirection = \"falling\"\nset = { \"z.d\" = \"-0.5*z.d\" }\n";
    let mut plant = plant(&(ball(" }") + event));
    let (outcome, _) = run(&mut plant, 6.0, 0.1);
    let End::Failed(failure) = &outcome.end else { panic!("{:?}", outcome.end) };
    assert!(failure.to_string().contains("`floor`"), "{failure}");
}

const PENDULUM: &str = r#"
[model]
name = "pendulum"

[[body]]
name = "arm"
parent = "ground"
joint = { name = "q1", type = "revolute", axis = "y", range = [-2, 0.3], stop = { restitution = 0.6 } }
mass = 1
com = [0, 0, -0.5]

[[body]]
name = "fore"
parent = "arm"
position = [0, 0, -1]
joint = { name = "q2", type = "revolute", axis = "y" }
mass = 0.7
com = [0, 0, -0.4]
inertia = { xx = 0.02, yy = 0.02, zz = 0.001 }

[initial.q]
q1 = -1
q2 = 0.2
"#;

/// A double pendulum hits a stop: the speed of the joint is reversed, and momentum along the other
/// joint is kept.
#[test]
fn an_impact_keeps_the_momentum_along_other_joints() {
    let mut plant = plant(PENDULUM);
    let (outcome, kept) = run(&mut plant, 2.0, 0.001);
    let hit = &outcome.events[0];
    assert_eq!(hit.name, "q1.upper");
    let after = kept.times.iter().position(|t| *t > hit.t).expect("samples");
    let (before, after) = (kept.points[after - 1].clone(), kept.points[after].clone());
    assert!(after.q[0] < 0.3 && before.qd[0] > 0.0 && after.qd[0] < 0.0);
    // Balance at the impact itself.
    plant.jump(|point| point.clone_from(&before));
    let change = impulse(&mut plant, 0, -1.6 * before.qd[0]).expect("an impulse");
    let mut mass = EvaluatedFunction::new(&plant.tree, "mass").expect("a function");
    plant.prepare(&mut mass);
    plant.measure(&mut mass);
    let m = mass.output(0);
    assert!((change[0] + 1.6 * before.qd[0]).abs() < 1e-12);
    assert!((m[2] * change[0] + m[3] * change[1]).abs() < 1e-12);
    assert!((after.qd[1] - before.qd[1] - change[1]).abs() < 0.05, "{after:?} {before:?}");
}

/// A four-bar with a stop on a dependent coordinate: what the blow does satisfies constraints and
/// momentum.
#[test]
fn a_loop_is_hit_at_a_dependent_coordinate() {
    let text = simulate::example("four_bar_rod.toml");
    let plain = plant(&text);
    let mechanism = &plain.tree.mechanism;
    let names: Vec<String> = mechanism.coordinates.iter().map(|one| one.name.clone()).collect();
    let independent = plain.independent();
    let dependent = names.iter().position(|name| !independent.contains(name)).expect("a loop");
    let (start, name) = (plain.point().q[dependent], &names[dependent]);
    let event = |sign: char| {
        format!(
            "\n[[event]]\nname = \"hit\"\nwhen = \"{name} - ({start}) {sign} 0.05\"\nimpact = {{ joint = \"{name}\", restitution = 0.7 }}\nend = true\n"
        )
    };
    // It moves one way or the other.
    let mut hits = 0;
    for sign in ['+', '-'] {
        let mut plant = plant(&(text.clone() + &event(sign)));
        let (outcome, kept) = run(&mut plant, 1.0, 1e-3);
        if !matches!(outcome.end, End::Event(_)) {
            continue;
        }
        hits += 1;
        let before = kept.points.last().expect("samples");
        let after = plant.point().clone();
        let ratio = after.qd[dependent] / before.qd[dependent];
        assert!((ratio + 0.7).abs() < 0.05, "{ratio}");
        // With one degree of freedom all speeds change by the same factor.
        for (after, before) in after.qd.iter().zip(&before.qd) {
            assert!((after + 0.7 * before).abs() < 0.05 * before.abs().max(1.0));
        }
        let mut constraints =
            EvaluatedFunction::new(&plant.tree, "constraints").expect("a function");
        plant.prepare(&mut constraints);
        plant.measure(&mut constraints);
        let width = after.qd.len();
        for row in constraints.output(1).chunks_exact(width) {
            let rate: f64 = row.iter().zip(&after.qd).map(|(j, v)| j * v).sum();
            assert!(rate.abs() < 1e-10, "{rate}");
        }
    }
    assert!(hits > 0);
}

/// Programs that impacts need are written at the first of them, and again only for another choice
/// or other joints that are locked.
#[test]
fn impacts_write_their_programs_once() {
    let text = simulate::example("slider_crank.toml")
        + "\n[[event]]\nname = \"wall\"\nwhen = \"q3 - 0.3\"\ndirection = \"falling\"\n\
           impact = { joint = \"q3\", restitution = 1 }\n";
    let mut plant = plant(&text);
    assert_eq!(plant.written(), 1);
    let (outcome, _) = run(&mut plant, 2.0, 0.1);
    assert_eq!(outcome.end, End::Reached);
    let impacts = outcome.events.iter().filter(|one| one.done.contains("impact")).count();
    assert!(impacts >= 5, "{:?}", outcome.events);
    // The equations, the masses and the constraints.
    assert_eq!(plant.written(), 3 * (1 + outcome.switches.len()), "{:?}", outcome.switches);
}

/// Conditions of events see the coordinate and the speed of a joint that was locked at the start,
/// once it is free.
#[test]
fn conditions_see_joints_that_were_locked_at_the_start() {
    let events = r#"
[[event]]
name = "drop"
when = "t - 1"
unlock = ["z"]

[[event]]
name = "fast"
when = "z.d + 4.905"
message = "after half a second"

[[event]]
name = "done"
when = "z - 0.1"
end = true
"#;
    let mut plant = plant(&(ball(", role = \"locked\" }") + events));
    let (outcome, _) = run(&mut plant, 9.0, 0.05);
    assert_eq!(outcome.end, End::Event("done".to_owned()));
    let found: Vec<(&str, f64)> =
        outcome.events.iter().map(|one| (one.name.as_str(), one.t)).collect();
    let end = 1.0 + (2.0 * 4.9 / 9.81_f64).sqrt();
    for ((name, t), expected) in found.iter().zip([1.0, 1.5, end]) {
        assert!((t - expected).abs() < 1e-10, "{name}: {t}, not {expected}");
    }
    assert_eq!(found.len(), 3, "{found:?}");
}

/// A joint that is locked at a time stands, and goes on from there when it is unlocked: two free
/// flights.
#[test]
fn joints_are_locked_and_unlocked() {
    let events = r#"
[[event]]
name = "catch"
when = "t - 0.5"
lock = ["z"]

[[event]]
name = "drop"
when = "t - 1"
unlock = ["z"]
message = "off it goes"

[[event]]
name = "done"
when = "z - 0.1"
end = true
"#;
    let mut plant = plant(&(ball(" }") + events));
    let (outcome, kept) = run(&mut plant, 9.0, 0.05);
    let caught = 5.0 - 0.5 * 9.81 * 0.25;
    let end = 1.0 + (2.0 * (caught - 0.1) / 9.81_f64).sqrt();
    assert_eq!(outcome.end, End::Event("done".to_owned()));
    assert!((outcome.t - end).abs() < 1e-10, "{} {end}", outcome.t);
    let names: Vec<&str> = outcome.events.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["catch", "drop", "done"]);
    assert_eq!(outcome.events[1].message, "off it goes");
    for (t, point) in kept.times.iter().zip(&kept.points) {
        let expected = match *t {
            t if t < 0.5 => 5.0 - 0.5 * 9.81 * t * t,
            t if t < 1.0 => caught,
            t => caught - 0.5 * 9.81 * (t - 1.0).powi(2),
        };
        assert!((point.q[0] - expected).abs() < 1e-9, "{t}: {} {expected}", point.q[0]);
    }
}
