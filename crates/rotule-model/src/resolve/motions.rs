//! Given motions: whether speeds and accelerations are derivatives of what they belong to, and
//! whether anything jumps.
//!
//! Both are found in numbers, at the values of the parameters: derivatives are compared at many
//! times, and around the times at which a condition changes the motion is compared on both sides.
//! Conditions that are linear in time are found wherever they change, others within [`SPAN`]. What
//! foreign functions give is not looked at.

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft;
use crate::mechanism::{Joint, Mechanism, Role};
use crate::pose::{Pose, add, cross, dot, of_quaternion, scale};
use crate::resolve::{Resolver, rounded};
use crate::source::Span;
use rotule_symbolic::{Binary, Expr, Kind, Node, Unary};
use rustc_hash::FxHashMap;

/// Motions are looked at from time zero to this time, in seconds.
const SPAN: f64 = 10.0;
/// Times at which derivatives are compared.
const TIMES: usize = 60;
/// Intervals of the span in which a change of a condition is searched.
const INTERVALS: usize = 500;
/// Differences below this fraction of the largest value are rounding of written digits.
const ROUNDING: f64 = 1e-6;
/// Distance from a change of a condition at which its two sides are compared, relative to the time.
const ASIDE: f64 = 1e-9;
/// Changes of conditions that are looked at in one motion.
const CHANGES: usize = 200;
/// Nodes of the graph that may be passed for all motions of a model: a large one is looked at less
/// closely.
const WORK: usize = 400_000_000;

/// A motion with all that is evaluated of it.
struct Course {
    /// Coordinates, their derivatives, speeds, their derivatives, accelerations, conditions, in
    /// this order.
    exprs: Vec<Expr>,
    /// Number of of each.
    counts: [usize; 6],
}

/// One kind of the quantities of a [`Course`], by its position there.
#[derive(Clone, Copy)]
enum Part {
    Coordinates,
    CoordinateRates,
    Speeds,
    SpeedRates,
    Accelerations,
    Conditions,
}

impl Course {
    fn part<'v>(&self, part: Part, values: &'v [f64]) -> &'v [f64] {
        let start: usize = self.counts[..part as usize].iter().sum();
        &values[start..start + self.counts[part as usize]]
    }
}

impl<'d> Resolver<'d> {
    /// Reports motions that contradict themselves or jump.
    pub(super) fn check_motions(&mut self, mechanism: &Mechanism) {
        let draft = self.draft;
        if draft.motions.is_empty() || self.out.has_errors() {
            return;
        }
        let joints = mechanism.joints.iter().map(|joint| (joint.name.as_str(), joint));
        let joints: FxHashMap<&str, &Joint> = joints.collect();
        let mut work = WORK;
        for motion in &draft.motions {
            let Some(joint) = joints.get(motion.joint.value.as_str()) else { continue };
            let Some(course) = self.course(joint) else { continue };
            self.check_derivatives(motion, joint, &course, &mut work);
            self.check_jumps(motion, joint, &course, &mut work);
        }
    }

    /// The course of a driven joint; none if a foreign function has a part in it.
    fn course(&mut self, joint: &Joint) -> Option<Course> {
        let Role::Driven { q, qd, qdd } = &joint.role else { return None };
        let given = [&q[..], qd, qdd].concat();
        let of_time = |&expr: &Expr| self.graph.kinds(expr).iter().all(|kind| kind <= Kind::Time);
        // What inputs do is not known beforehand.
        if !given.iter().all(of_time) {
            return None;
        }
        let nodes = self.graph.reachable(&given);
        let (mut pairs, mut floors) = (Vec::new(), Vec::new());
        for &expr in &nodes {
            match self.graph.node(expr) {
                Node::Call(..) => return None,
                Node::Select(_, operands) => pairs.push((operands[0], operands[1])),
                Node::Unary(Unary::Abs | Unary::Sign, x) => pairs.push((x, Expr::ZERO)),
                Node::Unary(Unary::Floor, x) => floors.push(x),
                Node::Binary(Binary::Min | Binary::Max, x, y) => pairs.push((x, y)),
                // It jumps where its first argument changes sign, if the second is negative.
                Node::Binary(Binary::Atan2, y, _) => pairs.push((y, Expr::ZERO)),
                _ => {}
            }
        }
        // A sine of half a turn per unit changes its sign at every integer.
        for x in floors {
            let pi = self.graph.pi();
            let angle = self.graph.mul(pi, x);
            pairs.push((self.graph.sin(angle), Expr::ZERO));
        }
        let differences = pairs.into_iter().map(|(left, right)| self.graph.sub(left, right));
        let mut conditions: Vec<Expr> = differences.collect();
        conditions.retain(|&one| self.graph.kinds(one).contains(Kind::Time));
        conditions.sort_unstable_by_key(|one| one.abs().index());
        conditions.dedup_by_key(|one| one.abs());
        let time = self.time;
        let mut rates = |list: &[Expr]| -> Vec<Expr> {
            list.iter().map(|&expr| self.graph.derivative(expr, time)).collect()
        };
        let parts = [q.clone(), rates(q), qd.clone(), rates(qd), qdd.clone(), conditions];
        let counts = parts.each_ref().map(Vec::len);
        Some(Course { exprs: parts.concat(), counts })
    }

