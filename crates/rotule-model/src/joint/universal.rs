//! The universal joint: a rotation about a first axis, then one about a second axis, which the
//! first rotation carries along.

use super::*;

pub(super) const SPECIFICATION: JointSpecification =
    JointSpecification::new("universal", &[Rotation(Axis(0), 0), Rotation(Axis(1), 1)]);
