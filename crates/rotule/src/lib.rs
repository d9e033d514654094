//! Rotule: a compiler for multibody systems.
//!
//! A mechanism goes in (robot, vehicle, machine: bodies, joints, loops, forces), its cheapest
//! equations of motion come out: as functions that run at once, as motions, as source code, as
//! readable mathematics.
//!
//! # A robot, from its file to its torques
//!
//! ```
//! # // The program runs in a folder of its own, beside the file of the robot.
//! # let robot = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/robots/ur5.urdf");
//! # let folder = std::env::temp_dir().join(format!("rotule-front-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # std::fs::copy(robot, folder.join("ur5.urdf"))?;
//! # std::env::set_current_dir(&folder)?;
//! # let (q, qd, qdd, mut torque) = ([0.1; 6], [0.0; 6], [0.0; 6], [0.0; 6]);
//! # let (qs, qds, qdds, mut torques) = ([0.1; 600], [0.0; 600], [0.0; 600], [0.0; 600]);
//! use rotule::{Language, Method};
//!
//! let robot = rotule::Model::open("ur5.urdf")?; // URDF, SDF, MJCF, ROBOTRAN or a model file of Rotule
//! let inverse = robot.function("inverse")?; // cost(), inputs(), outputs() with names, shapes, units
//! let mut kernel = inverse.compile()?; // native code, interpreter or compiled C
//! kernel.evaluate(&[("q", &q), ("qd", &qd), ("qdd", &qdd)], &mut [("effort", &mut torque)])?;
//! kernel.batch(&[("q", &qs), ("qd", &qds), ("qdd", &qdds)], &mut [("effort", &mut torques)])?; // one row per state, all cores
//! let run = robot.simulate().to(2.0).method(Method::Dop853).run()?; // channels by name, verdict(), report(), write()
//! robot.generate(Language::C, &["inverse", "forward"])?.write("out/")?;
//! # assert_eq!(torques[594..], torque);
//! # assert!(run.verdict().warnings.is_empty() && run.last("t")? == 2.0);
//! # assert!(std::path::Path::new("out/ur5.c").exists());
//! # std::env::set_current_dir(std::env::temp_dir())?;
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), rotule::Error>(())
//! ```
//!
//! `q`, `qd`, `qdd` and `torque` are slices with a number for each joint, `qs` and so on have a row
//! for each state. A whole program has `fn main() -> Result<(), rotule::Error>` around it: [`doc`]
//! has ten of them, from torques to a robot under control.
//!
//! The crate is in the folder `crates/rotule` of the project; a program names it by its path or its
//! repository, `rotule = { path = "../rotule/crates/rotule" }`, under `[dependencies]`.
//!
//! # Where to go from here
//!
//! | to do | take |
//! |---|---|
//! | open a file, with laws or loops in another one | [`Model::open`], [`Model::options`] |
//! | make a mechanism in code, or change one that was read | [`build`], `Model::try_from(&draft)`, [`Model::draft`] |
//! | know what is wrong with a model, and where | [`Error::Model`], [`diagnostics`] |
//! | write a model file | [`doc`](doc#a-model-file) has one with a loop, [`scaffold`] makes one to begin with |
//! | the list of functions | [`functions`] |
//! | names, shapes and units of what a function takes and gives | [`Function::inputs`], [`Function::outputs`] |
//! | names of coordinates, speeds, bodies, points | [`Model::coordinates`], [`Model::speeds`], [`Model::check`] |
//! | evaluate one state, or a million on all cores | [`Kernel::evaluate`], [`Kernel::batch`] |
//! | limits of joints, such as those of a URDF | [`Model::limits`] |
//! | numbers with names, without a kernel | [`Model::evaluate`] |
//! | states by name, neutral and random ones | [`State`], [`Model::state`], [`Model::neutral`], [`Model::random`] |
//! | change parameters without generating anew | [`Kernel::set`], [`Model::set`], [`Model::assign`] with units |
//! | close loops, ask for a partition | [`Model::assemble`], [`Model::close`], [`Model::independent`] |
//! | simulate, observe, cancel, verify | [`Simulate`], [`Run`] |
//! | forces in joints and loops | `closure_reactions`, `closed_reactions` of [`functions`]; [along a motion](doc#forces-in-joints-along-a-motion) |
//! | many motions | [`Study`] |
//! | what comes from outside: commands, measured courses | [`input`], [`Simulate::input`] |
//! | laws and controllers in Rust | [`Model::external`], [`Model::draft`] |
//! | a load at the hand | a `[[force]]` with parameters, by [`Model::options`]: see [`doc`] |
//! | linearise | [`Model::linearize`]; `model.function("linear(permanent)")` for matrices of the equations, `derivative(forward, q)` for any derivative |
//! | source code in nine languages, LaTeX, Markdown | [`Model::generate`], [`Generator`] |
//! | equations to read | [`Model::equations`] |
//! | operation counts | [`Function::cost`], [`Model::count`], [`Model::count_group`] |
//! | functions that share work, once per state | [`Model::write_together`], [`Group`], [`GroupKernel`] |
//! | quaternions and velocities of Pinocchio, MuJoCo, URDF | [`conventions`] |
//! | a state in which forces balance, its course over a parameter | [`Model::equilibrium`] |
//! | frequencies, damping and shapes of small motions | [`Model::modes`] |
//! | singular positions, and the forces near them | [`Model::singular`] |
//! | expressions alone | [`expressions`] |
//! | what lies beneath | [`layers`] |
//!
//! # The command line in code
//!
//! Every verb of the program `rotule` is a function here, with the same options and the same
//! numbers; but for `completions` and `man`, which are about the program itself.
//!
//! | verb | function | options |
//! |---|---|---|
//! | `check` | [`Model::check`] | `--json` [`Check::json`]; `--independent` [`Model::independent`] |
//! | `convert` | [`Model::text`] | |
//! | `assemble` | [`Model::assemble`] | `--keep` its argument; text [`Model::initial_text`], `--json` [`Model::state_to_json`] |
//! | `count` | [`Model::count`] | `--functions` its argument; `--group` [`Model::count_group`]; `--transformations` [`Model::count_transformations`]; `--json` [`CountTable::json`] |
//! | `eval` | [`Model::evaluate`] | `--state` [`Model::state_from_json`]; `--random` [`Model::random`]; `--set` [`Model::assign`]; `--formalism` [`Model::evaluate_by`]; `--json` [`Values::report`] |
//! | `linearize` | [`Model::linearize`] | [`Linearize`](linearize::Linearize) has all of them; `--out` [`LinearModel::write`](linearize::LinearModel::write); `--plot` [`LinearModel::picture`](linearize::LinearModel::picture); `--json` [`LinearModel::json`](linearize::LinearModel::json) |
//! | `equations` | [`Model::equations`], [`Model::equations_of`] | `--driven` its argument; `--formalism` [`Model::equations_by`]; `--latex` [`Equations::latex`] |
//! | `equilibrium` | [`Model::equilibrium`] | [`analysis::FindEquilibrium`] has all of them; `--all` [`analysis::FindEquilibrium::solve_all`]; `--continue` [`analysis::FindEquilibrium::follow`]; `--quasi-static` [`analysis::FindEquilibrium::quasi_static`] |
//! | `modes` | [`Model::modes`] | `--at equilibrium` [`analysis::FindModes::at_equilibrium`]; `--vary` [`analysis::FindModes::follow`]; `--out` [`analysis::ModeTable::write`] |
//! | `singular` | [`Model::singular`] | `--drives` [`analysis::FindSingular::drive`]; `--output` [`analysis::FindSingular::output`]; `--hold` [`analysis::FindSingular::hold`]; `--out` [`analysis::SingularTable::write`] |
//! | `generate` | [`Model::generate`] | [`Generator`] has all of them; `--freeze` [`Model::freeze`] |
//! | `simulate` | [`Model::simulate`] | [`Simulate`] has all of them; `--out` [`Run::write`]; `--report` [`Run::report`]; `--plot` [`Run::plot`]; `--json` [`Run::json`]; `--film` [`Picture::write`]; `--strip` [`Picture::write_strip`] |
//! | `study` | [`Model::study`] | [`Study`] has all of them; `--out` [`StudyTable::write`]; `--report` [`StudyTable::report`]; curves [`StudyTable::plots`] |
//! | `report` | [`Model::overlay`] | the page is written by [`Page::write`](layers::report::Page::write) |
//! | `view` | [`Model::view`], [`Model::picture`] | `--look` [`Picture::look`]; `--picture` [`Picture::write`] |
//! | `laws` | [`Model::law_skeleton`] | |
//! | `--laws` | [`Model::laws`] | |
//! | `--input`, `--input-table` | [`Simulate::input`], [`Study::input`] | [`input`] has courses, tables and functions of the caller |
//! | `new` | [`scaffold`] | |
//! | `simplify`, `diff` | [`expressions::simplify`], [`expressions::diff`] | [`expressions::ExpressionOptions`], [`expressions::Answer`] |
//! | `bench` | `Model::bench`, with the feature `bench` | `bench::BenchOptions` has all of them; `--json`, `--out` `BenchReport::json` |
//! | `--with`, `--format`, `--meshes`, `--floating-base`, `--merge-fixed` | [`OpenOptions`] | |
//!
//! # Conventions
//!
//! SI units, angles in radians, right-handed frames. `M qdd + c = Q + J' lambda`; efforts are
//! positive in the direction of `q`. Matrices are dense by rows. Orientations of spherical and free
//! joints are unit quaternions, w first, and their velocities are angular velocities in body axes,
//! so that `q` may be longer than `qd`: see [`conventions`].
//!
//! # Threads
//!
//! A [`Model`] and a [`Function`] can be shared between threads. A [`Kernel`] can be sent to
//! another thread; give each its own, or leave it to [`Kernel::batch`]. Numbers do not depend on
//! the count of threads.
//!
//! # Errors
//!
//! Functions return [`Error`], or an error of their own module that `?` makes one of, as
//! [`expressions`] and [`conventions`] do. Its text names the thing, the place and the remedy. A
//! model that cannot be used gives all its diagnostics at once.
//!
//! # Features
//!
//! `native` (native code on x86-64), `compiled` (kernels by the machine's C compiler) and `parquet`
//! are on; without them the library builds for any target with `std`, and kernels are interpreted.
//! `bench` adds measurements beside other codes. Unoptimised builds write equations some ten times
//! slower; `[profile.dev.package."*"]` with `opt-level = 2` makes that good.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod analysis;
#[cfg(feature = "bench")]
pub mod bench;
mod check;
mod count;
pub mod diagnostics;
pub mod doc;
mod document;
mod equations;
mod error;
mod evaluate;
pub mod expressions;
mod externals;
mod files;
mod flags;
mod function;
pub mod generate;
mod group;
pub mod input;
mod kernel;
pub mod laws;
mod limits;
pub mod linearize;
mod loops;
mod meshes;
mod model;
mod open;
mod overlay;
mod package;
mod picture;
pub mod program;
mod run;
pub mod scaffold;
pub mod simulate;
mod state;
pub mod study;
mod study_page;
mod target;
mod transformations;
mod view;

