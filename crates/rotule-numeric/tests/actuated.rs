//! AT-25: inverse dynamics with drives anywhere, as many as degrees of freedom, more or fewer,
//! against dense numbers: a solve where drives are as many, a pseudo-inverse by singular values
//! where they are more.

use rotule_formalism::Formalism::{Barycentric, NewtonEuler, Outward};
use rotule_formalism::constraint::actuated::ActuationReport;
use rotule_numeric::actuation_report;
use rotule_testing::formalism;
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::numbers::{Matrix, agree, solved};

/// An example with drives at some joints, each with a weight.
fn driven(name: &str, drives: &[(&str, f64)]) -> Case {
    let mut text = formalism::example(&format!("{name}.toml"));
    for (joint, weight) in drives {
        let old = format!("name = \"{joint}\", type");
        assert_eq!(text.matches(&old).count(), 1, "{name}: {joint}");
        let new = format!("name = \"{joint}\", actuated = true, actuation_weight = {weight}, type");
        text = text.replace(&old, &new);
    }
    Case::of(name, &text)
}

/// A state with efforts at drives only and the accelerations that they make; and the positions of
/// drives and free independent speeds.
fn moving(case: &mut Case, seed: u64) -> (State, ActuationReport) {
    let found = actuation_report(&case.tree).expect("drives are named");
    let mut given = case.near(seed);
    for (at, effort) in given.effort.iter_mut().enumerate() {
        if !found.drives.contains(&at) {
            *effort = 0.0;
        }
    }
    given.qdd = case.by("forward", Barycentric, &given).values;
    (given, found)
}

/// The singular values of a matrix with at least as many rows as columns, with its left and right
/// vectors as columns (Jacobi's rotations of columns).
fn svd(a: &Matrix) -> (Matrix, Vec<f64>, Matrix) {
    let (mut u, mut v) = (a.clone(), Matrix::identity(a.columns));
    for _ in 0..60 {
        for p in 0..a.columns {
            for q in p + 1..a.columns {
                let dot = |x: usize, y: usize, u: &Matrix| -> f64 {
                    (0..u.rows).map(|row| u.get(row, x) * u.get(row, y)).sum()
                };
                let (alpha, beta, gamma) = (dot(p, p, &u), dot(q, q, &u), dot(p, q, &u));
                if gamma.abs() <= 1e-300 {
                    continue;
                }
                let zeta = (beta - alpha) / (2.0 * gamma);
                let sign = if zeta < 0.0 { -1.0 } else { 1.0 };
                let t = sign / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let c = 1.0 / (1.0 + t * t).sqrt();
                let s = c * t;
                for m in [&mut u, &mut v] {
                    for row in 0..m.rows {
                        let (x, y) = (m.get(row, p), m.get(row, q));
                        (*m.at(row, p), *m.at(row, q)) = (c * x - s * y, s * x + c * y);
                    }
                }
            }
        }
    }
    let mut values = Vec::new();
    for column in 0..a.columns {
        let length = (0..u.rows).map(|row| u.get(row, column).powi(2)).sum::<f64>().sqrt();
        (0..u.rows).for_each(|row| *u.at(row, column) /= length);
        values.push(length);
    }
    (u, values, v)
}

/// The solution of `G x = b` with the least `sum w x^2`, by a pseudo-inverse.
fn least(g: &Matrix, weights: &[f64], b: &[f64]) -> Vec<f64> {
    let mut scaled = g.transpose();
    for (row, weight) in weights.iter().enumerate() {
        (0..scaled.columns).for_each(|column| *scaled.at(row, column) /= weight.sqrt());
    }
    // `G W^-1/2` is `V s U'`, its pseudo-inverse `U s^-1 V'`.
    let (u, values, v) = svd(&scaled);
    let mut inner = v.transpose().apply(b);
    inner.iter_mut().zip(&values).for_each(|(x, value)| *x /= value);
    let x = u.apply(&inner);
    x.iter().zip(weights).map(|(x, weight)| x / weight.sqrt()).collect()
}

/// `G` of the drives and `Psi`, from the map of speeds and from inverse dynamics of the open tree.
fn reference(case: &mut Case, given: &State, found: &ActuationReport) -> (Matrix, Vec<f64>) {
    let map = case.by("reduction", Outward, given);
    let mut g = Matrix::zero(found.free.len(), found.drives.len());
    for (row, &at) in found.free.iter().enumerate() {
        for (column, &drive) in found.drives.iter().enumerate() {
            *g.at(row, column) = map.get(drive, at);
        }
    }
    let closed = case.outputs("closure", Outward, given).expect("closed");
    // Accelerations of dependent joints follow; here they come from forward dynamics with such
    // efforts that the independent ones are as given.
    let state = State {
        q: closed[0].matrix.values.clone(),
        qd: closed[1].matrix.values.clone(),
        ..given.clone()
    };
    let open = case.by("inverse", NewtonEuler, &state).values;
    let all = map.transpose().apply(&open);
    (g, found.free.iter().map(|&at| all[at]).collect())
}

