//! Explicit pairs detect stiff equations by their own stages, and only these.

use crate::problems::*;

const PAIRS: [&str; 2] = ["dormand-prince", "dop853"];

/// A mass on a spring with a strong damper, pushed slowly.
fn damped() -> Equations {
    equations(2, |t, y, rates| {
        rates[0] = y[1];
        rates[1] = t.sin() - 1e4 * y[0] - 1e4 * y[1];
    })
}

#[test]
fn strong_dampers_are_detected() {
    for name in PAIRS {
        for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
            let (_, work) =
                solve(name, within(tolerance), &mut damped(), &[0.0, 0.0], 10.0).unwrap();
            println!("{name} {tolerance:e}: {work:?}");
            assert!(2 * work.stiff > work.steps, "{name} {tolerance:e}: {work:?}");
        }
    }
}

#[test]
fn van_der_pol_is_stiff_where_it_is_slow() {
    let mut ode = equations(2, |_, y, rates| {
        rates[0] = y[1];
        rates[1] = 500.0 * (1.0 - y[0] * y[0]) * y[1] - y[0];
    });
    for name in PAIRS {
        let (_, work) = solve(name, within(1e-6), &mut ode, &[2.0, 0.0], 100.0).unwrap();
        println!("{name}: {work:?}");
        assert!(2 * work.stiff > work.steps, "{name}: {work:?}");
    }
}

#[test]
fn easy_motions_are_not() {
    let fast = || equations(2, |_, y, rates| rates.copy_from_slice(&[y[1], -1e6 * y[0]]));
    let cases: [(&str, Equations, Vec<f64>, f64); 6] = [
        ("oscillator", oscillator(), vec![1.0, 0.0], 50.0),
        ("a fast one", fast(), vec![1.0, 0.0], 1.0),
        ("arenstorf", arenstorf(), ARENSTORF.0.to_vec(), ARENSTORF.1),
        ("pleiades", pleiades(), PLEIADES_START.to_vec(), 3.0),
        ("kepler", kepler(), orbit(0.9, 0.0).to_vec(), 20.0),
        ("sine", sine(), vec![1.0], 20.0),
    ];
    for (problem, mut ode, start, end) in cases {
        for name in PAIRS {
            for tolerance in [1e-3, 1e-5, 1e-8, 1e-12] {
                let (_, work) = solve(name, within(tolerance), &mut ode, &start, end).unwrap();
                assert_eq!(work.stiff, 0, "{problem} {name} {tolerance:e}: {work:?}");
            }
        }
    }
}

#[test]
fn a_decay_is_stiff_only_once_it_is_over() {
    // While the decay itself is followed, accuracy holds steps.
    let mut ode = equations(1, |_, y, rates| rates[0] = -1e3 * (y[0] - 1.0));
    let (_, short) = solve("dop853", within(1e-10), &mut ode, &[0.0], 0.01).unwrap();
    assert_eq!(short.stiff, 0, "{short:?}");
    let (_, long) = solve("dop853", within(1e-10), &mut ode, &[0.0], 10.0).unwrap();
    assert!(2 * long.stiff > long.steps, "{long:?}");
}
