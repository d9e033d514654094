//! Many motions of one model: what varies, what is measured, and the table of all samples.
//!
//! [`Model::study`](crate::Model::study) begins a description and [`Study::run`] runs all samples:
//! side by side in vector registers and on all cores, by classical Runge-Kutta with steps of one
//! length ([`Study::step`]). A motion for which that is not enough (an event, a change of
//! independent coordinates) is run again alone, as [`Simulate`](crate::Simulate) would.
//!
//! ```
//! use rotule::study::{Statistic, Status};
//! use rotule::Model;
//!
//! let model = Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
//! let table = model
//!     .study()
//!     .to(2.0)
//!     .grid("l", 0.3..=0.6, 4) // a parameter, in SI units
//!     .grid("q", 0.1..=0.5, 3) // an initial coordinate
//!     .measure("q.d", Statistic::Max)
//!     .measure("energy.kinetic", Statistic::Mean)
//!     .run()?;
//! assert_eq!(table.heading, ["sample", "l", "q", "q.d:max", "energy.kinetic:mean", "end", "status", "verdict"]);
//! assert!(table.is_good());
//! for row in &table.rows {
//!     assert!(matches!(row.status, Status::Reached));
//!     println!("l = {} q = {}: {:.3} rad/s", row.varied[0], row.varied[1], row.measured[0]);
//! }
//! let (lengths, speeds) = (table.column("l")?, table.column("q.d:max")?);
//! assert_eq!((lengths.len(), speeds.len()), (12, 12));
//! print!("{table}{}", table.plot("l", "q.d:max")?); // statistics, and points for a terminal
//! # Ok::<(), rotule::Error>(())
//! ```

use crate::error::Error;
use crate::files::write_file;
use crate::flags::in_code;
use crate::model::Model;
use crate::run::PLAIN;
use crate::simulate::Method;
use rotule_report::table::{Csv, Rows};
use rotule_report::terminal::draw;
use rotule_report::{Curve, Plot};
use std::fmt;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;

pub use rotule_study::measure::Statistic;
pub use rotule_study::{SampleRow, Status, StudySummary};

use rotule_study::{Foreign, StudyOptions, initial, text};

/// A study that is to be run; [`Study::run`] does so.
///
/// Names of what varies are those of parameters and of initial coordinates, speeds (`q1.d`) and
/// states, in SI units and radians.
///
/// ```
/// use rotule::{Model, study::Statistic};
///
/// let model = Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let table = model
///     .study()
///     .to(1.0)
///     .step(1e-3)
///     .grid("l", 0.3..=0.6, 4)
///     .measure("q", Statistic::Max)
///     .run()?;
/// assert_eq!(table.rows.len(), 4);
/// assert_eq!(table.column("l")?[3], 0.6);
/// assert!(table.column("q:max")?.iter().all(|q| *q <= 0.5 + 1e-9));
/// # Ok::<(), rotule::Error>(())
/// ```
#[must_use = "a study is computed by `run`"]
pub struct Study<'m> {
    model: &'m Model,
    options: StudyOptions,
    progress: Option<Progress<'m>>,
}

type Progress<'m> = Box<dyn Fn(usize, usize) -> ControlFlow<()> + Sync + 'm>;

