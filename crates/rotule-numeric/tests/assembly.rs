//! Assembly and redundancy: loops close from rough guesses, and what cannot close, repeats or is
//! singular is named.
//!
//! Residuals come from the function `constraints`; lengths, angles and mobilities of the small
//! mechanisms here are known by hand.

use rotule_formalism::Formalism;
use rotule_model::index::SpeedSet;
use rotule_numeric::assembly::{Assembled, assemble, assemble_from, named};
use rotule_numeric::redundancy::analyse;
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::random::Random;
use rotule_testing::formalism::{CLOSED, chains};

/// Loops of all kinds, and the largest of the gallery.
fn models() -> impl Iterator<Item = &'static str> {
    CLOSED.into_iter().chain(["multilink_car"])
}

fn numbers(case: &mut Case, q: &[f64], qd: &[f64], at: usize) -> Vec<f64> {
    let n = case.speeds();
    let state = State {
        time: 0.0,
        q: q.to_vec(),
        qd: qd.to_vec(),
        qdd: vec![0.0; n],
        effort: vec![0.0; n],
    };
    let outputs = case.outputs("constraints", Formalism::Outward, &state);
    outputs.unwrap_or_else(|problem| panic!("{}: {problem}", case.label))[at].matrix.values.clone()
}

/// Holds positions and speeds against the rows.
fn is_closed(case: &mut Case, found: &Assembled) {
    let label = case.label.clone();
    let (h, j, e) = (
        numbers(case, &found.q, &found.qd, 0),
        numbers(case, &found.q, &found.qd, 1),
        numbers(case, &found.q, &found.qd, 2),
    );
    let n = case.speeds();
    for (row, h) in h.iter().enumerate() {
        assert!(h.abs() < 1e-12, "{label}: row {row}: {h:e}");
        let line = &j[row * n..(row + 1) * n];
        let velocity = line.iter().zip(&found.qd).map(|(a, b)| a * b).sum::<f64>() + e[row];
        let size = found.qd.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        assert!(velocity.abs() < 1e-11 * size, "{label}: velocity {row}: {velocity:e}");
    }
}

#[test]
fn every_closed_example_assembles_from_a_guess_that_is_wrong_by_a_third() {
    for name in models() {
        let case = &mut Case::example(&format!("{name}.toml"));
        let keep = SpeedSet::new();
        let exact =
            assemble(&case.tree, &keep).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        is_closed(case, &exact);
        for seed in 1..4 {
            let random = &mut Random::new(seed);
            let step: Vec<f64> = (0..case.speeds()).map(|_| random.between(-0.3, 0.3)).collect();
            let state = State { q: exact.q.clone(), qd: exact.qd.clone(), ..State::default() };
            let rough = case.moved(&state, &step);
            let found = assemble_from(&case.tree, &rough.q, &rough.qd, &keep);
            let found = found.unwrap_or_else(|problem| panic!("{name} {seed}: {problem}"));
            is_closed(case, &found);
        }
    }
}

#[test]
fn what_is_kept_stays_and_the_rest_follows() {
    let case = &mut Case::example("four_bar_joint.toml");
    let keep = named(&case.tree, &["q1"]).expect("a joint");
    let q = [std::f64::consts::FRAC_PI_3 + 0.2, 0.0, 1.2];
    let found = assemble_from(&case.tree, &q, &[2.0, 0.0, 0.0], &keep).expect("closes");
    assert_eq!((found.q[0], found.qd[0]), (q[0], 2.0));
    is_closed(case, &found);
    let problem = named(&case.tree, &["q9"]).expect_err("not there");
    assert!(problem.message.contains("`q9`"), "{problem}");
}

/// Three turns and three slides that a body cut holds to the ground.
fn held(initial: &str) -> String {
    let mut text = String::from("[model]\nname = \"held\"\n");
    let joints = [
        ("x", "prismatic", "x"),
        ("y", "prismatic", "y"),
        ("z", "prismatic", "z"),
        ("a", "revolute", "z"),
        ("b", "revolute", "y"),
        ("c", "revolute", "x"),
    ];
    let mut parent = "ground".to_owned();
    for (name, kind, axis) in joints {
        text += &format!(
            "[[body]]\nname = \"b{name}\"\nparent = \"{parent}\"\nmass = 1\n\
             inertia = {{ xx = 1, yy = 1, zz = 1 }}\n\
             joint = {{ name = \"{name}\", type = \"{kind}\", axis = \"{axis}\" }}\n"
        );
        parent = format!("b{name}");
    }
    text += "[[cut]]\nname = \"weld\"\ntype = \"body\"\nbetween = [\"bc\", \"ground\"]\n";
    text + &format!("[initial.q]\n{initial}\n")
}

