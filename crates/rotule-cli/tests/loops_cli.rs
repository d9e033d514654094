//! Loops that cannot be, on the command line: every refusal names the element, says what was found
//! and what helps; nothing panics, and no number that is none comes out.

mod common;

use common::{Folder, Run, run, run_with_input};
use std::sync::atomic::{AtomicUsize, Ordering};

const FOUR_BAR: &str = "examples/four_bar_joint.toml";

fn example() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(FOUR_BAR);
    std::fs::read_to_string(path).expect("the example")
}

/// The model with `partition` on some of its joints.
fn with_roles(roles: &[(&str, &str)]) -> String {
    let mut text = example();
    for (joint, role) in roles {
        let name = format!("name = \"{joint}\",");
        assert!(text.contains(&name), "{text}");
        text = text.replace(&name, &format!("{name} partition = \"{role}\","));
    }
    text
}

fn refused(answer: &Run, words: &[&str]) {
    assert_eq!((answer.code, answer.out.as_str()), (Some(1), ""), "{}", answer.err);
    // Notes and warnings of the model may stand before it.
    assert!(answer.err.contains("error: "), "{}", answer.err);
    assert!(answer.err.contains("\n  = help: "), "{}", answer.err);
    assert!(!answer.err.contains("panicked"), "{}", answer.err);
    for word in words {
        assert!(answer.err.contains(word), "`{word}` is not in: {}", answer.err);
    }
}

/// All commands that close loops, on a model: each refuses it with these words.
fn all_refuse(model: &str, words: &[&str]) {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = Folder::new(&format!("refused{number}"));
    let out = folder.path("code");
    for arguments in [
        vec!["eval", "-", "forward"],
        vec!["eval", "-", "closure"],
        vec!["generate", "-", "--lang", "c", "--functions", "closure", "--out", &out],
        vec!["count", "-", "--functions", "closure"],
    ] {
        refused(&run_with_input(&arguments, model.as_bytes()), words);
    }
    let answer = run_with_input(&["check", "-"], model.as_bytes());
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    for word in words {
        assert!(answer.out.contains(word), "`{word}` is not in: {}", answer.out);
    }
    let answer = run_with_input(&["check", "-", "--json"], model.as_bytes());
    let json: serde_json::Value = serde_json::from_str(&answer.out).expect("JSON");
    let problem = &json["closure"]["problem"];
    assert!(problem["message"].is_string() && problem["help"].is_string(), "{problem}");
}

#[test]
fn a_loop_that_cannot_close() {
    // The bars reach 0.67 m.
    let model = example().replace("value = 0.32", "value = 1.32");
    let words = [
        "the loops cannot be closed",
        "loop closure `pin_C` by 0.65 m",
        "largest residual",
        "too short to meet",
    ];
    all_refuse(&model, &words);
    refused(&run_with_input(&["assemble", "-"], model.as_bytes()), &words);
}

#[test]
fn a_state_whose_loop_cannot_close() {
    let folder = Folder::new("state");
    let state = folder.path("state.json");
    // The rocker leads, and lies where crank and coupler do not reach it.
    std::fs::write(&state, "{ \"q\": { \"q3\": 0.8 } }").expect("a file");
    let words = ["eval", FOUR_BAR, "closure", "--independent", "q3", "--state", &state];
    let answer = run(&words);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(answer.err.contains("warning: 1 initial value changed"), "{}", answer.err);
    assert!(answer.err.contains("at most `q3` from 0.8 to 1.5"), "{}", answer.err);
    // Functions of the open tree are evaluated exactly there.
    let words = ["eval", FOUR_BAR, "constraints", "--state", &state, "--json"];
    let report: serde_json::Value = serde_json::from_str(&run(&words).out).expect("JSON");
    assert_eq!((&report["state"]["q"]["q3"], &report["initial"]), (&0.8.into(), &().into()));
    assert!(report["outputs"]["h"][0].as_f64().is_some_and(|h| h.abs() > 0.01), "{report}");
}

/// The model with other initial values.
fn starting(initial: &str) -> String {
    let text = example();
    let (head, _) = text.split_once("[initial.q]").expect("initial values");
    format!("{head}{initial}")
}

