//! Equations of closed models, names of variables, laws and files: what a reader of `equations`,
//! `generate` and `convert` sees.

mod common;

use common::{Folder, run};
use std::fs;

fn equations(words: &[&str]) -> String {
    let words = [&["equations"], words].concat();
    let answer = run(&words);
    assert_eq!(answer.code, Some(0), "{words:?}: {}", answer.err);
    answer.out
}

/// The equations of a linkage are complete: constraints, Jacobian, and multipliers with what they
/// mean.
#[test]
fn closed_models_show_constraints_and_multipliers() {
    let text = equations(&["examples/four_bar_joint.toml"]);
    for expected in [
        "# four_bar_joint: M qdd + c = Q + J' lambda, h(q) = 0, J qdd + b = 0\n",
        "# constraints: 1 pin_C x, 2 pin_C y\n",
        "# lambda[1], lambda[2]: force of loop closure `pin_C` on `coupler` along x, y of `ground`; \
         the opposite acts on `rocker`\n",
        "\nh[1] = a*cos(q1) + b*cos(q1 + q2) - c*cos(q3) - d\n",
        "\nJ[1,3] = c*sin(q3)\n",
        "\nb[2] = c*q3.d^2*sin(q3) - a*q1.d^2*sin(q1) - b*sin(q1 + q2)*(q1.d + q2.d)^2\n",
    ] {
        assert!(text.contains(expected), "{expected} is not in\n{text}");
    }
    let latex = equations(&["examples/four_bar_joint.toml", "--latex"]);
    for expected in ["Q + J^{\\mathsf{T}} \\lambda", "h(q) &= 0", "  J &= \\begin{pmatrix}"] {
        assert!(latex.contains(expected), "{expected} is not in\n{latex}");
    }
    // An open tree has neither.
    let text = equations(&["examples/double_pendulum.toml"]);
    assert!(text.starts_with("# double_pendulum: M qdd + c = Q\n"), "{text}");
    assert!(!text.contains("lambda") && !text.contains("\nh["), "{text}");
}

/// The row of a driven joint of a closed model has an unknown that is no multiplier.
#[test]
fn closed_models_tell_of_the_efforts_of_drives() {
    let told = "# driven or locked, row 1 q1: qdd is given, and the right-hand side also has the \
                effort of the drive, an unknown (function `drives`)\n";
    let text = equations(&["examples/four_bar_joint.toml", "--driven", "q1"]);
    assert!(text.contains(told), "{text}");
    assert!(!equations(&["examples/four_bar_joint.toml"]).contains("effort of the drive"));
    // An open tree shows these efforts themselves.
    let text = equations(&["examples/double_pendulum.toml", "--driven", "q1"]);
    assert!(!text.contains("effort of the drive") && text.contains("\nlambda[q1] = "), "{text}");
}

/// Rolling relates speeds: those rows have no `h`, and their multipliers are the forces of the
/// ground. A rod has its length.
#[test]
fn every_kind_of_constraint_is_explained() {
    let text = equations(&["examples/whipple_bicycle.toml"]);
    assert!(text.contains(": M qdd + c = Q + J' lambda, h(q) = 0, J qd = 0, J qdd + b = 0\n"));
    assert!(text.contains("# constraints 2, 3, 5, 6 relate speeds only and have no h\n"));
    assert!(text.contains("force of the ground on wheel `rear_contact` along the ground's normal"));
    assert!(text.contains("\nh[1] = ") && !text.contains("\nh[2] = "), "{text}");
    let text = equations(&["examples/four_bar_rod.toml"]);
    assert!(text.contains("the tension is -lambda times the length\n"), "{text}");
}

/// Formalisms that are tried one after the other leave no traces in names, and nothing is announced
/// twice.
#[test]
fn names_have_no_numbers_behind() {
    let rows: &[&[&str]] = &[
        &["examples/puma560.toml"],
        &["examples/motorcycle.toml"],
        &["examples/whipple_bicycle.toml"],
        &["examples/stewart_platform.toml"],
        &["examples/four_bar_joint.toml", "forward"],
        &["examples/four_bar_joint.toml", "multipliers"],
        &["examples/puma560.toml", "mass_bias"],
    ];
    for words in rows {
        let text = equations(words);
        let names: Vec<&str> =
            text.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name).collect();
        assert!(names.len() > 20, "{words:?}");
        for (at, name) in names.iter().enumerate() {
            let behind = name.rsplit_once('_').map_or("", |(_, behind)| behind);
            assert!(behind.is_empty() || behind.parse::<u32>().is_err(), "{words:?}: {name}");
            assert!(!names[..at].contains(name), "{words:?}: {name} is defined twice");
        }
        let remarks: Vec<&str> =
            text.lines().filter(|line| line.contains("by iteration")).collect();
        assert!(remarks.len() <= 1, "{words:?}: {remarks:?}");
    }
}

