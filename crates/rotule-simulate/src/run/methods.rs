//! The method of a run, and the steps of one length that take its place near a singular position of
//! the mechanism: errors are rounding there, and steps that they choose come to nothing.

use super::watch::Watch;
use crate::method::{Integrator, Work};
use crate::methods::fixed::{Fixed, RK4};

/// The method that makes the next step.
pub(super) struct Methods<'a> {
    chosen: &'a mut dyn Integrator,
    /// The steps of one length, while a singular position is passed, and their usual length.
    passing: Option<(Fixed, f64)>,
    /// The work of those that are over.
    over: Work,
}

impl<'a> Methods<'a> {
    pub fn new(chosen: &'a mut dyn Integrator, max_step: f64) -> Methods<'a> {
        chosen.set_longest(max_step);
        Methods { chosen, passing: None, over: Work::default() }
    }

    /// The method in use.
    pub fn now(&mut self) -> &mut dyn Integrator {
        match &mut self.passing {
            Some((own, _)) => own,
            None => self.chosen,
        }
    }

    /// Begins to pass a singular position, goes on with it, or ends it, as the watch requests.
    /// `left` is all the time that is left.
    pub fn select(&mut self, watch: Option<&Watch>, left: f64, size: usize) {
        let chooses = self.chosen.chooses_steps();
        let watch = watch.filter(|watch| watch.passing.is_some() && chooses);
        self.passing = match (self.passing.take(), watch) {
            (None, None) => None,
            (None, Some(watch)) => {
                let hop = watch.hop(left);
                Some((Fixed::new(&RK4, watch.next_hop(hop), size), hop))
            }
            (Some((own, hop)), Some(watch)) => Some((own.with_length(watch.next_hop(hop)), hop)),
            (Some((own, _)), None) => {
                self.over.add(own.work());
                self.chosen.restart(size);
                None
            }
        };
    }

    /// Forgets what earlier steps taught.
    pub fn restart(&mut self, size: usize) {
        self.now().restart(size);
    }

    /// The work so far.
    pub fn work(&self) -> Work {
        let mut work = self.over;
        work.add(self.chosen.work());
        if let Some((own, _)) = &self.passing {
            work.add(own.work());
        }
        work
    }
}
