//! The verdict on a run as a person meets it: warnings, their exit code, JSON, and a second run
//! that verifies the first.

mod common;

use common::{Folder, Run, run};
use serde_json::Value;
use std::fs;

const CRANK: &str = "examples/slider_crank.toml";

/// A pendulum with keys of its joint.
fn pendulum(folder: &Folder, keys: &str) -> String {
    let text = format!(
        "[model]\nname = \"pendulum\"\ngravity = [0, -9.81, 0]\n\
         [[body]]\nname = \"bob\"\nparent = \"ground\"\n\
         joint = {{ name = \"q\", type = \"revolute\", axis = \"z\"{keys} }}\n\
         mass = 1\ncom = [0, -1, 0]\n[initial.q]\nq = 2\n"
    );
    folder.file("pendulum.toml", &text)
}

/// Bars of equal length, which lie in one line whenever the crank does.
fn parallelogram(folder: &Folder) -> String {
    let bar = |name: &str, parent: &str, joint: &str, length: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\n\
             joint = {{ name = \"{joint}\", type = \"revolute\", axis = \"z\" }}\n\
             mass = 1\ncom = [{}, 0, 0]\ninertia = {{ zz = 0.1 }}\npoints.end = [{length}, 0, 0]\n",
            0.5 * length
        )
    };
    let text = format!(
        "[model]\nname = \"parallelogram\"\ngravity = [0, -9.81, 0]\n\
         [ground]\npoints.D = [2, 0, 0]\n{}{}{}\
         [[cut]]\nname = \"pin\"\ntype = \"revolute\"\naxis = \"z\"\nbetween = [\"coupler.end\", \"rocker.end\"]\n\
         [initial.q]\nq1 = 1\nq2 = -1\nq3 = 1\n[initial.qd]\nq1 = -10\n",
        bar("crank", "ground", "q1", 1.0),
        bar("coupler", "crank.end", "q2", 2.0),
        bar("rocker", "ground.D", "q3", 1.0)
    );
    folder.file("parallelogram.toml", &text)
}

/// The summary of a run as JSON.
fn summary(words: &[&str]) -> (Value, Run) {
    let answer = run(&[&["simulate"], words, &["--json"]].concat());
    let value = serde_json::from_str(&answer.out).unwrap_or_else(|_| panic!("{answer:?}"));
    (value, answer)
}

/// The kinds of the warnings.
fn kinds(summary: &Value) -> Vec<&str> {
    let warnings = summary["verdict"]["warnings"].as_array().expect("a list");
    assert_eq!(summary["verdict"]["ok"], warnings.is_empty());
    warnings.iter().map(|warning| warning["kind"].as_str().expect("a word")).collect()
}

#[test]
fn a_good_run_keeps_its_promise_and_says_how_near_it_came() {
    let answer = run(&["simulate", CRANK, "--to", "1", "--strict"]);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    for part in ["smallest singular value of J_v", "verdict", "kept its promise"] {
        assert!(answer.out.contains(part), "{part}: {}", answer.out);
    }
    let folder = Folder::new("verdict-json");
    let out = folder.path("motion.csv");
    let (found, answer) = summary(&[CRANK, "--to", "1", "--out", &out]);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    assert_eq!(found["end"], "reached");
    assert_eq!(found["t"], 1.0);
    assert_eq!(found["files"], serde_json::json!([out]));
    assert!(found["steps"].as_u64().is_some_and(|steps| steps > 10));
    assert!(found["drift"]["position"].as_f64().is_some_and(|drift| drift < 1e-12));
    // The crank's conditioning is half its length in the rod's, and worst across.
    assert!(found["conditioning"].as_f64().is_some_and(|worst| worst > 1.0 && worst < 3.0));
    assert!(found["smallest"]["t"].as_f64().is_some_and(|t| t > 0.0 && t < 1.0));
    assert_eq!(kinds(&found), Vec::<&str>::new());
    let both = run(&["simulate", CRANK, "--to", "1", "--json", "--out", "-"]);
    assert_eq!(both.code, Some(2));
    assert!(both.err.contains("both write to standard output"), "{}", both.err);
}

