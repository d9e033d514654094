//! What several tests need: models, states, and the numbers of functions.
#![allow(dead_code, reason = "each test uses a part of it")]

use rotule_formalism::{Formalism, Function, Tree, normalise};
use rotule_model::draft::JointType;
use rotule_model::{Format, ReadOptions, Sources, load};
use rotule_program::lower::Target;
use rotule_symbolic::Expr;
use std::collections::HashMap;

/// Every type of joint, free, driven and locked, in two branches from the ground, with axes in any direction, fixed
/// bodies between, points with axes of their own, and forces.
pub const MENAGERIE: &str = r#"
[model]
name = "menagerie"
gravity = [1, 2, -9]

[parameters]
k = 1.3

[[body]]
name = "base"
parent = "ground"
joint = { name = "free", type = "free", effort = [0, "-k*qd[2]", 0, 0, "-k*qd[5]", 0] }
mass = 5
com = [0.1, 0.2, -0.1]
inertia = { xx = 1, yy = 1.2, zz = 0.9, xy = 0.1, xz = -0.05, yz = 0.02 }
points.a = { position = [0.3, 0.1, 0], rotation = [0.2, -0.4, 1] }
points.b = [-0.2, 0.1, 0.4]

[[body]]
name = "one"
parent = "base.a"
joint = { name = "u", type = "universal", axes = ["x", [0, 1, 2]] }
mass = 1
com = [0.1, 0, 0.3]
inertia = { xx = 0.2, yy = 0.2, zz = 0.1 }

[[body]]
name = "lump"
parent = "one"
position = [0, 0.5, 0]
rotation = [0.1, 0.2, 0.3]
mass = 0.4
inertia = { xx = 0.02, yy = 0.02, zz = 0.01 }

[[body]]
name = "two"
parent = "lump"
joint = { name = "c", type = "cylindrical", axis = [1, 2, 2] }
mass = 0.7
com = [0, 0.2, 0]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04 }
points.tip = { position = [0.1, -0.2, 0.3], rotation = [0.5, 0.1, -0.7] }

[[body]]
name = "three"
parent = "base.b"
joint = { name = "p", type = "planar", axis = "-y" }
mass = 0.8
com = [0.2, 0, 0]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04 }

[[body]]
name = "four"
parent = "three"
position = [0, 0, 0.3]
joint = { name = "s", type = "spherical" }
mass = 0.6
com = [0, 0.2, 0.1]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04 }

[[body]]
name = "five"
parent = "four"
position = [0, 0.1, 0.3]
joint = { name = "h", type = "helical", axis = "-z", pitch = 0.3, armature = 0.2 }
mass = 0.3
com = [0.2, 0, 0.1]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04 }

[[body]]
name = "post"
parent = "ground"
position = [2, 0, 0.5]
rotation = [0, 0.3, 0]
mass = 3
com = [0, 0, 0.2]

[[body]]
name = "arm"
parent = "post"
position = [0, 0.1, 0.4]
joint = { name = "r", type = "revolute", axis = [2, -1, 2], effort = "-k*q - 0.1*qd" }
mass = 0.9
com = [0.3, 0.1, 0]
inertia = { xx = 0.02, yy = 0.05, zz = 0.04 }

[[body]]
name = "slide"
parent = "arm"
position = [0.6, 0, 0.1]
joint = { name = "t1", type = "prismatic", axis = "-x", armature = 0.4 }
mass = 0.5
com = [0.05, 0, 0.1]
inertia = { xx = 0.01, yy = 0.02, zz = 0.03, yz = 0.002 }

[[body]]
name = "crank"
parent = "slide"
position = [0.1, 0.2, 0]
joint = { name = "m", type = "revolute", axis = "y" }
mass = 0.4
com = [0, 0, 0.2]
inertia = { xx = 0.01, yy = 0.02, zz = 0.03 }

[[body]]
name = "stuck"
parent = "crank"
position = [0, 0.1, 0.3]
joint = { name = "l", type = "prismatic", axis = [1, 1, 0], nature = "locked" }
mass = 0.2
com = [0.1, 0, 0]

[[body]]
name = "ball"
parent = "stuck"
position = [0.2, 0, 0]
joint = { name = "o", type = "spherical" }
mass = 0.3
com = [0, 0.1, -0.1]
inertia = { xx = 0.01, yy = 0.02, zz = 0.015 }
points.nose = { position = [0.1, 0.2, -0.3], rotation = [0, 0, 0.4] }

[[body]]
name = "drone"
parent = "two"
position = [0.3, 0, 0]
rotation = [0, 0.2, 0.1]
joint = { name = "f2", type = "free" }
mass = 0.2
com = [0, 0.02, 0.01]
inertia = { xx = 0.01, yy = 0.02, zz = 0.015 }

[[motion]]
joint = "m"
q = "0.3*sin(2*t) + t^2"

[[link]]
name = "spring"
between = ["two.tip", "ball.nose"]
force = "k*(Z - 0.4) + 0.2*Zd"

[[force]]
name = "drag"
at = "ball.nose"
force = ["-0.2*vx", "-0.3*vy", "0.1*z"]

