//! Promises of every method: the end is met exactly, nothing is requested beyond it, faults shorten
//! steps, memory is forgotten on demand.

use crate::problems::*;
use rotule_simulate::method::{Accuracy, Failure};
use rotule_simulate::methods::{METHODS, MethodError, SECOND_ORDER, method};
use rotule_simulate::ode::Fault;

/// Every method with an accuracy it takes.
fn all() -> impl Iterator<Item = (&'static str, Accuracy)> {
    METHODS
        .iter()
        .map(|entry| (entry.name, if entry.fixed { Accuracy::Fixed(1e-3) } else { within(1e-8) }))
}

fn adaptive() -> impl Iterator<Item = (&'static str, Accuracy)> {
    all().filter(|(_, accuracy)| matches!(accuracy, Accuracy::Within { .. }))
}

/// The error that remains of a tolerance of 1e-8 after many steps. Many small errors of one sign
/// are in the character of backward differentiation.
fn allowed(name: &str) -> f64 {
    if name == "bdf" { 5e-6 } else { 1e-6 }
}

#[test]
fn the_end_is_met_and_nothing_beyond_it_is_asked() {
    for (name, accuracy) in all() {
        let mut ode = oscillator();
        let mut method = method(name, accuracy, 2).unwrap();
        let (mut t, mut y) = (0.0, [1.0, 0.0]);
        for end in [0.1, 0.1 + 1e-13, 0.3, 1.0 / 3.0, std::f64::consts::E] {
            go(&mut *method, &mut ode, &mut t, &mut y, end).unwrap();
            assert!(ode.latest <= end, "{name}: {} > {end}", ode.latest);
            let allowed = if name == "euler" { 2e-3 } else { 1e-6 };
            assert!(error(&y, &[end.cos(), -end.sin()]) < allowed, "{name} {end}: {y:?}");
        }
        let steps = method.work().steps;
        let end = t;
        method.step(&mut ode, &mut t, &mut y, end).unwrap();
        assert_eq!(method.work().steps, steps, "{name}: no step of no length");
    }
}

#[test]
fn a_short_last_step_does_not_spoil_the_next() {
    for (name, accuracy) in adaptive() {
        let run = |ends: &[f64]| {
            let mut ode = oscillator();
            let mut method = method(name, accuracy, 2).unwrap();
            let (mut t, mut y) = (0.0, [1.0, 0.0]);
            for &end in ends {
                go(&mut *method, &mut ode, &mut t, &mut y, end).unwrap();
            }
            let found = error(&y, &[20.0_f64.cos(), -20.0_f64.sin()]);
            assert!(found < allowed(name), "{name} {found:e}");
            method.work()
        };
        let whole = run(&[20.0]);
        // Ends that lie anywhere within the steps, one of them hardly beyond the one before.
        let broken = run(&[3.0, 3.0 + 1e-9, 7.0, 11.0, 11.0 + 1e-6, 15.0, 20.0]);
        println!("{name}: {} {}", whole.steps, broken.steps);
        let more = if name == "bdf" { whole.steps / 4 + 7 } else { 7 };
        assert!(broken.steps <= whole.steps + more, "{name}: {whole:?} {broken:?}");
        assert!(broken.rejected <= whole.rejected + more, "{name}: {whole:?} {broken:?}");
    }
}

#[test]
fn the_states_between_the_ends() {
    for (name, accuracy) in all() {
        let mut ode = oscillator();
        let mut method = method(name, accuracy, 2).unwrap();
        let (mut t, mut y) = (0.0, [1.0, 0.0]);
        let (allowed, smooth) = if name == "euler" { (2e-3, 1e-5) } else { (2e-6, 1e-12) };
        let mut worst = 0.0_f64;
        while t < 5.0 {
            let (before, old) = (t, y);
            method.step(&mut ode, &mut t, &mut y, 5.0).unwrap();
            let mut found = [0.0; 2];
            method.between(before, &mut found);
            assert!(error(&found, &old) < smooth, "{name} at the beginning {found:?} {old:?}");
            method.between(t, &mut found);
            assert!(error(&found, &y) < 1e-14, "{name} at the end");
            for part in 1..8 {
                let at = before + (t - before) * f64::from(part) / 8.0;
                method.between(at, &mut found);
                worst = worst.max(error(&found, &[at.cos(), -at.sin()]));
            }
        }
        println!("{name}: {worst:e}");
        assert!(worst < allowed, "{name}: {worst:e}");
    }
}

