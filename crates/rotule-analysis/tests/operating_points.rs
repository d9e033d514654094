//! Equilibria and modes against closed forms and published figures.

use rotule_analysis::continuation::{ContinuationOptions, PointKind, continuation};
use rotule_analysis::equations::{BalanceEquations, EquilibriumRequest};
use rotule_analysis::equilibrium::{EquilibriumSolution, equilibrium};
use rotule_analysis::modes::modes;
use rotule_analysis::quantity::{Quantity, speeds_of};
use rotule_analysis::search::search;
use rotule_analysis::tracking::{TrackingOptions, root_locus};
use rotule_formalism::{MultibodySystem, normalise};
use rotule_model::{ReadOptions, load_text};
use rotule_numeric::initial_values::Hold;
use rotule_numeric::state::StateNumbers;
use rotule_program::NoExternals;
use rotule_testing::formalism::motion;

fn model(text: &str) -> MultibodySystem {
    let loaded = load_text("test", text, &ReadOptions::default());
    normalise(loaded.unwrap_or_else(|rejected| panic!("{rejected}")))
}

fn at_rest(tree: &MultibodySystem) -> StateNumbers {
    let mut state = StateNumbers::initial(tree);
    state.qd.fill(0.0);
    state.hold_qd.fill(Hold::Guess);
    state
}

fn solved(tree: &MultibodySystem, request: &EquilibriumRequest) -> EquilibriumSolution {
    equilibrium(tree, &at_rest(tree), request, Box::new(NoExternals)).unwrap()
}

fn near(found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs();
    assert!(error <= tolerance * expected.abs().max(1.0), "{found} for {expected}: {error:e}");
}

/// A mass on a spring along z.
const HANGING: &str = r#"
[model]
name = "hanging"
gravity = [0, 0, -9.81]
[parameters]
k = 100
m = 2
p = 0
[[body]]
name = "mass"
parent = "ground"
joint = { name = "z", type = "prismatic", axis = "z", effort = "p - k*q" }
mass = "m"
inertia = { xx = 1, yy = 1, zz = 1 }
[initial.q]
z = 0.3
"#;

#[test]
fn exchanged_quantities_have_closed_forms() {
    let tree = model(HANGING);
    let plain = solved(&tree, &EquilibriumRequest::default());
    assert!(plain.balanced && plain.residual < 1e-12);
    near(plain.state.q[0], -2.0 * 9.81 / 100.0, 1e-13);
    // The preload, the stiffness or the mass with which it hangs at 0.3.
    for (name, expected) in [("p", 100.0 * 0.3 + 2.0 * 9.81), ("z.effort", 30.0 + 2.0 * 9.81)] {
        let speed = speeds_of(&tree.mechanism, "z").unwrap()[0];
        let quantity = Quantity::parse(&tree.mechanism, name).unwrap();
        let request =
            EquilibriumRequest { exchange: vec![(speed, quantity)], ..Default::default() };
        let found = solved(&tree, &request);
        assert!(found.balanced, "{name}");
        near(found.state.q[0], 0.3, 1e-13);
        near(found.found[0].value, expected, 1e-12);
    }
}

/// A wheel above the ground falls on its tyre; the stop below the mass is open and then closed.
#[test]
fn what_is_in_the_air_comes_to_rest() {
    let text = HANGING.replace("p - k*q", "max(0, -k*(q + 0.2)) - 40*min(0, q + 0.5)");
    let tree = model(&text);
    let found = solved(&tree, &EquilibriumRequest::default());
    assert!(found.balanced && found.falling > 0, "{} {}", found.residual, found.falling);
    near(found.state.q[0], -0.2 - 2.0 * 9.81 / 100.0, 1e-12);
}

/// Nothing holds the mass: the nearest state has its weight left.
#[test]
fn an_equilibrium_that_does_not_exist_is_reported() {
    let tree = model(&HANGING.replace("p - k*q", "p"));
    let found = solved(&tree, &EquilibriumRequest::default());
    assert!(!found.balanced);
    assert_eq!(found.unbalanced[0].name, "z");
    near(found.unbalanced[0].value, -2.0 * 9.81, 1e-12);
    assert_eq!(found.neutral[0].parts, [("z".to_owned(), 1.0)]);
}

