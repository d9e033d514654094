//! Linear models in independent coordinates: `x' = A x + B u`, `y = C x + D u` about a state.
//!
//! ```text
//! x   independent coordinates (small displacements along their speeds), independent speeds, states
//! u   inputs of the model, or efforts of joints
//! y   what sensors measure, coordinates, speeds
//! ```
//!
//! Loops are closed while `x` moves: all comes from the equations that a simulation integrates,
//! differentiated in forward mode. The matrices of the function `linear(permanent)` say the same on
//! another path, `A = [0 I; -M^-1 K, -M^-1 B]`.
//!
//! A coordinate with a quaternion or a moving frame has no symbol for its displacement: of two
//! motions beside each other, displacements along the speeds change by what the kinematic map `N`
//! says, `N d' = d(N v) - N' d`.

use crate::functions::{FunctionValues, ModelFunctions};
use crate::linear_sampled::{self, SampledEvent};
use nalgebra::DMatrix;
use rotule_formalism::function::{FunctionKind, OutputRow, measured, outputs};
use rotule_formalism::labels::{Labels, labels, speed_names};
use rotule_formalism::{ModelFunction, MultibodySystem, Problem};
use rotule_model::draft::Measure;
use rotule_model::mechanism::Mechanism;
use rotule_numeric::state::StateNumbers;
use rotule_program::Externals;
use rotule_simulate::inputs::InputPoint;
use rotule_symbolic::{did_you_mean, nearest};

/// A matrix of numbers.
pub type RealMatrix = DMatrix<f64>;

/// A linear model with the names of everything.
#[derive(Clone, Debug, PartialEq)]
pub struct StateSpace {
    /// The name of the model.
    pub model: String,
    /// The names of `x`.
    pub states: Vec<String>,
    /// The names of `u`.
    pub inputs: Vec<LinearInput>,
    /// The names of `y`.
    pub outputs: Vec<String>,
    /// `A`.
    pub a: DMatrix<f64>,
    /// `B`.
    pub b: DMatrix<f64>,
    /// `C`.
    pub c: DMatrix<f64>,
    /// `D`.
    pub d: DMatrix<f64>,
    /// The rates of `x` at the operating point, before samples: zero at an equilibrium.
    pub rates: Vec<f64>,
    /// The number of displacements, which are the first of `x`.
    pub displacements: usize,
    /// `y` at the operating point.
    pub values: Vec<f64>,
    /// The sampling period of a discrete model, in seconds.
    pub period: Option<f64>,
    /// Remarks for its reader.
    pub notes: Vec<String>,
}

/// An input of a linear model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearInput {
    /// Its name.
    pub name: String,
    /// The position of the input that it is a derivative of; itself if it is none.
    pub of: usize,
    /// The order of the derivative.
    pub order: usize,
}

/// A request for a linear model.
#[derive(Clone, Debug, Default)]
pub struct LinearRequest {
    /// Inputs of the model, or joints whose efforts are inputs; none are all inputs of the model,
    /// or else the efforts of joints with drives.
    pub inputs: Vec<String>,
    /// Sensors, quantities of sensors, coordinates, speeds, accelerations or states; none are all
    /// sensors, or else all coordinates.
    pub outputs: Vec<String>,
    /// A period for a discrete model with inputs that are held.
    pub period: Option<f64>,
}

/// A variable that is moved: what becomes of a direction.
enum Moved {
    Input(usize),
    Effort(usize),
}

/// A quantity that is observed, by its function and place there.
enum Observed {
    Sensor { sensor: usize, place: usize },
    Coordinate(usize),
    Speed(usize),
    Acceleration(usize),
    State(usize),
}

const MOTION: FunctionKind = FunctionKind::Motion;

/// The position of an output of `motion`.
const fn of_motion(output: &OutputRow) -> usize {
    MOTION.row().position(output)
}

