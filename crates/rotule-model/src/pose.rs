//! Poses in plain numbers, and where the bodies are at the initial state.
//!
//! This serves the checks of a model; the equations of motion are made elsewhere, from expressions.

use crate::joint::{JointDirection, JointMotion, JointType};
use crate::mechanism::{Mechanism, Placement, Role, calling};
use rotule_symbolic::elementary::sincos;
use rotule_symbolic::{Expr, Vector};

/// Three numbers.
pub type Components = [f64; 3];

/// A frame in the components of another, such as the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The origin.
    pub position: Components,
    /// The rotation matrix, by rows; its columns are the frame's axes.
    pub rotation: [Components; 3],
}

impl Pose {
    /// The ground itself.
    pub const IDENTITY: Pose =
        Pose { position: [0.0; 3], rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] };

    /// A direction in this frame as a direction in the ground.
    pub fn turn(&self, v: Components) -> Components {
        self.rotation.map(|row| dot(row, v))
    }

    /// The pose of the ground in this frame.
    #[must_use]
    pub fn inverse(&self) -> Pose {
        let rotation: [Components; 3] = std::array::from_fn(|i| self.rotation.map(|row| row[i]));
        // A subtraction leaves no negative zeros.
        let position = rotation.map(|row| 0.0 - dot(row, self.position));
        Pose { position, rotation }
    }

    /// A point in this frame as a point in the ground.
    pub fn point(&self, point: Components) -> Components {
        add(self.position, self.turn(point))
    }

    /// The pose of a frame that is placed in this one.
    #[must_use]
    pub fn then(&self, inner: &Pose) -> Pose {
        let position = self.point(inner.position);
        let column = |j: usize| self.turn([0, 1, 2].map(|i| inner.rotation[i][j]));
        let columns = [column(0), column(1), column(2)];
        let rotation = std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i]));
        Pose { position, rotation }
    }
}

/// `a + b`
pub fn add(a: Components, b: Components) -> Components {
    std::array::from_fn(|i| a[i] + b[i])
}

/// `a - b`
pub fn sub(a: Components, b: Components) -> Components {
    std::array::from_fn(|i| a[i] - b[i])
}

