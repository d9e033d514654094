//! Integration methods: a method makes steps, and knows the states between the ends of its last
//! step.

use crate::ode::{Fault, Ode};
use std::fmt;

/// The accuracy of a step, or its length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Accuracy {
    /// Steps of one length.
    Fixed(f64),
    /// The method chooses: the error of a state stays below `absolute * scale +
    /// relative * |state|`.
    Within {
        /// Relative tolerance.
        relative: f64,
        /// Absolute tolerance, in units of [`Ode::scale`].
        absolute: f64,
    },
}

/// An integration method with its memory. Steps follow each other; whoever changes the state or the
/// equations in between calls [`Integrator::restart`].
pub trait Integrator {
    /// Makes one accepted step from `(t, y)`, not beyond `end`; both become those at its end. On
    /// failure they stay.
    fn step(&mut self, ode: &mut dyn Ode, t: &mut f64, y: &mut [f64], end: f64) -> StepResult;

    /// The states at a time within the last step.
    fn between(&self, t: f64, y: &mut [f64]);

    /// Forgets what earlier steps taught: states or equations changed, and there are so many states
    /// now. The length of the next step may be kept.
    fn restart(&mut self, size: usize);

    /// Takes the last step back: it was found wrong after it was made. The next one is shorter.
    /// Whoever calls this has the state of before. Methods of one length, which have no tolerances,
    /// are not asked.
    fn take_back(&mut self) {}

    /// Chooses no longer steps from now on.
    fn set_longest(&mut self, _longest: f64) {}

    /// Returns `true` if errors choose the lengths of steps.
    fn chooses_steps(&self) -> bool {
        false
    }

    /// A deviation from the states at the ends of a step, in units of what the tolerances allow;
    /// none if steps have one length.
    fn measure(&self, _deviation: &[f64], _before: &[f64], _after: &[f64]) -> Option<f64> {
        None
    }

    /// The work so far.
    fn work(&self) -> Work;
}

/// The result of a step.
pub type StepResult = Result<(), Failure>;

/// The work of an integration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Accepted steps.
    pub steps: u64,
    /// Steps that were tried and given up.
    pub rejected: u64,
    /// Evaluations of the equations.
    pub evaluations: u64,
    /// Evaluations of their derivatives.
    pub jacobians: u64,
    /// Matrices factored.
    pub factorisations: u64,
    /// Iterations of the method's own equations.
    pub iterations: u64,
    /// Accepted steps of an explicit method whose length stability held, not accuracy: the
    /// equations are stiff there.
    pub stiff: u64,
}

impl Work {
    /// Adds the work of another integration.
    pub(crate) fn add(&mut self, other: Work) {
        self.steps += other.steps;
        self.rejected += other.rejected;
        self.evaluations += other.evaluations;
        self.jacobians += other.jacobians;
        self.factorisations += other.factorisations;
        self.iterations += other.iterations;
        self.stiff += other.stiff;
    }

    /// The last step was taken back.
    pub(crate) fn taken_back(&mut self) {
        self.steps -= 1;
        self.rejected += 1;
    }
}

/// Why no step could be made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Failure {
    /// The equations have no value near here.
    Fault(Fault),
    /// The tolerance asks for steps that are too short to change the time.
    StepTooSmall {
        /// The step.
        step: f64,
        /// The fault that prevented a longer one, if it was not the tolerance.
        fault: Option<Fault>,
    },
}

impl Failure {
    /// Returns `true` if a number that is not finite stood in the way.
    pub fn is_not_finite(&self) -> bool {
        let fault = match self {
            Failure::Fault(fault) => Some(fault),
            Failure::StepTooSmall { fault, .. } => fault.as_ref(),
        };
        matches!(fault, Some(Fault::NotFinite(_)))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Fault(fault) => fault.fmt(f),
            Failure::StepTooSmall { step, fault: None } => {
                write!(f, "the step became as small as {step:.1e}")
            }
            Failure::StepTooSmall { step, fault: Some(fault) } => {
                write!(f, "the step became as small as {step:.1e}, because {fault}")
            }
        }
    }
}
