//! Rows of cuts against poses in plain numbers, which know no Jacobians: AT-01, the second half of
//! AT-02, AT-03, AT-06.
//!
//! A motion with constant speeds is followed along poses. Its first and second derivatives, by
//! differences of eighth order, are what `J qd` and `b` must be.

use rotule_formalism::Formalism::{Barycentric, NewtonEuler, Outward};
use rotule_formalism::{Formalism, ModelFunction};
use rotule_model::pose::{Components, Pose, norm, poses, sub};
use rotule_numeric::generate;
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::loops::{Ready, eliminated};
use rotule_testing::formalism::numbers::{Matrix, agree, dot};

/// Two chains that carry a cut between rotated frames, with all joints but the free one, on a
/// common body or on the ground.
fn chains(cut: &str, base: bool) -> String {
    let mut text = String::from("[model]\nname = \"chains\"\ngravity = [1, -3, 9]\n");
    let parent = if base { "base" } else { "ground" };
    if base {
        text += "[[body]]\nname = \"base\"\nparent = \"ground\"\nmass = 1\ninertia = { xx = 1, yy = 1, zz = 1 }\n\
                 joint = { name = \"turn\", type = \"revolute\", axis = \"z\" }\n";
    }
    let joints = [
        "type = \"spherical\"",
        "type = \"universal\", axes = [[1, 1, 0], [0, 0, 1]]",
        "type = \"cylindrical\", axis = [0, 3, 4]",
        "type = \"helical\", axis = [1, 0, 2], pitch = 0.3",
        "type = \"planar\", axis = [2, 1, 0]",
        "type = \"prismatic\", axis = [1, 1, 1]",
    ];
    for (chain, at) in [("a", [0, 2, 5]), ("b", [1, 3, 4])] {
        let mut parent = parent.to_owned();
        for (number, joint) in at.into_iter().enumerate() {
            let name = format!("{chain}{number}");
            text += &format!(
                "[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\nposition = [0.3, -0.1, 0.{number}]\nmass = 1\n\
                 rotation = {{ axis = [1, {number}, 2], angle = 0.8 }}\ninertia = {{ xx = 1, yy = 1, zz = 1 }}\n\
                 joint = {{ name = \"j{name}\", {} }}\n",
                joints[joint]
            );
            parent = name;
        }
        text += "points.P = { position = [0.1, 0.2, -0.3], rotation = { axis = [2, 0, 1], angle = 1.1 } }\n";
    }
    format!("{text}[[cut]]\nname = \"cut\"\nbetween = [\"a2.P\", \"b2.P\"]\n{cut}\n")
}

/// Where the ends of the cut are; in the axes of the common body if there is one.
fn ends(case: &Case, q: &[f64]) -> [Pose; 2] {
    let mechanism = case.mechanism();
    let all = poses(mechanism, q);
    let base = mechanism.body("base").map_or(Pose::IDENTITY, |id| all[id.index()]);
    ["a2", "b2"].map(|name| {
        let id = mechanism.body(name).expect("a body of the text");
        let point = mechanism.points.iter().find(|one| one.name == format!("{name}.P"));
        let placement = point.expect("a point of the text").frame.placement;
        let place = rotule_model::pose::vectors(mechanism, &[placement.position]);
        let turned: [Components; 3] = std::array::from_fn(|row| {
            let row = rotule_symbolic::Vector(placement.rotation.row(row).0);
            rotule_model::pose::vectors(mechanism, &[row])[0]
        });
        base.inverse().then(&all[id.index()]).then(&Pose { position: place[0], rotation: turned })
    })
}

