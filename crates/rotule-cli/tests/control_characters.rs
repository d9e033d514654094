//! Control characters in names, titles, messages and paths never reach a terminal, whatever the
//! command.

mod common;

use common::{Folder, command, commands, run};
use std::collections::BTreeSet;

/// Requests of a hostile file to a terminal: to change colours, its title, the line before, the
/// direction of text.
const HOSTILE: &str = "a\\u001B[31m\\u001B]0;owned\\u0007\\rb\\u009B2J\\u202Ec\\u007F";

/// A model whose texts are hostile wherever texts may be.
fn model() -> String {
    format!(
        "[model]\nname = \"{HOSTILE}\"\nabout = \"{HOSTILE}\"\ngravity = [0, -9.81, 0]\n\
         [[body]]\nname = \"bob\"\nparent = \"ground\"\n\
         joint = {{ name = \"q\", type = \"revolute\", axis = \"z\", range = [-0.1, 0.1] }}\n\
         mass = 1\ncom = [0, -1, 0]\n[initial.qd]\nq = 1\n\
         [[event]]\nname = \"passes\"\nwhen = \"q - 0.1\"\nmessage = \"{HOSTILE}\"\n"
    )
}

/// Models that are refused with a message that quotes them.
fn refused() -> Vec<String> {
    let body = |text: &str| format!("[model]\nname = \"x\"\n[[body]]\n{text}\n");
    vec![
        body(&format!("name = \"{HOSTILE}\"\nparent = \"ground\"\njoint = {{ type = \"fixed\" }}")),
        body(&format!("name = \"b\"\nparent = \"{HOSTILE}\"\njoint = {{ type = \"fixed\" }}")),
        body(&format!("name = \"b\"\nparent = \"ground\"\njoint = {{ type = \"{HOSTILE}\" }}")),
        body(&format!("name = \"b\"\n\"{HOSTILE}\" = 3")),
        body("name = \"b\" \x1b[31m\r\x07"),
        format!("\x1b]0;owned\x07 = 3\n{HOSTILE}"),
        "<robot name=\"\u{9b}31m\"><link name=\"\u{202e}\"/><\u{9b}/></robot>".to_owned(),
    ]
}

/// Checks that what is printed has no character that a terminal obeys.
fn check(words: &[&str]) -> common::Run {
    let answer = run(words);
    for text in [&answer.out, &answer.err] {
        let bad = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
        assert!(!text.contains(bad), "{words:?}: {text:?}");
    }
    answer
}

#[test]
fn no_command_passes_control_characters_on() {
    let folder = Folder::new("control");
    let hostile = folder.file("plain.toml", &model());
    let named = folder.file("evil\x1b[31m\r.toml", &model());
    let mut models = vec![hostile.clone(), named, folder.path("none\x1b]0;owned\x07")];
    for (number, text) in refused().iter().enumerate() {
        models.push(folder.file(&format!("refused-{number}.toml"), text));
    }
    let mut tried = BTreeSet::new();
    for model in &models {
        let out = folder.path("out\x1b[2J");
        for words in [
            &["check", model][..],
            &["check", model, "--json"],
            &["assemble", model],
            &["convert", model],
            &["count", model, "--functions", "mass"],
            &["count", model, "--functions", "\x1b[31m"],
            &["eval", model, "mass"],
            &["eval", model, "\x1b[31m"],
            &["eval", model, "mass", "--json"],
            &["linearize", model],
            &["linearize", model, "--outputs", "\x1b[31m"],
            &["equations", model],
            &["equilibrium", model],
            &["modes", model],
            &["singular", model],
            &["singular", model, "--drives", "\x1b[31m"],
            &["singular", model, "--output", "\x1b[31m"],
            &["generate", model, "--lang", "c", "--functions", "mass", "--out", &out, "--force"],
            &["simulate", model, "--to", "0.3", "--plot", "q"],
            &["simulate", model, "--to", "0.3", "--json"],
            &["simulate", model, "--to", "0.3", "--out", &folder.path("m\x1b.csv"), "--force"],
            &["simulate", model, "--to", "0.3", "--plot", "\x1b[31m"],
            &["simulate", model, "--to", "0.1", "--strip", &folder.path("s\x1b.png"), "--force"],
            &["view", model, "--picture", &folder.path("p\x1b.svg"), "--force"],
            &["view", model, "--picture", &folder.path("p.png"), "--look", "\x1b[31m", "--force"],
            &["study", model, "--to", "0.1", "--dt", "0.01", "--vary", "q=0..0.1:2"],
            &["study", model, "--to", "0.1", "--dt", "0.01", "--vary", "\x1b[31m=0..0.1:2"],
            &["report", model, "\x1b[31m.csv", "--out", &folder.path("r\x1b.html"), "--force"],
            &["bench", model, "--functions", "\x1b[31m"],
            &["laws", model, "--out", &folder.path("l\x1b.c"), "--force"],
            &["simplify", "--file", model],
            &["diff", "x", "--by", "\x1b[31m"],
            &["completions", "\x1b[31m"],
            &["new", &folder.path("n\x1b.toml"), "--template", "\x1b[31m"],
            &["man", &out, "--force"],
        ] {
            tried.insert(words[0].to_owned());
            // Where standard output carries data, characters that JSON and TOML allow may stay.
            if words.contains(&"--json") || words[0] == "convert" {
                let answer = run(words);
                assert!(!answer.out.contains(['\x1b', '\r', '\x07']), "{words:?}: {}", answer.out);
                assert!(!answer.err.contains(|c: char| c.is_control() && c != '\n'), "{words:?}");
            } else {
                check(words);
            }
        }
    }
    assert_eq!(tried, commands().into_iter().collect(), "every command has a row above");
    // The hostile texts remain, as something to read.
    let answer = check(&["simulate", &hostile, "--to", "0.3"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(answer.out.contains("\\u{1b}[31m"), "{}", answer.out);
    // Arguments that are not understood are quoted, too.
    check(&["simulate", "\x1b[31m", "--\x1b[31m"]);
    check(&["\x1b[31m"]);
    let output = command(&["check", "no\x1bsuch"]).output().expect("the program starts");
    assert!(!output.stderr.contains(&0x1b));
}
