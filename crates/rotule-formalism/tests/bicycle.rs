//! Whipple's bicycle against published figures: accelerations of the nonlinear equations
//! (Basu-Mandal, Chatterjee and Papadopoulos 2007, table 1), and matrices and eigenvalues of the
//! linear ones (Meijaard, Papadopoulos, Ruina and Schwab 2007). Our axes, y to the left and z up,
//! turn the signs of all but x and roll.

use rotule_formalism::Formalism;
use rotule_testing::formalism::case::{Case, State};
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
fn accelerations_of_the_nonlinear_bicycle() {
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
    let q = value(case, "closure", 0, Formalism::Outward, &state);
    assert!((q[5] - pitch).abs() < 2e-12, "pitch {} for {pitch}", q[5]);
    let qd = value(case, "closure", 1, Formalism::Outward, &state);
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
    for formalism in [Formalism::NewtonEuler, Formalism::Barycentric] {
        let found = value(case, "forward", 0, formalism, &state);
        for at in 0..9 {
            let rest = (found[at] - expected[at]).abs();
            assert!(rest < 1e-11, "{}: {} for {}", ORDER[at], found[at], expected[at]);
        }
    }
}

/// A matrix of two rows.
type Two = [[f64; 2]; 2];

fn times(a: Two, b: Two) -> Two {
    [0, 1].map(|i| [0, 1].map(|j| a[i][0] * b[0][j] + a[i][1] * b[1][j]))
}

/// Rows and columns of roll and steer, the latter with the sign of the benchmark.
fn lateral(values: &[f64]) -> Two {
    let (at, sign) = ([4, 7], [1.0, -1.0]);
    [0, 1].map(|i| [0, 1].map(|j| sign[i] * sign[j] * values[at[i] * 9 + at[j]]))
}

fn near(what: &str, found: Two, expected: Two) {
    let size = expected.iter().flatten().fold(1.0_f64, |most, x| most.max(x.abs()));
    for i in 0..2 {
        for j in 0..2 {
            let (found, expected) = (found[i][j], expected[i][j]);
            assert!((found - expected).abs() < 1e-12 * size, "{what}: {found} for {expected}");
        }
    }
}

/// The size of Newton's step for a root of `det(s^2 - s D - K)`, complex numbers as pairs.
fn newton(damping: Two, stiffness: Two, s: (f64, f64)) -> f64 {
    let mul = |a: (f64, f64), b: (f64, f64)| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0);
    let entry = |i: usize, j: usize| {
        let square = if i == j { mul(s, s) } else { (0.0, 0.0) };
        let (d, k) = (damping[i][j], stiffness[i][j]);
        (square.0 - d * s.0 - k, square.1 - d * s.1)
    };
    let slope = |i: usize, j: usize| {
        let twice = if i == j { (2.0 * s.0, 2.0 * s.1) } else { (0.0, 0.0) };
        (twice.0 - damping[i][j], twice.1)
    };
    let (a, b) = (mul(entry(0, 0), entry(1, 1)), mul(entry(0, 1), entry(1, 0)));
    let value = (a.0 - b.0, a.1 - b.1);
    let terms = [
        (mul(slope(0, 0), entry(1, 1)), 1.0),
        (mul(entry(0, 0), slope(1, 1)), 1.0),
        (mul(slope(0, 1), entry(1, 0)), -1.0),
        (mul(entry(0, 1), slope(1, 0)), -1.0),
    ];
    let sum =
        |part: fn((f64, f64)) -> f64| terms.iter().map(|(x, sign)| sign * part(*x)).sum::<f64>();
    let rate = (sum(|x| x.0), sum(|x| x.1));
    value.0.hypot(value.1) / rate.0.hypot(rate.1)
}

