//! Common parts of tests of formalisms: trees from text or examples, numbers of functions by name,
//! random mechanisms, and equations of motion by a path that has nothing in common with the
//! recursions.

pub mod case;
pub mod closed;
pub mod kane;
pub mod loops;
pub mod motion;
pub mod numbers;
pub mod programs;
pub mod random;
pub mod robot2;
pub mod text;

use rotule_formalism::{
    Formalism, ModelFunction, MultibodySystem, Parts, Sheet, Writer, dynamics, normalise,
};
use rotule_model::{Mechanism, ReadOptions, load_text};
use rotule_numeric::generate;
use rotule_program::lower::Target;
use rotule_symbolic::random::of_name;
use rotule_symbolic::{Expr, Scalar};
use std::collections::BTreeMap;
use std::path::Path;

/// Every type of joint, free, driven and locked, in two branches from the ground, with axes in any
/// direction, fixed bodies between, points with axes of their own, and forces.
pub const MENAGERIE: &str = include_str!("../../models/menagerie.toml");

/// Numbers for inputs by name.
pub type State = BTreeMap<String, f64>;

/// The mechanism of a model file.
pub fn mechanism(text: &str) -> Mechanism {
    load_text("model.toml", text, &ReadOptions::default()).expect("a valid model")
}

/// The tree of a model file.
pub fn tree(text: &str) -> MultibodySystem {
    normalise(mechanism(text))
}

/// Two chains that can reach each other in any way, with a cut of this type between them.
pub fn chains(cut: &str) -> String {
    let mut text = String::from("[model]\nname = \"chains\"\n");
    for (name, x) in [("a", 0.0), ("b", 0.3)] {
        text += &format!(
            "[[body]]\nname = \"{name}1\"\nparent = \"ground\"\nposition = [{x}, 0.1, 0]\n\
             joint = {{ name = \"{name}s\", type = \"spherical\" }}\nmass = 1\ninertia = {{ xx = 1, yy = 1, zz = 1 }}\n\
             [[body]]\nname = \"{name}2\"\nparent = \"{name}1\"\nposition = [0, 0.4, 0.2]\n\
             joint = {{ name = \"{name}r\", type = \"revolute\", axis = [0.8, 0.6, 0] }}\nmass = 1\n\
             inertia = {{ xx = 1, yy = 1, zz = 1 }}\n"
        );
    }
    text + &format!("[[cut]]\nname = \"closure\"\nbetween = [\"a2\", \"b2\"]\n{cut}\n")
}

/// Examples with loops in the plane and in space, single, nested and many, and cuts of all kinds;
/// all constraints are of coordinates.
pub const CLOSED: [&str; 14] = [
    "four_bar_body",
    "four_bar_joint",
    "four_bar_rod",
    "slider_crank",
    "spatial_slider_crank",
    "andrews_squeezer",
    "five_bar",
    "delta_robot",
    "planar_robot_1",
    "planar_robot_2",
    "planar_robot_3",
    "planar_robot_4",
    "ba2000_bogie",
    "stewart_platform",
];

/// The text of an example.
pub fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    std::fs::read_to_string(path).expect("a readable example")
}

/// The outputs of a function, which is written into the graph of the system.
pub fn write(tree: &mut MultibodySystem, function: &str, formalism: Formalism) -> Vec<Target> {
    let function = ModelFunction::parse(function, tree).expect("a known function");
    let sheet = tree.sheet();
    let written = rotule_numeric::write(tree, &sheet, &function, formalism);
    (tree.mechanism.graph, ..) = sheet.into_parts();
    written.unwrap_or_else(|problem| panic!("{problem}"))
}

/// The outputs of a function, and the sheet that they are written on.
pub fn written(
    tree: &MultibodySystem,
    function: &str,
    formalism: Formalism,
) -> (Vec<Target>, Sheet) {
    let function = ModelFunction::parse(function, tree).expect("a known function");
    let sheet = tree.sheet();
    let written = rotule_numeric::write(tree, &sheet, &function, formalism);
    (written.unwrap_or_else(|problem| panic!("{problem}")), sheet)
}