[[sensor]]
name = "eye"
at = "ball.nose"
measures = ["jacobian", "position", "rotation", "velocity", "angular_velocity", "acceleration", "angular_acceleration"]
relative_to = "five"

[initial.q]
l = 0.17
"#;

/// The tree of a model.
pub fn tree(text: &str) -> Tree {
    let mut sources = Sources::new();
    let id = sources.add("model", text);
    let loaded = load(&sources, id, Format::Native, &[], &ReadOptions::default());
    let shown = loaded.diagnostics.render(&sources);
    let Some(mechanism) = loaded.mechanism else { panic!("{shown}") };
    normalise(mechanism)
}

/// The text of a model in `examples`.
pub fn example(name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    std::fs::read_to_string(folder.join(name)).expect("a readable example")
}

/// Numbers for inputs by name.
pub type State = HashMap<String, f64>;

/// A random number in -1 .. 1, the same for the same name and seed.
pub fn random(name: &str, seed: u32) -> f64 {
    let start = seed.wrapping_mul(2_654_435_761);
    let hash =
        name.bytes().fold(start, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
    f64::from(hash) / f64::from(u32::MAX) * 2.0 - 1.0
}

/// A random state with unit quaternions; parameters have the model's values.
pub fn state(tree: &Tree, seed: u32) -> State {
    let mechanism = &tree.mechanism;
    let name = |symbol: Expr| mechanism.graph.text(symbol);
    let mut state = State::new();
    let mut symbols = vec![mechanism.time];
    symbols.extend(mechanism.coordinates.iter().map(|one| one.symbol));
    for speed in &mechanism.speeds {
        symbols.extend([speed.symbol, speed.acceleration, speed.effort]);
    }
    for symbol in symbols {
        state.insert(name(symbol), random(&name(symbol), seed));
    }
    for parameter in &mechanism.parameters {
        state.insert(parameter.name.clone(), parameter.value);
    }
    for joint in &mechanism.joints {
        let parts = match joint.kind {
            JointType::Spherical => joint.coordinates.clone(),
            JointType::Free => joint.coordinates.start + 3..joint.coordinates.end,
            _ => continue,
        };
        let names: Vec<String> =
            mechanism.coordinates[parts].iter().map(|one| name(one.symbol)).collect();
        let length = names.iter().map(|name| state[name] * state[name]).sum::<f64>().sqrt();
        for name in names {
            state.entry(name).and_modify(|part| *part /= length);
        }
    }
    state
}

/// The numbers of expressions.
pub fn numbers(tree: &Tree, list: &[Expr], state: &State) -> Vec<f64> {
    let value = |name: &str| state.get(name).copied();
    tree.mechanism.graph.evaluate_f64(list, value).expect("all inputs are in the state")
}

/// The outputs of a function, written by a formalism or by its plain one.
pub fn write(tree: &mut Tree, text: &str, formalism: Option<Formalism>) -> Vec<Target> {
    let function = Function::parse(text, tree).unwrap_or_else(|problem| panic!("{problem}"));
    let formalism = formalism.unwrap_or(function.formalisms()[0]);
    function.write(tree, formalism).unwrap_or_else(|problem| panic!("{text}: {problem}"))
}

/// All entries of an output, by rows.
pub fn dense(target: &Target) -> Vec<Expr> {
    let mut all = vec![Expr::ZERO; (target.rows * target.columns) as usize];
    for &(row, column, value) in &target.entries {
        all[(row * target.columns + column) as usize] = value;
        if target.symmetric {
            all[(column * target.columns + row) as usize] = value;
        }
    }
    all
}

/// The numbers of an output, by rows.
pub fn values(tree: &Tree, target: &Target, state: &State) -> Vec<f64> {
    numbers(tree, &dense(target), state)
}

/// Time derivatives of expressions along the motion: coordinates change by `rates`, speeds by their accelerations, and time
/// goes on.
pub fn along_motion(tree: &mut Tree, list: &[Expr]) -> Vec<Expr> {
    let rates = dense(&write(tree, "rates", None)[0]);
    let mechanism = &mut tree.mechanism;
    let mut symbols: Vec<Expr> = mechanism.coordinates.iter().map(|one| one.symbol).collect();
    let mut changes = rates;
    symbols.extend(mechanism.speeds.iter().map(|one| one.symbol));
    changes.extend(mechanism.speeds.iter().map(|one| one.acceleration));
    symbols.push(mechanism.time);
    changes.push(Expr::ONE);
    let derivatives = mechanism.graph.derivatives(list, &symbols);
    let mut terms = vec![Vec::new(); list.len()];
    for &(row, column, value) in &derivatives.entries {
        let term = mechanism.graph.mul(value, changes[column]);
        terms[row].push(term);
    }
    terms.iter().map(|terms| mechanism.graph.sum(terms)).collect()
}

/// Equal to a tolerance, relative to the largest number or to one.
#[track_caller]
pub fn agree(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let size = expected.iter().fold(1.0_f64, |size, value| size.max(value.abs()));
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let close = (found - expected).abs() <= tolerance * size;
        assert!(close, "{what}, number {at}: {found} is not {expected}");
    }
}
