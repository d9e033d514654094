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
use super::{DerivativeMethod, floating_base};
use crate::composite::{self, MatrixKind};
use crate::formalism::Formalism;
use crate::forward::Solved;
use crate::function::By;
use crate::parts::{Given, Parts};
use crate::spatial::Wrench;
use crate::tree::{ByNode, NodeId};
use crate::writer::{Entries, Writer, exprs};
use crate::{dynamics, forces};
use rotule_model::index::{BySpeed, SpeedId};
use rotule_symbolic::{Direction, Expr, Scalar};
use std::collections::BTreeMap;

/// With more speeds, derivatives by speeds go by composite bodies without a look at the graph:
/// those over the graph are more expensive by a quarter and more, and take most of the time.
pub(super) const FORWARD: usize = 8;

/// Parts of inverse dynamics, by coordinates, speeds or accelerations.
pub(super) fn inverse<'g>(
    writer: Writer<'_, 'g>,
    parts: Parts,
    laws: bool,
    formalism: Formalism,
    by: &By,
) -> Option<Entries<'g>> {
    match by {
        By::Accelerations if parts.accelerations => {
            let directions = directions(writer, by);
            let lower = dynamics::masses(writer, formalism);
            let mut entries = mirrored(&lower);
            entries.retain(|entry| !directions[entry.1].rates.is_empty());
            Some(entries)
        }
        By::Coordinates | By::Speeds => {
            let given = parts.of(writer);
            Some(moved(writer, &given, parts.forces, laws, formalism, by))
        }
        _ => None,
    }
}

/// All entries of a symmetric matrix from those at or below its diagonal, by rows.
fn mirrored<'g>(lower: &Entries<'g>) -> Entries<'g> {
    let off = lower.iter().filter(|entry| entry.0 != entry.1);
    let mut entries: Entries<'g> = off.map(|&(row, column, e)| (column, row, e)).collect();
    entries.extend(lower);
    entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
    entries
}

/// Inverse dynamics by coordinates or speeds, at given accelerations.
fn moved<'g>(
    writer: Writer<'_, 'g>,
    given: &Given,
    forces: bool,
    laws: bool,
    formalism: Formalism,
    by: &By,
) -> Entries<'g> {
    let directions = directions(writer, by);
    let kind = if *by == By::Speeds { MatrixKind::Speeds } else { MatrixKind::Coordinates };
    let mut entries = composite::matrix(writer, given, kind, formalism);
    entries.retain(|entry| !directions[entry.1].rates.is_empty());
    let mut rest = Vec::new();
    if forces {
        rest = applied(writer, &directions);
    }
    if laws {
        rest.extend(writer.derivatives_along(&writer.laws(), &directions));
    }
    less(entries, rest)
}

/// The efforts that changes of forces on nodes make.
fn applied<'g>(writer: Writer<'_, 'g>, directions: &[Direction]) -> Entries<'g> {
    let wrenches = forces::on_nodes(writer);
    let parts = wrenches.iter().flat_map(|one| one.force.0.into_iter().chain(one.torque.0));
    let parts: Vec<Scalar<'g>> = parts.map(|part| writer.scalar(part)).collect();
    let directions = writer.total_directions(&parts, directions.to_vec());
    let mut changes = writer.tree.by_node(BTreeMap::new());
    for (row, column, value) in writer.derivatives_along(&parts, &directions) {
        let wrench = changes[NodeId::new(row / 6)].entry(column).or_insert(Wrench::ZERO);
        let part = if row % 6 < 3 { &mut wrench.force } else { &mut wrench.torque };
        part[row % 3] = value;
    }
    handed_on(writer, changes)
}

/// The efforts of wrenches on nodes, by columns.
fn handed_on<'g>(
    writer: Writer<'_, 'g>,
    mut changes: ByNode<BTreeMap<usize, Wrench<'g>>>,
) -> Entries<'g> {
    let mut entries = Vec::new();
    for node in writer.tree.inward() {
        let own = std::mem::take(&mut changes[node]);
        if own.is_empty() {
            continue;
        }
        let (rotation, position) = writer.placed(node);
        for (column, wrench) in own {
            let wrench = writer.name_column("dF", node, SpeedId::new(column), wrench);
            for row in writer.columns(node) {
                let effort = row.phi.dot(wrench.torque) + row.psi.dot(wrench.force);
                entries.push((row.speed.index(), column, effort));
            }
            let sums = &mut changes[writer.tree.nodes[node].parent];
            *sums.entry(column).or_insert(Wrench::ZERO) += wrench.carried(rotation, position);
        }
    }
    entries
}

