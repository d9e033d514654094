//! A model of the campaign as plain data: what the model file and the reference are both made of.

use super::law::Law;
use super::mechanism::Mechanism;

/// Coordinates, speeds and states; what does not exist is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    pub q: [f64; 2],
    pub v: [f64; 2],
    pub s: [f64; 2],
}

/// A model.
#[derive(Clone, Debug)]
pub struct System {
    pub mechanism: Mechanism,
    pub parameters: Vec<f64>,
    /// Efforts of the joints.
    pub efforts: [Law; 2],
    /// Rates of the states.
    pub rates: Vec<Law>,
    /// Guards of all switches in laws and conditions; those inside of others come first.
    pub guards: Vec<Law>,
    /// Events in the order of the file, then stops.
    pub events: Vec<Event>,
    /// The range and the restitution of joints with stops.
    pub stops: [Option<([f64; 2], f64)>; 2],
    pub start: State,
    /// The length of the run.
    pub to: f64,
    /// The shortest feature: a pulse, an interval of a table, the time scale of a stiff contact, or
    /// a thousandth of the run.
    pub shortest: f64,
    /// The time scale of the stiffest contact.
    pub fastest: f64,
}

/// The direction in which a condition passes zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Rising,
    Falling,
    Both,
}

/// Quantities that an event can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Q(usize),
    V(usize),
    S(usize),
}

/// An event, or an end of a range.
#[derive(Clone, Debug)]
pub struct Event {
    pub name: String,
    pub when: Law,
    pub way: Way,
    pub set: Vec<(Target, Law)>,
    /// A joint and its restitution.
    pub impact: Option<(usize, f64)>,
    pub lock: Option<usize>,
    pub unlock: Option<usize>,
    pub end: bool,
    pub stop: bool,
}

impl Event {
    /// An event that does nothing yet.
    pub fn new(name: &str, when: Law, way: Way) -> Event {
        Event {
            name: name.to_owned(),
            when,
            way,
            set: Vec::new(),
            impact: None,
            lock: None,
            unlock: None,
            end: false,
            stop: false,
        }
    }
}

impl System {
    /// A mechanism without efforts, at rest.
    pub fn new(mechanism: Mechanism, to: f64) -> System {
        System {
            mechanism,
            parameters: Vec::new(),
            efforts: [Law::Number(0.0), Law::Number(0.0)],
            rates: Vec::new(),
            guards: Vec::new(),
            events: Vec::new(),
            stops: [None, None],
            start: State { q: [0.0; 2], v: [0.0; 2], s: [0.0; 2] },
            to,
            shortest: to / 1000.0,
            fastest: f64::INFINITY,
        }
    }
}
