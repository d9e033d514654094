//! Many models, and the table of what became of them.

use super::families::FAMILIES;
use super::judge::{KINDS, Report, Verdict, blank, judge};
use super::specimen::Specimen;
use crate::campaign::crowd::{Lost, reasons, reports};
use std::fmt::Write;

/// Reports of a campaign, by seed.
pub struct Tally {
    /// A report for each model, in the order of the seeds.
    pub reports: Vec<Report>,
}

fn lost(seed: u64, how: Lost) -> Report {
    let family = FAMILIES[(seed % FAMILIES.len() as u64) as usize].name;
    let verdict = match how {
        Lost::Panicked => Verdict::Wrong("panic", "the program panicked".to_owned()),
        Lost::DidNotEnd => Verdict::Refused("did not end".to_owned()),
    };
    blank(seed, family, verdict)
}

impl Tally {
    /// Runs the models of some seeds; `each` is told of every report.
    pub fn new(seeds: &[u64], each: impl Fn(&Report) + Sync) -> Tally {
        let report = |seed: u64| judge(&Specimen::new(seed));
        Tally { reports: reports(seeds, report, lost, each) }
    }

    fn count(&self, family: Option<&str>, chosen: fn(&Verdict) -> bool) -> usize {
        let own = |report: &&Report| family.is_none_or(|family| family == report.family);
        self.reports.iter().filter(own).filter(|report| chosen(&report.verdict)).count()
    }

    /// Models with a wrong result.
    pub fn wrong(&self) -> usize {
        self.count(None, |verdict| matches!(verdict, Verdict::Wrong(..)))
    }

    /// Models that were refused, or whose run stopped early.
    pub fn refused(&self) -> usize {
        self.count(None, |verdict| matches!(verdict, Verdict::Refused(_)))
    }

    /// The table: families, the largest differences, refusals by reason with the seeds of examples,
    /// wrong results.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text).expect("a string");
        let refusals = self.reports.iter().filter_map(|report| match &report.verdict {
            Verdict::Refused(why) => Some((report.seed, why.as_str())),
            _ => None,
        });
        reasons(&mut text, "refused", refusals);
        for Report { seed, family, verdict, .. } in &self.reports {
            if let Verdict::Wrong(kind, details) = verdict {
                writeln!(text, "wrong: seed {seed} ({family}), {kind}: {details}")
                    .expect("a string");
            }
        }
        text
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        let (all, refused, wrong) = (self.reports.len(), self.refused(), self.wrong());
        let agreed = all - refused - wrong;
        writeln!(text, "{all} models: {agreed} agreed, {refused} refused, {wrong} wrong")?;
        let [compared, unknown] =
            [0, 1].map(|at| self.reports.iter().map(|report| report.entries[at]).sum::<usize>());
        writeln!(text, "{compared} entries of derivatives compared, {unknown} unknown")?;
        writeln!(text, "\nfamily         all  agreed  refused  wrong")?;
        for family in FAMILIES.iter().map(|family| family.name) {
            let count = |chosen: fn(&Verdict) -> bool| self.count(Some(family), chosen);
            writeln!(
                text,
                "{family:<14} {:>3}  {:>6}  {:>7}  {:>5}",
                count(|_| true),
                count(|verdict| *verdict == Verdict::Agreed),
                count(|verdict| matches!(verdict, Verdict::Refused(_))),
                count(|verdict| matches!(verdict, Verdict::Wrong(..)))
            )?;
        }
        writeln!(text, "\ncompared    largest  allowed")?;
        for (at, (kind, allowed)) in KINDS.into_iter().enumerate() {
            let largest = self.reports.iter().map(|report| report.differences[at]);
            writeln!(text, "{kind:<10} {:>8.1e} {allowed:>8.0e}", largest.fold(0.0, f64::max))?;
        }
        writeln!(text)
    }
}
