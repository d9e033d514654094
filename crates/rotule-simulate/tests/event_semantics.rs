//! Semantics of events: several of them at one time, events that make others happen, and actions
//! that cannot have an effect.
//!
//! Events of one time act in sequence, in the order of the file, each on what the ones before it
//! left. A condition that an action moves through zero has passed zero: its event happens at the
//! same time. An action that could not change anything is refused before the first step, because a
//! record of it would be untrue.

use rotule_formalism::normalise;
use rotule_model::{ReadOptions, load_text};
use rotule_program::NoExternals;
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::plant::Plant;
use rotule_simulate::run::{End, Outcome, Threshold};
use rotule_testing::simulate;
use rotule_testing::simulate::{motion, start, within};

fn run(text: &str, to: f64) -> (Outcome, InputPoint) {
    let mut plant = simulate::plant(text);
    let mut method = method("dop853", within(1e-11), plant.size()).expect("a known method");
    let (outcome, _) = motion(&mut plant, method.as_mut(), to, to, Threshold::AUTOMATIC);
    let point = plant.point().clone();
    (outcome, point)
}

/// Names of what happened, in order.
fn names(outcome: &Outcome) -> Vec<&str> {
    outcome.events.iter().map(|one| one.name.as_str()).collect()
}

fn event(name: &str, when: &str, rest: &str) -> String {
    format!("\n[[event]]\nname = \"{name}\"\nwhen = \"{when}\"\n{rest}\n")
}

/// A ball that falls from 5 m for a second.
fn ball(events: &str) -> String {
    format!(
        "[model]\nname = \"ball\"\n\
         [[body]]\nname = \"ball\"\nparent = \"ground\"\njoint = {{ name = \"z\", type = \"prismatic\", axis = \"z\" }}\nmass = 2\n\
         [[state]]\nname = \"n\"\nrate = 0\n[[state]]\nname = \"m\"\nrate = 0\n\
         {events}\n[initial.q]\nz = 5\n"
    )
}

/// Time and speed with which the ball meets the floor.
fn floor() -> [f64; 2] {
    [(2.0 * 5.0 / 9.81_f64).sqrt(), (2.0 * 5.0 * 9.81_f64).sqrt()]
}

fn close(found: f64, expected: f64, what: &str) {
    let bound = 1e-8 * expected.abs().max(1.0);
    assert!((found - expected).abs() < bound, "{what}: {found} instead of {expected}");
}

const FALLING: &str = "direction = \"falling\"\n";

#[test]
fn a_set_after_an_impact_sees_the_speed_of_after() {
    let impact =
        event("blow", "z", &format!("{FALLING}impact = {{ joint = \"z\", restitution = 0.8 }}"));
    let set = event("loss", "z", &format!("{FALLING}set = {{ \"z.d\" = \"0.5*z.d\" }}"));
    let end = event("end", "z", "end = true");
    let [t, v] = floor();
    for events in [[impact.clone(), set.clone()], [set, impact]] {
        let (outcome, point) = run(&ball(&(events.concat() + &end)), 3.0);
        assert_eq!(outcome.end, End::Event("end".to_owned()));
        close(outcome.t, t, "time");
        close(point.qd[0], 0.4 * v, &events.concat());
        assert_eq!(outcome.events.len(), 3, "{:?}", outcome.events);
    }
}

#[test]
fn two_events_of_one_time_count_twice() {
    let count = |name: &str, more: &str| {
        event(name, "t - 0.5", &format!("set = {{ n = \"n + 1\"{more} }}"))
    };
    let events = count("a", "") + &count("b", ", m = \"10*n\"") + &count("c", "");
    let (outcome, point) = run(&ball(&events), 1.0);
    assert_eq!(names(&outcome), ["a", "b", "c"]);
    assert_eq!(point.states[0], 3.0, "{:?}", outcome.events);
    // The settings of one event are from what holds before it.
    assert_eq!(point.states[1], 10.0, "{:?}", outcome.events);
}

/// The settings of one event take place together.
#[test]
fn one_event_swaps_two_values() {
    let events = event("first", "t - 0.25", "set = { n = 1, m = 2 }")
        + &event("swap", "t - 0.5", "set = { n = \"m\", m = \"n\" }");
    let (_, point) = run(&ball(&events), 1.0);
    assert_eq!(point.states, [2.0, 1.0]);
}

/// Coordinates that an event sets are those that the next one of the same time uses, also through
/// sensors.
#[test]
fn places_are_those_that_the_event_before_left() {
    let sensor = "\n[[sensor]]\nname = \"eye\"\nat = \"ball\"\nmeasures = [\"position\"]\n";
    let events = event("lift", "t - 0.5", "set = { z = \"z + 3\" }")
        + &event("read", "t - 0.5", "set = { n = \"z\", m = \"eye.z\" }");
    let (outcome, point) = run(&ball(&(events + sensor)), 0.75);
    let fallen = |t: f64| 0.5 * 9.81 * t * t;
    close(point.states[0], 8.0 - fallen(0.5), &format!("{:?}", outcome.events));
    close(point.states[1], 8.0 - fallen(0.5), "by the sensor");
    close(point.q[0], 8.0 - fallen(0.75), "at the end");
}

