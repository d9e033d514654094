//! From the first step to the last: steps, samples between them, events, and another choice of
//! independent coordinates where the present one becomes bad.
//!
//! A step ends where a condition of time changes (`time_condition.rs`), and is cut where an event
//! happens or a law switches (`event.rs`); integration begins anew behind it.
//!
//! A change of choice is tried when the condition of the present one passes the threshold, when a
//! step fails, and when a step has jumped over a singular position of the present choice, where the
//! determinant of `J_v` changes its sign: the errors of such a step are not seen by the method. In
//! the last two cases integration goes on from the last accepted state. A change is made only if it
//! is clearly better, so that choices do not alternate where all are bad.
//!
//! Where all are bad the mechanism itself is singular, as a parallelogram is when it is flat. Its
//! dependent coordinates may be no faster there than elsewhere; the smallest singular value of
//! `J_v` tells. Errors of closing grow with its inverse and those of accelerations faster, while
//! accelerations of all coordinates, which nothing has to be closed for, stay good: such a position
//! is passed with all coordinates as the state.

use crate::event::{Events, Found, Record};
use crate::event_actions::Done;
use crate::explain::{Reason, explain};
use crate::method::{Failure, Integrator, Work};
use crate::methods::fixed::{Fixed, RK4};
use crate::monitor::{Condition, Drift, Jacobian, drift};
use crate::ode::Fault;
use crate::plant::{Effort, Plant};
use crate::quantity::EvaluatedFunction;
use crate::ranges::{Leaving, Ranges};
use crate::switch::{Change, REGULAR, Trigger, change, farthest, is_left};
use crate::time_condition::{Boundary, TimeConditions};
use rotule_formalism::Problem;
use rotule_formalism::constraint::closed::PartitionChoice;
use std::ops::ControlFlow;

pub use crate::switch::Threshold;

/// A choice that must not change is given up beyond this amplification: what follows would be
/// noise.
const HOPELESS: f64 = 1e5;
/// A singular position of the mechanism is passed by steps of one length, in which the smallest
/// singular value changes by this part of its largest: longer steps know less of the constraints
/// between their stages, and the shorter they are, the nearer some come to the position, where
/// rounding grows.
const HOP: f64 = 1e-3;
/// Such steps are between these parts of the longest.
const STEADY: [f64; 2] = [1.0 / 256.0, 1.0 / 16.0];
/// Or this part of the time that is left, where no step was made yet.
const UNKNOWN: f64 = 1e-4;
/// A step is short if it has less than this part of the longest.
const SHORT: f64 = 1e-3;
/// So often a step of one length is halved to find one that would do.
const SHORTER: usize = 10;

/// Integrated and closed coordinates may differ by so many tolerances at the end of a step.
const DEVIATION: f64 = 10.0;

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
    /// When another choice is looked for.
    pub threshold: Threshold,
    /// The longest step of a method that chooses its steps.
    pub max_step: f64,
    /// A run of more steps is given up.
    pub max_steps: u64,
}

/// The most steps of a run by default.
pub const MAX_STEPS: u64 = 100_000_000;

impl RunOptions {
    /// A run to a time that keeps points as said, with steps as long as a method likes.
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

/// A change of the independent coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionSwitch {
    /// When.
    pub t: f64,
    /// The independent coordinates before; none if all coordinates were the state.
    pub from: Vec<String>,
    /// The independent coordinates after.
    pub to: Vec<String>,
    /// The condition before.
    pub before: Condition,
    /// The condition after.
    pub after: Condition,
    /// The failure that made it necessary, if it was one.
    pub failure: Option<String>,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// At the time that was asked for.
    Reached,
    /// Because the observer wished it.
    Stopped,
    /// Because an event of the model wished it, with its name.
    Event(String),
    /// No further step could be made.
    Failed(Failure),
}

