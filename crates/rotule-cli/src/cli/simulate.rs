//! `rotule simulate`: runs a model, writes results while it runs, and says how it went.

use super::arguments::number;
use super::failure::Failure;
use super::functions::{error, expected, failure, state};
use super::laws::judge;
use super::models::open_counting;
use super::motion::Motion;
use super::operating_point::AtState;
use super::output::{self, nobody_reads};
use super::part::{Place, is_standard_output, write_bytes, wrote};
use super::report::{self, Report};
use super::session::{Session, Stop, complete, lock};
use super::table::{self, Files, Format, Request, Table};
use super::terminal::{look, paint_summary};
use super::view::checked;
use clap::Args;
use rotule::layers::formalism::aliases::{self, Names};
use rotule::layers::report::number::{count, shown};
use rotule::layers::report::progress::Progress;
use rotule::layers::simulate::explain::Reason;
use rotule::layers::simulate::methods::{METHODS, MethodEntry, SECOND_ORDER};
use rotule::layers::simulate::run::MAX_STEPS;
use rotule::layers::stream::limits::written;
use rotule::layers::stream::{
    Drawing, Pictures, SampleSink, Simulation, Trace, check, check_channels, coordinate_table,
    json, parse_channels, text, timed, verify,
};
use rotule::layers::symbolic::list::names;
use rotule::simulate::{
    Accuracy, Balance, Channel, ChannelGroup, ConstraintForm, End, Gains, Promise, RunSummary,
    Samples, SimulationOptions, Threshold,
};
use rotule::{KernelKind, Picture, Problem};
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
    pub motion: Motion,

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

    /// Write the motion as a film: .webm or .gif.
    #[arg(long, value_name = "FILE")]
    pub film: Option<PathBuf>,

    /// Write the frames of the film, numbered: .png or .svg.
    #[arg(long, value_name = "FILE")]
    pub frames: Option<PathBuf>,

    /// Write snapshots of the motion: .png or .svg.
    #[arg(long, value_name = "FILE")]
    pub strip: Option<PathBuf>,

    /// The number of snapshots.
    #[arg(long, value_name = "N", default_value = "6", requires = "strip", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub snapshots: u16,

    /// As --look of rotule view [default: 480x360].
    #[arg(long, value_name = "WORDS")]
    pub look: Option<String>,

    /// Check the energy by the work of all forces.
    #[arg(long)]
    pub balance: bool,

    /// Repeat with another method, tighter, and compare.
    #[arg(long)]
    pub verify: bool,

    /// Exit with code 5 if there is any warning.
    #[arg(long)]
    pub strict: bool,

    /// Print the summary as JSON.
    #[arg(long, conflicts_with = "plot")]
    pub json: bool,

    /// Draw channels in the terminal: q1,tip.velocity.
    #[arg(long, value_name = "NAMES")]
    pub plot: Option<String>,

    /// Replace files that exist.
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
        default_value = "coordinates,speeds,states,inputs,outputs,accelerations,energies,line_forces,sensors",
        hide_default_value = true
    )]
    pub channels: String,

    /// Read the initial state; - is standard input.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    #[command(flatten)]
    pub at: AtState,

    /// Set a parameter, in SI or as "500 mm"; repeatable.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Form of constraints [default: partition].
    #[arg(long, value_name = "W")]
    pub constraints: Option<String>,

    /// Least conditioning of a partition.
    #[arg(long, value_name = "X", default_value = "auto")]
    pub threshold: String,

    /// interpreter, native or compiled.
    #[arg(long, value_name = "NAME", value_parser = kernel, default_value = "auto")]
    pub kernel: KernelKind,
}

const HELP: &str = "\
Loops are closed at every step. Channels: coordinates, speeds, states, inputs,
outputs, accelerations, energies, line_forces, sensors; and wheels, drives,
multipliers, violations, conditioning, or all. Or by name, with all that begins
with it: tyre.force, tyre.force.normal. --plot takes the same names.

