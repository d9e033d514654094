//! The watch from step to step: over conditions of events, comparisons in laws, forces at stops.
//!
//! Each has a side, positive or negative. A step in which one changes its side is cut where it
//! passes zero (`crossing.rs` finds out, `Events::locate` when exactly). There integration begins
//! anew: after a comparison, because equations that switch within a step are not what a method
//! expects; after an event, because of what the event did (`event_actions.rs`). A stop is always
//! met from inside of the range. What no longer rebounds from it rests: the joint is held until the
//! force on it pulls it away.
//!
//! Conditions of time alone are not watched: when they change is known before a step
//! (`time_condition.rs`).

use crate::branch::{FIXED, branches_of};
use crate::crossing::{INNER, descend, dips, points, rounding};
use crate::inputs::InputPoint;
use crate::method::Integrator;
use crate::ode::Fault;
use crate::outputs;
use crate::plant::Plant;
use crate::quantity::EvaluatedFunction;
use crate::time_condition::TimeConditions;
use rotule_formalism::Problem;
use rotule_formalism::switches::{compares, differences};
use rotule_model::draft::Crossing;
use rotule_model::mechanism::{Action, Event};
use rotule_symbolic::Expr;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// When.
    pub t: f64,
    /// The name of the event.
    pub name: String,
    /// The actions, in words.
    pub done: String,
    /// The message of the model about it; may be empty.
    pub message: String,
}

/// Accuracy of the times that are found, in parts of a step.
const EXACT: f64 = 1e-14;
/// The most switches of laws in a row without time in between; more are chattering.
const CHATTER: u32 = 40;
/// A joint that comes so little beyond its stop, in metres or radians, before it turns round has
/// not met it.
const SHALLOW: f64 = 1e-14;
/// A quantity is far from zero if it is further from it than this many times its change in a step.
const FAR: f64 = 4.0;
/// So often in a row steps are not looked at closely.
const UNLOOKED: u32 = 8;
/// The most steps that are not examined at all where everything is far from zero.
const AHEAD: f64 = 8.5;
/// A quantity nearer to zero than this part of the most that it was so far may be on either side.
const BESIDE: f64 = 1e-14;
/// Behind a zero, this part of the most in a step may be on either side.
const UNSURE: f64 = 1e-6;
/// No time is this part of a step.
const AT_ONCE: f64 = 1e-6;
/// Or this part of a run.
const SHORT: f64 = 1e-11;

/// A joint that rests at a stop, or by friction.
pub(crate) struct Resting {
    pub joint: usize,
    pub speed: usize,
    /// The event of the stop or of the friction.
    pub event: usize,
    /// The direction in which a stop pushes; zero for friction, which holds in both.
    pub push: f64,
}

/// The watch over events and switches of laws.
pub(crate) struct Events {
    pub(crate) list: Vec<Event>,
    /// `true` for those that are conditions of time alone.
    timed: Vec<bool>,
    /// `true` for those that would engage what holds, or release what does not: their conditions
    /// stay at zero but for rounding, as the gap of two bodies that touch does.
    asleep: Vec<bool>,
    pub(crate) conditions: Option<EvaluatedFunction>,
    /// Comparisons in laws.
    switches: Option<EvaluatedFunction>,
    /// The parameter that fixes the answer of each, if there is one, and whether it is added or
    /// subtracted.
    branches: Vec<Option<(usize, f64)>>,
    /// Number of switches in a row without time in between.
    chatter: u32,
    /// The side of each event's condition, each comparison, then of the force on each resting
    /// joint.
    pub(crate) sides: Vec<f64>,
    /// The most that was seen of each.
    seen: Vec<f64>,
    /// The last accepted point, and what was watched there.
    from: InputPoint,
    known: Vec<f64>,
    /// The rate of each in the last step that was examined closely, and the number of steps since
    /// then.
    rates: Vec<f64>,
    unlooked: u32,
    /// Until when nothing can come to zero.
    safe_until: f64,
    pub(crate) resting: Vec<Resting>,
    /// The fastest impact of each event.
    pub(crate) fastest: Vec<f64>,
    /// The duration of the run.
    pub(crate) run: f64,
    /// When the last event was, and how many followed each other closely.
    pub(crate) last: (f64, u32),
    /// The events of that time that are no stops.
    pub(crate) together: Vec<usize>,
}

