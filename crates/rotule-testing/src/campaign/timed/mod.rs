//! The campaign of laws that switch and events: random models of one and two bodies with pulses,
//! tables, switches, stops and events at random times, each simulated by a random method and
//! compared with a reference of its own.
//!
//! ```text
//! seed --families--> System --write--> model file --judge: run--> samples, records
//!                           --reference-------------------------> samples, events   --> verdict --tally--> table
//! ```
//!
//! The `reference` shares nothing with the product: the equations of five mechanisms are written by
//! hand (`mechanism`), laws are small trees with an evaluation of a few lines (`law`), steps are of
//! one length, at most a twentieth of the shortest feature, and each is cut where a switch changes
//! its side while all switches are frozen. [`judge`] states the rule of agreement.

mod draw;
mod families;
mod happenings;
pub mod judge;
mod law;
mod mechanism;
mod reference;
pub mod specimen;
mod system;
pub mod tally;
mod write;
