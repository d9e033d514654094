//! Singular positions as pages: the mechanism along its motion or in each pose, and curves of poses
//! over two drives.

use super::page::curves;
use super::singular::{SingularTable, kinds};
use super::singular_text::sentence;
use super::text::direction;
use crate::simulate::{archive, poses, scene, terrain};
use crate::study_page::{dots, line};
use rotule_analysis::equations::is_length;
use rotule_analysis::quantity::{coordinate_name, single_coordinate};
use rotule_analysis::singular::SingularPose;
use rotule_report::{Badge, Page, Plot, PlotAxis, Scene, Section, TimeMark};
use rotule_symbolic::elementary::sincos;
use rotule_symbolic::figures::shown;
use std::f64::consts::TAU;

/// Curves of one plot at most, and plots of coordinates.
const CURVES: usize = 12;
/// Seconds for which each pose is shown, frames of a second, and swings in that time.
const SHOWN: f64 = 3.0;
const FRAMES: f64 = 20.0;
const SWINGS: f64 = 2.0;
/// Poses that are shown in motion.
const POSES: usize = 30;
/// The largest displacement along a motion: radians, and parts of the size of the model.
const AMPLITUDE: f64 = 0.08;

/// The poses, and the mechanism in motion.
pub(super) fn singular(found: &SingularTable) -> Page {
    let mut summary = table(found);
    summary.extend(archive(&found.tree.mechanism, &[]));
    let count = found.poses().len();
    let badge = Badge {
        good: count == 0,
        text: match count {
            0 => "no singular position".to_owned(),
            1 => "1 singular position".to_owned(),
            count => format!("{count} singular positions"),
        },
    };
    let page = Page {
        title: found.model.clone(),
        about: found.about.clone(),
        badge: Some(badge),
        summary,
        ..Page::default()
    };
    match found.found.searched {
        1 => along(found, page),
        _ => in_turn(found, page),
    }
}

/// A section for each pose.
fn table(found: &SingularTable) -> Vec<Section> {
    let mut sections = Vec::new();
    for (at, pose) in found.poses().iter().enumerate() {
        let mut section = Section::new(format!("{}: {}", at + 1, kinds(pose)))
            .row("there", sentence(found, pose))
            .row("coordinates", found.coordinates(pose).join(", "));
        if pose.dimension > 0 {
            section = section.row("one of", SingularTable::family(pose));
        }
        for motion in &pose.motions {
            section = section.row("motion", direction(motion));
        }
        if !pose.stuck.is_empty() {
            section = section.row("no motion", direction(&pose.stuck));
        }
        if !pose.stress.is_empty() {
            section = section.row("stress", direction(&pose.stress));
        }
        if let Some(approach) = &pose.approach {
            section = section.row("forces", format!("as distance^{}", shown(approach.power, 3)));
            for near in &approach.near {
                let effort = format!("{} of the load", shown(approach.force(near), 4));
                section = section.row(format!("at {}", shown(near.distance, 3)), effort);
            }
        }
        let check = format!("{}, {}", shown(pose.residual, 2), shown(pose.smallest, 2));
        sections.push(section.row("residual, singular value", check));
    }
    if sections.is_empty() {
        sections.push(Section::new("Singular positions").row("found", "none"));
    }
    sections
}