/// The outcome of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The reason why it ended.
    pub end: End,
    /// When.
    pub t: f64,
    /// The work of the method.
    pub work: Work,
    /// The cost of evaluations.
    pub effort: Effort,
    /// Changes of independent coordinates.
    pub switches: Vec<PartitionSwitch>,
    /// Changes of the order of elimination alone.
    pub reorders: u64,
    /// The worst condition at any accepted step.
    pub worst: f64,
    /// The smallest singular value of `J_v`, scaled, and when it was.
    pub smallest: Option<(f64, f64)>,
    /// When singular positions of the mechanism were come near to and passed with all coordinates
    /// as the state.
    pub passed: Vec<f64>,
    /// The largest residuals of constraints at accepted steps.
    pub drift: Drift,
    /// Points that were kept.
    pub samples: u64,
    /// The events that happened.
    pub events: Vec<Record>,
    /// Number of times that a step was cut because a law switches there.
    pub law_switches: u64,
    /// The energy that events took out of the motion: when and how much, kinetic and potential.
    pub losses: Vec<(f64, f64)>,
    /// `true` if there are constraints.
    pub constrained: bool,
    /// The reason of a failure, as far as can be told.
    pub reason: Option<Reason>,
    /// Joints that left their ranges.
    pub left: Vec<Leaving>,
    /// Switches of Euler-angle sequences near gimbal lock: when and how.
    pub sequence_switches: Vec<(f64, String)>,
}

impl Outcome {
    /// Takes note of the condition at an accepted step.
    fn inspect(&mut self, condition: Condition, partitioned: bool) {
        if partitioned {
            self.worst = self.worst.max(condition.amplification);
        }
        if self.smallest.is_none_or(|(known, _)| condition.smallest < known) {
            self.smallest = Some((condition.smallest, self.t));
        }
    }
}

/// The watch over constraints.
struct Watch {
    constraints: EvaluatedFunction,
    jacobian: Jacobian,
    /// The partition that tells how near a singular position is, where all coordinates are the
    /// state by the form of the equations.
    reference: Option<PartitionChoice>,
    /// The signs of the determinants of `J_v` at the last accepted point.
    signs: Option<[u64; 2]>,
    /// The condition at the end of the step that was looked at last, and when that is: an accepted
    /// step is not measured twice.
    fresh: Option<(f64, Condition)>,
    /// The last choice, while all coordinates are the state because all choices are bad, and its
    /// smallest singular value then.
    passing: Option<(PartitionChoice, f64)>,
    /// When all coordinates last became the state.
    widened: Option<f64>,
    /// The last condition of a choice, when that was, and how fast its smallest singular value
    /// fell.
    condition: Condition,
    seen: f64,
    approach: f64,
    /// The largest of the smallest singular values so far.
    regular: f64,
    /// The longest step, forgotten slowly, and whether the last one was much shorter.
    longest: f64,
    collapsed: bool,
}

impl Watch {
    /// The watch over a plant as it is now; none if nothing is constrained.
    fn new(plant: &mut Plant) -> Result<Option<Watch>, Problem> {
        if !plant.is_constrained() {
            return Ok(None);
        }
        let mut constraints = EvaluatedFunction::new(&plant.tree, "constraints")?;
        plant.prepare(&mut constraints);
        let jacobian = Jacobian::new(&plant.tree)?;
        Ok(Some(Watch {
            constraints,
            reference: match plant.all() {
                None => None,
                Some(all) => {
                    let spare =
                        (0..jacobian.rows.len()).filter(|row| !all.parts.rows.contains(row));
                    Some(PartitionChoice { spare: spare.collect(), ..PartitionChoice::default() })
                }
            },
            jacobian,
            signs: None,
            fresh: None,
            passing: None,
            widened: None,
            condition: Condition::UNKNOWN,
            seen: 0.0,
            approach: 0.0,
            regular: REGULAR,
            longest: 0.0,
            collapsed: false,
        }))
    }

