//! `rotule simulate`: runs a model, writes results while it runs, and says how it went.

use super::arguments::Simulate;
use super::failure::Failure;
use super::functions::{failure, initial, tree};
use super::output::{self, Progress};
use rotule::motion::method::Accuracy;
use rotule::motion::run::{End, Samples, Threshold};
use rotule::program::NoExternals;
use rotule::simulate::{Csv, Group, Simulation, Sink, Summary, Wish, partition};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Points that are kept if nothing is said.
const POINTS: f64 = 1000.0;

/// `rotule simulate`
pub fn simulate(wanted: &Simulate) -> Result<(), Failure> {
    let begun = Instant::now();
    let mut tree = tree(&wanted.model)?;
    let state = initial(&wanted.model, wanted.state.as_deref(), &wanted.set, &mut tree)?;
    if let Some(list) = &wanted.partition {
        partition(&mut tree, list).map_err(failure)?;
    }
    let wish = wish(wanted)?;
    let mut simulation =
        Simulation::new(tree, &state, &wish, Box::new(NoExternals)).map_err(failure)?;
    let prepared = begun.elapsed().as_secs_f64();
    let mut table = match &wanted.out {
        None => None,
        Some(path) => {
            let out = target(path, wanted.force)?;
            let name = path.display().to_string();
            let started = Csv::new(out, &simulation.channels.list);
            Some(started.map_err(|error| Failure::WriteFile { name, error })?)
        }
    };
    let mut sinks: Vec<&mut dyn Sink> = Vec::new();
    sinks.extend(table.iter_mut().map(|table| table as &mut dyn Sink));
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    // Without a handler, Ctrl-C ends the program at once; that is no reason not to run.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    let started = Instant::now();
    let mut progress = Progress::new();
    let mut steps = 0_u64;
    let mut step = |t: f64| {
        steps += 1;
        if steps % 256 == 0 {
            progress.say(&share(t / wish.to, started));
        }
        match interrupted.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let summary = simulation.run(&mut sinks, &mut step);
    progress.clear();
    let summary = summary.map_err(failure)?;
    let seconds = started.elapsed().as_secs_f64();
    let finished = table.map(Csv::finish).transpose();
    let text = text(&summary, &wish, prepared, seconds);
    match wanted.out.as_deref().is_some_and(|path| path.as_os_str() == "-") {
        true => output::message(text.trim_end()),
        false => output::result(&text)?,
    }
    verdict(summary, finished.err(), wanted, interrupted.load(Ordering::Relaxed))
}

fn wish(wanted: &Simulate) -> Result<Wish, Failure> {
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
    let method = match (wanted.method.as_str(), accuracy) {
        ("auto", Accuracy::Fixed(_)) => "rk4",
        ("auto", Accuracy::Within { .. }) => "dop853",
        (named, _) => named,
    };
    Ok(Wish {
        to: wanted.to,
        method: method.to_owned(),
        accuracy,
        samples,
        threshold,
        groups: groups(&wanted.channels)?,
    })
}

fn groups(list: &str) -> Result<Vec<Group>, Failure> {
    let mut found = Vec::new();
    for word in list.split(',').map(str::trim) {
        match (word, Group::ALL.iter().find(|(_, name)| *name == word)) {
            ("all", _) => found.extend(Group::ALL.iter().map(|(group, _)| *group)),
            (_, Some((group, _))) => found.push(*group),
            _ => {
                let names: Vec<&str> = Group::ALL.iter().map(|(_, name)| *name).collect();
                return Err(Failure::Text(format!(
                    "error: there are no channels `{word}`\n  = help: there are {}, and all",
                    names.join(", ")
                )));
            }
        }
    }
    Ok(found)
}

/// Where results go.
fn target(path: &Path, force: bool) -> Result<BufWriter<Box<dyn Write>>, Failure> {
    if path.as_os_str() == "-" {
        return Ok(BufWriter::new(Box::new(io::stdout())));
    }
    let name = path.display().to_string();
    let mut options = OpenOptions::new();
    options.write(true);
    match force {
        true => options.create(true).truncate(true),
        false => options.create_new(true),
    };
    let file: File = options.open(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::Exists { name: name.clone() },
        _ => Failure::WriteFile { name: name.clone(), error },
    })?;
    Ok(BufWriter::new(Box::new(file)))
}

