//! Motions of mechanisms that are known to the last digit: rest, uniform motion, constant
//! acceleration, constants, with every method.

use rotule_simulate::augmented::ConstraintForm;
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::{METHODS, SECOND_ORDER, method};
use rotule_simulate::ode::Ode;
use rotule_simulate::run::{End, Threshold};
use rotule_testing::simulate::{motion, plant_in};

/// A slider with an effort, beside a pendulum.
fn slider(q: f64, qd: f64, effort: &str, rest: &str) -> String {
    format!(
        "[model]\nname = \"slider\"\ngravity = [0, 0, -9.81]\n\
         [[body]]\nname = \"slider\"\nparent = \"ground\"\nmass = 2\n\
         joint = {{ name = \"x\", type = \"prismatic\", axis = \"x\", effort = \"{effort}\" }}\n\
         [initial.q]\nx = {q}\n[initial.qd]\nx = {qd}\n{rest}"
    )
}

/// Every method with accuracies that it takes, and the form of its equations.
fn all() -> Vec<(&'static str, Accuracy, ConstraintForm)> {
    let mut all = Vec::new();
    for entry in METHODS {
        if entry.fixed {
            all.push((entry.name, Accuracy::Fixed(0.01), ConstraintForm::Partition));
            continue;
        }
        for (relative, absolute) in [(1e-4, 1e-6), (1e-8, 1e-10), (1e-12, 1e-12), (1e-3, 1e-12)] {
            all.push((
                entry.name,
                Accuracy::Within { relative, absolute },
                ConstraintForm::Partition,
            ));
        }
    }
    for entry in SECOND_ORDER {
        all.push((entry.name, Accuracy::Fixed(0.01), ConstraintForm::Index3));
    }
    all
}

/// The points of a motion of 100 s.
fn points(text: &str, (name, accuracy, form): (&str, Accuracy, ConstraintForm)) -> Vec<InputPoint> {
    let mut plant = plant_in(text, form);
    let mut method = method(name, accuracy, plant.size()).expect("a method");
    let (outcome, kept) = motion(&mut plant, method.as_mut(), 100.0, 0.377, Threshold::AUTOMATIC);
    assert_eq!(outcome.end, End::Reached, "{name} {accuracy:?}: {:?}", outcome.reason);
    kept.points
}

#[test]
fn rest_keeps_every_bit() {
    for q in [0.0, 0.1, -1e7] {
        for case in all() {
            for point in points(&slider(q, 0.0, "0", ""), case) {
                assert_eq!((point.q[0], point.qd[0]), (q, 0.0), "{case:?} at {}", point.t);
            }
        }
    }
}

#[test]
fn uniform_motion() {
    for (q, qd) in [(0.0, 3.0), (-300.0, 3.0), (1e6, -0.7), (0.3, 3e4)] {
        for case in all() {
            for point in points(&slider(q, qd, "0", ""), case) {
                let expected = q + qd * point.t;
                let size = q.abs().max(100.0 * f64::abs(qd));
                assert_eq!(point.qd[0], qd, "{case:?} at {}", point.t);
                // Sums of ten thousand steps.
                let error = (point.q[0] - expected).abs() / size;
                assert!(error < 1e-12, "{case:?} at {}: {error:e}", point.t);
            }
        }
    }
}

#[test]
fn constant_acceleration() {
    for (q, qd) in [(0.0, 0.0), (-5500.0, 3.0)] {
        for case in all() {
            let (name, accuracy, _) = case;
            for point in points(&slider(q, qd, "2.2", ""), case) {
                let (t, a) = (point.t, 1.1);
                let expected = [q + t * (qd + 0.5 * a * t), qd + a * t];
                let size = [5500.0, 110.0];
                // Semi-implicit Euler, and Newmark's kin in their first step, are wrong by parts of
                // a step.
                let allowed = match accuracy {
                    Accuracy::Fixed(step) if name == "euler" => a * step * t / size[0],
                    Accuracy::Fixed(_) => 1e-11,
                    Accuracy::Within { relative, absolute } => 30.0 * relative.max(absolute),
                };
                let errors =
                    [(point.q[0] - expected[0]) / size[0], (point.qd[0] - expected[1]) / size[1]];
                let worst = errors.iter().fold(0.0_f64, |most, error| most.max(error.abs()));
                assert!(worst <= allowed.max(1e-11), "{case:?} at {t}: {errors:?}");
            }
        }
    }
}

#[test]
fn states_without_rates_keep_every_bit() {
    let rest = "[[state]]\nname = \"k\"\ninitial = 0.1\nrate = \"0\"\n\
         [[state]]\nname = \"s\"\ninitial = 0\nrate = \"1e4*(k*x - s)\"\n\
         [[state]]\nname = \"n\"\ninitial = -7.3\nrate = \"0\"\n";
    for case in all().into_iter().filter(|case| case.2 == ConstraintForm::Partition) {
        // The fast state is beyond the explicit methods' steps.
        let rest = match case.1 {
            Accuracy::Fixed(_) => rest.replace("1e4", "3"),
            Accuracy::Within { .. } if ["radau", "bdf"].contains(&case.0) => rest.to_owned(),
            Accuracy::Within { .. } => rest.replace("1e4", "30"),
        };
        let text = slider(0.5, 0.0, "-40*k*q*n^2/100 - k*qd", &rest);
        for point in points(&text, case) {
            assert_eq!([point.states[0], point.states[2]], [0.1, -7.3], "{case:?} at {}", point.t);
        }
    }
}

#[test]
fn what_nothing_moves_stays_beside_what_moves() {
    // A second body that no force touches, in one run with a pendulum.
    let rest = "[[body]]\nname = \"bob\"\nparent = \"ground\"\nmass = 1\ncom = [0, 0, -0.7]\n\
         inertia = { yy = 0.1 }\njoint = { name = \"a\", type = \"revolute\", axis = \"y\" }\n";
    for case in all() {
        let text = slider(0.1, 0.0, "0", "")
            .replace("[initial.q]", &format!("{rest}[initial.q]\na = 1.1"));
        for point in points(&text, case) {
            assert_eq!((point.q[0], point.qd[0]), (0.1, 0.0), "{case:?} at {}", point.t);
        }
    }
}