    /// Takes the numbers of the constraints at the plant's point, and how far they are from being
    /// fulfilled.
    fn measure(&mut self, plant: &mut Plant, outcome: &mut Outcome) {
        if self.fresh.is_none_or(|(t, _)| t != plant.point().t) {
            plant.measure(&mut self.constraints);
            self.jacobian.take(self.constraints.output(1));
            self.fresh = None;
        }
        let (h, e) = (self.constraints.output(0), self.constraints.output(2));
        let now = drift(h, &self.jacobian, e, plant.point());
        outcome.drift.position = outcome.drift.position.max(now.position);
        outcome.drift.velocity = outcome.drift.velocity.max(now.velocity);
    }

    /// Takes note of the length of a step.
    fn stepped(&mut self, length: f64) {
        self.collapsed = length < SHORT * self.longest;
        self.longest = length.max(0.99 * self.longest);
    }

    /// The usual length of steps that pass a singular position; `left` is all the time that is
    /// left.
    fn hop(&self, left: f64) -> f64 {
        if self.longest == 0.0 {
            return UNKNOWN * left;
        }
        let [least, most] = STEADY.map(|part| part * self.longest);
        let hop = HOP * self.regular / self.approach;
        if hop > 0.0 { hop.clamp(least, most) } else { least }
    }

    /// The length of the next of these steps: that which passes the position has it between two of
    /// its stages.
    fn next_hop(&self, hop: f64) -> f64 {
        let away = self.condition.smallest / self.approach;
        match away / hop {
            steps if !(0.0..1.3).contains(&steps) => hop,
            steps if steps > 0.45 => away / 0.75,
            _ => (away / 0.25).max(0.1 * hop),
        }
    }

    /// Returns `true` if the present choice is singular somewhere between the last accepted point
    /// and this one.
    fn crossed(&mut self, plant: &mut Plant, t: f64, y: &[f64]) -> bool {
        let own = if self.passing.is_none() { self.reference.as_ref() } else { None };
        let Some(choice) = plant.choice().or(own).cloned() else { return false };
        if plant.observe(t, y).is_err() {
            return false;
        }
        plant.measure(&mut self.constraints);
        self.jacobian.take(self.constraints.output(1));
        let now = self.jacobian.condition(&choice);
        // A projection would move the point once more.
        self.fresh = self.reference.is_none().then_some((t, now));
        self.signs.is_some_and(|before| before != now.signs)
    }
}

/// Runs a plant from its present point.
pub fn run(
    plant: &mut Plant,
    method: &mut dyn Integrator,
    options: &RunOptions,
    observer: &mut dyn Observer,
) -> Result<Outcome, Problem> {
    let mut outcome = Outcome {
        end: End::Reached,
        t: plant.point().t,
        work: Work::default(),
        effort: Effort::default(),
        switches: Vec::new(),
        reorders: 0,
        worst: 0.0,
        smallest: None,
        passed: Vec::new(),
        drift: Drift::default(),
        samples: 0,
        events: Vec::new(),
        law_switches: 0,
        losses: Vec::new(),
        constrained: plant.is_constrained(),
        reason: None,
        left: Vec::new(),
        sequence_switches: Vec::new(),
    };
    plant.narrow()?;
    let mut y = plant.state();
    let mut watch = Watch::new(plant)?;
    outcome.end = go(plant, method, options, observer, &mut outcome, &mut watch, &mut y)?;
    if let End::Failed(failure) = &outcome.end {
        outcome.reason = reason(plant, method, options, &outcome, watch, &y, failure);
    }
    // Outside of a run, a plant is in the user's angles.
    plant.restore_sequences()?;
    outcome.work.add(method.work());
    outcome.effort = plant.effort;
    Ok(outcome)
}

