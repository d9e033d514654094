//! The reduced equations in implicit form, for methods of second order without multipliers: inverse
//! dynamics of the closed mechanism along its independent speeds, and their derivatives (Postiau,
//! sections 1.6.3 and 2.5.1).
//!
//! ```text
//! Psi(q, v, a) = S' (M qdd + c - Q(q, v))      S maps independent speeds to all speeds
//! M = dPsi/da, G = dPsi/dv, K = dPsi/dq        along the independent speeds, loops closed
//! ```
//!
//! No mass matrix is solved: a step of Newmark's method is Newton's iteration for `Psi = S' effort`
//! with the matrix `M + gamma h G + beta h^2 K`.

use crate::group::{self, Span};
use crate::inputs::InputPoint;
use crate::outputs::{ONLY, actuation::DEMAND};
use crate::quantity::EvaluatedFunction;
use crate::second_order::Tangents;
use rotule_formalism::constraint::is_constrained;
use rotule_formalism::{MultibodySystem, Problem};
use rotule_model::mechanism::Role;
use rotule_program::Externals;

/// The equations of one case.
pub(crate) struct ReducedEquations {
    residual: EvaluatedFunction,
    by_qdd: EvaluatedFunction,
    /// By speeds and coordinates. What cannot be differentiated is left to differences.
    others: Option<[EvaluatedFunction; 2]>,
    /// `S`; none if all speeds are independent.
    reduction: Option<EvaluatedFunction>,
    spans: Vec<Span>,
    /// The speeds of the state, with `false` for those of joints that are locked, which rest.
    speeds: Vec<(usize, bool)>,
    /// Number of all speeds.
    width: usize,
}

impl ReducedEquations {
    /// Writes the equations for the coordinates and speeds of a state.
    pub fn new(
        tree: &MultibodySystem,
        (coordinates, speeds): (&[usize], &[usize]),
        point: &InputPoint,
        externals: &mut dyn Externals,
    ) -> Result<ReducedEquations, Problem> {
        let mechanism = &tree.mechanism;
        for joint in mechanism.joints.iter().filter(|joint| joint.quaternion().is_some()) {
            let own = joint.speeds.clone().filter(|at| speeds.contains(at)).count();
            if own != 0 && own != joint.speeds.len() {
                return Err(Problem::new(
                    format!("some speeds of joint `{}` are independent, others not", joint.name),
                    "name all of them in --independent, or use --constraints index3",
                ));
            }
        }
        let new = |name: &str| EvaluatedFunction::new(tree, name);
        let by = |name: &str| new(&format!("derivative(actuation, {name})"));
        let free = |at: &usize| {
            let joint = mechanism.joints.iter().find(|joint| joint.speeds.contains(at));
            joint.is_some_and(|joint| joint.role == Role::Free)
        };
        let mut made = ReducedEquations {
            residual: new("actuation")?,
            by_qdd: by("qdd")?,
            others: by("qd").and_then(|first| Ok([first, by("q")?])).ok(),
            reduction: is_constrained(mechanism).then(|| new("reduction")).transpose()?,
            spans: group::spans(tree, coordinates, speeds),
            speeds: speeds.iter().map(|at| (*at, free(at))).collect(),
            width: tree.speeds(),
        };
        made.setup(point, externals);
        Ok(made)
    }

    fn all(&mut self) -> impl Iterator<Item = &mut EvaluatedFunction> {
        let first = [&mut self.residual, &mut self.by_qdd];
        first.into_iter().chain(self.others.iter_mut().flatten()).chain(&mut self.reduction)
    }

    /// Takes over parameters.
    pub fn setup(&mut self, point: &InputPoint, externals: &mut dyn Externals) {
        self.all().for_each(|one| one.setup(point, externals));
    }

    /// See [`EvaluatedFunction::loosen`].
    pub fn loosen(&mut self, doubled: u32, point: &InputPoint, externals: &mut dyn Externals) {
        self.all().for_each(|one| one.loosen(doubled, point, externals));
    }

    /// Moves the independent coordinates; those that follow stay, as guesses.
    pub fn moved(&self, q: &[f64], step: &[f64], reached: &mut [f64]) {
        reached.copy_from_slice(q);
        group::moved(&self.spans, q, step, reached);
    }

    /// See [`crate::second_order::Constrained::turned`].
    pub fn turned(&self, step: &[f64], row: &mut [f64]) {
        group::turned(&self.spans, step, row);
    }

    /// `Psi - S' effort` at a closed point with accelerations; false if an iteration stays open. A
    /// locked joint has no acceleration.
    pub fn residuals(
        &mut self,
        point: &InputPoint,
        externals: &mut dyn Externals,
        force: &mut [f64],
    ) -> bool {
        let mut closed = self.residual.evaluate(point, externals);
        let psi = self.residual.output(DEMAND);
        for (force, &(at, free)) in force.iter_mut().zip(&self.speeds) {
            *force = if free { psi[at] } else { point.qdd[at] };
        }
        if point.effort.iter().all(|effort| *effort == 0.0) {
            return closed;
        }
        let own = self.speeds.iter().enumerate().filter(|(_, (_, free))| *free);
        match &mut self.reduction {
            None => own.for_each(|(row, &(at, _))| force[row] -= point.effort[at]),
            Some(reduction) => {
                closed &= reduction.evaluate(point, externals);
                let s = reduction.output(ONLY);
                for (row, &(at, _)) in own {
                    let column = point.effort.iter().enumerate();
                    force[row] -= column.map(|(all, q)| s[all * self.width + at] * q).sum::<f64>();
                }
            }
        }
        closed
    }

    /// `M`, `G` and `K` at a closed point with accelerations; false where derivatives are not
    /// known, for which differences must stand in: `M` always is.
    pub fn tangents(
        &mut self,
        point: &InputPoint,
        externals: &mut dyn Externals,
        tangents: &mut Tangents,
    ) -> bool {
        let (speeds, width) = (&self.speeds, self.width);
        let gather = |from: &[f64], of_locked: f64, into: &mut [f64]| {
            for (line, &(row, free)) in into.chunks_exact_mut(speeds.len()).zip(speeds) {
                for (value, &(at, _)) in line.iter_mut().zip(speeds) {
                    *value = match free {
                        true => from[row * width + at],
                        false if row == at => of_locked,
                        false => 0.0,
                    };
                }
            }
        };
        self.by_qdd.evaluate(point, externals);
        gather(self.by_qdd.output(DEMAND), 1.0, &mut tangents.mass);
        let Some([by_qd, by_q]) = &mut self.others else { return false };
        for (quantity, into) in [(by_qd, &mut tangents.damping), (by_q, &mut tangents.stiffness)] {
            quantity.evaluate(point, externals);
            gather(quantity.output(DEMAND), 0.0, into);
        }
        tangents.damping.iter().chain(&tangents.stiffness).all(|entry| entry.is_finite())
    }
}