/// Speed, and real and imaginary parts of the eigenvalues of capsize, caster and weave.
#[rustfmt::skip]
const EIGENVALUES: [(f64, &[(f64, f64)]); 11] = [
    (0.0, &[(-5.530943717653934, 0.0), (-3.1316432479065557, 0.0), (3.1316432479065557, 0.0), (5.530943717653934, 0.0)]),
    (1.0, &[(-7.110080146374408, 0.0), (-3.1342312506657843, 0.0), (3.5269617099006942, 0.80774027519931)]),
    (2.0, &[(-8.673879848317371, 0.0), (-3.0715864564151425, 0.0), (2.6823451751274536, 1.6806629659067578)]),
    (3.0, &[(-10.351014672459229, 0.0), (-2.633661372536653, 0.0), (1.706756056639735, 2.3158244738432434)]),
    (4.0, &[(-12.15861426576444, 0.0), (-1.4294442736132575, 0.0), (0.4132533152112413, 3.0791081860320535)]),
    (5.0, &[(-14.078389692798247, 0.0), (-0.7753418821958419, 4.464867713788225), (-0.3228664290040871, 0.0)]),
    (6.0, &[(-16.085371230980282, 0.0), (-1.5264448658414171, 5.876730605987084), (-0.004066900769703363, 0.0)]),
    (7.0, &[(-18.15788466125202, 0.0), (-2.138756442583634, 7.195259133298043), (0.10268170574766416, 0.0)]),
    (8.0, &[(-20.27940894394566, 0.0), (-2.6934868358109476, 8.460379713969337), (0.1432787976571295, 0.0)]),
    (9.0, &[(-22.43788559040859, 0.0), (-3.2167540225249076, 9.693773515317822), (0.15790184030917298, 0.0)]),
    (10.0, &[(-24.624596350174, 0.0), (-3.7201684043728758, 10.906811394762881), (0.16105338653171555, 0.0)]),
];

/// Canonical matrices of Meijaard, Papadopoulos, Ruina and Schwab (2007), `M qdd + v C1 qd + (g
/// K0 + v^2 K2) q = f`, found by linearising about straight motion at several speeds.
#[test]
fn the_linearised_bicycle() {
    let case = &mut bicycle();
    let by = Formalism::Barycentric;
    let mut at = |speed: f64| {
        let mut state = State { qdd: vec![0.0; 9], effort: vec![0.0; 9], ..State::default() };
        state.q = vec![0.0; 9];
        state.q[2] = 0.3;
        state.qd = vec![0.0; 9];
        state.qd[6] = speed / 0.3;
        ["effort", "qd", "q"].map(|variable| {
            lateral(&value(case, &format!("derivative(forward, {variable})"), 0, by, &state))
        })
    };
    let [inverse, damping, still] = at(0.0);
    let determinant = inverse[0][0] * inverse[1][1] - inverse[0][1] * inverse[1][0];
    let mass = [
        [inverse[1][1] / determinant, -inverse[0][1] / determinant],
        [-inverse[1][0] / determinant, inverse[0][0] / determinant],
    ];
    near(
        "M",
        mass,
        [[80.817_22, 2.319_413_322_087_091], [2.319_413_322_087_091, 0.297_841_881_996_855_5]],
    );
    near("no damping at rest", damping, [[0.0; 2]; 2]);
    let standing = times(mass, still);
    near(
        "K0",
        standing.map(|row| row.map(|x| -x / 9.81)),
        [[-80.95, -2.599_516_852_498_716_4], [-2.599_516_852_498_716_4, -0.803_294_884_586_176_9]],
    );
    for speed in [1.0, 4.6, 7.0] {
        let [_, damping, moving] = at(speed);
        near(
            "C1",
            times(mass, damping).map(|row| row.map(|x| -x / speed)),
            [[0.0, 33.866_413_914_924_94], [-0.850_356_414_569_784_4, 1.685_403_973_975_596_7]],
        );
        let moving = times(mass, moving);
        let rest =
            [0, 1].map(|i| [0, 1].map(|j| (standing[i][j] - moving[i][j]) / (speed * speed)));
        near("K2", rest, [[0.0, 76.597_345_895_732_22], [0.0, 2.654_315_237_946_04]]);
    }
    for (speed, eigenvalues) in EIGENVALUES {
        // Those with an imaginary part stand for their conjugates, too: there are four.
        let count = |value: &(f64, f64)| if value.1 == 0.0 { 1 } else { 2 };
        assert_eq!(eigenvalues.iter().map(count).sum::<usize>(), 4, "at {speed} m/s");
        let [_, damping, stiffness] = at(speed);
        for &eigenvalue in eigenvalues {
            // Newton's step from the published value must be small.
            let step = newton(damping, stiffness, eigenvalue);
            assert!(step < 1e-9, "{eigenvalue:?} at {speed} m/s: {step:e}");
        }
    }
}
