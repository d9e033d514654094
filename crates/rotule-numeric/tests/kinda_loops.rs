//! Loop tests of KINDA's checklist (Ikoki, Richard, Bouazara and Datoussaid 2009), K-15 to K-20;
//! K-17 is in `loops_motion.rs`.
//!
//! KINDA writes `M qdd + c + J' lambda = Q`: its multipliers are ours with the other sign. Efforts
//! of commands are those to be applied.

use rotule_formalism::Formalism::{Barycentric, NewtonEuler, Outward};
use rotule_formalism::{ModelFunction, readable};
use rotule_numeric::generate;
use rotule_testing::formalism;
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::loops::{Ready, eliminated, size};
use rotule_testing::formalism::numbers::{Matrix, agree};

/// An example in which a joint is requested to be independent.
fn led_by(name: &str, joint: &str) -> Result<Case, String> {
    let text = formalism::example(&format!("{name}.toml"));
    let found = format!("name = \"{joint}\", type");
    let own = text.lines().find(|line| line.contains(&found));
    let own = own.ok_or_else(|| format!("{name} has no `{joint}`"))?;
    let role = "partition = \"independent\"";
    let text = match own.contains(role) {
        true => text.clone(),
        false => text.replace(&found, &format!("{role}, {found}")),
    };
    Ok(Case::of(&format!("{name} by {joint}"), &text))
}

/// The derivative of a function, of eighth order.
fn slope(f: impl Fn(f64) -> f64, at: f64) -> f64 {
    let (step, weights) = (0.01, [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0]);
    let term = |(number, weight): (usize, f64)| {
        let away = step * (number + 1) as f64;
        weight * (f(at + away) - f(at - away)) / step
    };
    weights.into_iter().enumerate().map(term).sum()
}

/// A mechanism of one freedom with its loop solved by hand: places and angles of its bodies as
/// functions of the crank.
struct ByHand {
    name: &'static str,
    /// Mass, inertia about the centre of mass, and place and angle for an angle of the crank.
    bodies: Vec<Hand>,
    /// All coordinates.
    coordinates: fn(f64) -> Vec<f64>,
}

type Hand = (f64, f64, fn(f64) -> [f64; 3]);

impl ByHand {
    /// The inertia that the crank feels.
    fn mass(&self, q: f64) -> f64 {
        let part = |(mass, inertia, place): &Hand| {
            let rate = |at: usize| slope(|q| place(q)[at], q);
            mass * (rate(0).powi(2) + rate(1).powi(2)) + inertia * rate(2).powi(2)
        };
        self.bodies.iter().map(part).sum()
    }

    fn potential(&self, q: f64) -> f64 {
        self.bodies.iter().map(|(mass, _, place)| 9.81 * mass * place(q)[1]).sum()
    }

    /// `F_r` of `M_r qdd = F_r`, without applied efforts: Lagrange's equation of the crank.
    fn force(&self, q: f64, qd: f64) -> f64 {
        let change = slope(|q| self.mass(q), q);
        -change * qd * qd / 2.0 - slope(|q| self.potential(q), q)
    }
}

/// Crank, coupler and rocker of `four_bar_joint`: absolute angles of coupler and rocker.
fn four_bar(q: f64) -> (f64, f64) {
    let (a, b, c, d) = (0.12_f64, 0.30_f64, 0.25_f64, 0.32_f64);
    let (x, y) = (d - a * q.cos(), -a * q.sin());
    let apart = x.hypot(y);
    let coupler = y.atan2(x) + ((b * b + apart * apart - c * c) / (2.0 * b * apart)).acos();
    let rocker = (a * q.sin() + b * coupler.sin()).atan2(a * q.cos() + b * coupler.cos() - d);
    (coupler, rocker)
}

