//! Implicit methods: stiff problems to published digits, and what derivatives and factors cost.

use crate::problems::*;
use rotule_simulate::method::Accuracy;

fn tight(relative: f64, absolute: f64) -> Accuracy {
    Accuracy::Within { relative, absolute }
}

#[test]
fn robertson_over_eleven_decades() {
    for (name, allowed, most) in [("radau", 1e-7, 400), ("bdf", 1e-5, 1200)] {
        let accuracy = tight(1e-7, 1e-14);
        let start = [1.0, 0.0, 0.0];
        let (y, work) = solve(name, accuracy, &mut robertson(), &start, 1e11).unwrap();
        println!("{name}: {:e} {work:?}", relative(&y, &ROBERTSON));
        assert!(relative(&y, &ROBERTSON) < allowed, "{name}: {y:?}");
        assert!((y.iter().sum::<f64>() - 1.0).abs() < 1e-10, "{name}: mass is kept");
        assert!(work.steps < most, "{name}: {work:?}");
    }
}

#[test]
fn van_der_pol_jumps() {
    for (name, tolerance, allowed, most) in [
        ("radau", 1e-4, 1e-4, 250),
        ("radau", 1e-6, 1e-6, 500),
        ("radau", 1e-10, 1e-9, 2500),
        ("bdf", 1e-8, 1e-6, 2500),
    ] {
        let (y, work) =
            solve(name, within(tolerance), &mut van_der_pol(), &[2.0, 0.0], 2.0).unwrap();
        println!("{name} {tolerance:e}: {:e} {work:?}", relative(&y, &VAN_DER_POL));
        assert!(relative(&y, &VAN_DER_POL) < allowed, "{name}: {y:?}");
        assert!(work.steps < most, "{name}: {work:?}");
    }
}

#[test]
fn hires_without_derivatives_of_its_own() {
    for (name, allowed) in [("radau", 1e-6), ("bdf", 1e-5)] {
        let mut ode = hires();
        let (y, work) = solve(name, tight(1e-8, 1e-10), &mut ode, &HIRES_START, 321.8122).unwrap();
        println!("{name}: {:e} {work:?}", relative(&y, &HIRES_END));
        assert!(relative(&y, &HIRES_END) < allowed, "{name}: {y:?}");
        assert_eq!(work.evaluations, ode.asked);
    }
}

#[test]
fn a_fast_part_does_not_hurt_a_slow_one() {
    // Prothero and Robinson: the solution is sin t, whatever the stiffness.
    let problem = || {
        equations(1, |t, y, rates| rates[0] = -1e6 * (y[0] - t.sin()) + t.cos())
            .with(|_, _, by| by[0] = -1e6)
    };
    for (name, most) in [("radau", 100), ("bdf", 400)] {
        let (y, work) = solve(name, within(1e-8), &mut problem(), &[0.0], 10.0).unwrap();
        println!("{name}: {:e} {work:?}", (y[0] - 10.0_f64.sin()).abs());
        assert!((y[0] - 10.0_f64.sin()).abs() < 1e-7, "{name}");
        assert!(work.steps < most, "{name}: {work:?}");
        // Derivatives that do not change are found once.
        assert_eq!(work.jacobians, 1, "{name}: {work:?}");
    }
}

#[test]
fn tolerances_are_kept_in_proportion() {
    for (name, grown) in [("radau", 20.0), ("bdf", 1000.0)] {
        let point = |tolerance: f64| {
            let (y, work) = solve(name, within(tolerance), &mut sine(), &[1.0], 20.0).unwrap();
            let error = (y[0] - 20.0_f64.sin().exp()).abs();
            println!("{name} {tolerance:e}: {error:e} {work:?}");
            assert!(error < grown * tolerance, "{name} {tolerance:e}: {error:e}");
            (error.log2(), (work.steps as f64).log2())
        };
        let (coarse, fine) = (point(1e-5), point(1e-10));
        let slope = (coarse.0 - fine.0) / (fine.1 - coarse.1);
        println!("{name}: {slope}");
        assert!(slope > 3.5, "{name}: {slope}");
    }
}

#[test]
fn the_work_of_implicit_steps() {
    let (_, work) = solve("radau", within(1e-8), &mut van_der_pol(), &[2.0, 0.0], 0.5).unwrap();
    // Three evaluations an iteration, one at the beginning of each step, and few to begin and to
    // filter errors.
    let explained = 3 * work.iterations + work.steps;
    assert!((explained..explained + 40).contains(&work.evaluations), "{work:?}");
    assert_eq!(work.factorisations % 2, 0);
    assert!(work.jacobians < work.steps, "derivatives are used again: {work:?}");
    let (_, work) = solve("bdf", within(1e-8), &mut van_der_pol(), &[2.0, 0.0], 0.5).unwrap();
    assert_eq!(work.evaluations, work.iterations + work.jacobians + 2, "{work:?}");
    assert!(5 * work.jacobians < work.steps && 2 * work.factorisations < work.steps, "{work:?}");
}
