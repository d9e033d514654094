//! Random gimbals that pass gimbal lock at a given distance.
//!
//! A sensor on a massless ring forbids the switch of the Euler-angle sequence, so the same model
//! runs in two descriptions. Laws have a sign `s` on all that changes with the direction of time:
//! the start of a motion that passes at a distance is found by running the model backwards from
//! there.
#![allow(dead_code, reason = "each test file uses a part")]

use rotule_model::pose::{Components, cross, dot, norm, rodrigues, scale, sub};
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::run::{End, Outcome, Threshold};
use rotule_testing::simulate::{Kept, motion, plant};
use std::fmt::Write;

/// Numbers that look random and are the same everywhere.
pub struct Random(pub u64);

impl Random {
    /// Between zero and one.
    pub fn unit(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        ((mixed ^ (mixed >> 33)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Between minus and plus one.
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    pub fn triple(&mut self) -> Components {
        [self.signed(), self.signed(), self.signed()]
    }
}

/// The event during the motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Happening {
    Nothing,
    /// A state is set at the time of the closest approach.
    SetState,
    /// The speed of an axis is raised there.
    SetSpeed(usize),
    /// A condition on an angle stops a state.
    Condition(usize),
    /// A blow on an axis when its angle passes a value.
    Impact(usize),
    /// A range with stops.
    Stop(usize),
    /// A range with stops at which the joint rests.
    Rest(usize),
    /// A joint is locked a little later, and unlocked again.
    Lock(usize),
}

const HAPPENINGS: [Happening; 17] = [
    Happening::Nothing,
    Happening::SetState,
    Happening::SetSpeed(0),
    Happening::Condition(0),
    Happening::Impact(0),
    Happening::Stop(1),
    Happening::Lock(1),
    Happening::SetSpeed(1),
    Happening::Condition(1),
    Happening::Impact(1),
    Happening::Stop(0),
    Happening::Lock(0),
    Happening::SetSpeed(2),
    Happening::Condition(2),
    Happening::Impact(2),
    Happening::Lock(2),
    Happening::Rest(1),
];

/// The time to the closest approach, and the time after it.
pub const BEFORE: f64 = 0.7;
pub const AFTER: f64 = 0.9;

/// A point of the body and one of the ground, for rods.
const TIP: Components = [0.3, 0.2, -0.4];
const ANCHOR: Components = [1.0, -0.8, 0.7];

/// A random gimbal and its state at the closest approach.
pub struct Case {
    pub distance: f64,
    pub axes: [Components; 3],
    pub angles: Components,
    pub rates: Components,
    pub laws: [String; 3],
    pub body: String,
    pub happening: Happening,
    pub child: bool,
    /// `true` if a rod holds the body, which closes a loop.
    pub looped: bool,
}

impl Case {
    pub fn new(seed: u64) -> Case {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
        (0..8).for_each(|_| _ = random.unit());
        let distance = 10_f64.powf(-1.0 - 3.0 * random.unit());
        let unit = |v: Components| scale(v, 1.0 / norm(v));
        // Perpendicular axes, often those of the frame; the third at any angle to the first.
        let (first, second, offset) = match seed % 3 {
            0 => ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], -std::f64::consts::FRAC_PI_2),
            1 => ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], 0.0),
            _ => {
                let first = unit(random.triple());
                (first, unit(cross(first, random.triple())), 3.0 * random.signed())
            }
        };
        let third = rodrigues(second, offset).map(|row| dot(row, first));
        let side = if random.unit() < 0.5 { 1.0 } else { -1.0 };
        let half = if random.unit() < 0.5 { 0.0 } else { std::f64::consts::PI };
        let beta = half + side * distance;
        let angles = [2.0 * random.signed(), beta - offset, 2.0 * random.signed()];
        // The third axis passes at this speed, and the body spins about it.
        let (speed, spin) = (0.8 + random.unit(), random.signed());
        let fast = speed / distance;
        let rates = [fast, 0.0, spin - fast * half.cos()];
        let mut law = |axis: usize| {
            let mut law = String::from("0");
            if random.unit() < 0.6 {
                write!(law, " - {:.3}*q", 0.4 * random.unit()).expect("text");
            }
            if random.unit() < 0.6 {
                // A damper on an outer axis takes all energy if the passage is close.
                let most = if axis == 1 { 0.3 } else { 0.3 * distance };
                write!(law, " - s*{:.6}*qd", most * random.unit()).expect("text");
            }
            if random.unit() < 0.5 {
                write!(law, " + {:.3}*x", 0.4 * random.signed()).expect("text");
            }
            law
        };
        let laws = [law(0), law(1), law(2)];
        let com = scale(random.triple(), 0.15);
        let body = format!(
            "mass = 1.5\ncom = {com:?}\ninertia = {{ xx = {:.3}, yy = {:.3}, zz = {:.3}, xy = {:.3} }}\n",
            1.0 + random.unit(),
            1.2 + random.unit(),
            1.1 + random.unit(),
            0.2 * random.signed()
        );
        let happening = HAPPENINGS[(seed / 3 % 17) as usize];
        let child = random.unit() < 0.4;
        let axes = [first, second, third];
        let looped = false;
        Case { distance, axes, angles, rates, laws, body, happening, child, looped }
    }

    /// The model from a state on, forwards or backwards in time.
    pub fn text(&self, backwards: bool, switches: bool, start: &Start) -> String {
        let mut text = String::from("[model]\nname = \"gimbal\"\ngravity = [0.3, -0.5, -2]\n");
        let sign = if backwards { -1 } else { 1 };
        writeln!(text, "[parameters]\ns = {sign}").expect("text");
        let names = ["a", "b", "c"];
        for k in 0..3 {
            let parent = ["ground", "ring1", "ring2"][k];
            let body = ["ring1", "ring2", "rotor"][k];
            let mut joint = format!(
                "{{ name = \"{}\", type = \"revolute\", axis = {:?}, effort = \"{}\"",
                names[k], self.axes[k], self.laws[k]
            );
            let stop = match self.happening {
                Happening::Stop(axis) => Some((axis, 0.6)),
                Happening::Rest(axis) => Some((axis, 0.0)),
                _ => None,
            };
            if let Some((_, restitution)) = stop.filter(|(axis, _)| *axis == k && !backwards) {
                let [low, high] = self.range(k);
                let range = format!("[{low:?}, {high:?}]");
                write!(joint, ", range = {range}, stop = {{ restitution = {restitution} }}")
                    .expect("text");
            }
            writeln!(
                text,
                "[[body]]\nname = \"{body}\"\nparent = \"{parent}\"\njoint = {joint} }}"
            )
            .expect("text");
        }
        text += &self.body;
        writeln!(text, "points.tip = {TIP:?}").expect("text");
        if self.child {
            text += "[[body]]\nname = \"child\"\nparent = \"rotor\"\nmass = 0.4\ncom = [0, 0.2, 0.1]\n\
                     inertia = { xx = 0.1, yy = 0.2, zz = 0.15 }\n\
                     joint = { name = \"d\", type = \"revolute\", axis = \"z\", effort = \"-0.5*q - 0.1*x\" }\n";
        }
        if self.looped {
            // The length is that of the closest approach, where the motion backwards begins.
            let length = norm(sub(self.tip(), ANCHOR));
            writeln!(
                text,
                "[ground]\npoints.anchor = {ANCHOR:?}\n[[cut]]\nname = \"rod\"\ntype = \"rod\"\n\
                 length = {length:?}\nbetween = [\"ground.anchor\", \"rotor.tip\"]"
            )
            .expect("text");
        }
        text += "[[state]]\nname = \"x\"\nrate = \"s*(sin(a) + 0.2*b - cos(c) - x)\"\n";
        writeln!(text, "initial = {:?}", start.state).expect("text");
        if !backwards {
            text += &self.event();
        }
        if !switches {
            text += "[[sensor]]\nname = \"ring\"\nat = \"ring1\"\nmeasures = [\"rotation\"]\n";
        }
        let names = ["a", "b", "c", "d"];
        text += "[initial.q]\n";
        names
            .iter()
            .zip(&start.q)
            .for_each(|(name, q)| writeln!(text, "{name} = {q:?}").expect("text"));
        text += "[initial.qd]\n";
        names
            .iter()
            .zip(&start.qd)
            .for_each(|(name, qd)| writeln!(text, "{name} = {qd:?}").expect("text"));
        text
    }

    /// A value that an angle passes near the closest approach.
    fn passed(&self, axis: usize) -> f64 {
        // The outer angles sweep half a revolution there; the middle one comes within the distance
        // and goes again.
        let side = if self.beta_falls() { 1.0 } else { -1.0 };
        match axis {
            1 => self.angles[1] + side * 2.0 * self.distance,
            _ => self.angles[axis] + 0.4 * self.rates[axis].signum(),
        }
    }

    /// Returns `true` if the middle angle falls towards gimbal lock.
    fn beta_falls(&self) -> bool {
        // The nearest multiple of pi is the locked angle.
        let offset = self.offset();
        let beta = self.angles[1] + offset;
        beta > (beta / std::f64::consts::PI).round() * std::f64::consts::PI
    }

    /// Where the tip is at the closest approach.
    fn tip(&self) -> Components {
        let rotate = |tip: Components, at: usize| {
            rodrigues(self.axes[at], self.angles[at]).map(|row| dot(row, tip))
        };
        [2, 1, 0].into_iter().fold(TIP, rotate)
    }

    fn offset(&self) -> f64 {
        let across = cross(self.axes[0], self.axes[1]);
        (-dot(self.axes[2], across)).atan2(dot(self.axes[2], self.axes[0]))
    }

    fn range(&self, axis: usize) -> [f64; 2] {
        let end = self.passed(axis);
        if self.rises(axis) { [-50.0, end] } else { [end, 50.0] }
    }

    /// Returns `true` if an angle first rises beyond the value that it passes.
    fn rises(&self, axis: usize) -> bool {
        if axis == 1 { !self.beta_falls() } else { self.rates[axis] > 0.0 }
    }

    fn event(&self) -> String {
        let names = ["a", "b", "c"];
        let t = BEFORE + 0.3 * self.distance;
        match self.happening {
            Happening::Nothing | Happening::Stop(_) | Happening::Rest(_) => String::new(),
            Happening::SetState => {
                format!(
                    "[[event]]\nname = \"e\"\nwhen = \"t - {t:?}\"\nset = {{ x = \"x + 0.5\" }}\n"
                )
            }
            Happening::SetSpeed(axis) => {
                let name = names[axis];
                format!(
                    "[[event]]\nname = \"e\"\nwhen = \"t - {t:?}\"\nset = {{ \"{name}.d\" = \"{name}.d + 0.3\" }}\n"
                )
            }
            Happening::Condition(axis) => format!(
                "[[event]]\nname = \"e\"\nwhen = \"{} - {:?}\"\nset = {{ x = \"1 + 0.1*b\" }}\n",
                names[axis],
                self.passed(axis)
            ),
            Happening::Impact(axis) => {
                // Blows on an outer axis at an angle would follow each other ever faster.
                let when = match axis {
                    1 => format!("b - {:?}", self.passed(axis)),
                    _ => format!("t - {t:?}"),
                };
                let way = if axis == 1 && !self.rises(axis) { "falling" } else { "rising" };
                format!(
                    "[[event]]\nname = \"e\"\nwhen = \"{when}\"\ndirection = \"{way}\"\nimpact = {{ joint = \"{}\", restitution = 0.5 }}\n",
                    names[axis]
                )
            }
            Happening::Lock(axis) => {
                let (lock, unlock, name) =
                    (BEFORE + 3.0 * self.distance, BEFORE + 0.3, names[axis]);
                format!(
                    "[[event]]\nname = \"e\"\nwhen = \"t - {lock:?}\"\nimpact = {{ joint = \"{name}\", restitution = 0 }}\nlock = [\"{name}\"]\n\
                     [[event]]\nname = \"f\"\nwhen = \"t - {unlock:?}\"\nunlock = [\"{name}\"]\n"
                )
            }
        }
    }

    /// The state from which the closest approach is reached.
    pub fn start(&self) -> Start {
        let extra = usize::from(self.child);
        let mut q = self.angles.to_vec();
        let mut qd: Vec<f64> = self.rates.iter().map(|rate| -rate).collect();
        q.extend(vec![0.2; extra]);
        qd.extend(vec![0.1; extra]);
        let text = self.text(true, false, &Start { q, qd, state: 0.1 });
        let (outcome, kept) = run(&text, 1e-11, BEFORE, BEFORE);
        assert_eq!(outcome.end, End::Reached);
        let last = kept.points.last().expect("a point");
        Start {
            q: last.q.clone(),
            qd: last.qd.iter().map(|speed| -speed).collect(),
            state: last.states[0],
        }
    }
}

/// An initial state.
pub struct Start {
    pub q: Vec<f64>,
    pub qd: Vec<f64>,
    pub state: f64,
}

/// Runs a model and keeps its samples.
pub fn run(text: &str, tolerance: f64, to: f64, every: f64) -> (Outcome, Kept) {
    let mut plant = plant(text);
    let accuracy = Accuracy::Within { relative: tolerance, absolute: tolerance };
    let mut method = method("dop853", accuracy, plant.size()).expect("a method");
    motion(&mut plant, method.as_mut(), to, every, Threshold::AUTOMATIC)
}