/// A pendulum with a spring that buckles: upright for k > m g l, else three equilibria.
const INVERTED: &str = r#"
[model]
name = "inverted"
gravity = [0, 0, -9.81]
[parameters]
k = 5
[[body]]
name = "rod"
parent = "ground"
joint = { name = "q", type = "revolute", axis = "y", effort = "-k*q" }
mass = 1
com = [0, 0, 1]
inertia = { xx = 0.1, yy = 0.1, zz = 0.1 }
[initial.q]
q = 0.1
"#;

/// Solutions of `k q = m g l sin q` by bisection.
fn buckled(k: f64) -> f64 {
    let (mut low, mut high) = (1e-3, 3.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if 9.81 * f64::sin(middle) > k * middle { low = middle } else { high = middle }
    }
    low
}

#[test]
fn a_bistable_mechanism_has_three_equilibria() {
    let tree = model(INVERTED);
    let request = EquilibriumRequest::default();
    let make = || Box::new(NoExternals) as Box<dyn rotule_program::Externals>;
    let found = search(&tree, &at_rest(&tree), &request, &make, 30).unwrap();
    let mut all: Vec<(f64, usize)> =
        found.iter().map(|one| (one.equilibrium.state.q[0], one.growing.unwrap())).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let q = buckled(5.0);
    let inside: Vec<_> = all.iter().filter(|(x, _)| x.abs() < 2.9).collect();
    assert_eq!(inside.len(), 3, "{all:?}");
    for (&&(found, growing), (expected, unstable)) in inside.iter().zip([(-q, 0), (0.0, 1), (q, 0)])
    {
        near(found, expected, 1e-10);
        assert_eq!(growing, unstable);
    }
}

/// Over the stiffness the upright branch loses its stability at `k = m g l`, where the buckled
/// ones leave it: a pitchfork.
#[test]
fn a_pitchfork_is_followed_on_all_branches() {
    let tree = model(&INVERTED.replace("q = 0.1", "q = 0"));
    let request = EquilibriumRequest::default();
    let (mut equations, point) =
        BalanceEquations::new(&tree, &at_rest(&tree), &request, Box::new(NoExternals)).unwrap();
    let k = Quantity::parse(&tree.mechanism, "k").unwrap();
    let options = ContinuationOptions::new(14.0, 5.0);
    let branches = continuation(&mut equations, &point, k, &options).unwrap();
    assert_eq!(branches.len(), 3, "{:?}", branches.iter().map(|b| b.end).collect::<Vec<_>>());
    let crossing = branches[0].points.iter().find(|one| one.kind == PointKind::Bifurcation);
    near(crossing.expect("a crossing").value, 9.81, 1e-8);
    for point in &branches[0].points {
        assert_eq!(point.point.q[0], 0.0);
        let expected = usize::from(point.value < 9.81 - 1e-6);
        assert!(point.growing == Some(expected) || (point.value - 9.81).abs() < 1e-5);
    }
    for branch in &branches[1..] {
        let last = branch.points.last().unwrap();
        near(last.value, 5.0, 1e-9);
        near(last.point.q[0].abs(), buckled(5.0), 1e-10);
        for point in branch.points.iter().filter(|one| one.point.q[0].abs() > 1e-3) {
            let q = point.point.q[0];
            near(point.value, 9.81 * q.sin() / q, 1e-10);
            assert_eq!(point.growing, Some(0));
        }
    }
}

/// A shallow truss of two springs from (-1, 0) and (1, 0) to a mass on the z axis at height z0: the
/// load `F = 2 k (l/l0 - 1) .. z` snaps through at both folds.
const TRUSS: &str = r#"
[model]
name = "truss"
gravity = [0, 0, 0]
[parameters]
k = 1000
z0 = 0.3
load = 0
[[body]]
name = "top"
parent = "ground"
joint = { name = "z", type = "prismatic", axis = "z", effort = "-load" }
mass = 1
inertia = { xx = 1, yy = 1, zz = 1 }
[ground.points]
left = [-1, 0, 0]
right = [1, 0, 0]
[[line_force]]
name = "a"
between = ["ground.left", "top"]
force = "k*(Z - sqrt(1 + z0^2))"
[[line_force]]
name = "b"
between = ["ground.right", "top"]
force = "k*(Z - sqrt(1 + z0^2))"
[initial.q]
z = 0.3
"#;