/// As many drives as degrees of freedom, wherever they are: inverse of forward is the identity.
#[test]
fn at_25_square() {
    for (name, drives) in [
        ("five_bar", &["q1", "q4"][..]),
        ("planar_robot_1", &["q1", "q4", "q7"]),
        ("planar_robot_2", &["q2", "q5", "q8"]),
        ("four_bar_joint", &["q3"]),
        ("slider_crank", &["q3"]),
        ("stewart_platform", &["stroke1", "stroke2", "stroke3", "stroke4", "stroke5", "stroke6"]),
    ] {
        let drives: Vec<(&str, f64)> = drives.iter().map(|&joint| (joint, 2.5)).collect();
        let case = &mut driven(name, &drives);
        let (given, found) = moving(case, 31);
        assert_eq!(found.drives.len(), found.free.len(), "{name}");
        assert_eq!((found.determined.len(), found.shared.len()), (drives.len(), 0), "{name}");
        assert!(found.missing.is_empty());
        let (g, psi) = reference(case, &given, &found);
        let expected = solved(g, psi);
        for formalism in [NewtonEuler, Barycentric] {
            let outputs = case.outputs("closed_inverse", formalism, &given).expect("efforts");
            agree(name, &outputs[0].matrix.values, &given.effort, 1e-10);
            assert!(outputs[1].matrix.values.iter().all(|value| *value == 0.0), "{name}");
            let own: Vec<f64> =
                found.drives.iter().map(|&at| outputs[0].matrix.values[at]).collect();
            agree(name, &own, &expected, 1e-10);
        }
    }
}

/// More drives: of all efforts that do it, those with the least weighted squares.
#[test]
fn at_25_over_actuated() {
    for (name, drives) in [
        ("five_bar", &[("q1", 1.0), ("q2", 1.0), ("q4", 1.0)][..]),
        ("five_bar", &[("q1", 1.0), ("q2", 4.0), ("q3", 0.5), ("q4", 2.0)]),
        ("planar_robot_1", &[("q1", 1.0), ("q2", 3.0), ("q4", 1.0), ("q5", 0.2), ("q7", 7.0)]),
        ("four_bar_joint", &[("q1", 2.0), ("q2", 0.3), ("q3", 1.0)]),
    ] {
        let case = &mut driven(name, drives);
        let (given, found) = moving(case, 32);
        assert!(found.drives.len() > found.free.len(), "{name}");
        assert_eq!(found.shared.len() + found.determined.len(), drives.len(), "{name}");
        let weights: Vec<f64> = drives.iter().map(|drive| drive.1).collect();
        let (g, psi) = reference(case, &given, &found);
        let expected = least(&g, &weights, &psi);
        // The reference is a solution itself.
        agree(name, &g.apply(&expected), &psi, 1e-11);
        for formalism in [NewtonEuler, Barycentric] {
            let efforts = case.by("closed_inverse", formalism, &given).values;
            let own: Vec<f64> = found.drives.iter().map(|&at| efforts[at]).collect();
            agree(name, &own, &expected, 1e-10);
            // The same motion as by the efforts that made it, with no larger sum.
            let again = State { effort: efforts.clone(), ..given.clone() };
            agree(name, &case.by("forward", formalism, &again).values, &given.qdd, 1e-9);
            let sum = |efforts: &[f64]| -> f64 {
                found.drives.iter().zip(&weights).map(|(&at, w)| w * efforts[at].powi(2)).sum()
            };
            assert!(sum(&efforts) <= sum(&given.effort) * (1.0 + 1e-12), "{name}");
        }
    }
}

