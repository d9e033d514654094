//! Random numbers, laws and mechanisms: what the families of [`super::families`] and
//! [`super::happenings`] are built with.

use super::law::Law;
use super::mechanism::{Body, Mechanism};
use super::system::{State, System};
use crate::formalism::random::Random;

/// A model in the making.
pub struct Draw {
    pub random: Random,
    pub system: System,
}

impl Draw {
    /// A random mechanism with springs and dampers, at rest or in motion.
    pub fn new(seed: u64, attempt: u64) -> Draw {
        let mut random = Random::new(31_000_000 + 1000 * seed + attempt);
        let to = random.short(2.0, 12.0);
        let mechanism = any_mechanism(&mut random);
        let mut draw = Draw { random, system: System::new(mechanism, to) };
        draw.natural();
        draw
    }

    /// Another mechanism, with springs and dampers.
    pub fn take(&mut self, mechanism: Mechanism) {
        self.system.mechanism = mechanism;
        self.natural();
    }

    /// A body on a line.
    pub fn line(&mut self) {
        let body = body(&mut self.random);
        self.take(Mechanism::Line(body));
    }

    /// Springs, dampers and a start.
    fn natural(&mut self) {
        self.system.start = State { q: [0.0; 2], v: [0.0; 2], s: [0.0; 2] };
        let rest = self.random.chance(0.4);
        for joint in 0..self.system.mechanism.size() {
            let mut law = Law::Number(0.0);
            if self.random.chance(0.6) {
                law = law - Law::Q(joint) * self.random.short(0.5, 20.0);
            }
            if self.random.chance(0.4) {
                law = law - Law::V(joint) * self.random.short(0.05, 0.5);
            }
            self.system.efforts[joint] = law;
            if !rest {
                self.system.start.q[joint] = self.random.short(-0.6, 0.6);
                self.system.start.v[joint] = self.random.short(-1.5, 1.5);
            }
        }
    }

    /// A spring without damping for joint 0, and its frequency; the amplitude of the motion is that
    /// of the initial speed.
    pub fn oscillator(&mut self) -> [f64; 2] {
        self.line();
        let Mechanism::Line(body) = &self.system.mechanism else { unreachable!("a line") };
        let (mass, k) = (body.mass, self.random.short(0.5, 20.0));
        self.system.efforts[0] = Law::Q(0) * (-k);
        let speed = self.random.short(0.5, 2.0);
        self.system.start = State { q: [0.0; 2], v: [speed, 0.0], s: [0.0; 2] };
        let frequency = (k / mass).sqrt();
        [frequency, speed / frequency]
    }

    /// A speed for joint 0 that is not near zero.
    pub fn moving(&mut self) {
        let sign = if self.random.chance(0.5) { 1.0 } else { -1.0 };
        self.system.start.v[0] = sign * self.random.short(0.7, 2.0);
    }

    pub fn joint(&mut self) -> usize {
        self.random.below(self.system.mechanism.size())
    }

    /// Adds a law to the effort of a joint.
    pub fn push(&mut self, joint: usize, law: Law) {
        let effort = &mut self.system.efforts[joint];
        *effort = std::mem::replace(effort, Law::Time) + law;
    }

    /// A number, which may be a parameter.
    pub fn number(&mut self, value: f64) -> Law {
        if !self.random.chance(0.3) {
            return Law::Number(value);
        }
        self.system.parameters.push(value);
        Law::Parameter(self.system.parameters.len() - 1)
    }

    /// A time inside of the run.
    pub fn moment(&mut self) -> f64 {
        let to = self.system.to;
        self.random.short(0.03 * to, 0.97 * to)
    }

    /// A duration from a thousandth to a tenth of the run, all sizes alike.
    pub fn width(&mut self) -> f64 {
        let power = self.random.between(-3.0, -1.0);
        let width = self.system.to * 10.0_f64.powf(power);
        self.feature(width);
        width
    }

    /// Takes note of the length of a feature.
    pub fn feature(&mut self, length: f64) {
        self.system.shortest = self.system.shortest.min(length);
    }

    /// Takes note of the time scale of a contact.
    pub fn stiff(&mut self, length: f64) {
        self.feature(length);
        self.system.fastest = self.system.fastest.min(length);
    }

