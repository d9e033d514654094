//! Disks without room and places that are taken: nothing that was there is lost, and what was
//! written is readable.
#![cfg(target_os = "linux")]

mod common;

use common::{Folder, command, run};
use rotule_testing::parquet;
use std::fs;
use std::process::{Command, Output};

const CRANK: &str = "examples/slider_crank.toml";

/// Runs the program in a shell that allows files of so many blocks of 512 or 1024 bytes.
fn limited(blocks: u32, words: &[&str]) -> Output {
    let mut shell = Command::new("sh");
    shell.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    shell.args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" \"$@\"")]);
    shell.arg(env!("CARGO_BIN_EXE_rotule")).args(words).output().expect("a shell")
}

/// Rows of a file.
fn rows(path: &str) -> usize {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    if path.contains("parquet") {
        return parquet::read(&bytes).expect("a file of Parquet").rows.len();
    }
    let text = String::from_utf8(bytes).expect("text");
    assert!(text.ends_with('\n'), "the last line is whole");
    let columns = text.lines().next().expect("names").split(',').count();
    assert!(text.lines().all(|line| line.split(',').count() == columns));
    text.lines().count() - 1
}

#[test]
fn a_limit_of_the_system_leaves_the_old_file_and_readable_rows() {
    let folder = Folder::new("ulimit");
    let simulate = ["simulate", CRANK, "--to", "30", "--every", "0.001"];
    let study = ["study", "examples/double_pendulum.toml", "--to", "0.1", "--dt", "1e-3"];
    let study = [&study[..], &["--vary", "q1~uniform(0,1)", "--samples", "12000"]].concat();
    for (name, words) in [
        ("m.csv", &simulate[..]),
        ("m.parquet", &simulate),
        ("s.csv", &study),
        ("s.parquet", &study),
    ] {
        for old in [true, false] {
            let out = folder.path(&format!("{old}-{name}"));
            if old {
                fs::write(&out, "old").expect("a file");
            }
            let words = [words, &["--out", &out, "--force", "--flush", "0.005"]].concat();
            let output = limited(400, &words);
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(4), "{name}: {err}");
            assert!(err.contains("File too large") && err.contains(".part"), "{name}: {err}");
            assert_eq!(fs::read(&out).ok(), old.then(|| b"old".to_vec()), "{name}");
            // Rows of Parquet are written when they are flushed, which may be never here.
            let least = if name.ends_with("csv") { 100 } else { 0 };
            assert!(rows(&format!("{out}.part")) >= least, "{name}");
        }
    }
    let page = folder.file("page.html", "old");
    let output = limited(50, &["simulate", CRANK, "--to", "1", "--report", &page, "--force"]);
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{err}");
    assert!(err.contains("cannot write"), "{err}");
    assert_eq!(fs::read_to_string(&page).expect("still there"), "old");
}

#[test]
fn a_limit_of_ours_completes_the_file() {
    let folder = Folder::new("max-size");
    for name in ["m.csv", "m.parquet"] {
        let out = folder.path(name);
        let words = ["simulate", CRANK, "--to", "30", "--every", "step", "--max-size", "100kB"];
        let answer = run(&[&words[..], &["--out", &out]].concat());
        assert_eq!(answer.code, Some(4), "{}", answer.err);
        assert!(
            answer.err.contains("has reached 100kB, the limit of --max-size"),
            "{}",
            answer.err
        );
        assert!(rows(&out) > 100 && fs::metadata(&out).expect("a file").len() < 110_000);
    }
    let out = folder.path("few.csv");
    let words = ["simulate", CRANK, "--to", "1", "--every", "step", "--max-samples", "20"];
    let answer = run(&[&words[..], &["--out", &out]].concat());
    assert_eq!(answer.code, Some(4), "{}", answer.err);
    assert!(answer.err.contains("the limit of --max-samples"), "{}", answer.err);
    assert_eq!(rows(&out), 20);
    assert_eq!(folder.names(), ["few.csv", "m.csv", "m.parquet"]);
}

#[test]
fn a_report_without_a_folder_leaves_old_results_alone() {
    let folder = Folder::new("no-folder");
    let out = folder.file("motion.csv", "old");
    let page = folder.path("none/page.html");
    let words = ["simulate", CRANK, "--to", "1", "--out", &out, "--report", &page, "--force"];
    let answer = run(&words);
    assert_eq!(answer.code, Some(4), "{}", answer.err);
    assert!(answer.err.contains("cannot write") && answer.err.contains("none/page.html"));
    // Neither a channel that there is not, nor a model that cannot be used.
    let words = ["simulate", CRANK, "--to", "1", "--out", &out, "--plot", "q77", "--force"];
    assert_eq!(run(&words).code, Some(1));
    let words = ["simulate", "no/model", "--to", "1", "--out", &out, "--force"];
    assert_eq!(run(&words).code, Some(1));
    assert_eq!(fs::read_to_string(&out).expect("still there"), "old");
    assert_eq!(folder.names(), ["motion.csv"]);
}

#[test]
fn what_a_killed_run_left_behind_is_named() {
    let folder = Folder::new("leftover");
    let out = folder.path("motion.csv");
    folder.file("motion.csv.part", "t\n1\n");
    let words = ["simulate", CRANK, "--to", "0.1", "--out", &out];
    let answer = run(&words);
    assert_eq!(answer.code, Some(4), "{}", answer.err);
    for part in ["motion.csv.part was left behind by a run that was killed", "rename it", "--force"]
    {
        assert!(answer.err.contains(part), "{}", answer.err);
    }
    assert_eq!(folder.names(), ["motion.csv.part"]);
    let answer = run(&[&words[..], &["--force"]].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(
        answer.err.contains("it is ") && answer.err.contains("motion.csv.part.1 now"),
        "{}",
        answer.err
    );
    assert_eq!(folder.names(), ["motion.csv", "motion.csv.part.1"]);
    assert_eq!(fs::read_to_string(folder.path("motion.csv.part.1")).expect("kept"), "t\n1\n");
}

#[test]
fn pipes_and_devices_are_written_directly() {
    let folder = Folder::new("forward");
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::read_to_string(pipe).expect("text"))
    };
    let words = ["simulate", CRANK, "--to", "0.1", "--every", "0.01", "--out", &pipe];
    let answer = run(&words);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert_eq!(reader.join().expect("a reader").lines().count(), 12);
    let answer =
        run(&["simulate", CRANK, "--to", "0.1", "--every", "0.01", "--out", "/dev/stdout"]);
    assert_eq!((answer.code, answer.out.lines().count()), (Some(0), 12), "{}", answer.err);
    assert_eq!(folder.names(), ["pipe"]);
    // Nobody who reads is waited for when a signal comes.
    let mut child = command(&["simulate", CRANK, "--to", "1000", "--every", "0.001", "--out", "-"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(std::time::Duration::from_millis(500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
    assert_eq!(child.wait().expect("an end").code(), Some(130));
}

#[test]
fn files_are_complete_even_if_nobody_can_be_told() {
    let folder = Folder::new("told");
    let (out, page) = (folder.path("m.csv"), folder.path("m.html"));
    let words = ["simulate", CRANK, "--to", "0.1", "--out", &out, "--report", &page];
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
    let output = command(&words).stdout(full).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(rows(&out), 1001);
    assert!(fs::read_to_string(&page).expect("a page").trim_end().ends_with("</html>"));
    assert_eq!(folder.names(), ["m.csv", "m.html"]);
}
