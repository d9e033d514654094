//! Numbers of mechanisms: everything that is evaluated before equations of closed loops are
//! written.
//!
//! ```text
//! MultibodySystem --constraints--> rows --evaluate--> assembly, rank, redundancy --> CoordinatePartition
//! MultibodySystem + CoordinatePartition --formalism--> Program
//! ```
//!
//! Formalisms write expressions and are given a partition; here the rows that they write are
//! evaluated at the closed initial state ([`assembly`]), those that repeat others are told apart
//! from those that merely meet ([`redundancy`]), and dependent coordinates and speeds are chosen
//! ([`partition`]). [`generate`], [`search`] and [`write()`] are the formalism's with the partition
//! that a function needs, chosen in one place ([`partition_for`]). Simulators choose others in
//! motion ([`alternatives`]).

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod alternatives;
pub mod assembly;
mod components;
mod coordinate_partition;
pub mod dense;
mod drive_map;
mod feasibility;
mod functions;
mod groups;
pub mod independent;
mod initial_speeds;
pub mod initial_values;
mod keys;
mod messages;
mod null_space;
pub mod partition;
pub mod pattern;
pub mod redundancy;
mod row_values;
mod scaling;
pub mod singular_mass;
pub mod state;

pub use functions::{
    actuation_report, choose_partition, generate, generate_group, generate_in_order, partition_for,
    partitioned, search, write,
};
pub use row_values::moved;