pub use check::Check;
pub use count::{CountRow, CountTable, Uncounted};
pub use equations::Equations;
pub use error::Error;
pub use evaluate::{Table, Values};
#[doc(no_inline)]
pub use expressions::{diff, simplify};
pub use function::{Cost, Function, Input, Output};
#[doc(no_inline)]
pub use generate::{Generated, Generator, Language};
pub use group::{Group, GroupCost, GroupKernel, GroupRow, GroupTable, NamedGroup, WrittenTogether};
pub use kernel::{BatchProgress, Kernel};
pub use limits::Limits;
pub use loops::Loops;
pub use model::Model;
pub use open::OpenOptions;
pub use overlay::RecordedMotion;
pub use picture::Picture;
pub use rotule_formalism::{Formalism, Problem};
pub use rotule_jit::{KernelError, KernelKind};
pub use rotule_model::mechanism::{Mechanism, Parameter};
pub use rotule_model::{Format, conventions};
pub use rotule_numeric::initial_values::Change;
pub use run::{Run, Unfinished};
#[doc(no_inline)]
pub use simulate::{Method, Sample, Simulate};
pub use state::State;
#[doc(no_inline)]
pub use study::{Study, StudyTable};
pub use study_page::StudyPictures;
pub use transformations::{TransformationCount, TransformationTable};

