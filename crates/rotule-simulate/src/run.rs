//! From the first step to the last: steps, samples between them, and another choice of independent coordinates where the
//! present one becomes bad.
//!
//! A change of choice is tried when the condition of the present one passes the threshold, when a step fails, and when a
//! step has jumped over a singular position of the present choice, where the determinant of `J_v` changes its sign: the
//! errors of such a step are not seen by the method. In the last two cases integration goes on from the last
//! accepted state. A change is made only if it is clearly better, so that choices do not alternate where all are bad.

use crate::event::{Events, Record};
use crate::method::{Failure, Method, Work};
use crate::monitor::{Condition, Drift, Jacobian, drift};
use crate::ode::Fault;
use crate::plant::{Effort, Plant};
use crate::quantity::Quantity;
use rotule_formalism::Problem;
use rotule_formalism::constraint::closed::Choice;
use rotule_formalism::constraint::partition::Partition;
use std::ops::ControlFlow;

/// When another choice of independent coordinates is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// When the amplification passes a number.
    At(f64),
    /// Never: a run whose choice fails ends.
    Never,
}

impl Threshold {
    /// One that serves all models: a dependent coordinate moves this much faster than an independent one, both measured
    /// in lengths of the mechanism.
    pub const AUTOMATIC: Threshold = Threshold::At(10.0);
}

/// Pivots of a program that are this much smaller than what they divide call for another order.
const GROWTH: f64 = 1e4;
/// A choice that must not change is given up beyond this amplification: what follows would be noise.
const HOPELESS: f64 = 1e5;
/// How much better another choice must be.
const BETTER: f64 = 2.0;

/// When points of the motion are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Samples {
    /// At equal distances in time.
    Every(f64),
    /// After each step.
    Steps,
}

/// What a run is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// When it ends.
    pub to: f64,
    /// Which points are kept.
    pub samples: Samples,
    /// When another choice is looked for.
    pub threshold: Threshold,
}

/// Who watches a run.
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
pub struct Switch {
    /// When.
    pub t: f64,
    /// The independent coordinates before.
    pub from: Vec<String>,
    /// And after.
    pub to: Vec<String>,
    /// The condition before.
    pub before: Condition,
    /// And after.
    pub after: Condition,
    /// The failure that made it necessary, if it was one.
    pub failure: Option<String>,
}

/// How a run ended.
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

/// What is known of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// When.
    pub t: f64,
    /// What the method did.
    pub work: Work,
    /// What evaluations cost.
    pub effort: Effort,
    /// Changes of independent coordinates.
    pub switches: Vec<Switch>,
    /// Changes of the order of elimination alone.
    pub reorders: u64,
    /// The worst condition at any accepted step.
    pub worst: f64,
    /// The largest residuals of constraints at accepted steps.
    pub drift: Drift,
    /// Points that were kept.
    pub samples: u64,
    /// What happened in events.
    pub events: Vec<Record>,
    /// Whether there are constraints.
    pub constrained: bool,
    /// The law that a failure goes back to, if it can be named.
    pub cause: Option<String>,
    /// Switches of Euler-angle sequences near gimbal lock: when and how.
    pub sequence_switches: Vec<(f64, String)>,
}

/// The watch over constraints.
struct Watch {
    constraints: Quantity,
    jacobian: Jacobian,
    /// The sign of the determinant of `J_v` at the last accepted point.
    positive: Option<bool>,
}

impl Watch {
    /// The watch over a plant as it is now; none if nothing is constrained.
    fn new(plant: &mut Plant) -> Result<Option<Watch>, Problem> {
        if !plant.is_constrained() {
            return Ok(None);
        }
        let mut constraints = Quantity::new(&plant.tree, "constraints")?;
        plant.prepare(&mut constraints);
        let jacobian = Jacobian::new(&plant.tree, &constraints.program().outputs()[1]);
        Ok(Some(Watch { constraints, jacobian, positive: None }))
    }

    /// Whether the present choice is singular somewhere between the last accepted point and this one.
    fn crossed(&mut self, plant: &mut Plant, t: f64, y: &[f64]) -> bool {
        let Some(choice) = plant.choice().cloned() else { return false };
        if plant.observe(t, y).is_err() {
            return false;
        }
        plant.measure(&mut self.constraints);
        self.jacobian.take(self.constraints.output(1));
        let positive = self.jacobian.condition(&choice.speeds).positive;
        self.positive.is_some_and(|before| before != positive)
    }
}