    /// Values of expressions at a time; none if the work is used up.
    fn values(&self, exprs: &[Expr], t: f64, work: &mut usize) -> Option<Vec<f64>> {
        *work = work.checked_sub(self.graph.len())?;
        let number =
            |name: &str| if name == "t" { Some(t) } else { self.numbers.get(name).copied() };
        self.graph.evaluate_f64(exprs, number).ok()
    }

    /// Compares speeds and accelerations that are given with the derivatives of coordinates and
    /// speeds.
    fn check_derivatives(
        &mut self,
        motion: &draft::Motion,
        joint: &Joint,
        course: &Course,
        work: &mut usize,
    ) {
        let mut worst = [Worst::default(), Worst::default()];
        if motion.qd.is_none() && motion.qdd.is_none() {
            return;
        }
        let changes = self.changes(course, work);
        for t in times(&changes) {
            let Some(values) = self.values(&course.exprs, t, work) else { break };
            let part = |part: Part| course.part(part, &values);
            let (q, qd) = (part(Part::Coordinates), part(Part::Speeds));
            worst[0].compare(&rates_of(q, qd), part(Part::CoordinateRates), t);
            worst[1].compare(part(Part::Accelerations), part(Part::SpeedRates), t);
        }
        let name = joint.name.as_str();
        let rows = [
            (&motion.qd, "speed", "qd", "q", &worst[0]),
            (&motion.qdd, "acceleration", "qdd", "qd", &worst[1]),
        ];
        for (given, word, key, of, worst) in rows {
            let Some(given) = given.as_ref().filter(|_| worst.counts()) else { continue };
            let (by, at) = (rounded(worst.difference, 4), rounded(worst.time, 4));
            let message = format!(
                "the {word} of the motion of joint `{name}` is not the derivative of its `{of}`: \
                 they differ by {by} at t = {at} s"
            );
            let help = match joint.quaternion() {
                None => format!("leave `{key}` out: it follows by differentiation"),
                Some(_) => {
                    format!("give the derivative as `{key}`, along the axes of the moving body")
                }
            };
            self.out
                .push(Diagnostic::warning(DiagnosticCode::Motion, given.span, message).help(help));
        }
    }

    /// Looks at coordinates and speeds from both sides of every change of a condition.
    fn check_jumps(
        &mut self,
        motion: &draft::Motion,
        joint: &Joint,
        course: &Course,
        work: &mut usize,
    ) {
        let rows = [
            (Part::Coordinates, Part::CoordinateRates, "", motion.q.span),
            (Part::Speeds, Part::SpeedRates, "the speed of ", self.speed_span(motion)),
        ];
        let changes = self.changes(course, work);
        // The largest coordinate and speed: what is much smaller is rounding.
        let mut largest = [0.0_f64; 2];
        for t in if changes.is_empty() { Vec::new() } else { times(&changes) } {
            let Some(values) = self.values(&course.exprs, t, work) else { return };
            for ((part, ..), largest) in rows.iter().zip(&mut largest) {
                let finite = course.part(*part, &values).iter().filter(|value| value.is_finite());
                *largest = finite.fold(*largest, |most, value| most.max(value.abs()));
            }
        }
        for t in changes {
            let aside = ASIDE * t.max(1.0);
            let sides = [t - aside, t + aside].map(|t| self.values(&course.exprs, t, work));
            let [Some(before), Some(after)] = sides else { return };
            for ((part, rates, words, span), largest) in rows.into_iter().zip(largest) {
                let of = |values| course.part(part, values);
                let slopes = [course.part(rates, &before), course.part(rates, &after)];
                for (at, (a, b)) in of(&before).iter().zip(of(&after)).enumerate() {
                    let steep = slopes[0].get(at).map_or(0.0, |x| x.abs());
                    let steep = slopes[1].get(at).map_or(steep, |x| steep.max(x.abs()));
                    let jump = (b - a).abs();
                    let known = 4.0 * aside * steep + ROUNDING * largest.max(a.abs()).max(b.abs());
                    if !jump.is_finite() || jump <= known {
                        continue;
                    }
                    let (by, at) = (rounded(b - a, 4), rounded(t, 4));
                    let name = &joint.name;
                    let message =
                        format!("{words}the motion of joint `{name}` jumps by {by} at t = {at} s");
                    let help = "let the segments meet with the same value and the same slope: \
                                a jump needs an impulse, which is not computed";
                    self.out.push(
                        Diagnostic::warning(DiagnosticCode::Motion, span, message).help(help),
                    );
                    return;
                }
            }
        }
    }

