//! Motions: options of a run, observers, events, the verdict on it, files and a report.
//!
//! [`Model::simulate`](crate::Model::simulate) begins a description, [`Simulate::run`] computes the
//! motion, and [`Run`] has its numbers by channels. A channel has the name of what it
//! shows, in SI units:
//!
//! | channel | names |
//! |---|---|
//! | time | `t` |
//! | coordinates, speeds, accelerations | `q1`, `q1.d`, `q1.dd` |
//! | energies | `energy.kinetic`, `energy.potential`, `energy.elastic`, `energy.total` |
//! | sensors | `tip.position.x` or `tip.x`, `tip.velocity.y` or `tip.vy`, `tip.angular_velocity.z` or `tip.wz` |
//! | line forces, wheels | `spring.length`, `spring.rate`, `spring.force`; `tyre.force.normal` |
//! | the model's own states, inputs and outputs | their names |
//! | only if [kept](Simulate::keep): forces of constraints ([`ChannelGroup::Multipliers`]) | `lambda.pin.x` of the loop closure `pin` |
//! | efforts of driven and locked joints ([`ChannelGroup::Drives`]) | `q1.drive` |
//! | violations of constraints ([`ChannelGroup::Violations`]) | `violation.pin.x`, `violation.pin.x.d` |
//! | conditioning of the coordinate partition ([`ChannelGroup::Conditioning`]) | `conditioning`, `conditioning.best` |
//!
//! [`Run::channels`](crate::Run::channels) lists those of a run with their units. Forces of joints
//! are no channels: [`doc`](crate::doc#forces-in-joints-along-a-motion) computes them from a run.
//!
//! ```
//! use rotule::simulate::{ChannelGroup, End};
//! use rotule::{Method, Model};
//! use std::ops::ControlFlow;
//!
//! let text = rotule::doc::PENDULUM.to_owned()
//!     + r#"
//! [[event]]
//! name = "lowest"
//! when = "q"
//! direction = "falling"
//! message = "through the lowest point"
//! "#;
//! let model = Model::read("pendulum.toml", text)?;
//! let mut fastest = 0.0_f64;
//! let run = model
//!     .simulate()
//!     .to(2.0)
//!     .method(Method::Dop853)
//!     .tolerance(1e-9, 1e-11)
//!     .every(0.01)
//!     .channels(&[ChannelGroup::Coordinates, ChannelGroup::Speeds, ChannelGroup::Energies])
//!     .observe(|point| {
//!         fastest = fastest.max(point.get("q.d").unwrap_or(0.0).abs());
//!         ControlFlow::Continue(())
//!     })
//!     .run()?;
//! assert!(matches!(run.end(), End::Reached));
//! assert!(run.verdict().warnings.is_empty(), "{:?}", run.verdict().warnings);
//! assert_eq!(run.events()[0].name, "lowest");
//! assert!(run.channel("energy.total")?.iter().all(|e| (e - run.channel("energy.total").unwrap()[0]).abs() < 1e-6));
//! # let folder = std::env::temp_dir().join(format!("rotule-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # std::env::set_current_dir(&folder)?;
//! run.write("motion.csv")?; // or .parquet
//! run.report("motion.html")?; // plots and the mechanism in motion, in one file
//! println!("{run}{}", run.plot(&["q", "q.d"])?);
//! # std::env::set_current_dir(std::env::temp_dir())?;
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), rotule::Error>(())
//! ```

mod drawing;
mod page;
mod scene;
mod solids;
mod summary;
mod terrain;
mod verify;

pub(crate) use page::archive;
pub(crate) use scene::{poses, scene, scene_of};
pub(crate) use terrain::terrain;

pub use rotule_simulate::augmented::{ConstraintForm, Gains};
pub use rotule_simulate::event::Record;
pub use rotule_simulate::method::{Accuracy, Failure};
pub use rotule_simulate::run::{End, Outcome, Samples, Threshold};
pub use rotule_simulate::simulation::{
    Balance, Channel, ChannelGroup, Course, Promise, RunSummary, SimulationOptions, Verdict,
    Verification, Warning,
};

