//! Which speeds are independent and which follow from the constraints (Postiau, section 2.3).
//!
//! Three ways to choose the dependent ones, one per row: by numbers, with the largest pivots; by the pattern of `J`,
//! with columns that few rows use; as the user wishes. The choice that is kept has the cheapest blocks among those
//! whose pivots, with rows scaled to equal size, are not much smaller than the best ones by numbers. Inside of
//! each block rows and columns are put into the order of the largest pivots.

use super::blocks::{self, Block, blocks};

/// The rows and columns of `J` as numbers and as a pattern.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Entries by row: which columns are not structurally zero, with their numbers where the partition is to hold.
    pub rows: Vec<Vec<(usize, f64)>>,
    /// The number of columns.
    pub columns: usize,
    /// Columns that cannot be dependent.
    pub barred: Vec<bool>,
    /// Columns that the user wishes to be dependent or independent.
    pub wishes: Vec<Option<bool>>,
}

/// A choice.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// Columns that are independent, in order.
    pub independent: Vec<usize>,
    /// The blocks of the dependent columns, rows and columns in the order of pivots.
    pub blocks: Vec<Block>,
    /// The smallest pivot over the largest, rows scaled.
    pub quality: f64,
}

/// Why there is no choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Singularity {
    /// This row has no column left, whatever the numbers.
    Structural(usize),
    /// These rows repeat others at this configuration.
    Numerical(Vec<usize>),
}

/// Pivots may be this much smaller than the best ones if blocks are cheaper for it.
const WORSE: f64 = 0.02;
/// Dependent coordinates may move this many times faster than independent ones if blocks are cheaper for it.
const STEEP: f64 = 10.0;
/// Pivots below this part of the largest count as zero.
const ZERO: f64 = 1e-9;

impl Partition {
    /// The dependent columns, block by block.
    pub fn dependent(&self) -> impl Iterator<Item = usize> {
        self.blocks.iter().flat_map(|block| block.columns.iter().copied())
    }

    /// What elimination costs: the sum of cubes of the block sizes, then the number of entries below the diagonal.
    fn cost(&self) -> (usize, usize) {
        let cube = |block: &Block| block.rows.len().pow(3);
        (
            self.blocks.iter().map(cube).sum(),
            self.blocks.iter().map(|block| block.needs.len()).sum(),
        )
    }
}

/// Chooses.
pub fn partition(shape: &Shape) -> Result<Partition, Singularity> {
    let numeric = by_numbers(shape)?;
    let numeric = finished(shape, &numeric)?;
    let steepest = STEEP.max(steepness(shape, &numeric));
    let mut best = numeric.clone();
    // A wish that cannot be fulfilled with sound pivots is not fulfilled.
    for candidate in [by_pattern(shape), by_wish(shape)].into_iter().flatten() {
        let Ok(found) = finished(shape, &candidate) else { continue };
        let wished = follows(shape, &found) && !follows(shape, &best);
        // What the user wishes may be steep.
        let sound = found.quality >= WORSE * numeric.quality
            && (wished || steepness(shape, &found) <= steepest);
        let kept = follows(shape, &found) == follows(shape, &best);
        if sound && (wished || (kept && found.cost() < best.cost())) {
            best = found;
        }
    }
    Ok(best)
}

/// How fast dependent coordinates move for independent ones: the largest entry of `B` with `J_v B = -J_u`. Pivots of small
/// blocks alone do not tell: a chain of blocks that are each a little weak is steep.
fn steepness(shape: &Shape, partition: &Partition) -> f64 {
    let position = |list: &[usize]| {
        let mut at = vec![usize::MAX; shape.columns];
        list.iter().enumerate().for_each(|(number, &column)| at[column] = number);
        at
    };
    let dependent: Vec<usize> = partition.dependent().collect();
    let (row_of, independent) = (position(&dependent), position(&partition.independent));
    let mut map: Vec<Vec<f64>> = Vec::new();
    for block in &partition.blocks {
        let (start, size) = (map.len(), block.rows.len());
        // Left the block, right what independent coordinates and earlier blocks ask of it.
        let mut own = vec![vec![0.0; size + partition.independent.len()]; size];
        for (line, &row) in own.iter_mut().zip(&block.rows) {
            for &(column, value) in &shape.rows[row] {
                match row_of[column] {
                    usize::MAX => line[size + independent[column]] -= value,
                    at if at >= start => line[at - start] = value,
                    at => line[size..].iter_mut().zip(&map[at]).for_each(|(x, b)| *x -= value * b),
                }
            }
        }
        // Rows and columns are in the order of the pivots.
        for k in 0..size {
            let pivot = own[k].clone();
            for (at, line) in own.iter_mut().enumerate() {
                let factor = line[k] / pivot[k];
                if at != k && factor != 0.0 {
                    line.iter_mut().zip(&pivot).for_each(|(x, y)| *x -= factor * y);
                }
            }
        }
        for (k, line) in own.iter().enumerate() {
            map.push(line[size..].iter().map(|x| x / line[k]).collect());
        }
    }
    let free = |column: &usize| !shape.barred[*column];
    let columns: Vec<usize> =
        (0..partition.independent.len()).filter(|&at| free(&partition.independent[at])).collect();
    let entries = map.iter().flat_map(|row| columns.iter().map(|&at| row[at].abs()));
    // Not `max`, which would hide what is not a number.
    entries.fold(0.0, |most, x| if x <= most { most } else { x })
}

