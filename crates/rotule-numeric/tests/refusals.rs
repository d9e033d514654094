//! Impossible requests are refused with the elements, the numbers and a remedy: loops that do not
//! close, mechanisms that are driven too much, requested partitions that cannot be, motions against
//! constraints, and redundant rows where the user does not want them. The mechanisms are four-bars,
//! so that what is right is known by hand.

use rotule_formalism::{Formalism, Problem};
use rotule_model::index::SpeedSet;
use rotule_numeric::assembly::assemble;
use rotule_numeric::independent::ask_independent;
use rotule_numeric::redundancy::analyse;
use rotule_testing::formalism::case::{Case, State};

/// A planar four-bar; bars of given lengths, `joints` are what the joints of crank, coupler and
/// rocker say besides.
fn bars(lengths: [f64; 4], joints: [&str; 3], end: &str) -> String {
    let [crank, coupler, rocker, ground] = lengths;
    let body = |name: &str, parent: &str, joint: &str, length: f64, more: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\nmass = 1\ncom = [{}, 0, 0]\n\
             inertia = {{ xx = 0.01, yy = 0.01, zz = 0.01 }}\npoints.E = [{length}, 0, 0]\n\
             joint = {{ name = \"{joint}\", type = \"revolute\", axis = \"z\"{more} }}\n",
            length / 2.0
        )
    };
    format!(
        "[model]\nname = \"bars\"\ngravity = [0, -9.81, 0]\n{}[ground]\npoints.D = [{ground}, 0, 0]\n{}{}{}\
         [[cut]]\nname = \"pin\"\ntype = \"revolute\"\naxis = \"z\"\nbetween = [\"coupler.E\", \"rocker.E\"]\n{}",
        if end.starts_with("redundant") {
            end.lines().next().unwrap_or("").to_owned() + "\n"
        } else {
            String::new()
        },
        body("crank", "ground", "q1", crank, joints[0]),
        body("coupler", "crank.E", "q2", coupler, joints[1]),
        body("rocker", "ground.D", "q3", rocker, joints[2]),
        end.strip_prefix("redundant")
            .map_or(end, |rest| rest.split_once('\n').map_or("", |two| two.1)),
    )
}

const BARS: [f64; 4] = [0.12, 0.3, 0.25, 0.32];
const NONE: [&str; 3] = [""; 3];
const START: &str =
    "[initial.q]\nq1 = 1.0471975511965976\nq2 = -0.538665611436448\nq3 = 1.56264394786253\n";
const DEPENDENT: &str = ", partition = \"dependent\"";
const INDEPENDENT: &str = ", partition = \"independent\"";

fn case(joints: [&str; 3], end: &str) -> Case {
    Case::of("bars", &bars(BARS, joints, end))
}

/// The refusal of several functions, that of the last one: every refusal of an analysis must reach
/// all functions that need it.
fn refused(case: &mut Case) -> Problem {
    let n = case.speeds();
    let state = State {
        time: 0.0,
        q: vec![0.1; n],
        qd: vec![0.0; n],
        qdd: vec![0.0; n],
        effort: vec![0.0; n],
    };
    let mut found = None;
    for (function, formalism) in [
        ("closure", Formalism::Outward),
        ("forward", Formalism::NewtonEuler),
        ("multipliers", Formalism::Barycentric),
        ("closed_inverse", Formalism::NewtonEuler),
        ("reduction", Formalism::Outward),
    ] {
        let problem = case.outputs(function, formalism, &state).expect_err(function);
        assert!(problem.message.starts_with(&format!("`{function}`: ")), "{problem}");
        assert!(!problem.help.is_empty(), "{problem}");
        found = Some(problem);
    }
    found.expect("several functions")
}

fn says(case: &mut Case, words: &[&str]) {
    let problem = refused(case).to_string();
    for word in words {
        assert!(problem.contains(word), "`{word}` is not in: {problem}");
    }
}

#[test]
fn a_loop_that_cannot_close_is_refused_with_its_cut_and_its_gap() {
    // Links of 0.1 m reach from both sides over 0.3 m of 1 m.
    let case = &mut Case::of("short", &bars([0.1, 0.1, 0.1, 1.0], NONE, ""));
    let words = [
        "the loops cannot be closed",
        "loop closure `pin` by 0.7 m",
        "largest residual",
        "check lengths",
    ];
    says(case, &words);
    let problem = assemble(&case.tree, &SpeedSet::new()).expect_err("too short").to_string();
    words.iter().for_each(|word| assert!(problem.contains(word), "{problem}"));
    // A drive may ask for what the rest cannot follow.
    let drive = "[[motion]]\njoint = \"q1\"\nq = \"pi + t\"\n";
    let case = &mut Case::of("away", &bars([0.3, 0.2, 0.25, 0.32], NONE, drive));
    says(
        case,
        &["the loops cannot be closed", "loop closure `pin`", "driven, locked or kept joints"],
    );
}

