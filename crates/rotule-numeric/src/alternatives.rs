//! Other coordinate partitions for the constraints of a mechanism in motion, from the numbers that
//! `J` has where it is.
//!
//! The first is that of the choice at the beginning: the cheapest blocks among sound ones. The
//! second has the largest pivots of all (Morette, section 2.2.2): rows of coordinates first, then
//! rows of speeds, with speeds measured in the units of the pattern. Joints with quaternions follow
//! only where nothing else does nearly as well, because their programs cost more.

use crate::coordinate_partition::{PartitionProblem, choose};
use crate::partition::{JacobianShape, chosen};
use crate::pattern::Pattern;
use crate::redundancy::bound;
use rotule_formalism::MultibodySystem;
use rotule_formalism::constraint::partition::{CoordinatePartition, Partition};

/// The data that all partitions of a mechanism share.
#[derive(Clone, Debug)]
pub struct Alternatives {
    /// Without numbers, and without what the user asks for at the beginning.
    question: PartitionProblem,
    units: Vec<f64>,
}

/// A quaternion follows if every other pivot is smaller than this part of its own.
const JOINED: f64 = 0.1;

impl Alternatives {
    /// Those of a tree whose constraints have this pattern.
    pub fn of(tree: &MultibodySystem, pattern: &Pattern) -> Alternatives {
        let positional = pattern.rows.iter().map(|row| row.positional).collect();
        let question = bound(tree, Vec::new(), positional);
        Alternatives { question, units: pattern.units.clone() }
    }

    /// Returns `true` if the speed of a column is known beforehand.
    pub fn is_known(&self, column: usize) -> bool {
        self.question.shape.excluded[column]
    }

    /// Partitions for the numbers of all rows, but for redundant ones: the cheapest first.
    pub fn choices(
        &self,
        rows: &[Vec<(usize, f64)>],
        redundant: &[usize],
    ) -> Vec<CoordinatePartition> {
        let kept: Vec<usize> = (0..rows.len()).filter(|row| !redundant.contains(row)).collect();
        let scaled = |&row: &usize| {
            let entries = rows[row].iter();
            entries.map(|&(column, value)| (column, value * self.units[column])).collect()
        };
        let mut question = self.question.clone();
        question.places = kept.iter().map(|&row| self.question.places[row]).collect();
        question.shape.rows = kept.iter().map(scaled).collect();
        let cheap = choose(&question).ok().map(|found| (found.coordinates, found.speeds));
        let sound = largest(&question).and_then(|[first, all]| {
            let shape = &question.shape;
            let positional: Vec<usize> =
                (0..kept.len()).filter(|&row| question.places[row]).collect();
            let mut coordinates = chosen(&shape.some(&positional), &first).ok()?;
            coordinates.renumber(&positional);
            // Speeds are linear, and need no ties.
            let whole = JacobianShape { ties: Vec::new(), ..shape.clone() };
            let speeds =
                if first == all { coordinates.clone() } else { chosen(&whole, &all).ok()? };
            Some((coordinates, speeds))
        });
        let choice = |(mut coordinates, mut speeds): (Partition, Partition)| {
            coordinates.renumber(&kept);
            speeds.renumber(&kept);
            CoordinatePartition { coordinates, speeds, redundant: redundant.to_vec() }
        };
        cheap.into_iter().chain(sound).map(choice).collect()
    }
}

/// Dependent columns by elimination with the largest pivot of all that is left: of the rows of
/// coordinates, and of all rows.
fn largest(question: &PartitionProblem) -> Option<[Vec<usize>; 2]> {
    let shape = &question.shape;
    let mut rest: Vec<(bool, Vec<f64>)> = (shape.rows.iter().zip(&question.places))
        .map(|(row, &positional)| {
            let mut line = vec![0.0; shape.columns];
            let open = row.iter().filter(|entry| !shape.excluded[entry.0]);
            open.for_each(|&(column, value)| line[column] = value);
            (positional, line)
        })
        .collect();
    // Rows of different units are compared by their largest entries.
    for (_, line) in &mut rest {
        let most = line.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        if most > 0.0 {
            line.iter_mut().for_each(|x| *x /= most);
        }
    }
    let mut columns = Vec::new();
    let mut first = None;
    while !rest.is_empty() {
        let positional = rest.iter().any(|(positional, _)| *positional);
        if !positional && first.is_none() {
            first = Some(columns.clone());
        }
        let mut best = [(0, 0, 0.0_f64); 2];
        for (i, (_, line)) in rest.iter().enumerate().filter(|(_, one)| one.0 == positional) {
            for (j, value) in line.iter().enumerate() {
                // Speeds of quaternions are as good as others for rows of speeds, where nothing is
                // iterated.
                let kind = usize::from(positional && question.joined[j]);
                if value.abs() > best[kind].2 * (1.0 + 1e-12) {
                    best[kind] = (i, j, value.abs());
                }
            }
        }
        let [single, joined] = best;
        let (row, column, size) = if single.2 >= JOINED * joined.2 { single } else { joined };
        if size <= 0.0 {
            return None;
        }
        let (_, pivot) = rest.swap_remove(row);
        for (_, line) in &mut rest {
            let factor = line[column] / pivot[column];
            if factor != 0.0 {
                line.iter_mut().zip(&pivot).for_each(|(x, y)| *x -= factor * y);
                line[column] = 0.0;
            }
        }
        columns.push(column);
    }
    Some([first.unwrap_or_else(|| columns.clone()), columns])
}
