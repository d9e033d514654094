//! Partition of columns into independent ones and those that follow from the rows (Postiau, section
//! 2.3).
//!
//! Rows that share no column are chosen for apart, so that many loops take as many times what one
//! takes. For each such part there are two ways to choose dependent columns: by numbers, with the
//! largest pivots; and by the pattern of `J`, with columns that few rows use. The choice that is
//! kept has the cheapest blocks among those whose pivots, with columns scaled to equal length, are
//! not much smaller than the best ones by numbers. Inside of each block rows and columns are put
//! into the order of the largest pivots.
//!
//! What the user asks for is followed by both, or refused with what is wrong with it.

use crate::components::{Whole, split};
use crate::feasibility;
use rotule_formalism::constraint::blocks::{self, DiagonalBlock, blocks_tied};
use rotule_formalism::constraint::partition::Partition;

/// The rows and columns of `J` as numbers and as a pattern.
#[derive(Clone, Debug, Default)]
pub struct JacobianShape {
    /// Entries by row: which columns are not structurally zero, with their numbers where the
    /// partition is to hold.
    pub rows: Vec<Vec<(usize, f64)>>,
    /// The number of columns.
    pub columns: usize,
    /// Columns that cannot be dependent.
    pub excluded: Vec<bool>,
    /// Columns that the user asks to be dependent or independent.
    pub requests: Vec<Option<bool>>,
    /// Columns that must be in one block if they are dependent: those of the same number. May be
    /// left empty.
    pub ties: Vec<Option<usize>>,
}

impl JacobianShape {
    /// A copy with some of the rows.
    pub(crate) fn some(&self, rows: &[usize]) -> JacobianShape {
        let rows = rows.iter().map(|&row| self.rows[row].clone()).collect();
        JacobianShape { rows, ..self.without_rows() }
    }

    /// A copy without rows.
    fn without_rows(&self) -> JacobianShape {
        JacobianShape {
            rows: Vec::new(),
            columns: self.columns,
            excluded: self.excluded.clone(),
            requests: self.requests.clone(),
            ties: self.ties.clone(),
        }
    }

    /// Columns that are requested to be dependent.
    pub(crate) fn requested(&self) -> Vec<usize> {
        (0..self.columns).filter(|&column| self.requests[column] == Some(true)).collect()
    }

    /// Columns that may be dependent.
    fn open(&self) -> Vec<usize> {
        let open = |&column: &usize| !self.excluded[column] && self.requests[column] != Some(false);
        (0..self.columns).filter(open).collect()
    }

    /// A copy without the user's requests.
    fn free(&self) -> JacobianShape {
        JacobianShape {
            rows: self.rows.clone(),
            requests: vec![None; self.columns],
            ..self.without_rows()
        }
    }
}

/// Why there is no choice. Rows and columns are numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Singularity {
    /// This row has no column left, whatever the numbers.
    Structural(usize),
    /// These rows repeat others at this configuration.
    Numerical(Vec<usize>),
    /// This column is requested to be dependent and cannot be.
    Excluded(usize),
    /// This column is requested to be dependent, and no row has it.
    Unused(usize),
    /// More columns are requested to be dependent than they have rows.
    TooMany {
        /// The columns.
        columns: Vec<usize>,
        /// All rows that they have.
        rows: Vec<usize>,
    },
    /// Rows have too few columns, because others are requested to be independent.
    TooFew {
        /// The columns that are left.
        columns: Vec<usize>,
        /// Those that are requested to be independent.
        requested: Vec<usize>,
        /// The rows.
        rows: Vec<usize>,
    },
    /// The requested partition is singular at this configuration, and others are not.
    Requested {
        /// Columns that were requested to be dependent, or that remain where others are
        /// independent.
        columns: Vec<usize>,
        /// The rows of these.
        rows: Vec<usize>,
    },
}

