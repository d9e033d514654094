//! The state of a run, and what each part of a step does to it.

use super::jump::jump;
use super::methods::Methods;
use super::watch::Watch;
use super::{End, Flow, Observer, Outcome, RunOptions, Samples, Stop, Threshold};
use crate::event::{Events, Found};
use crate::integrate::{Integration, Step};
use crate::method::{Failure, Integrator};
use crate::ode::Fault;
use crate::plant::Plant;
use crate::ranges::Ranges;
use crate::switch::Trigger;
use crate::time_condition::{Boundary, TimeConditions};
use rotule_formalism::Problem;
use std::ops::ControlFlow;

/// A partition that must not change is given up beyond this amplification: what follows would be
/// noise.
const HOPELESS: f64 = 1e5;
/// Integrated and closed coordinates may differ by so many tolerances at the end of a step.
const DEVIATION: f64 = 10.0;
/// Points are the same up to this part of the time between samples.
const SAME: f64 = 1e-9;

/// A plant on its way.
pub(super) struct Motion<'a> {
    pub plant: &'a mut Plant,
    pub methods: Methods<'a>,
    pub options: &'a RunOptions,
    observer: &'a mut dyn Observer,
    pub outcome: Outcome,
    /// The state, and that at the last accepted point while a step is judged.
    pub y: Vec<f64>,
    old: Vec<f64>,
    /// A state between the ends of a step, and the distance of one from where loops are closed.
    between: Vec<f64>,
    deviation: Vec<f64>,
    pub watch: Option<Watch>,
    events: Option<Events>,
    /// Where the step was cut.
    found: Option<Found>,
    times: TimeConditions,
    /// The next change of a condition of time.
    boundary: Option<Boundary>,
    ranges: Ranges,
    start: f64,
    /// The longest first step, which knows nothing of how long steps may be.
    longest: f64,
    steps: u64,
    /// `true` if a point is shown behind the boundary at which it is.
    postponed: bool,
    /// `true` if laws may leave their branches within the step.
    freed: bool,
}

