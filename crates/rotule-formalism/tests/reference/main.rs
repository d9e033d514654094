//! Functions of models in the gallery against digits nobody here wrote.
//!
//! Every function is requested by name and evaluated by each of its formalisms. Numbers agree to
//! 1e-12 of the largest of their output.

mod bicycle;
mod classics;
mod kuka_iiwa14;
mod motion;
mod n_pendulum;
mod puma560;
mod whipple;

use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::numbers::agree;

/// A state, and what functions give there.
pub struct Row {
    q: &'static [f64],
    qd: &'static [f64],
    qdd: &'static [f64],
    effort: &'static [f64],
    /// Parameters that differ from the file.
    set: &'static [(&'static str, f64)],
    /// Functions and their numbers, by rows.
    expected: &'static [(&'static str, &'static [f64])],
}

fn check(example: &str, rows: &[Row]) {
    let mut case = Case::example(example);
    for (number, row) in rows.iter().enumerate() {
        row.set.iter().for_each(|&(name, value)| case.set(name, value));
        let filled = |list: &[f64]| match list {
            [] => vec![0.0; case.speeds()],
            some => some.to_vec(),
        };
        let state = State {
            time: 0.0,
            q: row.q.to_vec(),
            qd: filled(row.qd),
            qdd: filled(row.qdd),
            effort: filled(row.effort),
        };
        for (function, expected) in row.expected {
            for &formalism in case.formalisms(function) {
                let found = case.by(function, formalism, &state);
                let label = format!("{example}, row {number}: {function} {}", formalism.name());
                agree(&label, &found.values, expected, 1e-12);
            }
        }
    }
}

#[test]
fn puma_560_with_rotors() {
    check("puma560.toml", puma560::WITH_ROTORS);
}

#[test]
fn puma_560_without_rotors() {
    check("puma560.toml", puma560::WITHOUT_ROTORS);
}

#[test]
fn kuka_iiwa_14() {
    check("kuka_iiwa14.toml", kuka_iiwa14::VECTORS);
    check("kuka_iiwa14.toml", kuka_iiwa14::WEIGHTLESS);
    check("kuka_iiwa14.toml", kuka_iiwa14::PUBLISHED);
}

/// Drake's statement: with all angles zero, a unit of torque turns the last link by 1000 rad/s^2
/// and comes back at joints 1, 3 and 5.
#[test]
fn kuka_iiwa_14_turns_its_last_link() {
    let mut case = Case::example("kuka_iiwa14.toml");
    let mut state =
        State { q: vec![0.0; 7], qd: vec![0.0; 7], qdd: vec![0.0; 7], ..State::default() };
    state.qdd[6] = 1000.0;
    let weights = case.eval("gravity", &state);
    let efforts = case.eval("inverse", &state).plus(-1.0, &weights);
    agree("iiwa", &efforts.values, &[1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0], 1e-12);
}

#[test]
fn cart_pole() {
    check("cart_pole.toml", classics::CART_POLE);
}

#[test]
fn furuta_pendulum() {
    check("furuta.toml", classics::FURUTA);
}
