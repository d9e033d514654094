//! Events: conditions watched from step to step, located where they pass zero, and what they do to the motion.
//!
//! A condition has a side, positive or negative. A step in which the side changes, at its middle or its end, is cut where
//! the condition passes zero; what the event does is done there, and integration begins anew. A stop is always met from
//! inside of the range. What no longer rebounds from it rests: the joint is held until the force on it pulls it away.

use crate::impact::impulse;
use crate::inputs::Point;
use crate::method::Method;
use crate::ode::Fault;
use crate::plant::Plant;
use crate::quantity::Quantity;
use rotule_formalism::Problem;
use rotule_model::draft::Crossing;
use rotule_model::mechanism::{Action, Event, Target};

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// When.
    pub t: f64,
    /// The name of the event.
    pub name: String,
    /// What was done.
    pub done: String,
    /// What the model says of it; may be empty.
    pub message: String,
}

/// A rebound that is slower than this part of the fastest impact is none.
const REST: f64 = 1e-5;
/// So many events that follow each other closely are the limit.
const MOST: u32 = 1000;
/// Events this part of the run's length apart follow each other closely.
const CLOSE: f64 = 1e-9;
/// How exactly times are found, in parts of a step.
const EXACT: f64 = 1e-14;

/// A joint that rests at a stop.
struct Resting {
    joint: usize,
    speed: usize,
    /// The event of the stop.
    event: usize,
    /// The direction in which the stop pushes.
    push: f64,
}

/// The watch over events.
pub(crate) struct Events {
    list: Vec<Event>,
    conditions: Quantity,
    /// For each event the side on which its condition is, then for each resting joint.
    sides: Vec<f64>,
    resting: Vec<Resting>,
    /// The fastest impact of each event.
    fastest: Vec<f64>,
    /// When the last event was, and how many followed each other closely.
    last: (f64, u32),
    /// The events of that time that are no stops.
    together: Vec<usize>,
}

/// Where a step is to be cut.
pub(crate) struct Found {
    /// When.
    pub t: f64,
    fired: Vec<usize>,
}

/// What events did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Done {
    /// Whether the run ends.
    pub end: bool,
    /// Whether other joints are held now, or other Euler-angle sequences describe gimbals.
    pub held: bool,
}

impl Events {
    /// The events of a plant; none if it has none.
    pub fn new(plant: &mut Plant) -> Result<Option<Events>, Problem> {
        let list = plant.tree.mechanism.events.clone();
        if list.is_empty() {
            return Ok(None);
        }
        let mut conditions = Quantity::new(plant.user_tree(), "events")?;
        plant.prepare(&mut conditions);
        let (sides, fastest) = (vec![0.0; list.len()], vec![0.0; list.len()]);
        let last = (f64::NEG_INFINITY, 0);
        let (resting, together) = (Vec::new(), Vec::new());
        Ok(Some(Events { list, conditions, sides, resting, fastest, last, together }))
    }

    /// The conditions at the plant's point: of events, then forces at stops.
    fn values(&mut self, plant: &mut Plant) -> Vec<f64> {
        plant.as_user(|plant| plant.measure(&mut self.conditions));
        let mut values = self.conditions.output(0).to_vec();
        if !self.resting.is_empty() {
            // They were written when the joint came to rest, so they are known; a force that is not holds the joint.
            let force = plant.known("drives").map(|drives| drives.output(0).to_vec());
            let force = force.unwrap_or_else(|_| vec![f64::NAN; plant.point().qd.len()]);
            let given = &plant.point().effort;
            let pushes = |one: &Resting| one.push * (force[one.speed] - given[one.speed]);
            values.extend(self.resting.iter().map(pushes));
        }
        values
    }

