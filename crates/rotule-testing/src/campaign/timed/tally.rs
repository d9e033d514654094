//! Many models, and the table of what became of them.

use super::families::FAMILIES;
use super::judge::{Report, Verdict, judge};
use super::specimen::{METHODS, Specimen};
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
    Report { seed, family, method: "", verdict, compared: 0.0, because: "", share: 0.0 }
}

impl Tally {
    /// Runs the models of some seeds; `each` is told of every report.
    pub fn new(seeds: &[u64], each: impl Fn(&Report) + Sync) -> Tally {
        let report = |seed: u64| judge(&Specimen::new(seed));
        Tally { reports: reports(seeds, report, lost, each) }
    }

    fn count(&self, chosen: impl Fn(&Report) -> bool) -> usize {
        self.reports.iter().filter(|report| chosen(report)).count()
    }

    /// Models with a wrong result.
    pub fn wrong(&self) -> usize {
        self.count(|report| matches!(report.verdict, Verdict::Wrong(..)))
    }

    /// Models whose run stopped early.
    pub fn refused(&self) -> usize {
        self.count(|report| matches!(report.verdict, Verdict::Refused(_)))
    }

    /// Models of which less than a half of the run was compared.
    pub fn early(&self) -> usize {
        self.count(|report| report.verdict == Verdict::Agreed && report.compared < 0.5)
    }

    /// The table: families, methods, refusals by reason with the seeds of examples, wrong results.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let (all, refused, wrong) = (self.reports.len(), self.refused(), self.wrong());
        writeln!(
            text,
            "{all} models: {} agreed, {refused} refused, {wrong} wrong; {} of those that agreed were compared for less than half of the run",
            all - refused - wrong,
            self.early()
        )
        .expect("a string");
        let families = FAMILIES.iter().map(|family| family.name);
        self.rows(&mut text, "family", families, |report| report.family);
        self.rows(&mut text, "method", METHODS.into_iter(), |report| report.method);
        let refusals = self.reports.iter().filter_map(|report| match &report.verdict {
            Verdict::Refused(why) => Some((report.seed, why.as_str())),
            _ => None,
        });
        reasons(&mut text, "refused", refusals);
        for report in &self.reports {
            if let Verdict::Wrong(kind, details) = &report.verdict {
                let Report { seed, family, method, .. } = report;
                writeln!(text, "wrong: seed {seed} ({family}, {method}), {kind}: {details}")
                    .expect("a string");
            }
        }
        text
    }

    /// Verdicts by a property of models.
    fn rows(
        &self,
        text: &mut String,
        title: &str,
        names: impl Iterator<Item = &'static str>,
        of: impl Fn(&Report) -> &'static str,
    ) {
        writeln!(text, "\n{title:<14} all  agreed  refused  wrong").expect("a string");
        for name in names {
            let own: Vec<_> = self.reports.iter().filter(|report| of(report) == name).collect();
            let count = |chosen: fn(&Verdict) -> bool| {
                own.iter().filter(|report| chosen(&report.verdict)).count()
            };
            writeln!(
                text,
                "{name:<14} {:>3}  {:>6}  {:>7}  {:>5}",
                own.len(),
                count(|verdict| *verdict == Verdict::Agreed),
                count(|verdict| matches!(verdict, Verdict::Refused(_))),
                count(|verdict| matches!(verdict, Verdict::Wrong(..)))
            )
            .expect("a string");
        }
    }
}