/// The linear model of a mechanism at a state, whose loops are closed first.
pub fn state_space(
    tree: &MultibodySystem,
    state: &StateNumbers,
    externals: Box<dyn Externals>,
    request: &LinearRequest,
) -> Result<StateSpace, Problem> {
    if request.period.is_some_and(|period| !(period > 0.0 && period.is_finite())) {
        return Err(Problem::new("the sampling period must be a positive number of seconds", ""));
    }
    let (mut functions, point) = ModelFunctions::at(tree, state, externals)?;
    functions.refuse_singular(&point)?;
    let mechanism = functions.tree().mechanism.clone();
    let (inputs, moved) = find_inputs(&mechanism, &request.inputs)?;
    let (names, observed) = find_outputs(functions.tree(), &request.outputs)?;
    let directions = directions(&mut functions, &point, &moved)?;
    let motion = functions.evaluate("motion", &point, &directions)?;
    if !motion.is_sound() {
        let help = "choose another state, or check laws that divide by zero there";
        return Err(Problem::new("the equations have no finite derivatives at this state", help));
    }
    let (closed, directions) = follow(&point, &directions, &motion);
    let coordinates = functions.independent_coordinates().to_vec();
    let speeds = functions.independent_speeds().to_vec();
    let count = coordinates.len() + speeds.len() + mechanism.states.len();
    let mut rates = Vec::with_capacity(count);
    rates.extend(coordinates.iter().map(|&at| (of_motion(&outputs::SPEEDS), at)));
    rates.extend(speeds.iter().map(|&at| (of_motion(&outputs::ACCELERATIONS), at)));
    rates.extend((0..mechanism.states.len()).map(|at| (of_motion(&outputs::STATE_RATES), at)));
    let entry = |row: usize, column: usize| motion.along(column, rates[row].0)[rates[row].1];
    let mut a = DMatrix::from_fn(count, count, entry);
    let b = DMatrix::from_fn(count, inputs.len(), |row, column| entry(row, count + column));
    let turning = turning(&mut functions, &closed, &directions[..count])?;
    for (row, &speed) in coordinates.iter().enumerate() {
        for column in 0..count {
            a[(row, column)] += turning[(speed, column)];
        }
    }
    let (values, rows) = observe(&mut functions, &closed, &directions, &observed)?;
    let c = DMatrix::from_fn(names.len(), count, |row, column| rows[row][column]);
    let d = DMatrix::from_fn(names.len(), inputs.len(), |row, column| rows[row][count + column]);
    let speed = speed_names(&mechanism);
    let mut states: Vec<String> = coordinates.iter().map(|&at| speed[at].clone()).collect();
    states.extend(speeds.iter().map(|&at| mechanism.speeds[at].name.clone()));
    states.extend(mechanism.states.iter().map(|one| one.name.clone()));
    let continuous = StateSpace {
        model: mechanism.name.clone(),
        states,
        inputs,
        outputs: names,
        a,
        b,
        c,
        d,
        displacements: coordinates.len(),
        rates: rates.iter().map(|&(output, at)| motion.output(output)[at]).collect(),
        values,
        period: None,
        notes: Vec::new(),
    };
    let first = coordinates.len() + speeds.len();
    let sampled = sampled_events(&mut functions, &closed, &directions, first)?;
    linear_sampled::discrete(continuous, &sampled, request.period)
}

/// The inputs of a request: the names, and what moves.
fn find_inputs(
    mechanism: &Mechanism,
    requested: &[String],
) -> Result<(Vec<LinearInput>, Vec<Moved>), Problem> {
    let efforts = speed_names(mechanism);
    // Inputs with their derivatives, which stand behind them, or single efforts.
    let family =
        |of: usize| (0..mechanism.inputs.len()).filter(move |&at| mechanism.inputs[at].of == of);
    let mut chosen: Vec<Moved> = Vec::new();
    if requested.is_empty() {
        chosen.extend((0..mechanism.inputs.len()).map(Moved::Input));
        if mechanism.inputs.is_empty() {
            let driven = mechanism.joints.iter().filter(|joint| joint.actuation.is_some());
            chosen.extend(driven.flat_map(|joint| joint.speeds.clone()).map(Moved::Effort));
        }
    }
    for word in requested {
        let input = mechanism.inputs.iter().position(|one| one.name == *word);
        let effort = word.strip_suffix(".effort").unwrap_or(word);
        let speed = efforts.iter().position(|one| one == effort);
        match (input, speed) {
            (Some(at), _) => chosen.extend(family(mechanism.inputs[at].of).map(Moved::Input)),
            (None, Some(at)) => chosen.push(Moved::Effort(at)),
            (None, None) => {
                let plain = mechanism.inputs.iter().map(|one| one.name.as_str());
                let known: Vec<&str> = plain.chain(efforts.iter().map(String::as_str)).collect();
                return Err(unknown("input or joint", word, &known));
            }
        }
    }
    let mut inputs: Vec<LinearInput> = Vec::with_capacity(chosen.len());
    for (number, one) in chosen.iter().enumerate() {
        let (name, order) = match *one {
            Moved::Input(at) => (mechanism.inputs[at].name.clone(), mechanism.inputs[at].order),
            Moved::Effort(at) => (format!("{}.effort", efforts[at]), 0),
        };
        if inputs.iter().any(|known| known.name == name) {
            return Err(Problem::new(format!("input `{name}` is requested twice"), ""));
        }
        inputs.push(LinearInput { name, of: number - order, order });
    }
    Ok((inputs, chosen))
}

