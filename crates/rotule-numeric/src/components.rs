//! Rows that share no column that may follow are chosen for apart; this takes a shape apart and
//! puts the choices together.

use crate::partition::{JacobianShape, Singularity};
use rotule_formalism::constraint::partition::Partition;
use std::collections::HashMap;

/// Rows that belong together, with the columns that they share.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Their numbers in the whole.
    pub rows: Vec<usize>,
    /// The columns that may follow, in order.
    pub columns: Vec<usize>,
    /// These alone, by their places in the two lists.
    pub shape: JacobianShape,
}

/// The leader of a set, with shorter ways for the next time.
pub(crate) fn leader(leaders: &mut [usize], mut at: usize) -> usize {
    while leaders[at] != at {
        leaders[at] = leaders[leaders[at]];
        at = leaders[at];
    }
    at
}

/// The parts of a shape, in the order of their first rows.
pub(crate) fn split(shape: &JacobianShape) -> Vec<Part> {
    let mut leaders: Vec<usize> = (0..shape.rows.len()).collect();
    let mut owner: Vec<Option<usize>> = vec![None; shape.columns];
    for (row, entries) in shape.rows.iter().enumerate() {
        for &(column, _) in entries.iter().filter(|entry| !shape.excluded[entry.0]) {
            match owner[column] {
                None => owner[column] = Some(row),
                Some(other) => {
                    let (a, b) = (leader(&mut leaders, row), leader(&mut leaders, other));
                    leaders[a.max(b)] = a.min(b);
                }
            }
        }
    }
    // Columns that are tied belong together.
    let mut tied: HashMap<usize, usize> = HashMap::new();
    for column in (0..shape.columns).filter(|&column| !shape.excluded[column]) {
        let (Some(tie), Some(row)) = (shape.ties.get(column).copied().flatten(), owner[column])
        else {
            continue;
        };
        let other = *tied.entry(tie).or_insert(row);
        let (a, b) = (leader(&mut leaders, row), leader(&mut leaders, other));
        leaders[a.max(b)] = a.min(b);
    }
    let mut number = vec![None; shape.rows.len()];
    let mut parts: Vec<Part> = Vec::new();
    for row in 0..shape.rows.len() {
        let first = leader(&mut leaders, row);
        let at = *number[first].get_or_insert_with(|| {
            parts.push(Part {
                rows: Vec::new(),
                columns: Vec::new(),
                shape: JacobianShape::default(),
            });
            parts.len() - 1
        });
        parts[at].rows.push(row);
    }
    let mut place = vec![0; shape.columns];
    for column in 0..shape.columns {
        if let Some(at) = owner[column].and_then(|row| number[leader(&mut leaders, row)]) {
            place[column] = parts[at].columns.len();
            parts[at].columns.push(column);
        }
    }
    for part in &mut parts {
        let local = |&row: &usize| {
            let own = shape.rows[row].iter().filter(|entry| !shape.excluded[entry.0]);
            own.map(|&(column, value)| (place[column], value)).collect()
        };
        part.shape = JacobianShape {
            rows: part.rows.iter().map(local).collect(),
            columns: part.columns.len(),
            excluded: vec![false; part.columns.len()],
            requests: part.columns.iter().map(|&column| shape.requests[column]).collect(),
            ties: (part.columns.iter())
                .map(|&column| shape.ties.get(column).copied().flatten())
                .collect(),
        };
    }
    parts
}

impl Part {
    /// A fault by the numbers of the whole.
    pub fn fault(&self, fault: Singularity) -> Singularity {
        let row = |at: usize| self.rows[at];
        let rows = |list: Vec<usize>| list.into_iter().map(row).collect();
        let column = |at: usize| self.columns[at];
        let columns = |list: Vec<usize>| list.into_iter().map(column).collect();
        match fault {
            Singularity::Structural(at) => Singularity::Structural(row(at)),
            Singularity::Numerical(list) => Singularity::Numerical(rows(list)),
            Singularity::Excluded(at) => Singularity::Excluded(column(at)),
            Singularity::Unused(at) => Singularity::Unused(column(at)),
            Singularity::TooMany { columns: many, rows: few } => {
                Singularity::TooMany { columns: columns(many), rows: rows(few) }
            }
            Singularity::TooFew { columns: few, requested, rows: many } => Singularity::TooFew {
                columns: columns(few),
                requested: columns(requested),
                rows: rows(many),
            },
            Singularity::Requested { columns: requested, rows: their } => {
                Singularity::Requested { columns: columns(requested), rows: rows(their) }
            }
        }
    }
}

/// The choices of parts, put together.
#[derive(Default)]
pub(crate) struct Whole {
    blocks: Vec<rotule_formalism::constraint::blocks::DiagonalBlock>,
    quality: Option<f64>,
}

impl Whole {
    /// Adds the choice of a part.
    pub fn add(&mut self, found: Partition, part: &Part) {
        let before = self.blocks.len();
        self.blocks.extend(found.blocks.into_iter().map(|mut block| {
            block.rows.iter_mut().for_each(|row| *row = part.rows[*row]);
            block.columns.iter_mut().for_each(|column| *column = part.columns[*column]);
            block.needs.iter_mut().for_each(|needed| *needed += before);
            block
        }));
        // The worst part counts; rounding may make none of it a number.
        self.quality = Some(self.quality.map_or(found.quality, |known| known.min(found.quality)));
    }

    /// All columns that are in no block are independent.
    pub fn finished(self, columns: usize) -> Partition {
        let mut dependent = vec![false; columns];
        let own = self.blocks.iter().flat_map(|block| &block.columns);
        own.for_each(|&column| dependent[column] = true);
        let independent = (0..columns).filter(|&column| !dependent[column]).collect();
        Partition { independent, blocks: self.blocks, quality: self.quality.unwrap_or(1.0) }
    }
}
