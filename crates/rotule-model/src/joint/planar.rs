//! The planar joint: two translations in a plane and a rotation about its normal.

use super::*;

pub(super) const SPECIFICATION: JointSpecification = JointSpecification::new(
    "planar",
    &[Translation(Across(0), 0), Translation(Across(1), 1), Rotation(Axis(0), 2)],
);