/// Runs that are written while they go on, for programs that keep no motion in memory, such as the
/// command line.
#[doc(hidden)]
pub mod stream {
    pub use super::drawing::Drawing;
    pub use super::page::Pictures;
    pub use super::summary::{coordinate_table, json, sections, text, timed};
    pub use super::verify::verify;
    pub use crate::externals::Closures;
    pub use rotule_simulate::simulation::{
        Channels, Facts, SampleSink, Simulation, Trace, channel_position, check, check_channels,
        limits, parse_channels, partition,
    };
}

use crate::error::Error;
use crate::model::Model;
use crate::run::{Kept, Run, Unfinished};
use crate::state::State;
use rotule_jit::KernelKind;
use rotule_simulate::run::MAX_STEPS;
use rotule_simulate::signals::InputSignal;
use rotule_simulate::simulation::{SampleSink, Simulation, Trace, channel_position};
use std::ops::ControlFlow;

/// An integration method. [`Method::Named`] takes what the command line takes, such as `hht=0.1`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Explicit pair 5(4) of Dormand and Prince: few digits, non-smooth motions.
    DormandPrince,
    /// Explicit pair 8(5,3): many digits of smooth motions. The default.
    Dop853,
    /// Implicit Radau IIA: stiff equations.
    Radau,
    /// Backward differences: large stiff equations.
    Bdf,
    /// Classical Runge-Kutta with steps of one length: see [`Simulate::step`]. The default where a
    /// step is given.
    Rk4,
    /// Semi-implicit Euler with steps of one length.
    Euler,
    /// Generalised alpha with multipliers (index 3) and steps of one length.
    GeneralisedAlpha,
    /// Hilber, Hughes and Taylor, likewise.
    Hht,
    /// Newmark, likewise.
    Newmark,
    /// A method by its name.
    Named(String),
}

impl Method {
    /// Every method but [`Method::Named`], with its name on the command line.
    pub const ALL: [(Method, &'static str); 9] = [
        (Method::DormandPrince, "dormand-prince"),
        (Method::Dop853, "dop853"),
        (Method::Radau, "radau"),
        (Method::Bdf, "bdf"),
        (Method::Rk4, "rk4"),
        (Method::Euler, "euler"),
        (Method::GeneralisedAlpha, "generalised-alpha"),
        (Method::Hht, "hht"),
        (Method::Newmark, "newmark"),
    ];

    /// Its name on the command line.
    pub fn name(&self) -> &str {
        match self {
            Method::Named(name) => name,
            known => Method::ALL.iter().find(|(one, _)| one == known).map_or("", |(_, name)| name),
        }
    }
}

/// A point of a motion, as observers see it.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    channels: &'a [Channel],
    numbers: &'a [f64],
}

impl<'a> Sample<'a> {
    /// The time.
    pub fn t(&self) -> f64 {
        self.numbers[0]
    }

    /// The number of a channel: a coordinate, a speed, `energy.kinetic`.
    pub fn get(&self, name: &str) -> Result<f64, Error> {
        let found = channel_position(self.channels, name);
        found.map(|at| self.numbers[at]).ok_or_else(|| unknown_channel(self.channels, name))
    }

    /// All numbers, in the order of [`Sample::channels`].
    pub fn numbers(&self) -> &'a [f64] {
        self.numbers
    }

    /// The channels.
    pub fn channels(&self) -> &'a [Channel] {
        self.channels
    }
}

pub(crate) fn unknown_channel(channels: &[Channel], name: &str) -> Error {
    let known = || channels.iter().map(|one| one.name.as_str());
    let mut help = rotule_symbolic::likely(name, known());
    if rotule_symbolic::nearest(name, known()).is_none() {
        help += "; `Simulate::keep` and `Simulate::channels` keep others, such as forces of constraints";
    }
    Error::Unknown { what: "channel", name: name.to_owned(), help }
}

