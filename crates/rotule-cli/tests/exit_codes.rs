//! Exit codes: every row of the manual's table, for every command that can have it.

mod common;

use common::{Folder, command, commands, run};
use std::fs;
use std::process::Stdio;

const CRANK: &str = "examples/slider_crank.toml";
/// It calls an external function.
const ARM: &str = "examples/formats/arm.mbs";

/// Every command with a model, or an expression, as its argument; `OUT` is a place for a folder,
/// `IN.csv` a table.
const COMMANDS: &[&[&str]] = &[
    &["simplify", "--file", "MODEL"],
    &["diff", "--file", "MODEL", "--by", "x"],
    &["check", "MODEL"],
    &["assemble", "MODEL"],
    &["convert", "MODEL"],
    &["count", "MODEL", "--functions", "mass"],
    &["eval", "MODEL", "mass"],
    &["linearize", "MODEL"],
    &["equations", "MODEL"],
    &["equilibrium", "MODEL"],
    &["modes", "MODEL"],
    &["singular", "MODEL"],
    &["generate", "MODEL", "--lang", "c", "--functions", "mass", "--out", "OUT"],
    &["simulate", "MODEL", "--to", "0.1"],
    &["report", "MODEL", "IN.csv", "--out", "OUT.html"],
    &["view", "MODEL", "--picture", "PNG"],
    &["study", "MODEL", "--to", "0.1", "--dt", "0.01", "--vary", "q1.d=1..2:2"],
    &["laws", "MODEL", "--out", "OUT.c"],
    &["bench", "MODEL", "--functions", "mass", "--repeats", "1", "--milliseconds", "1"],
];

/// A command with a model and a place; expressions are files of their own.
fn words(folder: &Folder, command: &[&str], model: &str) -> Vec<String> {
    let expression = folder.file("expression.txt", "x + x");
    let expressions = matches!(command[0], "simplify" | "diff") && model == CRANK;
    let word = |word: &&str| match *word {
        "MODEL" if expressions => expression.clone(),
        "MODEL" if command[0] == "laws" && model == CRANK => ARM.to_owned(),
        // A crank that is not held has no equilibrium but at its dead centres.
        "MODEL" if command[0] == "equilibrium" && model == CRANK => {
            "examples/pendulum.toml".to_owned()
        }
        "MODEL" => model.to_owned(),
        "PNG" => folder.path(&format!("{}.png", model.replace('/', "-"))),
        "OUT" => folder.path(&format!("out-{}", model.replace('/', "-"))),
        "IN.csv" => {
            let text = "t,x.y\n0,1\n1,2\n";
            folder.file(&format!("in-{}.csv", model.replace('/', "-")), text)
        }
        "OUT.html" => folder.path(&format!("out-{}.html", model.replace('/', "-"))),
        "OUT.c" => folder.path(&format!("out-{}.c", model.replace('/', "-"))),
        other => other.to_owned(),
    };
    command.iter().map(word).collect()
}

fn code(words: &[String]) -> (Option<i32>, String) {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let answer = run(&words);
    (answer.code, answer.err)
}

/// The codes of the manual's table.
fn table() -> Vec<i32> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/manual/exit-codes.md");
    let text = fs::read_to_string(path).expect("the manual");
    let table = text.split("## Signals").next().unwrap_or_default();
    table
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(' ').next()?.parse().ok())
        .collect()
}

#[test]
fn the_table_has_the_codes_that_are_tested_here() {
    assert_eq!(table(), [0, 1, 2, 3, 4, 5, 6, 130, 143, 101]);
}

#[test]
fn every_command_has_a_row() {
    for name in commands() {
        // These take no model: their codes are tested with what they write.
        let free = ["completions", "man", "new"].contains(&name.as_str());
        let found = free || COMMANDS.iter().any(|words| words[0] == name);
        assert!(found, "`rotule {name}` has no row in COMMANDS");
    }
}

#[test]
fn success_is_0_a_file_that_is_no_model_1_and_an_unknown_option_2() {
    let folder = Folder::new("codes");
    let broken = folder.file("broken.toml", "[model]\nname = \"x\"\n[[body]]\nname = 3 (\n");
    for command in COMMANDS {
        // What `bench` measures is another test's business; it needs compilers.
        if command[0] != "bench" {
            let (found, err) = code(&words(&folder, command, CRANK));
            assert_eq!(found, Some(0), "{command:?}: {err}");
        }
        let (found, err) = code(&words(&folder, command, &broken));
        assert_eq!(found, Some(1), "{command:?}: {err}");
        let (found, err) = code(&words(&folder, command, "no/such/file"));
        assert_eq!(found, Some(1), "{command:?}: {err}");
        let mut wrong = words(&folder, command, CRANK);
        wrong.push("--no-such-option".to_owned());
        assert_eq!(code(&wrong).0, Some(2), "{command:?}");
    }
}

#[test]
fn numbers_that_make_no_sense_for_any_model_are_2() {
    for words in [
        &["simulate", CRANK, "--to", "-1"][..],
        &["simulate", CRANK, "--to", "1e308"],
        &["simulate", CRANK, "--to", "1", "--every", "1e-300"],
        &["simulate", CRANK, "--to", "1", "--max-size", "huge"],
        &["simulate", CRANK, "--to", "1", "--flush", "0"],
        &["study", CRANK, "--to", "1", "--dt", "1e-300", "--vary", "q1.d=1..2:2"],
        &["study", CRANK, "--to", "1e308", "--dt", "1", "--vary", "q1.d=1..2:2"],
        &["bench", CRANK, "--repeats", "0"],
        &["bench", CRANK, "--against", "nobody"],
    ] {
        let answer = run(words);
        assert_eq!(answer.code, Some(2), "{words:?}: {}", answer.err);
        assert!(answer.err.contains("error: "), "{words:?}: {}", answer.err);
    }
}

