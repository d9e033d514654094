//! Planar motion: loops, of whose constraints some then vanish, and parts of the tree.
//!
//! A revolute joint about the normal and a prismatic one across it keep a motion in the plane, and
//! they keep the normal itself. So it is enough to look at one configuration, the initial one.

use crate::closure::{self, Numbers};
use crate::draft::JointType;
use crate::mechanism::{BodyId, Cut, CutKind, Mechanism};
use crate::pose::{self, Components, Pose, cross, dot, norm, scale, sub};
use crate::structure::{Loop, Paths, Planar, moves, parents};

/// Directions closer than this, in radians, count as parallel.
const PARALLEL: f64 = 1e-9;

fn parallel(a: Components, b: Components) -> bool {
    norm(cross(a, b)) < PARALLEL
}

fn perpendicular(a: Components, b: Components) -> bool {
    dot(a, b).abs() < PARALLEL
}

/// The plane in which some joints move.
#[derive(Clone, Copy)]
enum Plane {
    /// Nothing moves yet.
    Any,
    /// One direction lies in it.
    Along(Components),
    /// Its normal is known.
    Normal(Components),
}

impl Plane {
    /// The plane after another joint, with its first axis in the ground's components; none if the
    /// joint leaves the plane.
    fn with(self, kind: JointType, axis: Components) -> Option<Plane> {
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
                    Some(Plane::Normal(scale(normal, 1.0 / norm(normal))))
                }
                Plane::Normal(normal) => perpendicular(normal, axis).then_some(self),
            },
            _ => None,
        }
    }
}

/// The first axis of each joint, by the position of its body, in the ground's components.
fn axes_in_ground(mechanism: &Mechanism, poses: &[Pose]) -> Vec<Components> {
    let first = |joint: &crate::mechanism::Joint| {
        joint.axes.first().copied().unwrap_or(rotule_symbolic::Vector::ZERO)
    };
    let axes: Vec<_> = mechanism.joints.iter().map(first).collect();
    let axes = pose::vectors(mechanism, &axes);
    // The axis of a joint is the same on both its sides, so the body's pose will do.
    let turned = axes.iter().zip(poses.iter().skip(1)).map(|(&axis, pose)| pose.turn(axis));
    std::iter::once([0.0; 3]).chain(turned).collect()
}

/// The directions about which a body rotates, in its own frame.
#[derive(Clone, Copy, Debug)]
pub enum Rotations {
    /// It keeps its orientation.
    None,
    /// About this one alone.
    About(Components),
    /// About several.
    Any,
}

impl Rotations {
    /// Returns `true` if the body rotates about a frame axis alone, if at all.
    pub fn is_about(self, axis: usize) -> bool {
        match self {
            Rotations::None => true,
            Rotations::About(found) => found[axis].abs() > 1.0 - PARALLEL,
            Rotations::Any => false,
        }
    }
}

/// The rotations of each body. Bodies that rotate about one direction do so in every position.
pub fn rotation_axes(mechanism: &Mechanism) -> Vec<Rotations> {
    let poses = pose::initial(mechanism);
    let axes = axes_in_ground(mechanism, &poses);
    let mut found = vec![Rotations::None];
    for (index, body) in mechanism.bodies.iter().enumerate().skip(1) {
        let before = found[body.parent.map_or(0, BodyId::index)];
        let joint = &mechanism.joints[index - 1];
        let axis = axes[index];
        let turns = |before: Rotations| match before {
            Rotations::None => Rotations::About(axis),
            Rotations::About(known) if parallel(known, axis) => before,
            _ => Rotations::Any,
        };
        found.push(match joint.kind {
            _ if !moves(joint) => before,
            JointType::Fixed | JointType::Prismatic => before,
            JointType::Revolute
            | JointType::Planar
            | JointType::Cylindrical
            | JointType::Helical => turns(before),
            _ => Rotations::Any,
        });
    }
    let own = |(rotations, pose): (Rotations, &Pose)| match rotations {
        Rotations::About(axis) => Rotations::About(pose.inverse().turn(axis)),
        other => other,
    };
    found.into_iter().zip(&poses).map(own).collect()
}

/// All loops, with the constraints that vanish.
pub fn loops(mechanism: &Mechanism, poses: &[Pose]) -> Vec<Loop> {
    if mechanism.cuts.is_empty() {
        return Vec::new();
    }
    let axes = axes_in_ground(mechanism, poses);
    let numbers = closure::numbers(mechanism, poses);
    let mut paths = Paths::new(parents(mechanism));
    let mut found = Vec::with_capacity(mechanism.cuts.len());
    for (cut, numbers) in mechanism.cuts.iter().zip(&numbers) {
        let gap = closure::gap(cut, numbers);
        let [first, second] = cut.ends.map(|end| end.body);
        let path = paths.between(first, second);
        let mut plane = path.as_ref().map(|_| Plane::Any);
        let mut slides: Option<Vec<Components>> = path.as_ref().map(|_| Vec::new());
        for body in path.iter().flatten() {
            let joint = &mechanism.joints[body.index() - 1];
            if !moves(joint) {
                continue;
            }
            let axis = axes[body.index()];
            plane = plane.and_then(|plane| plane.with(joint.kind, axis));
            match &mut slides {
                Some(slides) if joint.kind == JointType::Prismatic => slides.push(axis),
                _ => slides = None,
            }
        }
        let normal = match plane {
            Some(Plane::Normal(normal)) => Some(normal),
            _ => None,
        };
        let rows = cut.rows();
        let left = match (&slides, normal) {
            (Some(slides), _) => rows_of_slides(cut, numbers, slides),
            (None, Some(normal)) => rows_in_plane(cut, numbers, normal),
            (None, None) => rows,
        };
        found.push(Loop {
            name: cut.name.clone(),
            kind: cut.word(),
            between: [first, second].map(|body| mechanism.bodies[body.index()].name.clone()),
            chosen: cut.chosen,
            rows,
            vanishing: rows - left.min(rows),
            normal,
            length: path.map_or(0, |path| bodies_round(mechanism, cut, &path)),
            gap_distance: gap.distance,
            gap_angle: gap.angle,
        });
    }
    found
}