/// First and second derivatives at zero, of eighth order.
fn derivatives(f: &mut dyn FnMut(f64) -> Vec<f64>) -> (Vec<f64>, Vec<f64>) {
    const STEP: f64 = 0.02;
    let first = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let second = [8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0];
    let middle = f(0.0);
    let mut once = vec![0.0; middle.len()];
    let mut twice: Vec<f64> = middle.iter().map(|x| -205.0 / 72.0 * x / STEP / STEP).collect();
    for number in 0..4 {
        let away = STEP * (number + 1) as f64;
        let (after, before) = (f(away), f(-away));
        for at in 0..middle.len() {
            once[at] += first[number] * (after[at] - before[at]) / STEP;
            twice[at] += second[number] * (after[at] + before[at]) / STEP / STEP;
        }
    }
    (once, twice)
}

/// The motion of one end relative to the other while all speeds stay: velocity, angular velocity
/// and their rates.
struct Relative {
    apart: Components,
    velocity: Components,
    acceleration: Components,
    turn: Components,
    turning: Components,
}

fn relative(case: &Case, state: &State, speeds: &[f64]) -> Relative {
    let mut follow = |s: f64| {
        let step: Vec<f64> = speeds.iter().map(|v| v * s).collect();
        let both = ends(case, &case.moved(state, &step).q);
        let numbers = both
            .iter()
            .flat_map(|one| one.position.into_iter().chain(one.rotation.into_iter().flatten()));
        numbers.collect::<Vec<f64>>()
    };
    let now = follow(0.0);
    let (once, twice) = derivatives(&mut follow);
    let place = |list: &[f64], end: usize| [0, 1, 2].map(|i| list[12 * end + i]);
    // The skew part of a derivative of R times R': of the second one it is the rate of the angular
    // velocity.
    let skew = |list: &[f64], end: usize| {
        let entry = |i: usize, j: usize| -> f64 {
            (0..3).map(|k| list[12 * end + 3 + 3 * i + k] * now[12 * end + 3 + 3 * j + k]).sum()
        };
        [(2, 1), (0, 2), (1, 0)].map(|(i, j)| (entry(i, j) - entry(j, i)) / 2.0)
    };
    Relative {
        apart: sub(place(&now, 0), place(&now, 1)),
        velocity: sub(place(&once, 0), place(&once, 1)),
        acceleration: sub(place(&twice, 0), place(&twice, 1)),
        turn: sub(skew(&once, 0), skew(&once, 1)),
        turning: sub(skew(&twice, 0), skew(&twice, 1)),
    }
}

fn unit(size: usize, at: usize) -> Vec<f64> {
    (0..size).map(|one| if one == at { 1.0 } else { 0.0 }).collect()
}

/// Holds `J` column by column and `b` against what `expected` makes of the relative motion.
fn check_rows(cut: &str, expected: impl Fn(&Relative) -> (Vec<f64>, Vec<f64>, Vec<f64>)) {
    for base in [false, true] {
        let case = Case::of(cut, &chains(cut, base));
        let rows = Ready::of(&case, "constraints", Outward);
        for seed in 1..4 {
            let state = case.state(seed);
            let found = rows.at(&state);
            let jacobian = found.matrix("J");
            let n = case.speeds();
            // What carries both ends says nothing about them.
            let along = relative(&case, &state, &state.qd);
            let (h, velocity, rate) = expected(&along);
            if !h.is_empty() {
                agree(&format!("{cut}: h"), found.list("h"), &h, 1e-12);
            }
            agree(&format!("{cut}: J qd"), &jacobian.apply(&state.qd), &velocity, 1e-10);
            agree(&format!("{cut}: Jd qd"), found.list("b"), &rate, 1e-10);
            for column in 0..n {
                let (_, velocity, _) = expected(&relative(&case, &state, &unit(n, column)));
                let own: Vec<f64> =
                    (0..jacobian.rows).map(|row| jacobian.get(row, column)).collect();
                agree(&format!("{cut}: column {column}"), &own, &velocity, 1e-10);
            }
        }
    }
}

#[test]
fn at_01_body_cut_against_differences_of_point_and_frame() {
    check_rows("type = \"body\"", |one| {
        (Vec::new(), [one.velocity, one.turn].concat(), [one.acceleration, one.turning].concat())
    });
}

