//! Ranges of joints that nothing enforces: when a motion leaves them, and how far.

use crate::inputs::InputPoint;
use rotule_model::mechanism::{Action, Mechanism};
use std::collections::HashMap;

/// A joint that left its range.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaving {
    /// The name of the coordinate.
    pub name: String,
    /// When it left first.
    pub t: f64,
    /// The largest distance beyond its range.
    pub by: f64,
}

/// The watch over ranges.
pub struct Ranges {
    /// Coordinate, lower and upper end, and where it was last.
    watched: Vec<(usize, [f64; 2], Option<f64>)>,
    /// When the last point was.
    last: f64,
}

impl Ranges {
    /// Those of joints without stops, which an event would enforce.
    pub fn new(mechanism: &Mechanism, parameters: &[f64]) -> Ranges {
        let names = mechanism.parameters.iter().map(|one| one.name.as_str());
        let known: HashMap<&str, f64> = names.zip(parameters.iter().copied()).collect();
        let mut watched = Vec::new();
        for joint in &mechanism.joints {
            let (Some(range), 1) = (joint.range, joint.coordinates.len()) else { continue };
            let at = joint.coordinates.start;
            let stopped = mechanism.events.iter().filter(|event| event.stop).any(|event| {
                event.actions.iter().any(|action| {
                    matches!(action, Action::Impact { speed, .. } if joint.speeds.contains(speed))
                })
            });
            let number = |name: &str| known.get(name).copied();
            if let (false, Ok(ends)) = (stopped, mechanism.graph.evaluate_f64(&range, number)) {
                watched.push((at, [ends[0], ends[1]], None));
            }
        }
        Ranges { watched, last: 0.0 }
    }

    /// Looks at an accepted point.
    pub(crate) fn look(
        &mut self,
        mechanism: &Mechanism,
        point: &InputPoint,
        found: &mut Vec<Leaving>,
    ) {
        self.look_at(mechanism, point.t, &|at| point.q[at], found);
    }

    /// Looks at coordinates at a time.
    pub fn look_at(
        &mut self,
        mechanism: &Mechanism,
        t: f64,
        coordinate: &dyn Fn(usize) -> f64,
        found: &mut Vec<Leaving>,
    ) {
        let begin = std::mem::replace(&mut self.last, t);
        for (at, [lower, upper], before) in &mut self.watched {
            let q = coordinate(*at);
            let (end, by) = if q < *lower { (*lower, *lower - q) } else { (*upper, q - *upper) };
            let before = before.replace(q);
            // Rounding at the end of a range is not beyond it.
            if by <= 1e-9 * (1.0 + end.abs()) {
                continue;
            }
            let name = &mechanism.coordinates[*at].name;
            if let Some(known) = found.iter_mut().find(|one| one.name == *name) {
                known.by = known.by.max(by);
                continue;
            }
            let part = before.map_or(1.0, |before| (end - before) / (q - before));
            let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 1.0 };
            found.push(Leaving { name: name.clone(), t: begin + part * (t - begin), by });
        }
    }
}
