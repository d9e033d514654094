//! The expressions of a mechanism that use coordinates and speeds: its laws, and what events
//! compare and set, and what is recorded.

use rotule_model::mechanism::{Action, Mechanism, Role};
use rotule_symbolic::Expr;

/// All laws: efforts of joints, forces, laws of wheels, rates of states.
pub(crate) fn laws(mechanism: &mut Mechanism) -> Vec<&mut Expr> {
    let mut laws: Vec<&mut Expr> = Vec::new();
    laws.extend(mechanism.joints.iter_mut().flat_map(|joint| &mut joint.effort));
    laws.extend(mechanism.line_forces.iter_mut().map(|line_force| &mut line_force.force));
    for force in &mut mechanism.forces {
        laws.extend(force.force.0.iter_mut().chain(&mut force.torque.0));
    }
    laws.extend(mechanism.wheels.iter_mut().flat_map(|wheel| &mut wheel.laws));
    laws.extend(mechanism.states.iter_mut().map(|state| &mut state.rate));
    laws
}

/// Everything else that inputs move: given motions, constraints, the ground under wheels, and rates
/// of what follows them.
pub(crate) fn motions(mechanism: &mut Mechanism) -> Vec<&mut Expr> {
    let mut expressions: Vec<&mut Expr> = Vec::new();
    for joint in &mut mechanism.joints {
        if let Role::Driven { q, qd, qdd } = &mut joint.role {
            expressions.extend(q.iter_mut().chain(qd).chain(qdd));
        }
    }
    expressions.extend(mechanism.constraints.iter_mut().map(|one| &mut one.expression));
    expressions.extend(mechanism.wheels.iter_mut().map(|wheel| &mut wheel.ground));
    expressions.extend(mechanism.flows.iter_mut().map(|(_, rate)| rate));
    expressions
}

/// Outputs, conditions of events, and the numbers of their actions.
pub(crate) fn watched(mechanism: &mut Mechanism) -> Vec<&mut Expr> {
    let mut expressions: Vec<&mut Expr> = Vec::new();
    expressions.extend(mechanism.outputs.iter_mut().map(|output| &mut output.value));
    for event in &mut mechanism.events {
        expressions.push(&mut event.when);
        expressions.extend(event.actions.iter_mut().filter_map(|action| match action {
            Action::Set { value, .. } => Some(value),
            Action::Impact { restitution, .. } => Some(restitution),
            Action::Stick { limit, .. } => Some(limit),
            _ => None,
        }));
    }
    expressions
}