fn go(
    plant: &mut Plant,
    method: &mut dyn Integrator,
    options: &RunOptions,
    observer: &mut dyn Observer,
    outcome: &mut Outcome,
    watch: &mut Option<Watch>,
    y: &mut Vec<f64>,
) -> Result<End, Problem> {
    let start = outcome.t;
    method.set_longest(options.max_step);
    let mut ranges = Ranges::new(&plant.base, &plant.point().parameters);
    let mut times = TimeConditions::new(plant)?;
    let mut boundary = times.next(start, options.to);
    let mut events = Events::new(plant, &times, options.to - start)?;
    // In gimbal lock itself only another sequence has finite accelerations.
    if switch_sequences(plant, method, outcome, y)? {
        *watch = Watch::new(plant)?;
    }
    if let Err(fault) = plant.accept(start, y) {
        return Ok(End::Failed(Failure::Fault(fault)));
    }
    if let Some(watch) = &mut *watch {
        watched(plant, method, options, watch, outcome, y, None)?;
    }
    if let Some(events) = &mut events
        && events.start_frictions(plant)?
    {
        *y = plant.state();
        *watch = Watch::new(plant)?;
        if let Err(fault) = plant.accept(start, y) {
            return Ok(End::Failed(Failure::Fault(fault)));
        }
    }
    if let Some(events) = &mut events
        && events.settle(plant, &[])
        && let Err(fault) = plant.accept(start, y)
    {
        return Ok(End::Failed(Failure::Fault(fault)));
    }
    outcome.samples += 1;
    if plant.as_user(|plant| observer.sample(plant)).is_break() {
        return Ok(End::Stopped);
    }
    let mut between = y.clone();
    let mut old = y.clone();
    let mut deviation = y.clone();
    let chosen = method;
    let (mut steady, mut hop): (Option<Fixed>, f64) = (None, 0.0);
    // The first step knows nothing of how long steps may be.
    let mut longest = times.shortest(start, options.to).map_or(f64::INFINITY, |gap| 0.1 * gap);
    let (mut steps, mut postponed, mut freed) = (0_u64, false, false);
    while outcome.t < options.to {
        // Conditions of time change between two steps.
        if let Some(change) = boundary.take_if(|change| change.before <= outcome.t) {
            outcome.t = change.after;
            boundary = times.next(outcome.t, options.to);
            chosen.restart(y.len());
            if let Err(fault) = plant.accept(outcome.t, y) {
                return Ok(End::Failed(Failure::Fault(fault)));
            }
            if let Some(events) = &mut events {
                let found = Found { t: outcome.t, fired: change.events };
                let end =
                    happen(plant, chosen, options, observer, outcome, watch, y, events, &found);
                if let Some(end) = end? {
                    return Ok(end);
                }
            }
            between.clone_from(y);
            if std::mem::take(&mut postponed) {
                outcome.samples += 1;
                if plant.as_user(|plant| observer.sample(plant)).is_break() {
                    return Ok(End::Stopped);
                }
            }
            continue;
        }
        steps += 1;
        if steps > options.max_steps {
            return Ok(End::Failed(Failure::Fault(Fault::TooManySteps(options.max_steps))));
        }
        // Near a singular position of the mechanism errors are rounding, and steps that they choose
        // come to nothing.
        match (
            &steady,
            watch.as_ref().filter(|watch| watch.passing.is_some() && chosen.chooses_steps()),
        ) {
            (None, Some(watch)) => {
                hop = watch.hop(options.to - outcome.t);
                steady = Some(Fixed::new(&RK4, watch.next_hop(hop), y.len()));
            }
            (Some(_), Some(watch)) => {
                steady = steady.map(|own| own.with_length(watch.next_hop(hop)));
            }
            (Some(own), None) => {
                outcome.work.add(own.work());
                steady = None;
                chosen.restart(y.len());
            }
            _ => {}
        }
        let method: &mut dyn Integrator = match &mut steady {
            Some(own) => own,
            None => &mut *chosen,
        };
        let mut t = outcome.t;
        old.clone_from(y);
        deviation.resize(y.len(), 0.0);
        let mut to = boundary.as_ref().map_or(options.to, |change| change.before);
        if method.chooses_steps() {
            to = plant.step_end(to).min(t + options.max_step.min(longest));
        }
        if let Err(failure) = method.step(plant, &mut t, y, to) {
            // A branch of a law may have no value beyond the place where the law leaves it.
            if let Some(events) = &events
                && events.free_branches(plant)
            {
                freed = true;
                method.restart(y.len());
                continue;
            }
            // The last accepted point again: what was tried since is of no use.
            let there = plant.observe(outcome.t, y).is_ok();
            let changed = match &mut *watch {
                Some(watch) if there && options.threshold != Threshold::Never => watched(
                    plant,
                    method,
                    options,
                    watch,
                    outcome,
                    y,
                    Some((&failure, Trigger::Failed)),
                )?,
                _ => false,
            };
            if changed {
                between.clone_from(y);
                continue;
            }
            return Ok(End::Failed(failure));
        }
        // What integration and closing give must agree, or the step was made along something else.
        if plant.observe(t, y).is_ok() {
            plant.deviation(y, &mut deviation);
            let deviates = method.measure(&deviation, &old, y);
            if deviates.is_some_and(|size| size > DEVIATION) {
                y.copy_from_slice(&old);
                method.take_back();
                continue;
            }
        }
        if let Some(watch) = &mut *watch
            && watch.crossed(plant, t, y)
        {
            let failure = Failure::Fault(singular(plant));
            if options.threshold == Threshold::Never {
                return Ok(End::Failed(failure));
            }
            let new = std::mem::replace(y, old.clone());
            let there = plant.observe(outcome.t, y).is_ok();
            let shorter = method.chooses_steps();
            let trigger = if shorter { Trigger::CrossedFar } else { Trigger::Crossed };
            let crossed = Some((&failure, trigger));
            if there && watched(plant, method, options, watch, outcome, y, crossed)? {
                between.clone_from(y);
                continue;
            }
            if shorter && watch.widened != Some(outcome.t) {
                method.take_back();
                continue;
            }
            // All choices are bad here, and nothing else is at hand: what was reached is as good as
            // can be.
            *y = new;
        }
        let mut found = None;
        if let Some(events) = &mut events {
            found = match events.find(plant, method, (outcome.t, t), y) {
                Ok(found) => found,
                Err(fault) => return Ok(End::Failed(Failure::Fault(fault))),
            };
            // The rest of the step never was.
            if let Some(found) = &found
                && found.t < t
            {
                method.between(found.t, y);
                t = found.t;
            }
        }
        longest = f64::INFINITY;
        let from = std::mem::replace(&mut outcome.t, t);
        if let Some(watch) = &mut *watch {
            watch.stepped(t - from);
        }
        if let Samples::Every(every) = options.samples {
            // Counted, so that sums of rounding errors do not shift samples.
            let mut number = ((from - start) / every).floor() as u64 + 1;
            loop {
                let at = start + number as f64 * every;
                if at >= t - 1e-9 * every {
                    break;
                }
                number += 1;
                if at <= from + 1e-9 * every {
                    continue;
                }
                method.between(at, &mut between);
                plant.normalise(&mut between);
                let there = plant.observe(at, &between).map(|_| ());
                if let Err(fault) = there.and_then(|()| plant.project(at, &mut between)) {
                    outcome.t = from;
                    y.clone_from(&old);
                    return Ok(End::Failed(Failure::Fault(fault)));
                }
                if let (Some(watch), true) = (&mut *watch, plant.all().is_some()) {
                    watch.measure(plant, outcome);
                }
                outcome.samples += 1;
                if plant.as_user(|plant| observer.sample(plant)).is_break() {
                    return Ok(End::Stopped);
                }
            }
        }
        if let Err(fault) = plant.accept(t, y) {
            // The last accepted state is the one before.
            outcome.t = from;
            y.clone_from(&old);
            return Ok(End::Failed(Failure::Fault(fault)));
        }
        plant.as_user(|plant| ranges.look(&plant.base, &plant.point, &mut outcome.left));
        if let Some(at) = due(options, start, from, t) {
            // What is exactly at a change of a condition is shown on the side on which it is.
            postponed = boundary.as_ref().is_some_and(|change: &Boundary| {
                change.before == t && change.after == at && at < options.to
            });
            if !postponed {
                outcome.samples += 1;
                if plant.as_user(|plant| observer.sample(plant)).is_break() {
                    return Ok(End::Stopped);
                }
            }
        }
        if let (Some(events), Some(found)) = (&mut events, found) {
            let end = happen(plant, method, options, observer, outcome, watch, y, events, &found);
            if let Some(end) = end? {
                return Ok(end);
            }
            between.clone_from(y);
        }
        if let Some(events) = &events
            && std::mem::take(&mut freed)
            && events.fix_branches(plant)
        {
            method.restart(y.len());
            if let Err(fault) = plant.accept(t, y) {
                return Ok(End::Failed(Failure::Fault(fault)));
            }
        }
        if switch_sequences(plant, method, outcome, y)? {
            *watch = Watch::new(plant)?;
            between.clone_from(y);
        }
        if let Some(watch) = &mut *watch
            && watched(plant, method, options, watch, outcome, y, None)?
        {
            between.clone_from(y);
        }
        if options.threshold == Threshold::Never && outcome.worst > HOPELESS {
            return Ok(End::Failed(Failure::Fault(singular(plant))));
        }
        if observer.step(t).is_break() {
            return Ok(End::Stopped);
        }
    }
    Ok(End::Reached)
}

