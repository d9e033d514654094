//! The step of all methods that can judge a step: try, judge, try a shorter one or accept.
//!
//! ```text
//! plan --> try --> judge --> accept
//!   ^                | too inexact, not converged, or a fault
//!   +-- shorter -----+
//! ```
//!
//! A method says how one try is made and how good it is; everything around that is here, for
//! embedded pairs, Radau and backward differences alike.

use super::control::{CUT, Tolerance, Watch, fit};
use super::fixed::Clock;
use crate::method::{Accuracy, Failure, Integrator, StepResult, Work};
use crate::ode::{Fault, Ode};

/// The memory that all such methods have in common.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    pub accuracy: Accuracy,
    pub tolerance: Tolerance,
    /// The length of all steps, if it is given.
    pub fixed: Option<f64>,
    /// The longest that a step may be.
    pub longest: f64,
    pub work: Work,
    clock: Clock,
}

impl Control {
    /// The control of steps of this accuracy, with errors held against a tolerance.
    pub fn new(accuracy: Accuracy, tolerance: Tolerance) -> Control {
        let fixed = match accuracy {
            Accuracy::Fixed(length) => Some(length),
            Accuracy::Within { .. } => None,
        };
        let (work, clock) = (Work::default(), Clock::default());
        Control { accuracy, tolerance, fixed, longest: f64::INFINITY, work, clock }
    }
}

/// A step that is tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    /// When it begins.
    pub t: f64,
    /// Its length.
    pub h: f64,
    /// When it ends.
    pub end: f64,
    /// The length that was planned, which may lie beyond the end of the integration.
    pub planned: f64,
    /// `true` if a longer one was rejected.
    pub cut: bool,
}

/// The verdict on a try.
pub(crate) enum Verdict {
    /// The states are those at its end.
    Accepted,
    /// It is to be repeated with a length multiplied by this.
    Shorter(f64),
    /// It is to be repeated as it is, with something in it renewed.
    Again,
}

/// The outcome of a try.
pub(crate) type Tried = Result<Verdict, Fault>;

/// A method that tries steps.
pub(crate) trait TrialMethod {
    /// The control of its steps.
    fn control(&mut self) -> &mut Control;

    /// The control of its steps, to read.
    fn controlled(&self) -> &Control;

    /// Prepares a step from `(t, y)` with `left` before the end. Returns the planned length.
    fn begin(&mut self, ode: &mut dyn Ode, t: f64, y: &[f64], left: f64) -> Result<f64, Fault>;

    /// Tries a step. If it is accepted, `y` becomes the states at its end, and the length of the
    /// next step is planned.
    fn attempt(&mut self, ode: &mut dyn Ode, trial: &Trial, y: &mut [f64]) -> Tried;

    /// Takes note of another length after a try that was rejected.
    fn replan(&mut self, _length: f64) {}

    /// The states at a time within the last step.
    fn interpolate(&self, t: f64, y: &mut [f64]);

    /// Forgets what earlier steps taught; there are so many states now.
    fn forget(&mut self, size: usize);

    /// Number of states.
    fn size(&self) -> usize;

    /// The length of the last step.
    fn last(&self) -> f64;

    /// Plans the next step after the last one was taken back.
    fn plan(&mut self, length: f64);
}

impl<M: TrialMethod> Integrator for M {
    fn step(&mut self, ode: &mut dyn Ode, t: &mut f64, y: &mut [f64], end: f64) -> StepResult {
        let left = end - *t;
        if left <= 0.0 {
            return Ok(());
        }
        let mut planned = self.begin(ode, *t, y, left).map_err(Failure::Fault)?;
        let control = self.control();
        let given = control.fixed.map(|length| control.clock.next(*t, length, end));
        let mut watch = Watch::new(*t, fit(planned, left));
        let mut cut = false;
        loop {
            let h = given.map_or_else(|| fit(planned, left), |new| new - *t);
            watch.begins(h, left)?;
            let end = given.unwrap_or(if h == left { end } else { *t + h });
            let found = self.attempt(ode, &Trial { t: *t, h, end, planned, cut }, y);
            let control = self.control();
            let shorter = match found {
                Ok(Verdict::Accepted) => {
                    *t = end;
                    control.work.steps += 1;
                    return Ok(());
                }
                Ok(Verdict::Again) => continue,
                Err(fault) if control.fixed.is_some() => return Err(Failure::Fault(fault)),
                Ok(Verdict::Shorter(_)) if control.fixed.is_some() => {
                    control.work.rejected += 1;
                    let what = "the iteration of the step";
                    return Err(Failure::Fault(Fault::NotClosed(what.into())));
                }
                Ok(Verdict::Shorter(shorter)) => {
                    watch.rejected();
                    shorter
                }
                Err(fault) => {
                    watch.fault(fault);
                    CUT
                }
            };
            control.work.rejected += 1;
            planned = h * shorter;
            cut = true;
            self.replan(planned);
        }
    }

    fn between(&self, t: f64, y: &mut [f64]) {
        self.interpolate(t, y);
    }

    fn restart(&mut self, size: usize) {
        self.forget(size);
    }

    fn take_back(&mut self) {
        self.forget(self.size());
        self.plan(CUT * self.last());
        self.control().work.taken_back();
    }

    fn set_longest(&mut self, longest: f64) {
        self.control().longest = longest;
    }

    fn chooses_steps(&self) -> bool {
        self.controlled().fixed.is_none()
    }

    fn measure(&self, deviation: &[f64], before: &[f64], after: &[f64]) -> Option<f64> {
        let control = self.controlled();
        control.fixed.is_none().then(|| control.tolerance.norm(deviation, before, after))
    }

    fn work(&self) -> Work {
        self.controlled().work
    }
}
