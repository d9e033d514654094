//! A hundred thousand states at once: one row for each, on all cores.
//!
//! `cargo run --release --example batch -- robot.urdf`

use rotule::{Error, Model};

const STATES: usize = 100_000;

fn main() -> Result<(), Error> {
    // The file that is named, or else the small arm of the documentation.
    let robot = match std::env::args().nth(1) {
        Some(path) => Model::open(path)?,
        None => Model::read("arm.urdf", rotule::doc::ARM)?,
    };
    let (nq, nv) = (robot.coordinates().len(), robot.speeds().len());
    // A sweep of the first coordinate at rest.
    let mut qs = vec![0.0; STATES * nq];
    for (at, q) in qs.chunks_mut(nq).enumerate() {
        q.copy_from_slice(&robot.neutral().q);
        q[0] = at as f64 / STATES as f64;
    }
    let mut masses = vec![0.0; STATES * nv * nv];
    let mut kernel = robot.function("mass")?.compile()?;
    kernel.batch(&[("q", &qs)], &mut [("M", &mut masses)])?;
    let largest = masses.iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
    println!("{STATES} mass matrices, largest entry {largest:.6}");
    Ok(())
}
