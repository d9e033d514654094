//! What else the reduction of a closed tree gives: inverse dynamics, the efforts of drives, the map from independent speeds
//! to all (Postiau, section 2.5.1), and the equations in all coordinates for those who solve them otherwise (2.5.3).
//!
//! ```text
//! qd = S qd + e'           S: rows of the unit matrix for independent speeds, of B for dependent ones
//! Psi = S' (Phi - Q)       what independent joints must deliver; efforts of any drives Q_a do it if S' Q_a = Psi
//! ```

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

/// `closed_inverse`
pub fn inverse(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    if !is_constrained(tree) {
        return dynamics::inverse(tree, call);
    }
    let closed = close(tree, "closed_inverse")?;
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
    let efforts = projected(tree, &closed, qdd, &none, call.formalism);
    Ok(vec![Target::vector("effort", &efforts)])
}

/// `drives` of a closed tree.
pub(crate) fn drives(tree: &mut Tree, formalism: Formalism) -> Result<Vec<Expr>, Problem> {
    let closed = close(tree, "drives")?;
    let (qdd, _) = closed::direct(tree, &closed, formalism, "drives")?;
    // Drives of known motions deliver what is asked for here.
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
