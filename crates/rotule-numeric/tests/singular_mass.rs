//! Reduced mass matrices that are singular are refused by name in every function that solves with
//! them, and no others: rows of mechanisms whose answer is known by hand, and random ones against a
//! dense singular value decomposition.

use nalgebra::DMatrix;
use rotule_formalism::Formalism::{Barycentric, NewtonEuler, Outward};
use rotule_formalism::{Formalism, ModelFunction, Problem};
use rotule_model::index::SpeedId;
use rotule_numeric::generate;
use rotule_numeric::redundancy::analyse;
use rotule_numeric::singular_mass::singular_mass;
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::closed::{Family, Loops};
use rotule_testing::formalism::loops::Ready;
use rotule_testing::formalism::random::Random;

/// Every function that needs accelerations, with the formalisms that write it.
const SOLVING: [(&str, &[Formalism]); 8] = [
    ("forward", &[NewtonEuler, Barycentric]),
    ("motion", &[NewtonEuler, Barycentric]),
    ("multipliers", &[NewtonEuler, Barycentric]),
    ("augmented", &[NewtonEuler, Barycentric]),
    ("closure_reactions", &[NewtonEuler, Barycentric]),
    ("closed_reactions", &[NewtonEuler, Barycentric]),
    ("derivative(forward, q)", &[NewtonEuler]),
    ("derivative(forward, effort)", &[Barycentric]),
];

fn made(case: &Case, function: &str, formalism: Formalism) -> Result<(), Problem> {
    let function = ModelFunction::parse(function, &case.tree).expect("a function");
    generate(&case.tree, &function, Some(formalism)).map(drop)
}

/// A body of a model file: its name, its parent, its joint, and the lines that say what it weighs
/// and where points are.
fn body(name: &str, parent: &str, joint: &str, more: &str) -> String {
    format!("[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\njoint = {{ {joint} }}\n{more}\n")
}

const HEAVY: &str = "mass = 1\ncom = [0.1, 0, 0]\ninertia = { xx = 0.01, yy = 0.02, zz = 0.02 }\n";
const POINT: &str = "mass = 1\ncom = [0.1, 0, 0]\n";
const LIGHT: &str = "";

fn turn(name: &str) -> String {
    format!("name = \"{name}\", type = \"revolute\", axis = \"z\"")
}

/// A planar four-bar with a crank of 0.12 m, in which each bar is heavy, a point mass or massless.
fn four_bar(crank: &str, coupler: &str, rocker: &str, more: &str) -> String {
    let bars = [
        body("crank", "ground", &turn("q1"), &format!("{crank}points.E = [0.12, 0, 0]\n")),
        body("coupler", "crank.E", &turn("q2"), &format!("{coupler}points.E = [0.3, 0, 0]\n")),
        body("rocker", "ground.D", &turn("q3"), &format!("{rocker}points.E = [0.25, 0, 0]\n")),
    ];
    format!(
        "[model]\nname = \"bars\"\ngravity = [0, -9.81, 0]\n[ground]\npoints.D = [0.32, 0, 0]\n{}\
         [[cut]]\nname = \"pin\"\ntype = \"revolute\"\naxis = \"z\"\nbetween = [\"coupler.E\", \"rocker.E\"]\n\
         [initial.q]\nq1 = 1.05\nq2 = -0.54\nq3 = 1.56\n{more}",
        bars.concat()
    )
}

/// A coupler between two cranks with a ball at either end, which may rotate about the line between
/// them.
fn balls(coupler: &str) -> String {
    let ball = "name = \"ball\", type = \"spherical\"";
    let slide = "name = \"slide\", type = \"prismatic\", axis = \"x\"";
    format!(
        "[model]\nname = \"balls\"\n{}{}{}[[cut]]\nname = \"end\"\ntype = \"ball\"\nbetween = [\"rod.E\", \"piston\"]\n\
         [initial.q]\ncrank = 0.7\nslide = 0.5\n",
        body("arm", "ground", &turn("crank"), &format!("{HEAVY}points.E = [0.15, 0, 0.05]\n")),
        body("rod", "arm.E", ball, &format!("{coupler}points.E = [0.4, 0, 0]\n")),
        body("piston", "ground", slide, HEAVY),
    )
}

