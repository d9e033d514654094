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
//! print!("{}{table}", table.listing()); // all samples, and statistics of the measures
//! print!("{}", table.plots()); // over `l`, a curve for each `q`, as text for a terminal
//! print!("{}", table.plot("q", "q.d:max")?); // points over another column
//! # Ok::<(), rotule::Error>(())
//! ```

use crate::error::Error;
use crate::files::{write_file, write_page};
use crate::flags::in_code;
use crate::model::Model;
use crate::run::PLAIN;
use crate::simulate::Method;
use crate::study_page::{StudyPictures, dots, line};
use rotule_report::table::{Csv, Res, Rows};
use rotule_report::terminal::draw_over;
use rotule_report::{Page, Plot, PlotAxis};
use std::fmt;
use std::io;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;

pub use rotule_study::measure::Statistic;
pub use rotule_study::{SampleRow, Status, StudySummary};

use rotule_simulate::signals::InputSignal;
use rotule_study::{Column, StudyOptions, initial, sample_table, text};

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
            signals: Vec::new(),
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

    /// The method. Motions go side by side by explicit methods with steps of one length, such as
    /// [`Method::Rk4`], the default, and one at a time by all others.
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

    /// The count of random samples at each point of the grid, where something varies at random; the
    /// default is 100.
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

    /// The signal of an input in all motions; see [`input`](crate::input).
    pub fn input(mut self, name: &str, signal: impl Into<InputSignal>) -> Self {
        self.options.signals.push((name.to_owned(), signal.into()));
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
        let study = rotule_study::PreparedStudy::new(
            self.model.tree().clone(),
            self.options.clone(),
            self.model.foreign(),
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
        let (model, columns) = (self.model.clone(), study.columns());
        let heading = study.heading();
        Ok(StudyTable { heading, rows, summary, options: self.options, model, columns })
    }
}

/// The samples of a study.
///
/// `Display` is the summary: statistics of every measure over all samples. [`StudyTable::listing`]
/// has the samples themselves as text, [`StudyTable::rows`] and [`StudyTable::column`] as numbers.
///
/// ```
/// use rotule::{Model, study::Statistic};
///
/// let model = Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let study = model.study().grid("l", 0.4..=0.5, 2).measure("q.d", Statistic::Max);
/// let table = study.run()?;
/// print!("{}", table.listing());
/// // sample  l [m]  q.d:max [rad/s]  verdict
/// // 1         0.4          2.37726       ok
/// // 2         0.5          1.94188       ok
/// # assert_eq!(
/// #     table.listing(),
/// #     "sample  l [m]  q.d:max [rad/s]  verdict\n1         0.4          2.37726       ok\n2         0.5          1.94188       ok\n"
/// # );
/// # Ok::<(), rotule::Error>(())
/// ```
pub struct StudyTable {
    /// Names of the columns: `sample`, what varied, what was measured, `end`, `status`, `verdict`.
    pub heading: Vec<String>,
    /// The samples, in their order.
    pub rows: Vec<SampleRow>,
    /// Statistics of all measures, failures and warnings.
    pub summary: StudySummary,
    /// Columns of varied and of measured numbers, with units.
    columns: (Vec<Column>, Vec<Column>),
    options: StudyOptions,
    model: Model,
}

impl StudyTable {
    /// The numbers of a column: what varied, what was measured, the time `end`, and `status`, which
    /// is 0 for [`Status::Reached`], 1 for [`Status::Alone`] and 2 for [`Status::Failed`]. The last
    /// column of the heading, `verdict`, has words: see [`SampleRow::verdict`].
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

    /// One column over another as text for a terminal, a measure over what varied: a line, or
    /// points where samples share a value of `x` or vary at random.
    pub fn plot(&self, x: &str, y: &str) -> Result<String, Error> {
        let (xs, ys) = (self.column(x)?, self.column(y)?);
        let mut points: Vec<(f64, f64)> = xs.into_iter().zip(ys).collect();
        points.retain(|(x, y)| x.is_finite() && y.is_finite());
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let random = self.columns.0.iter().any(|column| column.random);
        let is_line = !random && points.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let curve = if is_line { line(y, points) } else { dots(y, &points) };
        let title = format!("{y} over {x}");
        let axis = PlotAxis { name: x.to_owned(), unit: self.unit(x).to_owned() };
        let plot = Plot { title, unit: self.unit(y).to_owned(), curves: vec![curve] };
        Ok(draw_over(&plot, &[], &axis, &PLAIN))
    }

    /// The unit of a column; empty if it has none.
    fn unit(&self, name: &str) -> &str {
        let (varied, measured) = &self.columns;
        let mut columns = varied.iter().chain(measured);
        let time = if name == "end" { "s" } else { "" };
        columns.find(|column| column.name == name).map_or(time, |column| &column.unit)
    }

    /// The samples as a table of text, one line for each: what varied and what was measured, with
    /// units, and the verdict.
    pub fn listing(&self) -> String {
        sample_table(&self.columns, &self.rows)
    }

    /// Every measure over the first number that varies, as `rotule study` draws them for a
    /// terminal: a curve for each combination of the others.
    pub fn plots(&self) -> String {
        let (axis, plots) = self.pictures().plots();
        plots.iter().map(|plot| format!("\n{}", draw_over(plot, &[], &axis, &PLAIN))).collect()
    }

    /// The page with plots of the measures over what varied, as data.
    pub fn page(&self) -> Page {
        self.pictures().page(&self.model, &self.summary, &self.options)
    }

    fn pictures(&self) -> StudyPictures {
        let mut pictures = StudyPictures::new(self.columns.clone());
        self.rows.iter().for_each(|row| pictures.push(row));
        pictures
    }

    /// Writes the page with plots of the measures over what varied as one HTML file, whose name
    /// ends in `.html`.
    pub fn report(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        write_page(path.as_ref(), &self.page())
    }

    /// Writes all samples as a table; the ending of the name tells the format: `.csv`, `.parquet`
    /// or `.res`. The last column is the verdict in words, which `.res` has no place for.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let names = &self.heading;
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("csv") => write_file(path, |out| self.table(&mut Csv::new(out, names, None)?)),
            Some("res") => write_file(path, |out| self.table(&mut Res::new(out, names.len()))),
            #[cfg(feature = "parquet")]
            Some("parquet") => write_file(path, |out| {
                self.table(&mut rotule_report::table::Parquet::new(out, names, None)?.with_text())
            }),
            _ => Err(Error::unknown(
                "format of tables with the ending of",
                &path.display().to_string(),
                [".csv", ".parquet", ".res"],
            )),
        }
    }

    fn table(&self, table: &mut dyn Rows) -> io::Result<()> {
        for row in &self.rows {
            table.labelled(&row.numbers(), &row.verdict.word())?;
        }
        table.finish()
    }
}

/// As `Display`.
impl fmt::Debug for StudyTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The summary as `rotule study` shows it.
impl fmt::Display for StudyTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&in_code(&text(&self.summary, &self.options)))
    }
}