    /// Takes the sides on which conditions are; those of `fired` events go where they are moving to.
    pub fn settle(&mut self, plant: &mut Plant, fired: &[usize], step: f64) {
        let now = self.values(plant);
        let ahead = plant.ahead(1e-6 * step);
        let later = plant.measure_at(&mut self.conditions, &ahead).to_vec();
        self.sides.resize(now.len(), 0.0);
        for (at, &value) in now.iter().enumerate() {
            let Some(event) = self.list.get(at) else {
                self.sides[at] = 1.0;
                continue;
            };
            let trend = later[at] - value;
            self.sides[at] = match event.stop {
                true => inside(event),
                false if fired.contains(&at) || value == 0.0 || self.sides[at] == 0.0 => {
                    if value.abs() > trend.abs() { value.signum() } else { sign(trend) }
                }
                false => value.signum(),
            };
        }
    }

    /// Whether an event is watched now.
    fn watched(&self, at: usize) -> bool {
        !self.resting.iter().any(|one| {
            // Neither end of the range can be met by a joint that is held.
            let own = &self.list[one.event];
            one.event == at
                || self.list.get(at).is_some_and(|event| event.stop && same_joint(event, own))
        })
    }

    fn fires(&self, at: usize, value: f64) -> bool {
        let side = self.sides[at];
        let way = self.list.get(at).map_or(Crossing::Falling, |event| event.direction);
        let wanted = match way {
            Crossing::Falling => side > 0.0,
            Crossing::Rising => side < 0.0,
            Crossing::Both => side != 0.0,
        };
        wanted && value * side < 0.0 && self.watched(at)
    }

    /// The first event within the last step of a method, if there is one.
    pub fn find(
        &mut self,
        plant: &mut Plant,
        method: &dyn Method,
        (from, to): (f64, f64),
        end: &[f64],
    ) -> Result<Option<Found>, Fault> {
        let mut between = end.to_vec();
        let mut begin = from;
        for stop in [from + 0.5 * (to - from), to] {
            if stop < to {
                method.between(stop, &mut between);
                plant.observe(stop, &between)?;
            } else {
                plant.observe(to, end)?;
            }
            let values = self.values(plant);
            let fired: Vec<usize> =
                (0..values.len()).filter(|&at| self.fires(at, values[at])).collect();
            if fired.is_empty() {
                for (side, value) in self.sides.iter_mut().zip(&values) {
                    if *value != 0.0 {
                        *side = value.signum();
                    }
                }
                for (side, event) in self.sides.iter_mut().zip(&self.list) {
                    if event.stop {
                        *side = inside(event);
                    }
                }
                begin = stop;
                continue;
            }
            let mut times = Vec::new();
            for &at in &fired {
                times.push(self.locate(plant, method, at, (begin, stop), (from, to), end)?);
            }
            let first = times.iter().copied().fold(f64::INFINITY, f64::min);
            let tolerance = finest(from, to);
            let together = fired.iter().zip(&times).filter(|(_, t)| **t <= first + tolerance);
            let fired = together.map(|(&at, _)| at).collect();
            return Ok(Some(Found { t: first, fired }));
        }
        Ok(None)
    }

    /// When a condition passes zero between two times: a point just behind it (Illinois, with halves where it is slow).
    fn locate(
        &mut self,
        plant: &mut Plant,
        method: &dyn Method,
        at: usize,
        (mut low, mut high): (f64, f64),
        (from, to): (f64, f64),
        end: &[f64],
    ) -> Result<f64, Fault> {
        let side = self.sides[at];
        let tolerance = finest(from, to);
        let mut between = end.to_vec();
        let mut value = |own: &mut Events, t: f64| -> Result<f64, Fault> {
            if t < to {
                method.between(t, &mut between);
                plant.observe(t, &between)?;
            } else {
                plant.observe(to, end)?;
            }
            Ok(side * own.values(plant)[at])
        };
        let begin = low;
        let mut f_high = value(self, high)?;
        let mut f_low = value(self, low)?;
        // Behind an impact the condition begins at zero: the other side of the arc is looked for.
        let mut halves = 0;
        while f_low <= 0.0 {
            halves += 1;
            if halves > 40 {
                return Ok(begin);
            }
            low = begin + (high - begin) * 0.5;
            f_low = value(self, low)?;
            if f_low <= 0.0 {
                (high, f_high) = (low, f_low);
                low = begin;
            }
        }
        let mut kept = 0_i32;
        for _ in 0..200 {
            if high - low <= tolerance || f_high == 0.0 {
                break;
            }
            let secant = high - f_high * (high - low) / (f_high - f_low);
            let middle = low + 0.5 * (high - low);
            let inner = secant > low && secant < high && kept.abs() < 3;
            let t = if inner { secant } else { middle };
            if t <= low || t >= high {
                break;
            }
            let f = value(self, t)?;
            if f > 0.0 {
                (low, f_low) = (t, f);
                kept = if inner { kept.max(0) + 1 } else { 0 };
                if kept > 1 {
                    f_high *= 0.5;
                }
            } else {
                (high, f_high) = (t, f);
                kept = if inner { kept.min(0) - 1 } else { 0 };
                if kept < -1 {
                    f_low *= 0.5;
                }
            }
        }
        Ok(high)
    }