#[test]
fn faults_shorten_steps_and_then_end_the_run() {
    for (name, accuracy) in adaptive() {
        // y = 1 / (2 - t) leaves the known world at y = 1e4.
        let mut ode =
            equations(1, |_, y, rates| rates[0] = y[0] * y[0]).with(|_, y, by| by[0] = 2.0 * y[0]);
        ode.wall = 1e4;
        let mut method = method(name, accuracy, 1).unwrap();
        let (mut t, mut y) = (0.0, [0.5]);
        let failure = go(&mut *method, &mut ode, &mut t, &mut y, 3.0).unwrap_err();
        let Failure::StepTooSmall { fault, step } = failure else { panic!("{name}: {failure}") };
        assert_eq!(fault, Some(Fault::NotClosed("wall".into())), "{name}");
        assert!(step < 1e-6, "{name}: {step}");
        // The state is the last good one, close to the wall.
        assert!(y[0] <= 1e4 && y[0] > 0.99e4, "{name}: {y:?}");
        assert!((t - (2.0 - 1.0 / y[0])).abs() < allowed(name), "{name}: {t} {y:?}");
    }
}

#[test]
fn a_pole_ends_the_run_at_its_time() {
    for (name, accuracy) in adaptive() {
        let mut ode =
            equations(1, |_, y, rates| rates[0] = y[0] * y[0]).with(|_, y, by| by[0] = 2.0 * y[0]);
        let mut method = method(name, accuracy, 1).unwrap();
        let (mut t, mut y) = (0.0, [0.5]);
        let failure = go(&mut *method, &mut ode, &mut t, &mut y, 3.0).unwrap_err();
        println!("{name}: {t} {failure} {:?}", method.work());
        assert!(matches!(failure, Failure::StepTooSmall { .. }), "{name}");
        assert!((t - 2.0).abs() < allowed(name) && y[0].is_finite(), "{name}: {t}");
    }
}

#[test]
fn a_fault_at_the_beginning_is_told_at_once() {
    for (name, accuracy) in all() {
        let mut ode = oscillator();
        ode.wall = 0.5;
        let mut method = method(name, accuracy, 2).unwrap();
        let (mut t, mut y) = (0.0, [1.0, 0.0]);
        let failure = method.step(&mut ode, &mut t, &mut y, 1.0).unwrap_err();
        assert_eq!(failure, Failure::Fault(Fault::NotClosed("wall".into())), "{name}");
        assert_eq!((t, y), (0.0, [1.0, 0.0]), "{name}");
    }
}

#[test]
fn rates_that_are_no_numbers_are_faults() {
    for (name, accuracy) in all() {
        let mut ode = equations(2, |_, _, rates| rates.copy_from_slice(&[0.0, f64::NAN]));
        let failure = solve(name, accuracy, &mut ode, &[1.0, 0.0], 1.0).unwrap_err();
        let expected = Fault::NotFinite("the rate of state 1".into());
        assert_eq!(failure, Failure::Fault(expected), "{name}");
    }
}

#[test]
fn after_a_restart_the_past_is_forgotten() {
    for (name, accuracy) in all() {
        let mut ode = oscillator();
        let mut method = method(name, accuracy, 2).unwrap();
        let (mut t, mut y) = (0.0, [1.0, 0.0]);
        go(&mut *method, &mut ode, &mut t, &mut y, 2.0).unwrap();
        // An impact: another state, and other equations.
        y = [0.0, 5.0];
        ode.rates = |_, y, rates| rates.copy_from_slice(&[y[1], -4.0 * y[0]]);
        ode.derivatives = Some(|_, _, by| by.copy_from_slice(&[0.0, 1.0, -4.0, 0.0]));
        method.restart(y.len());
        go(&mut *method, &mut ode, &mut t, &mut y, 4.0).unwrap();
        let expected = [2.5 * 4.0_f64.sin(), 5.0 * 4.0_f64.cos()];
        let entry = METHODS.iter().find(|entry| entry.name == name).expect("a row of the table");
        let allowed = match entry.order {
            1 => 1e-2,
            2 | 3 => 1e-4,
            _ => 2e-6,
        };
        assert!(error(&y, &expected) < allowed, "{name}: {y:?} {expected:?}");
    }
}