    /// A force that does something in a time.
    pub fn height(&mut self, width: f64) -> f64 {
        let sign = if self.random.chance(0.5) { 1.0 } else { -1.0 };
        (sign * self.random.between(0.3, 2.0) / width * 1000.0).round() / 1000.0
    }

    fn guard(&mut self, law: Law) -> usize {
        self.system.guards.push(law);
        self.system.guards.len() - 1
    }

    pub fn select(&mut self, left: Law, right: Law, then: Law, otherwise: Law) -> Law {
        let guard = self.guard(left.clone() - right.clone());
        Law::If(guard, Box::new([left, right, then, otherwise]))
    }

    pub fn max(&mut self, one: impl Into<Law>, two: impl Into<Law>) -> Law {
        let (one, two) = (one.into(), two.into());
        Law::Max(self.guard(one.clone() - two.clone()), Box::new([one, two]))
    }

    pub fn min(&mut self, one: impl Into<Law>, two: impl Into<Law>) -> Law {
        let (one, two) = (one.into(), two.into());
        Law::Min(self.guard(one.clone() - two.clone()), Box::new([one, two]))
    }

    pub fn abs(&mut self, law: Law) -> Law {
        Law::Abs(self.guard(law.clone()), Box::new(law))
    }

    pub fn sign(&mut self, law: Law) -> Law {
        Law::Sign(self.guard(law.clone()), Box::new(law))
    }

    /// A value between two limits of a law, zero outside.
    pub fn band(&mut self, law: Law, from: f64, to: f64, inner: Law) -> Law {
        let (from, to) = (self.number(from), self.number(to));
        let inner = self.select(to, law.clone(), inner, Law::Number(0.0));
        self.select(law, from, inner, Law::Number(0.0))
    }

    /// A pulse at a random time.
    pub fn pulse(&mut self) -> Law {
        let (at, width) = (self.moment(), self.width());
        let height = self.height(width);
        let height = self.number(height);
        self.band(Law::Time, at, at + width, height)
    }

    /// `bump_stop(x, xd, stop, k, c, d)`, by its expression in the manual.
    pub fn bump_stop(&mut self, x: Law, xd: Law, [stop, k, c, d]: [f64; 4]) -> Law {
        let depth = self.max(0.0, x.clone() - stop);
        let share = self.min(1.0, depth.clone() * (1.0 / d));
        let inner = depth * k + xd.clone() * c * share;
        let meaning = self.max(0.0, inner);
        let numbers = [stop, k, c, d].map(Law::Number);
        Law::Call("bump_stop", [&[x, xd][..], &numbers].concat(), Box::new(meaning))
    }

    /// `hunt_crossley(p, pd, k, n, d)`, by its expression in the manual.
    pub fn hunt_crossley(&mut self, p: Law, pd: Law, [k, n, d]: [f64; 3]) -> Law {
        let power = Law::Power(Box::new(p.clone()), n as i32);
        let force = self.max(0.0, power * k * (pd.clone() * d + 1.0));
        let meaning = self.select(p.clone(), Law::Number(0.0), force, Law::Number(0.0));
        let numbers = [k, n, d].map(Law::Number);
        Law::Call("hunt_crossley", [&[p, pd][..], &numbers].concat(), Box::new(meaning))
    }

    /// `linear_tyre(x, c, limit)`, by its expression in the manual.
    pub fn linear_tyre(&mut self, x: Law, c: f64, limit: f64) -> Law {
        let inner = self.min(limit, x.clone() * c);
        let meaning = self.max(-limit, inner);
        Law::Call("linear_tyre", vec![x, c.into(), limit.into()], Box::new(meaning))
    }
}

fn any_mechanism(random: &mut Random) -> Mechanism {
    let (one, two) = (body(random), body(random));
    match random.below(6) {
        0 => Mechanism::Line(one),
        1 => Mechanism::Lift(one),
        2 => Mechanism::Pendulum(one),
        3 => Mechanism::Carts(one, two),
        4 => Mechanism::CartPole(one, two),
        _ => Mechanism::Double(one, two, random.short(0.3, 1.0)),
    }
}

fn body(random: &mut Random) -> Body {
    let (mass, arm) = (random.short(0.5, 2.5), random.short(0.3, 1.0));
    Body { mass, arm, inertia: random.short(0.01, 0.2) }
}
