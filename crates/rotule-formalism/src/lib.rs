//! Equations of motion of mechanisms, written into expression graphs.
//!
//! ```text
//! Mechanism --normalise--> Tree --formalism--> expressions of q, qd, qdd
//! ```
//!
//! A [`Tree`] is the mechanism as recursions want it: elementary joints along frame axes, bodies that are
//! fixed to each other merged. Formalisms are functions that write expressions into its graph and
//! give back what they wrote; nothing is evaluated here.
//!
//! Notation follows Postiau, chapter 1, in the corrected form: `w` angular velocity, `wd` angular
//! acceleration, `alpha` acceleration of the frame's origin less gravity, `beta` the matrix with
//! `beta r = wd x r + w x (w x r)`; all in the components of the node's own frame.

mod inverse;
mod mass;
mod normalise;
mod tree;

pub use inverse::{bias, inverse};
pub use mass::mass;
pub use normalise::normalise;
pub use tree::{Motion, Node, Tree};
