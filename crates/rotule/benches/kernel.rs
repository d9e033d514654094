//! Time until a program can be run, and time of a run, by kernel.
//!
//! `ready` is the time from a finished program to the first evaluation, `evaluation` the time of
//! one over many; both are the least of several, because what else the machine does can only add.
//! The state is the model's initial one. Of kernels that take several states at once, the time of
//! one evaluation is that of one state. `cargo xtask bench kernel` prints the table; `cargo bench
//! --bench kernel -- FILE FUNCTION` that of another model file.

use rotule::layers::jit::{KernelKind, KernelOptions, ProgramKernel, kernel, lanes};
use rotule::layers::program::{NoExternals, ProgramCounts};
use rotule::layers::state::StateNumbers;
use rotule_testing::formalism::{example, programs, tree};
use std::time::{Duration, Instant};

const CASES: [(&str, &str); 6] = [
    ("pendulum", "forward"),
    ("puma560", "forward"),
    ("motorcycle", "forward"),
    ("quadruped", "derivative(forward, q)"),
    ("multilink_car", "inverse"),
    ("multilink_car", "forward"),
];

/// Kernels: their names, kinds, whether operations are fused, and whether there are several states.
const KERNELS: [(&str, KernelKind, bool, bool); 6] = [
    ("interpreter", KernelKind::Interpreter, false, false),
    ("native", KernelKind::Native, false, false),
    ("native, fused", KernelKind::Native, true, false),
    ("interpreter, 8 states", KernelKind::Interpreter, false, true),
    ("native, 4 states", KernelKind::Native, false, true),
    ("native, 4 states, fused", KernelKind::Native, true, true),
];

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench kernel");
        return;
    }
    println!("| model | function | operations | kernel | ready | evaluation | ns per operation |");
    println!("|---|---|---|---|---|---|---|");
    let given: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let requested = given.chunks_exact(2).map(|pair| (pair[0].as_str(), pair[1].as_str()));
    let cases: Vec<(&str, &str)> =
        if given.is_empty() { CASES.to_vec() } else { requested.collect() };
    for (model, function) in cases {
        let text = match given.is_empty() {
            true => example(&format!("{model}.toml")),
            false => std::fs::read_to_string(model).expect("a readable file"),
        };
        let tree = tree(&text);
        let program = programs::program(&tree, function);
        let inputs = programs::inputs(&tree, &program, &StateNumbers::initial(&tree));
        let operations = ProgramCounts::of(&program).body.operations();
        let row = |name: &str, (ready, each): (Duration, f64)| {
            println!(
                "| {model} | `{function}` | {operations} | {name} | {:.3} ms | {:.3} us | {:.2} |",
                ready.as_secs_f64() * 1e3,
                each * 1e6,
                each * 1e9 / operations as f64,
            );
        };
        for (name, choice, fuse, several) in KERNELS {
            let options = KernelOptions { fuse };
            let make = || {
                let make = if several { lanes } else { kernel };
                make(&program, choice, options).expect("this machine has all kernels")
            };
            row(name, times(&make, &inputs));
        }
    }
}

/// The time to make a kernel ready, and seconds per evaluation of one state.
fn times<'a>(make: &dyn Fn() -> Box<dyn ProgramKernel + 'a>, inputs: &[f64]) -> (Duration, f64) {
    let mut ready = Duration::MAX;
    let mut made = None;
    for _ in 0..20 {
        let start = Instant::now();
        let fresh = make();
        ready = ready.min(start.elapsed());
        made = Some(fresh);
    }
    let mut kernel = made.expect("made twenty times");
    let width = kernel.width();
    let inputs: Vec<f64> = inputs.iter().flat_map(|&x| std::iter::repeat_n(x, width)).collect();
    let mut outputs = vec![0.0; width * kernel.program().output_len()];
    kernel.setup(&inputs, &mut NoExternals).expect("as many inputs as the program has");
    let each = repeated(&mut || {
        kernel.evaluate(&inputs, &mut outputs, &mut NoExternals).expect("lengths are right");
    });
    (ready, each / width as f64)
}

/// Seconds of one evaluation.
fn repeated(evaluate: &mut dyn FnMut()) -> f64 {
    let mut run = |count: usize| {
        let start = Instant::now();
        for _ in 0..count {
            evaluate();
        }
        start.elapsed().as_secs_f64() / count as f64
    };
    // As many evaluations as take about 5 ms.
    let count = (5e-3 / run(20)).clamp(20.0, 1e6) as usize;
    (0..25).map(|_| run(count)).fold(f64::MAX, f64::min)
}
