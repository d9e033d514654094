//! Actions of events on the motion, at the point where they happen.
//!
//! Events of one moment act one after the other, in the order of the file, each on what the ones
//! before left. If that moves the condition of another event through zero, this one happens, too,
//! once.

use crate::event::{Events, Found, Record, Resting, inside, sign};
use crate::friction::Friction;
use crate::impact::{capture, impulse};
use crate::ode::Fault;
use crate::outputs;
use crate::plant::{CoordinateChange, Plant};
use rotule_formalism::Problem;
use rotule_model::mechanism::{Action, Event, EventTarget};

/// A rebound that is slower than this part of the fastest impact is none.
const REST: f64 = 1e-5;
/// The most events that may follow each other closely.
const MOST: u32 = 1000;
/// Events this part of the run's length apart follow each other closely.
const CLOSE: f64 = 1e-9;

/// A speed below this part of the largest is none.
const STILL: f64 = 1e-9;
/// An intermittent constraint is closed if its residuals are at most this, in SI units.
pub(crate) const GAP: f64 = 1e-5;
/// So often events of one moment may make others happen.
const ROUNDS: usize = 100;
/// A condition that changes by less than this part of itself was not moved.
const ROUNDING: f64 = 1e-9;

/// The effects of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Done {
    /// `true` if the run ends.
    pub end: bool,
    /// `true` if other joints are locked now, or other Euler-angle sequences describe gimbals.
    pub held: bool,
}

/// Refuses events that set what follows from something else, because that would have no effect.
pub(crate) fn check_targets(plant: &Plant) -> Result<(), Problem> {
    for event in &plant.base.events {
        for action in &event.actions {
            let Action::Set { target, .. } = *action else { continue };
            // A joint that is held now may be freed by then.
            let held = joint_of(plant, target).is_some_and(|joint| plant.held().contains(&joint));
            if !held && !plant.is_settable(target) {
                return Err(Problem::new(
                    without_effect(plant, &event.name, target),
                    "set an independent coordinate, or choose it with --independent; `impact` changes speeds consistently with all constraints",
                ));
            }
        }
    }
    Ok(())
}

impl Events {
    /// Does what events do at the plant's accepted point.
    pub fn apply(
        &mut self,
        plant: &mut Plant,
        found: &Found,
        records: &mut Vec<Record>,
    ) -> Result<Result<Done, Fault>, Problem> {
        let t = found.t;
        let count = self.list.len();
        if let Some(fault) = self.follows_too_closely(found) {
            return Ok(Err(fault));
        }
        // Where conditions are before anything is done.
        for (side, value) in self.values(plant).into_iter().enumerate().take(count) {
            if value != 0.0 && !self.list[side].stop {
                self.sides[side] = sign(value);
            }
        }
        let mut done = Done::default();
        let mut held: Vec<usize> = plant.held().to_vec();
        let gone = found.fired.iter().filter_map(|at| at.checked_sub(self.first_resting()));
        let gone: Vec<usize> = gone.map(|at| self.resting[at].joint).collect();
        self.let_go(plant, &gone, records)?;
        held.retain(|joint| !gone.contains(joint));
        let mut next: Vec<usize> = found.fired.iter().copied().filter(|at| *at < count).collect();
        let mut left = self.values(plant);
        let mut rounds = 0;
        while !next.is_empty() || held != plant.held() {
            for &at in &next {
                if let Err(fault) = self.act(plant, t, at, &mut held, &mut done, records)? {
                    return Ok(Err(fault));
                }
                // Where an event has left its own condition, others may move it from.
                left[at] = self.values(plant)[at];
                self.sides[at] = if self.list[at].stop { self.sides[at] } else { sign(left[at]) };
            }
            held.sort_unstable();
            if held != plant.held() {
                self.hold(plant, held.clone(), records)?;
                held = plant.held().to_vec();
                done.held = true;
            }
            // Another condition may have been moved through zero.
            let values = self.values(plant);
            let fires = |at: &usize| {
                let (before, after) = (left[*at], values[*at]);
                let moved = (after - before).abs() > ROUNDING * (before.abs() + after.abs());
                moved && self.fires(*at, self.sides[*at], after)
            };
            next = (0..count).filter(fires).collect();
            rounds += 1;
            if let (true, Some(&at)) = (rounds > ROUNDS, next.first()) {
                return Ok(Err(Fault::Endless(without_end(&self.list[at].name))));
            }
        }
        Ok(Ok(done))
    }

