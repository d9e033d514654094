//! The balance of energy with everything that does work: constraints that time moves, drives, laws,
//! and events that take energy out.

use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::plant::Plant;
use rotule_simulate::run::{End, Observer, Outcome, RunOptions, Samples, Threshold, run};
use rotule_testing::simulate;
use rotule_testing::simulate::{Energy, plant, within};
use std::fmt::Write;
use std::ops::ControlFlow;

/// Random numbers that are the same everywhere.
struct Random(u64);

impl Random {
    fn between(&mut self, from: f64, to: f64) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        from + (to - from) * ((self.0 >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

/// Kinetic and potential energy with the work at all samples.
struct Balance {
    energy: Energy,
    totals: Vec<f64>,
    balances: Vec<f64>,
    size: f64,
}

impl Observer for Balance {
    fn sample(&mut self, plant: &mut Plant) -> ControlFlow<()> {
        let [kinetic, potential] = self.energy.of(plant);
        let work = plant.work().unwrap_or(0.0);
        self.totals.push(kinetic + potential);
        self.balances.push(kinetic + potential - work + plant.lost());
        self.size = self.size.max(kinetic).max(potential.abs()).max(work.abs());
        ControlFlow::Continue(())
    }
}

/// The largest of some numbers less the smallest.
fn spread(numbers: &[f64]) -> f64 {
    let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most - numbers.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The outcome of a run, and how far the energy and its balance go, in parts of the largest energy.
fn balanced(plant: Plant, to: f64) -> (Outcome, [f64; 2]) {
    let mut plant = plant.with_work().expect("work");
    let (totals, balances) = (Vec::new(), Vec::new());
    let mut balance = Balance { energy: Energy::new(&mut plant), totals, balances, size: 0.0 };
    let mut method = method("dop853", within(1e-10), plant.size()).expect("a method");
    let options = RunOptions::new(to, Samples::Steps, Threshold::AUTOMATIC);
    let outcome = run(&mut plant, method.as_mut(), &options, &mut balance).expect("a run");
    assert_eq!(outcome.end, End::Reached, "{:?}", outcome.reason);
    let size = balance.size;
    (outcome, [&balance.totals, &balance.balances].map(|numbers| spread(numbers) / size))
}

/// A random chain in space with so many joints.
fn chain(random: &mut Random, joints: usize, laws: bool) -> String {
    let mut text = "[model]\nname = \"chain\"\ngravity = [0, -3, -9]\n".to_owned();
    let mut parent = "ground".to_owned();
    for k in 1..=joints {
        let (kind, axis) = match (k, random.between(0.0, 3.0) as usize) {
            (1, 0) => ("prismatic", "x"),
            (_, 1) => ("revolute", "x"),
            (_, 2) => ("revolute", "y"),
            _ => ("revolute", "z"),
        };
        let mut number = |from, to| random.between(from, to);
        let effort =
            if laws { format!(", effort = \"-{}*qd\"", number(0.05, 0.3)) } else { String::new() };
        let (mass, x, y, z) =
            (number(0.5, 2.0), number(-0.3, 0.3), number(-0.3, 0.3), number(0.1, 0.4));
        let (xx, yy, zz) = (number(0.1, 0.15), number(0.1, 0.15), number(0.1, 0.15));
        let end = number(0.4, 0.8);
        let _ = write!(
            text,
            "[[body]]\nname = \"b{k}\"\nparent = \"{parent}\"\n\
             joint = {{ name = \"q{k}\", type = \"{kind}\", axis = \"{axis}\"{effort} }}\n\
             mass = {mass}\ncom = [{x}, {y}, {z}]\ninertia = {{ xx = {xx}, yy = {yy}, zz = {zz} }}\n\
             points.end = [0.2, 0, {end}]\n"
        );
        parent = format!("b{k}.end");
    }
    text
}

/// Initial coordinates and speeds of a chain.
fn start(random: &mut Random, joints: usize) -> String {
    let mut text = String::new();
    for (header, size) in [("q", 0.4), ("qd", 0.5)] {
        let _ = writeln!(text, "[initial.{header}]");
        for k in 1..=joints {
            let _ = writeln!(text, "q{k} = {}", random.between(-size, size));
        }
    }
    text
}

/// A relation that time moves, of coordinates or of speeds.
fn relation(random: &mut Random, kind: usize) -> String {
    let mut n = |from, to| random.between(from, to);
    let (a, b, c, w) = (n(0.3, 0.9), n(0.2, 0.8), n(0.1, 0.4), n(2.0, 5.0));
    let text = match kind {
        0 => format!("position = \"q1 + {a}*sin(q2) + {b}*q3 - {c}*sin({w}*t)\""),
        1 => format!("velocity = \"q1.d + {a}*cos(q2)*q3.d - {c}*cos({w}*t)*(1 + {b}*q2)\""),
        2 => format!("velocity = \"q3.d - {a}*t*q2.d - {c}*t\""),
        _ => {
            return format!(
                "[[constraint]]\nname = \"hand\"\nposition = \"tip.x + {a}*tip.y + {b}*tip.z - {c}*sin({w}*t) - {a}\"\n\
                 [[sensor]]\nname = \"tip\"\nat = \"b3.end\"\nmeasures = [\"position\", \"velocity\"]\n"
            );
        }
    };
    format!("[[constraint]]\nname = \"row\"\n{text}\n")
}

#[test]
fn the_work_of_constraints_that_time_moves() {
    let mut changes = Vec::new();
    for seed in 0..24 {
        let mut random = Random(seed);
        let (joints, kind, laws) = (3 + seed as usize % 3, seed as usize % 4, seed % 5 == 4);
        let text = chain(&mut random, joints, laws)
            + &relation(&mut random, kind)
            + &start(&mut random, joints);
        let (_, [total, balance]) = balanced(plant(&text), 1.5);
        println!("{seed}: energy {total:.1e}, balance {balance:.1e}");
        assert!(balance < 1e-8, "{seed}: {balance:e}\n{text}");
        if !laws {
            changes.push(total);
        }
    }
    // Without the work of its constraint, no such model would keep its balance.
    assert!(changes.iter().all(|change| *change > 1e-3), "{changes:?}");
}

#[test]
fn the_work_of_moving_ground_under_a_rolling_wheel() {
    for seed in 0..6 {
        let mut random = Random(100 + seed);
        let mut n = |from, to| random.between(from, to);
        let (rise, height, w, tilt) = (n(-0.3, 0.3), n(0.02, 0.1), n(2.0, 6.0), n(-2.0, 2.0));
        let (speed, swing, arm) = (n(-2.0, 2.0), n(0.5, 2.5), n(0.2, 0.6));
        let text = format!(
            "[model]\nname = \"cart\"\ngravity = [{tilt}, 0, -9.81]\n\
             [[body]]\nname = \"hub\"\nparent = \"ground\"\nmass = 1\njoint = [\n\
             {{ name = \"x\", type = \"prismatic\", axis = \"x\" }},\n\
             {{ name = \"z\", type = \"prismatic\", axis = \"z\" }} ]\n\
             [[body]]\nname = \"disc\"\nparent = \"hub\"\nmass = 2\n\
             joint = {{ name = \"phi\", type = \"revolute\", axis = \"y\" }}\n\
             inertia = {{ xx = 0.04, yy = 0.08, zz = 0.04 }}\n\
             [[body]]\nname = \"bob\"\nparent = \"hub\"\nmass = 0.7\ncom = [0, 0, -{arm}]\n\
             joint = {{ name = \"swing\", type = \"revolute\", axis = \"y\" }}\n\
             [[wheel]]\nname = \"w\"\nbody = \"disc\"\nradius = 0.4\nrolling = true\n\
             ground = \"{rise}*t + {height}*sin({w}*t)\"\n\
             [initial.q]\nz = 0.4\nswing = {swing}\n[initial.qd]\nx = {speed}\n"
        );
        let (_, [total, balance]) = balanced(plant(&text), 2.0);
        println!("{seed}: energy {total:.1e}, balance {balance:.1e}");
        assert!(balance < 1e-8 && total > 1e-3, "{seed}: {balance:e} {total:e}\n{text}");
    }
}

/// A ball of 2 kg that falls by 5 m.
fn ball(joint: &str, event: &str) -> Plant {
    plant(&format!(
        "[model]\nname = \"ball\"\n[[body]]\nname = \"ball\"\nparent = \"ground\"\nmass = 2\n\
         joint = {{ name = \"z\", type = \"prismatic\", axis = \"z\"{joint} }}\n[initial.q]\nz = 5\n{event}"
    ))
}

#[test]
fn losses_of_impacts_are_apart_from_drift() {
    let event = "[[event]]\nname = \"floor\"\nwhen = \"z\"\ndirection = \"falling\"\n";
    let set = format!("{event}set = {{ \"z.d\" = \"-0.8*z.d\" }}\n");
    let impact = format!("{event}impact = {{ joint = \"z\", restitution = 0.8 }}\n");
    let stop = ", range = [0, 100], stop = { restitution = 0.8 }";
    for plant in [ball("", &set), ball("", &impact), ball(stop, "")] {
        let (outcome, [total, balance]) = balanced(plant, 5.0);
        assert!(balance < 1e-10 && total > 0.5, "{balance:e} {total:e}");
        // Each bounce takes 1 - e^2 of what the ones before left of the energy of the fall.
        assert_eq!(outcome.losses.len(), outcome.events.len());
        let mut left = 2.0 * 9.81 * 5.0;
        for ((t, loss), event) in outcome.losses.iter().zip(&outcome.events) {
            assert_eq!(*t, event.t);
            assert!((loss - 0.36 * left).abs() < 1e-9, "{loss} {left}");
            left *= 0.64;
        }
    }
}

#[test]
fn what_events_put_in_is_a_negative_loss_and_words_cost_nothing() {
    let event = "[[event]]\nname = \"kick\"\nwhen = \"z - 4\"\ndirection = \"falling\"\n";
    let (outcome, [_, balance]) =
        balanced(ball("", &format!("{event}set = {{ \"z.d\" = \"2*z.d\" }}\n")), 0.8);
    // Half of the mass times three squares of the speed after one metre.
    assert!((outcome.losses[0].1 + 3.0 * 2.0 * 9.81).abs() < 1e-9, "{:?}", outcome.losses);
    assert!(balance < 1e-10, "{balance:e}");
    let (outcome, [total, _]) =
        balanced(ball("", &format!("{event}message = \"one metre\"\n")), 0.8);
    assert_eq!((outcome.events.len(), outcome.losses.len()), (1, 0));
    assert!(total < 1e-10, "{total:e}");
}

#[test]
fn a_closed_mechanism_with_laws_and_a_stop() {
    let crank = simulate::example("slider_crank.toml");
    let joint = "name = \"q1\", type = \"revolute\", axis = \"z\"";
    let keys = "effort = \"-0.02*qd\", range = [-100, 2.5], stop = { restitution = 0.6 }";
    let stopped = crank.replace(joint, &format!("{joint}, {keys}"));
    assert_ne!(crank, stopped);
    let (outcome, [total, balance]) = balanced(plant(&stopped), 0.5);
    println!("{total:e} {balance:e} {:?}", outcome.losses);
    assert!(!outcome.losses.is_empty() && outcome.losses.iter().all(|loss| loss.1 > 0.0));
    assert!(balance < 1e-8 && total > 1e-2, "{balance:e} {total:e}");
}
