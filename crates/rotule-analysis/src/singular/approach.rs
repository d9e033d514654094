//! Forces near a singular pose: what drives and constraints must give for a load of one, and for
//! the model's own weight and laws, at three distances from the pose.
//!
//! ```text
//! f = J' lambda + E tau         at rest; E selects the drives
//! ```
//!
//! Where drives are locked and the model still moves along `x`, the load along `x` is the one that
//! nothing carries: `lambda` and `tau` grow with a negative power of the distance. Where an output
//! cannot move in a direction `y`, a force along `y` is carried by the constraints alone: `tau`
//! vanishes with a positive one.

use super::pose::{PoseFunctions, PoseValues, dot, free, largest, length, pick};
use super::question::{GENERAL, Linear, Question, SingularPoint};
use crate::rank::{Directions, Rank};
use nalgebra::DMatrix;
use rotule_formalism::Problem;
use rotule_symbolic::elementary::ln;

/// Forces at a distance from a singular pose.
#[derive(Clone, Debug)]
pub struct NearForces {
    /// The distance of the pose, in radians and sizes of the model.
    pub distance: f64,
    /// The largest effort of a drive for a load of one, in units of the model.
    pub effort: f64,
    /// The largest multiplier for that load, likewise.
    pub multiplier: f64,
    /// The efforts of the drives that hold the model at rest there against its weight and laws, in
    /// N and N m; empty if that cannot be done.
    pub holding: Vec<(String, f64)>,
}

/// Forces on the way to a singular pose.
#[derive(Clone, Debug)]
pub struct Approach {
    /// The direction from which the pose is approached: coordinates and their parts.
    pub direction: Vec<(String, f64)>,
    /// From far to near.
    pub near: Vec<NearForces>,
    /// `true` if the forces told are those of the constraints: where curves of motion meet, drives
    /// need not be large.
    pub of_constraints: bool,
    /// The power of the distance with which the forces for a load of one change.
    pub power: f64,
}

impl Approach {
    /// The force that is told for a load of one.
    pub fn force(&self, near: &NearForces) -> f64 {
        if self.of_constraints { near.multiplier } else { near.effort }
    }
}

/// The distances that are told, and those that the power is taken from.
const DISTANCES: [f64; 3] = [1e-1, 1e-2, 1e-3];
const NEAR: [f64; 2] = [1e-4, 1e-5];
/// Directions at a singular pose are the mean of those at this distance on both sides: exact to the
/// second order.
const BESIDE: f64 = 1e-4;

/// The directions that a matrix loses at a pose: the motion, and the combination of rows.
pub(super) struct LostDirections {
    motion: Vec<f64>,
    rows: Vec<f64>,
}

impl LostDirections {
    /// Those of the last of the general singular values.
    pub fn of(question: &Question, values: &PoseValues) -> Option<LostDirections> {
        let matrix = question.matrix(values);
        let width = question.columns.len();
        let last = question.rank.checked_sub(1)?;
        let mut right = Directions::of(&matrix, width)?;
        let mut left = Directions::of_rows(&matrix, width)?;
        Some(LostDirections {
            motion: right.vectors.swap_remove(last),
            rows: left.vectors.swap_remove(last),
        })
    }

    /// The rows at a singular pose as the limit of those beside it: at the pose itself, rows that
    /// are redundant everywhere have the same singular value.
    pub fn rows_at(
        poses: &mut PoseFunctions,
        question: &Question,
        q: &[f64],
        away: &[f64],
    ) -> Result<Vec<f64>, Problem> {
        let mut sum: Vec<f64> = Vec::new();
        for side in [BESIDE, -BESIDE] {
            let Some(beside) = beside(poses, q, away, side)? else { continue };
            let Some(values) = poses.values(&beside)? else { continue };
            let Some(lost) = LostDirections::of(question, &values) else { continue };
            let sign = if !sum.is_empty() && dot(&sum, &lost.rows) < 0.0 { -1.0 } else { 1.0 };
            sum.resize(lost.rows.len(), 0.0);
            sum.iter_mut().zip(&lost.rows).for_each(|(sum, x)| *sum += sign * x);
        }
        Ok(sum)
    }
}