#[test]
fn a_truss_snaps_through_both_folds() {
    let tree = model(TRUSS);
    let request = EquilibriumRequest::default();
    let (mut equations, point) =
        BalanceEquations::new(&tree, &at_rest(&tree), &request, Box::new(NoExternals)).unwrap();
    let load = Quantity::parse(&tree.mechanism, "load").unwrap();
    let options = ContinuationOptions::new(0.0, 30.0);
    // The branch comes back through loads below zero.
    let options = ContinuationOptions { range: [0.0, 30.0], ..options };
    let mut wide = options;
    wide.range = [-30.0, 30.0];
    let start = {
        let k = continuation(&mut equations, &point, load, &options).unwrap();
        k[0].points[0].point.clone()
    };
    let force = |z: f64| {
        let (l, l0) = (f64::sqrt(1.0 + z * z), f64::sqrt(1.0 + 0.09));
        2.0 * 1000.0 * (l0 - l) * z / l
    };
    // The fold: l^3 = l0.
    let l = f64::cbrt(f64::sqrt(1.09));
    let z = f64::sqrt(l * l - 1.0);
    let branches = continuation(&mut equations, &start, load, &wide).unwrap();
    let folds: Vec<_> =
        branches[0].points.iter().filter(|one| one.kind == PointKind::Fold).collect();
    assert_eq!(folds.len(), 2, "{}", branches[0].end);
    for fold in &folds {
        near(fold.value.abs(), force(z), 1e-9);
        near(fold.point.q[0].abs(), z, 1e-5);
    }
    assert!(folds[0].value * folds[1].value < 0.0);
    for point in &branches[0].points {
        near(point.value, force(point.point.q[0]), 1e-8);
    }
}

/// Undamped small oscillations of equal point masses on a chain: eigenvalues of the tridiagonal
/// problem, found here by bisection of its Sturm sequence.
#[test]
fn the_pendulum_of_eight_links_has_its_frequencies() {
    let tree = motion::example("n_pendulum_8.toml");
    let mut state = at_rest(&tree);
    state.q.fill(0.0);
    let found = modes(&tree, &state, Box::new(NoExternals)).unwrap();
    assert_eq!((found.modes.len(), found.zeros, found.growing()), (8, 0, 0));
    // In displacements across, with masses m and links l: zeros of a Laguerre polynomial.
    let laguerre = |x: f64| {
        let (mut before, mut now) = (1.0, 1.0 - x);
        for k in 1..8 {
            let k = f64::from(k);
            (before, now) = (now, ((2.0 * k + 1.0 - x) * now - k * before) / (k + 1.0));
        }
        now
    };
    let parameter = |name: &str| {
        tree.mechanism.parameters.iter().find(|one| one.name == name).map(|one| one.value)
    };
    let length = parameter("l").unwrap_or(1.0);
    for mode in &found.modes {
        // omega^2 = g x / l with L_8(x) = 0.
        let x = mode.value[1] * mode.value[1] * length / 9.81;
        let slope = (laguerre(x * (1.0 + 1e-6)) - laguerre(x * (1.0 - 1e-6))) / (2e-6 * x);
        assert!((laguerre(x) / slope / x).abs() < 1e-11, "{} {x}", mode.value[1]);
        assert!(mode.value[0].abs() < 1e-12);
    }
}

