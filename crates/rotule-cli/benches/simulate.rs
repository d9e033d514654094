//! Speed of a simulation: the car by kernel, and the time from the start of the command to the
//! first step by model.
//!
//! The car drives over the initial state's road with steps of 1 ms of the classical Runge-Kutta
//! method. `evaluation` is the time of one evaluation of the equations of motion alone, Newton's
//! iterations included, replayed at the points of that drive; `real time` is how many seconds of
//! motion a second of the whole simulation gives: steps, the watch over the choice of coordinates
//! and the constraints, and results. `cargo xtask bench simulate` prints the tables. Times are the
//! least of several, because what else the machine does can only add; those of a run are the least
//! of a hundred steps in a row.

use rotule::layers::formalism::MultibodySystem;
use rotule::layers::formalism::function::FunctionKind;
use rotule::layers::jit::{KernelKind, KernelOptions, ProgramKernel, kernel};
use rotule::layers::numeric::choose_partition;
use rotule::layers::program::{NoExternals, Program, ProgramCounts};
use rotule::layers::simulate::method::Accuracy;
use rotule::layers::simulate::run::{MAX_STEPS, Samples, Threshold};
use rotule::layers::state::StateNumbers;
use rotule::layers::stream::{SampleSink, Simulation};
use rotule::simulate::{Balance, ChannelGroup, SimulationOptions};
use rotule_testing::formalism::{example, programs, tree};
use std::io;
use std::ops::ControlFlow;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The step, in seconds.
const STEP: f64 = 1e-3;
/// Steps that are timed together.
const WINDOW: u32 = 100;

const KERNELS: [(&str, KernelKind, bool); 5] = [
    ("interpreter", KernelKind::Interpreter, false),
    ("native", KernelKind::Native, false),
    ("native, fused", KernelKind::Native, true),
    ("compiled C", KernelKind::Compiled, false),
    ("compiled C, fused", KernelKind::Compiled, true),
];

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench simulate");
        return;
    }
    let requested = |name: &str| std::env::var(name).ok();
    let seconds = requested("ROTULE_BENCH_SECONDS").and_then(|text| text.parse().ok());
    let only = requested("ROTULE_BENCH_KERNEL");
    car(seconds.unwrap_or(20.0), only.as_deref().unwrap_or_default());
    if only.is_none() {
        starts();
    }
}

/// The car by kernel.
fn car(seconds: f64, only: &str) {
    let mut tree = tree(&example("multilink_car.toml"));
    tree.strategy.partition =
        Some(choose_partition(&tree, FunctionKind::Motion).expect("the car can be closed"));
    let program = programs::program(&tree, "motion");
    let (rows, _) = drive(&tree, KernelKind::Auto, 2.0_f64.min(seconds), true);
    let points = points(&tree, &program, &rows);
    println!(
        "`motion` of the car: {} operations, {} points of {seconds} s\n",
        ProgramCounts::of(&program).body.operations(),
        points.len()
    );
    println!("| kernel | ready | evaluation | iterations | real time |");
    println!("|---|---|---|---|---|");
    for (name, choice, fuse) in KERNELS.into_iter().filter(|(name, ..)| name.contains(only)) {
        let options = KernelOptions { fuse };
        let make = || kernel(&program, choice, options);
        if let Err(refusal) = make() {
            println!("| {name} | {refusal} | | | |");
            continue;
        }
        let ready = least(5, || {
            make().expect("it was made a moment ago");
        });
        let mut kernel = make().expect("it was made a moment ago");
        let (each, iterations) = replay(&mut *kernel, &points);
        // A simulation does not fuse: results are the same on all machines.
        let real_time = match fuse {
            true => String::new(),
            false => format!("{:.1}", STEP / drive(&tree, choice, seconds, false).1),
        };
        println!(
            "| {name} | {:.2} ms | {:.2} us | {iterations:.2} | {real_time} |",
            ready * 1e3,
            each * 1e6
        );
    }
}

/// Rows of a run.
struct Rows(Vec<Vec<f64>>);

impl SampleSink for Rows {
    fn row(&mut self, numbers: &[f64]) -> io::Result<()> {
        self.0.push(numbers.to_vec());
        Ok(())
    }
}

/// A run with fixed steps: time, coordinates, speeds and accelerations at each if they are
/// requested, and the least seconds for a step.
fn drive(tree: &MultibodySystem, kernel: KernelKind, to: f64, keep: bool) -> (Vec<Vec<f64>>, f64) {
    let options = SimulationOptions {
        to,
        method: "rk4".to_owned(),
        constraints: None,
        accuracy: Accuracy::Fixed(STEP),
        max_step: None,
        max_steps: MAX_STEPS,
        samples: if keep { Samples::Steps } else { Samples::Every(to) },
        threshold: Threshold::AUTOMATIC,
        groups: vec![ChannelGroup::Coordinates, ChannelGroup::Speeds, ChannelGroup::Accelerations],
        names: Vec::new(),
        kernel,
        balance: Balance::Off,
    };
    let state = StateNumbers::initial(tree);
    let mut simulation = Simulation::new(tree.clone(), &state, &options, Box::new(NoExternals))
        .expect("the car is ready");
    let mut rows = Rows(Vec::new());
    let (mut count, mut best, mut last) = (0_u32, f64::MAX, Instant::now());
    let mut go_on = |_| {
        count += 1;
        if count.is_multiple_of(WINDOW) {
            best = best.min(last.elapsed().as_secs_f64() / f64::from(WINDOW));
            last = Instant::now();
        }
        ControlFlow::Continue(())
    };
    let summary = simulation.run(&mut [&mut rows], &mut go_on).expect("the car drives");
    let effort = summary.outcome.effort;
    if !keep {
        eprintln!(
            "{}: t = {} s, {} evaluations, {} iterations, {:.2} s",
            summary.kernel,
            summary.outcome.t,
            effort.evaluations,
            effort.iterations,
            summary.seconds.unwrap_or(f64::NAN),
        );
    }
    (rows.0, best)
}

