//! `simulate`: from a model to its motion, its named channels, and what is to be said of the run.

mod channels;
mod page;
mod scene;
mod summary;

pub use channels::{Channel, Channels, Group, Source};
pub use page::Pictures;
pub use summary::{sections, text};

use crate::evaluate::foreign;
use crate::loops::close;
use crate::state::State;
use rotule_formalism::constraint::asked::ask_independent;
use rotule_formalism::constraint::start::Change;
use rotule_formalism::{Function, Problem, Tree};
use rotule_jit::Choice;
use rotule_model::mechanism::{Mechanism, Nature};
use rotule_program::Externals;
use rotule_simulate::augmented::{Form, Gains};
use rotule_simulate::inputs::Point;
use rotule_simulate::method::{Accuracy, Method};
use rotule_simulate::methods::{is_second_order, method};
use rotule_simulate::ode::Ode;
use rotule_simulate::plant::Plant;
use rotule_simulate::run::{Observer, Options, Outcome, Samples, Threshold, run};
use std::io;
use std::ops::ControlFlow;
use std::time::Instant;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Wish {
    /// When the motion ends.
    pub to: f64,
    /// The method, by its name.
    pub method: String,
    /// How constraints are kept; none if that follows from the method.
    pub constraints: Option<Form>,
    /// How exact, or how long steps are.
    pub accuracy: Accuracy,
    /// Which points are kept.
    pub samples: Samples,
    /// When other coordinates become independent.
    pub threshold: Threshold,
    /// What is kept.
    pub groups: Vec<Group>,
    /// What runs the equations of motion.
    pub kernel: Choice,
    /// Whether the work of all forces is integrated, too, to check the energy.
    pub balance: bool,
}

/// A mechanism that is ready to move.
pub struct Simulation {
    plant: Plant,
    method: Box<dyn Method>,
    options: Options,
    /// What is kept of it.
    pub channels: Channels,
    /// Written initial values that could not be kept.
    pub changes: Vec<Change>,
    prepared: f64,
}

/// Who takes the numbers of a run.
pub trait Sink {
    /// One point, in the order of the channels.
    fn row(&mut self, numbers: &[f64]) -> io::Result<()>;
}

/// What is to be said of a run.
#[derive(Debug)]
pub struct Summary {
    /// The course of the integration.
    pub outcome: Outcome,
    /// The largest change of the energy less the work, in parts of the largest kinetic or potential energy; none if work is
    /// done and not integrated.
    pub energy: Option<f64>,
    /// The first write that failed, and the number of its sink.
    pub unwritten: Option<(usize, io::Error)>,
    /// Seconds that the run took.
    pub seconds: f64,
    /// Seconds from the model to the first step.
    pub prepared: f64,
    /// What evaluates the equations.
    pub kernel: String,
}

/// Makes other coordinates independent: those that a list names, and no others.
pub fn partition(tree: &mut Tree, list: &str) -> Result<(), Problem> {
    let names: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    ask_independent(&mut tree.mechanism, &names)
}

impl Simulation {
    /// A mechanism at a state, which is closed first.
    pub fn new(
        tree: Tree,
        state: &State,
        wish: &Wish,
        externals: Box<dyn Externals>,
    ) -> Result<Simulation, Problem> {
        let begun = Instant::now();
        check(wish)?;
        let form = form(wish)?;
        let mut state = state.clone();
        let changes = close(&tree, &mut state)?;
        let start = Point::new(state.t, state.q, state.qd, state.parameters);
        let mut start = start.with_states(state.states);
        start.effort = state.effort;
        let mut plant = Plant::run_by(wish.kernel, tree, start, externals, form)?;
        if wish.balance {
            plant = plant.with_work()?;
        }
        let method = method(&wish.method, wish.accuracy, plant.size())
            .map_err(|choice| Problem::new(choice.to_string(), ""))?;
        let channels = Channels::new(&mut plant, &wish.groups)?;
        let options = Options { to: wish.to, samples: wish.samples, threshold: wish.threshold };
        let prepared = begun.elapsed().as_secs_f64();
        Ok(Simulation { plant, method, options, channels, changes, prepared })
    }

    /// The mechanism, with the parameters of the run.
    pub fn mechanism(&self) -> &Mechanism {
        &self.plant.tree.mechanism
    }

    /// What is wrong if nobody supplies the foreign functions that laws call.
    pub fn foreign(&self) -> Option<Problem> {
        let motion = Function::parse("motion", &self.plant.tree).ok()?;
        foreign(self.mechanism(), &motion, self.plant.program()?)
    }