/// Two sliders side by side on one line, tied to a third; the middle ones have no mass.
fn sliders(masses: [&str; 4], coupling: &str) -> String {
    let slide = |name: &str| format!("name = \"{name}\", type = \"prismatic\", axis = \"x\"");
    format!(
        "[model]\nname = \"sliders\"\n{}{}{}{}[[coupling]]\nname = \"tie\"\nequation = \"{coupling}\"\n",
        body("a", "ground", &slide("x1"), masses[0]),
        body("b", "a", &slide("x2"), masses[1]),
        body("c", "ground", &slide("x3"), masses[2]),
        body("d", "c", &slide("x4"), masses[3]),
    )
}

/// The model is refused by all, and the message has all of these words.
fn refused(text: &str, words: &[&str]) {
    let case = Case::of("refused", text);
    for (function, formalisms) in SOLVING {
        for &formalism in formalisms {
            let problem = made(&case, function, formalism).expect_err(function).to_string();
            assert!(problem.contains("the reduced mass matrix is singular in `"), "{problem}");
            for word in words {
                assert!(problem.contains(word), "{function}: `{word}` is not in: {problem}");
            }
        }
    }
    // What solves nothing is written.
    for function in ["closure", "reduction"] {
        made(&case, function, Outward).expect(function);
    }
    made(&case, "closed_inverse", NewtonEuler).expect("inverse dynamics");
}

fn accepted(text: &str) {
    let case = Case::of("accepted", text);
    for (function, formalisms) in SOLVING {
        for &formalism in formalisms {
            made(&case, function, formalism).unwrap_or_else(|why| panic!("{text}\n{why}"));
        }
    }
    let analysis = analyse(&case.tree).expect("closes");
    assert!(singular_mass(&case.tree, &analysis).expect("closes").is_none(), "{text}");
}

#[test]
fn massless_mechanisms_are_refused_by_name() {
    let own = "mass or inertia";
    refused(&four_bar(LIGHT, LIGHT, LIGHT, ""), &["bodies `crank`, `coupler`, `rocker`", own]);
    refused(&balls(LIGHT), &["which moves body `rod`", "armature", "lock or drive it"]);
    // A mass on the line between the balls resists no rotation about it.
    refused(&balls(POINT), &["which moves body `rod`", own]);
    let rod = "mass = 1\ncom = [0.1, 0, 0]\ninertia = { yy = 0.02, zz = 0.02 }\n";
    refused(&balls(rod), &["which moves body `rod`", own]);
    // A line along no axis: pivots were rounding, and accelerations depended on the formalism.
    let skew = balls("mass = 1\ncom = [0.1, 0.04, 0.02]\n")
        .replace("points.E = [0.4, 0, 0]", "points.E = [0.4, 0.16, 0.08]");
    refused(&skew, &["move body `rod`", own]);
    let tied = "x1 = 2*x3";
    refused(
        &sliders([HEAVY, LIGHT, HEAVY, HEAVY], tied),
        &["singular in `x2`, which moves body `b`"],
    );
    refused(&sliders([LIGHT, HEAVY, LIGHT, HEAVY], tied), &["bodies `a`, `c`", own]);
    // A ratio that lets the masses stay where they are, while what carries them moves.
    refused(
        &sliders([LIGHT, HEAVY, LIGHT, HEAVY], "x1 + x2 = 2*(x3 + x4)"),
        &["bodies `a`", "`c`"],
    );
    // A drive elsewhere does not help, and its effort needs accelerations.
    let driven = balls(LIGHT) + "[[motion]]\njoint = \"crank\"\nq = \"0.7 + t\"\n";
    refused(&driven, &["which moves body `rod`"]);
    let problem = made(&Case::of("driven", &driven), "drives", NewtonEuler).expect_err("refused");
    assert!(
        problem.message.starts_with("`drives`: the reduced mass matrix is singular"),
        "{problem}"
    );
    // Two motions at once.
    refused(
        &sliders([HEAVY, LIGHT, HEAVY, LIGHT], tied),
        &["`x2`, `x4`", "which move bodies `b`, `d`"],
    );
}

