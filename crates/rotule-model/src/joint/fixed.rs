//! The fixed joint: no motion. As a loop closure it holds two frames together, `body`.

use super::*;

pub(super) const SPECIFICATION: JointSpecification =
    JointSpecification::new("fixed", &[]).closed_as("body");