/// Whatever is kept, the energy is watched.
#[test]
fn energy_that_drifts_is_a_warning_and_strict_an_exit_code() {
    let folder = Folder::new("verdict-energy");
    let model = pendulum(&folder, "");
    let out = folder.path("motion.csv");
    let words = ["simulate", &model, "--to", "5", "--dt", "0.25", "--out", &out, "--force"];
    for channels in ["coordinates", "all"] {
        let words = [&words[..], &["--channels", channels]].concat();
        let answer = run(&words);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        assert!(answer.err.starts_with("warning: energy: "), "{}", answer.err);
        assert_eq!(answer.err.lines().count(), 1, "{}", answer.err);
        assert!(answer.out.contains("1 warning"), "{}", answer.out);
        let strict = run(&[&words[..], &["--strict"]].concat());
        assert_eq!(strict.code, Some(5), "{}", strict.err);
    }
    let (fine, answer) = summary(&[&model, "--to", "5", "--dt", "0.01", "--strict"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert_eq!(kinds(&fine), Vec::<&str>::new());
    assert!(fine["energy_drift"].as_f64().is_some_and(|drift| drift > 0.0));
}

#[test]
fn a_range_that_is_left_is_a_warning_and_a_stop_is_none() {
    let folder = Folder::new("verdict-range");
    let model = pendulum(&folder, ", range = [-1.5, 2.5]");
    let (found, _) = summary(&[&model, "--to", "2"]);
    assert_eq!(kinds(&found), ["range"]);
    assert_eq!(found["left"][0]["name"], "q");
    let by = found["left"][0]["by"].as_f64().expect("a number");
    assert!((by - 0.5).abs() < 1e-2, "{by}");
    let model = pendulum(&folder, ", range = [-1.5, 2.5], stop = { restitution = 0.5 }");
    let (found, _) = summary(&[&model, "--to", "2"]);
    assert_eq!(kinds(&found), Vec::<&str>::new());
}

#[test]
fn a_singular_position_that_was_passed_is_a_warning() {
    let folder = Folder::new("verdict-singular");
    let model = parallelogram(&folder);
    let (found, answer) = summary(&[&model, "--to", "0.3"]);
    assert_eq!(kinds(&found), ["singular"], "{}", answer.out);
    assert_eq!(found["passed"].as_array().map(Vec::len), Some(1));
    let (before, _) = summary(&[&model, "--to", "0.05"]);
    assert_eq!(kinds(&before), Vec::<&str>::new());
}

/// At its dead centre a piston says nothing of the crank.
#[test]
fn coordinates_that_may_not_change_become_badly_conditioned() {
    let piston = [CRANK, "--to", "0.1", "--partition", "q3"];
    let (found, _) = summary(&[&piston[..], &["--threshold", "never"]].concat());
    assert_eq!(kinds(&found), ["conditioning", "end"]);
    let (found, _) = summary(&piston);
    assert_eq!(kinds(&found), Vec::<&str>::new());
    assert_eq!(found["switches"].as_array().map(Vec::len), Some(1));
}

#[test]
fn loops_that_nothing_keeps_closed_open() {
    let coarse = [CRANK, "--to", "5", "--constraints", "unstabilised", "--dt"];
    let (found, answer) = summary(&[&coarse[..], &["0.01"]].concat());
    assert!(kinds(&found).contains(&"closure"), "{}", answer.out);
    assert!(answer.err.contains("nothing stabilises the constraints"), "{}", answer.err);
    let (found, _) = summary(&[&coarse[..], &["1e-3"]].concat());
    assert_eq!(kinds(&found), Vec::<&str>::new());
}

#[test]
fn a_run_that_ends_early_has_a_verdict_too() {
    let folder = Folder::new("verdict-end");
    let model = pendulum(&folder, ", effort = \"sqrt(q - 1)\"");
    let (found, answer) = summary(&[&model, "--to", "2", "--strict"]);
    assert_eq!(answer.code, Some(3), "{}", answer.err);
    assert_eq!(found["end"], "failed");
    assert_eq!(kinds(&found), ["end"]);
}

/// The work is integrated beside the motion and changes no bit of it.
#[test]
fn the_balance_does_not_touch_the_motion() {
    let channels = ["--to", "0.3", "--channels", "coordinates,speeds,accelerations", "--out", "-"];
    for model in ["examples/five_bar.toml", "examples/motor_pendulum.toml"] {
        for method in ["dop853", "radau", "bdf", "rk4"] {
            let mut words = [&["simulate", model, "--method", method], &channels[..]].concat();
            if method == "rk4" {
                words.extend(["--dt", "1e-3"]);
            }
            let plain = run(&words);
            words.push("--balance");
            let balanced = run(&words);
            assert_eq!(plain.code, Some(0), "{model} {method}: {}", plain.err);
            assert!(plain.out == balanced.out, "{model} {method}");
            // The check was made in the second run alone.
            let checked = |answer: &Run| answer.err.contains("energy drift");
            assert_eq!([checked(&plain), checked(&balanced)], [false, true], "{model} {method}");
        }
    }
}

#[test]
fn a_light_balance_needs_no_request_and_adds_no_column() {
    let folder = Folder::new("verdict-light");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/kuka_iiwa14.toml");
    let text = fs::read_to_string(path).expect("an example");
    let law = "joint = { name = \"q1\", type = \"revolute\", axis = \"z\", effort = \"3 - q1d\" }";
    let text = text.replace("joint = { name = \"q1\", type = \"revolute\", axis = \"z\" }", law);
    let model = folder.file("arm.toml", &text.replace("q1d", "qd"));
    let (found, answer) = summary(&[&model, "--to", "1"]);
    let drift = found["energy_drift"].as_f64();
    assert!(drift.is_some_and(|drift| drift < 1e-6), "{drift:?} {}", answer.err);
    let table = run(&["simulate", &model, "--to", "0.1", "--out", "-"]);
    let names = table.out.lines().next().unwrap_or_default();
    assert!(names.contains("energy.total") && !names.contains("energy.work"), "{names}");
}

#[test]
fn a_verification_tells_digits_and_where_they_are_lost() {
    for words in [&[][..], &["--method", "bdf"], &["--every", "step"], &["--dt", "1e-3"]] {
        let (found, answer) = summary(&[&[CRANK, "--to", "1", "--verify"], words].concat());
        assert_eq!(kinds(&found), Vec::<&str>::new(), "{words:?}: {}", answer.err);
        let found = &found["verification"];
        for level in ["coordinates", "speeds"] {
            let digits = found["digits"][level].as_f64().expect("a number");
            assert!(digits > 4.0 && digits < 13.0, "{words:?}: {found}");
        }
        assert!(found["against"].as_str().is_some_and(|text| text.contains("projection")));
    }
    // A quaternion, no loop: by another method.
    let answer = run(&["simulate", "examples/heavy_top.toml", "--to", "1", "--verify", "--strict"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(answer.out.contains("against dormand-prince with --rtol 1e-10"), "{}", answer.out);
    // Chaos: the digits of a coarse run end after a while.
    let words = ["examples/double_pendulum.toml", "--to", "40", "--rtol", "1e-5", "--verify"];
    let (found, answer) = summary(&[&words[..], &["--set", "l2=1", "--strict"]].concat());
    assert_eq!(answer.code, Some(5), "{}", answer.err);
    assert!(kinds(&found).contains(&"verify"), "{found}");
    let lost = found["verification"]["lost"]["t"].as_f64().expect("a time");
    assert!(lost > 0.5 && lost < 40.0, "{lost}");
    assert!(answer.err.contains("fewer than 3 digits agree"), "{}", answer.err);
}

#[test]
fn the_conditioning_of_two_partitions_can_be_kept() {
    let channels = |words: &[&str], group: &str| {
        let always = ["simulate", CRANK, "--to", "1", "--out", "-", "--channels", group];
        let answer = run(&[&always[..], words].concat());
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        let mut lines = answer.out.lines().map(str::to_owned).collect::<Vec<_>>().into_iter();
        let names = lines.next().expect("names");
        let number = |cell: &str| cell.parse::<f64>().expect("a number");
        let rows = lines.map(|line| line.split(',').map(number).collect::<Vec<_>>());
        (names, rows.collect::<Vec<_>>())
    };
    let (names, rows) = channels(&[], "conditioning");
    assert_eq!(names, "t [s],conditioning [1],conditioning.best [1]");
    let (found, _) = summary(&[CRANK, "--to", "1"]);
    let worst = found["conditioning"].as_f64().expect("a number");
    let most = rows.iter().map(|row| row[1]).fold(0.0, f64::max);
    assert!(most <= worst * (1.0 + 1e-2) && most > 0.9 * worst, "{most} {worst}");
    assert!(rows.iter().all(|row| row[2] > 0.0 && row[2].is_finite()));
    assert!(channels(&[], "all").0.contains("conditioning.best"));
    let all = channels(&["--constraints", "projection"], "all").0;
    assert!(!all.contains("conditioning"), "{all}");
}
