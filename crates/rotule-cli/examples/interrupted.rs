//! Runs that are interrupted, terminated and killed at random moments, in full size; `cargo xtask
//! campaign interrupted` runs this.
//!
//! ```sh
//! cargo build -p rotule-cli --bins --example interrupted
//! target/debug/examples/interrupted interrupted COUNT SEED
//! ```
//!
//! Each kind of output (csv, parquet, report, study) gets each signal COUNT times, with SEED and
//! the seeds after it. Fails if a result is wrong, if fewer than half of the runs of a row were
//! struck while they wrote, or if those kept too few of their rows.

use std::process::ExitCode;

#[cfg(unix)]
#[cfg(unix)]
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = words.iter().skip(1).filter_map(|word| word.parse().ok()).collect();
    match (words.first().map(String::as_str), &numbers[..]) {
        (Some("interrupted"), &[count, seed]) => run(count, seed),
        _ => {
            eprintln!("usage: interrupted interrupted COUNT SEED");
            ExitCode::from(2)
        }
    }
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    eprintln!("there are no signals to send on this system");
    ExitCode::SUCCESS
}

/// The part of all rows that runs must keep on average.
#[cfg(unix)]
const LEAST: f64 = 0.1;

#[cfg(unix)]
fn run(count: u64, seed: u64) -> ExitCode {
    use rotule_testing::interrupted::{Arena, BLOWS, Kind, Report, Verdict};
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, Ordering};

    let own = std::env::current_exe().unwrap_or_default();
    // Examples are in a folder beside the program.
    let program =
        own.parent().and_then(|examples| examples.parent()).map(|built| built.join("rotule"));
    let arena = Arena::new(&program.unwrap_or_default());
    println!("kind     signal   kept  of the rows  not begun  ended  wrong  longest reaction");
    let mut sound = true;
    for kind in Kind::ALL {
        for blow in BLOWS {
            let next = AtomicU64::new(seed);
            let reports = Mutex::new(Vec::<Report>::new());
            std::thread::scope(|scope| {
                for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
                    scope.spawn(|| {
                        loop {
                            let own = next.fetch_add(1, Ordering::Relaxed);
                            if own >= seed + count {
                                return;
                            }
                            let report = arena.strike(kind, blow, own);
                            if let Ok(mut reports) = reports.lock() {
                                reports.push(report);
                            }
                        }
                    });
                }
            });
            let reports = reports.into_inner().unwrap_or_default();
            let number = |which: fn(&Verdict) -> bool| {
                reports.iter().filter(|report| which(&report.verdict)).count() as u64
            };
            let kept = number(|verdict| matches!(verdict, Verdict::Kept(_)));
            let shares = reports.iter().filter_map(|report| match report.verdict {
                Verdict::Kept(share) => Some(share),
                _ => None,
            });
            let share = shares.sum::<f64>() / (kept as f64).max(1.0);
            let wrong = number(|verdict| matches!(verdict, Verdict::Wrong(_)));
            let not_begun = number(|verdict| *verdict == Verdict::NotBegun);
            let ended = number(|verdict| *verdict == Verdict::Ended);
            // A run that has ended waits for nothing but the disk.
            let struck = reports.iter().filter(|report| report.verdict != Verdict::Ended);
            let longest = struck.map(|report| report.reaction).max().unwrap_or_default();
            println!(
                "{:<8} {:<8} {kept:>4}  {:>9.0} %  {not_begun:>9}  {ended:>5}  {wrong:>5}  {:.0} ms",
                format!("{kind:?}").to_lowercase(),
                blow.as_str(),
                100.0 * share,
                longest.as_secs_f64() * 1e3
            );
            for report in reports.iter().filter(|one| matches!(one.verdict, Verdict::Wrong(_))) {
                println!("  {report}");
            }
            // Runs that never flush would keep nothing of what they computed.
            sound &= wrong == 0 && 2 * kept >= count && share > LEAST;
        }
    }
    println!(
        "{}",
        if sound {
            "agreed"
        } else {
            "WRONG, or too few runs were struck while they wrote, or they kept too few rows"
        }
    );
    if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
