//! The recursive Newton-Euler formalism on augmented bodies: the mass of everything beyond a joint
//! is put at the joint, and inertial parameters that act alike are regrouped, so that the fewest
//! remain.

mod efforts;
mod gauge;
mod mass;
mod parameters;

pub(crate) use efforts::{efforts, reference};
pub(crate) use gauge::{Purpose, differ, gauged};
pub(crate) use mass::mass;
