//! Rotule: a compiler for multibody systems.
//!
//! A mechanism goes in (robot, vehicle, machine: bodies, joints, loops, forces), its cheapest equations of motion come out: as
//! functions that run at once, as motions, as source code, as readable mathematics.
//!
//! # A robot, from its file to its torques
//!
//! ```no_run
//! use rotule::{Language, Method, Model};
//!
//! let robot = Model::open("ur5.urdf")?; // URDF, SDF, MJCF, ROBOTRAN or a model file of Rotule
//! let inverse = robot.function("inverse")?; // tau = M qdd + c
//! println!("{} operations", inverse.cost().operations);
//!
//! let mut kernel = inverse.compile()?; // native code, without a compiler
//! let (q, qd, qdd, mut torque) = ([0.1; 6], [0.0; 6], [0.0; 6], [0.0; 6]);
//! kernel.evaluate(&[("q", &q), ("qd", &qd), ("qdd", &qdd)], &mut [("effort", &mut torque)])?;
//!
//! let run = robot.simulate().to(2.0).method(Method::Dop853).run()?;
//! println!("{run}{:?}", run.verdict().warnings);
//! run.report("motion.html")?;
//!
//! robot.generate(Language::C, &["inverse", "forward"])?.write("out/")?;
//! # Ok::<(), rotule::Error>(())
//! ```
//!
//! # Where to go from here
//!
//! | to do | take |
//! |---|---|
//! | open a file, with laws or loops in another one | [`Model::open`], [`Model::options`] |
//! | make a mechanism in code | [`build`], `Model::try_from(&draft)` |
//! | write a model file to begin with | [`scaffold`] |
//! | the list of functions | [`functions`] |
//! | names, shapes and units of what a function takes and gives | [`Function::inputs`], [`Function::outputs`] |
//! | evaluate one state, or a million on all cores | [`Kernel::evaluate`], [`Kernel::batch`] |
//! | numbers with names, without a kernel | [`Model::evaluate`] |
//! | states by name, neutral and random ones | [`State`], [`Model::state`], [`Model::neutral`], [`Model::random`] |
//! | close loops, ask for a partition | [`Model::assemble`], [`Model::close`], [`Model::independent`] |
//! | simulate, observe, cancel | [`Simulate`], [`Run`] |
//! | many motions | [`Study`] |
//! | laws in Rust | [`Model::external`] |
//! | source code in nine languages, LaTeX, Markdown | [`Model::generate`], [`Generator`] |
//! | equations to read | [`Model::equations`] |
//! | operation counts | [`Function::cost`], [`Model::count`] |
//! | quaternions and velocities of Pinocchio, MuJoCo, URDF | [`conventions`] |
//! | expressions alone | [`simplify`], [`diff`] |
//! | what lies beneath | [`layers`] |
//!
//! # Conventions
//!
//! SI units, angles in radians, right-handed frames. `M qdd + c = Q + J' lambda`; efforts are positive in the direction of `q`.
//! Matrices are dense by rows. Orientations of spherical and free joints are unit quaternions, w first, and their velocities
//! are angular velocities in body axes, so that `q` may be longer than `qd`: see [`conventions`].
//!
//! # Errors
//!
//! Everything returns [`Error`], whose text names the thing, the place and the remedy. A model that cannot be used gives all its
//! diagnostics at once.
//!
//! # Features
//!
//! `native` (native code on x86-64), `compiled` (kernels by the machine's C compiler) and `parquet` are on; without them the library
//! builds for any target with `std`, and kernels are interpreted. `bench` adds measurements beside other codes.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod answer;
#[cfg(feature = "bench")]
pub mod bench;
mod check;
mod count;
#[doc(hidden)]
pub mod doc;
mod document;
mod equations;
mod error;
mod evaluate;
mod expression_error;
mod externals;
mod files;
mod function;
mod generate;
mod kernel;
mod loops;
mod model;
mod package;
mod run;
pub mod scaffold;
pub mod simulate;
mod state;
pub mod study;
mod target;
mod transformations;
mod verbs;

pub use answer::{Answer, Comparison, MAX_WRITTEN, Unwritten};
pub use check::Check;
pub use count::{CountRow, CountTable};
pub use equations::Equations;
pub use error::Error;
pub use evaluate::{Table, Values};
pub use expression_error::{ExpressionError, Origin};
pub use function::{Cost, Function, Input, Output};
pub use generate::{Generated, Generator, Language};
pub use kernel::Kernel;
pub use loops::Loops;
pub use model::{Model, OpenOptions};
pub use rotule_formalism::Formalism;
pub use rotule_formalism::constraint::start::Change;
pub use rotule_jit::Choice as KernelKind;
pub use rotule_model::{Diagnostics, Format, build, conventions};
pub use run::{Run, Unfinished};
pub use simulate::{Method, Sample, Simulate};
pub use state::State;
pub use study::{Study, StudyTable};
pub use verbs::{Options, diff, simplify};

/// The functions of a model: the way each is written and a line about it.
///
/// ```
/// assert!(rotule::functions().any(|(usage, _)| usage == "inverse"));
/// ```
pub fn functions() -> impl Iterator<Item = (String, &'static str)> {
    let rows = rotule_formalism::function::FUNCTIONS.iter();
    rows.map(|row| (rotule_formalism::function::usage(row), row.about))
}

/// The crates beneath this one, for what has no function here. They change more often.
pub mod layers {
    pub use crate::answer::Output as AnswerOutput;
    pub use crate::count::{Refusal, count};
    pub use crate::document::{Kind as DocumentKind, document};
    pub use crate::equations::{Document, equations, equations_of_motion};
    pub use crate::evaluate::evaluate;
    pub use crate::externals::Closures;
    pub use crate::loops::{assembled, initial_json, initial_text, loops};
    pub use crate::package::{GENERATED, Wish, package, to_freeze};
    pub use crate::target::{Target, target, targets};
    pub use crate::transformations::{
        TransformationCount, TransformationTable, count_transformations,
    };
    pub use rotule_emit as emit;
    pub use rotule_formalism as formalism;
    pub use rotule_formalism::{quantity, state};
    pub use rotule_jit as jit;
    pub use rotule_model as model;
    pub use rotule_program as program;
    pub use rotule_report as report;
    pub use rotule_simulate as simulate;
    pub use rotule_study as study;
    pub use rotule_symbolic as symbolic;
    pub use rotule_symbolic::likely;
}
