//! A state with the names of its model: numbers for everything that a function may take.

use crate::error::Error;
use rotule_formalism::constraint::start::Hold;
use rotule_formalism::state::State as Numbers;
use rotule_model::mechanism::Mechanism;
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A state of a model: time, coordinates `q`, speeds `qd`, accelerations `qdd`, efforts, the model's own states and parameters.
///
/// Numbers are reached by slice (`state.q[0] = 0.3`) or by name (`state.set("q1.d", 2.0)?`): a coordinate has its own name, its
/// speed `NAME.d`, its acceleration `NAME.dd`, its effort `NAME.effort`; `t` is the time.
///
/// Where loops are closed, values that were set by name are kept before those of the model file, and values that were written by
/// slice count as those of the file; see [`Model::assemble`](crate::Model::assemble).
///
/// ```
/// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let mut state = model.state();
/// state.set("q", 0.3)?;
/// state.set("q.d", -1.0)?;
/// assert_eq!((state.q[0], state.qd[0]), (0.3, -1.0));
/// assert!(state.set("p", 1.0).is_err());
/// # Ok::<(), rotule::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct State {
    numbers: Numbers,
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
        State { numbers, names: Arc::clone(names) }
    }

    /// The plain numbers.
    pub fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// A number by its name.
    pub fn get(&self, name: &str) -> Result<f64, Error> {
        let one = &self.numbers;
        Ok(match self.place(name)? {
            Place::Time => one.t,
            Place::Coordinate(at) => one.q[at],
            Place::Speed(at) => one.qd[at],
            Place::Acceleration(at) => one.qdd[at],
            Place::Effort(at) => one.effort[at],
            Place::State(at) => one.states[at],
            Place::Parameter(at) => one.parameters[at],
        })
    }

    /// Gives the number of a name another value. What is set so is kept where loops are closed, as far as that is possible.
    pub fn set(&mut self, name: &str, value: f64) -> Result<&mut State, Error> {
        let place = self.place(name)?;
        let one = &mut self.numbers;
        match place {
            Place::Time => one.t = value,
            Place::Coordinate(at) => (one.q[at], one.hold_q[at]) = (value, Hold::State),
            Place::Speed(at) => (one.qd[at], one.hold_qd[at]) = (value, Hold::State),
            Place::Acceleration(at) => one.qdd[at] = value,
            Place::Effort(at) => one.effort[at] = value,
            Place::State(at) => one.states[at] = value,
            Place::Parameter(at) => one.parameters[at] = value,
        }
        Ok(self)
    }

    fn place(&self, name: &str) -> Result<Place, Error> {
        self.names.0.get(name).copied().ok_or_else(|| {
            let mut known: Vec<&str> = self.names.0.keys().map(String::as_str).collect();
            known.sort_unstable();
            Error::unknown("number of a state", name, known)
        })
    }
}

impl Deref for State {
    type Target = Numbers;

    fn deref(&self) -> &Numbers {
        &self.numbers
    }
}

impl DerefMut for State {
    fn deref_mut(&mut self) -> &mut Numbers {
        &mut self.numbers
    }
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.numbers == other.numbers
    }
}