fn mechanisms() -> Vec<ByHand> {
    let linkage = ByHand {
        name: "four_bar_joint",
        bodies: vec![
            (0.8, 0.8 * 0.12 * 0.12 / 12.0, |q| [0.06 * q.cos(), 0.06 * q.sin(), q]),
            (0.6, 0.6 * 0.3 * 0.3 / 4.0, |q| {
                let angle = four_bar(q).0;
                [0.12 * q.cos() + 0.15 * angle.cos(), 0.12 * q.sin() + 0.15 * angle.sin(), angle]
            }),
            (1.1, 1.1 * 0.25 * 0.25 / 12.0, |q| {
                let angle = four_bar(q).1;
                [0.32 + 0.125 * angle.cos(), 0.125 * angle.sin(), angle]
            }),
        ],
        coordinates: |q| {
            let (coupler, rocker) = four_bar(q);
            vec![q, coupler - q, rocker]
        },
    };
    vec![linkage, slider_crank()]
}

/// The angle of the slider-crank's rod.
fn rod(q: f64) -> f64 {
    (-0.15 * q.sin() / 0.3).asin()
}

fn slider_crank() -> ByHand {
    ByHand {
        name: "slider_crank",
        bodies: vec![
            (0.36, 0.36 * 0.15 * 0.15 / 12.0, |q| [0.075 * q.cos(), 0.075 * q.sin(), q]),
            (0.151_104, 0.151_104 * 0.3 * 0.3 / 12.0, |q| {
                let angle = rod(q);
                [0.15 * q.cos() + 0.15 * angle.cos(), 0.15 * q.sin() + 0.15 * angle.sin(), angle]
            }),
            (0.075_552, 0.0, |q| [0.15 * q.cos() + 0.3 * rod(q).cos(), 0.0, 0.0]),
        ],
        coordinates: |q| vec![q, rod(q) - q, 0.15 * q.cos() + 0.3 * rod(q).cos()],
    }
}

/// K-15: inertia and force of the reduced equation against the loop solved by hand.
#[test]
fn k_15_reduced_equations_are_those_of_explicit_coordinates() {
    for hand in mechanisms() {
        let case = &led_by(hand.name, "q1").expect("a crank");
        let n = case.speeds();
        for formalism in [NewtonEuler, Barycentric] {
            let inverse = Ready::of(case, "closed_inverse", formalism);
            let forward = Ready::of(case, "forward", formalism);
            for (q, qd, effort) in
                [(0.7, 3.0, 0.4), (1.9, -5.0, -0.2), (4.0, 0.0, 0.1), (5.5, 8.0, 0.0)]
            {
                let mut qds = vec![0.0; n];
                qds[0] = qd;
                let mut state = State {
                    time: 0.0,
                    q: (hand.coordinates)(q),
                    qd: qds,
                    qdd: vec![0.0; n],
                    effort: vec![0.0; n],
                };
                let still = inverse.at(&state);
                assert!(still.converged);
                state.qdd[0] = 1.0;
                let moving = inverse.at(&state).values[0];
                let (mass, force) = (hand.mass(q), hand.force(q, qd));
                let scale = size(&[force]);
                assert!(
                    (moving - still.values[0] - mass).abs() < 1e-10 * scale,
                    "{} M_r",
                    hand.name
                );
                assert!((still.values[0] + force).abs() < 1e-9 * scale, "{} F_r", hand.name);
                state.effort[0] = effort;
                let found = forward.at(&state).values[0];
                agree(hand.name, &[found], &[(force + effort) / mass], 1e-8);
            }
        }
    }
}