impl<'a> Motion<'a> {
    /// A plant at its present point.
    pub fn new(
        plant: &'a mut Plant,
        method: &'a mut dyn Integrator,
        options: &'a RunOptions,
        observer: &'a mut dyn Observer,
    ) -> Result<Motion<'a>, Problem> {
        let start = plant.point().t;
        let knots = plant.signals.knots(start, options.to);
        let mut times = TimeConditions::new(plant)?.with_knots(knots).with_periods(plant)?;
        let boundary = times.next(start, options.to);
        Ok(Motion {
            outcome: Outcome::begin(start, plant.is_constrained()),
            methods: Methods::new(method, options.max_step),
            y: plant.state(),
            old: Vec::new(),
            between: Vec::new(),
            deviation: Vec::new(),
            watch: Watch::new(plant)?,
            events: Events::new(plant, &times, options.to - start)?,
            found: None,
            ranges: Ranges::new(&plant.base, &plant.point().parameters),
            start,
            longest: times.shortest(start, options.to).map_or(f64::INFINITY, |gap| 0.1 * gap),
            times,
            boundary,
            steps: 0,
            postponed: false,
            freed: false,
            plant,
            options,
            observer,
        })
    }

    /// The outcome. Outside of a run, a plant is in the user's angles.
    pub fn finish(mut self) -> Result<Outcome, Problem> {
        self.plant.restore_sequences()?;
        self.outcome.work = self.methods.work();
        self.outcome.effort = self.plant.effort;
        Ok(self.outcome)
    }

    fn accept(&mut self) -> Result<(), Fault> {
        self.plant.accept(self.outcome.t, &mut self.y)
    }

    /// Shows the plant's point.
    fn show(&mut self) -> Flow {
        self.outcome.samples += 1;
        let observer = &mut *self.observer;
        or_stop(self.plant.as_user(|plant| observer.sample(plant)))
    }

    /// Goes back to the last accepted point.
    fn take_back(&mut self) {
        self.y.clone_from(&self.old);
        self.methods.now().take_back();
    }

    /// Conditions of time change between two steps: goes to their other side.
    fn pass_boundary(&mut self, boundary: Boundary) -> Flow {
        let before = self.plant.observe(self.outcome.t, &self.y)?.clone();
        self.outcome.t = boundary.after;
        self.boundary = self.times.next(self.outcome.t, self.options.to);
        self.methods.restart(self.y.len());
        self.accept()?;
        let mechanism = &self.plant.tree.mechanism;
        self.outcome.jumps.extend(jump(mechanism, &before, self.plant.point()));
        if self.events.is_some() {
            self.found = Some(Found { t: self.outcome.t, fired: boundary.events });
            self.act_on_found()?;
        }
        if std::mem::take(&mut self.postponed) { self.show() } else { Ok(()) }
    }

    /// Finds another way where no step can be made.
    fn recover(&mut self, failure: Failure) -> Flow {
        // A branch of a law may have no value beyond the place where the law leaves it.
        if let Some(events) = &self.events
            && events.free_branches(self.plant)
        {
            self.freed = true;
            self.methods.restart(self.y.len());
            return Ok(());
        }
        // The last accepted point again: what was tried since is of no use.
        let observed = self.plant.observe(self.outcome.t, &self.y).is_ok();
        let may_switch = observed && self.options.threshold != Threshold::Never;
        match may_switch && self.switch_partition(Some((&failure, Trigger::Failed)))? {
            true => Ok(()),
            false => Err(failure.into()),
        }
    }

    /// Judges a step over a singular position of the partition: it is made in other coordinates or
    /// in shorter steps, if either is possible.
    fn judge_crossing(&mut self) -> Flow<bool> {
        let failure = Failure::Fault(singular(self.plant));
        if self.options.threshold == Threshold::Never {
            return Err(failure.into());
        }
        let t = self.outcome.t;
        let new = std::mem::replace(&mut self.y, self.old.clone());
        let observed = self.plant.observe(t, &self.y).is_ok();
        let shorter = self.methods.now().chooses_steps();
        let trigger = if shorter { Trigger::CrossedFar } else { Trigger::Crossed };
        if observed && self.switch_partition(Some((&failure, trigger)))? {
            return Ok(false);
        }
        if shorter && self.watch.as_ref().is_some_and(|watch| watch.widened != Some(t)) {
            self.take_back();
            return Ok(false);
        }
        // All partitions are bad here, and nothing else is available: what was reached is as good
        // as can be.
        self.y = new;
        Ok(true)
    }

    /// Shows the points between the ends of a step.
    fn show_between(&mut self, step: &Step) -> Flow {
        let Samples::Every(every) = self.options.samples else { return Ok(()) };
        self.between.resize(self.y.len(), 0.0);
        // Counted, so that sums of rounding errors do not shift samples.
        let mut number = ((step.from - self.start) / every).floor() as u64 + 1;
        loop {
            let t = self.start + number as f64 * every;
            if t >= step.to - SAME * every {
                return Ok(());
            }
            number += 1;
            if t <= step.from + SAME * every {
                continue;
            }
            let between = &mut self.between;
            self.methods.now().between(t, between);
            self.plant.normalise(between);
            let observed = self.plant.observe(t, between).map(|_| ());
            if let Err(fault) = observed.and_then(|()| self.plant.project(t, between)) {
                return Err(self.lose(step, fault));
            }
            if let (Some(watch), true) = (&mut self.watch, self.plant.all().is_some()) {
                self.outcome.note_drift(watch.measure(self.plant));
            }
            self.show()?;
        }
    }

    /// The end of the run at the beginning of a step that cannot be accepted.
    fn lose(&mut self, step: &Step, fault: Fault) -> Stop {
        self.outcome.t = step.from;
        self.y.clone_from(&self.old);
        fault.into()
    }

    /// Lets what was found act at the accepted point, and begins anew behind it.
    fn act_on_found(&mut self) -> Flow {
        let (Some(events), Some(found)) = (&mut self.events, self.found.take()) else {
            return Ok(());
        };
        let energies = match events.may_change_energy(&found) {
            true => Some(self.plant.energies()?),
            false => None,
        };
        let (happened, mut ends) = (events.is_event(&found), false);
        self.outcome.law_switches += events.law_switches(&found);
        if happened {
            let done = events.apply(self.plant, &found, &mut self.outcome.events)??;
            ends = done.end;
            self.y = self.plant.state();
            if done.held {
                self.watch = Watch::new(self.plant)?;
            }
        }
        self.methods.restart(self.y.len());
        if let Some(watch) = &mut self.watch {
            watch.fresh = None;
        }
        self.switch_sequences()?;
        self.accept()?;
        if let Some(energies) = energies {
            let loss = self.plant.lose(energies)?;
            self.outcome.losses.extend(loss.map(|loss| (self.outcome.t, loss)));
        }
        self.settle(&found.fired)?;
        if happened && self.options.samples == Samples::Steps {
            self.show()?;
        }
        if ends {
            let last = self.outcome.events.last();
            return Err(Stop::End(End::Event(last.map_or(String::new(), |one| one.name.clone()))));
        }
        Ok(())
    }

    /// Takes the sides of everything that is watched; those of `fired` go where they are moving to.
    fn settle(&mut self, fired: &[usize]) -> Flow {
        if let Some(events) = &mut self.events
            && events.settle(self.plant, fired)
        {
            self.accept()?;
        }
        Ok(())
    }

    /// The time of the point that is to be kept at the end of a step, if one is.
    fn due(&self, step: &Step) -> Option<f64> {
        let Samples::Every(every) = self.options.samples else { return Some(step.to) };
        let number = ((step.to - self.start) / every).round();
        let at = self.start + number * every;
        let here = (step.to - at).abs() <= SAME * every && at > step.from + SAME * every;
        (step.to >= self.options.to || here).then_some(if here { at } else { step.to })
    }
}

