//! `rotule linearize`: its files read back by NumPy and SciPy, whose step responses are those of
//! `rotule simulate`; requests that cannot be met.

mod common;

use common::{Folder, run};
use std::process::Command;

/// Two masses on springs, linear as they are, driven by an input; a sensor on the second.
const MASSES: &str = r#"
[model]
name = "masses"
gravity = [0, 0, 0]

[[input]]
name = "u"
unit = "N"

[[body]]
name = "one"
parent = "ground"
joint = { name = "x1", type = "prismatic", axis = "x", effort = "u - 40*q - 1.5*qd" }
mass = 2

[[body]]
name = "two"
parent = "ground"
joint = { name = "x2", type = "prismatic", axis = "x", effort = "30*(x1 - q) + 0.4*(x1.d - qd)" }
mass = 0.5

[[sensor]]
name = "tip"
at = "two"
measures = ["position", "velocity"]
"#;

/// The first mass feels the spring between; without it laws would not know both.
fn masses() -> String {
    MASSES.replace("u - 40*q - 1.5*qd", "u - 40*q - 1.5*qd - 30*(q - x2) - 0.4*(qd - x2.d)")
}

/// The masses under a sampled PID controller, whose goal is the input.
fn controlled() -> String {
    let text = masses().replace("\"u - 40*q", "\"drive - 40*q");
    format!(
        "{text}\n[[controller]]\nname = \"drive\"\ntype = \"pid\"\nevery = 0.05\ninput = \"u - x1\"\nkp = 30\nki = 40\nkd = 2\ntime = 0.1\ndelay = 0.02\n"
    )
}

/// Runs Python of the private environment.
fn python(script: &str, words: &[&str]) {
    let python = std::env::var("ROTULE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = Command::new(python).arg("-c").arg(script).args(words).output();
    let output = output.expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Reads both formats, simulates the one by SciPy, and compares with a table of `simulate`.
const COMPARE: &str = r#"
import sys, json, csv
import numpy as np, scipy.io, scipy.signal
npz, mat, text, table, outputs = sys.argv[1:6]
a, b, j = np.load(npz), scipy.io.loadmat(mat), json.load(open(text))
for name in "ABCD":
    assert np.array_equal(a[name], b[name]), name
    assert np.array_equal(a[name], np.array(j[name]).reshape(a[name].shape)), name
for name in ("states", "inputs", "outputs"):
    assert list(a[name]) == [str(one[0][0]) for one in b[name]] == j[name], name
dt = float(a["dt"])
assert dt == float(b["dt"][0, 0]) == (j["dt"] or 0)
rows = [{k.split(" [")[0]: v for k, v in row.items()} for row in csv.DictReader(open(table))]
t = np.array([float(row["t"]) for row in rows])
A, B, C, D = (a[name] for name in "ABCD")
if dt:
    system = scipy.signal.dlti(A, B[:, :1], C, D[:, :1], dt=dt)
    t, y = scipy.signal.dlsim(system, np.ones(len(t)))[:2]
else:
    t, y = scipy.signal.lsim(scipy.signal.lti(A, B[:, :1], C, D[:, :1]), np.ones_like(t), t)[:2]
for at, name in enumerate(outputs.split(",")):
    assert list(a["outputs"])[at] == name, (name, a["outputs"])
    expected = np.array([float(row[name]) for row in rows])
    error = np.abs(y[:, at] - expected).max() / max(np.abs(expected).max(), 1e-3)
    assert error < 1e-6, (name, error)
"#;

#[test]
fn scipy_reads_the_files_and_responds_as_simulate_does() {
    let folder = Folder::new("linearize");
    for (name, text, channels, every) in [
        ("masses", masses(), "tip.position.x,tip.velocity.x", "0.05"),
        ("controlled", controlled(), "tip.position.x,tip.velocity.x", "0.05"),
    ] {
        let model = folder.file(&format!("{name}.toml"), &text);
        let [npz, mat, json, table] =
            ["npz", "mat", "json", "csv"].map(|ending| folder.path(&format!("{name}.{ending}")));
        for out in [&npz, &mat, &json] {
            let answer = run(&["linearize", &model, "--outputs", channels, "--out", out]);
            assert_eq!(answer.code, Some(0), "{}", answer.err);
        }
        let answer = run(&[
            "simulate",
            &model,
            "--to",
            "3",
            "--every",
            every,
            "--input",
            "u=1",
            "--rtol",
            "1e-11",
            "--atol",
            "1e-13",
            "--out",
            &table,
            "--channels",
            channels,
        ]);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        python(COMPARE, &[&npz, &mat, &json, &table, channels]);
    }
}

/// Error, place and remedy of requests that cannot be met.
#[test]
fn requests_that_cannot_be_met_say_why() {
    let folder = Folder::new("linearize-bad");
    let model = folder.file("masses.toml", &masses());
    let check = |words: &[&str], code: i32, expected: &str| {
        let answer = run(&[&["linearize", &model], words].concat());
        assert_eq!(answer.code, Some(code), "{words:?}: {}", answer.err);
        assert!(answer.err.contains(expected), "{words:?}: {}", answer.err);
    };
    check(&["--inputs", "v"], 1, "there is no input or joint `v`");
    check(&["--outputs", "tipp"], 1, "there is no output `tipp`");
    check(&["--inputs", "u,u"], 1, "input `u` is requested twice");
    check(&["--sample-time", "-1"], 1, "the sampling period must be a positive number");
    check(&["--out", "linear.xls"], 1, "there is no format of linear models with the ending of");
    check(&["--plot", "linear.png"], 2, "pictures of responses are SVG");
    check(&["--plot", "linear.svg", "--range", "3..1"], 2, "expected two positive numbers");
    let rounding = controlled().replace("delay = 0.02", "quantum = 0.1");
    let rounding = folder.file("rounding.toml", &rounding);
    let answer = run(&["linearize", &rounding]);
    assert!(answer.err.contains("rounds its output, which has no linear model"), "{}", answer.err);
    let controlled = folder.file("controlled.toml", &controlled());
    let answer = run(&["linearize", &controlled, "--sample-time", "0.03"]);
    assert!(answer.err.contains("a sampling period of 0.03 s was requested"), "{}", answer.err);
}
