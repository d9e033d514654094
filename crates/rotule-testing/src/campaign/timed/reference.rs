//! The reference: Runge-Kutta steps of one length with all switches frozen, cut where a guard or
//! the condition of an event changes its sign.
//!
//! Within a step the equations are smooth, because laws are evaluated by the sides that their
//! guards had at its beginning. A side that has changed in the middle or at the end of a step is
//! bisected; the step goes that far, the side is changed, and the rest of the step follows. Where a
//! parabola through the beginning, the middle and the end comes near zero, the step is halved until
//! it does not, or is a millionth of its length: shorter visits beyond zero are not seen.

use super::law::Moment;
use super::system::{Event, State, System, Target, Way};

/// The samples of a run.
pub const SAMPLES: usize = 100;
/// A condition this near to zero has no side of its own.
const TINY: f64 = 1e-10;
/// Events and switches after which a run counts as chattering.
const MOST: usize = 5000;
/// A rebound of this part of the fastest one ends the run: the product may let the joint rest from
/// some such speed on.
const SLOW: f64 = 1e-3;

/// An event that happened.
#[derive(Clone, Debug)]
pub struct Happened {
    pub name: String,
    pub t: f64,
    /// The rate at which the condition passed zero.
    pub rate: f64,
}

/// A run of the reference.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// States at multiples of a hundredth of the run, from its beginning on.
    pub samples: Vec<State>,
    pub events: Vec<Happened>,
    /// When it ended, and whether an event caused it.
    pub end: f64,
    pub ended: bool,
    /// Why it stopped early.
    pub stopped: Option<&'static str>,
}

struct Runner<'s> {
    system: &'s System,
    t: f64,
    y: State,
    sides: Vec<bool>,
    /// The sides of the events' conditions.
    marks: Vec<f64>,
    locked: [bool; 2],
    /// The fastest impact of each event.
    fastest: Vec<f64>,
    handled: usize,
    trace: Trace,
}

/// Runs a system from a start with steps of a length.
pub fn run(system: &System, start: State, length: f64) -> Trace {
    let mut runner = Runner {
        system,
        t: 0.0,
        y: start,
        sides: vec![false; system.guards.len()],
        marks: vec![0.0; system.events.len()],
        locked: [false; 2],
        fastest: vec![0.0; system.events.len()],
        handled: 0,
        trace: Trace::default(),
    };
    runner.begin();
    runner.trace.samples.push(start);
    let every = system.to / SAMPLES as f64;
    let steps = (every / length).ceil();
    'run: for sample in 1..=SAMPLES {
        let end = sample as f64 * every;
        for step in 0..steps as usize {
            let to = end - every + (step + 1) as f64 * every / steps;
            if !runner.advance(to - runner.t) {
                break 'run;
            }
            // Sums of rounding errors do not shift the time.
            runner.t = to;
        }
        let y = runner.y;
        runner.trace.samples.push(y);
    }
    runner.trace.end = runner.t;
    runner.trace
}

