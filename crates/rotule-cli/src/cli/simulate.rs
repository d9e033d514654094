//! `rotule simulate`: runs a model, writes results while it runs, and says how it went.

use super::arguments::number;
use super::failure::Failure;
use super::functions::{expected, failure, state, tell_changes};
use super::models::{Loops, Model, open};
use super::output;
use super::part::{Place, is_standard_output, wrote};
use super::report::Report;
use super::session::{Session, Stop, complete, lock};
use super::table::{self, Files, Format, Request, Table};
use super::terminal::{look, paint_summary};
use clap::Args;
use rotule::layers::formalism::aliases::{self, Names};
use rotule::layers::report::number::{count, shown};
use rotule::layers::report::progress::Progress;
use rotule::layers::simulate::explain::Reason;
use rotule::layers::simulate::methods::{METHODS, MethodEntry, SECOND_ORDER};
use rotule::layers::simulate::run::MAX_STEPS;
use rotule::layers::stream::limits::written;
use rotule::layers::stream::{
    Closures, Drawing, Pictures, SampleSink, Simulation, Trace, check, check_channels,
    coordinate_table, json, parse_channels, text, timed, verify,
};
use rotule::simulate::{
    Accuracy, Balance, Channel, ChannelGroup, ConstraintForm, End, Gains, Promise, RunSummary,
    Samples, SimulationOptions, Threshold,
};
use rotule::{KernelKind, Problem};
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Rows of the table of coordinates.
const COORDINATES: usize = 12;

/// Points that are kept by default.
const POINTS: f64 = 1000.0;

#[derive(Args)]
pub struct Simulate {
    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub loops: Loops,

    /// When the motion ends, in seconds.
    #[arg(long, value_name = "T", value_parser = number)]
    pub to: f64,

    /// Make steps of this length.
    #[arg(long, value_name = "H", value_parser = number, conflicts_with_all = ["rtol", "atol"])]
    pub dt: Option<f64>,

    /// Relative tolerance of a step.
    #[arg(long, value_name = "R", value_parser = number, default_value = "1e-8")]
    pub rtol: f64,

    /// Absolute tolerance of a step.
    #[arg(long, value_name = "A", value_parser = number, default_value = "1e-10")]
    pub atol: f64,

    /// The longest step that a method may choose.
    #[arg(long, value_name = "H", value_parser = number, conflicts_with = "dt")]
    pub max_step: Option<f64>,

    /// Give up after this many steps.
    #[arg(long, value_name = "N", default_value_t = MAX_STEPS, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_steps: u64,

    /// The method; see below.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub method: String,

    /// Write results to a file; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Write a page with plots and an animation.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Check the energy by the work of all forces.
    #[arg(long)]
    pub balance: bool,

    /// Repeat the run tighter and otherwise, and compare.
    #[arg(long)]
    pub verify: bool,

    /// Exit with code 5 if there is any warning.
    #[arg(long)]
    pub strict: bool,

    /// Print the summary as JSON.
    #[arg(long, conflicts_with = "plot")]
    pub json: bool,

    /// Draw channels in the terminal, such as q1,tip.velocity.
    #[arg(long, value_name = "NAMES")]
    pub plot: Option<String>,

    /// Replace files that are there already.
    #[arg(long)]
    pub force: bool,

    /// Seconds between points, or `step` [default: T/1000].
    #[arg(long, value_name = "H")]
    pub every: Option<String>,

    /// The most points that are kept.
    #[arg(long, value_name = "N", default_value = "10000000")]
    pub max_samples: u64,

    #[command(flatten)]
    pub files: Files,

    /// Channels to keep, separated by commas; see below.
    #[arg(
        long,
        value_name = "NAMES",
        default_value = "coordinates,speeds,accelerations,energies,line_forces,sensors",
        hide_default_value = true
    )]
    pub channels: String,

    /// Read the initial state; - is standard input.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// Set a parameter, in SI or as "500 mm"; can be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Form of constraints [default: partition].
    #[arg(long, value_name = "W")]
    pub constraints: Option<String>,

    /// Conditioning that needs others.
    #[arg(long, value_name = "X", default_value = "auto")]
    pub threshold: String,

    /// interpreter, native or compiled.
    #[arg(long, value_name = "NAME", value_parser = kernel, default_value = "auto")]
    pub kernel: KernelKind,
}