/// Mechanisms in code: a [`Draft`](build::Draft) of bodies, joints, loops and forces becomes a
/// model by `Model::try_from`.
///
/// ```
/// use rotule::Model;
/// use rotule::build::{Body, Cut, Draft, Joint, LineForce};
///
/// // A four-bar linkage with a spring.
/// let mut draft = Draft::new("four_bar");
/// draft.gravity([0.0, -9.81, 0.0]).ground_point("right", [1.0, 0.0, 0.0]);
/// for (name, parent, joint, length) in
///     [("crank", "ground", "q1", 0.3), ("coupler", "crank.end", "q2", 1.0), ("rocker", "ground.right", "q3", 0.7)]
/// {
///     draft.add(
///         Body::new(name)
///             .parent(parent)
///             .joint(Joint::revolute(joint, "z"))
///             .mass(1)
///             .com([length / 2.0, 0.0, 0.0])
///             .inertia([0.0, 0.1, 0.1])
///             .point("end", [length, 0.0, 0.0]),
///     );
/// }
/// draft.add(Cut::revolute("pin", "z", ["coupler.end", "rocker.end"]));
/// draft.add(LineForce::new("spring", ["coupler.end", "ground"], "50*(Z - 0.8)"));
/// draft.initial_q("q1", 1.0).initial_q("q2", -0.8).initial_q("q3", 1.2);
///
/// let model = Model::try_from(&draft)?;
/// let (state, _changes) = model.assemble(&["q1"])?; // the loop is closed, and `q1` stays
/// assert_eq!(state.q[0], 1.0);
/// let run = model.simulate().from(&state).to(1.0).run()?;
/// assert!(run.verdict().warnings.is_empty(), "{run}");
/// // The same model as a file.
/// assert_eq!(Model::read("four_bar.toml", draft.text())?.hash(), model.hash());
/// # Ok::<(), rotule::Error>(())
/// ```
pub use rotule_model::build;

