//! Modes of random closed mechanisms, against differences of forward dynamics.
//!
//! The state matrix is that of small motions about a motion. Each column is found here from its
//! definition: a second motion begins beside the first, both go on for an instant, and the
//! displacement from the one to the other is taken again. Eigenvalues and eigenvectors are judged
//! by what they are for the matrix, not by another eigenvalue solver.

use crate::judge::{Verdict, forward};
use nalgebra::{Complex, DMatrix, DVector};
use rotule_analysis::equations::{BalanceEquations, EquilibriumRequest};
use rotule_analysis::modes::{Modes, modes_at};
use rotule_model::mechanism::Joint;
use rotule_model::pose::cross;
use rotule_numeric::state::StateNumbers;
use rotule_program::NoExternals;
use rotule_simulate::inputs::InputPoint;
use rotule_testing::campaign::closed::specimen::{FAMILIES, Specimen};

/// Entries differ by this part of the largest of their block at most.
const ALLOWED: f64 = 1e-7;
/// Differences that are known to fewer digits judge nothing.
const KNOWN: f64 = 1e-5;
/// Rounding that is left of eigenvectors and of sums of powers, beside the size of the matrix.
const ROUNDING: f64 = 1e-10;
/// The longest step of differences in radians and metres, and how often it is halved. Near singular
/// positions loops bend within the smallest singular value of their columns, and steps are shorter
/// by that.
const STEPS: (f64, usize) = (0.02, 12);

fn modulus(z: Complex<f64>) -> f64 {
    z.norm_sqr().sqrt()
}

/// Modes of a seed.
pub fn judge_modes(seed: u64) -> Verdict {
    let specimen = match Specimen::new(seed) {
        Ok(specimen) => specimen,
        Err(why) => return Verdict::Refused(format!("assembly: {why}")),
    };
    let mut state = StateNumbers::initial(&specimen.tree);
    state.q.clone_from(&specimen.start.q);
    state.qd.clone_from(&specimen.start.qd);
    // Every other round of families is at rest, where efforts hold it, the others are in motion.
    let rests = (seed / FAMILIES.len() as u64).is_multiple_of(2);
    if rests {
        state.qd.fill(0.0);
    }
    let request = EquilibriumRequest::default();
    let made = BalanceEquations::new(&specimen.tree, &state, &request, Box::new(NoExternals));
    let (mut equations, mut point) = match made {
        Ok(made) => made,
        Err(why) => return Verdict::Refused(why.message),
    };
    if rests {
        let (force, _) = equations.forces(&point, &[]).expect("it was evaluated");
        for &at in equations.functions.independent_speeds() {
            point.effort[at] = force[at];
        }
    }
    let found = match modes_at(&mut equations, &point) {
        Ok(found) => found,
        Err(why) => return Verdict::Refused(why.message),
    };
    let by_differences = match compare(&mut equations, &point, &found) {
        Ok(Verdict::Agreed(part)) => part,
        Ok(verdict) => return verdict,
        Err(why) => return Verdict::Refused(why),
    };
    match solve_elsewhere(&found) {
        Ok(part) => Verdict::Agreed(by_differences.max(part)),
        Err(why) => Verdict::Wrong(format!("{why} in family {}", specimen.family)),
    }
}

/// Displacements from one point to another, one for each speed: in the axes of its body for a joint
/// with a quaternion.
fn displacement(joints: &[Joint], from: &InputPoint, to: &InputPoint) -> Vec<f64> {
    let mut found = vec![0.0; from.qd.len()];
    for joint in joints {
        let (speeds, coordinates) = (joint.speeds.clone(), joint.coordinates.clone());
        let Some(quaternion) = joint.quaternion() else {
            for (speed, at) in speeds.zip(coordinates) {
                found[speed] = to.q[at] - from.q[at];
            }
            continue;
        };
        let (a, b) = (&from.q[quaternion.clone()], &to.q[quaternion.clone()]);
        // The vector part of `a* b`, doubled; an arc has the length of its sine so near to zero.
        let (u, v) = ([a[1], a[2], a[3]], [b[1], b[2], b[3]]);
        let turned = cross(u, v);
        let rotation = speeds.end - 3;
        for k in 0..3 {
            found[rotation + k] = 2.0 * (a[0] * v[k] - b[0] * u[k] - turned[k]);
        }
        if coordinates.start < quaternion.start {
            // The way in the axes of the body: `p + 2 w t + 2 u x t` with `t = -u x p` is `R' p`.
            let p = [0, 1, 2].map(|k| to.q[coordinates.start + k] - from.q[coordinates.start + k]);
            let t = cross([-u[0], -u[1], -u[2]], p);
            let tt = cross([-u[0], -u[1], -u[2]], t);
            for k in 0..3 {
                found[speeds.start + k] = p[k] + 2.0 * (a[0] * t[k] + tt[k]);
            }
        }
    }
    found
}

