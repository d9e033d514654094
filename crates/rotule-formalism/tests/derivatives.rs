//! Derivatives against complex steps (Postiau, test A10): every way to a derivative, on every type of joint.

#[path = "common/motion.rs"]
mod common;

use common::{State, agree, along, changes, free, models, numbers, state, write};
use rotule_formalism::Formalism::{self, Barycentric, Classical};
use rotule_formalism::Tree;

/// The directions of the columns of a derivative.
fn directions(tree: &Tree, by: &str, state: &State) -> Vec<State> {
    let name = |symbol| tree.mechanism.graph.text(symbol);
    let single = |name: String| State::from([(name, 1.0)]);
    let speeds = tree.mechanism.speeds.iter().enumerate();
    match by {
        "q" => (0..tree.speeds()).map(|speed| along(tree, speed, state)).collect(),
        "qd" | "qdd" => speeds
            .map(|(at, speed)| match free(tree, at) {
                true if by == "qd" => single(name(speed.symbol)),
                true => single(name(speed.acceleration)),
                false => State::new(),
            })
            .collect(),
        "effort" => speeds.map(|(_, speed)| single(name(speed.effort))).collect(),
        parameter => vec![single(parameter.to_owned())],
    }
}

fn check(model: &str, tree: &mut Tree, function: &str, by: &str, formalism: Formalism) {
    let what = format!("{model}: derivative({function}, {by}), {}", formalism.name());
    let outputs = write(tree, function, formalism);
    let derivatives = write(tree, &format!("derivative({function}, {by})"), formalism);
    assert_eq!(outputs.len(), derivatives.len());
    for seed in 1..=2 {
        let state = state(tree, seed);
        let directions = directions(tree, by, &state);
        for (output, derivative) in outputs.iter().zip(&derivatives) {
            assert_eq!(derivative.name, format!("{}_by_{by}", output.name));
            let columns: Vec<Vec<Vec<f64>>> =
                directions.iter().map(|one| changes(tree, output, &state, one)).collect();
            let found = numbers(tree, derivative, &state);
            let known = ["q", "qd", "qdd", "effort"].contains(&by);
            if !known {
                agree(&what, &found, &columns[0], 1e-12);
                continue;
            }
            // A row per entry, by rows; a column per direction.
            let mut expected = Vec::new();
            for row in 0..output.rows as usize {
                for column in 0..output.columns as usize {
                    expected.push(columns.iter().map(|one| one[row][column]).collect::<Vec<f64>>());
                }
            }
            agree(&what, &found, &expected, 1e-12);
        }
    }
}

#[test]
fn inverse_dynamics_and_its_parts() {
    for (model, mut tree) in models() {
        for formalism in [Classical, Barycentric] {
            for by in ["q", "qd", "qdd"] {
                check(model, &mut tree, "inverse", by, formalism);
            }
            for function in ["bias", "coriolis", "gravity"] {
                check(model, &mut tree, function, "q", formalism);
                check(model, &mut tree, function, "qd", formalism);
            }
        }
    }
}

#[test]
fn matrices_by_coordinates_and_parameters() {
    for (model, mut tree) in models().into_iter().take(2) {
        check(model, &mut tree, "mass", "q", Classical);
        check(model, &mut tree, "mass", "m1", Classical);
        check(model, &mut tree, "inverse", "m1", Barycentric);
        check(model, &mut tree, "coriolis_matrix", "qd", Classical);
        check(model, &mut tree, "regressor", "qdd", Classical);
        check(model, &mut tree, "parameters", "m1", Classical);
        check(model, &mut tree, "mass_bias", "k", Classical);
    }
}

#[test]
fn derivatives_of_derivatives() {
    let (model, mut tree) = models().remove(1);
    check(model, &mut tree, "derivative(gravity, q)", "q", Classical);
    check(model, &mut tree, "derivative(inverse, m1)", "qd", Classical);
}

/// The three tangent matrices are the three derivatives of inverse dynamics.
#[test]
fn tangent_matrices() {
    for (model, mut tree) in models() {
        for formalism in [Classical, Barycentric] {
            let inverse = write(&mut tree, "inverse", formalism).remove(0);
            let tangents = write(&mut tree, "tangent", formalism);
            let names: Vec<&str> = tangents.iter().map(|target| target.name.as_str()).collect();
            assert_eq!(names, ["M", "G", "K"]);
            let state = state(&tree, 5);
            for (target, by) in tangents.iter().zip(["qdd", "qd", "q"]) {
                let mut expected = vec![vec![0.0; tree.speeds()]; tree.speeds()];
                for (column, one) in directions(&tree, by, &state).iter().enumerate() {
                    for (row, value) in changes(&tree, &inverse, &state, one).iter().enumerate() {
                        expected[row][column] = value[0];
                    }
                }
                let what = format!("{model}: {} by {by}", target.name);
                agree(&what, &numbers(&tree, target, &state), &expected, 1e-12);
            }
        }
    }
}
