//! Conditions of time alone: when each changes is found before a step is taken, and becomes the end
//! of a step.
//!
//! Enclosures of a condition over a range of time ([`rotule_symbolic::interval`]) prove that it
//! keeps its sign there, or that it has one zero; all other ranges are halved, from the left. So no
//! zero is missed, however short a pulse is. A zero is narrowed to neighbouring doubles: a step
//! ends where laws still are as before, the next begins where they are as after.

use crate::plant::Plant;
use rotule_formalism::Problem;
use rotule_formalism::switches::{LawSwitch, compares, is_of_time, switches};
use rotule_model::draft::Crossing;
use rotule_model::mechanism::Event;
use rotule_symbolic::interval::{Interval, Intervals};
use rotule_symbolic::{Compare, Expr, Graph, Node};
use std::collections::HashMap;

/// Ranges that are looked at for one zero, at the most.
const RANGES: usize = 50_000;
/// A condition that needs more is looked at in so many points of the run.
const POINTS: f64 = 100_000.0;
/// The narrowest range, in parts of the run.
const NARROW: f64 = 1e-3 * f64::EPSILON;

/// When conditions of time change next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Boundary {
    /// The last time with everything as before.
    pub before: f64,
    /// The first time with everything as after.
    pub after: f64,
    /// The events that happen there, by position.
    pub events: Vec<usize>,
}

/// The quantity that changes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Of {
    /// The answer of a comparison in a law.
    Law(Compare),
    /// A whole number in a law.
    Floor,
    /// The sign of an event's condition, which must pass zero in some direction.
    Event(usize, Crossing),
}

/// A condition of time.
struct Condition {
    of: Of,
    left: Expr,
    right: Expr,
    difference: Expr,
    /// The nodes below these three.
    order: Vec<Expr>,
    /// `true` if the equations decide it at the same double as is done here: it compares the time
    /// itself.
    plain: bool,
    /// Where it changes next, once that was searched up to the end of a run from some time on.
    known: Option<Known>,
}

#[derive(Clone, Copy)]
struct Known {
    from: f64,
    to: f64,
    change: Option<Change>,
}

/// Neighbouring times between which a condition changes, and its state before.
#[derive(Clone, Copy)]
struct Change {
    before: f64,
    after: f64,
    left: f64,
}

/// The conditions of time of a mechanism.
#[derive(Default)]
pub(crate) struct TimeConditions {
    graph: Graph,
    time: String,
    numbers: HashMap<String, f64>,
    list: Vec<Condition>,
    /// When the run began.
    start: f64,
    /// Times at which tables of inputs are not smooth, in order.
    knots: Vec<f64>,
    /// Events that happen again and again: their positions, periods and one of the times.
    periods: Vec<(usize, f64, f64)>,
}

impl TimeConditions {
    /// Those of a plant's laws, motions and events.
    pub fn new(plant: &Plant) -> Result<TimeConditions, Problem> {
        let tree = plant.user_tree();
        let graph = &tree.mechanism.graph;
        let timed = |event: &Event| is_of_time(graph.kinds(event.when));
        if !compares(tree) && !tree.mechanism.events.iter().any(timed) {
            return Ok(TimeConditions::default());
        }
        let sheet = tree.sheet();
        let mut found: Vec<(Of, LawSwitch)> = Vec::new();
        for (at, event) in tree.mechanism.events.iter().enumerate() {
            let zero = LawSwitch::Compare(Compare::Less, event.when, Expr::ZERO);
            found.push((Of::Event(at, event.direction), zero));
        }
        // Kinematics need not be written where no law compares anything.
        if compares(tree) {
            let switches = switches(tree.writer(&sheet))?;
            found.extend(switches.into_iter().map(|one| match one {
                LawSwitch::Compare(compare, ..) => (Of::Law(compare), one),
                LawSwitch::Floor(_) => (Of::Floor, one),
            }));
        }
        let (mut graph, ..) = sheet.into_parts();
        found.retain(|(_, one)| is_of_time(one.kinds(&graph)));
        if found.is_empty() {
            return Ok(TimeConditions::default());
        }
        found.sort_by_key(|(of, one)| (!matches!(of, Of::Event(..)), *one));
        found.dedup();
        let time = match graph.node(tree.mechanism.time) {
            Node::Symbol(id) => graph.symbol_name(id).to_owned(),
            _ => "t".to_owned(),
        };
        let t = tree.mechanism.time.abs();
        let mut list = Vec::new();
        for (of, one) in found {
            let difference = one.difference(&mut graph);
            let (left, right) = match one {
                LawSwitch::Compare(_, left, right) => (left, right),
                LawSwitch::Floor(x) => (x, Expr::ZERO),
            };
            let order = graph.below(&[left, right, difference]);
            let own = |expr: Expr, other: Expr| expr.abs() == t && graph.kinds(other).is_constant();
            let plain = own(left, right) || own(right, left);
            list.push(Condition { of, left, right, difference, order, plain, known: None });
        }
        let parameters = tree.mechanism.parameters.iter().zip(&plant.point().parameters);
        let numbers = parameters.map(|(one, value)| (one.name.clone(), *value)).collect();
        let start = plant.point().t;
        let (knots, periods) = (Vec::new(), Vec::new());
        Ok(TimeConditions { graph, time, numbers, list, start, knots, periods })
    }