const HELP: &str = "\
Loops are closed at every step. Channels: coordinates, speeds, accelerations,
energies, line_forces, sensors; and states, wheels, drives, multipliers,
conditioning, or all. Or by name, with all that begins with it: tyre.force,
tyre.force.normal. --plot takes the same names and keeps what it draws.

Constraints: partition closes them exactly (the default); projection, baumgarte
(=RATE, =ALPHA,BETA or =model) and unstabilised integrate all coordinates;
index3 has multipliers as unknowns, for generalised-alpha, hht and newmark with
--dt. Threshold: auto, never, or a number above one.

Exit codes: 0 the end was reached; 1 nothing could be computed; 2 arguments make
no sense; 3 no further step was possible; 4 results cannot be written; 5 there
are warnings, with --strict; 130 interrupted, 143 terminated. Results up to
there are kept. Files are written as FILE.part and renamed at the end; after a
kill FILE.part is readable up to the last flush.

Results are CSV, or what the ending of --out says: .parquet, or .res as ROBOTRAN
writes it.

Examples:
  rotule simulate examples/slider_crank.toml --to 2
  rotule simulate examples/double_pendulum.toml --to 10 --out motion.csv

Methods, dop853 without, rk4 with --dt:
";

/// The text that `--help` adds, with the table of methods.
pub fn help() -> String {
    let row = |one: &MethodEntry| format!("  {:<18}{}\n", one.name, one.about);
    let rows: Vec<String> = METHODS.iter().chain(SECOND_ORDER).map(row).collect();
    let others = aliases::listed(Names::Method, 78).replace('\n', "\n  ");
    format!("{HELP}{}\nOther names:\n  {others}", rows.concat())
}

/// A way to compute by its name.
fn kernel(name: &str) -> Result<KernelKind, String> {
    let word = aliases::canonical(Names::Kernel, name);
    let found = KernelKind::ALL.iter().find(|(_, known)| *known == word);
    found.map(|(choice, _)| *choice).ok_or_else(|| {
        let names: Vec<&str> = KernelKind::ALL.iter().map(|(_, name)| *name).collect();
        expected(Names::Kernel, name, &names)
    })
}

