//! Ends of branches that nothing can accelerate: their joint moves no mass and no inertia, so the
//! mass matrix would be singular.

use crate::draft::JointType;
use crate::mechanism::{Mechanism, Nature};
use crate::pose::{Triple, cross, dot, norm};
use rotule_symbolic::Expr;

/// Bodies without children, or with massless ones only, whose free joint moves nothing.
pub fn ends(mechanism: &Mechanism, parents: &[usize]) -> Vec<usize> {
    let numbers = numbers(mechanism);
    let mut closed = vec![false; parents.len()];
    for end in mechanism.cuts.iter().flat_map(|cut| cut.ends) {
        closed[end.body.index()] = true;
    }
    // Whether anything beyond the body has mass; a body in a loop may be moved through its cut.
    let mut heavy = vec![false; parents.len()];
    let mut found = Vec::new();
    for body in (1..parents.len()).rev() {
        let joint = &mechanism.joints[body - 1];
        let free = joint.nature == Nature::Free && joint.kind != JointType::Fixed;
        let armed = joint.armature != Expr::ZERO;
        let beyond = heavy[body] || closed[body];
        let own = &numbers[body];
        if free && !armed && !beyond && !moves_something(joint.kind, own) {
            found.push(body);
        }
        if own.mass > 0.0
            || norm(own.inertia[0]) + norm(own.inertia[1]) + norm(own.inertia[2]) > 0.0
        {
            heavy[body] = true;
        }
        heavy[parents[body]] |= heavy[body];
        closed[parents[body]] |= closed[body];
    }
    found.reverse();
    found
}

struct Numbers {
    mass: f64,
    com: Triple,
    inertia: [Triple; 3],
    axis: Triple,
}

fn numbers(mechanism: &Mechanism) -> Vec<Numbers> {
    let mut exprs = Vec::new();
    for (index, body) in mechanism.bodies.iter().enumerate() {
        exprs.push(body.mass);
        exprs.extend(body.com.0);
        exprs.extend(body.inertia.0.into_iter().flatten());
        let joint = index.checked_sub(1).map(|index| &mechanism.joints[index]);
        let axis =
            joint.and_then(|joint| joint.axes.first()).map_or([Expr::ZERO; 3], |axis| axis.0);
        exprs.extend(axis);
    }
    let values = mechanism.evaluate(&exprs);
    let each = values.chunks_exact(16).map(|v| {
        let triple = |at: usize| [v[at], v[at + 1], v[at + 2]];
        Numbers {
            mass: v[0],
            com: triple(1),
            inertia: [triple(4), triple(7), triple(10)],
            axis: triple(13),
        }
    });
    each.collect()
}

/// Whether a joint at the end of a branch accelerates anything.
fn moves_something(kind: JointType, body: &Numbers) -> bool {
    match kind {
        JointType::Revolute => {
            let own = dot(body.axis, body.inertia.map(|row| dot(row, body.axis)));
            let arm = norm(cross(body.axis, body.com));
            own + body.mass * arm * arm > 0.0
        }
        JointType::Fixed => true,
        _ => body.mass > 0.0,
    }
}
