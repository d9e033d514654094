//! The summary of a run, in rows of names and values: for the terminal and for the report.

use rotule_report::Section;
use rotule_simulate::event::Record;
use rotule_simulate::method::Accuracy;
use rotule_simulate::run::{End, Outcome, PartitionSwitch};
use rotule_simulate::simulation::{Course, RunSummary, SimulationOptions, Verdict, Verification};
use rotule_symbolic::figures::{self, count, duration, plain, shown};
use serde_json::{Value, json};

/// Of what happens at single times, so many are listed.
const LISTED: usize = 10;

/// A run is called stiff if stability held more than so many of its steps, and more than one in so
/// many. Fewer cost nothing.
const STIFF: [u64; 2] = [1000, 10];

/// Sections of rows.
pub fn sections(summary: &RunSummary, options: &SimulationOptions) -> Vec<Section> {
    let outcome = &summary.outcome;
    let work = &outcome.work;
    let method = match options.accuracy {
        Accuracy::Fixed(step) => format!("{}, steps of {} s", options.method, shown(step, 6)),
        Accuracy::Within { relative, absolute } => {
            format!("{}, tolerances {relative:e} and {absolute:e}", options.method)
        }
    };
    let time = format!("{} of {} s, {}", shown(outcome.t, 6), shown(options.to, 6), outcome.end);
    let mut run = Section::new("Run").row("time", time).row("method", method);
    if let Some(form) = options.constraints {
        run = run.row("constraints", form.word());
    }
    run = run.row("steps", format!("{}, and {} rejected", count(work.steps), count(work.rejected)));
    let [least, part] = STIFF;
    if work.stiff > least && work.stiff * part > work.steps {
        let text = format!("stability held {} steps: try --method radau", count(work.stiff));
        run = run.row("stiff", text);
    }
    run = run.row("evaluations", count(outcome.effort.evaluations));
    if outcome.law_switches > 0 {
        run = run.row("law switches", count(outcome.law_switches));
    }
    if work.jacobians > 0 {
        let text = format!("{}, {} factored", count(work.jacobians), count(work.factorisations));
        run = run.row("Jacobians", text);
    }
    run = run.row("points kept", count(outcome.samples));
    run = run.row("kernel", summary.kernel.clone());
    let mut sections = vec![run];
    let mut quality = Section::new("Quality");
    if let Some(energy) = summary.energy {
        quality = quality.row("energy drift", format!("{} of the largest energy", rounded(energy)));
    }
    if let Some(lost) = lost(outcome) {
        quality = quality.row("energy lost in events", format!("{} J", shown(lost, 6)));
    }
    if outcome.constrained {
        let drift = outcome.drift;
        let text = format!("{}, velocities {}", rounded(drift.position), rounded(drift.velocity));
        quality = quality.row("constraints open by", text);
        let effort = &outcome.effort;
        let mean = effort.iterations as f64 / effort.evaluations.max(1) as f64;
        let text = format!("{mean:.2} each time, {} at most", effort.most);
        if effort.most > 0 {
            quality = quality.row("closing iterations", text);
        }
        // Where all coordinates are the state, nothing depends on a choice.
        if outcome.worst > 0.0 {
            quality = quality.row("conditioning", format!("{} at worst", shown(outcome.worst, 3)));
            quality = quality.row("changes of coordinates", count(outcome.switches.len() as u64));
        }
        if let Some((value, t)) = outcome.smallest.filter(|(value, _)| value.is_finite()) {
            let text = format!("{} at t = {} s", shown(value, 3), shown(t, 6));
            quality = quality.row("smallest singular value of J_v", text);
        }
    }
    if let Some(found) = &summary.verification {
        quality = quality.row("verified", found.text()).row("", format!("against {}", found.other));
    }
    if !quality.rows.is_empty() {
        sections.push(quality);
    }
    sections.push(judged(&summary.verdict));
    let sequence = |one: &(f64, String)| (one.0, one.1.clone());
    let switch = |one: &PartitionSwitch| (one.t, said(one));
    let event = |one: &Record| {
        let colon = if one.message.is_empty() || one.done.is_empty() { "" } else { ": " };
        (one.t, format!("{}: {}{colon}{}", one.name, one.done, one.message))
    };
    let loss = |one: &(f64, f64)| (one.0, format!("{} J lost", shown(one.1, 6)));
    let count = "Euler-angle sequences switched near gimbal lock";
    let choice = "Changes of independent coordinates";
    sections.extend(listed(count, &outcome.sequence_switches, sequence));
    sections.extend(listed(choice, &outcome.switches, switch));
    sections.extend(listed("Events", &outcome.events, event));
    sections.extend(listed("Energy lost in events", &outcome.losses, loss));
    sections
}

/// The sections with one row more, which tells wall-clock times where there is a clock: all else is
/// the same in every run.
pub fn timed(summary: &RunSummary, options: &SimulationOptions) -> Vec<Section> {
    let mut sections = sections(summary, options);
    if let (Some(seconds), Some(prepared)) = (summary.seconds, summary.prepared) {
        let factor = shown(summary.outcome.t / seconds.max(1e-9), 3);
        let (seconds, prepared) = (duration(seconds), duration(prepared));
        let text =
            format!("{seconds}, {factor} times faster than real time, after {prepared} to prepare");
        sections[0].rows.push(("computing".to_owned(), text));
    }
    sections
}