#[test]
fn every_verb_keeps_what_is_written_or_reports_the_change() {
    let verbs: [&[&str]; 5] = [
        &["assemble", "-"],
        &["check", "-"],
        &["eval", "-", "forward"],
        &["simulate", "-", "--to", "0.01"],
        &["study", "-", "--to", "0.01", "--dt", "0.01", "--vary", "a=0.12..0.12:1"],
    ];
    // Speeds of any coordinate hold, whichever the partition chooses.
    let rows: [(&str, &[&str]); 4] = [
        ("[initial.q]\nq1 = 0.9\n[initial.qd]\nq1 = 10\n", &[]),
        ("[initial.q]\nq1 = 0.9\n[initial.qd]\nq3 = 2\n", &[]),
        (
            "[initial.q]\nq1 = 1.047\nq2 = -0.5387\nq3 = 1.563\n",
            &["note: ", "change by rounding", "`q3` is written as 1.563 and becomes 1.5626"],
        ),
        (
            "[initial.q]\nq1 = 0.9\n[initial.qd]\nq1 = 10\nq3 = 2\n",
            &[
                "warning: ",
                "contradict",
                ".d` is written as ",
                "leave out those that should follow",
            ],
        ),
    ];
    for (initial, words) in rows {
        for verb in verbs {
            let answer = run_with_input(verb, starting(initial).as_bytes());
            assert_eq!(answer.code, Some(0), "{verb:?} {initial}: {}", answer.err);
            let in_full = match verb[0] {
                "assemble" | "check" => words,
                // A study knows what happens to each sample, but says it in one line, too.
                "study" => &words[..words.len().min(3)],
                _ => &[],
            };
            let told = answer.err.contains("initial values");
            assert_eq!(told, !in_full.is_empty(), "{verb:?} {initial}: {}", answer.err);
            for word in in_full {
                assert!(answer.err.contains(word), "{verb:?}: `{word}` not in: {}", answer.err);
            }
            // The others give the number in the line that tells where to read more.
            let severity = words.first().map(|word| word.trim_end_matches(": "));
            if let (Some(severity), "eval" | "simulate") = (severity, verb[0]) {
                // The loop is open, or speeds break it: this was found when the file was read.
                let line = format!("2 {severity}s: see rotule check -");
                assert_eq!(answer.err.trim_end(), line, "{verb:?} {initial}");
            }
        }
    }
    // `check` does not know other parameters: then the line says what changed most.
    let lines = [
        (&["--to", "0.01", "--independent", "q2"][..], ": see rotule check - --independent q2\n"),
        (
            &["--to", "0.01", "--set", "a=0.12"],
            "2 initial values changed to satisfy the constraints, at most `q3.d` from 2 to -3.5",
        ),
    ];
    for (words, expected) in lines {
        let words = [&["simulate", "-"], words].concat();
        let answer = run_with_input(&words, starting(rows[3].0).as_bytes());
        assert!(answer.err.contains(expected), "{words:?}: {}", answer.err);
    }
    let answer = run_with_input(&["check", "-", "--json"], starting(rows[3].0).as_bytes());
    let json: serde_json::Value = serde_json::from_str(&answer.out).expect("JSON");
    let initial = &json["closure"]["initial"];
    assert_eq!(initial["severity"], "warning", "{initial}");
    let change = &initial["changes"][0];
    let number = |key: &str| change[key].as_f64().expect("a number");
    assert_eq!(change["name"], "q1.d");
    assert!((number("used") - number("written") - number("change")).abs() < 1e-12, "{change}");
}

#[test]
fn eval_closes_a_rough_guess_as_assemble_does() {
    let model = starting("[initial.q]\nq1 = 0.9\n[initial.qd]\nq1 = 10\n");
    let json = |words: &[&str]| -> serde_json::Value {
        let answer = run_with_input(words, model.as_bytes());
        serde_json::from_str(&answer.out).unwrap_or_else(|_| panic!("{words:?}: {}", answer.err))
    };
    let closed = json(&["assemble", "-", "--json"]);
    let eval = json(&["eval", "-", "closure", "--json"]);
    for (list, names) in [("q", ["q1", "q2", "q3"]), ("qd", ["q1", "q2", "q3"])] {
        for (at, name) in names.iter().enumerate() {
            let expected = closed[list][name].as_f64().expect("a number");
            let found = eval["outputs"][list][at].as_f64().expect("a number");
            assert!((found - expected).abs() < 1e-12, "{list} {name}: {found} {expected}");
            assert_eq!(eval["state"][list][name], closed[list][name]);
        }
    }
    assert_eq!((closed["q"]["q1"].as_f64(), closed["qd"]["q1"].as_f64()), (Some(0.9), Some(10.0)));
}

#[test]
fn an_over_constrained_mechanism() {
    let drives = "\n[[motion]]\njoint = \"q1\"\nq = \"pi/3 + 6*t\"\n\
                  [[motion]]\njoint = \"q3\"\nq = \"1.56264394786253 + t\"\n";
    let words = ["over-constrained: the motions of `q1`, `q3`", "`pin_C x`", "drive fewer joints"];
    all_refuse(&(example() + drives), &words);
}

