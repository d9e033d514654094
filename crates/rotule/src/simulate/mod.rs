//! Motions: what is asked of a run, its summary, its page with plots and the mechanism that moves.

mod page;
mod scene;
mod summary;

pub use page::Pictures;
pub use rotule_simulate::augmented::{Form, Gains};
pub use rotule_simulate::run::{End, Threshold};
pub use rotule_simulate::simulation::*;
pub use summary::{json, sections, text, timed};

use crate::error::Error;
use crate::model::Model;
use crate::run::{Kept, Run, Unfinished};
use crate::state::State;
use rotule_jit::Choice;
use rotule_simulate::method::Accuracy;
use rotule_simulate::run::{MAX_STEPS, Samples};
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
    /// Classical Runge-Kutta with steps of one length: see [`Simulate::step`]. The default where a step is given.
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
    Error::unknown("channel", name, channels.iter().map(|one| one.name.as_str()))
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
    constraints: Option<Form>,
    tolerance: (f64, f64),
    step: Option<f64>,
    max_step: Option<f64>,
    max_steps: u64,
    samples: Option<Samples>,
    threshold: Threshold,
    groups: Vec<Group>,
    names: Vec<String>,
    kernel: Choice,
    balance: Balance,
    observe: Option<Observe<'m>>,
    progress: Option<Progress<'m>>,
}

