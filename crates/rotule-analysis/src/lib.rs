//! Operating points: questions to a model at one state, or along a line of states.
//!
//! [`equilibrium`] finds states at rest or in uniform motion, [`search`] several of them,
//! [`continuation`] follows them over a quantity. [`modes`] has the eigenvectors of small motions,
//! [`tracking`] their course over a quantity. All of them evaluate the model by [`functions`].
//!
//! Nothing here reads, prints or draws.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod continuation;
pub mod eigen;
pub mod equations;
pub mod equilibrium;
pub mod functions;
pub mod linear;
pub mod linear_response;
pub mod linear_sampled;
pub mod modes;
pub mod quantity;
pub mod rank;
pub mod search;
pub mod singular;
pub mod state_matrix;
pub mod tracking;
