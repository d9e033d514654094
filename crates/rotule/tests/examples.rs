//! The examples, run as a user runs them: from the root of the project.

use std::path::PathBuf;
use std::process::Command;

/// Runs an example that was built beside this test, and gives what it prints.
fn run(name: &str) -> String {
    let own = std::env::current_exe().expect("a test has a path");
    let folder = own.parent().and_then(|deps| deps.parent()).expect("tests are built in `deps`");
    let program: PathBuf = folder.join("examples").join(name);
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let output = Command::new(&program).current_dir(root).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{name}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn check(name: &str, expected: &[&str]) {
    let out = run(name);
    for line in expected {
        assert!(out.contains(line), "{name} does not print `{line}`:\n{out}");
    }
}

#[test]
fn torques_of_a_robot() {
    check("evaluate", &["inverse: 239 operations", "wrist_3"]);
}

#[test]
fn many_states() {
    check("batch", &["100000 mass matrices"]);
}

#[test]
fn a_closed_loop_with_an_observer() {
    check("observe", &["the slider came to 0.34"]);
}

#[test]
fn code() {
    check("generate", &["ur5.h", "ur5.c"]);
}

#[test]
fn a_mechanism_in_code() {
    check("build", &["M[1,1]", "after one second: q1 = "]);
}

#[test]
fn a_law_in_rust() {
    check("custom_law", &["energy: "]);
}

#[test]
fn many_motions() {
    check("study", &["9.0 rad/s"]);
}

/// Two point masses of 1 kg on rods of 1 m: the squares of the frequencies are `g/l (2 -+ sqrt 2)`.
#[test]
fn modes_of_a_double_pendulum() {
    let squares = [2.0 - 2.0_f64.sqrt(), 2.0 + 2.0_f64.sqrt()];
    let [slow, fast] = squares.map(|square| format!("{:.6} rad/s", (9.81 * square).sqrt()));
    check("linear_algebra", &[&slow, &fast]);
}
