//! Derivatives against complex steps (Postiau, test A10): every way to a derivative, on every type
//! of joint.

use rotule_formalism::Formalism::{self, ArticulatedBody, Barycentric, NewtonEuler, Outward};
use rotule_formalism::function::Argument;
use rotule_formalism::{DerivativeMethod, ModelFunction, MultibodySystem, derivative_ways};
use rotule_testing::formalism;
use rotule_testing::formalism::motion::{
    State, agree, along, changes, free, models, numbers, state,
};
use rotule_testing::formalism::{on_sheet, write};

/// The directions of the columns of a derivative.
fn directions(tree: &MultibodySystem, by: &str, state: &State) -> Vec<State> {
    let name = |symbol| tree.mechanism.graph.text(symbol);
    let single = |name: String| State::from([(name, 1.0)]);
    let speeds = tree.mechanism.speeds.iter();
    match by {
        "q" => (0..tree.speeds()).map(|speed| along(tree, speed, state)).collect(),
        "qd" | "qdd" => speeds
            .enumerate()
            .map(|(at, speed)| match free(tree, at) {
                true if by == "qd" => single(name(speed.symbol)),
                true => single(name(speed.acceleration)),
                false => State::new(),
            })
            .collect(),
        "effort" => speeds.map(|speed| single(name(speed.effort))).collect(),
        parameter => vec![single(parameter.to_owned())],
    }
}

/// Checks every way there is; gives them.
fn check(
    model: &str,
    tree: &mut MultibodySystem,
    function: &str,
    by: &str,
    formalism: Formalism,
) -> Vec<DerivativeMethod> {
    let outputs = write(tree, function, formalism);
    let derivative = ModelFunction::parse(&format!("derivative({function}, {by})"), tree);
    let derivative = derivative.unwrap_or_else(|problem| panic!("{problem}"));
    let [Argument::Function(inner), Argument::By(variable)] = &derivative.arguments[..] else {
        panic!("a function and a variable")
    };
    let ways = on_sheet(tree, |writer| derivative_ways(writer, inner, variable, formalism));
    let ways = ways.unwrap_or_else(|problem| panic!("{problem}"));
    let known = ["q", "qd", "qdd", "effort"].contains(&by);
    for seed in 1..=2 {
        let state = state(tree, seed);
        let directions = directions(tree, by, &state);
        for (at, output) in outputs.iter().enumerate() {
            let columns: Vec<Vec<Vec<f64>>> =
                directions.iter().map(|one| changes(tree, output, &state, one)).collect();
            // A row per entry, by rows; a column per direction. By a parameter: the same shape.
            let mut expected = Vec::new();
            for row in 0..output.rows as usize {
                for column in 0..output.columns as usize {
                    expected.push(columns.iter().map(|one| one[row][column]).collect::<Vec<f64>>());
                }
            }
            let expected = if known { &expected } else { &columns[0] };
            for (way, targets) in &ways {
                let what = format!("{model}: {}, {} {way:?}", derivative.text, formalism.name());
                assert_eq!(targets.len(), outputs.len(), "{what}");
                assert_eq!(targets[at].name, format!("{}_by_{by}", output.name));
                agree(&what, &numbers(tree, &targets[at], &state), expected, 1e-12);
            }
        }
    }
    ways.into_iter().map(|(way, _)| way).collect()
}

#[test]
fn inverse_dynamics_and_its_parts() {
    for (model, mut tree) in models() {
        for formalism in [NewtonEuler, Barycentric] {
            for by in ["q", "qd", "qdd"] {
                let ways = check(model, &mut tree, "inverse", by, formalism);
                assert_eq!(ways, [DerivativeMethod::Forward, DerivativeMethod::Recursion]);
            }
            for function in ["bias", "coriolis", "gravity"] {
                check(model, &mut tree, function, "q", formalism);
                check(model, &mut tree, function, "qd", formalism);
            }
        }
    }
}

#[test]
fn forward_dynamics() {
    for (model, mut tree) in models() {
        for by in ["q", "qd", "effort"] {
            check(model, &mut tree, "forward", by, ArticulatedBody);
            for formalism in [NewtonEuler, Barycentric] {
                let ways = check(model, &mut tree, "forward", by, formalism);
                let by_graph = by != "effort";
                assert_eq!(&ways[..2], [DerivativeMethod::Forward, DerivativeMethod::Implicit]);
                assert_eq!(ways.contains(&DerivativeMethod::ImplicitForward), by_graph);
            }
        }
        if model.ends_with("zoo") {
            check(model, &mut tree, "forward", "m1", Barycentric);
            check(model, &mut tree, "forward", "k", NewtonEuler);
        }
    }
}