/// Inputs of the program at each point of a run: as the simulation does, Newton starts where the
/// point before leads.
fn points(tree: &MultibodySystem, program: &Program, rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let (nq, nv) = (tree.mechanism.coordinates.len(), tree.mechanism.speeds.len());
    let dependent: Vec<usize> = match &tree.strategy.partition {
        Some(choice) => choice.coordinates.dependent().collect(),
        None => Vec::new(),
    };
    let joints = &tree.mechanism.joints;
    let coordinate = |speed: usize| {
        let joint = joints.iter().find(|joint| joint.speeds.contains(&speed));
        let joint = joint.expect("every speed belongs to a joint");
        joint.coordinates.start + (speed - joint.speeds.start)
    };
    let pairs = rows.windows(2).map(|pair| {
        let (before, now) = (&pair[0], &pair[1]);
        let mut state = StateNumbers::initial(tree);
        state.t = now[0];
        state.q.copy_from_slice(&now[1..=nq]);
        state.qd.copy_from_slice(&now[1 + nq..=nq + nv]);
        for &speed in &dependent {
            let (rate, change) = (before[1 + nq + speed], before[1 + nq + nv + speed]);
            let at = coordinate(speed);
            state.q[at] = before[1 + at] + STEP * (rate + 0.5 * STEP * change);
        }
        programs::inputs(tree, program, &state)
    });
    pairs.collect()
}

/// Seconds for an evaluation, and the iterations of the slowest region, on average.
fn replay(kernel: &mut dyn ProgramKernel, points: &[Vec<f64>]) -> (f64, f64) {
    let mut outputs = vec![0.0; kernel.program().output_len()];
    kernel.setup(&points[0], &mut NoExternals).expect("lengths are right");
    let mut iterations = 0;
    for point in points {
        kernel.evaluate(point, &mut outputs, &mut NoExternals).expect("lengths are right");
        assert!(kernel.converged(0), "the car is closed everywhere");
        iterations += kernel.regions(0).iter().map(|status| status.iterations).max().unwrap_or(0);
    }
    // Short blocks, of which some are not interrupted.
    let block = points.len().min(50);
    let mut best = f64::MAX;
    for _ in 0..10 {
        for part in points.chunks_exact(block) {
            let start = Instant::now();
            for point in part {
                kernel.evaluate(point, &mut outputs, &mut NoExternals).expect("lengths are right");
            }
            best = best.min(start.elapsed().as_secs_f64() / block as f64);
        }
    }
    (best, iterations as f64 / points.len() as f64)
}

fn least(times: usize, mut run: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..times).map(time).fold(f64::MAX, f64::min)
}

/// From the start of the command to the first step, by model. One step is made, and one row is
/// written.
fn starts() {
    let folder = std::env::temp_dir().join(format!("rotule-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    println!("\n| model | first step after | with the interpreter |\n|---|---|---|");
    let examples = ["pendulum", "puma560", "quadruped", "multilink_car"];
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let mut models: Vec<(String, String)> = Vec::new();
    models.extend(examples.map(|name| (name.to_owned(), format!("{root}/{name}.toml"))));
    for count in [100, 1000] {
        let path = folder.join(format!("chain{count}.toml"));
        std::fs::write(&path, chain(count)).expect("it is ours");
        models.push((format!("chain of {count}"), path.display().to_string()));
    }
    for (name, path) in models {
        let time = |kernel: &str| {
            let arguments = ["--to", "1e-4", "--dt", "1e-4", "--channels", "coordinates"];
            let seconds = least(3, || {
                let status = Command::new(env!("CARGO_BIN_EXE_rotule"))
                    .args(["simulate", &path, "--kernel", kernel])
                    .args(arguments)
                    .stdout(Stdio::null())
                    .status()
                    .expect("the command was built");
                assert!(status.success(), "{path}");
            });
            format!("{:.1} ms", seconds * 1e3)
        };
        println!("| {name} | {} | {} |", time("auto"), time("interpreter"));
    }
    let _ = std::fs::remove_dir_all(folder);
}

/// A chain of rods that swing about axes across each other.
fn chain(count: usize) -> String {
    let mut text = "[model]\nname = \"chain\"\ngravity = [0, 0, -9.81]\n".to_owned();
    for k in 0..count {
        let parent = if k == 0 { "ground".to_owned() } else { format!("b{}.end", k - 1) };
        let axis = ["x", "y"][k % 2];
        text += &format!(
            "\n[[body]]\nname = \"b{k}\"\nparent = \"{parent}\"\n\
             joint = {{ name = \"q{k}\", type = \"revolute\", axis = \"{axis}\" }}\n\
             mass = 1\ncom = [0, 0, -0.05]\ninertia = {{ xx = 1e-3, yy = 1e-3, zz = 1e-4 }}\npoints.end = [0, 0, -0.1]\n"
        );
    }
    text
}
