//! Ends of branches that nothing can accelerate: their joint moves no mass and no inertia, or not
//! in all its directions, so the mass matrix would be singular.
//!
//! Looked at are free joints beyond which nothing else moves a mass. What such a joint moves is one
//! rigid body, made of all that is fixed to each other there, and its share of the mass matrix is
//! `S^T I S` with the directions `S` in which the joint moves.

use crate::joint::JointMotion;
use crate::mechanism::{Joint, Mechanism, Role};
use crate::pose::{self, Components, Pose, add, cross, dot, scale};
use crate::structure::moves;
use rotule_symbolic::Expr;

/// A rigid body about the origin of a frame: mass, first moment, inertia.
#[derive(Clone, Copy, Default)]
struct Rigid {
    mass: f64,
    moment: Components,
    inertia: [Components; 3],
}

impl Rigid {
    fn is_zero(&self) -> bool {
        self.mass == 0.0 && self.inertia.iter().flatten().all(|entry| *entry == 0.0)
    }

    /// Adds a body that is placed in this one's frame.
    fn add(&mut self, part: &Rigid, place: &Pose) {
        let moment = place.turn(part.moment);
        let p = place.position;
        let columns: [Components; 3] = std::array::from_fn(|j| {
            // R I R^T applied to the unit vector j.
            let back = [0, 1, 2].map(|i| place.rotation[j][i]);
            place.turn(part.inertia.map(|row| dot(row, back)))
        });
        for i in 0..3 {
            for j in 0..3 {
                let same = f64::from(u8::from(i == j));
                // Parallel axes, for a body whose own reference point is not its centre of mass.
                let shift = part.mass * (dot(p, p) * same - p[i] * p[j])
                    + 2.0 * dot(p, moment) * same
                    - p[i] * moment[j]
                    - moment[i] * p[j];
                self.inertia[i][j] += columns[j][i] + shift;
            }
        }
        self.moment = add(self.moment, add(moment, scale(p, part.mass)));
        self.mass += part.mass;
    }

    /// Angular and linear momentum of a motion, given as angular and linear velocity of the origin.
    fn momentum(&self, (w, v): (Components, Components)) -> (Components, Components) {
        let linear = add(scale(v, self.mass), cross(w, self.moment));
        let angular = add(self.inertia.map(|row| dot(row, w)), cross(self.moment, v));
        (angular, linear)
    }
}

/// Positions of the bodies whose free joint moves too little.
pub fn ends(mechanism: &Mechanism, parents: &[usize]) -> Vec<usize> {
    let count = parents.len();
    let mut rigid = own_bodies(mechanism);
    let places = places(mechanism);
    let axes: Vec<_> = mechanism.joints.iter().flat_map(|joint| joint.axes.clone()).collect();
    let axes = pose::vectors(mechanism, &axes);
    let pitches: Vec<Expr> = mechanism.joints.iter().map(|joint| joint.pitch).collect();
    let pitches = mechanism.evaluate(&pitches);
    let q = pose::initial_coordinates(mechanism);
    let mut last = axes.len();

    // A body in a loop may be moved through its cut; one that carries masses is moved with them.
    let mut held = vec![false; count];
    for end in mechanism.cuts.iter().flat_map(|cut| cut.ends) {
        held[end.body.index()] = true;
    }
    let mut found = Vec::new();
    for body in (1..count).rev() {
        let joint = &mechanism.joints[body - 1];
        last -= joint.axes.len();
        let own = rigid[body];
        let parent = parents[body];
        if !moves(joint) {
            rigid[parent].add(&own, &places[body]);
            held[parent] |= held[body];
            continue;
        }
        let free = joint.role == Role::Free && joint.armature == Expr::ZERO;
        let axes = &axes[last..last + joint.axes.len()];
        let q = &q[joint.coordinates.clone()];
        if free && !held[body] && is_singular(&own, &directions(joint, axes, pitches[body - 1], q))
        {
            found.push(body);
        }
        held[parent] |= held[body] || !own.is_zero();
    }
    found.reverse();
    found
}

/// Each body by itself, about its own origin.
fn own_bodies(mechanism: &Mechanism) -> Vec<Rigid> {
    let mut exprs = Vec::new();
    for body in &mechanism.bodies {
        exprs.push(body.mass);
        exprs.extend(body.com.0);
        exprs.extend(body.inertia.0.into_iter().flatten());
    }
    let values = mechanism.evaluate(&exprs);
    let each = values.chunks_exact(13).map(|v| {
        let triple = |at: usize| [v[at], v[at + 1], v[at + 2]];
        let inertia = [triple(4), triple(7), triple(10)];
        let at_com = Rigid { mass: v[0], moment: [0.0; 3], inertia };
        let mut about_origin = Rigid::default();
        about_origin.add(&at_com, &Pose { position: triple(1), ..Pose::IDENTITY });
        about_origin
    });
    each.collect()
}

/// Where each body is in its parent at the initial state.
fn places(mechanism: &Mechanism) -> Vec<Pose> {
    let poses = pose::initial(mechanism);
    let each = mechanism.bodies.iter().zip(&poses).map(|(body, own)| {
        let parent = body.parent.map_or(Pose::IDENTITY, |parent| poses[parent.index()]);
        parent.inverse().then(own)
    });
    each.collect()
}

/// The motions that a joint allows, as angular and linear velocities in the moving frame.
fn directions(
    joint: &Joint,
    axes: &[Components],
    pitch: f64,
    q: &[f64],
) -> Vec<(Components, Components)> {
    let none = [0.0; 3];
    let unit = |at: usize| std::array::from_fn(|i| f64::from(u8::from(i == at)));
    let rotations = || (0..3).map(|at| (unit(at), none));
    let translations = || (0..3).map(|at| (none, unit(at)));
    let each = pose::moving_directions(joint.kind, axes, q).into_iter();
    each.flat_map(|(motion, direction)| match motion {
        JointMotion::Rotation(..) => vec![(direction, none)],
        JointMotion::Translation(..) => vec![(none, direction)],
        JointMotion::Screw(..) => vec![(direction, scale(direction, pitch))],
        JointMotion::Spherical => rotations().collect(),
        JointMotion::Free => translations().chain(rotations()).collect(),
    })
    .collect()
}

/// Returns `true` if `S^T I S` is singular: by Gaussian elimination, which needs no pivoting here.
fn is_singular(body: &Rigid, directions: &[(Components, Components)]) -> bool {
    let mut matrix: Vec<Vec<f64>> = directions
        .iter()
        .map(|&motion| {
            let (angular, linear) = body.momentum(motion);
            directions.iter().map(|(w, v)| dot(*w, angular) + dot(*v, linear)).collect()
        })
        .collect();
    let scales: Vec<f64> = (0..matrix.len()).map(|k| matrix[k][k]).collect();
    for k in 0..matrix.len() {
        let row = matrix[k].clone();
        if row[k] <= 1e-12 * scales[k] || row[k].is_nan() {
            return true;
        }
        for lower in &mut matrix[k + 1..] {
            let factor = lower[k] / row[k];
            lower.iter_mut().zip(&row).for_each(|(entry, pivot)| *entry -= factor * pivot);
        }
    }
    false
}
