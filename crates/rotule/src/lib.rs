//! Rotule as a library: the verbs of the command line as functions.
//!
//! [`simplify`] and [`diff`] take expressions as text and give an [`Answer`], which can be written
//! as text, as LaTeX, as a listing of shared parts or as a program, and measured. Nothing here
//! reads files or prints. Models of mechanisms are loaded,
//! checked and written by [`model`]; their equations come from [`formalism`], and [`count`],
//! [`evaluate`] and [`equations`] show them. What the verbs are made of is [`symbolic`] and [`program`].
//!
//! ```
//! use rotule::{Options, diff, simplify};
//!
//! let answer = simplify(&["sin(a)*cos(b) + cos(a)*sin(b)"], &Options::default())?;
//! assert_eq!(answer.text()?, "sin(a + b)\n");
//!
//! let answer = diff(&["k*(Z - z0)^2/2 + c*Zd"], &["Z, Zd"], &Options::default())?;
//! assert_eq!(answer.text()?, "d/dZ = k*(Z - z0)\nd/dZd = c\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod answer;
pub mod bench;
mod count;
mod document;
mod equations;
mod error;
mod evaluate;
mod keys;
mod labels;
mod list;
mod loops;
mod names;
mod package;
pub mod quantity;
pub mod simulate;
pub mod state;
mod steps;
pub mod study;
mod target;
mod units;
mod verbs;

pub use answer::{Answer, Comparison, MAX_WRITTEN, Output, Unwritten};
pub use count::{CountRow, CountTable, Refusal, count};
pub use document::{Kind as DocumentKind, document};
pub use equations::{Document, equations, equations_of_motion};
pub use error::{Error, Origin};
pub use evaluate::{Table, Values, evaluate};
pub use loops::{Loops, assembled, close, initial_json, initial_text, loops};
pub use names::likely;
pub use package::{GENERATED, Wish, hash, package, to_freeze};
pub use rotule_emit as emit;
pub use rotule_formalism as formalism;
pub use rotule_jit as jit;
pub use rotule_model as model;
pub use rotule_program as program;
pub use rotule_report as report;
pub use rotule_simulate as motion;
pub use rotule_symbolic as symbolic;
pub use steps::{StepCount, StepTable, count_steps};
pub use target::{Target, target, targets};
pub use verbs::{Options, diff, simplify};
