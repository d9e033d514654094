//! Time to analyse the loops of a mechanism and to write its closed functions, and its growth with
//! the number of loops.
//!
//! Three ways to have many four-bars: in a *chain* the rocker of one is the crank of the next, and
//! all of them move as one; in a *row* they stand side by side; in a *tower* each stands on the
//! coupler of the one below. `check` is all that `rotule check` does: reading, structure, assembly,
//! rank and partition. The other times run from a mechanism that was read to the finished program;
//! all are times of the processor. `growth` is the time for ten times the loops: ten is linear.
//! Towers have a full mass matrix, so that `forward` is written for few loops only. `cargo xtask
//! bench loops` prints the table.

use rotule_formalism::{Formalism, ModelFunction, normalise};
use rotule_model::{Mechanism, structure};
use rotule_numeric::generate;
use rotule_numeric::redundancy::analyse;
use rotule_testing::formalism;
use std::fmt::Write as _;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench loops");
        return;
    }
    println!(
        "| four-bars | blocks | check | growth | `closure` | operations | growth | `forward` | operations | growth |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (kind, most) in [(Kind::Chain, 1000), (Kind::Row, 1000), (Kind::Tower, 50)] {
        let mut before: [Option<Duration>; 3] = [None; 3];
        for count in [1, 10, 100, 1000] {
            let text = model(kind, count);
            let runs = if count < 1000 { 3 } else { 1 };
            let (blocks, check) = least(runs, || {
                let mechanism = formalism::mechanism(&text);
                let structure = structure(&mechanism);
                assert_eq!(structure.name, "bars");
                let analysis = analyse(&normalise(mechanism)).expect("closes");
                let partition = analysis.partition.expect("a partition");
                let size = |most: usize, rows: usize| most.max(rows);
                let sizes = partition.blocks.iter().map(|block| block.rows.len());
                (partition.blocks.len(), sizes.fold(0, size))
            });
            let mechanism = formalism::mechanism(&text);
            let closure = timed(&mechanism, "closure", runs);
            let forward = (count <= most).then(|| timed(&mechanism, "forward", runs));
            let mut grown = |at: usize, time: Option<Duration>| {
                let factor = before[at].zip(time).map_or(String::new(), |(before, time)| {
                    format!("{:.1}", time.as_secs_f64() / before.as_secs_f64())
                });
                before[at] = time;
                factor
            };
            let growth = [
                grown(0, Some(check)),
                grown(1, Some(closure.1)),
                grown(2, forward.map(|one| one.1)),
            ];
            let last =
                forward.map_or("|".to_owned(), |one| format!("{} | {}", shown(one.1), one.0));
            println!(
                "| {} of {count} | {} of {} | {} | {} | {} | {} | {} | {last} | {} |",
                kind.word(),
                blocks.0,
                blocks.1,
                shown(check),
                growth[0],
                shown(closure.1),
                closure.0,
                growth[1],
                growth[2],
            );
        }
    }
}

/// Operations and time of a function.
fn timed(mechanism: &Mechanism, name: &str, runs: usize) -> (u64, Duration) {
    least(runs, || {
        let tree = normalise(mechanism.clone());
        let function = ModelFunction::parse(name, &tree).expect("a function");
        let formalism = if name == "forward" { Formalism::Barycentric } else { Formalism::Outward };
        let made = generate(&tree, &function, Some(formalism)).expect("a program");
        made.counts.body.operations()
    })
}

/// A result and the least time that it took: what else the machine does can only add.
fn least<T>(runs: usize, mut run: impl FnMut() -> T) -> (T, Duration) {
    let mut one = || {
        let start = now();
        let result = run();
        (result, now().saturating_sub(start))
    };
    let mut best = one();
    for _ in 1..runs {
        let next = one();
        if next.1 < best.1 {
            best = next;
        }
    }
    best
}

/// The time that this thread was on a processor, where the system tells it; elsewhere that of the
/// clock.
fn now() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told = told.and_then(|text| text.split(' ').next()?.parse().ok());
    told.map_or_else(|| BEGUN.elapsed(), Duration::from_nanos)
}

static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);

fn shown(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{:.1} ms", 1e3 * seconds),
        seconds => format!("{seconds:.1} s"),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Chain,
    Row,
    Tower,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Chain => "chain",
            Kind::Row => "row",
            Kind::Tower => "tower",
        }
    }
}

/// Four-bars, each a parallelogram that is not quite closed at first, of cranks `crank`, couplers
/// `coupler` and rockers `rocker`.
fn model(kind: Kind, count: usize) -> String {
    let mut text = String::from("[model]\nname = \"bars\"\ngravity = [0, -9.81, 0]\n");
    let body = |text: &mut String, name: &str, parent: &str, at: [f64; 2], length: f64| {
        let _ = write!(
            text,
            "[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\nposition = [{}, {}, 0]\n\
             joint = {{ name = \"q{name}\", type = \"revolute\", axis = \"z\" }}\n\
             mass = 0.7\ncom = [{}, 0, 0]\ninertia = {{ zz = 0.01 }}\npoints.E = [{length}, 0, 0]\n",
            at[0],
            at[1],
            length / 2.0
        );
    };
    let mut initial = String::new();
    for i in 1..=count {
        let x = i as f64;
        let (base, offset) = match kind {
            Kind::Tower if i > 1 => (format!("coupler{}", i - 1), [0.1, 0.1]),
            Kind::Chain | Kind::Tower => ("ground".to_owned(), [x, 0.0]),
            Kind::Row => ("ground".to_owned(), [2.0 * x, 0.0]),
        };
        let crank = if kind == Kind::Chain && i > 1 {
            format!("rocker{}", i - 1)
        } else {
            body(&mut text, &format!("crank{i}"), &base, offset, 0.5);
            let _ = writeln!(initial, "qcrank{i} = 1.3");
            format!("crank{i}")
        };
        let beside = [offset[0] + 1.0, offset[1]];
        body(&mut text, &format!("coupler{i}"), &crank, [0.5, 0.0], 1.0);
        body(&mut text, &format!("rocker{i}"), &base, beside, 0.5);
        let _ = writeln!(initial, "qcoupler{i} = -1.3\nqrocker{i} = 1.25");
        let _ = write!(
            text,
            "[[cut]]\nname = \"pin{i}\"\ntype = \"revolute\"\naxis = \"z\"\n\
             between = [\"coupler{i}.E\", \"rocker{i}.E\"]\n"
        );
    }
    text + "[initial.q]\n" + &initial
}
