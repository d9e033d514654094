//! `rotule study`: many motions of one model, rows written while they come, and what is to be said
//! of all.

use super::failure::Failure;
use super::functions::{assign, failure};
use super::laws::judge;
use super::models::open;
use super::motion::Motion;
use super::output::{self, nobody_reads};
use super::part::{Place, is_standard_output, write_text, wrote};
use super::report::{check_name, command_line};
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
use rotule::layers::study::{self, SampleRow, StudyOptions, text};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Args)]
pub struct Study {
    #[command(flatten)]
    pub motion: Motion,

    /// The method, as of `simulate`.
    #[arg(long, value_name = "NAME", default_value = "rk4")]
    pub method: String,

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

    /// Replace files that exist.
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub files: Files,

    /// Set a parameter, in SI or as "500 mm"; repeatable.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Number of threads [default: as many as cores].
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}

const HELP: &str = "\
Laws: NAME=FROM..TO:N is N numbers of a grid, all of which are combined;
NAME~normal(MEAN,SD) and NAME~uniform(A,B) are random. NAME is a parameter, or
an initial coordinate, speed or state, or an input. The same seed gives the same
numbers.

Kinds: last, min, max, mean, rms, of any channel of `rotule simulate`. Without
--measure, all coordinates at the end. Measures are drawn over the first number
of a grid, with a curve for each combination of the others.

Motions go several at once by explicit methods with steps of one length: rk4,
the default, euler, and with --dt dormand-prince and dop853. By others they go
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
pub fn study(requested: &Study, session: &Session) -> Result<(), Failure> {
    let options = StudyOptions {
        to: requested.motion.to,
        step: requested.motion.dt,
        method: Some(requested.method.clone()),
        tolerance: (requested.motion.rtol, requested.motion.atol),
        vary: requested.vary.clone(),
        measure: requested.measure.clone(),
        samples: requested.samples,
        seed: requested.seed,
        threads: requested.threads.map_or_else(threads, NonZeroUsize::get),
        signals: Vec::new(),
    };
    // Invalid arguments and unwritable files are reported before anything is computed or touched.
    study::check(&options).map_err(|problem| failure(problem).into_argument())?;
    let format = requested.out.as_deref().map(Format::of).transpose()?;
    let place = requested.out.as_ref().map(|path| Place::new(path, requested.force)).transpose()?;
    if let Some(path) = &requested.report {
        check_name(path)?;
        Place::new(path, requested.force)?;
    }
    let mut model = open(&requested.motion.source.model, Some(&requested.motion.source.loops))?;
    requested.motion.source.laws.supply(&mut model)?;
    output::doing("preparing the motions");
    assign(&requested.set, &mut model)?;
    let signals = requested.motion.inputs.signals(&model)?;
    let options = StudyOptions { signals, ..options };
    let tree = model.tree().clone();
    let study =
        study::PreparedStudy::new(tree, options.clone(), model.foreign()).map_err(failure)?;
    let table = match (&requested.out, place, format) {
        (Some(path), Some(place), Some(format)) => {
            let names = &study.heading()[..];
            let Files { max_size: limit, flush } = requested.files;
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
    let (summary, unwritten) = judge(&model, run.map_err(failure))?;
    let finished = complete(session, table.as_ref());
    let reported = match &requested.report {
        Some(path) => {
            write_page(session, path, pictures.page(&model, &summary, &options), requested.force)
        }
        None => Ok(()),
    };
    let to_stdout = requested.out.as_deref().is_some_and(is_standard_output);
    if to_stdout && unwritten.as_ref().or(finished.as_ref().err()).is_some_and(nobody_reads) {
        return reported;
    }
    let text = text(&summary, &options) + &samples(&pictures);
    match (to_stdout, output::is_quiet()) {
        (_, true) => {}
        (true, false) => output::message(text.trim_end()),
        (false, false) => {
            output::painted(&text, paint_summary)?;
            output::raw(&drawn(&pictures))?;
            let rows = format!("{} rows", count(pictures.seen() as u64));
            let table = requested.out.iter().filter(|_| finished.is_ok());
            let lines: String = table.map(|path| wrote(path, Some(&rows))).collect();
            let page = requested.report.iter().filter(|_| reported.is_ok());
            let lines: String =
                page.map(|path| wrote(path, None)).fold(lines, |all, one| all + &one);
            let gap = if lines.is_empty() { "" } else { "\n" };
            output::result(&format!("{gap}{lines}"))?;
        }
    }
    if let Some(report) = study::initial(&summary) {
        // One line: what to do about it is told by `check` and `assemble`.
        output::remark(&format!("{}: {}", report.word(), report.problem.message));
    }
    reported?;
    let done = summary.done;
    if let (Some(error), Some(table)) = (unwritten.or(finished.err()), &table) {
        let message = lock(table).explain(&error, &format!("beyond sample {done}"));
        return Err(Failure::Unfinished { message, code: 4 });
    }
    let kept = if requested.out.is_some() && done > 0 { "; rows up to there are kept" } else { "" };
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

fn write_page(session: &Session, path: &Path, mut page: Page, force: bool) -> Result<(), Failure> {
    if let Some(origin) = page.summary.last_mut() {
        origin.rows.insert(0, ("command".to_owned(), command_line()));
    }
    let mut bytes = Vec::new();
    page.write(&mut bytes).map_err(Failure::Write)?;
    write_text(session, path, &String::from_utf8_lossy(&bytes), force)
}