/// How far a run is, and how long it will take.
fn share(part: f64, started: Instant) -> String {
    let passed = started.elapsed().as_secs_f64();
    let left = passed * (1.0 - part) / part.max(1e-9);
    format!("simulating {:3.0} %, {left:.0} s left", 100.0 * part)
}

/// What is to be said of a run.
fn text(summary: &Summary, wish: &Wish, prepared: f64, seconds: f64) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        text.push_str(&format!("{name:<22} {value}\n"));
    };
    let outcome = &summary.outcome;
    let word = match &outcome.end {
        End::Reached => "reached",
        End::Stopped => "stopped",
        End::Event(_) => "event",
        End::Failed(_) => "failed",
    };
    line("time", format!("{} of {} s, {word}", outcome.t, wish.to));
    let work = &outcome.work;
    line("steps", format!("{}, {} more rejected", work.steps, work.rejected));
    let effort = &outcome.effort;
    line("evaluations", effort.evaluations.to_string());
    if outcome.worst > 0.0 {
        let mean = effort.iterations as f64 / effort.evaluations.max(1) as f64;
        line("closing iterations", format!("{mean:.2} on average, {} at most", effort.most));
        line(
            "constraints",
            format!(
                "{:.1e} at most, {:.1e} of velocities",
                outcome.drift.position, outcome.drift.velocity
            ),
        );
        line("conditioning", format!("{:.1} at worst", outcome.worst));
        line("switches", outcome.switches.len().to_string());
        for switch in outcome.switches.iter().take(10) {
            line(
                "",
                format!(
                    "t = {:.6}: {} for {}, conditioning {:.1} to {:.1}",
                    switch.t,
                    switch.to.join(" "),
                    switch.from.join(" "),
                    switch.before.amplification,
                    switch.after.amplification
                ),
            );
        }
    }
    if let Some(energy) = summary.energy {
        line("energy drift", format!("{energy:.1e} of the largest energy"));
    }
    if !outcome.events.is_empty() {
        line("events", outcome.events.len().to_string());
        for event in outcome.events.iter().take(10) {
            let message = if event.message.is_empty() { "" } else { ": " };
            let what = format!("{}{message}{}", event.done, event.message);
            line("", format!("t = {:.6}: {}: {what}", event.t, event.name));
        }
    }
    line("samples", outcome.samples.to_string());
    line(
        "computing",
        format!(
            "{seconds:.3} s, after {prepared:.3} s to prepare; {:.1} times real time",
            outcome.t / seconds.max(1e-9)
        ),
    );
    text
}

/// Whether all went well.
fn verdict(
    summary: Summary,
    unfinished: Option<io::Error>,
    wanted: &Simulate,
    interrupted: bool,
) -> Result<(), Failure> {
    let t = summary.outcome.t;
    let unwritten = summary.unwritten.map(|(_, error)| error).or(unfinished);
    if let (Some(error), Some(path)) = (unwritten, &wanted.out) {
        let name = path.display().to_string();
        return Err(Failure::Unfinished {
            message: format!("cannot write {name} beyond t = {t}: {error}"),
            code: 4,
        });
    }
    let kept = if wanted.out.is_some() { "; results up to there are kept" } else { "" };
    match summary.outcome.end {
        End::Failed(failure) => Err(Failure::Unfinished {
            message: format!("the motion cannot be continued beyond t = {t}: {failure}{kept}"),
            code: 3,
        }),
        End::Stopped if interrupted => {
            Err(Failure::Unfinished { message: format!("interrupted at t = {t}{kept}"), code: 130 })
        }
        _ => Ok(()),
    }
}