#[test]
fn massless_bodies_that_others_move_are_accepted() {
    for [crank, coupler, rocker] in [
        [HEAVY, HEAVY, HEAVY],
        [HEAVY, LIGHT, LIGHT],
        [LIGHT, HEAVY, LIGHT],
        [LIGHT, LIGHT, HEAVY],
        [LIGHT, POINT, LIGHT],
        [LIGHT, LIGHT, POINT],
    ] {
        accepted(&four_bar(crank, coupler, rocker, ""));
    }
    let flywheel = four_bar(LIGHT, LIGHT, LIGHT, "").replacen(
        "axis = \"z\" }",
        "axis = \"z\", armature = 0.1 }",
        1,
    );
    accepted(&flywheel);
    // A drive moves it whatever it weighs.
    accepted(&four_bar(LIGHT, LIGHT, LIGHT, "[[motion]]\njoint = \"q1\"\nq = \"1.05 + t\"\n"));
    accepted(&balls(HEAVY));
    accepted(&balls("inertia = { xx = 0.001, yy = 0.001, zz = 0.001 }\n"));
    accepted(&sliders([HEAVY, HEAVY, LIGHT, HEAVY], "x1 = 2*x3"));
}

/// A ratio of masses and a unit of length change no verdict.
#[test]
fn units_do_not_matter() {
    for scale in [1e-9_f64, 1e-4, 1.0, 1e5] {
        let light = format!(
            "mass = {scale:?}\ncom = [0.1, 0, 0]\ninertia = {{ zz = {:?} }}\n",
            0.01 * scale
        );
        accepted(&four_bar(&light, LIGHT, LIGHT, ""));
        accepted(&four_bar(LIGHT, LIGHT, &light, ""));
        let ends = balls(&format!(
            "mass = {scale:?}\ncom = [0.1, 0, 0]\ninertia = {{ xx = {0:?}, yy = {0:?}, zz = {0:?} }}\n",
            0.01 * scale
        ));
        accepted(&ends);
        let point = format!("mass = {scale:?}\ncom = [0.1, 0, 0]\n");
        refused(&balls(&point), &["which moves body `rod`"]);
    }
}

/// A mass matrix that is singular at the start alone is reported, and not refused.
#[test]
fn a_singular_start_is_reported_and_not_refused() {
    // The point mass of the coupler does not move while its bar turns about it: at q1 = 0 only.
    let bar = "mass = 1\ncom = [0.12, 0, 0]\n";
    let slide = "name = \"s\", type = \"prismatic\", axis = \"y\"";
    let text = |q: f64| {
        format!(
            "[model]\nname = \"start\"\n{}{}[[constraint]]\nname = \"tie\"\nposition = \"s + 0.12*sin(q)\"\n\
             [initial.q]\ns = {:?}\nq = {q:?}\n",
            body("carriage", "ground", slide, LIGHT),
            body("bar", "carriage", &turn("q"), bar),
            -0.12 * q.sin(),
        )
    };
    let case = Case::of("start", &text(0.0));
    made(&case, "forward", NewtonEuler).expect("accelerations near the start");
    let analysis = analyse(&case.tree).expect("closes");
    let found = singular_mass(&case.tree, &analysis).expect("closes").expect("a singular start");
    assert!(!found.everywhere);
    let problem = found.problem().to_string();
    assert!(problem.contains("at the initial position, but not near it"), "{problem}");
    accepted(&text(0.4));
}

