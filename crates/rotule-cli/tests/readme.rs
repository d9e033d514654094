//! The README: its commands run, and what it quotes is what they print.

#![cfg(unix)]

mod common;
#[path = "tutorial/pattern.rs"]
mod pattern;

use common::{Folder, command, run};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

fn readme() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    fs::read_to_string(path).expect("a README")
}

/// The fenced blocks of a kind.
fn blocks<'a>(text: &'a str, kind: &str) -> Vec<&'a str> {
    let open = format!("```{kind}\n");
    text.split(&open).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

/// The arguments of a line that runs the program, installed or by cargo.
fn arguments(line: &str) -> Option<Vec<&str>> {
    let line = line.split(" #").next().unwrap_or_default();
    let starts = ["rotule ", "cargo run --release -- "];
    let rest = starts.iter().find_map(|start| line.strip_prefix(start))?;
    Some(rest.split_whitespace().collect())
}

#[test]
fn commands_run() {
    let (text, folder) = (readme(), Folder::new("readme"));
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let examples = examples.canonicalize().expect("the project has examples");
    symlink(examples, folder.path("examples")).expect("a folder for links");
    let lines = blocks(&text, "sh").into_iter().flat_map(str::lines).filter_map(arguments);
    let mut count = 0;
    for words in lines {
        let output = command(&words).current_dir(folder.path("")).output().expect("it starts");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {err}");
        count += 1;
    }
    assert_eq!(count, 2, "commands of the README");
    for file in ["motion.html", "ur5/ur5.c"] {
        assert!(Path::new(&folder.path(file)).exists(), "{file} in {:?}", folder.names());
    }
}

#[test]
fn quoted_output_is_printed() {
    let text = readme();
    let quoted: Vec<&str> =
        blocks(&text, "text").into_iter().filter(|block| block.starts_with("$ ")).collect();
    assert_eq!(quoted.len(), 1, "quoted commands of the README");
    for block in quoted {
        let (line, shown) = block[2..].split_once('\n').expect("a command and its output");
        let answer = run(&arguments(line).expect("a command of ours"));
        assert!(pattern::matches(shown, &answer.out), "{line} prints\n{}", answer.out);
    }
}

#[test]
fn operation_counts_are_those_of_the_robot() {
    let answer =
        run(&["count", "examples/robots/ur5.urdf", "--functions", "inverse,forward", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&answer.out).expect("JSON");
    let counts = json["counts"].as_array().expect("a list");
    let of = |function: &str| {
        let mut own = counts.iter().filter(|one| one["function"] == function);
        let cheapest = own.find(|one| one["cheapest"] == true).expect("one is the cheapest");
        assert!(cheapest["setup"].as_object().is_some_and(serde_json::Map::is_empty));
        cheapest["operations"].clone()
    };
    let expected = format!("{} and {} operations", of("inverse"), of("forward"));
    assert!(readme().contains(&expected), "the README does not say `{expected}`");
}
