//! The price of names: [`rotule::Kernel`] against the kernel and the batch below it, in one run.
//!
//! `evaluate` checks names and lengths and copies the state; `batch` does so once for all states.
//! Times are the least of many rounds in which both take turns, because what else the machine does
//! can only add. `cargo xtask bench library` prints the table.

use rotule::layers::jit::{
    InputSource, KernelKind, KernelOptions, Many, ManyInputs, StateArray, kernel, threads,
};
use rotule::layers::program::NoExternals;
use rotule_symbolic::Kind;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

/// Rounds of single evaluations, and evaluations in each.
const ROUNDS: usize = 2_000;
const EVALUATIONS: usize = 200;
/// Rounds of batches, and states in each.
const BATCHES: usize = 60;
const STATES: usize = 1_000_000;

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench library");
        return;
    }
    println!("one state [ns], and a million on {} threads [ms]", threads());
    println!("model       raw kernel   by names   more     Many   batch   ratio");
    for name in ["pendulum", "puma560", "kuka_iiwa14"] {
        let path = format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let model = rotule::Model::open(&path).expect("an example");
        let [raw, named] = single(&model);
        let [many, batch] = batches(&model);
        println!(
            "{name:<12} {raw:>9.1} {named:>10.1} {:>6.1} {many:>8.1} {batch:>7.1} {:>7.3}",
            named - raw,
            batch / many
        );
    }
}

/// The least time of some work, in seconds.
fn timed(least: &mut f64, work: impl FnOnce()) {
    let begun = Instant::now();
    work();
    *least = least.min(begun.elapsed().as_secs_f64());
}

/// Nanoseconds of an evaluation of inverse dynamics by the raw kernel and by names.
fn single(model: &rotule::Model) -> [f64; 2] {
    let function = model.function("inverse").expect("it has one");
    let mut named = function.compile().expect("a kernel");
    let program = function.program();
    let mut raw = kernel(program, KernelKind::Auto, KernelOptions::default()).expect("a kernel");
    let inputs: Vec<f64> = (0..program.inputs().len()).map(|at| 0.1 + 0.01 * at as f64).collect();
    let size = model.speeds().len();
    let (q, qd, qdd) = (vec![0.3; size], vec![0.2; size], vec![0.1; size]);
    let (mut effort, mut output) = (vec![0.0; size], vec![0.0; size]);
    raw.setup(&inputs, &mut NoExternals).expect("all inputs");
    let mut least = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        timed(&mut least[0], || {
            for _ in 0..EVALUATIONS {
                raw.evaluate(&inputs, &mut output, &mut NoExternals).expect("all inputs");
            }
        });
        timed(&mut least[1], || {
            for _ in 0..EVALUATIONS {
                let given: [(&str, &[f64]); 3] = [("q", &q), ("qd", &qd), ("qdd", &qdd)];
                named.evaluate(&given, &mut [("effort", &mut effort)]).expect("all inputs");
            }
        });
    }
    least.map(|time| time / EVALUATIONS as f64 * 1e9)
}

/// Milliseconds of a million states by `Many` and by names.
fn batches(model: &rotule::Model) -> [f64; 2] {
    let function = model.function("inverse").expect("it has one");
    let mut named = function.compile().expect("a kernel");
    let program = function.program();
    let size = model.speeds().len();
    let states: Vec<f64> = (0..STATES * size).map(|at| (at as f64 * 0.618).fract()).collect();
    let mut efforts = vec![0.0; STATES * size];
    let numbers = model.mechanism().parameters.iter().map(|one| one.value);
    let mut parameters = numbers.collect::<Vec<_>>().into_iter();
    let mut columns = [0; 3];
    let mut next = |array: usize| {
        columns[array] += 1;
        InputSource::Column { array, column: columns[array] - 1 }
    };
    let sources: Vec<InputSource> = (program.inputs().iter())
        .map(|input| match input.kind {
            Kind::Coordinate => next(0),
            Kind::Velocity => next(1),
            Kind::Acceleration => next(2),
            _ => InputSource::Constant(parameters.next().unwrap_or(0.0)),
        })
        .collect();
    let array = |name| StateArray { name, numbers: &states, row: size };
    let arrays = ["q", "qd", "qdd"].map(array);
    let inputs = ManyInputs { states: STATES, sources: &sources, arrays: &arrays };
    let whole = Arc::new(program.clone());
    let mut many =
        Many::new(whole, KernelKind::Auto, KernelOptions::default(), threads()).expect("kernels");
    let mut least = [f64::INFINITY; 2];
    for _ in 0..BATCHES {
        timed(&mut least[0], || {
            let externals = || Box::new(NoExternals) as _;
            let go_on = |_| ControlFlow::Continue(());
            many.evaluate(&inputs, &mut [Some(&mut efforts)], &externals, &go_on).expect("arrays");
        });
        timed(&mut least[1], || {
            let given: [(&str, &[f64]); 3] = [("q", &states), ("qd", &states), ("qdd", &states)];
            named.batch(&given, &mut [("effort", &mut efforts)]).expect("arrays");
        });
    }
    least.map(|time| time * 1e3)
}