/// The mechanism along its curves of motion, one after the other: the axis is the distance along
/// them.
fn along(found: &SingularTable, mut page: Page) -> Page {
    let mechanism = &found.tree.mechanism;
    let (shape, drawn) = scene(mechanism);
    let (mut times, mut frames, mut begins) = (Vec::new(), Vec::new(), Vec::new());
    let mut states: Vec<&[f64]> = Vec::new();
    let mut sizes: Vec<&[f64]> = Vec::new();
    let mut begin = 0.0;
    let mut gaps = Vec::new();
    for (number, (curve, course)) in found.found.curves.iter().zip(&found.found.course).enumerate()
    {
        let Some(first) = curve.points.first() else { continue };
        begins.push(begin - first.along);
        for (point, course) in curve.points.iter().zip(course) {
            times.push(begin + point.along - first.along);
            frames.extend(poses(mechanism, &drawn, &point.q));
            states.push(&point.q);
            sizes.push(course);
        }
        if number > 0 {
            page.marks.push(TimeMark { time: begin, text: format!("curve {}", number + 1) });
        }
        // Curves are told apart by a gap.
        gaps.push(times.len());
        begin = times.last().copied().unwrap_or(begin) + 0.5;
    }
    for (at, pose) in found.poses().iter().enumerate() {
        if let Some((curve, along)) = pose.along
            && let Some(begin) = begins.get(curve)
        {
            page.marks.push(TimeMark {
                time: begin + along,
                text: format!("{}: {}", at + 1, kinds(pose)),
            });
        }
    }
    page.marks.sort_by(|a, b| a.time.total_cmp(&b.time));
    let drawn_line = |name: &str, value: &dyn Fn(usize) -> f64| {
        let mut points = Vec::new();
        for (at, time) in times.iter().enumerate() {
            if gaps.contains(&at) {
                points.push((time - 0.25, f64::NAN));
            }
            points.push((*time, value(at)));
        }
        line(name, points)
    };
    let examined = found.examined().iter().enumerate().map(|(at, one)| {
        let words: Vec<&str> = one.kinds.iter().map(|kind| kind.word()).collect();
        drawn_line(&words.join(", "), &|point| sizes[point][at])
    });
    page.plots.push(Plot {
        title: "Smallest singular values over the distance along the motion".to_owned(),
        unit: "1".to_owned(),
        curves: examined.collect(),
    });
    for (length, unit, title) in [(false, "rad", "Angles"), (true, "m", "Lengths")] {
        let mut curves = Vec::new();
        for speed in 0..mechanism.speeds.len() {
            let Some(place) = single_coordinate(mechanism, speed) else { continue };
            if is_length(mechanism, speed) != length || curves.len() == CURVES {
                continue;
            }
            let name = coordinate_name(mechanism, speed);
            curves.push(drawn_line(&name, &|point| states[point][place]));
        }
        if !curves.is_empty() {
            page.plots.push(Plot { title: title.to_owned(), unit: unit.to_owned(), curves });
        }
    }
    // A page plays time alone: the distance is played as seconds.
    if !drawn.is_empty() && !frames.is_empty() {
        let mut whole = shape;
        whole.fixed.extend(terrain(mechanism, &drawn, &frames));
        whole.arrows.clear();
        page.scene = Some(Scene { times, poses: frames, ..whole });
    }
    page
}

/// The mechanism in each pose in turn, swinging along the motion that is possible there.
fn in_turn(found: &SingularTable, mut page: Page) -> Page {
    let mechanism = &found.tree.mechanism;
    let (shape, drawn) = scene(mechanism);
    let (mut times, mut frames) = (Vec::new(), Vec::new());
    let steps = (SHOWN * FRAMES) as usize;
    for (at, pose) in found.poses().iter().take(POSES).enumerate() {
        let begin = SHOWN * at as f64;
        page.marks.push(TimeMark { time: begin, text: format!("{}: {}", at + 1, kinds(pose)) });
        let displacement = displacement(found, pose);
        for step in 0..steps {
            let part = step as f64 / steps as f64;
            let (sine, _) = sincos(TAU * SWINGS * part);
            let moved: Vec<f64> = displacement.iter().map(|x| x * AMPLITUDE * sine).collect();
            let q = rotule_numeric::moved(&found.tree, &pose.state.q, &moved);
            times.push(begin + SHOWN * part);
            frames.extend(poses(mechanism, &drawn, &q));
        }
    }
    if !drawn.is_empty() && !frames.is_empty() {
        let mut whole = shape;
        whole.fixed.extend(terrain(mechanism, &drawn, &frames));
        whole.arrows.clear();
        page.scene = Some(Scene { times, poses: frames, ..whole });
    }
    page
}

