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

use super::Row;
use super::closed::Closed;
use rotule_symbolic::{Expr, Graph};
use std::collections::BTreeMap;

/// A sparse row or column: positions and entries.
pub(super) type Sparse = Vec<(usize, Expr)>;

/// A symmetric matrix and a vector, seen by fewer speeds.
pub(super) struct Folded {
    /// Entries at or below the diagonal: row, column, value.
    pub entries: Vec<(usize, usize, Expr)>,
    /// The vector.
    pub right: Vec<Expr>,
    /// `M S`, by rows.
    pub moving: Vec<Sparse>,
}

/// `S' M S`, `S' b` and `M S`. `S` is given by rows; all that is zero costs nothing.
pub(super) fn folded(
    entries: &[(usize, usize, Expr)],
    spread: &[Sparse],
    b: &[Expr],
    count: usize,
    name: &str,
    graph: &mut Graph,
) -> Folded {
    let mut moving: Vec<BTreeMap<usize, Vec<Expr>>> = vec![BTreeMap::new(); spread.len()];
    for &(row, column, value) in entries {
        let mut put = |row: usize, column: usize| {
            for &(at, factor) in &spread[column] {
                let product = graph.mul(value, factor);
                moving[row].entry(at).or_default().push(product);
            }
        };
        put(row, column);
        if row != column {
            put(column, row);
        }
    }
    let mut products: Vec<Sparse> = Vec::with_capacity(moving.len());
    for (row, sums) in moving.into_iter().enumerate() {
        let mut own = Sparse::new();
        for (at, terms) in sums {
            // A product alone may have factors in common with others.
            let value = match terms[..] {
                [product] => product,
                _ => {
                    let sum = graph.sum(&terms);
                    graph.name(&format!("{name}[{},{}]", row + 1, at + 1), sum)
                }
            };
            if value != Expr::ZERO {
                own.push((at, value));
            }
        }
        products.push(own);
    }
    let mut sums: BTreeMap<(usize, usize), Vec<Expr>> = BTreeMap::new();
    let mut right: Vec<Vec<Expr>> = vec![Vec::new(); count];
    for (at, own) in spread.iter().enumerate() {
        for &(one, factor) in own {
            for &(two, value) in products[at].iter().take_while(|entry| entry.0 <= one) {
                sums.entry((one, two)).or_default().push(graph.mul(factor, value));
            }
            right[one].push(graph.mul(factor, b[at]));
        }
    }
    let sums = sums.into_iter().map(|((one, two), terms)| (one, two, graph.sum(&terms)));
    let entries = sums.filter(|entry| entry.2 != Expr::ZERO).collect();
    let right = right.iter().map(|terms| graph.sum(terms)).collect();
    Folded { entries, right, moving: products }
}

/// A block that is passed through.
pub(super) struct Passed {
    /// Its number.
    pub block: usize,
    /// `-J_u` by rows, over the free speeds by their numbers.
    pub rows: Vec<Sparse>,
}

/// The blocks that are cheaper to pass through than by `B`: those that wait for none and that none
/// waits for. `number` has the numbers of the free independent speeds, `mass` the entries of the
/// mass matrix.
pub(super) fn passed(
    closed: &Closed,
    number: &[Option<usize>],
    mass: &[(usize, usize, Expr)],
) -> Vec<Passed> {
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
    for &(row, column, _) in mass.iter().filter(|one| home[one.0] == home[one.1]) {
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
        let rows: Vec<Sparse> = own.iter().map(|row| negative(row, number)).collect();
        if cheaper(&rows, &block.columns, &shared) {
            found.push(Passed { block: at, rows });
        }
    }
    found
}

fn negative(row: &Row, number: &[Option<usize>]) -> Sparse {
    row.entries.iter().filter_map(|&(column, value)| Some((number[column]?, -value))).collect()
}

/// Counts of products and sums, where all is full but what is known to be zero or one.
fn cheaper(rows: &[Sparse], columns: &[usize], shared: &[usize]) -> bool {
    let m = rows.len();
    let mut speeds: Vec<usize> = rows.iter().flatten().map(|entry| entry.0).collect();
    let entries = speeds.len();
    speeds.sort_unstable();
    speeds.dedup();
    let u = speeds.len();
    if u <= m {
        return false;
    }
    let ones = rows.iter().flatten().filter(|entry| entry.1.abs() == Expr::ONE).count();
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
