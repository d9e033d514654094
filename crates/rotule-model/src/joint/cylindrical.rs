//! The cylindrical joint: a rotation about an axis and a translation along it, in this order of
//! the coordinates.

use super::*;

pub(super) const SPECIFICATION: JointSpecification =
    JointSpecification::new("cylindrical", &[Translation(Axis(0), 1), Rotation(Axis(0), 0)]);
