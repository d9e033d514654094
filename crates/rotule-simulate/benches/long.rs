//! Long runs: ten thousand turns and more of the slider-crank, started with its piston independent.
//! Constraints must stay as closed as at the start, and the energy must drift no more than the
//! tolerance makes it. `cargo xtask bench long` prints the table of the manual's page on
//! simulation.

use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::run::{End, RunOptions, Samples, Threshold, run};
use rotule_testing::simulate::{Conserved, example, plant, within};
use std::time::Instant;

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench long");
        return;
    }
    println!(
        "| tolerance | turns | constraints | velocities | energy | steps | evaluations | iterations in each | time |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for tolerance in [1e-8, 1e-9, 1e-10, 1e-11, 1e-12] {
        line(tolerance);
    }
}

fn line(tolerance: f64) {
    let joint = "name = \"q3\", type";
    let independent = "name = \"q3\", partition = \"independent\", type";
    let mut plant = plant(&example("slider_crank.toml").replace(joint, independent));
    let mut method = method("dop853", within(tolerance), plant.size()).expect("a method");
    let mut energy = Conserved::new(&mut plant);
    let first = plant.point().q[0];
    // More than 2.7 turns in a second.
    let to = 10_000.0 / 2.7;
    let options = RunOptions::new(to, Samples::Every(0.37), Threshold::AUTOMATIC);
    let begun = Instant::now();
    let outcome = run(&mut plant, method.as_mut(), &options, &mut energy).expect("a run");
    let seconds = begun.elapsed().as_secs_f64();
    assert_eq!(outcome.end, End::Reached);
    let turned = (plant.point().q[0] - first).abs() / std::f64::consts::TAU;
    println!(
        "| {tolerance:.0e} | {turned:.0} | {:.1e} m | {:.1e} m/s | {:.1e} | {} | {} | {:.2} | {seconds:.1} s |",
        outcome.drift.position,
        outcome.drift.velocity,
        energy.relative(),
        outcome.work.steps,
        outcome.effort.evaluations,
        outcome.effort.iterations as f64 / outcome.effort.evaluations as f64,
    );
}
