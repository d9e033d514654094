//! Measurements, as a table for people and as JSON for programs.

use super::harness::Times;
use super::table::Peer;
use super::{Pending, TOLERANCE};
use serde_json::{Value, json};

/// Whose code it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Who {
    /// C that we write.
    #[default]
    Rotule,
    /// Native code of this process.
    Native,
    /// Another's.
    Peer(Peer),
}

impl Who {
    fn title(self) -> &'static str {
        match self {
            Who::Rotule => "Rotule C",
            Who::Native => "Rotule native",
            Who::Peer(peer) => peer.title(),
        }
    }

    fn ours(self) -> bool {
        !matches!(self, Who::Peer(_))
    }
}

/// The verdict that decides about timing.
#[derive(Clone, Debug, PartialEq)]
pub enum BenchVerdict {
    /// Its numbers are as expected, up to this relative difference.
    Agrees(f64),
    /// Its numbers differ this much, which is too much.
    Differs(f64),
    /// It is not available, for this reason.
    Failed(String),
}

impl BenchVerdict {
    /// The verdict for a relative difference.
    pub(super) fn of(difference: f64) -> BenchVerdict {
        // What is no number is no agreement either.
        if difference <= TOLERANCE {
            BenchVerdict::Agrees(difference)
        } else {
            BenchVerdict::Differs(difference)
        }
    }
}

/// One code, compiled once.
#[derive(Clone, Debug)]
pub struct BenchRow {
    /// Whose it is.
    pub who: Who,
    /// The detail that tells it apart from others of the same.
    pub detail: String,
    /// The compiler, or a word in its place.
    pub compiler: &'static str,
    /// Operations of an evaluation, if they are known.
    pub operations: Option<u64>,
    /// Bytes of code, without the libraries that it calls.
    pub bytes: Option<u64>,
    /// Instructions per state, with the libraries that it calls.
    pub instructions: Option<f64>,
    /// States in a run.
    pub lanes: usize,
    /// `true` if it is made for batches.
    pub batch: bool,
    /// Times per state.
    pub times: Option<Times>,
    /// The verdict that decided about timing.
    pub verdict: BenchVerdict,
}

impl Default for BenchRow {
    fn default() -> BenchRow {
        BenchRow {
            who: Who::Rotule,
            detail: String::new(),
            compiler: "",
            operations: None,
            bytes: None,
            instructions: None,
            lanes: 1,
            batch: false,
            times: None,
            verdict: BenchVerdict::Agrees(0.0),
        }
    }
}

impl BenchRow {
    pub(super) fn new(pending: &Pending) -> BenchRow {
        BenchRow {
            who: pending.who,
            detail: pending.detail.clone(),
            compiler: pending.compiler,
            operations: pending.operations,
            batch: pending.batch,
            ..BenchRow::default()
        }
    }

    fn least(&self) -> f64 {
        self.times.map_or(f64::INFINITY, |times| times.least)
    }

    /// Its name in tables.
    fn label(&self) -> String {
        let mut text = self.who.title().to_owned();
        if self.batch {
            text += &format!(", {} states", self.lanes);
        }
        if !self.detail.is_empty() {
            text += &format!(", {}", self.detail);
        }
        text
    }

    fn json(&self) -> Value {
        let who = match self.who {
            Who::Rotule => "rotule",
            Who::Native => "native",
            Who::Peer(peer) => Peer::ALL.iter().find(|row| row.0 == peer).map_or("", |row| row.1),
        };
        let (difference, error) = match &self.verdict {
            BenchVerdict::Agrees(off) => (Some(*off), None),
            BenchVerdict::Differs(off) => (Some(*off), Some("the numbers differ".to_owned())),
            BenchVerdict::Failed(what) => (None, Some(what.clone())),
        };
        let times = self.times;
        json!({
            "code": who,
            "detail": self.detail,
            "compiler": self.compiler,
            "batch": self.batch,
            "states_per_run": self.lanes,
            "operations": self.operations,
            "code_bytes": self.bytes,
            "instructions": self.instructions,
            "ns": times.map(|one| one.least),
            "ns_median": times.map(|one| one.median),
            "ns_per_operation": times.zip(self.operations).map(|(one, many)| one.least / many.max(1) as f64),
            "difference": difference,
            "error": error,
        })
    }
}

