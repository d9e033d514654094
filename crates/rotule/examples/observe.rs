//! A closed loop in motion: an observer watches a four-bar linkage and ends the run where its
//! rocker turns back.
//!
//! `cargo run --example observe`

use rotule::{Error, Method, Model};
use std::ops::ControlFlow;

fn main() -> Result<(), Error> {
    let model = Model::read("four_bar.toml", rotule::doc::FOUR_BAR)?;
    let (mut lowest, mut above) = (f64::MAX, 0);
    let run = model
        .simulate()
        .to(2.0)
        .method(Method::Dop853)
        .every(0.001)
        .observe(|point| {
            // Channels are known by the names of the model file.
            let Ok(angle) = point.get("q3") else { return ControlFlow::Break(()) };
            above += usize::from(angle > lowest);
            lowest = lowest.min(angle);
            if above > 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .run()?;
    println!(
        "the rocker swung down to {lowest:.6} rad; the run ended at t = {:.3} s",
        run.last("t")?
    );
    for warning in &run.verdict().warnings {
        println!("warning: {}; {}", warning.message, warning.remedy);
    }
    let folder = std::env::temp_dir();
    run.write(folder.join("rotule-observe.csv"))?;
    run.report(folder.join("rotule-observe.html"))?;
    Ok(())
}