#[test]
fn a_mechanism_whose_motions_leave_no_freedom_is_refused() {
    let drives = "[[motion]]\njoint = \"q1\"\nq = \"1.0471975511965976 + 6*t\"\n\
                  [[motion]]\njoint = \"q3\"\nq = \"1.56264394786253 + t\"\n";
    let case = &mut case(NONE, &format!("{drives}{START}"));
    says(case, &["over-constrained", "the motions of `q1`, `q3`", "`pin x`", "drive fewer joints"]);
}

#[test]
fn motions_against_a_coupling_are_refused() {
    let coupling = "[[coupling]]\nname = \"gear\"\nequation = \"q3 = 2*q1\"\n";
    let drives = |first: &str, second: &str| {
        format!(
            "[[motion]]\njoint = \"q1\"\nq = \"{first}\"\n[[motion]]\njoint = \"q3\"\nq = \"{second}\"\n{coupling}"
        )
    };
    let gears = |end: &str| {
        let body = |name: &str, joint: &str| {
            format!(
                "[[body]]\nname = \"{name}\"\nparent = \"ground\"\nmass = 1\ninertia = {{ xx = 1, yy = 1, zz = 1 }}\n\
                 joint = {{ name = \"{joint}\", type = \"revolute\", axis = \"z\" }}\n"
            )
        };
        let text =
            format!("[model]\nname = \"gears\"\n{}{}{end}", body("a", "q1"), body("b", "q3"));
        Case::of("gears", &text)
    };
    // At time zero.
    says(
        &mut gears(&drives("1 + t", "1 + 2*t")),
        &["constraint `gear` is not satisfied", "no free coordinate changes it", "unlock a joint"],
    );
    // Only later: places agree at time zero, speeds do not.
    says(
        &mut gears(&drives("1 + t", "2 + t")),
        &["over-constrained", "the motions of `q1`, `q3`", "`gear`", "drive fewer joints"],
    );
    // One drive moves both.
    let one = format!("[[motion]]\njoint = \"q1\"\nq = \"1 + t\"\n{coupling}");
    let analysis = analyse(&gears(&one).tree).expect("closes");
    assert!(analysis.fault().is_none() && analysis.mobility() == 0);
}

#[test]
fn a_partition_that_is_asked_for_is_followed_or_refused() {
    // Any one coordinate can be independent here, and it is.
    for independent in 0..3 {
        let mut joints = [DEPENDENT; 3];
        joints[independent] = INDEPENDENT;
        let found = analyse(&case(joints, START).tree).expect("closes").partition.expect("sound");
        assert_eq!(found.independent, [independent]);
        // By names likewise.
        let mut case = case(NONE, START);
        let name = format!("q{}", independent + 1);
        ask_independent(&mut case.tree.mechanism, &[&name]).expect("a joint");
        let found = analyse(&case.tree).expect("closes").partition.expect("sound");
        assert_eq!(found.independent, [independent]);
    }
    // A single request is completed.
    for dependent in 0..3 {
        let mut joints = NONE;
        joints[dependent] = DEPENDENT;
        let found = analyse(&case(joints, START).tree).expect("closes").partition.expect("sound");
        assert!(found.dependent().any(|column| column == dependent));
    }
}

#[test]
fn a_partition_with_too_many_or_too_few_coordinates_is_refused() {
    says(
        &mut case([DEPENDENT; 3], START),
        &[
            "3 coordinates are requested as dependent, `q1`, `q2`, `q3`",
            "2 constraints only",
            "`pin x`",
            "make 1",
        ],
    );
    says(
        &mut case([INDEPENDENT, INDEPENDENT, ""], START),
        &[
            "need 2 dependent coordinates",
            "1 is left, `q3`",
            "`q1`, `q2` are requested as independent",
            "make 1",
        ],
    );
    let requested = |names: &[&str]| {
        let mut case = case(NONE, START);
        ask_independent(&mut case.tree.mechanism, names).expect("joints");
        case
    };
    says(&mut requested(&[]), &["3 coordinates are requested as dependent"]);
    says(
        &mut requested(&["q1", "q3"]),
        &["1 is left, `q2`", "`q1`, `q3` are requested as independent"],
    );
}

