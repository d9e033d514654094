//! The choice of dependent coordinates and speeds: one way for rows of all kinds.
//!
//! Coordinates follow from the rows that have a residual; then speeds are chosen for the rows of
//! speeds among those that are left, and at velocity level all rows are solved together, in blocks
//! of their own. The coordinates that belong to the speeds chosen last stay part of the state.

use super::partition::{JacobianShape, Partition, Singularity, chosen, partition};
use super::split::{Part, Whole, split};

/// Remainder of numbers that cancel.
const ROUNDING: f64 = 1e-12;

/// The coordinate partitions that are chosen.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The partition of the coordinates, by their speeds: of the rows that have a residual.
    pub coordinates: Partition,
    /// The partition of the speeds.
    pub speeds: Partition,
}

/// The problem that a coordinate partition is chosen for.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// All rows. Columns are barred if their speeds are known.
    pub shape: JacobianShape,
    /// `true` for rows that have a residual.
    pub places: Vec<bool>,
    /// Columns of joints with quaternions, whose coordinates follow together and at a higher price.
    pub joined: Vec<bool>,
}

/// Chooses.
pub(super) fn choose(question: &Question) -> Result<Found, Singularity> {
    let shape = &question.shape;
    super::wishes::possible(shape)?;
    let (mut coordinates, mut speeds) = (Whole::default(), Whole::default());
    for part in split(shape) {
        let found = one_part(question, &part).map_err(|fault| part.fault(fault))?;
        coordinates.add(found.coordinates, &part);
        speeds.add(found.speeds, &part);
    }
    Ok(Found {
        coordinates: coordinates.finished(shape.columns),
        speeds: speeds.finished(shape.columns),
    })
}

/// Chooses for rows that belong together: coordinates for the rows of coordinates, then speeds for
/// those of speeds.
fn one_part(question: &Question, part: &Part) -> Result<Found, Singularity> {
    let shape = &part.shape;
    let (places, velocities): (Vec<usize>, Vec<usize>) =
        (0..shape.rows.len()).partition(|&row| question.places[part.rows[row]]);
    let named = |fault: Singularity, rows: &[usize]| with_rows(fault, rows);
    let asked = shape.asked();
    let of_places = |barred: Vec<bool>| {
        let first = JacobianShape { barred, ..shape.some(&places) };
        if velocities.is_empty() {
            partition(&first)
        } else {
            among(first, &asked, shape.rows.len())
        }
    };
    // Quaternions follow where single coordinates do not suffice, or where that is requested.
    let joined: Vec<bool> = (part.columns.iter())
        .map(|&column| question.joined[column] && question.shape.wishes[column] != Some(true))
        .collect();
    let quaternions = joined.contains(&true);
    let mut coordinates = match of_places(joined) {
        Err(_) if quaternions => of_places(vec![false; shape.columns]),
        found => found,
    }
    .map_err(|fault| named(fault, &places))?;
    renumber(&mut coordinates, &places);
    if velocities.is_empty() {
        return Ok(Found { speeds: coordinates.clone(), coordinates });
    }
    // The rows of speeds with the dependent speeds of the others eliminated.
    let second = eliminated(shape, &coordinates, &velocities);
    let more = partition(&second).map_err(|fault| match fault {
        // It may have gone with what was eliminated.
        Singularity::Unused(column) => {
            Singularity::Asked { columns: vec![column], rows: velocities.clone() }
        }
        other => named(other, &velocities),
    })?;
    let dependent: Vec<usize> = coordinates.dependent().chain(more.dependent()).collect();
    if let Some(&lost) = asked.iter().find(|column| !dependent.contains(column)) {
        return Err(Singularity::Asked { columns: vec![lost], rows: places });
    }
    let all: Vec<usize> = places.into_iter().chain(velocities).collect();
    // Speeds are linear, and need no ties.
    let rows = JacobianShape { ties: Vec::new(), ..shape.some(&all) };
    let mut speeds = chosen(&rows, &dependent).map_err(|fault| named(fault, &all))?;
    renumber(&mut speeds, &all);
    Ok(Found { coordinates, speeds })
}

/// Dependent coordinates where rows of speeds may take some of the columns that are asked for: all
/// of these together must be in the end, and those without a place here may follow there.
fn among(shape: JacobianShape, asked: &[usize], rows: usize) -> Result<Partition, Singularity> {
    let mut used = vec![false; shape.columns];
    shape.rows.iter().flatten().for_each(|entry| used[entry.0] = true);
    let mut wishes = shape.wishes.clone();
    for (column, wish) in wishes.iter_mut().enumerate() {
        let here = used[column] && !shape.barred[column];
        if *wish == Some(true) && !here {
            *wish = None;
        }
        // Where as many columns are requested as there are rows, no other one can be dependent.
        if wish.is_none() && here && asked.len() == rows {
            *wish = Some(false);
        }
    }
    let strict = partition(&JacobianShape { wishes: wishes.clone(), ..shape.clone() });
    if let Err(Singularity::TooMany { .. } | Singularity::Asked { .. }) = strict {
        let fewer = wishes.into_iter().map(|wish| wish.filter(|&dependent| !dependent)).collect();
        return partition(&JacobianShape { wishes: fewer, ..shape });
    }
    strict
}

/// Rows by the numbers that they have among all.
pub(super) fn renumber(partition: &mut Partition, rows: &[usize]) {
    for block in &mut partition.blocks {
        block.rows.iter_mut().for_each(|row| *row = rows[*row]);
    }
}

/// Gives the rows of a singularity the numbers that they have among all.
pub(super) fn with_rows(fault: Singularity, numbers: &[usize]) -> Singularity {
    let all = |list: Vec<usize>| list.into_iter().map(|row| numbers[row]).collect();
    match fault {
        Singularity::Structural(row) => Singularity::Structural(numbers[row]),
        Singularity::Numerical(list) => Singularity::Numerical(all(list)),
        Singularity::TooMany { columns, rows } => Singularity::TooMany { columns, rows: all(rows) },
        Singularity::TooFew { columns, asked, rows } => {
            Singularity::TooFew { columns, asked, rows: all(rows) }
        }
        Singularity::Asked { columns, rows } => Singularity::Asked { columns, rows: all(rows) },
        other @ (Singularity::Barred(_) | Singularity::Unused(_)) => other,
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
    let mut barred = shape.barred.clone();
    let mut wishes = shape.wishes.clone();
    for column in known.dependent() {
        barred[column] = true;
        wishes[column] = None;
    }
    JacobianShape { rows: found, columns: shape.columns, barred, wishes, ties: Vec::new() }
}
