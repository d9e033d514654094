//! Every step that makes equations cheaper keeps what they say: on random trees of all joints, and
//! on random robots with axes at right angles, parallel and meeting, which is where the steps have
//! something to do.

use rotule_formalism::choices::NodeChoice;
use rotule_formalism::{Formalism, NodeId, Transformations, normalise_apart};
use rotule_testing::formalism;
use rotule_testing::formalism::case::Case;
use rotule_testing::formalism::numbers::agree;
use rotule_testing::formalism::random::Random;
use std::fmt::Write as _;

const FUNCTIONS: [(&str, Formalism); 6] = [
    ("inverse", Formalism::Barycentric),
    ("bias", Formalism::Barycentric),
    ("gravity", Formalism::Barycentric),
    ("mass", Formalism::Barycentric),
    ("forward", Formalism::Barycentric),
    ("forward", Formalism::ArticulatedBody),
];

/// The steps one after the other, and all but one.
fn choices() -> Vec<(&'static str, Transformations)> {
    let mut choices = Transformations::GROWING[1..].to_vec();
    choices.extend([
        ("not regrouped", Transformations { regroup: false, ..Transformations::ALL }),
        ("not slid", Transformations { slide: false, ..Transformations::ALL }),
        ("not turned", Transformations { turn: false, ..Transformations::ALL }),
        ("no unit", Transformations { unit: false, ..Transformations::ALL }),
        ("no columns", Transformations { columns: false, ..Transformations::ALL }),
    ]);
    choices
}

/// Compares all choices with no step at all.
fn compare(make: impl Fn() -> Case) {
    let mut plain = make();
    plain.tree.strategy.transformations = Transformations::NONE;
    let states = [plain.state(1), plain.state(2)];
    for (name, steps) in choices() {
        let mut case = make();
        case.tree.strategy.transformations = steps;
        for (function, formalism) in FUNCTIONS {
            for state in &states {
                let expected = plain.by(function, formalism, state);
                let found = case.by(function, formalism, state);
                let label = format!("{}, {function}, {}, {name}", case.label, formalism.name());
                agree(&label, &found.values, &expected.values, 1e-11);
            }
        }
    }
}

#[test]
fn steps_keep_the_equations_of_random_trees() {
    for seed in 1..=12 {
        compare(|| Case::random(seed));
    }
}

#[test]
fn steps_keep_the_equations_of_random_robots() {
    for seed in 1..=24 {
        let text = robot(&mut Random::new(seed));
        compare(|| Case::of(&format!("robot {seed}"), &text));
    }
}

#[test]
fn bodies_that_are_fixed_to_others_can_be_merged_or_not() {
    let mut fixed = 0;
    for seed in 1..=40 {
        let (mut merged, mut apart) = (Case::random(seed), Case::random(seed));
        apart.tree = normalise_apart(apart.tree.mechanism.clone());
        if apart.tree.tree.nodes.len() == merged.tree.tree.nodes.len() {
            continue;
        }
        fixed += 1;
        merged.tree.strategy.transformations = Transformations::NONE;
        apart.tree.strategy.transformations = Transformations::NONE;
        let state = merged.state(1);
        for (function, formalism) in FUNCTIONS {
            let expected = merged.by(function, formalism, &state);
            let found = apart.by(function, formalism, &state);
            let label = format!("{}, {function}, {}, apart", merged.label, formalism.name());
            agree(&label, &found.values, &expected.values, 1e-11);
        }
    }
    assert!(fixed >= 8, "{fixed} trees with fixed bodies");
}

/// Makes all free choices at random, those of the order of operands included.
fn choose(case: &mut Case, random: &mut Random) {
    for choice in NodeChoice::ALL {
        let nodes = case.tree.tree.outward();
        let nodes: Vec<NodeId> = nodes.filter(|_| random.chance(0.4)).collect();
        case.tree.strategy.choices.flip(choice, &nodes);
    }
    case.tree.strategy.choices.unit = random.below(4);
    case.tree.strategy.choices.order = random.below(1 << 30) as u32;
}