/// Where a step is to be cut.
pub(crate) struct Found {
    /// When.
    pub t: f64,
    /// Positions among what is watched.
    pub fired: Vec<usize>,
}

impl Events {
    /// The watch over a plant; none if there is nothing to watch.
    pub fn new(
        plant: &mut Plant,
        times: &TimeConditions,
        run: f64,
    ) -> Result<Option<Events>, Problem> {
        let list = plant.base.events.clone();
        let (mut switches, mut branches) = (None, Vec::new());
        let tree = plant.free_tree();
        if compares(&tree) {
            let mut quantity = EvaluatedFunction::new(&tree, "switches")?;
            plant.with_free_branches(|plant| plant.prepare(&mut quantity));
            let sheet = tree.sheet();
            let compared = differences(tree.writer(&sheet))?;
            branches = sheet.graph.edit(|graph| {
                branches_of(&tree.mechanism, graph, plant.branches.clone(), &compared)
            });
            switches = Some(quantity).filter(|_| !branches.is_empty());
        }
        if list.is_empty() && switches.is_none() {
            return Ok(None);
        }
        let mut conditions = None;
        if !list.is_empty() {
            let mut quantity = EvaluatedFunction::new(&plant.free_tree(), "events")?;
            plant.prepare(&mut quantity);
            conditions = Some(quantity);
        }
        Ok(Some(Events {
            timed: (0..list.len()).map(|at| times.has_event(at)).collect(),
            asleep: vec![false; list.len()],
            fastest: vec![0.0; list.len()],
            sides: vec![0.0; list.len() + branches.len()],
            chatter: 0,
            list,
            conditions,
            switches,
            branches,
            from: plant.point().clone(),
            known: Vec::new(),
            seen: Vec::new(),
            rates: Vec::new(),
            unlooked: 0,
            safe_until: f64::NEG_INFINITY,
            resting: Vec::new(),
            run,
            last: (f64::NEG_INFINITY, 0),
            together: Vec::new(),
        }))
    }

    /// Returns `true` if something other than a comparison in a law was found.
    pub fn is_event(&self, found: &Found) -> bool {
        let laws = self.list.len()..self.first_resting();
        found.fired.iter().any(|at| !laws.contains(at))
    }

    /// Returns `true` if an event was found that may change the energy: neither friction, which
    /// acts at rest, nor a joint that is let go.
    pub fn may_change_energy(&self, found: &Found) -> bool {
        let friction = |event: &Event| {
            event.period.is_some() || matches!(event.actions[..], [Action::Stick { .. }])
        };
        found.fired.iter().any(|&at| self.list.get(at).is_some_and(|event| !friction(event)))
    }

    /// Number of comparisons in laws that were found.
    pub fn law_switches(&self, found: &Found) -> u64 {
        let laws = self.list.len()..self.first_resting();
        found.fired.iter().filter(|at| laws.contains(at)).count() as u64
    }

    /// Where the forces on resting joints begin among what is watched.
    pub(crate) fn first_resting(&self) -> usize {
        self.list.len() + self.branches.len()
    }

    /// The quantities that are watched, at the plant's point.
    pub(crate) fn values(&mut self, plant: &mut Plant) -> Vec<f64> {
        let mut values = Vec::with_capacity(self.sides.len());
        if let Some(conditions) = &mut self.conditions {
            plant.as_user(|plant| plant.measure(conditions));
            values.extend_from_slice(conditions.output(outputs::events::CONDITIONS));
        }
        if let Some(switches) = &mut self.switches {
            // What laws compare is watched whichever branch is fixed.
            plant.as_user(|plant| plant.with_free_branches(|plant| plant.measure(switches)));
            values.extend_from_slice(switches.output(outputs::ONLY));
        }
        if !self.resting.is_empty() {
            // They were written when the joint came to rest, so they are known; a force that is not
            // holds the joint.
            let force = plant.known("drives").map(|drives| drives.output(outputs::ONLY).to_vec());
            let force = force.unwrap_or_else(|_| vec![f64::NAN; plant.point().qd.len()]);
            let given = &plant.point().effort;
            for one in &self.resting {
                let force = force[one.speed] - given[one.speed];
                values.push(match one.push {
                    0.0 => self.limit(one.event) - force.abs(),
                    push => push * force,
                });
            }
        }
        values
    }