#[test]
fn at_03_ball_and_rod_against_differences() {
    check_rows("type = \"ball\"", |one| {
        (one.apart.to_vec(), one.velocity.to_vec(), one.acceleration.to_vec())
    });
    check_rows("type = \"rod\"\nlength = 0.7", |one| {
        let product = |a: Components, b: Components| dot(&a, &b);
        (
            vec![(product(one.apart, one.apart) - 0.49) / 2.0],
            vec![product(one.apart, one.velocity)],
            vec![product(one.apart, one.acceleration) + product(one.velocity, one.velocity)],
        )
    });
}

/// Two levers, joined by a bar: as a rod cut, and as a body without mass on a universal joint, held
/// by a ball.
fn levers(bar: &str) -> String {
    let lever = |name: &str, place: &str, axis: &str, end: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nparent = \"ground\"\nposition = {place}\nmass = 1.2\ncom = [0.1, 0.05, 0]\n\
             inertia = {{ xx = 0.02, yy = 0.03, zz = 0.04 }}\n\
             joint = {{ name = \"{name}_q\", type = \"revolute\", axis = {axis} }}\npoints.E = {end}\n"
        )
    };
    format!(
        "[model]\nname = \"levers\"\ngravity = [0.5, -1, -9.7]\n{}{}{bar}",
        lever("one", "[0, 0, 0]", "[1, 2, 2]", "[0.3, 0.1, -0.1]"),
        lever("two", "[0.8, 0.3, 0.2]", "[2, -1, 1]", "[-0.2, 0.1, 0.2]"),
    )
}

#[test]
fn at_03_the_multiplier_of_a_rod_is_the_force_of_a_bar_without_mass() {
    // The bar is as long as the ends are apart with both levers at rest, and lies along the line
    // between them.
    let (b, c): (Components, Components) = ([0.3, 0.1, -0.1], [0.6, 0.4, 0.4]);
    let line = sub(c, b);
    let length = norm(line);
    let rod = format!(
        "[[cut]]\nname = \"bar\"\ntype = \"rod\"\nlength = {length:?}\nbetween = [\"one.E\", \"two.E\"]\n"
    );
    let massless = format!(
        "[[body]]\nname = \"bar\"\nparent = \"one.E\"\njoint = {{ name = \"swing\", type = \"universal\", \
         axes = [[0, 0, 1], [1, -1, 0]] }}\npoints.E = [{:?}, {:?}, {:?}]\n\
         [[cut]]\nname = \"ball\"\ntype = \"ball\"\nbetween = [\"bar.E\", \"two.E\"]\n",
        line[0], line[1], line[2]
    );
    let (rod, bar) = (Case::of("rod", &levers(&rod)), Case::of("bar", &levers(&massless)));
    for formalism in [NewtonEuler, Barycentric] {
        // The first lever may be displaced; the second follows.
        let rod_state = State {
            time: 0.0,
            q: vec![0.15, 0.0],
            qd: vec![1.4, 0.0],
            qdd: vec![0.0; 2],
            effort: vec![0.7, -1.1],
        };
        let closed = Ready::of(&rod, "closure", Outward).at(&rod_state);
        let (q, qd) = (closed.list("q"), closed.list("qd"));
        let lambda = Ready::of(&rod, "multipliers", formalism).at(&rod_state).values[0];
        // The same of the levers, by name; the bar's own angles are found.
        let names = bar.mechanism().coordinates.iter().map(|one| one.name.as_str());
        let spread = |levers: &[f64]| -> Vec<f64> {
            let value = |name: &str| match name {
                "one_q" => levers[0],
                "two_q" => levers[1],
                _ => 0.0,
            };
            names.clone().map(value).collect()
        };
        let bar_state = State {
            time: 0.0,
            q: spread(q),
            qd: spread(qd),
            qdd: vec![0.0; 4],
            effort: spread(&rod_state.effort),
        };
        let at = names.clone().position(|name| name == "two_q").expect("the second lever");
        let same = Ready::of(&bar, "closure", Outward).at(&bar_state);
        assert!(same.converged);
        agree("position", &[same.list("q")[0], same.list("q")[at]], q, 1e-12);
        agree("speed", &[same.list("qd")[0], same.list("qd")[at]], qd, 1e-11);
        let qdd = Ready::of(&bar, "forward", formalism).at(&bar_state).values;
        let expected = Ready::of(&rod, "forward", formalism).at(&rod_state).values;
        agree("acceleration", &[qdd[0], qdd[at]], &expected, 1e-11);
        let force = Ready::of(&bar, "multipliers", formalism).at(&bar_state).values;
        // The force on the bar's end is along the bar, and `lambda l` with the sign of `x`, from
        // the second end to the first.
        let all = poses(rod.mechanism(), q);
        let place = |name: &str, point: Components| {
            all[rod.mechanism().body(name).expect("a lever").index()].point(point)
        };
        let x = sub(place("one", [0.3, 0.1, -0.1]), place("two", [-0.2, 0.1, 0.2]));
        assert!((norm(x) - length).abs() < 1e-12);
        agree("force", &force, &x.map(|x| lambda * x), 1e-11);
        let along = dot(&force, &x) / length;
        assert!((along - lambda * length).abs() < 1e-10 * along.abs().max(1.0), "{along} {lambda}");
        assert!(along.abs() > 0.1, "the bar carries a force: {along}");
    }
}

