//! The prismatic joint: a translation along an axis.

use super::*;

pub(super) const SPECIFICATION: JointSpecification =
    JointSpecification::new("prismatic", &[Translation(Axis(0), 0)]);
