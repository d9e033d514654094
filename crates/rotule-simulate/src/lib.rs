//! Simulation: from a model to its motion.
//!
//! ```text
//! Tree --Plant--> y' = f(t, y) --Method--> steps --run--> samples --> results
//! ```
//!
//! A method integrates equations and knows no mechanism; a plant turns a mechanism into equations and knows no method.

pub mod chart;
mod culprit;
pub mod event;
pub mod impact;
pub mod inputs;
pub mod method;
pub mod methods;
pub mod monitor;
pub mod ode;
pub mod plant;
pub mod quantity;
pub mod reactions;
pub mod run;
mod tangent;
