//! Derivatives of the equations of motion by recursions.
//!
//! Inverse dynamics and its parts: composite bodies (`composite.rs`) give what inertia and weights
//! do, with external forces fixed to their nodes. How these forces and the joint laws change comes
//! from the graph; a change of a force on a node is felt by its joint and all below it. By
//! accelerations it is the mass matrix.
//!
//! Forward dynamics: `inverse(q, qd, qdd) = Q` holds for all `q` and `qd`, so with `qdd` as forward
//! dynamics gives it
//!
//! ```text
//! M dqdd/dx = dQ/dx - d inverse/dx          qdd fixed while inverse is differentiated
//! ```
//!
//! for the free speeds, with the factored mass matrix that gave `qdd`.

use super::directions::directions;
use super::{DerivativeMethod, afloat};
use crate::composite::{self, Entries, Wanted};
use crate::formalism::Formalism;
use crate::forward::Solved;
use crate::function::By;
use crate::parts::{Given, Parts};
use crate::tree::{Tree, Wrench};
use crate::{dynamics, forces};
use rotule_program::lower::Target;
use rotule_symbolic::{Direction, Expr};
use std::collections::BTreeMap;

/// With more speeds, derivatives by speeds go by composite bodies without a look at the graph:
/// those over the graph are more expensive by a quarter and more, and take most of the time.
pub(super) const FORWARD: usize = 8;

/// Parts of inverse dynamics, by coordinates, speeds or accelerations.
pub(super) fn inverse(
    tree: &mut Tree,
    parts: Parts,
    laws: bool,
    formalism: Formalism,
    by: By,
) -> Option<Entries> {
    match by {
        By::Accelerations if parts.accelerations => {
            let directions = directions(tree, by);
            let lower = dynamics::masses(tree, formalism);
            let mirrored = lower.iter().filter(|entry| entry.0 != entry.1);
            let upper = mirrored.map(|&(row, column, value)| (column, row, value));
            let mut entries: Entries = upper.collect();
            entries.extend(lower);
            entries.retain(|entry| !directions[entry.1].rates.is_empty());
            entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
            Some(entries)
        }
        By::Coordinates | By::Speeds => {
            let given = parts.of(tree);
            Some(moved(tree, &given, parts.forces, laws, formalism, by))
        }
        _ => None,
    }
}

/// Inverse dynamics by coordinates or speeds, at given accelerations.
fn moved(
    tree: &mut Tree,
    given: &Given,
    forces: bool,
    laws: bool,
    formalism: Formalism,
    by: By,
) -> Entries {
    let directions = directions(tree, by);
    let wanted = if by == By::Speeds { Wanted::Speeds } else { Wanted::Coordinates };
    let mut entries = composite::matrix(tree, given, wanted, formalism);
    entries.retain(|entry| !directions[entry.1].rates.is_empty());
    let mut rest = Vec::new();
    if forces {
        rest = applied(tree, &directions);
    }
    if laws {
        let laws = tree.laws.clone();
        rest.extend(tree.mechanism.graph.derivatives_along(&laws, &directions).entries);
    }
    less(tree, entries, rest)
}

/// The efforts that changes of forces on nodes make.
fn applied(tree: &mut Tree, directions: &[Direction]) -> Entries {
    let wrenches = forces::wrenches(tree);
    let exprs: Vec<Expr> =
        wrenches.iter().flat_map(|one| one.force.0.into_iter().chain(one.torque.0)).collect();
    let directions = tree.total_directions(&exprs, directions.to_vec());
    let found = tree.mechanism.graph.derivatives_along(&exprs, &directions);
    let mut changes: Vec<BTreeMap<usize, Wrench>> = vec![BTreeMap::new(); wrenches.len()];
    for (row, column, value) in found.entries {
        let wrench = changes[row / 6].entry(column).or_insert(Wrench::ZERO);
        let part = if row % 6 < 3 { &mut wrench.force } else { &mut wrench.torque };
        part[row % 3] = value;
    }
    let mut entries = Vec::new();
    for node in (1..wrenches.len()).rev() {
        let own = std::mem::take(&mut changes[node]);
        if own.is_empty() {
            continue;
        }
        let placed = tree.placed(node);
        let (speed, parent) = (tree.nodes[node].speed, tree.nodes[node].parent);
        for (column, wrench) in own {
            let label = format!("dF[{},{}]", tree.nodes[node].name, column + 1);
            let wrench = wrench.name(&label, &mut tree.mechanism.graph);
            let efforts = tree.project(node, wrench.force, wrench.torque);
            let rows = efforts.into_iter().enumerate();
            entries.extend(rows.map(|(at, value)| (speed + at, column, value)));
            let graph = &mut tree.mechanism.graph;
            let carried = wrench.carried(placed.rotation, placed.position, graph);
            let sum = changes[parent].entry(column).or_insert(Wrench::ZERO);
            *sum = sum.add(carried, graph);
        }
    }
    entries
}

