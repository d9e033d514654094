//! What moves in a plane: loops, of whose constraints some then vanish, and parts of the tree.
//!
//! A revolute joint about the normal and a prismatic one across it keep a motion in the plane, and
//! they keep the normal itself. So it is enough to look at one configuration, the initial one.

use crate::closure;
use crate::draft::JointType;
use crate::mechanism::{Cut, CutKind, Mechanism};
use crate::pose::{self, Pose, Triple, cross, dot, norm};
use crate::structure::{Loop, Paths, Planar, moves, parents};

/// Directions closer than this, in radians, count as parallel.
const PARALLEL: f64 = 1e-9;

fn parallel(a: Triple, b: Triple) -> bool {
    norm(cross(a, b)) < PARALLEL
}

fn perpendicular(a: Triple, b: Triple) -> bool {
    dot(a, b).abs() < PARALLEL
}

/// What is known of the plane in which some joints move.
#[derive(Clone, Copy)]
enum Plane {
    /// Nothing moves yet.
    Any,
    /// One direction lies in it.
    Along(Triple),
    /// Its normal is known.
    Normal(Triple),
}

impl Plane {
    /// The plane after another joint, with its first axis in the ground's components; none if the joint
    /// leaves the plane.
    fn with(self, kind: JointType, axis: Triple) -> Option<Plane> {
        match kind {
            JointType::Fixed => Some(self),
            JointType::Revolute | JointType::Planar => match self {
                Plane::Any => Some(Plane::Normal(axis)),
                Plane::Along(along) => perpendicular(along, axis).then_some(Plane::Normal(axis)),
                Plane::Normal(normal) => parallel(normal, axis).then_some(self),
            },
            JointType::Prismatic => match self {
                Plane::Any => Some(Plane::Along(axis)),
                Plane::Along(along) if parallel(along, axis) => Some(self),
                Plane::Along(along) => {
                    let normal = cross(along, axis);
                    Some(Plane::Normal(pose::scale(normal, 1.0 / norm(normal))))
                }
                Plane::Normal(normal) => perpendicular(normal, axis).then_some(self),
            },
            _ => None,
        }
    }
}

/// The first axis of each joint, by the position of its body, in the ground's components.
fn axes_in_ground(mechanism: &Mechanism, poses: &[Pose]) -> Vec<Triple> {
    let first = |joint: &crate::mechanism::Joint| {
        joint.axes.first().copied().unwrap_or(rotule_symbolic::Vector::ZERO)
    };
    let axes: Vec<_> = mechanism.joints.iter().map(first).collect();
    let axes = pose::vectors(mechanism, &axes);
    // The axis of a joint is the same on both its sides, so the body's pose will do.
    let turned = axes.iter().zip(poses.iter().skip(1)).map(|(&axis, pose)| pose.turn(axis));
    std::iter::once([0.0; 3]).chain(turned).collect()
}

/// All loops, with the constraints that vanish.
pub fn loops(mechanism: &Mechanism, poses: &[Pose]) -> Vec<Loop> {
    if mechanism.cuts.is_empty() {
        return Vec::new();
    }
    let axes = axes_in_ground(mechanism, poses);
    let gaps = closure::gaps(mechanism, poses);
    let mut paths = Paths::new(parents(mechanism));
    let mut found = Vec::with_capacity(mechanism.cuts.len());
    for (cut, gap) in mechanism.cuts.iter().zip(gaps) {
        let [first, second] = cut.ends.map(|end| end.body);
        let path = paths.between(first, second);
        let mut plane = path.as_ref().map(|_| Plane::Any);
        for body in path.iter().flatten() {
            let joint = &mechanism.joints[body.index() - 1];
            let axis = axes[body.index()];
            plane = match plane {
                Some(plane) if moves(joint) => plane.with(joint.kind, axis),
                other => other,
            };
        }
        let normal = match plane {
            Some(Plane::Normal(normal)) => Some(normal),
            _ => None,
        };
        let rows = cut.rows();
        let left = normal.map_or(rows, |normal| rows_in_plane(mechanism, cut, normal, poses));
        found.push(Loop {
            name: cut.name.clone(),
            kind: cut.word(),
            between: [first, second].map(|body| mechanism.bodies[body.index()].name.clone()),
            chosen: cut.chosen,
            rows,
            vanishing: rows - left.min(rows),
            normal,
            length: path.map_or(0, |path| path.len() + 1),
            gap_distance: gap.distance,
            gap_angle: gap.angle,
        });
    }
    found
}

