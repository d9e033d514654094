//! The augmented equations with Baumgarte's terms, against the reduced ones where the state is
//! closed and against a dense solve of the whole where it is not.

use rotule_formalism::Formalism::{Barycentric, NewtonEuler, Outward};
use rotule_testing::formalism;
use rotule_testing::formalism::CLOSED;
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::numbers::agree;

/// Loops of all kinds, and wheels that roll.
fn models() -> impl Iterator<Item = &'static str> {
    CLOSED.into_iter().chain(["whipple_bicycle"])
}

fn closed(case: &mut Case, given: &State) -> State {
    let found = case.outputs("closure", Outward, given).unwrap_or_else(|why| panic!("{why}"));
    let values = |at: usize| found[at].matrix.values.clone();
    State { q: values(0), qd: values(1), ..given.clone() }
}

/// AT-22: reduced and augmented equations give the same accelerations and multipliers.
#[test]
fn at_22_reduced_and_augmented_agree_where_the_state_is_closed() {
    for name in models() {
        let case = &mut Case::example(&format!("{name}.toml"));
        let given = case.near(11);
        let state = closed(case, &given);
        let (qdd, lambda) =
            (case.by("forward", Barycentric, &given), case.by("multipliers", Barycentric, &given));
        for formalism in [NewtonEuler, Barycentric] {
            let found = case.outputs("augmented", formalism, &state).expect("augmented");
            agree(name, &found[0].matrix.values, &qdd.values, 1e-10);
            agree(name, &found[1].matrix.values, &lambda.values, 1e-10);
        }
    }
}

/// AT-22: where the state is open, the gains pull it back, as a dense solve has it.
#[test]
fn at_22_augmented_is_the_dense_solve_where_the_state_is_open() {
    for name in models() {
        let case = &mut Case::example(&format!("{name}.toml"));
        let state = case.near(12);
        let (qdd, lambda) = case.dense(&state, [10.0, 10.0]);
        for formalism in [NewtonEuler, Barycentric] {
            let found = case.outputs("augmented", formalism, &state).expect("augmented");
            agree(name, &found[0].matrix.values, &qdd, 1e-10);
            agree(name, &found[1].matrix.values, &lambda, 1e-10);
        }
    }
}

/// Gains may be numbers or parameters, and zero.
#[test]
fn gains_are_those_of_the_model() {
    let text = formalism::example("four_bar_joint.toml");
    let with = |gains: &str| {
        text.replace("[parameters]\n", &format!("baumgarte = {gains}\n[parameters]\nga = 3\n"))
    };
    for (gains, expected) in
        [("[0, 0]", [0.0, 0.0]), ("[5, 7]", [5.0, 7.0]), ("[\"ga\", \"2*ga\"]", [3.0, 6.0])]
    {
        let case = &mut Case::of(gains, &with(gains));
        let state = case.near(13);
        let (qdd, lambda) = case.dense(&state, expected);
        let found = case.outputs("augmented", NewtonEuler, &state).expect("augmented");
        agree(gains, &found[0].matrix.values, &qdd, 1e-11);
        agree(gains, &found[1].matrix.values, &lambda, 1e-11);
    }
}

/// A drive moves as it is told; what it does to the others is on the right side.
#[test]
fn drives_of_augmented_equations() {
    let text = formalism::example("five_bar.toml");
    let driven = format!("{text}\n[[motion]]\njoint = \"q1\"\nq = \"0.9 + 3*t + 2*t^2\"\n");
    let case = &mut Case::of("driven five-bar", &driven);
    let mut given = case.near(14);
    given.time = 0.05;
    let state = closed(case, &given);
    let qdd = case.by("forward", NewtonEuler, &given);
    let lambda = case.by("multipliers", NewtonEuler, &given);
    assert!((qdd.values[0] - 4.0).abs() < 1e-12);
    let found = case.outputs("augmented", NewtonEuler, &state).expect("augmented");
    agree("accelerations", &found[0].matrix.values, &qdd.values, 1e-10);
    agree("multipliers", &found[1].matrix.values, &lambda.values, 1e-10);
}

/// Constraints that repeat others are set aside as the reduced equations do it.
#[test]
fn redundant_rows_are_set_aside() {
    let text = formalism::example("four_bar_joint.toml");
    let twice = format!(
        "{text}\n[[constraint]]\nname = \"again\"\nposition = \"2*(a*cos(q1) + b*cos(q1+q2) - d - c*cos(q3))\"\n"
    );
    let case = &mut Case::of("redundant", &twice);
    let given = case.near(15);
    let state = closed(case, &given);
    let found = case.outputs("augmented", NewtonEuler, &state).expect("augmented");
    let qdd = case.by("forward", NewtonEuler, &given);
    agree("accelerations", &found[0].matrix.values, &qdd.values, 1e-10);
    let zeros = found[1].matrix.values.iter().filter(|value| **value == 0.0).count();
    assert_eq!(zeros, 1, "{:?}", found[1].matrix.values);
}
