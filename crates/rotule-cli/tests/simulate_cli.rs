//! `simulate` as a person meets it: what is computed and written, and what happens when that ends
//! early.

mod common;

use common::{Folder, command, run};
use std::fs;
use std::io::Read;
use std::process::Stdio;
use std::time::Duration;

const CRANK: &str = "examples/slider_crank.toml";

/// A pendulum with a law.
fn pendulum(folder: &Folder, law: &str) -> String {
    let text = format!(
        "[model]\nname = \"law\"\ngravity = [0, -9.81, 0]\n\
         [[body]]\nname = \"bob\"\nparent = \"ground\"\n\
         joint = {{ name = \"q\", type = \"revolute\", axis = \"z\", effort = \"{law}\" }}\n\
         mass = 1\ncom = [0, -1, 0]\n[initial.qd]\nq = 1\n"
    );
    folder.file("law.toml", &text)
}

/// The columns of a file, by name.
fn columns(path: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = fs::read_to_string(path).expect("results");
    let mut lines = text.lines();
    let names = lines.next().expect("names").split(',').map(str::to_owned).collect();
    let rows = lines.map(|line| line.split(',').map(|cell| cell.parse().expect(cell)).collect());
    (names, rows.collect())
}

#[test]
fn results_have_a_line_of_names_and_a_line_for_each_point() {
    let folder = Folder::new("simulate");
    let out = folder.path("motion.csv");
    let words = ["simulate", CRANK, "--to", "0.5", "--every", "0.05", "--out", &out];
    let answer = run(&words);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    assert!(answer.out.contains("0.5 of 0.5 s, reached"), "{}", answer.out);
    let (names, rows) = columns(&out);
    assert_eq!(names[..4], ["t [s]", "q1 [rad]", "q2 [rad]", "q3 [m]"]);
    assert_eq!(rows.len(), 11);
    for (number, row) in rows.iter().enumerate() {
        assert!((row[0] - 0.05 * number as f64).abs() < 1e-14, "{}", row[0]);
        // The rod's end is where the piston is.
        let (q1, q2, q3) = (row[1], row[2], row[3]);
        let open = 0.15 * q1.cos() + 0.3 * (q1 + q2).cos() - q3;
        assert!(open.abs() < 1e-11, "{open}");
    }
    // A file is not replaced unless `--force` is given.
    let again = run(&words);
    assert_eq!(again.code, Some(4));
    assert!(again.err.contains("exists already"), "{}", again.err);
    let forced = run(&[&words[..], &["--force"]].concat());
    assert_eq!(forced.code, Some(0), "{}", forced.err);
}

