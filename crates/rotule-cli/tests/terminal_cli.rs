//! The program at a terminal: colours, quiet commands, tables, hints, completions and manual pages.

mod common;

use common::{Folder, Run, command, run};
use std::process::Stdio;

const CRANK: &str = "examples/slider_crank.toml";
const ARM: &str = "examples/formats/arm.urdf";

/// A run with variables of the environment.
fn run_in(environment: &[(&str, &str)], words: &[&str]) -> Run {
    let mut command = command(words);
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
        command.env_remove(name);
    }
    command.envs(environment.iter().copied()).stdin(Stdio::null());
    command.output().expect("the program starts").into()
}

#[test]
fn pipes_and_those_who_do_not_want_them_get_no_colours() {
    let check = |environment: &[(&str, &str)], colours: bool| {
        let answer = run_in(environment, &["check", ARM]);
        assert_eq!(answer.err.contains('\u{1b}'), colours, "{environment:?} {}", answer.err);
        assert_eq!(answer.out.contains('\u{1b}'), colours, "{environment:?} {}", answer.out);
    };
    check(&[], false);
    check(&[("CLICOLOR_FORCE", "1")], true);
    check(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false);
    check(&[("TERM", "dumb")], false);
}

/// The program at a terminal of its own, which `script` makes; none where that is not installed.
fn at_terminal(environment: &str, line: &str) -> Option<String> {
    let program = env!("CARGO_BIN_EXE_rotule");
    let words =
        format!("env -u NO_COLOR -u CLICOLOR -u CLICOLOR_FORCE {environment} {program} {line}");
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &words, "/dev/null"]).stdin(Stdio::null());
    script.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    Some(String::from_utf8_lossy(&script.output().ok()?.stdout).into_owned())
}

#[test]
fn terminals_get_colours_unless_they_are_dumb() {
    let line = format!("check {ARM}");
    for (environment, colours) in [
        ("TERM=xterm", true),
        ("TERM=dumb", false),
        ("TERM=dumb CI=1", false),
        ("TERM=xterm NO_COLOR=1", false),
        ("TERM=xterm CLICOLOR=0", false),
    ] {
        let Some(shown) = at_terminal(environment, &line) else { return };
        assert!(shown.contains("degrees of freedom"), "{shown}");
        assert_eq!(shown.contains('\u{1b}'), colours, "{environment}: {shown:?}");
    }
}

#[test]
fn findings_stand_in_full_in_check_alone() {
    let whole = run(&["check", ARM]);
    assert!(whole.err.contains("note[snapped]") && whole.err.contains("-->"), "{}", whole.err);
    for words in [
        &["convert", ARM][..],
        &["count", ARM, "--functions", "mass"],
        &["eval", ARM, "mass"],
        &["equations", ARM, "mass"],
        &["assemble", ARM],
        &["simulate", ARM, "--to", "0.1"],
    ] {
        let answer = run(words);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        assert_eq!(answer.err, format!("2 notes: see rotule check {ARM}\n"), "{words:?}");
        let quiet = run(&[words, &["-q"]].concat());
        assert_eq!((quiet.code, quiet.err.as_str()), (Some(0), ""), "{words:?}");
    }
    let folder = Folder::new("counts");
    let more = folder.file("a law.toml", "[[joint]]\nname = \"elbow\"\neffort = \"-qd\"\n");
    let answer = run(&["eval", ARM, "mass", "--with", &more, "--merge-fixed"]);
    let expected = format!("see rotule check {ARM} --with '{more}' --merge-fixed\n");
    assert!(answer.err.ends_with(&expected), "{}", answer.err);
}

