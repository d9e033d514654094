//! Mass matrices and efforts seen by fewer speeds: `R = S' M S`, `F = S' Phi`, and the way there.
//!
//! A block of constraints whose rows are fewer than the independent speeds in them is passed
//! through: with `w = J_u qd_u`, one entry per row, its dependent speeds are `-J_v^-1 w`. Then `B`
//! is never formed, `J_v^-1` has fewer columns than `B`, and what multiplies most is small:
//!
//! ```text
//! K = J_v^-1' M J_v^-1          over the rows of the block
//! R = J_u' K J_u                where columns of J_u are often those of a point's displacement: ones and few others
//! ```

#![allow(non_snake_case)] // symbols as in the formulas

use super::Row;
use super::closed::{Closed, is_one};
use crate::writer::{Entries, Writer};
use rotule_symbolic::{Scalar, sum};
use std::collections::BTreeMap;

/// A sparse row or column: positions and entries.
pub(super) type Sparse<'g> = Vec<(usize, Scalar<'g>)>;

/// A symmetric matrix and a vector, seen by fewer speeds.
pub(super) struct Folded<'g> {
    /// Entries at or below the diagonal: row, column, value.
    pub entries: Entries<'g>,
    /// The vector.
    pub right: Vec<Scalar<'g>>,
    /// `M S`, by rows.
    pub moving: Vec<Sparse<'g>>,
}

/// `S' M S`, `S' b` and `M S`. `S` is given by rows; all that is zero costs nothing.
pub(super) fn folded<'g>(
    M: &[(usize, usize, Scalar<'g>)],
    S: &[Sparse<'g>],
    b: &[Scalar<'g>],
    count: usize,
    name: &str,
) -> Folded<'g> {
    let mut MS: Vec<BTreeMap<usize, Vec<Scalar<'g>>>> = vec![BTreeMap::new(); S.len()];
    for &(row, column, value) in M {
        let mut put = |row: usize, column: usize| {
            for &(at, factor) in &S[column] {
                MS[row].entry(at).or_default().push(value * factor);
            }
        };
        put(row, column);
        if row != column {
            put(column, row);
        }
    }
    let mut moving: Vec<Sparse<'g>> = Vec::with_capacity(MS.len());
    for (row, sums) in MS.into_iter().enumerate() {
        let mut own = Sparse::new();
        for (at, terms) in sums {
            // A product alone may have factors in common with others.
            let value = match terms[..] {
                [product] => product,
                _ => sum(terms).named(&format!("{name}[{},{}]", row + 1, at + 1)),
            };
            if !value.is_zero() {
                own.push((at, value));
            }
        }
        moving.push(own);
    }
    let mut sums: BTreeMap<(usize, usize), Vec<Scalar<'g>>> = BTreeMap::new();
    let mut right: Vec<Vec<Scalar<'g>>> = vec![Vec::new(); count];
    for (at, own) in S.iter().enumerate() {
        for &(one, factor) in own {
            for &(two, value) in moving[at].iter().take_while(|entry| entry.0 <= one) {
                sums.entry((one, two)).or_default().push(factor * value);
            }
            right[one].push(factor * b[at]);
        }
    }
    let sums = sums.into_iter().map(|((one, two), terms)| (one, two, sum(terms)));
    let entries = sums.filter(|entry| !entry.2.is_zero()).collect();
    Folded { entries, right: right.into_iter().map(sum).collect(), moving }
}

/// A block that is passed through.
pub(super) struct Passed<'g> {
    /// Its number.
    pub block: usize,
    /// `-J_u` by rows, over the free speeds by their numbers.
    pub rows: Vec<Sparse<'g>>,
}

/// The blocks that are cheaper to pass through than by `B`: those that wait for none and that none
/// waits for. `number` has the numbers of the free independent speeds, `M` the entries of the mass
/// matrix.
pub(super) fn passed<'g>(
    closed: &Closed<'g>,
    writer: Writer<'_, 'g>,
    number: &[Option<usize>],
    M: &[(usize, usize, Scalar<'g>)],
) -> Vec<Passed<'g>> {
    let blocks = &closed.partition.blocks;
    let mut needed = vec![false; blocks.len()];
    blocks.iter().flat_map(|block| &block.needs).for_each(|&one| needed[one] = true);
    // For each dependent speed, how many entries of the mass matrix it shares with others of its
    // block.
    let mut home = vec![None; number.len()];
    for (at, block) in blocks.iter().enumerate() {
        block.columns.iter().for_each(|&column| home[column] = Some(at));
    }
    let mut shared = vec![0_usize; number.len()];
    for &(row, column, _) in M.iter().filter(|one| home[one.0] == home[one.1]) {
        shared[row] += 1;
        shared[column] += usize::from(row != column);
    }
    let mut start = 0;
    let mut found = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let own = &closed.rows[start..start + block.rows.len()];
        start += block.rows.len();
        if needed[at] || !block.needs.is_empty() {
            continue;
        }
        let rows: Vec<Sparse<'g>> = own.iter().map(|row| negative(writer, row, number)).collect();
        if cheaper(&rows, &block.columns, &shared) {
            found.push(Passed { block: at, rows });
        }
    }
    found
}

fn negative<'g>(writer: Writer<'_, 'g>, row: &Row, number: &[Option<usize>]) -> Sparse<'g> {
    let own = writer.entries(row).into_iter();
    own.filter_map(|(column, value)| Some((number[column]?, -value))).collect()
}

/// Counts of products and sums, where all is full but what is known to be zero or one.
fn cheaper(rows: &[Sparse<'_>], columns: &[usize], shared: &[usize]) -> bool {
    let m = rows.len();
    let mut speeds: Vec<usize> = rows.iter().flatten().map(|entry| entry.0).collect();
    let entries = speeds.len();
    speeds.sort_unstable();
    speeds.dedup();
    let u = speeds.len();
    if u <= m {
        return false;
    }
    let ones = rows.iter().flatten().filter(|entry| is_one(entry.1)).count();
    let work = 2 * entries - ones;
    let heavy = columns.iter().filter(|&&column| shared[column] > 0).count();
    let terms: usize = columns.iter().map(|&column| shared[column]).sum();
    let solve = 2 * m * m - m;
    let products = 2 * terms - heavy;
    let by_map = u * solve + u * products + u * (u + 1) * heavy + 2 * u * heavy;
    let inner = (m * (m + 1) / 2 + m) * (2 * heavy).saturating_sub(1);
    let outer = m * (work - u) + (u + 1) * work / 2 + work;
    by_map > m * solve - m * m + m * products + inner + outer
}
