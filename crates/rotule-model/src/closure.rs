//! Gaps of loop closures, in plain numbers.

use crate::joint::Blocked;
use crate::mechanism::{BodyId, Cut, CutKind, Frame, Mechanism};
use crate::pose::{self, Components, Pose, cross, dot, norm, scale, sub};
use crate::resolve::rounded;
use rotule_symbolic::elementary::{acos, atan2, hypot};
use std::fmt;

/// The rest of a loop closure's requirement.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Gap {
    /// In metres.
    pub distance: f64,
    /// In radians.
    pub angle: f64,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let distance = format!("{} m", rounded(self.distance, 3));
        let angle = format!("{} rad", rounded(self.angle, 3));
        match (self.distance > 1e-9, self.angle > 1e-9) {
            (_, false) => f.write_str(&distance),
            (false, true) => f.write_str(&angle),
            (true, true) => write!(f, "{distance} and {angle}"),
        }
    }
}

/// A cut in plain numbers, for given poses of the bodies.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// The two frames.
    pub ends: [Pose; 2],
    /// The axes in the joint's frame.
    pub axes: Vec<Components>,
    /// The length of a rod.
    pub length: f64,
    /// Slide per turn of a helical joint.
    pub pitch: f64,
}

/// The size of the loop of a cut: how far the bodies round it are from what carries them all.
pub fn reach(mechanism: &Mechanism, poses: &[Pose], cut: usize, ends: &Numbers) -> f64 {
    let cut = &mechanism.cuts[cut];
    let (mut one, mut two) = (cut.ends[0].body.index(), cut.ends[1].body.index());
    let mut round = Vec::new();
    // Parents come before children; left out components are counted in the ground.
    let parent = |body: usize| mechanism.bodies[body].parent.map_or(0, BodyId::index);
    while one != two || (one != 0 && !cut.ignore.is_empty() && cut.frame.is_none()) {
        let later = if one >= two { &mut one } else { &mut two };
        round.push(poses[*later].position);
        *later = parent(*later);
    }
    let origin = poses[one].position;
    round.extend(ends.ends.iter().map(|end| end.position));
    round.into_iter().fold(0.0_f64, |most, place| most.max(norm(sub(place, origin))))
}

/// The numbers of all cuts, in one evaluation.
pub fn numbers(mechanism: &Mechanism, poses: &[Pose]) -> Vec<Numbers> {
    let ends: Vec<Frame> = mechanism.cuts.iter().flat_map(|cut| cut.ends).collect();
    let ends = pose::frames(mechanism, poses, &ends);
    let mut exprs = Vec::new();
    for cut in &mechanism.cuts {
        match &cut.kind {
            CutKind::Rod { length } => exprs.push(*length),
            CutKind::Joint { axes, pitch, .. } => {
                exprs.push(*pitch);
                exprs.extend(axes.iter().flat_map(|axis| axis.0));
            }
        }
    }
    let mut values = mechanism.evaluate(&exprs).into_iter();
    let mut next = || values.next().unwrap_or(f64::NAN);
    let mut all = Vec::with_capacity(mechanism.cuts.len());
    for (cut, ends) in mechanism.cuts.iter().zip(ends.chunks_exact(2)) {
        let first = next();
        let (length, pitch, count) = match &cut.kind {
            CutKind::Rod { .. } => (first, 0.0, 0),
            CutKind::Joint { axes, .. } => (0.0, first, axes.len()),
        };
        let axes = (0..count).map(|_| [next(), next(), next()]).collect();
        all.push(Numbers { ends: [ends[0], ends[1]], axes, length, pitch });
    }
    all
}

/// The gaps of all cuts for given poses of the bodies.
pub fn gaps(mechanism: &Mechanism, poses: &[Pose]) -> Vec<Gap> {
    let numbers = numbers(mechanism, poses);
    mechanism.cuts.iter().zip(&numbers).map(|(cut, numbers)| gap(cut, numbers)).collect()
}