    /// Does what events do at the plant's accepted point.
    pub fn apply(
        &mut self,
        plant: &mut Plant,
        found: &Found,
        run: f64,
        records: &mut Vec<Record>,
    ) -> Result<Result<Done, Fault>, Problem> {
        let t = found.t;
        let close = t - self.last.0 <= CLOSE * run;
        // The same once more, without any time in between, has no end.
        let at_once = t - self.last.0 <= 8.0 * f64::EPSILON * t.abs();
        let mut together = found.fired.clone();
        together.retain(|&at| self.list.get(at).is_some_and(|event| !event.stop));
        let again = at_once && together.iter().any(|at| self.together.contains(at));
        self.together = together;
        self.last = (t, if close { self.last.1 + 1 } else { 0 });
        if self.last.1 > MOST || again {
            let name = found.fired.first().and_then(|&at| self.list.get(at));
            let name = name.map_or("an event", |event| event.name.as_str());
            let what = format!(
                "`{name}` happens again and again without time in between; what comes to rest by bouncing needs a joint with `range` and `stop`"
            );
            return Ok(Err(Fault::Endless(what)));
        }
        plant.as_user(|plant| plant.measure(&mut self.conditions));
        let numbers = self.conditions.output(1).to_vec();
        let mut held: Vec<usize> = plant.held().to_vec();
        let before = held.clone();
        let mut done = Done::default();
        for &at in found.fired.iter().filter(|at| **at >= self.list.len()) {
            let one = &self.resting[at - self.list.len()];
            held.retain(|joint| *joint != one.joint);
            let name = self.list[one.event].name.clone();
            let what = "the joint is let go".to_owned();
            records.push(Record { t, name, done: what, message: String::new() });
        }
        let let_go = |one: &Resting| !held.contains(&one.joint);
        let gone: Vec<bool> = self.resting.iter().map(let_go).collect();
        let mut gone = gone.into_iter();
        self.resting.retain(|_| !gone.next().unwrap_or(false));
        let starts: Vec<usize> = self.starts();
        let count = self.list.len();
        for &at in found.fired.iter().filter(|at| **at < count) {
            let event = self.list[at].clone();
            let mut words = Vec::new();
            let mut number = starts[at];
            for action in &event.actions {
                match *action {
                    Action::Set { target, .. } => {
                        let value = numbers[number];
                        number += 1;
                        words.push(format!("{} = {value}", named(plant, target)));
                        if !matches!(target, Target::State(_)) {
                            done.held |= plant.restore_sequences()?;
                        }
                        plant.jump(|point| match target {
                            Target::Coordinate(at) => point.q[at] = value,
                            Target::Speed(at) => point.qd[at] = value,
                            Target::State(at) => point.states[at] = value,
                        });
                    }
                    Action::Impact { speed, .. } => {
                        let restitution = numbers[number];
                        number += 1;
                        let word = self.impact(plant, at, speed, restitution, &mut held)?;
                        words.extend(word);
                    }
                    Action::Lock(joint) => {
                        if !held.contains(&joint) {
                            held.push(joint);
                        }
                        words.push(format!(
                            "`{}` is locked",
                            plant.tree.mechanism.joints[joint].name
                        ));
                    }
                    Action::Unlock(joint) => {
                        held.retain(|one| *one != joint);
                        self.resting.retain(|one| one.joint != joint);
                        words
                            .push(format!("`{}` is free", plant.tree.mechanism.joints[joint].name));
                    }
                    Action::End => {
                        done.end = true;
                        words.push("the simulation ends".to_owned());
                    }
                }
            }
            let (name, message) = (event.name.clone(), event.message.clone());
            records.push(Record { t, name, done: words.join(", "), message });
        }
        held.sort_unstable();
        if held != before {
            plant.hold(held)?;
            self.refresh(plant)?;
            done.held = true;
            // A stop that would have to pull does not hold.
            let values = self.values(plant);
            let pulled: Vec<usize> = (self.resting.iter().enumerate())
                .filter(|(at, _)| values[self.list.len() + at] < 0.0)
                .map(|(_, one)| one.joint)
                .collect();
            if !pulled.is_empty() {
                self.resting.retain(|one| !pulled.contains(&one.joint));
                let held = plant.held().iter().copied().filter(|one| !pulled.contains(one));
                plant.hold(held.collect())?;
                self.refresh(plant)?;
            }
        }
        Ok(Ok(done))
    }

