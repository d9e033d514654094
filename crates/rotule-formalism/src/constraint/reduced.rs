//! Further functions of the reduction of a closed tree: inverse dynamics, the efforts of drives,
//! the map from independent speeds to all (Postiau, section 2.5.1), and the equations in all
//! coordinates for those who solve them otherwise (2.5.3).
//!
//! ```text
//! qd = S qd + e'           S: rows of the unit matrix for independent speeds, of B for dependent ones
//! Psi = S' (Phi - Q)       what independent joints must deliver; efforts of any drives Q_a do it if S' Q_a = Psi
//! ```

use super::actuated::{self, ActuationReport, Map};
use super::closed::{self, Closed, close};
use super::{function as rows, is_constrained};
use crate::dynamics::{self, parts};
use crate::formalism::Formalism;
use crate::function::Call;
use crate::parts::Parts;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_program::lower::Target;
use rotule_symbolic::Expr;
use std::collections::HashMap;

/// The efforts that independent joints must deliver, and the map from drives to them.
struct Demand {
    /// The tree before its loops were closed.
    open: Tree,
    /// By the rows of the map.
    psi: Vec<Expr>,
    map: Map,
}

/// The efforts that the given accelerations need.
fn demand(tree: &mut Tree, call: &Call<'_>, function: &str) -> Result<Demand, Problem> {
    let open = tree.clone();
    let (rows, all, coupling) = if is_constrained(tree) {
        let closed = close(tree, function)?;
        let mut qdd = tree.qdd.clone();
        for ((speed, row), &rate) in
            closed.partition.dependent().zip(&closed.coupling).zip(&closed.rate)
        {
            let mut terms = vec![rate];
            for (&value, &at) in row.iter().zip(&closed.partition.independent) {
                // What known accelerations do is in the rate.
                if closed::is_free(tree, at) {
                    terms.push(tree.mechanism.graph.mul(value, qdd[at]));
                }
            }
            qdd[speed] = tree.mechanism.graph.sum(&terms);
        }
        let none = vec![Expr::ZERO; qdd.len()];
        let all = projected(tree, &closed, qdd, &none, call.formalism);
        let dependent = closed.partition.dependent().zip(closed.coupling.iter().cloned());
        (closed.partition.independent.clone(), all, dependent.collect())
    } else {
        let mut all = parts(tree, Parts::ALL, call.formalism);
        for (effort, &law) in all.iter_mut().zip(&tree.laws) {
            *effort = tree.mechanism.graph.sub(*effort, law);
        }
        ((0..tree.speeds()).collect(), all, HashMap::new())
    };
    let psi: Vec<Expr> = rows.iter().map(|&at| all[at]).collect();
    let (drives, weights): (Vec<usize>, Vec<Expr>) =
        actuated::drives(tree, &rows).into_iter().unzip();
    let mut entries = vec![vec![Expr::ZERO; drives.len()]; rows.len()];
    let place: HashMap<usize, usize> =
        rows.iter().enumerate().map(|(row, &at)| (at, row)).collect();
    for (column, drive) in drives.iter().enumerate() {
        match (place.get(drive), coupling.get(drive)) {
            (Some(&row), _) => entries[row][column] = Expr::ONE,
            (None, Some(own)) => {
                entries.iter_mut().zip(own).for_each(|(row, &value)| row[column] = value);
            }
            (None, None) => {}
        }
    }
    Ok(Demand { open, psi, map: Map { rows, drives, weights, entries } })
}

/// Returns `true` if the model says where drives are.
fn names_drives(tree: &Tree) -> bool {
    tree.mechanism.joints.iter().any(|joint| joint.actuation.is_some())
}

/// `closed_inverse`
pub fn inverse(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let named = names_drives(tree);
    let Demand { open, psi, map } = demand(tree, call, "closed_inverse")?;
    let (efforts, missing) = if named {
        let (efforts, missing, _) = actuated::shared(tree, &open, &map, &psi)?;
        (efforts, missing)
    } else {
        let mut efforts = vec![Expr::ZERO; tree.speeds()];
        map.rows.iter().zip(psi).for_each(|(&at, value)| efforts[at] = value);
        let missing = vec![Expr::ZERO; efforts.len()];
        (efforts, missing)
    };
    Ok(vec![Target::vector("effort", &efforts), Target::vector("missing", &missing)])
}

