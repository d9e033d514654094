//! Growth of the commands with the mechanism: a chain in space of 10^2, 10^3 and 10^4 joints.
//!
//! Each command is a process of its own. Its time is the time on the processor, of which the kernel
//! tells the sum over all processes that ended, in hundredths of a second: short commands are
//! repeated until that is exact enough. The least of three such means counts, because what else the
//! machine does can only add to it. Where `valgrind` is installed, its count of instructions stands
//! beside the time: instructions grow with the work alone, and what time grows beyond them is
//! waiting for memory.
//!
//! `cargo xtask bench growth` prints the table. `growth` is the quotient to the size before it, for
//! ten times the joints.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Joints of the chains.
const SIZES: [usize; 3] = [100, 1000, 10_000];

/// Seconds on the processor that a mean is made of.
const ENOUGH: f64 = 0.4;

/// The commands: what the table calls them, and their arguments before and after the model.
const COMMANDS: [(&str, &str, &[&str]); 6] = [
    ("check", "check", &[]),
    ("count inverse, forward", "count", &["--functions", "inverse,forward"]),
    ("eval inverse", "eval", &["inverse", "--random", "1"]),
    ("eval forward", "eval", &["forward", "--random", "1"]),
    (
        "simulate, 5 steps of rk4",
        "simulate",
        &["--method", "rk4", "--dt", "1e-4", "--to", "5e-4", "--every", "step"],
    ),
    (
        "simulate, 5 steps, 1000 points",
        "simulate",
        &["--method", "rk4", "--dt", "1e-4", "--to", "5e-4"],
    ),
];

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench growth");
        return;
    }
    let folder = std::env::temp_dir().join(format!("rotule-growth-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let models = SIZES.map(|joints| {
        let path = folder.join(format!("chain{joints}.toml"));
        std::fs::write(&path, chain(joints)).expect("the folder is new");
        path
    });
    println!("| command | joints | seconds | growth | instructions | growth |");
    println!("|---|---|---|---|---|---|");
    for (name, verb, options) in COMMANDS {
        let mut before = (None, None);
        for (joints, model) in SIZES.into_iter().zip(&models) {
            let now = (seconds(verb, model, options), instructions(verb, model, options));
            println!(
                "| {name} | {joints} | {} | {} | {} | {} |",
                now.0.map_or_else(dash, |time| format!("{time:.3}")),
                growth(before.0, now.0),
                now.1.map_or_else(dash, |count| format!("{count:.3e}")),
                growth(before.1, now.1),
            );
            before = now;
        }
    }
    let _ = std::fs::remove_dir_all(folder);
}

fn dash() -> String {
    "-".to_owned()
}

fn growth(before: Option<f64>, now: Option<f64>) -> String {
    before.zip(now).map_or_else(dash, |(before, now)| format!("{:.1}", now / before))
}

fn run(program: &str, first: &[&str], verb: &str, model: &Path, options: &[&str]) -> String {
    let output = Command::new(program)
        .args(first)
        .arg(verb)
        .arg(model)
        .args(options)
        .stdout(Stdio::null())
        .output()
        .expect("the command was built");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{verb} {}: {text}", model.display());
    text
}

/// The least time on the processor of a command, in user mode and in the kernel.
fn seconds(verb: &str, model: &Path, options: &[&str]) -> Option<f64> {
    let mean = || {
        let start = processes()?;
        for count in 1.. {
            run(env!("CARGO_BIN_EXE_rotule"), &[], verb, model, options);
            let time = processes()? - start;
            if time >= ENOUGH {
                return Some(time / f64::from(count));
            }
        }
        None
    };
    (0..3).filter_map(|_| mean()).min_by(f64::total_cmp)
}

/// Seconds on the processor of all processes that this one started and that ended, as Linux tells
/// them.
fn processes() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name in parentheses, the fields are numbered from three.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |number: usize| fields.get(number - 3)?.parse::<f64>().ok();
    Some((ticks(16)? + ticks(17)?) / 100.0)
}

/// The instructions of a command, if there is a program that counts them. The interpreter runs the
/// equations, because code that is written while it runs would be translated for each evaluation.
fn instructions(verb: &str, model: &Path, options: &[&str]) -> Option<f64> {
    Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().ok()?;
    let counter = ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"];
    let first: Vec<&str> = counter.into_iter().chain([env!("CARGO_BIN_EXE_rotule")]).collect();
    let mut options = options.to_vec();
    if verb == "simulate" {
        options.extend(["--kernel", "interpreter"]);
    }
    let text = run("valgrind", &first, verb, model, &options);
    let line = text.lines().find(|line| line.contains("I refs:") || line.contains("I   refs:"))?;
    line.rsplit_once(':')?.1.trim().replace(',', "").parse().ok()
}

/// A chain in space whose axes change from joint to joint.
fn chain(joints: usize) -> String {
    let mut text = String::from("[model]\nname = \"chain\"\ngravity = [0, 0, -9.81]\n");
    for i in 1..=joints {
        let parent = if i == 1 { "ground".to_owned() } else { format!("b{}", i - 1) };
        let axis = ["x", "y", "z"][i % 3];
        let _ = write!(
            text,
            "\n[[body]]\nname = \"b{i}\"\nparent = \"{parent}\"\nposition = [0.3, 0, 0.1]\n\
             joint = {{ name = \"q{i}\", type = \"revolute\", axis = \"{axis}\" }}\n\
             mass = 1.5\ncom = [0.1, 0.02, 0]\n\
             inertia = {{ xx = 0.01, yy = 0.02, zz = 0.02, xy = 0.001 }}\n"
        );
    }
    text
}
