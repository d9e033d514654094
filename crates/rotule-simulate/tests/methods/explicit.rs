//! Explicit methods: orders, digits, cost.

use crate::problems::*;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::{METHODS, method};

/// The order with which the error on an orbit falls when the step is halved.
fn order(name: &str, steps: u32) -> f64 {
    let error = |steps: u32| {
        let (start, length) = (orbit(0.2, 0.0), Accuracy::Fixed(2.0 / f64::from(steps)));
        let (y, work) = solve(name, length, &mut kepler(), &start, 2.0).unwrap();
        assert_eq!(work.steps, u64::from(steps));
        error(&y, &orbit(0.2, 2.0))
    };
    (error(steps) / error(2 * steps)).log2()
}

#[test]
fn steps_of_one_length_have_their_order() {
    let rows =
        [("euler", 512), ("rk4", 64), ("dormand-prince", 128), ("dop853", 16), ("radau", 64)];
    for entry in METHODS.iter().filter(|entry| entry.fixed) {
        assert!(rows.iter().any(|row| row.0 == entry.name), "`{}` has no row here", entry.name);
    }
    for (name, steps) in rows {
        let entry = METHODS.iter().find(|entry| entry.name == name).expect("a method");
        let found = order(name, steps);
        println!("{name}: {found}");
        assert!((found - f64::from(entry.order)).abs() < 0.25, "{name}: {found}");
    }
}

/// Sums of 0.1 are off by 1e-11 after as many steps; times that are counted are not.
#[test]
fn steps_of_one_length_are_counted() {
    for name in ["euler", "rk4", "dormand-prince", "dop853", "radau"] {
        let mut ode = oscillator();
        let mut method = method(name, Accuracy::Fixed(0.1), 2).unwrap();
        let (mut t, mut y) = (0.0, [1.0, 0.0]);
        for step in 1..=5000_u32 {
            method.step(&mut ode, &mut t, &mut y, 1e3).unwrap();
            assert_eq!(t, f64::from(step) * 0.1, "{name}");
        }
    }
}

/// The power with which the error inside one step falls when it is halved.
fn order_between(name: &str, length: f64) -> f64 {
    let error = |length: f64| {
        let (mut t, mut y) = (0.3, [0.3_f64.sin().exp()]);
        let mut method = method(name, Accuracy::Fixed(length), 1).unwrap();
        method.step(&mut sine(), &mut t, &mut y, 10.0).unwrap();
        let mut worst = 0.0_f64;
        for part in 1..20 {
            let t = 0.3 + length * f64::from(part) / 20.0;
            let mut y = [0.0];
            method.between(t, &mut y);
            worst = worst.max((y[0] - t.sin().exp()).abs());
        }
        worst
    };
    (error(length) / error(length / 2.0)).log2()
}

#[test]
fn between_the_ends_the_order_holds() {
    // One step: the error is of one order more than over a fixed time.
    for (name, expected, length) in [
        ("rk4", 4.0, 0.02),
        ("dormand-prince", 5.0, 0.1),
        ("dop853", 8.0, 0.5),
        ("radau", 5.0, 0.1),
    ] {
        let found = order_between(name, length);
        println!("{name}: {found}");
        assert!((found - expected).abs() < 0.35, "{name}: {found}");
    }
}

#[test]
fn the_work_of_a_step() {
    for (name, a_step, before) in [("dormand-prince", 6, 2), ("dop853", 15, 2)] {
        let mut ode = oscillator();
        let (y, work) = solve(name, within(1e-9), &mut ode, &[1.0, 0.0], 20.0).unwrap();
        assert_eq!(work.rejected, 0, "{name}");
        assert_eq!(work.evaluations, a_step * work.steps + before, "{name}");
        assert_eq!(work.evaluations, ode.asked, "{name}");
        assert!(error(&y, &[20.0_f64.cos(), -20.0_f64.sin()]) < 3e-8, "{name}");
    }
    for (name, a_step) in [("rk4", 4), ("euler", 2)] {
        let accuracy = Accuracy::Fixed(0.01);
        let (_, work) = solve(name, accuracy, &mut oscillator(), &[1.0, 0.0], 1.0).unwrap();
        assert_eq!((work.steps, work.evaluations), (100, 100 * a_step + 1), "{name}");
    }
}

