//! Gimbals of a mechanism: chains of three revolute joints about one point with massless bodies in
//! between.
//!
//! Their Euler-angle sequence can be switched near gimbal lock, because nothing but the last body
//! has mass or is visible. Chains that look like gimbals and cannot be switched are kept with the
//! reason, for the message of a run that fails there.

use crate::euler_sequence::{AxisOrder, EulerSequence, RotationMatrix, best_order};
use crate::inputs::InputPoint;
use rotule_model::draft::JointType;
use rotule_model::mechanism::{BodyId, Frame, Mechanism, Placement, Role, Sensor};
use rotule_model::pose::{Components, cross, norm, vectors};
use rotule_symbolic::{Expr, Matrix, Vector};
use std::collections::HashMap;

/// Three revolute joints about one point.
#[derive(Clone, Debug, PartialEq)]
pub struct Gimbal {
    /// The joints, first to last.
    pub joints: [usize; 3],
    /// Their coordinates.
    pub coordinates: [usize; 3],
    /// Their speeds.
    pub speeds: [usize; 3],
    /// The sequence that the joints are.
    pub user: EulerSequence,
}

/// A chain of three revolute joints about one point that cannot be switched.
#[derive(Clone, Debug, PartialEq)]
pub struct FixedSequence {
    /// The joints, first to last.
    pub joints: [usize; 3],
    /// The axes of the joints and the fixed rotations before the second and the third.
    geometry: ([Components; 3], [RotationMatrix; 2]),
    coordinates: [usize; 3],
    /// The reason, in words.
    pub reason: String,
}

/// The chains of three revolute joints about one point of a mechanism.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gimbals {
    /// Those whose sequence can be switched.
    pub switchable: Vec<Gimbal>,
    /// All others.
    pub fixed: Vec<FixedSequence>,
}

/// A sequence whose determinant is below this is given up.
const NEAR_LOCK: f64 = 0.2;
/// The user's sequence is taken again when its determinant is above this.
const REGULAR: f64 = 0.5;

impl Gimbal {
    /// A sequence of frame axes, or the user's.
    pub fn sequence(&self, order: Option<AxisOrder>) -> EulerSequence {
        order.map_or_else(|| self.user.clone(), EulerSequence::order)
    }

    /// The angles of a point, whatever sequence they belong to.
    pub fn angles(&self, point: &InputPoint) -> Components {
        self.coordinates.map(|at| point.q[at])
    }

    /// Returns `true` if the user's sequence should be left at a point that is described by it.
    pub fn is_near_lock(&self, point: &InputPoint) -> bool {
        self.user.determinant(self.angles(point)) < NEAR_LOCK
    }

    /// The sequence to go on with from a point that is described by `now`: the user's where that is
    /// regular again, else the present one as long as it is regular.
    pub fn preferred(&self, now: Option<AxisOrder>, point: &InputPoint) -> Option<AxisOrder> {
        let angles = self.angles(point);
        // By far most points are regular, and need nothing more.
        if now.is_none() && self.user.determinant(angles) >= NEAR_LOCK {
            return None;
        }
        let sequence = self.sequence(now);
        let orientation = sequence.rotation(angles);
        let user = || self.user.determinant(self.user.angles_on(1.0, &orientation, [0.0; 3]));
        match now {
            Some(_) if user() >= REGULAR => None,
            Some(_) if sequence.determinant(angles) >= NEAR_LOCK => now,
            _ => Some(best_order(&orientation).0),
        }
    }

    /// Describes the orientation, angular velocity and acceleration of a point by another sequence,
    /// with angles near to given ones.
    pub fn convert(
        &self,
        from: &EulerSequence,
        to: &EulerSequence,
        near: Components,
        point: &mut InputPoint,
    ) {
        let angles = self.angles(point);
        let rates = self.speeds.map(|at| point.qd[at]);
        let second = self.speeds.map(|at| point.qdd[at]);
        let velocity = from.velocity(angles, rates);
        let acceleration = from.acceleration(angles, rates, second);
        let new_angles = to.angles(&from.rotation(angles), near);
        let new_rates = to.rates(new_angles, velocity);
        let new_second = to.second_rates(new_angles, new_rates, acceleration);
        for k in 0..3 {
            point.q[self.coordinates[k]] = new_angles[k];
            point.qd[self.speeds[k]] = new_rates[k];
            point.qdd[self.speeds[k]] = new_second[k];
        }
    }