/// Whatever runs the equations, the motion is the same.
#[test]
fn kernels_agree() {
    let folder = Folder::new("kernels");
    let cache = folder.path("cache");
    let motion = |kernel: &str| {
        let out = folder.path(&format!("{kernel}.csv"));
        let words = ["simulate", CRANK, "--to", "0.5", "--dt", "0.01", "--every", "step"];
        let mut command = command(&words);
        command.args(["--kernel", kernel, "--out", &out]).env("ROTULE_CACHE", &cache);
        let answer = command.output().expect("the command runs");
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        assert!(answer.status.success(), "{kernel}: {}", String::from_utf8_lossy(&answer.stderr));
        (text, columns(&out).1)
    };
    let (_, expected) = motion("interpreter");
    for kernel in ["native", "compiled"] {
        let (text, found) = motion(kernel);
        assert!(text.contains(kernel), "{text}");
        assert_eq!(found.len(), expected.len());
        for (x, y) in expected.iter().flatten().zip(found.iter().flatten()) {
            // Accelerations are of the order of a thousand.
            assert!((x - y).abs() < 1e-9, "{kernel}: {x} {y}");
        }
    }
    let answer = run(&["simulate", CRANK, "--to", "1", "--kernel", "fast"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.err.contains("auto, interpreter, native, compiled"), "{}", answer.err);
}

#[test]
fn standard_output_has_the_table_alone() {
    let answer = run(&["simulate", CRANK, "--to", "0.1", "--every", "0.1", "--out", "-"]);
    assert_eq!(answer.code, Some(0));
    assert_eq!(answer.out.lines().count(), 3, "{}", answer.out);
    assert!(answer.err.contains("reached"), "{}", answer.err);
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    for (words, expected, code) in [
        (&["--to", "0"][..], "the end of the simulation is 0", 2),
        (&["--to", "-1"], "the end of the simulation is -1", 2),
        (&["--to", "nan"], "the end of the simulation is NaN", 2),
        (&["--to", "1", "--dt", "0"], "the step is 0", 2),
        (&["--to", "1e308"], "1e308 s, and 1e15 s is the latest", 2),
        (&["--to", "1", "--dt", "1e-300"], "the step is 1e-300 s, which does not change", 2),
        (&["--to", "1", "--every", "1e-300"], "points is 1e-300 s, which does not change", 2),
        (&["--to", "1", "--every", "1e-9"], "makes 1e9 points, and --max-samples is 10000000", 2),
        (&["--to", "1", "--out", "x.parquet", "--max-size", "1kB"], "a file of 104kB at least", 2),
        (&["--to", "1", "--rtol", "2"], "the relative tolerance must be below 1, found 2", 2),
        (&["--to", "1", "--out", "examples"], "examples is not a file", 4),
        (&["--to", "1", "--rtol", "1e-30", "--atol", "1e-30"], "cannot be kept", 2),
        (&["--to", "1", "--method", "dop835"], "did you mean `dop853`?", 2),
        (&["--to", "1", "--method", "rk4"], "has steps of one length", 2),
        (&["--to", "1", "--every", "often"], "expected seconds, or `step`", 2),
        (&["--to", "1", "--channels", "forces"], "there is no channel `forces`", 1),
        (&["--to", "1", "--plot", "q11"], "did you mean `q1`?", 1),
        (&["--to", "1", "--out", "no/motion.xlsx"], "expected one of .csv, .parquet, .res", 2),
        (&["--to", "1", "--report", "motion.pdf"], "ends in `.html`, such as motion.html", 2),
        (&["--to", "1", "--threshold", "0"], "expected one of auto, never, or a number", 2),
        (&["--to", "1", "--partition", "q9"], "there is no joint or coordinate `q9`", 1),
        (&["--to", "1", "--set", "l9=1"], "l9", 1),
        (&["--to", "1", "--constraints", "springs"], "expected one of partition, projection", 2),
        (
            &["--to", "1", "--constraints", "baumgarte=-1"],
            "Baumgarte gains must not be negative, found -1",
            2,
        ),
        (&["--to", "1", "--constraints", "index3"], "has steps of one length", 2),
        (&["--to", "1", "--constraints", "index3", "--method", "radau"], "with multipliers", 2),
        (
            &["--to", "1", "--constraints", "projection", "--method", "hht", "--dt", "1e-3"],
            "not by projection",
            2,
        ),
        (&["--to", "1", "--constraints", "projection", "--method", "bdf"], "its own history", 2),
        (&["--to", "1", "--method", "hht=2", "--dt", "1e-3"], "between 0 and 0.333", 2),
    ] {
        let answer = run(&[&["simulate", CRANK], words].concat());
        assert_eq!(answer.code, Some(code), "{words:?}: {}", answer.err);
        assert!(answer.err.contains(expected), "{words:?}: {}", answer.err);
    }
    let answer = run(&["simulate", CRANK]);
    assert_eq!(answer.code, Some(2), "{}", answer.err);
}

#[test]
fn every_form_of_the_constraints_has_the_same_motion() {
    let folder = Folder::new("forms");
    let last = |name: &str, words: &[&str]| {
        let out = folder.path(name);
        let always = ["simulate", CRANK, "--to", "0.2", "--every", "0.1", "--out", &out];
        let answer = run(&[&always, words].concat());
        assert_eq!(answer.code, Some(0), "{words:?}: {}", answer.err);
        let (_, rows) = columns(&out);
        assert_eq!(rows.len(), 3);
        rows[2].clone()
    };
    let expected = last("partition.csv", &["--channels", "coordinates,multipliers"]);
    for (words, allowed) in [
        (&["--constraints", "projection"][..], 1e-6),
        (&["--constraints", "baumgarte"], 1e-6),
        (&["--constraints", "baumgarte=50"], 1e-6),
        (&["--constraints", "baumgarte=50,40"], 1e-6),
        (&["--constraints", "baumgarte=model"], 1e-6),
        (&["--constraints", "unstabilised"], 1e-6),
        (&["--constraints", "index3", "--dt", "1e-4"], 1e-3),
        (&["--method", "hht=0.1", "--dt", "1e-4"], 1e-3),
    ] {
        let channels = ["--channels", "coordinates,multipliers", "--force"];
        let found = last("other.csv", &[words, &channels].concat());
        assert_eq!(found.len(), expected.len());
        for (one, other) in found.iter().zip(&expected) {
            let size = 1.0 + other.abs();
            assert!((one - other).abs() < allowed * size, "{words:?}: {found:?} {expected:?}");
        }
    }
}

#[test]
fn a_law_without_a_value_is_named_and_what_was_computed_is_kept() {
    let folder = Folder::new("nan");
    let model = pendulum(&folder, "sqrt(0.2 - q)");
    for method in ["dop853", "dormand-prince", "radau", "bdf"] {
        let out = folder.path(&format!("{method}.csv"));
        let words =
            ["simulate", &model, "--to", "2", "--method", method, "--every", "0.01", "--out", &out];
        let answer = run(&words);
        assert_eq!(answer.code, Some(3), "{method}: {}", answer.err);
        for part in ["cannot be continued beyond t = 0.2", "the law of joint `q` gives NaN"] {
            assert!(answer.err.contains(part), "{method}: {}", answer.err);
        }
        let (_, rows) = columns(&out);
        assert!(rows.len() >= 20, "{}", rows.len());
        assert!(rows.iter().flatten().all(|number| number.is_finite()));
    }
}

#[test]
fn a_motion_that_escapes_in_finite_time_ends_there() {
    let folder = Folder::new("escape");
    // Energy grows without bound: qd = 1/(c - t) or faster.
    let model = pendulum(&folder, "qd^3 + 9.81*sin(q)");
    let answer = run(&["simulate", &model, "--to", "5", "--method", "dormand-prince"]);
    assert_eq!(answer.code, Some(3), "{}", answer.err);
    assert!(answer.err.contains("the step became as small as"), "{}", answer.err);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_with_the_time() {
    let answer = run(&["simulate", CRANK, "--to", "5", "--out", "/dev/full", "--force"]);
    assert_eq!(answer.code, Some(4), "{}", answer.err);
    assert!(answer.err.contains("cannot write /dev/full beyond t = "), "{}", answer.err);
    let answer = run(&["simulate", CRANK, "--to", "0.1", "--report", "/dev/full", "--force"]);
    assert_eq!(answer.code, Some(4), "{}", answer.err);
    assert!(answer.err.contains("cannot write /dev/full"), "{}", answer.err);
}

#[test]
fn a_place_that_cannot_be_written_is_told_before_the_run() {
    for option in ["--out", "--report"] {
        let answer = run(&["simulate", CRANK, "--to", "1e9", option, "no/such/folder/file"]);
        assert_eq!(answer.code, Some(4), "{}", answer.err);
        assert!(answer.err.contains("cannot write no/such/folder/file"), "{}", answer.err);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_was_computed() {
    let folder = Folder::new("interrupt");
    let out = folder.path("long.csv");
    let words = ["simulate", CRANK, "--to", "1e4", "--every", "0.01", "--out", &out];
    let mut child =
        command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    // Until there are results to lose.
    let part = format!("{out}.part");
    while fs::metadata(&part).map_or(0, |file| file.len()) < 10_000 {
        assert!(child.try_wait().expect("a child").is_none(), "it ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.expect("kill").success());
    let status = child.wait().expect("an end");
    let mut err = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut err).expect("text");
    assert_eq!(status.code(), Some(130), "{err}");
    assert!(err.contains("interrupted at t = "), "{err}");
    let (_, rows) = columns(&out);
    assert!(rows.len() > 10, "{}", rows.len());
}

#[test]
fn a_report_holds_all_that_it_shows() {
    let folder = Folder::new("report");
    let page = folder.path("page.html");
    let answer = run(&["simulate", CRANK, "--to", "0.2", "--report", &page]);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    let text = fs::read_to_string(&page).expect("a page");
    for part in ["slider_crank", "Coordinates", "Energies", "energy drift"] {
        assert!(text.contains(part), "{part}");
    }
    // The name of a kind of picture is not a place to fetch something from.
    let text = text.replace("http://www.w3.org/2000/svg", "");
    for foreign in ["http://", "https://"] {
        assert!(!text.contains(foreign), "{foreign}");
    }
}

/// A run shown beside itself does not differ; a table with another unit is converted.
#[test]
fn tables_of_motions_make_a_page() {
    let folder = Folder::new("overlay");
    let (csv, page) = (folder.path("run.csv"), folder.path("beside.html"));
    let answer = run(&["simulate", CRANK, "--to", "0.2", "--out", &csv]);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    let measured = folder.file("measured.csv", "t,q1 [deg]\n0,0\n0.1,45\n0.2,90\n");
    let answer = run(&["report", CRANK, &csv, &measured, &csv, "--out", &page]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let text = fs::read_to_string(&page).expect("a page");
    for part in ["run.csv against run.csv", "at most 0 rad", "q1 (measured.csv)", "\"ghost\":true"]
    {
        assert!(text.contains(part), "{part}");
    }
    let wrong = folder.file("wrong.csv", "t,q1\n0,zero\n");
    let answer = run(&["report", CRANK, &wrong, "--out", &page, "--force"]);
    assert_eq!(answer.code, Some(1));
    assert!(answer.err.contains("wrong.csv:2: `zero` is not a number"), "{}", answer.err);
}

/// The page of a mechanism at rest brings the functions that close its loops.
#[test]
fn a_mechanism_at_rest_makes_a_page() {
    let folder = Folder::new("rest");
    let page = folder.path("rest.html");
    let answer = run(&["view", CRANK, "--out", &page]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let text = fs::read_to_string(&page).expect("a page");
    for part in ["function constraints(constants, q", "\"sliders\":[{", "\"dependent\":["] {
        assert!(text.contains(part), "{part}");
    }
}

/// Springs, drives, loops and tyres: energy less work stays.
#[test]
fn a_balance_holds_where_forces_do_work() {
    let folder = Folder::new("balance");
    let crank = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../",
        "examples/slider_crank.toml"
    ));
    let text = crank.expect("an example").replace("q1 = \"pi/3\"\n", "").replace("q1 = 20\n", "");
    let driven = format!("{text}\n[[motion]]\njoint = \"q1\"\nq = \"pi/3 + 5*t + 0.3*sin(4*t)\"\n");
    let driven = folder.file("driven.toml", &driven);
    for model in [driven.as_str(), "examples/five_bar.toml", "examples/motor_pendulum.toml"] {
        let out = folder.path("out.csv");
        let words = [
            "simulate",
            model,
            "--to",
            "1",
            "--balance",
            "--rtol",
            "1e-10",
            "--out",
            &out,
            "--force",
        ];
        let answer = run(&words);
        assert_eq!(answer.code, Some(0), "{model}: {}", answer.err);
        let (names, rows) = columns(&out);
        let place = |name: &str| names.iter().position(|one| one == name).expect(name);
        let (work, balance) = (place("energy.work [J]"), place("energy.balance [J]"));
        // Work is done, and accounts for all that the energy changes by.
        let done = rows.iter().map(|row| row[work].abs()).fold(0.0, f64::max);
        let drift =
            rows.iter().map(|row| (row[balance] - rows[0][balance]).abs()).fold(0.0, f64::max);
        assert!(done > 1e-3 && drift < 1e-7 * done, "{model}: {done} {drift}");
    }
}

#[test]
fn foreign_functions_are_missing_on_the_command_line() {
    let folder = Folder::new("foreign");
    let path = pendulum(&folder, "brake(q, qd)");
    let text = fs::read_to_string(&path).expect("the model");
    let text = text + "[[external]]\nname = \"brake\"\narguments = [\"q\", \"qd\"]\n";
    fs::write(&path, text).expect("the model");
    let answer = run(&["simulate", &path, "--to", "1"]);
    assert_eq!(answer.code, Some(1), "{}", answer.err);
    assert!(answer.err.contains("needs the external function `brake`"), "{}", answer.err);
}

/// Jumps of a coordinate's whole number need bounded steps; those of time do not.
#[test]
fn whole_numbers_of_what_moves_ask_for_bounded_steps() {
    let folder = Folder::new("simulate-floor");
    let moving = pendulum(&folder, "-floor(q)");
    let answer = run(&["simulate", &moving, "--to", "1"]);
    assert_eq!(answer.code, Some(1), "{}", answer.err);
    assert!(answer.err.contains("floor") && answer.err.contains("--max-step"), "{}", answer.err);
    for bound in [["--max-step", "0.01"], ["--dt", "0.01"]] {
        let answer = run(&["simulate", &moving, "--to", "1", bound[0], bound[1]]);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
    }
    let timed = pendulum(&folder, "-floor(5*t)");
    assert_eq!(run(&["simulate", &timed, "--to", "1"]).code, Some(0));
}

#[test]
fn a_run_is_drawn_frame_by_frame() {
    let folder = Folder::new("frames");
    let path = |name: &str| folder.path(name);
    let look = ["--look", "96x72", "--json"];
    let files = ["--frames", &path("a.svg"), "--film", &path("a.webm")];
    let draw = || run(&[&["simulate", CRANK, "--to", "0.1"], &files[..], &look].concat());
    let answer = draw();
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    let film = fs::read(path("a.webm")).expect("a film");
    assert!(film.starts_with(&[0x1a, 0x45, 0xdf, 0xa3]));
    // 0.1 s at 25 frames a second, and the last.
    for at in 1..=4 {
        let name = path(&format!("a-{at:03}.svg"));
        assert!(fs::read_to_string(&name).expect("a frame").starts_with("<svg "));
        assert!(answer.out.contains(&format!("a-{at:03}.svg")), "{}", answer.out);
    }
    assert!(!fs::exists(path("a-005.svg")).expect("a folder"));
    // Nothing is computed where frames would be replaced.
    assert!(draw().err.contains("--force"));
}

#[test]
fn a_run_is_drawn_as_strip_and_film() {
    let folder = Folder::new("drawn");
    let path = |name: &str| folder.path(name);
    let draw = |strip: &str, film: &str| {
        let look = ["--look", "96x72,dark,front", "--snapshots", "4", "--quiet"];
        let files = ["--strip", strip, "--film", film];
        let answer = run(&[&["simulate", CRANK, "--to", "0.2"], &files[..], &look].concat());
        assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
        [strip, film].map(|path| fs::read(path).expect("a file"))
    };
    let [png, film] = draw(&path("a.png"), &path("a.gif"));
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && film.starts_with(b"GIF89a"));
    // Three of 96 and two gaps in a row, two rows.
    assert_eq!((&png[16..20], &png[20..24]), (&[0, 0, 1, 40][..], &[0, 0, 0, 148][..]));
    assert_eq!((film[6], film[8]), (96, 72));
    let [svg, again] = draw(&path("b.svg"), &path("b.gif"));
    assert_eq!(film, again, "the same film twice");
    let svg = String::from_utf8(svg).expect("text");
    assert_eq!((svg.matches("<svg ").count(), svg.matches("<text ").count()), (5, 4));
    assert!(svg.contains(">0.2 s</text>"));
    for (words, says) in [
        (&["simulate", CRANK, "--to", "1", "--film", "a.mp4"][..], "`.webm` or `.gif`"),
        (&["simulate", CRANK, "--to", "1", "--frames", "a.webm"], "`.png` or `.svg`"),
        (&["simulate", CRANK, "--to", "1", "--strip", "a.jpg"], "`.png` or `.svg`"),
        (&["view", CRANK, "--picture", "a"], "`.png` or `.svg`"),
        (&["view", CRANK, "--picture", &path("c.png"), "--look", "left"], "expected front, side"),
        (&["view", CRANK, "--picture", &path("c.png"), "--look", "9e9x9"], "cannot be drawn"),
        (&["view", CRANK, "--picture", &path("a.png")], "--force"),
    ] {
        let answer = run(words);
        assert!(answer.code != Some(0) && answer.err.contains(says), "{words:?}: {}", answer.err);
    }
}
