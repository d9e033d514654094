//! `rotule new` from flags: files that `check` and `simulate` take, what is refused, what is left
//! as it was.

mod common;

use common::{Folder, run, run_with_input};

const ARM: &[&str] = &[
    "--body",
    "upper: ground revolute y, mass 2, length 0.5 -z",
    "--body",
    "lower: upper.end revolute y, mass 1 kg, length 400 mm -z",
    "--initial",
    "q1 = 30 deg",
    "--initial",
    "q2.d = -2",
    "--spring",
    "ground.hook lower.end, stiffness k, damping 1",
    "--parameter",
    "k = 10 N/m, stiffness of the spring",
    "--point",
    "ground.hook: 1, 0, 0",
    "--gravity",
    "-z 9.8",
    "--about",
    "Two rods.",
];

fn words<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["new", file], more].concat()
}

#[test]
fn a_file_from_flags_is_checked_and_simulated_without_a_word() {
    let folder = Folder::new("new-flags");
    let file = folder.path("arm.toml");
    let written = run(&words(&file, ARM));
    assert_eq!((written.code, written.err.as_str()), (Some(0), ""), "{}", written.err);
    let shown = "2 bodies, 2 coordinates, 2 degrees of freedom\n\nNext:\n  rotule check ";
    assert!(written.out.contains(shown), "{}", written.out);
    // What it says to do next can be done as it stands.
    for command in written.out.lines().filter_map(|line| line.strip_prefix("  rotule ")) {
        let page = folder.path("motion.html");
        let command = command.replace("motion.html", &page);
        let answer = run(&command.split_whitespace().collect::<Vec<_>>());
        assert_eq!(answer.code, Some(0), "{command}\n{}", answer.err);
        assert!(!answer.err.contains("warning"), "{command}\n{}", answer.err);
    }
    assert_eq!(folder.names(), ["arm.toml", "motion.html"]);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("# Two rods.\n#\n"), "{text}");
    assert!(text.contains("gravity = [0, 0, -9.8]") && text.contains("q1 = \"30 deg\""), "{text}");
}

#[test]
fn the_file_can_go_to_standard_output() {
    let written = run(&words("-", &["--template", "pendulum", "--name", "swing"]));
    assert_eq!((written.code, written.err.as_str()), (Some(0), ""));
    assert!(written.out.contains("name = \"swing\"") && !written.out.contains("wrote"));
    let checked = run_with_input(&["check", "-"], written.out.as_bytes());
    assert_eq!((checked.code, checked.err.as_str()), (Some(0), ""));
}

#[test]
fn an_old_file_stays_unless_it_is_forced() {
    let folder = Folder::new("new-force");
    let file = folder.file("old.toml", "old");
    let refused = run(&words(&file, ARM));
    assert_eq!(refused.code, Some(4), "{}", refused.err);
    assert!(refused.err.contains("--force"), "{}", refused.err);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
    let forced = run(&words(&file, &[ARM, &["--force"]].concat()));
    assert_eq!(forced.code, Some(0), "{}", forced.err);
    assert!(std::fs::read_to_string(&file).unwrap().contains("[[body]]"));
}

#[test]
fn no_question_is_asked_and_nothing_written_without_a_terminal() {
    let folder = Folder::new("new-pipe");
    let file = folder.path("arm.toml");
    let check = |words: &[&str], missing: &str| {
        let answer = run_with_input(words, b"yes\nyes\n");
        assert_eq!((answer.code, answer.out.as_str()), (Some(2), ""), "{words:?}");
        assert!(answer.err.contains(&format!("error: missing {missing};")), "{}", answer.err);
        assert!(answer.err.contains("= help: rotule new"), "{}", answer.err);
    };
    check(&["new"], "FILE and --template or --body");
    check(&["new", &file], "--template or --body");
    check(&["new", "--template", "pendulum"], "FILE");
    check(&["new", &file, "--parameter", "l = 1"], "--template or --body");
    assert!(folder.names().is_empty());
}

#[test]
fn what_is_wrong_is_named_and_nothing_is_written() {
    let folder = Folder::new("new-wrong");
    let check = |name: &str, more: &[&str], code: i32, message: &str| {
        let file = folder.path(name);
        let answer = run(&words(&file, more));
        assert_eq!((answer.code, answer.out.as_str()), (Some(code), ""), "{}", answer.err);
        assert!(answer.err.contains(message), "{message}\n{}", answer.err);
        assert!(folder.names().is_empty(), "{message}");
    };
    check("a.toml", &["--template", "pendlum"], 2, "did you mean `pendulum`?");
    check("a.toml", &["--template", "arm-1000000000"], 2, "from 1 to 100");
    check("a.urdf", &["--template", "pendulum"], 2, "name it ");
    check("no/a.toml", &["--template", "pendulum"], 4, "there is no folder");
    check("a.toml", &["--body", "arm: ground revolut y"], 1, "did you mean `revolute`?");
    check("a.toml", &["--body", "arm: ground revolute y, mass m, length 1"], 1, "`m`");
    check("a.toml", &["--body", "a\u{1b}[2J: ground revolute y"], 1, "\\u{1b}[2J");
    check("a.toml", &["--body", "arm: ground revolute y, mass 1e999, length 1"], 1, "1e999");
    check("a.toml", &["--body", "arm: ground revolute y, mass nan, length 1"], 1, "nan");
    check("a.toml", &["--body", ""], 1, "needs a name");
    check("a.toml", &["--body", "ÄÖ\u{202e}: ground revolute y, mass 1"], 1, "\\u{202e}");
    let long = format!("{}: ground revolute y, mass 1, length 1", "x".repeat(100_000));
    check("a.toml", &["--body", &long], 1, "at most");
    let deep =
        format!("arm: ground revolute y, mass {}1{}, length 1", "(".repeat(5000), ")".repeat(5000));
    check("a.toml", &["--body", &deep], 1, "error");
}

/// Names of people and of files: letters of any script, blanks in the path.
#[test]
fn names_of_any_script_are_taken() {
    let folder = Folder::new("new-names");
    let file = folder.path("mein Modell.toml");
    let answer =
        run(&words(&file, &["--body", "Träger: ground revolute y φ, mass 2, length 30 cm"]));
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""), "{}", answer.err);
    assert!(answer.out.contains("mein Modell.toml'"), "{}", answer.out);
    let checked = run(&["check", &file]);
    assert_eq!((checked.code, checked.err.as_str()), (Some(0), ""), "{}", checked.err);
}