/// The gap of a loop closure.
pub fn gap(cut: &Cut, numbers: &Numbers) -> Gap {
    let [first, second] = &numbers.ends;
    let mut apart = sub(first.position, second.position);
    let kind = match &cut.kind {
        CutKind::Rod { .. } => {
            return Gap { distance: (norm(apart) - numbers.length).abs(), angle: 0.0 };
        }
        CutKind::Joint { kind, .. } => *kind,
    };
    let mut rotation = rotation_between(first, second);
    // Components that are left out are those along the axes of the frame.
    let frame = cut.frame.map_or(Pose::IDENTITY, |end| numbers.ends[end].inverse());
    (apart, rotation) = (frame.turn(apart), frame.turn(rotation));
    for component in &cut.ignore {
        let at = *component as usize;
        if at < 3 { apart[at] = 0.0 } else { rotation[at - 3] = 0.0 }
    }
    let frame = frame.inverse();
    (apart, rotation) = (frame.turn(apart), frame.turn(rotation));
    let axes = &numbers.axes;
    let in_first = |axis: usize| first.turn(axes[axis]);
    let in_second = |axis: usize| second.turn(axes[axis]);
    let mut gap = Gap::default();
    for blocked in kind.blocked() {
        match blocked {
            Blocked::Position => gap.distance = norm(apart),
            Blocked::Across(axis) => {
                let axis = in_first(axis);
                gap.distance = norm(sub(apart, scale(axis, dot(apart, axis))));
            }
            Blocked::Along(axis) => gap.distance = dot(apart, in_first(axis)).abs(),
            Blocked::Orientation => gap.angle = norm(rotation),
            Blocked::Tilt(axis) => {
                let (a, b) = (in_first(axis), in_second(axis));
                gap.angle = atan2(norm(cross(a, b)), dot(a, b));
            }
            Blocked::Angle(a, b) => {
                let meant = acos(dot(axes[a], axes[b]).clamp(-1.0, 1.0));
                let found = acos(dot(in_first(a), in_second(b)).clamp(-1.0, 1.0));
                gap.angle = (meant - found).abs();
            }
            Blocked::Screw(axis) => {
                // Any rotation is possible, so the translation must fit one of those that look
                // alike.
                let u = pose::in_plane(axes[axis]).0;
                let (a, b, axis) = (first.turn(u), second.turn(u), in_first(axis));
                let angle = atan2(dot(cross(a, b), axis), dot(a, b));
                let slide = -dot(apart, axis) - numbers.pitch * angle;
                let lead = (numbers.pitch * std::f64::consts::TAU).abs();
                let rest = if lead > 0.0 { slide - lead * (slide / lead).round() } else { slide };
                gap.distance = hypot(gap.distance, rest);
            }
        }
    }
    gap
}

/// The rotation from the second frame to the first, as axis times angle in the ground's components.
fn rotation_between(first: &Pose, second: &Pose) -> Components {
    let (a, b) = (&first.rotation, &second.rotation);
    // A B^T takes directions of the second frame to those of the first.
    let relative: [Components; 3] =
        std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[j][k]).sum()));
    let skew = [
        relative[2][1] - relative[1][2],
        relative[0][2] - relative[2][0],
        relative[1][0] - relative[0][1],
    ];
    let trace = relative[0][0] + relative[1][1] + relative[2][2];
    let (sine, angle) = (norm(skew), atan2(norm(skew), trace - 1.0));
    if sine > 1e-12 {
        return scale(skew, angle / sine);
    }
    // No turn, or half a turn about the axis that R + I keeps.
    let column = |j: usize| [0, 1, 2].map(|i| relative[i][j] + f64::from(u8::from(i == j)));
    let longest = [0, 1, 2].map(column).into_iter().max_by(|a, b| norm(*a).total_cmp(&norm(*b)));
    match longest {
        Some(axis) if angle > 1.0 => scale(axis, angle / norm(axis)),
        _ => [0.0; 3],
    }
}