/// Compares equations with other choices to those of no step at all.
fn compare_choices(seed: u64, make: impl Fn() -> Case) {
    let mut plain = make();
    plain.tree.strategy.transformations = Transformations::NONE;
    let state = plain.state(1);
    for number in 0..3 {
        let mut case = make();
        choose(&mut case, &mut Random::new(1000 * seed + number));
        for (function, formalism) in FUNCTIONS {
            let expected = plain.by(function, formalism, &state);
            let found = case.by(function, formalism, &state);
            let label = format!("{}, {function}, {}, {number}", case.label, formalism.name());
            agree(&label, &found.values, &expected.values, 1e-11);
        }
    }
}

#[test]
fn free_choices_keep_the_equations() {
    for seed in 1..=10 {
        compare_choices(seed, || Case::random(seed));
    }
    for seed in 1..=24 {
        let text = robot(&mut Random::new(seed));
        compare_choices(seed, || Case::of(&format!("robot {seed}"), &text));
    }
}

/// No step is idle: each makes some function of the robots cheaper.
#[test]
fn every_step_gains_somewhere() {
    let mut gains = vec![0_i64; Transformations::GROWING.len()];
    for seed in 1..=6 {
        let text = robot(&mut Random::new(seed));
        for (function, formalism) in [("forward", Formalism::Barycentric)] {
            let counts = Transformations::GROWING.map(|(_, steps)| {
                let mut tree = formalism::tree(&text);
                tree.strategy.transformations = steps;
                formalism::operations(&mut tree, function, formalism) as i64
            });
            for (at, pair) in counts.windows(2).enumerate() {
                gains[at + 1] += pair[0] - pair[1];
            }
        }
    }
    for ((name, _), gain) in Transformations::GROWING.iter().zip(&gains).skip(1) {
        println!("{name}: {gain}");
        assert!(*gain > 0, "{name}: {gain} operations gained in all");
    }
}

/// A tree of turns about frame axes, between which there are quarter turns and offsets with many
/// zeros; one in three has a floating base.
fn robot(random: &mut Random) -> String {
    let mut text = String::from("[model]\nname = \"robot\"\ngravity = [0, 0, -9.81]\n");
    let floating = random.chance(0.35);
    let count = 4 + random.below(4);
    for i in 0..count {
        // Chains for the most part.
        let back = if random.chance(0.2) { 2 } else { 1 };
        let parent = match i {
            0 => "ground".to_owned(),
            _ => format!("b{}", i.saturating_sub(back)),
        };
        let offset = |random: &mut Random| match random.below(3) {
            0 => 0.3 * f64::from(random.below(3) as i32 - 1),
            1 => random.short(-0.4, 0.4),
            _ => 0.0,
        };
        let [x, y, z] = [(); 3].map(|()| offset(random));
        let turn = ["x", "y", "z"][random.below(3)];
        let quarters = random.below(4);
        let _ = write!(
            text,
            "[[body]]\nname = \"b{i}\"\nparent = \"{parent}\"\nposition = [{x}, {y}, {z}]\n\
             rotation = {{ axis = \"{turn}\", angle = \"{quarters}*pi/2\" }}\n"
        );
        let axis = ["x", "y", "z", "-x", "-y", "-z"][random.below(6)];
        let armature = if random.chance(0.15) { ", armature = 0.1" } else { "" };
        let joint = match (i, floating) {
            (0, true) => "type = \"free\"".to_owned(),
            _ => format!("type = \"revolute\", axis = \"{axis}\"{armature}"),
        };
        let number = |random: &mut Random, low, high| random.short(low, high);
        let mass = number(random, 0.5, 2.0);
        let com = [(); 3].map(|()| number(random, -0.2, 0.2));
        let [xx, yy, zz] = [(); 3].map(|()| number(random, 0.2, 0.35));
        let [xy, xz, yz] = [(); 3].map(|()| number(random, -0.05, 0.05));
        let _ = write!(
            text,
            "joint = {{ name = \"q{i}\", {joint} }}\nmass = {mass}\ncom = [{}, {}, {}]\n\
             inertia = {{ xx = {xx}, yy = {yy}, zz = {zz}, xy = {xy}, xz = {xz}, yz = {yz} }}\n",
            com[0], com[1], com[2]
        );
    }
    text
}
