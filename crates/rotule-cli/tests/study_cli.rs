//! `study` as a person meets it: every sample is what `simulate` gives alone, whatever the number
//! of threads, and mistakes are reported.

mod common;

use common::{Folder, command, run};
use std::fs;
use std::process::Stdio;
use std::time::Duration;

const CRANK: &str = "examples/slider_crank.toml";
const PENDULUM: &str = "examples/double_pendulum.toml";

/// The columns of a file that have numbers, by name.
fn columns(path: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = fs::read_to_string(path).expect("results");
    let mut lines = text.lines();
    let mut names: Vec<String> =
        lines.next().expect("names").split(',').map(str::to_owned).collect();
    names.retain(|name| name != "verdict");
    let cells = |line: &str| line.split(',').map(str::to_owned).take(names.len()).collect();
    let rows = lines.map(|line| -> Vec<String> { cells(line) });
    let number = |cell: &String| cell.parse().expect(cell);
    let rows = rows.map(|row| row.iter().map(number).collect()).collect();
    (names, rows)
}

/// The verdicts of a study.
fn verdicts(path: &str) -> Vec<String> {
    let text = fs::read_to_string(path).expect("results");
    let last = |line: &str| line.rsplit(',').next().map(str::to_owned);
    let mut all = text.lines().filter_map(last);
    assert_eq!(all.next().as_deref(), Some("verdict"));
    all.collect()
}

