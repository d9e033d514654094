//! Closed loops: what `forward` and `multipliers` give must fulfil the constraints and the
//! equations of the open tree, `M qdd + c = Q + J' lambda`, whose terms come from functions that
//! know nothing of partitions. Where both hold, no other answer does.

use rotule_formalism::Formalism::{self, Outward};
use rotule_model::index::SpeedId;
use rotule_program::passes::status;
use rotule_testing::formalism;
use rotule_testing::formalism::CLOSED;
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::loops::Ready;

/// Loops of all kinds, and wheels that roll.
fn models() -> impl Iterator<Item = &'static str> {
    CLOSED.into_iter().chain(["whipple_bicycle"])
}

fn list(
    case: &mut Case,
    function: &str,
    at: usize,
    formalism: Formalism,
    state: &State,
) -> Vec<f64> {
    let outputs = case.outputs(function, formalism, state);
    let outputs = outputs.unwrap_or_else(|problem| panic!("{}: {function}: {problem}", case.label));
    outputs[at].matrix.values.clone()
}

fn check(name: &str) {
    check_case(&mut Case::example(&format!("{name}.toml")), name);
}

fn check_case(case: &mut Case, name: &str) {
    for (seed, formalism) in [(1, Formalism::NewtonEuler), (2, Formalism::Barycentric)] {
        let given = case.near(seed);
        let mut state = given.clone();
        let plain = Outward;
        state.q = list(case, "closure", 0, plain, &given);
        state.qd = list(case, "closure", 1, plain, &given);
        let rows = |case: &mut Case, at: usize| list(case, "constraints", at, plain, &state);
        let (h, j, e, b) = (rows(case, 0), rows(case, 1), rows(case, 2), rows(case, 3));
        let qdd = list(case, "forward", 0, formalism, &given);
        let lambda = list(case, "multipliers", 0, formalism, &given);
        let mass = list(case, "mass", 0, Formalism::NewtonEuler, &state);
        let bias = list(case, "bias", 0, Formalism::NewtonEuler, &state);
        let laws = list(case, "efforts", 0, Formalism::NewtonEuler, &state);
        let drives = list(case, "drives", 0, formalism, &given);
        let n = case.speeds();
        let size = |values: &[f64]| values.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        let dot = |row: &[f64], v: &[f64]| -> f64 { row.iter().zip(v).map(|(a, b)| a * b).sum() };
        for (row, h) in h.iter().enumerate() {
            let line = &j[row * n..(row + 1) * n];
            let velocity = dot(line, &state.qd) + e[row];
            let acceleration = dot(line, &qdd) + b[row];
            let scale = size(&qdd) * size(line);
            assert!(h.abs() <= 1e-12, "{name}: position {row}: {h:e}");
            assert!(
                velocity.abs() <= 1e-11 * size(&state.qd),
                "{name}: velocity {row}: {velocity:e}"
            );
            assert!(
                acceleration.abs() <= 1e-11 * scale,
                "{name}: acceleration {row}: {acceleration:e}"
            );
        }
        let reach = size(&bias).max(size(&lambda)).max(size(&qdd));
        for at in 0..n {
            let inertia = dot(&mass[at * n..(at + 1) * n], &qdd);
            let held: f64 = lambda.iter().enumerate().map(|(row, x)| j[row * n + at] * x).sum();
            // A drive supplies what is missing, whatever effort is given for its joint.
            let free = case.tree.motion.is_free(case.mechanism(), SpeedId::new(at));
            let applied = if free { given.effort[at] } else { drives[at] };
            let rest = inertia + bias[at] - laws[at] - applied - held;
            assert!(rest.abs() <= 1e-10 * reach, "{name}: motion {at}: {rest:e} of {reach:e}");
        }
    }
}

#[test]
fn closed_motions_fulfil_constraints_and_equations_of_motion() {
    models().for_each(check);
}

/// A row of `J` may have fewer entries than its residual has coordinates in it: blocks then wait
/// for each other.
#[test]
fn blocks_whose_residuals_hold_coordinates_of_others() {
    let mut text = formalism::example("delta_robot.toml");
    for joint in ["px", "py", "pz"] {
        let old = format!("name = \"{joint}\", type");
        text =
            text.replace(&old, &format!("name = \"{joint}\", partition = \"independent\", type"));
    }
    check_case(&mut Case::of("delta by its platform", &text), "delta by its platform");
}

/// A crank that is driven: nothing is free, and the drive's effort is all that the motion needs.
#[test]
fn a_driven_crank_needs_its_effort() {
    let text = formalism::example("slider_crank.toml");
    let driven = text + "\n[[motion]]\njoint = \"q1\"\nq = \"0.3 + 2*t + sin(3*t)/5\"\n";
    let case = &mut Case::of("driven crank", &driven);
    check_case(case, "driven crank");
}

/// The status of a closure: the residual is that of the constraints at the closed position, the
/// correction is how far dependent coordinates went from their starts, and results are those
/// without it.
#[test]
fn a_closure_tells_how_it_ended() {
    for name in ["four_bar_joint.toml", "stewart_platform.toml", "slider_crank.toml"] {
        let case = Case::example(name);
        let plain = Ready::of(&case, "closure", Outward);
        let mut told = Ready::of(&case, "closure", Outward);
        let rows = status(&mut told.program);
        assert_eq!(rows.len(), plain.program.regions().len(), "{name}");
        assert!(rows.iter().all(|row| row.starts_with("closure ")), "{name}: {rows:?}");
        let given = case.near(3);
        let (before, found) = (plain.at(&given), told.at(&given));
        assert_eq!(before.list("q"), found.list("q"), "{name}");
        let table = found.matrix("status");
        let (q, starts) = (found.list("q"), &given.q);
        let largest = |list: &[f64]| list.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let apart: Vec<f64> = q.iter().zip(starts).map(|(q, start)| q - start).collect();
        let column = |at: usize| (0..rows.len()).map(|row| table.get(row, at)).collect::<Vec<_>>();
        let iterations: Vec<f64> = before.iterations.iter().map(|&one| f64::from(one)).collect();
        assert_eq!(column(0), iterations, "{name}");
        assert!(column(1).iter().all(|&converged| converged == 1.0), "{name}");
        let correction = largest(&column(3));
        assert!(correction > 1e-6, "{name}: nothing was to be corrected");
        assert!((correction - largest(&apart)).abs() <= 1e-15, "{name}: {correction} {apart:?}");
        let closed = State { q: q.to_vec(), ..given };
        let h = largest(Ready::of(&case, "constraints", Outward).at(&closed).list("h"));
        let residual = largest(&column(2));
        assert!((residual - h).abs() <= 1e-14, "{name}: {residual:e} {h:e}");
    }
}
