//! A long run: ten thousand turns of the slider-crank, started with its piston independent. Constraints must stay as closed as
//! at the start. `cargo xtask bench long` prints what is left of them, the drift of the energy and the time.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Conserved, example, plant, within};
use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::run::{Options, Samples, Threshold, run};
use std::time::Instant;

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("this is a benchmark: cargo xtask bench long");
        return;
    }
    let joint = "name = \"q3\", type";
    let wish = "name = \"q3\", partition = \"independent\", type";
    let mut plant = plant(&example("slider_crank.toml").replace(joint, wish));
    let mut method = method("dop853", within(1e-10), plant.size()).expect("a method");
    let mut energy = Conserved::new(&mut plant);
    let first = plant.point().q[0];
    // More than 2.7 turns in a second.
    let to = 10_000.0 / 2.7;
    let options = Options { to, samples: Samples::Every(0.37), threshold: Threshold::AUTOMATIC };
    let begun = Instant::now();
    let outcome = run(&mut plant, method.as_mut(), &options, &mut energy).expect("a run");
    let turned = (plant.point().q[0] - first).abs() / std::f64::consts::TAU;
    println!("{:?} after {:.0} s, {turned:.0} turns", outcome.end, outcome.t);
    println!(
        "constraints {:.1e}, velocities {:.1e}",
        outcome.drift.position, outcome.drift.velocity
    );
    println!("energy drift {:.1e} of the largest energy", energy.relative());
    println!("{} changes of coordinates, {:?}", outcome.switches.len(), outcome.work);
    println!("{:.1?}", begun.elapsed());
}
