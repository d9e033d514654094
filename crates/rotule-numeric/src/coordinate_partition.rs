//! The choice of dependent coordinates and speeds: one way for rows of all kinds.
//!
//! Coordinates follow from the rows that have a residual; then speeds are chosen for the rows of
//! speeds among those that are left, and at velocity level all rows are solved together, in blocks
//! of their own. The coordinates that belong to the speeds chosen last stay part of the state.

use crate::components::{Part, Whole, split};
use crate::feasibility;
use crate::partition::{JacobianShape, Singularity, chosen, partition};
use rotule_formalism::constraint::partition::Partition;

/// Remainder of numbers that cancel.
const ROUNDING: f64 = 1e-12;

/// The coordinate partitions that are chosen.
#[derive(Clone, Debug)]
pub(crate) struct ChosenPartition {
    /// The partition of the coordinates, by their speeds: of the rows that have a residual.
    pub coordinates: Partition,
    /// The partition of the speeds.
    pub speeds: Partition,
}

/// The problem that a coordinate partition is chosen for.
#[derive(Clone, Debug)]
pub(crate) struct PartitionProblem {
    /// All rows. Columns are excluded if their speeds are known.
    pub shape: JacobianShape,
    /// `true` for rows that have a residual.
    pub places: Vec<bool>,
    /// Columns of joints with quaternions, whose coordinates follow together and at a higher price.
    pub joined: Vec<bool>,
}

/// Chooses.
pub(crate) fn choose(question: &PartitionProblem) -> Result<ChosenPartition, Singularity> {
    let shape = &question.shape;
    feasibility::possible(shape)?;
    let (mut coordinates, mut speeds) = (Whole::default(), Whole::default());
    for part in split(shape) {
        let found = one_part(question, &part).map_err(|fault| part.fault(fault))?;
        coordinates.add(found.coordinates, &part);
        speeds.add(found.speeds, &part);
    }
    Ok(ChosenPartition {
        coordinates: coordinates.finished(shape.columns),
        speeds: speeds.finished(shape.columns),
    })
}

/// Chooses for rows that belong together: coordinates for the rows of coordinates, then speeds for
/// those of speeds.
fn one_part(question: &PartitionProblem, part: &Part) -> Result<ChosenPartition, Singularity> {
    let shape = &part.shape;
    let (places, velocities): (Vec<usize>, Vec<usize>) =
        (0..shape.rows.len()).partition(|&row| question.places[part.rows[row]]);
    let named = |fault: Singularity, rows: &[usize]| with_rows(fault, rows);
    let requested = shape.requested();
    let of_places = |excluded: Vec<bool>| {
        let first = JacobianShape { excluded, ..shape.some(&places) };
        if velocities.is_empty() {
            partition(&first)
        } else {
            among(first, &requested, shape.rows.len())
        }
    };
    // Quaternions follow where single coordinates do not suffice, or where that is requested.
    let joined: Vec<bool> = (part.columns.iter())
        .map(|&column| question.joined[column] && question.shape.requests[column] != Some(true))
        .collect();
    let quaternions = joined.contains(&true);
    let mut coordinates = match of_places(joined) {
        Err(_) if quaternions => of_places(vec![false; shape.columns]),
        found => found,
    }
    .map_err(|fault| named(fault, &places))?;
    coordinates.renumber(&places);
    if velocities.is_empty() {
        return Ok(ChosenPartition { speeds: coordinates.clone(), coordinates });
    }
    // The rows of speeds with the dependent speeds of the others eliminated.
    let second = eliminated(shape, &coordinates, &velocities);
    let more = partition(&second).map_err(|fault| match fault {
        // It may have gone with what was eliminated.
        Singularity::Unused(column) => {
            Singularity::Requested { columns: vec![column], rows: velocities.clone() }
        }
        other => named(other, &velocities),
    })?;
    let dependent: Vec<usize> = coordinates.dependent().chain(more.dependent()).collect();
    if let Some(&lost) = requested.iter().find(|column| !dependent.contains(column)) {
        return Err(Singularity::Requested { columns: vec![lost], rows: places });
    }
    let all: Vec<usize> = places.into_iter().chain(velocities).collect();
    // Speeds are linear, and need no ties.
    let rows = JacobianShape { ties: Vec::new(), ..shape.some(&all) };
    let mut speeds = chosen(&rows, &dependent).map_err(|fault| named(fault, &all))?;
    speeds.renumber(&all);
    Ok(ChosenPartition { coordinates, speeds })
}