/// Records have the values that were set.
#[test]
fn records_have_the_values_of_their_turn() {
    let events = event("a", "t - 0.5", "set = { n = \"n + 1\" }")
        + &event("b", "t - 0.5", "set = { n = \"n + 1\" }");
    let (outcome, _) = run(&ball(&events), 1.0);
    let done: Vec<&str> = outcome.events.iter().map(|one| one.done.as_str()).collect();
    assert_eq!(done, ["n = 1", "n = 2"]);
}

#[test]
fn a_condition_that_a_set_moves_through_zero_fires() {
    let kick = event("kick", "t - 0.5", "set = { \"z.d\" = 5 }");
    for (direction, fires) in [("rising", true), ("both", true), ("falling", false)] {
        let fast = event(
            "fast",
            "z.d - 3",
            &format!("direction = \"{direction}\"\nset = {{ n = \"n + 1\" }}"),
        );
        // In either order of the file.
        for text in [kick.clone() + &fast, fast.clone() + &kick] {
            let (outcome, point) = run(&ball(&text), 0.6);
            let expected = if fires { &["kick", "fast"][..] } else { &["kick"] };
            assert_eq!(names(&outcome), expected, "{direction}");
            assert!(outcome.events.iter().all(|one| one.t == outcome.events[0].t));
            assert_eq!(point.states[0], f64::from(u8::from(fires)));
        }
    }
}

#[test]
fn events_follow_from_each_other_at_one_time() {
    // Written backwards: each makes the one before it in the file happen.
    let events = event("third", "m - 0.5", "end = true")
        + &event("second", "n - 0.5", "set = { m = 1 }")
        + &event("first", "t - 0.5", "set = { n = 1 }");
    let (outcome, _) = run(&ball(&events), 1.0);
    assert_eq!(names(&outcome), ["first", "second", "third"]);
    assert_eq!(outcome.end, End::Event("third".to_owned()));
    close(outcome.t, 0.5, "time");
}

/// An impact turns the speed round: what watches the speed sees it pass zero.
#[test]
fn a_condition_that_an_impact_moves_through_zero_fires() {
    let blow =
        event("blow", "z", &format!("{FALLING}impact = {{ joint = \"z\", restitution = 0.8 }}"));
    let turn = event("turn", "z.d + 1", "set = { n = \"n + 1\" }");
    let [t, v] = floor();
    // Down through -1 in the fall, up through it in the blow, and down again on the way down.
    let again = t + (0.8 * v + 1.0) / 9.81;
    let (outcome, point) = run(&ball(&(blow + &turn)), again + 0.1);
    assert_eq!(names(&outcome), ["turn", "blow", "turn", "turn"], "{:?}", outcome.events);
    close(outcome.events[1].t, t, "blow");
    assert_eq!(outcome.events[2].t, outcome.events[1].t);
    close(outcome.events[3].t, again, "on the way down");
    assert_eq!(point.states[0], 3.0);
}

#[test]
fn a_condition_that_a_stop_or_a_lock_moves_through_zero_fires() {
    let [t, _] = floor();
    let turn = event("turn", "z.d + 1", "direction = \"rising\"\nset = { n = \"n + 1\" }");
    let stop = ball(&turn)
        .replace("axis = \"z\"", "axis = \"z\", range = [0, 9], stop = { restitution = 0.5 }");
    let (outcome, _) = run(&stop, t + 0.1);
    assert_eq!(names(&outcome), ["z.lower", "turn"], "{:?}", outcome.events);
    let lock = event("catch", "t - 0.5", "lock = [\"z\"]");
    let (outcome, point) = run(&ball(&(lock + &turn)), 1.0);
    assert_eq!(names(&outcome), ["catch", "turn"], "{:?}", outcome.events);
    assert_eq!(point.states[0], 1.0);
}

/// An impact on one joint is felt by others; what watches them sees it.
#[test]
fn a_blow_on_one_joint_is_an_event_of_another() {
    let text = "[model]\nname = \"pair\"\ngravity = [0, 0, 0]\n\
        [[body]]\nname = \"cart\"\nparent = \"ground\"\njoint = { name = \"x\", type = \"prismatic\", axis = \"x\" }\nmass = 1\n\
        [[body]]\nname = \"slider\"\nparent = \"cart\"\njoint = { name = \"s\", type = \"prismatic\", axis = \"x\" }\nmass = 3\n\
        [[event]]\nname = \"wall\"\nwhen = \"x - 1\"\ndirection = \"rising\"\nimpact = { joint = \"x\", restitution = 1 }\n\
        [[event]]\nname = \"slides\"\nwhen = \"s.d - 1\"\nmessage = \"it slides\"\n[initial.qd]\nx = 2\n";
    let (outcome, point) = run(text, 0.75);
    assert_eq!(names(&outcome), ["wall", "slides"], "{:?}", outcome.events);
    // The slider keeps its speed in the ground.
    close(point.qd[0], -2.0, "cart");
    close(point.qd[1], 4.0, "slider");
}