    /// The fault of events that happen again and again without time in between.
    fn follows_too_closely(&mut self, found: &Found) -> Option<Fault> {
        let t = found.t;
        let close = t - self.last.0 <= CLOSE * self.run;
        // The same once more, without any time in between, has no end.
        let at_once = t - self.last.0 <= 8.0 * f64::EPSILON * t.abs();
        let mut together = found.fired.clone();
        let own = |event: &Event| !event.stop && event.period.is_none();
        together.retain(|&at| self.list.get(at).is_some_and(own));
        if found.fired.iter().all(|&at| self.list.get(at).is_some_and(|one| one.period.is_some())) {
            // Samples have time in between.
            return None;
        }
        let again = at_once && together.iter().any(|at| self.together.contains(at));
        self.together = together;
        self.last = (t, if close { self.last.1 + 1 } else { 0 });
        if self.last.1 <= MOST && !again {
            return None;
        }
        let name = found.fired.first().and_then(|&at| self.list.get(at));
        Some(Fault::Endless(without_end(name.map_or("an event", |event| event.name.as_str()))))
    }

    /// Does what one event does, on what holds now.
    fn act(
        &mut self,
        plant: &mut Plant,
        t: f64,
        at: usize,
        held: &mut Vec<usize>,
        done: &mut Done,
        records: &mut Vec<Record>,
    ) -> Result<Result<(), Fault>, Problem> {
        let numbers = self.numbers(plant);
        let event = self.list[at].clone();
        let mut words = Vec::new();
        // An event that engages what holds already, or releases what does not, is no news.
        let constrains = |action: &Action| matches!(action, Action::Engage(_) | Action::Release(_));
        let mut idle = !event.actions.is_empty() && event.actions.iter().all(constrains);
        let mut number = self.first_number(at);
        for action in &event.actions {
            match *action {
                Action::Set { target, .. } => {
                    let value = numbers[number];
                    number += 1;
                    if !matches!(target, EventTarget::State(_)) {
                        done.held |= plant.restore_sequences()?;
                    }
                    if !plant.is_settable(target) {
                        let what = without_effect(plant, &event.name, target);
                        return Ok(Err(Fault::NoEffect(what)));
                    }
                    words.push(format!("{} = {value}", named(plant, target)));
                    plant.jump(|point| match target {
                        EventTarget::Coordinate(at) => point.q[at] = value,
                        EventTarget::Speed(at) => point.qd[at] = value,
                        EventTarget::State(at) => point.states[at] = value,
                    });
                }
                Action::Impact { speed, .. } => {
                    let restitution = numbers[number];
                    number += 1;
                    let word = self.impact(plant, at, speed, restitution, held)?;
                    words.extend(word);
                }
                Action::Stick { joint, .. } => {
                    number += 1;
                    if !self.stick(plant, at, joint, held) {
                        return Ok(Ok(()));
                    }
                    let name = &plant.tree.mechanism.joints[joint].name;
                    words.push(format!("`{name}` sticks"));
                }
                Action::Lock(joint) => {
                    if !held.contains(&joint) {
                        held.push(joint);
                    }
                    let name = &plant.tree.mechanism.joints[joint].name;
                    words.push(format!("`{name}` is locked"));
                }
                Action::Unlock(joint) => {
                    held.retain(|one| *one != joint);
                    self.resting.retain(|one| one.joint != joint);
                    let name = &plant.tree.mechanism.joints[joint].name;
                    words.push(format!("`{name}` is free"));
                }
                Action::Engage(at) => {
                    let engaged = self.engage(plant, &event.name, at)?;
                    idle &= engaged.is_none();
                    done.held |= engaged.is_some();
                    words.extend(engaged);
                }
                Action::Release(at) => {
                    let released = self.release(plant, at)?;
                    idle &= released.is_none();
                    done.held |= released.is_some();
                    words.extend(released);
                }
                Action::End => {
                    done.end = true;
                    words.push("the simulation ends".to_owned());
                }
            }
        }
        // Samples are no news.
        if event.period.is_none() && !idle {
            let (name, message) = (event.name, event.message);
            records.push(Record { t, name, done: words.join(", "), message });
        }
        // What follows from what was set follows at once, for those who come next.
        let y = plant.state();
        Ok(plant.observe(t, &y).map(|_| ()))
    }