    /// Returns `true` if an event is one of time alone.
    pub fn has_event(&self, event: usize) -> bool {
        self.list.iter().any(|one| matches!(one.of, Of::Event(at, _) if at == event))
            || self.periods.iter().any(|one| one.0 == event)
    }

    /// Adds the times at which tables of inputs are not smooth.
    pub fn with_knots(self, knots: Vec<f64>) -> TimeConditions {
        TimeConditions { knots, ..self }
    }

    /// Adds events of a plant that happen again and again.
    pub fn with_periods(mut self, plant: &Plant) -> Result<TimeConditions, Problem> {
        let mechanism = &plant.base;
        let own = mechanism.parameters.iter().zip(&plant.point().parameters);
        let known: HashMap<&str, f64> =
            own.map(|(one, value)| (one.name.as_str(), *value)).collect();
        for (at, event) in mechanism.events.iter().enumerate() {
            let Some(period) = event.period else { continue };
            let number = |name: &str| known.get(name).copied();
            let numbers = mechanism.graph.evaluate_f64(&period, number);
            let numbers = numbers.map_err(|error| Problem::new(error, ""))?;
            let [every, first, off] = [numbers[0], numbers[1], numbers[2]];
            let name = event.name.trim_end_matches(".applied");
            if !(every > 0.0 && every.is_finite() && first.is_finite()) {
                let message = format!("controller `{name}` cannot sample every {every} s");
                return Err(Problem::new(message, "give its period a positive number"));
            }
            if off != 0.0 {
                let message =
                    format!("controller `{name}` has a delay of another number of periods");
                let help = "write the numbers of its parameters into the model file";
                return Err(Problem::new(message, help));
            }
            self.periods.push((at, every, first));
        }
        Ok(self)
    }

    /// Events that happen at the very time at which a run begins.
    pub fn at_start(&self, t: f64) -> Vec<usize> {
        let due = |&&(_, every, first): &&(usize, f64, f64)| {
            let nearest = first + ((t - first) / every).round() * every;
            (nearest - t).abs() <= 4.0 * spacing(t.abs().max(every * f64::EPSILON))
        };
        self.periods.iter().filter(due).map(|one| one.0).collect()
    }

    /// Returns `true` if an event that happens again and again happens at a boundary.
    pub fn is_sample(&self, boundary: &Boundary) -> bool {
        self.periods.iter().any(|one| boundary.events.contains(&one.0))
    }

