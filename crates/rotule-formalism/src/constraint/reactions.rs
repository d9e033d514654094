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

use super::closed::close;
use super::{ConstraintElement, cut, is_constrained, rolling};
use crate::formalism::Formalism;
use crate::function::Call;
use crate::newton_euler;
use crate::problem::Problem;
use crate::spatial::Wrench;
use crate::system::MotionInput;
use crate::writer::{Writer, exprs};
use rotule_model::mechanism::{CutKind, Frame};
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Graph, Vector};
use std::collections::HashMap;

/// A wrench on a frame that is fixed to a body, in its axes and about its origin.
#[derive(Clone, Copy)]
pub(super) struct Load<'g> {
    pub on: Frame,
    pub wrench: Wrench<'g>,
}

/// The multipliers of all rows of a closed tree by element and name.
pub(super) struct Solved(HashMap<(ConstraintElement, String), Expr>);

impl Solved {
    /// The multipliers of a closed tree, and its motion with accelerations.
    fn of(
        writer: Writer<'_, '_>,
        formalism: Formalism,
        function: &str,
    ) -> Result<(Solved, MotionInput), Problem> {
        let closed = close(writer, writer.partition(function)?)?;
        let (qdd, lambda) = closed.forward(writer, formalism, function)?;
        let motion = MotionInput { qdd: exprs(&qdd).into(), ..closed.motion };
        let named = closed.rows.into_iter().map(|row| (row.element, row.name));
        Ok((Solved(named.zip(exprs(&lambda)).collect()), motion))
    }

    /// The multiplier of a row; zero if it was dropped or repeats others.
    pub fn multiplier(&self, element: ConstraintElement, name: String) -> Expr {
        self.0.get(&(element, name)).copied().unwrap_or(Expr::ZERO)
    }
}

/// `closure_reactions`
pub fn cuts(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let cuts = &writer.mechanism.cuts;
    let (mut forces, mut torques, mut tensions) = (Vec::new(), Vec::new(), Vec::new());
    if is_constrained(writer.mechanism) {
        let (solved, motion) = Solved::of(writer, call.formalism, "closure_reactions")?;
        let writer = Writer { motion: &motion, ..writer };
        for [first, _] in cut::loads(writer, &solved) {
            forces.extend(first.wrench.force.plain().0);
            torques.extend(first.wrench.torque.plain().0);
        }
        for (at, cut) in cuts.iter().enumerate() {
            let CutKind::Rod { length } = cut.kind else { continue };
            let name = cut::row_name(cut, cut::LENGTH);
            let lambda = writer.scalar(solved.multiplier(ConstraintElement::Cut(at), name));
            tensions.push((-(lambda * writer.scalar(length))).expr());
        }
    }
    Ok(vec![
        Target::matrix("force", cuts.len() as u32, 3, &forces),
        Target::matrix("torque", cuts.len() as u32, 3, &torques),
        Target::vector("tension", &tensions),
    ])
}

/// The force of the ground on a wheel that rolls, along forward, left and normal, and the motion of
/// the closed tree.
pub(crate) struct Held {
    pub force: Vector,
    pub motion: MotionInput,
}

/// The force that holds a wheel that rolls; none if the wheel has laws.
pub(crate) fn of_rolling(
    writer: Writer<'_, '_>,
    formalism: Formalism,
    at: usize,
) -> Result<Option<Held>, Problem> {
    let wheel = &writer.mechanism.wheels[at];
    if !wheel.rolling {
        return Ok(None);
    }
    let (solved, motion) = Solved::of(writer, formalism, "wheel")?;
    Ok(Some(Held { force: rolling::force(wheel, &solved, at), motion }))
}

/// `closed_reactions`
pub fn joints(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    const FUNCTION: &str = "closed_reactions";
    if !is_constrained(writer.mechanism) {
        let qdd = crate::forward::accelerations(writer, FUNCTION, Formalism::Barycentric)?;
        let motion = MotionInput { qdd: exprs(&qdd).into(), ..writer.motion.clone() };
        return newton_euler::transmitted(Writer { motion: &motion, ..writer }, Vec::new());
    }
    let sensed = writer.mechanism.constraints.iter().find(|one| {
        let used = |graph: &Graph| writer.mechanism.signals_in(graph, &[one.expression]).len();
        writer.read(used) > 0
    });
    if let Some(constraint) = sensed {
        return Err(Problem::new(
            format!(
                "`{FUNCTION}`: the bodies that constraint `{}` acts on are not known, because it uses a sensor",
                constraint.name
            ),
            "write it with coordinates or as a loop closure `[[cut]]`; `closure_reactions` is available",
        ));
    }
    let (solved, motion) = Solved::of(writer, call.formalism, FUNCTION)?;
    let writer = Writer { motion: &motion, ..writer };
    let mut loads: Vec<Load<'_>> = cut::loads(writer, &solved).into_iter().flatten().collect();
    loads.extend(rolling::loads(writer, &solved));
    let carried = |Load { on, wrench }: Load<'_>| {
        let place = writer.locate(on);
        (on.body, wrench.carried(place.R, place.d).plain())
    };
    newton_euler::transmitted(writer, loads.into_iter().map(carried).collect())
}