    /// Runs to the end, or as far as it goes. `step` is told the time after each step and may end the run.
    pub fn run(
        &mut self,
        sinks: &mut [&mut dyn Sink],
        step: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<Summary, Problem> {
        let begun = Instant::now();
        // What must stay, and the channel of the kinetic energy, which the potential one follows.
        let whole = match (self.plant.work(), conservative(&self.plant.tree)) {
            (Some(_), _) => self.channels.position("energy.balance"),
            (None, true) => self.channels.position("energy.total"),
            (None, false) => None,
        };
        let energy = whole.zip(self.channels.position("energy.kinetic"));
        let mut watcher =
            Watcher { channels: &mut self.channels, sinks, step, energy, seen: None, failed: None };
        let outcome = run(&mut self.plant, self.method.as_mut(), &self.options, &mut watcher)?;
        let seen =
            watcher.seen.map(|seen| (seen.most - seen.least) / seen.scale.max(f64::MIN_POSITIVE));
        Ok(Summary {
            outcome,
            energy: seen,
            unwritten: watcher.failed,
            seconds: begun.elapsed().as_secs_f64(),
            prepared: self.prepared,
            kernel: self.plant.kernel().to_owned(),
        })
    }
}

/// How constraints are kept: as asked for, if the method can.
fn form(wish: &Wish) -> Result<Form, Problem> {
    let second = is_second_order(&wish.method);
    let name = &wish.method;
    match (wish.constraints, second) {
        (None, false) => Ok(Form::Partition),
        (None | Some(Form::Index3), true) => Ok(Form::Index3),
        (Some(Form::Index3), false) => Err(Problem::new(
            format!("`{name}` does not solve equations with multipliers"),
            "generalised-alpha, hht and newmark do",
        )),
        (Some(other), true) => Err(Problem::new(
            format!("`{name}` keeps constraints by multipliers, not by {}", other.word()),
            "leave the choice to the method, or take another one, such as rk4",
        )),
        (Some(Form::Projection), false) if name == "bdf" => Err(Problem::new(
            "`bdf` goes on from its own past, which a projection does not change",
            "take radau, or keep constraints by partition or baumgarte",
        )),
        (Some(Form::Baumgarte(Gains::Given(rates))), false)
            if !rates.iter().all(|rate| *rate >= 0.0 && rate.is_finite()) =>
        {
            let [alpha, beta] = rates;
            let message = format!("the rates of Baumgarte's terms are {alpha} and {beta}");
            Err(Problem::new(message, "give none below zero"))
        }
        (Some(other), false) => Ok(other),
    }
}

fn check(wish: &Wish) -> Result<(), Problem> {
    let refuse = |what: &str, value: f64| {
        Err(Problem::new(format!("{what} is {value}"), "give a positive number"))
    };
    let sound = |value: f64| value > 0.0 && value.is_finite();
    if !sound(wish.to) {
        return refuse("the end of the simulation", wish.to);
    }
    match wish.accuracy {
        Accuracy::Fixed(step) if !sound(step) => return refuse("the step", step),
        Accuracy::Within { relative, .. } if !sound(relative) => {
            return refuse("the relative tolerance", relative);
        }
        Accuracy::Within { absolute, .. } if !sound(absolute) => {
            return refuse("the absolute tolerance", absolute);
        }
        _ => {}
    }
    match wish.samples {
        Samples::Every(every) if !sound(every) => refuse("the distance of samples", every),
        _ => Ok(()),
    }
}

/// Whether nothing but weights and inertia acts, so that the energy must stay.
fn conservative(tree: &Tree) -> bool {
    let mechanism = &tree.mechanism;
    let zero = |expr: &rotule_symbolic::Expr| *expr == rotule_symbolic::Expr::ZERO;
    mechanism.joints.iter().all(|joint| {
        joint.effort.iter().all(zero) && !matches!(joint.nature, Nature::Driven { .. })
    }) && mechanism.links.is_empty()
        && mechanism.forces.is_empty()
        && mechanism.wheels.iter().all(|wheel| wheel.rolling)
}

struct Watcher<'a, 'b> {
    channels: &'a mut Channels,
    sinks: &'a mut [&'b mut dyn Sink],
    step: &'a mut dyn FnMut(f64) -> ControlFlow<()>,
    /// The channels of the energy that should stay and of the kinetic one.
    energy: Option<(usize, usize)>,
    seen: Option<Seen>,
    failed: Option<(usize, io::Error)>,
}

/// Energies that were seen.
struct Seen {
    least: f64,
    most: f64,
    scale: f64,
}

impl Observer for Watcher<'_, '_> {
    fn sample(&mut self, plant: &mut Plant) -> ControlFlow<()> {
        self.channels.take(plant);
        let row = &self.channels.row;
        if let Some((whole, kinetic)) = self.energy {
            let (kinetic, potential, total) = (row[kinetic], row[kinetic + 1], row[whole]);
            let seen = self.seen.get_or_insert(Seen { least: total, most: total, scale: 0.0 });
            seen.least = seen.least.min(total);
            seen.most = seen.most.max(total);
            seen.scale = seen.scale.max(kinetic.abs()).max(potential.abs());
        }
        for (number, sink) in self.sinks.iter_mut().enumerate() {
            if let Err(error) = sink.row(row) {
                self.failed = Some((number, error));
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn step(&mut self, t: f64) -> ControlFlow<()> {
        (self.step)(t)
    }
}
