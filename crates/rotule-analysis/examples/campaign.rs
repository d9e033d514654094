//! Campaigns of random closed mechanisms; `cargo xtask campaign modes` and `equilibrium` run this.
//!
//! ```sh
//! cargo run -p rotule-analysis --example campaign -- modes|equilibrium COUNT SEED
//! cargo run -p rotule-analysis --example campaign -- modes|equilibrium show SEED
//! ```

#[path = "../tests/campaign/equilibrium.rs"]
mod equilibrium;
#[path = "../tests/campaign/judge.rs"]
mod judge;
#[path = "../tests/campaign/modes.rs"]
mod modes;

use equilibrium::judge_equilibrium;
use judge::tally;
use modes::judge_modes;
use rotule_testing::campaign::closed::specimen::Specimen;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let parsed = |text: &str| text.parse::<u64>().ok();
    match words[..] {
        ["modes" | "equilibrium", "show", seed] => match parsed(seed).map(Specimen::new) {
            Some(Ok(specimen)) => {
                print!("{}", specimen.text);
                ExitCode::SUCCESS
            }
            _ => ExitCode::FAILURE,
        },
        [name @ ("modes" | "equilibrium"), count, seed] => {
            let (Some(count), Some(seed)) = (parsed(count), parsed(seed)) else {
                return ExitCode::from(2);
            };
            let seeds = (0..count).map(|at| seed.wrapping_add(at));
            let judge = if name == "modes" { judge_modes } else { judge_equilibrium };
            let found = tally(seeds, judge);
            print!("{name}: {}", found.text);
            if found.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        _ => {
            eprintln!("usage: campaign modes|equilibrium COUNT SEED");
            ExitCode::from(2)
        }
    }
}
