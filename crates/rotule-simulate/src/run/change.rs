//! Other coordinates in the course of a run.
//!
//! Whatever changes, it goes one way: the plant enters the new coordinates at the accepted point
//! ([`Plant::change`](crate::plant::Plant::change)), the state is gathered anew, the method begins
//! anew, and the loops must close; then it is recorded.
//!
//! A change of the partition is tried when the condition of the present one passes the threshold,
//! when a step fails, and when a step has jumped over a singular position of the present partition,
//! where the determinant of `J_v` changes its sign: the errors of such a step are not visible to
//! the method. In the last two cases integration goes on from the last accepted state. A change is
//! made only if it is clearly better, so that partitions do not alternate where all are bad.
//!
//! Where all are bad the mechanism itself is singular, as a parallelogram is when it is flat. Its
//! dependent coordinates may be no faster there than elsewhere; the smallest singular value of
//! `J_v` tells. Errors of closing grow with its inverse and those of accelerations faster, while
//! accelerations of all coordinates, which nothing has to be closed for, stay good: such a position
//! is passed with all coordinates as the state.

use super::watch::Watch;
use super::{Flow, Motion, PartitionSwitch, Threshold};
use crate::method::Failure;
use crate::ode::Fault;
use crate::plant::{CoordinateChange, Plant};
use crate::switch::{Change, Trigger};
use rotule_formalism::Problem;

impl Motion<'_> {
    /// Goes on from the plant's point in the coordinates that it has now.
    pub(super) fn carry_over(&mut self) -> Result<(), Fault> {
        self.y = self.plant.state();
        self.methods.restart(self.y.len());
        self.plant.accept(self.outcome.t, &mut self.y)
    }

    /// Switches Euler-angle sequences near gimbal lock.
    pub(super) fn switch_sequences(&mut self) -> Flow {
        let Some(said) = self.plant.switch_sequences()? else { return Ok(()) };
        let last = self.outcome.sequence_switches.last();
        // An event may need the user's sequence for a moment.
        if last.is_none_or(|(_, last)| *last != said) {
            self.outcome.sequence_switches.push((self.outcome.t, said));
        }
        self.carry_over().map_err(|fault| {
            Problem::new(format!("after a switch of the Euler-angle sequence {fault}"), "")
        })?;
        self.watch = Watch::new(self.plant)?;
        Ok(())
    }

    /// Inspects the constraints in the accepted point, or in the last one before a failure; true if
    /// the run goes on in another way.
    pub(super) fn switch_partition(&mut self, failed: Option<(&Failure, Trigger)>) -> Flow<bool> {
        let Some(watch) = &mut self.watch else { return Ok(false) };
        let t = self.outcome.t;
        self.outcome.note_drift(watch.measure(self.plant));
        let inspection = watch.inspect(self.plant, t);
        if inspection.counts {
            self.outcome.note_condition(inspection.now, watch.reference.is_none());
        }
        let Threshold::At(threshold) = self.options.threshold else { return Ok(false) };
        let trigger = failed.map(|(_, trigger)| trigger);
        let Some(change) = watch.change(self.plant, &inspection, threshold, trigger, t) else {
            return Ok(false);
        };
        if watch.reference.is_some() {
            // All coordinates stay the state; it is how steps are chosen that changes.
            let passes = change.to.is_none();
            if passes == watch.passing.is_some() {
                return Ok(false);
            }
            let last = watch.choice(self.plant).filter(|_| passes).cloned();
            watch.pass(last, change.before.smallest, t);
            if passes {
                self.outcome.passed.push(t);
            }
            self.methods.restart(self.y.len());
            return Ok(true);
        }
        self.enter_partition(change, failed.map(|(failure, _)| failure))
    }

    /// Takes another partition, or all coordinates as the state, if loops can be closed so.
    fn enter_partition(
        &mut self,
        Change { before, after, to, same }: Change,
        failure: Option<&Failure>,
    ) -> Flow<bool> {
        let Some(watch) = &mut self.watch else { return Ok(false) };
        let t = self.outcome.t;
        let names = |plant: &Plant, passing: bool| match passing {
            true => Vec::new(),
            false => plant.independent(),
        };
        let (left, passing) = (self.y.clone(), watch.passing.clone());
        let (from, previous) = (names(self.plant, passing.is_some()), self.plant.choice().cloned());
        match to {
            Some(to) => {
                self.plant.change(CoordinateChange::Partition(to))?;
                watch.signs = Some(after.signs);
                watch.passing = None;
            }
            None => {
                if self.plant.change(CoordinateChange::All).is_err() {
                    return Ok(false);
                }
                self.outcome.passed.push(t);
                watch.pass(previous.clone(), before.smallest, t);
            }
        }
        let accepted = if same {
            self.outcome.reorders += 1;
            self.methods.restart(self.y.len());
            self.plant.accept(t, &mut self.y)
        } else {
            let to = names(self.plant, watch.passing.is_some());
            let failure = failure.map(Failure::to_string);
            self.outcome.switches.push(PartitionSwitch { t, from, to, before, after, failure });
            self.carry_over()
        };
        if accepted.is_ok() {
            return Ok(true);
        }
        // Loops cannot be closed with it, as at the end of a drive's reach: what was before goes
        // on, or fails and is explained.
        self.plant.change(match (&passing, previous) {
            (None, Some(previous)) => CoordinateChange::Partition(previous),
            _ => CoordinateChange::All,
        })?;
        if let Some(watch) = &mut self.watch {
            (watch.passing, watch.widened) = (passing, Some(t));
        }
        if !same {
            self.outcome.switches.pop();
        }
        self.y = left;
        self.methods.restart(self.y.len());
        self.plant.accept(t, &mut self.y).map_err(|fault| {
            Problem::new(
                format!("the state at t = {t} was accepted and no longer is: {fault}"),
                "start from another position, or keep constraints by projection",
            )
        })?;
        Ok(false)
    }
}
