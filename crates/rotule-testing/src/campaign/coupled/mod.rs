//! The campaign of laws that see everything: random mechanisms in which every effort, force, line
//! force, wheel, rate and controller depends on coordinates, speeds, states, inputs and signals of
//! others, each judged by pairs of computations that must agree.
//!
//! ```text
//! seed --families--> mechanism, laws --text--> model file --------------> forward, power, states
//!                                    --text--> twin: laws are numbers --> forward, power
//! ```
//!
//! The numbers of the twin come from laws that are small trees with an evaluation of their own
//! (`law`), at quantities that functions of the twin compute (`seen`). [`judge`] states the rules.

mod draw;
mod families;
pub mod judge;
mod law;
mod seen;
pub mod specimen;
pub mod tally;
