//! A study: the largest speed of the rocker of a four-bar linkage over the speed of its crank.
//!
//! `cargo run --example study`

use rotule::study::Statistic;
use rotule::{Error, Model};

fn main() -> Result<(), Error> {
    let model = Model::read("four_bar.toml", rotule::doc::FOUR_BAR)?;
    let table = model
        .study()
        .to(0.5)
        .step(1e-3)
        .grid("q1.d", 1.0..=9.0, 9)
        .measure("q3.d", Statistic::Max)
        .run()?;
    for (crank, rocker) in table.column("q1.d")?.iter().zip(table.column("q3.d:max")?) {
        println!("{crank:6.1} rad/s {rocker:9.4} rad/s");
    }
    print!("{table}");
    Ok(())
}