    /// The numbers of all actions, at the plant's point.
    fn numbers(&mut self, plant: &mut Plant) -> Vec<f64> {
        let Some(conditions) = &mut self.conditions else { return Vec::new() };
        plant.as_user(|plant| plant.measure(conditions));
        conditions.output(outputs::events::VALUES).to_vec()
    }

    /// Where the numbers of an event's actions begin.
    pub(crate) fn first_number(&self, event: usize) -> usize {
        let actions = self.list[..event].iter().flat_map(|event| &event.actions);
        let valued = |one: &&Action| {
            matches!(one, Action::Set { .. } | Action::Impact { .. } | Action::Stick { .. })
        };
        actions.filter(valued).count()
    }

    /// A joint with friction has no speed any more, and is held; false if it was thrown to the
    /// other side instead.
    fn stick(&mut self, plant: &mut Plant, at: usize, joint: usize, held: &mut Vec<usize>) -> bool {
        let Some(friction) = plant.frictions.iter().copied().find(|one| one.event == at) else {
            return false;
        };
        let speed = plant.point().qd[friction.speed];
        let thrown = speed.abs() > STILL * self.fastest[at];
        plant.turn_friction(friction, if thrown { speed.signum() } else { 0.0 });
        if thrown || held.contains(&joint) {
            return false;
        }
        held.push(joint);
        self.resting.push(Resting { joint, speed: friction.speed, event: at, push: 0.0 });
        true
    }

    /// Frictions at the start of a run: what is at rest is held, what moves slides on. True if
    /// anything is held.
    pub fn start_frictions(&mut self, plant: &mut Plant) -> Result<bool, Problem> {
        let mut held = plant.held().to_vec();
        for friction in plant.frictions.clone() {
            let speed = plant.point().qd[friction.speed];
            plant.turn_friction(friction, sign(speed));
            if speed == 0.0 && !held.contains(&friction.joint) {
                held.push(friction.joint);
                let Friction { joint, speed, event, .. } = friction;
                self.resting.push(Resting { joint, speed, event, push: 0.0 });
            }
        }
        held.sort_unstable();
        if held == plant.held() {
            return Ok(false);
        }
        self.hold(plant, held, &mut Vec::new())?;
        Ok(true)
    }

    /// Joints at rest that are pulled away: those with friction slide in the direction of the pull
    /// from now on.
    fn let_go(
        &mut self,
        plant: &mut Plant,
        joints: &[usize],
        records: &mut Vec<Record>,
    ) -> Result<(), Problem> {
        let force = match joints.is_empty() {
            true => return Ok(()),
            false => plant.known("drives")?.output(outputs::ONLY).to_vec(),
        };
        let t = plant.point().t;
        for one in self.resting.iter().filter(|one| joints.contains(&one.joint)) {
            let friction = plant.frictions.iter().copied().find(|other| other.event == one.event);
            let given = plant.point().effort[one.speed];
            let done = match friction {
                // What holds it pulls against the motion that begins.
                Some(friction) => {
                    plant.turn_friction(friction, -sign(force[one.speed] - given));
                    format!("`{}` slides", plant.tree.mechanism.joints[one.joint].name)
                }
                None => "the joint is unlocked".to_owned(),
            };
            let name = self.list[one.event].name.clone();
            records.push(Record { t, name, done, message: String::new() });
        }
        self.resting.retain(|one| !joints.contains(&one.joint));
        Ok(())
    }