/// The state matrix by its entries.
fn compare(
    equations: &mut BalanceEquations,
    point: &InputPoint,
    found: &Modes,
) -> Result<Verdict, String> {
    let functions = &mut equations.functions;
    let smallest = functions.condition(point).map_err(|why| why.message)?.smallest.min(1.0);
    let (coordinates, speeds) =
        (functions.independent_coordinates().to_vec(), functions.independent_speeds().to_vec());
    let tree = functions.tree().clone();
    let joints = &tree.mechanism.joints;
    let mut forward = forward(&tree, point)?;
    // The motion goes on for an instant, there and back.
    let instant = 1e-3;
    let total = coordinates.len() + speeds.len();
    let mut rates = |column: usize, by: f64| -> Option<Vec<f64>> {
        let mut step = vec![0.0; point.qd.len()];
        let mut beside = point.clone();
        match coordinates.get(column) {
            Some(&at) => {
                step[at] = by;
                beside = functions.moved(point, &step);
            }
            None => beside.qd[speeds[column - coordinates.len()]] += by,
        }
        let closed = functions.close(&beside).ok()??;
        if !forward.evaluate(&closed, &mut NoExternals) {
            return None;
        }
        let going = |point: &InputPoint, time: f64| {
            let step: Vec<f64> = point.qd.iter().map(|speed| speed * time).collect();
            functions.moved(point, &step)
        };
        let apart = |time: f64| displacement(joints, &going(point, time), &going(&closed, time));
        let (ahead, behind) = (apart(instant), apart(-instant));
        let (further, before) = (apart(2.0 * instant), apart(-2.0 * instant));
        let rate = |at: usize| {
            (8.0 * (ahead[at] - behind[at]) - (further[at] - before[at])) / (12.0 * instant)
        };
        let plain = |at: usize| {
            let turns =
                joints.iter().any(|one| one.speeds.contains(&at) && one.quaternion().is_some());
            if turns { rate(at) } else { closed.qd[at] }
        };
        let rates = coordinates.iter().map(|&at| plain(at));
        Some(rates.chain(speeds.iter().map(|&at| forward.output(0)[at])).collect())
    };
    let ours = &found.matrix.matrix;
    if ours.nrows() != total {
        return Err("the model has states of its own".to_owned());
    }
    let block = |row: usize, column: usize| {
        let part = |at: usize| match at < coordinates.len() {
            true => (0, coordinates.len()),
            false => (coordinates.len(), speeds.len()),
        };
        let ((r, rows), (c, columns)) = (part(row), part(column));
        ours.view((r, c), (rows, columns)).amax().max(1.0)
    };
    // What rounding leaves of loops, in how the reduction changes: see `SINGULAR` of the analysis.
    let allowed = ALLOWED + f64::EPSILON / smallest.powi(3);
    if allowed > KNOWN {
        return Ok(Verdict::Refused("a singular position is near".to_owned()));
    }
    let mut worst = 0.0_f64;
    for column in 0..total {
        let Some((slopes, unsure)) = slope(STEPS.0 * smallest, &mut |h| rates(column, h), total)
        else {
            return Err("loops do not close beside the point".to_owned());
        };
        for row in 0..total {
            let size = block(row, column);
            let known = unsure[row] / size;
            if known.is_nan() || known > KNOWN {
                return Ok(Verdict::Refused("differences do not converge".to_owned()));
            }
            let error = (ours[(row, column)] - slopes[row]).abs() / size;
            let part = error / (allowed + 10.0 * known);
            if part.is_nan() || part > 1.0 {
                return Ok(Verdict::Wrong(format!(
                    "entry {row},{column} of {total} is {} and by differences {}",
                    ours[(row, column)],
                    slopes[row]
                )));
            }
            worst = worst.max(part);
        }
    }
    Ok(Verdict::Agreed(worst))
}

