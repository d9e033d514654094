//! Campaigns of random mechanisms in full size; `cargo xtask campaign` runs this.
//!
//! ```sh
//! cargo run -p rotule-simulate --example campaign -- closed COUNT SEED
//! cargo run -p rotule-simulate --example campaign -- show SEED
//! ```
//!
//! The first runs mechanisms of COUNT seeds from SEED on and fails if one is wrong or fewer than 95 % reach the end. The second
//! prints the model file of a seed, for `rotule simulate`.

#[path = "../tests/campaign/closed/mod.rs"]
#[allow(dead_code, reason = "tests use a part, this program another")]
mod closed;

use closed::judge::{Report, Verdict};
use closed::specimen::Specimen;
use closed::tally::Tally;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
    match (words.first().map(String::as_str), number(1), number(2)) {
        (Some("show"), Some(seed), None) => match Specimen::new(seed) {
            Ok(specimen) => {
                print!("{}", specimen.text);
                ExitCode::SUCCESS
            }
            Err(why) => {
                eprintln!("{why}");
                ExitCode::FAILURE
            }
        },
        (Some("closed"), Some(count), Some(seed)) => run(count, seed),
        _ => {
            eprintln!("usage: campaign closed COUNT SEED, or campaign show SEED");
            ExitCode::from(2)
        }
    }
}

fn run(count: u64, seed: u64) -> ExitCode {
    let seeds: Vec<u64> = (seed..seed + count).collect();
    let tally = Tally::new(&seeds, |report: &Report| {
        let verdict = match &report.verdict {
            Verdict::Agreed => format!("agreed to {:.2} s", report.compared),
            Verdict::Refused(why) => format!("refused: {}", why.lines().next().unwrap_or_default()),
            Verdict::Wrong(kind, details) => format!("WRONG: {kind}: {details}"),
        };
        println!("{:>6} {:<14} {:.1e} {:.1e} {verdict}", report.seed, report.family, report.share, report.drift);
    });
    print!("\n{}", tally.text());
    let reached = tally.reports.len() - tally.refused();
    match tally.wrong() == 0 && reached * 100 >= tally.reports.len() * 95 {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