/// Speed, and the eigenvalues of Whipple's bicycle (Meijaard, Papadopoulos, Ruina and Schwab 2007,
/// table 2).
#[rustfmt::skip]
const BICYCLE: [(f64, &[(f64, f64)]); 11] = [
    (0.0, &[(-5.530943717653934, 0.0), (-3.1316432479065557, 0.0), (3.1316432479065557, 0.0), (5.530943717653934, 0.0)]),
    (1.0, &[(-7.110080146374408, 0.0), (-3.1342312506657843, 0.0), (3.5269617099006942, 0.80774027519931)]),
    (2.0, &[(-8.673879848317371, 0.0), (-3.0715864564151425, 0.0), (2.6823451751274536, 1.6806629659067578)]),
    (3.0, &[(-10.351014672459229, 0.0), (-2.633661372536653, 0.0), (1.706756056639735, 2.3158244738432434)]),
    (4.0, &[(-12.15861426576444, 0.0), (-1.4294442736132575, 0.0), (0.4132533152112413, 3.0791081860320535)]),
    (5.0, &[(-14.078389692798247, 0.0), (-0.7753418821958419, 4.464867713788225), (-0.3228664290040871, 0.0)]),
    (6.0, &[(-16.085371230980282, 0.0), (-1.5264448658414171, 5.876730605987084), (-0.004066900769703363, 0.0)]),
    (7.0, &[(-18.15788466125202, 0.0), (-2.138756442583634, 7.195259133298043), (0.10268170574766416, 0.0)]),
    (8.0, &[(-20.27940894394566, 0.0), (-2.6934868358109476, 8.460379713969337), (0.1432787976571295, 0.0)]),
    (9.0, &[(-22.43788559040859, 0.0), (-3.2167540225249076, 9.693773515317822), (0.15790184030917298, 0.0)]),
    (10.0, &[(-24.624596350174, 0.0), (-3.7201684043728758, 10.906811394762881), (0.16105338653171555, 0.0)]),
];

fn rolling(tree: &MultibodySystem, speed: f64) -> StateNumbers {
    let mut state = at_rest(tree);
    let rear = speeds_of(&tree.mechanism, "rear").unwrap()[0];
    state.qd[rear] = speed / 0.3;
    state.hold_qd[rear] = Hold::State;
    state
}

#[test]
fn the_bicycle_has_the_published_eigenvalues() {
    let tree = motion::example("whipple_bicycle.toml");
    for (speed, expected) in BICYCLE {
        let found = modes(&tree, &rolling(&tree, speed), Box::new(NoExternals)).unwrap();
        assert!(found.residual < 1e-12);
        assert_eq!(found.modes.len(), expected.len(), "at {speed}");
        for &(re, im) in expected {
            let gap = |mode: &rotule_analysis::modes::Mode| {
                (mode.value[0] - re).hypot(mode.value[1] - im)
            };
            let error = found.modes.iter().map(gap).fold(f64::INFINITY, f64::min);
            assert!(error < 1e-9, "{re} {im} at {speed}: {error:e}");
        }
    }
}

/// Weave ceases to grow at 4.292382536341 m/s, capsize begins at 6.024262015388 m/s, and the two
/// real modes meet at 0.684283078892 m/s.
#[test]
fn critical_speeds_of_the_bicycle_follow_from_tracking() {
    let tree = motion::example("whipple_bicycle.toml");
    let request = EquilibriumRequest::default();
    let state = rolling(&tree, 1.0);
    let (mut equations, point) =
        BalanceEquations::new(&tree, &state, &request, Box::new(NoExternals)).unwrap();
    let rear = speeds_of(&tree.mechanism, "rear").unwrap()[0];
    let values: Vec<f64> = (0..10).map(|k| (1.0 + f64::from(k)) / 0.3).collect();
    let options = TrackingOptions { equilibrium: true, halvings: 6 };
    let locus =
        root_locus(&mut equations, &point, Quantity::Speed(rear), &values, options).unwrap();
    assert_eq!(locus.lost, None);
    let mut critical: Vec<(f64, bool)> =
        locus.critical.iter().map(|one| (0.3 * one.value, one.begins)).collect();
    critical.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(critical.len(), 2, "{critical:?}");
    assert!(!critical[0].1 && critical[1].1);
    near(critical[0].0, 4.292382536341, 1e-11);
    near(critical[1].0, 6.024262015388, 1e-10);
}