impl Integration for Motion<'_> {
    type Stop = Stop;

    fn begin(&mut self) -> Flow {
        // In gimbal lock itself only another sequence has finite accelerations.
        self.switch_sequences()?;
        self.accept()?;
        self.switch_partition(None)?;
        if let Some(events) = &mut self.events
            && events.start_frictions(self.plant)?
        {
            self.carry_over()?;
            self.watch = Watch::new(self.plant)?;
        }
        self.settle(&[])?;
        let fired = self.times.at_start(self.start);
        if !fired.is_empty() {
            self.found = Some(Found { t: self.start, fired });
            self.act_on_found()?;
        }
        self.show()
    }

    fn goes_on(&self) -> bool {
        self.outcome.t < self.options.to
    }

    fn step(&mut self) -> Flow<Option<Step>> {
        let (from, to) = (self.outcome.t, self.options.to);
        if let Some(boundary) = self.boundary.take_if(|boundary| boundary.before <= from) {
            self.pass_boundary(boundary)?;
            return Ok(None);
        }
        self.steps += 1;
        if self.steps > self.options.max_steps {
            return Err(Fault::TooManySteps(self.options.max_steps).into());
        }
        self.methods.select(self.watch.as_ref(), to - from, self.y.len());
        self.old.clone_from(&self.y);
        let method = self.methods.now();
        let mut end = self.boundary.as_ref().map_or(to, |boundary| boundary.before);
        if method.chooses_steps() {
            end = self.plant.step_end(end).min(from + self.options.max_step.min(self.longest));
        }
        let mut reached = from;
        match method.step(self.plant, &mut reached, &mut self.y, end) {
            Ok(()) => Ok(Some(Step { from, to: reached })),
            Err(failure) => self.recover(failure).map(|()| None),
        }
    }

    fn inspect(&mut self, step: &Step) -> Flow<bool> {
        // What integration and closing give must agree, or the step was made along something else.
        if self.plant.observe(step.to, &self.y).is_ok() {
            self.deviation.resize(self.y.len(), 0.0);
            self.plant.deviation(&self.y, &mut self.deviation);
            let size = self.methods.now().measure(&self.deviation, &self.old, &self.y);
            if size.is_some_and(|size| size > DEVIATION) {
                self.take_back();
                return Ok(false);
            }
        }
        let crossed = match &mut self.watch {
            Some(watch) => watch.crossed(self.plant, step.to, &self.y),
            None => false,
        };
        if crossed { self.judge_crossing() } else { Ok(true) }
    }

    fn find_events(&mut self, step: &mut Step) -> Flow {
        let Some(events) = &mut self.events else { return Ok(()) };
        let method = self.methods.now();
        self.found = events.find(self.plant, method, (step.from, step.to), &self.y)?;
        // The rest of the step never was.
        if let Some(found) = self.found.as_ref().filter(|found| found.t < step.to) {
            method.between(found.t, &mut self.y);
            step.to = found.t;
        }
        Ok(())
    }

    fn sample(&mut self, step: &Step) -> Flow {
        self.longest = f64::INFINITY;
        self.outcome.t = step.to;
        if let Some(watch) = &mut self.watch {
            watch.stepped(step.to - step.from);
        }
        self.show_between(step)?;
        if let Err(fault) = self.accept() {
            return Err(self.lose(step, fault));
        }
        let (ranges, left) = (&mut self.ranges, &mut self.outcome.left);
        self.plant.as_user(|plant| ranges.look(&plant.base, &plant.point, left));
        if let Some(at) = self.due(step) {
            // What is exactly at a change of a condition is shown on the side on which it is, and
            // what is at a sample but for rounding behind the sample.
            self.postponed = self.boundary.as_ref().is_some_and(|boundary| {
                let near = match self.options.samples {
                    Samples::Every(every) => (boundary.after - at).abs() <= SAME * every,
                    Samples::Steps => boundary.after == at,
                };
                let behind = boundary.after <= at || self.times.is_sample(boundary);
                boundary.before == step.to && near && behind
            });
            if !self.postponed {
                self.show()?;
            }
        }
        Ok(())
    }

    fn act(&mut self) -> Flow {
        self.act_on_found()?;
        if let Some(events) = &self.events
            && std::mem::take(&mut self.freed)
            && events.fix_branches(self.plant)
        {
            self.methods.restart(self.y.len());
            self.accept()?;
        }
        Ok(())
    }

    fn change_coordinates(&mut self) -> Flow {
        self.switch_sequences()?;
        self.switch_partition(None)?;
        if self.options.threshold == Threshold::Never && self.outcome.worst > HOPELESS {
            return Err(singular(self.plant).into());
        }
        or_stop(self.observer.step(self.outcome.t))
    }
}

fn or_stop(flow: ControlFlow<()>) -> Flow {
    if flow.is_break() { Err(Stop::End(End::Stopped)) } else { Ok(()) }
}

/// The fault of a partition that is of no more use.
fn singular(plant: &Plant) -> Fault {
    let names = plant.independent().join(" ");
    Fault::Singular(format!("the position, with {names} independent,"))
}
