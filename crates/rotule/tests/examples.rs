//! The examples, run as a user runs them: in any folder, with a file of a robot or without.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Runs an example that was built beside this test, in a folder without files of the project, and
/// gives what it prints.
fn run(name: &str, arguments: &[&str]) -> String {
    run_in(name, arguments, &std::env::temp_dir())
}

fn run_in(name: &str, arguments: &[&str], place: &Path) -> String {
    let own = std::env::current_exe().expect("a test has a path");
    let folder = own.parent().and_then(|deps| deps.parent()).expect("tests are built in `deps`");
    let program: PathBuf = folder.join("examples").join(name);
    let output = Command::new(&program).args(arguments).current_dir(place).output();
    let output = output.unwrap_or_else(|error| {
        panic!("{}: {error}; run `cargo build -p rotule --examples` first", program.display())
    });
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{name}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn check(name: &str, expected: &[&str]) {
    check_with(name, &[], expected);
}

fn check_with(name: &str, arguments: &[&str], expected: &[&str]) {
    let out = run(name, arguments);
    for line in expected {
        assert!(out.contains(line), "{name} does not print `{line}`:\n{out}");
    }
}

/// The first program, in a folder of its own beside the file of its robot.
#[test]
fn the_first_program() {
    let folder = std::env::temp_dir().join(format!("rotule-start-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let robot = Path::new(ROOT).join("examples/robots/ur5.urdf");
    fs::copy(robot, folder.join("ur5.urdf")).expect("a robot");
    let out = run_in("start", &[], &folder);
    assert!(out.contains("N m") && out.contains("2 of 2 s, reached"), "{out}");
    assert!(folder.join("out/ur5.c").exists());
    fs::remove_dir_all(&folder).expect("the folder is ours");
}

/// The README and the first page of the documentation show the lines of the first program.
#[test]
fn the_first_program_is_quoted() {
    let program = include_str!("../examples/start.rs");
    let lines = program.lines().map(str::trim);
    let body = lines.skip_while(|line| !line.starts_with("let robot")).take(7);
    let readme = fs::read_to_string(Path::new(ROOT).join("README.md")).expect("a README");
    for line in body {
        assert!(readme.contains(line), "README.md does not show `{line}`");
        let front = include_str!("../src/lib.rs");
        assert!(front.contains(line), "the first page does not show `{line}`");
    }
}

/// A user has no crate of the project but the library.
#[test]
fn examples_need_the_library_alone() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    for entry in fs::read_dir(folder).expect("examples") {
        let path = entry.expect("an example").path();
        let text = fs::read_to_string(&path).expect("a text");
        for line in text.lines().filter(|line| line.starts_with("use ")) {
            let known = ["use rotule::", "use std::", "use nalgebra::"];
            let of_library = known.iter().any(|start| line.starts_with(start));
            assert!(of_library && !line.contains("layers"), "{}: {line}", path.display());
        }
        assert!(!text.contains("rotule_"), "{} names another crate", path.display());
    }
}

/// Examples that take the file of a robot run with it, and without it.
const UR5: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/robots/ur5.urdf");

#[test]
fn a_robot_under_control() {
    for arguments in [&[][..], &[UR5]] {
        check_with("control", arguments, &["all joints are within 0.05 rad of the target after "]);
    }
}

#[test]
fn torques_of_a_robot() {
    check("evaluate", &["inverse: ", "shoulder", "elbow"]);
    check_with("evaluate", &[UR5], &["inverse: 225 operations", "wrist_3"]);
}

#[test]
fn many_states() {
    check("batch", &["100000 mass matrices"]);
    check_with("batch", &[UR5], &["100000 mass matrices"]);
}

#[test]
fn a_closed_loop_with_an_observer() {
    check("observe", &["the rocker swung down to 1.52"]);
}

#[test]
fn code() {
    check("generate", &["arm.h", "arm.c"]);
    check_with("generate", &[UR5], &["ur5.h", "ur5.c"]);
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
