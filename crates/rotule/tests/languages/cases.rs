//! Cases: the functions generated of each model.

use crate::check::{Face, check};
use crate::tools::Tooling;
use rotule::NamedGroup;
use rotule::layers::emit::{Package, Size};
use rotule::layers::formalism::normalise;
use rotule::layers::model::mechanism::Mechanism;
use rotule::layers::state::StateNumbers;
use rotule::layers::{PackageOptions, package};
use rotule_testing::formalism::{self, example};
use std::ops::ControlFlow;
use std::sync::LazyLock;

/// A model and its functions. Together, the small ones have nearly every function; large
/// ones are cut into chunks.
const MODELS: &[(&str, &str)] = &[
    (
        "pendulum",
        "inverse,forward,mass,bias,gravity,coriolis,kinetic_energy,potential_energy,power,drives,regressor",
    ),
    ("double_pendulum", "inverse,forward,mass_bias,coriolis_matrix,tangent,derivative(forward, q)"),
    ("puma560", "inverse,forward,mass_bias,jacobian(link6),derivative(inverse, q),reactions"),
    ("motorcycle", "inverse,forward,forces,com"),
    ("quadruped", "inverse,forward,mass_bias,rates,derivative(inverse, qd)"),
    ("slider_crank", "closure,forward,multipliers,constraints,closure_reactions"),
    ("four_bar_rod", "closed_inverse,actuation,augmented,closure_reactions,closed_reactions"),
    ("multilink_car", "forward"),
    ("motor_pendulum", "forward,states,motion,derivative(motion, state),mass"),
    ("n_pendulum_8", "inverse,forward,mass"),
    ("train", "inverse,forward,derivative(forward, q)"),
    ("cart_pole", "inverse,forward,derivative(forward, effort),inverse_mass"),
    ("crane", "inverse,forward,motion,states,derivative(forward, input),drives"),
];

/// Groups of functions, separated by semicolons: a tree with two groups, closed loops, inputs of
/// the user's own.
const GROUPS: &[(&str, &str)] = &[
    (
        "puma560",
        "control=inverse,mass_bias,forward,jacobian(link6);slow=kinetic_energy,gravity,com",
    ),
    ("slider_crank", "all=closure,forward,multipliers,com_velocity"),
    ("crane", "drive=forward,motion,kinetic_energy"),
];

/// Inputs in a law, in a motion with its derivatives, and through a filter.
const CRANE: &str = r#"
[model]
name = "crane"

[parameters]
load = 3

[[input]]
name = "travel"
value = 0.3
unit = "m"

[[input]]
name = "wind"
value = 2
unit = "N"

[[input]]
name = "hoist"
value = 1.2
unit = "m"
filter = 0.2

[[body]]
name = "trolley"
parent = "ground"
joint = { name = "x", type = "prismatic", axis = "x" }
mass = 5

[[body]]
name = "swing"
parent = "trolley"
joint = { name = "th", type = "revolute", axis = "y", effort = "-0.1*qd + wind*length*cos(q)" }
mass = 0.5
inertia = { xx = 0.01, yy = 0.01, zz = 0.01 }

[[body]]
name = "load"
parent = "swing"
joint = { name = "length", type = "prismatic", axis = "-z" }
mass = "load"

[[motion]]
joint = "x"
q = "travel"

[[motion]]
joint = "length"
q = "hoist"
"#;

/// The models that are run in batches: small, in chunks, with iterations, with time and states.
const BATCHES: &[&str] = &[
    "pendulum",
    "puma560",
    "quadruped",
    "slider_crank",
    "multilink_car",
    "motor_pendulum",
    "crane",
];

/// The mechanism of one of the examples, or that with inputs.
pub fn mechanism(name: &str) -> Mechanism {
    match name {
        "crane" => formalism::mechanism(CRANE),
        _ => formalism::mechanism(&example(&format!("{name}.toml"))),
    }
}

/// Efforts of closed mechanisms: those of machines and vehicles.
const PUSH: f64 = 1000.0;

/// The package of a model at a random state, or at its initial one with random efforts if it has
/// loops.
pub fn random_package(name: &str, functions: &str, face: Face) -> Package {
    let mut mechanism = mechanism(name);
    let all: Vec<String> = mechanism.parameters.iter().map(|one| one.name.clone()).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let frozen = if face.frozen { mechanism.freeze(&all) } else { Vec::new() };
    let tree = normalise(mechanism);
    // Loops are closed from near by only.
    let closed = !tree.mechanism.cuts.is_empty();
    let mut state = StateNumbers::random(&tree, 7);
    if closed {
        // Some stand nearly still at first: what is left of their forces is rounding, unless drives
        // push.
        let effort = state.effort.iter().map(|effort| PUSH * effort).collect();
        state = StateNumbers { effort, ..StateNumbers::initial(&tree) };
    }
    state.settle(&tree);
    let hash = String::from("0");
    // Isomorphic parts are written once, worth it or not.
    let (readable, size) = (face.readable, Size::Small);
    // A list with names is one of groups.
    let parse = |text: &str| text.parse::<NamedGroup>().expect("a group");
    let (functions, groups) = match functions.contains('=') {
        true => ("", functions.split(';').map(parse).collect()),
        false => (functions, Vec::new()),
    };
    let options = PackageOptions {
        functions,
        groups,
        readable,
        size,
        hash,
        frozen,
        ..PackageOptions::default()
    };
    package(&tree, &options, &state, &mut |_| ControlFlow::Continue(()))
        .unwrap_or_else(|problem| panic!("{problem:?}"))
}

/// All packages with their labels, generated once for all languages.
static PACKAGES: LazyLock<Vec<(String, Package)>> = LazyLock::new(|| {
    let mut packages = Vec::new();
    for &(name, groups) in GROUPS {
        let face = Face { frozen: false, readable: false };
        packages.push((format!("groups_{name}"), random_package(name, groups, face)));
    }
    for &(name, functions) in MODELS {
        // Two of the four combinations show all that the four do.
        for face in [Face { frozen: false, readable: false }, Face { frozen: true, readable: true }]
        {
            let package = random_package(name, functions, face);
            packages.push((format!("{name}{}", face.suffix()), package));
        }
    }
    let face = Face { frozen: false, readable: true };
    let package = random_package("double_pendulum", "inverse,derivative(forward, l1)", face);
    packages.push((format!("double_pendulum{}", face.suffix()), package));
    packages
});

/// Models whose second face is left out unless everything is requested.
const LARGE: &[&str] = &["puma560", "quadruped", "multilink_car"];

/// The model that takes minutes in batches and under sanitizers; its loops are those of the small
/// ones.
const LARGEST: &str = "multilink_car";

/// Runs the models in one language; with `ROTULE_ALL` in the environment, all of them.
pub fn check_models(tooling: &Tooling) {
    let all = std::env::var_os("ROTULE_ALL").is_some();
    let thorough = tooling.batch || tooling.name.ends_with("sanitized");
    for (label, package) in PACKAGES.iter() {
        let is = |name: &&str| label.starts_with(*name);
        // Batches share all but their packs with the functions of one state.
        let requested = !tooling.batch || BATCHES.iter().any(is);
        let long = (LARGE.iter().any(is) && label.ends_with("_frozen_readable"))
            || (thorough && is(&LARGEST));
        if requested && (all || !long) {
            check(tooling, package, label);
        }
        // Temporaries that share places are C's alone.
        if tooling.name == "c" && !package.readable {
            let package = Package { size: Size::Slots, ..package.clone() };
            check(tooling, &package, &format!("{label}_slots"));
        }
    }
}
