//! How far cuts are open, in plain numbers.

use crate::draft::JointType;
use crate::mechanism::{Cut, CutKind, Frame, Mechanism};
use crate::pose::{self, Pose, Triple, cross, dot, norm, scale, sub};
use crate::resolve::rounded;
use std::fmt;

/// What is left of a cut's requirement.
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

/// The gaps of all cuts for given poses of the bodies.
pub fn gaps(mechanism: &Mechanism, poses: &[Pose]) -> Vec<Gap> {
    let ends: Vec<Frame> = mechanism.cuts.iter().flat_map(|cut| cut.ends).collect();
    let ends = pose::frames(mechanism, poses, &ends);
    let mut gaps = Vec::with_capacity(mechanism.cuts.len());
    for (cut, ends) in mechanism.cuts.iter().zip(ends.chunks_exact(2)) {
        gaps.push(gap(mechanism, cut, &ends[0], &ends[1]));
    }
    gaps
}

fn gap(mechanism: &Mechanism, cut: &Cut, first: &Pose, second: &Pose) -> Gap {
    let apart = sub(first.position, second.position);
    let (kind, axes, pitch) = match &cut.kind {
        CutKind::Rod { length } => {
            let length = mechanism.evaluate(&[*length])[0];
            return Gap { distance: (norm(apart) - length).abs(), angle: 0.0 };
        }
        CutKind::Joint { kind, axes, pitch } => (*kind, axes, *pitch),
    };
    let axes = pose::vectors(mechanism, axes);
    let in_first: Vec<Triple> = axes.iter().map(|&axis| first.turn(axis)).collect();
    let in_second: Vec<Triple> = axes.iter().map(|&axis| second.turn(axis)).collect();
    let across = |axis: Triple| norm(sub(apart, scale(axis, dot(apart, axis))));
    let tilt = |a: Triple, b: Triple| norm(cross(a, b)).atan2(dot(a, b));
    match kind {
        JointType::Fixed => Gap { distance: norm(apart), angle: turn_between(first, second) },
        JointType::Spherical => Gap { distance: norm(apart), angle: 0.0 },
        JointType::Revolute => {
            Gap { distance: norm(apart), angle: tilt(in_first[0], in_second[0]) }
        }
        JointType::Prismatic => {
            Gap { distance: across(in_first[0]), angle: turn_between(first, second) }
        }
        JointType::Cylindrical => {
            Gap { distance: across(in_first[0]), angle: tilt(in_first[0], in_second[0]) }
        }
        JointType::Helical => {
            let pitch = mechanism.evaluate(&[pitch])[0];
            let axis = in_first[0];
            // Any turn is possible, so the slide must fit one of the turns that look alike.
            let u = pose::in_plane(axes[0]).0;
            let (a, b) = (first.turn(u), second.turn(u));
            let angle = dot(cross(a, b), axis).atan2(dot(a, b));
            let slide = -dot(apart, axis) - pitch * angle;
            let lead = (pitch * std::f64::consts::TAU).abs();
            let rest = if lead > 0.0 { slide - lead * (slide / lead).round() } else { slide };
            Gap { distance: across(axis).hypot(rest), angle: tilt(in_first[0], in_second[0]) }
        }
        JointType::Universal => {
            let meant = dot(axes[0], axes[1]).clamp(-1.0, 1.0).acos();
            let found = dot(in_first[0], in_second[1]).clamp(-1.0, 1.0).acos();
            Gap { distance: norm(apart), angle: (meant - found).abs() }
        }
        JointType::Planar => {
            Gap { distance: dot(apart, in_first[0]).abs(), angle: tilt(in_first[0], in_second[0]) }
        }
        JointType::Free => Gap::default(),
    }
}

/// The angle of the rotation from one frame to another.
fn turn_between(first: &Pose, second: &Pose) -> f64 {
    let (a, b) = (&first.rotation, &second.rotation);
    let relative: [Triple; 3] =
        std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[k][i] * b[k][j]).sum()));
    let skew = [
        relative[2][1] - relative[1][2],
        relative[0][2] - relative[2][0],
        relative[1][0] - relative[0][1],
    ];
    let trace = relative[0][0] + relative[1][1] + relative[2][2];
    norm(skew).atan2(trace - 1.0)
}