/// Pivots may be this much smaller than the best ones if blocks are cheaper for it.
const WORSE: f64 = 0.02;
/// Dependent coordinates may move this many times faster than independent ones if blocks are
/// cheaper for it.
const STEEP: f64 = 10.0;
/// Pivots below this part of the largest count as zero.
const ZERO: f64 = 1e-9;
/// The quality below which a requested partition counts as singular.
const SINGULAR: f64 = 1e-5;
/// In parts of more rows, a choice by pattern with pivots that are this good is taken without a
/// look at all numbers, which takes the cube of the time.
const LARGE: usize = 100;
const ENOUGH: f64 = 1e-3;

/// The cost of elimination: the sum of cubes of the block sizes, then the number of blocks below
/// the diagonal.
fn cost(partition: &Partition) -> (usize, usize) {
    let cube = |block: &DiagonalBlock| block.rows.len().pow(3);
    (
        partition.blocks.iter().map(cube).sum(),
        partition.blocks.iter().map(|block| block.needs.len()).sum(),
    )
}

/// Chooses.
pub fn partition(shape: &JacobianShape) -> Result<Partition, Singularity> {
    feasibility::possible(shape)?;
    let mut whole = Whole::default();
    for part in split(shape) {
        let found = one_part(&part.shape).map_err(|fault| part.fault(fault))?;
        whole.add(found, &part);
    }
    Ok(whole.finished(shape.columns))
}

/// The partition with these dependent columns.
pub fn chosen(shape: &JacobianShape, dependent: &[usize]) -> Result<Partition, Singularity> {
    finished(shape, dependent)
}

/// Dependent columns by the pattern alone, one for each row in the order of the rows (section
/// 2.3.4); none if the pattern is singular. Numbers are not looked at.
pub fn symbolic(shape: &JacobianShape) -> Option<Vec<usize>> {
    by_pattern(shape, &shape.open(), &shape.requested())
}

/// Chooses for rows that belong together.
fn one_part(shape: &JacobianShape) -> Result<Partition, Singularity> {
    let open = shape.open();
    let requested = shape.requested();
    feasibility::structure(shape, &open, &requested)?;
    let pattern = by_pattern(shape, &open, &requested);
    let pattern = pattern.and_then(|columns| finished(shape, &columns).ok());
    if let Some(found) = &pattern
        && shape.rows.len() > LARGE
        && found.quality >= ENOUGH
    {
        return Ok(found.clone());
    }
    let numeric =
        by_numbers(shape, &open, &requested).and_then(|columns| finished(shape, &columns));
    let sound = numeric.as_ref().is_ok_and(|found| found.quality >= SINGULAR);
    if !sound && shape.requests.iter().any(Option::is_some) {
        // Is it what was requested, or the position?
        let free = shape.free();
        let without = by_numbers(&free, &free.open(), &[]);
        let without = without.and_then(|columns| finished(&free, &columns));
        if without.is_ok_and(|found| found.quality >= SINGULAR) {
            let columns = if requested.is_empty() { open } else { requested };
            let rows = (0..shape.rows.len()).collect();
            return Err(Singularity::Requested { columns, rows });
        }
    }
    let numeric = numeric?;
    let sound = |found: &Partition| {
        found.quality >= WORSE * numeric.quality
            && steepness(shape, found) <= STEEP.max(steepness(shape, &numeric))
    };
    Ok(match pattern {
        Some(found) if cost(&found) < cost(&numeric) && sound(&found) => found,
        _ => numeric,
    })
}

/// The steepness of a partition: the largest entry of `B`, which tells how fast dependent
/// coordinates move for independent ones. Pivots of small blocks alone do not tell: a chain of
/// blocks that are each a little weak is steep.
fn steepness(shape: &JacobianShape, partition: &Partition) -> f64 {
    let map = coupling(&shape.rows, shape.columns, partition);
    let free = |column: &usize| !shape.excluded[*column];
    let columns: Vec<usize> =
        (0..partition.independent.len()).filter(|&at| free(&partition.independent[at])).collect();
    let entries = map.iter().flat_map(|row| columns.iter().map(|&at| row[at].abs()));
    // Not `max`, which would hide what is not a number.
    entries.fold(0.0, |most, x| if x <= most { most } else { x })
}

