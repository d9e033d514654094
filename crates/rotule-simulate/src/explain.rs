//! Why a run stopped: the constraint, the coordinates, the reason and the remedy, as far as the
//! last numbers tell.

use crate::method::Failure;
use crate::monitor::{Condition, Jacobian};
use crate::ode::Fault;
use crate::plant::Plant;
use rotule_formalism::constraint::ConstraintElement;
use rotule_formalism::constraint::blocks::DiagonalBlock;
use rotule_formalism::constraint::partition::CoordinatePartition;
use rotule_model::mechanism::{Mechanism, Role};

/// The reason of a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reason {
    /// The failure in words, with the names of constraints, joints and coordinates.
    pub what: String,
    /// The remedy.
    pub remedy: String,
}

/// A loop is singular where its smallest singular value is below this part of the usual one, or
/// coordinates are this steep.
const SINGULAR: f64 = 0.1;
const STEEP: f64 = 20.0;

/// The constraints in numbers, the partition that they are judged by, and the largest smallest
/// singular value so far.
pub(crate) type Loops<'a> = (&'a Jacobian, &'a CoordinatePartition, f64);

/// The reason of a failure at the plant's point, where the constraints have the numbers of
/// `jacobian`. `usual` is the largest smallest singular value so far, `would_do` a step with which
/// a method of one length goes on; `kept` if the run may not take other independent coordinates.
pub(crate) fn explain(
    plant: &mut Plant,
    loops: Option<Loops<'_>>,
    failure: &Failure,
    would_do: Option<f64>,
    kept: bool,
) -> Option<Reason> {
    // What events and laws do wrong says itself what is to be done.
    if let Failure::Fault(
        Fault::Endless(_) | Fault::Chatter(_) | Fault::NoEffect(_) | Fault::TooManySteps(_),
    ) = failure
    {
        return None;
    }
    let locked = plant.gimbal_lock();
    if failure.is_not_finite()
        && let Some(what) = plant.invalid_law()
    {
        let remedy = "give the law a finite value there, or keep the motion out of it".to_owned();
        return Some(Reason { what, remedy });
    }
    if let Some(what) = locked {
        let remedy = "use a `spherical` joint: the same orientations without gimbal lock";
        return Some(Reason { what, remedy: remedy.to_owned() });
    }
    let mechanism = &plant.tree.mechanism;
    let closing = loops.and_then(|(jacobian, choice, usual)| {
        let condition = jacobian.condition(choice);
        singular(mechanism, jacobian, choice, condition, usual, failure, kept)
    });
    match (closing, would_do) {
        (Some(Closing { reason, near: true }), _) => Some(reason),
        (_, Some(step)) => Some(Reason {
            what: "the step is too long to follow the loops".to_owned(),
            remedy: format!("use a step of {step:.1e} s: --dt {step:.1e}"),
        }),
        (Some(Closing { reason, .. }), None) => Some(reason),
        (None, None) => fastest(plant),
    }
}

/// The reason why a loop is not closed, and whether it is near to a singular position.
struct Closing {
    reason: Reason,
    near: bool,
}

