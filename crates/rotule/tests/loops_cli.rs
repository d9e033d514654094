//! Loops that cannot be, on the command line: every refusal names the element, says what was found and what helps; nothing
//! panics, and no number that is none comes out.

mod common;

use common::{Folder, Run, run, run_with_input};
use std::sync::atomic::{AtomicUsize, Ordering};

const FOUR_BAR: &str = "examples/four_bar_joint.toml";

fn example() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(FOUR_BAR);
    std::fs::read_to_string(path).expect("the example")
}

/// The model with `partition` on some of its joints.
fn wishing(wishes: &[(&str, &str)]) -> String {
    let mut text = example();
    for (joint, wish) in wishes {
        let name = format!("name = \"{joint}\",");
        assert!(text.contains(&name), "{text}");
        text = text.replace(&name, &format!("{name} partition = \"{wish}\","));
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
        vec!["eval", "-", "direct"],
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
        "cut `pin_C` by 0.65 m",
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
    std::fs::write(&state, "{ \"q\": { \"q3\": 0 } }").expect("a file");
    let answer = run(&["eval", FOUR_BAR, "direct", "--independent", "q3", "--state", &state]);
    refused(
        &answer,
        &["`closure 1` did not converge", "open stays cut `pin_C` by 0.15 m", "rotule assemble"],
    );
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
        &["constraint `gear` is not fulfilled", "nothing that may move", "release a joint"],
    );
    let later = example() + drive + &coupling("pi/3");
    all_refuse(&later, &["over-constrained: the motion of `q1`", "`gear`", "drive fewer joints"]);
}

#[test]
fn partitions_that_cannot_be() {
    let all = [("q1", "dependent"), ("q2", "dependent"), ("q3", "dependent")];
    all_refuse(
        &wishing(&all),
        &[
            "3 coordinates are asked to be dependent, `q1`, `q2`, `q3`",
            "2 constraints only",
            "ask for 1 of them",
        ],
    );
    all_refuse(
        &wishing(&[("q1", "independent"), ("q3", "independent")]),
        &[
            "1 is left, `q2`",
            "`q1`, `q3` are asked to be independent",
            "let 1 of these be dependent",
        ],
    );
    // Crank and coupler in line: the rocker cannot lead.
    let (reach, ground, rocker) = (0.42_f64, 0.32_f64, 0.25_f64);
    let first =
        ((reach * reach + ground * ground - rocker * rocker) / (2.0 * reach * ground)).acos();
    let third = (reach * first.sin()).atan2(reach * first.cos() - ground);
    let model = wishing(&[("q3", "independent")]);
    let (head, _) = model.split_once("[initial.q]").expect("initial values");
    let singular = format!("{head}[initial.q]\nq1 = {first}\nq2 = 0\nq3 = {third}\n");
    all_refuse(
        &singular,
        &[
            "the partition that is asked for is singular in the initial position",
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
        &["there is no joint or coordinate `q9` to be independent", "did you mean"],
    );
    let answer = independent("q1,q2");
    assert!(answer.out.contains("1 is left, `q3`"), "{}", answer.out);
    let driven = example() + "\n[[motion]]\njoint = \"q1\"\nq = \"pi/3 + 6*t\"\n";
    let answer = run_with_input(&["eval", "-", "direct", "--independent", "q1"], driven.as_bytes());
    refused(
        &answer,
        &["`q1` is asked to be independent, but it is driven", "name free coordinates"],
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
        &["redundant constraints are refused", "`pin_C x` repeats `again x`", "set_aside"],
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
    let answer = run_with_input(&["eval", "-", "direct"], model.as_bytes());
    refused(&answer, &["`direct`: ", said, "mass or inertia", "armature"]);
    for form in ["partition", "projection", "baumgarte", "unstabilised"] {
        let words = ["simulate", "-", "--to", "1", "--constraints", form];
        refused(&run_with_input(&words, model.as_bytes()), &[said, "lock or drive it"]);
    }
}