/// `B` with `J_v B = -J_u`: a row for each dependent column in the order of the blocks, a column
/// for each independent one.
pub(crate) fn coupling(
    rows: &[Vec<(usize, f64)>],
    columns: usize,
    partition: &Partition,
) -> Vec<Vec<f64>> {
    let position = |list: &[usize]| {
        let mut at = vec![usize::MAX; columns];
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
            for &(column, value) in &rows[row] {
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
    map
}

/// The largest entry of each row that can be a pivot, to measure constraints of different units
/// alike. Columns are not scaled one by one: a small column is a bad choice.
fn lengths(shape: &JacobianShape) -> Vec<f64> {
    let length = |row: &Vec<(usize, f64)>| {
        let open = row.iter().filter(|(column, _)| !shape.excluded[*column]);
        let most = open.fold(0.0_f64, |most, (_, value)| most.max(value.abs()));
        if most > 0.0 { most } else { 1.0 }
    };
    shape.rows.iter().map(length).collect()
}

/// Dependent columns by the largest pivots (section 2.3.1); requested ones come first.
fn by_numbers(
    shape: &JacobianShape,
    open: &[usize],
    requested: &[usize],
) -> Result<Vec<usize>, Singularity> {
    let rows: Vec<usize> = (0..shape.rows.len()).collect();
    let order: Vec<usize> = requested
        .iter()
        .chain(open.iter().filter(|one| !requested.contains(one)))
        .copied()
        .collect();
    let found = pivots(&dense(shape, &rows, &order, &lengths(shape)), requested.len());
    if found.len() == rows.len() {
        return Ok(found.iter().map(|pivot| order[pivot.1]).collect());
    }
    let kept: Vec<usize> = found.iter().map(|pivot| pivot.0).collect();
    Err(Singularity::Numerical(rows.into_iter().filter(|row| !kept.contains(row)).collect()))
}

/// The pattern of some columns, by their position among these.
pub(crate) fn pattern(shape: &JacobianShape, columns: &[usize]) -> Vec<Vec<usize>> {
    let place = places(shape, columns);
    let row =
        |row: &Vec<(usize, f64)>| row.iter().filter_map(|&(column, _)| place[column]).collect();
    shape.rows.iter().map(row).collect()
}

/// Where each column is among some.
fn places(shape: &JacobianShape, columns: &[usize]) -> Vec<Option<usize>> {
    let mut place = vec![None; shape.columns];
    columns.iter().enumerate().for_each(|(at, &column)| place[column] = Some(at));
    place
}

fn dense(shape: &JacobianShape, rows: &[usize], columns: &[usize], scale: &[f64]) -> Vec<Vec<f64>> {
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

/// Elimination with the largest pivot of all that is left, from the first columns as long as there
/// are any: row, column and size of each pivot that is not zero.
fn pivots(matrix: &[Vec<f64>], first: usize) -> Vec<(usize, usize, f64)> {
    let mut rest: Vec<Vec<f64>> = matrix.to_vec();
    let columns = rest.first().map_or(0, Vec::len);
    let (mut rows_left, mut columns_left): (Vec<usize>, Vec<usize>) =
        ((0..rest.len()).collect(), (0..columns).collect());
    let mut found: Vec<(usize, usize, f64)> = Vec::new();
    while !rows_left.is_empty() && !columns_left.is_empty() {
        let preferred = columns_left.iter().take_while(|&&column| column < first).count();
        let looked_at = if preferred > 0 { preferred } else { columns_left.len() };
        let mut best = (0, 0, 0.0_f64);
        for (i, &row) in rows_left.iter().enumerate() {
            for (j, &column) in columns_left[..looked_at].iter().enumerate() {
                // The first of equals, so that the choice is the same everywhere.
                if rest[row][column].abs() > best.2 * (1.0 + 1e-12) {
                    best = (i, j, rest[row][column].abs());
                }
            }
        }
        let largest = found.iter().fold(best.2, |most, one| most.max(one.2));
        if best.2.is_nan() || best.2 <= ZERO * largest || best.2 == 0.0 {
            break;
        }
        let (row, column) = (rows_left.remove(best.0), columns_left.remove(best.1));
        let pivot_row = rest[row].clone();
        for &other in &rows_left {
            let factor = rest[other][column] / pivot_row[column];
            if factor != 0.0 {
                for &at in &columns_left {
                    rest[other][at] -= factor * pivot_row[at];
                }
            }
        }
        found.push((row, column, best.2));
    }
    found
}

/// Dependent columns by the pattern (section 2.3.4): for each row the column that the fewest rows
/// use, then the one whose rows have the least to do with this row. Where that leads nowhere,
/// augmenting paths repair it. Requested columns are taken before others, and exchanged for others
/// in the end.
fn by_pattern(shape: &JacobianShape, open: &[usize], requested: &[usize]) -> Option<Vec<usize>> {
    let pattern = pattern(shape, open);
    let mut needed = vec![false; shape.columns];
    requested.iter().for_each(|&column| needed[column] = true);
    let needed: Vec<bool> = open.iter().map(|&column| needed[column]).collect();
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
        let best = free.min_by_key(|&&column| {
            (!needed[column], users[column].len(), connections(column), column)
        });
        match best {
            Some(&column) => {
                of_row[row] = Some(column);
                of_column[column] = Some(row);
            }
            None if blocks::augment(&pattern, row, &mut of_row, &mut of_column) => {}
            None => return None,
        }
    }
    for column in (0..open.len()).filter(|&column| needed[column]) {
        if of_column[column].is_none() {
            feasibility::exchange(&users, &needed, column, &mut of_row, &mut of_column);
        }
    }
    Some(of_row.into_iter().flatten().map(|column| open[column]).collect())
}

/// A matrix with its columns scaled to equal length.
fn by_columns(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let columns = matrix.first().map_or(0, Vec::len);
    for column in 0..columns {
        let square: f64 = matrix.iter().map(|row| row[column] * row[column]).sum();
        let length = if square > 0.0 { square.sqrt() } else { 1.0 };
        matrix.iter_mut().for_each(|row| row[column] /= length);
    }
    matrix
}

/// Blocks and pivots of a choice of columns.
fn finished(shape: &JacobianShape, dependent: &[usize]) -> Result<Partition, Singularity> {
    let mut columns = dependent.to_vec();
    columns.sort_unstable();
    let pattern = pattern(shape, &columns);
    let ties: Vec<Option<usize>> =
        columns.iter().map(|&column| shape.ties.get(column).copied().flatten()).collect();
    let Some(mut found) = blocks_tied(&pattern, &ties) else {
        let matched = blocks::matching(&pattern, columns.len());
        let row = matched.iter().position(Option::is_none).unwrap_or(0);
        return Err(Singularity::Structural(row));
    };
    let scale = lengths(shape);
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for block in &mut found {
        let own: Vec<usize> = block.columns.iter().map(|&at| columns[at]).collect();
        let matrix = dense(shape, &block.rows, &own, &scale);
        let sizes = pivots(&matrix, 0);
        if sizes.len() < block.rows.len() {
            let kept: Vec<usize> = sizes.iter().map(|pivot| block.rows[pivot.0]).collect();
            let lost = block.rows.iter().copied().filter(|row| !kept.contains(row)).collect();
            return Err(Singularity::Numerical(lost));
        }
        for pivot in &sizes {
            least = least.min(pivot.2);
            most = most.max(pivot.2);
        }
        // The columns are chosen; with each scaled to equal length, those that few rows have come
        // first, which is cheaper.
        let order = pivots(&by_columns(matrix), 0);
        let order = if order.len() == sizes.len() { order } else { sizes };
        block.rows = order.iter().map(|pivot| block.rows[pivot.0]).collect();
        block.columns = order.iter().map(|pivot| own[pivot.1]).collect();
    }
    let place = places(shape, &columns);
    let independent = (0..shape.columns).filter(|&column| place[column].is_none()).collect();
    // Rows are of size one: a choice of small entries is a bad one, however alike they are.
    let quality = if most > 0.0 { least / most.max(1.0) } else { 1.0 };
    Ok(Partition { independent, blocks: found, quality })
}