/// Whether all wishes are fulfilled.
fn follows(shape: &Shape, partition: &Partition) -> bool {
    let independent = |column: usize| partition.independent.contains(&column);
    (0..shape.columns)
        .all(|column| shape.wishes[column].is_none_or(|dependent| dependent != independent(column)))
}

/// The partition with these dependent columns.
pub fn chosen(shape: &Shape, dependent: &[usize]) -> Result<Partition, Singularity> {
    finished(shape, dependent)
}

/// The rows that repeat others at this configuration, so that the rest is independent.
pub fn redundant(shape: &Shape) -> Vec<usize> {
    match by_numbers(shape) {
        Err(Singularity::Numerical(rows)) => rows,
        _ => Vec::new(),
    }
}

/// The largest entry of each row that can be a pivot, to measure constraints of different units alike. Columns are not
/// scaled one by one: a small column is a bad choice.
fn lengths(shape: &Shape) -> Vec<f64> {
    let length = |row: &Vec<(usize, f64)>| {
        let open = row.iter().filter(|(column, _)| !shape.barred[*column]);
        let most = open.fold(0.0_f64, |most, (_, value)| most.max(value.abs()));
        if most > 0.0 { most } else { 1.0 }
    };
    shape.rows.iter().map(length).collect()
}

/// Dependent columns by the largest pivots (section 2.3.1).
fn by_numbers(shape: &Shape) -> Result<Vec<usize>, Singularity> {
    let scale = lengths(shape);
    let open: Vec<usize> = (0..shape.columns)
        .filter(|&column| !shape.barred[column] && shape.wishes[column] != Some(false))
        .collect();
    let more: Vec<usize> = (0..shape.columns)
        .filter(|&column| !shape.barred[column] && shape.wishes[column] == Some(false))
        .collect();
    let rows: Vec<usize> = (0..shape.rows.len()).collect();
    // Columns that are wished to be independent are taken only if there is no other way.
    let first = pivots(&dense(shape, &rows, &open, &scale));
    if first.len() == rows.len() {
        return Ok(first.iter().map(|pivot| open[pivot.1]).collect());
    }
    let all: Vec<usize> = open.iter().chain(&more).copied().collect();
    let found = pivots(&dense(shape, &rows, &all, &scale));
    if found.len() == rows.len() {
        return Ok(found.iter().map(|pivot| all[pivot.1]).collect());
    }
    let pattern: Vec<Vec<usize>> = pattern(shape, &all);
    let matched = blocks::matching(&pattern, all.len());
    if let Some(row) = matched.iter().position(Option::is_none) {
        return Err(Singularity::Structural(row));
    }
    let kept: Vec<usize> = found.iter().map(|pivot| pivot.0).collect();
    Err(Singularity::Numerical(rows.into_iter().filter(|row| !kept.contains(row)).collect()))
}

/// The pattern of some columns, by their position among these.
fn pattern(shape: &Shape, columns: &[usize]) -> Vec<Vec<usize>> {
    let row = |row: &Vec<(usize, f64)>| {
        let at = |column: usize| columns.iter().position(|&known| known == column);
        row.iter().filter_map(|&(column, _)| at(column)).collect()
    };
    shape.rows.iter().map(row).collect()
}

fn dense(shape: &Shape, rows: &[usize], columns: &[usize], scale: &[f64]) -> Vec<Vec<f64>> {
    let row = |row: usize| {
        let mut line = vec![0.0; columns.len()];
        for &(column, value) in &shape.rows[row] {
            if let Some(at) = columns.iter().position(|&known| known == column) {
                line[at] = value / scale[row];
            }
        }
        line
    };
    rows.iter().map(|&at| row(at)).collect()
}