    /// The largest force of a friction at rest, at the point of the last values.
    fn limit(&self, event: usize) -> f64 {
        let numbers =
            self.conditions.as_ref().map(|conditions| conditions.output(outputs::events::VALUES));
        numbers.map_or(f64::NAN, |numbers| numbers[self.first_number(event)])
    }

    /// Fixes the branches of laws as they are now; whether any changed. Then the state must be
    /// observed anew.
    pub fn fix_branches(&self, plant: &mut Plant) -> bool {
        let sides = &self.sides[self.list.len()..];
        let own = self
            .branches
            .iter()
            .zip(sides)
            .filter_map(|(branch, side)| branch.map(|(at, added)| (at, added * side * FIXED)));
        plant.fix_branches(own)
    }

    /// Leaves the branches of laws to what they compare; whether any changed.
    pub fn free_branches(&self, plant: &mut Plant) -> bool {
        plant.fix_branches(self.branches.iter().flatten().map(|&(at, _)| (at, 0.0)))
    }

    /// Takes note of how large everything is.
    fn note(&mut self, values: &[f64]) {
        self.seen.resize(values.len(), 0.0);
        self.seen.iter_mut().zip(values).for_each(|(seen, value)| *seen = seen.max(value.abs()));
    }

    /// Conditions and comparisons at another point.
    fn values_at(&mut self, plant: &mut Plant, mut point: InputPoint) -> Vec<f64> {
        point.parameters[plant.branches.clone()].fill(0.0);
        let quantities = [&mut self.conditions, &mut self.switches].into_iter().flatten();
        quantities.flat_map(|one| plant.measure_at(one, &point).to_vec()).collect()
    }

    /// Takes the sides on which everything is at the plant's accepted point; those of `fired` go
    /// where they are moving to. The branches of laws follow; true if any changed, so that the
    /// state must be observed anew.
    pub fn settle(&mut self, plant: &mut Plant, fired: &[usize]) -> bool {
        let engaged = plant.engaged();
        let no_news = |action: &Action| match action {
            Action::Engage(at) => engaged.contains(at),
            Action::Release(at) => !engaged.contains(at),
            _ => false,
        };
        let asleep =
            self.list.iter().map(|one| !one.actions.is_empty() && one.actions.iter().all(no_news));
        self.asleep = asleep.collect();
        let now = self.values(plant);
        let [later, from_rest] =
            [plant.ahead(1e-6 * self.run), plant.ahead_from_rest(1e-6 * self.run)]
                .map(|point| self.values_at(plant, point));
        self.sides.resize(now.len(), 0.0);
        self.note(&now);
        for (at, &value) in now.iter().enumerate() {
            let Some(&later) = later.get(at) else {
                self.sides[at] = 1.0;
                continue;
            };
            let trend = match later - value {
                0.0 => from_rest[at] - value,
                trend => trend,
            };
            let stop = self.list.get(at).filter(|event| event.stop);
            self.sides[at] = match stop {
                Some(event) => inside(event),
                None if fired.contains(&at)
                    || value.abs() <= BESIDE * self.seen[at]
                    || self.sides[at] == 0.0 =>
                {
                    if value.abs() > trend.abs() {
                        value.signum()
                    } else {
                        sign(trend)
                    }
                }
                None => value.signum(),
            };
        }
        // What slides goes where its friction says.
        for friction in &plant.frictions {
            let direction = plant.point().parameters[friction.direction];
            if direction != 0.0 {
                self.sides[friction.event] = direction;
            }
        }
        self.from.clone_from(plant.point());
        self.known = now;
        self.rates.clear();
        self.safe_until = f64::NEG_INFINITY;
        self.fix_branches(plant)
    }

    /// Returns `true` if something is watched now.
    fn watched(&self, at: usize) -> bool {
        let timed = self.timed.get(at).is_some_and(|timed| *timed);
        !timed
            && !self.asleep.get(at).is_some_and(|asleep| *asleep)
            && !self.resting.iter().any(|one| {
                // Neither end of the range can be met by a joint that is held.
                let own = &self.list[one.event];
                at == one.event
                    || self.list.get(at).is_some_and(|event| event.stop && same_joint(event, own))
            })
    }

    /// Returns `true` if a value lies beyond zero, seen from a side, in the direction of
    /// the event.
    pub(crate) fn fires(&self, at: usize, side: f64, value: f64) -> bool {
        let way = match self.list.get(at) {
            Some(event) => event.direction,
            None if at < self.first_resting() => Crossing::Both,
            None => Crossing::Falling,
        };
        let crosses = match way {
            Crossing::Falling => side > 0.0,
            Crossing::Rising => side < 0.0,
            Crossing::Both => side != 0.0,
        };
        crosses && value * side < 0.0 && self.watched(at)
    }