/// Newton's iteration of a weld in rotated frames, in the test: with rotations in the axes of `J`
/// it ends in few steps, with those of the body, as they are printed, it does not.
#[test]
fn at_02_mixed_frames_do_not_converge() {
    let mut text = String::from("[model]\nname = \"weld\"\n[ground]\n");
    text += "points.P = { position = [0, 0, 0], rotation = { axis = [3, 1, -2], angle = 2.2 } }\n";
    let mut parent = "ground".to_owned();
    for (name, axis) in [("a", "z"), ("b", "y"), ("c", "x")] {
        text += &format!(
            "[[body]]\nname = \"b{name}\"\nparent = \"{parent}\"\nmass = 1\ninertia = {{ xx = 1, yy = 1, zz = 1 }}\n\
             joint = {{ name = \"{name}\", type = \"revolute\", axis = \"{axis}\" }}\n"
        );
        parent = format!("b{name}");
    }
    text += "[[cut]]\nname = \"weld\"\ntype = \"body\"\nbetween = [\"bc\", \"ground.P\"]\n";
    let case = Case::of("weld", &text);
    let rows = Ready::of(&case, "constraints", Outward);
    let target = rotule_model::pose::rodrigues(
        {
            let v: Components = [3.0, 1.0, -2.0];
            rotule_model::pose::scale(v, 1.0 / norm(v))
        },
        2.2,
    );
    // Angles of the solution: R = Rz Ry Rx.
    let exact = [
        target[1][0].atan2(target[0][0]),
        (-target[2][0]).asin(),
        target[2][1].atan2(target[2][2]),
    ];
    // The error is measured by itself: the entries of R1 R2' beside the diagonal.
    let run = |mixed: bool| {
        let mut q: Vec<f64> = exact.iter().zip([0.3, -0.3, 0.3]).map(|(q, by)| q + by).collect();
        for step in 0..=40 {
            let state = State { time: 0.0, q: q.clone(), qd: vec![0.0; 3], ..State::default() };
            let found = rows.at(&state);
            let jacobian = found.matrix("J");
            // Places agree in any case, so their rows are dropped or empty: the last three are
            // turns.
            let first = jacobian.rows - 3;
            let mut square = Matrix::zero(3, 3);
            for i in 0..3 {
                (0..3).for_each(|j| *square.at(i, j) = jacobian.get(first + i, j));
            }
            let h: Vec<f64> = found.list("h")[first..].to_vec();
            if h.iter().all(|x| x.abs() < 1e-12) {
                return Some(step);
            }
            let right = if mixed {
                // R2' R1 instead of R1 R2'.
                let id = case.mechanism().body("bc").expect("the last body");
                let own = poses(case.mechanism(), &q)[id.index()].rotation;
                let entry = |i: usize, j: usize| (0..3).map(|k| target[k][i] * own[k][j]).sum();
                let entries: [f64; 3] = [entry(2, 1), entry(0, 2), entry(1, 0)];
                entries.to_vec()
            } else {
                h
            };
            let step = eliminated(&square, &right).x;
            q.iter_mut().zip(step).for_each(|(q, step)| *q -= step);
        }
        None
    };
    let same = run(false).expect("the same axes converge");
    assert!(same <= 6, "{same} steps");
    assert_eq!(run(true), None, "mixed axes do not converge");
}

