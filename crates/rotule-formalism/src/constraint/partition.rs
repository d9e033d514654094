//! Partition of the coordinates and speeds of a closed mechanism into independent ones and those
//! that follow from the rows of constraints (Postiau, section 2.3).
//!
//! A partition is data that functions of closed mechanisms are given. Which one is sound is a
//! question of numbers at a position, and is answered where rows are evaluated, not here.

use super::blocks::DiagonalBlock;

/// The partition of one level: of the coordinates, by their speeds, or of the speeds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partition {
    /// Columns that are independent, in order.
    pub independent: Vec<usize>,
    /// The blocks of the dependent columns, rows and columns in the order of pivots.
    pub blocks: Vec<DiagonalBlock>,
    /// The smallest pivot over the largest, rows scaled; of the worst part.
    pub quality: f64,
}

impl Partition {
    /// The dependent columns, block by block.
    pub fn dependent(&self) -> impl Iterator<Item = usize> {
        self.blocks.iter().flat_map(|block| block.columns.iter().copied())
    }

    /// Gives rows the numbers that they have in a longer list.
    pub fn renumber(&mut self, rows: &[usize]) {
        for block in &mut self.blocks {
            block.rows.iter_mut().for_each(|row| *row = rows[*row]);
        }
    }
}

/// A partition of both levels. Rows have their numbers among all that
/// [`constraints`](super::constraints) writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoordinatePartition {
    /// The partition of the coordinates, by their speeds.
    pub coordinates: Partition,
    /// The partition of the speeds.
    pub speeds: Partition,
    /// Rows that repeat others.
    pub redundant: Vec<usize>,
}
