//! Multipliers as what they are: forces and torques between bodies.
//!
//! A row says `hd = sum of linear . v + angular . w` over the two ends of its cut, so that its
//! multiplier acts on each end with the force `lambda linear` at the place of the cut and with the
//! torque `lambda angular`. All rows of a cut together are the wrench of its joint:
//!
//! ```text
//! F = sum lambda_i linear_i        T = sum lambda_i angular_i         on the first body, in the axes of the first place
//! ```
//!
//! A rod's row is half a square, so that its tension is `-lambda l`, positive when it pulls its
//! ends together. With the wrenches of all cuts as forces on the bodies, Newton and Euler give what
//! the other joints transmit.

use super::closed::{self, close};
use super::{ConstraintElement, cut, is_constrained, rolling};
use crate::formalism::Formalism;
use crate::function::Call;
use crate::newton_euler;
use crate::problem::Problem;
use crate::tree::{Tree, Wrench};
use rotule_model::mechanism::{CutKind, Frame};
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Vector};
use std::collections::HashMap;

/// A wrench on a frame that is fixed to a body, in its axes and about its origin.
#[derive(Clone, Copy)]
pub(super) struct Load {
    pub on: Frame,
    pub wrench: Wrench,
}

/// The multipliers of all rows of a closed tree by element and name.
pub(super) struct Solved(HashMap<(ConstraintElement, String), Expr>);

impl Solved {
    /// The tree has its accelerations from here on.
    fn of(tree: &mut Tree, formalism: Formalism, function: &str) -> Result<Solved, Problem> {
        let closed = close(tree, function)?;
        let (qdd, found) = closed::forward(tree, &closed, formalism, function)?;
        tree.qdd = qdd;
        let named = closed.rows.into_iter().map(|row| (row.element, row.name));
        Ok(Solved(named.zip(found).collect()))
    }

    /// The multiplier of a row; zero if it was dropped or repeats others.
    pub fn multiplier(&self, element: ConstraintElement, name: String) -> Expr {
        self.0.get(&(element, name)).copied().unwrap_or(Expr::ZERO)
    }
}

/// `closure_reactions`
pub fn cuts(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let count = tree.mechanism.cuts.len() as u32;
    let rods: Vec<(usize, Expr)> = (tree.mechanism.cuts.iter().enumerate())
        .filter_map(|(at, cut)| match cut.kind {
            CutKind::Rod { length } => Some((at, length)),
            CutKind::Joint { .. } => None,
        })
        .collect();
    let (mut forces, mut torques, mut tensions) = (Vec::new(), Vec::new(), Vec::new());
    if is_constrained(tree) {
        let solved = Solved::of(tree, call.formalism, "closure_reactions")?;
        for [first, _] in cut::loads(tree, &solved) {
            forces.extend(first.wrench.force.0);
            torques.extend(first.wrench.torque.0);
        }
        for (at, length) in rods {
            let name = cut::row_name(&tree.mechanism.cuts[at], cut::LENGTH);
            let lambda = solved.multiplier(ConstraintElement::Cut(at), name);
            tensions.push(-tree.mechanism.graph.mul(lambda, length));
        }
    }
    Ok(vec![
        Target::matrix("force", count, 3, &forces),
        Target::matrix("torque", count, 3, &torques),
        Target::vector("tension", &tensions),
    ])
}

/// The force of the ground on a wheel that rolls, along forward, left and normal; none if the wheel
/// has laws. The tree is closed from here on.
pub(crate) fn of_rolling(
    tree: &mut Tree,
    formalism: Formalism,
    wheel: usize,
) -> Result<Option<Vector>, Problem> {
    if !tree.mechanism.wheels[wheel].rolling {
        return Ok(None);
    }
    let solved = Solved::of(tree, formalism, "wheel")?;
    Ok(Some(rolling::force(tree, &solved, wheel)))
}

/// `closed_reactions`
pub fn joints(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    const FUNCTION: &str = "closed_reactions";
    if !is_constrained(tree) {
        tree.qdd = crate::forward::accelerations(tree, FUNCTION, Formalism::Barycentric)?;
        return newton_euler::transmitted(tree, Vec::new());
    }
    let sensed = tree.mechanism.constraints.iter().find(|one| !one.signals.is_empty());
    if let Some(constraint) = sensed {
        return Err(Problem::new(
            format!(
                "`{FUNCTION}`: the bodies that constraint `{}` acts on are not known, because it uses a sensor",
                constraint.name
            ),
            "write it with coordinates or as a loop closure `[[cut]]`; `closure_reactions` is available",
        ));
    }
    let solved = Solved::of(tree, call.formalism, FUNCTION)?;
    let mut loads: Vec<Load> = cut::loads(tree, &solved).into_iter().flatten().collect();
    loads.extend(rolling::loads(tree, &solved));
    let mut applied = Vec::new();
    for Load { on, wrench } in loads {
        let (_, placement) = tree.locate(on);
        let graph = &mut tree.mechanism.graph;
        let carried = wrench.carried(placement.rotation, placement.position, graph);
        applied.push((on.body, carried));
    }
    newton_euler::transmitted(tree, applied)
}