/// Writes on a sheet, whose expressions the graph of the system has from then on.
pub fn on_sheet<T>(tree: &mut MultibodySystem, write: impl FnOnce(Writer<'_, '_>) -> T) -> T {
    let sheet = tree.sheet();
    let written = write(tree.writer(&sheet));
    (tree.mechanism.graph, ..) = sheet.into_parts();
    written
}

/// The efforts of some parts of the equations of motion.
pub fn efforts(tree: &mut MultibodySystem, parts: Parts, formalism: Formalism) -> Vec<Expr> {
    on_sheet(tree, |writer| {
        dynamics::parts(writer, parts, formalism).into_iter().map(Scalar::expr).collect()
    })
}

/// The outputs of a function by the first of its formalisms.
pub fn plain(tree: &mut MultibodySystem, function: &str) -> Vec<Target> {
    let formalism = ModelFunction::parse(function, tree).expect("a known function").formalisms()[0];
    write(tree, function, formalism)
}

/// The operations of a function in the body of its program, functions such as sines included.
pub fn operations(tree: &mut MultibodySystem, function: &str, formalism: Formalism) -> u64 {
    let function = ModelFunction::parse(function, tree).expect("a known function");
    let made = generate(tree, &function, Some(formalism));
    made.unwrap_or_else(|problem| panic!("{problem}")).counts.body.operations()
}

/// The numbers of an output in a state, dense and by rows.
pub fn numbers(tree: &MultibodySystem, target: &Target, state: &State) -> Vec<f64> {
    let exprs: Vec<Expr> = target.entries.iter().map(|entry| entry.2).collect();
    let value = |name: &str| state.get(name).copied();
    let found = tree.mechanism.graph.evaluate_f64(&exprs, value).expect("all inputs are known");
    let mut dense = vec![0.0; (target.rows * target.columns) as usize];
    for (&(row, column, _), number) in target.entries.iter().zip(found) {
        dense[(row * target.columns + column) as usize] = number;
        if target.symmetric {
            dense[(column * target.columns + row) as usize] = number;
        }
    }
    dense
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

/// The numbers of expressions in a state.
pub fn evaluated(tree: &MultibodySystem, list: &[Expr], state: &State) -> Vec<f64> {
    let value = |name: &str| state.get(name).copied();
    tree.mechanism.graph.evaluate_f64(list, value).expect("all inputs are known")
}

/// Time derivatives of expressions along the motion: coordinates change by `rates`, speeds by their
/// accelerations, and time goes on.
pub fn along_motion(tree: &mut MultibodySystem, list: &[Expr]) -> Vec<Expr> {
    let rates = dense(&plain(tree, "rates")[0]);
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

/// Numbers for all inputs: parameters have theirs, quaternions are of unit length, the rest is
/// random.
pub fn state(tree: &MultibodySystem, seed: u32) -> State {
    let mechanism = &tree.mechanism;
    let mut state = BTreeMap::new();
    let mut put = |symbol: Expr, number: f64| state.insert(mechanism.graph.text(symbol), number);
    for parameter in &mechanism.parameters {
        put(parameter.symbol, parameter.value);
    }
    put(mechanism.time, of_name("t", seed));
    for speed in &mechanism.speeds {
        for symbol in [speed.symbol, speed.acceleration, speed.effort] {
            put(symbol, of_name(&mechanism.graph.text(symbol), seed));
        }
    }
    for joint in &mechanism.joints {
        let own = &mechanism.coordinates[joint.coordinates.clone()];
        let numbers: Vec<f64> = own.iter().map(|one| of_name(&one.name, seed)).collect();
        let start = joint.kind.quaternion().unwrap_or(own.len());
        let length = numbers[start..].iter().map(|part| part * part).sum::<f64>().sqrt();
        for (at, (one, number)) in own.iter().zip(&numbers).enumerate() {
            put(one.symbol, if at < start { *number } else { number / length });
        }
    }
    state
}

/// Equal to a tolerance, relative to the largest.
#[track_caller]
pub fn agree(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let size = expected.iter().fold(1.0_f64, |size, value| size.max(value.abs()));
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let close = (found - expected).abs() <= tolerance * size;
        assert!(close, "{what}, entry {at}: {found} is not {expected}");
    }
}