/// All codes that give the same results.
#[derive(Clone, Debug)]
pub struct BenchGroup {
    /// The name of the comparison or function.
    pub name: String,
    /// Its title in tables.
    pub title: String,
    /// The codes.
    pub rows: Vec<BenchRow>,
}

/// The fastest of some rows.
fn best<'a>(rows: impl Iterator<Item = &'a BenchRow>) -> Option<&'a BenchRow> {
    rows.filter(|row| row.times.is_some()).min_by(|a, b| a.least().total_cmp(&b.least()))
}

impl BenchGroup {
    /// Our fastest and theirs, for single states or for batches.
    pub fn rivals(&self, batch: bool) -> (Option<&BenchRow>, Option<&BenchRow>) {
        let rows = || self.rows.iter().filter(move |row| row.batch == batch);
        (best(rows().filter(|row| row.who.ours())), best(rows().filter(|row| !row.who.ours())))
    }

    /// The factor by which we are faster than the best of the others.
    pub fn ratio(&self, batch: bool) -> Option<f64> {
        let (ours, theirs) = self.rivals(batch);
        Some(theirs?.least() / ours?.least())
    }

    /// The rows of a table: of each code and each way the best compiler; what failed stays.
    fn shown(&self, batch: bool) -> Vec<&BenchRow> {
        let mut shown: Vec<&BenchRow> = Vec::new();
        for row in self.rows.iter().filter(|row| row.batch == batch) {
            let same = |other: &&&mut &BenchRow| other.who == row.who && other.detail == row.detail;
            match shown.iter_mut().find(|other| same(&other)) {
                Some(other) if row.least() < other.least() => *other = row,
                Some(_) => {}
                None => shown.push(row),
            }
        }
        shown
    }
}

/// All that was measured.
#[derive(Clone, Debug)]
pub struct BenchReport {
    /// The model's name.
    pub model: String,
    /// Number of speeds.
    pub speeds: usize,
    /// Number of states that were taken in turn.
    pub states: usize,
    /// Number of times that each time was taken.
    pub repeats: usize,
    /// Shortest duration of each, in milliseconds.
    pub milliseconds: f64,
    /// The processor; negative if it could not be chosen.
    pub core: i64,
    /// Versions of the compilers.
    pub compilers: Vec<String>,
    /// Options of the compilers.
    pub flags: String,
    /// Number of processors that other programs used in the meantime.
    pub others: Option<f64>,
    /// The comparisons.
    pub groups: Vec<BenchGroup>,
    /// Subjects that could not be measured, with the reasons.
    pub notes: Vec<String>,
}

/// The columns of numbers, with their widths.
const COLUMNS: [(&str, usize); 8] = [
    ("ops", 7),
    ("bytes", 8),
    ("instr.", 8),
    ("ns", 8),
    ("median", 8),
    ("ns/op", 6),
    ("ratio", 6),
    ("differs", 7),
];

/// If others use more than this part of a processor, times are not to be trusted.
const BUSY: f64 = 0.1;

impl BenchReport {
    /// Returns `true` if any numbers differ.
    pub fn differs(&self) -> bool {
        let rows = self.groups.iter().flat_map(|group| &group.rows);
        rows.into_iter().any(|row| matches!(row.verdict, BenchVerdict::Differs(_)))
    }

