//! A closed loop in motion: an observer watches the slider-crank and ends the run at the end of the
//! stroke.
//!
//! `cargo run --example observe`

use rotule::{Error, Method, Model};
use std::ops::ControlFlow;

fn main() -> Result<(), Error> {
    let model = Model::open("examples/slider_crank.toml")?;
    let (mut farthest, mut turns) = (f64::MIN, 0);
    let run = model
        .simulate()
        .to(2.0)
        .method(Method::Dop853)
        .every(0.001)
        .observe(|point| {
            // Channels are known by the names of the model file.
            let Ok(x) = point.get("q3") else { return ControlFlow::Break(()) };
            turns += usize::from(x < farthest);
            farthest = farthest.max(x);
            if turns > 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .run()?;
    println!("the slider came to {farthest:.6} m; the run ended at t = {:.3} s", run.last("t")?);
    for warning in &run.verdict().warnings {
        println!("warning: {}; {}", warning.message, warning.remedy);
    }
    let folder = std::env::temp_dir();
    run.write(folder.join("rotule-observe.csv"))?;
    run.report(folder.join("rotule-observe.html"))?;
    Ok(())
}