/// The distribution of efforts in `closed_inverse`; none if the model does not say where drives
/// are.
pub fn report(tree: &Tree) -> Option<ActuationReport> {
    if !names_drives(tree) {
        return None;
    }
    let mut draft = tree.clone();
    let call = Call { arguments: &[], formalism: Formalism::NewtonEuler };
    let Demand { open, psi, map } = demand(&mut draft, &call, "closed_inverse").ok()?;
    actuated::shared(&mut draft, &open, &map, &psi).ok().map(|found| found.2)
}

/// `actuation`
pub fn actuation(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let Demand { psi, map, .. } = demand(tree, call, "actuation")?;
    let size = tree.speeds();
    let mut needed = vec![Expr::ZERO; size];
    let mut entries = Vec::new();
    for ((&at, &value), row) in map.rows.iter().zip(&psi).zip(&map.entries) {
        needed[at] = value;
        for (&drive, &factor) in map.drives.iter().zip(row) {
            if factor != Expr::ZERO {
                entries.push((at as u32, drive as u32, factor));
            }
        }
    }
    let (rows, columns) = (size as u32, size as u32);
    let map = Target { name: "Ga".to_owned(), rows, columns, symmetric: false, entries };
    Ok(vec![Target::vector("Psi", &needed), map])
}

/// `drives` of a closed tree.
pub(crate) fn drives(tree: &mut Tree, formalism: Formalism) -> Result<Vec<Expr>, Problem> {
    let closed = close(tree, "drives")?;
    let (qdd, _) = closed::forward(tree, &closed, formalism, "drives")?;
    // The outputs are the efforts of drives of known motions.
    let free: Vec<bool> = (0..qdd.len()).map(|at| closed::is_free(tree, at)).collect();
    let given = tree.mechanism.speeds.iter().zip(&free);
    let applied: Vec<Expr> =
        given.map(|(speed, free)| if *free { speed.effort } else { Expr::ZERO }).collect();
    let efforts = projected(tree, &closed, qdd, &applied, formalism);
    let known = |(effort, free): (Expr, bool)| if free { Expr::ZERO } else { effort };
    Ok(efforts.into_iter().zip(free).map(known).collect())
}

/// `S' (Phi - Q)` at given accelerations, by independent speeds; zero for dependent ones.
fn projected(
    tree: &mut Tree,
    closed: &Closed,
    qdd: Vec<Expr>,
    applied: &[Expr],
    formalism: Formalism,
) -> Vec<Expr> {
    let given = std::mem::replace(&mut tree.qdd, qdd);
    let mut phi = parts(tree, Parts::ALL, formalism);
    tree.qdd = given;
    let graph = &mut tree.mechanism.graph;
    for (at, value) in phi.iter_mut().enumerate() {
        *value = graph.sum(&[*value, -tree.laws[at], -applied[at]]);
    }
    let mut efforts = vec![Expr::ZERO; phi.len()];
    for (number, &speed) in closed.partition.independent.iter().enumerate() {
        let mut terms = vec![phi[speed]];
        for (at, row) in closed.partition.dependent().zip(&closed.coupling) {
            terms.push(graph.mul(row[number], phi[at]));
        }
        efforts[speed] = graph.sum(&terms);
    }
    efforts
}

/// `reduction`
pub fn reduction(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let size = tree.speeds() as u32;
    let mut entries = Vec::new();
    if is_constrained(tree) {
        let closed = close(tree, "reduction")?;
        let independent = &closed.partition.independent;
        entries.extend(independent.iter().map(|&at| (at as u32, at as u32, Expr::ONE)));
        for (speed, row) in closed.partition.dependent().zip(&closed.coupling) {
            let row = independent.iter().zip(row).filter(|(_, value)| **value != Expr::ZERO);
            entries.extend(row.map(|(&at, &value)| (speed as u32, at as u32, value)));
        }
        entries.sort_unstable_by_key(|entry| (entry.0, entry.1));
    } else {
        entries.extend((0..size).map(|at| (at, at, Expr::ONE)));
    }
    let name = "S".to_owned();
    Ok(vec![Target { name, rows: size, columns: size, symmetric: false, entries }])
}

/// `all_coordinates`
pub fn all_coordinates(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let mut targets = dynamics::mass_bias(tree, call)?;
    let mechanism = &mut tree.mechanism;
    let given = mechanism.speeds.iter().zip(&tree.laws);
    let applied: Vec<Expr> =
        given.map(|(speed, &law)| mechanism.graph.add(speed.effort, law)).collect();
    targets.push(Target::vector("Q", &applied));
    targets.extend(rows(tree, call)?);
    Ok(targets)
}
