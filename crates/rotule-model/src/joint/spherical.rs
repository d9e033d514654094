//! The spherical joint: any rotation. As a loop closure it is a `ball`.

use super::*;

pub(super) const SPECIFICATION: JointSpecification =
    JointSpecification::new("spherical", &[Spherical]).closed_as("ball");
