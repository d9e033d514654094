//! Campaigns of random closed mechanisms; `cargo xtask campaign modes` and `equilibrium` run this.
//!
//! ```sh
//! cargo run -p rotule-analysis --example campaign -- modes|equilibrium COUNT SEED
//! cargo run -p rotule-analysis --example campaign -- modes|equilibrium show SEED
//! ```

#[path = "../tests/campaign/judge.rs"]
mod judge;

use judge::{judge_equilibrium, judge_modes, tally};
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
            let seeds: Vec<u64> = (0..count).map(|at| seed.wrapping_add(at)).collect();
            let judge = if name == "modes" { judge_modes } else { judge_equilibrium };
            let found = tally(&seeds, judge);
            print!("{name}: {}", found.text);
            let [_, refused, wrong] = found.counts;
            let rare = name == "equilibrium" || refused * 20 <= seeds.len();
            if wrong == 0 && rare { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        _ => {
            eprintln!("usage: campaign modes|equilibrium COUNT SEED");
            ExitCode::from(2)
        }
    }
}
