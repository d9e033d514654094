//! The block triangular form of a square matrix by its pattern alone (Postiau, section 2.3.3).
//!
//! Rows and columns are matched so that no diagonal entry is a structural zero. Row r then waits
//! for the row that is matched to each other column in which r has an entry; rows that wait for
//! each other in a circle form a block. Blocks come in an order in which each waits for earlier
//! ones only.

use std::collections::HashMap;

/// A diagonal block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagonalBlock {
    /// Its rows.
    pub rows: Vec<usize>,
    /// The columns that are matched to them, in their order.
    pub columns: Vec<usize>,
    /// The blocks that it waits for, by position.
    pub needs: Vec<usize>,
}

/// The blocks of a matrix whose rows have entries in these columns; none if it is structurally
/// singular.
pub fn blocks(pattern: &[Vec<usize>], columns: usize) -> Option<Vec<DiagonalBlock>> {
    blocks_tied(pattern, &vec![None; columns])
}

/// The blocks of a matrix of which some columns must be in one block: those that are tied to the
/// same; none if it is structurally singular.
pub fn blocks_tied(pattern: &[Vec<usize>], ties: &[Option<usize>]) -> Option<Vec<DiagonalBlock>> {
    let columns = ties.len();
    let matched = matching(pattern, columns);
    let row_of: Vec<Option<usize>> = {
        let mut row_of = vec![None; columns];
        for (row, column) in matched.iter().enumerate() {
            row_of[(*column)?] = Some(row);
        }
        row_of
    };
    let edges = |row: usize| pattern[row].iter().filter_map(|&column| row_of[column]);
    // Rows whose columns are tied wait for each other, in a circle.
    let mut together: HashMap<usize, Vec<usize>> = HashMap::new();
    for (column, tie) in ties.iter().enumerate() {
        if let (Some(tie), Some(row)) = (tie, row_of[column]) {
            together.entry(*tie).or_default().push(row);
        }
    }
    let mut next = vec![None; pattern.len()];
    for rows in together.values() {
        rows.iter().zip(rows.iter().cycle().skip(1)).for_each(|(&one, &two)| next[one] = Some(two));
    }
    let components = components(pattern.len(), &|row| {
        edges(row).chain(next[row]).filter(|&to| to != row).collect()
    });
    let mut block_of = vec![0; pattern.len()];
    for (at, rows) in components.iter().enumerate() {
        rows.iter().for_each(|&row| block_of[row] = at);
    }
    let made = components.iter().enumerate().map(|(at, rows)| {
        let mut rows = rows.clone();
        rows.sort_unstable();
        let columns = rows.iter().filter_map(|&row| matched[row]).collect();
        let mut needs: Vec<usize> =
            rows.iter().flat_map(|&row| edges(row)).map(|to| block_of[to]).collect();
        needs.retain(|&block| block != at);
        needs.sort_unstable();
        needs.dedup();
        DiagonalBlock { rows, columns, needs }
    });
    Some(made.collect())
}

/// A largest matching: the column of each row. Rows with few entries choose first; augmenting paths
/// repair.
pub fn matching(pattern: &[Vec<usize>], columns: usize) -> Vec<Option<usize>> {
    let mut of_row: Vec<Option<usize>> = vec![None; pattern.len()];
    let mut of_column: Vec<Option<usize>> = vec![None; columns];
    let mut order: Vec<usize> = (0..pattern.len()).collect();
    order.sort_by_key(|&row| (pattern[row].len(), row));
    for row in order {
        augment(pattern, row, &mut of_row, &mut of_column);
    }
    of_row
}

/// Finds a column for a row, moving others along an augmenting path; breadth first, without
/// recursion.
pub fn augment(
    pattern: &[Vec<usize>],
    row: usize,
    of_row: &mut [Option<usize>],
    of_column: &mut [Option<usize>],
) -> bool {
    // Most rows find a column of their own that is free.
    if let Some(&column) = pattern[row].iter().find(|&&column| of_column[column].is_none()) {
        of_row[row] = Some(column);
        of_column[column] = Some(row);
        return true;
    }
    // By which row each column was reached.
    let mut reached: Vec<Option<usize>> = vec![None; of_column.len()];
    let mut queue = std::collections::VecDeque::from([row]);
    while let Some(from) = queue.pop_front() {
        for &column in &pattern[from] {
            if reached[column].is_some() {
                continue;
            }
            reached[column] = Some(from);
            match of_column[column] {
                Some(next) => queue.push_back(next),
                None => {
                    let mut free = column;
                    while let Some(by) = reached[free] {
                        let before = of_row[by].replace(free);
                        of_column[free] = Some(by);
                        match before {
                            Some(column) if by != row => free = column,
                            _ => return true,
                        }
                    }
                    return true;
                }
            }
        }
    }
    false
}

/// Strongly connected components (Tarjan), those that are waited for first; without recursion.
pub(super) fn components(count: usize, edges: &dyn Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    const NONE: usize = usize::MAX;
    let (mut number, mut low) = (vec![NONE; count], vec![0; count]);
    let (mut open, mut is_open) = (Vec::new(), vec![false; count]);
    let (mut found, mut next) = (Vec::new(), 0);
    for start in 0..count {
        if number[start] != NONE {
            continue;
        }
        let mut work: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut enter = Some(start);
        loop {
            if let Some(node) = enter.take() {
                number[node] = next;
                low[node] = next;
                next += 1;
                open.push(node);
                is_open[node] = true;
                let mut to = edges(node);
                to.reverse();
                work.push((node, to));
            }
            let Some((node, rest)) = work.last_mut() else { break };
            let node = *node;
            match rest.pop() {
                Some(to) if number[to] == NONE => enter = Some(to),
                Some(to) if is_open[to] => low[node] = low[node].min(number[to]),
                Some(_) => {}
                None => {
                    work.pop();
                    if let Some((parent, _)) = work.last() {
                        low[*parent] = low[*parent].min(low[node]);
                    }
                    if low[node] == number[node] {
                        let mut component = Vec::new();
                        while let Some(member) = open.pop() {
                            is_open[member] = false;
                            component.push(member);
                            if member == node {
                                break;
                            }
                        }
                        found.push(component);
                    }
                }
            }
        }
    }
    found
}