    /// The next of the events that happen again and again, and those that happen with it.
    fn next_sample(&self, from: f64, to: f64) -> Option<Boundary> {
        let next = |&(at, every, first): &(usize, f64, f64)| {
            // Counted, so that sums of rounding errors do not shift samples.
            let mut number = ((from - first) / every).floor() + 1.0;
            while first + number * every <= from + 4.0 * spacing(from) {
                number += 1.0;
            }
            (at, first + number * every)
        };
        let all: Vec<(usize, f64)> = self.periods.iter().map(next).collect();
        // A sample at the end but for rounding is at the end.
        let end = |time: f64| if time <= to + 4.0 * spacing(to) { time.min(to) } else { time };
        let all: Vec<(usize, f64)> = all.into_iter().map(|(at, time)| (at, end(time))).collect();
        let earliest = all.iter().map(|one| one.1).reduce(f64::min).filter(|&time| time <= to)?;
        let same = |time: f64| time <= earliest + 4.0 * spacing(earliest);
        let together = all.iter().filter(|one| same(one.1));
        let after = together.clone().map(|one| one.1).fold(earliest, f64::max);
        let events = together.map(|one| one.0).collect();
        Some(Boundary { before: earliest.next_down(), after, events })
    }

    /// The first change from a time on, not beyond another. What happens within some doubles
    /// happens at once.
    pub fn next(&mut self, from: f64, to: f64) -> Option<Boundary> {
        let found = first_of(self.next_condition(from, to), self.next_sample(from, to));
        let knot = self.knots.get(self.knots.partition_point(|&knot| knot <= from));
        let knot = knot.filter(|&&knot| knot <= to).map(|&knot| Boundary {
            before: knot.next_down(),
            after: knot,
            events: Vec::new(),
        });
        first_of(found, knot)
    }

    fn next_condition(&mut self, from: f64, to: f64) -> Option<Boundary> {
        let mut found: Vec<(Change, Of)> = Vec::new();
        for at in 0..self.list.len() {
            let stale = |known: &Known| {
                let passed = known.change.is_some_and(|change| from >= change.after);
                from < known.from || to > known.to || passed
            };
            if self.list[at].known.as_ref().is_none_or(stale) {
                let change = self.search(at, from, to);
                self.list[at].known = Some(Known { from, to, change });
            }
            let change = self.list[at].known.and_then(|known| known.change);
            found.extend(change.map(|change| (change, self.list[at].of)));
        }
        found.sort_by(|(a, _), (b, _)| a.before.total_cmp(&b.before));
        let &(Change { before, mut after, .. }, _) = found.first()?;
        let mut events = Vec::new();
        for (change, of) in found {
            if change.before > after + 4.0 * spacing(after) {
                break;
            }
            after = after.max(change.after);
            if let Of::Event(at, direction) = of {
                let happens = match direction {
                    Crossing::Both => change.left != 0.0,
                    Crossing::Rising => change.left < 0.0,
                    Crossing::Falling => change.left > 0.0,
                };
                events.extend(happens.then_some(at));
            }
        }
        events.sort_unstable();
        Some(Boundary { before, after, events })
    }

    /// The shortest time between two changes near the beginning, or before the first.
    pub fn shortest(&mut self, from: f64, to: f64) -> Option<f64> {
        let mut shortest: Option<f64> = None;
        let mut at = from;
        for _ in 0..32 {
            let Some(next) = self.next(at, to) else { break };
            let gap = next.before - at;
            if gap > 64.0 * spacing(next.after) {
                shortest = Some(shortest.map_or(gap, |known| known.min(gap)));
            }
            at = next.after;
        }
        // What was found on the way is behind the run.
        self.list.iter_mut().for_each(|one| one.known = None);
        shortest
    }