    /// The table, with colours if they can be seen.
    pub fn text(&self, colours: bool) -> String {
        let mut text = format!(
            "{}: {} speeds; {} states in turn, {} repeats of {} ms",
            self.model, self.speeds, self.states, self.repeats, self.milliseconds
        );
        if self.core >= 0 {
            text += &format!(", processor {}", self.core);
        }
        text += &format!("\n{}; {}\n", self.compilers.join("; "), self.flags);
        let labels = self.groups.iter().flat_map(|group| &group.rows);
        let width = labels.map(|row| row.label().chars().count() + 2).max().unwrap_or(0).max(28);
        text += &format!("\n{:<width$} {:<8}", "ns of the fastest repeat", "compiler");
        for (name, width) in COLUMNS {
            text += &format!(" {name:>width$}");
        }
        text.push('\n');
        let mut failures = Vec::new();
        for group in &self.groups {
            for batch in [false, true] {
                let rows = group.shown(batch);
                if rows.is_empty() {
                    continue;
                }
                let each = if batch { ", each state of a batch" } else { "" };
                let title = format!("{}{each}", group.title);
                text += &format!("\n{}\n", paint(&title, "1", colours));
                let (ours, _) = group.rivals(batch);
                let unit = ours.map(BenchRow::least);
                let fastest = best(rows.iter().copied()).map(BenchRow::least);
                for row in rows {
                    let line = line(row, unit, width);
                    let bold = row.times.is_some() && Some(row.least()) == fastest;
                    match &row.verdict {
                        BenchVerdict::Agrees(_) => {
                            text += &paint(&line, if bold { "32" } else { "" }, colours);
                        }
                        BenchVerdict::Differs(_) => text += &paint(&line, "31", colours),
                        BenchVerdict::Failed(what) => {
                            failures.push(format!("{}, {}: {what}", group.name, row.label()));
                            text += &line;
                        }
                    }
                    text.push('\n');
                }
            }
        }
        text += &self.verdicts(colours);
        for note in self.notes.iter().chain(&failures) {
            text += &format!("not measured: {note}\n");
        }
        if let Some(others) = self.others.filter(|others| *others > BUSY) {
            text += &format!(
                "other programs used {others:.1} processors meanwhile: times are upper bounds, measure again when the machine is idle
"
            );
        }
        text
    }

    /// In a sentence for each comparison what it comes to.
    fn verdicts(&self, colours: bool) -> String {
        let mut text = String::new();
        for group in &self.groups {
            for batch in [false, true] {
                let (Some(ours), Some(theirs)) = group.rivals(batch) else { continue };
                let ratio = theirs.least() / ours.least();
                let each = if batch { ", batch" } else { "" };
                let name = format!("{}{each}", group.name);
                let ratio = paint(&format!("{ratio:>6.2}"), "1", colours);
                text += &format!(
                    "{name:<28} {ratio} times as fast as {} ({})\n",
                    theirs.label(),
                    theirs.compiler
                );
            }
            if let ((Some(ours), _), (_, Some(theirs))) = (group.rivals(true), group.rivals(false))
            {
                let ratio = theirs.least() / ours.least();
                let name = format!("{}, batch", group.name);
                let ratio = paint(&format!("{ratio:>6.2}"), "1", colours);
                text +=
                    &format!("{name:<28} {ratio} times as fast as {} one by one\n", theirs.label());
            }
        }
        if self.differs() {
            let word = paint("error", "31", colours);
            text += &format!(
                "{word}: numbers differ by more than {TOLERANCE:e}; such code is not timed\n"
            );
        }
        if text.is_empty() { text } else { format!("\n{text}") }
    }

