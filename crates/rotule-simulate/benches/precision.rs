//! Error against work: every reference problem with every method, at several tolerances or steps.
//!
//! The error is the largest of any coordinate at any time of the digits; for the free body, which has digits of speeds only,
//! of any speed in parts of itself. `cargo xtask bench precision` prints the tables of the manual's page on simulation.

#[path = "../tests/common/mod.rs"]
mod common;

use common::reference::{Problem, problems, solve};
use common::{ends, plant, within};
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::{METHODS, method};
use rotule_simulate::ode::Ode;
use rotule_simulate::run::Threshold;
use std::time::Instant;

/// Problems with the steps of methods that know no others: long ones for `rk4`, short ones for `euler`.
const STEPS: &[(&str, [f64; 2])] = &[
    ("andrews_squeezer", [2e-5, 5e-6]),
    ("point_mass", [5e-3, 1e-3]),
    ("flyball_governor", [1e-4, 5e-5]),
    ("spatial_slider_crank", [2e-3, 5e-4]),
    ("heavy_top", [5e-4, 1e-4]),
    ("dzhanibekov", [2e-2, 5e-3]),
    ("bicycle_m2", [1e-2, 2e-3]),
    ("pendulum_3", [5e-3, 1e-3]),
];

/// How often the start is evaluated, for its time.
const EVALUATIONS: u32 = 500;

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

fn row(problem: &Problem, method: &'static str, accuracy: Accuracy) {
    let wish = match accuracy {
        Accuracy::Fixed(step) => format!("{step:.0e} s"),
        Accuracy::Within { relative, .. } => format!("{relative:.0e}"),
    };
    let attempt = std::panic::catch_unwind(|| solve(problem, method, accuracy, f64::INFINITY));
    let Ok(solved) = attempt else {
        println!("| `{method}` | {wish} | fails | | | | |");
        return;
    };
    let error = match solved.coordinates(f64::INFINITY) {
        0.0 => solved.speeds(f64::INFINITY),
        error => error,
    };
    let (work, evaluations) = (solved.outcome.work, solved.outcome.effort.evaluations);
    let end = solved.errors.last().map_or(0.0, |row| row.0);
    let times = (0..3).map(|_| timed(problem, method, accuracy, end));
    let (seconds, each) = times.fold((f64::MAX, f64::MAX), |a, b| (a.0.min(b.0), a.1.min(b.1)));
    println!(
        "| `{method}` | {wish} | {error:.1e} | {} | {evaluations} | {:.1} ms | {:.0} ns |",
        work.steps,
        1e3 * seconds,
        1e9 * each
    );
}

/// Seconds of a run, ready to begin, and of one evaluation at its start.
fn timed(problem: &Problem, name: &str, accuracy: Accuracy, to: f64) -> (f64, f64) {
    let mut plant = plant(&problem.model);
    let (t, y) = (plant.point().t, plant.state());
    let mut rates = vec![0.0; y.len()];
    let begun = Instant::now();
    for _ in 0..EVALUATIONS {
        plant.rates(t, &y, &mut rates).expect("a start with rates");
    }
    let each = begun.elapsed().as_secs_f64() / f64::from(EVALUATIONS);
    // Derivatives are written when they are first asked for.
    let stiff = METHODS.iter().any(|entry| entry.name == name && entry.stiff);
    if stiff {
        let mut by_state = vec![0.0; y.len() * y.len()];
        plant.derivatives(t, &y, &mut by_state).expect("a start with derivatives");
    }
    let mut method = method(name, accuracy, plant.size()).expect("a method");
    let begun = Instant::now();
    ends(&mut plant, method.as_mut(), &[to], Threshold::AUTOMATIC, |_| {});
    (begun.elapsed().as_secs_f64(), each)
}
