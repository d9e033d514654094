//! The simulation against digits that nobody here wrote: published benchmarks and closed forms.

use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::run::{Observer, Threshold};
use rotule_testing::simulate;
use rotule_testing::simulate::reference::{POINT_MASS, Solved, problem, solve, table, value};
use rotule_testing::simulate::{Conserved, conserved, ends, example, plant, within};

/// The longest time of a table.
const WHOLE: f64 = f64::INFINITY;

fn solved(name: &str, method: &str, tolerance: f64, until: f64) -> Solved {
    let solved = solve(&problem(name), method, within(tolerance), until);
    println!("{name} {method} {tolerance:e}: {:?}", solved.errors);
    solved
}

#[test]
fn andrews_squeezer() {
    let found = solved("andrews_squeezer", "dop853", 1e-12, WHOLE);
    assert!(found.coordinates(0.03) < 1e-9 && found.speeds(0.03) < 1e-8);
    assert!(found.coordinates(0.05) < 1e-9 && found.speeds(0.05) < 1e-8);
    let found = solved("andrews_squeezer", "dormand-prince", 1e-11, 0.03);
    assert!(found.coordinates(0.03) < 1e-9 && found.speeds(0.03) < 1e-8);
    let found = solved("andrews_squeezer", "radau", 1e-12, 0.03);
    assert!(found.coordinates(0.03) < 1e-9 && found.speeds(0.03) < 1e-8);
}

#[test]
fn the_point_mass_of_a01_on_its_rod() {
    // Neither x nor y can be independent all the way round: choices alternate.
    for (name, tolerance) in [("dop853", 1e-12), ("dormand-prince", 1e-12)] {
        let found = solved("point_mass", name, tolerance, WHOLE);
        assert!(found.coordinates(10.0) < 1e-8, "{name}");
        let periods = 10.0 / 2.367841947576237;
        let changes = found.outcome.switches.len() as f64;
        // Away from the horizontal, at the lowest point to be passed, and back: two changes in half
        // a period.
        assert!((changes - 4.0 * periods).abs() < 3.0, "{changes}");
        assert!(found.outcome.drift.position < 1e-11);
    }
    let (_, drift) = conserved(&mut plant(POINT_MASS), "dop853", 1e-12, 10.0);
    assert!(drift < 1e-9, "{drift:e}");
}

#[test]
fn the_pendulum_of_a01() {
    let mut plant = plant(&example("pendulum.toml"));
    let (_, rows) = table(problem("point_mass").digits);
    let mut method = method("dop853", within(1e-12), plant.size()).expect("a method");
    let times: Vec<f64> = rows.iter().map(|row| row.0).collect();
    let mut at = 0;
    ends(&mut plant, method.as_mut(), &times, Threshold::AUTOMATIC, |plant| {
        let (phi, rate) = (value(plant, "phi"), value(plant, "phi.d"));
        let found = [phi.sin(), -phi.cos(), phi.cos() * rate, phi.sin() * rate];
        for (found, expected) in found.iter().zip(&rows[at].1) {
            assert!((found - expected).abs() < 1e-9, "t = {}: {found} {expected}", rows[at].0);
        }
        at += 1;
    });
    let (_, drift) =
        conserved(&mut simulate::plant(&example("pendulum.toml")), "dop853", 1e-12, 10.0);
    assert!(drift < 1e-9, "{drift:e}");
}

#[test]
fn the_stiff_flyball_governor() {
    for (name, tolerance) in [("radau", 1e-8), ("bdf", 1e-9)] {
        let found = solved("flyball_governor", name, tolerance, WHOLE);
        let s = found.each.iter().map(|row| row[1]).fold(0.0, f64::max);
        assert!(s < 1e-6, "{name}: {s:e}");
        assert!(found.coordinates(10.0) < 2e-6, "{name}");
        // An explicit method needs more than 5e4 steps to stay stable.
        assert!(found.outcome.work.steps < 5000, "{name}: {:?}", found.outcome.work);
    }
}

#[test]
fn the_spatial_slider_crank() {
    let found = solved("spatial_slider_crank", "dop853", 1e-12, WHOLE);
    let errors = |t: f64| {
        let row = found.errors.iter().position(|row| row.0 == t).expect("a row of this time");
        &found.each[row]
    };
    assert!(errors(1.0)[1] < 1e-8, "x(1)");
    assert!(errors(5.0)[0] < 1e-8, "theta(5)");
    assert!(found.coordinates(5.0) < 1e-8);
    let (outcome, drift) =
        conserved(&mut plant(&example("spatial_slider_crank.toml")), "dormand-prince", 1e-10, 5.0);
    assert!(drift < 1e-8, "{drift:e}");
    assert!(outcome.drift.position < 1e-11);
}

