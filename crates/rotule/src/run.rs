//! A motion that was computed: channels by name, the verdict, files and a report.

use crate::error::Error;
use crate::files::{write_file, write_page};
use crate::flags::in_code;
use crate::model::Model;
use crate::simulate::stream::{Drawing, Pictures, SampleSink, json, text, timed};
use crate::simulate::{Channel, RunSummary, SimulationOptions, Verdict, unknown_channel};
use crate::state::State;
use rotule_model::mechanism::Mechanism;
use rotule_numeric::initial_values::Change;
use rotule_numeric::state::StateNumbers as Numbers;
use rotule_report::Page;
use rotule_report::table::{Csv, Res, Rows};
use rotule_report::terminal::Look;
use rotule_simulate::event::Record;
use rotule_simulate::explain::Reason;
use rotule_simulate::run::End;
use rotule_simulate::simulation::channel_position;
use serde_json::Value;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

/// The look of a plot wherever it is printed.
pub(crate) const PLAIN: Look = Look { width: 80, height: 13, ascii: false, colour: false };

/// A motion: its points by channels, the way it ended, and the verdict on it.
///
/// ```
/// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let run = model.simulate().to(1.0).every(0.5).run()?;
/// assert_eq!(run.time(), [0.0, 0.5, 1.0]);
/// assert_eq!(run.channel("q")?.len(), 3);
/// assert!(run.channel("energy.kinetik").unwrap_err().to_string().contains("did you mean"));
/// # Ok::<(), rotule::Error>(())
/// ```
pub struct Run {
    kept: Kept,
    options: SimulationOptions,
    summary: RunSummary,
    changes: Vec<Change>,
    mechanism: Mechanism,
    last: State,
    /// `true` if it ended because there were too many points.
    is_cut_off: bool,
}

/// The points of a run, by channels.
pub(crate) struct Kept {
    channels: Vec<Channel>,
    columns: Vec<Vec<f64>>,
    most: u64,
}

impl Kept {
    pub(crate) fn new(channels: Vec<Channel>, most: u64) -> Kept {
        let columns = channels.iter().map(|_| Vec::new()).collect();
        Kept { channels, columns, most }
    }

    /// Returns `true` if there is no room for another point.
    fn is_full(&self) -> bool {
        self.columns[0].len() as u64 >= self.most
    }
}

impl SampleSink for Kept {
    fn row(&mut self, numbers: &[f64]) -> io::Result<()> {
        if self.is_full() {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        self.columns.iter_mut().zip(numbers).for_each(|(column, number)| column.push(*number));
        Ok(())
    }
}

impl Run {
    pub(crate) fn new(
        kept: Kept,
        options: SimulationOptions,
        mut summary: RunSummary,
        changes: Vec<Change>,
        mechanism: Mechanism,
        model: &Model,
        last: Numbers,
    ) -> Run {
        // The sinks are points that are kept, which may be too many, and an observer, which may end
        // the run.
        let ended_by = summary.unwritten.take().map(|(sink, _)| sink);
        if ended_by.is_some() {
            summary.outcome.end = End::Stopped;
            // The step that was under way reaches further than the last point.
            summary.outcome.t = kept.columns[0].last().copied().unwrap_or(summary.outcome.t);
        }
        // Remedies name methods, not options of the command line.
        for warning in &mut summary.verdict.warnings {
            warning.message = in_code(&warning.message);
            warning.remedy = in_code(&warning.remedy);
        }
        let (last, is_cut_off) = (model.state().with(last), ended_by == Some(0));
        Run { kept, options, summary, changes, mechanism, last, is_cut_off }
    }

    /// The channels: names, units and groups.
    pub fn channels(&self) -> &[Channel] {
        &self.kept.channels
    }

    /// The numbers of a channel at all points: a coordinate `q1`, a speed `q1.d`, `energy.kinetic`,
    /// `tip.velocity.x` of a sensor, which is `tip.vx` in laws and here, too.
    pub fn channel(&self, name: &str) -> Result<&[f64], Error> {
        let found = channel_position(&self.kept.channels, name);
        let at = found.ok_or_else(|| unknown_channel(&self.kept.channels, name))?;
        Ok(&self.kept.columns[at])
    }

    /// The last number of a channel, at the last point that was kept. A run that an event ends goes
    /// on a little beyond it: [`Run::state`] is at the end.
    pub fn last(&self, name: &str) -> Result<f64, Error> {
        // The first point is kept before anything is computed.
        Ok(self.channel(name)?.last().copied().unwrap_or(f64::NAN))
    }

    /// The times of all points.
    pub fn time(&self) -> &[f64] {
        &self.kept.columns[0]
    }

    /// The state at the end: the beginning of another run, perhaps.
    pub fn state(&self) -> &State {
        &self.last
    }

    /// The way it ended.
    pub fn end(&self) -> &End {
        &self.summary.outcome.end
    }