/// A table of the coordinates with their starts, ends, least and largest values: at most `most`
/// rows, and a line that says how many more there are.
pub fn coordinate_table(coordinates: &[Course], most: usize) -> String {
    if coordinates.is_empty() {
        return String::new();
    }
    let heading = ["coordinate", "start", "end", "least", "largest"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    for one in coordinates.iter().take(most) {
        let unit = if one.unit.is_empty() { String::new() } else { format!(" [{}]", one.unit) };
        let mut row = vec![format!("{}{unit}", one.name)];
        row.extend([one.start, one.end, one.least, one.largest].map(|value| plain(value, 6)));
        rows.push(row);
    }
    let mut text = figures::table(&rows);
    if coordinates.len() > most {
        let left = coordinates.len() - most;
        text.push_str(&format!("and {left} more: --json lists all\n"));
    }
    text
}

/// The energy that all events together took out of the motion; none if none did.
fn lost(outcome: &Outcome) -> Option<f64> {
    (!outcome.losses.is_empty()).then(|| outcome.losses.iter().map(|one| one.1).sum())
}

/// A small number in two digits; zero is `0`.
fn rounded(number: f64) -> String {
    if number == 0.0 { "0".to_owned() } else { format!("{number:.1e}") }
}

/// The verdict: its warnings, each with its remedy below.
fn judged(verdict: &Verdict) -> Section {
    let section = Section::new("Verdict");
    let text = match verdict.warnings.len() {
        0 => return section.row("verdict", "kept its promise"),
        1 => "1 warning".to_owned(),
        many => format!("{} warnings", count(many as u64)),
    };
    verdict.warnings.iter().fold(section.row("verdict", text), |section, warning| {
        section.row(warning.promise.word(), &warning.message).row("", &warning.remedy)
    })
}

/// The summary as JSON; `files` are those that were written.
pub fn json(summary: &RunSummary, options: &SimulationOptions, files: &[String]) -> Value {
    let outcome = &summary.outcome;
    let end = match &outcome.end {
        End::Reached => "reached",
        End::Event(_) => "event",
        End::Stopped => "stopped",
        End::Failed(_) => "failed",
    };
    // JSON has no infinity: what is not finite is null.
    let switch = |one: &PartitionSwitch| {
        json!({
            "t": one.t,
            "from": one.from,
            "to": one.to,
            "before": one.before.amplification,
            "after": one.after.amplification,
        })
    };
    let (constrained, work) = (outcome.constrained, &outcome.work);
    let drift = json!({ "position": outcome.drift.position, "velocity": outcome.drift.velocity });
    let smallest = outcome.smallest.map(|(value, t)| json!({ "value": value, "t": t }));
    json!({
        "end": end,
        "t": outcome.t,
        "to": options.to,
        "method": options.method,
        "steps": outcome.work.steps,
        "rejected": outcome.work.rejected,
        "evaluations": outcome.effort.evaluations,
        "law_switches": outcome.law_switches,
        "samples": outcome.samples,
        "energy_drift": summary.energy,
        "energy_lost": lost(outcome),
        "stiff_steps": work.stiff,
        "drift": constrained.then_some(drift),
        "conditioning": (outcome.worst > 0.0).then_some(outcome.worst),
        "smallest": smallest,
        "switches": outcome.switches.iter().map(switch).collect::<Vec<_>>(),
        "passed": outcome.passed,
        "left": outcome.left.iter().map(|one| {
            json!({ "name": one.name, "t": one.t, "by": one.by })
        }).collect::<Vec<_>>(),
        "verification": summary.verification.as_ref().map(Verification::json),
        "verdict": summary.verdict.json(),
        "coordinates": summary.coordinates.iter().map(|one| {
            json!({
                "name": one.name,
                "unit": one.unit,
                "start": one.start,
                "end": one.end,
                "least": one.least,
                "largest": one.largest,
            })
        }).collect::<Vec<_>>(),
        "files": files,
    })
}

/// A section about single instants, as far as a list is read; none if there are none.
fn listed<T>(title: &str, all: &[T], row: impl Fn(&T) -> (f64, String)) -> Option<Section> {
    let mut section = Section::new(title);
    for (t, text) in all.iter().take(LISTED).map(row) {
        section = section.row(format!("t = {} s", shown(t, 6)), text);
    }
    if all.len() > LISTED {
        section = section.row("", format!("and {} more", all.len() - LISTED));
    }
    (!all.is_empty()).then_some(section)
}

/// A change in words.
fn said(switch: &PartitionSwitch) -> String {
    let (before, after) = (switch.before.amplification, switch.after.amplification);
    let why = if switch.failure.is_some() { ", after a failed step" } else { "" };
    let names = |names: &[String]| match names {
        [] => "all coordinates".to_owned(),
        names => names.join(" "),
    };
    format!(
        "{} instead of {}, conditioning {} to {}{why}",
        names(&switch.to),
        names(&switch.from),
        shown(before, 3),
        shown(after, 3)
    )
}

/// The sections as lines of text.
pub fn text(sections: &[Section]) -> String {
    let rows = || sections.iter().flat_map(|section| &section.rows);
    let width = rows().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (at, section) in sections.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        for (name, value) in &section.rows {
            text.push_str(format!("{name:<width$}  {value}").trim_end());
            text.push('\n');
        }
    }
    text
}