/// A drive that a norm has no say in is not changed by weights: structure decides.
#[test]
fn at_25_structure_decides_before_norms() {
    let arms = "[model]\nname = \"arms\"\n[[body]]\nname = \"a\"\nparent = \"ground\"\n\
        joint = { name = \"q1\", type = \"revolute\", axis = \"x\", actuated = true }\nmass = 1\ncom = [0, 1, 0]\n\
        [[body]]\nname = \"b\"\nparent = \"ground\"\n\
        joint = { name = \"q2\", type = \"revolute\", axis = \"x\", actuated = true, actuation_weight = 3 }\n\
        mass = 1\ncom = [0, 1, 0]\n[[body]]\nname = \"c\"\nparent = \"ground\"\n\
        joint = { name = \"q3\", type = \"revolute\", axis = \"x\", actuated = true }\nmass = 1\ncom = [0, 1, 0]\n\
        [[coupling]]\nname = \"gear\"\nequation = \"q3 = 2*q2\"\n";
    let case = &mut Case::of("arms", arms);
    let found = actuation_report(&case.tree).expect("drives");
    assert_eq!((found.determined, found.shared), (vec![0], vec![1, 2]));
    let state = State {
        time: 0.0,
        q: vec![0.3, 0.2, 0.4],
        qd: vec![0.1, 0.2, 0.4],
        qdd: vec![1.0, 0.5, 1.0],
        effort: vec![0.0; 3],
    };
    let open = case.by("inverse", NewtonEuler, &state).values;
    // Q2 + 2 Q3 = psi with 3 Q2^2 + Q3^2 least: Q2 = k/3, Q3 = 2 k.
    let k = (open[1] + 2.0 * open[2]) / (1.0 / 3.0 + 4.0);
    let expected = [open[0], k / 3.0, 2.0 * k];
    agree("arms", &case.by("closed_inverse", NewtonEuler, &state).values, &expected, 1e-12);
}

/// Fewer drives: what they determine, and what is missing.
#[test]
fn at_25_under_actuated() {
    for (name, drives) in
        [("five_bar", &["q4"][..]), ("planar_robot_1", &["q4", "q7"]), ("cart_pole", &["x"])]
    {
        let drives: Vec<(&str, f64)> = drives.iter().map(|&joint| (joint, 1.0)).collect();
        let case = &mut driven(name, &drives);
        let (given, found) = moving(case, 33);
        assert_eq!(found.missing.len(), found.free.len() - drives.len(), "{name}");
        assert_eq!(found.determined.len(), drives.len(), "{name}");
        for formalism in [NewtonEuler, Barycentric] {
            // A motion that drives can make needs nothing else.
            let outputs = case.outputs("closed_inverse", formalism, &given).expect("efforts");
            agree(name, &outputs[0].matrix.values, &given.effort, 1e-10);
            let none = vec![0.0; given.q.len()];
            agree(name, &outputs[1].matrix.values, &none, 1e-10);
        }
        // Of another one, the equations hold with what is missing.
        let mut other = case.near(34);
        other.effort = (0..other.qd.len()).map(|at| (at as f64).sin()).collect();
        other.qdd = case.by("forward", NewtonEuler, &other).values;
        let outputs = case.outputs("closed_inverse", NewtonEuler, &other).expect("efforts");
        let (efforts, missing) = (&outputs[0].matrix.values, &outputs[1].matrix.values);
        let (g, psi) = reference(case, &other, &found);
        let own: Vec<f64> = found.drives.iter().map(|&at| efforts[at]).collect();
        let done = g.apply(&own);
        let sum: Vec<f64> =
            found.free.iter().zip(done).map(|(&at, done)| done + missing[at]).collect();
        agree(name, &sum, &psi, 1e-10);
        for (at, &value) in missing.iter().enumerate() {
            assert_eq!(value != 0.0, found.missing.contains(&at), "{name}: {at}");
        }
        // `actuation` has the parts.
        let parts = case.outputs("actuation", NewtonEuler, &other).expect("parts");
        let rows: Vec<f64> = found.free.iter().map(|&at| parts[0].matrix.values[at]).collect();
        agree(name, &rows, &psi, 1e-10);
        for (row, &at) in found.free.iter().enumerate() {
            for (column, &drive) in found.drives.iter().enumerate() {
                let entry = parts[1].matrix.get(at, drive);
                assert!((entry - g.get(row, column)).abs() < 1e-10, "{name}");
            }
        }
    }
}

/// As many drives as degrees of freedom, but two of them do the same: too many there, too few
/// elsewhere.
#[test]
fn at_25_locally_over_and_globally_under_actuated() {
    let body = |name: &str, rest: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nparent = \"ground\"\n\
             joint = {{ name = \"q_{name}\", type = \"revolute\", axis = \"x\"{rest} }}\nmass = 1\ncom = [0, 1, 0]\n"
        )
    };
    let text = format!(
        "[model]\nname = \"gears\"\n{}{}{}[[coupling]]\nname = \"gear\"\nequation = \"q_a = 2*q_b\"\n",
        body("a", ", actuated = true"),
        body("b", ", actuated = true"),
        body("c", "")
    );
    let case = &mut Case::of("gears", &text);
    let found = actuation_report(&case.tree).expect("drives");
    assert_eq!((found.free.len(), found.drives.len()), (2, 2));
    assert_eq!((found.shared, found.missing), (vec![0, 1], vec![2]));
}
