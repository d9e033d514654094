//! `simulate`: from a model to its motion, its named channels, and what is to be said of the run.

mod channels;
mod conditioning;
mod course;
pub mod limits;
mod names;
mod verdict;
mod verify;

pub use channels::{Channel, ChannelGroup, ChannelSource, Channels};
pub use course::Course;
pub use limits::check;
pub use names::{channel_position, check_channels, parse_channels, select};
pub use verdict::{Facts, Promise, Verdict, Warning};
pub use verify::{Trace, Verification, other_requests, shared_samples};

use self::course::Courses;
use crate::augmented::{ConstraintForm, Gains};
use crate::clock::Clock;
use crate::inputs::InputPoint;
use crate::method::{Accuracy, Integrator};
use crate::methods::{canonical_method, is_second_order, method};
use crate::ode::Ode;
use crate::plant::Plant;
use crate::run::{Observer, Outcome, RunOptions, Samples, Threshold, run};
use crate::signals::{InputSignal, Signals};
use rotule_formalism::foreign::{foreign, foreign_in};
use rotule_formalism::states::expressions_of;
use rotule_formalism::switches::has_moving_floor;
use rotule_formalism::units;
use rotule_formalism::{ModelFunction, MultibodySystem, Problem, without_numbers};
use rotule_jit::KernelKind;
use rotule_model::mechanism::{Mechanism, Role};
use rotule_numeric::independent::ask_independent;
use rotule_numeric::initial_values::{Change, Hold};
use rotule_numeric::pattern::Pattern;
use rotule_numeric::state::StateNumbers;
use rotule_program::Externals;
use rotule_symbolic::{Expr, list};
use std::io;
use std::ops::ControlFlow;

/// Options of a simulation.
#[derive(Clone, Debug)]
pub struct SimulationOptions {
    /// When the motion ends.
    pub to: f64,
    /// The method, by its name.
    pub method: String,
    /// The form in which constraints are kept; none if that follows from the method.
    pub constraints: Option<ConstraintForm>,
    /// The accuracy, or the length of steps.
    pub accuracy: Accuracy,
    /// The longest step of a method that chooses its steps; none leaves it to the method.
    pub max_step: Option<f64>,
    /// A run of more steps is given up.
    pub max_steps: u64,
    /// The points that are kept.
    pub samples: Samples,
    /// When other coordinates become independent.
    pub threshold: Threshold,
    /// The groups of channels that are kept.
    pub groups: Vec<ChannelGroup>,
    /// Further channels that are kept, as [`Channels::select`] takes them.
    pub names: Vec<String>,
    /// The kernel that runs the equations of motion.
    pub kernel: KernelKind,
    /// Integration of the work of all forces, to check the energy.
    pub balance: Balance,
}

/// When the work of all forces is integrated beside the motion, which it never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Balance {
    /// Always, with channels of its own.
    Requested,
    /// Where the energy would change without it and it costs few operations.
    Light,
    /// Never.
    Off,
}

/// A mechanism that is ready to move.
pub struct Simulation {
    plant: Plant,
    method: Box<dyn Integrator>,
    options: RunOptions,
    /// The channels that are kept of it.
    pub channels: Channels,
    /// Written initial values that could not be kept.
    pub changes: Vec<Change>,
    /// Coordinates and speeds at samples, if they are to be compared with those of another run.
    pub trace: Option<Trace>,
    check: Check,
    facts: Facts,
    prepared: Option<f64>,
}

/// Quantities that are watched at samples for the verdict.
struct Check {
    /// The positions of kinetic and potential energy among what is computed, if their sum less the
    /// work must stay.
    energies: Option<[usize; 2]>,
    /// One for rotations, the size of the largest loop for translations.
    units: Vec<f64>,
}

/// A receiver of the numbers of a run.
pub trait SampleSink {
    /// One point, in the order of the channels.
    fn row(&mut self, numbers: &[f64]) -> io::Result<()>;
}

