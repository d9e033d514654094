//! Feasibility of the partition that a user requests, whatever the numbers; and paths that bring
//! columns into a choice.
//!
//! Columns that are requested to be dependent must each find a row of their own, and rows a column
//! each among those that are not requested to be independent. Where both hold apart they hold
//! together (Mendelsohn and Dulmage). Where one does not, the set that has too few partners (Hall)
//! is what a message names.

use crate::partition::{JacobianShape, Singularity, pattern};
use rotule_formalism::constraint::blocks::augment;

/// Checks that columns that are requested as dependent can be at all.
pub(crate) fn possible(shape: &JacobianShape) -> Result<(), Singularity> {
    let mut used = vec![false; shape.columns];
    shape.rows.iter().flatten().for_each(|&(column, _)| used[column] = true);
    for column in shape.requested() {
        if shape.excluded[column] {
            return Err(Singularity::Excluded(column));
        }
        if !used[column] {
            return Err(Singularity::Unused(column));
        }
    }
    Ok(())
}

/// Checks by the pattern alone that rows find columns and requested columns find rows.
pub(crate) fn structure(
    shape: &JacobianShape,
    open: &[usize],
    requested: &[usize],
) -> Result<(), Singularity> {
    let rows = pattern(shape, open);
    if let Some(few) = without_partners(&rows, open.len()) {
        // Which other columns would there be?
        let mut other = vec![false; shape.columns];
        let entries = few.left.iter().flat_map(|&row| &shape.rows[row]);
        entries.for_each(|entry| other[entry.0] = true);
        let refused = |&column: &usize| other[column] && shape.requests[column] == Some(false);
        let refused: Vec<usize> = (0..shape.columns).filter(refused).collect();
        if refused.is_empty() {
            return Err(Singularity::Structural(few.alone));
        }
        let all: Vec<usize> =
            (0..shape.columns).filter(|&column| !shape.excluded[column]).collect();
        if let Some(worse) = without_partners(&pattern(shape, &all), all.len()) {
            return Err(Singularity::Structural(worse.alone));
        }
        return Err(Singularity::TooFew {
            columns: few.right.iter().map(|&at| open[at]).collect(),
            requested: refused,
            rows: few.left,
        });
    }
    let mut columns: Vec<Vec<usize>> = vec![Vec::new(); requested.len()];
    for (row, own) in pattern(shape, requested).iter().enumerate() {
        own.iter().for_each(|&at| columns[at].push(row));
    }
    match without_partners(&columns, shape.rows.len()) {
        None => Ok(()),
        Some(few) => Err(Singularity::TooMany {
            columns: few.left.iter().map(|&at| requested[at]).collect(),
            rows: few.right,
        }),
    }
}

/// A set of the left with fewer partners than members.
struct Few {
    left: Vec<usize>,
    right: Vec<usize>,
    /// The member that found none.
    alone: usize,
}

/// Matches the left with the right; if that fails, a set that shows why.
fn without_partners(pattern: &[Vec<usize>], right: usize) -> Option<Few> {
    let mut of_left: Vec<Option<usize>> = vec![None; pattern.len()];
    let mut of_right: Vec<Option<usize>> = vec![None; right];
    // First what is simple, which leaves few paths to look for.
    for (at, own) in pattern.iter().enumerate() {
        if let Some(&partner) = own.iter().find(|&&one| of_right[one].is_none()) {
            of_left[at] = Some(partner);
            of_right[partner] = Some(at);
        }
    }
    for at in 0..pattern.len() {
        if of_left[at].is_some() || augment(pattern, at, &mut of_left, &mut of_right) {
            continue;
        }
        // All that alternating paths reach from here.
        let mut seen = vec![false; right];
        let (mut left, mut next) = (vec![at], 0);
        while next < left.len() {
            for &one in &pattern[left[next]] {
                if !std::mem::replace(&mut seen[one], true) {
                    left.extend(of_right[one]);
                }
            }
            next += 1;
        }
        left.sort_unstable();
        let right = (0..right).filter(|&one| seen[one]).collect();
        return Some(Few { left, right, alone: at });
    }
    None
}

/// Brings a column into a matching of all rows, for one that was not requested.
pub(crate) fn exchange(
    users: &[Vec<usize>],
    needed: &[bool],
    column: usize,
    of_row: &mut [Option<usize>],
    of_column: &mut [Option<usize>],
) {
    // By which column each row was reached.
    let mut reached: Vec<Option<usize>> = vec![None; of_row.len()];
    let mut queue = std::collections::VecDeque::from([column]);
    while let Some(from) = queue.pop_front() {
        for &row in &users[from] {
            if reached[row].is_some() {
                continue;
            }
            reached[row] = Some(from);
            let Some(own) = of_row[row] else { continue };
            if needed[own] {
                queue.push_back(own);
                continue;
            }
            // That column goes; along the path each row takes the column it was reached by.
            of_column[own] = None;
            let mut row = row;
            while let Some(by) = reached[row] {
                let before = of_column[by].replace(row);
                of_row[row] = Some(by);
                match before {
                    Some(earlier) if by != column => row = earlier,
                    _ => return,
                }
            }
            return;
        }
    }
}