    /// The time during which nothing can come to zero, at the rates that were examined last.
    fn safe(&self, values: &[f64]) -> f64 {
        let times = values.iter().zip(&self.rates).enumerate();
        let times = times.filter(|(at, _)| self.watched(*at)).map(|(_, (g, rate))| g.abs() / rate);
        times.fold(f64::INFINITY, |least, time| if time < least { time } else { least })
            / (2.0 * FAR)
    }

    /// Returns `true` if everything is so far from zero at both ends of a step of one length that
    /// it cannot have passed it in between, as fast as it was when it was last looked at more
    /// closely.
    fn is_far(&self, values: &[f64], step: f64) -> bool {
        let far = |at: usize| {
            let (before, after) = (self.known[at], values[at]);
            let change = (after - before).abs() + self.rates[at] * step;
            before * after > 0.0 && before.abs().min(after.abs()) > FAR * change
        };
        self.unlooked < UNLOOKED
            && self.rates.len() == values.len()
            && self.known.len() == values.len()
            && (0..values.len()).all(|at| !self.watched(at) || far(at))
    }

    /// The first crossing within the last step of a method, if there is one.
    pub fn find(
        &mut self,
        plant: &mut Plant,
        method: &dyn Integrator,
        (from, to): (f64, f64),
        end: &[f64],
    ) -> Result<Option<Found>, Fault> {
        if !method.chooses_steps() && to <= self.safe_until {
            return Ok(None);
        }
        plant.observe(to, end)?;
        let last = self.values(plant);
        if !method.chooses_steps() && self.is_far(&last, to - self.from.t) {
            self.unlooked += 1;
            self.safe_until = to + self.safe(&last).min(AHEAD * (to - from));
            self.from.clone_from(plant.point());
            self.known = last;
            return Ok(None);
        }
        self.unlooked = 0;
        self.safe_until = f64::NEG_INFINITY;
        let reached = plant.point().clone();
        let mut sketch = Sketch { method, from, to, between: end.to_vec() };
        let nodes = points();
        let mut rows = vec![std::mem::take(&mut self.known)];
        if self.from.t < from {
            // Steps before this one were not looked at.
            sketch.draw(plant, 0.0, [&self.from, &reached]);
            rows[0] = self.values(plant);
        }
        for x in &nodes[1..=INNER] {
            sketch.draw(plant, *x, [&self.from, &reached]);
            rows.push(self.values(plant));
        }
        rows.push(last);
        rows.iter().for_each(|row| self.note(row));
        let steepest = |at: usize| {
            let slopes = rows.windows(2).zip(nodes.windows(2)).map(|(rows, nodes)| {
                let value = |row: &Vec<f64>| row.get(at).copied().unwrap_or(f64::NAN);
                (value(&rows[1]) - value(&rows[0])).abs() / (nodes[1] - nodes[0])
            });
            slopes.fold(0.0_f64, |most, slope| if slope > most { slope } else { most })
                / (to - from)
        };
        self.rates = (0..self.sides.len()).map(steepest).collect();
        let mut crossings = Vec::new();
        let mut sides = self.sides.clone();
        for (at, side) in sides.iter_mut().enumerate() {
            if self.watched(at) {
                let values =
                    std::array::from_fn(|row| rows[row].get(at).copied().unwrap_or(f64::NAN));
                crossings.extend(self.crossing(plant, &mut sketch, &reached, at, side, values)?);
            }
        }
        for friction in &plant.frictions {
            let (at, seen) = (friction.event, rows.iter().map(|row| row[friction.event].abs()));
            self.fastest[at] = seen.fold(self.fastest[at], f64::max);
        }
        crossings.sort_by(|(a, _), (b, _)| a[0].total_cmp(&b[0]));
        let mut found: Vec<(f64, usize)> = Vec::new();
        for (parts, passing) in crossings {
            let earliest = found.iter().map(|(t, _)| *t).fold(f64::INFINITY, f64::min);
            let [low, high] = parts.map(|x| sketch.time(x));
            if low <= earliest {
                let t = self.locate(plant, &mut sketch, passing, (low, high), end)?;
                if let Some(t) = t
                    && self.is_met(plant, &mut sketch, passing.at, t, end)?
                {
                    found.push((t, passing.at));
                }
            }
        }
        let Some(t) = found.iter().map(|(t, _)| *t).reduce(f64::min) else {
            plant.observe(to, end)?;
            (self.sides, self.from) = (sides, reached);
            self.known = rows.pop().unwrap_or_default();
            return Ok(None);
        };
        let tolerance = finest(from, to);
        let mut fired: Vec<usize> = found
            .into_iter()
            .filter(|(other, _)| *other <= t + tolerance)
            .map(|one| one.1)
            .collect();
        fired.sort_unstable();
        let law = fired.iter().find(|at| (self.list.len()..self.first_resting()).contains(at));
        let short = t - from <= (AT_ONCE * (to - from)).max(SHORT * self.run);
        self.chatter = if short { self.chatter + u32::from(law.is_some()) } else { 0 };
        if let (true, Some(&at)) = (self.chatter > CHATTER, law) {
            return Err(Fault::Chatter(chattering(plant, at - self.list.len())));
        }
        Ok(Some(Found { t, fired }))
    }

