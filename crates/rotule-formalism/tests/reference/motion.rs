//! Motions against digits: energies and places at published states, and the states themselves,
//! integrated with `forward` by extrapolation.

use crate::classics::{
    At, CART_POLE_MOTION, FURUTA_FALL, TOP, TOP_CENTRE, TOP_ENERGY, TOP_MOMENTUM,
};
use crate::n_pendulum::{PENDULUMS, Pendulum};
use rotule_model::pose::{add, cross};
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::numbers::agree;

/// Rates of coordinates and speeds, one after the other.
fn slope(case: &mut Case, state: &State) -> Vec<f64> {
    [case.eval("rates", state).values, case.eval("forward", state).values].concat()
}

/// A state from coordinates and speeds, one after the other.
fn state(case: &Case, numbers: &[f64]) -> State {
    let (q, qd) = numbers.split_at(numbers.len() - case.speeds());
    let zeros = vec![0.0; case.speeds()];
    State { time: 0.0, q: q.to_vec(), qd: qd.to_vec(), qdd: zeros.clone(), effort: zeros }
}

/// One step of the modified midpoint rule in `2, 4 .. 2*ROWS` parts, extrapolated (Gragg, Bulirsch,
/// Stoer).
fn step(case: &mut Case, start: &[f64], size: f64) -> Vec<f64> {
    const ROWS: usize = 8;
    let mut table: Vec<Vec<f64>> = Vec::new();
    let first = slope(case, &state(case, start));
    let plus = |base: &[f64], by: f64, slope: &[f64]| -> Vec<f64> {
        base.iter().zip(slope).map(|(x, d)| x + by * d).collect()
    };
    for row in 0..ROWS {
        let parts = 2 * (row + 1);
        let h = size / parts as f64;
        let (mut before, mut now) = (start.to_vec(), plus(start, h, &first));
        for _ in 1..parts {
            let next = plus(&before, 2.0 * h, &slope(case, &state(case, &now)));
            before = std::mem::replace(&mut now, next);
        }
        let end = slope(case, &state(case, &now));
        let ahead = plus(&before, h, &end);
        let mut entry: Vec<f64> = ahead.iter().zip(&now).map(|(a, b)| (a + b) / 2.0).collect();
        // Aitken and Neville's scheme in the squares of the step sizes.
        for back in 1..=row {
            let ratio = (row + 1) as f64 / (row + 1 - back) as f64;
            let old = std::mem::replace(&mut table[back - 1], entry.clone());
            let better = entry.iter().zip(&old);
            entry = better.map(|(new, old)| new + (new - old) / (ratio * ratio - 1.0)).collect();
        }
        table.push(entry);
    }
    table.pop().expect("as many entries as rows")
}

/// Follows a motion and compares it with digits, to `tolerance`.
fn follow(case: &mut Case, start: &[f64], steps: f64, states: &[At], tolerance: f64) {
    let (mut now, mut time) = (start.to_vec(), 0.0);
    for &(until, q, qd) in states {
        let count = ((until - time) * steps).ceil();
        for _ in 0..count as usize {
            now = step(case, &now, (until - time) / count);
        }
        time = until;
        let label = format!("{} at {time}", case.label);
        agree(&label, &now, &[q, qd].concat(), tolerance);
    }
}

#[test]
fn the_cart_pole_moves_as_computed_elsewhere() {
    let mut case = Case::example("cart_pole.toml");
    follow(&mut case, &[0.0, 0.1, 0.2, -0.3], 20.0, CART_POLE_MOTION, 1e-10);
}

#[test]
fn the_furuta_pendulum_falls_as_computed_elsewhere() {
    let mut case = Case::example("furuta.toml");
    let start = [0.0, std::f64::consts::PI - 0.01, 0.0, 0.0];
    follow(&mut case, &start, 20.0, FURUTA_FALL, 1e-9);
}

#[test]
fn the_heavy_top_keeps_energy_and_momentum_at_published_states() {
    let mut case = Case::example("heavy_top.toml");
    for (&(time, q, qd), centre) in TOP.iter().zip(TOP_CENTRE) {
        let now = state(&case, &[q, qd].concat());
        let label = format!("heavy top at {time}");
        let place = case.eval("position(top.centre)", &now).values;
        agree(&label, &place, centre, 1e-12);
        let energies = ["kinetic_energy", "potential_energy"];
        let energy: f64 = energies.iter().map(|name| case.eval(name, &now).values[0]).sum();
        agree(&label, &[energy], &[TOP_ENERGY], 1e-12);
        let formalism = case.formalisms("momentum")[0];
        let momentum = case.outputs("momentum", formalism, &now).expect("a momentum");
        let [linear, angular] = [0, 1].map(|i| {
            let values = &momentum[i].matrix.values;
            [values[0], values[1], values[2]]
        });
        let about_foot = add(angular, cross([place[0], place[1], place[2]], linear));
        agree(&label, &[about_foot[2]], &[TOP_MOMENTUM], 1e-12);
    }
}

#[test]
fn the_heavy_top_moves_as_computed_elsewhere() {
    let mut case = Case::example("heavy_top.toml");
    let start = [1.0, 0.0, 0.0, 0.0, 0.0, 150.0, -4.61538];
    follow(&mut case, &start, 250.0, TOP, 1e-10);
}

/// The model file of a pendulum, written as `n_pendulum_8.toml` of the gallery is.
fn pendulum(kind: &Pendulum) -> Case {
    let mut text =
        "[model]\nname = \"pendulum\"\ngravity = [0, -9.81, 0]\n[parameters]\nm = 1\nl = 1\n"
            .to_owned();
    for link in 1..=kind.links {
        let parent = if link == 1 { "ground".to_owned() } else { format!("link{}.tip", link - 1) };
        let body = if kind.rods {
            "com = [0, \"-l/2\", 0]\ninertia = { xx = \"m*l^2/12\", zz = \"m*l^2/12\" }"
        } else {
            "com = [0, \"-l\", 0]"
        };
        text += &format!(
            "[[body]]\nname = \"link{link}\"\nparent = \"{parent}\"\n\
             joint = {{ name = \"q{link}\", type = \"revolute\", axis = \"z\" }}\n\
             mass = \"m\"\n{body}\npoints.tip = [0, \"-l\", 0]\n"
        );
    }
    let label = if kind.rods { "rods" } else { "points" };
    Case::of(&format!("pendulum of {} {label}", kind.links), &text)
}

#[test]
fn pendulums_keep_their_energy_at_published_states() {
    for kind in PENDULUMS {
        let mut case = pendulum(kind);
        for at in kind.states {
            let now = state(&case, &[at.q, at.qd].concat());
            let place = format!("position(link{}.tip)", kind.links);
            let tip = case.eval(&place, &now).values;
            agree(&case.label, &tip, &[at.tip[0], at.tip[1], 0.0], 1e-12);
            let energies = ["kinetic_energy", "potential_energy"];
            let energy: f64 = energies.iter().map(|name| case.eval(name, &now).values[0]).sum();
            // They start at rest at the height of the pivot. Terms of the energy are about 100.
            assert!(energy.abs() < 1e-10, "{} at {}: {energy}", case.label, at.time);
        }
    }
}

#[test]
fn pendulums_move_as_computed_elsewhere() {
    for kind in PENDULUMS {
        let mut case = pendulum(kind);
        let mut start = vec![0.0; 2 * kind.links];
        start[0] = std::f64::consts::FRAC_PI_2;
        let states: Vec<At> = kind.states.iter().map(|at| (at.time, at.q, at.qd)).collect();
        follow(&mut case, &start, 100.0, &states, 1e-7);
    }
}
