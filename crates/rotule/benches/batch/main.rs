//! Time of one state in a batch of 10^6: by columns, as the library evaluates batches, beside an
//! interleaved array with one number for every input of the program in each state, and beside
//! kernels that evaluate one block again and again.
//!
//! All are timed in turn, and the least of several runs counts, because what else the machine does
//! can only add. Ratios are to the interleaved array, whose making is not counted. `cargo xtask
//! bench batch` prints the table; `cargo bench --bench batch -- STATES THREADS REPEATS` one of
//! other numbers.

mod interleaved;

use interleaved::Interleaved;
use rotule::layers::formalism::normalise;
use rotule::layers::jit::{
    InputSource, KernelKind, KernelOptions, Many, ManyInputs, StateArray, lanes, over,
};
use rotule::layers::model::{ReadOptions, load_text};
use rotule::layers::program::{Externals, NoExternals, Program};
use rotule::layers::symbolic::Kind;
use rotule_testing::formalism::programs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const MODEL: &str = "robots/ur5.urdf";

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with("--"));
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench batch");
        return;
    }
    let mut number = |default: usize| {
        let word = words.next();
        word.map_or(default, |word| word.parse().expect("STATES THREADS REPEATS are integers"))
    };
    let (states, threads, repeats) = (number(1_000_000), number(2), number(15));
    let program = Arc::new(inverse());
    let data = Data::new(&program, states);
    println!(
        "`inverse` of {MODEL}: {} inputs, of which {} are parameters; {states} states, {threads} threads\n",
        program.inputs().len(),
        program.inputs().iter().filter(|input| input.kind == Kind::Parameter).count(),
    );

    let nothing = || -> Box<dyn Externals> { Box::new(NoExternals) };
    let on = |_: usize| ControlFlow::Continue(());
    let ready = "native code is for this machine";
    let options = KernelOptions::default();
    let mut many = Many::new(program.clone(), KernelKind::Auto, options, threads).expect(ready);
    let mut interleaved = Interleaved::new(&program, threads);
    let mut kernels: Vec<_> =
        (0..threads).map(|_| lanes(&*program, KernelKind::Auto, options).expect(ready)).collect();
    let width = kernels[0].width();
    let block = data.block(width);
    let length = program.output_len();
    let all = data.interleaved();
    let array = |(name, (numbers, row))| StateArray { name, numbers, row };
    let arrays = ["q", "qd", "qdd"]
        .into_iter()
        .zip(data.arrays.iter().map(|(numbers, row)| (&numbers[..], *row)));
    let arrays: Vec<StateArray<'_>> = arrays.map(array).collect();
    let inputs = ManyInputs { states, sources: &data.sources, arrays: &arrays };

    let (mut by_columns, mut expected) = (vec![0.0; states * length], vec![0.0; states * length]);
    let mut columns = || {
        many.evaluate(&inputs, &mut [Some(&mut by_columns)], &nothing, &on)
            .expect("lengths are right");
    };
    let mut rows = || drop(interleaved.evaluate(&all, &mut expected));
    let mut alone = || {
        let count = states / width / 32;
        over(&mut kernels, count, |kernel, _| {
            let mut outputs = vec![0.0; width * length];
            kernel.setup(&block, &mut NoExternals).expect("lengths are right");
            for _ in 0..32 {
                kernel.evaluate(&block, &mut outputs, &mut NoExternals).expect("lengths are right");
            }
            ControlFlow::Continue(())
        });
    };
    let mut ways: [(&str, &mut dyn FnMut()); 3] =
        [("interleaved", &mut rows), ("columns", &mut columns), ("kernels alone", &mut alone)];
    let mut least = [f64::MAX; 3];
    for _ in 0..repeats {
        for (least, (_, way)) in least.iter_mut().zip(&mut ways) {
            let start = Instant::now();
            way();
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    println!("| batch | ns per state | ratio |\n|---|---|---|");
    for ((name, _), time) in ways.iter().zip(least) {
        println!("| {name} | {:.2} | {:.3} |", time * 1e9 / states as f64, time / least[0]);
    }
    let same = by_columns.iter().zip(&expected).all(|(x, y)| x.to_bits() == y.to_bits());
    assert!(same, "both give the same numbers");
}

fn inverse() -> Program {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(MODEL);
    let text = std::fs::read_to_string(path).expect("the example is there");
    let mechanism = load_text(MODEL, text, &ReadOptions::default()).expect("the example is valid");
    programs::program(&normalise(mechanism), "inverse")
}

/// Numbers of all states: one array for each kind of input that varies, one number for every other.
struct Data {
    states: usize,
    sources: Vec<InputSource>,
    /// Numbers and length of a row.
    arrays: Vec<(Vec<f64>, usize)>,
}

impl Data {
    fn new(program: &Program, states: usize) -> Data {
        let kinds = [Kind::Coordinate, Kind::Velocity, Kind::Acceleration];
        let mut rows = [0; 3];
        let sources = program.inputs().iter().enumerate().map(|(k, input)| {
            match kinds.iter().position(|kind| *kind == input.kind) {
                None => InputSource::Constant(0.5 + k as f64 * 0.01),
                Some(array) => {
                    rows[array] += 1;
                    InputSource::Column { array, column: rows[array] - 1 }
                }
            }
        });
        let sources = sources.collect();
        let mut bits = 1_u64;
        let mut number = || {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (bits >> 40) as f64 / (1_u64 << 22) as f64 - 2.0
        };
        let array = |row: usize| ((0..states * row).map(|_| number()).collect(), row);
        Data { states, sources, arrays: rows.map(array).to_vec() }
    }

    fn number(&self, source: InputSource, state: usize) -> f64 {
        match source {
            InputSource::Constant(number) => number,
            InputSource::Column { array, column } => {
                let (numbers, row) = &self.arrays[array];
                numbers[state * row + column]
            }
        }
    }

    /// Every number of every state, state by state.
    fn interleaved(&self) -> Vec<f64> {
        let state = |state| self.sources.iter().map(move |&source| self.number(source, state));
        (0..self.states).flat_map(state).collect()
    }

    /// The first states side by side.
    fn block(&self, width: usize) -> Vec<f64> {
        let input = |&source| (0..width).map(move |state| self.number(source, state));
        self.sources.iter().flat_map(input).collect()
    }
}