/// The constraints of a cut that say something about a motion in a plane.
fn rows_in_plane(mechanism: &Mechanism, cut: &Cut, normal: Triple, poses: &[Pose]) -> usize {
    let CutKind::Joint { kind, axes, .. } = &cut.kind else { return 1 };
    let frames = pose::frames(mechanism, poses, &cut.ends);
    let axes = pose::vectors(mechanism, axes);
    let along = |which: usize, end: usize| parallel(frames[end].turn(axes[which]), normal);
    let across = |which: usize, end: usize| perpendicular(frames[end].turn(axes[which]), normal);
    match kind {
        JointType::Fixed => 3 - ignored_in_plane(cut, normal).min(3),
        JointType::Spherical => 2 - ignored_in_plane(cut, normal).min(2),
        JointType::Revolute if along(0, 0) => 2,
        JointType::Prismatic if across(0, 0) => 2,
        JointType::Cylindrical if along(0, 0) || across(0, 0) => 2,
        JointType::Universal if along(0, 0) || along(1, 1) => 2,
        JointType::Planar if along(0, 0) => 0,
        JointType::Planar if across(0, 0) => 2,
        _ => 3,
    }
}

/// How many of a cut's ignored components would say something in the plane.
fn ignored_in_plane(cut: &Cut, normal: Triple) -> usize {
    use crate::draft::Component::{Rx, Ry, Rz, X, Y, Z};
    let matters = |component: &&crate::draft::Component| {
        let (axis, turn) = match component {
            X => (0, false),
            Y => (1, false),
            Z => (2, false),
            Rx => (0, true),
            Ry => (1, true),
            Rz => (2, true),
        };
        let normal_to_plane = normal[axis].abs() > 1.0 - PARALLEL;
        if turn { normal_to_plane } else { !normal_to_plane }
    };
    cut.ignore.iter().filter(matters).count()
}

/// Parts of the tree that move in a plane relative to what carries them: two joints or more.
pub fn parts(mechanism: &Mechanism, poses: &[Pose]) -> Vec<Planar> {
    let axes = axes_in_ground(mechanism, poses);
    let mut part_of: Vec<Option<usize>> = vec![None; mechanism.bodies.len()];
    let mut planes: Vec<Plane> = Vec::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut moving: Vec<usize> = Vec::new();
    // What hangs on the ground directly shares the ground's part: loops run through it.
    let mut on_ground: Vec<usize> = Vec::new();
    for (index, body) in mechanism.bodies.iter().enumerate().skip(1) {
        let joint = &mechanism.joints[index - 1];
        let kind = if moves(joint) { joint.kind } else { JointType::Fixed };
        let parent = body.parent.map_or(0, crate::mechanism::BodyId::index);
        let candidates: Vec<usize> =
            if parent == 0 { on_ground.clone() } else { part_of[parent].into_iter().collect() };
        let fits = candidates
            .into_iter()
            .find_map(|part| planes[part].with(kind, axes[index]).map(|plane| (part, plane)));
        let own = || Plane::Any.with(kind, axes[index]);
        let (part, plane) = match fits {
            Some(found) => found,
            None => match own() {
                Some(plane) => {
                    planes.push(plane);
                    members.push(Vec::new());
                    moving.push(0);
                    if parent == 0 && on_ground.len() < 8 {
                        on_ground.push(planes.len() - 1);
                    }
                    (planes.len() - 1, plane)
                }
                None => continue,
            },
        };
        planes[part] = plane;
        members[part].push(index);
        moving[part] += usize::from(kind != JointType::Fixed);
        part_of[index] = Some(part);
    }
    let all = planes.iter().zip(&members).zip(&moving);
    let named = all.filter_map(|((plane, members), &moving)| match plane {
        Plane::Normal(normal) if moving >= 2 => Some(Planar {
            normal: *normal,
            bodies: members
                .iter()
                .filter(|&&body| !mechanism.bodies[body].fictitious)
                .map(|&body| mechanism.bodies[body].name.clone())
                .collect(),
        }),
        _ => None,
    });
    // Steps of a chain alone are no part that anybody would look for.
    named.filter(|part| !part.bodies.is_empty()).collect()
}