/// `rotule simulate`
pub fn simulate(wanted: &Simulate, session: &Session) -> Result<(), Failure> {
    let to_stdout = wanted.out.as_deref().is_some_and(is_standard_output);
    if wanted.json && to_stdout {
        let message =
            "error: --json and --out - both write to standard output\n  = help: give --out a file";
        return Err(Failure::Arguments(message.to_owned()));
    }
    // Invalid arguments and unwritable files are reported before anything is computed or touched.
    let mut options = options(wanted).map_err(Failure::into_argument)?;
    check(&options).map_err(|problem| failure(problem).into_argument())?;
    let format = wanted.out.as_deref().map(Format::of).transpose()?;
    let place = |path: &PathBuf| Place::new(path, wanted.force);
    let out = wanted.out.as_ref().map(place).transpose()?;
    let report = wanted.report.as_ref().map(place).transpose()?;
    let mut model = open(&wanted.model, Some(&wanted.loops))?;
    output::doing("preparing the motion");
    let state = state(&wanted.model, wanted.state.as_deref(), None, &wanted.set, &mut model)?;
    let (tree, state) = (model.tree_at(&state).into_owned(), state.numbers());
    let (of_model, plotted) = (|problem| failure(problem).into_argument(), plotted(wanted));
    check_channels(&tree, &options.names).map_err(of_model)?;
    // What is drawn or shown in motion must be computed.
    options.names.extend(plotted.iter().cloned());
    if report.is_some() && !options.groups.contains(&ChannelGroup::Coordinates) {
        options.groups.push(ChannelGroup::Coordinates);
    }
    let again = wanted.verify.then(|| tree.clone());
    let mut simulation =
        Simulation::new(tree, &state, &options, Box::new(Closures::default())).map_err(failure)?;
    simulation.trace = wanted.verify.then(Trace::default);
    tell_changes(&simulation.changes);
    if let Some(problem) = simulation.foreign(&|_| false) {
        return Err(failure(problem));
    }
    let channels = &simulation.channels.list;
    check_size(wanted, &options, state.t, format.map(|format| (format, channels.len())))?;
    let mut drawing = match plotted.is_empty() {
        true => None,
        false => Some(Drawing::new(&plotted, channels).map_err(failure)?),
    };
    let table = match (&wanted.out, out, format) {
        (Some(path), Some(place), Some(format)) => {
            let names = &headings(channels)[..];
            let Files { max_size: limit, flush } = wanted.files;
            let request = Request { path, place, format, names, text: false, limit, flush };
            Some(Table::open(session, request)?)
        }
        _ => None,
    };
    let page = match (&wanted.report, report) {
        (Some(path), Some(place)) => {
            let pictures = Pictures::new(simulation.mechanism(), channels);
            Some(Report::open(session, (path, place), pictures, &options, wanted.files.flush)?)
        }
        _ => None,
    };
    let mut counted = Counted { left: wanted.max_samples };
    let mut rows = table.clone().map(|table| Shared(table, Table::row));
    let mut pictures = page.clone().map(|page| Shared(page, Report::row));
    let mut sinks: Vec<&mut dyn SampleSink> = vec![&mut counted];
    sinks.extend(rows.iter_mut().map(|rows| rows as &mut dyn SampleSink));
    sinks.extend(pictures.iter_mut().map(|pictures| pictures as &mut dyn SampleSink));
    sinks.extend(drawing.iter_mut().map(|drawing| drawing as &mut dyn SampleSink));
    let last = Arc::new(AtomicU64::new(state.t.to_bits()));
    let reached = Arc::clone(&last);
    session.at(move || format!("at t = {}", f64::from_bits(reached.load(Ordering::Relaxed))));
    // From here on there is a bar.
    output::idle();
    let mut progress = Progress::shown(output::draws_progress());
    let mut step = |t: f64| {
        last.store(t.to_bits(), Ordering::Relaxed);
        progress.update(t / options.to, || format!("t = {} s", shown(t, 4)));
        match session.stop() {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    };
    let summary = simulation.run(&mut sinks, &mut step);
    if session.stop().is_some() {
        session.ending();
    }
    // Rows are safe before anything else is done with the run.
    let completed = if summary.is_ok() { complete(session, table.as_ref()) } else { Ok(()) };
    let mut summary = match summary {
        Ok(summary) => summary,
        // Nothing was computed.
        Err(problem) if counted.left == wanted.max_samples => return Err(failure(problem)),
        // Points that are there are kept whatever ended the run.
        Err(problem) => {
            session.ending();
            let kept = complete(session, table.as_ref()).and(complete(session, page.as_ref()));
            kept.map_err(|error| Failure::Unfinished {
                message: format!("cannot write the results: {error}"),
                code: 4,
            })?;
            let (t, what) = (f64::from_bits(last.load(Ordering::Relaxed)), failure(problem));
            let message = format!("the motion cannot be continued beyond t = {t}\n{what}");
            return Err(Failure::Unfinished { message, code: 3 });
        }
    };
    let mut unverified = None;
    if let (Some(tree), false) = (again, matches!(summary.outcome.end, End::Stopped)) {
        let own = simulation.trace.take().unwrap_or_default();
        match verify(&tree, &state, &options, own, &Closures::default(), &mut step) {
            Ok(found) => {
                summary.verdict.judge_verification(&found);
                summary.verification = Some(found);
            }
            Err(problem) => unverified = Some(failure(problem)),
        }
    }
    session.ending();
    progress.clear();
    let pictured = page.as_ref().map_or(Ok(()), |page| {
        lock(page).end(&summary);
        complete(session, Some(page))
            .map_err(|error| Failure::Unfinished { message: lock(page).explain(&error), code: 4 })
    });
    let mut shown = text(&timed(&summary, &options));
    let courses = coordinate_table(&summary.coordinates, COORDINATES);
    if !courses.is_empty() {
        shown.push_str(&format!("\n{courses}"));
    }
    let drawn = drawing.map_or(String::new(), |drawing| drawing.text(&look()));
    match (to_stdout, wanted.json) {
        (true, _) => output::remark(shown.trim_end()),
        (false, false) => {
            let points = wanted.max_samples - counted.left;
            let written = written_files(wanted, points, completed.is_ok(), pictured.is_ok());
            if !output::is_quiet() {
                output::painted(&shown, paint_summary)?;
            }
            output::raw(&drawn)?;
            if !output::is_quiet() {
                output::result(&written)?;
            }
        }
        (false, true) => {
            let files = wanted.out.iter().chain(&wanted.report);
            let files: Vec<String> = files.map(|path| path.display().to_string()).collect();
            output::data(&format!("{:#}\n", json(&summary, &options, &files)))?;
        }
    }
    // A failure is told with its exit code; a summary on standard error has all warnings.
    if (wanted.out.is_some() && !to_stdout) || wanted.json {
        for one in summary.verdict.warnings.iter().filter(|one| one.promise != Promise::End) {
            let (word, message, remedy) = (one.promise.word(), &one.message, &one.remedy);
            output::remark(&format!("warning: {word}: {message}; {remedy}"));
        }
    }
    pictured?;
    if let Some(failure) = unverified {
        return Err(failure);
    }
    verdict(summary, completed.err(), wanted, table.as_ref(), session.stop())
}

/// The files that were written, with their sizes.
fn written_files(wanted: &Simulate, points: u64, table: bool, page: bool) -> String {
    let rows = format!("{} rows", count(points));
    let files = [
        wanted.out.as_ref().filter(|_| table).map(|path| (path, Some(rows))),
        wanted.report.as_ref().filter(|_| page).map(|path| (path, None)),
    ];
    let lines = files.into_iter().flatten().map(|(path, rows)| wrote(path, rows.as_deref()));
    let text: String = lines.collect();
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// Refuses more points, or a larger file, than the limits allow, as far as that is known
/// beforehand.
fn check_size(
    wanted: &Simulate,
    options: &SimulationOptions,
    start: f64,
    file: Option<(Format, usize)>,
) -> Result<(), Failure> {
    let Samples::Every(every) = options.samples else { return Ok(()) };
    let points = ((options.to - start) / every).max(0.0);
    let refuse =
        |message: String, help: &str| Err(failure(Problem::new(message, help)).into_argument());
    if points > wanted.max_samples as f64 {
        return refuse(
            format!(
                "a point every {} s up to {} s makes {} points, and --max-samples is {}",
                written(every),
                written(options.to),
                written(points.round()),
                wanted.max_samples
            ),
            "keep fewer with --every, or raise --max-samples",
        );
    }
    if let Some((format, columns)) = file {
        let bytes = points * columns as f64 * format.least_bytes();
        if bytes > wanted.files.max_size as f64 {
            return refuse(
                format!(
                    "{} points of {columns} channels make a file of {} at least, and --max-size is {}",
                    written(points.round()),
                    table::bytes(bytes as u64),
                    table::bytes(wanted.files.max_size)
                ),
                "keep fewer points with --every or fewer --channels, or raise --max-size",
            );
        }
    }
    Ok(())
}

/// Takes the rows of a run to an output that other threads flush.
struct Shared<T>(Arc<Mutex<T>>, fn(&mut T, &[f64]) -> io::Result<()>);

impl<T> SampleSink for Shared<T> {
    fn row(&mut self, numbers: &[f64]) -> io::Result<()> {
        self.1(&mut lock(&self.0), numbers)
    }
}

/// Ends a run that has as many points as are allowed.
struct Counted {
    left: u64,
}

impl SampleSink for Counted {
    fn row(&mut self, _: &[f64]) -> io::Result<()> {
        self.left = self.left.checked_sub(1).ok_or(io::ErrorKind::QuotaExceeded)?;
        Ok(())
    }
}

/// The headings of a table's columns.
fn headings(channels: &[Channel]) -> Vec<String> {
    channels.iter().map(Channel::heading).collect()
}

fn options(wanted: &Simulate) -> Result<SimulationOptions, Failure> {
    let accuracy = match wanted.dt {
        Some(step) => Accuracy::Fixed(step),
        None => Accuracy::Within { relative: wanted.rtol, absolute: wanted.atol },
    };
    let samples = match wanted.every.as_deref() {
        None => Samples::Every(wanted.to / POINTS),
        Some("step") => Samples::Steps,
        Some(text) => match text.parse() {
            Ok(every) => Samples::Every(every),
            Err(_) => {
                let message = format!("error: --every {text}: neither a number nor `step`");
                return Err(Failure::Text(message));
            }
        },
    };
    let threshold = match wanted.threshold.as_str() {
        "auto" => Threshold::AUTOMATIC,
        "never" => Threshold::Never,
        text => match text.parse() {
            Ok(number) if number >= 1.0 => Threshold::At(number),
            _ => {
                let message = format!(
                    "error: --threshold {text}: neither auto, never nor a number above one"
                );
                return Err(Failure::Text(message));
            }
        },
    };
    let constraints = wanted.constraints.as_deref().map(form).transpose()?;
    let method = match (wanted.method.as_str(), accuracy) {
        ("auto", _) if constraints == Some(ConstraintForm::Index3) => "generalised-alpha",
        ("auto", Accuracy::Fixed(_)) => "rk4",
        ("auto", Accuracy::Within { .. }) => "dop853",
        (named, _) => named,
    };
    let (groups, names) = parse_channels(&wanted.channels);
    Ok(SimulationOptions {
        to: wanted.to,
        method: method.to_owned(),
        constraints,
        accuracy,
        max_step: wanted.max_step,
        max_steps: wanted.max_steps,
        samples,
        threshold,
        groups,
        names,
        kernel: wanted.kernel,
        balance: if wanted.balance { Balance::Requested } else { Balance::Light },
    })
}

/// Parses the form in which constraints are kept.
fn form(text: &str) -> Result<ConstraintForm, Failure> {
    let (word, rates) = text.split_once('=').map_or((text, None), |(a, b)| (a, Some(b)));
    let word = aliases::canonical(Names::Constraints, word);
    let numbers: Vec<f64> =
        rates.unwrap_or("").split(',').map_while(|part| part.trim().parse().ok()).collect();
    let found = match (word, rates) {
        ("partition", None) => ConstraintForm::Partition,
        ("unstabilised", None) => ConstraintForm::Unstabilised,
        ("projection", None) => ConstraintForm::Projection,
        ("index3", None) => ConstraintForm::Index3,
        ("baumgarte", None) => ConstraintForm::Baumgarte(Gains::Step),
        ("baumgarte", Some("model")) => ConstraintForm::Baumgarte(Gains::Model),
        ("baumgarte", Some(rates)) if numbers.len() == rates.split(',').count() => {
            match numbers[..] {
                [rate] => ConstraintForm::Baumgarte(Gains::Given([rate; 2])),
                [alpha, beta] => ConstraintForm::Baumgarte(Gains::Given([alpha, beta])),
                _ => return Err(unknown_form(text)),
            }
        }
        _ => return Err(unknown_form(text)),
    };
    Ok(found)
}

fn unknown_form(text: &str) -> Failure {
    Failure::Text(format!(
        "error: --constraints {text}: unknown form\n  = help: expected one of partition, projection, \
         baumgarte, baumgarte=RATE, baumgarte=ALPHA,BETA, baumgarte=model, unstabilised, index3"
    ))
}

/// The words of `--plot`.
fn plotted(wanted: &Simulate) -> Vec<String> {
    let list = wanted.plot.as_deref().unwrap_or_default();
    list.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The result of the command: a failure unless all went well.
fn verdict(
    summary: RunSummary,
    unfinished: Option<io::Error>,
    wanted: &Simulate,
    table: Option<&Arc<Mutex<Table>>>,
    stop: Option<Stop>,
) -> Result<(), Failure> {
    let t = summary.outcome.t;
    let unfinished_run = |message: String, code: u8| Err(Failure::Unfinished { message, code });
    let kept = if wanted.out.is_some() { "; results up to there are kept" } else { "" };
    match summary.unwritten {
        // The first sink counts.
        Some((0, _)) => {
            let message = format!(
                "there are {} points at t = {t}, the limit of --max-samples{kept}\n  = help: keep fewer with --every H, \
                 or raise the limit",
                wanted.max_samples
            );
            return unfinished_run(message, 4);
        }
        other => {
            if let (Some(error), Some(table)) =
                (other.map(|(_, error)| error).or(unfinished), table)
            {
                return unfinished_run(lock(table).explain(&error, &format!("beyond t = {t}")), 4);
            }
        }
    }
    match (summary.outcome.end, stop) {
        (End::Failed(failure), _) => {
            let message = match summary.outcome.reason {
                None => format!("the motion cannot be continued beyond t = {t}: {failure}{kept}"),
                Some(Reason { what, remedy }) => format!(
                    "the motion cannot be continued beyond t = {t}: {what} ({failure}){kept}\n  = help: {remedy}"
                ),
            };
            unfinished_run(message, 3)
        }
        (End::Stopped, Some(stop)) => {
            unfinished_run(format!("{} at t = {t}{kept}", stop.word()), stop.code())
        }
        (_, Some(stop)) if wanted.verify => {
            unfinished_run(format!("{} while the run was verified", stop.word()), stop.code())
        }
        _ if wanted.strict && !summary.verdict.warnings.is_empty() => {
            Err(Failure::Strict { warnings: summary.verdict.warnings.len() })
        }
        _ => Ok(()),
    }
}
