//! `rotule equilibrium` and `rotule modes` as a reader of the manual uses them: requests that
//! cannot be met, and numbers that no file may have.

mod common;

use common::{Folder, run};

/// A mass on a spring, the mass a parameter.
const HANGING: &str = r#"
[model]
name = "hanging"

[parameters]
m = 2
k = 100

[[body]]
name = "mass"
parent = "ground"
joint = { name = "z", type = "prismatic", axis = "z", effort = "-k*q" }
mass = "m"
"#;

/// Numbers that a file must not have, nobody else may give: the words are those of `rotule check`.
#[test]
fn numbers_that_a_file_must_not_have_are_refused_from_flags_and_states() {
    let folder = Folder::new("operating-points-set");
    let model = folder.file("hanging.toml", HANGING);
    let written = folder.file("written.toml", &HANGING.replace("m = 2", "m = -2"));
    let expected = "the mass of body `mass` is negative: -2";
    let answer = run(&["check", &written]);
    assert!(answer.err.contains(expected), "{}", answer.err);
    let state = folder.file("state.json", r#"{ "parameters": { "m": -2 } }"#);
    for command in ["equilibrium", "modes", "eval", "simulate", "linearize"] {
        let more: &[&str] = match command {
            "eval" => &["mass"],
            "simulate" => &["--to", "1"],
            _ => &[],
        };
        for flags in [["--set", "m=-2"], ["--state", &state]] {
            let words = [&[command, &model], more, &flags].concat();
            let answer = run(&words);
            assert_eq!(answer.code, Some(1), "{words:?}: {}", answer.out);
            assert!(answer.err.contains(expected), "{words:?}: {}", answer.err);
            assert!(answer.err.contains("give zero or more"), "{words:?}: {}", answer.err);
        }
    }
    let answer = run(&["equilibrium", &model, "--set", "m=3"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
}

/// A range whose limits are both moved is judged with both, in any order.
#[test]
fn numbers_that_belong_together_are_judged_together() {
    let folder = Folder::new("operating-points-range");
    let text = HANGING
        .replace("k = 100", "k = 100\nlow = -1\nhigh = 1")
        .replace("effort = \"-k*q\"", "effort = \"-k*q\", range = [\"low\", \"high\"]");
    let model = folder.file("hanging.toml", &text);
    let both = ["equilibrium", &model, "--set", "low=5", "--set", "high=6"];
    let answer = run(&both);
    assert!(!answer.err.contains("limit below"), "{}", answer.err);
    let answer = run(&["equilibrium", &model, "--set", "low=5"]);
    assert_eq!(answer.code, Some(1));
    assert!(answer.err.contains("has its upper limit below its lower one"), "{}", answer.err);
}

/// A body on three rotations that a rod and springs hold. Newton's method alone is drawn to gimbal
/// lock, where no coordinate moves the way the weight pulls.
const GIMBAL: &str = r#"
[model]
name = "gimbal"
gravity = [-5.1968793614882465, 6.034661249427383, 5.728124344564901]

[ground]
points.P = [-0.3499792095587899, -0.4793700427721994, -0.002483301709912511]

[[body]]
name = "bob"
parent = "ground"
joint = [{ name = "a0", type = "revolute", axis = "z" }, { name = "a1", type = "revolute", axis = "y" }, { name = "a2", type = "revolute", axis = "x" }]
mass = 0.761
com = [0.10672397608834004, 0.13007108355815802, -0.11603456896948848]
inertia = { xx = 0.007959261151946421, yy = 0.026103675124008668, zz = 0.027171140578350114 }
points.E = [0.17144795217668007, 0.24014216711631603, -0.27006913793897697]

[[cut]]
name = "c0"
type = "rod"
between = ["bob.E", "ground.P"]
length = 0.7840000000000001

[[force]]
name = "spring"
at = "bob"
force = ["-27.973*(x - (0.23))", "-27.973*(y - (0.35))", "-27.973*(z - (-0.91))"]

[[body]]
name = "anchor"
parent = "ground"
position = [2.1, 1.7, -1.9]

[[line_force]]
name = "strut"
between = ["anchor", "bob"]
force = "11.407*(Z - 2.5) + 0.5*Zd"

[initial.q]
a0 = 1.0656612024229832
a1 = 0.8192411359464495
a2 = 0.9040003157595222
"#;

#[test]
fn gimbal_lock_is_no_equilibrium() {
    let folder = Folder::new("operating-points-gimbal");
    let model = folder.file("gimbal.toml", GIMBAL);
    let answer = run(&["equilibrium", &model, "--json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let found: serde_json::Value = serde_json::from_str(&answer.out).expect("JSON");
    assert_eq!(found["locked"], false);
    let middle = found["state"]["q"]["a1"].as_f64().expect("an angle");
    assert!((middle.abs() - std::f64::consts::FRAC_PI_2).abs() > 1e-3, "{middle}");
    assert!(found["residual"].as_f64().expect("a number") < 1e-10);
    assert_eq!(found["growing"], 0);
}

/// Where two ways of closing cross, loops say nothing about how they move.
#[test]
fn modes_at_a_crossing_of_branches_are_refused() {
    let folder = Folder::new("operating-points-crossing");
    let model = folder.file(
        "parallelogram.toml",
        r#"
[model]
name = "parallelogram"
gravity = [0, -9.81, 0]
[ground]
points.D = [0.5, 0, 0]
[[body]]
name = "crank"
parent = "ground"
joint = { name = "q1", type = "revolute", axis = "z" }
mass = 1
com = [0.1, 0, 0]
inertia = { zz = 0.01 }
points.E = [0.2, 0, 0]
[[body]]
name = "coupler"
parent = "crank.E"
joint = { name = "q2", type = "revolute", axis = "z" }
mass = 1
com = [0.25, 0, 0]
inertia = { zz = 0.01 }
points.E = [0.5, 0, 0]
[[body]]
name = "rocker"
parent = "ground.D"
joint = { name = "q3", type = "revolute", axis = "z" }
mass = 1
com = [0.1, 0, 0]
inertia = { zz = 0.01 }
points.E = [0.2, 0, 0]
[[cut]]
name = "c"
type = "ball"
between = ["coupler.E", "rocker.E"]
[initial.q]
q1 = 1e-6
q2 = -1e-6
q3 = 1e-6
"#,
    );
    for command in ["modes", "linearize"] {
        let answer = run(&[command, &model]);
        assert_eq!(answer.code, Some(1), "{command}: {}", answer.out);
        let expected = "loops of `parallelogram` are singular at this state";
        assert!(answer.err.contains(expected), "{command}: {}", answer.err);
    }
}

/// Unknown names, states that are no equilibrium, and equilibria that do not exist.
#[test]
fn requests_that_cannot_be_met_say_why() {
    let folder = Folder::new("operating-points-bad");
    let model = folder.file("hanging.toml", HANGING);
    let check = |words: &[&str], code: i32, expected: &str| {
        let answer = run(&[&[words[0], &model], &words[1..]].concat());
        assert_eq!(answer.code, Some(code), "{words:?}: {}", answer.err);
        assert!(answer.err.contains(expected), "{words:?}: {}", answer.err);
    };
    check(&["equilibrium", "--exchange", "z=mm"], 1, "mm");
    check(&["equilibrium", "--ignore", "y"], 1, "`y`");
    check(&["equilibrium", "--continue", "kk=1..2"], 1, "kk");
    check(&["modes", "--vary", "kk=1..2:3"], 1, "kk");
    check(&["equilibrium", "--set", "k=0"], 1, "no equilibrium; the nearest state of hanging");
    check(&["equilibrium", "--set", "k=0"], 1, "z: -19.6");
    let state = folder.file("state.json", r#"{ "q": { "z": 0.1 } }"#);
    check(&["modes", "--state", &state], 0, "the state is not an equilibrium");
}

/// At a dead centre the piston does not move the crank: whoever wants it as independent coordinate
/// is told, and without that the equilibrium is found.
#[test]
fn a_partition_that_is_singular_at_the_solution_is_named() {
    let folder = Folder::new("operating-points-dead");
    let text = include_str!("../../../examples/slider_crank.toml");
    let text = text.replace("gravity = [0, -9.81, 0]", "gravity = [9.81, 0, 0]");
    let text = &text[..text.find("[initial.qd]").expect("initial speeds")];
    let model = folder.file("dead.toml", text);
    let answer = run(&["equilibrium", &model]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    for command in [&["equilibrium", &model][..], &["modes", &model, "--at", "equilibrium"]] {
        let answer = run(&[command, &["--independent", "q3"]].concat());
        assert_eq!(answer.code, Some(1), "{}", answer.out);
        let expected = "loops are singular near here for independent coordinates q3";
        assert!(answer.err.contains(expected), "{}", answer.err);
    }
}
