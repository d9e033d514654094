//! Common parts of campaigns: many seeds on two threads, and a list of reasons.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// The time after which a seed counts as one that does not end, whatever its steps.
const PATIENCE: Duration = Duration::from_secs(120);
/// Seeds at the same time.
const THREADS: usize = 2;

/// Why there is no report of a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    Panicked,
    DidNotEnd,
}

/// The report of a seed. It is made in a thread of its own, so that neither a panic nor an endless
/// run ends the campaign.
fn report<R: Send + 'static>(seed: u64, run: fn(u64) -> R, lost: fn(u64, Lost) -> R) -> R {
    let (send, receive) = channel();
    let work = move || {
        // A receiver that has given up needs no report.
        let _ = send.send(run(seed));
    };
    let thread = thread::Builder::new().stack_size(64 << 20).spawn(work).expect("a thread");
    match receive.recv_timeout(PATIENCE) {
        Ok(report) => report,
        Err(_) if thread.is_finished() => lost(seed, Lost::Panicked),
        Err(_) => lost(seed, Lost::DidNotEnd),
    }
}

/// Reports of some seeds, in their order; `each` is told of every report.
pub fn reports<R: Send + 'static>(
    seeds: &[u64],
    run: fn(u64) -> R,
    lost: fn(u64, Lost) -> R,
    each: impl Fn(&R) + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut own = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(&seed) = seeds.get(at) else { return own };
            let report = report(seed, run, lost);
            each(&report);
            own.push((at, report));
        }
    };
    let mut reports: Vec<(usize, R)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|one| one.join().expect("no panic")).collect()
    });
    reports.sort_by_key(|(at, _)| *at);
    reports.into_iter().map(|(_, report)| report).collect()
}

/// Writes reasons with their seeds; those that differ in numbers and names alone count as one.
pub fn reasons<'a>(text: &mut String, what: &str, list: impl Iterator<Item = (u64, &'a str)>) {
    let mut known: BTreeMap<String, Vec<(u64, &str)>> = BTreeMap::new();
    for (seed, why) in list {
        let first = why.lines().next().unwrap_or_default();
        let key: String = first
            .split('`')
            .step_by(2)
            .collect::<Vec<_>>()
            .join("`")
            .chars()
            .filter(|c| !c.is_ascii_digit())
            .collect();
        known.entry(key).or_default().push((seed, first));
    }
    for entries in known.values() {
        let (_, example) = entries[0];
        let seeds: Vec<String> = entries.iter().take(8).map(|(seed, _)| seed.to_string()).collect();
        let more = if entries.len() > 8 { " ..." } else { "" };
        writeln!(
            text,
            "{what}: {} times, seeds {}{more}: {example}",
            entries.len(),
            seeds.join(" ")
        )
        .expect("a string");
    }
}
