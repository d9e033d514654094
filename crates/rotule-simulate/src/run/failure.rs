//! The reason why no further step can be made from the last accepted state.

use super::Motion;
use super::Threshold;
use crate::explain::{Reason, explain};
use crate::method::Failure;
use crate::ode::Fault;

/// So often a step of one length is halved to find one that would do.
const SHORTER: usize = 10;

impl Motion<'_> {
    /// The reason of a failure, as far as can be told.
    pub fn explain(&mut self, failure: &Failure) -> Option<Reason> {
        // It says all there is.
        if matches!(failure, Failure::Fault(Fault::Beyond(_))) {
            return None;
        }
        let would_do = self.shorter_step(failure);
        let (t, kept) = (self.outcome.t, self.options.threshold == Threshold::Never);
        let observed = self.plant.observe(t, &self.y).is_ok();
        if let (Some(watch), true) = (&mut self.watch, observed) {
            watch.evaluate(self.plant);
        }
        let choice = self.plant.choice().cloned();
        let loops = self.watch.as_ref().and_then(|watch| watch.loops(choice.as_ref()));
        explain(self.plant, loops, failure, would_do, kept)
    }

    /// The length of a step with which loops that could not be followed can be, if the method does
    /// not choose it.
    fn shorter_step(&mut self, failure: &Failure) -> Option<f64> {
        let followed =
            matches!(failure, Failure::Fault(Fault::NotClosed(_) | Fault::NotFollowed(_)));
        let watch = self.watch.as_ref().filter(|_| followed)?;
        if self.methods.now().chooses_steps() {
            return None;
        }
        let mut step = watch.longest.min(self.options.to - self.outcome.t);
        for _ in 0..SHORTER {
            step *= 0.5;
            self.methods.restart(self.y.len());
            let (mut t, mut reached) = (self.outcome.t, self.y.clone());
            let end = self.outcome.t + step;
            if self.plant.observe(t, &self.y).is_ok()
                && self.methods.now().step(self.plant, &mut t, &mut reached, end).is_ok()
            {
                return Some(step);
            }
        }
        None
    }
}