#[test]
fn quiet_commands_show_errors_and_what_is_requested() {
    let silent = |words: &[&str]| {
        let answer = run(words);
        assert_eq!((answer.code, answer.out + &answer.err), (Some(0), String::new()), "{words:?}");
    };
    let folder = Folder::new("quiet");
    silent(&["check", CRANK, "-q"]);
    silent(&["-q", "simulate", CRANK, "--to", "0.1"]);
    silent(&["simulate", CRANK, "--to", "0.1", "--quiet", "--out", &folder.path("m.csv")]);
    silent(&["study", CRANK, "--to", "0.1", "--vary", "l1=0.1..0.14:2", "-q"]);
    silent(&["generate", CRANK, "--lang", "c", "--out", &folder.path("c"), "-q"]);
    silent(&["man", &folder.path("man"), "-q"]);
    let result = run(&["simulate", CRANK, "--to", "0.1", "-q", "--json"]);
    assert!(result.out.starts_with('{'), "{}", result.out);
    let plot = run(&["simulate", CRANK, "--to", "0.1", "-q", "--plot", "q1"]);
    assert!(plot.out.contains("[rad]") && !plot.out.contains("verdict"), "{}", plot.out);
    let broken = folder.file("broken.toml", "[model]\nnam = 1\n");
    let answer = run(&["check", &broken, "-q"]);
    assert_eq!(answer.code, Some(1));
    assert!(answer.err.contains("did you mean `name`?"), "{}", answer.err);
}

#[test]
fn a_run_shows_its_coordinates_and_its_files() {
    let folder = Folder::new("files");
    let (table, page) = (folder.path("m.csv"), folder.path("m.html"));
    let answer = run(&["simulate", CRANK, "--to", "0.2", "--out", &table, "--report", &page]);
    let out = answer.out;
    assert!(out.contains("\ncoordinate     start"), "{out}");
    let row = out.lines().find(|line| line.starts_with("q1 [rad]")).expect("a row");
    let numbers: Vec<f64> =
        row.split_whitespace().skip(2).map(|cell| cell.parse().expect(cell)).collect();
    let [start, end, least, largest] = numbers[..] else { panic!("{row}") };
    assert!(
        (start - std::f64::consts::FRAC_PI_3).abs() < 1e-4 && least <= start && largest >= end,
        "{row}"
    );
    let written = |path: &str| out.lines().find(|line| line.starts_with(&format!("wrote {path}")));
    assert!(written(&table).is_some_and(|line| line.contains("1001 rows, ")), "{out}");
    assert!(written(&page).is_some_and(|line| line.ends_with("kB")), "{out}");
    // The report on the energy and on the coordinates does not depend on the kept channels.
    let line = |text: &str, word: &str| {
        text.lines().find(|line| line.starts_with(word)).map(str::to_owned)
    };
    for channels in ["q1", "energies", "energy.kinetic", "speeds"] {
        let other = run(&["simulate", CRANK, "--to", "0.2", "--channels", channels]).out;
        for word in ["energy drift", "q1 [rad]"] {
            assert_eq!(line(&other, word), line(&out, word), "{channels}: {other}");
        }
    }
    let large = run(&["simulate", "examples/n_pendulum_8.toml", "--to", "0.1"]).out;
    assert!(line(&large, "q8 [rad]").is_some(), "{large}");
    let train = run(&["simulate", "examples/train_20.toml", "--to", "0.01"]).out;
    assert!(train.contains(" more: --json lists all\n"), "{train}");
}

