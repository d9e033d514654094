//! A state with the names of its model: numbers for everything that a function may take.

use crate::error::Error;
use rotule_formalism::no_numbers;
use rotule_model::component_names::{ComponentQuantity, numbered_name};
use rotule_model::mechanism::Mechanism;
use rotule_numeric::initial_values::Hold;
use rotule_numeric::state::{StateNumbers as Numbers, StatePlace};
use std::collections::HashMap;
use std::iter;
use std::sync::Arc;

/// A state of a model: numbers for everything that a function may take, in SI units and radians.
///
/// Numbers are reached by slice (`state.q[0] = 0.3`) or by name (`state.set("q1.d", 2.0)?`): a
/// coordinate has its own name, its speed `NAME.d`, its acceleration `NAME.dd`, its effort
/// `NAME.effort`; `t` is the time, and parameters and the model's own states have their names.
/// Components of a free or spherical joint `base` have letters: coordinates `base.x`, `base.qw`,
/// speeds `base.vx`, `base.wx`, accelerations `base.vx.d`, efforts `base.fx`, `base.tx`; see
/// [`Model::coordinates`](crate::Model::coordinates).
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
    /// The direction of Hessian-vector products, all ones at first: of coordinates along the
    /// speeds, of speeds, and of accelerations or efforts.
    pub direction: Vec<f64>,
    /// The weights of rows in Hessian-vector products, all ones at first.
    pub weight: Vec<f64>,
    /// The model's own states (`[[state]]`).
    pub states: Vec<f64>,
    /// The model's inputs (`[[input]]`), each with its derivatives behind it if motions or
    /// constraints need them. In a simulation they hold where no signal is given.
    pub inputs: Vec<f64>,
    /// Parameters, in the order of [`Model::parameters`](crate::Model::parameters).
    pub parameters: Vec<f64>,
    /// The firmness of coordinates and speeds where loops are closed.
    hold_q: Vec<Hold>,
    hold_qd: Vec<Hold>,
    names: Arc<Names>,
}

/// The names of all numbers of a state.
#[derive(Debug)]
pub(crate) struct Names(HashMap<String, StatePlace>);

impl Names {
    pub(crate) fn new(mechanism: &Mechanism) -> Names {
        let graph = &mechanism.graph;
        let mut names = HashMap::new();
        for (at, one) in mechanism.parameters.iter().enumerate() {
            names.insert(one.name.clone(), StatePlace::Parameter(at));
        }
        for (at, one) in mechanism.states.iter().enumerate() {
            names.insert(one.name.clone(), StatePlace::State(at));
        }
        for (at, one) in mechanism.inputs.iter().enumerate() {
            names.insert(one.name.clone(), StatePlace::Input(at));
        }
        // Components of free and spherical joints have their numbers as other names: `base.d[4]`.
        for joint in &mechanism.joints {
            for (index, at) in joint.speeds.clone().enumerate() {
                let of = |quantity| numbered_name(joint.kind, &joint.name, quantity, index);
                names.insert(of(ComponentQuantity::Acceleration), StatePlace::Acceleration(at));
                names.insert(of(ComponentQuantity::Effort), StatePlace::Effort(at));
            }
        }
        for (at, one) in mechanism.speeds.iter().enumerate() {
            names.insert(one.alias.clone(), StatePlace::Speed(at));
            names.insert(one.name.clone(), StatePlace::Speed(at));
            names.insert(graph.text(one.acceleration), StatePlace::Acceleration(at));
            names.insert(graph.text(one.effort), StatePlace::Effort(at));
        }
        for (at, one) in mechanism.coordinates.iter().enumerate() {
            names.insert(one.alias.clone(), StatePlace::Coordinate(at));
            names.insert(one.name.clone(), StatePlace::Coordinate(at));
        }
        names.insert("t".to_owned(), StatePlace::Time);
        Names(names)
    }
}

impl State {
    pub(crate) fn new(numbers: Numbers, names: &Arc<Names>) -> State {
        let Numbers {
            t,
            q,
            qd,
            hold_q,
            hold_qd,
            states,
            inputs,
            qdd,
            effort,
            direction,
            weight,
            parameters,
        } = numbers;
        let names = Arc::clone(names);
        State {
            t,
            q,
            qd,
            qdd,
            effort,
            direction,
            weight,
            states,
            inputs,
            parameters,
            hold_q,
            hold_qd,
            names,
        }
    }

    /// The plain numbers, as the layers below take them.
    pub fn numbers(&self) -> Numbers {
        let State {
            t,
            q,
            qd,
            qdd,
            effort,
            direction,
            weight,
            states,
            inputs,
            parameters,
            hold_q,
            hold_qd,
            ..
        } = self.clone();
        Numbers {
            t,
            q,
            qd,
            hold_q,
            hold_qd,
            states,
            inputs,
            qdd,
            effort,
            direction,
            weight,
            parameters,
        }
    }

    /// A state with the same names and other numbers.
    pub(crate) fn with(&self, numbers: Numbers) -> State {
        State::new(numbers, &self.names)
    }

