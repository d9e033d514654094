//! The campaign of singular positions in full size; `cargo xtask campaign singular` runs this.
//!
//! ```sh
//! cargo run -p rotule-analysis --example singular_campaign -- singular COUNT SEED
//! cargo run -p rotule-analysis --example singular_campaign -- singular show SEED
//! ```

use std::process::ExitCode;

#[path = "../tests/common/singular_campaign.rs"]
mod campaign;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["singular", "show", seed] => seed.parse().ok().map(|seed| {
            print!("{}", campaign::text(seed));
            ExitCode::SUCCESS
        }),
        ["singular", count, seed] => count.parse().ok().zip(seed.parse().ok()).map(run),
        _ => None,
    };
    done.unwrap_or_else(|| {
        eprintln!(
            "usage: singular_campaign singular COUNT SEED, or singular_campaign singular show SEED"
        );
        ExitCode::from(2)
    })
}

fn run((count, seed): (u64, u64)) -> ExitCode {
    let tally =
        campaign::Tally::of((0..count).map(|at| seed.wrapping_add(at)), campaign::Spoiled::Nothing);
    print!("{tally}");
    if tally.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