#[test]
fn a_failed_step_can_be_tried_again() {
    for (name, accuracy) in all() {
        let mut ode = oscillator();
        let mut method = method(name, accuracy, 2).unwrap();
        let (mut t, mut y) = (0.0, [0.0, 1.0]);
        go(&mut *method, &mut ode, &mut t, &mut y, 0.5).unwrap();
        ode.wall = y[0];
        let state = (t, y);
        assert!(method.step(&mut ode, &mut t, &mut y, 1.0).is_err(), "{name}");
        assert_eq!((t, y), state, "{name}");
        ode.wall = f64::INFINITY;
        go(&mut *method, &mut ode, &mut t, &mut y, 1.0).unwrap();
        let allowed = if name == "euler" { 1e-3 } else { 1e-6 };
        assert!(error(&y, &[1.0_f64.sin(), 1.0_f64.cos()]) < allowed, "{name}: {y:?}");
    }
}

#[test]
fn equations_without_states_pass_time() {
    for (name, accuracy) in all() {
        let mut ode = equations(0, |_, _, _| {});
        let (y, _) = solve(name, accuracy, &mut ode, &[], 1.0).unwrap();
        assert!(y.is_empty(), "{name}");
    }
}

#[test]
fn states_at_rest_stay_and_steps_grow() {
    for (name, accuracy) in adaptive() {
        let (y, work) = solve(name, accuracy, &mut oscillator(), &[0.0, 0.0], 1e3).unwrap();
        assert_eq!(y, [0.0, 0.0], "{name}");
        assert!(work.steps < 100, "{name}: {work:?}");
    }
}

#[test]
fn small_states_have_their_scale() {
    for (name, accuracy) in adaptive() {
        let size = 1e-9;
        let mut ode = oscillator().scaled(size);
        let (y, _) = solve(name, accuracy, &mut ode, &[size, 0.0], 5.0).unwrap();
        let found = [y[0] / size, y[1] / size];
        assert!(error(&found, &[5.0_f64.cos(), -5.0_f64.sin()]) < 1e-6, "{name}: {found:?}");
    }
}

/// A row without an arm in `method` would end in a misleading message about steps.
#[test]
fn every_method_of_the_table_is_made() {
    for entry in METHODS.iter().chain(SECOND_ORDER) {
        let accuracy = match entry.fixed {
            true => Accuracy::Fixed(0.1),
            false => Accuracy::Within { relative: 1e-6, absolute: 1e-6 },
        };
        let made = method(entry.name, accuracy, 1);
        let missing = |choice| panic!("`method` lacks an arm for `{}`: {choice}", entry.name);
        let made = made.unwrap_or_else(missing);
        assert_eq!(made.chooses_steps(), !entry.fixed, "{}", entry.name);
    }
}

#[test]
fn names_and_mistakes() {
    let check = |name: &str, accuracy: Accuracy, expected: &str| {
        let choice: MethodError = method(name, accuracy, 1).err().unwrap();
        assert_eq!(choice.to_string(), expected);
    };
    let within = |relative, absolute| Accuracy::Within { relative, absolute };
    check("radua", within(1e-6, 1e-6), "there is no method `radua`; did you mean `radau`?");
    check(
        "leapfrog",
        within(1e-6, 1e-6),
        "there is no method `leapfrog`; expected one of dormand-prince, dop853, radau, bdf, rk4, euler, \
         generalised-alpha, hht, newmark",
    );
    check(
        "hht=0.5",
        Accuracy::Fixed(0.1),
        "`hht=0.5`: the parameter of `hht` must be between 0 and 0.333",
    );
    check("newmark=x", Accuracy::Fixed(0.1), "`newmark=x`: `newmark` takes no parameter");
    check("rk4", within(1e-6, 1e-6), "`rk4` has steps of one length: give --dt, and no tolerances");
    check("bdf", Accuracy::Fixed(0.1), "`bdf` has adaptive steps: give tolerances instead of --dt");
    check("rk4", Accuracy::Fixed(0.0), "the step must be finite and positive, found 0");
    for (relative, absolute) in
        [(1e-17, 0.0), (-1.0, 1e-6), (f64::NAN, 1e-6), (1e-6, f64::INFINITY)]
    {
        let choice = method("dop853", within(relative, absolute), 1).err().unwrap();
        assert!(matches!(choice, MethodError::Tolerance { .. }));
    }
    assert!(METHODS.iter().all(|entry| entry.about.len() < 70 && entry.order > 0));
}
