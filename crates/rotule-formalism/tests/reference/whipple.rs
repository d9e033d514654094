//! Whipple's bicycle as an open tree: what its dynamics and kinematics must satisfy at published
//! states, the wheels rolling.
//!
//! The forces of the ground act at the two contact points and do no work on motions in which the
//! wheels roll. So at the published accelerations, inverse dynamics has no component along any such
//! motion.

use crate::bicycle::{ACCELERATIONS, MANOEUVRES, PITCH, RATES, ROLL, STEER};
use rotule_model::pose::{Components, cross, norm, scale, sub};
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::numbers::{Matrix, agree, dot};

/// The coordinates of the model, which are also its speeds.
const NAMES: [&str; 9] = ["x", "y", "z", "yaw", "roll", "pitch", "rear", "steer", "front"];
const REAR: f64 = 0.3;
const FRONT: f64 = 0.35;

/// A number for each coordinate, from those of the publication: all but x and roll count the other
/// way.
fn turned(numbers: &[(&str, f64)]) -> Vec<f64> {
    let find = |name: &str| {
        let found = numbers.iter().find(|(known, _)| *known == name);
        let sign = if ["x", "roll"].contains(&name) { 1.0 } else { -1.0 };
        sign * found.map_or(0.0, |(_, value)| *value)
    };
    NAMES.map(find).to_vec()
}

fn bicycle() -> Case {
    let case = Case::example("whipple_bicycle.toml");
    let names: Vec<&str> =
        case.mechanism().coordinates.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, NAMES, "the coordinates of the model");
    case
}

/// From the centre of a wheel to its lowest point.
fn to_contact(rotation: &Matrix, radius: f64) -> Components {
    let axle = [0, 1, 2].map(|i| rotation.get(i, 1));
    let down = [0.0, 0.0, -1.0];
    let along = sub(down, scale(axle, dot(&down, &axle)));
    scale(along, radius / norm(along))
}

/// The velocities of the two contact points, one column per speed: what must not move.
fn contacts(case: &mut Case, state: &State) -> Matrix {
    let mut rows = Vec::new();
    for (wheel, radius) in [("rear_wheel", REAR), ("front_wheel", FRONT)] {
        let rotation = case.eval(&format!("rotation({wheel})"), state);
        let arm = to_contact(&rotation, radius);
        let jacobian = case.eval(&format!("jacobian({wheel})"), state);
        let mut block = Matrix::zero(3, 9);
        for j in 0..9 {
            let w = [3, 4, 5].map(|i| jacobian.get(i, j));
            let turning = cross(w, arm);
            (0..3).for_each(|i| *block.at(i, j) = jacobian.get(i, j) + turning[i]);
        }
        rows.extend(block.values);
    }
    Matrix::new(6, 9, rows)
}

/// The solution of a square system, by elimination with pivots.
fn solve(mut matrix: Matrix, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for k in 0..size {
        let better =
            |&i: &usize, &j: &usize| matrix.get(i, k).abs().total_cmp(&matrix.get(j, k).abs());
        let pivot = (k..size).max_by(better).expect("a row is left");
        for j in 0..size {
            let (a, b) = (matrix.get(k, j), matrix.get(pivot, j));
            (*matrix.at(k, j), *matrix.at(pivot, j)) = (b, a);
        }
        right.swap(k, pivot);
        for i in 0..size {
            if i != k {
                let factor = matrix.get(i, k) / matrix.get(k, k);
                (0..size).for_each(|j| *matrix.at(i, j) -= factor * matrix.get(k, j));
                right[i] -= factor * right[k];
            }
        }
    }
    (0..size).map(|i| right[i] / matrix.get(i, i)).collect()
}

