//! Integration methods against exact answers and published digits.

mod backward;
mod common;
mod explicit;
mod problems;
mod rounding;
mod stiff;
mod stiffness;