/// K-15: the printed formulas of `M_r` and `F_r` with `M_di` where it belongs, on partitions of
/// unequal sizes.
#[test]
fn k_15_reduction_by_the_formula_with_unequal_sizes() {
    for name in
        ["planar_robot_1", "planar_robot_3", "andrews_squeezer", "delta_robot", "stewart_platform"]
    {
        let case = Case::example(&format!("{name}.toml"));
        let n = case.speeds();
        let given = case.near(12);
        let closed = Ready::of(&case, "closure", Outward).at(&given);
        assert!(closed.converged, "{name}");
        let state = State { q: closed.list("q").to_vec(), qd: closed.list("qd").to_vec(), ..given };
        let parts = Ready::of(&case, "all_coordinates", Barycentric)
            .at(&State { effort: vec![0.0; n], ..state.clone() });
        let map = Ready::of(&case, "reduction", Outward).at(&state).matrix("S");
        let is_dependent = |at: &usize| (0..n).all(|row| map.get(row, *at) == 0.0);
        let (d, i): (Vec<usize>, Vec<usize>) = (0..n).partition(is_dependent);
        assert_ne!(d.len(), i.len(), "{name}");
        let part = |a: &Matrix, rows: &[usize], columns: &[usize]| {
            let values = rows.iter().flat_map(|&r| columns.iter().map(move |&c| a.get(r, c)));
            Matrix::new(rows.len(), columns.len(), values.collect())
        };
        let (mass, jacobian) = (parts.matrix("M"), parts.matrix("J"));
        let all: Vec<usize> = (0..jacobian.rows).collect();
        let (jd, ji) = (part(&jacobian, &all, &d), part(&jacobian, &all, &i));
        // Jd^-1 Ji and Jd^-1 b, column by column.
        let solved = |right: &Matrix| {
            let mut found = Matrix::zero(d.len(), right.columns);
            for column in 0..right.columns {
                let b: Vec<f64> = (0..right.rows).map(|row| right.get(row, column)).collect();
                let x = eliminated(&jd, &b).x;
                x.iter().enumerate().for_each(|(row, x)| *found.at(row, column) = *x);
            }
            found
        };
        let g = solved(&ji);
        let b = solved(&Matrix::vector(parts.list("b").iter().map(|b| -b).collect()));
        let f: Vec<f64> = parts.list("Q").iter().zip(parts.list("c")).map(|(q, c)| q - c).collect();
        let pick = |list: &[usize]| Matrix::vector(list.iter().map(|&at| f[at]).collect());
        let (mii, mid, mdi, mdd) =
            (part(&mass, &i, &i), part(&mass, &i, &d), part(&mass, &d, &i), part(&mass, &d, &d));
        let inner = mdi.plus(-1.0, &mdd.mul(&g));
        let reduced = mii.plus(-1.0, &mid.mul(&g)).plus(-1.0, &g.transpose().mul(&inner));
        let force = pick(&i)
            .plus(-1.0, &mid.mul(&b))
            .plus(-1.0, &g.transpose().mul(&pick(&d).plus(-1.0, &mdd.mul(&b))));
        agree(name, &reduced.values, &reduced.transpose().values, 1e-12);
        // Efforts for unit accelerations, less those at rest, are the columns of M_r.
        let inverse = Ready::of(&case, "closed_inverse", NewtonEuler);
        let at = |qdd: Vec<f64>| inverse.at(&State { qdd, ..state.clone() }).values;
        let still = at(vec![0.0; n]);
        let found: Vec<f64> = i.iter().map(|&row| -still[row]).collect();
        agree(&format!("{name}: F_r"), &found, &force.values, 1e-10);
        for (column, &speed) in i.iter().enumerate() {
            let mut qdd = vec![0.0; n];
            qdd[speed] = 1.0;
            let moving = at(qdd);
            let found: Vec<f64> = i.iter().map(|&row| moving[row] - still[row]).collect();
            let expected: Vec<f64> = (0..i.len()).map(|row| reduced.get(row, column)).collect();
            let scale = size(&still) / size(&expected);
            agree(&format!("{name}: M_r"), &found, &expected, 1e-11 * scale.max(1.0));
        }
    }
}