    /// Where the numbers of each event's actions begin.
    fn starts(&self) -> Vec<usize> {
        let mut start = 0;
        let mut starts = Vec::new();
        for event in &self.list {
            starts.push(start);
            let valued =
                |action: &&Action| matches!(action, Action::Set { .. } | Action::Impact { .. });
            start += event.actions.iter().filter(valued).count();
        }
        starts
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

    /// Functions of the plant with the joints that are held now.
    fn refresh(&mut self, plant: &mut Plant) -> Result<(), Problem> {
        if !self.resting.is_empty() {
            plant.known("drives")?;
        }
        self.sides.truncate(self.list.len());
        self.sides.resize(self.list.len() + self.resting.len(), 1.0);
        // What is measured next must be at a point of the present equations.
        let (t, y) = (plant.point().t, plant.state());
        let fault =
            |fault: Fault| Problem::new(format!("with the joints that are held now {fault}"), "");
        plant.observe(t, &y).map_err(fault)?;
        Ok(())
    }
}

impl Found {
    /// The events, by their positions.
    pub fn fired(&self) -> &[usize] {
        &self.fired
    }
}

/// The side of the range on which a stop is met.
fn inside(event: &Event) -> f64 {
    if event.direction == Crossing::Rising { -1.0 } else { 1.0 }
}

fn same_joint(one: &Event, other: &Event) -> bool {
    let speed = |event: &Event| {
        event.actions.iter().find_map(|action| match action {
            Action::Impact { speed, .. } => Some(*speed),
            _ => None,
        })
    };
    speed(one) == speed(other)
}

fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}

/// The shortest time that matters in a step.
fn finest(from: f64, to: f64) -> f64 {
    (EXACT * (to - from)).max(4.0 * f64::EPSILON * to.abs())
}

fn named(plant: &Plant, target: Target) -> String {
    let mechanism = &plant.tree.mechanism;
    match target {
        Target::Coordinate(at) => mechanism.coordinates[at].name.clone(),
        Target::Speed(at) => mechanism.speeds[at].name.clone(),
        Target::State(at) => mechanism.states[at].name.clone(),
    }
}

/// A point a little later, by its rates.
pub(crate) fn moved(point: &Point, rates: [&[f64]; 3], by: f64) -> Point {
    let mut moved = point.clone();
    moved.t += by;
    let lists = [&mut moved.q, &mut moved.qd, &mut moved.states];
    for (list, rates) in lists.into_iter().zip(rates) {
        list.iter_mut().zip(rates).for_each(|(value, rate)| *value += by * rate);
    }
    moved
}
