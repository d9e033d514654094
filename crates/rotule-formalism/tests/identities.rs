//! Identities that hold on every tree, on random ones with every type of joint, branches and axes in any direction;
//! named as the acceptance tests A1 to A11 of Postiau, chapter 1, and K-01 to K-22 of KINDA.
//!
//! An identity is one function of a [`Case`] and a [`State`]. Functions of the model are evaluated by name, and by
//! all their formalisms where it matters.

mod common;

use common::case::{Case, State};
use common::kane;
use common::numbers::{Matrix, agree, dot};
use common::random::{Kind, Model};

/// Random mechanisms, and states of each.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=48;
const STATES: u64 = 3;

/// Holds an identity against every seed.
fn hold(identity: fn(&mut Case, &State)) {
    for seed in SEEDS {
        let mut case = Case::random(seed);
        for number in 1..=STATES {
            let state = case.state(number);
            identity(&mut case, &state);
        }
    }
}

#[test]
fn two_hundred_seeds_cover_every_type_many_times() {
    let mut types = [0_usize; 9];
    let [mut branching, mut floating, mut massless, mut chains, mut drives] = [0_usize; 5];
    let [mut symbolic, mut shuffled, mut weightless, mut speeds, mut bodies] = [0_usize; 5];
    for seed in 1..=200 {
        let model = Model::new(seed);
        model.joints().for_each(|joint| types[joint.kind as usize] += 1);
        drives += model.joints().filter(|joint| joint.armature.is_some()).count();
        let parents: Vec<_> = model.bodies.iter().filter_map(|body| body.parent).collect();
        let carries = |at: usize| parents.iter().filter(|&&parent| parent == at).count() > 1;
        branching += usize::from((0..model.bodies.len()).any(carries));
        let free = |joint: Option<&common::random::Joint>| joint.map(|joint| joint.kind);
        floating += usize::from(free(model.bodies[0].joints.first()) == Some(Kind::Free));
        massless += model.bodies.iter().filter(|body| body.mass.is_none()).count();
        chains += model.bodies.iter().filter(|body| body.joints.len() > 1).count();
        symbolic += usize::from(!model.parameters.is_empty());
        shuffled += usize::from(!model.order.is_sorted());
        weightless += usize::from(model.gravity.iter().all(|value| value.number == 0.0));
        speeds = speeds.max(model.speeds());
        bodies = bodies.max(model.bodies.len());
    }
    let mut rows: Vec<(&str, usize, usize)> =
        Kind::ALL.iter().map(|kind| (kind.word(), types[*kind as usize], 60)).collect();
    rows.extend([
        ("joints with drives", drives, 100),
        ("massless links", massless, 40),
        ("chains of joints", chains, 40),
        ("trees that branch", branching, 80),
        ("floating bases", floating, 40),
        ("trees with parameters", symbolic, 50),
        ("children before parents in the file", shuffled, 30),
        ("trees without gravity", weightless, 10),
        ("most bodies", bodies, 14),
        ("most speeds", speeds, 20),
    ]);
    for (name, found, least) in rows {
        println!("{name:<36} {found:>4}  at least {least}");
        assert!(found >= least, "{name}: {found} is less than {least}");
    }
}

/// Postiau, test A1.
#[test]
fn inverse_is_mass_times_accelerations_plus_bias() {
    hold(|case, state| {
        for &formalism in case.formalisms("inverse") {
            let mass = case.by("mass", formalism, state);
            let bias = case.by("bias", formalism, state);
            let sum = mass.mul(&Matrix::vector(state.qdd.clone())).plus(1.0, &bias);
            let inverse = case.by("inverse", formalism, state);
            agree(&case.label, &inverse.values, &sum.values, 1e-12);
        }
    });
}

/// Inverse dynamics against Kane's equations, which share nothing with a recursion.
#[test]
fn inverse_is_what_kane_projects() {
    hold(|case, state| {
        let expected = kane::inverse(case, state);
        for &formalism in case.formalisms("inverse") {
            let found = case.by("inverse", formalism, state);
            agree(&case.label, &found.values, &expected, 1e-12);
        }
    });
}

/// Postiau, test A2, first half.
#[test]
fn mass_is_the_hessian_of_the_kinetic_energy() {
    hold(|case, state| {
        let expected = kane::hessian(case, &state.q);
        for &formalism in case.formalisms("mass") {
            let found = case.by("mass", formalism, state);
            agree(&case.label, &found.values, &expected.values, 1e-12);
        }
    });
}

/// Postiau, test A5, for what has one output.
#[test]
fn all_formalisms_agree() {
    hold(|case, state| {
        for function in ["inverse", "mass", "bias", "gravity", "coriolis"] {
            let plain = case.eval(function, state);
            for &formalism in case.formalisms(function) {
                let other = case.by(function, formalism, state);
                let label = format!("{} {function} {}", case.label, formalism.name());
                agree(&label, &other.values, &plain.values, 1e-12);
            }
        }
    });
}

#[test]
fn mass_is_symmetric_and_positive() {
    hold(|case, state| {
        let mass = case.eval("mass", state);
        agree(&case.label, &mass.values, &mass.transpose().values, 0.0);
        assert!(mass.cholesky().is_some(), "{}: {mass:?}", case.label);
    });
}

#[test]
fn bias_is_gravity_and_coriolis_together() {
    hold(|case, state| {
        let (gravity, coriolis) = (case.eval("gravity", state), case.eval("coriolis", state));
        let bias = case.eval("bias", state);
        agree(&case.label, &gravity.plus(1.0, &coriolis).values, &bias.values, 1e-12);
    });
}

/// The energy balance: what efforts do beyond the weights changes the kinetic energy.
#[test]
fn power_of_efforts_and_weights_is_the_rate_of_the_kinetic_energy() {
    hold(|case, state| {
        let (effort, gravity) = (case.eval("inverse", state), case.eval("gravity", state));
        let power = dot(&effort.plus(-1.0, &gravity).values, &state.qd);
        let energy = |case: &Case, step: f64| {
            let moves: Vec<f64> = state
                .qd
                .iter()
                .zip(&state.qdd)
                .map(|(v, a)| v * step + a * step * step / 2.0)
                .collect();
            let speeds: Vec<f64> =
                state.qd.iter().zip(&state.qdd).map(|(v, a)| v + a * step).collect();
            kane::kinetic_energy(case, &case.moved(state, &moves).q, &speeds)
        };
        let rate = (energy(case, 1e-5) - energy(case, -1e-5)) / 2e-5;
        agree(&case.label, &[rate], &[power], 1e-7);
    });
}
