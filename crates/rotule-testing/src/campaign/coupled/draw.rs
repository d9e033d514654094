//! Random laws for a mechanism: all that moves is offered to each of them, but for circles.

use super::law::{Law, MEASURES, Quantity, Shape, Term};
use super::specimen::Model;
use crate::formalism::random::Random;

/// A model in the making.
pub(super) struct Draw {
    pub seed: u64,
    pub random: Random,
    /// Names of joints with the number of their speeds.
    pub joints: Vec<(String, usize)>,
    /// Names of bodies.
    pub bodies: Vec<String>,
    /// Names of wheels, and their bodies.
    pub wheels: Vec<(String, String)>,
    pub model: Model,
}

/// Quantities of wheels that are smooth in contact, and their places among the outputs of `wheel`.
const WHEEL: [(&str, usize); 7] = [
    ("depth", 0),
    ("depth_rate", 1),
    ("camber", 2),
    ("spin", 5),
    ("speed", 6),
    ("force.normal", 9),
    ("point.x", 13),
];

/// The quantities that a law may use besides coordinates, speeds, states and inputs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// Signals of places and lengths.
    Signals,
    /// Forces of line forces with a smaller number, too.
    Lines(usize),
    /// Forces of all line forces and wheels, and controllers with a smaller number.
    All(usize),
}

impl Draw {
    /// An empty model.
    pub fn new(seed: u64) -> Draw {
        let random = Random::new(47_000_000 + seed);
        let (joints, bodies, wheels) = (Vec::new(), Vec::new(), Vec::new());
        Draw { seed, random, joints, bodies, wheels, model: Model::default() }
    }

    /// Notes a joint.
    pub fn joint(&mut self, name: &str, speeds: usize) {
        self.joints.push((name.to_owned(), speeds));
    }

    /// The model with laws for everything.
    pub fn coupled(mut self) -> Model {
        let body = |own: &mut Draw| own.bodies[own.random.below(own.bodies.len())].clone();
        for _ in 0..2 {
            let place = body(&mut self);
            let from = self.random.chance(0.5).then(|| body(&mut self));
            let from = from.filter(|from| *from != place);
            self.model.sensors.push((place, from));
        }
        for (at, anchor) in ["ground.anchor", "ground.post"].into_iter().enumerate() {
            let law = self.law(3.0, Reach::Lines(at));
            let place = body(&mut self);
            self.model.lines.push(([anchor.to_owned(), place], law));
        }
        for at in 0..2 {
            let output = self.law(1.0, Reach::All(at));
            let mut rate = self.law(1.0, Reach::All(at));
            rate.linear.push((-2.0, Quantity::Named(format!("c{at}.y"))));
            let mut output = output;
            output.linear.push((1.0, Quantity::Named(format!("c{at}.y"))));
            self.model.controllers.push((rate, output));
        }
        let all = Reach::All(2);
        for (wheel, body) in std::mem::take(&mut self.wheels) {
            let law = self.law(0.3, Reach::Signals);
            self.model.wheels.push((wheel, body, law));
        }
        for (joint, speeds) in self.joints.clone() {
            let mut laws = Vec::new();
            for at in 0..speeds {
                let mut law = self.law(1.5, all);
                law.linear.push((-0.4, Quantity::Named(speed_name(&joint, at, speeds))));
                laws.push(law);
            }
            if self.model.driven.as_ref() == Some(&joint) {
                laws.clear();
            }
            self.model.efforts.push((joint, laws));
        }
        let place = body(&mut self);
        let laws = std::array::from_fn(|_| self.law(0.8, all));
        self.model.forces.push((place, laws));
        for at in 0..2 {
            let mut law = self.law(2.0, all);
            law.linear.push((-1.0, Quantity::Named(format!("x{at}"))));
            self.model.states.push(law);
        }
        self.model
    }

    /// A law of some size.
    fn law(&mut self, size: f64, reach: Reach) -> Law {
        let mut law = Law::default();
        for _ in 0..1 + self.random.below(2) {
            let count = 1 + self.random.below(2);
            law.products.push((0..count).map(|_| self.term(size, reach)).collect());
        }
        law
    }

    fn term(&mut self, size: f64, reach: Reach) -> Term {
        let shape = [Shape::Sine, Shape::Saturated, Shape::Bell][self.random.below(3)];
        let size = self.random.short(0.3, 1.0) * if self.random.chance(0.5) { size } else { -size };
        let count = 1 + self.random.below(2);
        let sum = (0..count)
            .map(|_| {
                let quantity = self.quantity(reach);
                // Forces of tyres are hundreds of newtons.
                let most = match &quantity {
                    Quantity::Wheel(_, word, _) if word.starts_with("force") => 0.005,
                    Quantity::Wheel(_, "spin", _) => 0.1,
                    _ => 1.0,
                };
                (self.random.short(0.2, 1.0) * most, quantity)
            })
            .collect();
        Term { size, shape, sum }
    }

    fn quantity(&mut self, reach: Reach) -> Quantity {
        let joint = self.random.below(self.joints.len());
        let (joint, speeds) = self.joints[joint].clone();
        let of = self.random.below(speeds);
        match self.random.below(14) {
            0 => Quantity::Time,
            1 | 2 if speeds < 6 => Quantity::Named(coordinate_name(&joint, of, speeds)),
            3 | 4 => Quantity::Named(speed_name(&joint, of, speeds)),
            5 => Quantity::Named(["x0", "x1", "u"][self.random.below(3)].to_owned()),
            6 if speeds == 1 => Quantity::Gravity(joint),
            7 | 8 => self.line(reach),
            9 | 10 if !self.model.wheels.is_empty() && matches!(reach, Reach::All(_)) => {
                let wheel = self.random.below(self.model.wheels.len());
                let (word, output) = WHEEL[self.random.below(WHEEL.len())];
                Quantity::Wheel(self.model.wheels[wheel].0.clone(), word, output)
            }
            11 => match reach {
                Reach::All(controllers) if controllers > 0 => {
                    Quantity::Output(self.random.below(controllers))
                }
                _ => self.place(),
            },
            _ => self.place(),
        }
    }

    fn line(&mut self, reach: Reach) -> Quantity {
        let at = self.random.below(2);
        let force = match reach {
            Reach::Signals => false,
            Reach::Lines(own) => at < own,
            Reach::All(_) => true,
        };
        let words = ["length", "rate", "force"];
        Quantity::Line(at, words[self.random.below(if force { 3 } else { 2 })])
    }

    /// A signal of a sensor or a body.
    fn place(&mut self) -> Quantity {
        let (measure, components) = MEASURES[self.random.below(MEASURES.len())];
        let component = self.random.below(components);
        let at = self.random.below(self.bodies.len() + self.model.sensors.len());
        match at.checked_sub(self.bodies.len()) {
            None => {
                let at = self.bodies[at].clone();
                Quantity::Place { owner: at.clone(), at, from: None, measure, component }
            }
            Some(sensor) => {
                let (at, from) = self.model.sensors[sensor].clone();
                Quantity::Place { owner: format!("s{sensor}"), at, from, measure, component }
            }
        }
    }
}

/// The name of a coordinate of a joint with less than six speeds.
fn coordinate_name(joint: &str, at: usize, speeds: usize) -> String {
    if speeds == 1 { joint.to_owned() } else { format!("{joint}[{}]", at + 1) }
}

fn speed_name(joint: &str, at: usize, speeds: usize) -> String {
    if speeds == 1 { format!("{joint}.d") } else { format!("{joint}.d[{}]", at + 1) }
}
