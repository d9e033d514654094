//! Planar motion: loops, of whose constraints some then vanish, and parts of the tree.
//!
//! A revolute joint about the normal and a prismatic one across it keep a motion in the plane, and
//! they keep the normal itself. So it is enough to look at one configuration, the initial one.

use crate::closure::{self, Numbers};
use crate::joint::{JointMotion, JointType};
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
    /// The plane after another joint, with the directions of its motions in the ground's
    /// components; none if the joint leaves the plane.
    fn with(self, motions: &[(JointMotion, Components)]) -> Option<Plane> {
        let mut plane = self;
        // A rotation gives the normal as it is written, two translations give a product.
        for (motion, axis) in motions {
            match motion {
                JointMotion::Rotation(..) => plane = plane.with_rotation(*axis)?,
                JointMotion::Translation(..) => {}
                JointMotion::Screw(..) | JointMotion::Spherical | JointMotion::Free => return None,
            }
        }
        let mut translations = motions.iter().filter(|(motion, _)| is_translation(motion));
        translations.try_fold(plane, |plane, (_, axis)| plane.with_translation(*axis))
    }

    fn with_rotation(self, axis: Components) -> Option<Plane> {
        match self {
            Plane::Any => Some(Plane::Normal(axis)),
            Plane::Along(along) => perpendicular(along, axis).then_some(Plane::Normal(axis)),
            Plane::Normal(normal) => parallel(normal, axis).then_some(self),
        }
    }

    fn with_translation(self, axis: Components) -> Option<Plane> {
        match self {
            Plane::Any => Some(Plane::Along(axis)),
            Plane::Along(along) if parallel(along, axis) => Some(self),
            Plane::Along(along) => {
                let normal = cross(along, axis);
                Some(Plane::Normal(scale(normal, 1.0 / norm(normal))))
            }
            Plane::Normal(normal) => perpendicular(normal, axis).then_some(self),
        }
    }
}

fn is_translation(motion: &JointMotion) -> bool {
    motion.translates() && !motion.rotates()
}