type Observe<'m> = Box<dyn FnMut(&Sample<'_>) -> ControlFlow<()> + 'm>;
type Progress<'m> = Box<dyn FnMut(f64) -> ControlFlow<()> + 'm>;

/// A motion that is to be computed; [`Simulate::run`] does so.
///
/// ```
/// use rotule::{Method, Model};
/// use std::ops::ControlFlow;
///
/// let model = Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let run = model.simulate().to(2.0).method(Method::Dop853).tolerance(1e-10, 1e-12).run()?;
/// assert!(run.verdict().warnings.is_empty());
/// assert!((run.channel("q")?[0] - 0.5).abs() < 1e-15);
///
/// // An observer sees every point and may end the run.
/// let mut lowest = None;
/// let swing = model.simulate().to(2.0).observe(|point| match point.get("q") {
///     Ok(q) if q < 0.0 => {
///         lowest = Some(point.t());
///         ControlFlow::Break(())
///     }
///     _ => ControlFlow::Continue(()),
/// });
/// let stopped = swing.run()?;
/// assert!(lowest.is_some_and(|t| t > 0.3 && t < 0.4));
/// assert_eq!(stopped.last("t")?, lowest.unwrap());
/// # Ok::<(), rotule::Error>(())
/// ```
#[must_use = "a motion is computed by `run`"]
pub struct Simulate<'m> {
    model: &'m Model,
    from: Option<State>,
    to: f64,
    method: Option<Method>,
    constraints: Option<ConstraintForm>,
    tolerance: (f64, f64),
    step: Option<f64>,
    max_step: Option<f64>,
    max_steps: u64,
    samples: Option<Samples>,
    threshold: Threshold,
    groups: Vec<ChannelGroup>,
    names: Vec<String>,
    kernel: KernelKind,
    balance: Balance,
    max_points: u64,
    verify: bool,
    signals: Vec<(String, InputSignal)>,
    observe: Option<Observe<'m>>,
    progress: Option<Progress<'m>>,
}

/// Points that are kept by default, besides the first.
const POINTS: f64 = 1000.0;
/// Points at which a run ends by default: those of a run that nobody meant fill the memory.
const MAX_POINTS: u64 = 10_000_000;

