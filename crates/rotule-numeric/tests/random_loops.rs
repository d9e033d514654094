//! Random mechanisms with loops, 220 of them: reduced dynamics against the equations of the open
//! tree with multipliers, solved densely in numbers, and constraints at position, velocity and
//! acceleration, those that were set aside included.

use rotule_formalism::Formalism::{Barycentric, NewtonEuler, Outward};
use rotule_model::index::SpeedId;
use rotule_numeric::redundancy::analyse;
use rotule_testing::formalism;
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::closed::{Family, Loops};
use rotule_testing::formalism::loops::{Dense, Ready, dense, eliminated, size};
use rotule_testing::formalism::numbers::Matrix;
use rotule_testing::formalism::random::Random;

/// Mechanisms of each family.
const EACH: u64 = 20;

/// The initial posture, displaced by up to a fiftieth where it is well conditioned; time, speeds
/// and efforts at random.
fn near(case: &Case, bundle: &Ready, seed: u64) -> State {
    let initial: Vec<_> = case.mechanism().coordinates.iter().map(|one| one.initial).collect();
    let n = case.speeds();
    let random = &mut Random::new(seed);
    let mut list = |most: f64| (0..n).map(|_| random.between(-most, most)).collect::<Vec<_>>();
    let (mut step, qd, effort) = (list(0.02), list(1.0), list(2.0));
    let q = case.mechanism().evaluate(&initial);
    let mut state = State { time: 0.0, q, qd, qdd: vec![0.0; n], effort };
    let jacobian = bundle.at(&state).matrix("J");
    let pivots = eliminated(&jacobian, &vec![0.0; jacobian.rows]).pivots.min(1.0);
    step.iter_mut().for_each(|x| *x *= pivots);
    state.time = 0.01 * random.between(0.0, pivots);
    case.moved(&state, &step)
}

fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0_f64, |most, x| if x.abs() <= most { most } else { x.abs() })
}

fn check(seed: u64, family: Family) {
    let loops = Loops::new(seed);
    assert_eq!(loops.family, family);
    let case = Case::of(&format!("{family:?}, seed {seed}"), &loops.text);
    let label = &case.label;
    let formalism = if seed.is_multiple_of(2) { NewtonEuler } else { Barycentric };
    let bundle = Ready::of(&case, "all_coordinates", formalism);
    let given = near(&case, &bundle, seed);
    let found = Ready::of(&case, "closure", Outward).at(&given);
    assert!(found.converged, "{label}: closure did not converge: {:?}", found.iterations);
    let (q, qd) = (found.list("q").to_vec(), found.list("qd").to_vec());
    let qdd = Ready::of(&case, "forward", formalism).at(&given).values;
    let lambda = Ready::of(&case, "multipliers", formalism).at(&given).values;
    // Accelerations of driven joints are known, and no equation is requested their efforts.
    let free: Vec<bool> = (0..case.speeds())
        .map(|at| case.tree.motion.is_free(case.mechanism(), SpeedId::new(at)))
        .collect();
    let known: Vec<Option<f64>> =
        free.iter().zip(&qdd).map(|(free, &qdd)| (!free).then_some(qdd)).collect();
    let closed = State { q, qd: qd.clone(), ..given };
    let parts = bundle.at(&closed);
    let jacobian = parts.matrix("J");
    let plus = |a: Vec<f64>, b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<f64>>();
    let lever = size(&jacobian.values);
    let position = largest(parts.list("h"));
    let velocity = largest(&plus(jacobian.apply(&qd), parts.list("e"))) / (lever * size(&qd));
    let acceleration = largest(&plus(jacobian.apply(&qdd), parts.list("b"))) / (lever * size(&qdd));
    let analysis = analyse(&case.tree).unwrap_or_else(|why| panic!("{label}: {why}"));
    // Rounding grows by as much as the pivots of the dependent speeds differ.
    let quality = analysis.partition.as_ref().map_or(1.0, |chosen| chosen.quality.min(1.0));
    for (level, rest) in [
        ("position", position),
        ("velocity", quality * velocity),
        ("acceleration", quality * acceleration),
    ] {
        assert!(rest <= 1e-12, "{label}: {level}: {rest:e}\n{}", loops.text);
    }
    let Dense { qdd: expected, held, rest, .. } = dense(&parts, &known, &[]);
    assert!(rest < 1e-9, "{label}: the dense equations contradict each other: {rest:e}");
    let apart = |a: &[f64], b: &[f64]| {
        let free = |at: &usize| free[*at];
        let each = (0..a.len()).filter(free).map(|at| (a[at] - b[at]).abs());
        each.fold(0.0, |most: f64, x| if x <= most { most } else { x }) / size(b)
    };
    let motion = apart(&qdd, &expected);
    assert!(motion <= 1e-10, "{label}: accelerations: {motion:e}\n{}", loops.text);
    // All coordinates at once; gains are zero, because they would feed back what rounding leaves
    // open.
    let still =
        Case::of(label, &loops.text.replacen("[model]\n", "[model]\nbaumgarte = [0, 0]\n", 1));
    let whole = Ready::of(&still, "augmented", formalism).at(&closed);
    let motion = apart(whole.list("qdd"), &expected);
    assert!(motion <= 1e-10, "{label}: augmented: {motion:e}\n{}", loops.text);
    let forces = apart(&jacobian.transpose().apply(&lambda), &held);
    assert!(forces <= 1e-10, "{label}: forces of constraints: {forces:e}\n{}", loops.text);
    // Rank and mobility are those of the numbers.
    let columns: Vec<usize> = (0..case.speeds()).filter(|&at| free[at]).collect();
    let mut moving = Matrix::zero(jacobian.rows, columns.len());
    for row in 0..jacobian.rows {
        columns.iter().enumerate().for_each(|(at, &j)| *moving.at(row, at) = jacobian.get(row, j));
    }
    let rank = eliminated(&moving, &vec![0.0; moving.rows]).rank;
    assert_eq!((analysis.rank, analysis.mobility()), (rank, columns.len() - rank), "{label}");
    assert_eq!(analysis.repeats.len(), moving.rows - rank, "{label}");
    assert!(!family.redundant() || rank < moving.rows, "{label}");
}