/// Lets events act at the accepted point, and begins anew behind it; the end of the run, if that is
/// one.
#[allow(clippy::too_many_arguments)]
fn happen(
    plant: &mut Plant,
    method: &mut dyn Integrator,
    options: &RunOptions,
    observer: &mut dyn Observer,
    outcome: &mut Outcome,
    watch: &mut Option<Watch>,
    y: &mut Vec<f64>,
    events: &mut Events,
    found: &Found,
) -> Result<Option<End>, Problem> {
    let failed = |fault: Fault| Ok(Some(End::Failed(Failure::Fault(fault))));
    let t = outcome.t;
    outcome.law_switches += events.law_switches(found);
    let mut done = Done::default();
    let energies = if events.may_change_energy(found) { Some(plant.energies()?) } else { None };
    if events.is_event(found) {
        done = match events.apply(plant, found, &mut outcome.events)? {
            Ok(done) => done,
            Err(fault) => return failed(fault),
        };
        *y = plant.state();
    }
    method.restart(y.len());
    if let Some(watch) = &mut *watch {
        watch.fresh = None;
    }
    if switch_sequences(plant, method, outcome, y)? || done.held {
        *watch = Watch::new(plant)?;
    }
    if let Err(fault) = plant.accept(t, y) {
        return failed(fault);
    }
    if let Some(energies) = energies {
        outcome.losses.extend(plant.lose(energies)?.map(|loss| (t, loss)));
    }
    if events.settle(plant, &found.fired)
        && let Err(fault) = plant.accept(t, y)
    {
        return failed(fault);
    }
    if events.is_event(found) && options.samples == Samples::Steps {
        outcome.samples += 1;
        if plant.as_user(|plant| observer.sample(plant)).is_break() {
            return Ok(Some(End::Stopped));
        }
    }
    if done.end {
        let name = outcome.events.last().map_or(String::new(), |last| last.name.clone());
        return Ok(Some(End::Event(name)));
    }
    Ok(None)
}