/// The first motion of a pose over all speeds, its largest part one radian or one size.
fn displacement(found: &SingularTable, pose: &SingularPose) -> Vec<f64> {
    let mechanism = &found.tree.mechanism;
    let mut all = vec![0.0; mechanism.speeds.len()];
    let Some(motion) = pose.motions.first() else { return all };
    let mut most = 0.0_f64;
    for (speed, all) in all.iter_mut().enumerate() {
        let name = coordinate_name(mechanism, speed);
        *all = motion.iter().find(|one| one.0 == name).map_or(0.0, |one| one.1);
        let unit = if is_length(mechanism, speed) { found.found.size } else { 1.0 };
        most = most.max(all.abs() / unit);
    }
    if most > 0.0 {
        all.iter_mut().for_each(|x| *x /= most);
    }
    all
}

/// Curves of singular poses over two coordinates.
pub(super) fn map(found: &SingularTable) -> Option<Page> {
    let mechanism = &found.tree.mechanism;
    let names = &found.found.drives.names;
    let place = |name: &String| {
        let mut speeds = 0..mechanism.speeds.len();
        let speed = speeds.find(|&at| coordinate_name(mechanism, at) == *name)?;
        Some((name.clone(), speed, single_coordinate(mechanism, speed)?))
    };
    let places: Vec<_> = names.iter().filter_map(place).collect();
    let [(first, speed, x), (second, other, y), ..] = &places[..] else { return None };
    let (speed, x, other, y) = (*speed, *x, *other, *y);
    if found.found.loci.is_empty() {
        return None;
    }
    let mut all = Vec::new();
    for (number, curve) in &found.found.loci {
        let ring = curve.points.iter().chain(curve.points.first().filter(|_| curve.closed));
        let points = ring.map(|point| {
            let wrapped = |speed: usize, place: usize| match is_length(mechanism, speed) {
                true => point.q[place],
                false => within(point.q[place]),
            };
            (wrapped(speed, x), wrapped(other, y))
        });
        // Curves whose names differ in brackets alone share an axis.
        let word = found.poses()[*number].kinds[0].word();
        let name = format!("{second} ({} {word})", number + 1);
        for stroke in strokes(&points.collect::<Vec<_>>()) {
            match stroke[..] {
                [_] => all.push(dots(&name, &stroke)),
                _ => all.extend(curves(&name, &stroke)),
            }
        }
    }
    let unit = |speed: usize| if is_length(mechanism, speed) { "m" } else { "rad" }.to_owned();
    let plots = vec![Plot {
        title: format!("Singular poses: {second} over {first}"),
        unit: unit(other),
        curves: all,
    }];
    let mut summary = table(found);
    summary.extend(archive(mechanism, &[]));
    Some(Page {
        title: found.model.clone(),
        about: found.about.clone(),
        summary,
        axis: PlotAxis { name: first.clone(), unit: unit(speed) },
        plots,
        ..Page::default()
    })
}

/// An angle within half a turn of zero.
fn within(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}

/// Parts of a polyline between jumps; what stays in one place is one point.
fn strokes(points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    let mut strokes: Vec<Vec<(f64, f64)>> = Vec::new();
    for &(x, y) in points {
        match strokes.last_mut() {
            Some(stroke) => {
                let (before_x, before_y) = stroke[stroke.len() - 1];
                let gap = (x - before_x).abs().max((y - before_y).abs());
                match gap {
                    _ if gap > 3.0 => strokes.push(vec![(x, y)]),
                    _ if gap > 1e-7 => stroke.push((x, y)),
                    _ => {}
                }
            }
            None => strokes.push(vec![(x, y)]),
        }
    }
    strokes
}