/// The direction in which a model leaves a singular set: of those that its constraints leave free,
/// the one in which the singular value grows fastest.
pub(super) fn away(
    poses: &mut PoseFunctions,
    linear: &Linear,
    point: &SingularPoint,
) -> Result<Option<Vec<f64>>, Problem> {
    let Some(values) = poses.values(&point.q)? else { return Ok(None) };
    let (closing, rows) = poses.closing(&values);
    let width = poses.searched.len();
    let Some((_, manifold)) = free(&rows, width, GENERAL) else { return Ok(None) };
    // The conditions of the rank alone, over what the constraints leave free.
    let inside = |row: &Vec<f64>| manifold.iter().map(|n| dot(row, n)).collect();
    let lost: Vec<Vec<f64>> = linear.rows[closing.len()..].iter().map(inside).collect();
    let Some(found) = Directions::of(&lost, manifold.len()) else { return Ok(None) };
    let Some(best) = found.vectors.first() else { return Ok(None) };
    let mut away = vec![0.0; width];
    for (part, n) in best.iter().zip(&manifold) {
        away.iter_mut().zip(n).for_each(|(x, y)| *x += part * y);
    }
    // One of two opposite directions, the same on every machine.
    let most = largest(&away);
    let leading = away.iter().find(|x| x.abs() > 0.999 * most).copied().unwrap_or(1.0);
    away.iter_mut().for_each(|x| *x *= leading.signum());
    Ok(Some(away))
}

/// Directions of two curves of motion that meet at a pose where the mechanism is singular: those
/// in which its constraints do not open to second order either, `y' (d2h/dq2) w w = 0` for the
/// dependent rows `y`. None where the pose is alone.
pub(super) fn branches(poses: &mut PoseFunctions, q: &[f64]) -> Result<Vec<Vec<f64>>, Problem> {
    let Some((values, slopes)) = poses.with_slopes(q, true)? else { return Ok(Vec::new()) };
    let (_, rows) = poses.closing(&values);
    let width = poses.searched.len();
    let (Some(right), Some(left)) =
        (Directions::of(&rows, width), Directions::of_rows(&rows, width))
    else {
        return Ok(Vec::new());
    };
    let rank = right.rank(1e-7);
    let free = &right.vectors[rank..];
    let count = free.len();
    let slopes: Vec<Vec<Vec<f64>>> = slopes.iter().map(|one| poses.closing(one).1).collect();
    // The second derivatives of each combination of rows that is dependent, along free directions.
    let second = |y: &Vec<f64>| -> Vec<f64> {
        let along = |v: &[f64]| -> Vec<f64> {
            let row = |slope: &Vec<Vec<f64>>| {
                slope.iter().zip(y).map(|(row, y)| y * dot(row, v)).sum::<f64>()
            };
            slopes.iter().map(row).collect()
        };
        let changes: Vec<Vec<f64>> = free.iter().map(|v| along(v)).collect();
        let entry = |at: usize| dot(&changes[at / count], &free[at % count]);
        (0..count * count).map(entry).collect()
    };
    let forms: Vec<Vec<f64>> =
        left.vectors[rank.min(left.vectors.len())..].iter().map(second).collect();
    // Combinations that are dependent everywhere have none: the largest one is that of the pose.
    let Some(form) = Directions::of(&forms, count * count) else { return Ok(Vec::new()) };
    let Some(form) = form.vectors.first() else { return Ok(Vec::new()) };
    let matrix =
        DMatrix::from_fn(count, count, |i, j| 0.5 * (form[i * count + j] + form[j * count + i]));
    let eigen = matrix.symmetric_eigen();
    let (mut up, mut down) = (0, 0);
    for at in 0..count {
        up = if eigen.eigenvalues[at] > eigen.eigenvalues[up] { at } else { up };
        down = if eigen.eigenvalues[at] < eigen.eigenvalues[down] { at } else { down };
    }
    let (above, below) = (eigen.eigenvalues[up], -eigen.eigenvalues[down]);
    if !(above > 0.0 && below >= 0.0) {
        return Ok(Vec::new());
    }
    let mix = |sign: f64| -> Vec<f64> {
        let part = |at: usize| {
            below.sqrt() * eigen.eigenvectors[(at, up)]
                + sign * above.sqrt() * eigen.eigenvectors[(at, down)]
        };
        let mut all = vec![0.0; width];
        for (at, v) in free.iter().enumerate() {
            all.iter_mut().zip(v).for_each(|(x, v)| *x += part(at) * v);
        }
        let size = length(&all);
        all.iter().map(|x| x / size).collect()
    };
    Ok(vec![mix(1.0), mix(-1.0)])
}

/// A closed pose at a distance along a direction.
fn beside(
    poses: &mut PoseFunctions,
    q: &[f64],
    away: &[f64],
    distance: f64,
) -> Result<Option<Vec<f64>>, Problem> {
    let step: Vec<f64> = away.iter().map(|x| x * distance).collect();
    let moved = poses.moved(q, &step);
    poses.close(&moved)
}