/// Why no further step can be made from the last accepted state.
fn reason(
    plant: &mut Plant,
    method: &mut dyn Integrator,
    options: &RunOptions,
    outcome: &Outcome,
    watch: Option<Watch>,
    y: &[f64],
    failure: &Failure,
) -> Option<Reason> {
    let followed = |failure: &Failure| {
        matches!(failure, Failure::Fault(Fault::NotClosed(_) | Fault::NotFollowed(_)))
    };
    let mut would_do = None;
    if let (true, Some(watch)) = (followed(failure) && !method.chooses_steps(), &watch) {
        let mut step = watch.longest.min(options.to - outcome.t);
        for _ in 0..SHORTER {
            step *= 0.5;
            method.restart(y.len());
            let (mut t, mut reached) = (outcome.t, y.to_vec());
            let there = plant.observe(t, y).is_ok();
            if there && method.step(plant, &mut t, &mut reached, outcome.t + step).is_ok() {
                would_do = Some(step);
                break;
            }
        }
    }
    let there = plant.observe(outcome.t, y).is_ok();
    let watch = watch.map(|mut watch| {
        if there {
            plant.measure(&mut watch.constraints);
            watch.jacobian.take(watch.constraints.output(1));
        }
        watch
    });
    let choice = plant.choice().cloned();
    let loops = watch.as_ref().and_then(|watch| {
        let last = watch.passing.as_ref().map(|passing| &passing.0);
        Some((&watch.jacobian, choice.as_ref().or(last)?, watch.regular))
    });
    explain(plant, loops, failure, would_do, options.threshold == Threshold::Never)
}

