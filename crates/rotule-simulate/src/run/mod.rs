//! One motion of a plant from its present point to the end, with all that can happen on the way.
//!
//! A step ends where a condition of time changes (`time_condition.rs`), and is cut where an event
//! happens or a law switches (`event.rs`); integration begins anew behind it. Where coordinates
//! become bad the motion goes on in others (`change.rs`).

mod change;
mod failure;
mod jump;
mod methods;
mod motion;
mod outcome;
mod watch;

pub use crate::switch::Threshold;
pub use jump::Jump;
pub use outcome::{End, Outcome, PartitionSwitch};

use crate::integrate::integrate;
use crate::method::{Failure, Integrator};
use crate::ode::Fault;
use crate::plant::Plant;
use motion::Motion;
use rotule_formalism::Problem;
use std::ops::ControlFlow;

/// When points of the motion are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Samples {
    /// At equal distances in time.
    Every(f64),
    /// After each step.
    Steps,
}

/// Options of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunOptions {
    /// When it ends.
    pub to: f64,
    /// The points that are kept.
    pub samples: Samples,
    /// When another partition is searched.
    pub threshold: Threshold,
    /// The longest step of a method that chooses its steps.
    pub max_step: f64,
    /// A run of more steps is given up.
    pub max_steps: u64,
}

/// The most steps of a run by default.
pub const MAX_STEPS: u64 = 100_000_000;

impl RunOptions {
    /// A run to a time that keeps the given points, with steps as long as a method likes.
    pub fn new(to: f64, samples: Samples, threshold: Threshold) -> RunOptions {
        RunOptions { to, samples, threshold, max_step: f64::INFINITY, max_steps: MAX_STEPS }
    }
}

/// An observer of a run.
pub trait Observer {
    /// A point of the motion; the plant can measure more of it. A break ends the run.
    fn sample(&mut self, plant: &mut Plant) -> ControlFlow<()>;

    /// After each step: whether to go on.
    fn step(&mut self, _t: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// The reason to go no further: the end of the run, or a problem that leaves no outcome.
enum Stop {
    End(End),
    Problem(Problem),
}

type Flow<T = ()> = Result<T, Stop>;

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Stop {
        Stop::Problem(problem)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        // Where an input ends, shorter steps tell nothing more.
        let failure = match failure {
            Failure::StepTooSmall { fault: Some(fault @ Fault::Beyond(_)), .. } => {
                Failure::Fault(fault)
            }
            other => other,
        };
        Stop::End(End::Failed(failure))
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::from(Failure::Fault(fault))
    }
}

/// Runs a plant from its present point.
pub fn run(
    plant: &mut Plant,
    method: &mut dyn Integrator,
    options: &RunOptions,
    observer: &mut dyn Observer,
) -> Result<Outcome, Problem> {
    plant.narrow()?;
    let mut motion = Motion::new(plant, method, options, observer)?;
    motion.outcome.end = match integrate(&mut motion) {
        Ok(()) => End::Reached,
        Err(Stop::End(end)) => end,
        Err(Stop::Problem(problem)) => return Err(problem),
    };
    if let End::Failed(failure) = motion.outcome.end.clone() {
        motion.outcome.reason = motion.explain(&failure);
    }
    motion.finish()
}
