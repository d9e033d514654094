//! Torques of a robot: from its URDF to numbers.
//!
//! `cargo run --example evaluate -- robot.urdf`

use rotule::{Error, Model};

fn main() -> Result<(), Error> {
    // The file that is named, or else the small arm of the documentation.
    let robot = match std::env::args().nth(1) {
        Some(path) => Model::open(path)?,
        None => Model::read("arm.urdf", rotule::doc::ARM)?,
    };
    let inverse = robot.function("inverse")?;
    println!("{}: {} operations", inverse.text(), inverse.cost().operations);

    let mut kernel = inverse.compile()?;
    let state = robot.random(1);
    let mut torque = vec![0.0; robot.speeds().len()];
    kernel.evaluate(
        &[("q", &state.q), ("qd", &state.qd), ("qdd", &state.qdd)],
        &mut [("effort", &mut torque)],
    )?;
    for (name, number) in inverse.outputs()[0].rows.iter().zip(&torque) {
        println!("{name:<24} {number:12.6}");
    }
    Ok(())
}
