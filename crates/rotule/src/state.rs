//! A state with the names of its model: numbers for everything that a function may take.

use crate::error::Error;
use rotule_formalism::constraint::start::Hold;
use rotule_formalism::state::StateNumbers as Numbers;
use rotule_model::mechanism::Mechanism;
use std::collections::HashMap;
use std::sync::Arc;

/// A state of a model: numbers for everything that a function may take, in SI units and radians.
///
/// Numbers are reached by slice (`state.q[0] = 0.3`) or by name (`state.set("q1.d", 2.0)?`): a
/// coordinate has its own name, its speed `NAME.d`, its acceleration `NAME.dd`, its effort
/// `NAME.effort`; `t` is the time, and parameters and the model's own states have their names.
///
/// Where loops are closed, values that were set by name are kept before those of the model file,
/// and values that were written by slice count as those of the file; see
/// [`Model::assemble`](crate::Model::assemble).
///
/// ```
/// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let mut state = model.state();
/// state.set("q", 0.3)?.set("q.d", -1.0)?;
/// assert_eq!((state.q[0], state.qd[0]), (0.3, -1.0));
/// assert_eq!(state.get("l")?, 0.5);
/// assert!(state.set("p", 1.0).is_err());
/// # Ok::<(), rotule::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct State {
    /// Time in seconds.
    pub t: f64,
    /// Coordinates, in the order of [`Model::coordinates`](crate::Model::coordinates).
    pub q: Vec<f64>,
    /// Speeds, in the order of [`Model::speeds`](crate::Model::speeds).
    pub qd: Vec<f64>,
    /// Accelerations, in the order of the speeds. Functions such as `inverse` take them; a
    /// simulation computes its own.
    pub qdd: Vec<f64>,
    /// Efforts besides those of the joint laws, in the order of the speeds. In a simulation they
    /// are constant.
    pub effort: Vec<f64>,
    /// The model's own states (`[[state]]`).
    pub states: Vec<f64>,
    /// Parameters, in the order of [`Model::parameters`](crate::Model::parameters).
    pub parameters: Vec<f64>,
    /// The firmness of coordinates and speeds where loops are closed.
    hold_q: Vec<Hold>,
    hold_qd: Vec<Hold>,
    names: Arc<Names>,
}

/// Where a number of a state stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Time,
    Coordinate(usize),
    Speed(usize),
    Acceleration(usize),
    Effort(usize),
    State(usize),
    Parameter(usize),
}

/// The names of all numbers of a state.
#[derive(Debug)]
pub(crate) struct Names(HashMap<String, Place>);

impl Names {
    pub(crate) fn new(mechanism: &Mechanism) -> Names {
        let graph = &mechanism.graph;
        let mut names = HashMap::new();
        for (at, one) in mechanism.parameters.iter().enumerate() {
            names.insert(one.name.clone(), Place::Parameter(at));
        }
        for (at, one) in mechanism.states.iter().enumerate() {
            names.insert(one.name.clone(), Place::State(at));
        }
        for (at, one) in mechanism.speeds.iter().enumerate() {
            names.insert(one.name.clone(), Place::Speed(at));
            names.insert(graph.text(one.acceleration), Place::Acceleration(at));
            names.insert(graph.text(one.effort), Place::Effort(at));
        }
        for (at, one) in mechanism.coordinates.iter().enumerate() {
            names.insert(one.name.clone(), Place::Coordinate(at));
        }
        names.insert("t".to_owned(), Place::Time);
        Names(names)
    }
}

impl State {
    pub(crate) fn new(numbers: Numbers, names: &Arc<Names>) -> State {
        let Numbers { t, q, qd, hold_q, hold_qd, states, qdd, effort, parameters } = numbers;
        let names = Arc::clone(names);
        State { t, q, qd, qdd, effort, states, parameters, hold_q, hold_qd, names }
    }

    /// The plain numbers, as the layers below take them.
    pub fn numbers(&self) -> Numbers {
        let State { t, q, qd, qdd, effort, states, parameters, hold_q, hold_qd, .. } = self.clone();
        Numbers { t, q, qd, hold_q, hold_qd, states, qdd, effort, parameters }
    }

    /// A state with the same names and other numbers.
    pub(crate) fn with(&self, numbers: Numbers) -> State {
        State::new(numbers, &self.names)
    }

    /// A number by its name.
    pub fn get(&self, name: &str) -> Result<f64, Error> {
        Ok(match self.place(name)? {
            Place::Time => self.t,
            Place::Coordinate(at) => self.q[at],
            Place::Speed(at) => self.qd[at],
            Place::Acceleration(at) => self.qdd[at],
            Place::Effort(at) => self.effort[at],
            Place::State(at) => self.states[at],
            Place::Parameter(at) => self.parameters[at],
        })
    }

    /// Gives the number of a name another value. What is set so is kept where loops are closed, as
    /// far as that is possible.
    pub fn set(&mut self, name: &str, value: f64) -> Result<&mut State, Error> {
        match self.place(name)? {
            Place::Time => self.t = value,
            Place::Coordinate(at) => (self.q[at], self.hold_q[at]) = (value, Hold::State),
            Place::Speed(at) => (self.qd[at], self.hold_qd[at]) = (value, Hold::State),
            Place::Acceleration(at) => self.qdd[at] = value,
            Place::Effort(at) => self.effort[at] = value,
            Place::State(at) => self.states[at] = value,
            Place::Parameter(at) => self.parameters[at] = value,
        }
        Ok(self)
    }

    fn place(&self, name: &str) -> Result<Place, Error> {
        self.names.0.get(name).copied().ok_or_else(|| {
            let mut known: Vec<&str> = self.names.0.keys().map(String::as_str).collect();
            known.sort_unstable();
            Error::unknown("coordinate, speed or parameter", name, known)
        })
    }
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.numbers() == other.numbers()
    }
}