/// The bodies that a loop runs through, without the massless steps at joints.
fn bodies_round(mechanism: &Mechanism, cut: &Cut, path: &[BodyId]) -> usize {
    // The path has the bodies below the common ancestor, which counts, too.
    let real = |body: &&BodyId| !mechanism.bodies[body.index()].fictitious;
    let top = path.iter().chain(cut.ends.iter().map(|end| &end.body)).min();
    let ancestor = top.and_then(|body| mechanism.bodies[body.index()].parent);
    let whole = ancestor.is_none_or(|body| !mechanism.bodies[body.index()].fictitious);
    path.iter().filter(real).count() + usize::from(whole)
}

/// The constraints of a cut that say something about a motion in a plane.
fn rows_in_plane(cut: &Cut, numbers: &Numbers, normal: Components) -> usize {
    let CutKind::Joint { kind, .. } = &cut.kind else { return 1 };
    let axis = |which: usize, end: usize| numbers.ends[end].turn(numbers.axes[which]);
    let along = |which: usize, end: usize| parallel(axis(which, end), normal);
    let across = |which: usize, end: usize| perpendicular(axis(which, end), normal);
    match kind {
        JointType::Fixed | JointType::Spherical => {
            // What each kept component of a displacement says within the plane.
            let kept = kept_axes(cut, 0).into_iter();
            let within: Vec<Components> =
                kept.map(|axis| sub(axis, scale(normal, dot(axis, normal)))).collect();
            let turns = kept_axes(cut, 3).iter().any(|&axis| !perpendicular(axis, normal));
            rank(&within) + usize::from(*kind == JointType::Fixed && turns)
        }
        JointType::Revolute if along(0, 0) => 2,
        JointType::Prismatic if across(0, 0) => 2,
        JointType::Cylindrical if along(0, 0) || across(0, 0) => 2,
        JointType::Universal if along(0, 0) || along(1, 1) => 2,
        JointType::Planar if along(0, 0) => 0,
        JointType::Planar => 2,
        // What is left in general position.
        JointType::Revolute
        | JointType::Prismatic
        | JointType::Helical
        | JointType::Cylindrical
        | JointType::Universal
        | JointType::Free => 3,
    }
}

/// The constraints of a cut that say something where nothing turns and all slides are along these.
fn rows_of_slides(cut: &Cut, numbers: &Numbers, slides: &[Components]) -> usize {
    let CutKind::Joint { kind, .. } = &cut.kind else { return 1.min(slides.len()) };
    let axis = || numbers.ends[0].turn(numbers.axes[0]);
    // What is left of the slides after the motion that the joint allows.
    let rest = |axis: Components| -> Vec<Components> {
        slides.iter().map(|&slide| sub(slide, scale(axis, dot(slide, axis)))).collect()
    };
    match kind {
        JointType::Free => 0,
        JointType::Fixed | JointType::Spherical => {
            let kept = kept_axes(cut, 0);
            let seen = |slide: &Components| {
                kept.iter()
                    .fold([0.0; 3], |sum, &axis| pose::add(sum, scale(axis, dot(*slide, axis))))
            };
            rank(&slides.iter().map(seen).collect::<Vec<_>>())
        }
        JointType::Prismatic | JointType::Cylindrical => rank(&rest(axis())),
        JointType::Planar => usize::from(slides.iter().any(|&slide| !perpendicular(slide, axis()))),
        JointType::Revolute | JointType::Universal | JointType::Helical => rank(slides),
    }
}

/// The ground's axes along (`from` 0) or about (`from` 3) which a cut's components are kept.
fn kept_axes(cut: &Cut, from: usize) -> Vec<Components> {
    let ignored = |at: usize| cut.ignore.iter().any(|&component| component as usize == from + at);
    let unit = |at: usize| std::array::from_fn(|i| f64::from(u8::from(i == at)));
    (0..3).filter(|&at| !ignored(at)).map(unit).collect()
}

/// The number of independent directions.
fn rank(directions: &[Components]) -> usize {
    let mut found: Vec<Components> = Vec::new();
    for &direction in directions {
        let rest = found.iter().fold(direction, |v, &one| sub(v, scale(one, dot(v, one))));
        if norm(rest) > PARALLEL {
            found.push(scale(rest, 1.0 / norm(rest)));
        }
    }
    found.len()
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
        let parent = body.parent.map_or(0, BodyId::index);
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
