//! Where the numbers of a program's inputs come from.

use crate::study::{Points, by_width};
use rotule_formalism::Tree;
use rotule_program::Program;
use rotule_symbolic::Expr;
use std::collections::HashMap;

/// All that functions of a mechanism may take, in the mechanism's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputPoint {
    /// Time.
    pub t: f64,
    /// Parameters.
    pub parameters: Vec<f64>,
    /// Coordinates.
    pub q: Vec<f64>,
    /// Speeds.
    pub qd: Vec<f64>,
    /// States besides coordinates and speeds.
    pub states: Vec<f64>,
    /// Accelerations.
    pub qdd: Vec<f64>,
    /// Efforts besides the joint laws.
    pub effort: Vec<f64>,
}

impl InputPoint {
    /// Coordinates and speeds at a time, without efforts and other states; accelerations are not
    /// known yet.
    pub fn new(t: f64, q: Vec<f64>, qd: Vec<f64>, parameters: Vec<f64>) -> InputPoint {
        let zeros = vec![0.0; qd.len()];
        InputPoint { t, parameters, q, qd, states: Vec::new(), qdd: zeros.clone(), effort: zeros }
    }

    /// Sets the states besides coordinates and speeds.
    #[must_use]
    pub fn with_states(mut self, states: Vec<f64>) -> InputPoint {
        self.states = states;
        self
    }
}

/// For each input of a program, which number of a [`InputPoint`] it takes.
#[derive(Clone, Debug)]
pub struct Inputs {
    places: Vec<Place>,
    numbers: Vec<f64>,
}

/// A number of a [`InputPoint`].
#[derive(Clone, Copy, Debug)]
enum Place {
    Time,
    Parameter(usize),
    Coordinate(usize),
    Speed(usize),
    Acceleration(usize),
    Effort(usize),
    State(usize),
}

impl Inputs {
    /// The inputs of a program of a mechanism; the name of one that no number belongs to if there
    /// is one.
    pub fn of(tree: &Tree, program: &Program) -> Result<Inputs, String> {
        let mechanism = &tree.mechanism;
        let mut known = HashMap::new();
        let mut add = |symbol: Expr, place: Place| {
            if let Some(id) = mechanism.graph.symbol_of(symbol) {
                known.insert(mechanism.graph.symbol_name(id), place);
            }
        };
        add(mechanism.time, Place::Time);
        for (at, parameter) in mechanism.parameters.iter().enumerate() {
            add(parameter.symbol, Place::Parameter(at));
        }
        for (at, coordinate) in mechanism.coordinates.iter().enumerate() {
            add(coordinate.symbol, Place::Coordinate(at));
        }
        for (at, speed) in mechanism.speeds.iter().enumerate() {
            add(speed.symbol, Place::Speed(at));
            add(speed.acceleration, Place::Acceleration(at));
            add(speed.effort, Place::Effort(at));
        }
        for (at, state) in mechanism.states.iter().enumerate() {
            add(state.symbol, Place::State(at));
        }
        let places = program
            .inputs()
            .iter()
            .map(|input| known.get(input.name.as_str()).copied().ok_or_else(|| input.name.clone()));
        let places: Vec<Place> = places.collect::<Result<_, _>>()?;
        let numbers = vec![0.0; places.len()];
        Ok(Inputs { places, numbers })
    }

    /// The numbers at several points, those of the first input first. Parameters are left as they
    /// are unless that is asked for.
    pub(crate) fn side_by_side(&self, points: &Points, numbers: &mut [f64], parameters: bool) {
        let places = &self.places;
        by_width!(points.width, side_by_side(places, points, numbers, parameters));
    }

    /// The numbers at a point.
    pub fn at(&mut self, point: &InputPoint) -> &[f64] {
        for (number, place) in self.numbers.iter_mut().zip(&self.places) {
            *number = match *place {
                Place::Time => point.t,
                Place::Parameter(at) => point.parameters[at],
                Place::Coordinate(at) => point.q[at],
                Place::Speed(at) => point.qd[at],
                Place::Acceleration(at) => point.qdd[at],
                Place::Effort(at) => point.effort[at],
                Place::State(at) => point.states[at],
            };
        }
        &self.numbers
    }
}

fn side_by_side<const W: usize>(
    places: &[Place],
    points: &Points,
    numbers: &mut [f64],
    parameters: bool,
) {
    for (row, place) in numbers.as_chunks_mut::<W>().0.iter_mut().zip(places) {
        let (list, at) = match *place {
            Place::Time => (&points.t, 0),
            Place::Parameter(_) if !parameters => continue,
            Place::Parameter(at) => (&points.parameters, at),
            Place::Coordinate(at) => (&points.q, at),
            Place::Speed(at) => (&points.qd, at),
            Place::Acceleration(at) => (&points.qdd, at),
            Place::Effort(at) => (&points.effort, at),
            Place::State(at) => (&points.states, at),
        };
        *row = list.as_chunks::<W>().0[at];
    }
}
