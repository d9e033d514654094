//! The recursive Newton-Euler formalism (Luh, Walker and Paul 1980): masses, centres of mass and
//! inertias of the bodies as they are.

mod efforts;
mod mass;
mod reactions;

pub(crate) use efforts::efforts;
pub(crate) use mass::{Column, columns, mass};
pub use reactions::reactions;
pub(crate) use reactions::transmitted;
