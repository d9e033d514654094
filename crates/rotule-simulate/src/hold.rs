//! Joints that events may hold: each has parameters that say where, and is driven there while it is
//! held.

use crate::inputs::InputPoint;
use crate::outputs;
use crate::plant::Plant;
use crate::quantity::EvaluatedFunction;
use rotule_formalism::{MultibodySystem, Problem, ProgramCache, normalise};
use rotule_model::mechanism::{Action, Mechanism, Requirement, Role};
use rotule_symbolic::Expr;
use std::ops::Range;

/// A joint that events may hold.
#[derive(Clone, Debug)]
pub(crate) struct Hold {
    pub joint: usize,
    pub parameters: Range<usize>,
}

/// Gives every joint that events may hold parameters for where it is held; gives these joints, and
/// those that are locked from the beginning.
pub(crate) fn lockable(base: &mut Mechanism, start: &mut InputPoint) -> (Vec<Hold>, Vec<usize>) {
    let mut joints = Vec::new();
    for event in &base.events {
        for action in &event.actions {
            match *action {
                Action::Lock(joint) | Action::Unlock(joint) | Action::Stick { joint, .. } => {
                    joints.push(joint);
                }
                Action::Impact { speed, .. } if event.stop => {
                    joints.extend(base.joints.iter().position(|one| one.speeds.contains(&speed)));
                }
                _ => {}
            }
        }
    }
    joints.sort_unstable();
    joints.dedup();
    let (mut holds, mut held) = (Vec::new(), Vec::new());
    for joint in joints {
        let first = base.parameters.len();
        for at in base.joints[joint].coordinates.clone() {
            let name = format!("{}.hold", base.coordinates[at].name);
            base.add_parameter(&name, start.q[at]);
            start.parameters.push(start.q[at]);
        }
        holds.push(Hold { joint, parameters: first..base.parameters.len() });
        if base.joints[joint].role == Role::Locked {
            base.joints[joint].role = Role::Free;
            held.push(joint);
        }
    }
    (holds, held)
}

/// The joints and intermittent constraints that events hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeldSet {
    /// Joints, in order.
    pub joints: Vec<usize>,
    /// Intermittent constraints, in order.
    pub engaged: Vec<usize>,
}

/// A mechanism some of whose joints are held.
pub(crate) fn held_mechanism(base: &Mechanism, holds: &[Hold], held: &HeldSet) -> Mechanism {
    let HeldSet { joints: held, engaged } = held;
    let mut mechanism = base.clone();
    mechanism.engage(engaged);
    for Hold { joint, parameters } in holds.iter().filter(|hold| held.contains(&hold.joint)) {
        let q = mechanism.parameters[parameters.clone()].iter().map(|one| one.symbol).collect();
        let zeros = vec![Expr::ZERO; mechanism.joints[*joint].speeds.len()];
        mechanism.joints[*joint].role = Role::Driven { q, qd: zeros.clone(), qdd: zeros };
    }
    mechanism
}

/// The tree of a mechanism some of whose joints are held, with the program cache of a tree where
/// others are.
pub(crate) fn held_tree(
    base: &Mechanism,
    holds: &[Hold],
    held: &HeldSet,
    cache: Option<&ProgramCache>,
) -> MultibodySystem {
    let mut tree = normalise(held_mechanism(base, holds, held));
    tree.program_cache =
        cache.map(|cache| cache.variant(format!("held {:?} {:?}", held.joints, held.engaged)));
    tree
}

impl Plant {
    /// The tree in the user's angles with all joints free that events may lock or unlock. What is
    /// measured by it is right whatever they lock: coordinates of a locked joint are part of the
    /// point, with speeds of zero.
    pub(crate) fn free_tree(&self) -> MultibodySystem {
        if self.held().is_empty() {
            return self.user_tree().clone();
        }
        let none = HeldSet { joints: Vec::new(), engaged: self.engaged.clone() };
        held_tree(&self.base, &self.holds, &none, self.tree.program_cache.as_ref())
    }

    /// The largest residual of an intermittent constraint at the plant's point, whether it holds or
    /// not; zero if it relates speeds only.
    pub(crate) fn gap(&mut self, at: usize) -> Result<f64, Problem> {
        let mut mechanism = self.base.clone();
        mechanism.engage(&[at]);
        mechanism.couplings.clear();
        let kept = |of_cut: bool| {
            usize::from(
                matches!(self.base.intermittent[at].requirement, Requirement::Cut(_)) == of_cut,
            )
        };
        mechanism.cuts.drain(..mechanism.cuts.len() - kept(true));
        mechanism.constraints.drain(..mechanism.constraints.len() - kept(false));
        mechanism.wheels.iter_mut().for_each(|wheel| wheel.rolling = false);
        let mut alone = EvaluatedFunction::new(&normalise(mechanism), "constraints")?;
        self.prepare(&mut alone);
        self.measure(&mut alone);
        let residuals = alone.output(outputs::constraints::RESIDUALS);
        Ok(residuals.iter().fold(0.0, |most: f64, h| if h.abs() <= most { most } else { h.abs() }))
    }
}