/// Forward dynamics by anything but accelerations: by all ways there are, or by the one that looks
/// cheapest.
pub(super) fn forward<'g>(
    writer: Writer<'_, 'g>,
    solved: &Solved<'g>,
    formalism: Formalism,
    by: &By,
    all: bool,
) -> Vec<(DerivativeMethod, Entries<'g>)> {
    if *by == By::Accelerations {
        return Vec::new();
    }
    if *by == By::Efforts {
        return vec![(DerivativeMethod::Implicit, by_efforts(solved))];
    }
    let mut changes = Vec::new();
    if all || *by != By::Speeds || writer.speeds() <= FORWARD {
        let over_graph = at(writer, &solved.qdd, formalism, by);
        changes.push((DerivativeMethod::ImplicitForward, over_graph));
    }
    if matches!(by, By::Coordinates | By::Speeds) {
        let mut given = Parts::ALL.of(writer);
        given.motion.qdd = exprs(&solved.qdd).into();
        let moved = moved(writer, &given, true, true, formalism, by);
        changes.insert(0, (DerivativeMethod::Implicit, moved));
    }
    let known = floating_base::known(writer, by);
    for (_, entries) in &mut changes {
        entries.retain(|entry| !known.columns.iter().any(|columns| columns.contains(&entry.1)));
    }
    // To solve takes about the same from here on.
    if !all && let [first, second] = &changes[..] {
        let operations = |(_, entries): &(DerivativeMethod, Entries<'g>)| {
            let changes = entries.iter().map(|entry| entry.2);
            writer.operations(changes.chain(solved.qdd.iter().copied()))
        };
        let costlier = usize::from(operations(first) <= operations(second));
        changes.remove(costlier);
    }
    let found = changes.into_iter().map(|(way, changes)| {
        let mut entries = by_changes(writer, solved, changes, by);
        entries.extend(known.entries.iter().filter(|entry| !entry.2.is_zero()));
        entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
        (way, entries)
    });
    found.collect()
}

/// Forward dynamics by efforts: the inverse of the mass matrix.
fn by_efforts<'g>(solved: &Solved<'g>) -> Entries<'g> {
    let rows = &solved.rows;
    let entry = |(row, column, value): (usize, usize, Scalar<'g>)| (rows[row], rows[column], value);
    mirrored(&solved.factor.inverse("Mi").into_iter().map(entry).collect())
}

/// Forward dynamics from the changes of inverse dynamics.
fn by_changes<'g>(
    writer: Writer<'_, 'g>,
    solved: &Solved<'g>,
    changes: Entries<'g>,
    by: &By,
) -> Entries<'g> {
    let Solved { factor, rows, .. } = solved;
    let mut columns: BTreeMap<usize, Vec<Scalar<'g>>> = BTreeMap::new();
    for (row, column, value) in changes {
        if let Ok(at) = rows.binary_search(&row) {
            columns.entry(column).or_insert_with(|| vec![Scalar::ZERO; rows.len()])[at] = -value;
        }
    }
    let mut entries = Vec::new();
    for (column, b) in columns {
        let solution = factor.solve(&b, &format!("da[{}]", column + 1));
        entries.extend(rows.iter().zip(solution).map(|(&row, value)| (row, column, value)));
    }
    // What is known of driven joints may depend on parameters.
    let qdd = writer.qdd();
    let known = writer.derivatives_along(&qdd, &directions(writer, by));
    entries.extend(known.into_iter().filter(|(row, ..)| rows.binary_search(row).is_err()));
    entries.retain(|entry| !entry.2.is_zero());
    entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
    entries
}

/// Inverse dynamics by anything but accelerations, which are put in afterwards.
fn at<'g>(
    writer: Writer<'_, 'g>,
    qdd: &BySpeed<Scalar<'g>>,
    formalism: Formalism,
    by: &By,
) -> Entries<'g> {
    let efforts = dynamics::beyond_laws(writer, formalism);
    let directions = writer.total_directions(efforts.as_slice(), directions(writer, by));
    let found = writer.derivatives_along(&efforts, &directions);
    let values: Vec<Expr> = found.iter().map(|entry| entry.2.expr()).collect();
    let symbols = writer.mechanism.speeds.iter().map(|speed| speed.acceleration);
    let pairs: Vec<(Expr, Expr)> = symbols.zip(exprs(qdd)).collect();
    let values = writer.scalars(&writer.substitute(&values, &pairs));
    found.into_iter().zip(values).map(|((row, column, _), value)| (row, column, value)).collect()
}

/// The difference of two matrices, in order.
fn less<'g>(entries: Entries<'g>, other: Entries<'g>) -> Entries<'g> {
    let mut sums: BTreeMap<(usize, usize), Scalar<'g>> = BTreeMap::new();
    let negative = other.into_iter().map(|(row, column, value)| (row, column, -value));
    for (row, column, value) in entries.into_iter().chain(negative) {
        *sums.entry((row, column)).or_insert(Scalar::ZERO) += value;
    }
    sums.retain(|_, value| !value.is_zero());
    sums.into_iter().map(|((row, column), value)| (row, column, value)).collect()
}