/// The law of a link stands in a document with the symbols of the text, not with placeholders.
#[test]
fn documents_print_laws() {
    let folder = Folder::new("equations-laws");
    for (model, expected) in
        [("motor_pendulum", ""), ("flyball_governor", "Z"), ("ba2000_bogie", "v_{x}")]
    {
        for (lang, ending) in [("latex", "tex"), ("markdown", "md")] {
            let out = folder.path(&format!("{model}-{lang}"));
            let file = format!("examples/{model}.toml");
            let answer = run(&["generate", &file, "--lang", lang, "--out", &out]);
            assert_eq!(answer.code, Some(0), "{}", answer.err);
            let text = fs::read_to_string(format!("{out}/{model}.{ending}")).expect("a document");
            assert!(text.contains(expected), "{model}.{ending}");
            for placeholder in ["\\mathrm{link}_", "\\mathrm{force}_{\\mathrm{v", "link.Z"] {
                assert!(!text.contains(placeholder), "{model}.{ending}: {placeholder}");
            }
        }
    }
}

/// A file that is named after another format is not written.
#[test]
fn convert_refuses_endings_of_other_formats() {
    let folder = Folder::new("equations-convert");
    for ending in ["urdf", "sdf", "mjcf", "xml", "mbs", "URDF"] {
        let out = folder.path(&format!("arm.{ending}"));
        let answer = run(&["convert", "examples/formats/arm.urdf", "--out", &out]);
        assert_eq!((answer.code, answer.out.as_str()), (Some(2), ""), "{ending}");
        assert!(answer.err.contains("writes model files in TOML"), "{}", answer.err);
        assert!(answer.err.contains("  = help: ") && answer.err.contains("arm.toml`"));
        assert!(!std::path::Path::new(&out).exists(), "{out} was written");
    }
    let out = folder.path("arm.toml");
    let answer = run(&["convert", "examples/formats/arm.urdf", "--out", &out]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(fs::read_to_string(out).expect("a model file").contains("[[body]]"));
}

/// Zero has no sign in results, whatever it was computed from.
#[test]
fn zero_has_no_sign() {
    let folder = Folder::new("equations-zero");
    let model = folder.file(
        "still.toml",
        "[model]\nname = \"still\"\ngravity = [0, 0, 0]\n\n[[body]]\nname = \"arm\"\nparent = \"ground\"\n\
         joint = { name = \"q\", type = \"revolute\", axis = \"z\", effort = \"-3*q\" }\nmass = 1\n\
         com = [1, 0, 0]\ninertia = { zz = 1 }\n",
    );
    let out = folder.path("run.csv");
    let words = ["simulate", &model, "--to", "1", "--channels", "all", "--out", &out];
    let answer = run(&words);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let csv = fs::read_to_string(&out).expect("results");
    assert!(csv.lines().skip(1).flat_map(|line| line.split(',')).all(|cell| cell != "-0"), "{csv}");
    for words in [["eval", &model, "forward"], ["eval", &model, "gravity"]] {
        let text = run(&words).out;
        let json = run(&[&words[..], &["--json"]].concat()).out;
        for found in [&text, &json] {
            let cells = found.split([' ', '\n', ',', '[', ']']);
            assert!(!cells.into_iter().any(|cell| cell == "-0" || cell == "-0.0"), "{found}");
        }
    }
}

/// Multipliers and the rows of `check` have the order of the file, whatever order elimination has.
#[test]
fn constraints_have_the_order_of_the_file() {
    let out = run(&["eval", "examples/delta_robot.toml", "multipliers", "--json"]).out;
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let expected: Vec<String> =
        (1..=3).flat_map(|at| ["x", "y", "z"].map(|axis| format!("loop{at} {axis}"))).collect();
    assert_eq!(json["names"]["lambda"]["rows"], serde_json::json!(expected));
    let out = run(&["check", "examples/delta_robot.toml", "--json"]).out;
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let rows = json["closure"]["rows"].as_array().expect("rows");
    assert_eq!(rows.iter().filter_map(|row| row.as_str()).collect::<Vec<_>>(), expected);
    for block in json["closure"]["partition"]["blocks"].as_array().expect("blocks") {
        let rows = block["rows"].as_array().expect("rows");
        let places: Vec<usize> = rows
            .iter()
            .map(|row| expected.iter().position(|name| row == name).expect("a row"))
            .collect();
        assert!(places.is_sorted(), "{rows:?}");
    }
    let out = run(&["check", "examples/four_bar_joint.toml"]).out;
    assert!(out.contains("  dependent           q1 q3\n"), "{out}");
}

const FLOATING: &str = r#"
[model]
name = "floating"

[[body]]
name = "hull"
parent = "ground"
joint = { name = "base", type = "free" }
mass = 2
inertia = { xx = 1, yy = 1, zz = 1 }

[[body]]
name = "arm"
parent = "hull"
joint = { name = "ball", type = "spherical" }
mass = 1
com = [0.1, 0, 0]
inertia = { xx = 0.1, yy = 0.1, zz = 0.1 }

[[constraint]]
name = "level"
position = "base.z - base[2]"

[[event]]
name = "down"
when = "base.z + 1"
set = { "ball.wx" = 0, "ball.d[2]" = 0 }
"#;

/// Components have names, and their numbers are names, too: in laws, states, channels and results.
#[test]
fn components_have_names_and_numbers() {
    let folder = Folder::new("equations-components");
    let model = folder.file("floating.toml", FLOATING);
    let run = |words: &[&str]| {
        let answer = run(words);
        assert_eq!(answer.code, Some(0), "{words:?}: {}", answer.err);
        answer.out
    };
    let words = ["simulate", &model, "--to", "0.1", "--every", "0.1", "--out", "-"];
    let channels = |list: &str| run(&[&words[..], &["--channels", list]].concat());
    let names = channels("base,base.d,ball,ball.d").lines().next().expect("a head").to_owned();
    let expected = "t [s],base.x [m],base.y [m],base.z [m],base.qw [1],base.qx [1],base.qy [1],base.qz [1],\
                    base.vx [m/s],base.vy [m/s],base.vz [m/s],base.wx [rad/s],base.wy [rad/s],base.wz [rad/s],\
                    ball.qw [1],ball.qx [1],ball.qy [1],ball.qz [1],ball.wx [rad/s],ball.wy [rad/s],ball.wz [rad/s]";
    assert_eq!(sorted(&names), sorted(expected));
    let two = channels("base[4],ball.d[2],base.dd[1]");
    assert_eq!(two, channels("base.qw,ball.wy,base.vx.d"));
    assert!(two.starts_with("t [s],base.qw [1],"), "{two}");
    let state = |text: &str| {
        let file = folder.file("state.json", text);
        run(&["eval", &model, "rates", "--state", &file])
    };
    let named =
        state(r#"{"q": {"base.qw": 0.8, "base.qx": 0.6}, "qd": {"base.vy": 2, "ball.wz": 1}}"#);
    let numbered =
        state(r#"{"q": {"base[4]": 0.8, "base[5]": 0.6}, "qd": {"base.d[2]": 2, "ball.d[3]": 1}}"#);
    assert_eq!(named, numbered);
    assert!(named.contains("base.z"), "{named}");
    let out = folder.path("code");
    run(&["generate", &model, "--lang", "c", "--functions", "inverse", "--out", &out]);
    let header = fs::read_to_string(format!("{out}/floating.h")).expect("a header");
    for expected in
        ["FLOATING_Q_base_qw = 3,", "FLOATING_QD_ball_wx = 6,", "FLOATING_QDD_base_wz = 5,"]
    {
        assert!(header.contains(expected), "{expected} is not in\n{header}");
    }
    assert!(header.contains("with indices from zero:") && header.contains("   0 base.x [m]"));
    // Fortran counts from one.
    run(&[
        "generate",
        &model,
        "--lang",
        "fortran",
        "--functions",
        "inverse",
        "--out",
        &out,
        "--force",
    ]);
    let listing = fs::read_to_string(format!("{out}/floating.f90")).expect("a module");
    assert!(listing.contains("with indices from one:") && listing.contains("   1 base.x [m]"));
}

fn sorted(names: &str) -> Vec<&str> {
    let mut names: Vec<&str> = names.split(',').collect();
    names.sort_unstable();
    names
}