impl<'m> Simulate<'m> {
    pub(crate) fn new(model: &'m Model) -> Simulate<'m> {
        Simulate {
            model,
            from: None,
            to: 1.0,
            method: None,
            constraints: None,
            tolerance: (1e-8, 1e-10),
            step: None,
            max_step: None,
            max_steps: MAX_STEPS,
            samples: None,
            threshold: Threshold::AUTOMATIC,
            groups: ChannelGroup::ALL
                .iter()
                .map(|(group, _)| *group)
                .filter(|group| default(*group))
                .collect(),
            names: Vec::new(),
            kernel: KernelKind::Auto,
            balance: Balance::Light,
            max_points: MAX_POINTS,
            verify: false,
            signals: Vec::new(),
            observe: None,
            progress: None,
        }
    }

    /// The state at the beginning, instead of the model's initial one, with its time and
    /// parameters. Its loops are closed first. [`Run::state`] continues a run.
    pub fn from(mut self, state: &State) -> Self {
        self.from = Some(state.clone());
        self
    }

    /// The time of the end, in seconds; the default is 1. A run from a [state](Simulate::from)
    /// begins at the time of that state.
    pub fn to(mut self, t: f64) -> Self {
        self.to = t;
        self
    }

    /// The method; the default is [`Method::Dop853`], or [`Method::Rk4`] where a
    /// [step](Simulate::step) is given.
    pub fn method(mut self, method: Method) -> Self {
        self.method = Some(method);
        self
    }

    /// The form in which constraints are kept: the default is coordinate partitioning.
    pub fn constraints(mut self, form: ConstraintForm) -> Self {
        self.constraints = Some(form);
        self
    }

    /// Relative and absolute tolerance of methods that choose their steps; 1e-8 and 1e-10 by
    /// default.
    pub fn tolerance(mut self, relative: f64, absolute: f64) -> Self {
        self.tolerance = (relative, absolute);
        self
    }

    /// Steps of one length, in seconds, for any method; tolerances are not used then.
    pub fn step(mut self, step: f64) -> Self {
        self.step = Some(step);
        self
    }

    /// The longest step of a method that chooses its steps.
    pub fn max_step(mut self, step: f64) -> Self {
        self.max_step = Some(step);
        self
    }

    /// The number of steps after which a run is given up.
    pub fn max_steps(mut self, steps: u64) -> Self {
        self.max_steps = steps;
        self
    }

    /// The time between the points that are kept, in seconds; the default is a thousandth of the
    /// end.
    pub fn every(mut self, seconds: f64) -> Self {
        self.samples = Some(Samples::Every(seconds));
        self
    }

    /// Keeps the end of each step instead of points in equal times.
    pub fn every_step(mut self) -> Self {
        self.samples = Some(Samples::Steps);
        self
    }

    /// The condition number beyond which other coordinates become independent.
    pub fn threshold(mut self, threshold: Threshold) -> Self {
        self.threshold = threshold;
        self
    }

    /// The groups of channels that are kept; by default all but efforts of drives, forces of
    /// constraints and conditioning. Coordinates are always kept. A list replaces the default:
    /// [`Simulate::keep`] adds to it.
    pub fn channels(mut self, groups: &[ChannelGroup]) -> Self {
        self.groups = groups.to_vec();
        if !groups.contains(&ChannelGroup::Coordinates) {
            self.groups.push(ChannelGroup::Coordinates);
        }
        self
    }

    /// A channel that is kept besides those of the groups, such as `tyre.force.normal`, or all that
    /// begin with a name: `tyre.force`, `lambda.pin`. Can be called again for more.
    pub fn keep(mut self, name: &str) -> Self {
        self.names.push(name.to_owned());
        self
    }

    /// The kind of kernel that evaluates the equations.
    pub fn kernel(mut self, kind: KernelKind) -> Self {
        self.kernel = kind;
        self
    }

    /// Integrates the work of all forces, too, to check the energy.
    pub fn balance(mut self, balance: Balance) -> Self {
        self.balance = balance;
        self
    }

    /// The number of points after which a run ends as [`Error::Unfinished`]; the default is ten
    /// million.
    pub fn max_points(mut self, points: u64) -> Self {
        self.max_points = points;
        self
    }

    /// Repeats the run with tighter tolerances and in another form if `yes`; the agreement of both
    /// becomes part of the [verdict](Run::verdict) and of the summary.
    pub fn verify(mut self, yes: bool) -> Self {
        self.verify = yes;
        self
    }

    /// The signal of an input: an expression of `t` and parameters, a table or a caller's function;
    /// see [`input`](crate::input). Without one it has the value of the model or of the state.
    pub fn input(mut self, name: &str, signal: impl Into<InputSignal>) -> Self {
        self.signals.push((name.to_owned(), signal.into()));
        self
    }

    /// An observer: it sees every point that is kept (see [`Simulate::every`]), and a break ends
    /// the run there: this point is the last one, and [`Run::state`] and the summary are of its
    /// time. It sees the channels that are kept: see [`Simulate::channels`] and
    /// [`Simulate::keep`]. What it captures can be read again after [`Simulate::run`].
    pub fn observe(mut self, observe: impl FnMut(&Sample<'_>) -> ControlFlow<()> + 'm) -> Self {
        self.observe = Some(Box::new(observe));
        self
    }

    /// A progress callback: it hears the time after each step and each point, and a break cancels
    /// the run.
    pub fn progress(mut self, progress: impl FnMut(f64) -> ControlFlow<()> + 'm) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Computes the motion.
    ///
    /// A motion that cannot be continued to its end is [`Error::Unfinished`], which holds what was
    /// computed. One that an observer, a progress callback or an event of the model ends is a
    /// [`Run`] whose [`end`](Run::end) says so. A run that reached its end can still have broken a
    /// promise of its tolerances: see [`Run::verdict`].
    pub fn run(mut self) -> Result<Run, Error> {
        let options = self.options();
        let state = self.from.take().unwrap_or_else(|| self.model.state());
        state.check_finite(&self.model.tree().mechanism)?;
        let tree = self.model.tree_at(&state).into_owned();
        let again = self.verify.then(|| tree.clone());
        let externals = self.model.externals();
        let numbers = state.numbers();
        let given = self.signals.clone();
        let mut simulation =
            Simulation::with_signals(tree, &numbers, &options, externals.boxed(), given)?;
        simulation.trace = self.verify.then(Trace::default);
        if let Some(problem) = simulation.foreign(&|name| externals.knows(name)) {
            return Err(problem.into());
        }
        let channels = simulation.channels.list.clone();
        let mut kept = Kept::new(channels.clone(), self.max_points);
        let mut watch = Watch { channels: &channels, observe: self.observe };
        let mut progress = self.progress;
        let mut step = |t: f64| progress.as_mut().map_or(ControlFlow::Continue(()), |hear| hear(t));
        let mut summary = simulation.run(&mut [&mut kept, &mut watch], &mut step)?;
        if let (Some(tree), false) = (again, matches!(summary.outcome.end, End::Stopped)) {
            let own = simulation.trace.take().unwrap_or_default();
            let found = verify::verify(
                &tree,
                &numbers,
                &options,
                own,
                externals,
                &self.signals,
                &mut step,
            )?;
            summary.verdict.judge_verification(&found);
            summary.verification = Some(found);
        }
        let mechanism = simulation.mechanism().clone();
        let last = simulation.last_state(&numbers);
        let run = Run::new(kept, options, summary, simulation.changes, mechanism, self.model, last);
        match run.failure() {
            None => Ok(run),
            Some((mut message, remedy)) => {
                if let Some(fault) = self.model.laws_told().failure() {
                    message = format!("{message}\n{fault}");
                }
                Err(Error::Unfinished(Box::new(Unfinished::new(run, message, remedy))))
            }
        }
    }

    fn options(&self) -> SimulationOptions {
        let (relative, absolute) = self.tolerance;
        let accuracy = match self.step {
            Some(step) => Accuracy::Fixed(step),
            None => Accuracy::Within { relative, absolute },
        };
        let method = match (&self.method, accuracy) {
            (Some(method), _) => method.name(),
            (None, _) if self.constraints == Some(ConstraintForm::Index3) => "generalised-alpha",
            (None, Accuracy::Fixed(_)) => "rk4",
            (None, Accuracy::Within { .. }) => "dop853",
        };
        SimulationOptions {
            to: self.to,
            method: method.to_owned(),
            constraints: self.constraints,
            accuracy,
            max_step: self.max_step,
            max_steps: self.max_steps,
            samples: self.samples.unwrap_or(Samples::Every(self.to / POINTS)),
            threshold: self.threshold,
            groups: self.groups.clone(),
            names: self.names.clone(),
            kernel: self.kernel,
            balance: self.balance,
        }
    }
}

/// Returns `true` if a group is kept by default: what costs little.
fn default(group: ChannelGroup) -> bool {
    !matches!(
        group,
        ChannelGroup::Time
            | ChannelGroup::Drives
            | ChannelGroup::Multipliers
            | ChannelGroup::Violations
            | ChannelGroup::Conditioning
    )
}

/// Shows points to an observer, which may end the run.
struct Watch<'a, 'm> {
    channels: &'a [Channel],
    observe: Option<Observe<'m>>,
}

impl SampleSink for Watch<'_, '_> {
    fn row(&mut self, numbers: &[f64]) -> std::io::Result<()> {
        let Some(observe) = &mut self.observe else { return Ok(()) };
        match observe(&Sample { channels: self.channels, numbers }) {
            ControlFlow::Continue(()) => Ok(()),
            // The only way of a sink to end a run; `Run::end` tells it from a failure.
            ControlFlow::Break(()) => Err(std::io::ErrorKind::Interrupted.into()),
        }
    }
}