/// Rows of a study.
fn rows(folder: &Folder, words: &[&str]) -> (Vec<String>, Vec<Vec<f64>>) {
    let out = folder.path("study.csv");
    let answer = run(&[&["study"], words, &["--force", "--out", &out]].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    columns(&out)
}

/// A channel over all steps, as `simulate` gives it.
fn alone(folder: &Folder, model: &str, words: &[&str], channel: &str) -> Vec<[f64; 2]> {
    let out = folder.path("alone.csv");
    let fixed = ["simulate", model, "--every", "step", "--channels", "all", "--force", "--out"];
    let answer = run(&[&fixed, &[out.as_str()][..], words].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let (names, rows) = columns(&out);
    let name = |name: &String| name.split(' ').next() == Some(channel);
    let at = names.iter().position(name).expect("the channel");
    rows.iter().map(|row| [row[0], row[at]]).collect()
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{found} {expected}");
}

/// The time mean of something by the trapezoidal rule.
fn mean(curve: &[[f64; 2]], of: fn(f64) -> f64) -> f64 {
    let area: f64 = curve
        .windows(2)
        .map(|pair| 0.5 * (pair[1][0] - pair[0][0]) * (of(pair[0][1]) + of(pair[1][1])))
        .sum();
    area / (curve[curve.len() - 1][0] - curve[0][0])
}

/// All kinds of measures, for parameters that differ in every lane.
#[test]
fn samples_are_what_simulate_gives() {
    let folder = Folder::new("study");
    let (names, found) = rows(
        &folder,
        &[
            PENDULUM,
            "--to",
            "0.7",
            "--dt",
            "0.003",
            "--vary",
            "m2=0.5..2:3",
            "--vary",
            "l1=0.8..1.2:2",
            "--measure",
            "q1:last",
            "--measure",
            "q2:min",
            "--measure",
            "q2.d:max",
            "--measure",
            "energy.total:mean",
            "--measure",
            "tip.position.x:rms",
            "--measure",
            "q1.dd:last",
            "--measure",
            "energy.kinetic:max",
        ],
    );
    assert_eq!(names[..4], ["sample", "m2", "l1", "q1:last"]);
    assert_eq!(names[names.len() - 2..], ["end", "status"]);
    assert_eq!(found.len(), 6);
    for (number, row) in found.iter().enumerate() {
        let (m2, l1) = ([0.5, 1.25, 2.0][number / 2], [0.8, 1.2][number % 2]);
        assert_eq!(row[..3], [number as f64 + 1.0, m2, l1]);
        let set = [format!("m2={m2}"), format!("l1={l1}")];
        let words = ["--to", "0.7", "--dt", "0.003", "--set", &set[0], "--set", &set[1]];
        let curve = |channel| alone(&folder, PENDULUM, &words, channel);
        let numbers = |channel| curve(channel).into_iter().map(|[_, x]| x).collect::<Vec<_>>();
        let most = |numbers: Vec<f64>| numbers.into_iter().fold(f64::MIN, f64::max);
        close(row[3], *numbers("q1").last().expect("a point"));
        close(row[4], numbers("q2").into_iter().fold(f64::MAX, f64::min));
        close(row[5], most(numbers("q2.d")));
        close(row[6], mean(&curve("energy.total"), |x| x));
        close(row[7], mean(&curve("tip.position.x"), |x| x * x).sqrt());
        close(row[8], *numbers("q1.dd").last().expect("a point"));
        close(row[9], most(numbers("energy.kinetic")));
        assert_eq!(row[10..], [0.7, 0.0]);
    }
}

/// A closed loop: the same branch and the same numbers; where other coordinates must become
/// independent, the sample is run alone.
#[test]
fn closed_loops() {
    let folder = Folder::new("study-loop");
    let words = ["--to", "0.4", "--dt", "1e-3"];
    let law = ["--vary", "l2=0.3..0.5:5", "--measure", "q3:last", "--measure", "q2:max"];
    let (_, found) = rows(&folder, &[&[CRANK], &words[..], &law].concat());
    assert_eq!(found.len(), 5);
    for row in &found {
        let set = format!("l2={}", row[1]);
        let words = [&words[..], &["--set", &set]].concat();
        let q3 = alone(&folder, CRANK, &words, "q3");
        close(row[2], q3[q3.len() - 1][1]);
        let q2 = alone(&folder, CRANK, &words, "q2");
        close(row[3], q2.iter().map(|point| point[1]).fold(f64::MIN, f64::max));
    }
}

/// Here other coordinates must become independent on the way, which is done alone, and said.
#[test]
fn where_others_become_independent() {
    let folder = Folder::new("study-alone");
    let model = "examples/spatial_slider_crank.toml";
    let words = ["--to", "1", "--dt", "1e-3"];
    let out = folder.path("study.csv");
    let law = ["--vary", "yA=0.1..0.11:2", "--measure", "x:mean", "--out", &out];
    let answer = run(&[&["study", model], &words[..], &law].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    // The model writes all values, which fit the first sample only.
    let told = "warning: in 1 of 2 samples, most in sample 2: initial values contradict";
    assert!(answer.err.starts_with(told), "{}", answer.err);
    assert!(answer.out.contains("2, 2 run alone"), "{}", answer.out);
    assert!(answer.out.contains("the coordinate partition should be switched"), "{}", answer.out);
    let (_, found) = columns(&out);
    for row in &found {
        assert_eq!(row[3..], [1.0, 1.0]);
        let set = format!("yA={}", row[1]);
        let curve = alone(&folder, model, &[&words[..], &["--set", &set]].concat(), "x");
        close(row[2], mean(&curve, |x| x));
    }
}

/// Events are not for lanes: all samples are run alone.
#[test]
fn events() {
    let folder = Folder::new("study-events");
    let text = "[model]\nname = \"drop\"\ngravity = [0, -9.81, 0]\n[parameters]\nh = 1\n\
         [[body]]\nname = \"ball\"\nparent = \"ground\"\n\
         joint = { name = \"y\", type = \"prismatic\", axis = \"y\" }\nmass = 1\n\
         [[event]]\nname = \"ground\"\nwhen = \"y\"\ndirection = \"falling\"\nend = true\n\
         [initial.q]\ny = \"h\"\n";
    let model = folder.file("drop.toml", text);
    let (_, found) = rows(&folder, &[&model, "--to", "9", "--dt", "0.01", "--vary", "h=1..4:2"]);
    for (row, height) in found.iter().zip([1.0_f64, 4.0]) {
        // The time of the fall.
        let expected = (2.0 * height / 9.81).sqrt();
        assert!((row[3] - expected).abs() < 1e-9, "{} {expected}", row[3]);
        assert_eq!(row[4], 1.0);
    }
}

/// Programs are written once for all samples; masses differ, and a link comes to rest at its stop
/// and leaves it again.
#[test]
fn stops() {
    let folder = Folder::new("study-stops");
    let text = "[model]\nname = \"arm\"\ngravity = [0, -9.81, 0]\n[parameters]\nm = 1\n\
         [[body]]\nname = \"a\"\nparent = \"ground\"\n\
         joint = { name = \"q1\", type = \"revolute\", axis = \"z\" }\nmass = \"m\"\ncom = [1, 0, 0]\n\
         [[body]]\nname = \"b\"\nparent = \"a\"\nposition = [1, 0, 0]\n\
         joint = { name = \"q2\", type = \"revolute\", axis = \"z\", range = [-1, 0.4], stop = { restitution = 0.2 } }\n\
         mass = 1\ncom = [1, 0, 0]\n";
    let model = folder.file("arm.toml", text);
    let words = ["--to", "2", "--dt", "0.002", "--measure", "q1:last", "--measure", "q2:last"];
    let study = |threads: &str| {
        let vary = ["--vary", "m=0.5..2.5:3", "--threads", threads];
        rows(&folder, &[&[model.as_str()], &words[..], &vary].concat()).1
    };
    let found = study("1");
    assert_eq!(found, study("3"));
    for row in &found {
        let set = format!("m={}", row[1]);
        let words = [&words[..4], &["--set", &set]].concat();
        for (at, channel) in [(2, "q1"), (3, "q2")] {
            let curve = alone(&folder, &model, &words, channel);
            assert!((row[at] - curve[curve.len() - 1][1]).abs() < 1e-9, "{row:?}");
        }
    }
}

/// Rows do not depend on threads, and other seeds give other numbers.
#[test]
fn threads_and_seeds() {
    let folder = Folder::new("study-threads");
    let study = |more: &[&str]| {
        let words = [
            PENDULUM,
            "--to",
            "0.1",
            "--dt",
            "0.01",
            "--vary",
            "q1~normal(0.3,0.1)",
            "--vary",
            "q2.d~uniform(-1,1)",
            "--samples",
            "37",
        ];
        rows(&folder, &[&words[..], more].concat()).1
    };
    let one = study(&["--threads", "1"]);
    assert_eq!(one.len(), 37);
    assert_eq!(one, study(&["--threads", "3"]));
    assert_ne!(one, study(&["--seed", "1"]));
    assert!(one.iter().all(|row| (-1.0..1.0).contains(&row[2]) && row[6] == 0.0));
}

/// Quaternions keep their length in lanes, too.
#[test]
fn quaternions() {
    let folder = Folder::new("study-top");
    let words = ["--to", "0.3", "--dt", "2e-3"];
    let model = "examples/heavy_top.toml";
    let measure = ["--measure", "energy.total:last"];
    let (_, found) =
        rows(&folder, &[&[model], &words[..], &["--vary", "m=10..20:3"], &measure].concat());
    assert_eq!(found.len(), 3);
    for row in &found {
        let set = format!("m={}", row[1]);
        let words = [&words[..], &["--set", &set]].concat();
        let energy = alone(&folder, model, &words, "energy.total");
        close(row[2], energy[energy.len() - 1][1]);
    }
}

/// A sample that cannot be continued is marked; the others are not disturbed.
#[test]
fn a_sample_may_fail() {
    let folder = Folder::new("study-fail");
    let text = "[model]\nname = \"law\"\ngravity = [0, -9.81, 0]\n[parameters]\na = 1\n\
         [[body]]\nname = \"bob\"\nparent = \"ground\"\n\
         joint = { name = \"q\", type = \"revolute\", axis = \"z\", effort = \"sqrt(a - t)\" }\n\
         mass = 1\ncom = [0, -1, 0]\n";
    let model = folder.file("law.toml", text);
    let out = folder.path("study.csv");
    let words =
        ["study", &model, "--to", "1", "--dt", "0.01", "--vary", "a=0.5..2:4", "--out", &out];
    let answer = run(&words);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(answer.err.contains("1 of 4 samples failed"), "{}", answer.err);
    assert!(answer.out.contains("sample 1 failed at t = 0.5 s"), "{}", answer.out);
    let (_, found) = columns(&out);
    assert_eq!(found[0][4], 2.0);
    assert!(found[0][2].is_nan() && (found[0][3] - 0.5).abs() < 0.02);
    assert!(found[1..].iter().all(|row| row[4] == 0.0 && row[2].is_finite()));
    let good = alone(&folder, &model, &["--to", "1", "--dt", "0.01", "--set", "a=1.5"], "q");
    close(found[2][2], good[good.len() - 1][1]);
    // None of them reaches the end.
    let none = run(&["study", &model, "--to", "1", "--dt", "0.01", "--vary", "a=0.1..0.2:2"]);
    assert_eq!(none.code, Some(3), "{}", none.err);
    // Statistics of no numbers are not printed.
    assert!(!none.out.contains("nan") && !none.out.contains("mean"), "{}", none.out);
}

#[test]
fn mistakes_are_reported() {
    let cases = [
        ("--vary", "q1", "missing `=` or `~`"),
        ("--vary", "q1=1", "missing `..`"),
        ("--vary", "q1=1..2", "missing `:N`"),
        ("--vary", "q1=1..2:0", "N must be a positive integer"),
        ("--vary", "q1=a..2:3", "`a` is not a number"),
        ("--vary", "q1~gamma(1,2)", "expected one of normal, uniform"),
        ("--vary", "q1~normal(1,-2)", "must not be negative"),
        ("--vary", "q1~uniform(2,1)", "the lower bound exceeds the upper bound"),
        ("--vary", "m3=1..2:3", "did you mean `m"),
        ("--vary", "stiffness=1..2:3", "expected one of "),
        ("--measure", "q1", "missing `:KIND`"),
        ("--measure", "q1:median", "no kind `median`"),
        ("--measure", "q7:last", "did you mean `q"),
        ("--samples", "3", "needs a random variation"),
        ("--to", "-1", "give a positive number"),
    ];
    for (option, value, message) in cases {
        let mut words = vec!["study", PENDULUM, "--dt", "0.1"];
        if option != "--to" {
            words.extend(["--to", "0.1"]);
        }
        if option != "--vary" {
            words.extend(["--vary", "q1=0..1:2"]);
        }
        words.extend([option, value]);
        let answer = run(&words);
        // An argument that makes no sense for any model is reported before the model is read.
        let code = if option == "--to" { 2 } else { 1 };
        assert_eq!(answer.code, Some(code), "{words:?} {}", answer.err);
        assert!(answer.err.contains(message), "{words:?} {}", answer.err);
    }
}

/// Ctrl-C keeps the rows that are done.
#[cfg(unix)]
#[test]
fn interrupted() {
    let folder = Folder::new("study-stop");
    let out = folder.path("study.csv");
    let words = [
        "study",
        PENDULUM,
        "--to",
        "0.1",
        "--dt",
        "1e-4",
        "--vary",
        "q1~uniform(0,1)",
        "--samples",
        "1000000",
        "--out",
        &out,
    ];
    let child = command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the program starts");
    let begun = std::time::Instant::now();
    while begun.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(200));
        if fs::metadata(format!("{out}.part")).is_ok_and(|file| file.len() > 1000) {
            break;
        }
    }
    let id = child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let answer = child.wait_with_output().expect("the program ends");
    assert_eq!(answer.status.code(), Some(130));
    let message = String::from_utf8_lossy(&answer.stderr).into_owned();
    assert!(message.contains("up to there are kept"), "{message}");
    let (names, found) = columns(&out);
    assert!(found.iter().all(|row| row.len() == names.len()) && !found.is_empty());
}

/// Side by side and alone, a sample gets the verdict that `simulate` gives.
#[test]
fn every_row_has_a_verdict() {
    let folder = Folder::new("study-verdict");
    let text = |event: &str| {
        format!(
            "[model]\nname = \"pendulum\"\ngravity = [0, -9.81, 0]\n\
             [[body]]\nname = \"bob\"\nparent = \"ground\"\n\
             joint = {{ name = \"q\", type = \"revolute\", axis = \"z\", range = [-1, 1] }}\n\
             mass = 1\ncom = [0, -1, 0]\n{event}"
        )
    };
    // With an event, which never happens, all samples are run alone.
    let event = "[[event]]\nname = \"never\"\nwhen = \"q - 100\"\nmessage = \"far\"\n";
    for (event, alone) in [("", false), (event, true)] {
        let model = folder.file("ranged.toml", &text(event));
        let out = folder.path("study.csv");
        let words = ["study", &model, "--to", "2", "--dt", "0.01", "--vary", "q=0.3..1.2:4"];
        let answer = run(&[&words[..], &["--out", &out, "--force"]].concat());
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        assert_eq!(answer.out.contains("run alone"), alone, "{}", answer.out);
        assert_eq!(verdicts(&out), ["ok", "ok", "ok", "range"]);
        assert!(answer.out.contains("1: range"), "{}", answer.out);
        let (names, rows) = columns(&out);
        assert_eq!(names.len(), rows[0].len());
    }
}

#[test]
fn pages_tell_parameters_command_and_version() {
    let folder = Folder::new("pages");
    let pages: [&[&str]; 4] = [
        &["study", PENDULUM, "--to", "0.1", "--vary", "m2=1..2:2", "--measure", "q2:max"],
        &["modes", PENDULUM, "--at", "equilibrium", "--vary", "m2=1..2:3"],
        &["modes", PENDULUM, "--at", "equilibrium"],
        &["equilibrium", PENDULUM, "--continue", "m2=1..2"],
    ];
    for words in pages {
        let path = folder.path("page.html");
        let rest = ["--set", "l1=0.75", "--force", "--report", path.as_str()];
        let answer = run(&[words, &rest].concat());
        assert_eq!(answer.code, Some(0), "{words:?}: {}", answer.err);
        let page = fs::read_to_string(&path).expect("the page");
        let section = |name: &str| {
            let begin = page.find(&format!("id=\"section-{name}\""));
            let begin = begin.unwrap_or_else(|| panic!("{words:?}: no section {name}"));
            let rest = &page[begin..];
            rest[..rest.find("</details>").unwrap_or(rest.len())].to_owned()
        };
        let origin = section("origin");
        assert!(origin.contains(&format!("rotule {}", words[0])), "{words:?}: {origin}");
        assert!(origin.contains(env!("CARGO_PKG_VERSION")), "{words:?}: {origin}");
        let parameters = section("parameters");
        assert!(
            parameters.contains("l1") && parameters.contains("0.75"),
            "{words:?}: {parameters}"
        );
    }
}
