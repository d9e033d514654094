//! Motions whose errors are rounding: rest, uniform motion, constant acceleration and constants, at
//! many sizes.

use crate::problems::*;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::{METHODS, method};

/// Tolerances, some with one kind far below the other and some near rounding.
const TOLERANCES: [(f64, f64); 7] = [
    (1e-4, 1e-6),
    (1e-8, 1e-10),
    (1e-12, 1e-12),
    (1e-3, 1e-12),
    (1e-14, 1e-6),
    (1e-300, 1e-10),
    (1e-14, 1e-14),
];

/// Methods that choose their steps, with each tolerance.
fn adaptive() -> impl Iterator<Item = (&'static str, Accuracy)> {
    let entries = METHODS.iter().filter(|entry| !entry.fixed);
    entries.flat_map(|entry| {
        TOLERANCES.map(|(relative, absolute)| (entry.name, Accuracy::Within { relative, absolute }))
    })
}

/// A motion from `start` to `t = 100` in few steps and to the last digits, as an angle and as a
/// length.
fn check(rates: Rates, start: [f64; 2], expected: [f64; 2]) {
    for ((name, accuracy), turns) in adaptive().flat_map(|one| [(one, false), (one, true)]) {
        let mut ode = equations(2, rates);
        ode.turns = turns;
        let (y, work) = solve(name, accuracy, &mut ode, &start, 100.0)
            .unwrap_or_else(|failure| panic!("{name} {accuracy:?} {start:?}: {failure}"));
        let sizes = [start[0].abs().max(expected[0].abs()), start[1].abs().max(expected[1].abs())];
        for state in 0..2 {
            let error = (y[state] - expected[state]).abs();
            let place = format!("{name} {accuracy:?} {start:?}: {y:?} {expected:?}");
            assert!(error <= 1e-13 * sizes[state], "{place}");
        }
        assert!(work.steps < 60 && work.rejected < 10, "{name} {accuracy:?} {start:?}: {work:?}");
    }
}

#[test]
fn uniform_motion() {
    for start in [[0.0, 3.0], [1e6, 3.0], [-300.0, 3.0], [-33.3, 0.7], [0.0, 1e-6], [1.0, -3e4]] {
        let expected = [start[0] + 100.0 * start[1], start[1]];
        check(|_, y, rates| rates.copy_from_slice(&[y[1], 0.0]), start, expected);
    }
}

#[test]
fn constant_acceleration() {
    for start in [[0.0, 0.0], [0.0, 3.0], [-5500.0, 0.0], [1e6, -55.0]] {
        let expected = [start[0] + 100.0 * start[1] + 1.1 * 5000.0, start[1] + 110.0];
        let rates: Rates = |_, y, rates| rates.copy_from_slice(&[y[1], 1.1]);
        for ((name, accuracy), turns) in adaptive().flat_map(|one| [(one, false), (one, true)]) {
            let mut ode = equations(2, rates);
            ode.turns = turns;
            let (y, work) = solve(name, accuracy, &mut ode, &start, 100.0)
                .unwrap_or_else(|failure| panic!("{name} {accuracy:?} {start:?}: {failure}"));
            let Accuracy::Within { relative, absolute } = accuracy else { unreachable!() };
            // Backward differentiation makes errors in its first steps, of order one.
            let allowed = 30.0 * relative.max(absolute).max(1e-15);
            let error = error(&y, &expected) / start[0].abs().max(1.0);
            assert!(error <= allowed, "{name} {accuracy:?} {start:?}: {error:e} {y:?}");
            assert!(work.steps < 1000, "{name} {accuracy:?} {start:?}: {work:?}");
        }
    }
}

#[test]
fn rest() {
    for start in [[0.0, 0.0], [7.3, 0.0], [1e6, 0.0], [-1e-9, 0.0]] {
        check(|_, y, rates| rates.copy_from_slice(&[y[1], 0.0]), start, start);
    }
}

#[test]
fn servos_far_from_zero_are_followed() {
    // Iterations cannot resolve an angle of many turns better than its digits.
    let rates: Rates = |t, y, rates| {
        rates[0] = y[1];
        rates[1] = -1e4 * (y[0] - 7.7 * t) - 100.0 * (y[1] - 7.7);
    };
    for name in ["radau", "bdf"] {
        for turns in [false, true] {
            for start in [[1e8, 0.0], [-3e9, 7.7]] {
                let mut ode = equations(2, rates);
                ode.turns = turns;
                let found = solve(name, within(1e-8), &mut ode, &start, 100.0);
                let (y, work) =
                    found.unwrap_or_else(|failure| panic!("{name} {start:?}: {failure}"));
                assert!(error(&y, &[770.0, 7.7]) < 1e-6, "{name} {turns} {start:?}: {y:?}");
                assert!(work.steps < 20_000, "{name} {turns} {start:?}: {work:?}");
            }
        }
    }
}

#[test]
fn the_larger_tolerance_is_kept_where_the_other_is_tiny() {
    for (name, accuracy) in METHODS.iter().filter(|entry| !entry.fixed).flat_map(|entry| {
        [1e-13, 1e-300].map(|relative| (entry.name, Accuracy::Within { relative, absolute: 1e-8 }))
    }) {
        let mut pendulum =
            equations(2, |_, y, rates| rates.copy_from_slice(&[y[1], -9.81 * y[0].sin()]));
        let (y, _) = solve(name, accuracy, &mut pendulum, &[1.5, 0.0], 10.0).unwrap();
        let (exact, _) = solve("dop853", within(1e-13), &mut pendulum, &[1.5, 0.0], 10.0).unwrap();
        println!("{name} {accuracy:?}: {:e}", error(&y, &exact));
        assert!(error(&y, &exact) < 1e-5, "{name} {accuracy:?}: {y:?} {exact:?}");
    }
}

#[test]
fn what_has_no_rate_keeps_every_bit() {
    // Constants that others depend on strongly, so that elimination mixes their rows.
    let rates: Rates = |t, y, rates| {
        rates[0] = y[1];
        rates[1] = -y[3] * y[0].sin() - 0.3 * y[1] + 1e5 * y[2] * (3.0 * t).cos();
        rates[2] = 0.0;
        rates[3] = 0.0;
        rates[4] = y[2] * y[0] - 1e3 * (y[4] - y[3]);
    };
    let start = [0.7, 0.1, 0.1, 9.81, 1.0];
    let lengths = |name: &str| match METHODS.iter().any(|one| one.name == name && one.fixed) {
        true => vec![Accuracy::Fixed(1e-3)],
        false => vec![within(1e-4), within(1e-8), within(1e-11)],
    };
    for entry in METHODS {
        for accuracy in lengths(entry.name) {
            let mut ode = equations(5, rates);
            let mut method = method(entry.name, accuracy, 5).unwrap();
            let (mut t, mut y, mut between) = (0.0, start, [0.0; 5]);
            while t < 3.0 {
                let before = t;
                method.step(&mut ode, &mut t, &mut y, 3.0).unwrap();
                assert_eq!(y[2..4], start[2..4], "{} {accuracy:?} at {t}", entry.name);
                for part in 0..=7 {
                    method.between(before + (t - before) * f64::from(part) / 7.0, &mut between);
                    let at = format!("{} {accuracy:?} within {before} and {t}", entry.name);
                    assert_eq!(between[2..4], start[2..4], "{at}");
                }
            }
        }
    }
}
