//! Gaps of loop closures, in plain numbers.

use crate::draft::JointType;
use crate::mechanism::{Cut, CutKind, Frame, Mechanism};
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
    let axes = &numbers.axes;
    let in_first: Vec<Components> = axes.iter().map(|&axis| first.turn(axis)).collect();
    let in_second: Vec<Components> = axes.iter().map(|&axis| second.turn(axis)).collect();
    let across = |axis: Components| norm(sub(apart, scale(axis, dot(apart, axis))));
    let tilt = |a: Components, b: Components| atan2(norm(cross(a, b)), dot(a, b));
    match kind {
        JointType::Fixed | JointType::Spherical => {
            let mut turn = match kind {
                JointType::Fixed => turn_between(first, second),
                _ => [0.0; 3],
            };
            // Components that are left out are those along the ground's axes.
            for component in &cut.ignore {
                let at = *component as usize;
                if at < 3 { apart[at] = 0.0 } else { turn[at - 3] = 0.0 }
            }
            Gap { distance: norm(apart), angle: norm(turn) }
        }
        JointType::Revolute => {
            Gap { distance: norm(apart), angle: tilt(in_first[0], in_second[0]) }
        }
        JointType::Prismatic => {
            Gap { distance: across(in_first[0]), angle: norm(turn_between(first, second)) }
        }
        JointType::Cylindrical => {
            Gap { distance: across(in_first[0]), angle: tilt(in_first[0], in_second[0]) }
        }
        JointType::Helical => {
            let axis = in_first[0];
            // Any turn is possible, so the slide must fit one of the turns that look alike.
            let u = pose::in_plane(axes[0]).0;
            let (a, b) = (first.turn(u), second.turn(u));
            let angle = atan2(dot(cross(a, b), axis), dot(a, b));
            let slide = -dot(apart, axis) - numbers.pitch * angle;
            let lead = (numbers.pitch * std::f64::consts::TAU).abs();
            let rest = if lead > 0.0 { slide - lead * (slide / lead).round() } else { slide };
            Gap { distance: hypot(across(axis), rest), angle: tilt(in_first[0], in_second[0]) }
        }
        JointType::Universal => {
            let meant = acos(dot(axes[0], axes[1]).clamp(-1.0, 1.0));
            let found = acos(dot(in_first[0], in_second[1]).clamp(-1.0, 1.0));
            Gap { distance: norm(apart), angle: (meant - found).abs() }
        }
        JointType::Planar => {
            Gap { distance: dot(apart, in_first[0]).abs(), angle: tilt(in_first[0], in_second[0]) }
        }
        JointType::Free => Gap::default(),
    }
}

/// The rotation from the second frame to the first, as axis times angle in the ground's components.
fn turn_between(first: &Pose, second: &Pose) -> Components {
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
