//! Campaigns of random mechanisms in full size; `cargo xtask campaign` runs this.
//!
//! ```sh
//! cargo run -p rotule-simulate --example campaign -- NAME COUNT SEED
//! cargo run -p rotule-simulate --example campaign -- NAME show SEED
//! ```
//!
//! NAME is `closed` or `timed`. The first runs COUNT mechanisms, those of SEED and the seeds after
//! it, and fails if one is wrong, if more than 5 % differ behind a singular position that was
//! warned of, or if fewer than 95 % reach the end. The second prints the model file of a seed.

use rotule_testing::campaign::closed;
use rotule_testing::campaign::timed;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["closed", "show", seed] => seed.parse().ok().map(show_closed),
        ["timed", "show", seed] => seed.parse().ok().map(show_timed),
        [name @ ("closed" | "timed"), count, seed] => {
            count.parse().ok().zip(seed.parse().ok()).map(|(count, seed): (u64, u64)| {
                let seeds: Vec<u64> = (0..count).map(|at| seed.wrapping_add(at)).collect();
                if name == "closed" { run_closed(&seeds) } else { run_timed(&seeds) }
            })
        }
        _ => None,
    };
    done.unwrap_or_else(|| {
        eprintln!("usage: campaign closed|timed COUNT SEED, or campaign closed|timed show SEED");
        ExitCode::from(2)
    })
}

fn show_closed(seed: u64) -> ExitCode {
    match closed::specimen::Specimen::new(seed) {
        Ok(specimen) => {
            print!("{}", specimen.text);
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("seed {seed} is not assembled: {why}");
            ExitCode::FAILURE
        }
    }
}

fn show_timed(seed: u64) -> ExitCode {
    let specimen = timed::specimen::Specimen::new(seed);
    print!("# rotule simulate FILE {}\n{}", specimen.options(), specimen.text);
    ExitCode::SUCCESS
}

fn run_closed(seeds: &[u64]) -> ExitCode {
    use rotule_testing::campaign::closed::judge::{Report, Verdict};
    println!(
        "  seed family         difference  energy  (parts of what is allowed, relative drift)"
    );
    let tally = closed::tally::Tally::new(seeds, |report: &Report| {
        let verdict = match &report.verdict {
            Verdict::Agreed => format!("agreed up to {:.2} s", report.compared),
            Verdict::Refused(why) => format!("refused: {}", why.lines().next().unwrap_or_default()),
            Verdict::Warned(kind, details) => format!("warned, {kind}: {details}"),
            Verdict::Wrong(kind, details) => format!("WRONG: {kind}: {details}"),
        };
        let Report { seed, family, share, drift, .. } = report;
        println!("{seed:>6} {family:<14} {share:>10.1e} {drift:>7.1e}  {verdict}");
    });
    print!("\n{}", tally.text());
    let reached = tally.reports.len() - tally.refused();
    let sound = tally.wrong() == 0 && tally.warned() * 20 <= tally.reports.len();
    match sound && reached * 100 >= tally.reports.len() * 95 {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn run_timed(seeds: &[u64]) -> ExitCode {
    use rotule_testing::campaign::timed::judge::{Report, Verdict};
    println!("  seed family         method         difference  (parts of what is allowed)");
    let tally = timed::tally::Tally::new(seeds, |report: &Report| {
        let verdict = match &report.verdict {
            Verdict::Agreed => {
                format!("agreed up to {:.0} % {}", 100.0 * report.compared, report.because)
            }
            Verdict::Refused(why) => format!("refused: {}", why.lines().next().unwrap_or_default()),
            Verdict::Wrong(kind, details) => format!("WRONG: {kind}: {details}"),
        };
        let Report { seed, family, method, share, .. } = report;
        println!("{seed:>6} {family:<14} {method:<14} {share:>10.1e}  {verdict}");
    });
    print!("\n{}", tally.text());
    let reached = tally.reports.len() - tally.refused();
    match tally.wrong() == 0 && reached * 100 >= tally.reports.len() * 95 {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