    /// An impact, after which the joint of a stop may rest.
    fn impact(
        &mut self,
        plant: &mut Plant,
        at: usize,
        speed: usize,
        restitution: f64,
        held: &mut Vec<usize>,
    ) -> Result<Option<String>, Problem> {
        let event = &self.list[at];
        let row = plant.speed_row(speed);
        let before: f64 = row.iter().zip(&plant.point().qd).map(|(w, qd)| w * qd).sum();
        let leaving = event.stop && before * inside(event) > 0.0;
        let fixed = |joint: &usize| plant.tree.mechanism.joints[*joint].speeds.contains(&speed);
        if leaving || held.iter().any(fixed) {
            return Ok(None);
        }
        self.fastest[at] = self.fastest[at].max(before.abs());
        let rests = event.stop && restitution * before.abs() <= REST * self.fastest[at];
        let restitution = if rests { 0.0 } else { restitution };
        let change = impulse(plant, speed, -(1.0 + restitution) * before)?;
        plant.jump(|point| {
            point.qd.iter_mut().zip(&change).for_each(|(speed, change)| *speed += change);
        });
        let name = plant.tree.mechanism.speeds[speed].name.clone();
        if !rests {
            let after = -restitution * before;
            return Ok(Some(format!("impact: {name} from {before} to {after}")));
        }
        let joints = &plant.tree.mechanism.joints;
        let joint = joints.iter().position(|joint| joint.speeds.contains(&speed));
        let joint = joint.expect("every speed belongs to a joint");
        let push = inside(event);
        held.push(joint);
        self.resting.push(Resting { joint, speed, event: at, push });
        Ok(Some(format!("`{}` rests at its stop", plant.tree.mechanism.joints[joint].name)))
    }

    /// An intermittent constraint begins to hold: it must be fulfilled, and takes away the
    /// velocities that it forbids. Gives what to say of it; nothing if it holds already.
    fn engage(
        &mut self,
        plant: &mut Plant,
        event: &str,
        at: usize,
    ) -> Result<Option<String>, Problem> {
        let name = plant.base.intermittent[at].name().to_owned();
        if plant.engaged().contains(&at) {
            return Ok(None);
        }
        let gap = plant.gap(at)?;
        if gap.is_nan() || gap > GAP {
            let message = format!(
                "event `{event}` engages `{name}`, which is open by {gap:.3e}; at most {GAP:e} are closed"
            );
            let help = "let the condition of the event pass zero where the gap closes, or tighten the accuracy";
            return Err(Problem::new(message, help));
        }
        let mut engaged = plant.engaged().to_vec();
        engaged.push(at);
        engaged.sort_unstable();
        plant.change(CoordinateChange::Engaged(engaged))?;
        let change = capture(plant)?.ok_or_else(|| {
            let message = format!(
                "event `{event}` engages `{name}`, whose velocities contradict other constraints or drives"
            );
            Problem::new(message, "release what contradicts it, or free a joint")
        })?;
        let speed = |list: &[f64]| list.iter().fold(0.0_f64, |most, one| most.max(one.abs()));
        let jump = speed(&change) > STILL * (speed(&plant.point().qd) + STILL);
        plant.jump(|point| {
            point.qd.iter_mut().zip(&change).for_each(|(speed, change)| *speed += change);
        });
        self.refresh(plant)?;
        Ok(Some(format!("`{name}` is engaged{}", if jump { ", with an impact" } else { "" })))
    }