/// The loop that is singular, if one is.
fn singular(
    mechanism: &Mechanism,
    jacobian: &Jacobian,
    choice: &CoordinatePartition,
    condition: Condition,
    usual: f64,
    failure: &Failure,
    kept: bool,
) -> Option<Closing> {
    let near = condition.smallest < SINGULAR * usual || condition.amplification > STEEP;
    let fault = match failure {
        Failure::Fault(fault) => Some(fault),
        Failure::StepTooSmall { fault, .. } => fault.as_ref(),
    };
    let named = fault.is_some_and(|one| matches!(one, Fault::NotClosed(_) | Fault::NotFollowed(_)));
    if !near && !named {
        return None;
    }
    let blocks = &choice.speeds.blocks;
    let weakest = |block: &&DiagonalBlock| jacobian.smallest(block);
    let block = blocks.iter().min_by(|a, b| weakest(a).total_cmp(&weakest(b)))?;
    let mut elements: Vec<String> = block
        .rows
        .iter()
        .map(|&row| element(mechanism, jacobian.pattern.rows[row].element))
        .collect();
    elements.dedup();
    let coordinate =
        |&speed: &usize| format!("`{}`", mechanism.speeds[speed].name.replacen(".d", "", 1));
    let mut moved: Vec<String> = block.columns.iter().map(coordinate).collect();
    moved.dedup();
    let related = block.rows.iter().flat_map(|&row| &jacobian.pattern.rows[row].columns);
    let mut drives: Vec<String> = Vec::new();
    for &speed in related {
        let joint = mechanism.joints.iter().find(|joint| joint.speeds.contains(&speed))?;
        let name = format!("`{}`", joint.name);
        if matches!(joint.role, Role::Driven { .. }) && !drives.contains(&name) {
            drives.push(name);
        }
    }
    let (elements, moved) = (elements.join(", "), moved.join(", "));
    let independent = block_is_driven(jacobian, choice, block);
    let reason = match (near, drives.is_empty()) {
        (true, false) if independent => Reason {
            what: format!(
                "driven joint {} leaves the reach of the loop of {elements}: {moved} cannot follow",
                drives.join(", ")
            ),
            remedy: "reduce its motion, free another joint of the loop, or check the lengths of the loop".into(),
        },
        (true, _) if kept => Reason {
            what: format!("the independent coordinates do not determine {moved} here by {elements}"),
            remedy: "leave --threshold at auto, so that the partition is switched, or choose other coordinates with --independent".into(),
        },
        (true, _) => Reason {
            what: format!("the mechanism is singular here: {elements} no longer determines {moved}"),
            remedy: "start from another position, change a length slightly, or try --constraints projection".into(),
        },
        (false, _) => Reason {
            what: format!("the loop of {elements} cannot be closed with {moved}"),
            remedy: "try shorter steps or tighter tolerances, or check the lengths of the loop".into(),
        },
    };
    Some(Closing { reason, near })
}

/// Returns `true` if nothing but driven joints moves a block.
fn block_is_driven(
    jacobian: &Jacobian,
    choice: &CoordinatePartition,
    block: &DiagonalBlock,
) -> bool {
    let related = block.rows.iter().flat_map(|&row| &jacobian.pattern.rows[row].columns);
    let mut free = related
        .filter(|&&speed| choice.speeds.independent.contains(&speed) && !jacobian.is_known(speed));
    free.next().is_none()
}

/// The element that a constraint belongs to, in words.
fn element(mechanism: &Mechanism, element: ConstraintElement) -> String {
    match element {
        ConstraintElement::Cut(at) => format!("loop closure `{}`", mechanism.cuts[at].name),
        ConstraintElement::Coupling(at) => format!("coupling `{}`", mechanism.couplings[at].name),
        ConstraintElement::Constraint(at) => {
            format!("constraint `{}`", mechanism.constraints[at].name)
        }
        ConstraintElement::Wheel(at) => format!("wheel `{}`", mechanism.wheels[at].name),
    }
}

/// The fastest change, where steps came to nothing for no other reason.
fn fastest(plant: &Plant) -> Option<Reason> {
    let point = plant.point();
    let at =
        (0..point.qdd.len()).max_by(|&a, &b| point.qdd[a].abs().total_cmp(&point.qdd[b].abs()))?;
    let name = plant.tree.mechanism.speeds[at].name.replacen(".d", "", 1);
    Some(Reason {
        what: format!(
            "no step is short enough for the motion; the largest acceleration is that of `{name}`, {:.3e}",
            point.qdd[at]
        ),
        remedy: "for a law that jumps, add an event or a smooth transition; for a stiff law, use --method radau or bdf; or try a larger --rtol".into(),
    })
}
