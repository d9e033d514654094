//! A mechanism in code: a double pendulum, its equations to read, and its motion.
//!
//! `cargo run --example build`

use rotule::build::{Body, Draft, Joint};
use rotule::{Error, Model};

fn main() -> Result<(), Error> {
    let mut draft = Draft::new("double_pendulum");
    draft.gravity([0.0, -9.81, 0.0]);
    draft.parameter("m", 1.0).parameter("l", 0.5);
    for (name, parent, joint) in [("upper", "ground", "q1"), ("lower", "upper.end", "q2")] {
        draft.add(
            Body::new(name)
                .parent(parent)
                .joint(Joint::revolute(joint, "z"))
                .mass("m")
                .com((0, "-l", 0))
                .inertia((0, 0, 0))
                .point("end", (0, "-l", 0)),
        );
    }
    draft.initial_q("q1", 1.0);

    let model = Model::try_from(&draft)?;
    println!("{}", model.equations(&[])?);
    let run = model.simulate().to(1.0).run()?;
    println!("after one second: q1 = {:.6}, q2 = {:.6}", run.last("q1")?, run.last("q2")?);
    Ok(())
}