/// K-16: Newton's iteration closes, velocities and accelerations follow, and multipliers fulfil (7)
/// with KINDA's sign.
#[test]
fn k_16_closure_levels_and_multipliers() {
    for name in
        ["four_bar_joint", "slider_crank", "spatial_slider_crank", "five_bar", "delta_robot"]
    {
        let case = Case::example(&format!("{name}.toml"));
        let given = case.near(5);
        let closed = Ready::of(&case, "closure", Outward).at(&given);
        assert!(
            closed.converged && closed.iterations.iter().all(|&count| (1..=6).contains(&count))
        );
        let state =
            State { q: closed.list("q").to_vec(), qd: closed.list("qd").to_vec(), ..given.clone() };
        let qdd = Ready::of(&case, "forward", NewtonEuler).at(&given).values;
        let lambda: Vec<f64> = Ready::of(&case, "multipliers", NewtonEuler)
            .at(&given)
            .values
            .iter()
            .map(|x| -x)
            .collect();
        let parts = Ready::of(&case, "all_coordinates", Barycentric).at(&state);
        let jacobian = parts.matrix("J");
        let rest = |v: &[f64], more: &[f64]| {
            let sums: Vec<f64> = jacobian.apply(v).iter().zip(more).map(|(a, b)| a + b).collect();
            sums.iter().fold(0.0_f64, |most, x| most.max(x.abs())) / size(v)
        };
        assert!(parts.list("h").iter().all(|h| h.abs() <= 1e-12), "{name}");
        assert!(rest(&state.qd, parts.list("e")) <= 1e-12, "{name}");
        assert!(rest(&qdd, parts.list("b")) <= 1e-12 * size(&jacobian.values), "{name}");
        let held = jacobian.transpose().apply(&lambda);
        let inertia = parts.matrix("M").apply(&qdd);
        let left: Vec<f64> =
            (0..case.speeds()).map(|at| inertia[at] + parts.list("c")[at] + held[at]).collect();
        agree(name, &left, parts.list("Q"), 1e-11 * size(&held).max(size(&inertia)));
    }
}

/// K-18: any sound choice of independent coordinates gives the same motion; an unsound one is
/// refused.
#[test]
fn k_18_the_partition_changes_nothing_and_a_singular_one_is_noticed() {
    for (name, joints) in [
        ("four_bar_joint", ["q1", "q2", "q3"]),
        ("slider_crank", ["q1", "q2", "q3"]),
        ("andrews_squeezer", ["beta", "Theta", "gamma"]),
    ] {
        let plain = Case::example(&format!("{name}.toml"));
        let rough = plain.near(6);
        let closed = Ready::of(&plain, "closure", Outward).at(&rough);
        let state = State { q: closed.list("q").to_vec(), qd: closed.list("qd").to_vec(), ..rough };
        let expected = Ready::of(&plain, "forward", Barycentric).at(&state);
        let lambda = Ready::of(&plain, "multipliers", Barycentric).at(&state).values;
        let mut leaders = 0;
        for joint in joints {
            let Ok(case) = led_by(name, joint) else { continue };
            let parsed = ModelFunction::parse("forward", &case.tree).expect("a known function");
            if let Err(problem) = generate(&case.tree, &parsed, Some(Barycentric)) {
                // Some coordinates stand still here and cannot lead: what is left cannot be solved
                // for.
                let said = "the requested coordinate partition is singular in the initial position";
                assert!(problem.message.contains(said), "{name}: {problem}");
                continue;
            }
            let map = Ready::of(&case, "reduction", Outward).at(&state).matrix("S");
            let at = case.mechanism().coordinates.iter().position(|one| one.name == joint);
            let at = at.expect("the joint's coordinate");
            leaders += usize::from(map.get(at, at) == 1.0);
            let found = Ready::of(&case, "forward", Barycentric).at(&state);
            assert!(found.converged, "{name} by {joint}");
            let steep = size(&map.values);
            agree(&case.label, &found.values, &expected.values, 1e-11 * steep);
            let found = Ready::of(&case, "multipliers", Barycentric).at(&state).values;
            agree(&case.label, &found, &lambda, 1e-10 * steep);
        }
        assert!(leaders >= 2, "{name}: {leaders} were followed");
    }
    // At a dead point of the rocker, crank and coupler in line, the rocker cannot lead.
    let text = formalism::example("four_bar_joint.toml");
    let reach = 0.12_f64 + 0.30;
    let q1 = ((reach * reach + 0.32 * 0.32 - 0.25 * 0.25) / (2.0 * reach * 0.32)).acos();
    let rocker = (reach * q1.sin()).atan2(reach * q1.cos() - 0.32);
    let start = text.find("[initial.q]").expect("initial values");
    let text = format!("{}[initial.q]\nq1 = {q1:?}\nq2 = 0\nq3 = {rocker:?}\n", &text[..start]);
    let led =
        text.replace("name = \"q3\", type", "partition = \"independent\", name = \"q3\", type");
    assert_ne!(led, text);
    let case = Case::of("dead point", &led);
    let parsed = ModelFunction::parse("closure", &case.tree).expect("a known function");
    let refused = generate(&case.tree, &parsed, None).expect_err("a singular choice");
    assert!(refused.message.contains("is singular in the initial position"), "{refused}");
}

