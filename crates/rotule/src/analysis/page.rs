//! Operating points as pages: equilibria over a quantity, modes in motion, eigenvalues.

use super::branches::EquilibriumBranches;
use super::modes::{ModeTable, RootLocus};
use super::text::direction;
use crate::simulate::{archive, poses, scene, terrain};
use crate::study_page::line;
use rotule_analysis::continuation::{BranchPoint, PointKind};
use rotule_analysis::equations::is_length;
use rotule_analysis::modes::Mode;
use rotule_analysis::quantity::Quantity;
use rotule_analysis::tracking::Track;
use rotule_model::mechanism::Mechanism;
use rotule_report::{Badge, BodyPose, Curve, Page, Plot, PlotAxis, Scene, Section, TimeMark};
use rotule_symbolic::elementary::{exp, sincos};
use rotule_symbolic::figures::shown;
use std::f64::consts::TAU;

/// Curves of one plot at most.
const CURVES: usize = 12;
/// Plots of coordinates.
const PLOTS: usize = 8;

/// Parts of a polyline along which its abscissa does not turn back, each from left to right.
fn monotone(points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    let mut runs: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut rising = true;
    for window in points.windows(2) {
        let now = window[1].0 >= window[0].0;
        match runs.last_mut() {
            Some(run) if now == rising => run.push(window[1]),
            _ => runs.push(window.to_vec()),
        }
        rising = now;
    }
    for run in &mut runs {
        if run.first().map(|one| one.0) > run.last().map(|one| one.0) {
            run.reverse();
        }
    }
    match (runs.is_empty(), points.first()) {
        (true, Some(&only)) => vec![vec![only]],
        _ => runs,
    }
}

/// Curves of one name: further runs of a curve that turns back are drawn as it goes on.
pub(super) fn curves(name: &str, points: &[(f64, f64)]) -> Vec<Curve> {
    monotone(points).into_iter().map(|run| line(name, run)).collect()
}

/// Equilibria over a quantity.
pub(super) fn branches(found: &EquilibriumBranches) -> Page {
    let mut plots = Vec::new();
    for (name, at) in found.changing().into_iter().take(PLOTS) {
        let mut all = Vec::new();
        for (number, branch) in found.branches().iter().enumerate() {
            let tag =
                if found.branches().len() > 1 { format!("{} ", number + 1) } else { String::new() };
            for (stable, run) in runs(&branch.points) {
                let word = if stable { "stable" } else { "unstable" };
                let points: Vec<(f64, f64)> =
                    run.iter().map(|point| (point.value, point.point.q[at])).collect();
                all.extend(curves(&format!("{tag}{word}"), &points));
            }
        }
        let unit = rotule_formalism::units::of_coordinates(&found.mechanism)[at];
        plots.push(Plot {
            title: format!("{name} over {}", found.quantity()),
            unit: unit.to_owned(),
            curves: all,
        });
    }
    let mut section = Section::new("Equilibria").row("quantity", found.quantity());
    let mut marks = Vec::new();
    for (number, branch) in found.branches().iter().enumerate() {
        let at = |kind: PointKind| -> Vec<String> {
            let points = branch.points.iter().filter(|point| point.kind == kind);
            points.map(|point| shown(point.value, 8)).collect()
        };
        for (kind, word) in [(PointKind::Fold, "fold"), (PointKind::Bifurcation, "crossing")] {
            for value in at(kind) {
                section = section.row(format!("branch {}, {word}", number + 1), value);
            }
        }
        section = section.row(
            format!("branch {}", number + 1),
            format!("{} points; {}", branch.points.len(), branch.end),
        );
        for point in branch.points.iter().filter(|point| point.kind != PointKind::Regular) {
            let word = if point.kind == PointKind::Fold { "fold" } else { "crossing" };
            marks.push(TimeMark {
                time: point.value,
                text: format!("branch {}: {word}", number + 1),
            });
        }
    }
    marks.sort_by(|a, b| a.time.total_cmp(&b.time));
    let mut summary = vec![section];
    summary.extend(archive(&found.mechanism, &[]));
    let unit = Quantity::parse(&found.mechanism, found.quantity());
    let unit = unit.map_or(String::new(), |one| unit_of(&found.mechanism, one));
    Page {
        title: found.model.clone(),
        about: found.about.clone(),
        summary,
        axis: PlotAxis { name: found.quantity().to_owned(), unit },
        plots,
        marks,
        ..Page::default()
    }
}

/// Runs of points that are all stable or all not; neighbours share their end.
fn runs(points: &[BranchPoint]) -> Vec<(bool, Vec<&BranchPoint>)> {
    let stable = |point: &BranchPoint| point.growing.is_none_or(|count| count == 0);
    let mut runs: Vec<(bool, Vec<&BranchPoint>)> = Vec::new();
    for point in points {
        match runs.last_mut() {
            Some((kind, run)) if *kind == stable(point) => run.push(point),
            Some((_, run)) => {
                run.push(point);
                runs.push((stable(point), vec![point]));
            }
            None => runs.push((stable(point), vec![point])),
        }
    }
    runs
}