/// Runs a plant from its present point.
pub fn run(
    plant: &mut Plant,
    method: &mut dyn Method,
    options: &Options,
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
        drift: Drift::default(),
        samples: 0,
        events: Vec::new(),
        constrained: plant.is_constrained(),
        cause: None,
        sequence_switches: Vec::new(),
    };
    let mut y = plant.state();
    outcome.end = go(plant, method, options, observer, &mut outcome, &mut y)?;
    if let End::Failed(failure) = &outcome.end
        && failure.is_not_finite()
    {
        outcome.cause = plant.culprit();
    }
    if matches!(outcome.end, End::Failed(_)) {
        outcome.cause = outcome.cause.or_else(|| plant.gimbal_lock());
    }
    // Outside of a run, a plant is in the user's angles.
    plant.restore_sequences()?;
    outcome.work = method.work();
    outcome.effort = plant.effort;
    Ok(outcome)
}

fn go(
    plant: &mut Plant,
    method: &mut dyn Method,
    options: &Options,
    observer: &mut dyn Observer,
    outcome: &mut Outcome,
    y: &mut Vec<f64>,
) -> Result<End, Problem> {
    let start = outcome.t;
    let mut watch = Watch::new(plant)?;
    let mut events = Events::new(plant)?;
    // In gimbal lock itself only another sequence has finite accelerations.
    if switch_sequences(plant, method, outcome, y)? {
        watch = Watch::new(plant)?;
    }
    if let Err(fault) = plant.accept(start, y) {
        return Ok(End::Failed(Failure::Fault(fault)));
    }
    if let Some(watch) = &mut watch {
        watched(plant, method, options, watch, outcome, y, None)?;
    }
    if let Some(events) = &mut events {
        events.settle(plant, &[], options.to - start);
    }
    outcome.samples += 1;
    if plant.as_user(|plant| observer.sample(plant)).is_break() {
        return Ok(End::Stopped);
    }
    let mut between = y.clone();
    let mut old = y.clone();
    while outcome.t < options.to {
        let mut t = outcome.t;
        old.clone_from(y);
        let to = if method.chooses_steps() { plant.step_end(options.to) } else { options.to };
        if let Err(failure) = method.step(plant, &mut t, y, to) {
            // The last accepted point again: what was tried since is of no use.
            let there = plant.observe(outcome.t, y).is_ok();
            let changed = match &mut watch {
                Some(watch) if there && options.threshold != Threshold::Never => {
                    watched(plant, method, options, watch, outcome, y, Some(&failure))?
                }
                _ => false,
            };
            if changed {
                between.clone_from(y);
                continue;
            }
            return Ok(End::Failed(failure));
        }
        if let Some(watch) = &mut watch
            && watch.crossed(plant, t, y)
        {
            let failure = Failure::Fault(singular(plant));
            if options.threshold == Threshold::Never {
                return Ok(End::Failed(failure));
            }
            let new = std::mem::replace(y, old.clone());
            let there = plant.observe(outcome.t, y).is_ok();
            if there && watched(plant, method, options, watch, outcome, y, Some(&failure))? {
                between.clone_from(y);
                continue;
            }
            // All choices are bad here: what was reached is as good as can be.
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
        let from = std::mem::replace(&mut outcome.t, t);
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
                if let Err(fault) = plant.observe(at, &between) {
                    return Ok(End::Failed(Failure::Fault(fault)));
                }
                outcome.samples += 1;
                if plant.as_user(|plant| observer.sample(plant)).is_break() {
                    return Ok(End::Stopped);
                }
            }
        }
        if let Err(fault) = plant.accept(t, y) {
            return Ok(End::Failed(Failure::Fault(fault)));
        }
        if due(options, start, from, t) {
            outcome.samples += 1;
            if plant.as_user(|plant| observer.sample(plant)).is_break() {
                return Ok(End::Stopped);
            }
        }
        if let (Some(events), Some(found)) = (&mut events, found) {
            let done = events.apply(plant, &found, options.to - start, &mut outcome.events)?;
            let done = match done {
                Ok(done) => done,
                Err(fault) => return Ok(End::Failed(Failure::Fault(fault))),
            };
            *y = plant.state();
            method.restart();
            if switch_sequences(plant, method, outcome, y)? || done.held {
                watch = Watch::new(plant)?;
            }
            if let Err(fault) = plant.accept(t, y) {
                return Ok(End::Failed(Failure::Fault(fault)));
            }
            events.settle(plant, found.fired(), options.to - start);
            if options.samples == Samples::Steps {
                outcome.samples += 1;
                if plant.as_user(|plant| observer.sample(plant)).is_break() {
                    return Ok(End::Stopped);
                }
            }
            if done.end {
                let name = outcome.events.last().map_or(String::new(), |last| last.name.clone());
                return Ok(End::Event(name));
            }
            between.clone_from(y);
        }
        if switch_sequences(plant, method, outcome, y)? {
            watch = Watch::new(plant)?;
            between.clone_from(y);
        }
        if let Some(watch) = &mut watch
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

/// Switches Euler-angle sequences near gimbal lock; true if it was done.
fn switch_sequences(
    plant: &mut Plant,
    method: &mut dyn Method,
    outcome: &mut Outcome,
    y: &mut Vec<f64>,
) -> Result<bool, Problem> {
    let Some(said) = plant.switch_sequences()? else { return Ok(false) };
    // An event may need the user's sequence for a moment.
    if outcome.sequence_switches.last().is_none_or(|(_, last)| *last != said) {
        outcome.sequence_switches.push((outcome.t, said));
    }
    *y = plant.state();
    method.restart();
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

/// Whether the end of a step is a point to keep.
fn due(options: &Options, start: f64, from: f64, t: f64) -> bool {
    match options.samples {
        Samples::Steps => true,
        Samples::Every(every) => {
            let number = ((t - start) / every).round();
            let at = start + number * every;
            t >= options.to || ((t - at).abs() <= 1e-9 * every && at > from + 1e-9 * every)
        }
    }
}

/// Looks at the constraints in the accepted point; true if another choice was taken.
fn watched(
    plant: &mut Plant,
    method: &mut dyn Method,
    options: &Options,
    watch: &mut Watch,
    outcome: &mut Outcome,
    y: &mut Vec<f64>,
    failure: Option<&Failure>,
) -> Result<bool, Problem> {
    plant.measure(&mut watch.constraints);
    let constraints = &watch.constraints;
    watch.jacobian.take(constraints.output(1));
    let (h, e) = (constraints.output(0), constraints.output(2));
    let now = drift(h, &watch.jacobian, e, plant.point());
    outcome.drift.position = outcome.drift.position.max(now.position);
    outcome.drift.velocity = outcome.drift.velocity.max(now.velocity);
    let Some(choice) = plant.choice().cloned() else { return Ok(false) };
    let before = watch.jacobian.condition(&choice.speeds);
    watch.positive = Some(before.positive);
    outcome.worst = outcome.worst.max(before.amplification);
    let Threshold::At(threshold) = options.threshold else { return Ok(false) };
    let found = proposal(&watch.jacobian, &choice, before, threshold, failure.is_some());
    let Some((after, found, same)) = found else { return Ok(false) };
    watch.positive = Some(after.positive);
    let from = plant.independent();
    plant.choose(found)?;
    if same {
        outcome.reorders += 1;
    } else {
        let (t, to) = (outcome.t, plant.independent());
        let failure = failure.map(ToString::to_string);
        outcome.switches.push(Switch { t, from, to, before, after, failure });
        *y = plant.state();
    }
    method.restart();
    let accepted = plant.accept(outcome.t, y);
    accepted.map_err(|fault: Fault| {
        Problem::new(format!("after a change of independent coordinates {fault}"), "")
    })?;
    Ok(true)
}

/// A choice that is clearly better here than the present one, if that is bad or has failed; and whether only its order differs.
pub(crate) fn proposal(
    jacobian: &Jacobian,
    choice: &Choice,
    before: Condition,
    threshold: f64,
    failed: bool,
) -> Option<(Condition, Choice, bool)> {
    let bad = before.amplification > threshold || before.growth > GROWTH;
    // Rows of speeds alone have a choice of their own, which stays.
    if (!bad && !failed) || choice.coordinates != choice.speeds {
        return None;
    }
    let limit = before.amplification.min(threshold.max(1.0)) / BETTER;
    let mut best: Option<(Condition, Choice)> = None;
    for candidate in jacobian.choices(choice) {
        let condition = jacobian.condition(&candidate.speeds);
        let sound = condition.growth < GROWTH;
        // The first that is good enough is the cheapest; else the best of all.
        let good = |condition: Condition| condition.amplification <= limit;
        let wins = match &best {
            None => true,
            Some((known, _)) => !good(*known) && condition.amplification < known.amplification,
        };
        if sound && wins {
            best = Some((condition, candidate));
        }
    }
    let (after, found) = best?;
    let same = sorted(&found.speeds) == sorted(&choice.speeds);
    let better = match same {
        true => after.growth * BETTER < before.growth && found != *choice,
        false => after.amplification * BETTER < before.amplification,
    };
    better.then_some((after, found, same))
}

fn sorted(partition: &Partition) -> Vec<usize> {
    let mut columns: Vec<usize> = partition.dependent().collect();
    columns.sort_unstable();
    columns
}