    /// The first crossing of something that has these values at the points of a step: between which
    /// parts of the step it is. Its side becomes that at the end of the step.
    fn crossing(
        &mut self,
        plant: &mut Plant,
        sketch: &mut Sketch<'_>,
        reached: &InputPoint,
        at: usize,
        side: &mut f64,
        values: [f64; INNER + 2],
    ) -> Result<Option<([f64; 2], Passing)>, Fault> {
        let first = *side;
        // What begins at zero, as where a joint is let go, is on either side at first, by the error
        // of the method.
        let most = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        let begins = values[0].abs() <= BESIDE * self.seen[at];
        let least = if begins { UNSURE * most } else { 0.0 };
        let mut along: Vec<(f64, f64)> = points().into_iter().zip(values).collect();
        for dip in dips(values.map(|value| first * value)) {
            let found = descend(dip, rounding(&values).max(least), |x| {
                sketch.draw(plant, x, [&self.from, reached]);
                Ok::<_, Fault>(first * self.values(plant)[at])
            })?;
            along.extend(found.map(|x| (x, -first * most)));
        }
        along.sort_by(|a, b| a.0.total_cmp(&b.0));
        // What leaves a stop may begin beyond it by rounding: it is met only by what goes further.
        let stop = self.list.get(at).filter(|event| event.stop).map(inside);
        let mut beyond = if stop.is_some() { (first * values[0]).min(0.0) } else { 0.0 };
        let mut before = 0.0;
        for &(x, value) in &along[1..] {
            if value.abs() < least && stop.is_none() {
                continue;
            }
            let further = stop.is_none() || first * value < beyond;
            if further && self.fires(at, *side, value) {
                return Ok(Some(([before, x], Passing { at, side: *side, beyond })));
            }
            if first * value > 0.0 {
                beyond = 0.0;
            }
            if value != 0.0 && !value.is_nan() {
                *side = value.signum();
            }
            *side = stop.unwrap_or(*side);
            before = x;
        }
        Ok(None)
    }

    /// Returns `true` if a stop is met where its joint passes it: not by one that comes back, nor
    /// by one that is pulled away and would turn round at once, which is rounding.
    fn is_met(
        &mut self,
        plant: &mut Plant,
        step: &mut Sketch<'_>,
        at: usize,
        t: f64,
        end: &[f64],
    ) -> Result<bool, Fault> {
        let Some(event) = self.list.get(at).filter(|event| event.stop) else { return Ok(true) };
        let Some(Action::Impact { speed, .. }) = event.actions.first() else { return Ok(true) };
        step.observe(plant, t, end)?;
        let row = plant.speed_row(*speed);
        let along = |list: &[f64]| -> f64 {
            -inside(event) * row.iter().zip(list).map(|(w, one)| w * one).sum::<f64>()
        };
        let (outward, pulled) = (along(&plant.point().qd), -along(&plant.point().qdd));
        let depth = 0.5 * outward * outward / pulled;
        Ok(outward >= 0.0 && !(pulled > 0.0 && depth < SHALLOW))
    }

