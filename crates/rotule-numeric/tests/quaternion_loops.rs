//! Loops with ball and free joints, whose quaternions follow along some or all of their axes:
//! closed motions fulfil the constraints and the equations of the open tree, agree with the same
//! mechanism without the loop, and have derivatives.

use rotule_formalism::Formalism::{self, Barycentric, NewtonEuler, Outward};
use rotule_model::index::SpeedSet;
use rotule_numeric::assembly::assemble;
use rotule_numeric::redundancy::analyse;
use rotule_testing::formalism::case::{Case, State};

/// A spatial four-bar: crank and rocker turn about skew axes, the coupler hangs on balls and spins
/// freely.
const RSSR: &str = "[model]\nname = \"rssr\"\ngravity = [0, 0, -9.81]\n[ground]\npoints.D = [0.9, 0.3, 0.1]\n\
    [[body]]\nname = \"crank\"\nparent = \"ground\"\nmass = 0.8\ncom = [0.1, 0, 0]\n\
    inertia = { xx = 0.01, yy = 0.02, zz = 0.02 }\npoints.E = [0.2, 0, 0]\n\
    joint = { name = \"q1\", type = \"revolute\", axis = \"z\" }\n\
    [[body]]\nname = \"coupler\"\nparent = \"crank.E\"\nmass = 1.1\ncom = [0.4, 0.05, 0]\n\
    inertia = { xx = 0.02, yy = 0.1, zz = 0.09, xy = 0.003 }\npoints.E = [0.8, 0, 0]\n\
    joint = { name = \"ball\", type = \"spherical\" }\n\
    [[body]]\nname = \"rocker\"\nparent = \"ground.D\"\nmass = 0.9\ncom = [0, 0, 0.2]\n\
    inertia = { xx = 0.03, yy = 0.03, zz = 0.01 }\npoints.E = [0, 0, 0.4]\n\
    joint = { name = \"q3\", type = \"revolute\", axis = [1, 0.4, 0] }\n\
    [[cut]]\nname = \"end\"\ntype = \"ball\"\nbetween = [\"coupler.E\", \"rocker.E\"]\n";

/// A ball that hangs on its centre and on a bar.
const TIED: &str = "[model]\nname = \"tied\"\n[ground]\npoints.P = [1, 1, 0]\n[[body]]\nname = \"bob\"\n\
    parent = \"ground\"\nmass = 1\ncom = [0.2, 0.1, -0.3]\ninertia = { xx = 1, yy = 0.8, zz = 0.6 }\n\
    joint = { name = \"s\", type = \"spherical\" }\npoints.E = [1, 0, 0]\n\
    [[cut]]\nname = \"tie\"\ntype = \"rod\"\nlength = 1\nbetween = [\"bob.E\", \"ground.P\"]\n";

/// A body that may move in any way, held at a point.
const HELD: &str = "[model]\nname = \"held\"\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"bob\"\nparent = \"ground\"\n\
    mass = 1.3\ncom = [0.2, 0.1, -0.3]\ninertia = { xx = 1, yy = 0.8, zz = 0.6 }\n\
    joint = { name = \"s\", type = \"free\" }\npoints.E = [0.1, -0.2, 0.4]\n\
    [[cut]]\nname = \"hook\"\ntype = \"ball\"\nbetween = [\"bob.E\", \"ground\"]\n\
    [initial.q]\ns = [-0.1, 0.2, -0.4, 1, 0, 0, 0]\n";

/// The closed initial state with some speeds and efforts.
fn state(case: &Case) -> State {
    let n = case.speeds();
    let closed =
        assemble(&case.tree, &SpeedSet::new()).unwrap_or_else(|problem| panic!("{problem}"));
    let list = |size: f64| (0..n).map(|at| size * (1.3 * at as f64 + 0.4).sin()).collect();
    State { time: 0.0, q: closed.q, qd: list(1.0), qdd: vec![0.0; n], effort: list(2.0) }
}

fn list(case: &mut Case, function: &str, at: usize, by: Formalism, state: &State) -> Vec<f64> {
    let outputs = case.outputs(function, by, state);
    outputs.unwrap_or_else(|problem| panic!("{problem}"))[at].matrix.values.clone()
}