/// Dependent coordinates where rows of speeds may take some of the columns that are requested: all
/// of these together must be in the end, and those without a place here may follow there.
fn among(shape: JacobianShape, requested: &[usize], rows: usize) -> Result<Partition, Singularity> {
    let mut used = vec![false; shape.columns];
    shape.rows.iter().flatten().for_each(|entry| used[entry.0] = true);
    let mut requests = shape.requests.clone();
    for (column, request) in requests.iter_mut().enumerate() {
        let here = used[column] && !shape.excluded[column];
        if *request == Some(true) && !here {
            *request = None;
        }
        // Where as many columns are requested as there are rows, no other one can be dependent.
        if request.is_none() && here && requested.len() == rows {
            *request = Some(false);
        }
    }
    let strict = partition(&JacobianShape { requests: requests.clone(), ..shape.clone() });
    if let Err(Singularity::TooMany { .. } | Singularity::Requested { .. }) = strict {
        let fewer =
            requests.into_iter().map(|request| request.filter(|&dependent| !dependent)).collect();
        return partition(&JacobianShape { requests: fewer, ..shape });
    }
    strict
}

/// Gives the rows of a singularity the numbers that they have among all.
pub(crate) fn with_rows(fault: Singularity, numbers: &[usize]) -> Singularity {
    let all = |list: Vec<usize>| list.into_iter().map(|row| numbers[row]).collect();
    match fault {
        Singularity::Structural(row) => Singularity::Structural(numbers[row]),
        Singularity::Numerical(list) => Singularity::Numerical(all(list)),
        Singularity::TooMany { columns, rows } => Singularity::TooMany { columns, rows: all(rows) },
        Singularity::TooFew { columns, requested, rows } => {
            Singularity::TooFew { columns, requested, rows: all(rows) }
        }
        Singularity::Requested { columns, rows } => {
            Singularity::Requested { columns, rows: all(rows) }
        }
        other @ (Singularity::Excluded(_) | Singularity::Unused(_)) => other,
    }
}

/// Rows whose entries at dependent columns are eliminated by the rows that these are matched to.
/// The pattern is that of the numbers: a column that is zero at the initial state is no choice
/// there.
fn eliminated(shape: &JacobianShape, known: &Partition, rows: &[usize]) -> JacobianShape {
    let dense = |row: usize| {
        let mut line = vec![0.0; shape.columns];
        shape.rows[row].iter().for_each(|&(column, value)| line[column] = value);
        line
    };
    // Each pivot row, cleared of the pivots before it.
    let mut pivots: Vec<(usize, Vec<f64>)> = Vec::new();
    let clear = |line: &mut Vec<f64>, pivots: &[(usize, Vec<f64>)]| {
        for (column, pivot) in pivots {
            let factor = line[*column] / pivot[*column];
            if factor != 0.0 {
                line.iter_mut().zip(pivot).for_each(|(x, y)| *x -= factor * y);
                line[*column] = 0.0;
            }
        }
    };
    for block in &known.blocks {
        for (&row, &column) in block.rows.iter().zip(&block.columns) {
            let mut line = dense(row);
            clear(&mut line, &pivots);
            pivots.push((column, line));
        }
    }
    let mut found = Vec::new();
    for &row in rows {
        let mut line = dense(row);
        clear(&mut line, &pivots);
        let size = line.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let entries = line.into_iter().enumerate().filter(|(_, x)| x.abs() > ROUNDING * size);
        found.push(entries.collect());
    }
    let mut excluded = shape.excluded.clone();
    let mut requests = shape.requests.clone();
    for column in known.dependent() {
        excluded[column] = true;
        requests[column] = None;
    }
    JacobianShape { rows: found, columns: shape.columns, excluded, requests, ties: Vec::new() }
}