    /// An intermittent constraint ceases to hold.
    fn release(&mut self, plant: &mut Plant, at: usize) -> Result<Option<String>, Problem> {
        if !plant.engaged().contains(&at) {
            return Ok(None);
        }
        let name = plant.base.intermittent[at].name().to_owned();
        let engaged = plant.engaged().iter().copied().filter(|one| *one != at);
        plant.change(CoordinateChange::Engaged(engaged.collect()))?;
        self.refresh(plant)?;
        Ok(Some(format!("`{name}` is released")))
    }

    /// Holds some joints, and frees all others. A stop that would have to pull does not hold, nor
    /// does friction beyond its limit.
    fn hold(
        &mut self,
        plant: &mut Plant,
        held: Vec<usize>,
        records: &mut Vec<Record>,
    ) -> Result<(), Problem> {
        plant.change(CoordinateChange::Locks(held))?;
        self.refresh(plant)?;
        let first = self.first_resting();
        let values = self.values(plant);
        let pulled: Vec<usize> = (self.resting.iter().enumerate())
            .filter(|(at, _)| values[first + at] < 0.0)
            .map(|(_, one)| one.joint)
            .collect();
        if !pulled.is_empty() {
            let frictions = |joint: &usize| plant.frictions.iter().any(|one| one.joint == *joint);
            let (sliding, stopped): (Vec<usize>, Vec<usize>) =
                pulled.iter().copied().partition(frictions);
            self.let_go(plant, &sliding, records)?;
            self.resting.retain(|one| !stopped.contains(&one.joint));
            let held = plant.held().iter().copied().filter(|one| !pulled.contains(one));
            plant.change(CoordinateChange::Locks(held.collect()))?;
            self.refresh(plant)?;
        }
        Ok(())
    }

    /// Functions of the plant with the joints that are held now.
    fn refresh(&mut self, plant: &mut Plant) -> Result<(), Problem> {
        if !self.resting.is_empty() {
            plant.known("drives")?;
        }
        self.sides.truncate(self.first_resting());
        self.sides.resize(self.first_resting() + self.resting.len(), 1.0);
        // What is measured next must be at a point of the present equations.
        let (t, y) = (plant.point().t, plant.state());
        let fault = |fault: Fault| {
            Problem::new(format!("with the joints that are locked now, {fault}"), "")
        };
        plant.observe(t, &y).map_err(fault)?;
        Ok(())
    }
}

/// The message about an event without end.
fn without_end(name: &str) -> String {
    format!(
        "event `{name}` repeats without time in between (Zeno behaviour); for a body that comes to rest by bouncing, give the joint a `range` and a `stop`"
    )
}

fn named(plant: &Plant, target: EventTarget) -> String {
    let mechanism = &plant.tree.mechanism;
    match target {
        EventTarget::Coordinate(at) => mechanism.coordinates[at].name.clone(),
        EventTarget::Speed(at) => mechanism.speeds[at].name.clone(),
        EventTarget::State(at) => mechanism.states[at].name.clone(),
    }
}

/// The joint that has what is set.
fn joint_of(plant: &Plant, target: EventTarget) -> Option<usize> {
    let joints = &plant.tree.mechanism.joints;
    match target {
        EventTarget::Coordinate(at) => joints.iter().position(|one| one.coordinates.contains(&at)),
        EventTarget::Speed(at) => joints.iter().position(|one| one.speeds.contains(&at)),
        EventTarget::State(_) => None,
    }
}

fn without_effect(plant: &Plant, event: &str, target: EventTarget) -> String {
    let name = named(plant, target);
    let joint = joint_of(plant, target).filter(|joint| plant.held().contains(joint));
    match joint {
        Some(_) => format!("event `{event}` sets `{name}` of a joint that is locked then"),
        None => {
            format!("event `{event}` sets `{name}`, which constraints, a motion or a lock decide")
        }
    }
}
