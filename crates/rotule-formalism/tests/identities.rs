//! Identities that hold on every tree, here on one with every type of joint, branches and axes in any direction.

use rotule_formalism::dynamics::{masses, parts};
use rotule_formalism::{Formalism, Parts, Tree, normalise};
use rotule_model::{Format, ReadOptions, Sources, load};
use rotule_symbolic::Expr;

/// Every type of joint, in branches, with fixed bodies between.
const ZOO: &str = r#"
[model]
name = "zoo"
gravity = [1, 2, -9]

[[body]]
name = "base"
parent = "ground"
joint = { name = "free", type = "free" }
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
"#;

/// The quaternions of the zoo: their joint and the number of their first coordinate.
const QUATERNIONS: [(&str, usize); 2] = [("free", 4), ("s", 1)];

/// Numbers for all inputs, the same for the same name and seed; quaternions have unit length.
fn random(name: &str, seed: u32) -> f64 {
    for (joint, first) in QUATERNIONS {
        let parts: Vec<String> = (first..first + 4).map(|i| format!("{joint}[{i}]")).collect();
        if parts.iter().any(|part| part == name) {
            let squares: f64 = parts.iter().map(|part| plain(part, seed).powi(2)).sum();
            return plain(name, seed) / squares.sqrt();
        }
    }
    plain(name, seed)
}

fn plain(name: &str, seed: u32) -> f64 {
    let start = seed.wrapping_mul(2_654_435_761);
    let hash =
        name.bytes().fold(start, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
    f64::from(hash) / f64::from(u32::MAX) * 2.0 - 1.0
}

fn zoo() -> Tree {
    let mut sources = Sources::new();
    let id = sources.add("zoo", ZOO);
    let loaded = load(&sources, id, Format::Native, &[], &ReadOptions::default());
    let shown = loaded.diagnostics.render(&sources);
    let Some(mechanism) = loaded.mechanism else { panic!("{shown}") };
    normalise(mechanism)
}

/// Postiau, test A1, with each formalism, and A5: all formalisms agree.
#[test]
fn inverse_is_mass_times_accelerations_plus_bias() {
    let mut tree = zoo();
    let first = parts(&mut tree, Parts::ALL, Formalism::Classical);
    for formalism in [Formalism::Classical, Formalism::Barycentric] {
        let inverse = parts(&mut tree, Parts::ALL, formalism);
        let bias = parts(&mut tree, Parts::BIAS, formalism);
        let entries = masses(&mut tree, formalism);
        let masses: Vec<Expr> = entries.iter().map(|entry| entry.2).collect();
        for seed in 1..=20 {
            let value = |name: &str| Some(random(name, seed));
            let evaluate =
                |list: &[Expr]| tree.mechanism.graph.evaluate_f64(list, value).expect("all inputs");
            let (efforts, mut sum) = (evaluate(&inverse), evaluate(&bias));
            let qdd = evaluate(&tree.qdd);
            for (&(i, j, _), value) in entries.iter().zip(evaluate(&masses)) {
                sum[i] += value * qdd[j];
                if i != j {
                    sum[j] += value * qdd[i];
                }
            }
            let size = efforts.iter().fold(1.0_f64, |size, effort| size.max(effort.abs()));
            let known = evaluate(&first);
            for (speed, ((effort, sum), known)) in efforts.iter().zip(&sum).zip(&known).enumerate()
            {
                let name = formalism.name();
                assert!((effort - sum).abs() < 1e-12 * size, "{name} {speed}: {effort} {sum}");
                assert!((effort - known).abs() < 1e-12 * size, "{name} {speed}: {effort} {known}");
            }
        }
    }
}