    /// Checks that every slice has the length that a mechanism needs. Slices are public, and a
    /// state may be of another model.
    pub(crate) fn check(&self, mechanism: &Mechanism) -> Result<(), Error> {
        let (coordinates, speeds) = (mechanism.coordinates.len(), mechanism.speeds.len());
        let lengths = [
            ("q", self.q.len(), coordinates),
            ("qd", self.qd.len(), speeds),
            ("qdd", self.qdd.len(), speeds),
            ("effort", self.effort.len(), speeds),
            ("direction", self.direction.len(), 3 * speeds),
            ("weight", self.weight.len(), speeds),
            ("states", self.states.len(), mechanism.states.len()),
            ("inputs", self.inputs.len(), mechanism.inputs.len()),
            ("parameters", self.parameters.len(), mechanism.parameters.len()),
        ];
        match lengths.into_iter().find(|(_, found, expected)| found != expected) {
            None => Ok(()),
            Some((name, found, expected)) => {
                Err(Error::Length { name: name.to_owned(), expected, found })
            }
        }
    }

    /// Checks lengths, and that every number is finite: what is not would show far from its cause.
    pub(crate) fn check_finite(&self, mechanism: &Mechanism) -> Result<(), Error> {
        self.check(mechanism)?;
        let numbers = mechanism.parameters.iter().zip(&self.parameters);
        let open = numbers.filter(|(one, number)| one.value.is_nan() && number.is_nan());
        let open: Vec<&str> = open.map(|(one, _)| one.name.as_str()).collect();
        if !open.is_empty() {
            return Err(no_numbers(&open, "nothing can be computed").into());
        }
        let parameters = mechanism.parameters.iter().map(|one| one.name.as_str());
        let states = mechanism.states.iter().map(|one| one.name.as_str());
        let inputs = mechanism.inputs.iter().map(|one| one.name.as_str());
        let coordinates = mechanism.coordinates.iter().map(|one| one.name.as_str());
        let speeds = mechanism.speeds.iter().map(|one| one.name.as_str());
        let mut numbers = iter::once(("t", &self.t))
            .chain(parameters.zip(&self.parameters))
            .chain(states.zip(&self.states))
            .chain(inputs.zip(&self.inputs))
            .chain(coordinates.zip(&self.q))
            .chain(speeds.zip(&self.qd));
        numbers.try_for_each(|(name, value)| finite(name, *value))
    }

    /// A number by its name.
    pub fn get(&self, name: &str) -> Result<f64, Error> {
        let number = |slice: &'static str, numbers: &[f64], at: usize| {
            numbers.get(at).copied().ok_or_else(|| too_short(slice, numbers.len(), at))
        };
        match self.place(name)? {
            StatePlace::Time => Ok(self.t),
            StatePlace::Coordinate(at) => number("q", &self.q, at),
            StatePlace::Speed(at) => number("qd", &self.qd, at),
            StatePlace::Acceleration(at) => number("qdd", &self.qdd, at),
            StatePlace::Effort(at) => number("effort", &self.effort, at),
            StatePlace::State(at) => number("states", &self.states, at),
            StatePlace::Input(at) => number("inputs", &self.inputs, at),
            StatePlace::Parameter(at) => number("parameters", &self.parameters, at),
        }
    }

    /// Gives the number of a name another value. What is set so is kept where loops are closed, as
    /// far as that is possible.
    pub fn set(&mut self, name: &str, value: f64) -> Result<&mut State, Error> {
        // Slices are public and may have become shorter.
        self.get(name)?;
        match self.place(name)? {
            StatePlace::Time => self.t = value,
            StatePlace::Coordinate(at) => (self.q[at], self.hold_q[at]) = (value, Hold::State),
            StatePlace::Speed(at) => (self.qd[at], self.hold_qd[at]) = (value, Hold::State),
            StatePlace::Acceleration(at) => self.qdd[at] = value,
            StatePlace::Effort(at) => self.effort[at] = value,
            StatePlace::State(at) => self.states[at] = value,
            StatePlace::Input(at) => self.inputs[at] = value,
            StatePlace::Parameter(at) => self.parameters[at] = value,
        }
        Ok(self)
    }

    fn place(&self, name: &str) -> Result<StatePlace, Error> {
        self.names.0.get(name).copied().ok_or_else(|| {
            let mut known: Vec<&str> = self.names.0.keys().map(String::as_str).collect();
            known.sort_unstable();
            Error::unknown("coordinate, speed or parameter", name, known)
        })
    }
}

/// Checks that a number is finite.
pub(crate) fn finite(name: &str, value: f64) -> Result<(), Error> {
    match value.is_finite() {
        true => Ok(()),
        false => Err(Error::NotFinite { name: name.to_owned(), value }),
    }
}

/// A slice of a state that ends before a number that has a name.
fn too_short(slice: &str, found: usize, at: usize) -> Error {
    Error::Length { name: slice.to_owned(), expected: at + 1, found }
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.numbers() == other.numbers()
    }
}
