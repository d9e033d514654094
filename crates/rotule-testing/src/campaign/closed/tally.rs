//! Many mechanisms, and the table of what became of them.

use super::judge::{Report, Verdict, judge};
use super::specimen::{FAMILIES, Specimen};
use crate::campaign::crowd::{Lost, reasons, reports};
use std::fmt::Write;

/// Reports of a campaign, by seed.
pub struct Tally {
    /// A report for each mechanism, in the order of the seeds.
    pub reports: Vec<Report>,
}

fn family(seed: u64) -> &'static str {
    FAMILIES[(seed % FAMILIES.len() as u64) as usize].name
}

fn report(seed: u64) -> Report {
    match Specimen::new(seed) {
        Ok(specimen) => judge(&specimen),
        Err(why) => {
            let line = why.lines().next().unwrap_or_default().to_owned();
            Report::new(seed, family(seed), Verdict::Refused(format!("not assembled: {line}")))
        }
    }
}

fn lost(seed: u64, how: Lost) -> Report {
    let verdict = match how {
        Lost::Panicked => Verdict::Wrong("panic", "the program panicked".to_owned()),
        Lost::DidNotEnd => Verdict::Refused("did not end".to_owned()),
    };
    Report::new(seed, family(seed), verdict)
}

impl Tally {
    /// Runs the mechanisms of some seeds; `each` is told of every report.
    pub fn new(seeds: &[u64], each: impl Fn(&Report) + Sync) -> Tally {
        Tally { reports: reports(seeds, report, lost, each) }
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
