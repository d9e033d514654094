//! Mechanisms: model files of several formats, read, checked and described.
//!
//! ```text
//! text (TOML, URDF, SDF, MJCF, MBS) --read--> Draft --resolve--> Mechanism --structure--> Structure
//!                                              Draft --write--> text (TOML)
//! ```
//!
//! A [`draft::Draft`] is what a file says, in the words of the model file; a mechanism is what it
//! means, with every name looked up and every number an expression of one graph. Every step gives
//! its [`Diagnostics`], all at once. Nothing here reads files: texts come in, texts go out. A draft
//! can also be written in code ([`build`]).

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod aliases;
pub mod build;
pub mod closure;
pub mod component_names;
pub mod conventions;
mod course;
pub mod diagnostic;
pub mod draft;
mod freeze;
pub mod index;
pub mod joint;
pub mod laws;
pub mod limits;
pub mod load;
pub mod mechanism;
pub mod number_check;
pub mod pose;
pub mod read;
mod resolve;
pub mod solid;
pub mod source;
pub mod structure;
pub mod texts;
pub mod units;
pub mod write;

pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use draft::Draft;
pub use load::{Loaded, load};
pub use mechanism::Mechanism;
pub use read::{Format, ReadOptions, read};
pub use resolve::resolve;
pub use source::{Place, SourceId, Sources, Span, Spanned};
pub use structure::{Structure, structure};
pub use texts::{Accepted, Rejected, Texts, load_text};
pub use write::write;