#[test]
fn names_that_this_model_does_not_have_are_1() {
    let to = ["simulate", CRANK, "--to", "0.1"];
    for words in [
        &["eval", CRANK, "jacobian(nobody)"][..],
        &[&to[..], &["--channels", "nobody"]].concat(),
        &[&to[..], &["--plot", "nobody"]].concat(),
        &[&to[..], &["--set", "nobody=1"]].concat(),
        &[&to[..], &["--set", "r=long"]].concat(),
        &[&to[..], &["--independent", "nobody"]].concat(),
        &["study", CRANK, "--to", "0.1", "--vary", "nobody=1..2:2"],
        &["study", CRANK, "--to", "0.1", "--vary", "q1.d=1..2:2", "--measure", "nobody:last"],
    ] {
        let answer = run(words);
        assert_eq!(answer.code, Some(1), "{words:?}: {}", answer.err);
    }
    // Whatever could have been said about them: steps that are used up are no file's fault.
    let words = [&to[..], &["--dt", "0.01", "--max-steps", "3"]].concat();
    assert_eq!(run(&words).code, Some(3));
}

#[test]
fn an_angle_beyond_rounding_is_refused() {
    let folder = Folder::new("angle");
    let text = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/double_pendulum.toml"
    ));
    let text = text.expect("an example");
    assert!(text.contains("q1 = \"pi/2\""), "the example has an initial position");
    let model = folder.file("far.toml", &text.replace("q1 = \"pi/2\"", "q1 = 1e17"));
    let out = folder.path("far.csv");
    let answer = run(&["simulate", &model, "--to", "1", "--out", &out]);
    assert_eq!(answer.code, Some(1), "{}", answer.err);
    assert!(answer.err.contains("`q1` is 1e17 rad initially"), "{}", answer.err);
    assert_eq!(folder.names(), ["far.toml"]);
    let words = [
        "study",
        "examples/double_pendulum.toml",
        "--to",
        "1",
        "--dt",
        "0.1",
        "--vary",
        "q1=0..1e17:2",
    ];
    let answer = run(&words);
    assert!(answer.out.contains("is 1e17 rad initially"), "{}", answer.out);
}

#[test]
fn a_motion_that_cannot_go_on_is_3_and_a_warning_with_strict_5() {
    let folder = Folder::new("three");
    let text = |law: &str, range: &str| {
        format!(
            "[model]\nname = \"law\"\ngravity = [0, -9.81, 0]\n\
             [[body]]\nname = \"bob\"\nparent = \"ground\"\n\
             joint = {{ name = \"q\", type = \"revolute\", axis = \"z\", effort = \"{law}\"{range} }}\n\
             mass = 1\ncom = [0, -1, 0]\n[initial.qd]\nq = 1\n"
        )
    };
    let stuck = folder.file("stuck.toml", &text("sqrt(0.2 - q)", ""));
    let warned = folder.file("warned.toml", &text("0", ", range = [-0.1, 0.1]"));
    assert_eq!(run(&["simulate", &stuck, "--to", "2"]).code, Some(3));
    let study = ["study", &stuck, "--to", "2", "--dt", "0.01", "--vary", "q.d=1..2:2"];
    assert_eq!(run(&study).code, Some(3));
    assert_eq!(run(&["simulate", &warned, "--to", "1"]).code, Some(0));
    assert_eq!(run(&["simulate", &warned, "--to", "1", "--strict"]).code, Some(5));
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_4_in_every_command() {
    let folder = Folder::new("full");
    for one in COMMANDS.iter().filter(|one| one[0] != "bench") {
        let words = words(&folder, one, CRANK);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
        let output = command(&words).stdout(full).output().expect("the program starts");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(4), "{words:?}: {err}");
        assert!(err.contains("No space left"), "{words:?}: {err}");
    }
    let there = folder.file("there", "mine");
    for words in [
        &["convert", CRANK, "--out", &there][..],
        &["assemble", CRANK, "--out", &there],
        &["generate", CRANK, "--lang", "c", "--out", &there],
        &["simulate", CRANK, "--to", "1", "--out", &there],
        &["simulate", CRANK, "--to", "1", "--report", &there],
        &["study", CRANK, "--to", "1", "--dt", "0.1", "--vary", "q1.d=1..2:2", "--out", &there],
    ] {
        let answer = run(words);
        assert_eq!(answer.code, Some(4), "{words:?}: {}", answer.err);
        assert_eq!(fs::read_to_string(&there).expect("still there"), "mine");
    }
}

/// A command that waits for its model gets the signal.
#[cfg(unix)]
#[test]
fn a_signal_is_130_or_143_in_every_command() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let folder = Folder::new("signals");
    for one in COMMANDS {
        for (signal, code, word) in
            [(Signal::SIGINT, 130, "interrupted"), (Signal::SIGTERM, 143, "terminated")]
        {
            let words = words(&folder, one, "-");
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let mut child = command(&words)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the program starts");
            // Its threads listen from the first moment on; that moment is waited for.
            std::thread::sleep(std::time::Duration::from_millis(150));
            kill(Pid::from_raw(child.id().cast_signed()), signal).expect("a signal");
            let input = child.stdin.take();
            let output = child.wait_with_output().expect("an end");
            drop(input);
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(code), "{words:?}: {err}");
            assert!(err.contains(word), "{words:?}: {err}");
        }
    }
}
