//! The revolute joint: a rotation about an axis.

use super::*;

pub(super) const SPECIFICATION: JointSpecification =
    JointSpecification::new("revolute", &[Rotation(Axis(0), 0)]);