/// The functions of a model: the way each is written and a line about it.
///
/// [`Model::function`] and [`Model::evaluate`] take them by this text; [`Function::inputs`] and
/// [`Function::outputs`] have the names, shapes and units of what each takes and gives. A `PLACE`
/// is a body or a point on one, `hand.tip`; brackets mark what may be left out.
///
#[doc = include_str!("functions.md")]
///
/// ```
/// assert!(rotule::functions().any(|(usage, _)| usage == "inverse"));
/// ```
pub fn functions() -> impl Iterator<Item = (String, &'static str)> {
    let rows = rotule_formalism::function::FUNCTIONS.iter();
    rows.map(|row| (row.usage(), row.about))
}

#[cfg(test)]
mod tests {
    /// The table in the documentation of [`functions`](crate::functions) has all of them;
    /// `UPDATE_EXPECT=1 cargo test -p rotule --lib` writes it anew.
    #[test]
    fn the_table_of_functions_is_complete() {
        let mut table = "| function | |\n|---|---|\n".to_owned();
        for (usage, about) in crate::functions() {
            let usage = usage.replace('|', "\\|");
            table += &format!("| `{usage}` | {about} |\n");
        }
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/functions.md");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(path, &table).expect("the table can be written");
        }
        let written = std::fs::read_to_string(path).expect("the table exists");
        assert_eq!(written, table, "UPDATE_EXPECT=1 cargo test -p rotule --lib");
    }
}

/// The crates beneath this one, for what has no function here. They change more often.
///
/// ```
/// // The program of a function in the intermediate representation, as text.
/// use rotule::layers::program::Program;
///
/// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let function = model.function("mass")?;
/// let program: &Program = function.program();
/// assert!(program.to_string().contains("M"));
/// # Ok::<(), rotule::Error>(())
/// ```
pub mod layers {
    pub use crate::count::count;
    pub use crate::document::{Kind as DocumentKind, document};
    pub use crate::equations::{Document, equations, equations_of_motion};
    pub use crate::loops::{assembled, initial_json, initial_text, loops};
    pub use crate::package::{GENERATED, PackageOptions, package, to_freeze};
    pub use crate::simulate::stream;
    pub use crate::target::{Target, target, targets};
    pub use crate::transformations::count_transformations;
    pub use rotule_analysis as analysis;
    pub use rotule_emit as emit;
    pub use rotule_formalism as formalism;
    pub use rotule_formalism::quantity;
    pub use rotule_jit as jit;
    pub use rotule_model as model;
    pub use rotule_numeric as numeric;
    pub use rotule_numeric::state;
    pub use rotule_program as program;
    pub use rotule_report as report;
    pub use rotule_simulate as simulate;
    pub use rotule_study as study;
    pub use rotule_symbolic as symbolic;
    pub use rotule_symbolic::likely;
}