#[test]
fn motions_against_a_constraint() {
    let drive = "\n[[motion]]\njoint = \"q1\"\nq = \"pi/3 + 6*t\"\n";
    let coupling =
        |factor: &str| format!("[[coupling]]\nname = \"gear\"\nequation = \"q1 = {factor}\"\n");
    let now = example() + drive + &coupling("1");
    all_refuse(
        &now,
        &["constraint `gear` is not satisfied", "no free coordinate changes", "unlock a joint"],
    );
    let later = example() + drive + &coupling("pi/3");
    all_refuse(&later, &["over-constrained: the motion of `q1`", "`gear`", "drive fewer joints"]);
}

#[test]
fn partitions_that_cannot_be() {
    let all = [("q1", "dependent"), ("q2", "dependent"), ("q3", "dependent")];
    all_refuse(
        &with_roles(&all),
        &[
            "3 coordinates are requested as dependent, `q1`, `q2`, `q3`",
            "2 constraints only",
            "make 1 of them independent",
        ],
    );
    all_refuse(
        &with_roles(&[("q1", "independent"), ("q3", "independent")]),
        &[
            "1 is left, `q2`",
            "`q1`, `q3` are requested as independent",
            "make 1 of these dependent",
        ],
    );
    // Crank and coupler in line: the rocker cannot lead.
    let (reach, ground, rocker) = (0.42_f64, 0.32_f64, 0.25_f64);
    let first =
        ((reach * reach + ground * ground - rocker * rocker) / (2.0 * reach * ground)).acos();
    let third = (reach * first.sin()).atan2(reach * first.cos() - ground);
    let model = with_roles(&[("q3", "independent")]);
    let (head, _) = model.split_once("[initial.q]").expect("initial values");
    let singular = format!("{head}[initial.q]\nq1 = {first}\nq2 = 0\nq3 = {third}\n");
    all_refuse(
        &singular,
        &[
            "the requested coordinate partition is singular in the initial position",
            "`pin_C x`",
            "`q1`, `q2`",
        ],
    );
}

#[test]
fn partitions_by_name() {
    let independent = |names: &str| run(&["check", FOUR_BAR, "--independent", names]);
    for name in ["q1", "q2", "q3"] {
        let answer = independent(name);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        assert!(answer.out.contains(&format!("  independent         {name}\n")), "{}", answer.out);
    }
    refused(
        &independent("q9"),
        &["there is no joint or coordinate `q9` to choose as independent", "did you mean"],
    );
    let answer = independent("q1,q2");
    assert!(answer.out.contains("1 is left, `q3`"), "{}", answer.out);
    let driven = example() + "\n[[motion]]\njoint = \"q1\"\nq = \"pi/3 + 6*t\"\n";
    let answer =
        run_with_input(&["eval", "-", "forward", "--independent", "q1"], driven.as_bytes());
    refused(
        &answer,
        &["`q1` cannot be independent: it is driven", "choose coordinates of free joints"],
    );
}

#[test]
fn redundant_constraints_are_set_aside_or_refused() {
    let text = example();
    let start = text.find("[[cut]]").expect("a cut");
    let cut = text[start..].split("\n\n").next().expect("a cut").replace("pin_C", "again");
    let twice = text.replacen("[[cut]]", &format!("{cut}\n\n[[cut]]"), 1);
    let answer = run_with_input(&["check", "-"], twice.as_bytes());
    assert!(
        answer.out.contains("redundant           `pin_C x` repeats `again x`"),
        "{}",
        answer.out
    );
    let answer = run_with_input(&["eval", "-", "closure"], twice.as_bytes());
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let strict = twice.replacen("[model]\n", "[model]\nredundant = \"refuse\"\n", 1);
    all_refuse(
        &strict,
        &["the model refuses redundant constraints", "`pin_C x` repeats `again x`", "set_aside"],
    );
}

#[test]
fn a_singular_reduced_mass_matrix() {
    let massless = |text: String| {
        let weighs = |line: &&str| {
            ["mass", "com", "inertia"].contains(&line.split(' ').next().unwrap_or(""))
        };
        text.lines()
            .filter(|line| !weighs(line))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    let model = massless(example());
    let said = "the reduced mass matrix is singular in `q";
    let answer = run_with_input(&["check", "-"], model.as_bytes());
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(answer.out.contains(said) && answer.out.contains("refused"), "{}", answer.out);
    assert!(answer.out.contains("bodies `crank`, `coupler`, `rocker`"), "{}", answer.out);
    let answer = run_with_input(&["check", "-", "--json"], model.as_bytes());
    assert!(answer.out.contains("\"everywhere\": true"), "{}", answer.out);
    let answer = run_with_input(&["eval", "-", "forward"], model.as_bytes());
    refused(&answer, &["`forward`: ", said, "mass or inertia", "armature"]);
    for form in ["partition", "projection", "baumgarte", "unstabilised"] {
        let words = ["simulate", "-", "--to", "1", "--constraints", form];
        refused(&run_with_input(&words, model.as_bytes()), &[said, "lock or drive it"]);
    }
}