/// The governor with its hinges on the axis: arms hang until a critical speed and swing out beyond,
/// in elastic equilibrium. With the pull `n` of a coupler per metre of its length `l`, the distance
/// `d` of slider and rod's middle and the distance `a` of the latter from the axis, and rods of
/// width `b`,
///
/// ```text
/// 2 n d = m_s g,  n l = k (l - l0),  a = L/2 cos beta,  l^2 = a^2 + d^2
/// w^2 ((m/3 + mb) L^2 - m b^2/12) sin cos = (m/2 + mb) g L cos + n L/2 (d cos + a sin)
/// ```
#[test]
fn the_governor_swings_out_at_its_critical_speed() {
    let tree = motion::example("flyball_governor.toml");
    let mut tree = tree;
    let value = |tree: &MultibodySystem, name: &str| {
        let all = tree.mechanism.parameters.iter();
        all.filter(|one| one.name == name).map(|one| one.value).next()
    };
    rotule_numeric::state::set_parameter(&mut tree, "h", 0.0).unwrap();
    let [rho, w, length, edge, mb, k, l0] =
        ["rho", "w", "L", "a", "mb", "k", "l0"].map(|name| value(&tree, name).unwrap());
    let (m, ms) = (rho * w * w * length, rho * edge * edge * edge);
    // The angle below the horizontal by the pull per metre, and the speed that belongs to it.
    let speed = |n: f64| {
        let (d, l) = (ms * 9.81 / (2.0 * n), k * l0 / (k - n));
        let a = f64::sqrt((l * l - d * d).max(0.0));
        let cosine = 2.0 * a / length;
        let sine = f64::sqrt(1.0 - cosine * cosine);
        // Divided by the cosine: `a = L/2 cos`.
        let torque = (m / 2.0 + mb) * 9.81 * length + n * length / 2.0 * (d + length / 2.0 * sine);
        let inertia = ((m / 3.0 + mb) * length * length - m * w * w / 12.0) * sine;
        (f64::sqrt(torque / inertia), sine.atan2(cosine), a)
    };
    // Hanging: the coupler is vertical, `n l = m_s g / 2` with `l = d`.
    let hanging = {
        let l = l0 + ms * 9.81 / (2.0 * k);
        ms * 9.81 / (2.0 * l)
    };
    let critical = speed(hanging).0;
    let mut state = at_rest(&tree);
    let psi = speeds_of(&tree.mechanism, "psi").unwrap()[0];
    state.qd[psi] = 2.0;
    state.hold_qd[psi] = Hold::State;
    let beta = |q: &[f64]| {
        let at = |name: &str| tree.mechanism.coordinate(name).unwrap();
        [q[at("beta1")], q[at("beta2")]]
    };
    for name in ["beta1", "beta2"] {
        state.q[tree.mechanism.coordinate(name).unwrap()] = std::f64::consts::FRAC_PI_2;
    }
    state.q[tree.mechanism.coordinate("s").unwrap()] = 0.0;
    let request = EquilibriumRequest::default();
    let (mut equations, point) =
        BalanceEquations::new(&tree, &state, &request, Box::new(NoExternals)).unwrap();
    let options = ContinuationOptions::new(2.0, 8.0);
    let branches = continuation(&mut equations, &point, Quantity::Speed(psi), &options).unwrap();
    let crossing = branches[0].points.iter().find(|one| one.kind == PointKind::Bifurcation);
    near(crossing.expect("both arms at once").value, critical, 1e-7);
    // Of the branches that leave there, the one with both arms out to both sides follows the form.
    let mut checked = 0;
    for branch in &branches[1..] {
        for point in &branch.points {
            let [one, other] = beta(&point.point.q);
            let out = |angle: f64| std::f64::consts::FRAC_PI_2 - angle;
            if out(one) < 0.02 || (one - other).abs() > 1e-6 {
                continue;
            }
            // The pull that belongs to the angle, by bisection.
            let (mut low, mut high) = (hanging, 40.0 * hanging);
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                let (_, angle, _) = speed(middle);
                if out(angle) < out(one) { low = middle } else { high = middle }
            }
            near(point.value, speed(low).0, 1e-8);
            checked += 1;
        }
    }
    assert!(checked > 5, "{checked} points with both arms out, {} branches", branches.len());
}