    /// Where a condition changes first.
    fn search(&self, at: usize, from: f64, to: f64) -> Option<Change> {
        let condition = &self.list[at];
        let run = to - self.start;
        let mut begin = from;
        // An event that has just happened begins at its zero.
        if matches!(condition.of, Of::Event(..)) && self.state(condition, begin)? == 0.0 {
            begin += 16.0 * spacing(begin.abs().max(1e-6 * run));
        }
        let mut ranges = vec![(begin, to)];
        let mut looked = 0;
        while let Some((low, high)) = ranges.pop() {
            looked += 1;
            if looked > RANGES {
                return self.sample(condition, low, to);
            }
            let mut over = Intervals {
                symbol: &self.time,
                range: Interval::new(low, high),
                numbers: |name: &str| self.numbers.get(name).copied(),
                undecided: false,
            };
            let roots = [condition.difference];
            let found = self.graph.evaluate_in_order(&condition.order, &roots, &mut over);
            // What foreign code says of a time is not known in advance.
            let found = found.ok()?[0];
            let decided = !over.undecided;
            if decided && (!found.value.contains(0.0) || found.value == Interval::ZERO) {
                continue;
            }
            let one = decided && !found.slope.contains(0.0);
            let narrow = high - low <= (4.0 * spacing(high)).max(NARROW * run);
            if one || narrow {
                let (begin, end) = (self.state(condition, low)?, self.state(condition, high)?);
                // What touches zero and turns back has not changed.
                let turns_back = || {
                    let behind = high + 64.0 * spacing(high.abs().max(1e-6 * run));
                    end == 0.0 && self.state(condition, behind) == Some(begin)
                };
                if begin != end && !(matches!(condition.of, Of::Event(..)) && turns_back()) {
                    return self.narrow(condition, low, high);
                }
                continue;
            }
            let middle = low + 0.5 * (high - low);
            ranges.push((middle, high));
            ranges.push((low, middle));
        }
        None
    }

    /// Finds a change by points alone, for a condition that is too hard to enclose.
    fn sample(&self, condition: &Condition, from: f64, to: f64) -> Option<Change> {
        let step = (to - self.start) / POINTS;
        let first = self.state(condition, from)?;
        let mut low = from;
        while low < to {
            let high = (low + step).min(to);
            if self.state(condition, high)? != first {
                return self.narrow(condition, low, high);
            }
            low = high;
        }
        None
    }

    /// Neighbouring doubles between which a condition changes.
    fn narrow(&self, condition: &Condition, mut low: f64, mut high: f64) -> Option<Change> {
        let left = self.state(condition, low)?;
        loop {
            let middle = low + 0.5 * (high - low);
            if middle <= low || middle >= high {
                break;
            }
            if self.state(condition, middle) == Some(left) {
                low = middle;
            } else {
                high = middle;
            }
        }
        // The equations may round a little otherwise.
        let slack = match condition.of {
            Of::Law(_) | Of::Floor if !condition.plain => 2.0,
            _ => 0.0,
        };
        let (before, after) = (low - slack * spacing(low), high + slack * spacing(high));
        Some(Change { before, after, left })
    }

    /// The answer of a comparison, or the sign of an event's condition.
    fn state(&self, condition: &Condition, t: f64) -> Option<f64> {
        let roots = [condition.left, condition.right, condition.difference];
        let mut numbers = rotule_symbolic::Doubles(|name: &str| {
            if name == self.time { Some(t) } else { self.numbers.get(name).copied() }
        });
        let found = self.graph.evaluate_in_order(&condition.order, &roots, &mut numbers).ok()?;
        Some(match condition.of {
            Of::Law(compare) => f64::from(u8::from(compare.apply(found[0], found[1]))),
            Of::Floor => found[0].floor(),
            // What has no value is on no side.
            Of::Event(..) if found[2] == 0.0 || found[2].is_nan() => 0.0,
            Of::Event(..) => found[2].signum(),
        })
    }
}

/// The first of two boundaries, or both if they happen at once.
fn first_of(one: Option<Boundary>, other: Option<Boundary>) -> Option<Boundary> {
    let (one, other) = match (one, other) {
        (Some(one), Some(other)) => (one, other),
        (one, other) => return one.or(other),
    };
    if one.before > other.after {
        return Some(other);
    }
    if other.before > one.after {
        return Some(one);
    }
    let mut events = [one.events, other.events].concat();
    events.sort_unstable();
    events.dedup();
    Some(Boundary {
        before: one.before.min(other.before),
        after: one.after.max(other.after),
        events,
    })
}

/// The distance of doubles at a time.
fn spacing(t: f64) -> f64 {
    let t = t.abs();
    t.next_up() - t
}
