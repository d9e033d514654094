//! Error against work: every reference problem with every method, at several tolerances or steps.
//!
//! The error is the largest of any coordinate at any time of the digits; for the free body, which
//! has digits of speeds only, of any speed in parts of itself. `cargo xtask bench precision` prints
//! the section of the manual's page on simulation, to be put there as it is.

use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::{METHODS, SECOND_ORDER, method};
use rotule_simulate::ode::Ode;
use rotule_simulate::run::Threshold;
use rotule_testing::simulate::reference::{Problem, form, problems, solve};
use rotule_testing::simulate::{ends, plant_in, within};
use std::time::{Duration, Instant};

/// A problem: what it is, the steps of `rk4` and `euler`, and those of the methods of second order,
/// which are implicit.
struct Row {
    name: &'static str,
    about: &'static str,
    explicit: [f64; 2],
    implicit: [f64; 2],
}

const fn row(name: &'static str, about: &'static str, steps: [[f64; 2]; 2]) -> Row {
    let [explicit, implicit] = steps;
    Row { name, about, explicit, implicit }
}

const ROWS: &[Row] = &[
    row(
        "andrews_squeezer",
        "Andrews' squeezer, three loops, 0.05 s; data and start of the IVP test set.",
        [[2e-5, 5e-6], [5e-5, 1e-5]],
    ),
    row(
        "point_mass",
        "IFToMM A01: a point mass on a rod in Cartesian coordinates, 10 s. Choices alternate 16 times.",
        [[5e-3, 1e-3]; 2],
    ),
    row("flyball_governor", "IFToMM A05: stiff, 10 s.", [[1e-4, 5e-5], [5e-3, 1e-3]]),
    row(
        "spatial_slider_crank",
        "IFToMM: one loop in space, 5 s, almost nine turns.",
        [[2e-3, 5e-4]; 2],
    ),
    row("heavy_top", "A ball joint with a quaternion, 2 s at 150 rad/s.", [[5e-4, 1e-4]; 2]),
    row(
        "dzhanibekov",
        "A free body that flips, 40 s; errors of speeds in parts of themselves.",
        [[2e-2, 5e-3]; 2],
    ),
    row(
        "bicycle_m1",
        "Whipple's bicycle, rolling wheels, 5 s: slow and unstable.",
        [[1e-2, 2e-3]; 2],
    ),
    row("bicycle_m2", "The same at 4.6 m/s with a push to the side.", [[1e-2, 2e-3]; 2]),
    row("bicycle_m3", "The same at 8 m/s.", [[1e-2, 2e-3]; 2]),
    row("pendulum_2", "Two links from the horizontal, 5 s.", [[5e-3, 1e-3]; 2]),
    row("pendulum_3", "Three links.", [[5e-3, 1e-3]; 2]),
    row("pendulum_5", "Five links.", [[5e-3, 1e-3]; 2]),
    row("pendulum_3_rods", "Three links that are uniform rods.", [[5e-3, 1e-3]; 2]),
    row("cart_pole", "A pole on a cart, 5 s.", [[5e-3, 1e-3]; 2]),
];

/// Number of times that the start is evaluated, for its time.
const EVALUATIONS: u32 = 500;
/// Number of times that a run is timed at most, and how long it may take then.
const RUNS: u32 = 3;
const ENOUGH: Duration = Duration::from_millis(500);

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench precision");
        return;
    }
    // Runs that fail are rows of the tables, not messages.
    std::panic::set_hook(Box::new(|_| {}));
    let all = problems();
    for row in ROWS {
        let problem = all.iter().find(|one| one.name == row.name).expect("a known problem");
        table(problem, row);
    }
}

fn table(problem: &Problem, row: &Row) {
    println!("\n### `{}`\n\n{}\n", row.name, row.about);
    println!(
        "| method | tolerance or step | error | steps | evaluations | time | each evaluation |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    let first = METHODS.iter().map(|entry| (entry, row.explicit));
    for (entry, steps) in first.chain(SECOND_ORDER.iter().map(|entry| (entry, row.implicit))) {
        let accuracies: Vec<Accuracy> = match entry.fixed {
            true => steps.map(Accuracy::Fixed).into(),
            false => [1e-6, 1e-9, 1e-12].map(within).into(),
        };
        for accuracy in accuracies {
            let stiff = problem.name == "flyball_governor" && !entry.stiff;
            // Steps of stability and not of accuracy: all tolerances cost the same.
            if stiff && accuracy != within(1e-6) && !entry.fixed {
                continue;
            }
            line(problem, entry.name, accuracy);
        }
    }
}

fn line(problem: &Problem, method: &'static str, accuracy: Accuracy) {
    let requested = match accuracy {
        Accuracy::Fixed(step) => format!("{step:.0e} s"),
        Accuracy::Within { relative, .. } => format!("{relative:.0e}"),
    };
    let attempt = std::panic::catch_unwind(|| solve(problem, method, accuracy, f64::INFINITY));
    let Ok(solved) = attempt else {
        println!("| `{method}` | {requested} | fails | | | | |");
        return;
    };
    let error = match solved.coordinates(f64::INFINITY) {
        0.0 => solved.speeds(f64::INFINITY),
        error => error,
    };
    let (work, evaluations) = (solved.outcome.work, solved.outcome.effort.evaluations);
    let end = solved.errors.last().map_or(0.0, |row| row.0);
    let begun = Instant::now();
    let (mut seconds, mut each) = (f64::MAX, f64::MAX);
    for run in 0..RUNS {
        if run > 0 && begun.elapsed() > ENOUGH {
            break;
        }
        let (one, other) = timed(problem, method, accuracy, end);
        (seconds, each) = (seconds.min(one), each.min(other));
    }
    println!(
        "| `{method}` | {requested} | {error:.1e} | {} | {evaluations} | {:.1} ms | {:.0} ns |",
        work.steps,
        1e3 * seconds,
        1e9 * each
    );
}

/// Seconds of a run, ready to begin, and of one evaluation at its start.
fn timed(problem: &Problem, name: &str, accuracy: Accuracy, to: f64) -> (f64, f64) {
    let mut plant = plant_in(&problem.model, form(name));
    let (t, y) = (plant.point().t, plant.state());
    let mut rates = vec![0.0; y.len()];
    let begun = Instant::now();
    for _ in 0..EVALUATIONS {
        plant.rates(t, &y, &mut rates).expect("a start with rates");
    }
    let each = begun.elapsed().as_secs_f64() / f64::from(EVALUATIONS);
    // Derivatives are written when they are first needed.
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
