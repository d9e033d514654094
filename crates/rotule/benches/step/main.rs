//! A step of the classical Runge-Kutta method: the whole step of a simulation beside its
//! evaluations of the equations of motion, and beside the step of MuJoCo with contacts and limits
//! off.
//!
//! `step` is a step of `rotule simulate --method rk4 --dt 1e-3` without the balance of work, with
//! one sample at the end; `balance` is the same as by default, where the work of dampers is
//! integrated if it is cheap. `share` is `step` over four evaluations of `motion` by the same
//! kernel: the rest is what a simulation does around them. All are the least of many in one run,
//! because what else the machine does can only add. Both codes read the same file, and their
//! coordinates after all steps are compared. MuJoCo and the humanoid of dm_control come from PyPI
//! on the first run; without them, our own columns are printed. `cargo xtask bench step` prints the
//! table.

use rotule::Model;
use rotule::layers::jit::{KernelKind, KernelOptions, kernel};
use rotule::layers::program::NoExternals;
use rotule::layers::simulate::method::Accuracy;
use rotule::layers::simulate::run::{MAX_STEPS, Samples, Threshold};
use rotule::layers::state::StateNumbers;
use rotule::layers::stream::{SampleSink, Simulation};
use rotule::simulate::{Balance, ChannelGroup, SimulationOptions};
use rotule_testing::formalism::programs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The length of a step, how many are made, and how many are timed together.
const STEP: f64 = 1e-3;
const COUNT: u32 = 1000;
const WINDOW: u32 = 100;

/// Runs of which the fastest counts.
const RUNS: usize = 20;

/// Robots of the examples, and whether their base floats.
const ROBOTS: [(&str, bool); 3] = [("ur5", false), ("panda7", false), ("anymal_b", true)];

/// Packages from PyPI for the other code.
const PACKAGES: [&str; 2] = ["mujoco==4.0.0", "dm_control==1.0.50"];

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench step");
        return;
    }
    let peer = Peer::new().inspect_err(|reason| println!("without MuJoCo: {reason}\n")).ok();
    println!(
        "one step [ns]\n\n{:<10} {:>7} {:>7} {:>7} {:>8} {:>8} {:>7} {:>10}",
        "model", "kernel", "step", "share", "balance", "MuJoCo", "ratio", "difference"
    );
    let robots = ROBOTS.iter().map(|(name, _)| (*name).to_owned());
    for name in robots.chain(["humanoid".to_owned()]) {
        let path = match &peer {
            Some(peer) => peer.folder.join(format!("{name}.xml")),
            None => robot(&name),
        };
        let Ok(model) = Model::open(&path) else {
            println!("{name:<10} cannot be read");
            continue;
        };
        let state = start(&model);
        let evaluation = evaluation(&model, &state);
        let (step, reached) = steps(&model, &state, Balance::Off);
        let (balanced, _) = steps(&model, &state, Balance::Light);
        let share = step / (4.0 * evaluation);
        print!("{name:<10} {evaluation:>7.0} {step:>7.0} {share:>7.2} {balanced:>8.0}");
        match peer.as_ref().map(|peer| peer.run(&path)) {
            Some(Ok((other, coordinates))) => {
                let apart = coordinates.iter().zip(&reached).map(|(a, b)| (a - b).abs());
                let apart = apart.fold(0.0_f64, f64::max);
                println!(" {other:>8.0} {:>7.1} {apart:>10.1e}", other / step);
            }
            Some(Err(reason)) => println!(" {reason}"),
            None => println!(),
        }
    }
}

fn robot(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/robots/{name}.urdf"))
}

/// The state at which both codes begin: all speeds are the same.
fn start(model: &Model) -> StateNumbers {
    let mut state = StateNumbers::initial(model.tree());
    state.qd.fill(0.1);
    state
}

/// Nanoseconds of one evaluation of the equations of motion by the kernel of a simulation.
fn evaluation(model: &Model, state: &StateNumbers) -> f64 {
    let program = programs::program(model.tree(), "motion");
    let inputs = programs::inputs(model.tree(), &program, state);
    let mut kernel = kernel(&program, KernelKind::Auto, KernelOptions { fuse: false })
        .expect("the model is valid");
    let mut outputs = vec![0.0; program.output_len()];
    kernel.setup(&inputs, &mut NoExternals).expect("lengths are right");
    let mut best = f64::INFINITY;
    for _ in 0..RUNS * 10 {
        let begun = Instant::now();
        for _ in 0..WINDOW {
            kernel.evaluate(&inputs, &mut outputs, &mut NoExternals).expect("lengths are right");
        }
        best = best.min(begun.elapsed().as_secs_f64() / f64::from(WINDOW));
    }
    best * 1e9
}