#[test]
fn a_partition_of_unknown_or_known_coordinates_is_refused() {
    let mut plain = case(NONE, START);
    let problem = ask_independent(&mut plain.tree.mechanism, &["q11"]).expect_err("unknown");
    assert!(problem.message.contains("there is no joint or coordinate `q11`"), "{problem}");
    assert_eq!(problem.help, "did you mean `q1`?");
    let drive = format!("[[motion]]\njoint = \"q1\"\nq = \"1.0471975511965976 + 6*t\"\n{START}");
    let mut driven = case(NONE, &drive);
    let problem = ask_independent(&mut driven.tree.mechanism, &["q1"]).expect_err("driven");
    assert!(problem.message.contains("`q1` cannot be independent: it is driven"), "{problem}");
    says(
        &mut case([DEPENDENT, "", ""], &drive),
        &["`q1` cannot be dependent: it is driven", "free joints"],
    );
    let locked = ", role = \"locked\", partition = \"dependent\"";
    let pendulum = "[[body]]\nname = \"bob\"\nparent = \"ground\"\nmass = 1\ninertia = { xx = 1, yy = 1, zz = 1 }\n\
                    joint = { name = \"s\", type = \"revolute\", axis = \"x\", partition = \"dependent\" }\n";
    says(
        &mut case(NONE, &format!("{pendulum}{START}")),
        &["`s` cannot be dependent: it occurs in no constraint", "outside of all loops"],
    );
    says(&mut case([locked, "", ""], START), &["`q1` cannot be dependent: it is locked"]);
}

#[test]
fn a_partition_that_is_singular_whatever_the_numbers_is_refused() {
    let gear = "[[body]]\nname = \"wheel\"\nparent = \"ground\"\nmass = 1\ninertia = { xx = 1, yy = 1, zz = 1 }\n\
                joint = { name = \"w\", type = \"revolute\", axis = \"z\" }\n\
                [[coupling]]\nname = \"gear\"\nequation = \"w = 3*q1\"\n";
    let mut case = case(NONE, &format!("{gear}{START}"));
    ask_independent(&mut case.tree.mechanism, &["q2"]).expect("joints");
    assert!(analyse(&case.tree).expect("closes").fault().is_none());
    // The row of the gear has `q1` and `w` only, and both are requested to be independent.
    ask_independent(&mut case.tree.mechanism, &["q1", "w"]).expect("joints");
    says(
        &mut case,
        &[
            "constraint `gear` needs 1 dependent coordinate, but none is left",
            "`q1`, `w` are requested as independent",
        ],
    );
}

#[test]
fn a_partition_that_is_singular_in_the_initial_position_is_refused() {
    // Crank and coupler are in line: the rocker stands still whatever the crank does, and cannot
    // lead.
    let (crank, coupler, rocker, ground) = (0.12_f64, 0.3_f64, 0.25_f64, 0.32_f64);
    let reach = crank + coupler;
    let first =
        ((reach * reach + ground * ground - rocker * rocker) / (2.0 * reach * ground)).acos();
    let third = (reach * first.sin()).atan2(reach * first.cos() - ground);
    let start = format!("[initial.q]\nq1 = {first}\nq2 = 0\nq3 = {third}\n");
    says(
        &mut case([DEPENDENT, DEPENDENT, INDEPENDENT], &start),
        &[
            "the requested coordinate partition is singular in the initial position",
            "`pin x`",
            "cannot be solved for `q1`, `q2`",
            "give another initial position",
        ],
    );
    // The crank can lead, and without a request something sound is chosen.
    for joints in [[INDEPENDENT, "", ""], NONE] {
        let analysis = analyse(&case(joints, &start).tree).expect("closes");
        assert!(analysis.fault().is_none(), "{:?}", analysis.fault());
        assert!(analysis.partition.expect("sound").quality > 0.01);
    }
}

#[test]
fn redundant_rows_are_set_aside_or_refused() {
    let again = "[[cut]]\nname = \"again\"\ntype = \"revolute\"\naxis = \"z\"\n\
                 between = [\"coupler.E\", \"rocker.E\"]\n";
    for word in ["", "redundant = \"set_aside\"\n"] {
        let analysis = analyse(&case(NONE, &format!("{word}{again}{START}")).tree).expect("closes");
        assert_eq!(analysis.repeats.len(), 2);
        assert!(analysis.fault().is_none());
    }
    says(
        &mut case(NONE, &format!("redundant = \"refuse\"\n{again}{START}")),
        &[
            "the model refuses redundant constraints",
            "`again x` repeats `pin x`, and 1 more",
            "redundant = \"set_aside\"",
        ],
    );
    let sound = case(NONE, &format!("redundant = \"refuse\"\n{START}"));
    assert!(analyse(&sound.tree).expect("closes").fault().is_none());
}