#[test]
fn kepler_over_ten_turns() {
    let end = 62.0;
    for (name, tolerance, allowed, most) in [
        ("dormand-prince", 1e-6, 2e-2, 4_000),
        ("dormand-prince", 1e-10, 2e-6, 20_000),
        ("dop853", 1e-6, 2e-2, 4_000),
        ("dop853", 1e-12, 2e-9, 12_000),
    ] {
        let start = orbit(0.6, 0.0);
        let (y, work) = solve(name, within(tolerance), &mut kepler(), &start, end).unwrap();
        let found = error(&y, &orbit(0.6, end));
        println!("{name} {tolerance:e}: {found:e} {work:?}");
        assert!(found < allowed, "{name} {tolerance:e}: {found:e}");
        assert!(work.evaluations < most, "{name} {tolerance:e}: {work:?}");
    }
}

#[test]
fn work_buys_precision_as_the_order_says() {
    // error ~ work^-order
    for (name, order) in [("dormand-prince", 5.0), ("dop853", 8.0)] {
        let point = |tolerance: f64| {
            let start = orbit(0.3, 0.0);
            let (y, work) = solve(name, within(tolerance), &mut kepler(), &start, 20.0).unwrap();
            (error(&y, &orbit(0.3, 20.0)).log2(), (work.steps as f64).log2())
        };
        let (coarse, fine) = (point(1e-9), point(1e-13));
        let slope = (coarse.0 - fine.0) / (fine.1 - coarse.1);
        println!("{name}: {slope}");
        assert!((0.85 * order..1.3 * order).contains(&slope), "{name}: {slope}");
    }
}

#[test]
fn arenstorf_closes() {
    let (start, period) = ARENSTORF;
    for (name, tolerance, allowed) in [("dormand-prince", 1e-11, 1e-8), ("dop853", 1e-13, 1e-10)] {
        let (y, work) = solve(name, within(tolerance), &mut arenstorf(), &start, period).unwrap();
        println!("{name}: {:e} {work:?}", error(&y[..2], &start[..2]));
        assert!(error(&y[..2], &start[..2]) < allowed, "{name}: {y:?}");
    }
}

#[test]
fn seven_stars_to_published_digits() {
    for (name, tolerance, allowed) in [("dormand-prince", 1e-11, 3e-9), ("dop853", 1e-13, 1e-10)] {
        let (y, work) =
            solve(name, within(tolerance), &mut pleiades(), &PLEIADES_START, 3.0).unwrap();
        println!("{name}: {:e} {work:?}", error(&y[..14], &PLEIADES_END));
        assert!(error(&y[..14], &PLEIADES_END) < allowed, "{name}: {y:?}");
    }
}

#[test]
fn semi_implicit_euler_keeps_the_energy_bounded() {
    let energy = |y: &[f64]| (y[0] * y[0] + y[1] * y[1]) / 2.0;
    let accuracy = Accuracy::Fixed(0.0625);
    let (y, _) = solve("euler", accuracy, &mut oscillator(), &[1.0, 0.0], 1000.0).unwrap();
    // What it keeps exactly is q^2 + v^2 - h q v.
    let kept = energy(&y) - 0.0625 * y[0] * y[1] / 2.0;
    assert!((kept - 0.5).abs() < 1e-12, "{kept}");
    // Without knowing the speeds it is the explicit form, which multiplies the energy by 1 + h^2
    // each step.
    let mut plain = oscillator();
    plain.coordinates = 0;
    let (y, _) = solve("euler", accuracy, &mut plain, &[1.0, 0.0], 10.0).unwrap();
    let expected = 0.5 * (1.0_f64 + 0.0625 * 0.0625).powi(160);
    assert!((energy(&y) / expected - 1.0).abs() < 1e-12);
}
