//! `rotule study`: many motions of one model, rows written while they come, and what is to be said
//! of all.

use super::arguments::number;
use super::failure::Failure;
use super::functions::{assign, failure};
use super::models::{Loops, Model, open};
use super::output;
use super::part::{Place, is_standard_output, write_text, wrote};
use super::session::{Session, complete, lock};
use super::table::{Files, Format, Request, Table};
use super::terminal::{look, paint_summary};
use clap::Args;
use rotule::StudyPictures;
use rotule::layers::jit::threads;
use rotule::layers::report::Page;
use rotule::layers::report::number::count;
use rotule::layers::report::progress::Progress;
use rotule::layers::report::terminal::draw_over;
use rotule::layers::study::{self, Foreign, SampleRow, StudyOptions, text};
use std::path::{Path, PathBuf};
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

    /// Make steps of this length [default: see below].
    #[arg(long, value_name = "H", value_parser = number, conflicts_with_all = ["rtol", "atol"])]
    pub dt: Option<f64>,

    /// The method, as of `simulate`.
    #[arg(long, value_name = "NAME", default_value = "rk4")]
    pub method: String,

    /// Relative tolerance, without --dt.
    #[arg(long, value_name = "R", value_parser = number, default_value = "1e-8")]
    pub rtol: f64,

    /// Absolute tolerance, without --dt.
    #[arg(long, value_name = "A", value_parser = number, default_value = "1e-10")]
    pub atol: f64,

    /// A quantity and its law; can be repeated.
    #[arg(long, value_name = "LAW", required = true)]
    pub vary: Vec<String>,

    /// Random samples at each point of the grid.
    #[arg(long, value_name = "N")]
    pub samples: Option<usize>,

    /// Where random numbers start.
    #[arg(long, value_name = "S", default_value = "0")]
    pub seed: u64,

    /// CHANNEL:KIND to keep of each motion; can be repeated.
    #[arg(long, value_name = "WHAT")]
    pub measure: Vec<String>,

    /// Write a row for each sample; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Write a page with plots over what varies.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Replace files that are there already.
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub files: Files,

    /// Set a parameter, in SI or as "500 mm"; can be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Number of threads [default: as many as cores].
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

const HELP: &str = "\
Laws: NAME=FROM..TO:N is N numbers of a grid, all of which are combined;
NAME~normal(MEAN,SD) and NAME~uniform(A,B) are random. NAME is a parameter, or
an initial coordinate, speed or state. The same seed gives the same numbers.

Kinds: last, min, max, mean, rms, of any channel of `rotule simulate`. Without
--measure, all coordinates at the end. Measures are drawn over the first number
of a grid, with a curve for each combination of the others.

Motions by rk4, the default, go several at once. By all other methods they go
one at a time, with steps by the tolerances where a method can. Other steps are
of 1e-3 s without --dt, or of T/1000 if that is shorter. A motion that needs
other independent coordinates or does not close is run again alone: its status
is 1. Failed ones have 2. The last column is the verdict: ok, or words such as
range or energy+closure.

Exit codes: as of `rotule simulate`; 3 if no sample reached the end.

Examples:
  rotule study examples/slider_crank.toml --to 1 --vary q1.d=1..9:9
  rotule study examples/slider_crank.toml --to 1 --vary l1=0.1..0.14:5 \\
    --measure q3:max --method dop853 --report lengths.html
  rotule study examples/double_pendulum.toml --to 5 --dt 1e-3 \\
    --vary 'q1~normal(0.3,0.05)' --samples 1000 --measure q2:max --out s.csv";

/// The text that `--help` adds.
pub fn help() -> &'static str {
    HELP
}

