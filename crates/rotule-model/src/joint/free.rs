//! The free joint: any motion, such as that of a floating base.

use super::*;

pub(super) const SPECIFICATION: JointSpecification = JointSpecification::new("free", &[Free]);
