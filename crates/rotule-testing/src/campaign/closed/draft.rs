//! Model files written part by part, with random masses: what the families of [`super::planar`] and
//! [`super::spatial`] are built with.

use crate::formalism::random::Random;
use rotule_model::pose::Components;
use std::fmt::Write;

/// A model file in the making. Initial values are guesses, which assembly closes.
pub struct Draft {
    pub random: Random,
    head: String,
    ground: String,
    bodies: String,
    tail: String,
    q: String,
    /// Preferred initial speeds of single joints; all others are random.
    pub qd: Vec<(String, Vec<f64>)>,
    /// The bound of random initial speeds.
    pub speed: f64,
}

impl Draft {
    /// An empty model with gravity along -y or in a random direction.
    pub fn new(seed: u64, family: &str) -> Draft {
        let mut random = Random::new(23_000_000 + seed);
        let down = if random.chance(0.5) { [0.0, -1.0, 0.0] } else { random.direction() };
        let gravity = triple(down.map(|x| 9.81 * x));
        let speed = random.between(0.5, 3.0);
        Draft {
            random,
            head: format!("[model]\nname = \"{family}_{seed}\"\ngravity = {gravity}\n"),
            ground: String::new(),
            bodies: String::new(),
            tail: String::new(),
            q: String::new(),
            qd: Vec::new(),
            speed,
        }
    }

    /// Gravity along -z, for mechanisms on a floor.
    pub fn stand(&mut self) {
        let name = self.head.lines().nth(1).unwrap_or_default();
        self.head = format!("[model]\n{name}\ngravity = [0, 0, -9.81]\n");
    }

    /// A point of the ground.
    pub fn ground(&mut self, name: &str, at: Components) {
        writeln!(self.ground, "points.{name} = {}", triple(at)).expect("a string");
    }

    /// A body with random mass and inertia about a centre of mass near `com`. `keys` are further
    /// lines of its table.
    pub fn body(&mut self, name: &str, parent: &str, joint: &str, com: Components, keys: &str) {
        let mass = self.random.short(0.4, 2.5);
        let com = com.map(|x| x + self.random.short(-0.03, 0.03));
        let [a, b, c] = [(); 3].map(|()| mass * self.random.between(0.004, 0.03));
        let joint = match joint.starts_with('[') {
            true => joint.to_owned(),
            false => format!("{{ {joint} }}"),
        };
        write!(
            self.bodies,
            "\n[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\njoint = {joint}\nmass = {mass:?}\n\
             com = {}\ninertia = {{ xx = {:?}, yy = {:?}, zz = {:?} }}\n{keys}",
            triple(com),
            b + c,
            a + c,
            a + b
        )
        .expect("a string");
    }

    /// A bar along its x with the point `E` at its end.
    pub fn bar(&mut self, name: &str, parent: &str, joint: &str, length: f64) {
        let keys = format!("points.E = [{length:?}, 0, 0]\n");
        self.body(name, parent, joint, [length / 2.0, 0.0, 0.0], &keys);
    }

    /// A cut; `keys` are further lines of its table.
    pub fn cut(&mut self, kind: &str, ends: [&str; 2], keys: &str) {
        let number = self.tail.matches("[[cut]]").count();
        let [a, b] = ends;
        let text = format!(
            "\n[[cut]]\nname = \"c{number}\"\ntype = \"{kind}\"\nbetween = [\"{a}\", \"{b}\"]\n{keys}"
        );
        self.tail += &text;
    }

    /// Any other table.
    pub fn table(&mut self, text: &str) {
        self.tail += text;
    }

    /// A joint that moves as given.
    pub fn motion(&mut self, joint: &str, law: &str) {
        write!(self.tail, "\n[[motion]]\njoint = \"{joint}\"\nq = \"{law}\"\n").expect("a string");
    }

    /// A guess of initial coordinates.
    pub fn start(&mut self, joint: &str, q: &[f64]) {
        writeln!(self.q, "{joint} = {}", list(q)).expect("a string");
    }

    /// The model file.
    pub fn text(&self) -> String {
        let Draft { head, ground, bodies, tail, q, .. } = self;
        let ground = match ground.is_empty() {
            true => String::new(),
            false => format!("\n[ground]\n{ground}"),
        };
        format!("{head}{ground}{bodies}{tail}\n[initial.q]\n{q}")
    }
}

/// A vector as it stands in a model file.
pub fn triple(v: Components) -> String {
    format!("[{:?}, {:?}, {:?}]", v[0], v[1], v[2])
}

/// Initial values of a joint as they stand in a model file.
pub fn list(values: &[f64]) -> String {
    match values {
        [one] => format!("{one:?}"),
        _ => {
            let values: Vec<String> = values.iter().map(|x| format!("{x:?}")).collect();
            format!("[{}]", values.join(", "))
        }
    }
}

/// A revolute joint of a name about an axis.
pub fn revolute(name: &str, axis: &str) -> String {
    format!("name = \"{name}\", type = \"revolute\", axis = {axis}")
}