/// The outputs of a request: the names, and what is observed.
fn find_outputs(
    tree: &MultibodySystem,
    requested: &[String],
) -> Result<(Vec<String>, Vec<Observed>), Problem> {
    let mechanism = &tree.mechanism;
    let mut known: Vec<(String, Observed)> = Vec::new();
    for sensor in 0..mechanism.sensors.len() {
        let names = sensor_names(tree, sensor)?.into_iter().enumerate();
        known.extend(names.map(|(place, name)| (name, Observed::Sensor { sensor, place })));
    }
    let sensors = known.len();
    let coordinates = mechanism.coordinates.iter().enumerate();
    known.extend(coordinates.map(|(at, one)| (one.name.clone(), Observed::Coordinate(at))));
    let shown = if sensors > 0 { 0..sensors } else { 0..known.len() };
    for (at, one) in mechanism.speeds.iter().enumerate() {
        known.push((one.name.clone(), Observed::Speed(at)));
        known.push((mechanism.graph.text(one.acceleration), Observed::Acceleration(at)));
    }
    let states = mechanism.states.iter().enumerate();
    known.extend(states.map(|(at, one)| (one.name.clone(), Observed::State(at))));
    let mut chosen: Vec<usize> = if requested.is_empty() { shown.collect() } else { Vec::new() };
    for word in requested {
        // A name, or the beginning of several: `tip`, `tip.velocity`.
        let fits = |name: &str| {
            name == word
                || name.strip_prefix(word.as_str()).is_some_and(|rest| rest.starts_with('.'))
        };
        let exact: Vec<usize> = (0..known.len()).filter(|&at| known[at].0 == *word).collect();
        let found: Vec<usize> = match exact.is_empty() {
            true => (0..known.len()).filter(|&at| fits(&known[at].0)).collect(),
            false => exact,
        };
        if found.is_empty() {
            let mut names: Vec<&str> = known.iter().map(|one| one.0.as_str()).collect();
            names.extend(mechanism.sensors.iter().map(|one| one.name.as_str()));
            return Err(unknown("output", word, &names));
        }
        chosen.extend(found.into_iter().filter(|at| !chosen.contains(at)).collect::<Vec<_>>());
    }
    let mut all: Vec<Option<(String, Observed)>> = known.into_iter().map(Some).collect();
    Ok(chosen.into_iter().filter_map(|at| all[at].take()).unzip())
}

/// The names of all numbers that a sensor measures, Jacobians aside, in the order of its program.
fn sensor_names(tree: &MultibodySystem, sensor: usize) -> Result<Vec<String>, Problem> {
    let sensor = &tree.mechanism.sensors[sensor];
    let function = ModelFunction::parse(&format!("sensor({})", sensor.name), tree)?;
    let mut names = Vec::new();
    for output in measures(sensor.measures.iter().copied()) {
        let stem = format!("{}.{}", sensor.name, output.name);
        match labels(&tree.mechanism, &function, output.name) {
            Some(Labels::Vector(rows)) => {
                names.extend(rows.iter().map(|row| format!("{stem}.{row}")));
            }
            Some(Labels::Matrix(rows, columns)) => {
                for row in &rows {
                    names.extend(columns.iter().map(|column| format!("{stem}.{row}{column}")));
                }
            }
            _ => names.push(stem),
        }
    }
    Ok(names)
}