/// Forces on the way to a singular pose, drives being some speeds.
pub(super) fn approach(
    poses: &mut PoseFunctions,
    question: &Question,
    drives: &[usize],
    q: &[f64],
    away: &[f64],
    of_constraints: bool,
) -> Result<Option<Approach>, Problem> {
    let mut near = Vec::new();
    for distance in DISTANCES {
        near.extend(forces_at(poses, question, drives, q, away, distance)?);
    }
    let mut last = Vec::new();
    for distance in NEAR {
        last.extend(forces_at(poses, question, drives, q, away, distance)?);
    }
    // The power is that of the two nearest poses at which it is known.
    let pair = match (&last[..], &near[..]) {
        ([far, close], _) | (_, [.., far, close]) => [far, close],
        _ => return Ok(None),
    };
    let [far, close] = pair;
    let force = |near: &NearForces| if of_constraints { near.multiplier } else { near.effort };
    let power = ln(force(close) / force(far)) / ln(close.distance / far.distance);
    let searched = poses.searched.clone();
    let parts = searched.iter().zip(away).map(|(&at, x)| (poses.name(at), x * poses.units[at]));
    let direction = parts.filter(|(_, x)| x.abs() > 1e-9).collect();
    let known = power.is_finite() && !near.is_empty();
    Ok(known.then_some(Approach { direction, near, of_constraints, power }))
}

/// Forces at a distance from a pose; none if the loops do not close there or nothing carries the
/// load.
fn forces_at(
    poses: &mut PoseFunctions,
    question: &Question,
    drives: &[usize],
    q: &[f64],
    away: &[f64],
    distance: f64,
) -> Result<Option<NearForces>, Problem> {
    let Some(beside) = beside(poses, q, away, distance)? else { return Ok(None) };
    let Some(values) = poses.values(&beside)? else { return Ok(None) };
    let Some(lost) = LostDirections::of(question, &values) else { return Ok(None) };
    let load = load(poses, question, &values, &lost);
    let Some(carried) = Carried::of(poses, &values, drives, &load) else { return Ok(None) };
    let weight = poses.load(&beside).map(|load| pick(&load, &poses.movable));
    let held = weight.and_then(|load| Carried::of(poses, &values, drives, &load));
    let holding = held.map_or_else(Vec::new, |held| {
        let most = largest(&held.efforts);
        let plain = |x: f64| if x.abs() > 1e-12 * most { x } else { 0.0 };
        let efforts = drives.iter().zip(&held.efforts);
        efforts.map(|(&at, x)| (poses.name(at), plain(*x) / poses.units[at])).collect()
    });
    Ok(Some(NearForces {
        distance: length(&poses.difference(q, &beside)),
        effort: largest(&carried.efforts),
        multiplier: largest(&carried.multipliers),
        holding,
    }))
}

/// The load of one that belongs to a question, over all movable speeds.
fn load(
    poses: &PoseFunctions,
    question: &Question,
    values: &PoseValues,
    lost: &LostDirections,
) -> Vec<f64> {
    let mut load = vec![0.0; poses.units.len()];
    match &question.output {
        None => {
            question.columns.iter().zip(&lost.motion).for_each(|(&at, x)| load[at] = *x);
        }
        Some(output) => {
            let own = &lost.rows[values.jacobian.len()..];
            let size = length(own);
            for (&row, part) in output.rows.iter().zip(own) {
                let line = &values.outputs[output.place][row];
                load.iter_mut().zip(line).for_each(|(f, x)| *f += part / size * x);
            }
        }
    }
    pick(&load, &poses.movable)
}

/// Multipliers and efforts that carry a load.
struct Carried {
    multipliers: Vec<f64>,
    efforts: Vec<f64>,
}

impl Carried {
    /// The smallest ones; none if constraints and drives cannot carry it.
    fn of(
        poses: &PoseFunctions,
        values: &PoseValues,
        drives: &[usize],
        load: &[f64],
    ) -> Option<Carried> {
        let count = values.jacobian.len();
        let width = count + drives.len();
        let row = |&at: &usize| {
            let own = values.jacobian.iter().map(|row| row[at]);
            let driven = drives.iter().map(|&drive| f64::from(u8::from(drive == at)));
            own.chain(driven).collect()
        };
        let rows: Vec<Vec<f64>> = poses.movable.iter().map(row).collect();
        let found = Rank::of(&rows, width).solve(load);
        let left = rows.iter().zip(load).map(|(row, f)| dot(row, &found) - f);
        let left: Vec<f64> = left.collect();
        let known = found.iter().all(|x| x.is_finite()) && largest(&left) <= 1e-6 * largest(load);
        let (multipliers, efforts) = found.split_at(count);
        known.then(|| Carried { multipliers: multipliers.to_vec(), efforts: efforts.to_vec() })
    }
}