fn check_all(families: &[Family]) {
    let count = Family::ALL.len() as u64;
    for &family in families {
        let at = Family::ALL.iter().position(|one| *one == family).expect("a family") as u64;
        (0..EACH).for_each(|number| check(at + number * count, family));
    }
}

#[test]
fn loops_in_the_plane() {
    check_all(&[Family::Plane, Family::Planes]);
}

#[test]
fn loops_in_space() {
    check_all(&[Family::Space, Family::Spaces, Family::Floating]);
}

#[test]
fn loops_with_redundant_constraints() {
    use Family::{Cranks, Doubled, Sarrus, Sphere, Tilted};
    check_all(&[Tilted, Sphere, Cranks, Sarrus, Doubled]);
}

#[test]
fn loops_with_relations_and_drives() {
    check_all(&[Family::Related]);
}

/// Mechanisms of any size are closed as far as numbers go, and no iteration waits for what rounding
/// forbids.
#[test]
fn loops_of_any_size_close() {
    for name in ["four_bar_joint", "four_bar_body", "four_bar_rod"] {
        for scale in [1e-3_f64, 1.0, 1e2, 1e4] {
            let text = formalism::example(&format!("{name}.toml"));
            let mut scaled = text.clone();
            for (parameter, value) in [("a", 0.12), ("b", 0.30), ("c", 0.25), ("d", 0.32)] {
                let written = format!("{parameter} = {{ value = {value:.2},");
                assert!(text.contains(&written), "{written}");
                let larger = format!("{parameter} = {{ value = {:?},", value * scale);
                scaled = scaled.replace(&written, &larger);
            }
            let case = Case::of(&format!("{name} times {scale}"), &scaled);
            let state = case.near(4);
            let found = Ready::of(&case, "closure", Outward).at(&state);
            assert!(found.converged, "{}: {:?}", case.label, found.iterations);
            assert!(found.iterations.iter().all(|&count| count <= 6), "{:?}", found.iterations);
            let state = State { q: found.list("q").to_vec(), ..state };
            let h = largest(Ready::of(&case, "constraints", Outward).at(&state).list("h"));
            let length = scale * if name.ends_with("rod") { scale } else { 1.0 };
            assert!(h <= 1e-12 * length.max(1.0), "{}: {h:e}", case.label);
        }
    }
}
