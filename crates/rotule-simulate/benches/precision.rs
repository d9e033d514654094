//! Error against work: every reference problem with every method, at several tolerances or steps.
//!
//! The error is the largest of any coordinate at any time of the digits; for the free body, which has digits of speeds only,
//! of any speed in parts of itself. `cargo xtask bench precision` prints the tables of the manual's page on simulation.

#[path = "../tests/common/mod.rs"]
mod common;

use common::reference::{Problem, problems, solve};
use common::within;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::METHODS;
use std::time::Instant;

/// Problems with the steps of methods that know no others: long ones for `rk4`, short ones for `euler`.
const STEPS: &[(&str, [f64; 2])] = &[
    ("andrews_squeezer", [2e-5, 5e-6]),
    ("point_mass", [5e-3, 1e-3]),
    ("flyball_governor", [1e-4, 1e-4]),
    ("spatial_slider_crank", [2e-3, 5e-4]),
    ("heavy_top", [5e-4, 1e-4]),
    ("dzhanibekov", [2e-2, 5e-3]),
    ("bicycle_m2", [1e-2, 2e-3]),
    ("pendulum_3", [5e-3, 1e-3]),
];

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench precision");
        return;
    }
    for problem in problems() {
        let Some((_, steps)) = STEPS.iter().find(|(name, _)| *name == problem.name) else {
            continue;
        };
        table(&problem, *steps);
    }
}

fn table(problem: &Problem, steps: [f64; 2]) {
    println!("\n### `{}`\n", problem.name);
    println!(
        "| method | tolerance or step | error | steps | evaluations | time | each evaluation |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for entry in METHODS {
        let wishes: Vec<Accuracy> = match entry.fixed {
            true => steps.map(Accuracy::Fixed).into(),
            false => [1e-6, 1e-9, 1e-12].map(within).into(),
        };
        for accuracy in wishes {
            let stiff = problem.name == "flyball_governor" && !entry.stiff;
            // Steps of stability and not of accuracy: all tolerances cost the same.
            if stiff && accuracy != within(1e-6) && !entry.fixed {
                continue;
            }
            row(problem, entry.name, accuracy);
        }
    }
}

fn row(problem: &Problem, method: &str, accuracy: Accuracy) {
    let wish = match accuracy {
        Accuracy::Fixed(step) => format!("{step:.0e} s"),
        Accuracy::Within { relative, .. } => format!("{relative:.0e}"),
    };
    let begun = Instant::now();
    let attempt = std::panic::catch_unwind(|| solve(problem, method, accuracy, f64::INFINITY));
    let Ok(solved) = attempt else {
        println!("| `{method}` | {wish} | fails | | | | |");
        return;
    };
    let seconds = begun.elapsed().as_secs_f64() - solved.prepared;
    let error = match solved.coordinates(f64::INFINITY) {
        0.0 => solved.speeds(f64::INFINITY),
        error => error,
    };
    let (work, evaluations) = (solved.outcome.work, solved.outcome.effort.evaluations);
    let each = seconds / evaluations as f64;
    println!(
        "| `{method}` | {wish} | {error:.1e} | {} | {evaluations} | {:.1} ms | {:.0} ns |",
        work.steps,
        1e3 * seconds,
        1e9 * each
    );
}