Constraints: partition closes them exactly (the default); projection, baumgarte
(=RATE, =ALPHA,BETA or =model) and unstabilised integrate all coordinates;
index3 has multipliers as unknowns, for generalised-alpha, hht and newmark with
--dt; these take partition, too, then without multipliers. Threshold: auto,
never, or a number from 1.

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
    let others = aliases::listed(aliases::of(Names::Method), 78).replace('\n', "\n  ");
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
pub fn simulate(requested: &Simulate, session: &Session) -> Result<(), Failure> {
    let to_stdout = requested.out.as_deref().is_some_and(is_standard_output);
    if requested.json && to_stdout {
        let message =
            "error: --json and --out - both write to standard output\n  = help: give --out a file";
        return Err(Failure::Arguments(message.to_owned()));
    }
    // Invalid arguments and unwritable files are reported before anything is computed or touched.
    let mut options = options(requested).map_err(Failure::into_argument)?;
    check(&options).map_err(|problem| failure(problem).into_argument())?;
    let format = requested.out.as_deref().map(Format::of).transpose()?;
    let place = |path: &PathBuf| Place::new(path, requested.force);
    let out = requested.out.as_ref().map(place).transpose()?;
    requested.report.as_deref().map(report::check_name).transpose()?;
    let report = requested.report.as_ref().map(place).transpose()?;
    if let Some(path) = &requested.frames {
        checked(path, &["png", "svg"])?;
        Place::new(&Picture::frame_name(path, 1), requested.force)?;
    }
    let pictured =
        [(&requested.film, &["webm", "gif"][..]), (&requested.strip, &["png", "svg"][..])];
    let pictured = pictured.map(|(path, endings)| {
        let Some(path) = path else { return Ok(None) };
        checked(path, endings)?;
        Ok(Some((path, place(path)?)))
    });
    let [film, strip] = pictured;
    let (film, strip): (Option<Pictured<'_>>, Option<Pictured<'_>>) = (film?, strip?);
    let (mut model, remarks) =
        open_counting(&requested.motion.source.model, Some(&requested.motion.source.loops))?;
    requested.motion.source.laws.supply(&mut model)?;
    let externals = model.externals().clone();
    output::doing("preparing the motion");
    let state = state(
        &requested.motion.source.model,
        requested.state.as_deref(),
        None,
        &requested.set,
        &mut model,
    )?;
    let state = requested.at.of(&model, state)?;
    output::doing("preparing the motion");
    let (tree, state) = (model.tree_at(&state).into_owned(), state.numbers());
    let plotted = plotted(requested);
    check_channels(&tree, &options.names).map_err(failure)?;
    // What is drawn or shown in motion must be computed.
    options.names.extend(plotted.iter().cloned());
    let draws = film.is_some() || strip.is_some() || requested.frames.is_some();
    if (report.is_some() || draws) && !options.groups.contains(&ChannelGroup::Coordinates) {
        options.groups.push(ChannelGroup::Coordinates);
    }
    let signals = requested.motion.inputs.signals(&model)?;
    let again = requested.verify.then(|| tree.clone());
    let (own, given) = (externals.boxed(), signals.clone());
    let simulation = Simulation::with_signals(tree, &state, &options, own, given).map_err(failure);
    let mut simulation = judge(&model, simulation)?;
    simulation.trace = requested.verify.then(Trace::default);
    let of_file = requested.state.is_none() && requested.set.is_empty();
    remarks.about_initial_values(&simulation.changes, of_file);
    if let Some(problem) = simulation.foreign(&|name| externals.knows(name)) {
        return Err(failure(problem));
    }
    let channels = &simulation.channels.list;
    check_size(requested, &options, state.t, format.map(|format| (format, channels.len())))?;
    let mut drawing = match plotted.is_empty() {
        true => None,
        false => Some(Drawing::new(&plotted, channels).map_err(failure)?),
    };
    let table = match (&requested.out, out, format) {
        (Some(path), Some(place), Some(format)) => {
            let names = &headings(channels)[..];
            let Files { max_size: limit, flush } = requested.files;
            let request = Request { path, place, format, names, text: false, limit, flush };
            Some(Table::open(session, request)?)
        }
        _ => None,
    };
    let page = match (&requested.report, report) {
        (Some(path), Some(place)) => {
            let mut pictures = Pictures::new(simulation.mechanism(), channels);
            pictures.origin.insert(0, ("command".to_owned(), report::command_line()));
            Some(Report::open(session, (path, place), pictures, &options, requested.files.flush)?)
        }
        _ => None,
    };
    let mut frames = draws.then(|| Pictures::new(simulation.mechanism(), channels));
    let mut counted = Counted { left: requested.max_samples };
    let mut rows = table.clone().map(|table| Shared(table, Table::row));
    let mut pictures = page.clone().map(|page| Shared(page, Report::row));
    let mut sinks: Vec<&mut dyn SampleSink> = vec![&mut counted];
    sinks.extend(rows.iter_mut().map(|rows| rows as &mut dyn SampleSink));
    sinks.extend(pictures.iter_mut().map(|pictures| pictures as &mut dyn SampleSink));
    sinks.extend(frames.iter_mut().map(|frames| frames as &mut dyn SampleSink));
    sinks.extend(drawing.iter_mut().map(|drawing| drawing as &mut dyn SampleSink));
    let last = Arc::new(AtomicU64::new(state.t.to_bits()));
    let reached = Arc::clone(&last);
    session.at(move || {
        format!("at t = {} s", shown(f64::from_bits(reached.load(Ordering::Relaxed)), 6))
    });
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
        Err(problem) if counted.left == requested.max_samples => {
            return judge(&model, Err(failure(problem)));
        }
        // Points that exist are kept whatever ended the run.
        Err(problem) => {
            session.ending();
            let kept = complete(session, table.as_ref()).and(complete(session, page.as_ref()));
            kept.map_err(|error| Failure::Unfinished {
                message: format!("cannot write the results: {error}"),
                code: 4,
            })?;
            let (t, what) = (f64::from_bits(last.load(Ordering::Relaxed)), failure(problem));
            let t = shown(t, 6);
            let message = format!("the motion cannot be continued beyond t = {t} s\n{what}");
            return judge(&model, Err(Failure::Unfinished { message, code: 3 }));
        }
    };
    let mut unverified = None;
    if let (Some(tree), false) = (again, matches!(summary.outcome.end, End::Stopped)) {
        let own = simulation.trace.take().unwrap_or_default();
        match verify(&tree, &state, &options, own, &externals, &signals, &mut step) {
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
    let drawn_files = match &frames {
        Some(frames) => draw(session, requested, frames, film, strip)?,
        None => Vec::new(),
    };
    // Who closed the pipe of `--out -` has read enough, as with `| head`.
    let unwritten = summary.unwritten.as_ref().map(|(_, error)| error);
    if to_stdout && unwritten.or(completed.as_ref().err()).is_some_and(nobody_reads) {
        return pictured;
    }
    let mut shown = text(&timed(&summary, &options));
    let courses = coordinate_table(&summary.coordinates, COORDINATES);
    if !courses.is_empty() {
        shown.push_str(&format!("\n{courses}"));
    }
    let drawn = drawing.map_or(String::new(), |drawing| drawing.text(&look()));
    match (to_stdout, requested.json) {
        (true, _) => output::remark(shown.trim_end()),
        (false, false) => {
            let points = requested.max_samples - counted.left;
            let mut written = written_files(requested, points, completed.is_ok(), pictured.is_ok());
            written += &wrote_pictures(requested, &drawn_files, written.is_empty());
            if !output::is_quiet() {
                output::painted(&shown, paint_summary)?;
            }
            output::raw(&drawn)?;
            if !output::is_quiet() {
                output::result(&written)?;
            }
        }
        (false, true) => {
            let files = requested.out.iter().chain(&requested.report).chain(&drawn_files);
            let files: Vec<String> = files.map(|path| path.display().to_string()).collect();
            output::data(&format!("{:#}\n", json(&summary, &options, &files)))?;
        }
    }
    // A failure is told with its exit code; a summary on standard error has all warnings.
    if (requested.out.is_some() && !to_stdout) || requested.json {
        for one in summary.verdict.warnings.iter().filter(|one| one.promise != Promise::End) {
            let (word, message, remedy) = (one.promise.word(), &one.message, &one.remedy);
            output::remark(&format!("warning: {word}: {message}; {remedy}"));
        }
    }
    pictured?;
    if let Some(failure) = unverified {
        return Err(failure);
    }
    let done = verdict(summary, completed.err(), requested, table.as_ref(), session.stop());
    judge(&model, done)
}

/// A picture that is to be written.
type Pictured<'r> = (&'r PathBuf, Place);