/// Speeds with which the wheels roll, when those of some coordinates are given: the others follow.
fn rolling(case: &mut Case, state: &State, given: &[(usize, f64)]) -> Vec<f64> {
    let all = contacts(case, state);
    let unknown: Vec<usize> = (0..9).filter(|j| given.iter().all(|(i, _)| i != j)).collect();
    let mut matrix = Matrix::zero(6, 6);
    let mut right = vec![0.0; 6];
    for (i, right) in right.iter_mut().enumerate() {
        (0..6).for_each(|j| *matrix.at(i, j) = all.get(i, unknown[j]));
        *right = -given.iter().map(|&(j, value)| all.get(i, j) * value).sum::<f64>();
    }
    let found = solve(matrix, right);
    let mut speeds = vec![0.0; 9];
    given.iter().for_each(|&(j, value)| speeds[j] = value);
    unknown.iter().zip(found).for_each(|(&j, value)| speeds[j] = value);
    speeds
}

/// The places of the coordinates that stay free when both wheels roll.
const FREE: [usize; 3] = [4, 7, 6];

/// The state of the publication, with what it leaves out: the rear wheel touches the ground, and
/// rolls.
fn published(case: &mut Case) -> State {
    use std::f64::consts::{FRAC_PI_2, PI};
    let roll = FRAC_PI_2 - ROLL;
    let mut q = turned(&[("roll", roll), ("pitch", PI - PITCH), ("steer", STEER)]);
    q[2] = REAR * roll.cos();
    let names = ["yaw", "roll", "pitch", "steer", "rear", "front"];
    let rates: Vec<(&str, f64)> = names.into_iter().zip(RATES).collect();
    let names = ["x", "y", "z"].into_iter().chain(names);
    let accelerations: Vec<(&str, f64)> = names.zip(ACCELERATIONS).collect();
    let mut state =
        State { q, qd: turned(&rates), qdd: turned(&accelerations), ..State::default() };
    state.effort = vec![0.0; 9];
    let given = FREE.map(|j| (j, state.qd[j]));
    let speeds = rolling(case, &state, &given);
    // The publication has every speed but those of the rear wheel's centre.
    agree("dependent speeds", &speeds[3..], &state.qd[3..], 1e-12);
    state.qd = speeds;
    state
}

#[test]
fn the_front_wheel_touches_the_ground_at_the_published_state() {
    let mut case = bicycle();
    let state = published(&mut case);
    let rotation = case.eval("rotation(front_wheel)", &state);
    let height = case.eval("position(front_wheel)", &state).values[2];
    agree("height", &[height + to_contact(&rotation, FRONT)[2]], &[0.0], 1e-12);
}

#[test]
fn published_accelerations_need_no_force_but_the_grounds() {
    let mut case = bicycle();
    let state = published(&mut case);
    for &formalism in case.formalisms("inverse") {
        let efforts = case.by("inverse", formalism, &state);
        for free in FREE {
            let given = FREE.map(|j| (j, f64::from(u8::from(j == free))));
            let motion = rolling(&mut case, &state, &given);
            let power = dot(&efforts.values, &motion);
            // Efforts are about 1000; accelerations are published to 13 digits.
            assert!(power.abs() < 1e-12 * efforts.size(), "{}: {power}", NAMES[free]);
        }
    }
}

#[test]
fn energies_along_manoeuvres_are_those_computed_elsewhere() {
    let mut case = bicycle();
    for ([roll, roll_rate, steer, steer_rate, yaw, pitch, speed], energies) in MANOEUVRES {
        let mut q = turned(&[("roll", *roll), ("steer", *steer), ("yaw", *yaw), ("pitch", *pitch)]);
        q[2] = REAR * roll.cos();
        let mut state = State { q, ..State::default() };
        (state.qdd, state.effort) = (vec![0.0; 9], vec![0.0; 9]);
        let given = [(FREE[0], *roll_rate), (FREE[1], -steer_rate), (FREE[2], speed / REAR)];
        state.qd = rolling(&mut case, &state, &given);
        let found =
            ["kinetic_energy", "potential_energy"].map(|name| case.eval(name, &state).values[0]);
        // States are published to 15 digits, and large energies hang on each.
        agree(&format!("roll {roll}"), &found, energies, 1e-12);
    }
}
