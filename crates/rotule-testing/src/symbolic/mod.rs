//! Oracles of expressions.

pub mod extended;
pub mod judge;
pub mod pendulum;