/// Switches Euler-angle sequences near gimbal lock; true if it was done.
fn switch_sequences(
    plant: &mut Plant,
    method: &mut dyn Integrator,
    outcome: &mut Outcome,
    y: &mut Vec<f64>,
) -> Result<bool, Problem> {
    let Some(said) = plant.switch_sequences()? else { return Ok(false) };
    // An event may need the user's sequence for a moment.
    if outcome.sequence_switches.last().is_none_or(|(_, last)| *last != said) {
        outcome.sequence_switches.push((outcome.t, said));
    }
    *y = plant.state();
    method.restart(y.len());
    let accepted = plant.accept(outcome.t, y);
    accepted.map_err(|fault| {
        Problem::new(format!("after a switch of the Euler-angle sequence {fault}"), "")
    })?;
    Ok(true)
}

/// The present choice has no future.
fn singular(plant: &Plant) -> Fault {
    let names = plant.independent().join(" ");
    Fault::Singular(format!("the position, with {names} independent,"))
}

/// The time of the point that is to be kept at the end of a step, if one is.
fn due(options: &RunOptions, start: f64, from: f64, t: f64) -> Option<f64> {
    match options.samples {
        Samples::Steps => Some(t),
        Samples::Every(every) => {
            let number = ((t - start) / every).round();
            let at = start + number * every;
            let here = (t - at).abs() <= 1e-9 * every && at > from + 1e-9 * every;
            (t >= options.to || here).then_some(if here { at } else { t })
        }
    }
}

