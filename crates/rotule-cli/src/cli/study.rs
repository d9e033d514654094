//! `rotule study`: many motions of one model, rows written while they come, and what is to be said of all.

use super::arguments::number;
use super::failure::Failure;
use super::functions::{assign, failure};
use super::models::{Loops, Model, open};
use super::output;
use super::part::{Place, is_standard_output};
use super::session::{Session, complete, lock};
use super::table::{Files, Format, Request, Table};
use clap::Args;
use rotule::layers::jit::threads;
use rotule::layers::report::progress::Progress;
use rotule::layers::study::{self, Foreign, Row, Wish, text};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Args)]
pub struct Study {
    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub loops: Loops,

    /// When each motion ends, in seconds.
    #[arg(long, value_name = "T", value_parser = number)]
    pub to: f64,

    /// The length of steps.
    #[arg(long, value_name = "H", value_parser = number)]
    pub dt: f64,

    /// What varies, and how; can be repeated.
    #[arg(long, value_name = "LAW", required = true)]
    pub vary: Vec<String>,

    /// Random samples at each point of the grid.
    #[arg(long, value_name = "N")]
    pub samples: Option<usize>,

    /// Where random numbers start; 0 without.
    #[arg(long, value_name = "S", default_value = "0", hide_default_value = true)]
    pub seed: u64,

    /// CHANNEL:KIND to keep of each motion; can be repeated.
    #[arg(long, value_name = "WHAT")]
    pub measure: Vec<String>,

    /// Write a row for each sample; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Replace the file of --out if it is there.
    #[arg(long, requires = "out")]
    pub force: bool,

    #[command(flatten)]
    pub files: Files,

    /// Set a parameter, in SI or as "500 mm"; can be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// How many threads; as many as there are cores without.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// What `--help` adds.
pub const HELP: &str = "\
Laws: NAME=FROM..TO:N is N numbers of a grid, all of which are combined;
NAME~normal(MEAN,SD) and NAME~uniform(A,B) are random. NAME is a parameter, or
an initial coordinate, speed or state. The same seed gives the same numbers.

Kinds: last, min, max, mean, rms, of any channel of `rotule simulate`. Without
--measure, all coordinates at the end.

Motions go by rk4, several at once. One that needs other independent coordinates
or does not close is run again alone: its status is 1. Failed ones have 2.
The last column is the verdict: ok, or words such as range or energy+closure.

Exit codes: as of `rotule simulate`; 3 if no sample reached the end.

Examples:
  rotule study examples/slider_crank.toml --to 1 --dt 1e-3 --vary q1.d=1..9:9
  rotule study examples/double_pendulum.toml --to 5 --dt 1e-3 \\
    --vary 'q1~normal(0.3,0.05)' --samples 1000 --measure q2:max --out s.csv";

/// `rotule study`
pub fn study(wanted: &Study, session: &Session) -> Result<(), Failure> {
    let wish = Wish {
        to: wanted.to,
        step: wanted.dt,
        vary: wanted.vary.clone(),
        measure: wanted.measure.clone(),
        samples: wanted.samples,
        seed: wanted.seed,
        threads: wanted.threads.unwrap_or_else(threads),
    };
    // What makes no sense or cannot be written is said before anything is computed or touched.
    study::check(&wish).map_err(|problem| failure(problem).into_argument())?;
    let format = wanted.out.as_deref().map(Format::of).transpose()?;
    let place = wanted.out.as_ref().map(|path| Place::new(path, wanted.force)).transpose()?;
    let mut model = open(&wanted.model, Some(&wanted.loops))?;
    assign(&wanted.set, &mut model)?;
    let tree = model.tree().clone();
    let study = study::Study::new(tree, wish.clone(), Foreign::none()).map_err(failure)?;
    let table = match (&wanted.out, place, format) {
        (Some(path), Some(place), Some(format)) => {
            let names = &study.heading()[..];
            let Files { max_size: limit, flush } = wanted.files;
            let request = Request { path, place, format, names, text: true, limit, flush };
            Some(Table::open(session, request)?)
        }
        _ => None,
    };
    let (all, done) = (study.samples(), AtomicUsize::new(0));
    let written = Arc::new(AtomicUsize::new(0));
    let there = Arc::clone(&written);
    session.at(move || format!("after {} of {all} samples", there.load(Ordering::Relaxed)));
    let bar = Mutex::new(Progress::new());
    let progress = |now: usize| done.store(now, Ordering::Relaxed);
    let stop = || {
        // One thread draws; the others have better things to do than to wait.
        if let Ok(mut bar) = bar.try_lock() {
            let done = done.load(Ordering::Relaxed);
            bar.update(done as f64 / all.max(1) as f64, || format!("{done} of {all} samples"));
        }
        session.stop().is_some()
    };
    let mut take = |row: &Row| {
        written.fetch_add(1, Ordering::Relaxed);
        match &table {
            Some(table) => lock(table).labelled(&row.numbers(), &row.verdict.word()),
            None => Ok(()),
        }
    };
    let run = study.run(&mut take, &progress, &stop);
    session.ending();
    lock(&bar).clear();
    let (summary, unwritten) = run.map_err(failure)?;
    let finished = complete(session, table.as_ref());
    let text = text(&summary, &wish);
    match wanted.out.as_deref().is_some_and(is_standard_output) {
        true => output::message(text.trim_end()),
        false => output::result(&text)?,
    }
    if let Some(report) = study::initial(&summary) {
        output::message(&report.text());
    }
    let done = summary.done;
    if let (Some(error), Some(table)) = (unwritten.or(finished.err()), &table) {
        let message = lock(table).explain(&error, &format!("beyond sample {done}"));
        return Err(Failure::Unfinished { message, code: 4 });
    }
    let kept = if wanted.out.is_some() && done > 0 { "; rows up to there are kept" } else { "" };
    if summary.stopped {
        return session.end_if_stopped(&format!(" after {done} of {all} samples{kept}"));
    }
    match summary.failed.len() {
        0 => Ok(()),
        failed if failed == done => {
            let message = "no sample reached the end".to_owned();
            Err(Failure::Unfinished { message, code: 3 })
        }
        failed => {
            output::message(&format!("warning: {failed} of {done} samples failed"));
            Ok(())
        }
    }
}
