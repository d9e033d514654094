//! Centre of mass, momentum, energies and power: against sums over the user's bodies, the mass
//! matrix, gravity, and the balance of energy.

use rotule_formalism::{ModelFunction, MultibodySystem};
use rotule_model::pose::{self, Components};
use rotule_testing::formalism::{
    MENAGERIE, State, agree, along_motion, dense, evaluated, example, numbers, plain, state, tree,
};

/// The menagerie, and examples with all their masses.
fn models() -> Vec<(String, MultibodySystem)> {
    let files = ["puma560.toml", "kuka_iiwa14.toml", "motorcycle.toml", "furuta.toml"];
    let mut list = vec![("menagerie".to_owned(), tree(MENAGERIE))];
    list.extend(files.map(|file| (file.to_owned(), tree(&example(file)))));
    list
}

fn vector(tree: &mut MultibodySystem, text: &str, output: usize, state: &State) -> Components {
    let targets = plain(tree, text);
    numbers(tree, &targets[output], state).try_into().expect("three components")
}

/// Mass, place and velocity of the centre of mass, and the angular momentum about it, of each of
/// the user's bodies.
fn bodies(
    tree: &mut MultibodySystem,
    state: &State,
) -> Vec<(f64, Components, Components, Components)> {
    let bodies = tree.mechanism.bodies.clone();
    let mut list = Vec::new();
    for body in bodies.iter().skip(1) {
        let targets = plain(tree, &format!("kinematics({})", body.name));
        let [p, r, v, w] = [0, 1, 2, 3].map(|at| numbers(tree, &targets[at], state));
        let three = |list: &[f64]| -> Components { [list[0], list[1], list[2]] };
        let turn = |v: Components| -> Components {
            std::array::from_fn(|i| (0..3).map(|k| r[3 * i + k] * v[k]).sum())
        };
        let back = |v: Components| -> Components {
            std::array::from_fn(|i| (0..3).map(|k| r[3 * k + i] * v[k]).sum())
        };
        let mass = evaluated(tree, &[body.mass], state)[0];
        let arm = turn(three(&evaluated(tree, &body.com.0, state)));
        let inertia = evaluated(tree, &body.inertia.0.concat(), state);
        let w = three(&w);
        let own = back(w);
        let spin: Components =
            std::array::from_fn(|i| (0..3).map(|k| inertia[3 * i + k] * own[k]).sum());
        let velocity = pose::add(three(&v), pose::cross(w, arm));
        list.push((mass, pose::add(three(&p), arm), velocity, turn(spin)));
    }
    list
}

#[test]
fn centre_of_mass_and_momentum_are_sums_over_bodies() {
    for (name, mut tree) in models() {
        for seed in 1..=3 {
            let state = state(&tree, seed);
            let bodies = bodies(&mut tree, &state);
            let mass: f64 = bodies.iter().map(|body| body.0).sum();
            let (mut com, mut linear, mut angular) = ([0.0; 3], [0.0; 3], [0.0; 3]);
            for &(m, place, velocity, _) in &bodies {
                com = pose::add(com, pose::scale(place, m / mass));
                linear = pose::add(linear, pose::scale(velocity, m));
            }
            for &(m, place, velocity, spin) in &bodies {
                let lever = pose::cross(pose::sub(place, com), pose::scale(velocity, m));
                angular = pose::add(angular, pose::add(spin, lever));
            }
            agree(&name, &vector(&mut tree, "com", 0, &state), &com, 1e-13);
            let velocity = pose::scale(linear, 1.0 / mass);
            agree(&name, &vector(&mut tree, "com_velocity", 0, &state), &velocity, 1e-13);
            agree(&name, &vector(&mut tree, "momentum", 0, &state), &linear, 1e-13);
            agree(&name, &vector(&mut tree, "momentum", 1, &state), &angular, 1e-12);
            let weights = evaluated(&tree, &tree.mechanism.gravity.0, &state);
            let energy: f64 = bodies
                .iter()
                .map(|body| -body.0 * (0..3).map(|i| weights[i] * body.1[i]).sum::<f64>())
                .sum();
            let target = plain(&mut tree, "potential_energy").remove(0);
            agree(&name, &numbers(&tree, &target, &state), &[energy], 1e-12);
        }
    }
}

#[test]
fn the_centre_of_mass_moves_with_its_velocity() {
    for (name, mut tree) in models() {
        let com = dense(&plain(&mut tree, "com")[0]);
        let velocity = dense(&plain(&mut tree, "com_velocity")[0]);
        let change = along_motion(&mut tree, &com);
        for seed in 1..=3 {
            let state = state(&tree, seed);
            let value = |list: &[_]| evaluated(&tree, list, &state);
            agree(&name, &value(&change), &value(&velocity), 1e-12);
        }
    }
}

