//! Identities that hold on every tree, on random ones with every type of joint, branches and axes
//! in any direction; named as the acceptance tests A1 to A11 of Postiau, chapter 1, and K-01 to
//! K-22 of KINDA.
//!
//! An identity is one function of a [`Case`] and a [`State`]. Functions of the model are evaluated
//! by name, and by all their formalisms where it matters.

use rotule_model::draft::JointType;
use rotule_model::pose::cross;
use rotule_testing::formalism;
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::kane;
use rotule_testing::formalism::numbers::{Matrix, agree, dot};
use rotule_testing::formalism::random::{Kind, Model};

/// Random mechanisms, and states of each.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=40;
const STATES: u64 = 2;

/// Derivatives take longer: the first of them.
const FEW: std::ops::RangeInclusive<u64> = 1..=16;

/// Holds an identity against every seed.
fn hold(identity: fn(&mut Case, &State)) {
    hold_for(SEEDS, identity);
}

fn hold_for(seeds: std::ops::RangeInclusive<u64>, identity: fn(&mut Case, &State)) {
    for seed in seeds {
        let mut case = Case::random(seed);
        for number in 1..=STATES {
            let state = case.state(number);
            identity(&mut case, &state);
        }
    }
}

/// A type of joint that random mechanisms lack would be held against no identity.
#[test]
fn random_mechanisms_have_every_type_of_joint() {
    let random: Vec<&str> = Kind::ALL.iter().map(|kind| kind.word()).collect();
    assert_eq!(random, JointType::ALL.map(|(_, word)| word));
}