impl<'m> Study<'m> {
    pub(crate) fn new(model: &'m Model) -> Study<'m> {
        let options = StudyOptions {
            to: 1.0,
            step: None,
            method: None,
            tolerance: (1e-8, 1e-10),
            vary: Vec::new(),
            measure: Vec::new(),
            samples: None,
            seed: 0,
            threads: rotule_jit::threads(),
        };
        Study { model, options, progress: None }
    }

    /// The end of each motion, in seconds; the default is 1.
    pub fn to(mut self, t: f64) -> Self {
        self.options.to = t;
        self
    }

    /// The length of steps, in seconds. Unless it is given, methods that need one take a
    /// millisecond, or a thousandth of a motion that is shorter than a second.
    pub fn step(mut self, step: f64) -> Self {
        self.options.step = Some(step);
        self
    }

    /// The method. Motions go side by side by [`Method::Rk4`], the default, and one at a time by
    /// all others.
    pub fn method(mut self, method: Method) -> Self {
        self.options.method = Some(method.name().to_owned());
        self
    }

    /// Relative and absolute tolerance of methods that choose their steps.
    pub fn tolerance(mut self, relative: f64, absolute: f64) -> Self {
        self.options.tolerance = (relative, absolute);
        self
    }

    /// Varies a number over a grid of `count` equidistant values with both ends. Grids of several
    /// numbers are combined: every value with every other.
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

    /// Varies a number as `rotule study --vary` says it: `q1.d=1..9:9`, `m~normal(1,0.1)`, with
    /// units if need be.
    pub fn vary(mut self, law: impl Into<String>) -> Self {
        self.options.vary.push(law.into());
        self
    }

    /// The count of random samples at each point of the grid; needed wherever something is random.
    pub fn samples(mut self, count: usize) -> Self {
        self.options.samples = Some(count);
        self
    }

    /// The seed of random numbers; the same seed gives the same samples on every machine.
    pub fn seed(mut self, seed: u64) -> Self {
        self.options.seed = seed;
        self
    }

    /// A channel and what is kept of it; without any, all coordinates at the end. Its column is
    /// `NAME:max`, with the word of the measure: `last`, `min`, `max`, `mean`, `rms`. Channels are
    /// those of [`simulate`](crate::simulate).
    pub fn measure(mut self, channel: &str, kind: Statistic) -> Self {
        self.options.measure.push(format!("{channel}:{}", kind.word()));
        self
    }

    /// The count of threads; as many as there are cores by default. Numbers do not depend on it.
    pub fn threads(mut self, count: usize) -> Self {
        self.options.threads = count;
        self
    }

    /// A progress callback: samples that are done, and all of them; a break cancels the study. All
    /// threads call it.
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
        let study = rotule_study::PreparedStudy::new(
            self.model.tree().clone(),
            self.options.clone(),
            foreign,
        )?;
        let all = study.samples();
        let stopped = std::sync::atomic::AtomicBool::new(false);
        let hear = |done: usize| {
            if self.progress.as_ref().is_some_and(|hear| hear(done, all).is_break()) {
                stopped.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        };
        let stop = || stopped.load(std::sync::atomic::Ordering::Relaxed);
        let mut rows = Vec::new();
        let mut take = |row: &SampleRow| {
            rows.push(row.clone());
            Ok(())
        };
        let (summary, _) = study.run(&mut take, &hear, &stop)?;
        Ok(StudyTable { heading: study.heading(), rows, summary, options: self.options })
    }
}

/// The samples of a study.
pub struct StudyTable {
    /// Names of the columns.
    pub heading: Vec<String>,
    /// The samples, in their order.
    pub rows: Vec<SampleRow>,
    /// Statistics of all measures, failures and warnings.
    pub summary: StudySummary,
    options: StudyOptions,
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

    /// A remark on written initial values that could not be kept when loops were closed, of all
    /// samples together.
    pub fn remark(&self) -> Option<String> {
        initial(&self.summary).map(|report| in_code(&report.text()))
    }

    /// One column over another as points, as text for a terminal: a measure over what varied.
    pub fn plot(&self, x: &str, y: &str) -> Result<String, Error> {
        let (xs, ys) = (self.column(x)?, self.column(y)?);
        let mut points: Vec<(f64, f64)> = xs.into_iter().zip(ys).collect();
        points.retain(|(x, y)| x.is_finite() && y.is_finite());
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (times, values) = points.into_iter().unzip();
        let curve = Curve { name: y.to_owned(), values, times, samples: 0 };
        let title = format!("{y} over {x}");
        Ok(draw(&Plot { title, unit: String::new(), curves: vec![curve] }, &[], &PLAIN))
    }

    /// Writes all samples as comma-separated values; the name must end in `.csv`.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        if path.extension().is_none_or(|ending| ending != "csv") {
            let name = path.display().to_string();
            return Err(Error::unknown(
                "format of study tables with the ending of",
                &name,
                [".csv"],
            ));
        }
        write_file(path, |out| {
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
        f.write_str(&in_code(&text(&self.summary, &self.options)))
    }
}