/// The elementary motions of each joint, by the position of its body, with their directions in the
/// ground's components; none where a joint does not move.
fn motions_in_ground(mechanism: &Mechanism, poses: &[Pose]) -> Vec<Vec<(JointMotion, Components)>> {
    let axes: Vec<_> =
        mechanism.joints.iter().flat_map(|joint| joint.axes.iter().copied()).collect();
    let mut axes = &pose::vectors(mechanism, &axes)[..];
    let q = pose::initial_coordinates(mechanism);
    let mut found = vec![Vec::new()];
    for (joint, pose) in mechanism.joints.iter().zip(poses.iter().skip(1)) {
        let (own, others) = axes.split_at(joint.axes.len());
        axes = others;
        let q = &q[joint.coordinates.clone()];
        let mut motions = pose::moving_directions(joint.kind, own, q);
        motions.iter_mut().for_each(|(_, axis)| *axis = pose.turn(*axis));
        found.push(if moves(joint) { motions } else { Vec::new() });
    }
    found
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
    let motions = motions_in_ground(mechanism, &poses);
    let mut found = vec![Rotations::None];
    for (index, body) in mechanism.bodies.iter().enumerate().skip(1) {
        let before = found[body.parent.map_or(0, BodyId::index)];
        let after = |before: Rotations, (motion, axis): &(JointMotion, Components)| match motion {
            JointMotion::Translation(..) => before,
            JointMotion::Rotation(..) | JointMotion::Screw(..) => match before {
                Rotations::None => Rotations::About(*axis),
                Rotations::About(known) if parallel(known, *axis) => before,
                Rotations::About(_) | Rotations::Any => Rotations::Any,
            },
            JointMotion::Spherical | JointMotion::Free => Rotations::Any,
        };
        found.push(motions[index].iter().fold(before, after));
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
    let motions = motions_in_ground(mechanism, poses);
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
            let own = &motions[body.index()];
            plane = plane.and_then(|plane| plane.with(own));
            slides = slides.filter(|_| own.iter().all(|(motion, _)| is_translation(motion)));
            slides.iter_mut().for_each(|slides| slides.extend(own.iter().map(|(_, axis)| *axis)));
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

/// The constraints of a cut that say something about a motion in a plane: three, less the motions
/// in the plane that the cut leaves free.
fn rows_in_plane(cut: &Cut, numbers: &Numbers, normal: Components) -> usize {
    let CutKind::Joint { kind, .. } = &cut.kind else { return 1 };
    let translations = free_translations(cut, *kind, numbers);
    let leaves = translations.iter().any(|&along| !perpendicular(along, normal));
    let about = |(at, motion): (usize, &JointMotion)| match *motion {
        // Of two axes the second body carries the other.
        JointMotion::Rotation(about, _) => {
            let before = &kind.motions()[..at];
            let end = usize::from(before.iter().any(|motion| !is_translation(motion)));
            let axis = numbers.ends[end].turn(pose::direction(about, &numbers.axes));
            parallel(axis, normal)
        }
        JointMotion::Spherical | JointMotion::Free => true,
        JointMotion::Translation(..) | JointMotion::Screw(..) => false,
    };
    let rotates = kind.motions().iter().enumerate().any(about)
        || kept_axes(cut, 3, numbers).iter().all(|&axis| perpendicular(axis, normal));
    3 + usize::from(leaves) - translations.len() - usize::from(rotates)
}

/// The constraints of a cut that say something where nothing turns and all slides are along these.
fn rows_of_slides(cut: &Cut, numbers: &Numbers, slides: &[Components]) -> usize {
    let CutKind::Joint { kind, .. } = &cut.kind else { return 1.min(slides.len()) };
    let mut all = free_translations(cut, *kind, numbers);
    let free = all.len();
    all.extend(slides);
    rank(&all) - free
}

/// Independent directions in which a cut lets the ends move apart: those of the joint, and
/// components that are left out.
fn free_translations(cut: &Cut, kind: JointType, numbers: &Numbers) -> Vec<Components> {
    let ignored = component_axes(cut, 0, numbers, true);
    let own = kind.motions().iter().flat_map(|motion| match *motion {
        JointMotion::Translation(along, _) => {
            vec![numbers.ends[0].turn(pose::direction(along, &numbers.axes))]
        }
        JointMotion::Free => (0..3).map(unit).collect(),
        JointMotion::Rotation(..) | JointMotion::Screw(..) | JointMotion::Spherical => Vec::new(),
    });
    own.chain(ignored).collect()
}

fn unit(at: usize) -> Components {
    std::array::from_fn(|i| f64::from(u8::from(i == at)))
}

/// The axes along (`from` 0) or about (`from` 3) which a cut's components are kept.
fn kept_axes(cut: &Cut, from: usize, numbers: &Numbers) -> Vec<Components> {
    component_axes(cut, from, numbers, false)
}

/// The axes of the frame of a cut's components, those that are left out or the others.
fn component_axes(cut: &Cut, from: usize, numbers: &Numbers, left_out: bool) -> Vec<Components> {
    let ignored = |at: usize| cut.ignore.iter().any(|&component| component as usize == from + at);
    let frame = cut.frame.map_or(Pose::IDENTITY, |end| numbers.ends[end]);
    (0..3).filter(|&at| ignored(at) == left_out).map(|at| frame.turn(unit(at))).collect()
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
    let motions = motions_in_ground(mechanism, poses);
    let mut part_of: Vec<Option<usize>> = vec![None; mechanism.bodies.len()];
    let mut planes: Vec<Plane> = Vec::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut moving: Vec<usize> = Vec::new();
    // What hangs on the ground directly shares the ground's part: loops run through it.
    let mut on_ground: Vec<usize> = Vec::new();
    for (index, body) in mechanism.bodies.iter().enumerate().skip(1) {
        let own = &motions[index];
        let parent = body.parent.map_or(0, BodyId::index);
        let candidates: Vec<usize> =
            if parent == 0 { on_ground.clone() } else { part_of[parent].into_iter().collect() };
        let fits = candidates
            .into_iter()
            .find_map(|part| planes[part].with(own).map(|plane| (part, plane)));
        let (part, plane) = match fits {
            Some(found) => found,
            None => match Plane::Any.with(own) {
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
        moving[part] += usize::from(!own.is_empty());
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
