//! Campaigns of random mechanisms in full size; `cargo xtask campaign` runs this.
//!
//! ```sh
//! cargo run -p rotule-simulate --example campaign -- NAME COUNT SEED
//! cargo run -p rotule-simulate --example campaign -- NAME show SEED
//! ```
//!
//! NAME is `closed`, `timed`, `coupled` or `groups`. The first runs COUNT mechanisms, those of SEED
//! and the seeds after it, and fails if one is wrong, if more than 5 % differ behind a singular
//! position that was warned of, or if fewer than 95 % reach the end. The second prints the model
//! file of a seed.

use rotule_testing::campaign::closed;
use rotule_testing::campaign::coupled;
use rotule_testing::campaign::groups;
use rotule_testing::campaign::timed;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["closed" | "groups", "show", seed] => seed.parse().ok().map(show_closed),
        ["timed", "show", seed] => seed.parse().ok().map(show_timed),
        ["coupled", "show", seed] => seed.parse().ok().map(show_coupled),
        [name @ ("closed" | "timed" | "coupled" | "groups"), count, seed] => {
            count.parse().ok().zip(seed.parse().ok()).map(|(count, seed): (u64, u64)| {
                let seeds: Vec<u64> = (0..count).map(|at| seed.wrapping_add(at)).collect();
                match name {
                    "closed" => run_closed(&seeds),
                    "timed" => run_timed(&seeds),
                    "coupled" => run_coupled(&seeds),
                    _ => run_groups(&seeds),
                }
            })
        }
        _ => None,
    };
    done.unwrap_or_else(|| {
        eprintln!("usage: campaign closed|timed|coupled|groups COUNT SEED, or campaign closed|timed|coupled|groups show SEED");
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

fn show_coupled(seed: u64) -> ExitCode {
    print!("{}", coupled::specimen::Specimen::new(seed).text);
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

fn run_coupled(seeds: &[u64]) -> ExitCode {
    use rotule_testing::campaign::coupled::judge::{KINDS, Report, Verdict};
    let titles: Vec<String> = KINDS.iter().map(|(kind, _)| format!("{kind:>10}")).collect();
    println!("  seed family  {}", titles.join(" "));
    let tally = coupled::tally::Tally::new(seeds, |report: &Report| {
        let verdict = match &report.verdict {
            Verdict::Agreed => "agreed".to_owned(),
            Verdict::Refused(why) => format!("refused: {}", why.lines().next().unwrap_or_default()),
            Verdict::Wrong(kind, details) => format!("WRONG: {kind}: {details}"),
        };
        let Report { seed, family, .. } = report;
        let differences: Vec<String> =
            report.differences.iter().map(|one| format!("{one:>10.1e}")).collect();
        println!("{seed:>6} {family:<7} {}  {verdict}", differences.join(" "));
    });
    print!("\n{}", tally.text());
    let reached = tally.reports.len() - tally.refused();
    match tally.wrong() == 0 && reached * 100 >= tally.reports.len() * 95 {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn run_groups(seeds: &[u64]) -> ExitCode {
    use groups::{Report, Verdict};
    println!("  seed family         shared  operations  parts  functions");
    let tally = groups::Tally::new(seeds, |report: &Report| {
        let Report { seed, family, functions, verdict } = report;
        let functions = functions.join(", ");
        match verdict {
            Verdict::Agreed { shared, operations: [group, parts] } => {
                println!("{seed:>6} {family:<14} {shared:>6} {group:>11} {parts:>6}  {functions}");
            }
            Verdict::Refused(why) => {
                let why = why.lines().next().unwrap_or_default();
                println!("{seed:>6} {family:<14} refused: {why}");
            }
            Verdict::Wrong(why) => println!("{seed:>6} {family:<14} WRONG: {why}; {functions}"),
        }
    });
    print!("\n{}", tally.text());
    let reached = tally.reports.len() - tally.refused();
    match tally.wrong() == 0 && reached * 100 >= tally.reports.len() * 95 {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
