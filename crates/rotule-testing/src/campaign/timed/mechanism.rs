//! The equations of motion of five mechanisms of one and two bodies, by hand: `M a = F - b`.

use super::law::JOINTS;
use std::fmt::Write;

const G: f64 = 9.81;

/// A body: its mass, the distance of its centre of mass from its joint, and its inertia about the
/// centre of mass.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    pub mass: f64,
    pub arm: f64,
    pub inertia: f64,
}

/// A mechanism. Angles are about y and zero where bodies hang.
#[derive(Clone, Debug)]
pub enum Mechanism {
    /// A body on a line across its weight.
    Line(Body),
    /// A body on a line along its weight, upwards.
    Lift(Body),
    Pendulum(Body),
    /// A slider on a cart, both along x.
    Carts(Body, Body),
    /// A pendulum on a cart.
    CartPole(Body, Body),
    /// Two pendulums, and the distance of their joints.
    Double(Body, Body, f64),
}

impl Mechanism {
    /// Number of coordinates.
    pub fn size(&self) -> usize {
        match self {
            Mechanism::Line(_) | Mechanism::Lift(_) | Mechanism::Pendulum(_) => 1,
            _ => 2,
        }
    }

    /// The mass matrix and what weights and speeds do. A second coordinate that does not exist has
    /// mass one.
    pub fn equations(&self, q: [f64; 2], v: [f64; 2]) -> ([[f64; 2]; 2], [f64; 2]) {
        let single = |mass: f64, bias: f64| ([[mass, 0.0], [0.0, 1.0]], [bias, 0.0]);
        match *self {
            Mechanism::Line(one) => single(one.mass, 0.0),
            Mechanism::Lift(one) => single(one.mass, one.mass * G),
            Mechanism::Pendulum(one) => {
                single(one.about_joint(), one.mass * G * one.arm * q[0].sin())
            }
            Mechanism::Carts(one, two) => {
                ([[one.mass + two.mass, two.mass], [two.mass, two.mass]], [0.0; 2])
            }
            Mechanism::CartPole(one, two) => {
                let (s, c) = q[1].sin_cos();
                let moment = two.mass * two.arm;
                let mass = [[one.mass + two.mass, -moment * c], [-moment * c, two.about_joint()]];
                (mass, [moment * s * v[1] * v[1], moment * G * s])
            }
            Mechanism::Double(one, two, length) => {
                let (s, c) = q[1].sin_cos();
                let moment = two.mass * two.arm;
                let far = two.about_joint() + moment * length * c;
                let near =
                    one.about_joint() + far + two.mass * length * length + moment * length * c;
                let (weight, rotated) = (G * q[0].sin(), moment * G * (q[0] + q[1]).sin());
                let swing = moment * length * s;
                let first = -swing * v[1] * (2.0 * v[0] + v[1]);
                let lever = one.mass * one.arm + two.mass * length;
                let bias = [first + lever * weight + rotated, swing * v[0] * v[0] + rotated];
                ([[near, far], [far, two.about_joint()]], bias)
            }
        }
    }

    /// The tables of the model file; `keys` are further keys of the joints.
    pub fn write(&self, keys: &[String; 2], text: &mut String) {
        let (line, lift, turn) = (
            "\"prismatic\", axis = \"x\"",
            "\"prismatic\", axis = \"z\"",
            "\"revolute\", axis = \"y\"",
        );
        let parts: Vec<(&str, Body, f64)> = match *self {
            Mechanism::Line(one) => vec![(line, one, 0.0)],
            Mechanism::Lift(one) => vec![(lift, one, 0.0)],
            Mechanism::Pendulum(one) => vec![(turn, one, 0.0)],
            Mechanism::Carts(one, two) => vec![(line, one, 0.0), (line, two, 0.0)],
            Mechanism::CartPole(one, two) => vec![(line, one, 0.0), (turn, two, 0.0)],
            Mechanism::Double(one, two, length) => vec![(turn, one, 0.0), (turn, two, length)],
        };
        for (at, (kind, body, below)) in parts.into_iter().enumerate() {
            let (name, joint) = (["one", "two"][at], JOINTS[at]);
            let parent = ["ground", "one"][at];
            let Body { mass, arm, inertia } = body;
            write!(
                text,
                "\n[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\nposition = [0, 0, {:?}]\n\
                 joint = {{ name = \"{joint}\", type = {kind}{} }}\n\
                 mass = {mass:?}\ncom = [0, 0, {:?}]\ninertia = {{ yy = {inertia:?} }}\n",
                -below, keys[at], -arm
            )
            .expect("a string");
        }
    }
}

impl Body {
    /// The inertia about the joint.
    fn about_joint(&self) -> f64 {
        self.inertia + self.mass * self.arm * self.arm
    }
}