#[test]
fn the_heavy_top() {
    let found = solved("heavy_top", "dop853", 1e-12, WHOLE);
    assert!(found.coordinates(2.0) < 1e-9 && found.speeds(2.0) < 1e-8);
    let found = solved("heavy_top", "radau", 1e-10, 1.0);
    assert!(found.coordinates(1.0) < 1e-8);
}

#[test]
fn the_quaternion_of_the_heavy_top_keeps_its_length() {
    // So does the speed about the axis of the top, of which nothing turns it.
    for (name, tolerance, allowed) in [("dop853", 1e-11, 1e-9), ("dormand-prince", 1e-9, 1e-6)] {
        let mut top = plant(&example("heavy_top.toml"));
        let mut method = method(name, within(tolerance), top.size()).expect("a method");
        let times: Vec<f64> = (1..=200).map(|at| f64::from(at) * 0.05).collect();
        let mut energy = Conserved::new(&mut top);
        let mut longest = 0.0_f64;
        ends(&mut top, method.as_mut(), &times, Threshold::AUTOMATIC, |plant| {
            let square: f64 = plant.point().q.iter().map(|part| part * part).sum();
            longest = longest.max((square.sqrt() - 1.0).abs());
            let _ = energy.sample(plant);
            assert!((value(plant, "attitude.wy") - 150.0).abs() < 1e-9);
        });
        println!("{name}: length {longest:e}, energy {:e}", energy.relative());
        assert!(longest < 1e-14, "{name}: {longest:e}");
        assert!(energy.relative() < allowed, "{name}: {:e}", energy.relative());
    }
}

#[test]
fn the_quaternion_between_steps_keeps_its_length() {
    let mut top = plant(&example("heavy_top.toml"));
    let mut method = method("dormand-prince", within(1e-6), top.size()).expect("a method");
    let (_, kept) = simulate::motion(&mut top, method.as_mut(), 1.0, 0.0007, Threshold::AUTOMATIC);
    for point in &kept.points {
        let square: f64 = point.q.iter().map(|part| part * part).sum();
        assert!((square.sqrt() - 1.0).abs() < 1e-14, "t = {}: {:e}", point.t, square.sqrt() - 1.0);
    }
}

#[test]
fn the_period_of_dzhanibekov() {
    let period = 33.194_997_008_915_485;
    let found = solved("dzhanibekov", "dop853", 1e-12, WHOLE);
    assert!(found.speeds(40.0) < 1e-9);
    // After a period the angular velocity is that of the start; its rate there turns a difference
    // into a time.
    let mut nut = plant(&problem("dzhanibekov").model);
    let mut method = method("dop853", within(1e-13), nut.size()).expect("a method");
    ends(&mut nut, method.as_mut(), &[period], Threshold::AUTOMATIC, |plant| {
        let (found, rates) = (&plant.point().qd, &plant.point().qdd);
        for (at, start) in [0.01, 1.0, 0.02].into_iter().enumerate() {
            let late = (found[at] - start) / rates[at];
            println!("period of axis {at}: {late:e} off");
            assert!(at == 1 || late.abs() < 1e-8, "axis {at}: {late:e}");
            assert!((found[at] - start).abs() < 1e-10);
        }
    });
}

#[test]
fn manoeuvres_of_the_bicycle() {
    for name in ["bicycle_m1", "bicycle_m2", "bicycle_m3"] {
        let found = solved(name, "dop853", 1e-12, WHOLE);
        assert!(found.coordinates(5.0) < 1e-10, "{name}");
        assert!(found.speeds(5.0) < 1e-7, "{name}");
        assert!(found.outcome.drift.position < 1e-11 && found.outcome.drift.velocity < 1e-12);
    }
    let found = solved("bicycle_m2", "bdf", 1e-9, WHOLE);
    assert!(found.coordinates(5.0) < 1e-6);
}

#[test]
fn pendulums_of_many_links() {
    for name in ["pendulum_2", "pendulum_3", "pendulum_5", "pendulum_3_rods", "cart_pole"] {
        let found = solved(name, "dop853", 1e-12, WHOLE);
        assert!(found.coordinates(5.0) < 1e-9 && found.speeds(5.0) < 1e-8, "{name}");
        let found = solved(name, "dormand-prince", 1e-10, WHOLE);
        assert!(found.coordinates(5.0) < 1e-7, "{name}");
    }
}