/// A derivative of one output by many variables goes backward, too.
#[test]
fn energies() {
    for (model, mut tree) in models() {
        let ways = check(model, &mut tree, "kinetic_energy", "q", Outward);
        assert_eq!(ways.contains(&DerivativeMethod::Backward), tree.speeds() >= 2, "{model}");
        check(model, &mut tree, "kinetic_energy", "qd", Outward);
        check(model, &mut tree, "potential_energy", "q", Outward);
    }
}

#[test]
fn matrices_by_coordinates_and_parameters() {
    for (model, mut tree) in models().into_iter().take(3) {
        check(model, &mut tree, "mass", "q", NewtonEuler);
        check(model, &mut tree, "mass", "m1", NewtonEuler);
        check(model, &mut tree, "inverse", "m1", Barycentric);
        check(model, &mut tree, "coriolis_matrix", "qd", NewtonEuler);
        check(model, &mut tree, "regressor", "qdd", NewtonEuler);
        check(model, &mut tree, "parameters", "m1", NewtonEuler);
        check(model, &mut tree, "mass_bias", "k", NewtonEuler);
    }
}

#[test]
fn derivatives_of_derivatives() {
    let (model, mut tree) = models().remove(1);
    check(model, &mut tree, "derivative(gravity, q)", "q", NewtonEuler);
    check(model, &mut tree, "derivative(inverse, m1)", "qd", NewtonEuler);
}

/// Tangent matrices are the derivatives of inverse and of forward dynamics.
#[test]
fn tangent_matrices() {
    let rows: [(_, _, &[_], &[_]); 2] = [
        ("inverse", "tangent", &["M", "G", "K"], &["qdd", "qd", "q"]),
        (
            "forward",
            "forward_tangent",
            &["qdd_by_q", "qdd_by_qd", "qdd_by_effort"],
            &["q", "qd", "effort"],
        ),
    ];
    let both =
        models().into_iter().flat_map(|one| [(one.clone(), NewtonEuler), (one, Barycentric)]);
    // One that floats and on which nothing acts but weights and drives.
    let floating = (("quadruped", formalism::motion::example("quadruped.toml")), Barycentric);
    for ((model, mut tree), formalism) in both.chain([floating]) {
        for (function, tangent, outputs, variables) in rows {
            let whole = write(&mut tree, function, formalism).remove(0);
            let tangents = write(&mut tree, tangent, formalism);
            let names: Vec<&str> = tangents.iter().map(|target| target.name.as_str()).collect();
            assert_eq!(names, outputs);
            let state = state(&tree, 5);
            for (target, by) in tangents.iter().zip(variables) {
                let mut expected = vec![vec![0.0; tree.speeds()]; tree.speeds()];
                for (column, one) in directions(&tree, by, &state).iter().enumerate() {
                    for (row, value) in changes(&tree, &whole, &state, one).iter().enumerate() {
                        expected[row][column] = value[0];
                    }
                }
                let what = format!("{model}: {} by {by}", target.name);
                agree(&what, &numbers(&tree, target, &state), &expected, 1e-12);
            }
        }
    }
}

/// Figures to beat, kept so that nothing makes them worse unseen: operations of an evaluation,
/// sines and cosines included, and the way that needs the fewest.
#[test]
fn operations_of_the_cheapest_ways() {
    use rotule_formalism::generate;
    use rotule_testing::formalism::motion::example;
    let rows = [
        ("puma560.toml", "derivative(inverse, q)", 848),
        ("puma560.toml", "derivative(inverse, qd)", 686),
        ("kuka_iiwa14.toml", "derivative(inverse, q)", 1492),
        ("kuka_iiwa14.toml", "derivative(inverse, qd)", 905),
        ("kuka_iiwa14.toml", "tangent", 2026),
    ];
    for (model, function, most) in rows {
        let tree = example(model);
        let parsed = ModelFunction::parse(function, &tree).expect("a function");
        let made = generate(&tree, &parsed, None).expect("a program");
        let found = made.counts.body.operations();
        assert!(found <= most, "{model} {function}: {found} operations, at most {most}");
    }
}
