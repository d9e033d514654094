//! Cases: the functions generated of each model.

use crate::check::{Face, check};
use crate::tools::Tooling;
use rotule::layers::emit::{Package, Size};
use rotule::layers::formalism::normalise;
use rotule::layers::model::mechanism::Mechanism;
use rotule::layers::state::StateNumbers;
use rotule::layers::{PackageOptions, package};
use rotule_testing::formalism::{self, example};
use std::sync::LazyLock;

/// A model and its functions. Together, the small ones have nearly every function; large
/// ones are cut into pieces.
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
];

/// The models that are run in batches: small, in pieces, with iterations, with time and states.
const BATCHES: &[&str] =
    &["pendulum", "puma560", "quadruped", "slider_crank", "multilink_car", "motor_pendulum"];

/// The mechanism of one of the examples.
pub fn mechanism(name: &str) -> Mechanism {
    formalism::mechanism(&example(&format!("{name}.toml")))
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
    // Whatever is alike is written once, worth it or not.
    let (readable, size) = (face.readable, Size::Small);
    let options =
        PackageOptions { functions, readable, size, hash, frozen, ..PackageOptions::default() };
    package(&tree, &options, &state, &mut |_| {}).unwrap_or_else(|problem| panic!("{problem:?}"))
}

/// All packages with their labels, generated once for all languages.
static PACKAGES: LazyLock<Vec<(String, Package)>> = LazyLock::new(|| {
    let mut packages = Vec::new();
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
        let wanted = !tooling.batch || BATCHES.iter().any(is);
        let long = (LARGE.iter().any(is) && label.ends_with("_frozen_readable"))
            || (thorough && is(&LARGEST));
        if wanted && (all || !long) {
            check(tooling, package, label);
        }
    }
}