/// The summary of a run.
#[derive(Debug)]
pub struct RunSummary {
    /// The course of the integration.
    pub outcome: Outcome,
    /// The largest change of the energy less the work and without what events took out of it, in
    /// parts of the largest kinetic or potential energy; none if work is done and not integrated.
    pub energy: Option<f64>,
    /// Start, end, least and largest value of each coordinate, at the points that are kept.
    pub coordinates: Vec<Course>,
    /// The promises that the run did not keep.
    pub verdict: Verdict,
    /// The agreement with another run, if there was one.
    pub verification: Option<Verification>,
    /// The first write that failed, and the number of its sink.
    pub unwritten: Option<(usize, io::Error)>,
    /// Seconds that the run took; none on targets without a clock.
    pub seconds: Option<f64>,
    /// Seconds from the model to the first step; none on targets without a clock.
    pub prepared: Option<f64>,
    /// The name of the kernel that evaluates the equations.
    pub kernel: String,
}

/// Makes other coordinates independent: those that a list names, and no others.
pub fn partition(tree: &mut MultibodySystem, list: &str) -> Result<(), Problem> {
    let names: Vec<&str> = list::names(list).collect();
    ask_independent(&mut tree.mechanism, &names)
}

impl Simulation {
    /// A mechanism at a state, which is closed first.
    pub fn new(
        tree: MultibodySystem,
        state: &StateNumbers,
        options: &SimulationOptions,
        externals: Box<dyn Externals>,
    ) -> Result<Simulation, Problem> {
        Simulation::with_signals(tree, state, options, externals, Vec::new())
    }

    /// A mechanism at a state, with signals for some of its inputs.
    pub fn with_signals(
        tree: MultibodySystem,
        state: &StateNumbers,
        options: &SimulationOptions,
        externals: Box<dyn Externals>,
        given: Vec<(String, InputSignal)>,
    ) -> Result<Simulation, Problem> {
        let begun = Clock::start();
        let mut tree = tree;
        for (input, &value) in tree.mechanism.inputs.iter_mut().zip(&state.inputs) {
            input.value = value;
        }
        let (mut tree, mut signals) = Signals::of(tree, given)?;
        let state = &signals.begin(&mut tree.mechanism, state);
        check(options)?;
        if let Some(problem) = without_numbers(&tree.mechanism, "the motion cannot be computed") {
            return Err(problem);
        }
        limits::check_state(&tree.mechanism, state, options)?;
        let form = form(options)?;
        let chosen = matches!(options.accuracy, Accuracy::Within { .. });
        if chosen && options.max_step.is_none() && has_moving_floor(&tree) {
            return Err(Problem::new(
                "a law has `floor` of something that moves, and a long step may pass over its jumps",
                "bound the steps by --max-step or --dt, or write the law with `if`",
            ));
        }
        let mut state = state.clone();
        let changes = state.close(&tree)?;
        let start = InputPoint::new(state.t, state.q, state.qd, state.parameters);
        let mut start = start.with_states(state.states).with_inputs(state.inputs);
        start.effort = state.effort;
        let plant = Plant::run_by(options.kernel, tree, start, externals, form)?;
        let mut plant = plant.with_signals(signals);
        let pattern = Pattern::of(&plant.tree)?;
        let conservative = conservative(&plant.tree);
        let light = || {
            let changes = !conservative || pattern.explicit;
            changes && plant.is_work_light()
        };
        let second = is_second_order(&options.method);
        let balance = match options.balance {
            Balance::Requested => true,
            Balance::Light => !second && light(),
            Balance::Off => false,
        };
        if balance {
            plant = plant.with_work()?;
        }
        if second {
            plant.reduce()?;
        }
        let method = method(&options.method, options.accuracy, plant.size())
            .map_err(|choice| Problem::new(choice.to_string(), ""))?;
        let shown = options.balance == Balance::Requested;
        // Constraints that time moves do work.
        let stays = balance || (conservative && !pattern.explicit);
        let hidden = if stays { &MECHANICAL[..] } else { &[] };
        let channels = Channels::new(&mut plant, &options.groups, &options.names, shown, hidden)?;
        let energies = MECHANICAL.map(|name| channels.computed_position(name));
        let energies = match energies {
            [Some(kinetic), Some(potential)] if stays => Some([kinetic, potential]),
            _ => None,
        };
        let length = |unit: &str| if unit == units::SPEED[0] { pattern.size } else { 1.0 };
        let units = units::by_speed(&plant.tree.mechanism, units::SPEED);
        let units = units.into_iter().map(length).collect();
        let check = Check { energies, units };
        let facts = Facts {
            energy: None,
            size: pattern.size,
            fastest: 0.0,
            form,
            accuracy: options.accuracy,
        };
        let options = RunOptions {
            max_step: options.max_step.unwrap_or(f64::INFINITY),
            max_steps: options.max_steps,
            ..RunOptions::new(options.to, options.samples, options.threshold)
        };
        let prepared = begun.seconds();
        let trace = None;
        Ok(Simulation { plant, method, options, channels, changes, trace, check, facts, prepared })
    }

