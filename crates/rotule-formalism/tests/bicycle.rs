//! Whipple's bicycle against published figures: accelerations of the nonlinear equations (Basu-Mandal, Chatterjee and
//! Papadopoulos 2007, table 1), in our axes: y to the left and z up turn the signs of all but x and roll.

mod common;

use common::case::{Case, State};
use rotule_formalism::Formalism;
use std::f64::consts::{FRAC_PI_2, PI};

/// Coordinates: x, y, z, yaw, roll, pitch, rear, steer, front.
const ORDER: [&str; 9] = ["x", "y", "z", "yaw", "roll", "pitch", "rear", "steer", "front"];

fn value(case: &mut Case, function: &str, at: usize, by: Formalism, state: &State) -> Vec<f64> {
    let outputs = case.outputs(function, by, state);
    outputs.unwrap_or_else(|problem| panic!("{function}: {problem}"))[at].matrix.values.clone()
}

fn bicycle() -> Case {
    let case = Case::example("whipple_bicycle.toml");
    let names: Vec<&str> =
        case.mechanism().coordinates.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ORDER);
    case
}

#[test]
fn at_25_accelerations_of_the_nonlinear_bicycle() {
    let case = &mut bicycle();
    let mut state = State { qdd: vec![0.0; 9], effort: vec![0.0; 9], ..State::default() };
    let pitch = 3.125_707_301_489_4 - PI;
    let (roll, steer) = (FRAC_PI_2 - 0.950_129_285_147_2, 0.231_138_513_574_3);
    // Iterations begin near; what depends is found.
    state.q = vec![0.0, 0.0, 0.3, 0.0, roll, 0.0, 0.0, steer, 0.0];
    let rates = [
        (3, 0.783_003_352_706_5),
        (4, -0.606_842_583_541_8),
        (5, -0.011_918_552_806_9),
        (6, 8.912_989_661_489),
        (7, 0.485_982_468_709_3),
        (8, 8.013_362_058_415_5),
    ];
    state.qd = vec![0.0; 9];
    for at in [4, 6, 7] {
        state.qd[at] = rates.iter().find(|rate| rate.0 == at).expect("it is listed").1;
    }
    let q = value(case, "closure", 0, Formalism::Progressive, &state);
    assert!((q[5] - pitch).abs() < 2e-12, "pitch {} for {pitch}", q[5]);
    let qd = value(case, "closure", 1, Formalism::Progressive, &state);
    for (at, rate) in rates {
        assert!((qd[at] - rate).abs() < 2e-12, "speed of {}: {}", ORDER[at], qd[at]);
    }
    let expected = [
        0.504_162_631_504_7,
        0.344_970_661_945_4,
        -1.460_452_833_298,
        0.835_328_170_637_9,
        7.855_528_112_824_4,
        0.120_554_389_788_4,
        1.847_255_414_421_7,
        -4.619_890_403_940_3,
        2.454_807_290_455,
    ];
    for formalism in [Formalism::Classical, Formalism::Barycentric] {
        let found = value(case, "direct", 0, formalism, &state);
        for at in 0..9 {
            let rest = (found[at] - expected[at]).abs();
            assert!(rest < 1e-11, "{}: {} for {}", ORDER[at], found[at], expected[at]);
        }
    }
}