    /// Events that happened, in their order.
    pub fn events(&self) -> &[Record] {
        &self.summary.outcome.events
    }

    /// The promises of its tolerances that the run did not keep; no warnings if it kept all.
    pub fn verdict(&self) -> &Verdict {
        &self.summary.verdict
    }

    /// Steps, evaluations, changes of coordinates, drift of energy and constraints.
    pub fn summary(&self) -> &RunSummary {
        &self.summary
    }

    /// Written initial values that could not be kept when loops were closed.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The request that the run answers.
    pub fn request(&self) -> &SimulationOptions {
        &self.options
    }

    /// The summary as JSON.
    pub fn json(&self) -> Value {
        json(&self.summary, &self.options, &[])
    }

    /// The page with plots and the mechanism in motion, as data.
    pub fn page(&self) -> Page {
        let mut pictures = Pictures::new(&self.mechanism, &self.kept.channels);
        for row in self.rows() {
            // Collecting in memory cannot fail.
            let _ = pictures.row(&row);
        }
        pictures.page(Some(&self.summary), &self.options)
    }

    /// Curves of channels as text, for a terminal: one drawing for each unit. Names are those of
    /// channels, of several that begin alike, such as `tip.velocity`, of groups, such as `speeds`,
    /// or `all`.
    pub fn plot(&self, names: &[&str]) -> Result<String, Error> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut drawing = Drawing::new(&names, &self.kept.channels)?;
        for row in self.rows() {
            // Gathering in memory cannot fail.
            let _ = drawing.row(&row);
        }
        Ok(drawing.text(&PLAIN))
    }

    /// Writes the page with plots and the mechanism in motion as one HTML file, whose name ends in
    /// `.html`.
    pub fn report(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        write_page(path.as_ref(), &self.page())
    }

    /// Writes all channels as a table; the ending of the name tells the format: `.csv`, `.parquet`
    /// or `.res`.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("csv") => {
                write_file(path, |out| self.table(&mut Csv::new(out, &self.headings(), None)?))
            }
            Some("res") => {
                write_file(path, |out| self.table(&mut Res::new(out, self.kept.channels.len())))
            }
            #[cfg(feature = "parquet")]
            Some("parquet") => write_file(path, |out| {
                self.table(&mut rotule_report::table::Parquet::new(out, &self.headings(), None)?)
            }),
            _ => Err(Error::unknown(
                "format of tables with the ending of",
                &path.display().to_string(),
                [".csv", ".parquet", ".res"],
            )),
        }
    }

    /// Writes all channels as comma-separated values.
    pub fn write_csv(&self, out: impl Write) -> io::Result<()> {
        self.table(&mut Csv::new(out, &self.headings(), None)?)
    }

    fn headings(&self) -> Vec<String> {
        self.kept.channels.iter().map(Channel::heading).collect()
    }

    fn table(&self, table: &mut dyn Rows) -> io::Result<()> {
        for row in self.rows() {
            table.row(&row)?;
        }
        table.finish()
    }

    fn rows(&self) -> impl Iterator<Item = Vec<f64>> + '_ {
        (0..self.time().len()).map(|at| self.kept.columns.iter().map(|column| column[at]).collect())
    }

    /// The message and the remedy, if the motion could not be continued.
    pub(crate) fn failure(&self) -> Option<(String, String)> {
        let outcome = &self.summary.outcome;
        let t = outcome.t;
        if self.is_cut_off {
            let message =
                format!("there are {} points at t = {t}, the most that are kept", self.kept.most);
            return Some((message, "keep fewer with `every`, or raise `max_points`".to_owned()));
        }
        let End::Failed(failure) = &outcome.end else { return None };
        Some(match &outcome.reason {
            None => (
                in_code(&format!("the motion cannot be continued beyond t = {t}: {failure}")),
                String::new(),
            ),
            Some(Reason { what, remedy }) => (
                in_code(&format!(
                    "the motion cannot be continued beyond t = {t}: {what} ({failure})"
                )),
                in_code(remedy),
            ),
        })
    }
}

/// The summary as `rotule simulate` shows it.
impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&in_code(&text(&timed(&self.summary, &self.options))))
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("end", self.end())
            .field("points", &self.time().len())
            .finish_non_exhaustive()
    }
}

/// A motion that ended before its time, and all of it that was computed.
#[derive(Debug)]
pub struct Unfinished {
    /// The motion up to there.
    pub run: Run,
    message: String,
    remedy: String,
}

impl Unfinished {
    pub(crate) fn new(run: Run, message: String, remedy: String) -> Unfinished {
        Unfinished { run, message, remedy }
    }

    /// The time that was reached.
    pub fn t(&self) -> f64 {
        self.run.summary.outcome.t
    }

    /// The remedy; may be empty.
    pub fn remedy(&self) -> &str {
        &self.remedy
    }
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "\n  help: {}", self.remedy) }
    }
}