/// Slopes at zero by central differences, extrapolated in the square of the step (Ridders 1982):
/// for each number the value with the least doubt, and that doubt.
fn slope(
    longest: f64,
    f: &mut dyn FnMut(f64) -> Option<Vec<f64>>,
    count: usize,
) -> Option<(Vec<f64>, Vec<f64>)> {
    let mut best = (vec![0.0; count], vec![f64::INFINITY; count]);
    let mut before: Vec<Vec<f64>> = Vec::new();
    let mut any = false;
    for halvings in 0..STEPS.1 {
        let h = longest / f64::from(1 << halvings);
        // A step that is too long for the loops is none.
        let (Some(up), Some(down)) = (f(h), f(-h)) else {
            before.clear();
            continue;
        };
        any = true;
        let first: Vec<f64> =
            up.iter().zip(&down).map(|(up, down)| (up - down) / (2.0 * h)).collect();
        let mut line = vec![first];
        let mut factor = 4.0;
        for older in &before {
            let newer = line.last().expect("it has one");
            let next: Vec<f64> = newer
                .iter()
                .zip(older)
                .map(|(newer, older)| newer + (newer - older) / (factor - 1.0))
                .collect();
            for at in 0..count {
                // Neighbours may agree by chance, but not to more than rounding leaves.
                let rounding = 1e-13 * (1.0 + up[at].abs() + down[at].abs()) / h;
                let doubt = (next[at] - newer[at]).abs().max((next[at] - older[at]).abs());
                let doubt = doubt.max(rounding);
                if doubt < best.1[at] {
                    (best.0[at], best.1[at]) = (next[at], doubt);
                }
            }
            line.push(next);
            factor *= 4.0;
        }
        before = line;
    }
    any.then_some(best)
}

/// Eigenvectors are mapped to multiples of themselves, and sums of powers of eigenvalues are traces
/// of powers of the matrix; the part of what is allowed.
fn solve_elsewhere(found: &Modes) -> Result<f64, String> {
    let matrix = &found.matrix.matrix;
    let units = &found.matrix.units;
    let size = matrix.nrows();
    let mut all: Vec<Complex<f64>> = Vec::new();
    let mut worst = 0.0_f64;
    for mode in &found.modes {
        let value = Complex::new(mode.value[0], mode.value[1]);
        all.push(value);
        if value.im > 0.0 {
            all.push(value.conj());
        }
        let vector: Vec<Complex<f64>> =
            mode.vector.iter().zip(units).map(|(x, unit)| x * *unit).collect();
        let vector = DVector::from_vec(vector);
        let mapped = matrix.map(|x| Complex::new(x, 0.0)) * &vector;
        // Beside the terms of which sums are made: rounding of those is all that is left.
        let terms = (0..size).map(|row| {
            let sum = (0..size).map(|at| modulus(vector[at]) * matrix[(row, at)].abs());
            (sum.sum::<f64>() + modulus(value * vector[row])) / units[row]
        });
        let terms = terms.fold(0.0, f64::max);
        let left = (0..size).map(|row| modulus(mapped[row] - value * vector[row]) / units[row]);
        let left = left.fold(0.0, f64::max);
        let part = left / (ROUNDING * terms);
        worst = worst.max(part);
        if part.is_nan() || part > 1.0 {
            return Err(format!("the eigenvector of {value} is left with {left:e} of {terms:e}"));
        }
    }
    if size == 0 {
        return Ok(0.0);
    }
    if all.len() + found.zeros != size {
        return Err(format!("{} eigenvalues and {} zeros of {size}", all.len(), found.zeros));
    }
    let scale = all.iter().map(|z| modulus(*z)).fold(0.0_f64, f64::max).max(1e-3 * matrix.norm());
    for power in 1..=4 {
        let ours: Complex<f64> = all.iter().map(|z| z.powi(power)).sum();
        let theirs = (0..power).fold(DMatrix::identity(size, size), |all, _| all * matrix).trace();
        let part = modulus(ours - theirs) / (ROUNDING * scale.powi(power) * size as f64);
        worst = worst.max(part);
        if part.is_nan() || part > 1.0 {
            return Err(format!("the powers {power} of eigenvalues sum to {ours}, not {theirs}"));
        }
    }
    Ok(worst)
}