    /// The time that a step may take at a point that is described by a sequence: the third axis
    /// does not reach gimbal lock within it, and the user's angles, where they follow from another
    /// sequence, change by about half a radian at most.
    pub fn time_scale(&self, now: Option<AxisOrder>, point: &InputPoint) -> f64 {
        let (sequence, angles) = (self.sequence(now), self.angles(point));
        let velocity = sequence.velocity(angles, self.speeds.map(|at| point.qd[at]));
        let approach = |sequence: &EulerSequence, determinant: f64| {
            determinant.max(CLOSEST) / norm(cross(velocity, sequence.inner()[0]))
        };
        let time = 0.9 * approach(&sequence, sequence.determinant(angles));
        if now.is_none() {
            return time;
        }
        let user = self.user.angles_on(1.0, &sequence.rotation(angles), [0.0; 3]);
        let user = 0.5 * approach(&self.user, self.user.determinant(user));
        time.min(user).min(1.0 / norm(velocity))
    }
}

/// Gimbal lock that is passed within about this angle is passed exactly: the middle angle goes on
/// beyond it. Rounding errors of the outer angles grow by its inverse.
const CLOSEST: f64 = 2e-8;

impl FixedSequence {
    /// The absolute determinant of the axes at a point.
    pub fn determinant(&self, point: &InputPoint) -> f64 {
        let (axes, before) = &self.geometry;
        let angles = self.coordinates.map(|at| point.q[at]);
        crate::euler_sequence::volume(axes, before, angles).abs()
    }
}

/// The gimbals of a mechanism with its parameters at some numbers.
pub fn gimbals(mechanism: &Mechanism, parameters: &[f64]) -> Gimbals {
    let mut found = Gimbals::default();
    let mut taken = vec![false; mechanism.joints.len()];
    for last in 3..mechanism.bodies.len() {
        let Some(chain) = chain(mechanism, BodyId::new(last)) else { continue };
        if chain.joints.iter().any(|&at| taken[at]) {
            continue;
        }
        chain.joints.iter().for_each(|&at| taken[at] = true);
        let (axes, before) = geometry(mechanism, parameters, &chain);
        let Chain { joints, coordinates, speeds, .. } = chain;
        let reason = match (obstacle(mechanism, &chain), EulerSequence::new(axes, before)) {
            (None, Some(user)) => {
                found.switchable.push(Gimbal { joints, coordinates, speeds, user });
                continue;
            }
            (None, None) => {
                "its axes are not perpendicular, so gimbal lock is a limit of its motion".into()
            }
            (Some(reason), _) => reason,
        };
        let geometry = (axes, before);
        found.fixed.push(FixedSequence { joints, geometry, coordinates, reason });
    }
    found
}

/// Three joints that follow each other.
struct Chain {
    bodies: [BodyId; 3],
    joints: [usize; 3],
    coordinates: [usize; 3],
    speeds: [usize; 3],
}

/// The chain of free revolute joints about one point that ends with the joint of a body.
fn chain(mechanism: &Mechanism, last: BodyId) -> Option<Chain> {
    let second = mechanism.bodies[last.index()].parent?;
    let first = mechanism.bodies[second.index()].parent?;
    if second == BodyId::GROUND || first == BodyId::GROUND {
        return None;
    }
    let bodies = [first, second, last];
    let joints = bodies.map(|body| body.index() - 1);
    let free = |at: usize| {
        let joint = &mechanism.joints[at];
        joint.kind == JointType::Revolute && joint.role == Role::Free
    };
    let massless = |body: BodyId| {
        let body = &mechanism.bodies[body.index()];
        body.mass == Expr::ZERO && body.inertia == Matrix::ZERO
    };
    let centred = |body: BodyId| mechanism.bodies[body.index()].placement.position == Vector::ZERO;
    if !joints.into_iter().all(free)
        || ![first, second].into_iter().all(massless)
        || ![second, last].into_iter().all(centred)
    {
        return None;
    }
    let coordinates = joints.map(|at| mechanism.joints[at].coordinates.start);
    let speeds = joints.map(|at| mechanism.joints[at].speeds.start);
    Some(Chain { bodies, joints, coordinates, speeds })
}