/// Smallest eigenvalue of `S' M S` beside its largest at a state, each speed measured by what it
/// would meet if all that it moves were met one by one.
fn least(mass: &[f64], reduction: &[f64], size: usize, free: &[bool]) -> Option<f64> {
    let mass = DMatrix::from_row_slice(size, size, mass);
    let all = DMatrix::from_row_slice(size, size, reduction);
    let own: Vec<usize> = (0..size).filter(|&at| free[at] && all[(at, at)] == 1.0).collect();
    if own.is_empty() {
        return None;
    }
    let s = all.select_columns(own.iter());
    let diagonal: Vec<f64> = (0..own.len())
        .map(|k| (0..size).map(|i| s[(i, k)] * s[(i, k)] * mass[(i, i)]).sum::<f64>())
        .collect();
    if diagonal.iter().any(|&alone| alone <= 0.0) {
        return Some(0.0);
    }
    let mut reduced = s.transpose() * mass * &s;
    for i in 0..own.len() {
        for j in 0..own.len() {
            reduced[(i, j)] /= (diagonal[i] * diagonal[j]).sqrt();
        }
    }
    let values = reduced.svd(false, false).singular_values;
    Some(values.min() / values.max().max(1.0))
}

/// A random mechanism with some bodies made massless or point masses.
fn lighter(seed: u64, random: &mut Random) -> String {
    let text = Loops::new(seed).text;
    let mut out = String::new();
    let mut fate = 0;
    let light = random.between(0.7, 1.3);
    for line in text.lines() {
        if line == "[[body]]" {
            fate = if random.chance(light) { 1 + random.below(4) / 3 } else { 0 };
        }
        let word = line.split(' ').next().unwrap_or("");
        let drop = match fate {
            0 => false,
            1 => ["mass", "com", "inertia"].contains(&word),
            _ => word == "inertia",
        };
        if !drop {
            out += line;
            out.push('\n');
        }
    }
    out
}

#[test]
fn verdicts_agree_with_dense_singular_values() {
    let (mut refused, mut regular) = (0, 0);
    for seed in 0..12 * Family::ALL.len() as u64 {
        let random = &mut Random::new(90_000 + seed);
        let text = lighter(seed, random);
        let case = Case::of(&format!("seed {seed}"), &text);
        let n = case.speeds();
        let free: Vec<bool> =
            (0..n).map(|at| case.tree.motion.is_free(case.mechanism(), SpeedId::new(at))).collect();
        let mass = Ready::of(&case, "mass", NewtonEuler);
        let reduction = Ready::of(&case, "reduction", Outward);
        let closure = Ready::of(&case, "closure", Outward);
        let initial: Vec<_> = case.mechanism().coordinates.iter().map(|one| one.initial).collect();
        let q = case.mechanism().evaluate(&initial);
        let zero = vec![0.0; n];
        let start =
            State { time: 0.0, q, qd: zero.clone(), qdd: zero.clone(), effort: zero.clone() };
        let mut most: Option<f64> = None;
        for look in 0..5 {
            let size = 0.01 * f64::from(look);
            let step: Vec<f64> = free
                .iter()
                .map(|&free| if free { size * random.between(-1.0, 1.0) } else { 0.0 })
                .collect();
            let near = case.moved(&start, &step);
            let found = closure.at(&near);
            if !found.converged {
                continue;
            }
            let near = State { q: found.list("q").to_vec(), ..near };
            let ratio = least(&mass.at(&near).values, &reduction.at(&near).values, n, &free);
            most = ratio.map(|ratio| most.map_or(ratio, |most: f64| most.max(ratio)));
        }
        let Some(ratio) = most else { continue };
        // Between these, the test itself could not tell.
        assert!(!(1e-13..=1e-9).contains(&ratio), "seed {seed}: {ratio:e}");
        for formalism in [NewtonEuler, Barycentric] {
            let found = made(&case, "forward", formalism);
            assert_eq!(found.is_err(), ratio < 1e-11, "seed {seed}: {ratio:e}: {found:?}\n{text}");
            if let Err(problem) = found {
                assert!(
                    problem.message.contains("the reduced mass matrix is singular in `"),
                    "{problem}"
                );
            }
        }
        *(if ratio < 1e-11 { &mut refused } else { &mut regular }) += 1;
    }
    println!("{refused} refused, {regular} regular");
    assert!(refused >= 40 && regular >= 40, "{refused} refused, {regular} regular");
}