/// The outputs that stand for measured quantities, without Jacobians.
fn measures(all: impl Iterator<Item = Measure>) -> impl Iterator<Item = &'static OutputRow> {
    all.filter(|one| *one != Measure::Jacobian).map(measured)
}

/// The directions of `x` and `u`: independent coordinates along their speeds, speeds, states, then
/// inputs.
fn directions(
    functions: &mut ModelFunctions,
    point: &InputPoint,
    moved: &[Moved],
) -> Result<Vec<InputPoint>, Problem> {
    let coordinates = functions.independent_coordinates().to_vec();
    let speeds = functions.independent_speeds().to_vec();
    let mut all = functions.along_speeds(point, &coordinates)?;
    let mut unit = |place: &dyn Fn(&mut InputPoint) -> &mut f64| {
        let mut direction = ModelFunctions::still(point);
        *place(&mut direction) = 1.0;
        all.push(direction);
    };
    speeds.iter().for_each(|&at| unit(&|one| &mut one.qd[at]));
    (0..point.states.len()).for_each(|at| unit(&|one| &mut one.states[at]));
    for one in moved {
        match *one {
            Moved::Input(at) => unit(&|one| &mut one.inputs[at]),
            Moved::Effort(at) => unit(&|one| &mut one.effort[at]),
        }
    }
    Ok(all)
}

/// The point with what `motion` says of dependent quantities, and the directions likewise.
fn follow(
    point: &InputPoint,
    directions: &[InputPoint],
    motion: &FunctionValues,
) -> (InputPoint, Vec<InputPoint>) {
    let parts = [&outputs::COORDINATES, &outputs::SPEEDS, &outputs::ACCELERATIONS].map(of_motion);
    let with = |point: &InputPoint, of: &dyn Fn(usize) -> Vec<f64>| InputPoint {
        q: of(parts[0]),
        qd: of(parts[1]),
        qdd: of(parts[2]),
        ..point.clone()
    };
    let closed = with(point, &|output| motion.output(output).to_vec());
    let follow =
        |(at, one): (usize, &InputPoint)| with(one, &|output| motion.along(at, output).to_vec());
    (closed, directions.iter().enumerate().map(follow).collect())
}

/// The part of the rates of displacements that the turning of frames adds: a row for each speed, a
/// column for each direction. Zero at rest, and where coordinates are derivatives of themselves.
fn turning(
    functions: &mut ModelFunctions,
    point: &InputPoint,
    directions: &[InputPoint],
) -> Result<DMatrix<f64>, Problem> {
    let size = point.qd.len();
    let mut found = DMatrix::zeros(size, directions.len());
    let mechanism = &functions.tree().mechanism;
    let plain = mechanism.joints.iter().all(|joint| joint.quaternion().is_none());
    if plain || point.qd.iter().all(|speed| *speed == 0.0) {
        return Ok(found);
    }
    let map = functions.evaluate("kinematic_map", point, &[])?;
    let map = DMatrix::from_row_slice(point.q.len(), size, map.output(0));
    let speeds = DMatrix::from_column_slice(size, 1, &point.qd);
    // Displacements along speeds of changes of coordinates: the columns of `N` are orthogonal.
    let along = |change: &DMatrix<f64>| {
        let normal = map.transpose() * &map;
        normal.lu().solve(&(map.transpose() * change)).unwrap_or_else(|| DMatrix::zeros(size, 1))
    };
    let mut moving = ModelFunctions::still(point);
    moving.q.copy_from_slice((&map * &speeds).as_slice());
    let only_q = |one: &InputPoint| {
        let mut direction = ModelFunctions::still(point);
        direction.q.clone_from(&one.q);
        direction
    };
    let mut all: Vec<InputPoint> = directions.iter().map(only_q).collect();
    all.push(moving);
    let changes = functions.evaluate("kinematic_map", point, &all)?;
    let change = |at: usize| DMatrix::from_row_slice(point.q.len(), size, changes.along(at, 0));
    let own = change(directions.len());
    for (at, direction) in directions.iter().enumerate() {
        let displacement = along(&DMatrix::from_column_slice(point.q.len(), 1, &direction.q));
        let rate = change(at) * &speeds - &own * displacement;
        found.set_column(at, &along(&rate).column(0));
    }
    Ok(found)
}