/// Elimination with the largest pivot of all that is left: row, column and size of each pivot that is not zero.
fn pivots(matrix: &[Vec<f64>]) -> Vec<(usize, usize, f64)> {
    let mut rest: Vec<Vec<f64>> = matrix.to_vec();
    let columns = rest.first().map_or(0, Vec::len);
    let (mut rows_left, mut columns_left): (Vec<usize>, Vec<usize>) =
        ((0..rest.len()).collect(), (0..columns).collect());
    let mut found: Vec<(usize, usize, f64)> = Vec::new();
    while !rows_left.is_empty() && !columns_left.is_empty() {
        let mut best = (0, 0, 0.0_f64);
        for (i, &row) in rows_left.iter().enumerate() {
            for (j, &column) in columns_left.iter().enumerate() {
                // The first of equals, so that the choice is the same everywhere.
                if rest[row][column].abs() > best.2 * (1.0 + 1e-12) {
                    best = (i, j, rest[row][column].abs());
                }
            }
        }
        let largest = found.first().map_or(best.2, |first| first.2);
        if best.2.is_nan() || best.2 <= ZERO * largest || best.2 == 0.0 {
            break;
        }
        let (row, column) = (rows_left.remove(best.0), columns_left.remove(best.1));
        let pivot_row = rest[row].clone();
        for &other in &rows_left {
            let factor = rest[other][column] / pivot_row[column];
            for &at in &columns_left {
                rest[other][at] -= factor * pivot_row[at];
            }
        }
        found.push((row, column, best.2));
    }
    found
}

/// Dependent columns by the pattern (section 2.3.4): for each row the column that the fewest rows use, then the one
/// whose rows have the least to do with this row. Where that leads nowhere, augmenting paths repair it.
fn by_pattern(shape: &Shape) -> Option<Vec<usize>> {
    let open: Vec<usize> = (0..shape.columns)
        .filter(|&column| !shape.barred[column] && shape.wishes[column] != Some(false))
        .collect();
    let pattern = pattern(shape, &open);
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); open.len()];
    for (row, columns) in pattern.iter().enumerate() {
        columns.iter().for_each(|&column| users[column].push(row));
    }
    let mut of_row: Vec<Option<usize>> = vec![None; pattern.len()];
    let mut of_column: Vec<Option<usize>> = vec![None; open.len()];
    for row in 0..pattern.len() {
        let connections = |column: usize| {
            let shares = |other: usize| {
                pattern[other].iter().any(|&one| one != column && pattern[row].contains(&one))
            };
            users[column].iter().filter(|&&other| other != row && shares(other)).count()
        };
        let free = pattern[row].iter().filter(|&&column| of_column[column].is_none());
        let best = free.min_by_key(|&&column| (users[column].len(), connections(column), column));
        match best {
            Some(&column) => {
                of_row[row] = Some(column);
                of_column[column] = Some(row);
            }
            None if blocks::augment(&pattern, row, &mut of_row, &mut of_column) => {}
            None => return None,
        }
    }
    Some(of_row.into_iter().flatten().map(|column| open[column]).collect())
}

/// The columns that the user wishes to be dependent, if they are as many as rows.
fn by_wish(shape: &Shape) -> Option<Vec<usize>> {
    let wished: Vec<usize> =
        (0..shape.columns).filter(|&column| shape.wishes[column] == Some(true)).collect();
    (wished.len() == shape.rows.len() && !wished.is_empty()).then_some(wished)
}

/// Blocks and pivots of a choice of columns.
fn finished(shape: &Shape, dependent: &[usize]) -> Result<Partition, Singularity> {
    let mut columns = dependent.to_vec();
    columns.sort_unstable();
    let pattern = pattern(shape, &columns);
    let Some(mut found) = blocks(&pattern, columns.len()) else {
        let matched = blocks::matching(&pattern, columns.len());
        let row = matched.iter().position(Option::is_none).unwrap_or(0);
        return Err(Singularity::Structural(row));
    };
    let scale = lengths(shape);
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for block in &mut found {
        let own: Vec<usize> = block.columns.iter().map(|&at| columns[at]).collect();
        let order = pivots(&dense(shape, &block.rows, &own, &scale));
        if order.len() < block.rows.len() {
            let kept: Vec<usize> = order.iter().map(|pivot| block.rows[pivot.0]).collect();
            let lost = block.rows.iter().copied().filter(|row| !kept.contains(row)).collect();
            return Err(Singularity::Numerical(lost));
        }
        for pivot in &order {
            least = least.min(pivot.2);
            most = most.max(pivot.2);
        }
        block.rows = order.iter().map(|pivot| block.rows[pivot.0]).collect();
        block.columns = order.iter().map(|pivot| own[pivot.1]).collect();
    }
    let independent = (0..shape.columns).filter(|column| !columns.contains(column)).collect();
    // Rows are of size one: a choice of small entries is a bad one, however alike they are.
    let quality = if most > 0.0 { least / most.max(1.0) } else { 1.0 };
    Ok(Partition { independent, blocks: found, quality })
}
