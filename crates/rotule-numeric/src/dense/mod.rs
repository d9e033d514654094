//! Dense algebra of numbers, shared with simulation: what constraints, accelerations and implicit
//! steps need of factors, singular values and null spaces.
//!
//! Real and complex matrices of any size are factored by nalgebra; what decides about rank has
//! algorithms of its own, exact in small singular values (`svd`) or linear in the length of a
//! chain of loops (`gram`).

pub(crate) mod gram;
mod kkt;
mod least_constraint;
mod lu;
pub(crate) mod svd;

pub use kkt::KktSystem;
pub use least_constraint::LeastConstraint;
pub use lu::{DenseLu, PivotedLu, growth_without_pivots, probe_sign};
pub use nalgebra::{Complex, ComplexField};
