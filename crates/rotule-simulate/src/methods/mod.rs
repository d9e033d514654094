//! Integration methods, one file each.

pub mod fixed;
pub mod hermite;