#[test]
fn a_study_shows_its_grid_and_draws_it() {
    let folder = Folder::new("grid");
    let page = folder.path("study.html");
    let grid = ["study", CRANK, "--to", "0.2", "--vary", "l1=0.1..0.14:5", "--measure", "q3:max"];
    let answer = run(&[&grid[..], &["--report", &page]].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let out = answer.out;
    assert!(out.contains("sample  l1 [m]  q3:max [m]  verdict"), "{out}");
    assert!(out.lines().any(|line| line.starts_with("5         0.14")), "{out}");
    assert!(out.contains("q3:max over l1 [m]") && out.contains("0.14 m l1"), "{out}");
    assert!(out.contains("steps of 0.0002 s until"), "{out}");
    let html = std::fs::read_to_string(&page).expect("a page");
    assert!(html.contains("q3:max over l1") && html.contains("\"time\":false"));
    // Every method runs, alone where lanes cannot.
    let (alone, lanes) = ("5, 5 run alone", "4 motions at once");
    for (method, words, how) in [
        ("dop853", "dop853, tolerances 1e-8 and 1e-10 until", alone),
        ("radau", "radau, tolerances", alone),
        ("bdf", "bdf, tolerances", alone),
        ("dormand-prince", "dormand-prince, tolerances", alone),
        ("euler", "euler, steps of 0.0002 s", lanes),
        ("hht", "hht, steps of 0.0002 s", alone),
    ] {
        let answer = run(&[&grid[..], &["--method", method]].concat());
        assert_eq!(answer.code, Some(0), "{method}: {}", answer.err);
        assert!(answer.out.contains(words), "{}", answer.out);
        assert!(answer.out.contains(how), "{}", answer.out);
    }
    let refused = run(&[&grid[..], &["--method", "rk5"]].concat());
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("did you mean"), "{}", refused.err);
    let again = run(&[&grid[..], &["--report", &page]].concat());
    assert_eq!(again.code, Some(4), "{}", again.err);
}

#[test]
fn check_keeps_driven_coordinates_apart() {
    let folder = Folder::new("driven");
    let model = std::fs::read_to_string("../../examples/five_bar.toml").expect("a model");
    let motion = "\n[[motion]]\njoint = \"q1\"\nq = \"2 + 0.1*sin(t)\"\n";
    let driven = folder.file("driven.toml", &(model + motion));
    let out = run(&["check", &driven]).out;
    let row = |word: &str| {
        let (_, closure) = out.split_once("\nclosure\n").expect("a section");
        let line = closure.lines().find_map(|line| line.trim_start().strip_prefix(word));
        line.map(str::trim)
    };
    assert_eq!(row("independent"), Some("q3"), "{out}");
    assert_eq!(row("driven "), Some("q1"), "{out}");
    let json = run(&["check", &driven, "--json"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let partition = &json["closure"]["partition"];
    assert_eq!(partition["independent"], serde_json::json!(["q3"]));
    assert_eq!(partition["driven"], serde_json::json!(["q1"]));
}

#[test]
fn mistyped_options_get_the_nearest() {
    let answer = run(&["simulate", CRANK, "--tp", "2"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.err.starts_with("error: there is no option `--tp`\n"), "{}", answer.err);
    assert!(answer.err.contains("  = help: did you mean `--to`?\n"), "{}", answer.err);
    assert!(answer.err.contains("Usage: rotule simulate"), "{}", answer.err);
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let verbs = ["simplify", "check", "simulate", "study", "bench", "completions", "man"];
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let answer = run(&["completions", shell]);
        assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""), "{shell}");
        assert!(verbs.iter().all(|verb| answer.out.contains(verb)), "{shell}");
        assert!(answer.out.contains("max-samples"), "{shell}");
    }
    let folder = Folder::new("man");
    let answer = run(&["man", &folder.path("pages")]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    for verb in verbs {
        let path = folder.path(&format!("pages/rotule-{verb}.1"));
        let page = std::fs::read_to_string(&path).expect("a page");
        assert!(
            page.contains(&format!(".TH rotule\\-{verb}"))
                || page.contains(&format!(".TH rotule-{verb}")),
            "{page}"
        );
    }
    assert!(run(&["man"]).out.contains(".SH SYNOPSIS"));
}

#[test]
fn help_shows_defaults_and_alternatives() {
    for (verb, expected) in [
        ("simulate", "[default: 1e-8]"),
        ("study", "[default: rk4]"),
        ("bench", "[default: both]"),
        ("generate", "[default: 0]"),
    ] {
        let help = run(&[verb, "--help"]).out;
        assert!(help.contains(expected), "{verb}: {help}");
        assert!(help.contains("-q, --quiet"), "{verb}: {help}");
    }
}