#[test]
fn at_02_a_body_cut_closes_from_a_third_of_a_radian_in_six_steps() {
    let case = &mut Case::of("held", &held("a = 0.3\nb = -0.3\nc = 0.3\nx = 0.1"));
    let found = assemble(&case.tree, &SpeedSet::new()).expect("closes");
    assert!(found.steps <= 6 && found.starts == 0, "{} steps", found.steps);
    found.q.iter().for_each(|q| assert!(q.abs() < 1e-12, "{:?}", found.q));
}

#[test]
fn at_02_the_half_turn_that_rows_cannot_see_is_left_or_told() {
    // All rows vanish at half a turn, which is no solution.
    let case = &mut Case::of("held", &held("a = \"pi\""));
    assert!(
        numbers(case, &[0.0, 0.0, 0.0, std::f64::consts::PI, 0.0, 0.0], &[0.0; 6], 0)
            .iter()
            .all(|h| h.abs() < 1e-15)
    );
    let found = assemble(&case.tree, &SpeedSet::new()).expect("closes elsewhere");
    assert!(found.starts > 0);
    is_closed(case, &found);
    // The trace of the rotation is three where there is none.
    let [(sa, ca), (sb, cb), (sc, cc)] = [3, 4, 5].map(|at| found.q[at].sin_cos());
    let trace = ca * cb + (ca * cc + sa * sb * sc) + cb * cc;
    assert!((trace - 3.0).abs() < 1e-12, "{:?}", found.q);
    // Here the place can be met only at half a turn.
    let arm = "[model]\nname = \"arm\"\n[ground]\npoints.P = [-1, 0, 0]\n\
               [[body]]\nname = \"arm\"\nparent = \"ground\"\nmass = 1\ninertia = { zz = 1, xx = 1, yy = 1 }\n\
               joint = { name = \"q\", type = \"revolute\", axis = \"z\" }\npoints.E = [1, 0, 0]\n\
               [[cut]]\nname = \"weld\"\ntype = \"body\"\nbetween = [\"arm.E\", \"ground.P\"]\n\
               [initial.q]\nq = \"pi\"\n";
    let case = Case::of("arm", arm);
    let problem = assemble(&case.tree, &SpeedSet::new()).expect_err("no solution");
    assert!(problem.message.contains("half a turn apart"), "{problem}");
    assert!(problem.message.contains("`weld` by 3.14 rad"), "{problem}");
}

/// A four-bar whose axes and bars are along `a` and `u`; `w` is across both. `end` goes behind.
fn four_bar(a: [&str; 3], u: [f64; 3], w: [f64; 3], lengths: [f64; 4], end: &str) -> String {
    let along = |length: f64| {
        let [x, y, z] = u.map(|u| length * u);
        format!("[{x:?}, {y:?}, {z:?}]")
    };
    let down = w.map(|w| -9.81 * w);
    let axis = format!("[{}]", a.join(", "));
    let [crank, coupler, rocker, ground] = lengths;
    let body = |name: &str, parent: &str, joint: &str, length: f64, mass: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\nmass = {mass}\ncom = {}\n\
             inertia = {{ xx = 0.01, yy = 0.01, zz = 0.01 }}\n\
             joint = {{ name = \"{joint}\", type = \"revolute\", axis = {axis} }}\npoints.E = {}\n",
            along(length / 2.0),
            along(length)
        )
    };
    format!(
        "[model]\nname = \"bars\"\ngravity = [{:?}, {:?}, {:?}]\n[ground]\npoints.D = {}\n{}{}{}\
         [[cut]]\nname = \"pin\"\ntype = \"revolute\"\naxis = {axis}\nbetween = [\"coupler.E\", \"rocker.E\"]\n{end}",
        down[0],
        down[1],
        down[2],
        along(ground),
        body("crank", "ground", "q1", crank, 0.8),
        body("coupler", "crank.E", "q2", coupler, 0.6),
        body("rocker", "ground.D", "q3", rocker, 1.1),
    )
}

const START: &str = "[initial.q]\nq1 = 1.0471975511965976\nq2 = -0.538665611436448\nq3 = 1.56264394786253\n\
                     [initial.qd]\nq1 = 6\n";
const BARS: [f64; 4] = [0.12, 0.3, 0.25, 0.32];

