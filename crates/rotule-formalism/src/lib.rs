//! Equations of motion of mechanisms, written into expression graphs.
//!
//! ```text
//! Mechanism --normalise--> Tree --Function::write--> expressions --generate--> Program
//! ```
//!
//! A [`Tree`] is the mechanism as recursions want it: elementary joints along frame axes, bodies
//! that are fixed to each other merged. Formalisms are functions that write expressions into its
//! graph and give back what they wrote; only for the choice of dependent coordinates are
//! constraints evaluated here.
//!
//! Notation follows Postiau, chapter 1, in the corrected form: `w` angular velocity, `wd` angular
//! acceleration, `alpha` acceleration of the frame's origin less gravity, `beta` the matrix with
//! `beta r = wd x r + w x (w x r)`; all in the components of the node's own frame.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod barycentric;
pub mod choices;
mod composite;
pub mod constraint;
mod coriolis;
mod derivative;
pub mod dynamics;
mod energy;
mod forces;
pub mod foreign;
mod formalism;
pub mod forward;
pub mod function;
pub mod glossary;
mod keys;
mod kinematics;
pub mod labels;
mod map;
pub mod newton_euler;
mod normalise;
mod outward;
mod parts;
mod problem;
mod program_cache;
pub mod quantity;
pub mod readable;
mod regressor;
mod search;
mod solve;
pub mod state;
mod states;
pub mod switches;
mod transformations;
mod tree;
pub mod units;

pub use derivative::{DerivativeMethod, derivative_ways};
pub use formalism::{
    CountedPart, Formalism, WrittenFunction, generate, generate_in_order, inputs,
    parts as count_parts, search,
};
pub use function::ModelFunction;
pub use normalise::{normalise, normalise_apart};
pub use parts::Parts;
pub use problem::Problem;
pub use program_cache::ProgramCache;
pub use regressor::{PARAMETERS, parameter_names};
pub use rotule_model::aliases;
pub use transformations::Transformations;
pub use tree::{ElementaryMotion, SectionMark, Tree, TreeNode, Wrench};