fn unit_of(mechanism: &Mechanism, quantity: Quantity) -> String {
    use rotule_formalism::units;
    match quantity {
        Quantity::Parameter(at) => mechanism.parameters[at].unit.clone(),
        Quantity::Input(at) => mechanism.inputs[at].unit.clone(),
        Quantity::State(at) => mechanism.states[at].unit.clone(),
        Quantity::Speed(at) => units::by_speed(mechanism, units::SPEED)[at].to_owned(),
        Quantity::Effort(at) => units::by_speed(mechanism, units::EFFORT)[at].to_owned(),
        Quantity::Coordinate(_) => String::new(),
    }
}

/// Seconds for which each mode is shown, frames of a second, and periods of a mode in that time.
const SHOWN: f64 = 4.0;
const FRAMES: f64 = 30.0;
const PERIODS: f64 = 3.0;
/// Modes that are shown in motion.
const MODES: usize = 40;
/// The largest displacement: radians, and parts of the size of the model.
const AMPLITUDE: f64 = 0.15;

/// The factor of a shape at a part of the time for which it is shown: a few periods at one pace for
/// all modes, with the decay that each has in a period. What grows is shown growing.
fn turned(mode: &Mode, part: f64) -> (f64, f64) {
    let [re, im] = mode.value;
    let phase = if im > 0.0 { TAU * PERIODS * part } else { 0.0 };
    let growth = match (im > 0.0, re > 0.0) {
        (true, false) => (re / im * phase).max(-3.0),
        (true, true) => (re / im * (phase - TAU * PERIODS)).max(-3.0),
        (false, false) => -3.0 * part,
        (false, true) => -3.0 * (1.0 - part),
    };
    let size = AMPLITUDE * exp(growth);
    let (sine, cosine) = sincos(phase);
    (size * cosine, size * sine)
}

/// The mechanism in each mode in turn.
pub(super) fn modes(found: &ModeTable) -> Page {
    let mechanism = &found.tree.mechanism;
    let mut summary = vec![table(found)];
    let mut rigid = Section::new("Rigid motions");
    for (number, one) in found.rigid().iter().enumerate() {
        let drifts = if one.drifts { "drifts" } else { "stays" };
        rigid =
            rigid.row(format!("{}", number + 1), format!("{}; {drifts}", direction(&one.parts)));
    }
    if !found.rigid().is_empty() {
        summary.push(rigid);
    }
    summary.extend(archive(mechanism, &[]));
    let (mut times, mut frames, mut marks) = (Vec::new(), Vec::new(), Vec::new());
    let (shape, drawn) = scene(mechanism);
    for (at, mode) in found.modes().iter().take(MODES).enumerate() {
        let begin = SHOWN * at as f64;
        marks.push(TimeMark {
            time: begin,
            text: format!(
                "mode {}: {} Hz, damping {}",
                mode.number,
                shown(mode.frequency(), 4),
                shown(mode.damping(), 3)
            ),
        });
        let steps = (SHOWN * FRAMES) as usize;
        for step in 0..steps {
            let part = step as f64 / steps as f64;
            let (cosine, sine) = turned(mode, part);
            let shape = mode.shape.iter().map(|[x, y]| x * cosine - y * sine);
            let displacement: Vec<f64> = shape.collect();
            let q = rotule_numeric::moved(&found.tree, &found.state().q, &displacement);
            times.push(begin + SHOWN * part);
            frames.extend(poses(mechanism, &drawn, &q));
        }
    }
    let plots = displacements(found);
    let mut whole = shape;
    whole.fixed.extend(terrain(mechanism, &drawn, &frames));
    whole.arrows.clear();
    let badge = Badge {
        good: found.growing() == 0 && found.is_at_equilibrium(),
        text: match (found.is_at_equilibrium(), found.growing()) {
            (false, _) => "not at equilibrium".to_owned(),
            (true, 0) => "no mode grows".to_owned(),
            (true, count) => format!("{count} eigenvalues grow"),
        },
    };
    let has_frames = !drawn.is_empty() && !frames.is_empty();
    let frames: Vec<BodyPose> = frames;
    Page {
        title: found.model.clone(),
        about: found.about.clone(),
        badge: Some(badge),
        summary,
        plots,
        marks,
        scene: has_frames.then_some(Scene { times, poses: frames, ..whole }),
        ..Page::default()
    }
}

/// The displacements that the animation shows, of those coordinates that move most in some mode.
fn displacements(found: &ModeTable) -> Vec<Plot> {
    let mechanism = &found.tree.mechanism;
    let names = found.mode_names();
    let mut plots = Vec::new();
    for (length, unit, title) in
        [(false, "rad", "Angles in the modes"), (true, "m", "Lengths in the modes")]
    {
        let mut curves = Vec::new();
        for (speed, name) in names.iter().enumerate() {
            if is_length(mechanism, speed) != length || curves.len() == CURVES {
                continue;
            }
            let moves =
                |mode: &Mode| mode.shape[speed][0].abs() + mode.shape[speed][1].abs() > 0.05;
            if !found.modes().iter().any(moves) {
                continue;
            }
            let mut points = Vec::new();
            for (at, mode) in found.modes().iter().take(MODES).enumerate() {
                let steps = (SHOWN * FRAMES) as usize;
                for step in 0..steps {
                    let part = step as f64 / steps as f64;
                    let (cosine, sine) = turned(mode, part);
                    let [x, y] = mode.shape[speed];
                    points.push((SHOWN * (at as f64 + part), x * cosine - y * sine));
                }
            }
            curves.push(line(name, points));
        }
        if !curves.is_empty() {
            plots.push(Plot { title: title.to_owned(), unit: unit.to_owned(), curves });
        }
    }
    plots
}