fn flat(lengths: [f64; 4], end: &str) -> Case {
    let text = four_bar(["0", "0", "1"], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], lengths, end);
    Case::of("flat", &text)
}

/// In space no row vanishes by itself: three of the five repeat others, and it moves like the one
/// in the plane.
#[test]
fn a_spatial_four_bar_has_three_rows_too_many_and_moves() {
    let third = |v: [f64; 3]| v.map(|x| x / 3.0);
    let (u, w) = (third([2.0, 1.0, -2.0]), third([-2.0, 2.0, -1.0]));
    let text = four_bar(["1", "2", "2"], u, w, BARS, START);
    let (space, plane) = (&mut Case::of("space", &text), &mut flat(BARS, START));
    let analysis = analyse(&space.tree).expect("closes");
    assert_eq!(analysis.repeats.len() + analysis.dropped.len(), 3, "{:?}", analysis.dropped);
    assert!(!analysis.repeats.is_empty());
    assert_eq!((analysis.mobility(), analysis.rank), (1, 2));
    assert!(analysis.singular.is_empty() && analysis.fault().is_none());
    for repeat in &analysis.repeats {
        let sentence = analysis.sentence(repeat);
        assert!(sentence.starts_with("`pin "), "{sentence}");
    }
    let found = assemble(&space.tree, &SpeedSet::new()).expect("closes");
    is_closed(space, &found);
    let state = State {
        time: 0.0,
        q: found.q.clone(),
        qd: found.qd.clone(),
        qdd: vec![0.0; 3],
        effort: vec![0.3, 0.0, -0.1],
    };
    let accelerations = [&mut *space, &mut *plane].map(|case| {
        let out = case.outputs("forward", Formalism::NewtonEuler, &state);
        out.unwrap_or_else(|problem| panic!("{problem}"))[0].matrix.values.clone()
    });
    let size = accelerations[1].iter().fold(1.0_f64, |most, x| most.max(x.abs()));
    for (a, b) in accelerations[0].iter().zip(&accelerations[1]) {
        assert!((a - b).abs() < 1e-10 * size, "{accelerations:?}");
    }
}

#[test]
fn at_15_redundant_singular_and_structural_are_told_apart() {
    // A parallelogram that lies flat: rows meet in this position alone.
    let sides = [0.2, 0.5, 0.2, 0.5];
    let analysis = analyse(&flat(sides, "").tree).expect("closed");
    assert_eq!((analysis.repeats.len(), analysis.singular.len(), analysis.mobility()), (0, 1, 1));
    let fault = analysis.fault().expect("a fault");
    assert!(fault.message.contains("the initial position is singular: `pin "), "{fault}");
    // Upright it is sound.
    let upright = "[initial.q]\nq1 = 1\nq2 = -1\nq3 = 1\n";
    let analysis = analyse(&flat(sides, upright).tree).expect("closed");
    assert!(analysis.singular.is_empty() && analysis.fault().is_none());
    // A second pin repeats the first.
    let twice = "[[cut]]\nname = \"again\"\ntype = \"revolute\"\naxis = \"z\"\n\
                 between = [\"coupler.E\", \"rocker.E\"]\n";
    let analysis = analyse(&flat(BARS, &format!("{twice}{START}")).tree).expect("closed");
    let said: Vec<String> =
        analysis.repeats.iter().map(|repeat| analysis.sentence(repeat)).collect();
    assert_eq!(said, ["`again x` repeats `pin x`", "`again y` repeats `pin y`"]);
    assert_eq!(analysis.mobility(), 1);
    // Where all that a row has is requested to stay, no column is left, whatever the numbers.
    let pendulum = "[model]\nname = \"tied\"\n[ground]\npoints.P = [1, 1, 0]\n[[body]]\nname = \"bob\"\n\
                    parent = \"ground\"\nmass = 1\ninertia = { xx = 1, yy = 1, zz = 1 }\n\
                    joint = { name = \"s\", type = \"spherical\" }\npoints.E = [1, 0, 0]\n\
                    [[cut]]\nname = \"tie\"\ntype = \"rod\"\nlength = 1\nbetween = [\"bob.E\", \"ground.P\"]\n";
    let analysis = analyse(&Case::of("tied", pendulum).tree).expect("closed");
    assert_eq!((analysis.repeats.len(), analysis.singular.len(), analysis.mobility()), (0, 0, 2));
    assert!(analysis.fault().is_none(), "the quaternion follows");
    let requested = pendulum.replace("\"spherical\"", "\"spherical\", partition = \"independent\"");
    let analysis = analyse(&Case::of("tied", &requested).tree).expect("closed");
    assert_eq!((analysis.repeats.len(), analysis.singular.len(), analysis.mobility()), (0, 0, 2));
    let fault = analysis.fault().expect("a fault");
    assert!(
        fault
            .message
            .contains("constraint `tie length` needs 1 dependent coordinate, but none is left"),
        "{fault}"
    );
}