/// Forward dynamics by anything but accelerations: by all ways there are, or by the one that looks
/// cheapest.
pub(super) fn forward(
    tree: &mut Tree,
    solved: &Solved,
    formalism: Formalism,
    by: By,
    all: bool,
) -> Vec<(DerivativeMethod, Entries)> {
    if by == By::Accelerations {
        return Vec::new();
    }
    if by == By::Efforts {
        return vec![(DerivativeMethod::Implicit, by_efforts(tree, solved))];
    }
    let mut changes = Vec::new();
    if all || by != By::Speeds || tree.speeds() <= FORWARD {
        changes.push((DerivativeMethod::ImplicitForward, at(tree, &solved.qdd, formalism, by)));
    }
    if matches!(by, By::Coordinates | By::Speeds) {
        let given = Given { qdd: solved.qdd.clone(), ..Parts::ALL.of(tree) };
        let moved = moved(tree, &given, true, true, formalism, by);
        changes.insert(0, (DerivativeMethod::Implicit, moved));
    }
    let known = afloat::known(tree, by);
    for (_, entries) in &mut changes {
        entries.retain(|entry| !known.columns.iter().any(|columns| columns.contains(&entry.1)));
    }
    // To solve takes about the same from here on.
    if !all && let [first, second] = &changes[..] {
        let graph = &tree.mechanism.graph;
        let operations = |(_, entries): &(DerivativeMethod, Entries)| {
            let changes = entries.iter().map(|entry| entry.2);
            let values: Vec<Expr> = changes.chain(solved.qdd.iter().copied()).collect();
            graph.evaluation_counts(&values).total()
        };
        let dearer = usize::from(operations(first) <= operations(second));
        changes.remove(dearer);
    }
    let found = changes.into_iter().map(|(way, changes)| {
        let mut entries = by_changes(tree, solved, changes, by);
        entries.extend(known.entries.iter().filter(|entry| entry.2 != Expr::ZERO));
        entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
        (way, entries)
    });
    found.collect()
}

/// Forward dynamics by efforts: the inverse of the mass matrix.
fn by_efforts(tree: &mut Tree, solved: &Solved) -> Entries {
    let rows = &solved.rows;
    let mut entries: Entries = Vec::new();
    for (row, column, value) in solved.factor.inverse("Mi", &mut tree.mechanism.graph) {
        entries.push((rows[row], rows[column], value));
        if row != column {
            entries.push((rows[column], rows[row], value));
        }
    }
    entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
    entries
}

/// Forward dynamics from the changes of inverse dynamics.
fn by_changes(tree: &mut Tree, solved: &Solved, changes: Entries, by: By) -> Entries {
    let Solved { factor, rows, .. } = solved;
    let mut columns: BTreeMap<usize, Vec<Expr>> = BTreeMap::new();
    for (row, column, value) in changes {
        if let Ok(at) = rows.binary_search(&row) {
            columns.entry(column).or_insert_with(|| vec![Expr::ZERO; rows.len()])[at] = -value;
        }
    }
    let mut entries = Vec::new();
    for (column, b) in columns {
        let name = format!("da[{}]", column + 1);
        let solution = factor.solve(&b, &name, &mut tree.mechanism.graph);
        entries.extend(rows.iter().zip(solution).map(|(&row, value)| (row, column, value)));
    }
    // What is known of driven joints may depend on parameters.
    let directions = directions(tree, by);
    let known = tree.mechanism.graph.derivatives_along(&tree.qdd, &directions).entries;
    entries.extend(known.into_iter().filter(|(row, ..)| rows.binary_search(row).is_err()));
    entries.retain(|entry| entry.2 != Expr::ZERO);
    entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
    entries
}

/// Inverse dynamics by anything but accelerations, which are put in afterwards.
fn at(tree: &mut Tree, qdd: &[Expr], formalism: Formalism, by: By) -> Entries {
    let mut efforts = dynamics::parts(tree, Parts::ALL, formalism);
    for (effort, &law) in efforts.iter_mut().zip(&tree.laws) {
        *effort = tree.mechanism.graph.sub(*effort, law);
    }
    let plain = directions(tree, by);
    let directions = tree.total_directions(&efforts, plain);
    let graph = &mut tree.mechanism.graph;
    let found = graph.derivatives_along(&efforts, &directions).entries;
    let values: Vec<Expr> = found.iter().map(|entry| entry.2).collect();
    let symbols = tree.mechanism.speeds.iter().map(|speed| speed.acceleration);
    let pairs: Vec<(Expr, Expr)> = symbols.zip(qdd.iter().copied()).collect();
    let values = graph.substitute(&values, &pairs);
    found.into_iter().zip(values).map(|((row, column, _), value)| (row, column, value)).collect()
}

/// The difference of two matrices, in order.
fn less(tree: &mut Tree, entries: Entries, other: Entries) -> Entries {
    let mut sums: BTreeMap<(usize, usize), Expr> = BTreeMap::new();
    let negative = other.into_iter().map(|(row, column, value)| (row, column, -value));
    for (row, column, value) in entries.into_iter().chain(negative) {
        let sum = sums.entry((row, column)).or_insert(Expr::ZERO);
        *sum = tree.mechanism.graph.add(*sum, value);
    }
    sums.retain(|_, value| *value != Expr::ZERO);
    sums.into_iter().map(|((row, column), value)| (row, column, value)).collect()
}

/// A square output.
pub(crate) fn square(name: String, size: usize, entries: Entries) -> Target {
    let entry = |(row, column, value): (usize, usize, Expr)| (row as u32, column as u32, value);
    let entries = entries.into_iter().map(entry).collect();
    Target { name, rows: size as u32, columns: size as u32, symmetric: false, entries }
}
