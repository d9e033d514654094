//! Singular positions: IFToMM benchmark A02 by number of four-bars, method and tolerance; other
//! positions where branches meet; and the tables of Morette (2017) beside ours. `cargo xtask bench
//! singular` prints them; an argument such as `platforms` picks tables by name, N of A02 by
//! `chains=2`.

use rotule_simulate::method::Accuracy;
use rotule_simulate::run::Threshold;
use rotule_testing::simulate::bifurcation::{a02, crossings, methods};
use rotule_testing::simulate::loops::{GOLDEN, Setup, ended};
use rotule_testing::simulate::morette::{FIVE_BARS, STARTS, Swept, five_bars, stewart, sweep};
use std::f64::consts::TAU;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if !arguments.iter().any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench singular");
        return;
    }
    let picked: Vec<&String> = arguments.iter().filter(|one| !one.starts_with('-')).collect();
    let requested = |name: &str| picked.is_empty() || picked.iter().any(|one| *one == name);
    let cells = [1, 2, 10, 40].into_iter();
    let cells: Vec<usize> = cells.filter(|cells| requested(&format!("chains={cells}"))).collect();
    if !cells.is_empty() {
        chains(&cells);
    }
    let tables: [(&str, fn()); 3] =
        [("crossings", crossing_branches), ("thresholds", thresholds), ("platforms", platforms)];
    tables.iter().filter(|(name, _)| requested(name)).for_each(|(_, print)| print());
}

/// A tolerance or a step as a word.
fn shown(accuracy: Accuracy) -> String {
    match accuracy {
        Accuracy::Within { relative, .. } => format!("{relative:.0e}"),
        Accuracy::Fixed(step) => format!("{step} s"),
    }
}

/// A02: the largest error of a crank tip and of the energy in ten seconds, beside those of the
/// pendulum that the chain is.
fn chains(cells: &[usize]) {
    println!("\n### A02: N four-bars through flat positions, 10 s\n");
    println!(
        "| N | method | tolerance or step | position | energy | pendulum | steps | end | time |"
    );
    println!("|--:|---|--:|--:|--:|--:|--:|---|--:|");
    for &cells in cells {
        let chain = a02(cells);
        let (text, tree) = (chain.text("\"ball\""), chain.tree());
        for (method, accuracy) in methods(&[1e-6, 1e-8, 1e-10, 1e-12]) {
            let setup = Setup::new(10.0, 0.1 * GOLDEN).by(method, accuracy);
            let begun = Instant::now();
            let found = chain.follow(&text, cells + 1, setup);
            let seconds = begun.elapsed().as_secs_f64();
            println!(
                "| {cells} | {method} | {} | {:.1e} m | {:.1e} | {:.1e} m | {} | {} | {seconds:.2} s |",
                shown(accuracy),
                found.position.0,
                found.energy,
                chain.follow(&tree, 1, setup).position.0,
                found.outcome.work.steps,
                ended(&found.outcome),
            );
        }
    }
}

/// Four-bars through positions where branches meet, three turns at 10 rad/s and ten at 100 rad/s.
fn crossing_branches() {
    println!("\n### Branches that cross\n");
    println!(
        "| mechanism | worst sample | at | end | speeds | accelerations | steps | changes | end of the run |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|---|");
    for linkage in crossings() {
        for (omega, turns) in [(10.0, 3.0), (100.0, 10.0)] {
            for (method, accuracy) in methods(&[1e-6, 1e-8, 1e-10, 1e-12]) {
                // Steps of one length must be short in a turn.
                let accuracy = match accuracy {
                    Accuracy::Fixed(step) => Accuracy::Fixed(step * 10.0 / omega),
                    other => other,
                };
                let turn = TAU / omega;
                let setup = Setup::new(turns * turn, 0.1 * GOLDEN * turn).by(method, accuracy);
                let name = format!("{}, {omega} rad/s, {method} {}", linkage.name, shown(accuracy));
                println!("{}", linkage.follow_with(omega, setup).row(&name));
            }
        }
    }
}

/// The columns of a run with a threshold.
fn columns(found: &Swept, expected: &Swept, until: f64) -> String {
    let work = found.outcome.work;
    format!(
        "{} | {:.1} ms | {} | {:.1} | {:.1e} | {:.1e} | {} |",
        found.outcome.switches.len(),
        1e3 * found.seconds,
        work.steps,
        found.outcome.worst,
        found.energy,
        found.apart(expected, until),
        ended(&found.outcome),
    )
}

const RIGHT: &str = "steps | conditioning | energy | apart | end |\n";

/// Five equal bars: changes and time by threshold, the thesis's beside ours.
fn thresholds() {
    println!("\n### Five equal bars, 5 s, by threshold\n");
    for (method, tolerance) in [("dop853", 1e-12), ("dormand-prince", 1e-8)] {
        println!(
            "`{method}` at {tolerance:.0e}; `apart` is the largest difference from the automatic threshold up to 2 s.\n"
        );
        print!("| threshold | thesis | thesis | changes | time | {RIGHT}");
        println!("|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|");
        let text = five_bars();
        let expected = sweep(&text, method, tolerance, 5.0, Threshold::AUTOMATIC);
        for (threshold, changes, seconds) in FIVE_BARS {
            let found = sweep(&text, method, tolerance, 5.0, Threshold::At(threshold));
            println!(
                "| {threshold} | {changes} | {seconds} s | {}",
                columns(&found, &expected, 2.0)
            );
        }
        let never = sweep(&text, method, tolerance, 5.0, Threshold::Never);
        println!("| never | | | {}\n", columns(&never, &expected, 2.0));
    }
}

/// The platform on six legs from several starts.
fn platforms() {
    println!("\n### Stewart platform, 10 s, by start and threshold\n");
    println!("The thesis has 2 changes for thresholds above 3, more than 2000 for 1 and 2.\n");
    print!("| start | threshold | changes | time | {RIGHT}");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|---|");
    let run = |text: &str, threshold| sweep(text, "dormand-prince", 1e-9, 10.0, threshold);
    let expected = run(&stewart(&STARTS[2]), Threshold::AUTOMATIC);
    for start in &STARTS {
        let text = stewart(start);
        for threshold in [1.0, 2.0, 3.0, 5.0, 10.0, 15.0, 100.0] {
            let found = run(&text, Threshold::At(threshold));
            println!("| {} | {threshold} | {}", start.name, columns(&found, &expected, 10.0));
        }
    }
}
