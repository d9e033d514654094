//! A study: the largest speed of a slider-crank over the speed of its crank.
//!
//! `cargo run --example study`

use rotule::study::Statistic;
use rotule::{Error, Model};

fn main() -> Result<(), Error> {
    let model = Model::open("examples/slider_crank.toml")?;
    let table = model
        .study()
        .to(0.5)
        .step(1e-3)
        .grid("q1.d", 1.0..=9.0, 9)
        .measure("q3.d", Statistic::Max)
        .run()?;
    for (crank, slider) in table.column("q1.d")?.iter().zip(table.column("q3.d:max")?) {
        println!("{crank:6.1} rad/s {slider:9.4} m/s");
    }
    print!("{table}");
    Ok(())
}