/// The entries of an output that are not structurally zero.
fn pattern(case: &Case, function: &str, output: &str, by: Formalism) -> Vec<(u32, u32)> {
    let parsed = ModelFunction::parse(function, &case.tree).expect("a known function");
    let made = generate(&case.tree, &parsed, Some(by)).unwrap_or_else(|why| panic!("{why}"));
    let found = made.program.outputs().iter().find(|one| one.name == output).expect("an output");
    let mut entries: Vec<(u32, u32)> =
        found.entries.iter().map(|entry| (entry.row, entry.column)).collect();
    entries.sort_unstable();
    entries
}

/// Five pendulums; a relation of the user's ties the second to the fourth. All else stays apart,
/// structurally.
#[test]
fn at_06_undeclared_columns_are_zero_everywhere() {
    let mut text = String::from("[model]\nname = \"pendulums\"\n");
    for number in 1..=5 {
        text += &format!(
            "[[body]]\nname = \"b{number}\"\nparent = \"ground\"\nposition = [{number}, 0, 0]\nmass = 1.{number}\n\
             com = [0, 0.1, -0.3]\ninertia = {{ xx = 0.1, yy = 0.2, zz = 0.1 }}\n\
             joint = {{ name = \"q{number}\", type = \"revolute\", axis = \"x\" }}\n"
        );
    }
    text += "[[constraint]]\nname = \"tie\"\nposition = \"q2^3 + sin(q4) + q2 - 0.2\"\n";
    text += "[initial.q]\nq2 = 0.1\nq4 = 0.1\n";
    let case = Case::of("pendulums", &text);
    assert_eq!(pattern(&case, "constraints", "J", Outward), [(0, 1), (0, 3)]);
    // The dependent one follows the other, and nothing else.
    let map = pattern(&case, "reduction", "S", Outward);
    let dependent = if map.contains(&(3, 1)) { 3 } else { 1 };
    let other = 4 - dependent;
    let mut expected: Vec<(u32, u32)> =
        (0..5).filter(|&at| at != dependent).map(|at| (at, at)).collect();
    expected.push((dependent, other));
    expected.sort_unstable();
    assert_eq!(map, expected);
    // Accelerations depend on efforts and coordinates of their own, of the tied pair on those of
    // the pair.
    for by in [NewtonEuler, Barycentric] {
        let tied = |at: u32| at == 1 || at == 3;
        for (row, column) in pattern(&case, "derivative(forward, effort)", "qdd_by_effort", by)
            .into_iter()
            .chain(pattern(&case, "derivative(forward, q)", "qdd_by_q", by))
            .chain(pattern(&case, "derivative(forward, qd)", "qdd_by_qd", by))
        {
            let fits = row == column || (tied(row) && tied(column));
            assert!(fits, "{row} depends on {column}");
        }
    }
}