/// Two events that undo each other without end: the run fails with the name of one of them.
#[test]
fn events_that_make_each_other_happen_are_told() {
    let events = event("start", "t - 0.5", "set = { n = 1 }")
        + &event("down", "n - 0.5", "direction = \"rising\"\nset = { n = -1 }")
        + &event("up", "n + 0.5", "direction = \"falling\"\nset = { n = 1 }");
    let (outcome, _) = run(&ball(&events), 1.0);
    let End::Failed(failure) = &outcome.end else {
        panic!("{:?}, {:?}", outcome.end, names(&outcome))
    };
    let told = failure.to_string();
    assert!(told.contains("`up`") || told.contains("`down`"), "{told}");
    close(outcome.t, 0.5, "time");
}

/// An event at whose time its own condition is set back to where it came from may happen again
/// later.
#[test]
fn a_state_that_is_set_back_counts_again() {
    let events =
        event("tick", "n - 0.25", "direction = \"rising\"\nset = { n = 0, m = \"m + 1\" }");
    let text = ball(&events).replacen("rate = 0", "rate = 1", 1);
    let (outcome, point) = run(&text, 1.1);
    let times: Vec<f64> = outcome.events.iter().map(|one| one.t).collect();
    assert_eq!(times.len(), 4, "{times:?}");
    times.iter().zip(1..).for_each(|(t, at)| close(*t, 0.25 * f64::from(at), "tick"));
    assert_eq!(point.states[1], 4.0);
}

/// Why a model is refused before its first step; none if it is not.
fn refusal(text: &str) -> Option<String> {
    let tree = match load_text("model.toml", text, &ReadOptions::default()) {
        Ok(mechanism) => normalise(mechanism),
        Err(rejected) => return Some(rejected.to_string()),
    };
    let start = start(&tree);
    let mut plant = match Plant::new(tree, start, Box::new(NoExternals)) {
        Ok(plant) => plant,
        Err(problem) => return Some(problem.message),
    };
    let mut method = method("dop853", within(1e-9), plant.size()).expect("a known method");
    let (outcome, kept) = motion(&mut plant, method.as_mut(), 1.0, 0.1, Threshold::AUTOMATIC);
    println!("{:?} after {} samples: {:?}", outcome.end, kept.times.len(), outcome.events);
    None
}

/// Two carts: the first may be driven or locked, the second may be geared to it.
fn carts(first: &str, second: &str, rest: &str) -> String {
    let cart = |name: &str, keys: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nparent = \"ground\"\n\
             joint = {{ name = \"{name}\", type = \"prismatic\", axis = \"x\"{keys} }}\nmass = 1\n"
        )
    };
    format!("[model]\nname = \"carts\"\n{}{}{rest}", cart("a", first), cart("b", second))
}

#[test]
fn a_set_without_effect_is_refused() {
    let gear = "[[coupling]]\nname = \"gear\"\nequation = \"b = -3*a\"\n";
    let dependent = ", partition = \"dependent\"";
    let motion = "[[motion]]\njoint = \"a\"\nq = \"0.1*t\"\n";
    let locked = ", role = \"locked\"";
    let mut wrong = Vec::new();
    for (first, second, rest, target) in [
        ("", dependent, gear, "b.d"),
        ("", dependent, gear, "b"),
        ("", "", motion, "a"),
        ("", "", motion, "a.d"),
        (locked, "", "", "a"),
        (locked, "", "", "a.d"),
    ] {
        let set = event("kick", "t - 0.5", &format!("set = {{ \"{target}\" = 3 }}"));
        let told = refusal(&carts(first, second, &format!("{rest}{set}")));
        // The message names the event and the coordinate.
        let names =
            |told: &String| told.contains("`kick`") && told.contains(&format!("`{target}`"));
        if !told.as_ref().is_some_and(names) {
            wrong.push(format!("set of `{target}` with {first}{second} {rest:?}: {told:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An action that can have an effect is not refused, and has it.
#[test]
fn a_set_with_an_effect_is_not_refused() {
    let gear = "[[coupling]]\nname = \"gear\"\nequation = \"b = -3*a\"\n";
    let dependent = ", partition = \"dependent\"";
    let kick = event("kick", "t - 0.5", "set = { \"a.d\" = 2 }");
    let (outcome, point) = run(&carts("", dependent, &format!("{gear}{kick}")), 1.0);
    assert_eq!(names(&outcome), ["kick"]);
    close(point.q[0], 1.0, "a");
    close(point.q[1], -3.0, "b");
    close(point.qd[1], -6.0, "b.d");
    // A joint that an event has let go can be set.
    let free = event("free", "t - 0.25", "unlock = [\"a\"]");
    let (outcome, point) = run(&carts(", role = \"locked\"", "", &format!("{free}{kick}")), 1.0);
    assert_eq!(names(&outcome), ["free", "kick"]);
    close(point.q[0], 1.0, "a that was locked");
}
