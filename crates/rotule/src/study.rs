//! Many motions of one model: what varies, what is measured, and the table of all samples.

use crate::error::Error;
use crate::files::write_file;
use crate::model::Model;
use rotule_report::table::{Csv, Rows};
use std::fmt;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;

pub use rotule_study::measure::Kind as Measure;
pub use rotule_study::*;

/// A study that is to be run; [`Study::run`] does so.
///
/// Names are those of parameters and of initial coordinates, speeds and states.
///
/// ```
/// use rotule::{Model, study::Measure};
///
/// let model = Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let table = model
///     .study()
///     .to(1.0)
///     .step(1e-3)
///     .grid("l", 0.3..=0.6, 4)
///     .measure("q", Measure::Max)
///     .run()?;
/// assert_eq!(table.rows.len(), 4);
/// assert_eq!(table.column("l")?[3], 0.6);
/// assert!(table.column("q:max")?.iter().all(|q| *q <= 0.5 + 1e-9));
/// # Ok::<(), rotule::Error>(())
/// ```
#[must_use = "a study is computed by `run`"]
pub struct Study<'m> {
    model: &'m Model,
    wish: Wish,
    progress: Option<Progress<'m>>,
}

type Progress<'m> = Box<dyn Fn(usize, usize) -> ControlFlow<()> + Sync + 'm>;

impl<'m> Study<'m> {
    pub(crate) fn new(model: &'m Model) -> Study<'m> {
        let wish = Wish {
            to: 1.0,
            step: 1e-3,
            vary: Vec::new(),
            measure: Vec::new(),
            samples: None,
            seed: 0,
            threads: rotule_jit::threads(),
        };
        Study { model, wish, progress: None }
    }

    /// The end of each motion, in seconds.
    pub fn to(mut self, t: f64) -> Self {
        self.wish.to = t;
        self
    }

    /// The length of steps, in seconds.
    pub fn step(mut self, step: f64) -> Self {
        self.wish.step = step;
        self
    }

    /// Varies a number over a grid of equal steps. Grids of several numbers are combined.
    pub fn grid(self, name: &str, range: RangeInclusive<f64>, count: usize) -> Self {
        let (from, to) = (range.start(), range.end());
        self.vary(format!("{name}={from:?}..{to:?}:{count}"))
    }

    /// Varies a number at random with equal density; see [`Study::samples`].
    pub fn uniform(self, name: &str, range: RangeInclusive<f64>) -> Self {
        self.vary(format!("{name}~uniform({:?},{:?})", range.start(), range.end()))
    }

    /// Varies a number at random by a normal distribution; see [`Study::samples`].
    pub fn normal(self, name: &str, mean: f64, deviation: f64) -> Self {
        self.vary(format!("{name}~normal({mean:?},{deviation:?})"))
    }

    /// Varies a number as `rotule study --vary` says it: `q1.d=1..9:9`, `m~normal(1,0.1)`, with units if need be.
    pub fn vary(mut self, law: impl Into<String>) -> Self {
        self.wish.vary.push(law.into());
        self
    }

    /// The count of random samples at each point of the grid.
    pub fn samples(mut self, count: usize) -> Self {
        self.wish.samples = Some(count);
        self
    }

    /// The seed of random numbers; the same seed gives the same samples on every machine.
    pub fn seed(mut self, seed: u64) -> Self {
        self.wish.seed = seed;
        self
    }

    /// A channel and what is kept of it; without any, all coordinates at the end. Its column is `NAME:max` and so on.
    pub fn measure(mut self, channel: &str, kind: Measure) -> Self {
        self.wish.measure.push(format!("{channel}:{}", kind.word()));
        self
    }

    /// The count of threads; as many as there are cores unless something else is said. Numbers do not depend on it.
    pub fn threads(mut self, count: usize) -> Self {
        self.wish.threads = count;
        self
    }

    /// A progress callback: samples that are done, and all of them; a break cancels the study. All threads call it.
    pub fn progress(
        mut self,
        progress: impl Fn(usize, usize) -> ControlFlow<()> + Sync + 'm,
    ) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Runs all samples.
    pub fn run(self) -> Result<StudyTable, Error> {
        let externals = (self.model.externals().clone(), self.model.externals().clone());
        let foreign = Foreign {
            knows: Box::new(move |name| externals.0.knows(name)),
            make: Box::new(move || externals.1.boxed()),
        };
        let study =
            rotule_study::Study::new(self.model.tree().clone(), self.wish.clone(), foreign)?;
        let all = study.samples();
        let stopped = std::sync::atomic::AtomicBool::new(false);
        let hear = |done: usize| {
            if self.progress.as_ref().is_some_and(|hear| hear(done, all).is_break()) {
                stopped.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        };
        let stop = || stopped.load(std::sync::atomic::Ordering::Relaxed);
        let mut rows = Vec::new();
        let mut take = |row: &Row| {
            rows.push(row.clone());
            Ok(())
        };
        let (summary, _) = study.run(&mut take, &hear, &stop)?;
        Ok(StudyTable { heading: study.heading(), rows, summary, wish: self.wish })
    }
}

/// The samples of a study.
pub struct StudyTable {
    /// Names of the columns.
    pub heading: Vec<String>,
    /// The samples, in their order.
    pub rows: Vec<Row>,
    /// Statistics of all measures, failures and warnings.
    pub summary: Summary,
    wish: Wish,
}

impl StudyTable {
    /// The numbers of a column: what varied, what was measured, `end`, `status`.
    pub fn column(&self, name: &str) -> Result<Vec<f64>, Error> {
        // The last column is the verdict, which is no number.
        let numbers = &self.heading[..self.heading.len() - 1];
        let at = numbers
            .iter()
            .position(|known| known == name)
            .ok_or_else(|| Error::unknown("column", name, numbers.iter().map(String::as_str)))?;
        Ok(self.rows.iter().map(|row| row.numbers()[at]).collect())
    }

    /// Returns `true` if every sample reached the end and kept its promises.
    pub fn is_good(&self) -> bool {
        self.summary.failed.is_empty() && self.summary.warned.is_empty() && !self.summary.stopped
    }

    /// Writes all samples as comma-separated values.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        write_file(path.as_ref(), |out| {
            let mut table = Csv::new(out, &self.heading, None)?;
            for row in &self.rows {
                table.labelled(&row.numbers(), &row.verdict.word())?;
            }
            table.finish()
        })
    }
}

/// The summary as `rotule study` shows it.
impl fmt::Display for StudyTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(&self.summary, &self.wish))
    }
}