/// K-19 without loops: cases II-a and II-b of the sliding pendulum, corrected; the effort is the
/// one to be applied.
#[test]
fn k_19_commanded_coordinates_of_the_sliding_pendulum() {
    let text = formalism::example("sliding_pendulum.toml");
    let free = Case::of("free", &text);
    let value = |name: &str| {
        free.parameters
            .iter()
            .find(|one| one.name == name)
            .unwrap_or_else(|| panic!("{name}"))
            .value
    };
    let [m, l, k, l0, i3, g] = ["m", "L", "k", "L0", "I3", "g"].map(value);
    let t = 0.4_f64;
    let (f, fd, fdd) = ((0.2 * t * t + 0.1 * t), 0.4 * t + 0.1, 0.4);
    for (joint, other) in [("q1", "q2"), ("q2", "q1")] {
        let motion = format!("\n[[motion]]\njoint = \"{joint}\"\nq = \"0.2*t^2 + 0.1*t\"\n");
        // Initial values of driven joints come from their motions.
        let kept: Vec<&str> =
            text.lines().filter(|line| !line.starts_with(&format!("{joint} ="))).collect();
        let case = Case::of(joint, &format!("{}{motion}", kept.join("\n")));
        let (q, qd) = (0.3, 1.9);
        let (q1, q2, v1, v2) = if joint == "q1" { (f, q, fd, qd) } else { (q, f, qd, fd) };
        let state = State {
            time: t,
            q: vec![q1, q2],
            qd: vec![v1, v2],
            qdd: vec![0.0; 2],
            effort: vec![0.0; 2],
        };
        let (a1, a2) = if joint == "q1" {
            (fdd, 0.5 * m * l * q2.sin() * (fdd - g) / (i3 + 0.25 * m * l * l))
        } else {
            let pull = 0.5 * q2.cos() * v2 * v2 + 0.5 * q2.sin() * fdd;
            ((-k * (q1 - l0) + m * (g + l * pull)) / m, fdd)
        };
        let slider =
            m * (a1 + l * (-0.5 * q2.sin() * a2 - 0.5 * q2.cos() * v2 * v2) - g) + k * (q1 - l0);
        let rod = l * m * q2.sin() * (-0.5 * a1 + 0.5 * g) + (i3 + 0.25 * l * l * m) * a2;
        let expected = if joint == "q1" { [slider, 0.0] } else { [0.0, rod] };
        for formalism in [NewtonEuler, Barycentric] {
            let qdd = Ready::of(&case, "forward", formalism).at(&state).values;
            agree(&format!("{other} with {joint} driven"), &qdd, &[a1, a2], 1e-12);
            let drives = Ready::of(&case, "drives", formalism).at(&state).values;
            agree(&format!("effort of {joint}"), &drives, &expected, 1e-12);
            // Inverse dynamics of the free model says the same.
            let inverse = Ready::of(&free, "inverse", formalism);
            let needed = inverse.at(&State { qdd, ..state.clone() }).values;
            agree("inverse dynamics", &needed, &drives, 1e-11);
        }
    }
}

