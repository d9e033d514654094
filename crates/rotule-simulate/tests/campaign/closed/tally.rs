//! Many mechanisms on two threads, and the table of what became of them.

use super::judge::{Report, Verdict, judge};
use super::specimen::{FAMILIES, Specimen};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// The time after which a mechanism counts as one that does not end, whatever its steps.
const PATIENCE: Duration = Duration::from_secs(120);
/// Mechanisms at the same time.
const THREADS: usize = 2;

/// Reports of a campaign, by seed.
pub struct Tally {
    pub reports: Vec<Report>,
}

/// The report of a seed. It is made in a thread of its own, so that neither a panic nor an endless run ends the campaign.
fn report(seed: u64) -> Report {
    let family = FAMILIES[(seed % FAMILIES.len() as u64) as usize].name;
    let (send, receive) = channel();
    let run = move || {
        let report = match Specimen::new(seed) {
            Ok(specimen) => judge(&specimen),
            Err(why) => {
                let line = why.lines().next().unwrap_or_default().to_owned();
                Report::new(seed, family, Verdict::Refused(format!("not assembled: {line}")))
            }
        };
        // A receiver that has given up needs no report.
        let _ = send.send(report);
    };
    let thread = thread::Builder::new().stack_size(64 << 20).spawn(run).expect("a thread");
    match receive.recv_timeout(PATIENCE) {
        Ok(report) => report,
        Err(_) if thread.is_finished() => {
            Report::new(seed, family, Verdict::Wrong("panic", "the program panicked".to_owned()))
        }
        Err(_) => Report::new(seed, family, Verdict::Refused("did not end".to_owned())),
    }
}

impl Tally {
    /// Runs the mechanisms of some seeds; `each` is told of every report.
    pub fn new(seeds: &[u64], each: impl Fn(&Report) + Sync) -> Tally {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut own = Vec::new();
            while let Some(&seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
                let report = report(seed);
                each(&report);
                own.push(report);
            }
            own
        };
        let mut reports: Vec<Report> = thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
            threads.into_iter().flat_map(|one| one.join().expect("no panic")).collect()
        });
        reports.sort_by_key(|report| report.seed);
        Tally { reports }
    }

    fn count(&self, chosen: impl Fn(&Report) -> bool) -> usize {
        self.reports.iter().filter(|report| chosen(report)).count()
    }

    /// Mechanisms with a wrong result.
    pub fn wrong(&self) -> usize {
        self.count(|report| matches!(report.verdict, Verdict::Wrong(..)))
    }

    /// Mechanisms that differ behind a singular position which a run has warned of.
    pub fn warned(&self) -> usize {
        self.count(|report| matches!(report.verdict, Verdict::Warned(..)))
    }

    /// Mechanisms whose run stopped early.
    pub fn refused(&self) -> usize {
        self.count(|report| matches!(report.verdict, Verdict::Refused(_)))
    }

    /// Mechanisms whose run by projection stopped early or broke an invariant.
    pub fn projection_faults(&self) -> usize {
        self.count(|report| report.projection.is_some())
    }

    /// The table: families, refusals by reason with the first seed of each, wrong results.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let all = self.reports.len();
        let agreed = all - self.wrong() - self.warned() - self.refused();
        let early = self.count(|report| report.early);
        writeln!(
            text,
            "{all} mechanisms: {agreed} agreed, {} warned of a singular position and differ behind it, {} refused, {} wrong; {early} chaotic before 1 s",
            self.warned(),
            self.refused(),
            self.wrong()
        )
        .expect("a string");
        writeln!(text, "\n{:<14} all  agreed  warned  refused  wrong  chaotic  changes", "family")
            .expect("a string");
        for family in FAMILIES {
            let of = |chosen: &dyn Fn(&Report) -> bool| {
                self.count(|report| report.family == family.name && chosen(report))
            };
            let changes: usize = self
                .reports
                .iter()
                .filter(|report| report.family == family.name)
                .map(|report| report.switches)
                .sum();
            let row = [
                of(&|_| true),
                of(&|report| report.verdict == Verdict::Agreed),
                of(&|report| matches!(report.verdict, Verdict::Warned(..))),
                of(&|report| matches!(report.verdict, Verdict::Refused(_))),
                of(&|report| matches!(report.verdict, Verdict::Wrong(..))),
                of(&|report| report.early),
            ];
            if row[0] > 0 {
                let [all, agreed, warned, refused, wrong, early] = row;
                writeln!(
                    text,
                    "{:<14} {all:>3}  {agreed:>6}  {warned:>6}  {refused:>7}  {wrong:>5}  {early:>7}  {changes:>7}",
                    family.name
                )
                .expect("a string");
            }
        }
        let refusals = self.reports.iter().filter_map(|report| match &report.verdict {
            Verdict::Refused(why) => Some((report.seed, why.as_str())),
            _ => None,
        });
        reasons(&mut text, "refused", refusals);
        let projections =
            self.reports.iter().filter_map(|one| Some((one.seed, one.projection.as_deref()?)));
        reasons(&mut text, "faults of projection", projections);
        for report in &self.reports {
            let (word, kind, details) = match &report.verdict {
                Verdict::Wrong(kind, details) => ("wrong", kind, details),
                Verdict::Warned(kind, details) => ("warned", kind, details),
                _ => continue,
            };
            let Report { seed, family, .. } = report;
            writeln!(text, "{word}: seed {seed} ({family}), {kind}: {details}").expect("a string");
        }
        text
    }
}

/// Counts reasons that differ in numbers and names alone as one.
fn reasons<'a>(text: &mut String, what: &str, list: impl Iterator<Item = (u64, &'a str)>) {
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