    /// Everything, all compilers included.
    pub fn json(&self) -> Value {
        let group = |group: &BenchGroup| {
            let batch = group.rivals(true).0.zip(group.rivals(false).1);
            json!({
                "name": group.name,
                "ratio": group.ratio(false),
                "ratio_batch": group.ratio(true),
                "ratio_batch_to_single": batch.map(|(ours, theirs)| theirs.least() / ours.least()),
                "rows": group.rows.iter().map(BenchRow::json).collect::<Vec<_>>(),
            })
        };
        json!({
            "model": self.model,
            "speeds": self.speeds,
            "states": self.states,
            "repeats": self.repeats,
            "milliseconds": self.milliseconds,
            "processor": self.core,
            "compilers": self.compilers,
            "flags": self.flags,
            "others": self.others,
            "functions": self.groups.iter().map(group).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }
}

/// A row of the table; `unit` is our best time.
fn line(row: &BenchRow, unit: Option<f64>, width: usize) -> String {
    let whole = |number: Option<f64>| number.map_or("-".to_owned(), |one| format!("{one:.0}"));
    let time = |number: Option<f64>| match number {
        None => "-".to_owned(),
        Some(one) if one < 100.0 => format!("{one:.1}"),
        Some(one) => format!("{one:.0}"),
    };
    let least = row.times.map(|one| one.least);
    let each = least.zip(row.operations).map(|(one, many)| one / many.max(1) as f64);
    let ratio = least.zip(unit).map(|(one, unit)| one / unit);
    let hundredths = |number: Option<f64>| number.map_or("-".to_owned(), |one| format!("{one:.2}"));
    let cells = [
        whole(row.operations.map(|many| many as f64)),
        whole(row.bytes.map(|many| many as f64)),
        whole(row.instructions),
        time(least),
        time(row.times.map(|one| one.median)),
        hundredths(each),
        hundredths(ratio),
        match &row.verdict {
            BenchVerdict::Agrees(off) | BenchVerdict::Differs(off) => format!("{off:.0e}"),
            BenchVerdict::Failed(_) => "failed".to_owned(),
        },
    ];
    let compiler = if row.compiler == "none" { "" } else { row.compiler };
    let mut text = format!("  {:<1$} {compiler:<8}", row.label(), width - 2);
    for (cell, (_, width)) in cells.iter().zip(COLUMNS) {
        text += &format!(" {cell:>width$}");
    }
    text
}

fn paint(text: &str, code: &str, colours: bool) -> String {
    match colours && !code.is_empty() {
        true => format!("\x1b[{code}m{text}\x1b[0m"),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(who: Who, compiler: &'static str, least: f64, verdict: BenchVerdict) -> BenchRow {
        let times =
            matches!(verdict, BenchVerdict::Agrees(_)).then_some(Times { least, median: least });
        BenchRow { who, compiler, times, verdict, operations: Some(10), ..BenchRow::default() }
    }

    fn report(rows: Vec<BenchRow>) -> BenchReport {
        BenchReport {
            model: "arm".to_owned(),
            speeds: 2,
            states: 64,
            repeats: 3,
            milliseconds: 1.0,
            core: 1,
            compilers: vec!["gcc".to_owned()],
            flags: "-O3".to_owned(),
            others: None,
            groups: vec![BenchGroup {
                name: "inverse".to_owned(),
                title: "inverse".to_owned(),
                rows,
            }],
            notes: Vec::new(),
        }
    }

    #[test]
    fn the_best_of_each_side_makes_the_ratio() {
        let peer = Who::Peer(Peer::CasAdi);
        let fine = || BenchVerdict::Agrees(1e-15);
        let report = report(vec![
            row(Who::Rotule, "gcc", 10.0, fine()),
            row(Who::Rotule, "clang", 8.0, fine()),
            row(peer, "gcc", 24.0, fine()),
            row(peer, "clang", 20.0, fine()),
        ]);
        assert_eq!(report.groups[0].ratio(false), Some(2.5));
        assert_eq!(report.groups[0].ratio(true), None);
        let text = report.text(false);
        assert!(text.contains("2.50 times as fast as CasADi C (clang)"), "{text}");
        // Of each code only the better compiler is shown; JSON has both.
        assert_eq!(text.matches("Rotule C ").count(), 1, "{text}");
        assert_eq!(report.json()["functions"][0]["rows"].as_array().map(Vec::len), Some(4));
    }

    #[test]
    fn what_differs_has_no_ratio() {
        assert!(matches!(BenchVerdict::of(f64::NAN), BenchVerdict::Differs(_)));
        let report = report(vec![
            row(Who::Rotule, "gcc", 10.0, BenchVerdict::Agrees(0.0)),
            row(Who::Peer(Peer::MuJoCo), "as built", 1.0, BenchVerdict::of(1e-3)),
        ]);
        assert_eq!(report.groups[0].ratio(false), None);
        assert!(report.differs());
        assert!(report.text(false).contains("error: numbers differ"));
        assert!(report.text(true).contains("\x1b[31m"));
    }
}
