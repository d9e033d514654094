//! The campaign of linear models in full size; `cargo xtask campaign linear` runs this.
//!
//! ```sh
//! cargo run -p rotule-analysis --example linear_campaign -- linear COUNT SEED
//! cargo run -p rotule-analysis --example linear_campaign -- linear show SEED
//! ```

use std::process::ExitCode;

#[path = "../tests/common/linear_campaign.rs"]
mod campaign;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["linear", "show", seed] => seed.parse().ok().map(|seed| {
            print!("{}", campaign::text(seed));
            ExitCode::SUCCESS
        }),
        ["linear", count, seed] => count.parse().ok().zip(seed.parse().ok()).map(run),
        _ => None,
    };
    done.unwrap_or_else(|| {
        eprintln!("usage: linear_campaign linear COUNT SEED, or linear_campaign linear show SEED");
        ExitCode::from(2)
    })
}

fn run((count, seed): (u64, u64)) -> ExitCode {
    let tally = campaign::Tally::of((0..count).map(|at| seed.wrapping_add(at)));
    print!("{tally}");
    if tally.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