/// K-19 with loops: a crank that is driven by a law of time; its explicit terms are in velocity and
/// acceleration.
#[test]
fn k_19_a_commanded_crank_in_a_loop() {
    for (name, crank) in
        [("four_bar_joint", "q1"), ("slider_crank", "q1"), ("spatial_slider_crank", "theta")]
    {
        let text = formalism::example(&format!("{name}.toml"));
        let free = led_by(name, crank).expect("a crank");
        let start = {
            let initial = free.mechanism().coordinates[0].initial;
            free.mechanism().evaluate(&[initial])[0]
        };
        let motion =
            format!("\n[[motion]]\njoint = \"{crank}\"\nq = \"{start:?} + 0.5*t + sin(2*t)/4\"\n");
        let kept: Vec<&str> =
            text.lines().filter(|line| !line.starts_with(&format!("{crank} ="))).collect();
        let case = Case::of(name, &format!("{}{motion}", kept.join("\n")));
        let n = case.speeds();
        let t = 0.2_f64;
        let mut state = free.near(3);
        state.time = t;
        (state.q[0], state.qd[0], state.qdd[0]) = (
            start + 0.5 * t + (2.0 * t).sin() / 4.0,
            0.5 + (2.0 * t).cos() / 2.0,
            -(2.0 * t).sin(),
        );
        // Nothing else is applied.
        state.effort = vec![0.0; n];
        let closed = Ready::of(&case, "closure", Outward).at(&state);
        let same = Ready::of(&free, "closure", Outward).at(&state);
        assert!(closed.converged && same.converged);
        agree(name, &closed.values, &same.values, 1e-11);
        for formalism in [NewtonEuler, Barycentric] {
            let qdd = Ready::of(&case, "forward", formalism).at(&state).values;
            assert!((qdd[0] - state.qdd[0]).abs() < 1e-12, "{name}");
            let drives = Ready::of(&case, "drives", formalism).at(&state).values;
            let needed = Ready::of(&free, "closed_inverse", formalism).at(&state);
            let needed = needed.list("effort");
            agree(name, &drives, needed, 1e-11);
            // Applied to the free mechanism, the effort makes the motion.
            let mut pushed = state.clone();
            pushed.effort[0] = drives[0];
            let moved = Ready::of(&free, "forward", formalism).at(&pushed).values;
            agree(name, &moved, &qdd, 1e-10);
        }
    }
}

/// K-20: the symbolic solution has the values of the program, and multipliers are paid for only if
/// they are requested.
#[test]
fn k_20_symbolic_and_numeric_agree_and_multipliers_are_optional() {
    let case = Case::example("sliding_pendulum.toml");
    let tree = case.tree.clone();
    let question = readable::Question::default();
    let (found, sheet) = readable::equations(&tree, question).expect("a tree has equations");
    let state = [("q1", 0.1), ("q2", 0.7), ("q1.d", -0.3), ("q2.d", 1.9)];
    let value = |name: &str| {
        let parameter = case.parameters.iter().find(|one| one.name == name).map(|one| one.value);
        parameter.or_else(|| state.iter().find(|one| one.0 == name).map(|one| one.1))
    };
    let solution: Vec<_> = found.accelerations.iter().map(|one| one.1).collect();
    let symbolic =
        sheet.graph.read(|graph| graph.evaluate_f64(&solution, value)).expect("known inputs");
    let numbers = State {
        time: 0.0,
        q: vec![0.1, 0.7],
        qd: vec![-0.3, 1.9],
        qdd: vec![0.0; 2],
        effort: vec![0.0; 2],
    };
    let numeric = Ready::of(&case, "forward", Barycentric).at(&numbers).values;
    agree("sliding pendulum", &numeric, &symbolic, 1e-13);
    agree("reference", &numeric, &[4.554791864191, -5.078247046805], 1e-11);
    for name in ["four_bar_joint", "andrews_squeezer", "stewart_platform"] {
        let mut tree = Case::example(&format!("{name}.toml")).tree;
        let without = formalism::operations(&mut tree, "forward", Barycentric);
        let with = formalism::operations(&mut tree, "multipliers", Barycentric);
        assert!(without < with, "{name}: {without} {with}");
    }
}
