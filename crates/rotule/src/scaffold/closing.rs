//! Initial values that close loops. Who describes a mechanism knows one coordinate of a loop, not
//! the others; a file with a first guess that is far off would begin with a warning.

use super::phrase::request;
use crate::Model;
use crate::error::Error;
use rotule_model::Draft;
use rotule_model::build::Value;
use rotule_model::draft::{Along, Initial};
use rotule_model::mechanism::Role;
use rotule_numeric::initial_values::Change;
use rotule_symbolic::random::SplitMix64;

/// Random first guesses that are tried until one leads to a closed position.
const GUESSES: u64 = 30;
/// As many are compared: most loops close in several ways, and people mean the one with the
/// smallest coordinates.
const COMPARED: u64 = 10;

/// A draft with closed loops.
struct Candidate {
    closed: Draft,
    /// Written values that were changed.
    changes: Vec<Change>,
    /// The sum of the squares of its coordinates, after that of the changes.
    distance: (f64, f64),
}

/// Completes the initial values of a draft; gives those that had to be changed.
pub fn close(draft: &mut Draft) -> Result<Vec<Change>, Error> {
    let model = Model::try_from(&*draft)?;
    if model.mechanism().cuts.is_empty() {
        return Ok(Vec::new());
    }
    let (mut failure, mut best): (_, Option<Candidate>) = (None, None);
    for seed in 0..=GUESSES {
        if seed > COMPARED && best.is_some() {
            break;
        }
        match attempt(draft, seed) {
            Ok(found) if best.as_ref().is_none_or(|best| found.distance < best.distance) => {
                best = Some(found);
            }
            Ok(_) => {}
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    if let Some(Candidate { closed, changes, .. }) = best {
        *draft = closed;
        return Ok(changes);
    }
    let cause = failure.map_or(String::new(), |error| match error {
        Error::Request(problem) => problem.message,
        other => other.to_string(),
    });
    let help =
        "check lengths and places, or give initial values of its coordinates that roughly close it";
    Err(request(format!("no initial position closes the loops: {cause}"), help))
}

/// Closes from what is written and, after the first time, from random values of the rest.
fn attempt(draft: &Draft, seed: u64) -> Result<Candidate, Error> {
    let written: Vec<&str> = draft.initial_q.iter().map(|one| one.joint.value.as_str()).collect();
    let mut guess = draft.clone();
    if seed > 0 {
        guess_rest(&mut guess, &written, seed);
    }
    let model = Model::try_from(&guess)?;
    // All written values hold, or as many of the first ones as the loops allow.
    let keeps = (0..=written.len()).rev().map(|count| &written[..count]);
    let mut found = Err(request("", ""));
    for keep in keeps {
        found = model.assemble(keep);
        if found.is_ok() {
            break;
        }
    }
    let (state, changes) = found?;
    let mut closed = draft.clone();
    let mut real = Vec::new();
    for joint in &model.mechanism().joints {
        if joint.role != Role::Free || joint.coordinates.is_empty() {
            continue;
        }
        let of = |name: &str| name == joint.name || name.starts_with(&format!("{}[", joint.name));
        let speed = |name: &str| {
            name.strip_prefix(joint.name.as_str()).is_some_and(|rest| rest.starts_with(".d"))
        };
        let changed = |is: &dyn Fn(&str) -> bool| {
            changes.iter().filter(|one| is(&one.name)).cloned().collect::<Vec<_>>()
        };
        let keeps = |list: &[Initial]| list.iter().any(|one| one.joint.value == joint.name);
        let (q, qd) = (&state.q[joint.coordinates.clone()], &state.qd[joint.speeds.clone()]);
        let moved = changed(&of);
        if !keeps(&draft.initial_q) || !moved.is_empty() {
            if keeps(&draft.initial_q) {
                real.extend(moved);
            }
            put(&mut closed.initial_q, &joint.name, q);
        }
        let moved = changed(&speed);
        let moves = qd.iter().any(|value| value.abs() > 1e-12);
        if (!keeps(&draft.initial_qd) && moves) || !moved.is_empty() {
            if keeps(&draft.initial_qd) {
                real.extend(moved);
            }
            put(&mut closed.initial_qd, &joint.name, qd);
        }
    }
    regular(&closed)?;
    let amounts =
        real.iter().map(|change| change.used - change.written).map(|change| change * change);
    let distance = (amounts.sum(), state.q.iter().map(|q| q * q).sum());
    Ok(Candidate { closed, changes: real, distance })
}

/// Refuses positions that are open, singular or written with too few digits.
fn regular(draft: &Draft) -> Result<(), Error> {
    let model = Model::try_from(draft)?;
    let Some(loops) = model.check().loops else { return Ok(()) };
    let analysis = loops.found?;
    if let Some(problem) = analysis.fault() {
        return Err(problem.into());
    }
    match loops.initial {
        Some(report) => Err(report.problem.into()),
        None => Ok(()),
    }
}

/// Replaces or adds the values of a joint.
fn put(list: &mut Vec<Initial>, joint: &str, numbers: &[f64]) {
    let mut made = Draft::new("");
    let values: Vec<Value> = numbers.iter().map(|&number| Value::Number(rounded(number))).collect();
    made.initial_q(joint, values);
    let new = made.initial_q.remove(0);
    match list.iter_mut().find(|one| one.joint.value == joint) {
        Some(old) => *old = new,
        None => list.push(new),
    }
}

/// Fifteen digits: what an iteration leaves beyond them differs from machine to machine.
fn rounded(number: f64) -> f64 {
    let short: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    // Rounding errors of a position that is zero, and no negative zero.
    if short.abs() < 1e-13 { 0.0 } else { short + 0.0 }
}

/// Random values for all joints of a draft that have none: angles of a whole turn, and lengths of
/// growing size.
fn guess_rest(draft: &mut Draft, written: &[&str], seed: u64) {
    let mut random = SplitMix64(seed);
    let joints = draft.bodies.iter().flat_map(|body| &body.joints);
    let driven: Vec<&str> = draft.motions.iter().map(|one| one.joint.value.as_str()).collect();
    let mut guesses = Vec::new();
    for joint in joints {
        let Some(name) = joint.name.as_ref().map(|name| name.value.as_str()) else { continue };
        let kind = joint.kind.value;
        let quaternion = kind.quaternion().is_some();
        if written.contains(&name) || driven.contains(&name) || joint.locked || quaternion {
            continue;
        }
        let size = |along: &Along| match along {
            Along::Angle => std::f64::consts::PI,
            Along::Length => 0.1 * [1.0, 3.0, 10.0][(seed % 3) as usize],
        };
        let values: Vec<f64> =
            kind.along().iter().map(|along| size(along) * random.signed()).collect();
        guesses.push((name.to_owned(), values));
    }
    for (name, values) in guesses {
        draft.initial_q(name, values);
    }
}
