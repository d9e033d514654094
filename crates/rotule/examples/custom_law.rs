//! A law in Rust: a pendulum whose damping a closure computes.
//!
//! `cargo run --example custom_law`

use rotule::build::{Body, Draft, External, Joint};
use rotule::{Error, Model};

fn main() -> Result<(), Error> {
    let mut draft = Draft::new("damped");
    draft.gravity([0.0, 0.0, -9.81]);
    draft.add(External::new("drag", ["speed"]));
    draft.add(
        Body::new("rod")
            .parent("ground")
            .joint(Joint::revolute("q", "y").effort("drag(qd)"))
            .mass(1)
            .com([0.0, 0.0, -0.5])
            .inertia([0.01, 0.01, 0.01]),
    );
    draft.initial_q("q", 1.0);

    let mut model = Model::try_from(&draft)?;
    model.external("drag", |speed, torque| torque[0] = -0.1 * speed[0] * speed[0].abs());
    let run = model.simulate().to(10.0).run()?;
    let energy = run.channel("energy.total")?;
    println!("energy: {:.6} J at first, {:.6} J at last", energy[0], energy[energy.len() - 1]);
    Ok(())
}