#[test]
fn kinetic_energy_is_half_of_speeds_times_mass_times_speeds() {
    for (name, mut tree) in models() {
        let energy = plain(&mut tree, "kinetic_energy").remove(0);
        let mass = plain(&mut tree, "mass").remove(0);
        for seed in 1..=3 {
            let state = state(&tree, seed);
            let qd = evaluated(&tree, tree.motion.qd.as_slice(), &state);
            let matrix = numbers(&tree, &mass, &state);
            let rows = matrix.chunks_exact(qd.len()).zip(&qd);
            let row = |row: &[f64]| row.iter().zip(&qd).map(|(m, qd)| m * qd).sum::<f64>();
            let half: f64 = rows.map(|(entries, qd)| qd * row(entries) / 2.0).sum();
            agree(&name, &numbers(&tree, &energy, &state), &[half], 1e-13);
        }
    }
}

/// The potential energy falls as fast as weights do work.
#[test]
fn potential_energy_changes_by_the_power_of_gravity() {
    for (name, mut tree) in models() {
        let energy = dense(&plain(&mut tree, "potential_energy")[0]);
        let change = along_motion(&mut tree, &energy);
        let gravity = plain(&mut tree, "gravity").remove(0);
        for seed in 1..=3 {
            let state = state(&tree, seed);
            let qd = evaluated(&tree, tree.motion.qd.as_slice(), &state);
            let efforts = numbers(&tree, &gravity, &state);
            let power: f64 = efforts.iter().zip(&qd).map(|(effort, qd)| effort * qd).sum();
            agree(&name, &evaluated(&tree, &change, &state), &[power], 1e-12);
        }
    }
}

/// Under the efforts that inverse dynamics asks for, energy changes by the power: joint laws and
/// forces included, drives by the effort that is given for them.
#[test]
fn energy_changes_by_the_power() {
    for (name, mut tree) in models() {
        let mut energies = dense(&plain(&mut tree, "kinetic_energy")[0]);
        energies.extend(dense(&plain(&mut tree, "potential_energy")[0]));
        let changes = along_motion(&mut tree, &energies);
        let power = plain(&mut tree, "power").remove(0);
        let inverse = plain(&mut tree, "inverse").remove(0);
        for seed in 1..=3 {
            let mut state = state(&tree, seed);
            let efforts = numbers(&tree, &inverse, &state);
            for (speed, effort) in tree.mechanism.speeds.iter().zip(efforts) {
                state.insert(tree.mechanism.graph.text(speed.effort), effort);
            }
            let change: f64 = evaluated(&tree, &changes, &state).iter().sum();
            agree(&name, &numbers(&tree, &power, &state), &[change], 1e-11);
        }
    }
}

#[test]
fn without_mass_there_is_no_centre_of_mass() {
    let text = "[model]\nname = \"frame\"\n[[body]]\nname = \"a\"\nparent = \"ground\"\n\
                joint = { name = \"q\", type = \"revolute\", axis = \"z\" }\ninertia = { zz = 2 }\n";
    let mut tree = tree(text);
    for name in ["com", "com_velocity"] {
        let function = ModelFunction::parse(name, &tree).expect("a function");
        let problem = function
            .write(tree.writer(&tree.sheet()), function.formalisms()[0])
            .expect_err("no mass");
        let expected =
            format!("`{name}` needs a centre of mass, and no body of the model has a mass");
        assert_eq!(problem.message, expected);
    }
    // The angular momentum of a body without mass is the same about every point.
    let state = state(&tree, 1);
    let qd = evaluated(&tree, tree.motion.qd.as_slice(), &state)[0];
    assert_eq!(vector(&mut tree, "momentum", 1, &state), [0.0, 0.0, 2.0 * qd]);
}

/// Energies of bodies add up to those of the mechanism.
#[test]
fn energies_of_bodies_are_the_whole() {
    for (name, mut tree) in models() {
        let state = state(&tree, 8);
        let bodies = plain(&mut tree, "body_energies");
        for (output, whole) in bodies.iter().zip(["kinetic_energy", "potential_energy"]) {
            let each = numbers(&tree, output, &state);
            let all = plain(&mut tree, whole);
            let all = numbers(&tree, &all[0], &state);
            let sum: f64 = each.iter().sum();
            assert!(each.iter().any(|one| *one != 0.0), "{name}: {whole}");
            agree(&format!("{name}: {whole}"), &[sum], &all, 1e-12);
        }
    }
}