impl Runner<'_> {
    fn moment(&self, t: f64, y: &State) -> Moment<'_> {
        let parameters = &self.system.parameters;
        Moment { t, q: y.q, v: y.v, s: y.s, parameters, sides: &self.sides }
    }

    fn rates(&self, t: f64, y: &State) -> State {
        let at = self.moment(t, y);
        let (mass, bias) = self.system.mechanism.equations(y.q, y.v);
        let f = [0, 1].map(|joint| self.system.efforts[joint].value(&at) - bias[joint]);
        let mut s = [0.0; 2];
        s.iter_mut().zip(&self.system.rates).for_each(|(s, rate)| *s = rate.value(&at));
        State { q: y.v, v: self.solve(mass, f), s }
    }

    /// Accelerations of joints that are not locked.
    fn solve(&self, mass: [[f64; 2]; 2], f: [f64; 2]) -> [f64; 2] {
        match self.locked {
            [true, true] => [0.0; 2],
            [true, false] => [0.0, f[1] / mass[1][1]],
            [false, true] => [f[0] / mass[0][0], 0.0],
            [false, false] => {
                let [[a, b], [_, c]] = mass;
                let determinant = a * c - b * b;
                [(c * f[0] - b * f[1]) / determinant, (a * f[1] - b * f[0]) / determinant]
            }
        }
    }

    /// The state after one step of Runge and Kutta.
    fn step(&self, h: f64) -> State {
        let (t, y) = (self.t, &self.y);
        let ahead = |k: &State, h: f64| combine(y, &[(h, k)]);
        let a = self.rates(t, y);
        let b = self.rates(t + 0.5 * h, &ahead(&a, 0.5 * h));
        let c = self.rates(t + 0.5 * h, &ahead(&b, 0.5 * h));
        let d = self.rates(t + h, &ahead(&c, h));
        combine(y, &[(h / 6.0, &a), (h / 3.0, &b), (h / 3.0, &c), (h / 6.0, &d)])
    }

    /// Guards, then conditions of events.
    fn value(&self, index: usize, t: f64, y: &State) -> f64 {
        let guards = &self.system.guards;
        let events = || &self.system.events[index - guards.len()].when;
        guards.get(index).unwrap_or_else(events).value(&self.moment(t, y))
    }

    fn side(&self, index: usize) -> f64 {
        match self.sides.get(index) {
            Some(true) => 1.0,
            Some(false) => -1.0,
            None => self.marks[index - self.sides.len()],
        }
    }

    /// The sign of a value, or where it goes if it is zero.
    fn sign(&self, index: usize) -> f64 {
        let value = self.value(index, self.t, &self.y);
        if value.abs() > TINY {
            return value.signum();
        }
        let ahead = 1e-7 * self.system.to;
        (self.value(index, self.t + ahead, &self.step(ahead)) - value).signum()
    }

    fn begin(&mut self) {
        // Twice, because where a guard goes may depend on the sides of others.
        for _ in 0..2 {
            for index in 0..self.sides.len() {
                self.sides[index] = self.sign(index) > 0.0;
            }
        }
        for at in 0..self.marks.len() {
            self.marks[at] = match inside(&self.system.events[at]) {
                Some(side) => side,
                None => self.sign(self.sides.len() + at),
            };
        }
    }

    /// Goes on for a time; false if the run has ended.
    fn advance(&mut self, length: f64) -> bool {
        let mut parts = vec![length];
        while let Some(h) = parts.pop() {
            let [middle, end] = [0.5 * h, h].map(|h| self.step(h));
            let (mut crossed, mut near) = (Vec::new(), false);
            for index in 0..self.sides.len() + self.marks.len() {
                let side = self.side(index);
                let values = [
                    side * self.value(index, self.t, &self.y),
                    side * self.value(index, self.t + 0.5 * h, &middle),
                    side * self.value(index, self.t + h, &end),
                ];
                if values[1] < 0.0 {
                    crossed.push((index, 0.5 * h));
                } else if values[2] < 0.0 {
                    crossed.push((index, h));
                } else {
                    near |= touches(values);
                }
            }
            if near && h > 1e-6 * length {
                parts.extend([0.5 * h, 0.5 * h]);
                continue;
            }
            if crossed.is_empty() {
                (self.t, self.y) = (self.t + h, end);
                continue;
            }
            for (index, length) in &mut crossed {
                *length = self.bisect(*index, *length);
            }
            let first = crossed.iter().fold(h, |first, (_, length)| first.min(*length));
            crossed.retain(|(_, length)| *length <= first + 1e-12 * self.system.to);
            let list: Vec<usize> = crossed.into_iter().map(|(index, _)| index).collect();
            let rate = self.slowest(&list, first, h);
            (self.t, self.y) = (self.t + first, self.step(first));
            if !self.happen(&list, rate) {
                return false;
            }
            if h > first {
                parts.push(h - first);
            }
        }
        true
    }

    /// The length of a step up to the change of a side.
    fn bisect(&self, index: usize, length: f64) -> f64 {
        let side = self.side(index);
        let (mut low, mut high) = (0.0, length);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            let beyond = side * self.value(index, self.t + middle, &self.step(middle)) < 0.0;
            *if beyond { &mut high } else { &mut low } = middle;
        }
        high
    }

    /// The least rate at which some conditions pass zero.
    fn slowest(&self, list: &[usize], at: f64, h: f64) -> f64 {
        let before = (at - 1e-3 * h).max(0.0);
        let apart = 1e-3 * h + at - before;
        let [one, two] = [before, before + apart].map(|h| (self.t + h, self.step(h)));
        let rate = |index: &usize| {
            ((self.value(*index, two.0, &two.1) - self.value(*index, one.0, &one.1)) / apart).abs()
        };
        list.iter().map(rate).fold(f64::INFINITY, f64::min)
    }

    /// Changes sides and does what events do, and what follows from that at the same time; false if
    /// the run has ended.
    fn happen(&mut self, list: &[usize], rate: f64) -> bool {
        let guards = self.sides.len();
        let mut queue = Vec::new();
        for &index in list {
            match index.checked_sub(guards) {
                None => self.sides[index] ^= true,
                Some(at) => {
                    if inside(&self.system.events[at]).is_none() {
                        self.marks[at] = -self.marks[at];
                    }
                    if requested(&self.system.events[at], self.marks[at]) {
                        queue.push(at);
                    }
                }
            }
        }
        let mut fired = Vec::new();
        loop {
            self.handled += 1;
            if self.handled > MOST {
                self.trace.stopped = Some("chatters");
                return false;
            }
            queue.sort_unstable();
            let mut ended = false;
            for at in std::mem::take(&mut queue) {
                let name = self.system.events[at].name.clone();
                self.trace.events.push(Happened { name, t: self.t, rate });
                fired.push(at);
                ended |= self.act(at);
                if self.trace.stopped.is_some() {
                    return false;
                }
            }
            if ended {
                self.trace.ended = true;
                return false;
            }
            let mut changed = false;
            for index in 0..guards {
                let value = self.value(index, self.t, &self.y);
                if value.abs() > TINY && (value > 0.0) != self.sides[index] {
                    self.sides[index] ^= true;
                    changed = true;
                }
            }
            for at in 0..self.marks.len() {
                let value = self.value(guards + at, self.t, &self.y);
                let event = &self.system.events[at];
                if event.stop || value.abs() <= TINY || value.signum() == self.marks[at] {
                    continue;
                }
                self.marks[at] = value.signum();
                if requested(event, self.marks[at]) {
                    queue.push(at);
                }
            }
            if queue.is_empty() && !changed {
                break;
            }
        }
        for at in fired.into_iter().filter(|at| !self.system.events[*at].stop) {
            self.marks[at] = self.sign(guards + at);
        }
        true
    }

    /// Does what an event does; true if the run ends.
    fn act(&mut self, at: usize) -> bool {
        let system = self.system;
        let event = &system.events[at];
        let moment = self.moment(self.t, &self.y);
        let values: Vec<f64> = event.set.iter().map(|(_, law)| law.value(&moment)).collect();
        for ((target, _), value) in event.set.iter().zip(values) {
            match *target {
                Target::Q(at) => self.y.q[at] = value,
                Target::V(at) => self.y.v[at] = value,
                Target::S(at) => self.y.s[at] = value,
            }
        }
        if let Some((joint, restitution)) = event.impact.filter(|one| !self.locked[one.0]) {
            let before = self.y.v[joint];
            self.fastest[at] = self.fastest[at].max(before.abs());
            if restitution * before.abs() <= SLOW * self.fastest[at] {
                self.trace.stopped = Some("bounces without end");
            }
            let (mass, _) = system.mechanism.equations(self.y.q, self.y.v);
            let mut unit = [0.0; 2];
            unit[joint] = 1.0;
            let change = self.solve(mass, unit);
            let blow = -(1.0 + restitution) * before / change[joint];
            let speeds = self.y.v.iter_mut().zip(change);
            speeds.for_each(|(speed, change)| *speed += blow * change);
        }
        if let Some(joint) = event.lock {
            self.locked[joint] = true;
            self.y.v[joint] = 0.0;
        }
        if let Some(joint) = event.unlock {
            self.locked[joint] = false;
        }
        event.end
    }
}