#[test]
fn closed_motions_fulfil_constraints_and_equations_of_motion() {
    for (text, mobility) in [(RSSR, 2), (TIED, 2), (HELD, 3)] {
        let case = &mut Case::of("model", text);
        let name = case.mechanism().name.clone();
        let analysis = analyse(&case.tree).expect("closes");
        assert!(analysis.fault().is_none(), "{name}: {:?}", analysis.fault());
        assert_eq!(analysis.mobility(), mobility, "{name}");
        // The state is a little off, so that there is something to close.
        let step: Vec<f64> = (0..case.speeds()).map(|at| 0.05 * (at as f64).cos()).collect();
        let given = case.moved(&state(case), &step);
        let mut closed = given.clone();
        closed.q = list(case, "closure", 0, Outward, &given);
        closed.qd = list(case, "closure", 1, Outward, &given);
        let rows = |case: &mut Case, at: usize| list(case, "constraints", at, Outward, &closed);
        let (h, j, e, b) = (rows(case, 0), rows(case, 1), rows(case, 2), rows(case, 3));
        let qdd = list(case, "forward", 0, Barycentric, &given);
        let lambda = list(case, "multipliers", 0, NewtonEuler, &given);
        let mass = list(case, "mass", 0, NewtonEuler, &closed);
        let bias = list(case, "bias", 0, NewtonEuler, &closed);
        let n = case.speeds();
        let dot = |row: &[f64], v: &[f64]| -> f64 { row.iter().zip(v).map(|(a, b)| a * b).sum() };
        for row in 0..h.len() {
            let line = &j[row * n..(row + 1) * n];
            assert!(h[row].abs() < 1e-12, "{name}: position {row}: {:e}", h[row]);
            let velocity = dot(line, &closed.qd) + e[row];
            assert!(velocity.abs() < 1e-11, "{name}: velocity {row}: {velocity:e}");
            let acceleration = dot(line, &qdd) + b[row];
            assert!(acceleration.abs() < 1e-10, "{name}: acceleration {row}: {acceleration:e}");
        }
        for at in 0..n {
            let held: f64 = lambda.iter().enumerate().map(|(row, x)| j[row * n + at] * x).sum();
            let rest = dot(&mass[at * n..(at + 1) * n], &qdd) + bias[at] - given.effort[at] - held;
            assert!(rest.abs() < 1e-10, "{name}: motion {at}: {rest:e}");
        }
        // Quaternions are units.
        for joint in
            case.mechanism().joints.iter().filter(|one| one.coordinates.len() > one.speeds.len())
        {
            let end = joint.coordinates.end;
            let length: f64 = closed.q[end - 4..end].iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-14, "{name}: {length}");
        }
    }
}

/// A free body that is held at a point turns as one on a ball joint there.
#[test]
fn a_body_held_at_a_point_turns_as_on_a_ball_joint() {
    let held = &mut Case::of("held", HELD);
    // The same body with its frame in that point.
    let ball = &mut Case::of(
        "ball",
        "[model]\nname = \"ball\"\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"bob\"\nparent = \"ground\"\n\
         mass = 1.3\ncom = [0.1, 0.3, -0.7]\ninertia = { xx = 1, yy = 0.8, zz = 0.6 }\n\
         joint = { name = \"s\", type = \"spherical\" }\n",
    );
    let quaternion = [0.8, 0.36, 0.48, 0.0];
    let still = |n: usize| vec![0.0; n];
    let effort = [0.2, -0.5, 0.3];
    let given = State {
        time: 0.0,
        q: [vec![-0.1, 0.2, -0.3], quaternion.to_vec()].concat(),
        qd: vec![0.3, -0.2, 0.1, 0.7, -0.4, 1.1],
        qdd: still(6),
        effort: [still(3), effort.to_vec()].concat(),
    };
    // Whichever speeds are independent: the closed ones belong together.
    let closed = held.outputs("closure", Outward, &given).expect("a closed state");
    let (q, qd) = (&closed[0].matrix.values, &closed[1].matrix.values);
    let of_ball = State {
        time: 0.0,
        q: q[3..].to_vec(),
        qd: qd[3..].to_vec(),
        qdd: still(3),
        effort: effort.to_vec(),
    };
    assert!(of_ball.qd.iter().any(|speed| speed.abs() > 0.1), "{:?}", of_ball.qd);
    let expected = ball.by("forward", NewtonEuler, &of_ball).values;
    for formalism in [NewtonEuler, Barycentric] {
        let found = held.by("forward", formalism, &given).values;
        for (a, b) in found[3..].iter().zip(&expected) {
            assert!((a - b).abs() < 1e-11, "{found:?} {expected:?}");
        }
    }
}

/// Derivatives along independent speeds against differences; dependent ones have none.
#[test]
fn derivatives_through_quaternions_that_follow() {
    for text in [RSSR, TIED, HELD] {
        let case = &mut Case::of("model", text);
        let name = case.mechanism().name.clone();
        let base = state(case);
        let partition = analyse(&case.tree).expect("closes").partition.expect("sound");
        let exact = list(case, "derivative(forward, q)", 0, NewtonEuler, &base);
        let n = case.speeds();
        let size = exact.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        for column in 0..n {
            let along = |case: &mut Case, step: f64| {
                let mut steps = vec![0.0; n];
                steps[column] = step;
                let moved = case.moved(&base, &steps);
                list(case, "forward", 0, NewtonEuler, &moved)
            };
            let difference = |case: &mut Case, step: f64| -> Vec<f64> {
                let (after, before) = (along(case, step), along(case, -step));
                after.iter().zip(before).map(|(a, b)| (a - b) / (2.0 * step)).collect()
            };
            // Extrapolated, so that what is left is of fourth order.
            let (coarse, fine) = (difference(case, 2e-3), difference(case, 1e-3));
            for row in 0..n {
                let expected = (4.0 * fine[row] - coarse[row]) / 3.0;
                let found = exact[row * n + column];
                assert!(
                    (found - expected).abs() < 1e-7 * size,
                    "{name}: {row}, {column}: {found} and {expected}"
                );
                if !partition.independent.contains(&column) {
                    assert_eq!(found, 0.0, "{name}: {column} follows");
                }
            }
        }
    }
}
