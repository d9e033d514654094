//! Impulses: what a blow along one speed does to all speeds of a mechanism, with all its
//! constraints.
//!
//! ```text
//! M dqd - e P - J' L - F R = 0        P along the speed, L of constraints, R of driven and locked joints
//! e' dqd = given     J dqd = 0     F' dqd = 0
//! ```
//!
//! Constraints that begin to hold take away the velocities that they forbid, without a rebound:
//!
//! ```text
//! M dqd - J' L - F R = 0     J (qd + dqd) + e = 0     F' dqd = 0
//! ```

use crate::outputs;
use crate::plant::Plant;
use rotule_formalism::Problem;
use rotule_model::mechanism::Role;

/// The change of all speeds at the plant's point if a blow changes one of them by so much.
pub fn impulse(plant: &mut Plant, speed: usize, change: f64) -> Result<Vec<f64>, Problem> {
    let size = plant.tree.speeds();
    // Rows of speeds that are known after the blow, with what they are. Near gimbal lock the speed
    // may be a combination of those that describe the motion.
    let mut rows = vec![(plant.speed_row(speed), change)];
    if plant.is_constrained() {
        let jacobian = plant.known("constraints")?.output(outputs::constraints::JACOBIAN).to_vec();
        let lines = jacobian.chunks_exact(size.max(1)).enumerate();
        let kept = lines.filter(|(row, _)| !plant.repeats(*row));
        rows.extend(kept.map(|(_, line)| (line.to_vec(), 0.0)));
    }
    change_of_speeds(plant, rows)?.ok_or_else(|| {
        let name = &plant.tree.mechanism.speeds[speed].name;
        let message =
            format!("no impulse can change `{name}`: it is determined by constraints or drives");
        Problem::new(message, "remove the impact, or free another joint")
    })
}

/// The change of all speeds at the plant's point that its constraints require if they are not
/// fulfilled; none if they contradict each other.
pub(crate) fn capture(plant: &mut Plant) -> Result<Option<Vec<f64>>, Problem> {
    let size = plant.tree.speeds();
    if !plant.is_constrained() {
        return Ok(Some(vec![0.0; size]));
    }
    let constraints = plant.known("constraints")?;
    let jacobian = constraints.output(outputs::constraints::JACOBIAN).to_vec();
    let explicit = constraints.output(outputs::constraints::EXPLICIT).to_vec();
    let lines = jacobian.chunks_exact(size.max(1)).zip(explicit).enumerate();
    let rows = lines.filter(|(row, _)| !plant.repeats(*row)).map(|(_, (line, explicit))| {
        let speed: f64 = line.iter().zip(&plant.point().qd).map(|(entry, qd)| entry * qd).sum();
        (line.to_vec(), -(speed + explicit))
    });
    let rows = rows.collect();
    change_of_speeds(plant, rows)
}

/// The change of all speeds by impulses along some rows, which change by given amounts; driven and
/// locked joints go on as they do. None if the rows contradict each other.
fn change_of_speeds(
    plant: &mut Plant,
    mut rows: Vec<(Vec<f64>, f64)>,
) -> Result<Option<Vec<f64>>, Problem> {
    let size = plant.tree.speeds();
    let mass = plant.known("mass")?.output(outputs::ONLY).to_vec();
    let unit = |at: usize| {
        let mut row = vec![0.0; size];
        row[at] = 1.0;
        row
    };
    let fixed = plant.tree.mechanism.joints.iter().filter(|joint| joint.role != Role::Free);
    rows.extend(fixed.flat_map(|joint| joint.speeds.clone()).map(|at| (unit(at), 0.0)));
    let total = size + rows.len();
    let mut matrix = vec![vec![0.0; total]; total];
    let mut right = vec![0.0; total];
    for (line, masses) in matrix.iter_mut().zip(mass.chunks_exact(size.max(1))) {
        line[..size].copy_from_slice(masses);
    }
    for (at, (row, known)) in rows.iter().enumerate() {
        for (column, &value) in row.iter().enumerate() {
            matrix[size + at][column] = value;
            matrix[column][size + at] = -value;
        }
        right[size + at] = *known;
    }
    if !eliminate(&mut matrix, &mut right) {
        return Ok(None);
    }
    right.truncate(size);
    Ok(Some(right))
}

/// Solves a dense system in place, with the largest pivot of each column; false if it is singular.
fn eliminate(matrix: &mut [Vec<f64>], right: &mut [f64]) -> bool {
    let size = right.len();
    let largest = matrix.iter().flatten().fold(0.0_f64, |most, value| most.max(value.abs()));
    for column in 0..size {
        let size_of = |row: &usize| matrix[*row][column].abs();
        let best = (column..size).max_by(|a, b| size_of(a).total_cmp(&size_of(b)));
        let Some(best) = best else { return false };
        if matrix[best][column].abs() <= 1e-14 * largest {
            return false;
        }
        matrix.swap(column, best);
        right.swap(column, best);
        let (above, below) = matrix.split_at_mut(column + 1);
        let pivot = &above[column];
        for (at, row) in below.iter_mut().enumerate() {
            let factor = row[column] / pivot[column];
            if factor != 0.0 {
                for (value, known) in row[column..].iter_mut().zip(&pivot[column..]) {
                    *value -= factor * known;
                }
                right[column + 1 + at] -= factor * right[column];
            }
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|at| matrix[row][at] * right[at]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right.iter().all(|value| value.is_finite())
}
