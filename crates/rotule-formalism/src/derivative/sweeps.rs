//! Derivatives over the graph of a function, and the shape of derivatives.
//!
//! A matrix by one parameter stays a matrix. Otherwise there is a column per direction and a row
//! per entry, by rows: of a vector that is its Jacobian.

use super::name;
use crate::function::By;
use crate::writer::Writer;
use rotule_program::lower::Target;
use rotule_symbolic::{Direction, Expr, sum};
use std::collections::BTreeMap;

/// Derivatives of expressions: columns and values.
type Rows = BTreeMap<Expr, Vec<(usize, Expr)>>;

/// One direction at a time.
pub(super) fn forward(
    writer: Writer<'_, '_>,
    outputs: &[Target],
    directions: &[Direction],
    by: &By,
) -> Vec<Target> {
    // An expression may be an output twice.
    let mut exprs: Vec<Expr> =
        outputs.iter().flat_map(|output| output.entries.iter().map(|entry| entry.2)).collect();
    exprs.sort_unstable();
    exprs.dedup();
    let mut rows = Rows::new();
    for (row, column, value) in writer.derivatives_along(&writer.scalars(&exprs), directions) {
        rows.entry(exprs[row]).or_default().push((column, value.expr()));
    }
    outputs.iter().map(|output| shaped(writer, output, by, directions.len(), &rows)).collect()
}

/// One output at a time.
pub(super) fn backward(
    writer: Writer<'_, '_>,
    outputs: &[Target],
    directions: &[Direction],
    by: &By,
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
        let gradient = writer.edit(|graph| graph.gradient(expr, &symbols));
        let gradient = writer.scalars(&gradient);
        let along = |direction: &Direction| {
            // Every symbol of a rate is among the symbols.
            let place = |symbol: &Expr| symbols.binary_search(symbol).ok();
            let terms = direction
                .rates
                .iter()
                .filter_map(|(symbol, rate)| Some(gradient[place(symbol)?] * writer.scalar(*rate)));
            sum(terms)
        };
        let all = directions.iter().map(along).enumerate();
        let entries = all.filter(|(_, value)| !value.is_zero());
        rows.insert(expr, entries.map(|(column, value)| (column, value.expr())).collect());
    }
    outputs.iter().map(|output| shaped(writer, output, by, directions.len(), &rows)).collect()
}

/// The derivative of an output from those of its entries.
fn shaped(
    writer: Writer<'_, '_>,
    output: &Target,
    by: &By,
    directions: usize,
    rows: &Rows,
) -> Target {
    let single = by.is_single();
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
    let name = name(writer, &output.name, by);
    Target { name, rows, columns, symmetric, entries }
}