/// Writes snapshots, film and frames, and tells their names.
fn draw(
    session: &Session,
    requested: &Simulate,
    frames: &Pictures,
    film: Option<Pictured<'_>>,
    strip: Option<Pictured<'_>>,
) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    let look = requested.look.as_deref().unwrap_or_default();
    let picture = frames.picture().look("480x360").and_then(|picture| picture.look(look));
    let picture = picture.map_err(error)?;
    if let Some((path, place)) = strip {
        let bytes = picture.strip(path, usize::from(requested.snapshots)).map_err(error)?;
        write_bytes(session, place, &bytes)?;
        files.push(path.clone());
    }
    if let Some((path, place)) = film {
        let mut progress = Progress::shown(output::draws_progress());
        let film = picture.film(path, &mut |done, all| {
            let name = || format!("drawing {}", path.display());
            progress.update(done as f64 / all as f64, name);
            session.stop().is_none()
        });
        progress.clear();
        let film =
            film.map_err(|error| Failure::WriteFile { name: path.display().to_string(), error })?;
        write_bytes(session, place, &film)?;
        files.push(path.clone());
    }
    if let Some(path) = &requested.frames {
        let mut progress = Progress::shown(output::draws_progress());
        let mut outcome = Ok(());
        let drawn = picture.frames(path, &mut |name, bytes, share| {
            progress.update(share, || format!("drawing {}", name.display()));
            let place = Place::new(name, requested.force);
            outcome = place.and_then(|place| write_bytes(session, place, bytes));
            files.push(name.to_owned());
            outcome.is_ok() && session.stop().is_none()
        });
        progress.clear();
        drawn.map_err(error).and(outcome)?;
    }
    Ok(files)
}