/// Looks at the constraints in the accepted point; true if another choice was taken.
fn watched(
    plant: &mut Plant,
    method: &mut dyn Integrator,
    options: &RunOptions,
    watch: &mut Watch,
    outcome: &mut Outcome,
    y: &mut Vec<f64>,
    failure: Option<(&Failure, Trigger)>,
) -> Result<bool, Problem> {
    let quiet = if watch.collapsed { Trigger::Collapsed } else { Trigger::Accepted };
    let trigger = failure.map_or(quiet, |(_, trigger)| trigger);
    watch.measure(plant, outcome);
    if let (None, Some(reference)) = (&watch.passing, &watch.reference)
        && let Some((_, found)) = farthest(&watch.jacobian, reference)
    {
        watch.reference = Some(found);
    }
    let known = watch.reference.as_ref().filter(|known| !known.speeds.blocks.is_empty());
    let choice = plant.choice().or(known).cloned();
    let best = watch.passing.as_ref().and_then(|(last, _)| farthest(&watch.jacobian, last));
    let fresh = watch.fresh.take();
    let now = match (&best, &choice, fresh) {
        (Some((condition, _)), ..) => *condition,
        (None, Some(_), Some((_, condition))) => condition,
        (None, Some(choice), None) => watch.jacobian.condition(choice),
        (None, None, _) => Condition::UNKNOWN,
    };
    let (before, t) = (watch.condition.smallest, std::mem::replace(&mut watch.seen, outcome.t));
    if outcome.t > t && before.is_finite() {
        watch.approach = (before - now.smallest) / (outcome.t - t);
    }
    watch.condition = now;
    if let (None, Some(_)) = (&watch.passing, &choice) {
        watch.signs = Some(now.signs);
        watch.regular = watch.regular.max(now.smallest);
        outcome.inspect(now, watch.reference.is_none());
    }
    let Threshold::At(threshold) = options.threshold else { return Ok(false) };
    let jacobian = &watch.jacobian;
    let found = match (&watch.passing, &choice) {
        (Some((last, entered)), _) => best
            .filter(|best| is_left(best.0, (2.0 * entered).min(0.5 * watch.regular)))
            .map(|(after, to)| Change {
                before: jacobian.condition(last),
                after,
                to: Some(to),
                same: false,
            }),
        (None, None) => None,
        (None, Some(choice)) => {
            change(jacobian, choice, watch.condition, watch.regular, threshold, trigger)
        }
    };
    // Once at a time: what does not help is not tried again.
    let found = found.filter(|found| found.to.is_some() || watch.widened != Some(outcome.t));
    let Some(Change { before, after, to, same }) = found else { return Ok(false) };
    if watch.reference.is_some() {
        // All coordinates stay the state; it is how steps are chosen that changes.
        let passes = to.is_none();
        if passes == watch.passing.is_some() {
            return Ok(false);
        }
        if passes {
            outcome.passed.push(outcome.t);
        }
        watch.passing = if passes { choice.map(|last| (last, before.smallest)) } else { None };
        (watch.signs, watch.widened) = (None, Some(outcome.t));
        method.restart(y.len());
        return Ok(true);
    }
    let (from, passed) = (plant.independent(), watch.passing.is_some());
    let (left, passing) = (y.clone(), watch.passing.clone());
    match to {
        Some(choice) => {
            plant.choose(choice)?;
            watch.signs = Some(after.signs);
            watch.passing = None;
        }
        None => {
            if plant.widen().is_err() {
                return Ok(false);
            }
            outcome.passed.push(outcome.t);
            watch.passing = choice.clone().map(|last| (last, before.smallest));
            (watch.signs, watch.widened) = (None, Some(outcome.t));
        }
    }
    if same {
        outcome.reorders += 1;
    } else {
        let (t, to) = (outcome.t, plant.independent());
        let [from, to] = [(from, passed), (to, watch.passing.is_some())]
            .map(|(names, all)| if all { Vec::new() } else { names });
        let failure = failure.map(|(failure, _)| failure.to_string());
        outcome.switches.push(PartitionSwitch { t, from, to, before, after, failure });
        *y = plant.state();
    }
    method.restart(y.len());
    let accepted = plant.accept(outcome.t, y);
    if accepted.is_ok() {
        return Ok(true);
    }
    // Loops cannot be closed with it, as at the end of a drive's reach: what was before goes on, or
    // fails and is explained.
    match (&passing, choice) {
        (None, Some(previous)) => plant.choose(previous)?,
        _ => plant.widen()?,
    }
    (*y, watch.passing, watch.widened) = (left, passing, Some(outcome.t));
    if !same {
        outcome.switches.pop();
    }
    method.restart(y.len());
    let t = outcome.t;
    plant.accept(t, y).map_err(|fault| {
        Problem::new(
            format!("the state at t = {t} was accepted and no longer is: {fault}"),
            "start from another position, or keep constraints by projection",
        )
    })?;
    Ok(false)
}
