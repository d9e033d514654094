//! Where the numbers of a program's inputs come from.

use crate::lanes::{Run, copy_lane, lane};
use rotule_formalism::MultibodySystem;
use rotule_numeric::state::StatePlace;
use rotule_program::Program;
use rotule_symbolic::Expr;
use std::collections::HashMap;

/// All that functions of a mechanism may take, in the mechanism's order; or the same for several
/// motions at one time, in lanes: the numbers of the first coordinate, one for each motion, then
/// those of the second, and so on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputPoint {
    /// Number of lanes.
    pub width: usize,
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
    /// Inputs of the model, and derivatives of them.
    pub inputs: Vec<f64>,
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
        let (states, inputs, qdd) = (Vec::new(), Vec::new(), zeros.clone());
        InputPoint { width: 1, t, parameters, q, qd, states, inputs, qdd, effort: zeros }
    }

    /// Points at one time, side by side; the last one stands for those that are missing.
    pub fn side_by_side(points: &[InputPoint], width: usize) -> InputPoint {
        let Some(last) = points.last() else { return InputPoint::default() };
        let all: Vec<&InputPoint> =
            (0..width).map(|lane| points.get(lane).unwrap_or(last)).collect();
        let mut wide = InputPoint { width, t: last.t, ..InputPoint::default() };
        for (at, list) in wide.lists().into_iter().enumerate() {
            let lists: Vec<&Vec<f64>> = all.iter().map(|point| point.all()[at]).collect();
            *list =
                (0..lists[0].len()).flat_map(|at| lists.iter().map(move |one| one[at])).collect();
        }
        wide
    }

    /// One of the points.
    pub fn lane(&self, at: usize) -> InputPoint {
        let mut one = InputPoint { width: 1, t: self.t, ..InputPoint::default() };
        for (own, list) in one.lists().into_iter().zip(self.all()) {
            *own = lane(list, self.width, at);
        }
        one
    }

    /// Lets one point be the same as another.
    pub(crate) fn copy(&mut self, from: usize, to: usize) {
        let width = self.width;
        self.lists().into_iter().for_each(|list| copy_lane(list, width, from, to));
    }

    /// One number of one lane.
    pub(crate) fn number(&self, place: StatePlace, lane: usize) -> f64 {
        list_of(place).map_or(self.t, |(list, at)| self.all()[list][self.width * at + lane])
    }

    /// All lists, parameters first.
    fn all(&self) -> [&Vec<f64>; 7] {
        let InputPoint { parameters, q, qd, states, inputs, qdd, effort, .. } = self;
        [parameters, q, qd, states, inputs, qdd, effort]
    }

    fn lists(&mut self) -> [&mut Vec<f64>; 7] {
        let InputPoint { parameters, q, qd, states, inputs, qdd, effort, .. } = self;
        [parameters, q, qd, states, inputs, qdd, effort]
    }

    /// Sets the states besides coordinates and speeds.
    #[must_use]
    pub fn with_states(mut self, states: Vec<f64>) -> InputPoint {
        self.states = states;
        self
    }

    /// Sets the inputs of the model.
    #[must_use]
    pub fn with_inputs(mut self, inputs: Vec<f64>) -> InputPoint {
        self.inputs = inputs;
        self
    }
}

/// For each input of a program, which number of an [`InputPoint`] it takes.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// The inputs that are the time.
    times: Vec<usize>,
    /// For each list of a point the inputs that take numbers of it, as rows, and their places
    /// there. Most programs take whole lists, which are copied at once.
    lists: [Vec<Run>; 7],
    numbers: Vec<f64>,
}

impl Inputs {
    /// The inputs of a program of a mechanism, for so many lanes; the name of one that no number
    /// belongs to if there is one.
    pub fn of(tree: &MultibodySystem, program: &Program, width: usize) -> Result<Inputs, String> {
        let mechanism = &tree.mechanism;
        let mut known = HashMap::new();
        let mut add = |symbol: Expr, place: StatePlace| {
            if let Some(id) = mechanism.graph.symbol_of(symbol) {
                known.insert(mechanism.graph.symbol_name(id), place);
            }
        };
        add(mechanism.time, StatePlace::Time);
        for (at, parameter) in mechanism.parameters.iter().enumerate() {
            add(parameter.symbol, StatePlace::Parameter(at));
        }
        for (at, coordinate) in mechanism.coordinates.iter().enumerate() {
            add(coordinate.symbol, StatePlace::Coordinate(at));
        }
        for (at, speed) in mechanism.speeds.iter().enumerate() {
            add(speed.symbol, StatePlace::Speed(at));
            add(speed.acceleration, StatePlace::Acceleration(at));
            add(speed.effort, StatePlace::Effort(at));
        }
        for (at, state) in mechanism.states.iter().enumerate() {
            add(state.symbol, StatePlace::State(at));
        }
        for (at, input) in mechanism.inputs.iter().enumerate() {
            add(input.symbol, StatePlace::Input(at));
        }
        let mut inputs =
            Inputs { times: Vec::new(), lists: Default::default(), numbers: Vec::new() };
        for (number, input) in program.inputs().iter().enumerate() {
            let place = known.get(input.name.as_str()).ok_or_else(|| input.name.clone())?;
            match list_of(*place) {
                Some((list, at)) => Run::extend(&mut inputs.lists[list], at, number),
                None => inputs.times.push(number),
            }
        }
        inputs.numbers = vec![0.0; width * program.inputs().len()];
        Ok(inputs)
    }

    /// The numbers at a point, those of the first input first. Parameters are left as they are
    /// unless they are requested.
    pub fn at(&mut self, point: &InputPoint, parameters: bool) -> &[f64] {
        let Inputs { times, lists, numbers } = self;
        let width = point.width;
        for &mut row in times {
            numbers[width * row..][..width].fill(point.t);
        }
        // Parameters come first.
        for (runs, list) in lists.iter().zip(point.all()).skip(usize::from(!parameters)) {
            runs.iter().for_each(|run| run.gather(width, list, numbers));
        }
        numbers
    }
}

/// The list of a point, as [`InputPoint::all`] has them, and the position in it where a number of a
/// state stands; none for the time, which all lanes share.
fn list_of(place: StatePlace) -> Option<(usize, usize)> {
    Some(match place {
        StatePlace::Time => return None,
        StatePlace::Parameter(at) => (0, at),
        StatePlace::Coordinate(at) => (1, at),
        StatePlace::Speed(at) => (2, at),
        StatePlace::State(at) => (3, at),
        StatePlace::Input(at) => (4, at),
        StatePlace::Acceleration(at) => (5, at),
        StatePlace::Effort(at) => (6, at),
    })
}
