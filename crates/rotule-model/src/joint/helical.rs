//! The helical joint: a screw about an axis.

use super::*;

pub(super) const SPECIFICATION: JointSpecification =
    JointSpecification::new("helical", &[Screw(Axis(0), 0)]);
