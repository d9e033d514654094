//! A robot under control: the joints of a URDF get a law that a closure computes, and an observer
//! watches the error.
//!
//! `cargo run --example control -- robot.urdf`

use rotule::build::External;
use rotule::{Error, Model};
use std::ops::ControlFlow;

/// The angle that every joint is driven to, and the gains of a proportional-derivative controller.
const TARGET: f64 = 0.5;
const GAINS: [f64; 2] = [2000.0, 200.0];

fn main() -> Result<(), Error> {
    // The file that is named, or else the small arm of the documentation.
    let robot = match std::env::args().nth(1) {
        Some(path) => Model::open(path)?,
        None => Model::read("arm.urdf", rotule::doc::ARM)?,
    };
    // The content of the file, to be changed in code: efforts of all joints come from `controller`.
    let mut draft = robot.draft();
    draft.add(External::new("controller", ["angle", "speed"]));
    let joints = draft.bodies.iter().flat_map(|body| &body.joints);
    let joints: Vec<String> =
        joints.filter_map(|joint| Some(joint.name.as_ref()?.value.clone())).collect();
    for joint in &joints {
        assert!(draft.edit_joint(joint, |joint| joint.effort("controller(q, qd)")));
    }
    let mut robot = Model::try_from(&draft)?;
    robot.external("controller", |state, torque| {
        torque[0] = GAINS[0] * (TARGET - state[0]) - GAINS[1] * state[1];
    });

    // The run ends when all joints are near the target.
    let names: Vec<String> = robot.coordinates().into_iter().map(str::to_owned).collect();
    let run = robot
        .simulate()
        .to(5.0)
        .every(0.01)
        .observe(|point| {
            let error = |name: &String| point.get(name).map_or(f64::NAN, |q| (q - TARGET).abs());
            match names.iter().all(|name| error(name) < 0.05) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })
        .run()?;
    println!("all joints are within 0.05 rad of the target after {:.2} s", run.last("t")?);
    Ok(())
}