/// The numbers that are observed, and a row of derivatives by all directions for each.
fn observe(
    functions: &mut ModelFunctions,
    point: &InputPoint,
    directions: &[InputPoint],
    observed: &[Observed],
) -> Result<(Vec<f64>, Vec<Vec<f64>>), Problem> {
    let mut sensors: Vec<Option<FunctionValues>> = Vec::new();
    let (mut values, mut rows) = (Vec::new(), Vec::new());
    for one in observed {
        let of = |number: &dyn Fn(&InputPoint) -> f64| {
            (number(point), directions.iter().map(number).collect())
        };
        let (value, row) = match *one {
            Observed::Coordinate(at) => of(&|one| one.q[at]),
            Observed::Speed(at) => of(&|one| one.qd[at]),
            Observed::Acceleration(at) => of(&|one| one.qdd[at]),
            Observed::State(at) => of(&|one| one.states[at]),
            Observed::Sensor { sensor, place } => {
                sensors.resize_with(sensors.len().max(sensor + 1), || None);
                if sensors[sensor].is_none() {
                    let name = &functions.tree().mechanism.sensors[sensor].name;
                    let function = format!("sensor({name})");
                    sensors[sensor] = Some(functions.evaluate(&function, point, directions)?);
                }
                let found = sensors[sensor].as_ref().expect("it was evaluated a moment ago");
                let measures = &functions.tree().mechanism.sensors[sensor].measures;
                // Jacobians are passed over.
                let (mut output, mut inside) = (0, place);
                for measure in measures {
                    let length = found.output(output).len();
                    match *measure {
                        Measure::Jacobian => {}
                        _ if inside < length => break,
                        _ => inside -= length,
                    }
                    output += 1;
                }
                let row = (0..directions.len()).map(|at| found.along(at, output)[inside]);
                (found.output(output)[inside], row.collect())
            }
        };
        values.push(value);
        rows.push(row);
    }
    Ok((values, rows))
}

/// The events that sample, as linear maps of `x` and `u`: those with a period.
fn sampled_events(
    functions: &mut ModelFunctions,
    point: &InputPoint,
    directions: &[InputPoint],
    first_state: usize,
) -> Result<Vec<SampledEvent>, Problem> {
    use rotule_model::mechanism::{Action, EventTarget};
    let mechanism = functions.tree().mechanism.clone();
    if mechanism.events.iter().all(|event| event.period.is_none()) {
        return Ok(Vec::new());
    }
    let found = functions.evaluate("events", point, directions)?;
    let at = FunctionKind::Events.row().position(&outputs::EVENT_VALUES);
    let (mut number, mut all) = (0, Vec::new());
    for event in &mechanism.events {
        let mut rows = Vec::new();
        for action in &event.actions {
            let Action::Set { target, value } = *action else {
                number +=
                    usize::from(matches!(action, Action::Impact { .. } | Action::Stick { .. }));
                continue;
            };
            if event.period.is_some() {
                linear_sampled::check_value(&mechanism, &event.name, value)?;
                let EventTarget::State(state) = target else {
                    let message = format!("event `{}` sets a coordinate or speed", event.name);
                    return Err(Problem::new(message, "a linear model has none that jumps"));
                };
                let row = (0..directions.len()).map(|one| found.along(one, at)[number]);
                rows.push((first_state + state, row.collect()));
            }
            number += 1;
        }
        if let Some([every, first, _]) = event.period {
            let numbers = mechanism.evaluate(&[every, first]);
            all.push(SampledEvent {
                name: event.name.clone(),
                every: numbers[0],
                first: numbers[1],
                rows,
            });
        }
    }
    Ok(all)
}

/// "there is no such thing", with the nearest name or all of them.
fn unknown(what: &str, name: &str, known: &[&str]) -> Problem {
    let help = match nearest(name, known.iter().copied()) {
        Some(near) => did_you_mean(near),
        None if known.is_empty() => format!("the model has no {what}"),
        None => rotule_symbolic::likely(name, known.to_vec()),
    };
    Problem::new(format!("there is no {what} `{name}`"), help)
}