/// The last row of a run.
struct Last(Vec<f64>);

impl SampleSink for Last {
    fn row(&mut self, numbers: &[f64]) -> io::Result<()> {
        self.0.clear();
        self.0.extend_from_slice(numbers);
        Ok(())
    }
}

/// Nanoseconds of a step of a simulation, and the coordinates at its end.
fn steps(model: &Model, state: &StateNumbers, balance: Balance) -> (f64, Vec<f64>) {
    let to = STEP * f64::from(COUNT);
    let options = SimulationOptions {
        to,
        method: "rk4".to_owned(),
        constraints: None,
        accuracy: Accuracy::Fixed(STEP),
        max_step: None,
        max_steps: MAX_STEPS,
        samples: Samples::Every(to),
        threshold: Threshold::AUTOMATIC,
        groups: vec![ChannelGroup::Coordinates],
        names: Vec::new(),
        kernel: KernelKind::Auto,
        balance,
    };
    let (mut best, mut row) = (f64::INFINITY, Last(Vec::new()));
    for _ in 0..RUNS {
        let mut simulation =
            Simulation::new(model.tree().clone(), state, &options, Box::new(NoExternals))
                .expect("the model is ready");
        let (mut count, mut last) = (0_u32, Instant::now());
        let mut hear = |_| {
            count += 1;
            if count.is_multiple_of(WINDOW) {
                best = best.min(last.elapsed().as_secs_f64() / f64::from(WINDOW));
                last = Instant::now();
            }
            ControlFlow::Continue(())
        };
        simulation.run(&mut [&mut row], &mut hear).expect("the model moves");
    }
    (best * 1e9, row.0.split_off(1))
}

/// MuJoCo, by a script in an environment of its own.
struct Peer {
    python: PathBuf,
    folder: PathBuf,
}

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/step/peer.py");

impl Peer {
    /// Installs the packages, once, and writes the models.
    fn new() -> Result<Peer, String> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("step");
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let python = folder.join("venv/bin/python");
        let humanoid = folder.join("dm_control/suite/humanoid.xml");
        if !humanoid.exists() {
            call(Command::new("python3").args(["-m", "venv"]).arg(folder.join("venv")))?;
            let pip = || {
                let mut pip = Command::new(&python);
                pip.args(["-m", "pip", "--disable-pip-version-check", "--quiet"]);
                pip
            };
            call(pip().args(["install", PACKAGES[0]]))?;
            call(pip().args(["download", "--no-deps", PACKAGES[1], "--dest"]).arg(&folder))?;
            let name = PACKAGES[1].replace("==", "-") + "-py3-none-any.whl";
            call(
                Command::new(&python)
                    .args(["-m", "zipfile", "-e"])
                    .arg(folder.join(name))
                    .arg(&folder),
            )?;
        }
        let robots = ROBOTS.map(|(name, floats)| {
            robot(name).display().to_string() + if floats { ":floating" } else { "" }
        });
        let mut prepare = Command::new(&python);
        call(prepare.args([SCRIPT, "prepare"]).arg(&folder).args(robots).arg(humanoid))?;
        Ok(Peer { python, folder })
    }

    /// Nanoseconds of a step, and the coordinates at the end of all.
    fn run(&self, model: &Path) -> Result<(f64, Vec<f64>), String> {
        let mut run = Command::new(&self.python);
        run.args([SCRIPT, "run"]).arg(model).args([STEP.to_string(), COUNT.to_string()]);
        let told = call(&mut run)?;
        let lines: Vec<Vec<f64>> = told
            .lines()
            .map(|line| line.split_whitespace().filter_map(|word| word.parse().ok()).collect())
            .collect();
        match lines.as_slice() {
            [coordinates, time] if time.len() == 1 => Ok((time[0], coordinates.clone())),
            _ => Err("the script printed something else".to_owned()),
        }
    }
}

/// Runs a command: its output, or the end of its messages if it fails.
fn call(command: &mut Command) -> Result<String, String> {
    let done = command.output().map_err(|error| error.to_string())?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let messages = String::from_utf8_lossy(&done.stderr);
    Err(messages.lines().last().unwrap_or("it failed").to_owned())
}