/// Points that are kept unless something else is said, besides the first.
const POINTS: f64 = 1000.0;

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
            groups: Group::ALL
                .iter()
                .map(|(group, _)| *group)
                .filter(|group| default(*group))
                .collect(),
            names: Vec::new(),
            kernel: Choice::Auto,
            balance: Balance::Light,
            observe: None,
            progress: None,
        }
    }

    /// The state at the beginning, instead of the model's initial one. Its loops are closed first.
    pub fn from(mut self, state: &State) -> Self {
        self.from = Some(state.clone());
        self
    }

    /// The end, in seconds; one second unless it is said.
    pub fn to(mut self, t: f64) -> Self {
        self.to = t;
        self
    }

    /// The method.
    pub fn method(mut self, method: Method) -> Self {
        self.method = Some(method);
        self
    }

    /// The form in which constraints are kept: by coordinate partitioning unless something else is said.
    pub fn constraints(mut self, form: Form) -> Self {
        self.constraints = Some(form);
        self
    }

    /// Relative and absolute tolerance of methods that choose their steps; 1e-8 and 1e-10 unless something else is said.
    pub fn tolerance(mut self, relative: f64, absolute: f64) -> Self {
        self.tolerance = (relative, absolute);
        self
    }

    /// Steps of one length, in seconds.
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

    /// The time between the points that are kept; a thousandth of the end unless something else is said.
    pub fn every(mut self, seconds: f64) -> Self {
        self.samples = Some(Samples::Every(seconds));
        self
    }

    /// Keeps the end of each step.
    pub fn every_step(mut self) -> Self {
        self.samples = Some(Samples::Steps);
        self
    }

    /// The condition number beyond which other coordinates become independent.
    pub fn threshold(mut self, threshold: Threshold) -> Self {
        self.threshold = threshold;
        self
    }

    /// The groups of channels that are kept; all but efforts of drives, forces of constraints and
    /// conditioning unless something else is said. Coordinates are always kept.
    pub fn channels(mut self, groups: &[Group]) -> Self {
        self.groups = groups.to_vec();
        if !groups.contains(&Group::Coordinates) {
            self.groups.push(Group::Coordinates);
        }
        self
    }

    /// A channel that is kept besides those of the groups, such as `tyre.force.normal`, or all that begin with a name: `tyre.force`.
    pub fn keep(mut self, name: &str) -> Self {
        self.names.push(name.to_owned());
        self
    }

    /// The kind of kernel that evaluates the equations.
    pub fn kernel(mut self, kind: Choice) -> Self {
        self.kernel = kind;
        self
    }

    /// Integrates the work of all forces, too, to check the energy.
    pub fn balance(mut self, balance: Balance) -> Self {
        self.balance = balance;
        self
    }

    /// An observer: it sees every point that is kept, and a break ends the run there.
    pub fn observe(mut self, observe: impl FnMut(&Sample<'_>) -> ControlFlow<()> + 'm) -> Self {
        self.observe = Some(Box::new(observe));
        self
    }

    /// A progress callback: it hears the time after each step and each point, and a break cancels the run.
    pub fn progress(mut self, progress: impl FnMut(f64) -> ControlFlow<()> + 'm) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Computes the motion.
    ///
    /// A motion that cannot be continued to its end is [`Error::Unfinished`], which holds what was computed. One that an observer, a
    /// progress callback or an event of the model ends is a [`Run`] whose [`end`](Run::end) says so. A run that reached its end can
    /// still have broken a promise of its tolerances: see [`Run::verdict`].
    pub fn run(mut self) -> Result<Run, Error> {
        let wish = self.wish();
        let state = self.from.take().unwrap_or_else(|| self.model.state());
        let tree = self.tree(&state);
        let externals = self.model.externals();
        let mut simulation = Simulation::new(tree, &state, &wish, externals.boxed())?;
        if let Some(problem) = simulation.foreign(&|name| externals.knows(name)) {
            return Err(problem.into());
        }
        let channels = simulation.channels.list.clone();
        let mut kept = Kept::new(channels.clone());
        let mut watch = Watch { channels: &channels, observe: self.observe };
        let mut progress = self.progress;
        let mut step = |t: f64| progress.as_mut().map_or(ControlFlow::Continue(()), |hear| hear(t));
        let summary = simulation.run(&mut [&mut kept, &mut watch], &mut step)?;
        let mechanism = simulation.mechanism().clone();
        let last = simulation.last_state(state.numbers());
        let run = Run::new(kept, wish, summary, simulation.changes, mechanism, self.model, last);
        match run.failure() {
            None => Ok(run),
            Some((message, remedy)) => {
                Err(Error::Unfinished(Box::new(Unfinished::new(run, message, remedy))))
            }
        }
    }

    /// The tree with the parameters of the state.
    fn tree(&self, state: &State) -> rotule_formalism::Tree {
        let mut tree = self.model.tree().clone();
        for (parameter, value) in tree.mechanism.parameters.iter_mut().zip(&state.parameters) {
            parameter.value = *value;
        }
        tree
    }

    fn wish(&self) -> Wish {
        let (relative, absolute) = self.tolerance;
        let accuracy = match self.step {
            Some(step) => Accuracy::Fixed(step),
            None => Accuracy::Within { relative, absolute },
        };
        let method = match (&self.method, accuracy) {
            (Some(method), _) => method.name(),
            (None, _) if self.constraints == Some(Form::Index3) => "generalised-alpha",
            (None, Accuracy::Fixed(_)) => "rk4",
            (None, Accuracy::Within { .. }) => "dop853",
        };
        Wish {
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

/// Returns `true` if a group is kept unless something else is said: what costs little.
fn default(group: Group) -> bool {
    !matches!(group, Group::Time | Group::Drives | Group::Multipliers | Group::Conditioning)
}

/// Shows points to an observer, which may end the run.
struct Watch<'a, 'm> {
    channels: &'a [Channel],
    observe: Option<Observe<'m>>,
}

impl Sink for Watch<'_, '_> {
    fn row(&mut self, numbers: &[f64]) -> std::io::Result<()> {
        let Some(observe) = &mut self.observe else { return Ok(()) };
        match observe(&Sample { channels: self.channels, numbers }) {
            ControlFlow::Continue(()) => Ok(()),
            // The only way of a sink to end a run; `Run::end` tells it from a failure.
            ControlFlow::Break(()) => Err(std::io::ErrorKind::Interrupted.into()),
        }
    }
}