/// The scalar product.
pub fn dot(a: Components, b: Components) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The vector product.
pub fn cross(a: Components, b: Components) -> Components {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A multiple.
pub fn scale(a: Components, factor: f64) -> Components {
    a.map(|x| x * factor)
}

/// The length.
pub fn norm(a: Components) -> f64 {
    dot(a, a).sqrt()
}

/// The poses of all bodies at the initial state and time zero.
pub fn initial(mechanism: &Mechanism) -> Vec<Pose> {
    let q = initial_coordinates(mechanism);
    poses(mechanism, &q)
}

/// The initial coordinates; of driven joints, those that their motion gives at time zero, if it can
/// be computed here.
pub fn initial_coordinates(mechanism: &Mechanism) -> Vec<f64> {
    let mut exprs: Vec<Expr> = mechanism.coordinates.iter().map(|c| c.initial).collect();
    let motions = mechanism.joints.iter().filter_map(|joint| match &joint.role {
        Role::Driven { q, .. } => Some((joint, q)),
        _ => None,
    });
    let all: Vec<Expr> = motions.clone().flat_map(|(_, q)| q.iter().copied()).collect();
    // Where a function without code gives the motion, its initial value is all that is known.
    let calling = calling(&mechanism.graph, &all);
    for (joint, q) in motions {
        if q.iter().all(|expr| !calling.contains(&expr.abs())) {
            exprs[joint.coordinates.clone()].copy_from_slice(q);
        }
    }
    mechanism.evaluate(&exprs)
}

/// The poses of all bodies for given coordinates.
pub fn poses(mechanism: &Mechanism, q: &[f64]) -> Vec<Pose> {
    // Everything that is not a coordinate, in one evaluation.
    let mut exprs = Vec::new();
    for body in &mechanism.bodies {
        push_placement(&body.placement, &mut exprs);
    }
    for joint in &mechanism.joints {
        exprs.extend(joint.axes.iter().flat_map(|axis| axis.0));
        exprs.push(joint.pitch);
    }
    let values = mechanism.evaluate(&exprs);
    let mut at = 12 * mechanism.bodies.len();
    let mut poses = vec![Pose::IDENTITY];
    for (index, (body, joint)) in mechanism.bodies.iter().skip(1).zip(&mechanism.joints).enumerate()
    {
        let placement = pose_from(&values[12 * (index + 1)..]);
        let mut axes = [[0.0; 3]; 2];
        for axis in axes.iter_mut().take(joint.axes.len()) {
            axis.copy_from_slice(&values[at..at + 3]);
            at += 3;
        }
        let pitch = values[at];
        at += 1;
        let motion = displacement(joint.kind, &axes, pitch, &q[joint.coordinates.clone()]);
        let parent = body.parent.expect("only the ground has no parent");
        poses.push(poses[parent.index()].then(&placement).then(&motion));
    }
    poses
}

/// The poses of frames fixed to bodies, for given poses of the bodies.
pub fn frames(
    mechanism: &Mechanism,
    poses: &[Pose],
    frames: &[crate::mechanism::Frame],
) -> Vec<Pose> {
    let mut exprs = Vec::new();
    for frame in frames {
        push_placement(&frame.placement, &mut exprs);
    }
    let values = mechanism.evaluate(&exprs);
    let each = frames.iter().zip(values.chunks_exact(12));
    each.map(|(frame, values)| poses[frame.body.index()].then(&pose_from(values))).collect()
}

fn push_placement(placement: &Placement, exprs: &mut Vec<Expr>) {
    exprs.extend(placement.position.0);
    exprs.extend(placement.rotation.0.into_iter().flatten());
}

fn pose_from(values: &[f64]) -> Pose {
    let triple = |at: usize| [values[at], values[at + 1], values[at + 2]];
    Pose { position: triple(0), rotation: [triple(3), triple(6), triple(9)] }
}

/// The motion of a joint's moving side relative to its fixed side.
fn displacement(kind: JointType, axes: &[Components], pitch: f64, q: &[f64]) -> Pose {
    let rotation =
        |axis: Components, angle: f64| Pose { rotation: rodrigues(axis, angle), ..Pose::IDENTITY };
    let translation = |position: Components| Pose { position, ..Pose::IDENTITY };
    let step = |motion: &JointMotion| match *motion {
        JointMotion::Rotation(about, at) => rotation(direction(about, axes), q[at]),
        JointMotion::Translation(along, at) => translation(scale(direction(along, axes), q[at])),
        JointMotion::Screw(about, at) => {
            let axis = direction(about, axes);
            translation(scale(axis, pitch * q[at])).then(&rotation(axis, q[at]))
        }
        JointMotion::Spherical => Pose { rotation: of_quaternion(q), ..Pose::IDENTITY },
        JointMotion::Free => {
            Pose { position: [q[0], q[1], q[2]], rotation: of_quaternion(&q[3..]) }
        }
    };
    let steps = kind.motions().iter().map(step);
    steps.reduce(|before, step| before.then(&step)).unwrap_or(Pose::IDENTITY)
}

/// The components of a direction, for the axes of its joint.
pub fn direction(direction: JointDirection, axes: &[Components]) -> Components {
    match direction {
        JointDirection::Axis(at) => axes[at],
        JointDirection::Across(0) => in_plane(axes[0]).0,
        JointDirection::Across(_) => in_plane(axes[0]).1,
    }
}

/// The elementary motions of a joint, each with its direction in the frame that the joint moves;
/// motions in all directions have none, a zero.
pub fn moving_directions(
    kind: JointType,
    axes: &[Components],
    q: &[f64],
) -> Vec<(JointMotion, Components)> {
    let motions = kind.motions();
    let each = motions.iter().enumerate().map(|(at, &motion)| {
        let Some(own) = motion.direction() else { return (motion, [0.0; 3]) };
        let back = |v: Components, later: &JointMotion| match *later {
            JointMotion::Rotation(about, at) if about != own => {
                rodrigues(direction(about, axes), -q[at]).map(|row| dot(row, v))
            }
            JointMotion::Rotation(..)
            | JointMotion::Translation(..)
            | JointMotion::Screw(..)
            | JointMotion::Spherical
            | JointMotion::Free => v,
        };
        (motion, motions[at + 1..].iter().fold(direction(own, axes), back))
    });
    each.collect()
}

/// The two directions of a planar joint, as the manual says.
pub fn in_plane(normal: Components) -> (Components, Components) {
    let unit = |i: usize| std::array::from_fn(|k| f64::from(u8::from(i == k)));
    // The frame axis that follows the normal, where the normal is one.
    if let Some(along) = (0..3).find(|&i| normal[i].abs() > 1.0 - 1e-14) {
        let u = unit((along + 1) % 3);
        return (u, cross(normal, u));
    }
    let mut least = 0;
    for i in 1..3 {
        if normal[i].abs() < normal[least].abs() - 1e-14 {
            least = i;
        }
    }
    let e = unit(least);
    let across = sub(e, scale(normal, dot(e, normal)));
    let u = scale(across, 1.0 / norm(across));
    (u, cross(normal, u))
}

/// The rotation by an angle about a unit axis.
pub fn rodrigues(axis: Components, angle: f64) -> [Components; 3] {
    let (s, c) = sincos(angle);
    let [x, y, z] = axis;
    let tilde = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let same = f64::from(u8::from(i == j));
            c * same + s * tilde[i][j] + (1.0 - c) * axis[i] * axis[j]
        })
    })
}

/// The rotation of a quaternion, w first.
pub(crate) fn of_quaternion(q: &[f64]) -> [Components; 3] {
    let length = q[..4].iter().map(|x| x * x).sum::<f64>().sqrt();
    let [w, x, y, z] = [0, 1, 2, 3].map(|i| if length > 0.0 { q[i] / length } else { 0.0 });
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// The numbers of vectors of expressions.
pub fn vectors(mechanism: &Mechanism, vectors: &[Vector]) -> Vec<Components> {
    let exprs: Vec<Expr> = vectors.iter().flat_map(|vector| vector.0).collect();
    mechanism.evaluate(&exprs).chunks_exact(3).map(|v| [v[0], v[1], v[2]]).collect()
}
