//! Equations of closed models, names of variables, laws and files: what a reader of `equations`, `generate` and `convert` sees.

mod common;

use common::{Folder, run};
use std::fs;

fn equations(words: &[&str]) -> String {
    let words = [&["equations"], words].concat();
    let answer = run(&words);
    assert_eq!(answer.code, Some(0), "{words:?}: {}", answer.err);
    answer.out
}

/// The equations of a linkage are complete: constraints, Jacobian, and multipliers with what they mean.
#[test]
fn closed_models_show_constraints_and_multipliers() {
    let text = equations(&["examples/four_bar_joint.toml"]);
    for expected in [
        "# four_bar_joint: M qdd + c = Q + J' lambda, h(q) = 0, J qdd + b = 0\n",
        "# constraints: 1 pin_C x, 2 pin_C y\n",
        "# lambda[1], lambda[2]: force of cut `pin_C` on `coupler` along x, y of `ground`; \
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

/// Rolling relates speeds: those rows have no `h`, and their multipliers are the forces of the ground. A rod has its length.
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

/// Formalisms that are tried one after the other leave no traces in names, and nothing is announced twice.
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