#[test]
fn two_hundred_seeds_cover_every_type_many_times() {
    let mut types = [0_usize; Kind::ALL.len()];
    let [mut branching, mut floating, mut massless, mut chains, mut drives] = [0_usize; 5];
    let [mut symbolic, mut shuffled, mut weightless, mut speeds, mut bodies] = [0_usize; 5];
    for seed in 1..=200 {
        let model = Model::new(seed);
        model.joints().for_each(|joint| types[joint.kind as usize] += 1);
        drives += model.joints().filter(|joint| joint.armature.is_some()).count();
        let parents: Vec<_> = model.bodies.iter().filter_map(|body| body.parent).collect();
        let carries = |at: usize| parents.iter().filter(|&&parent| parent == at).count() > 1;
        branching += usize::from((0..model.bodies.len()).any(carries));
        let free = |joint: Option<&formalism::random::Joint>| joint.map(|joint| joint.kind);
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
        Kind::ALL.iter().map(|kind| (kind.word(), types[*kind as usize], 50)).collect();
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
        ("most speeds", speeds, 14),
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

/// Functions with more than one formalism; `P` is a point and `B` a body.
const SEVERAL: [&str; 20] = [
    "inverse",
    "forward",
    "mass",
    "bias",
    "mass_bias",
    "gravity",
    "coriolis",
    "inverse_mass",
    "jacobian(P)",
    "jacobian(P, B)",
    "position(P)",
    "position(P, B)",
    "rotation(P, B)",
    "velocity(P)",
    "velocity(P, B)",
    "angular_velocity(P, B)",
    "acceleration(P)",
    "acceleration(P, B)",
    "angular_acceleration(P, B)",
    "kinematics(P)",
];

/// Postiau, tests A5 for dynamics, A3 and A4 for kinematics: whichever formalism writes a function,
/// its numbers are the same.
#[test]
fn all_formalisms_agree() {
    hold(|case, state| {
        let bodies = &case.model.as_ref().expect("a random mechanism").bodies;
        let tip = format!("{}.tip", bodies[bodies.len() - 1].name);
        let body = bodies[bodies.len() / 2].name.clone();
        for function in SEVERAL {
            let function = &function.replace('P', &tip).replace('B', &body);
            let outputs =
                |case: &mut Case, formalism| match case.outputs(function, formalism, state) {
                    Ok(outputs) => outputs,
                    Err(problem) => panic!("{}: {function}: {problem}", case.label),
                };
            let formalisms = case.formalisms(function);
            assert!(formalisms.len() > 1, "{function} has several formalisms");
            let plain = outputs(case, formalisms[0]);
            for &formalism in &formalisms[1..] {
                for (found, expected) in outputs(case, formalism).iter().zip(&plain) {
                    let label = format!("{} {function} {}", case.label, formalism.name());
                    assert_eq!(found.name, expected.name, "{label}");
                    agree(&label, &found.matrix.values, &expected.matrix.values, 1e-12);
                }
            }
        }
    });
}

/// Postiau, tests A5 and A6 with driven joints: locked and driven joints are as good as efforts
/// that make them move so.
#[test]
fn drives_make_driven_joints_move_as_given() {
    let mut known = 0;
    for seed in SEEDS {
        let (mut driven, mut plain) = (Case::driven(seed), Case::random(seed));
        let state = driven.state(1);
        let mut settled = driven.settled(&state);
        let given = driven.known(state.time);
        known += given.iter().flatten().count();
        // A request for a joint whose motion is known has no effect: `state` has other numbers
        // there.
        for function in ["inverse", "mass", "bias"] {
            let expected = plain.eval(function, &settled);
            for &formalism in driven.formalisms(function) {
                let found = driven.by(function, formalism, &state);
                let label = format!("{} {function} {}", driven.label, formalism.name());
                agree(&label, &found.values, &expected.values, 1e-12);
            }
        }
        let drives = driven.eval("drives", &state);
        for (speed, known) in given.iter().enumerate() {
            if known.is_some() {
                settled.effort[speed] = drives.values[speed];
            }
        }
        let expected = plain.eval("forward", &settled);
        for (speed, known) in given.iter().enumerate() {
            if let Some([_, _, qdd]) = known {
                let label = format!("{} speed {speed}", driven.label);
                agree(&label, &[expected.values[speed]], &[*qdd], 1e-11);
            }
        }
        for &formalism in driven.formalisms("forward") {
            let found = driven.by("forward", formalism, &state);
            let label = format!("{} forward {}", driven.label, formalism.name());
            agree(&label, &found.values, &expected.values, 1e-11);
        }
    }
    assert!(known >= 40, "{known} joints are locked or driven");
}

/// KINDA, test K-11.
#[test]
fn inverse_undoes_forward() {
    hold(|case, state| {
        for &formalism in case.formalisms("forward") {
            let qdd = case.by("forward", formalism, state).values;
            let found = case.eval("inverse", &State { qdd, ..state.clone() });
            let label = format!("{} {}", case.label, formalism.name());
            agree(&label, &found.values, &state.effort, 1e-12);
        }
    });
}

#[test]
fn direct_undoes_inverse() {
    hold(|case, state| {
        let effort = case.eval("inverse", state).values;
        let given = State { effort, ..state.clone() };
        for &formalism in case.formalisms("forward") {
            let found = case.by("forward", formalism, &given);
            let label = format!("{} {}", case.label, formalism.name());
            agree(&label, &found.values, &state.qdd, 1e-12);
        }
    });
}

#[test]
fn inverse_mass_times_mass_is_the_identity() {
    hold(|case, state| {
        let product = case.eval("inverse_mass", state).mul(&case.eval("mass", state));
        let identity = Matrix::identity(case.speeds());
        agree(&case.label, &product.values, &identity.values, 1e-12);
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

/// Speeds that act for a while: coordinates along the motion of a state, `step` later.
fn later(case: &Case, state: &State, step: f64) -> State {
    let moves = state.qd.iter().zip(&state.qdd).map(|(v, a)| v * step + a * step * step / 2.0);
    let mut later = case.moved(state, &moves.collect::<Vec<f64>>());
    later.qd.iter_mut().zip(&state.qdd).for_each(|(v, a)| *v += a * step);
    later.time += step;
    later
}

/// The derivative of numbers at zero, by differences of fourth order.
fn rate(mut numbers: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    let h = 1e-3;
    let at = [-2.0, -1.0, 1.0, 2.0].map(|k| numbers(k * h));
    let each = |i: usize| (at[0][i] - 8.0 * at[1][i] + 8.0 * at[2][i] - at[3][i]) / (12.0 * h);
    (0..at[0].len()).map(each).collect()
}

/// The derivative along one speed.
fn along(case: &mut Case, state: &State, speed: usize, function: &str) -> Vec<f64> {
    rate(|step| {
        let mut unit = vec![0.0; case.speeds()];
        unit[speed] = step;
        let moved = case.moved(state, &unit);
        case.eval(function, &moved).values
    })
}

/// The energy balance: what efforts do beyond the weights changes the kinetic energy.
#[test]
fn power_of_efforts_and_weights_is_the_rate_of_the_kinetic_energy() {
    hold(|case, state| {
        let (effort, gravity) = (case.eval("inverse", state), case.eval("gravity", state));
        let power = dot(&effort.plus(-1.0, &gravity).values, &state.qd);
        let found = rate(|step| case.eval("kinetic_energy", &later(case, state, step)).values);
        agree(&case.label, &found, &[power], 1e-9);
        let found = rate(|step| case.eval("potential_energy", &later(case, state, step)).values);
        agree(&case.label, &found, &[dot(&gravity.values, &state.qd)], 1e-9);
    });
}

#[test]
fn energies_and_momentum_are_those_of_the_bodies() {
    hold(|case, state| {
        let kinetic = case.eval("kinetic_energy", state);
        let expected = kane::kinetic_energy(case, &state.q, &state.qd);
        agree(&case.label, &kinetic.values, &[expected], 1e-12);
        let mass = case.eval("mass", state);
        let half = dot(&mass.apply(&state.qd), &state.qd) / 2.0;
        agree(&case.label, &kinetic.values, &[half], 1e-12);
    });
}

/// The potential energy falls along each speed as the weights pull.
#[test]
fn gravity_is_the_gradient_of_the_potential_energy() {
    hold(|case, state| {
        let gravity = case.eval("gravity", state);
        let slopes = |case: &mut Case, i: usize| along(case, state, i, "potential_energy")[0];
        let gradient: Vec<f64> = (0..case.speeds()).map(|i| slopes(case, i)).collect();
        agree(&case.label, &gradient, &gravity.values, 1e-9);
    });
}

/// Postiau, test A2, second half: with `p = dT/dv`, Lagrange's equations in the speeds are `pd -
/// dT/dq + (turns of p with the joint) = coriolis`; the bracket is `w x p` for a spherical joint,
/// and `(w x pl, w x pw + v x pl)` for a free one.
#[test]
fn coriolis_is_what_lagrange_has() {
    hold(|case, state| {
        let steady = State { qdd: vec![0.0; case.speeds()], ..state.clone() };
        let momentum = |case: &mut Case, at: &State| case.eval("mass", at).apply(&at.qd);
        let mut p = momentum(case, state);
        let mut sum = rate(|step| {
            let moved = later(case, &steady, step);
            momentum(case, &moved)
        });
        for (i, term) in sum.iter_mut().enumerate() {
            *term -= along(case, state, i, "kinetic_energy")[0];
        }
        // Drives do not turn with a joint: they have no part in the bracket.
        for joint in &case.mechanism().joints {
            let drive = case.mechanism().evaluate(&[joint.armature])[0];
            joint.speeds.clone().for_each(|i| p[i] -= drive * state.qd[i]);
        }
        let triple = |list: &[f64], at: usize| [list[at], list[at + 1], list[at + 2]];
        for joint in &case.mechanism().joints {
            let at = joint.speeds.start;
            let (qd, p) = (&state.qd, &p);
            let mut put = |at: usize, v: [f64; 3]| (0..3).for_each(|i| sum[at + i] += v[i]);
            match joint.kind {
                JointType::Spherical => put(at, cross(triple(qd, at), triple(p, at))),
                JointType::Free => {
                    let (v, w) = (triple(qd, at), triple(qd, at + 3));
                    put(at, cross(w, triple(p, at)));
                    put(at + 3, cross(w, triple(p, at + 3)));
                    put(at + 3, cross(v, triple(p, at)));
                }
                _ => {}
            }
        }
        let expected = case.eval("coriolis", state);
        agree(&case.label, &sum, &expected.values, 1e-9);
    });
}

/// Postiau, test A4.
#[test]
fn jacobians_give_velocities() {
    hold(|case, state| {
        let name = case.model.as_ref().expect("a random mechanism").bodies.last();
        let place = format!("{}.tip", name.expect("a body").name);
        let twist = case.eval(&format!("jacobian({place})"), state).apply(&state.qd);
        let velocity = case.eval(&format!("velocity({place})"), state).values;
        let spin = case.eval(&format!("angular_velocity({place})"), state).values;
        agree(&case.label, &twist, &[velocity, spin].concat(), 1e-12);
    });
}

/// Postiau, test A3: velocities and accelerations are rates of positions, in the axes of the
/// observer.
#[test]
fn velocities_and_accelerations_are_rates() {
    hold(|case, state| {
        let bodies = &case.model.as_ref().expect("a random mechanism").bodies;
        let (tip, body) = (bodies[bodies.len() - 1].name.clone(), bodies[0].name.clone());
        for place in [format!("({tip}.tip)"), format!("({tip}.tip, {body})")] {
            let chain = [("position", "velocity"), ("velocity", "acceleration")];
            for (slow, fast) in
                chain.into_iter().chain([("angular_velocity", "angular_acceleration")])
            {
                let found = rate(|step| {
                    let moved = later(case, state, step);
                    case.eval(&format!("{slow}{place}"), &moved).values
                });
                let expected = case.eval(&format!("{fast}{place}"), state);
                agree(&format!("{} {fast}{place}", case.label), &found, &expected.values, 1e-8);
            }
        }
    });
}

/// The Coriolis matrix: `C qd` is the vector, and `Mdot - 2 C` is skew.
#[test]
fn the_coriolis_matrix_makes_the_rate_of_the_mass_matrix() {
    hold(|case, state| {
        let steady = State { qdd: vec![0.0; case.speeds()], ..state.clone() };
        let rate = rate(|step| case.eval("mass", &later(case, &steady, step)).values);
        let vector = case.eval("coriolis", state);
        for &formalism in case.formalisms("coriolis_matrix") {
            let matrix = case.by("coriolis_matrix", formalism, state);
            let label = format!("{} {}", case.label, formalism.name());
            agree(&label, &matrix.apply(&state.qd), &vector.values, 1e-12);
            agree(&label, &matrix.plus(1.0, &matrix.transpose()).values, &rate, 1e-9);
        }
    });
}

#[test]
fn regressor_times_parameters_is_inverse() {
    hold(|case, state| {
        let parameters = case.eval("parameters", state);
        let product = case.eval("regressor", state).mul(&parameters);
        let inverse = case.eval("inverse", state);
        agree(&case.label, &product.values, &inverse.values, 1e-12);
    });
}

/// Postiau, test A10, against differences; against complex steps, see the tests of derivatives.
#[test]
fn derivatives_are_rates_along_speeds() {
    hold_for(FEW, |case, state| {
        for function in ["inverse", "forward"] {
            for (by, list) in [("q", 0), ("qd", 1), ("qdd", 2), ("effort", 3)] {
                if (function, by) == ("inverse", "effort") || (function, by) == ("forward", "qdd") {
                    continue;
                }
                let matrix = case.eval(&format!("derivative({function}, {by})"), state);
                for column in 0..case.speeds() {
                    let expected = rate(|step| {
                        let mut unit = vec![0.0; case.speeds()];
                        unit[column] = step;
                        let mut moved = state.clone();
                        match list {
                            0 => moved = case.moved(state, &unit),
                            1 => moved.qd[column] += step,
                            2 => moved.qdd[column] += step,
                            _ => moved.effort[column] += step,
                        }
                        case.eval(function, &moved).values
                    });
                    let found: Vec<f64> =
                        (0..matrix.rows).map(|row| matrix.get(row, column)).collect();
                    let label = format!("{}: {function} by {by}, column {column}", case.label);
                    agree(&label, &found, &expected, 1e-8);
                }
            }
        }
    });
}

/// The tangent matrices M, G and K are derivatives of inverse dynamics by qdd, qd and q.
#[test]
fn tangents_are_derivatives() {
    hold_for(FEW, |case, state| {
        for &formalism in case.formalisms("tangent") {
            let outputs = case.outputs("tangent", formalism, state);
            let outputs = outputs.unwrap_or_else(|problem| panic!("{}: {problem}", case.label));
            for (output, by) in outputs.iter().zip(["qdd", "qd", "q"]) {
                let expected = case.eval(&format!("derivative(inverse, {by})"), state);
                let label = format!("{} {} {}", case.label, formalism.name(), output.name);
                agree(&label, &output.matrix.values, &expected.values, 1e-12);
            }
        }
    });
}
