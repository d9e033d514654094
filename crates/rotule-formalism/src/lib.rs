//! Equations of motion of mechanisms, written into expression graphs.
//!
//! ```text
//! Mechanism --normalise--> MultibodySystem --Function::write--> expressions --generate--> Program
//! ```
//!
//! A [`MultibodySystem`] is the mechanism as recursions want it: elementary joints along frame
//! axes, bodies that are fixed to each other merged. Formalisms are functions that write
//! expressions by a [`Writer`] and give back what they wrote. Functions of closed mechanisms are
//! given a coordinate partition, which `rotule-numeric` chooses.
//!
//! Notation follows Postiau, chapter 1, in the corrected form: `w` angular velocity, `wd` angular
//! acceleration, `alpha` acceleration of the frame's origin less gravity, `beta` the matrix with
//! `beta r = wd x r + w x (w x r)`; all in the components of the node's own frame.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod barycentric;
pub mod choices;
mod composite;
pub mod constraint;
mod coriolis;
mod derivative;
pub mod dynamics;
pub mod elastic;
mod energy;
mod forces;
pub mod foreign;
mod formalism;
pub mod forward;
pub mod function;
pub mod given;
pub mod glossary;
mod group;
mod joint_motion;
mod kinematics;
pub mod labels;
mod linear;
mod map;
mod newton_euler;
mod normalise;
mod outward;
mod parts;
mod problem;
mod program_cache;
pub mod quantity;
pub mod readable;
mod regressor;
mod search;
mod signals;
mod solve;
mod spatial;
pub mod states;
pub mod switches;
mod system;
mod transformations;
mod tree;
pub mod units;
mod writer;

pub use derivative::second::{direction_names, weight_names};
pub use derivative::{DerivativeMethod, derivative_ways};
pub use formalism::{
    CountedPart, Formalism, WrittenFunction, generate, generate_in_order, inputs,
    parts as count_parts, search,
};
pub use function::ModelFunction;
pub use group::{GroupFunction, WrittenGroup, generate_group};
pub use joint_motion::JointColumn;
pub use linear::{engaged_set, engaged_variant};
pub use normalise::{normalise, normalise_apart};
pub use parts::Parts;
pub use problem::{Problem, ProblemKind, no_numbers, without_numbers};
pub use program_cache::ProgramCache;
pub use regressor::{PARAMETERS, parameter_names};
pub use rotule_model::aliases;
pub use system::{ElementLaws, MotionInput, MultibodySystem, Strategy};
pub use transformations::Transformations;
pub use tree::{
    ByNode, ElementaryMotion, MotionPart, NodeId, NodePlacement, NodeSet, PlainWrench, Tree,
    TreeNode,
};
pub use writer::{DerivativePass, Entries, Sheet, Writer};