/// The side of a stop's condition inside of the range; none for other events.
fn inside(event: &Event) -> Option<f64> {
    event.stop.then_some(if event.way == Way::Falling { 1.0 } else { -1.0 })
}

/// Returns `true` if an event happens when its condition comes to a side.
fn requested(event: &Event, side: f64) -> bool {
    match event.way {
        Way::Both => true,
        // The side of a stop stays.
        _ if event.stop => true,
        Way::Rising => side > 0.0,
        Way::Falling => side < 0.0,
    }
}

/// Returns `true` if a parabola through three values, at the beginning, the middle and the end, has
/// its lowest point in between and near zero.
fn touches([a, b, c]: [f64; 3]) -> bool {
    let bend = 2.0 * (a - 2.0 * b + c);
    let slope = -3.0 * a + 4.0 * b - c;
    if bend <= 0.0 || slope >= 0.0 || -slope >= 2.0 * bend {
        return false;
    }
    let range = a.max(b).max(c) - a.min(b).min(c);
    a - slope * slope / (4.0 * bend) < 0.05 * range
}

fn combine(y: &State, parts: &[(f64, &State)]) -> State {
    let mut sum = *y;
    for (h, k) in parts {
        for at in 0..2 {
            sum.q[at] += h * k.q[at];
            sum.v[at] += h * k.v[at];
            sum.s[at] += h * k.s[at];
        }
    }
    sum
}