    /// The mechanism, with the parameters of the run.
    pub fn mechanism(&self) -> &Mechanism {
        &self.plant.tree.mechanism
    }

    /// The fault if laws call foreign functions that are not known.
    pub fn foreign(&self, known: &dyn Fn(&str) -> bool) -> Option<Problem> {
        let motion = ModelFunction::parse("motion", &self.plant.tree).ok()?;
        let mechanism = self.mechanism();
        let of_motion =
            self.plant.program().and_then(|program| foreign(mechanism, &motion, program, known));
        of_motion.or_else(|| {
            let events: Vec<Expr> = mechanism.events.iter().flat_map(expressions_of).collect();
            let outputs: Vec<Expr> = mechanism.outputs.iter().map(|one| one.value).collect();
            let shown = |one: &Channel| one.group == ChannelGroup::Outputs;
            let shown = self.channels.list.iter().any(shown);
            foreign_in(mechanism, ("events need", &events), known).or_else(|| {
                foreign_in(mechanism, ("outputs need", &outputs), known).filter(|_| shown)
            })
        })
    }

    /// The state that the motion has come to, with what does not move as it is in another state.
    pub fn last_state(&self, other: &StateNumbers) -> StateNumbers {
        let point = self.plant.point();
        let mut state = StateNumbers {
            t: point.t,
            q: point.q.clone(),
            qd: point.qd.clone(),
            qdd: point.qdd.clone(),
            states: point.states.clone(),
            inputs: point.inputs.clone(),
            ..other.clone()
        };
        state.hold_q.fill(Hold::State);
        state.hold_qd.fill(Hold::State);
        state
    }

