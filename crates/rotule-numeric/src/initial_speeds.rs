//! Initial speeds that fulfil the constraints in a closed position.
//!
//! Written speeds are held and the others follow: first those that the coordinate partition makes
//! dependent, so that independent ones stay, then all that nobody wrote. Where written speeds
//! contradict each other, they change as little as possible. Rows that share no column are solved
//! apart, so that a contradiction moves nothing elsewhere.

use crate::assembly::{movable as free, tolerance};
use crate::coordinate_partition::{PartitionProblem, choose};
use crate::groups::{RowGroup, ScaledGroup, groups};
use crate::initial_values::{Start, levels, weights};
use crate::redundancy::{question, repeats, rows_of};
use crate::row_values::{RowProgram, RowValues};
use rotule_formalism::MultibodySystem;
use rotule_formalism::Problem;
use rotule_model::index::{BySpeed, SpeedId, SpeedSet};

/// Residual velocity that is tolerated where no speed is kept, in parts of the largest speed.
const LEFT: f64 = 1e-9;

/// Speeds from those of a start; `movable` has those that are not to be kept at any price.
pub(crate) fn speeds(
    tree: &MultibodySystem,
    written: &RowProgram,
    values: &RowValues,
    start: &Start,
    movable: &SpeedSet,
) -> Result<Vec<f64>, Problem> {
    let exact = tolerance(values);
    let left = |part: &RowGroup, qd: &[f64]| {
        let size = qd.iter().chain(&values.e).fold(1.0_f64, |most, x| most.max(x.abs()));
        let rest = values.velocities(qd);
        // Not `max`, which would hide what is not a number.
        let most =
            |most: f64, &row: &usize| if rest[row].abs() <= most { most } else { rest[row].abs() };
        part.rows.iter().fold(0.0, most) / size
    };
    let mut qd = start.qd.clone();
    let mut open = groups(values, &rows_of(&written.open, false), &free(tree));
    let fits = |part: &RowGroup, qd: &[f64], allowed: f64| left(part, qd) <= allowed;
    open.retain(|part| !fits(part, &qd, exact));
    if open.is_empty() {
        return Ok(qd);
    }
    let holds = start.speeds(tree);
    let levels = levels(&holds, movable);
    let weights = weights(holds.as_slice(), &levels).into();
    // The columns that may change, with what may be left of velocities then; kept ones change at
    // last.
    let mut choices: Vec<(SpeedSet, f64)> = Vec::new();
    let question = requested(tree, written, values);
    for &level in &levels {
        let loose: SpeedSet = movable.iter().filter(|&at| holds[at] < level).collect();
        choices.extend(dependent(&question, &loose).map(|found| (found, exact)));
        choices.push((loose, exact));
    }
    if levels.is_empty() {
        choices.extend(dependent(&question, movable).map(|found| (found, LEFT)));
    }
    choices.extend([(movable.clone(), LEFT), (free(tree), LEFT)]);
    for part in &open {
        let found = choices.iter().find_map(|(choice, allowed)| {
            let next = solved(values, part, choice, &weights, &qd);
            fits(part, &next, *allowed).then_some(next)
        });
        let Some(found) = found else {
            let rest = values.velocities(&qd);
            let most = part.rows.iter().max_by(|&&a, &&b| rest[a].abs().total_cmp(&rest[b].abs()));
            let name = most.map_or("", |&row| written.open.rows[row].name.as_str());
            return Err(Problem::new(
                format!("no speeds satisfy constraint `{name}` in this position"),
                "driven joints may contradict each other, or the position may be singular",
            ));
        };
        qd = found;
    }
    Ok(qd)
}

/// The rows that a partition is chosen for: those that repeat no others.
fn requested(tree: &MultibodySystem, written: &RowProgram, values: &RowValues) -> PartitionProblem {
    let mut sound = vec![true; written.open.rows.len()];
    let redundant = repeats(&written.open, values, &free(tree));
    redundant.iter().for_each(|one| sound[one.row] = false);
    let rows = rows_of(&written.open, false).into_iter().filter(|&row| sound[row]);
    question(tree, &written.open, values, &rows.collect::<Vec<_>>())
}

/// The dependent speeds of a partition in which only some columns may be dependent, if there is
/// one.
fn dependent(question: &PartitionProblem, loose: &SpeedSet) -> Option<SpeedSet> {
    let mut question = question.clone();
    for (at, request) in question.shape.requests.iter_mut().enumerate() {
        if !loose.contains(SpeedId::new(at)) {
            *request = Some(false);
        }
    }
    let found = choose(&question).ok()?;
    Some(found.speeds.dependent().map(SpeedId::new).collect())
}

/// Speeds with the smallest change of some columns that fulfils the rows of a part, as far as
/// possible.
fn solved(
    values: &RowValues,
    part: &RowGroup,
    choice: &SpeedSet,
    weights: &BySpeed<f64>,
    qd: &[f64],
) -> Vec<f64> {
    let mut next = qd.to_vec();
    let parts: Vec<(RowGroup, ScaledGroup)> = (groups(values, &part.rows, choice).into_iter())
        .map(|group| {
            let scaled = ScaledGroup::weighted(values, &group, weights);
            (group, scaled)
        })
        .collect();
    // Twice, because the second time removes what rounding left.
    for _ in 0..2 {
        let rest = values.velocities(&next);
        for (group, scaled) in &parts {
            let right: Vec<f64> = group.rows.iter().map(|&row| -rest[row]).collect();
            let change = scaled.solve(&right, 0.0);
            group.columns.iter().zip(change).for_each(|(&column, x)| next[column.index()] += x);
        }
    }
    next
}
