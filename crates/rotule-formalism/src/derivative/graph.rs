//! Derivatives over the graph of a function, and the shape of derivatives.
//!
//! A matrix by one parameter stays a matrix. Otherwise there is a column per direction and a row
//! per entry, by rows: of a vector that is its Jacobian.

use super::name;
use crate::function::By;
use crate::tree::Tree;
use rotule_program::lower::Target;
use rotule_symbolic::{Direction, Expr};
use std::collections::BTreeMap;

/// Derivatives of expressions: columns and values.
type Rows = BTreeMap<Expr, Vec<(usize, Expr)>>;

/// One direction at a time.
pub(super) fn forward(
    tree: &mut Tree,
    outputs: &[Target],
    directions: &[Direction],
    by: By,
) -> Vec<Target> {
    // An expression may be an output twice.
    let mut exprs: Vec<Expr> =
        outputs.iter().flat_map(|output| output.entries.iter().map(|entry| entry.2)).collect();
    exprs.sort_unstable();
    exprs.dedup();
    let found = tree.mechanism.graph.derivatives_along(&exprs, directions);
    let mut rows = Rows::new();
    for (row, column, value) in found.entries {
        rows.entry(exprs[row]).or_default().push((column, value));
    }
    outputs.iter().map(|output| shaped(tree, output, by, directions.len(), &rows)).collect()
}

/// One output at a time.
pub(super) fn backward(
    tree: &mut Tree,
    outputs: &[Target],
    directions: &[Direction],
    by: By,
) -> Vec<Target> {
    let mut symbols: Vec<Expr> =
        directions.iter().flat_map(|one| one.rates.iter().map(|rate| rate.0)).collect();
    symbols.sort_unstable();
    symbols.dedup();
    let mut rows = Rows::new();
    for expr in outputs.iter().flat_map(|output| output.entries.iter().map(|entry| entry.2)) {
        if rows.contains_key(&expr) {
            continue;
        }
        let graph = &mut tree.mechanism.graph;
        let gradient = graph.gradient(expr, &symbols);
        let mut list = Vec::new();
        for (column, direction) in directions.iter().enumerate() {
            let mut terms = Vec::with_capacity(direction.rates.len());
            for (symbol, rate) in &direction.rates {
                // Every symbol of a rate is among the symbols.
                if let Ok(at) = symbols.binary_search(symbol) {
                    terms.push(graph.mul(gradient[at], *rate));
                }
            }
            let value = graph.sum(&terms);
            if value != Expr::ZERO {
                list.push((column, value));
            }
        }
        rows.insert(expr, list);
    }
    outputs.iter().map(|output| shaped(tree, output, by, directions.len(), &rows)).collect()
}

/// The derivative of an output from those of its entries.
fn shaped(tree: &Tree, output: &Target, by: By, directions: usize, rows: &Rows) -> Target {
    let single = matches!(by, By::Parameter(_));
    let symmetric = single && output.symmetric;
    let mut list = output.entries.clone();
    if output.symmetric && !symmetric {
        let mirrored = output.entries.iter().filter(|entry| entry.0 != entry.1);
        list.extend(mirrored.map(|&(row, column, value)| (column, row, value)));
    }
    let mut entries = Vec::new();
    for (row, column, value) in list {
        for &(direction, derivative) in rows.get(&value).into_iter().flatten() {
            entries.push(if single {
                (row, column, derivative)
            } else {
                (row * output.columns + column, direction as u32, derivative)
            });
        }
    }
    entries.sort_unstable_by_key(|entry| (entry.0, entry.1));
    let (rows, columns) = if single {
        (output.rows, output.columns)
    } else {
        (output.rows * output.columns, directions as u32)
    };
    Target { name: name(tree, &output.name, by), rows, columns, symmetric, entries }
}