/// The table of modes.
fn table(found: &ModeTable) -> Section {
    let mut section = Section::new("Modes: eigenvalue in 1/s, frequency in Hz, damping ratio");
    for mode in found.modes() {
        let [re, im] = mode.value;
        let eigenvalue = match im > 0.0 {
            true => format!("{} ± {} i", shown(re, 6), shown(im, 6)),
            false => shown(re, 6),
        };
        let parts = mode.participation.iter().take(3);
        let parts: Vec<String> =
            parts.map(|(name, part)| format!("{name} {} %", shown(100.0 * part, 2))).collect();
        section = section.row(
            format!("{}", mode.number),
            format!(
                "{eigenvalue}; {} Hz; {}; {}",
                shown(mode.frequency(), 5),
                shown(mode.damping(), 4),
                parts.join(", ")
            ),
        );
    }
    section.row("zero eigenvalues", found.zeros().to_string())
}

/// Eigenvalues over a quantity.
pub(super) fn course(found: &RootLocus) -> Page {
    type Part = fn([f64; 2]) -> f64;
    let parts: [(&str, &str, Part); 4] = [
        ("Real parts", "1/s", |value| value[0]),
        ("Imaginary parts", "rad/s", |value| value[1]),
        ("Frequencies", "Hz", |value| value[1].abs() / TAU),
        ("Damping ratios", "1", |value| {
            let size = rotule_symbolic::elementary::hypot(value[0], value[1]);
            if size > 0.0 { -value[0] / size } else { 0.0 }
        }),
    ];
    let mut plots = Vec::new();
    for (title, unit, part) in parts {
        for (group, tracks) in found.tracks().chunks(CURVES).enumerate() {
            let curve = |(at, track): (usize, &Track)| {
                let times = &found.values()[track.first..track.first + track.values.len()];
                let mut points: Vec<(f64, f64)> =
                    times.iter().zip(&track.values).map(|(x, value)| (*x, part(*value))).collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                line(&format!("mode {}", group * CURVES + at + 1), points)
            };
            let curves = tracks.iter().enumerate().map(curve).collect();
            let title = format!("{title} over {}", found.quantity());
            plots.push(Plot { title, unit: unit.to_owned(), curves });
        }
    }
    let axis = PlotAxis { name: found.quantity().to_owned(), unit: String::new() };
    let critical = found.critical().iter();
    let marks = critical.map(|one| TimeMark {
        time: one.value,
        text: format!(
            "mode {} {}",
            one.track + 1,
            if one.begins { "begins to grow" } else { "ceases to grow" }
        ),
    });
    let mut marks: Vec<TimeMark> = marks.collect();
    marks.sort_by(|a, b| a.time.total_cmp(&b.time));
    let (title, about) = (found.model.clone(), found.about.clone());
    Page { title, about, summary: sections(found), axis, plots, marks, ..Page::default() }
}

/// Eigenvalues in the complex plane.
pub(super) fn plane(found: &RootLocus) -> Page {
    let mut all = Vec::new();
    for (number, track) in found.tracks().iter().enumerate() {
        let points: Vec<(f64, f64)> =
            track.values.iter().map(|value| (value[0], value[1])).collect();
        all.extend(curves(&format!("mode {}", number + 1), &points));
    }
    let axis = PlotAxis { name: "real part".to_owned(), unit: "1/s".to_owned() };
    let title = format!("Root locus over {}: imaginary parts over real parts", found.quantity());
    let plots = vec![Plot { title, unit: "rad/s".to_owned(), curves: all }];
    let (title, about) = (found.model.clone(), found.about.clone());
    Page { title, about, summary: sections(found), axis, plots, ..Page::default() }
}

/// Critical values, and what the archive needs.
fn sections(found: &RootLocus) -> Vec<Section> {
    [critical_table(found)].into_iter().chain(found.archive.iter().cloned()).collect()
}

fn critical_table(found: &RootLocus) -> Section {
    let mut section =
        Section::new(format!("Where modes begin or cease to grow, over {}", found.quantity()));
    for one in found.critical() {
        let word = if one.begins { "begins to grow" } else { "ceases to grow" };
        let [_, im] = one.eigenvalue;
        let how = if im > 0.0 {
            format!("at {} rad/s", shown(im, 8))
        } else {
            "without oscillation".to_owned()
        };
        section = section.row(
            format!("mode {} {word}", one.track + 1),
            format!("{}, {how}", shown(one.value, 12)),
        );
    }
    section.row("points", found.values().len().to_string())
}