    /// Runs to the end, or as far as it goes. `step` is told the time after each step and each
    /// point and may end the run.
    pub fn run(
        &mut self,
        sinks: &mut [&mut dyn SampleSink],
        step: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<RunSummary, Problem> {
        let begun = Clock::start();
        let mut watcher = Watcher {
            channels: &mut self.channels,
            check: &mut self.check,
            trace: &mut self.trace,
            sinks,
            step,
            fastest: 0.0,
            courses: Courses::default(),
            seen: None,
            failed: None,
        };
        let outcome = run(&mut self.plant, self.method.as_mut(), &self.options, &mut watcher)?;
        let energy = watcher.seen.as_ref().map(|seen| seen.drift(self.facts.accuracy));
        let facts = Facts { energy, fastest: watcher.fastest, ..self.facts };
        let (courses, unwritten) = (watcher.courses, watcher.failed);
        Ok(RunSummary {
            coordinates: courses.named(&self.plant.tree.mechanism),
            verdict: Verdict::new(&outcome, &facts),
            verification: None,
            outcome,
            energy,
            unwritten,
            seconds: begun.seconds(),
            prepared: self.prepared,
            kernel: self.plant.kernel().to_owned(),
        })
    }
}

/// The form in which constraints are kept: as requested, if the method supports it.
fn form(options: &SimulationOptions) -> Result<ConstraintForm, Problem> {
    let second = is_second_order(&options.method);
    let name = &canonical_method(&options.method);
    match (options.constraints, second) {
        (None, false) => Ok(ConstraintForm::Partition),
        (None | Some(ConstraintForm::Index3), true) => Ok(ConstraintForm::Index3),
        (Some(ConstraintForm::Partition), true) => Ok(ConstraintForm::Partition),
        (Some(ConstraintForm::Index3), false) => Err(Problem::new(
            format!("`{name}` does not solve equations with multipliers"),
            "generalised-alpha, hht and newmark do",
        )),
        (Some(other), true) => Err(Problem::new(
            format!("`{name}` keeps constraints by multipliers, not by {}", other.word()),
            "leave the choice to the method, use partition, or take another method, such as rk4",
        )),
        (Some(ConstraintForm::Projection), false) if name == "bdf" => Err(Problem::new(
            "`bdf` continues from its own history, which a projection does not change",
            "take radau, or use --constraints partition or baumgarte",
        )),
        (Some(ConstraintForm::Baumgarte(Gains::Given(rates))), false)
            if !rates.iter().all(|rate| *rate >= 0.0 && rate.is_finite()) =>
        {
            let [alpha, beta] = rates;
            let message = format!("Baumgarte gains must not be negative, found {alpha} and {beta}");
            Err(Problem::new(message, "give none below zero"))
        }
        (Some(other), false) => Ok(other),
    }
}

/// The energies whose sum less the work must stay.
const MECHANICAL: [&str; 2] = ["energy.kinetic", "energy.potential"];

/// Returns `true` if nothing but weights and inertia acts, so that the energy must stay.
fn conservative(tree: &MultibodySystem) -> bool {
    let mechanism = &tree.mechanism;
    let zero = |expr: &Expr| *expr == Expr::ZERO;
    mechanism
        .joints
        .iter()
        .all(|joint| joint.effort.iter().all(zero) && !matches!(joint.role, Role::Driven { .. }))
        && mechanism.line_forces.is_empty()
        && mechanism.forces.is_empty()
        && mechanism.wheels.iter().all(|wheel| wheel.rolling)
}

struct Watcher<'a, 'b> {
    channels: &'a mut Channels,
    check: &'a mut Check,
    trace: &'a mut Option<Trace>,
    sinks: &'a mut [&'b mut dyn SampleSink],
    step: &'a mut dyn FnMut(f64) -> ControlFlow<()>,
    /// The largest speed, in units of the check.
    fastest: f64,
    courses: Courses,
    seen: Option<Seen>,
    failed: Option<(usize, io::Error)>,
}

/// Energies that were seen.
struct Seen {
    least: f64,
    most: f64,
    scale: f64,
}

impl Seen {
    /// The drift in parts of the largest energy. One of speeds below the absolute tolerance is
    /// rounding.
    fn drift(&self, accuracy: Accuracy) -> f64 {
        let resolved = match accuracy {
            Accuracy::Within { absolute, .. } => absolute,
            Accuracy::Fixed(_) => 1e-10,
        };
        (self.most - self.least) / self.scale.max(resolved * resolved).max(f64::MIN_POSITIVE)
    }
}

impl Observer for Watcher<'_, '_> {
    fn sample(&mut self, plant: &mut Plant) -> ControlFlow<()> {
        self.channels.take(plant);
        if let Some(energies) = self.check.energies {
            let [kinetic, potential] = energies.map(|at| self.channels.computed(at));
            let work = plant.work().unwrap_or(0.0);
            let whole = kinetic + potential - work + plant.lost();
            let seen = self.seen.get_or_insert(Seen { least: whole, most: whole, scale: 0.0 });
            seen.least = seen.least.min(whole);
            seen.most = seen.most.max(whole);
            seen.scale = seen.scale.max(kinetic.abs()).max(potential.abs()).max(work.abs());
        }
        let speeds = plant.point().qd.iter().zip(&self.check.units);
        self.fastest = speeds.map(|(qd, unit)| qd.abs() / unit).fold(self.fastest, f64::max);
        self.courses.push(plant.point());
        if let Some(trace) = self.trace {
            trace.push(plant.point());
        }
        let row = &self.channels.row;
        for (number, sink) in self.sinks.iter_mut().enumerate() {
            if let Err(error) = sink.row(row) {
                self.failed = Some((number, error));
                return ControlFlow::Break(());
            }
        }
        // There may be very many points in one step.
        (self.step)(plant.point().t)
    }

    fn step(&mut self, t: f64) -> ControlFlow<()> {
        (self.step)(t)
    }
}