/// `rotule study`
pub fn study(wanted: &Study, session: &Session) -> Result<(), Failure> {
    let options = StudyOptions {
        to: wanted.to,
        step: wanted.dt,
        method: Some(wanted.method.clone()),
        tolerance: (wanted.rtol, wanted.atol),
        vary: wanted.vary.clone(),
        measure: wanted.measure.clone(),
        samples: wanted.samples,
        seed: wanted.seed,
        threads: wanted.threads.unwrap_or_else(threads),
    };
    // Invalid arguments and unwritable files are reported before anything is computed or touched.
    study::check(&options).map_err(|problem| failure(problem).into_argument())?;
    let format = wanted.out.as_deref().map(Format::of).transpose()?;
    let place = wanted.out.as_ref().map(|path| Place::new(path, wanted.force)).transpose()?;
    if let Some(path) = &wanted.report {
        Place::new(path, wanted.force)?;
    }
    let mut model = open(&wanted.model, Some(&wanted.loops))?;
    output::doing("preparing the motions");
    assign(&wanted.set, &mut model)?;
    let tree = model.tree().clone();
    let study =
        study::PreparedStudy::new(tree, options.clone(), Foreign::none()).map_err(failure)?;
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
    output::idle();
    let bar = Mutex::new(Progress::shown(output::draws_progress()));
    let mut pictures = StudyPictures::new(study.columns());
    let progress = |now: usize| done.store(now, Ordering::Relaxed);
    let stop = || {
        // One thread draws; the others have better things to do than to wait.
        if let Ok(mut bar) = bar.try_lock() {
            let done = done.load(Ordering::Relaxed);
            bar.update(done as f64 / all.max(1) as f64, || format!("{done} of {all} samples"));
        }
        session.stop().is_some()
    };
    let mut take = |row: &SampleRow| {
        written.fetch_add(1, Ordering::Relaxed);
        pictures.push(row);
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
    let reported = match &wanted.report {
        Some(path) => write_page(
            session,
            path,
            &pictures.page(study.model(), &summary, &options),
            wanted.force,
        ),
        None => Ok(()),
    };
    let text = text(&summary, &options) + &samples(&pictures);
    let to_stdout = wanted.out.as_deref().is_some_and(is_standard_output);
    match (to_stdout, output::is_quiet()) {
        (_, true) => {}
        (true, false) => output::message(text.trim_end()),
        (false, false) => {
            output::painted(&text, paint_summary)?;
            output::raw(&drawn(&pictures))?;
            let rows = format!("{} rows", count(pictures.seen() as u64));
            let table = wanted.out.iter().filter(|_| finished.is_ok());
            let lines: String = table.map(|path| wrote(path, Some(&rows))).collect();
            let page = wanted.report.iter().filter(|_| reported.is_ok());
            let lines: String =
                page.map(|path| wrote(path, None)).fold(lines, |all, one| all + &one);
            let gap = if lines.is_empty() { "" } else { "\n" };
            output::result(&format!("{gap}{lines}"))?;
        }
    }
    if let Some(report) = study::initial(&summary) {
        output::remark(&report.text());
    }
    reported?;
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
            output::remark(&format!("warning: {failed} of {done} samples failed"));
            Ok(())
        }
    }
}

/// Rows of the table of samples, and plots, on the screen.
const LISTED: usize = 25;
const DRAWN: usize = 3;

/// The table of the first samples of a grid. Samples at random are summed up by their statistics.
fn samples(pictures: &StudyPictures) -> String {
    let columns = pictures.columns();
    if columns.0.iter().all(|column| column.random) {
        return String::new();
    }
    let rows = &pictures.first()[..pictures.first().len().min(LISTED)];
    let mut text = format!("\n{}", study::sample_table(columns, rows));
    if pictures.seen() > rows.len() {
        let left = count((pictures.seen() - rows.len()) as u64);
        text.push_str(&format!("and {left} more: --out FILE writes all\n"));
    }
    text
}

/// Plots of the measures over what varies.
fn drawn(pictures: &StudyPictures) -> String {
    let (axis, plots) = pictures.plots();
    let look = look();
    let draw = |plot| format!("\n{}", draw_over(plot, &[], &axis, &look));
    let mut text: String = plots.iter().take(DRAWN).map(draw).collect();
    if plots.len() > DRAWN {
        let left = plots.len() - DRAWN;
        text.push_str(&format!("\nand {left} more plots: --report FILE draws all\n"));
    }
    text
}

fn write_page(session: &Session, path: &Path, page: &Page, force: bool) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    page.write(&mut bytes).map_err(Failure::Write)?;
    write_text(session, path, &String::from_utf8_lossy(&bytes), force)
}