    /// When something passes zero between two times: a point just behind it (Illinois, with halves
    /// where it is slow). None if it does not with all loops closed.
    fn locate(
        &mut self,
        plant: &mut Plant,
        step: &mut Sketch<'_>,
        Passing { at, side, beyond }: Passing,
        (mut low, mut high): (f64, f64),
        end: &[f64],
    ) -> Result<Option<f64>, Fault> {
        let tolerance = finest(step.from, step.to);
        let mut value = |own: &mut Events, t: f64| -> Result<f64, Fault> {
            step.observe(plant, t, end)?;
            Ok(side * own.values(plant)[at] - beyond)
        };
        let begin = low;
        let mut f_high = value(self, high)?;
        if f_high > 0.0 {
            return Ok(None);
        }
        let mut f_low = value(self, low)?;
        // Behind an impact the condition begins at zero but for rounding: the other side of the arc
        // is searched.
        let (mut halves, rounding) = (0, BESIDE * self.seen[at]);
        while f_low <= rounding {
            halves += 1;
            if halves > 40 {
                return Ok(Some(begin));
            }
            low = begin + (high - begin) * 0.5;
            f_low = value(self, low)?;
            if f_low <= rounding {
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
        Ok(Some(high))
    }
}

/// Something that passes zero from a side, or a little beyond it.
#[derive(Clone, Copy)]
struct Passing {
    at: usize,
    side: f64,
    beyond: f64,
}

/// Points of the last step of a method, as far as its polynomial knows them.
struct Sketch<'a> {
    method: &'a dyn Integrator,
    from: f64,
    to: f64,
    between: Vec<f64>,
}

impl Sketch<'_> {
    fn time(&self, x: f64) -> f64 {
        if x == 1.0 { self.to } else { self.from + x * (self.to - self.from) }
    }

    /// Observes the plant at a time within the step, with all loops closed.
    fn observe(&mut self, plant: &mut Plant, t: f64, end: &[f64]) -> Result<(), Fault> {
        if t < self.to {
            self.method.between(t, &mut self.between);
            plant.observe(t, &self.between)?;
        } else {
            plant.observe(self.to, end)?;
        }
        Ok(())
    }

    /// Puts the point at a part of the step into the plant.
    fn draw(&mut self, plant: &mut Plant, x: f64, ends: [&InputPoint; 2]) {
        let t = self.time(x);
        self.method.between(t, &mut self.between);
        // Accelerations are known where the equations are evaluated. Where they have no value, the
        // sign is that of the last one.
        if !plant.events_use_accelerations || plant.observe(t, &self.between).is_err() {
            plant.sketch(t, &self.between, ends);
        }
    }
}

/// The comparison of a law, as a text.
fn chattering(plant: &Plant, at: usize) -> String {
    let tree = plant.free_tree();
    let sheet = tree.sheet();
    let found = differences(tree.writer(&sheet)).unwrap_or_default();
    let Some(&compared) = found.get(at) else { return String::new() };
    let own = &tree.mechanism.parameters[plant.branches.clone()];
    let pairs: Vec<(Expr, Expr)> = own.iter().map(|one| (one.symbol, Expr::ZERO)).collect();
    sheet.graph.edit(|graph| {
        let compared = graph.substitute(&[compared], &pairs)[0];
        graph.text_limited(compared, 200).unwrap_or_else(|| "a long expression".to_owned())
    })
}

/// The side of the range on which a stop is met.
pub(crate) fn inside(event: &Event) -> f64 {
    if event.direction == Crossing::Rising { -1.0 } else { 1.0 }
}

fn same_joint(one: &Event, other: &Event) -> bool {
    let speed = |event: &Event| {
        event.actions.iter().find_map(|action| match action {
            Action::Impact { speed, .. } => Some(*speed),
            _ => None,
        })
    };
    speed(one).is_some() && speed(one) == speed(other)
}

pub(crate) fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}

/// The shortest time that matters in a step.
fn finest(from: f64, to: f64) -> f64 {
    (EXACT * (to - from)).max(4.0 * f64::EPSILON * to.abs())
}

/// A point a little later, by its rates.
pub(crate) fn moved(point: &InputPoint, rates: [&[f64]; 3], by: f64) -> InputPoint {
    let mut moved = point.clone();
    moved.t += by;
    let lists = [&mut moved.q, &mut moved.qd, &mut moved.states];
    for (list, rates) in lists.into_iter().zip(rates) {
        list.iter_mut().zip(rates).for_each(|(value, rate)| *value += by * rate);
    }
    moved
}