/// The axes of a chain and the fixed rotations before the second and the third.
fn geometry(
    mechanism: &Mechanism,
    parameters: &[f64],
    chain: &Chain,
) -> ([Components; 3], [RotationMatrix; 2]) {
    let rows = |placement: &Placement| placement.rotation.0.map(Vector);
    let placements = [1, 2].map(|at| rows(&mechanism.bodies[chain.bodies[at].index()].placement));
    let mut list = chain.joints.map(|at| mechanism.joints[at].axes[0]).to_vec();
    list.extend(placements.concat());
    let mut known: HashMap<&str, f64> = HashMap::new();
    for (at, one) in mechanism.parameters.iter().enumerate() {
        known.insert(&one.name, parameters.get(at).copied().unwrap_or(one.value));
    }
    let exprs: Vec<Expr> = list.iter().flat_map(|vector| vector.0).collect();
    let numbers = mechanism.graph.evaluate_f64(&exprs, |name| known.get(name).copied());
    let numbers: Vec<Components> = match numbers {
        Ok(numbers) => numbers.chunks_exact(3).map(|v| [v[0], v[1], v[2]]).collect(),
        Err(_) => vectors(mechanism, &list),
    };
    let triple = |at: usize| numbers[at].map(rounded);
    let rotation = |at: usize| [triple(at), triple(at + 1), triple(at + 2)];
    ([triple(0), triple(1), triple(2)], [rotation(3), rotation(6)])
}

/// A component of a unit vector without the rounding errors of quarter revolutions.
fn rounded(number: f64) -> f64 {
    let whole = number.round();
    if (number - whole).abs() <= 2.0 * f64::EPSILON { whole } else { number }
}

/// The reason why a chain cannot be described by another sequence, if there is one.
fn obstacle(mechanism: &Mechanism, chain: &Chain) -> Option<String> {
    let names = chain.joints.map(|at| mechanism.joints[at].name.as_str());
    let armature = chain.joints.iter().find(|&&at| mechanism.joints[at].armature != Expr::ZERO);
    if let Some(&at) = armature {
        return Some(format!("joint `{}` has an armature", mechanism.joints[at].name));
    }
    for (body, next) in chain.bodies.into_iter().zip(&names[1..]) {
        if let Some(what) = attached(mechanism, body) {
            return Some(format!("{what} is attached to the body before joint `{next}`"));
        }
    }
    let coupling = mechanism
        .couplings
        .iter()
        .find(|one| one.terms.iter().any(|(at, _)| chain.coordinates.contains(at)));
    if let Some(coupling) = coupling {
        return Some(format!("coupling `{}` uses its angles", coupling.name));
    }
    let symbols: Vec<Expr> = (chain.coordinates.iter())
        .map(|&at| mechanism.coordinates[at].symbol)
        .chain(chain.speeds.iter().map(|&at| mechanism.speeds[at].symbol))
        .collect();
    let uses =
        |expr: Expr| mechanism.graph.reachable(&[expr]).iter().any(|part| symbols.contains(part));
    let constraint = mechanism.constraints.iter().find(|one| uses(one.expression));
    constraint.map(|one| format!("constraint `{}` uses its angles", one.name))
}

/// Something besides the next joint that is fixed to a massless body, in words.
fn attached(mechanism: &Mechanism, body: BodyId) -> Option<String> {
    let mut children = mechanism.bodies.iter().filter(|one| one.parent == Some(body)).skip(1);
    let on = |frame: &Frame| frame.body == body;
    let cut = mechanism.cuts.iter().find(|one| one.ends.iter().any(on));
    let line_force = mechanism.line_forces.iter().find(|one| one.ends.iter().any(on));
    let force = mechanism.forces.iter().find(|one| on(&one.at));
    let seen = |one: &&Sensor| on(&one.at) || one.relative_to == body;
    let sensor = mechanism.sensors.iter().find(seen);
    let wheel = mechanism.wheels.iter().find(|one| one.body == body);
    (children.next().map(|one| format!("body `{}`", one.name)))
        .or_else(|| cut.map(|one| format!("loop closure `{}`", one.name)))
        .or_else(|| line_force.map(|one| format!("line force `{}`", one.name)))
        .or_else(|| force.map(|one| format!("force `{}`", one.name)))
        .or_else(|| sensor.map(|one| format!("sensor `{}`", one.name)))
        .or_else(|| wheel.map(|one| format!("wheel `{}`", one.name)))
}