#[test]
fn constraints_inconsistent_with_motions_are_refused() {
    let still = "[[constraint]]\nname = \"still\"\nposition = \"q1 - pi/3\"\n";
    let moving = "[[motion]]\njoint = \"q1\"\nq = \"pi/3 + 6*t\"\n";
    let problem =
        analyse(&flat(BARS, &format!("{moving}{still}{START}")).tree).expect_err("refused");
    assert!(problem.message.contains("over-constrained"), "{problem}");
    assert!(problem.message.contains("`still`"), "{problem}");
    let away = "[[motion]]\njoint = \"q1\"\nq = \"1 + 6*t\"\n";
    let problem = analyse(&flat(BARS, &format!("{away}{still}{START}")).tree).expect_err("refused");
    assert!(
        problem.message.contains("constraint `still` is not satisfied, and no free coordinate"),
        "{problem}"
    );
}

#[test]
fn a_loop_that_cannot_close_is_refused_with_its_gap() {
    let case = &mut flat([0.1, 0.1, 0.1, 1.0], "");
    let problem = assemble(&case.tree, &SpeedSet::new()).expect_err("too short");
    assert!(problem.message.contains("loop closure `pin` by 0.7 m"), "{problem}");
    let state = State {
        time: 0.0,
        q: vec![0.0; 3],
        qd: vec![0.0; 3],
        qdd: vec![0.0; 3],
        effort: vec![0.0; 3],
    };
    let problem = case.outputs("closure", Formalism::Outward, &state).expect_err("refused");
    assert!(problem.message.starts_with("`closure`: the loops cannot be closed"), "{problem}");
}

#[test]
fn constraints_that_contradict_each_other_are_named() {
    let rods = |second: f64| {
        format!(
            "[[cut]]\nname = \"one\"\ntype = \"rod\"\nlength = 0.3\nbetween = [\"crank.E\", \"ground.D\"]\n\
             [[cut]]\nname = \"two\"\ntype = \"rod\"\nlength = {second}\nbetween = [\"crank.E\", \"ground.D\"]\n{START}"
        )
    };
    let problem = analyse(&flat(BARS, &rods(0.31)).tree).expect_err("refused");
    assert!(
        problem.message.contains("`one length`, `two length` contradict each other"),
        "{problem}"
    );
    let analysis = analyse(&flat(BARS, &rods(0.3)).tree).expect("closes");
    assert_eq!(analysis.sentence(&analysis.repeats[0]), "`two length` repeats `one length`");
}

#[test]
fn a_mechanism_with_too_many_drives_is_refused() {
    let drives = "[[motion]]\njoint = \"q1\"\nq = \"1.0471975511965976 + 6*t\"\n\
                  [[motion]]\njoint = \"q3\"\nq = \"1.56264394786253 + t\"\n";
    let case = &mut flat(BARS, &format!("{drives}{START}"));
    let problem = analyse(&case.tree).expect_err("refused");
    assert!(problem.message.contains("over-constrained: the motions of `q1`, `q3`"), "{problem}");
    // One drive is right.
    let drive = "[[motion]]\njoint = \"q1\"\nq = \"1.0471975511965976 + 6*t\"\n";
    let analysis = analyse(&flat(BARS, &format!("{drive}{START}")).tree).expect("closes");
    assert_eq!(analysis.mobility(), 0);
    assert!(analysis.fault().is_none());
}

#[test]
fn quaternions_stay_units() {
    let text = chains("type = \"ball\"");
    let case = &mut Case::of("chains", &text);
    let found = assemble(&case.tree, &SpeedSet::new()).expect("closes");
    is_closed(case, &found);
    for first in [0, 5] {
        let squares: f64 = found.q[first..first + 4].iter().map(|x| x * x).sum();
        assert!((squares - 1.0).abs() < 1e-14, "{:?}", found.q);
    }
    let part = case.mechanism().coordinates[0].name.clone();
    let problem = named(&case.tree, &[&part]).expect_err("a part of a quaternion");
    assert!(problem.message.contains("it is a component of a quaternion"), "{problem}");
    assert_eq!(problem.help, "keep the joint `as`");
}
