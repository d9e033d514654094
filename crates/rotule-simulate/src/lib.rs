//! Simulation: from a model to its motion.
//!
//! ```text
//! Tree --Plant--> y' = f(t, y) --Method--> steps --run--> samples --> results
//! ```
//!
//! A method integrates equations and knows no mechanism; a plant turns a mechanism into equations
//! and knows no method.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod anchor;
pub mod augmented;
mod branch;
mod case;
mod clock;
mod constrained;
mod crossing;
pub mod euler_sequence;
pub mod event;
mod event_actions;
pub mod explain;
mod expressions;
mod follow;
mod friction;
pub mod gimbal;
mod gimbal_laws;
mod group;
mod hold;
pub mod impact;
pub mod inputs;
mod integrate;
mod invalid_law;
mod lanes;
pub mod laws;
mod layout;
pub mod method;
pub mod methods;
pub mod monitor;
pub mod ode;
mod outputs;
pub mod plant;
pub mod quantity;
pub mod ranges;
pub mod reactions;
mod reduced;
mod redundant;
pub mod run;
pub mod second_order;
mod sequence_switch;
pub mod signals;
pub mod simulation;
pub mod study;
mod switch;
pub mod table;
mod tangent;
mod time_condition;
pub mod watched;
mod work;

pub use clock::Clock;
