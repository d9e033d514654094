//! The first program: a robot from its file to torques, a motion and C.
//!
//! `cargo run --example start`, in a folder with `ur5.urdf`

use rotule::{Error, Language, Method};

fn main() -> Result<(), Error> {
    let (q, qd, qdd, mut torque) = ([0.1; 6], [0.0; 6], [0.0; 6], [0.0; 6]);
    let (qs, qds, qdds, mut torques) = ([0.1; 600], [0.0; 600], [0.0; 600], [0.0; 600]);

    let robot = rotule::Model::open("ur5.urdf")?;
    let inverse = robot.function("inverse")?;
    let mut kernel = inverse.compile()?;
    kernel.evaluate(&[("q", &q), ("qd", &qd), ("qdd", &qdd)], &mut [("effort", &mut torque)])?;
    kernel.batch(&[("q", &qs), ("qd", &qds), ("qdd", &qdds)], &mut [("effort", &mut torques)])?;
    let run = robot.simulate().to(2.0).method(Method::Dop853).run()?;
    robot.generate(Language::C, &["inverse", "forward"])?.write("out/")?;

    println!("{torque:.3?} N m\n{run}");
    Ok(())
}