/// Lines about pictures; of frames, the first and the last.
fn wrote_pictures(requested: &Simulate, files: &[PathBuf], first: bool) -> String {
    let single = [&requested.strip, &requested.film].into_iter().flatten().count();
    let (single, frames) = files.split_at(single.min(files.len()));
    let mut text: String = single.iter().map(|path| wrote(path, None)).collect();
    match frames {
        [] => {}
        [only] => text += &wrote(only, None),
        [begin, .., end] => {
            let (begin, count) = (begin.display(), frames.len());
            text += &format!("wrote {begin} to {}  {count} frames\n", end.display());
        }
    }
    if first && !text.is_empty() { format!("\n{text}") } else { text }
}

/// The files that were written, with their sizes.
fn written_files(requested: &Simulate, points: u64, table: bool, page: bool) -> String {
    let rows = format!("{} rows", count(points));
    let files = [
        requested.out.as_ref().filter(|_| table).map(|path| (path, Some(rows))),
        requested.report.as_ref().filter(|_| page).map(|path| (path, None)),
    ];
    let lines = files.into_iter().flatten().map(|(path, rows)| wrote(path, rows.as_deref()));
    let text: String = lines.collect();
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// Refuses more points, or a larger file, than the limits allow, as far as that is known
/// beforehand.
fn check_size(
    requested: &Simulate,
    options: &SimulationOptions,
    start: f64,
    file: Option<(Format, usize)>,
) -> Result<(), Failure> {
    let Samples::Every(every) = options.samples else { return Ok(()) };
    let points = ((options.to - start) / every).max(0.0);
    let refuse =
        |message: String, help: &str| Err(failure(Problem::new(message, help)).into_argument());
    if points > requested.max_samples as f64 {
        return refuse(
            format!(
                "a point every {} s up to {} s makes {} points, and --max-samples is {}",
                written(every),
                written(options.to),
                written(points.round()),
                requested.max_samples
            ),
            "keep fewer with --every, or raise --max-samples",
        );
    }
    if let Some((format, columns)) = file {
        let bytes = points * columns as f64 * format.least_bytes();
        if bytes > requested.files.max_size as f64 {
            return refuse(
                format!(
                    "{} points of {columns} channels make a file of {} at least, and --max-size is {}",
                    written(points.round()),
                    table::bytes(bytes as u64),
                    table::bytes(requested.files.max_size)
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

fn options(requested: &Simulate) -> Result<SimulationOptions, Failure> {
    let accuracy = match requested.motion.dt {
        Some(step) => Accuracy::Fixed(step),
        None => {
            Accuracy::Within { relative: requested.motion.rtol, absolute: requested.motion.atol }
        }
    };
    let samples = match requested.every.as_deref() {
        None => Samples::Every(requested.motion.to / POINTS),
        Some("step") => Samples::Steps,
        Some(text) => match text.parse() {
            Ok(every) => Samples::Every(every),
            Err(_) => {
                let message = format!("error: --every {text}: expected seconds, or `step`");
                return Err(Failure::Text(message));
            }
        },
    };
    let threshold = match requested.threshold.as_str() {
        "auto" => Threshold::AUTOMATIC,
        "never" => Threshold::Never,
        text => match text.parse() {
            Ok(number) if number >= 1.0 => Threshold::At(number),
            _ => {
                let message = format!(
                    "error: --threshold {text}: expected one of auto, never, or a number from 1"
                );
                return Err(Failure::Text(message));
            }
        },
    };
    let constraints = requested.constraints.as_deref().map(form).transpose()?;
    let method = match (requested.method.as_str(), accuracy) {
        ("auto", _) if constraints == Some(ConstraintForm::Index3) => "generalised-alpha",
        ("auto", Accuracy::Fixed(_)) => "rk4",
        ("auto", Accuracy::Within { .. }) => "dop853",
        (named, _) => named,
    };
    let (groups, names) = parse_channels(&requested.channels);
    Ok(SimulationOptions {
        to: requested.motion.to,
        method: method.to_owned(),
        constraints,
        accuracy,
        max_step: requested.max_step,
        max_steps: requested.max_steps,
        samples,
        threshold,
        groups,
        names,
        kernel: requested.kernel,
        balance: if requested.balance { Balance::Requested } else { Balance::Light },
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
fn plotted(requested: &Simulate) -> Vec<String> {
    let list = requested.plot.as_deref().unwrap_or_default();
    names(list).map(str::to_owned).collect()
}

/// The result of the command: a failure unless all went well.
fn verdict(
    summary: RunSummary,
    unfinished: Option<io::Error>,
    requested: &Simulate,
    table: Option<&Arc<Mutex<Table>>>,
    stop: Option<Stop>,
) -> Result<(), Failure> {
    let t = format!("{} s", shown(summary.outcome.t, 6));
    let unfinished_run = |message: String, code: u8| Err(Failure::Unfinished { message, code });
    let kept = if requested.out.is_some() { "; results up to there are kept" } else { "" };
    match summary.unwritten {
        // The first sink counts.
        Some((0, _)) => {
            let message = format!(
                "there are {} points at t = {t}, the limit of --max-samples{kept}\n  = help: keep fewer with --every H, \
                 or raise the limit",
                requested.max_samples
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
        (_, Some(stop)) if requested.verify => {
            unfinished_run(format!("{} while the run was verified", stop.word()), stop.code())
        }
        _ if requested.strict && !summary.verdict.warnings.is_empty() => {
            Err(Failure::Strict { warnings: summary.verdict.warnings.len() })
        }
        _ => Ok(()),
    }
}