    fn speed_span(&self, motion: &draft::Motion) -> Span {
        motion.qd.as_ref().map_or(motion.q.span, |qd| qd.span)
    }

    /// Times at which conditions change, in order.
    fn changes(&mut self, course: &Course, work: &mut usize) -> Vec<f64> {
        let start = course.exprs.len() - course.counts[Part::Conditions as usize];
        let (mut found, mut others) = (Vec::new(), Vec::new());
        for &condition in &course.exprs[start..] {
            let slope = self.graph.derivative(condition, self.time);
            if self.graph.kinds(slope).contains(Kind::Time) {
                others.push(condition);
            } else if let Some(values) = self.values(&[condition, slope], 0.0, work) {
                found.push(-values[0] / values[1]);
            }
        }
        let mut last: Option<(f64, Vec<f64>)> = None;
        for k in 0..=if others.is_empty() { 0 } else { INTERVALS } {
            let t = SPAN * k as f64 / INTERVALS as f64;
            let Some(values) = self.values(&others, t, work) else { break };
            if let Some((before, old)) = last {
                for (at, (a, b)) in old.iter().zip(&values).enumerate() {
                    if (*a > 0.0) != (*b > 0.0) && found.len() < CHANGES {
                        found.extend(self.bracket(others[at], *a > 0.0, [before, t], work));
                    }
                }
            }
            last = Some((t, values));
        }
        // What happens before the start does not count: both sides of a change lie behind it.
        found.retain(|t| t.is_finite() && *t > ASIDE);
        found.sort_by(f64::total_cmp);
        found.dedup();
        found.truncate(CHANGES);
        found
    }

    /// The time between two at which a condition that was positive or not changes.
    fn bracket(
        &self,
        condition: Expr,
        positive: bool,
        [mut from, mut to]: [f64; 2],
        work: &mut usize,
    ) -> Option<f64> {
        for _ in 0..60 {
            let middle = 0.5 * (from + to);
            let value = self.values(&[condition], middle, work)?[0];
            if (value > 0.0) == positive { from = middle } else { to = middle }
        }
        Some(to)
    }
}

/// Times at which a motion is looked at: spread evenly over the span and never round, and one on
/// each side of changes.
fn times(changes: &[f64]) -> Vec<f64> {
    let golden = |k: usize| SPAN * (k as f64 * 0.618_033_988_749_895).fract();
    let aside = changes.iter().flat_map(|t| [0.99 * t, 1.01 * t + 0.01]);
    (1..=TIMES).map(golden).chain(aside).collect()
}

/// The largest difference between two lists of values over all times.
#[derive(Default)]
struct Worst {
    difference: f64,
    time: f64,
    largest: f64,
}

impl Worst {
    fn compare(&mut self, given: &[f64], derived: &[f64], t: f64) {
        for (a, b) in given.iter().zip(derived) {
            let difference = (a - b).abs();
            if !difference.is_finite() {
                continue;
            }
            self.largest = self.largest.max(a.abs()).max(b.abs());
            if difference > self.difference {
                (self.difference, self.time) = (difference, t);
            }
        }
    }

    fn counts(&self) -> bool {
        self.difference > ROUNDING * self.largest
    }
}

/// Derivatives of coordinates for speeds: the speeds themselves but where there is a quaternion.
fn rates_of(q: &[f64], qd: &[f64]) -> Vec<f64> {
    if q.len() == qd.len() {
        return qd.to_vec();
    }
    // A position, if there is one, then a quaternion; velocities are along the axes of the moving
    // body.
    let position = q.len() - 4;
    let [w, x, y, z] = [0, 1, 2, 3].map(|i| q[position + i]);
    let (turn, vector) = ([0, 1, 2].map(|i| qd[position + i]), [x, y, z]);
    let mut rates = Vec::new();
    if position == 3 {
        let frame = Pose { rotation: of_quaternion(&q[3..]), ..Pose::IDENTITY };
        rates.extend(frame.turn([qd[0], qd[1], qd[2]]));
    }
    rates.push(-0.5 * dot(vector, turn));
    rates.extend(scale(add(scale(turn, w), cross(vector, turn)), 0.5));
    rates
}
