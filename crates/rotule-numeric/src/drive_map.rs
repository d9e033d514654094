//! The map from drives to independent speeds in numbers, where drives stand anywhere in loops.
//!
//! ```text
//! Psi = G Q_a        G: the columns of drives of S', with S: rows of the unit matrix and of B
//! ```
//!
//! As many drives as degrees of freedom may still be too few, if two of them do the same; whether
//! they do is a question of rank in the closed initial position, or near it where that is special.

use crate::assembly::{assemble, assemble_from, movable};
use crate::partition::coupling;
use crate::redundancy::plain;
use crate::row_values::{RowEvaluator, RowProgram, moved};
use rotule_formalism::constraint::actuated::{drives, ranked};
use rotule_formalism::constraint::partition::Partition;
use rotule_formalism::{MultibodySystem, Problem};
use rotule_model::index::{SpeedId, SpeedSet};
use rotule_symbolic::random::SplitMix64;

/// Positions near the initial one that are looked at where drives seem to be too few.
const PROBES: usize = 3;

/// The map where it has the largest rank among the closed initial position and others near it: a
/// row for each independent speed, a column for each drive.
pub(crate) fn drive_map(
    tree: &MultibodySystem,
    partition: &Partition,
) -> Result<Vec<Vec<f64>>, Problem> {
    let independent = &partition.independent;
    let drives: Vec<usize> =
        drives(&tree.mechanism, &tree.motion, independent).into_iter().map(|one| one.0).collect();
    let program = RowProgram::of(tree)?;
    let numbers = &mut program.ready(0.0)?;
    let here = assemble(tree, &SpeedSet::new())?;
    let mut best = map(tree, partition, &drives, numbers, &here.q)?;
    let free = independent.iter().map(|&at| SpeedId::new(at));
    let free: SpeedSet = free.filter(|&at| tree.motion.is_free(&tree.mechanism, at)).collect();
    let served = |map: &[Vec<f64>]| ranked(&free, independent, &drives, map).0.len();
    let movable = movable(tree);
    let moving = independent.iter().filter(|&&at| movable.contains(SpeedId::new(at))).count();
    let (mut most, needed) = (served(&best), moving.min(drives.len()));
    let mut random = SplitMix64(5);
    for _ in 0..PROBES {
        if most >= needed {
            break;
        }
        let mut step = vec![0.0; tree.speeds()];
        movable.iter().for_each(|speed| step[speed.index()] = 0.1 * random.signed());
        let near = moved(tree, &here.q, &step);
        let Ok(near) = assemble_from(tree, &near, &here.qd, &SpeedSet::new()) else { continue };
        let found = map(tree, partition, &drives, numbers, &near.q)?;
        let rank = served(&found);
        if rank > most {
            (best, most) = (found, rank);
        }
    }
    Ok(best)
}

/// The map at closed coordinates.
fn map(
    tree: &MultibodySystem,
    partition: &Partition,
    drives: &[usize],
    numbers: &mut RowEvaluator<'_>,
    q: &[f64],
) -> Result<Vec<Vec<f64>>, Problem> {
    let values = numbers.at(q, &vec![0.0; tree.speeds()])?;
    let rows: Vec<_> = values.j.iter().map(|row| plain(row)).collect();
    let coupling = coupling(&rows, tree.speeds(), partition);
    let dependent: Vec<usize> = partition.dependent().collect();
    let mut map = vec![vec![0.0; drives.len()]; partition.independent.len()];
    for (column, drive) in drives.iter().enumerate() {
        if let Ok(row) = partition.independent.binary_search(drive) {
            map[row][column] = 1.0;
        } else if let Some(at) = dependent.iter().position(|speed| speed == drive) {
            map.iter_mut().zip(&coupling[at]).for_each(|(row, &value)| row[column] = value);
        }
    }
    Ok(map)
}
